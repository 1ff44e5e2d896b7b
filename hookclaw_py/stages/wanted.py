"""Wanted: which records somebody asked for, by what they are and not by what they say."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from hookclaw_py.model.level import Level
from hookclaw_py.model.record import Record


class Wanted(NamedTuple):
    """What is asked for; left out, it does not matter. Of ``kinds`` and ``statuses`` an empty set is none, not all.

    ``since`` is when it was last said, at the earliest; of ``tags`` a record has all.
    """

    kinds: frozenset[str] | None = None
    statuses: frozenset[str] | None = None
    least_salience: float = 0.0
    highest: Level = Level.CRITICAL
    since: datetime | None = None
    tags: frozenset[str] = frozenset()

    def fits(self, record: Record, salience: float) -> bool:
        """Say whether a record, of this ``salience`` by now, is asked for; without ``statuses`` it has to stand."""
        kind = self.kinds is None or record.kind.name in self.kinds
        status = record.status.stands if self.statuses is None else record.status in self.statuses
        recent = self.since is None or record.at >= self.since
        tagged = all(tag in record.listed("tags") for tag in self.tags)
        return (
            kind and status and recent and tagged and salience >= self.least_salience and record.level <= self.highest
        )
