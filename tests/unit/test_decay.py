"""Decay is a true half-life whose effect is bounded; a period is a boost, not a filter."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from hookclaw_py.model.salience import half_life_decay
from hookclaw_py.model.types import Period, covered_by
from hookclaw_py.stages.decay import decay
from tests.conftest import NOW, candidate


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("date", "week", "one_day"),
    [
        ("2026-02-20", 0.951695, 0.707107),
        ("2026-02-19", 0.861973, 0.353553),
        ("2026-02-18", 0.780709, 0.176777),
        ("2026-02-13", 0.475848, 0.005524),
    ],
)
def test_decay_gives_the_reference_values(date, week, one_day):
    """keep: decay = score · 0.5^(age / half-life), a note's date at midnight UTC."""
    for half_life, expected in [(168, week), (24, one_day)]:
        (aged,) = decay(
            [candidate(score=1.0, created_at=day(date))], now=NOW, half_life=timedelta(hours=half_life), floor=0.0
        )
        assert aged.score == pytest.approx(expected, abs=1e-6)


def test_the_history_says_how_old_a_note_is():
    (aged,) = decay(
        [candidate(score=1.0, created_at=day("2026-02-18"))], now=NOW, half_life=timedelta(days=7), floor=0.0
    )
    assert aged.history[-1].note == f"{(NOW - day('2026-02-18')) / timedelta(days=1):.1f} days old"


def test_a_date_in_the_future_counts_as_age_zero():
    """keep: decay, future dates."""
    assert half_life_decay(timedelta(days=-3), half_life=timedelta(days=7)) == 1.0


def test_undated_chunks_and_a_half_life_of_zero_do_not_decay():
    """keep: no date = evergreen; halfLifeHours 0 = no decay."""
    old = day("2020-01-01")
    assert decay([candidate(score=0.7)], now=NOW, half_life=timedelta(hours=1), floor=0.0)[0].score == 0.7
    assert decay([candidate(score=0.7, created_at=old)], now=NOW, half_life=timedelta(0), floor=0.0)[0].score == 0.7


def test_age_orders_equals_and_never_buries_the_better_one():
    """Mend 1: one day of decay must not outweigh the whole fusion."""
    old, new = day("2025-02-20"), day("2026-02-20")
    week = timedelta(hours=168)
    equals = [candidate("old", score=0.8, created_at=old), candidate("new", score=0.8, created_at=new)]
    assert [c.chunk.text for c in decay(equals, now=NOW, half_life=week, floor=0.9)] == ["new", "old"]
    better = [candidate("old", score=0.9, created_at=old), candidate("new", score=0.8, created_at=new)]
    assert [c.chunk.text for c in decay(better, now=NOW, half_life=week, floor=0.9)] == ["old", "new"]


@pytest.mark.parametrize("zone", ["UTC", "America/Los_Angeles", "Asia/Tokyo"])
def test_a_day_note_covers_its_whole_day_in_the_users_zone(zone):
    """Mend 4: "last 2 hours" at 15:00 must not drop today's note."""
    local = ZoneInfo(zone)
    asked = datetime(2026, 2, 20, 15, 0, tzinfo=local)
    last_two_hours = Period(asked - timedelta(hours=2), asked)
    assert covered_by(day("2026-02-20"), local).overlaps(last_two_hours)
    assert not covered_by(day("2026-02-19"), local).overlaps(last_two_hours)


def test_an_exact_time_covers_only_itself():
    said = datetime(2026, 2, 20, 9, 30, tzinfo=UTC)
    morning = Period(day("2026-02-20"), said)
    assert not covered_by(said, ZoneInfo("UTC")).overlaps(morning)
    assert covered_by(said, ZoneInfo("UTC")).overlaps(Period(said, said + timedelta(hours=1)))
