"""Visibility: what a session may hear of, decided before the search by level and scope.

What may not be heard takes no place in the pool and moves no score, as if it were not there.
"""

from __future__ import annotations

from typing import NamedTuple

from hookclaw_py.model.audience import POLICIES, Audience
from hookclaw_py.model.level import EVERYBODYS, MIXED, Level, Reach, Scope


class Viewer(NamedTuple):
    """Who sees: up to which level, and which scopes beside everybody's. No scopes are none, not all."""

    ceiling: Level
    scopes: frozenset[Scope] = frozenset()
    every_scope: bool = False

    def hears(self, scope: Scope) -> bool:
        """Say whether something of this scope may reach it."""
        return self.every_scope or scope == EVERYBODYS or (scope in self.scopes and scope != MIXED)

    def sees(self, reach: Reach) -> bool:
        """Say whether something may be seen whole: the filter before a search."""
        return self.hears(reach.scope) and reach.level <= self.ceiling


OWNER = Viewer(Level.HIGH, every_scope=True)
"""Who asks of their own memory: what is critical is kept and listed, and told in no session."""
HIGHEST_SHARED = Level.LOW
"""What anybody else hears of."""


def viewer_of(audience: Audience, scope: Scope) -> Viewer:
    """Return who sees in a session of this ``audience``, which its host calls ``scope``; all are the host's word, no text's.

    The owner hears every scope; everybody else, and whom the host does not name, their own up to ``HIGHEST_SHARED``.
    """
    if POLICIES[audience].hears_everything:
        return OWNER
    return Viewer(HIGHEST_SHARED, frozenset({scope} - {EVERYBODYS, MIXED}))
