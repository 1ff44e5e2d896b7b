"""Phone numbers: a passage that holds one is found by who asks for a phone number, whatever it calls it."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from hookclaw_py import text
from hookclaw_py.model.terms import Terms
from hookclaw_py.regex import regex

_PHONE = regex(
    r"""(?x) (?<![\w.,:/-]) (?<!\d\ ) (?!\d\d[-./]\d\d[-./]\d{2,4}\b)
      (?: (?:\+\d{1,3}|\(?0\d)[\d()/\ -]{5,16}\d | \(?[2-9]\d\d\)?[\ .-]\d{3}[\ .-]\d{4} | [6-9]\d\d(?:\ \d\d){3} ) (?![\w.,:]\d|\d)"""
)
_CALLED = "phone telephone tel telefon telefonnummer handynummer handy nummer nr number mobile cell numéro cellulare téléphone teléfono móvil"


def with_phones(terms: Terms, body: str) -> Terms:
    """Return the terms of a text, and those by which one asks for a phone number where it has one."""
    return Terms((*terms, *(term for term in _called() if term not in terms.distinct))) if holds(body) else terms


def holds(text: str) -> bool:
    """Say whether a text has a phone number."""
    return _PHONE.search(text) is not None


def ask_for_one(terms: Collection[str]) -> bool:
    """Say whether one of these terms is what one calls a phone number."""
    return any(term in terms for term in _called())


@cache
def _called() -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for word in _CALLED.split() for term in text.terms(word)))
