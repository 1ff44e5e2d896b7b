"""Phone numbers: a passage that holds one is found by who asks for a phone number, whatever it calls it."""

from __future__ import annotations

from functools import cache

from hookclaw_py import text
from hookclaw_py.model.terms import Terms
from hookclaw_py.regex import regex

_PHONE = regex(r"(?<![\w.,:/-])(?!\d\d[-./]\d\d[-./]\d{2,4}\b)(?:\+\d{1,3}|\(?0\d)[\d()/ -]{5,16}\d(?![\w.,:]\d|\d)")
_CALLED = (
    "phone telephone tel telefon telefonnummer handynummer handy nummer number mobile numéro téléphone teléfono móvil"
)


def with_phones(terms: Terms, body: str) -> Terms:
    """Return the terms of a text, and those by which one asks for a phone number where it has one."""
    if not _PHONE.search(body):
        return terms
    return Terms((*terms, *(term for term in _called() if term not in terms.distinct)))


@cache
def _called() -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for word in _CALLED.split() for term in text.terms(word)))
