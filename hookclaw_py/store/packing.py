"""How a store writes vectors down: in a third of the bytes that are computed with; what earlier versions wrote is read as it is.

A text's vector is its values in 127 steps each way and one number, its length: a cosine is off by 0.0004. Token vectors are
cut to steps of ``STEP`` and compressed: most values are small then, and take two bits instead of eight; their lengths are
all the same, so those are made anew. The weighted best matches of a prompt move by less than 0.01 where passages are 0.06 apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import Matrix, TokenVectors

STEP = 8
"""Of the 127 that a token vector's length is; 12 would save a fifth of their bytes, and tells three near misses more of a folder's 45."""
_LEVEL = 12  # of zstandard: the first that finds the best table for such values
_COMPRESSED = b"\x28\xb5\x2f\xfd"  # what zstandard begins with
_SCALE = 4  # bytes, float32
_LONGEST = 1 << 24  # bytes of a text's token vectors, so that damage cannot ask for all memory


def whole(dimension: str, vector: str) -> str:
    """Return the SQL condition that a vector is not damaged, in the form of today or of earlier."""
    return f"length({vector}) IN ({dimension} + {_SCALE}, 4 * {dimension})"


def packed_vectors(matrix: Matrix) -> list[bytes]:
    """Return each row as it is kept."""
    import numpy as np

    lengths = np.linalg.norm(matrix, axis=1)
    tops = np.maximum(np.abs(matrix).max(axis=1), np.finfo(np.float32).tiny)
    steps = np.rint(matrix / tops[:, None] * 127).astype(np.int8)
    scales = (lengths / np.maximum(np.linalg.norm(steps.astype(np.float32), axis=1), 1)).astype("<f4")
    return [scale.tobytes() + row.tobytes() for scale, row in zip(scales, steps, strict=True)]


def vectors_of(kept: Sequence[bytes], dimension: int) -> Matrix:
    """Return what was kept as float32, shape (n, dimension); all of them are whole."""
    import numpy as np

    matrix = np.empty((len(kept), dimension), np.float32)
    short = [n for n, one in enumerate(kept) if len(one) == dimension + _SCALE]
    if short:
        raw = np.frombuffer(b"".join([kept[n] for n in short]), np.uint8).reshape(len(short), -1)
        scales = np.ascontiguousarray(raw[:, :_SCALE]).view("<f4")
        matrix[short] = raw[:, _SCALE:].view(np.int8) * scales
    if len(short) < len(kept):
        long = [n for n, one in enumerate(kept) if len(one) != dimension + _SCALE]
        matrix[long] = np.frombuffer(b"".join([kept[n] for n in long]), "<f4").reshape(len(long), dimension)
    return matrix


def packed_tokens(tokens: bytes) -> bytes:
    """Return token vectors, int8, as they are kept."""
    import numpy as np
    import zstandard

    steps = np.rint(np.frombuffer(tokens, np.int8) / np.float32(STEP)).astype(np.int8)
    return zstandard.compress(steps.tobytes(), _LEVEL)


def tokens_of(kept: Iterable[bytes | None]) -> Iterator[TokenVectors]:
    """Yield the token vectors of each text; none for one without, or with damaged ones."""
    import numpy as np
    import zstandard

    from hookclaw_py.model.vectors import NO_TOKENS, TOKEN_DIMENSION

    compression = zstandard.ZstdDecompressor()
    for one in kept:
        in_steps = one is not None and one.startswith(_COMPRESSED)
        try:
            values = compression.decompress(one, _LONGEST) if one and in_steps else one
        except zstandard.ZstdError:
            values = None
        if not values or len(values) % TOKEN_DIMENSION:
            yield NO_TOKENS
            continue
        rows = np.frombuffer(values, np.int8).reshape(-1, TOKEN_DIMENSION)
        yield _of_full_length(rows) if in_steps else rows


def _of_full_length(steps: TokenVectors) -> TokenVectors:
    """Return unit vectors times 127 that point where ``steps`` do."""
    import numpy as np

    rows = steps.astype(np.float32)
    rows *= (127 / np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1e-9))[:, None]
    restored: TokenVectors = np.rint(rows, out=rows).astype(np.int8)
    return restored
