"""The dictionary: the words of English, German, French, Spanish and Italian, so that what is none of them is misspelt, or a name.

And those of Chinese, which are written without spaces, so that what two make where they meet is no word.

``words.npy`` holds a sorted hash of each folded word; of it a block is read where a word may be, for what is mapped is
soon resident as a whole. ``models/make_words.py`` makes it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

WORDS = Path(__file__).with_name("words.npy")
SHORTEST, LONGEST = 3, 24  # letters of a word that it has
LONGEST_UNSPACED = 4  # of a Chinese one, which has two at least
_KEY, _BLOCK = 8, 64  # bytes of a hash, and hashes that are read together


def in_dictionary(words: Collection[str], file: Path = WORDS) -> list[str]:
    """Return those of these folded words, in the form that they have, that a dictionary has."""
    if not words:
        return []
    asked, known = list(words), _blocks(file)
    digests = list(map(_digest, asked))
    places = known.firsts.searchsorted(_numbers(digests), side="right").clip(min=1) - 1
    blocks = map(known.block, places.tolist())
    found = (block.find(digest) for block, digest in zip(blocks, digests, strict=True))
    return [word for word, place in zip(asked, found, strict=True) if place >= 0 and not place % _KEY]


def keys(words: Sequence[str]) -> Any:
    """Return the hash of each word, an array of 64 bits each."""
    return _numbers(list(map(_digest, words)))


def _digest(word: str) -> bytes:
    return blake2b(word.encode(), digest_size=_KEY).digest()


def _numbers(digests: Sequence[bytes]) -> Any:
    import numpy as np

    return np.frombuffer(b"".join(digests), dtype="<u8")


class _Blocks(NamedTuple):
    """The open file, where in it the hashes begin, and the first of each block."""

    file: int
    begins: int
    firsts: Any

    def block(self, place: int) -> bytes:
        """Return the hashes of a block, of the last one what there is."""
        return os.pread(self.file, _BLOCK * _KEY, self.begins + place * _BLOCK * _KEY)


@cache
def _blocks(file: Path) -> _Blocks:
    """Open the file, for as long as the process lasts."""
    import numpy as np

    hashes = np.load(file, mmap_mode="r")
    return _Blocks(os.open(file, os.O_RDONLY), hashes.offset, hashes[::_BLOCK].copy())
