"""Level and scope: how private something is, and whose it is. Together they decide who may see it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

Scope = str
"""Whose something is: what a host calls a session, a channel or a project; "" is everybody's."""

EVERYBODYS: Scope = ""
MIXED: Scope = "*"
"""Of what came out of several scopes: it belongs to none of them, so only who hears every scope hears of it."""


class Level(IntEnum):
    """How private something is: who may see one level may see those below."""

    PUBLIC = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4

    @property
    def label(self) -> str:
        """The word under which it is stored and configured."""
        return self.name.lower()

    @classmethod
    def stored(cls, word: str) -> Level:
        """Return the level that a stored ``word`` means; what we don't know is critical, and so is "hyper", its old name."""
        return LEVELS.get(word.strip().lower(), cls.CRITICAL)


LEVELS = {level.label: level for level in Level} | {"hyper": Level.CRITICAL}


class Reach(NamedTuple):
    """Who may see something: those who may see its level and hear its scope."""

    level: Level
    scope: Scope = EVERYBODYS


def inherited(sources: Iterable[Reach]) -> Reach:
    """Return the reach of what is derived from ``sources``: the highest of their levels, and the scope that they share.

    What is everybody's narrows nothing. Of two scopes nothing may reach the other: the reach is ``MIXED``.

    Raises:
        ValueError: if there are no sources; nothing is derived from nothing.
    """
    reaches = list(sources)
    if not reaches:
        raise ValueError("nothing is derived from no sources")
    scopes = {reach.scope for reach in reaches} - {EVERYBODYS}
    scope = scopes.pop() if len(scopes) == 1 else MIXED if scopes else EVERYBODYS
    return Reach(max(reach.level for reach in reaches), scope)
