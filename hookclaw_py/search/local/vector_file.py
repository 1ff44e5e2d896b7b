"""The vectors of a store in one file beside it: a start reads that as a whole, not each vector from among all that its row holds.

Of fewer than ``WHOLE`` the file only says whose each row of the store is: those are read soon enough.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from filelock import FileLock, Timeout

from hookclaw_py.calibration.findings import NullSample
from hookclaw_py.errors import RetrievalError
from hookclaw_py.model.vectors import Vector
from hookclaw_py.privacy import files as private
from hookclaw_py.search.ports import KeptIndex

if TYPE_CHECKING:
    from hookclaw_py.search.local.faiss_index import FaissIndex
    from hookclaw_py.search.local.row_places import Arrays

log = logging.getLogger("hookclaw")

LEAST = 10
"""Vectors from which they are kept: of fewer the null sample is soon taken."""
WHOLE = 20_000
"""Vectors from which the file holds them: of fewer the store's rows are read in 2 µs each, and a passage takes .4 KB less."""
_FORMAT = 1
_PATIENCE = 10  # seconds for another process that is writing the file
_DAMAGED = (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile, MemoryError)
"""What reading a file of NumPy's raises that was cut short, overwritten, or is of another version."""


class VectorFile:
    """A ``VectorsBeside`` (search.ports): arrays of NumPy, each with a checksum, as of one generation of the store.

    The file is derived data: what is missing, damaged, of another version or another part of the store is none. It is put in place
    whole; a process that is killed on the way leaves the one before.
    """

    def __init__(
        self,
        file: Path,
        *,
        part: str,
        sampling: str = "",
        rows: Callable[[str, int], bytes] = lambda *_: b"",
        least: int = LEAST,
        whole: int = WHOLE,
    ) -> None:
        """``part`` says of what part of a store the vectors are, ``sampling`` how null samples are taken, ``rows`` reads the store's.

        Fewer than ``least`` are not kept, nor in the file itself fewer than ``whole`` of which there are ``rows``.
        """
        self._file, self._part, self._sampling, self._rows = file, part, sampling, rows
        self._least, self._whole = least, whole
        self._draft = file.with_name(f"{file.name}.part")

    def generation(self) -> int | None:
        """Return the generation that the file is of, below 0 when it cannot be read; None when there is none."""
        try:
            with open(self._file, "rb") as file, np.load(file) as arrays:
                return int(self._about(arrays)["generation"])
        except FileNotFoundError:
            return None
        except _DAMAGED:
            return -1

    def read(self, model_id: str) -> KeptIndex | None:
        """Return the vectors of a model; None when there are none."""
        try:
            from hookclaw_py.search.local import row_places
            from hookclaw_py.search.local.faiss_index import FaissIndex

            with open(self._file, "rb") as file, np.load(file) as arrays:
                about = self._about(arrays)
                if about["model"] != model_id:
                    return None
                generation = int(about["generation"])
                whole = row_places.filled(arrays, self._rows(model_id, generation)) if "row" in arrays else arrays
                if whole is None:
                    return None
                kept = KeptIndex(FaissIndex.of(whole), generation)
                sampling, *null = about.get("null", ("",))
                if not null or sampling != self._sampling:
                    return kept
                return kept._replace(null=NullSample(*null), centre=arrays["centre"])
        except FileNotFoundError:
            return None
        except (*_DAMAGED, ImportError) as error:
            log.warning("hookclaw: the vectors are read out of the database: %s: %s", self._file, error)
            return None

    def write(self, model_id: str, kept: KeptIndex, *, current: Callable[[], bool]) -> bool:
        """Keep the vectors of a model, nothing where there are too few; say whether there is nothing left to do.

        They are not kept unless they are still ``current`` once no other process writes or drops the file.
        """
        from hookclaw_py.search.local.faiss_index import FaissIndex

        index = kept.vectors
        if not isinstance(index, FaissIndex) or (len(index) < self._least and not self._file.exists()):
            return True
        about: dict[str, Any] = {
            "format": _FORMAT, "part": self._part, "model": model_id, "generation": kept.generation
        }  # fmt: skip
        more = {}
        if kept.null is not None and kept.centre is not None:
            about["null"], more = [self._sampling, *kept.null], {"centre": kept.centre}
        try:
            with self._alone(0):
                if not current():
                    return False
                if len(index) < self._least:  # what is kept has vectors of what was deleted
                    self._file.unlink(missing_ok=True)
                else:
                    self._put(about, index, more)
        except Timeout:
            return False
        except OSError as error:  # the next start takes longer, nothing else
            log.warning("hookclaw: cannot keep %s: %s", self._file, error)
        return True

    def drop(self) -> None:
        """Delete the file, and what a killed process left of one.

        Raises:
            RetrievalError: if it stays.
        """
        try:
            if any(self._file.parent.glob(f"{self._file.name}*")):
                with self._alone(_PATIENCE):
                    self._file.unlink(missing_ok=True)
                    self._draft.unlink(missing_ok=True)
        except OSError as error:
            raise RetrievalError(f"cannot delete {self._file}, which may hold what is forgotten: {error}") from error

    def _put(self, about: dict[str, Any], index: FaissIndex, more: Mapping[str, Vector]) -> None:
        with open(self._draft, "wb", opener=private.for_its_owner) as out, index.unchanged() as arrays:
            kept = self._places(about, arrays) or arrays
            told: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8), **kept, **more}
            np.savez(out, **told)
        self._draft.replace(self._file)

    def _places(self, about: Mapping[str, Any], arrays: Arrays) -> Arrays | None:
        """Return what is kept instead of the vectors; None where they are."""
        from hookclaw_py.search.local import row_places

        if len(arrays["keys"]) >= self._whole:
            return None
        rows = self._rows(about["model"], about["generation"])
        return row_places.of(arrays, rows) if rows else None

    def _alone(self, wait_seconds: float) -> Any:
        return FileLock(self._file.with_suffix(".lock"), mode=0o600).acquire(timeout=wait_seconds)

    def _about(self, arrays: Any) -> dict[str, Any]:
        about: dict[str, Any] = json.loads(arrays["about"].tobytes())
        if (about["format"], about["part"]) != (_FORMAT, self._part):
            raise ValueError("it is of another version")
        return about
