"""Salience: what has faded drops out of the search, and may be pruned; what is known for good never does, however old it is.

How salience weighs on a score is ``stages.decay``: there it stands where notes have their age.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from hookclaw_py.model.kind import EPISODE, WORKING
from hookclaw_py.model.record import Record
from hookclaw_py.model.types import Candidate, Effect, Step

FADING = frozenset({EPISODE, WORKING})
"""The kinds that drop out and are pruned by age; facts, skills, plans and what else was learned are not."""
SPENT = 0.001
"""Below this salience nothing is left of a record."""


def drop_faded(
    candidates: Sequence[Candidate], salience: Mapping[str, float], *, least: float
) -> tuple[list[Candidate], list[Candidate]]:
    """Part what is present from what has faded below ``least``. ``salience`` is that of each record by now, by memory."""
    present, faded = list[Candidate](), list[Candidate]()
    for candidate in candidates:
        value = salience.get(candidate.chunk.memory, 1.0)
        if value >= least or candidate.chunk.kind not in FADING:
            present.append(candidate)
        else:
            step = Step("salience", value, f"faded: salience below {least:g}", Effect.IRRELEVANT)
            faded.append(candidate.noted(step))
    return present, faded


def may_be_pruned(record: Record, *, now: datetime, consolidated: bool) -> bool:
    """Say whether a record may go: of a fading kind, not pinned, ``consolidated``, and nothing left of it."""
    if record.pinned or not consolidated or record.kind not in FADING:
        return False
    return record.salience_by(now) < SPENT
