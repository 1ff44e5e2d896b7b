"""Namesakes: who asks for "sue marsh" is told nothing of "Sue Hartley", "Sue P" or "Sue from work" by the first name alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise

from hookclaw_py import text
from hookclaw_py.regex import regex

_FULL = regex(
    r"""(?x) (?= \b ([^\W\d_a-z][\w'’-]+)\ (?! (?: I | OK | Tel | Phone | Mobile | Mobil | Handy | Dr
          | Mon | Tue | Wed | Thu | Fri | Sat | Sun | (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day
          | (?:Mon|Diens|Donners|Frei|Sams|Sonn)tag | Mittwoch ) \b )
        ([^\W\d_a-z][\w'’-]*) )"""
)
"""Two words with capitals beside each other; the second may be an initial, and none that is said of anybody."""


def named_in_full(prompt: str, passages: Iterable[str]) -> frozenset[tuple[str, str]]:
    """Return the names of two words that a prompt has, in whatever letters, and one of the passages in capitals.

    In German any noun has a capital: there a name has both in the prompt, too.
    """
    said = text.words(text.fold(prompt))
    asked = frozenset(_names(prompt) if text.guess_language(said) == "german" else pairwise(said))
    return asked.intersection(name for passage in passages for name in _names(passage))


def is_of_a_namesake(line: str, named: Collection[tuple[str, str]]) -> bool:
    """Say whether a line names somebody of the same first name, and none of these: "Sue M" may be Sue Marsh."""
    if not named:  # as mostly
        return False
    found, said = _names(line), frozenset(text.words(text.fold(line)))
    return any(
        last not in said
        and any(other == first for other, _ in found)
        and not any(other == first and last.startswith(rest) for other, rest in found)
        for first, last in named
    )


def _names(passage: str) -> list[tuple[str, str]]:
    return [(text.fold(match[1]), text.fold(match[2])) for match in _FULL.finditer(passage)]
