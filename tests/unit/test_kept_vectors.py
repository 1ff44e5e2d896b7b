"""Vectors of a store by pieces: the same as all at once, whichever version of the store wrote them."""

from __future__ import annotations

import numpy as np
import pytest

from hookclaw_py.store import packing
from hookclaw_py.store.kept_vectors import KeptVectors
from hookclaw_py.testing.vectors import some_vectors


@pytest.mark.parametrize("size", [1, 3, 100, 1000])
def test_pieces_are_what_all_at_once_is_by_key_also_of_rows_that_an_earlier_version_wrote(size: int):
    vectors = some_vectors(100, dimension=12)
    kept = [vectors[n].tobytes() if n % 7 == 0 else packed for n, packed in enumerate(packing.packed_vectors(vectors))]
    keys = np.random.default_rng(0).permutation(100) - 50
    found = KeptVectors(zip(keys.tolist(), kept, strict=True), 12)
    assert found.keys == sorted(found.keys) == list(range(-50, 50))
    by_key = packing.vectors_of([kept[n] for n in np.argsort(keys)], 12)
    assert np.array_equal(np.concatenate([found[start : start + size] for start in range(0, 100, size)]), by_key)
    assert (found.shape, len(found)) == ((100, 12), 100)


def test_of_nothing_there_is_a_piece_of_nothing():
    assert KeptVectors([], 12)[:].shape == (0, 12)
