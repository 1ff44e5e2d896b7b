"""Rough copies of vectors, of two bits a value, from which the few are taken that are compared exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import faiss
import numpy as np
import numpy.typing as npt

from hookclaw_py.model.vectors import Matrix, Vector

VERSION = np.frombuffer(faiss.__version__.encode(), np.uint8)
"""Whose codes another one need not understand."""
faiss.omp_set_num_threads(1)  # one query has no parallel part, and the other retrievers need the cores

_LEVELS = np.array([-1.510, -0.4528, 0.4528, 1.510], np.float32)
"""Of a normal distribution: what four levels are that are off least. Source: Lloyd, "Least Squares Quantization in PCM", 1982."""
_LEAST_SPREAD = 1e-3  # where all rows are the same, too, their copies differ
_SURE = 3.0  # deviations of its error by which a rough cosine may be too small
_BLOCK = 32  # rows that FAISS's fast scan keeps side by side

Scored = tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]


class QuarterArrays(NamedTuple):
    """What ``Quarters`` are made of: codes, shape (blocks, bytes), how many rows they hold, and mean and spread that they were chosen by."""

    codes: npt.NDArray[np.uint8]
    held: npt.NDArray[np.int64]
    mean: Vector
    spread: Vector


class Quarters:
    """Two bits a value: the nearest of four levels, spread around the mean of all rows as these are.

    What is searched is a sixteenth of the bytes of float32, by tables that a processor keeps in its registers. How far off it is
    shows in the rows that are looked at exactly; ``error`` is three deviations of that. The dimension is a multiple of four.
    Source: André, Kermarrec & Le Scouarnec, "Quicker ADC: Unlocking the Hidden Potential of Product Quantization with SIMD",
    TPAMI 2019; each of its parts is two values here, and its sixteen centroids are four levels of both, so that nothing is trained.
    """

    few = 32  # of a million passages a second look costs as much as this many
    most = 4_000

    def __init__(self, dimension: int, mean: Vector, spread: Vector, pieces: Iterable[Matrix]) -> None:
        fast_scan: Any = faiss.IndexPQFastScan  # of which its stubs do not tell all
        self._codes = fast_scan(dimension, dimension // 2, 4, faiss.METRIC_INNER_PRODUCT, _BLOCK)
        self._mean, self._spread = mean, spread
        levels = mean[:, None] + spread[:, None] * _LEVELS
        centroids = np.empty((dimension // 2, 4, 4, 2), np.float32)
        centroids[..., 0], centroids[..., 1] = levels[0::2, None, :], levels[1::2, :, None]
        faiss.copy_array_to_vector(centroids.ravel(), self._codes.pq.centroids)
        self._codes.is_trained = True
        self._bounds = [mean + spread * bound for bound in (_LEVELS[1:] + _LEVELS[:-1]) / 2]
        self._packer: Any = self._codes.get_CodePacker()
        for piece in pieces:
            self.add(piece)

    @classmethod
    def of(cls, arrays: QuarterArrays) -> Quarters:
        """Make copies of what ``arrays`` returned once, by the same version of FAISS.

        Raises:
            ValueError: if that does not fit together.
        """
        codes, held, mean, spread = arrays
        made = cls(len(mean), mean, spread, ())
        made._make_room(int(held))
        if codes.shape != made._blocks().shape:
            raise ValueError("the codes do not fit their number")
        made._blocks()[:] = codes
        return made

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the codes as they are kept, good until the next change."""
        arrays = QuarterArrays(self._blocks(), np.array(self._codes.ntotal), self._mean, self._spread)
        return {"faiss": VERSION, **arrays._asdict()}

    def add(self, matrix: Matrix) -> None:
        """Add rows behind the last one: one by one where a block is begun or broken off, else by blocks."""
        first, count = self._codes.ntotal, self._codes.ntotal + len(matrix)
        self._make_room(count)
        codes, blocks = self._encoded(matrix), self._blocks()
        full = range(-(-first // _BLOCK), count // _BLOCK)
        for block in full:
            place = block * _BLOCK - first
            packed = faiss.swig_ptr(blocks[block])
            self._packer.pack_all(faiss.swig_ptr(codes[place : place + _BLOCK]), packed)
        alone = [*range(first, min(full.start * _BLOCK, count)), *range(max(full.stop * _BLOCK, first), count)]
        for row in dict.fromkeys(alone):
            self._write(blocks, row, codes[row - first])

    def put(self, places: Sequence[int], matrix: Matrix) -> None:
        """Replace the rows at these places."""
        blocks = self._blocks()
        for place, code in zip(places, self._encoded(matrix), strict=True):
            self._write(blocks, place, code)

    def move(self, places: Sequence[int], movers: Sequence[int]) -> None:
        """Put the rows ``movers`` at ``places``."""
        blocks = self._blocks()
        for place, mover in zip(places, movers, strict=True):
            self._write(blocks, place, self._packer.unpack_1(blocks[mover // _BLOCK, None], mover % _BLOCK))

    def cut(self, count: int) -> None:
        """Keep the first ``count`` rows."""
        self._make_room(count)

    def search(self, query: Vector, limit: int) -> Scored:
        """Return (about which cosine, which row) of the ``limit`` rows that seem nearest, best first."""
        (scores,), (rows,) = self._codes.search(query[None], limit)
        return scores, rows

    def error(self, rough: npt.NDArray[np.float32], exact: npt.NDArray[np.float64]) -> float:
        """Return by how much hardly any cosine is above what ``search`` said."""
        return _SURE * float(np.sqrt(np.mean((rough - exact) ** 2)))

    def _encoded(self, matrix: Matrix) -> npt.NDArray[np.uint8]:
        """Return the level of each value, two bits each, four values a byte."""
        levels = np.zeros(matrix.shape, np.uint8)
        for bound in self._bounds:
            levels += matrix > bound
        first, second, third, fourth = (levels[:, n::4] for n in range(4))
        two, four, six = np.uint8(2), np.uint8(4), np.uint8(6)
        codes: npt.NDArray[np.uint8] = first | second << two | third << four | fourth << six
        return codes

    def _make_room(self, count: int) -> None:
        blocks = -(-count // _BLOCK)
        self._codes.codes.resize(blocks * self._packer.block_size)
        self._codes.ntotal, self._codes.ntotal2 = count, blocks * _BLOCK

    def _blocks(self) -> npt.NDArray[np.uint8]:
        """Return FAISS's own blocks, writable, shape (blocks, bytes); good until the next change."""
        codes: npt.NDArray[np.uint8] = faiss.rev_swig_ptr(self._codes.codes.get(), self._codes.codes.size())
        return codes.reshape(-1, self._packer.block_size)

    def _write(self, blocks: npt.NDArray[np.uint8], place: int, code: npt.NDArray[np.uint8]) -> None:
        self._packer.pack_1(np.ascontiguousarray(code), place % _BLOCK, blocks[place // _BLOCK, None])


def mean_and_spread(dimension: int, pieces: Iterable[Matrix]) -> tuple[Vector, Vector]:
    """Return mean and standard deviation of each value over all rows, whatever their order."""
    count, total, squares = 0, np.zeros(dimension), np.zeros(dimension)
    for piece in pieces:
        count += len(piece)
        total += piece.sum(axis=0, dtype=np.float64)
        squares += np.einsum("ij,ij->j", piece, piece, dtype=np.float64)
    mean = total / count
    spread = np.sqrt(np.maximum(squares / count - mean**2, _LEAST_SPREAD**2))
    return mean.astype(np.float32), spread.astype(np.float32)
