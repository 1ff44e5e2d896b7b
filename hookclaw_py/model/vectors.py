"""Embeddings as arrays: a text's vector, and those of its tokens."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
"""A unit vector, shape (dimension,)."""

Matrix = npt.NDArray[np.float32]
"""Unit vectors by row, shape (n, dimension)."""

TOKEN_DIMENSION = 64

TokenVectors = npt.NDArray[np.int8]
"""A text's tokens by row, shape (tokens, 64): the first 64 dimensions of each one's last hidden state, as unit vectors
times 127. Special tokens are left out. In memory a chunk takes 64 bytes a token: 10 KB when it is about 120 words long; on disk a fifth, and
punctuation and stop words of a chunk come back as zeros."""

NO_TOKENS: TokenVectors = np.zeros((0, TOKEN_DIMENSION), np.int8)
