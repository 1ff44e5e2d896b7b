"""Enrichment: what a prompt asks for, with what it leaves out: terms, entities, period, and the turns before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import cache

from hookclaw_py import text
from hookclaw_py.calibration.constants import Constants
from hookclaw_py.calibration.weights import Calibration
from hookclaw_py.config import Config
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Entity, Period, Prompt, Query
from hookclaw_py.search.ports import Embedder, Indexes, Vocabulary
from hookclaw_py.speech.tasks import asked_for
from hookclaw_py.stages import calibrate, entities, followup, gate, periods, spelling, wording
from hookclaw_py.store.recalled import Recalled
from hookclaw_py.temporal.mentions import days_of
from hookclaw_py.temporal.steps import stepped, steps, without_steps
from hookclaw_py.temporal.tense import asks_for_plans, asks_what_was_done
from hookclaw_py.trace import Trace

A_DAY = timedelta(hours=25)  # the longest there is
NO_NAMES: Set[str] = frozenset()
Names = Callable[[], Set[str]]


@dataclass(frozen=True, kw_only=True)
class EnrichmentStages:
    """What enrichment calls; see ``pipeline.Stages``."""

    context: Callable[..., str] = followup.left_out
    perhaps: Callable[..., str] = followup.perhaps_left_out
    politeness: Callable[..., str] = gate.without_politeness
    spelling: Callable[..., dict[str, str]] = spelling.meant
    entities: Callable[..., tuple[Entity, ...]] = entities.find_entities
    period: Callable[..., Period | None] = periods.find_period
    wording: Callable[..., Sequence[str]] = wording.counted


@dataclass
class Enrichment:
    """What a prompt is read with: the notes' names and words, the user's time zone."""

    config: Config
    store: Recalled
    indexes: Indexes
    embedder: Embedder | None
    zone: tzinfo
    calibration: Calibration
    stages: EnrichmentStages

    @property
    def constants(self) -> Constants:
        """What decides what is recalled beside the weights of the evidence."""
        return self.calibration.constants

    def names(self, trace: Trace) -> Names:
        """Return a function that reads the names of the notes: where they are needed, and only once."""
        return cache(lambda: trace.attempt("names", NO_NAMES, self.store.names))

    def context(self, asked: str, prompt: Prompt, names: Names, *, perhaps: bool = False) -> str:
        """Return what the turns before say of what this prompt leaves out, or ``perhaps`` does; "" when it is complete."""
        if not prompt.recent:
            return ""
        named = self.stages.entities(asked, names=names())
        left_out = self.stages.perhaps if perhaps else self.stages.context
        return left_out(asked, prompt.recent, entities=named, constants=self.constants.follow_ups)

    def enrich(
        self, asked: str, received_at: datetime, trace: Trace, *, context: str = "", names: Names | None = None
    ) -> Query:
        """Read terms, entities and the period out of the prompt, as it is without greeting and thanks.

        What it leaves out is searched as well: the terms of its ``context``, and what that names if it names nothing.
        """
        attempt, stages = trace.attempt, self.stages
        asked = attempt("politeness", asked, stages.politeness, asked)
        known = (names or self.names(trace))()
        read_as = attempt("spelling", {}, self._read_as, asked, known)
        asked = spelling.corrected(asked, read_as)
        now = received_at.astimezone(self.zone)
        found = attempt("entities", (), stages.entities, asked, names=known)
        if context and not found:
            found = attempt("entities", (), stages.entities, context, names=known)
        period = None
        if self.config.enable_temporal_parsing:
            period = attempt("period", None, stages.period, asked, now=now)
        if period and attempt("period", False, periods.sets_the_scene, period, asked, now=now):
            period = None
        before, onward = None, steps(asked)
        if context and onward and self.config.enable_temporal_parsing:
            onward, context = [*steps(context), *onward], without_steps(context)
            before = attempt("period", None, stages.period, context, now=now)
        if before:
            period, context = stepped(before, onward), _only_of_what(context, before)
        terms = attempt("terms", [], text.terms_asked, asked)
        topic, days = terms, tuple[str, ...]()
        if period:
            found = tuple(entity for entity in found if entity.kind == "day" or entity.text not in period.phrase)
            terms, topic = _around(period, asked, terms)
        tasks, period = ("", period) if context else attempt("tasks", ("", period), self._tasks, asked, period, now)
        if tasks:
            terms = topic = [tasks]
        if period:
            of_what = (topic and not tasks) or (before and text.terms(context))
            if not of_what or any(map(str.isdigit, period.phrase)):  # "what shall I cook tonight" asks for no plans
                days = attempt("days", (), days_of, period)
        carried = [term for term in attempt("terms", [], text.terms_asked, context) if term not in terms]
        topic = [*topic, *carried]
        return Query(
            asked,
            now,
            Terms((*terms, *(day for day in days if day not in terms), *carried)),
            Terms(attempt("wording", topic, stages.wording, topic, (asked, context), self._held)),
            found,
            period,
            read_as=tuple(read_as.items()),
            context=context,
            carried=Terms(carried),
            days=frozenset(days),
        )

    def _read_as(self, asked: str, names: Set[str]) -> dict[str, str]:
        """Read misspelt words as what the notes have, if there is somebody to tell which words are spelt right."""
        lexical = self.indexes.lexical
        if lexical is None or not isinstance(self.embedder, Vocabulary):
            return {}
        notes = spelling.NoteWords(self._held, lexical.beginning, names)
        return self.stages.spelling(asked, notes, is_word=self.embedder.knows, constants=self.constants.spelling)

    def _tasks(self, asked: str, period: Period | None, now: datetime) -> tuple[str, Period | None]:
        """Return the term of the tasks that are asked for, if the notes have any such, else "", and of which time: today those of any are to be done."""
        state = asked_for(periods.without(asked, period.phrase) if period else asked)
        if not state or not self._held([state]):
            return "", period
        today = period and period.start <= now < period.end <= period.start + A_DAY
        return state, None if today else period

    def _held(self, terms: Collection[str]) -> Collection[str]:
        """Return those of these index terms that a chunk holds; all of them if there is nobody to tell."""
        lexical = self.indexes.lexical
        return calibrate.known_terms(lexical.idf(list(terms)), store_size=self.indexes.size) if lexical else terms


def _only_of_what(context: str, period: Period) -> str:
    """Return what was said before without its time; "" where it asked for nothing but that."""
    rest = periods.without(context, period.phrase)
    return "" if asks_for_plans(rest) or asks_what_was_done(rest) or not text.terms_asked(rest) else rest


def _around(period: Period, asked: str, terms: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the terms of a prompt that names a period, and those of its topic: what says when is none."""
    named, dated = {*text.terms(period.phrase), *text.asking()}, text.terms(periods.written(period.phrase))
    rest = periods.without(asked, period.phrase)
    only_when = asks_for_plans(rest) or asks_what_was_done(rest)
    topic = [] if only_when else [term for term in terms if term not in named]
    if not dated:  # "yesterday" stands in no note, and "妈昨" of "妈妈昨天" is no word
        besides = frozenset(text.terms(rest))
        topic = [term for term in topic if term in besides]
    return [term for term in terms if term in topic or term in dated], topic
