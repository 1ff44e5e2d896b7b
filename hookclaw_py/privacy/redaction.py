"""Redaction: a text without what looks like a secret in it: keys, tokens, passwords, numbers of cards and accounts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hookclaw_py.privacy.below import below
from hookclaw_py.privacy.named import named
from hookclaw_py.privacy.numbers import numbered
from hookclaw_py.privacy.shapes import shaped

REDACTED = "[redacted]"


class Secret(NamedTuple):
    """Where a secret stands; ``in_words`` of one that a person told in a sentence, and no machine made."""

    start: int
    end: int
    in_words: bool


def secrets_in(text: str) -> list[Secret]:
    """Return the secrets of a text in their order; none touches another."""
    found = [Secret(start, end, in_words=False) for part in (shaped(text), numbered(text)) for start, end in part]
    found += (Secret(*one) for part in (named(text), below(text)) for one in part)
    return _apart(one for one in found if REDACTED not in text[one.start : one.end + 1])


def _apart(found: Iterable[Secret]) -> list[Secret]:
    apart: list[Secret] = []
    for one in sorted(found):
        if apart and one.start < apart[-1].end:
            last = apart[-1]
            apart[-1] = Secret(last.start, max(last.end, one.end), last.in_words and one.in_words)
        else:
            apart.append(one)
    return apart


def redact(text: str) -> str:
    """Return ``text`` with what looks like a secret replaced by ``[redacted]``; the name in front of it stays."""
    return without(text, secrets_in(text))


def without(text: str, secrets: Iterable[Secret]) -> str:
    """Return ``text`` with ``[redacted]`` in the place of these secrets, which are in their order."""
    pieces, at = list[str](), 0
    for one in secrets:
        pieces += (text[at : one.start], REDACTED)
        at = one.end
    return "".join([*pieces, text[at:]])
