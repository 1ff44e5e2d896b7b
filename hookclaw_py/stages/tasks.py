"""Tasks: who asks what is still open is told what is due soonest, then what was written last, and no turn of which all is done by now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import islice
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.model.types import Candidate, Chunk, Effect, Query, best_first
from hookclaw_py.regex import regex
from hookclaw_py.speech.finishing import is_done
from hookclaw_py.speech.listing import head_of, must_of, steps_in
from hookclaw_py.speech.news import LINES
from hookclaw_py.speech.sentences import Sentence, sentences
from hookclaw_py.speech.speakers import parts_of
from hookclaw_py.speech.tasks import states, task_in, with_headings
from hookclaw_py.temporal.mentions import days_named

_DAY = regex(r"\d{4}-\d\d-\d\d")
_OVERDUE, _SOON = timedelta(days=14), timedelta(days=21)
_AMONG = 16  # candidates that may be told; what lies deeper hardly is
_SOUGHT = 24  # tasks that are looked for in later notes: a search each, of a millisecond or two
_LATER = 0.01  # of a score: by so much each passage stands behind the one before it


def soonest(chunks: Sequence[Chunk], now: datetime) -> list[Chunk]:
    """Return passages with tasks in the order in which they matter: what is due these weeks by its day, then the latest; undated ones last."""
    return sorted(chunks, key=lambda chunk: (*_urgency(chunk, now.date()), chunk.id))


def by_urgency(candidates: Sequence[Candidate], query: Query) -> list[Candidate]:
    """Return what was found for a prompt that asks for tasks and nothing else: what has such, in that order, before the rest.

    What is less than half as relevant as the best has none, or is not of the time that is asked for.
    """
    best = max((c.relevance for c in candidates), default=0.0)
    having = [c.chunk for c in candidates if c.relevance > best / 2]
    scores = {chunk.id: best - _LATER * place for place, chunk in enumerate(soonest(having, query.asked_at))}
    return best_first([c.rescored("rank", max(0.0, scores.get(c.chunk.id, 0.0))) for c in candidates])


def still_to_do(
    candidates: Sequence[Candidate],
    query: Query,
    *,
    beside: Callable[[list[str], Collection[str]], Iterable[Chunk]],
) -> tuple[list[Candidate], list[Candidate]]:
    """Part what is still to do from what the person has said since, or ticked off in a later note, that all of it is done; of others what is done goes.

    What is later is looked for among the ``candidates``, and in what is found ``beside`` each of them.
    """
    candidates, over = _not_ticked_off(candidates, query, beside)
    kept = list[Candidate]()
    said = [c.chunk for c in candidates if c.chunk.is_said]
    for one in candidates:
        tasks = list(_tasks(one.chunk)) if one.chunk.is_said and len(over) + len(kept) < _AMONG else []
        sought = sorted({term for task in tasks for term in text.terms(task.said)})
        found = [*said, *beside(sought, {chunk.id for chunk in said})] if tasks else []
        since = [later.said for chunk in found if _is_since(chunk, one.chunk, query) for later in _own(chunk)]
        left = [task.left([s for s in task.steps if any(is_done(later, s) for later in since)]) for task in tasks]
        if tasks and not any(left):
            over.append(one.rescored("tasks", one.score, "all of it is done by now", Effect.OUTDATED))
        else:
            kept.append(one._replace(chunk=_without(one.chunk, tasks, left)))
    return kept, over


def _not_ticked_off(
    candidates: Sequence[Candidate], query: Query, beside: Callable[[list[str], Collection[str]], Iterable[Chunk]]
) -> tuple[list[Candidate], list[Candidate]]:
    """Part the notes with what is still to do from those of which all is ticked off in later ones; of others these lines go.

    Who carries what is open over from day to day ticks it off where it stands last.
    """
    held, noted = {c.chunk.id: c.chunk for c in candidates}, {c.chunk.id: _marked(c.chunk) for c in candidates[:_AMONG]}
    sought = dict.fromkeys(terms for tasks in noted.values() for terms in tasks.values())
    found = {chunk.id: chunk for terms in islice(sought, _SOUGHT) for chunk in beside(sorted(terms), held.keys())}
    ticked = _ticked_off([*held.values(), *found.values()], query)
    kept, over = list[Candidate](), list[Candidate]()
    for one in candidates:
        tasks, written = noted.get(one.chunk.id, {}), one.chunk.created_at
        gone = {line for line, terms in tasks.items() if written and terms in ticked and ticked[terms] > written}
        if gone and len(gone) == len(tasks):
            over.append(one.rescored("tasks", one.score, "all of it is ticked off in later notes", Effect.OUTDATED))
            continue
        left = "\n".join(line for line in one.chunk.text.split("\n") if line not in gone)
        kept.append(one._replace(chunk=replace(one.chunk, text=left)) if gone else one)
    return kept, over


def _marked(chunk: Chunk) -> dict[str, frozenset[str]]:
    """Return the lines of a dated note that are marked as still to do, with the terms of what is."""
    lines = [] if chunk.kind.speakers or chunk.created_at is None else chunk.text.split("\n")
    return {line: terms for line in lines if (terms := task_in(line, done=False))}


def _ticked_off(chunks: Iterable[Chunk], query: Query) -> dict[frozenset[str], datetime]:
    """Return the terms of what is ticked off in notes, with the day of the last that does so."""
    last = dict[frozenset[str], datetime]()
    for chunk in chunks:
        written = chunk.created_at
        if written is None or chunk.kind.speakers or written.date() > query.asked_at.date():
            continue
        for terms in filter(None, (task_in(line, done=True) for line in chunk.text.split("\n"))):
            last[terms] = max(written, last.get(terms, written))
    return last


class _Task(NamedTuple):
    """A sentence that says what is still to do: what it begins with, and each step of it."""

    said: str
    head: str
    steps: list[str]

    def left(self, done: Collection[str]) -> str:
        """Return the sentence without the steps that are done, "" without any."""
        rest = [step.removeprefix(self.head) for step in self.steps if step not in done]
        return self.said if not done else f"{self.head}{', '.join(rest)}" if rest else ""


def _without(chunk: Chunk, tasks: Sequence[_Task], left: Sequence[str]) -> Chunk:
    """Return a turn with what is left of its tasks, without the lines of which nothing is."""
    lines = chunk.text.split("\n")
    for task, rest in zip(tasks, left, strict=True):
        lines = [line.replace(task.said, rest).rstrip() for line in lines]
    names = {f"{speaker}:" for speaker in chunk.kind.speakers}
    told = "\n".join(line for line in lines if line not in names)
    return chunk if told == chunk.text else replace(chunk, text=told)


def _is_since(chunk: Chunk, before: Chunk, query: Query) -> bool:
    """Say whether a turn was said after another one, and before it was asked; what is no turn was not."""
    if chunk.created_at is None or before.created_at is None or not chunk.kind.speakers:
        return False
    return before.created_at < chunk.created_at <= query.asked_at


def _own(chunk: Chunk) -> Iterator[Sentence]:
    """Yield the sentences of the person in a turn."""
    for who, words in parts_of(chunk.text, chunk.kind.speakers):
        if who == chunk.kind.speakers[0]:
            yield from sentences(words)


def _tasks(chunk: Chunk) -> Iterator[_Task]:
    """Yield what the person says in a turn that is still to do."""
    for sentence in _own(chunk):
        if not sentence.asks and any(states(sentence.said)):
            head = head_of(sentence.bare) or must_of(sentence.bare)
            yield _Task(sentence.said, head, [f"{head}{step}" for step in steps_in(sentence.bare[len(head) :], head)])


def _urgency(chunk: Chunk, today: date) -> tuple[int, int]:
    written = chunk.created_at.date() if chunk.created_at else None
    lines = [line for line in LINES.split(with_headings(chunk.heading, chunk.text)) if any(states(line))]
    named = [day for line in lines for day in days_named(line, written=chunk.created_at) if _DAY.fullmatch(day)]
    due = [day for day in map(date.fromisoformat, named) if today - _OVERDUE <= day <= today + _SOON]
    if due:
        return 0, min(due).toordinal()
    return (1, -written.toordinal()) if written else (2, 0)
