"""Gathered: a pool as its features look at it: what each chunk holds of the prompt, and whether it is of the time that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property, lru_cache

from hookclaw_py.calibration.constants import Constants
from hookclaw_py.calibration.defining import terms_of
from hookclaw_py.calibration.findings import Findings
from hookclaw_py.model.types import Candidate, Chunk, Period, Query, covered_by
from hookclaw_py.temporal.mentions import days_named
from hookclaw_py.temporal.tense import looks_ahead


@dataclass(frozen=True)
class Gathered:
    """A pool, the prompt, what the search found out, and what several features need of that."""

    candidates: Sequence[Candidate]
    query: Query
    found: Findings
    zone: tzinfo
    constants: Constants

    @cached_property
    def chunks(self) -> list[Chunk]:
        """The pool's chunks."""
        return [c.chunk for c in self.candidates]

    @cached_property
    def ids(self) -> list[str]:
        """The ids of the pool's chunks."""
        return [chunk.id for chunk in self.chunks]

    @cached_property
    def terms(self) -> list[frozenset[str]]:
        """The terms of each chunk."""
        return [chunk.terms.distinct for chunk in self.chunks]

    @cached_property
    def total(self) -> float:
        """The idf of all that is asked."""
        return sum(self.found.asked.values()) or 1.0

    @cached_property
    def held(self) -> list[list[str]]:
        """The asked terms that each chunk holds."""
        return [[term for term in self.found.asked if term in own] for own in self.terms]

    @cached_property
    def masses(self) -> list[float]:
        """The idf of the asked terms that each chunk holds."""
        asked = self.found.asked
        return [sum([asked[term] for term in terms]) for terms in self.held]

    @cached_property
    def inside(self) -> list[bool | None]:
        """Whether each chunk is from the time that the prompt speaks of, None where it has no time; and has tasks, where only these are asked for."""
        if not self.query.only_tasks:
            return self._in_time
        each = zip(self.held, self._in_time, strict=True)
        return [bool(tasks) and (self.query.period is None or bool(there)) for tasks, there in each]

    @cached_property
    def _in_time(self) -> list[bool | None]:
        query, period = self.query, self.query.period
        if period is None:
            return [None] * len(self.chunks)
        told = any(character.isdigit() for character in period.phrase) and not query.days
        named = frozenset(query.terms) - frozenset(query.topic) - query.days if told else frozenset[str]()
        if named == {str(period.start.year)}:  # of "Christmas Eve 2025": a year is no day
            named = frozenset()
        each = zip(self.chunks, self.naming, strict=True)
        return [True if self.is_from(chunk, period) else _names(chunk, held, named, query.days) for chunk, held in each]

    @cached_property
    def plans(self) -> bool:
        """Whether the prompt asks for what is planned and names nothing but a time: what was said at that time is no plan for it."""
        return self.query.only_a_time and looks_ahead(self.query.text)

    @cached_property
    def naming(self) -> list[Set[str]]:
        """The terms by which each chunk names a time: of a turn, where plans are asked for, not when it was said."""
        return [_said(chunk) if self.plans and chunk.kind.speakers else chunk.terms.distinct for chunk in self.chunks]

    def is_from(self, chunk: Chunk, period: Period) -> bool:
        """Say whether a chunk is from the period that the prompt speaks of."""
        return not (self.plans and chunk.kind.speakers) and _is_from(chunk, period, self.query.days, self.zone)

    @cached_property
    def coverage(self) -> list[float]:
        """The share of the prompt's idf that each chunk's terms hold."""
        if self.query.lists:
            return [float(own is True) for own in self.inside]
        return [mass / self.total for mass in self.masses]

    def best(self, scores: Mapping[str, float]) -> float:
        """Return the best of some scores in this pool, 0 without any."""
        return max((scores[i] for i in self.ids if i in scores), default=0.0)

    def behind(self, scores: Mapping[str, float]) -> list[float]:
        """Return how far each chunk is behind the best of the pool; what has no score is not."""
        best = self.best(scores)
        return [scores.get(i, best) - best for i in self.ids]


def _is_from(chunk: Chunk, period: Period, days: frozenset[str], zone: tzinfo) -> bool:
    """Say whether a chunk is from the period, or from one of the days: "4 December" may be the last or the next."""
    if chunk.created_at is None:
        return False
    time = _time_of(chunk.created_at, zone)
    return time.overlaps(period) or f"{time.start.astimezone(zone):%Y-%m-%d}" in days


def _names(chunk: Chunk, held: Set[str], named: frozenset[str], days: frozenset[str]) -> bool | None:
    """Say whether terms that a chunk holds are those ``named`` of a date, or one of its ``days``; None when the chunk has no time either."""
    if (named and named.issubset(held)) or not days.isdisjoint(held):
        return True
    return None if chunk.created_at is None else False


def _said(chunk: Chunk) -> Set[str]:
    """Return the terms of a turn and the days that it names, without those of its heading: "Conversation of 2026-03-02"."""
    return {*chunk.terms.distinct - terms_of(chunk.heading), *days_named(chunk.text, written=chunk.created_at)}


_time_of = lru_cache(maxsize=4096)(covered_by)  # the notes of a day have one date
