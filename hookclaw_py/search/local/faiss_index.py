"""The default vector index: exact inner product by FAISS over unit vectors, in memory."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import faiss
import numpy as np
import numpy.typing as npt

from hookclaw_py.errors import IndexClosedError, RetrievalError
from hookclaw_py.model.types import Hit
from hookclaw_py.model.vectors import Matrix, Vector
from hookclaw_py.search.ports import UNIT

_MOST_TIES = 10_000
_HALF_ERROR = 2**-10  # float16 is off by 2**-11 of each component, so of a cosine at most; the rest is for rounding


class FaissIndex:
    """A ``VectorIndex`` (retrieval.base): exact cosine over a flat index.

    A search reads float16 copies of the rows, half the bytes in half the time, and computes the cosines of those that
    can be among the best anew from the rows themselves: what it returns is exact.

    Rows and ids lie side by side; deleting moves the last rows into the gaps, so that its cost is that of the rows
    deleted (FAISS's own removal moves everything behind them, its id map scans twice). One lock serves all: a search of
    10,000 chunks holds it for a third of a millisecond. Scores are rounded to six decimals, ties are ordered by id, unless
    more than 10,000 chunks tie at the cut.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._flat = faiss.IndexFlatIP(dimension)
        self._half = faiss.IndexScalarQuantizer(dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
        self._ids: list[str] = []
        self._rows: dict[str, int] = {}
        self._lock = threading.Lock()
        self._closed = False
        faiss.omp_set_num_threads(1)  # one query has no parallel part, and the other retrievers need the cores

    def add(self, chunk_ids: Sequence[str], vectors: Matrix) -> None:
        """Add unit vectors, shape (len(chunk_ids), dimension), replacing those of the same id; the last of equal ids wins.

        Raises:
            RetrievalError: if shape, length or values do not fit; then nothing is added.
        """
        matrix = self._checked(vectors, (len(chunk_ids), self.dimension))
        last = {chunk_id: i for i, chunk_id in enumerate(chunk_ids)}
        with self._lock:
            self._require_open()
            fresh = [chunk_id for chunk_id in last if chunk_id not in self._rows]
            known = [chunk_id for chunk_id in last if chunk_id in self._rows]
            if known:
                places, news = [self._rows[chunk_id] for chunk_id in known], matrix[[last[i] for i in known]]
                self._view()[places] = news
                self._half_view()[places] = news
            if fresh:
                news = np.ascontiguousarray(matrix[[last[chunk_id] for chunk_id in fresh]])
                self._flat.add(news)
                self._half.add(news)
                self._rows.update((chunk_id, len(self._ids) + i) for i, chunk_id in enumerate(fresh))
                self._ids += fresh

    def delete(self, chunk_ids: Sequence[str]) -> None:
        """Delete the chunks that are there."""
        with self._lock:
            self._require_open()
            gone = [self._rows.pop(chunk_id) for chunk_id in dict.fromkeys(chunk_ids) if chunk_id in self._rows]
            if not gone:
                return
            kept = len(self._ids) - len(gone)
            gaps = sorted(row for row in gone if row < kept)
            movers = [row for row in range(kept, len(self._ids)) if self._ids[row] in self._rows]
            for view in (self._view(), self._half_view()):
                view[gaps] = view[movers]
            for gap, mover in zip(gaps, movers, strict=True):
                self._ids[gap] = self._ids[mover]
                self._rows[self._ids[gap]] = gap
            for rows in (self._flat, self._half):
                rows.remove_ids(faiss.IDSelectorRange(kept, len(self._ids)))
            del self._ids[kept:]

    def search(self, vector: Vector, top_k: int) -> list[Hit]:
        """Return at most ``top_k`` hits by cosine in [-1, 1], best first, ties by id."""
        query = self._checked(np.asarray(vector)[None], (1, self.dimension))
        with self._lock:
            self._require_open()
            total = len(self._ids)
            if top_k < 1 or not total:
                return []
            limit = top_k + 16
            while True:
                rough, (rows,) = self._half.search(query, min(limit, total))
                cosines = self._cosines(rows, query[0])
                best = sorted(zip(cosines, map(self._ids.__getitem__, rows.tolist()), strict=True), key=_best)[:top_k]
                if limit >= total or limit > top_k + _MOST_TIES or rough[0, -1] + _HALF_ERROR < best[-1][0]:
                    return [Hit(chunk_id, cosine) for cosine, chunk_id in best]
                limit *= 4

    def similarities(self, vector: Vector, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the cosine of each chunk that has a vector; the others are left out."""
        query = self._checked(np.asarray(vector)[None], (1, self.dimension))[0]
        with self._lock:
            self._require_open()
            known = [chunk_id for chunk_id in chunk_ids if chunk_id in self._rows]
            if not known:
                return {}
            return dict(zip(known, self._cosines([self._rows[chunk_id] for chunk_id in known], query), strict=True))

    def _cosines(self, rows: Sequence[int] | npt.NDArray[np.int64], query: Vector) -> list[float]:
        cosines: list[float] = np.clip(self._view()[rows] @ query, -1, 1).astype(np.float64).round(6).tolist()
        return cosines

    def __len__(self) -> int:
        return len(self._ids)

    def close(self) -> None:
        """Free the memory; closing twice is fine."""
        with self._lock:
            self._closed = True
            self._flat.reset()
            self._half.reset()
            self._ids, self._rows = [], {}

    def _view(self) -> Matrix:
        """Return FAISS's own rows, writable, shape (len(self), dimension); good until the next change, under the lock."""
        rows: Matrix = faiss.rev_swig_ptr(self._flat.get_xb(), self._flat.ntotal * self.dimension)
        return rows.reshape(-1, self.dimension)

    def _half_view(self) -> npt.NDArray[np.float16]:
        """Return the copies that are searched, as ``_view`` does."""
        codes: npt.NDArray[np.uint8] = faiss.rev_swig_ptr(self._half.codes.data(), self._half.codes.size())
        return codes.view(np.float16).reshape(-1, self.dimension)

    def _checked(self, vectors: Matrix, shape: tuple[int, int]) -> Matrix:
        matrix = np.ascontiguousarray(vectors, dtype=np.float32)
        if matrix.shape != shape:
            raise RetrievalError(
                f"the vector index holds {self.dimension} dimensions, {shape[0]} vector(s) were expected and an array of "
                f"shape {matrix.shape} came; was the embedding model changed? Then the vectors must be made anew"
            )
        lengths = np.einsum("ij,ij->i", matrix, matrix)
        if not np.all(np.abs(lengths - 1) < UNIT):  # also when there is a NaN
            raise RetrievalError(
                f"vectors of {self.dimension} dimensions must be finite and of length 1, one has the squared length "
                f"{lengths[np.argmax(~(np.abs(lengths - 1) < UNIT))]}; the embedder is broken or not normalised"
            )
        return matrix

    def _require_open(self) -> None:
        if self._closed:
            raise IndexClosedError("the vector index is closed; open a new one")


def _best(scored: tuple[float, str]) -> tuple[float, str]:
    return -scored[0], scored[1]
