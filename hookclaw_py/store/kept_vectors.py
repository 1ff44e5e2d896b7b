"""The vectors of a store as they are kept: a quarter of the bytes of what is computed with, made of them a piece at a time."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hookclaw_py.store import packing

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import Matrix


class KeptVectors:
    """Rows of float32, shape (n, dimension), for whoever asks for some of them: ``vectors[:1000]``."""

    def __init__(self, rows: Iterable[tuple[int, bytes]], dimension: int) -> None:
        """``rows`` are (key, vector as it is kept), none damaged; those of the lowest keys come first."""
        import numpy as np

        keys, self._one_after_another = array("q"), bytearray()
        ends = array("q", [0])
        for key, vector in rows:
            keys.append(key)
            self._one_after_another += vector
            ends.append(len(self._one_after_another))
        self._order = np.argsort(np.frombuffer(keys, np.int64), kind="stable")
        self._ends, self._dimension = ends, dimension
        self.keys: list[int] = np.frombuffer(keys, np.int64)[self._order].tolist()

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows there are, of how many values."""
        return len(self._order), self._dimension

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, places: slice) -> Matrix:
        """Return these rows, shape (how many, dimension)."""
        held, ends = memoryview(self._one_after_another), self._ends
        kept = [bytes(held[ends[n] : ends[n + 1]]) for n in self._order[places].tolist()]
        return packing.vectors_of(kept, self._dimension)
