"""Consolidating a session: what was said becomes memory as it was said, what was distilled of it becomes records.

It may be done again and again with the same happenings: what was made of them once is not made twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from functools import partial
from typing import Protocol

from hookclaw_py import text
from hookclaw_py.consolidate.consolidator import consolidate
from hookclaw_py.consolidate.set_right import set_right
from hookclaw_py.consolidate.topics import WORDED, outdated, with_what_it_ends
from hookclaw_py.consolidate.unsaying import take_back_last, unsay
from hookclaw_py.consolidate.writing import Writable, write
from hookclaw_py.distil import distil
from hookclaw_py.distil.calls import Action, call_of
from hookclaw_py.distil.skills import carried_out, skills
from hookclaw_py.distil.telling import what_went_wrong
from hookclaw_py.ingest import captured
from hookclaw_py.ingest.echoes import Known
from hookclaw_py.model.draft import Draft
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.model.kind import EPISODE, PLAN
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.ports import Decisions, Notes
from hookclaw_py.store.sessions import Happenings, Records

_COMPARED = 2_000  # records with which what is newly said is compared: those that were said last
_PRACTISED = 500  # episodes from which it is seen what is done again and again, and how well: those that were last
ACTOR = "hookclaw"
"""Who did it, in a record's history, where nobody told us to."""


Afterwards = Callable[[Sequence[Happening], frozenset[str], Sequence[Draft]], None]
"""Hears of a session, the ids of what is new in it, and the drafts that rules made of it, in the same transaction."""


class Grown(Notes, Happenings, Records, Decisions, Protocol):
    """What consolidation needs of a store."""


class Consolidation:
    """Makes memories of the happenings of one agent's sessions."""

    def __init__(
        self,
        store: Grown,
        *,
        agent: str,
        zone: tzinfo,
        clock: Callable[[], datetime],
        unwrap: Callable[[str], str] = str,
        afterwards: Afterwards = lambda *_: None,
    ) -> None:
        """Work on ``store``; ``unwrap`` takes off a prompt what its host wraps around it, ``afterwards`` hears what was made."""
        self._afterwards = afterwards
        self._store, self._agent, self._zone, self._clock, self._unwrap = store, agent, zone, clock, unwrap

    def __call__(self, news: Sequence[Happening]) -> None:
        """Take in what happened in one session; what happened there before is known.

        Raises:
            StoreError: if the store cannot be read or written.
        """
        if not news:
            return
        told = sorted(self._store.happenings(news[0].session), key=lambda one: one.at)  # some may be heard of later
        names = frozenset(one.id for one in news)
        self._keep_turns(told, lambda day: bool(names & day.told))
        take_back_last(self._store, told, names, zone=self._zone)
        self._keep_records(told, names)
        orders = [one for one in told if one.id in names and one.kind is HappeningKind.PROMPT]
        unsay(self._store, orders, zone=self._zone, actor=ACTOR)

    def bring_back(self, session: str) -> None:
        """Write down again the days of a session whose words are kept, and of which nothing stands any more.

        Raises:
            StoreError: if the store cannot be read or written.
        """
        told = sorted(self._store.happenings(session), key=lambda one: one.at)
        there = {captured.day_in(path) for path in self._store.files()}
        with self._store.together():
            self._keep_turns(told, lambda day: captured.day_in(day.path) not in there)

    def _keep_turns(self, told: Sequence[Happening], is_wanted: Callable[[captured.Day], bool]) -> None:
        """Write down the days that are wanted."""
        files = self._store.files().keys()
        known = Known(self._said, partial(self._shown, told[0].session)) if told else Known()
        told_since = self._store.set_right()
        work = _work(told)
        for day in captured.days_of(told, agent=self._agent, zone=self._zone, known=known, work=work):
            if is_wanted(day):
                for path in files & set(day.before):
                    self._store.forget_file(path)
                chunks = set_right(day.chunks, told_since, zone=self._zone)
                digest = " ".join(chunk.id for chunk in chunks)
                self._store.replace_file(
                    day.path, chunks=chunks, digest=digest, recipe=captured.recipe(self._zone), size=len(digest)
                )

    def _said(self) -> list[Chunk]:
        """Return what the store says, but for what was distilled of it."""
        return [chunk for chunk in self._store.all_chunks() if chunk.kind.searched]

    def _shown(self, session: str) -> list[tuple[str, Sequence[str]]]:
        """Return the prompts of a session that were given memories, with the ids of these."""
        told = self._store.decisions(session=session)
        return [(self._unwrap(one.prompt), one.shown) for one in told if one.shown]

    def _keep_records(self, told: Sequence[Happening], news: frozenset[str]) -> None:
        """Make records of what is distilled from the session, where anything of it is new."""
        drafts = distil(told)
        fresh = [draft for draft in drafts if news & set(draft.evidence)]
        self._keep(draft for draft in fresh if draft.kind is not PLAN)
        runs = [draft for draft in fresh if draft.kind is EPISODE]
        if runs:
            done = self._store.records(kinds=[EPISODE], standing=True, newest=_PRACTISED)[::-1]
            self._keep(carried_out(draft, done) for draft in fresh if draft.kind is PLAN)
            self._keep(skill for run in runs for skill in skills(done, of=run))
        self._afterwards(told, news, drafts)

    def _keep(self, drafts: Iterable[Draft]) -> None:
        for draft in drafts:
            keep_draft(self._store, draft, zone=self._zone, at=self._clock(), actor=ACTOR)


def keep_draft(store: Writable, draft: Draft, *, zone: tzinfo, at: datetime, actor: str) -> None:
    """Make of a draft what it is beside the records that are there: a new one, another wording, a confirmation, or nothing.

    Raises:
        StoreError: if the store cannot be read or written.
    """
    there = store.records(kinds=[draft.kind], about=draft.key)
    changes = consolidate(draft, there)
    if changes and draft.kind in WORDED:
        standing = store.records(kinds=WORDED, standing=True, newest=_COMPARED)
        gone = outdated(changes, draft, standing)
        if draft.ends and not gone:
            return
        changes = [*with_what_it_ends(changes, gone), *gone]
    write(store, changes, zone=zone, at=at, actor=actor)


def _work(told: Sequence[Happening]) -> Mapping[str, captured.ToolWork]:
    """Return what the tools brought to light, by run."""
    found: dict[str, captured.ToolWork] = {}
    for one in told:
        if one.kind is HappeningKind.TOOL_CALL:
            call, before = call_of(one), found.get(one.run, captured.IDLE)
            if call.action is Action.LOOK_UP:
                found[one.run] = before._replace(looked_up=before.looked_up | text.terms(call.output).distinct)
            elif call.action is Action.RUN and (wrong := what_went_wrong(call)):
                found[one.run] = before._replace(met=(*before.met, wrong))
    return found
