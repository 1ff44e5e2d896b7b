"""Which of several skills: what fits, has worked and was used of late."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hookclaw_py.model.kind import NOTE, SKILL, Kind
from hookclaw_py.model.place import RecordPlace
from hookclaw_py.model.practice import Tried
from hookclaw_py.model.types import Candidate, Chunk, Query
from hookclaw_py.stages.selection import certainty, merit, select

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
OFTEN = Tried(times=14, wins=12, last=NOW)
LONG_AGO = Tried(last=NOW - timedelta(days=30))


def candidate(name: str, *, score: float, relevance: float, kind: Kind = SKILL) -> Candidate:
    return Candidate(Chunk(name, name, RecordPlace(f"record:skill/{name}", (1, 1)), kind=kind), score, relevance)


def test_vector_27():
    """M39, M40, vector 27."""
    merits = [merit(0.8, OFTEN, NOW), merit(0.6, LONG_AGO, NOW)]
    assert merits == pytest.approx([0.885714, 0.533333], abs=1e-6)
    assert certainty(merits) == pytest.approx(0.397849, abs=1e-6)
    assert certainty(merits[:1]) == merits[0]
    assert certainty([]) == 0


def test_of_the_skills_that_fit_what_has_worked_comes_first_and_nothing_else_moves():
    """M39, defect 3: selection orders skills among themselves, within their relevance."""
    given = [
        candidate("untried", score=0.9, relevance=0.8),
        candidate("note", score=0.8, relevance=0.7, kind=NOTE),
        candidate("proven", score=0.7, relevance=0.75),
    ]
    query = Query("deploy it", NOW, ("deploy",), ("deploy",))
    told = select(given, query, tried=lambda _: {"proven": OFTEN, "untried": LONG_AGO})
    assert [c.chunk.id for c in told] == ["proven", "note", "untried"]
    assert [c.score for c in told] == [0.9, 0.8, 0.7]
    assert [c.relevance for c in told] == [0.75, 0.7, 0.8]


def test_explain_tells_how_clear_the_choice_is():
    """M40: below .7 it is better to ask."""
    query = Query("deploy it", NOW, ("deploy",), ("deploy",))
    alone = select([candidate("a", score=0.9, relevance=0.8)], query, tried=lambda _: {"a": OFTEN})
    assert alone[0].history[-1].note == "went well 12 of 14 times: merit 0.89, certainty 0.89, the choice is clear"
    two = [candidate("a", score=0.9, relevance=0.8), candidate("b", score=0.8, relevance=0.6)]
    [first, second] = select(two, query, tried=lambda _: {"a": OFTEN, "b": LONG_AGO})
    assert "certainty 0.40, better ask which" in first.history[-1].note
    assert second.history[-1].note.startswith("never tried: merit 0.53")
