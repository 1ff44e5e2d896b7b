"""What a retriever is: the Protocols that every backend fulfils and ``tests/contract`` checks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from hookclaw_py.calibration.findings import NullSample
from hookclaw_py.errors import EmbeddingError
from hookclaw_py.model.types import Hit, Injection
from hookclaw_py.model.vectors import NO_TOKENS, Matrix, TokenVectors, Vector
from hookclaw_py.trace import Deadline


def centred(vector: Vector, centre: Vector) -> Vector:
    """Return the direction in which ``vector`` lies from ``centre``, of length 1; ``vector`` itself if it lies there."""
    offset = vector - centre
    length = float(np.linalg.norm(offset))
    return np.asarray(offset / length, np.float32) if length > 1e-6 else vector


class Encoded(NamedTuple):
    """A text's unit vector, its tokens' vectors, and where in the text each token stands: [start, end) in characters."""

    vector: Vector
    tokens: TokenVectors = NO_TOKENS
    spans: tuple[tuple[int, int], ...] = ()


class Embedder(Protocol):
    """Turns a text into a unit vector. ``model_id`` names weights *and* runtime: vectors of two ids never mix."""

    @property
    def model_id(self) -> str:
        """The name of the weights and of what they run on."""
        ...

    @property
    def dimension(self) -> int:
        """How many values a vector has."""
        ...

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:
        """Return the text's unit vector, float32, shape (dimension,).

        Raises:
            EmbeddingError: if there is no vector before ``deadline``, or at all.
        """
        ...

    def close(self) -> None:
        """Give back what the model holds; nothing is embedded afterwards."""
        ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that hands over its tokens' vectors, too; with any other there is no late interaction."""

    def encode(self, text: str, deadline: Deadline | None = None) -> Encoded:
        """Return the vector of ``embed`` and the token vectors of the same run of the model; raises what it raises."""
        ...


def encode(embedder: Embedder, text: str, deadline: Deadline | None = None) -> Encoded:
    """Return all that ``embedder`` has to say of a text; without tokens if it knows none.

    Raises:
        EmbeddingError: if it fails, or answers after ``deadline``, when no one waits for it any more.
    """
    if isinstance(embedder, TokenEmbedder):
        encoded = embedder.encode(text, deadline)
    else:
        encoded = Encoded(embedder.embed(text, deadline))
    if deadline is not None and deadline.remaining() == 0:
        raise EmbeddingError(f"embedder {embedder.model_id}: answered after the deadline")
    return encoded


@runtime_checkable
class Vocabulary(Protocol):
    """What an embedder may be besides: one that knows how words are spelt."""

    def knows(self, word: str) -> bool:
        """Say whether a word, folded, is one of its own: then it is no typing error."""
        ...


class Excerpt(NamedTuple):
    """A chunk's text as it is embedded, and how well each of its tokens matches the prompt (nothing: from its beginning)."""

    text: str
    matches: Sequence[float] | Vector = ()


class Reader(Protocol):
    """Reads a prompt and a passage together and says whether the passage answers."""

    def read(self, prompt: str, passages: Sequence[Excerpt], deadline: Deadline | None = None) -> list[float]:
        """Return for each passage the logit of the chance that it answers: above 0 it does.

        Raises:
            RetrievalError: if not all are read before ``deadline``, or at all.
        """
        ...

    def close(self) -> None:
        """Let go of the model; a second time does nothing."""
        ...


UNIT = 0.02
"""How far the squared length of a vector may be from 1."""


class LexicalIndex(Protocol):
    """Ranks chunks by BM25 over the terms of ``text.terms``. Writes are visible after ``commit``.

    A chunk has its own terms and a context: the same, and what stands around it. Each is a field with statistics of its
    own, and a score is BM25(terms) + ``context_boost`` · BM25(context).
    """

    generation: int
    """The store generation that the last commit covered; 0 when empty."""

    def alone(self, wait_seconds: float) -> AbstractContextManager[bool]:
        """Be the one process that brings this index up to date; False when another one still does after ``wait_seconds``."""
        ...

    def add(self, chunk_id: str, terms: Sequence[str], context: Sequence[str]) -> None:
        """Add a chunk, replacing one of the same id. ``chunk_id`` is 16 hex digits.

        ``context`` are the terms that the chunk is found by from around it, its own among them.
        """
        ...

    def delete(self, chunk_id: str) -> None:
        """Delete a chunk; one that is not there is no error."""
        ...

    def clear(self) -> None:
        """Delete every chunk: the caller starts from empty."""
        ...

    def commit(self, generation: int) -> None:
        """Keep all that was added and deleted, as of ``generation`` of the store."""
        ...

    def refresh(self) -> None:
        """See what another process committed; an index that was found damaged is begun anew, at generation 0."""
        ...

    def search(self, terms: Sequence[str], top_k: int, *, context_boost: float) -> list[Hit]:
        """Return at most ``top_k`` hits, best first, ties by id; ``[]`` when nothing matches."""
        ...

    def idf(self, terms: Sequence[str]) -> Mapping[str, float]:
        """Return each term's ln(1 + (N - df + .5) / (df + .5)) over the chunks' own terms; an unknown one has df 0."""
        ...

    def beginning(self, letters: str) -> Sequence[tuple[str, int]]:
        """Return the chunks' own terms that begin with ``letters``, and in how many chunks each stands, most first.

        A chunk that was deleted may still be counted.
        """
        ...

    def close(self) -> None:
        """Give back what the index holds; what was committed stays."""
        ...


class VectorIndex(Protocol):
    """Ranks chunks by cosine. Writes are visible at once; it lives in memory and is filled from the store."""

    def add(self, chunk_ids: Sequence[str], vectors: Matrix) -> None:
        """Add chunks, replacing those of the same id."""
        ...

    def delete(self, chunk_ids: Sequence[str]) -> None:
        """Delete chunks; one that is not there is no error."""
        ...

    def search(self, vector: Vector, top_k: int) -> list[Hit]:
        """Return at most ``top_k`` hits by cosine in [-1, 1], best first, ties by id."""
        ...

    def similarities(self, vector: Vector, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the cosine of each chunk that has a vector; the others are left out."""
        ...

    def __len__(self) -> int: ...

    def close(self) -> None:
        """Give back what the index holds."""
        ...


class KeptIndex(NamedTuple):
    """A vector index as it was at a ``generation``, and the null sample and its centre where these were taken of it as it is."""

    vectors: VectorIndex
    generation: int
    null: NullSample | None = None
    centre: Vector | None = None


class VectorsBeside(Protocol):
    """Keeps a vector index for the next start. What is kept is of one generation; the store tells what has changed since."""

    def generation(self) -> int | None:
        """Return the generation of what is kept, below 0 where that cannot be said; None when there is nothing."""
        ...

    def read(self, model_id: str) -> KeptIndex | None:
        """Return the vectors of a model; None when nothing is kept of it."""
        ...

    def write(self, model_id: str, kept: KeptIndex, *, current: Callable[[], bool]) -> bool:
        """Keep an index unless it is not ``current`` any more; say whether there is nothing left to do."""
        ...

    def drop(self) -> None:
        """Delete what is kept.

        Raises:
            RetrievalError: if it stays.
        """
        ...


class Indexes(Protocol):
    """What is searched, and what is known of it; see ``hookclaw_py.search.derived``."""

    lexical: LexicalIndex | None
    vectors: VectorIndex | None
    null: NullSample | None
    centre: Vector | None
    lacking: str
    generation: int
    size: int


class Cache(Protocol):
    """Remembers answers to prompts that mean the same."""

    def get(self, scope: Hashable, text: str) -> tuple[str, Injection] | None:
        """Return how a prompt was found again and what was answered; None for one that is new."""
        ...

    def put(self, scope: Hashable, text: str, value: Injection) -> None:
        """Remember an answer."""
        ...
