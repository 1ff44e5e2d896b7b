"""Tasks: who asks what is still open is told what is due soonest, then what was written last."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from hookclaw_py.model.types import Candidate, Chunk, Query, best_first
from hookclaw_py.regex import regex
from hookclaw_py.speech.news import LINES
from hookclaw_py.speech.tasks import states, with_headings
from hookclaw_py.temporal.mentions import days_named

_DAY = regex(r"\d{4}-\d\d-\d\d")
_OVERDUE, _SOON = timedelta(days=14), timedelta(days=21)
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


def _urgency(chunk: Chunk, today: date) -> tuple[int, int]:
    written = chunk.created_at.date() if chunk.created_at else None
    lines = [line for line in LINES.split(with_headings(chunk.heading, chunk.text)) if any(states(line))]
    named = [day for line in lines for day in days_named(line, written=chunk.created_at) if _DAY.fullmatch(day)]
    due = [day for day in map(date.fromisoformat, named) if today - _OVERDUE <= day <= today + _SOON]
    if due:
        return 0, min(due).toordinal()
    return (1, -written.toordinal()) if written else (2, 0)
