"""The default vector index: exact inner products over unit vectors in memory, of many those that FAISS finds by rough copies.

FAISS is loaded where there are so many.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hookclaw_py.errors import IndexClosedError, RetrievalError
from hookclaw_py.errors.remedies import install
from hookclaw_py.model.types import Hit
from hookclaw_py.model.vectors import Matrix, Vector
from hookclaw_py.search.local.rows import ExactRows, Places, RowArrays
from hookclaw_py.search.ports import UNIT

if TYPE_CHECKING:
    from hookclaw_py.search.local.rough import Quarters

CROSSOVER = 20_000
"""Vectors from which two bits of each value are searched. Below, to look at all takes .5 to 2 ms longer, misses nothing, and needs no FAISS: 10 MB."""
Cosines = npt.NDArray[np.float64]

_LAST_DIGIT = np.float32(10**-6)
_BACK = 0.8  # of the crossover, below which all are looked at again: a note that comes and goes turns nothing round
_ANEW = 2  # times as many vectors as there were when the levels were chosen, for which they are chosen anew


class FaissIndex:
    """A ``VectorIndex`` (``search.ports``): cosines to the last digit, of the nearest.

    A search says roughly how near each row is, and computes the cosines of those that can be among the best from the rows to the last
    digit. Below ``crossover`` vectors the rough ones are of the rows themselves and what it returns is exact; from there on they are of
    copies of two bits a value, and in a thousand searches it misses a few of what an exact one returns.

    ExactRows and ids lie side by side; deleting moves the last rows into the gaps, so that its cost is that of the rows
    deleted. One lock serves searches and changes: a search of 10,000 chunks holds it for a millisecond, one of a million
    for some ten. Other copies are made beside the searches and put in place at once. Scores are rounded to six decimals, ties are ordered by
    id; of copies, unless more than 4,000 chunks tie at the cut.
    """

    def __init__(self, dimension: int, *, crossover: int = CROSSOVER) -> None:
        self.dimension = dimension
        self._crossover = crossover if dimension % 4 == 0 else sys.maxsize
        self._rows = ExactRows(dimension)
        self._rough: Quarters | None = None  # until a search needs it
        self._fitted = 0
        self._ids: list[str] = []
        self._places: dict[str, int] = {}
        self._lock, self._changing = threading.Lock(), threading.RLock()
        self._closed = False

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]], *, crossover: int = CROSSOVER) -> FaissIndex:
        """Make an index of the arrays that ``unchanged`` gave once.

        Raises:
            ValueError: if they do not fit together.
            KeyError: if one is missing.
        """
        rows = ExactRows.of(RowArrays(*(arrays[name] for name in RowArrays._fields)))
        index = cls(rows.dimension, crossover=crossover)
        index._rows, index._ids = rows, _ids_of(arrays["keys"])
        index._places = {chunk_id: place for place, chunk_id in enumerate(index._ids)}
        if not len(rows) == len(index._ids) == len(index._places):
            raise ValueError("ids and rows do not fit together")
        if arrays["faiss"].size:
            from hookclaw_py.search.local.rough import VERSION, QuarterArrays, Quarters

            if arrays["faiss"].tobytes() != VERSION.tobytes():
                return index
            index._fitted = int(arrays["fitted"])
            index._rough = Quarters.of(QuarterArrays(*(arrays[name] for name in QuarterArrays._fields)))
            if int(arrays["held"]) != len(rows):
                raise ValueError("codes and rows do not fit together")
        return index

    @contextmanager
    def unchanged(self) -> Iterator[dict[str, npt.NDArray[Any]]]:
        """Give all that it is made of, which nobody changes meanwhile; searches go on."""
        with self._changing:
            self._require_open()
            keys = np.fromiter((int(chunk_id, 16) for chunk_id in self._ids), np.uint64, len(self._ids))
            arrays = {"keys": keys, **self._rows.arrays()._asdict(), "faiss": np.empty(0, np.uint8)}
            if self._rough is not None:
                arrays |= {"fitted": np.array(self._fitted), **self._rough.arrays()}
            yield arrays

    def add(self, chunk_ids: Sequence[str], vectors: Matrix) -> None:
        """Add unit vectors, shape (len(chunk_ids), dimension), replacing those of the same id; the last of equal ids wins.

        Raises:
            RetrievalError: if shape, length or values do not fit; then nothing is added.
        """
        matrix = self._checked(vectors, (len(chunk_ids), self.dimension))
        last = {chunk_id: i for i, chunk_id in enumerate(chunk_ids)}
        with self._changing:
            with self._lock:
                self._require_open()
                fresh = [chunk_id for chunk_id in last if chunk_id not in self._places]
                known = [chunk_id for chunk_id in last if chunk_id in self._places]
                if known:
                    self._replace([self._places[chunk_id] for chunk_id in known], matrix[[last[i] for i in known]])
                if fresh:
                    self._append(fresh, matrix if len(fresh) == len(matrix) else matrix[[last[i] for i in fresh]])
            self._keep_fitting()

    def _replace(self, places: Sequence[int], news: Matrix) -> None:
        self._rows.put(places, news)
        if self._rough is not None:
            self._rough.put(places, news)

    def _append(self, chunk_ids: list[str], news: Matrix) -> None:
        self._rows.add(news)
        if self._rough is not None:
            self._rough.add(news)
        self._places.update((chunk_id, len(self._ids) + i) for i, chunk_id in enumerate(chunk_ids))
        self._ids += chunk_ids

    def delete(self, chunk_ids: Sequence[str]) -> None:
        """Delete the chunks that are there."""
        with self._changing:
            with self._lock:
                self._require_open()
                known = dict.fromkeys(chunk_id for chunk_id in chunk_ids if chunk_id in self._places)
                if not known:
                    return
                gone = [self._places.pop(chunk_id) for chunk_id in known]
                kept = len(self._ids) - len(gone)
                gaps = sorted(row for row in gone if row < kept)
                movers = [row for row in range(kept, len(self._ids)) if self._ids[row] in self._places]
                for rows in (self._rows, self._rough) if self._rough is not None else (self._rows,):
                    rows.move(gaps, movers)
                    rows.cut(kept)
                for gap, mover in zip(gaps, movers, strict=True):
                    self._ids[gap] = self._ids[mover]
                    self._places[self._ids[gap]] = gap
                del self._ids[kept:]
            self._keep_fitting()

    def _keep_fitting(self) -> None:
        """Make other copies where there are many more vectors now than they were made for, none where all can be looked at."""
        if self._rough is not None and not self._crossover * _BACK <= len(self._ids) <= self._fitted * _ANEW:
            made = self._copies() if len(self._ids) >= self._crossover else None
            with self._lock:
                self._rough = made

    def _copies(self) -> Quarters:
        """Return rough copies of all rows; nobody may change these meanwhile.

        Raises:
            RetrievalError: if FAISS does not load here.
        """
        try:
            from hookclaw_py.search.local.rough import Quarters, mean_and_spread
        except ImportError as error:
            raise RetrievalError(f"{error}; run `{install(['faiss-cpu'], again=True)}`") from error
        self._fitted = len(self._rows)
        levels = mean_and_spread(self.dimension, self._rows.pieces())
        return Quarters(self.dimension, *levels, self._rows.pieces())

    def search(self, vector: Vector, top_k: int) -> list[Hit]:
        """Return at most ``top_k`` hits by cosine in [-1, 1], best first, ties by id."""
        query = self._query(vector)
        self._begin()
        with self._lock:
            self._require_open()
            total, rough = len(self._ids), self._rough
            if top_k < 1 or not total:
                return []
            if rough is None:
                return self._of_all(query, top_k)
            limit = min(rough.few * top_k, top_k + rough.most) + 16
            while limit < total:
                seeming, places = rough.search(query, limit)
                cosines = self._cosines(places, query)
                best = self._best(cosines, places, top_k)
                if limit > top_k + rough.most or seeming[-1] + rough.error(seeming, cosines) < best[-1].score:
                    return best
                limit *= 4
            return self._of_all(query, top_k)

    def _begin(self) -> None:
        """Make the copies that are searched, if there are none yet and it takes some: while a store is read, nobody searches."""
        if self._rough is None and len(self._ids) >= self._crossover:
            with self._changing:
                if self._rough is None and not self._closed:
                    self._rough = self._copies()

    def _of_all(self, query: Vector, top_k: int) -> list[Hit]:
        places = np.arange(len(self._ids))
        if top_k < len(places):
            seeming, error = self._rows.seeming(query)
            least = np.partition(seeming, -top_k)[-top_k] - 2 * error - _LAST_DIGIT
            places = np.flatnonzero(seeming >= least)
        return self._best(self._cosines(places, query), places, top_k)

    def _best(self, cosines: Cosines, places: npt.NDArray[np.int64], top_k: int) -> list[Hit]:
        if top_k < len(cosines):
            chosen = np.flatnonzero(cosines >= np.partition(cosines, -top_k)[-top_k])
            cosines, places = cosines[chosen], places[chosen]
        named = zip(cosines.tolist(), map(self._ids.__getitem__, places.tolist()), strict=True)
        return [Hit(chunk_id, cosine) for cosine, chunk_id in sorted(named, key=_best)[:top_k]]

    def similarities(self, vector: Vector, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the cosine of each chunk that has a vector; the others are left out."""
        query = self._query(vector)
        with self._lock:
            self._require_open()
            known = [chunk_id for chunk_id in chunk_ids if chunk_id in self._places]
            places = np.array([self._places[chunk_id] for chunk_id in known], np.int64)
            return dict(zip(known, self._cosines(places, query).tolist(), strict=True)) if known else {}

    def _cosines(self, places: Places, query: Vector) -> Cosines:
        return _rounded(self._rows.products(places, query))

    def __len__(self) -> int:
        return len(self._ids)

    def close(self) -> None:
        """Free the memory; closing twice is fine."""
        with self._lock:
            self._closed = True
            self._rows, self._rough = ExactRows(self.dimension), None
            self._ids, self._places = [], {}

    def _query(self, vector: Vector) -> Vector:
        """Return what is searched for, checked as vectors that come in are, in a third of the time."""
        query: Vector = np.ascontiguousarray(vector, dtype=np.float32)
        if query.shape != (self.dimension,) or not abs(float(np.einsum("i,i", query, query)) - 1) < UNIT:
            query = self._checked(query[None], (1, self.dimension))[0]
        return query

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


def _ids_of(keys: npt.NDArray[np.uint64]) -> list[str]:
    """Return each key in 16 digits, made together in a third of the time."""
    digits = keys.astype(">u8").tobytes().hex()
    return [digits[start : start + 16] for start in range(0, len(digits), 16)]


def _best(scored: tuple[float, str]) -> tuple[float, str]:
    return -scored[0], scored[1]


def _rounded(cosines: Vector) -> Cosines:
    rounded: Cosines = np.minimum(np.maximum(cosines, -1), 1).astype(np.float64).round(6)
    return rounded
