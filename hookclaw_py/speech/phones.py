"""Phone numbers: a passage that holds one is found by who asks for a phone number, whatever it calls it."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from hookclaw_py import text
from hookclaw_py.model.terms import Terms
from hookclaw_py.regex import regex
from hookclaw_py.speech.clauses import parted, refers
from hookclaw_py.speech.restating import telling
from hookclaw_py.speech.sentences import sentences
from hookclaw_py.speech.values import PHONE

_NUMBERS = regex(r"\d[\d()/ .-]{6}")
"""What each has: most texts have none, which is soon seen."""
_FEW = 3  # telling words
_CALLED = "phone telephone tel telefon telefonnummer handynummer handy nummer nr number mobile cell numéro num portable tél cellulare téléphone teléfono móvil celular"


def with_phones(terms: Terms, body: str) -> Terms:
    """Return the terms of a text, and those by which one asks for a phone number where it has one."""
    return Terms((*terms, *(term for term in _called() if term not in terms.distinct))) if holds(body) else terms


def holds(text: str) -> bool:
    """Say whether a text has a phone number."""
    return _NUMBERS.search(text) is not None and PHONE.search(text) is not None


def ask_for_one(terms: Collection[str]) -> bool:
    """Say whether one of these terms is what one calls a phone number."""
    return any(term in terms for term in _called())


def answers(said: str, terms: Collection[str]) -> bool:
    """Say whether a line of what a person said answers who asks with these terms for a phone number: it holds one, and whose it is.

    Where it hardly says more than "her" or "his", that stands in the two lines before it.
    """
    called = frozenset(_called())
    whose = frozenset(terms) - called - text.asking()
    lines = [line for line in said.split("\n") if line.strip()]
    told = (
        "\n".join(lines[max(0, at - 2) : at + 1] if refers(line) and len(telling(line) - called) < _FEW else [line])
        for at, line in enumerate(lines)
        if holds(line)
    )
    return any(whose <= text.terms(one).distinct for one in told)


def said_otherwise(said: str, words: str) -> list[str]:
    """Return the statements of a text that hold the phone number which these words name, by another name: "Ann's mobile is …" of "Ann's number"."""
    called = frozenset(_called())
    named = [word for word in words.split() if telling(word) and telling(word) <= called]
    whose = " ".join(word for word in words.split() if word not in named)
    if not named or not telling(whose):
        return []
    found = list[str]()
    for one in filter(lambda one: holds(one.said), sentences(said)):
        other = next((word for word in text.words(one.said) if telling(word) and telling(word) <= called), "")
        if other or telling(one.said) <= telling(whose):
            found += (part.gone for part in [parted(one.said, f"{whose} {other}")] if part)
    return found


@cache
def _called() -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for word in _CALLED.split() for term in text.terms(word)))
