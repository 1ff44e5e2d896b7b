"""The matrix product of finite arrays, which says nothing of what stands beside them in memory."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def product(rows: Floats, others: Floats) -> Floats:
    """Return ``rows @ others``, both of finite values, without the warnings of NumPy.

    OpenBLAS has kernels that calculate with the unset ends of their own buffers as well and then throw those values away:
    the result is right, but the processor's flag of an invalid number is set, and NumPy warns of it now and then
    (numpy/numpy#24067). What comes in has been checked where it was read.
    """
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        result: Floats = np.matmul(rows, others)
    return result


def each_product(rows: Floats, vector: Floats) -> Floats:
    """Return the product of each row with a vector, one by one: of so many together OpenBLAS's threads take parts, and wait busily for more."""
    return product(rows[:, None], vector)[:, 0]
