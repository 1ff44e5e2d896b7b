"""Texts in one form for comparison, and in one that can be written and shown."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from hookclaw_py.regex import regex

LONGEST_CACHED = 64
"""Characters: what is longer is computed each time. The caches hold words, never documents."""
MOST_CACHED = 16_384
"""Words: each takes some 300 bytes in each cache, and those that texts are full of stay in it."""
# Latin, Greek, Hebrew and Arabic marks; й, ў and ї stay, they are letters of their own.
_ACCENT = regex(
    "[\u0300-\u0305\u0307\u0309-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640"
    "\u064b-\u0655\u0670]|(?<![\u0438\u0443])\u0306|(?<!\u0456)\u0308"
)


def fold(text: str) -> str:
    """Return ``text`` in one form for comparison: NFKC, case folded, accents and vowel points removed."""
    return _fold_word(text) if len(text) <= LONGEST_CACHED else _fold(text)


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _ACCENT.sub("", decomposed))


_fold_word = lru_cache(maxsize=MOST_CACHED)(_fold)


def ends(text: str, length: int) -> str:
    """Return ``text``; of a longer one its two ends, ``length`` characters in all: there a prompt says what it wants."""
    half = length // 2
    return text if len(text) <= length else f"{text[:half]}\n{text[-half:]}"


def on_one_line(text: str, length: int) -> str:
    """Return ``text`` on one line of at most ``length`` characters; where it is cut ``…`` stands."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def encodable(text: str) -> str:
    """Return ``text`` with each half of a surrogate pair, which no file, database or model takes, replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
