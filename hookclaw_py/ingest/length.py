"""How long a text is for an embedder: an estimate of its word pieces that needs no tokenizer, and adds up.

The estimate leans upwards: a chunk that is believed to fit into the embedder's window must fit. Fitted against the
WordPiece vocabulary of all-MiniLM-L6-v2 on English notes (median 1.04 of the truth), a dozen other languages in Latin
letters (.97 to 1.15), Russian, Serbian, Chinese, Japanese, Korean, Arabic, Hindi, code, hashes and URLs. Our own model knows more words
of German, French, Spanish and Italian: of these it needs fewer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from hookclaw_py.regex import regex
from hookclaw_py.text import STOP_WORDS

_PIECE = regex(r"[^\W_]+|[^\w\s]|_")
_ENGLISH = frozenset(word for word in STOP_WORDS["english"] if len(word) > 2)  # "in" and "is" are Dutch as well
_DEAREST = 3  # word pieces of a character, at most
_ENGLISH_SHARE = 0.06  # of plain words that are English function words; below it, words are taken to be foreign


@dataclass(frozen=True, slots=True)
class Length:
    """The length of a text; lengths of neighbouring texts add up to the length of both."""

    words: int = 0
    pieces: float = 0.0
    surplus: float = 0.0  # what plain words cost more if they are not English
    plain: int = 0
    english: int = 0

    def __add__(self, other: Length) -> Length:
        return Length(
            self.words + other.words,
            self.pieces + other.pieces,
            self.surplus + other.surplus,
            self.plain + other.plain,
            self.english + other.english,
        )

    @property
    def tokens(self) -> int:
        """The word pieces, start and end marks not counted."""
        foreign = self.plain >= 4 and self.english < self.plain * _ENGLISH_SHARE
        return math.ceil(self.pieces + (self.surplus if foreign else 0.0))


def is_longer(text: str, tokens: int) -> bool:
    """Say whether ``text`` has more word pieces than that; a short one is not measured for it."""
    return _DEAREST * len(text) > tokens and length_of(text).tokens > tokens


def length_of(text: str) -> Length:
    """Measure ``text`` for a BERT-like embedder: rather too much than too little."""
    words = text.split()
    pieces = surplus = 0.0
    plain = english = 0
    for costs, extras, are_plain, are_english in map(_measured_word, words):
        for cost in costs:  # one after the other: sums of floats depend on the order
            pieces += cost
        if are_plain:
            for extra in extras:
                surplus += extra
            plain += are_plain
            english += are_english
    return Length(len(words), pieces, surplus, plain, english)


@lru_cache(maxsize=16_384)
def _measured_word(word: str) -> tuple[tuple[float, ...], tuple[float, ...], int, int]:
    """Return what the pieces of a word between blanks cost, what they cost more if they are not English, and how many are plain, and English."""
    measured = [*map(_measured, _PIECE.findall(word))]
    costs, extras, are_plain, are_english = zip(*measured, strict=True) if measured else ((), (), (), ())
    return costs, tuple(filter(None, extras)), sum(are_plain), sum(are_english)


def _measured(piece: str) -> tuple[float, float, bool, bool]:
    cost = _cost(piece)
    if len(piece) == 1 or not _is_plain(piece):
        return cost, 0.0, False, False
    return cost, max(0.0, len(piece) / 2.6 - cost), True, piece.lower() in _ENGLISH


def _is_plain(piece: str) -> bool:
    return piece.isascii() and piece.isalpha() and (piece[1:].islower() or len(piece) <= 5)


def _cost(piece: str) -> float:
    size = len(piece)
    if not piece.isascii():
        return sum(map(_character_cost, piece))
    if size == 1:
        return 1.0
    if piece.isdigit():
        return (size + 1) // 2
    if _is_plain(piece):
        name = 0.2 * max(0, size - 5) if piece[0].isupper() else 0.0
        return name + (1.0 if size <= 7 else 1.4 + (size - 8) * 0.1)
    if piece.isalpha():
        return max(1.0, size * (0.4 if piece.isupper() else 0.75))
    return max(1.0, size * 0.9)


def _character_cost(character: str) -> float:
    if "\uac00" <= character <= "\ud7af":
        return 3.0  # a Hangul syllable is taken apart into its letters
    if character < "\u0250":
        return 0.6
    return 0.95 if "\u0400" <= character <= "\u052f" else 1.2
