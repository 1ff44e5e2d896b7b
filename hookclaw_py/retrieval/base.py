"""What a retriever is: the Protocols that every backend fulfils and ``tests/contract`` checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hookclaw_py.trace import Deadline
from hookclaw_py.types import Hit

Vector = npt.NDArray[np.float32]
"""A unit vector, shape (dimension,)."""

Matrix = npt.NDArray[np.float32]
"""Unit vectors by row, shape (n, dimension)."""


class Embedder(Protocol):
    """Turns a text into a unit vector. ``model_id`` names weights *and* runtime: vectors of two ids never mix."""

    @property
    def model_id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:
        """Return the text's unit vector, float32, shape (dimension,).

        Raises:
            EmbeddingError: if there is no vector before ``deadline``, or at all.
        """
        ...

    def close(self) -> None: ...


class LexicalIndex(Protocol):
    """Ranks chunks by BM25 over the terms of ``text.terms``. Writes are visible after ``commit``."""

    generation: int
    """The store generation that the last commit covered; 0 when empty."""

    def add(self, chunk_id: str, terms: Sequence[str]) -> None:
        """Add a chunk, replacing one of the same id. ``chunk_id`` is 16 hex digits, below 2**63."""
        ...

    def delete(self, chunk_id: str) -> None: ...

    def clear(self) -> None:
        """Delete every chunk: the caller starts from empty."""
        ...

    def commit(self, generation: int) -> None: ...

    def search(self, terms: Sequence[str], top_k: int) -> list[Hit]:
        """Return at most ``top_k`` hits, best first, ties by id; ``[]`` when nothing matches."""
        ...

    def idf(self, terms: Sequence[str]) -> Mapping[str, float]:
        """Return each term's ln(1 + (N - df + .5) / (df + .5)); an unknown term has df 0."""
        ...

    def close(self) -> None: ...


class VectorIndex(Protocol):
    """Ranks chunks by cosine. Writes are visible at once; it lives in memory and is filled from the store."""

    def add(self, chunk_ids: Sequence[str], vectors: Matrix) -> None:
        """Add chunks, replacing those of the same id."""
        ...

    def delete(self, chunk_ids: Sequence[str]) -> None: ...

    def search(self, vector: Vector, top_k: int) -> list[Hit]:
        """Return at most ``top_k`` hits by cosine in [-1, 1], best first, ties by id."""
        ...

    def similarities(self, vector: Vector, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the cosine of each chunk that has a vector; the others are left out."""
        ...

    def __len__(self) -> int: ...

    def close(self) -> None: ...
