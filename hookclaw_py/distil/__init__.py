"""Distilling: from what happened in sessions to drafts of memories, by rules alone: same events, same bytes, no word of our own."""

from __future__ import annotations

from collections.abc import Sequence

from hookclaw_py.distil.observations import observations
from hookclaw_py.distil.persons import said_in
from hookclaw_py.distil.runs import sessions
from hookclaw_py.distil.snapshot import snapshots
from hookclaw_py.model.draft import Draft
from hookclaw_py.model.happening import Happening


def distil(happenings: Sequence[Happening]) -> list[Draft]:
    """Return what these happenings say that is worth keeping, session by session.

    Pure: the same happenings give the same drafts, however often each is told.
    """
    found: list[Draft] = []
    for session in sessions(happenings):
        found += (*said_in(session), *observations(session), *snapshots(session))
    return found
