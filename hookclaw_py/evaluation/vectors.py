"""Embeddings kept by content across runs, so that a set is embedded once for each model on this machine."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hookclaw_py.model.vectors import TOKEN_DIMENSION
from hookclaw_py.search.late_interaction import without_fillers
from hookclaw_py.search.ports import Encoded, TokenEmbedder, Vocabulary, encode
from hookclaw_py.store.content import embedded as embedding_text

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import Vector
    from hookclaw_py.search.ports import Embedder
    from hookclaw_py.store.ports import Notes
    from hookclaw_py.trace import Deadline

_BATCH = 500


class Stored(NamedTuple):
    """An ``Encoded`` as bytes: little-endian float32, int8 and little-endian int32."""

    vector: bytes
    tokens: bytes
    spans: bytes


class KeptEmbedder:
    """An ``Embedder`` that remembers the documents' vectors, and their tokens' where it knows them, in one SQLite file.

    Prompts are embedded live unless ``prompts_too``, so that a recall costs what it costs; the last one is remembered,
    since each prompt is ranked and recalled. Closing it is left to its owner (``release``): many engines share it.
    """

    def __init__(self, embedder: Embedder, file: Path | None, *, prompts_too: bool = False) -> None:
        self.model_id, self.dimension = embedder.model_id, embedder.dimension
        self._embedder, self._has_tokens = embedder, isinstance(embedder, TokenEmbedder)
        self._vocabulary = embedder if isinstance(embedder, Vocabulary) else None
        self._prompts_too = prompts_too
        if file is not None:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._connection = sqlite3.connect(file or ":memory:", timeout=60, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = OFF")  # derived data, made again when lost
        self._connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        self._connection.execute("CREATE TABLE IF NOT EXISTS tokens (key BLOB PRIMARY KEY, tokens BLOB, spans BLOB)")
        self._last: tuple[str, Encoded] | None = None

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:
        """Return a prompt's vector."""
        return self.encode(text, deadline).vector

    def encode(self, text: str, deadline: Deadline | None = None) -> Encoded:
        """Return a prompt's vector and its tokens'; no tokens if the embedder knows none."""
        if self._last is not None and self._last[0] == text:
            return self._last[1]
        encoded = _encoded(self.bytes_of([text])[0]) if self._prompts_too else encode(self._embedder, text, deadline)
        self._last = (text, encoded)
        return encoded

    def knows(self, word: str) -> bool:
        """Say whether the model has this word; one without a vocabulary of its own objects to none."""
        return self._vocabulary is None or self._vocabulary.knows(word)

    def forget_prompt(self) -> None:
        """Make the next prompt be embedded anew, for an honest time."""
        self._last = None

    def bytes_of(self, texts: list[str], progress: Callable[[int, int], None] | None = None) -> list[Stored]:
        """Return what the model made of each text, running it on every core for those not met before."""
        keys = [self._key(text) for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                made = pool.map(lambda text: _stored(encode(self._embedder, text)), missing.values())
                batch: list[tuple[bytes, Stored]] = []
                for done, (key, stored) in enumerate(zip(missing, made, strict=True), start=1):
                    known[key] = stored
                    batch.append((key, stored))
                    if len(batch) == _BATCH or done == len(missing):
                        self._write(batch)
                        batch = []
                    if progress:
                        progress(done, len(missing))
        return [known[key] for key in keys]

    def _key(self, text: str) -> bytes:
        return blake2b(f"{self.model_id}\n{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def _known(self, keys: Iterable[bytes]) -> dict[bytes, Stored]:
        wanted, found = list(dict.fromkeys(keys)), dict[bytes, Stored]()
        tokens = ", tokens, spans FROM vectors JOIN" if self._has_tokens else ", x'', x'' FROM vectors LEFT JOIN"
        for start in range(0, len(wanted), _BATCH):
            some = wanted[start : start + _BATCH]
            marks = ",".join("?" * len(some))
            for key, *stored in self._connection.execute(
                f"SELECT key, vector{tokens} tokens USING (key) WHERE key IN ({marks})", some
            ):
                found[key] = Stored(*stored)
        return {key: stored for key, stored in found.items() if len(stored.vector) == 4 * self.dimension}

    def _write(self, batch: list[tuple[bytes, Stored]]) -> None:
        vectors = [(key, stored.vector) for key, stored in batch]
        tokens = [(key, stored.tokens, stored.spans) for key, stored in batch if self._has_tokens]
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", vectors)
            self._connection.executemany("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?)", tokens)

    def close(self) -> None:
        """Do nothing: the engines that share this embedder come and go."""

    def release(self) -> None:
        """Let go of the file; the model is shared by all engines of the process."""
        self._connection.close()


def add_embeddings(store: Notes, embedder: KeptEmbedder, embedded: Mapping[str, Stored]) -> None:
    """Put what ``embedder`` made of chunks, by id, into the store that holds them."""
    vectors = [(chunk_id, stored.vector) for chunk_id, stored in embedded.items()]
    texts = {chunk_id: embedding_text(chunk.heading, chunk.text) for chunk_id, chunk in store.chunks(embedded).items()}
    tokens = {
        chunk_id: without_fillers(texts[chunk_id], whole.tokens, whole.spans).tobytes()
        for chunk_id, whole in ((chunk_id, _encoded(stored)) for chunk_id, stored in embedded.items() if stored.tokens)
        if chunk_id in texts
    }
    store.add_embeddings(embedder.model_id, vectors, tokens)


def _stored(encoded: Encoded) -> Stored:
    spans = np.array(encoded.spans, "<i4")
    return Stored(encoded.vector.astype("<f4").tobytes(), encoded.tokens.tobytes(), spans.tobytes())


def _encoded(stored: Stored) -> Encoded:
    return Encoded(
        np.frombuffer(stored.vector, "<f4").astype(np.float32),
        np.frombuffer(stored.tokens, np.int8).reshape(-1, TOKEN_DIMENSION),
        tuple(map(tuple, np.frombuffer(stored.spans, "<i4").reshape(-1, 2).tolist())),
    )
