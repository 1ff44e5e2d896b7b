"""A vector index of a dictionary, made by somebody else."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import numpy as np

from hookclaw_py.errors import IndexClosedError, RetrievalError
from hookclaw_py.model.types import Hit
from hookclaw_py.model.vectors import Matrix, Vector
from hookclaw_py.search.ports import UNIT


class ToyVectors:
    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._rows: dict[str, Vector] | None = {}
        self._lock = threading.Lock()

    def _checked(self, vectors: Matrix) -> dict[str, Vector]:
        if self._rows is None:
            raise IndexClosedError("the toy is closed")
        if vectors.shape[-1] != self._dimension:
            raise RetrievalError(f"vectors here have {self._dimension} dimensions, not {vectors.shape[-1]}")
        squares = np.einsum("ij,ij->i", vectors, vectors)
        if not (np.isfinite(squares).all() and (np.abs(squares - 1) < UNIT).all()):
            raise RetrievalError("a vector is not finite, or not of length 1")
        return self._rows

    def add(self, chunk_ids: Sequence[str], vectors: Matrix) -> None:
        with self._lock:
            rows = self._checked(vectors)
            if len(chunk_ids) != len(vectors):
                raise RetrievalError(f"{len(chunk_ids)} ids, but not as many vectors: 2 vectors need 2 ids")
            rows.update(zip(chunk_ids, vectors, strict=True))

    def delete(self, chunk_ids: Sequence[str]) -> None:
        with self._lock:
            rows = self._checked(np.zeros((0, self._dimension), np.float32))
            for chunk_id in chunk_ids:
                rows.pop(chunk_id, None)

    def search(self, vector: Vector, top_k: int) -> list[Hit]:
        with self._lock:
            rows = self._checked(vector[None])
            cosines = [(float(row @ vector), chunk_id) for chunk_id, row in rows.items()]
        best = sorted(cosines, key=lambda hit: (-round(hit[0], 6), hit[1]))[: max(top_k, 0)]
        return [Hit(chunk_id, max(-1.0, min(1.0, round(cosine, 6)))) for cosine, chunk_id in best]

    def similarities(self, vector: Vector, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        found = dict(self.search(vector, len(self)))
        return {chunk_id: found[chunk_id] for chunk_id in chunk_ids if chunk_id in found}

    def __len__(self) -> int:
        return len(self._rows or ())

    def close(self) -> None:
        self._rows = None
