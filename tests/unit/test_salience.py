"""Salience fades by half-lives from one value at one moment, however often it is read, and comes back with use."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py.model.kind import RECORDS
from hookclaw_py.model.salience import Salience
from hookclaw_py.stages.decay import decay
from tests.conftest import NOW, candidate
from tests.unit.records import record

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
MONTH = timedelta(hours=720)


def left(value: float, age: timedelta, half_life: timedelta) -> float:
    return Salience(value, NOW - age).by(NOW, half_life=half_life)


@pytest.mark.parametrize(
    ("value", "age", "half_life", "expected"),
    [
        (1.0, 7 * DAY, MONTH, 0.850667),
        (1.0, 30 * DAY, MONTH, 0.5),
        (1.0, 90 * DAY, MONTH, 0.125),
        (0.8, 45 * DAY, MONTH, 0.282843),
        (1.0, 6 * HOUR, 24 * HOUR, 0.840896),
        (1.0, 36 * HOUR, 24 * HOUR, 0.353553),
        (1.0, 24 * HOUR, 168 * HOUR, 0.905724),
    ],
)
def test_salience_fades_by_half_lives(value, age, half_life, expected):
    """M17, M18, vector 15."""
    assert left(value, age, half_life) == pytest.approx(expected, abs=1e-6)


def test_reading_it_every_hour_takes_nothing_of_it():
    """M17, defect 1, vector 16: the original, swept hourly, had .489993 after 38 h."""
    salience = Salience(1.0, NOW)
    read = [salience.by(NOW + hour * HOUR, half_life=MONTH) for hour in range(39)]
    assert read[38] == pytest.approx(0.964078, abs=1e-6)
    assert salience == Salience(1.0, NOW)
    assert left(1.0, 52.1 * DAY, MONTH) > 0.3 > left(1.0, 52.2 * DAY, MONTH)


def test_reinforcing_adds_the_gain_and_begins_the_age_anew():
    """M19, defect 1, vector 17: the original added 0, for nobody set the gain."""
    more = Salience(0.5, NOW).reinforced(NOW, 0.1, half_life=MONTH)
    assert more.value == pytest.approx(0.6)
    assert more.by(NOW + 30 * DAY, half_life=MONTH) == pytest.approx(0.3)
    assert Salience(0.95, NOW).reinforced(NOW, 0.1, half_life=MONTH).value == 1.0


def test_what_has_faded_is_reinforced_from_where_it_is():
    """M19: the gain comes on top of what is left, not of what once was."""
    faded = Salience(1.0, NOW - 90 * DAY).reinforced(NOW, 0.1, half_life=MONTH)
    assert faded == Salience(pytest.approx(0.225), NOW)


def test_penalising_takes_away_and_never_goes_below_the_floor():
    """M19, vector 17."""

    def penalised(value: float, floor: float = 0.0) -> float:
        return Salience(value, NOW).penalised(NOW, 0.1, half_life=MONTH, floor=floor).value

    assert penalised(0.5) == pytest.approx(0.4)
    assert penalised(0.05) == 0.0
    assert penalised(0.25, floor=0.2) == 0.2


def test_a_moment_before_its_own_counts_as_age_zero():
    """M17, vector 17: a clock that was set back, or a report that came late."""
    assert left(0.5, -3 * DAY, MONTH) == 0.5
    late = Salience(0.5, NOW).reinforced(NOW - DAY, 0.1, half_life=MONTH)
    assert late == Salience(pytest.approx(0.6), NOW)


@pytest.mark.parametrize(("threshold", "half_lives"), [(0.3, 1.736966), (0.1, 3.321928), (0.001, 9.965784)])
def test_how_many_half_lives_it_takes_to_fade(threshold, half_lives):
    """M18, M21, defect 2, vector 18: working is below .001 after 9.97 days, an episode after 69.8."""
    for half_life in (24 * HOUR, 168 * HOUR):
        assert left(1.0, half_lives * half_life * 0.99999, half_life) > threshold
        assert left(1.0, half_lives * half_life * 1.00001, half_life) < threshold
    assert left(1.0, 9.97 * DAY, 24 * HOUR) == pytest.approx(0.001, abs=5e-6)
    assert left(1.0, 69.8 * DAY, 168 * HOUR) == pytest.approx(0.001, abs=5e-6)


def test_a_pinned_record_does_not_fade_and_each_kind_has_its_half_life():
    """M18, M20, vector 17."""
    hours = {kind.name: kind.half_life / HOUR for kind in RECORDS}
    assert hours.pop("working") == 24
    assert hours.pop("episode") == hours.pop("observation") == 168
    assert set(hours.values()) == {720}
    later = NOW + 168 * HOUR
    assert record("episode").salience_by(later) == 0.5
    assert record("fact").salience_by(later) == pytest.approx(0.850667, abs=1e-6)
    assert record("episode", pinned=True).salience_by(later) == 1.0
    assert record("a kind of tomorrow").salience_by(later) == 1.0
    assert record("working").salience_by(NOW + 1000 * DAY, floor=0.2) == 0.2


@given(st.floats(0, 1), st.floats(0, 9000), st.floats(0, 9000))
def test_a_stop_on_the_way_changes_nothing(value, first, second):
    """M17, defect 1: fading has no memory, so that writing down what is left is as good as having read it."""
    start = Salience(value, datetime(2026, 1, 1, tzinfo=UTC))
    stop, end = start.at + first * HOUR, start.at + (first + second) * HOUR
    stopped = start.reinforced(stop, 0.0, half_life=MONTH)
    assert stopped.by(end, half_life=MONTH) == pytest.approx(start.by(end, half_life=MONTH), abs=1e-9)


@pytest.mark.parametrize(("salience", "factor"), [(1.0, 1.0), (0.5, 0.95), (0.1, 0.91), (0.0, 0.9)])
def test_salience_is_to_a_record_what_age_is_to_a_note(salience, factor):
    """M17: a bounded prior, and the age of the record's chunk counts no second time."""
    old = candidate("a fact", score=0.8, created_at=NOW - 1000 * DAY)
    (told,) = decay([old], now=NOW, half_life=7 * DAY, floor=0.9, salience={old.chunk.memory: salience})
    assert told.score == pytest.approx(0.8 * factor)
    assert told.history[-1].note == f"salience {salience:.2f}"


def test_notes_beside_a_record_age_as_before():
    """M17: one stage for both."""
    fact, note = candidate("a fact", score=0.8), candidate("a note", score=0.8, created_at=NOW - 7 * DAY)
    aged = decay([note, fact], now=NOW, half_life=7 * DAY, floor=0.9, salience={fact.chunk.memory: 0.9})
    assert [(c.chunk.text, pytest.approx(c.score)) for c in aged] == [("a fact", 0.8 * 0.99), ("a note", 0.8 * 0.95)]
