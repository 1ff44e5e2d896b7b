"""The folder of a tantivy index: how it is opened, checked, emptied, swept, and what its errors mean."""

from __future__ import annotations

import json
import logging
import os
import shutil
import zlib
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import tantivy
from filelock import FileLock, Timeout

from hookclaw_py.errors import RetrievalError, WriterBusyError
from hookclaw_py.privacy import files as private
from hookclaw_py.regex import regex

log = logging.getLogger("hookclaw")

_FORMAT = 2
_STATE = "hookclaw.json"
_OPENING = "hookclaw.lock"
_OPENING_TIMEOUT_S = 10
_OF_THE_DISK = regex(r"(?i)io_?error|os error")


def configured(index: tantivy.Index) -> tantivy.Index:
    """Return the index with what tantivy does not keep of it: its tokenizer, and that it is reloaded when told to."""
    index.register_tokenizer("spaced", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    index.config_reader("manual")  # the default watches the folder from a thread of its own
    return index


class TantivyFolder:
    """The folder ``path`` and the file in it that says which generation of the store, and of which tokenizer, it covers."""

    def __init__(self, path: Path, *, tokenizer: str) -> None:
        self.path, self._tokenizer = path, tokenizer

    def opened(self, schema: tantivy.Schema) -> tantivy.Index:
        """Open the index, made anew when it is missing, damaged or of another version."""
        path = self.path
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(path / _OPENING, timeout=_OPENING_TIMEOUT_S, mode=0o600):
                index = self._intact() or self._emptied(schema)
                private.mend(path.parent, (path.name, f"{path.name}/*", f"{path.name}/.*"))
                return index
        except Timeout:
            raise RetrievalError(
                f"cannot open the lexical index {path}: another process is opening it; try again"
            ) from None
        except OSError as error:
            raise RetrievalError(
                f"cannot open the lexical index {path}: {error}; check the folder and its rights"
            ) from None

    def generation(self) -> int | None:
        """Return the generation that the folder's last commit covered; None when the folder is not of this version.

        Raises:
            RetrievalError: if the disk does not let it be read.
        """
        try:
            state = json.loads((self.path / _STATE).read_bytes())
            if (state["format"], state["tokenizer"]) == (_FORMAT, self._tokenizer):
                return int(state["generation"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            pass
        except OSError as error:
            raise self._unreadable(error) from error
        return None

    def write(self, generation: int) -> None:
        """Note which generation was committed."""
        state = {"format": _FORMAT, "tokenizer": self._tokenizer, "generation": generation}
        draft = self.path / f"{_STATE}.{os.getpid()}"
        with open(draft, "w", opener=private.for_its_owner) as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path / _STATE)

    def signature(self) -> tuple[int, ...]:
        """Return what changes with every commit; () when the folder is no index of ours.

        Raises:
            RetrievalError: if the disk does not let it be looked at.
        """
        try:
            stat = (self.path / _STATE).stat()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise self._unreadable(error) from error
        return stat.st_ino, stat.st_mtime_ns, stat.st_size

    def _unreadable(self, error: OSError) -> RetrievalError:
        return RetrievalError(
            f"cannot read the lexical index {self.path}: {error}; check the disk, the folder's owner and its mode"
        )

    def sweep(self) -> None:
        """Remove the segment files that the last commit knows nothing of: a writer was killed before it could commit.

        Tantivy names a segment's deletions by a count that the next writer reaches again, and refuses to write the same
        name twice. Only for the one that holds the writer's lock.
        """
        segments = json.loads((self.path / "meta.json").read_bytes())["segments"]
        known = {segment["segment_id"].replace("-", ""): segment["deletes"] for segment in segments}
        for file in self.path.glob("?" * 32 + ".*"):
            segment, _, rest = file.name.partition(".")
            stale = rest.endswith("del") and rest != f"{(known.get(segment) or {}).get('opstamp')}.del"
            if segment not in known or stale:
                file.unlink(missing_ok=True)

    def _intact(self) -> tantivy.Index | None:
        path = self.path
        if self.generation() is None:
            if (path / "meta.json").exists():
                log.warning("hookclaw: the lexical index %s is damaged or of another version; rebuilding it", path)
            return None
        try:
            with Failing("open", path, reading=True):
                for file in path.glob("?" * 32 + ".*"):
                    _require_checksum(file)
                return configured(tantivy.Index.open(str(path)))
        except RetrievalError as error:
            log.warning("hookclaw: %s", error)
            return None

    def _emptied(self, schema: tantivy.Schema) -> tantivy.Index:
        path = self.path
        for entry in path.iterdir():
            if entry.name != _OPENING:
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        with Failing("create", path, reading=False):
            index = configured(tantivy.Index(schema, str(path)))
        self.write(0)
        return index


def _require_checksum(file: Path) -> None:
    """Check a segment file against the checksum in tantivy's footer (about 1 GB/s).

    Damage that tantivy meets while it merges aborts the whole process, and it would do so at each start. A footer of
    another layout is left to tantivy, which knows its versions.
    """
    try:
        data = file.read_bytes()
        footer_at = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        expected = json.loads(data[footer_at:-8])["crc"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):  # a merge may just have removed the file
        return
    if zlib.crc32(data[:footer_at]) != expected:
        raise ValueError(f"the checksum of {file.name} does not match")


class Failing:
    """Turn tantivy's errors (ValueErrors, Rust panics) and a failing disk into one error that says what and where.

    A failing read means damaged files, and so does a write that fails for another reason than the disk: the state
    file is removed, so that the index is made anew.
    """

    def __init__(self, what: str, path: Path | None, *, reading: bool) -> None:
        self._what, self._path, self._reading = what, path, reading

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        # A panic is no Exception, and its class cannot be imported.
        expected = ValueError if self._reading else (ValueError, OSError)
        if kind is None or not (issubclass(kind, expected) or kind.__name__ == "PanicException"):
            return
        place = f"the lexical index {self._path or 'in memory'}"
        if "LockBusy" in str(error):
            raise WriterBusyError(
                f"cannot {self._what} {place}: another writer is at work; wait until it has committed"
            ) from None
        if self._path and (self._reading or not (issubclass(kind, OSError) or _OF_THE_DISK.search(str(error)))):
            with suppress(OSError):  # of a read-only disk it is read again, with luck
                (self._path / _STATE).unlink(missing_ok=True)
            raise RetrievalError(f"cannot {self._what} {place}: {error}; it is damaged and will be rebuilt") from error
        raise RetrievalError(
            f"cannot {self._what} {place}: {error}; make room, or check the folder's owner and mode"
        ) from error
