"""Record: something remembered that no file holds, as it was distilled from what was said and done; and its links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.kind import Kind
from hookclaw_py.model.level import EVERYBODYS, Level, Reach, Scope
from hookclaw_py.model.practice import Tried
from hookclaw_py.model.salience import ZERO, Salience


class RecordStatus(StrEnum):
    """What has become of a record. It decides what is recalled, whatever the salience."""

    ACTIVE = "active"
    CONTESTED = "contested"  # another one says otherwise, and nobody knows which is right
    SUPERSEDED = "superseded"  # a newer one took its place
    RETRACTED = "retracted"  # somebody took it back
    MERGED = "merged"  # it is part of another one
    ARCHIVED = "archived"  # it was put away

    @property
    def stands(self) -> bool:
        """Whether it can be recalled."""
        return self in (RecordStatus.ACTIVE, RecordStatus.CONTESTED)


class Relation(StrEnum):
    """What one record is to another."""

    SUPERSEDES = "supersedes"
    DERIVED_FROM = "derived_from"
    CONTESTED_BY = "contested_by"
    RELATES_TO = "relates_to"
    CONTRADICTS = "contradicts"
    EXEMPLIFIES = "exemplifies"
    REFINES = "refines"
    SOURCE_OF = "source_of"


class Link(NamedTuple):
    """That ``source`` is ``relation`` to ``target``, both ids of records; ``relation`` may also be a word of an agent's own.

    ``strength`` in [0, 1] is how much they have to do with each other, ``by`` who says so, "" nobody but what was done to them.
    """

    source: str
    relation: Relation | str
    target: str
    strength: float = 1.0
    by: str = ""

    @property
    def triple(self) -> tuple[str, str, str]:
        """What there is one of."""
        return self.source, str(self.relation), self.target


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record as it is now. Times are aware.

    ``about`` is the key that records on one thing share. ``body`` is what is searched and injected, below ``title``, which is
    "" where the body says it all. ``at`` is when it was last said, ``first_at`` when first. ``fields`` are the kind's own, JSON.
    """

    id: str
    kind: Kind
    about: str
    title: str
    body: str
    said_by: Speaker
    confidence: float
    salience: Salience
    level: Level
    scope: Scope = EVERYBODYS
    status: RecordStatus = RecordStatus.ACTIVE
    pinned: bool = False
    first_at: datetime
    at: datetime
    session: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reach(self) -> Reach:
        """Who may see it."""
        return Reach(self.level, self.scope)

    @property
    def unfinished(self) -> bool:
        """Whether there is something left to do: work that is not done, or next steps."""
        state = self.fields.get("state")
        return (isinstance(state, str) and state not in ("", "done")) or bool(self.listed("next_steps"))

    def listed(self, name: str) -> Sequence[Any]:
        """Return the list that a field holds; what is no list is none."""
        value = self.fields.get(name)
        return value if isinstance(value, (list, tuple)) else ()

    def counted(self, name: str) -> float:
        """Return the number, at least 0, that a field holds; what is none counts 0."""
        value = self.fields.get(name)
        return max(value, 0) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0

    @property
    def tried(self) -> Tried:
        """How often a skill or a plan was carried out, and how that went."""
        times = self.counted("calls") or self.counted("executions")
        return Tried(times, self.counted("wins"), self.at if times else None)

    @property
    def half_life(self) -> timedelta:
        """How long it takes until it is half as present: its kind's; what is pinned does not fade."""
        return ZERO if self.pinned else self.kind.half_life

    def salience_by(self, now: datetime, *, floor: float = 0.0) -> float:
        """Return its salience at a moment."""
        return self.salience.by(now, half_life=self.half_life, floor=floor)


class RecordAction(StrEnum):
    """What was done to a record."""

    BEGUN = "begun"
    CONFIRMED = "confirmed"  # another session said so, too
    EDITED = "edited"  # it says more, or the same in other words
    COUNTED = "counted"  # it was done again: how often is no line of its history
    SUPERSEDED = "superseded"  # what was said later took its place
    CONTESTED = "contested"
    RETRACTED = "retracted"
    FORKED = "forked"  # another one that comes from it stands beside it
    MERGED = "merged"
    REINFORCED = "reinforced"
    PENALIZED = "penalized"
    LINKED = "linked"
    UNLINKED = "unlinked"
    ARCHIVED = "archived"  # put away: it is there, and told no more


class RecordChange(NamedTuple):
    """What becomes of one record: as it is to be, what was done, and why; ``evidence`` are ids of happenings."""

    record: Record
    action: RecordAction
    why: str
    evidence: Sequence[str] = ()
    links: Sequence[Link] = ()


class Entry(NamedTuple):
    """One line of a record's history, which is never altered: what was done to it, by whom, why, and what it said then."""

    at: datetime
    actor: str
    action: RecordAction
    why: str
    title: str
    body: str
    evidence: tuple[str, ...]
