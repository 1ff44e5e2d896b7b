"""Make ``hookclaw_py/text/words.npy``: which words there are, for ``hookclaw_py.text.dictionary``.

    pip install pyspellchecker==0.9.1 numpy
    python models/make_words.py

The words are those of pyspellchecker's dictionaries (MIT) of five languages, folded; the file is the same bytes each time.
"""

from __future__ import annotations

import numpy as np
from spellchecker import SpellChecker

from hookclaw_py.text import fold
from hookclaw_py.text.dictionary import LONGEST, SHORTEST, WORDS, keys

LANGUAGES = ("en", "de", "fr", "es", "it")


def main() -> None:
    """Write the file."""
    folded = {fold(word) for language in LANGUAGES for word in SpellChecker(language).word_frequency.words()}
    words = sorted(word for word in folded if word.isalpha() and SHORTEST <= len(word) <= LONGEST)
    np.save(WORDS, np.unique(keys(words)))
    print(f"{len(words)} words, {WORDS.stat().st_size / 2**20:.1f} MB")


if __name__ == "__main__":
    main()
