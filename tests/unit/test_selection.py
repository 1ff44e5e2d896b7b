"""Of several skills the one that has proved itself comes first, and how clear that is is told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hookclaw_py.stages.selection import Track, choose, prefer_proven, track_of
from tests.conftest import NOW, candidate
from tests.unit.records import record

MONTH = timedelta(days=30)
A, B = Track(0.8, 12, 14, NOW), Track(0.6, 0, 0, NOW - MONTH)


def test_the_merit_of_two_skills():
    """M39, M40, vector 27."""
    choice = choose({"b": B, "a": A}, now=NOW)
    assert choice.order == (("a", pytest.approx(0.885714, abs=1e-6)), ("b", pytest.approx(0.533333, abs=1e-6)))
    assert choice.certainty == pytest.approx(0.397849, abs=1e-6)
    assert choice.needs_more


def test_one_alone_is_as_certain_as_it_is_good_and_none_is_not():
    """M40, vector 27."""
    alone = choose({"a": A}, now=NOW)
    assert alone.certainty == pytest.approx(0.885714, abs=1e-6)
    assert not alone.needs_more
    assert choose({}, now=NOW).certainty == 0.0
    assert choose({}, now=NOW).needs_more
    nothing = Track(0.0, 0, 1, NOW - 9999 * MONTH)
    assert choose({"a": nothing, "b": nothing}, now=NOW).order[0][0] == "a"


def test_what_nothing_is_known_of_counts_half():
    """M39: no success rate, never used."""
    assert Track(0.5, 0, 0, None).merit(NOW) == pytest.approx(0.5)


def test_the_cosine_counts_where_there_is_one_else_the_confidence():
    """M39; a record from elsewhere may claim more wins than calls."""
    skill = record("skill", "skill:docker", confidence=0.7, fields={"wins": 20, "calls": 14})
    assert track_of(skill) == Track(0.7, 14, 14, NOW)
    assert (track_of(skill, 0.3).fit, track_of(skill, -0.2).fit) == (0.3, 0.0)
    assert track_of(record("skill")).used_at is None


def test_skills_take_each_others_places_and_nobody_elses():
    """M39, defect 3: selected skills stood first whatever was asked."""
    note, weak, fact, strong = (candidate(word) for word in ("a note", "weak", "a fact", "strong"))
    choice = choose({weak.chunk.memory: B, strong.chunk.memory: A}, now=NOW)
    ordered = prefer_proven([note, weak, fact, strong], choice)
    assert [c.chunk.text for c in ordered] == ["a note", "strong", "a fact", "weak"]
    assert ordered[1].history[-1].note == "certainty 0.40: more would have to be known"
    assert ordered[0] == note
