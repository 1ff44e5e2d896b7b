"""Make ``hookclaw_py/text/words.npy``: which words there are, for ``hookclaw_py.text.dictionary``.

    pip install pyspellchecker==0.9.1 jieba==0.42.1 numpy
    python models/make_words.py

The words are those of pyspellchecker's dictionaries (MIT) of five languages, folded, and of Chinese the more common ones of jieba's
(MIT); the file is the same bytes each time.
"""

from __future__ import annotations

from collections.abc import Iterator

import jieba
import numpy as np
from spellchecker import SpellChecker

from hookclaw_py.text import fold
from hookclaw_py.text.dictionary import LONGEST, LONGEST_UNSPACED, SHORTEST, WORDS, keys

LANGUAGES = ("en", "de", "fr", "es", "it")
OFTEN = 20  # a Chinese word is counted in jieba's texts; a rarer one is a name, or what two words happen to make


def chinese() -> Iterator[str]:
    """Yield the words of more than one letter, folded."""
    with jieba.get_dict_file() as file:
        for line in file.read().decode().splitlines():
            word, count, _ = line.split(" ")
            if 2 <= len(word) <= LONGEST_UNSPACED and int(count) >= OFTEN:
                yield fold(word)


def main() -> None:
    """Write the file."""
    folded = {fold(word) for language in LANGUAGES for word in SpellChecker(language).word_frequency.words()}
    words = {word for word in folded if word.isalpha() and SHORTEST <= len(word) <= LONGEST} | {*chinese()}
    np.save(WORDS, np.unique(keys(sorted(words))))
    print(f"{len(words)} words, {WORDS.stat().st_size / 2**20:.1f} MB")


if __name__ == "__main__":
    main()
