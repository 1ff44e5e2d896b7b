"""Records are listed by what they are: kind, status, salience, level, date and tags, alone and together."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hookclaw_py.model.level import Level
from hookclaw_py.model.record import RecordStatus
from hookclaw_py.stages.wanted import Wanted
from tests.conftest import NOW
from tests.unit.records import record

FACT = record("fact", level=Level.MEDIUM, fields={"tags": ["deploy", "docker"]})


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ({}, True),
        ({"kinds": {"fact", "skill"}}, True),
        ({"kinds": {"skill"}}, False),
        ({"kinds": frozenset()}, False),
        ({"least_salience": 0.5}, True),
        ({"least_salience": 0.51}, False),
        ({"highest": Level.MEDIUM}, True),
        ({"highest": Level.LOW}, False),
        ({"since": NOW}, True),
        ({"since": NOW + timedelta(seconds=1)}, False),
        ({"tags": {"docker", "deploy"}}, True),
        ({"tags": {"docker", "node"}}, False),
        ({"statuses": {RecordStatus.ACTIVE}}, True),
        ({"statuses": frozenset()}, False),
        ({"kinds": {"fact"}, "least_salience": 0.6}, False),
    ],
)
def test_what_is_asked_for_decides_what_is_listed(wanted, fits):
    """M38, defect 22: an empty list of kinds meant all."""
    assert Wanted(**wanted).fits(FACT, 0.5) is fits


def test_what_was_taken_back_is_listed_only_when_it_is_asked_for():
    """M38, defect 18: it came back when no minimum was asked."""
    retracted = record(status=RecordStatus.RETRACTED)
    assert not Wanted().fits(retracted, 0.0)
    assert Wanted(statuses=frozenset({"retracted"})).fits(retracted, 0.0)
