"""The figures of records say how much there is and whether it is of use; what nothing is known of is 0, no error."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hookclaw_py.model.record import RecordStatus
from hookclaw_py.observe.record_figures import Figures, buckets, figures
from tests.conftest import NOW
from tests.unit.records import record

NOTHING = {"audit": {}, "shown": 0, "used": 0}
OLD = NOW - timedelta(hours=24)


def counted(*records, **given) -> Figures:
    return figures([(one, one.salience.value) for one in records], now=NOW, **NOTHING | given)


@pytest.mark.parametrize(
    ("salience", "bucket"), [(0.0, 0), (0.19, 0), (0.2, 1), (0.4, 2), (0.6, 3), (0.79, 3), (0.8, 4), (1.0, 4)]
)
def test_salience_is_counted_in_fifths(salience, bucket):
    """M44, vector 29: .2 is in .2–.4, 1 in .8–1."""
    assert buckets([salience]) == tuple(int(number == bucket) for number in range(5))


def test_counts_and_means_are_of_what_can_be_recalled():
    """M44: by kind, active, pinned, mean salience and confidence, audit lines."""
    found = counted(
        record("fact", "a", 1.0, confidence=0.9),
        record("fact", "b", 0.5, confidence=0.5, status=RecordStatus.CONTESTED),
        record("skill", "c", 0.3, confidence=0.7, pinned=True),
        record("fact", "d", 0.0, confidence=0.1, status=RecordStatus.RETRACTED, pinned=True),
        audit={"create": 4, "reinforce": 2},
    )
    assert (found.total, found.active, found.pinned, found.audit_lines) == (4, 2, 1, 6)
    assert found.by_kind == {"fact": 2, "skill": 1}
    assert found.by_status == {"fact": {"active": 1, "contested": 1, "retracted": 1}, "skill": {"active": 1}}
    assert (found.mean_salience, found.mean_confidence) == (pytest.approx(0.6), pytest.approx(0.7))
    assert found.salience_buckets == (0, 1, 1, 0, 1)


def test_growth_is_what_was_first_told_of_in_the_last_day():
    """M45: < 24 h / all."""
    young = record("fact", "young", first_at=OLD + timedelta(seconds=1))
    assert counted(young, *(record("fact", f"old {n}", first_at=OLD) for n in range(3))).growth == 0.25


def test_usefulness_is_used_of_shown():
    """M45, defect 20: it was drowned by the audit lines of decay."""
    assert counted(record(), shown=8, used=2, audit={"decay": 10_000}).usefulness == 0.25


def test_skills_count_by_their_success_and_plans_by_their_use():
    """M45: a skill that nobody tried says nothing of the others."""
    tried = record("skill", "a", fields={"wins": 3, "calls": 4}), record("skill", "b", fields={"wins": 1, "calls": 4})
    plans = record("plan", "c", fields={"executions": 3}), record("plan", "d")
    found = counted(*tried, record("skill", "e"), *plans)
    assert (found.skill_success, found.plan_reuse) == (0.5, 1.5)


def test_the_revision_rate_is_the_share_of_revisions_in_the_audit():
    """M45."""
    assert counted(audit={"begun": 5, "superseded": 2, "forked": 1, "merged": 1, "reinforced": 7}).revision_rate == 0.25


def test_of_nothing_every_figure_is_zero():
    """M44, M45."""
    assert counted() == Figures(0, 0, 0, {}, {}, 0, 0.0, 0.0, (0,) * 5, 0.0, 0.0, 0.0, 0.0, 0.0)
