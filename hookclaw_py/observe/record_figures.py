"""Figures of what grew by itself: how much there is, how present and how sure, and whether it is of use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from hookclaw_py.model.kind import PLAN, SKILL
from hookclaw_py.model.record import Record, RecordAction, RecordStatus

BUCKETS = 5
NEW = timedelta(hours=24)
REVISIONS = (RecordAction.EDITED, RecordAction.SUPERSEDED, RecordAction.FORKED, RecordAction.MERGED)
"""What in the audit changes what is known."""


class Figures(NamedTuple):
    """Counts and shares of one agent's records; a mean or share of nothing is 0.

    ``by_kind``, ``pinned``, the means and ``salience_buckets``, from 0 to 1 in fifths, are of what can be recalled. Of all
    records ``by_status`` counts, by kind, what has become of them, ``growth`` is the share first told of in the last day. ``usefulness`` is used / shown, ``skill_success`` the mean rate
    of skills that were tried, ``plan_reuse`` the mean number of times that a plan was carried out, ``revision_rate`` the
    share of revisions among what was done to records.
    """

    total: int
    active: int
    pinned: int
    by_kind: Mapping[str, int]
    by_status: Mapping[str, Mapping[str, int]]
    audit_lines: int
    mean_salience: float
    mean_confidence: float
    salience_buckets: tuple[int, ...]
    growth: float
    usefulness: float
    skill_success: float
    plan_reuse: float
    revision_rate: float


def figures(
    records: Iterable[tuple[Record, float]], *, now: datetime, audit: Mapping[str, int], shown: int, used: int
) -> Figures:
    """Return the figures of records with their salience by now. ``audit`` counts its lines by what was done."""
    every = list(records)
    standing = [(record, salience) for record, salience in every if record.status.stands]
    lines = sum(audit.values())
    tried = [record for record, _ in standing if record.kind == SKILL and record.counted("calls")]
    revisions = sum(audit.get(action, 0) for action in REVISIONS)
    return Figures(
        total=len(every),
        active=sum(record.status is RecordStatus.ACTIVE for record, _ in standing),
        pinned=sum(record.pinned for record, _ in standing),
        by_kind=dict(sorted(Counter(record.kind.name for record, _ in standing).items())),
        by_status=_statuses(every),
        audit_lines=lines,
        mean_salience=_mean([salience for _, salience in standing]),
        mean_confidence=_mean([record.confidence for record, _ in standing]),
        salience_buckets=buckets(salience for _, salience in standing),
        growth=_share(sum(now - record.first_at < NEW for record, _ in every), len(every)),
        usefulness=_share(used, shown),
        skill_success=_mean([min(record.counted("wins") / record.counted("calls"), 1.0) for record in tried]),
        plan_reuse=_mean([record.counted("executions") for record, _ in standing if record.kind == PLAN]),
        revision_rate=_share(revisions, lines),
    )


def _statuses(every: Iterable[tuple[Record, float]]) -> dict[str, dict[str, int]]:
    counts = Counter((record.kind.name, str(record.status)) for record, _ in every)
    found: dict[str, dict[str, int]] = {}
    for (kind, status), count in sorted(counts.items()):
        found.setdefault(kind, {})[status] = count
    return found


def buckets(saliences: Iterable[float]) -> tuple[int, ...]:
    """Count saliences by fifths, each from its lower bound on; 1 is in the last."""
    counted = Counter(min(int(salience * BUCKETS), BUCKETS - 1) for salience in saliences)
    return tuple(counted[number] for number in range(BUCKETS))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _mean(values: Sequence[float]) -> float:
    return _share(sum(values), len(values))
