"""Captured sessions as memory: the turns of what hosts reported live, cut into the chunks that a transcript would give.

A session may go on for months and its raw happenings are kept for days: so its turns are a document for each day, called
by the moment it begins at. Once what it was made of is gone it stays as it is; what is said later begins another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from hookclaw_py import text as words
from hookclaw_py.ingest.conversation import CONVERSATION_VERSION, chunk_turns, without_echoes
from hookclaw_py.ingest.corrected import without_withdrawn
from hookclaw_py.ingest.echoes import Known
from hookclaw_py.ingest.overlap import moments_of
from hookclaw_py.ingest.spoken import Turn
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.types import Chunk
from hookclaw_py.speech.unsaying import asks_to_forget
from hookclaw_py.text import TOKENIZER_VERSION


class ToolWork(NamedTuple):
    """What the tools of a run brought to light: the terms of what was read on the web, and lines that say what went wrong."""

    looked_up: frozenset[str] = frozenset()
    met: tuple[str, ...] = ()


IDLE = ToolWork()
NOTHING: Mapping[str, ToolWork] = MappingProxyType({})
_TELLING, _REPEATED = 4, 0.7
"""Words of an answer, and the share of them that a page has, from which it only repeats that."""


class Day(NamedTuple):
    """What was said in a session on one day: the document's path, its chunks, and the ids of the happenings it tells of.

    ``before`` are the paths of documents that told a part of it, before something earlier of that day was heard of.
    """

    path: str
    chunks: Sequence[Chunk]
    told: frozenset[str]
    before: Sequence[str] = ()


def days_of(
    told: Iterable[Happening],
    *,
    agent: str,
    zone: tzinfo,
    known: Known,
    work: Mapping[str, ToolWork] = NOTHING,
) -> Iterator[Day]:
    """Yield the days of one session's happenings, in their order; what only repeats what is ``known`` is left out.

    ``work`` is what the tools did, by run.
    """
    kinds = HappeningKind.PROMPT, HappeningKind.ANSWER
    said = _without_orders([one for one in told if one.kind in kinds and "text" in one.payload])
    for _, own in groupby(said, key=lambda one: one.at.astimezone(zone).date()):
        of_day = list(own)
        path, *before = dict.fromkeys(path_of(one.session, one.at.astimezone(zone), agent=agent) for one in of_day)
        for one in (path, *before):
            known.forget(one)
        known.forget_copies(moments_of(of_day))
        turns = without_echoes(without_withdrawn(turns_of(of_day, work)), known, path=path)
        chunks = chunk_turns(turns, path=path, title="", zone=zone)
        yield Day(path, chunks, frozenset(one.id for one in of_day), before)


def _without_orders(said: Sequence[Happening]) -> list[Happening]:
    """Leave out the runs in which a person only asked that what they said be forgotten, which would tell of it."""
    prompts = [one for one in said if one.kind is HappeningKind.PROMPT]
    orders = [one for one in prompts if asks_to_forget(str(one.payload["text"]))]
    ids, runs = {one.id for one in orders}, {one.run for one in orders if one.run}
    return [one for one in said if one.id not in ids and one.run not in runs]


def path_of(session: str, begins: datetime, *, agent: str) -> str:
    """Return where what was said from then on stands."""
    own = session.removeprefix(f"agent:{agent}:").replace("/", "_") or "main"
    return f"sessions/{agent}/{own}/{begins:%Y-%m-%d %H:%M:%S}"


def day_in(path: str) -> str:
    """Return what the paths of a session's documents of one day begin with."""
    return path.rpartition(" ")[0]


def recipe(zone: tzinfo) -> str:
    """Return how the chunks of a captured session are made."""
    return f"{SESSION.name} captured {CONVERSATION_VERSION}, tokenizer {TOKENIZER_VERSION}, zone {zone}"


def turns_of(told: Sequence[Happening], work: Mapping[str, ToolWork] = NOTHING) -> list[Turn]:
    """Return the turns: a prompt and what was answered in its run; ``lines`` count the prompts of the document.

    ``work`` is what the tools did, by run. What went wrong is of the turn in which it did and of the next, which often mends it.
    """
    answers: Mapping[str, list[str]] = {one.run: [] for one in told}
    for one in told:
        if one.kind is HappeningKind.ANSWER:
            answers[one.run].append(str(one.payload["text"]))
    turns, before = [], IDLE
    prompts = [one for one in told if one.kind is HappeningKind.PROMPT]
    for number, prompt in enumerate(prompts, start=1):
        answer = "\n\n".join(dict.fromkeys(answers[prompt.run]))
        said = (("user", str(prompt.payload["text"])), *((("assistant", answer),) if answer else ()))
        own = work.get(prompt.run, IDLE)
        met = "\n".join(dict.fromkeys((*before.met, *own.met)))
        turns.append(Turn(said, prompt.at, (number, number), repeats=_repeats(answer, own.looked_up), met=met))
        before = own
    return turns


def _repeats(answer: str, page: frozenset[str]) -> bool:
    """Say whether an answer says little that a page did not say."""
    telling = words.terms(answer).distinct - words.asking() if page else frozenset[str]()
    return len(telling) >= _TELLING and len(telling & page) >= _REPEATED * len(telling)
