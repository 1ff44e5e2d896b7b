"""What is kept of an index instead of its vectors: with the store's rows it is the index again, with any others it is none."""

from __future__ import annotations

import numpy as np
import pytest

from hookclaw_py.search.local import row_places
from hookclaw_py.search.local.faiss_index import FaissIndex
from hookclaw_py.store import packing

DIMENSION = 24
RNG = np.random.default_rng(7)
VECTORS = RNG.standard_normal((60, DIMENSION)).astype(np.float32)
KEPT = packing.packed_vectors(VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True))


def index_of(rows: list[int]) -> FaissIndex:
    """Return an index of these rows of the store, as it reads them."""
    index = FaissIndex(DIMENSION)
    index.add([f"{2**63 + n:016x}" for n in range(len(rows))], packing.vectors_of([KEPT[n] for n in rows], DIMENSION))
    return index


def places_of(index: FaissIndex, kept: bytes) -> row_places.Arrays | None:
    with index.unchanged() as arrays:
        return row_places.of(arrays, kept)


@pytest.mark.parametrize("rows", [[0], list(range(60)), list(range(60))[::-1], [5, 3, 5, 59, 3]])
def test_with_the_rows_it_is_the_same_to_the_last_bit(rows):
    index = index_of(rows)
    places = places_of(index, b"".join(KEPT))
    assert sum(array.nbytes for array in places.values()) < 12 * len(rows) + 20
    again = FaissIndex.of(row_places.filled(places, b"".join(KEPT)))
    query = VECTORS[0] / np.linalg.norm(VECTORS[0])
    assert again.search(query, 60) == index.search(query, 60)
    assert again._rows.take(range(len(rows))).tobytes() == index._rows.take(range(len(rows))).tobytes()


def test_rows_that_are_others_by_now_are_none():
    places, whole = places_of(index_of([0, 1, 2]), b"".join(KEPT)), b"".join(KEPT)
    turned = bytearray(whole)
    turned[100] ^= 1
    others = b"".join([KEPT[1], KEPT[0], *KEPT[2:]])
    for rows in (b"", whole[:-1], b"".join(KEPT[:-1]), others, bytes(turned)):
        assert row_places.filled(places, rows) is None


def test_of_a_vector_that_is_no_row_all_are_kept():
    index = index_of([0, 1])
    assert places_of(index, b"".join(KEPT[1:])) is None
    assert places_of(index, b"".join(KEPT)[:-1]) is None
    scale = np.frombuffer(KEPT[1][:4], "<f4") * np.float32(1.00001)
    assert places_of(index, b"".join([KEPT[0], scale.tobytes() + KEPT[1][4:]])) is None
    index.add(["f" * 16], VECTORS[:1] / np.linalg.norm(VECTORS[0]))
    assert places_of(index, b"".join(KEPT)) is None, "it came from elsewhere"
