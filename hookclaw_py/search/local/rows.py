"""Vectors row by row, exactly as they came, in a quarter of the bytes where they came out of a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hookclaw_py.model.vectors import Matrix, Vector
from hookclaw_py.search.product import each_product, product

_PIECE = 1024  # rows that are looked at together: one and a half megabytes of float32, which a processor's cache holds
_STEPS = 127

Places = Sequence[int] | npt.NDArray[np.int64]


class RowArrays(NamedTuple):
    """Rows as arrays: steps, shape (n, dimension), what a step is worth in each row, and those that are no such product, by their places."""

    steps: npt.NDArray[np.int8]
    worth: npt.NDArray[np.float32]
    places: npt.NDArray[np.int64]
    whole: Matrix


class ExactRows:
    """A matrix that grows, float32 for whoever reads it.

    A store keeps a vector as whole steps and one number, what a step is worth (``store.packing``). A row that is such a
    product to the last bit is kept as that; any other one, from elsewhere or of an earlier version, as it is. One caller
    at a time.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._steps = np.empty((0, dimension), np.int8)
        self._worth = np.empty(0, np.float32)
        self._whole: dict[int, Vector] = {}  # rows that are no such product
        self._count = 0

    @classmethod
    def of(cls, arrays: RowArrays) -> ExactRows:
        """Make rows of what ``arrays`` returned once.

        Raises:
            ValueError: if that does not fit together.
        """
        steps, worth, places, whole = arrays
        (count, dimension), others = steps.shape, (len(places), steps.shape[1])
        fit = worth.shape == (count,) and whole.shape == others and (places < count).all()
        if not fit or [one.dtype for one in arrays] != [np.int8, np.float32, np.int64, np.float32]:
            raise ValueError("the arrays do not fit together")
        rows = cls(dimension)
        rows._steps, rows._worth, rows._count = steps, worth, count
        rows._whole = dict(zip(places.tolist(), whole, strict=True))
        return rows

    def arrays(self) -> RowArrays:
        """Return the rows as they are kept, good until the next change."""
        places = np.array(sorted(self._whole), np.int64)
        whole = (
            np.stack([self._whole[place] for place in places.tolist()])
            if len(places)
            else np.empty((0, self.dimension))
        )
        count = self._count
        return RowArrays(self._steps[:count], self._worth[:count], places, whole.astype(np.float32))

    def __len__(self) -> int:
        return self._count

    def add(self, matrix: Matrix) -> None:
        """Add rows behind the last one."""
        first, self._count = self._count, self._count + len(matrix)
        if self._count > len(self._worth):
            room = max(self._count, len(self._worth) * 3 // 2)
            self._steps, self._worth = _grown(self._steps, room, first), _grown(self._worth, room, first)
        self.put(np.arange(first, self._count), matrix)

    def put(self, places: Places, matrix: Matrix) -> None:
        """Replace the rows at these places."""
        for start in range(0, len(matrix), _PIECE):
            rows, piece = places[start : start + _PIECE], matrix[start : start + _PIECE]
            steps, worth, exact = _in_steps(piece)
            self._steps[rows], self._worth[rows] = steps, worth
            for row, vector, is_exact in zip(rows, piece, exact.tolist(), strict=True):
                if not is_exact:
                    self._whole[int(row)] = vector.copy()
                elif self._whole:
                    self._whole.pop(int(row), None)

    def take(self, places: Places) -> Matrix:
        """Return the rows at these places, shape (len(places), dimension)."""
        taken: Matrix = self._steps[places] * self._worth[places, None]
        if self._whole:
            for n, row in enumerate(places):
                if (vector := self._whole.get(int(row))) is not None:
                    taken[n] = vector
        return taken

    def products(self, places: Places, query: Vector) -> Vector:
        """Return the inner product of each of these rows with a query."""
        pieces = range(0, len(places), _PIECE)
        return np.concatenate([product(self.take(places[start : start + _PIECE]), query) for start in pieces])

    def seeming(self, query: Vector) -> tuple[Vector, float]:
        """Return about what the inner product of each row with a query is, and by how much that is off at most: half a step, of no such product.

        In a third of the time: a piece is only what it is kept as, and what a step is worth is taken into account at the end. Rows
        and query have a length of 1.
        """
        steps, worth = self._steps[: self._count], self._worth[: self._count]
        pieces = range(0, self._count, _PIECE)
        sums = [each_product(steps[start : start + _PIECE].astype(np.float32), query) for start in pieces]
        half = float(worth.max()) / 2 * self.dimension**0.5 if self._whole else 0.0
        return np.concatenate(sums) * worth, half + self.dimension * float(np.finfo(np.float32).eps)

    def move(self, places: Sequence[int], movers: Sequence[int]) -> None:
        """Put the rows ``movers`` at ``places``; none of these is one of those."""
        self._steps[places], self._worth[places] = self._steps[movers], self._worth[movers]
        for place, mover in zip(places, movers, strict=True) if self._whole else ():
            self._whole.pop(place, None)
            if mover in self._whole:
                self._whole[place] = self._whole[mover]

    def cut(self, count: int) -> None:
        """Keep the first ``count`` rows."""
        for row in range(count, self._count) if self._whole else ():
            self._whole.pop(row, None)
        self._count = count

    def pieces(self) -> Iterator[Matrix]:
        """Yield all rows, in pieces that are soon done with."""
        for start in range(0, self._count, _PIECE):
            end = min(start + _PIECE, self._count)
            piece: Matrix = self._steps[start:end] * self._worth[start:end, None]
            for row in range(start, end) if self._whole else ():
                if (vector := self._whole.get(row)) is not None:
                    piece[row - start] = vector
            yield piece


def _in_steps(matrix: Matrix) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Return each row's steps, what a step is worth, and whether their product is the row to the last bit."""
    worth = (np.maximum(matrix.max(axis=1), -matrix.min(axis=1)) / np.float32(_STEPS)).astype(np.float32)
    steps = np.rint(matrix / np.maximum(worth, np.finfo(np.float32).tiny)[:, None]).astype(np.int8)
    exact = (steps * worth[:, None] == matrix).all(axis=1)
    for beyond in (np.float32(0), np.float32(1)):  # the largest value was rounded: its last digit is uncertain
        if (others := np.flatnonzero(~exact)).size:
            other = np.nextafter(worth[others], beyond)
            same = (steps[others] * other[:, None] == matrix[others]).all(axis=1)
            worth[others[same]], exact[others[same]] = other[same], True
    return steps, worth, exact


def _grown(array: npt.NDArray[Any], room: int, filled: int) -> npt.NDArray[Any]:
    """Return a copy with more room; what is not written to yet takes no memory."""
    wider = np.empty((room, *array.shape[1:]), array.dtype)
    wider[:filled] = array[:filled]
    return wider
