"""Embeddings kept by content across runs, so that a set is embedded once for each model on this machine."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hookclaw_py.retrieval.base import Embedder, Vector
    from hookclaw_py.trace import Deadline

_BATCH = 500


class KeptEmbedder:
    """An ``Embedder`` that remembers the documents' vectors in one SQLite file.

    Prompts are embedded live unless ``prompts_too``, so that a recall costs what it costs; the last one is remembered,
    since each prompt is ranked and recalled. Closing it is left to its owner (``release``): many engines share it.
    """

    def __init__(self, embedder: Embedder, file: Path | None, *, prompts_too: bool = False) -> None:
        self.model_id, self.dimension = embedder.model_id, embedder.dimension
        self._embedder = embedder
        self._prompts_too = prompts_too
        if file is not None:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._connection = sqlite3.connect(file or ":memory:", timeout=60, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = OFF")  # derived data, made again when lost
        self._connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        self._last: tuple[str, Vector] | None = None

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:
        """Return a prompt's vector."""
        if self._last is not None and self._last[0] == text:
            return self._last[1]
        if self._prompts_too:
            vector = np.frombuffer(self.bytes_of([text])[0], "<f4").astype(np.float32)
        else:
            vector = self._embedder.embed(text, deadline)
        self._last = (text, vector)
        return vector

    def forget_prompt(self) -> None:
        """Make the next prompt be embedded anew, for an honest time."""
        self._last = None

    def bytes_of(self, texts: list[str], progress: Callable[[int, int], None] | None = None) -> list[bytes]:
        """Return each text's vector as little-endian float32, embedding on every core those not met before."""
        keys = [self._key(text) for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                made = pool.map(lambda text: self._embedder.embed(text).astype("<f4").tobytes(), missing.values())
                batch: list[tuple[bytes, bytes]] = []
                for done, (key, vector) in enumerate(zip(missing, made, strict=True), start=1):
                    known[key] = vector
                    batch.append((key, vector))
                    if len(batch) == _BATCH or done == len(missing):
                        self._write(batch)
                        batch = []
                    if progress:
                        progress(done, len(missing))
        return [known[key] for key in keys]

    def _key(self, text: str) -> bytes:
        return blake2b(f"{self.model_id}\n{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def _known(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        wanted, found = list(dict.fromkeys(keys)), dict[bytes, bytes]()
        for start in range(0, len(wanted), _BATCH):
            some = wanted[start : start + _BATCH]
            marks = ",".join("?" * len(some))
            found |= dict(self._connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some))
        return {key: vector for key, vector in found.items() if len(vector) == 4 * self.dimension}

    def _write(self, batch: list[tuple[bytes, bytes]]) -> None:
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", batch)

    def close(self) -> None:
        """Do nothing: the engines that share this embedder come and go."""

    def release(self) -> None:
        """Let go of the file; the model is shared by all engines of the process."""
        self._connection.close()
