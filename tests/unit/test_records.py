"""A record says what it is, what became of it, and whether there is something left to do."""

from __future__ import annotations

import pytest

from hookclaw_py.model.level import Level, Reach
from hookclaw_py.model.record import RecordStatus
from tests.unit.records import record


def test_status_decides_what_can_be_recalled_not_salience():
    """M25, defect 18: what was retracted came back when no minimum was asked."""
    assert {status for status in RecordStatus if status.stands} == {RecordStatus.ACTIVE, RecordStatus.CONTESTED}


@pytest.mark.parametrize(
    ("fields", "unfinished"),
    [
        ({"state": "executing"}, True),
        ({"state": "blocked"}, True),
        ({"state": "done"}, False),
        ({"next_steps": ["Run pytest again"]}, True),
        ({"next_steps": []}, False),
        ({"state": "", "next_steps": "not a list"}, False),
        ({}, False),
    ],
)
def test_work_is_unfinished_until_it_is_done_and_while_there_is_a_next_step(fields, unfinished):
    """M5, C11."""
    assert record("working", fields=fields).unfinished is unfinished


@pytest.mark.parametrize(("value", "counted"), [(3, 3), (2.5, 2.5), (-1, 0), (True, 0), ("3", 0), (None, 0)])
def test_what_is_no_number_counts_nothing(value, counted):
    """M4, M6: a record from elsewhere may hold anything."""
    assert record("skill", fields={"wins": value}).counted("wins") == counted


def test_level_and_scope_are_its_reach():
    """M27."""
    assert record(level=Level.HIGH, scope="s1").reach == Reach(Level.HIGH, "s1")
