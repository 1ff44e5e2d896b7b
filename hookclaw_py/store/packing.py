"""How a store writes vectors down: in a fifth of the bytes that are computed with; what earlier versions wrote is read as it is.

A text's vector is its values in 127 steps each way and one number, its length: a cosine is off by 0.0004. Token vectors are
cut to steps of ``STEP`` and compressed: most values are small then, and take two bits instead of eight; their lengths are
all the same, so those are made anew. The weighted best matches of a prompt move by 0.01 where the first passage and the sixth are 0.13 apart.
Of a token whose vector is zeros, as those of punctuation and stop words, one bit is written.

The terms of a passage are nearly the words of its text: they are compressed with that before them, to a quarter.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from zstandard import ZstdDecompressor

    from hookclaw_py.model.vectors import Matrix, TokenVectors, Vector

STEP = 12
"""Of the 127 that a token vector's length is. With 8 they take a fifth more bytes, with 16 a seventh less, and of ten folders' prompts 25 are won and 37 lost."""
_LEVEL = 12  # of zstandard: the first that finds the best table for such values …
_MIN_MATCH = 7  # … and the longest repetition that can be asked for: there are none, and to look for short ones takes the most time
_COMPRESSED = b"\x28\xb5\x2f\xfd"  # what zstandard begins with
_SCALE = 4  # bytes, float32
_BYTES = 64  # of a token: as many as ``model.vectors`` keeps of its dimensions
_TOGETHER = 64  # texts that are read at a time: what is made of them stays near the processor
_MOST_PLACES = 8 * 255  # of tokens: a byte says how many bytes they take
_LONGEST = 1 << 24  # bytes of a text's token vectors, or terms, so that damage cannot ask for all memory
_DEFLATED = b"\0"  # what compressed terms begin with, and no text does
_WINDOW = -15  # of deflate, without header and checksum


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


def steps_of(kept: bytes, dimension: int) -> tuple[npt.NDArray[np.int8], Vector]:
    """Return the steps of vectors that were kept one after another, shape (n, dimension), and what a step is worth in each.

    Raises:
        ValueError: if they are not all in the form of today.
    """
    import numpy as np

    raw = np.frombuffer(kept, np.uint8).reshape(-1, dimension + _SCALE)
    return raw[:, _SCALE:].view(np.int8), np.ascontiguousarray(raw[:, :_SCALE]).view("<f4")[:, 0]


def packed_terms(terms: str, heading: str, text: str) -> bytes:
    """Return the terms of a passage, joined by blanks, as they are kept beside its heading and text."""
    compression = zlib.compressobj(9, zlib.DEFLATED, _WINDOW, zdict=_before(heading, text))
    return _DEFLATED + compression.compress(terms.encode()) + compression.flush()


def unpacked_terms(kept: bytes, heading: str, text: str) -> str:
    """Return the terms of a passage, joined by blanks; none of damaged ones, and what an earlier version kept as it is."""
    if not kept.startswith(_DEFLATED):
        return kept.decode(errors="replace")
    try:
        written = zlib.decompressobj(_WINDOW, _before(heading, text)).decompress(kept[1:], _LONGEST)
    except zlib.error:
        return ""
    return written.decode(errors="replace")


def _before(heading: str, text: str) -> bytes:
    """Return what terms are compressed behind. Lower case is that of ASCII: of other letters it may change with Python."""
    return f"{heading}\n{text}".encode().lower()


def packed_tokens(tokens: bytes) -> bytes:
    """Return token vectors, int8, as they are kept: of those that are zeros among others only the place."""
    import numpy as np
    import zstandard

    rows = np.frombuffer(tokens, np.int8).reshape(-1, _BYTES)
    there = rows.any(axis=1)
    of_some = there.any() and not there.all() and len(rows) <= _MOST_PLACES
    places = np.packbits(there).tobytes() if of_some else b""
    steps = np.rint(rows[there] / np.float32(STEP) if places else rows / np.float32(STEP)).astype(np.int8)
    how = zstandard.ZstdCompressionParameters.from_level(
        _LEVEL, strategy=zstandard.STRATEGY_BTOPT, min_match=_MIN_MATCH
    )
    frame = zstandard.ZstdCompressor(compression_params=how).compress(steps.tobytes())
    return bytes([len(places)]) + places + frame if places else frame


def tokens_of(kept: Sequence[bytes | None]) -> Iterator[TokenVectors]:
    """Yield the token vectors of each text, zeros where none was kept; none for one without, or with damaged ones.

    Behind the last one that was kept there are none.
    """
    import zstandard

    compression = zstandard.ZstdDecompressor()
    for start in range(0, len(kept), _TOGETHER):
        yield from _unpacked([_parted(one or b"", compression) for one in kept[start : start + _TOGETHER]])


class _Parted(NamedTuple):
    """The values of a text's tokens, the places of those that were kept, a bit each, and whether they are cut to steps."""

    values: bytes
    places: bytes = b""
    in_steps: bool = True

    @property
    def sound(self) -> bool:
        """Whether these are whole vectors, and as many as places."""
        count, odd = divmod(len(self.values), _BYTES)
        return not odd and (not self.in_steps or int.from_bytes(self.places).bit_count() == count)


_NOTHING = _Parted(b"")


def _parted(one: bytes, compression: ZstdDecompressor) -> _Parted:
    """Take apart what was kept of a text; nothing of what is damaged."""
    import zstandard

    start = 0 if not one or one.startswith(_COMPRESSED) else 1 + one[0]
    if one.startswith(_COMPRESSED, start):
        try:
            values = compression.decompress(one[start:], _LONGEST)
        except zstandard.ZstdError:
            return _NOTHING
        found = _Parted(values, one[1:start] or _first(len(values) // _BYTES))
    else:
        found = _Parted(one, in_steps=False)
    return found if found.sound else _NOTHING


def _first(count: int) -> bytes:
    """Return the places of so many tokens where none is left out between them."""
    return b"\xff" * (count // 8) + bytes([0xFF00 >> count % 8 & 0xFF])


def _unpacked(texts: Sequence[_Parted]) -> Iterator[TokenVectors]:
    """Yield the token vectors of each text; those cut to steps are made together, which takes half as long as each by itself."""
    import numpy as np

    joined = b"".join(text.values for text in texts if text.in_steps)
    rows = _of_full_length(np.frombuffer(joined, np.int8).reshape(-1, _BYTES))
    bits = np.unpackbits(np.frombuffer(b"".join(text.places for text in texts), np.uint8))
    spread, there = np.zeros((len(bits), _BYTES), np.int8), bits.nonzero()[0]
    spread[there] = rows
    row = place = 0
    for text in texts:
        if not text.in_steps:
            yield np.frombuffer(text.values, np.int8).reshape(-1, _BYTES)
            continue
        row += len(text.values) // _BYTES
        yield spread[place : there[row - 1] + 1] if text.values else spread[:0]
        place += 8 * len(text.places)


def _of_full_length(steps: TokenVectors) -> TokenVectors:
    """Return unit vectors times 127 that point where ``steps`` do."""
    import numpy as np

    rows = steps.astype(np.float32)
    rows *= (127 / np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1e-9))[:, None]
    restored: TokenVectors = np.rint(rows, out=rows).astype(np.int8)
    return restored
