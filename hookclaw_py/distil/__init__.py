"""Distilling: from what happened in sessions to drafts of memories, by rules alone: same events, same bytes, no word of our own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hookclaw_py.distil.observations import observations
from hookclaw_py.distil.persons import said_in
from hookclaw_py.distil.runs import SessionRuns, sessions
from hookclaw_py.distil.skills import episode, plan
from hookclaw_py.distil.snapshot import snapshots
from hookclaw_py.distil.summary import summary
from hookclaw_py.model.draft import Draft
from hookclaw_py.model.happening import Happening


def distil(happenings: Sequence[Happening]) -> list[Draft]:
    """Return what these happenings say that is worth keeping, session by session.

    Pure: the same happenings give the same drafts, however often each is told. Give it whole sessions: what failed in one run and
    was mended in the next, what an answer supposed and the next prompt set right, and the summary are of all of one.
    """
    return [draft for session in sessions(happenings) for draft in _of_session(session)]


def _of_session(session: SessionRuns) -> Iterator[Draft]:
    told = [*said_in(session), *observations(session)]
    yield from told
    yield from snapshots(session)
    for run in session.runs:
        yield from filter(None, (episode(run), plan(run)))
    if whole := summary(session, told):
        yield whole
