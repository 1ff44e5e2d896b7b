"""The dictionary: the words of English, German, French, Spanish and Italian, so that what is none of them is misspelt, or a name.

And those of Chinese, which are written without spaces, so that what two make where they meet is no word.

``words.npy`` holds a sorted hash of each folded word; it is not read but where it is looked at. ``models/make_words.py`` makes it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

WORDS = Path(__file__).with_name("words.npy")
SHORTEST, LONGEST = 3, 24  # letters of a word that it has
LONGEST_UNSPACED = 4  # of a Chinese one, which has two at least


def in_dictionary(words: Collection[str]) -> list[str]:
    """Return those of these folded words, in the form that they have, that a dictionary has."""
    if not words:
        return []
    asked, (known, wanted) = list(words), (_words(), keys(list(words)))
    found = known[known.searchsorted(wanted).clip(max=len(known) - 1)] == wanted
    return [word for word, is_known in zip(asked, found, strict=True) if is_known]


def keys(words: Sequence[str]) -> Any:
    """Return the hash of each word, an array of 64 bits each."""
    import numpy as np

    return np.frombuffer(b"".join(blake2b(word.encode(), digest_size=8).digest() for word in words), dtype="<u8")


@cache
def _words() -> Any:
    import numpy as np

    return np.load(WORDS, mmap_mode="r")
