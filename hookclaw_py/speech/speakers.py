"""Speakers: who says what in a passage of a conversation, by the names before its lines."""

from __future__ import annotations

import re
from functools import cache

from hookclaw_py.kept import of_texts


@of_texts
def parts_of(body: str, speakers: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return (who, what) in order; what stands before the first name is nobody's."""
    parts = _turns(speakers).split(body)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def own_words(body: str, speakers: tuple[str, ...]) -> str:
    """Return what a person says, the first of the ``speakers``; where there are none, all of it."""
    if not speakers:
        return body
    return "\n".join(what.rstrip("\n") for who, what in parts_of(body, speakers) if who == speakers[0])


def words_of_others(body: str, speakers: tuple[str, ...]) -> str:
    """Return what others than the person say; where there are no speakers, all of it."""
    if not speakers:
        return body
    return "\n".join(what.rstrip("\n") for who, what in parts_of(body, speakers) if who != speakers[0])


@cache
def _turns(speakers: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"^({'|'.join(map(re.escape, speakers))}): ", re.MULTILINE)
