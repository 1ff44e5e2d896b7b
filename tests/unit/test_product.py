"""The matrix product: NumPy's own, and no warning on a person's terminal when the processor's flags are set."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from hookclaw_py.search.product import each_product, product

LARGEST = np.finfo(np.float32).max


def test_it_is_the_matrix_product_of_rows_blocks_and_vectors():
    random = np.random.default_rng(7)
    blocks, columns = random.random((2, 5, 3), np.float32), random.random((3, 4), np.float32)
    assert np.array_equal(product(blocks, columns), blocks @ columns)
    assert np.array_equal(product(blocks[0], columns[:, 0]), blocks[0] @ columns[:, 0])
    assert each_product(blocks[0], columns[:, 0]) == pytest.approx(blocks[0] @ columns[:, 0])


def test_a_flag_of_the_processor_is_no_warning():
    flagged = np.full((2, 2), LARGEST, np.float32)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        product(flagged, flagged)
    assert not told
    with pytest.warns(RuntimeWarning, match="matmul"):
        np.matmul(flagged, flagged)
