"""Session start: what a session is told before anything is asked, of what grew out of earlier ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hookclaw_py.build import Parts, user_zone
from hookclaw_py.distil.decisions import is_only_at_its_time
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.kind import DECISION, FACT, PREFERENCE, WORKING
from hookclaw_py.model.record import Record
from hookclaw_py.model.types import Period
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.speech.dated import is_over
from hookclaw_py.stages.briefing import NO_BRIEFING, Briefing, brief, left_of
from hookclaw_py.stages.periods import find_period
from hookclaw_py.stages.visibility import viewer_of
from hookclaw_py.store.sessions import Records
from hookclaw_py.temporal.mentions import days_named

KEPT = timedelta(days=14)
"""For so long a step that a person named is told, unless it is done: who wants to call the notary wants it next week as well.

One that names its day is told until then, however early it was said.
"""
_SOON = timedelta(days=183)
"""How far away a month is at most that a step means: what "broke in august" is of the last one."""
RECENT = 2000
"""Records that are looked through, those that were said last, beside what is pinned: a session does not wait for years of them."""


def briefing(parts: Parts, session: str, *, audience: Audience, at: datetime | None = None) -> Briefing:
    """Choose and write what a session is told; nothing where that is switched off, paused or only a shadow.

    ``at``: as if it began then; what was said later stays out.

    Raises:
        StoreError: if the store cannot be read.
    """
    wanted, now = parts.config.session_start, at or datetime.now(UTC)
    if not wanted.enabled or parts.config.shadow or parts.switches.paused(now):
        return NO_BRIEFING
    viewer, now = viewer_of(audience, session), now.astimezone(user_zone(parts.config))
    recent = [one for one in parts.store.records(standing=True, newest=RECENT) if at is None or one.at <= at]
    pinned = filter(None, (parts.store.record(memory) for memory, mark in parts.store.marks().items() if mark == "pin"))
    every = {record.id: record for record in (*recent, *pinned)}
    over = _over(parts.store, now)
    told = [one for one in every.values() if viewer.sees(one.reach) and (one.pinned or not _is_past(one, now))]
    seen = [(left_of(one, over), one.salience_by(now)) for one in told]
    written = brief(
        seen,
        max_records=wanted.max_records,
        max_chars=wanted.max_chars,
        least_salience=wanted.min_salience,
        least_confidence=wanted.min_confidence,
        session=session,
        steps_since=now - KEPT,
        to_come=frozenset(one.id for one in told if _is_to_come(one, now)),
    )
    return written if audience is Audience.OWNER and parts.config.secrets == "owner" else _without_secrets(written)


def _over(store: Records, now: datetime) -> frozenset[str]:
    """Return the steps that are done or whose time is over, and the choices that ended, as they were said."""
    steps = store.records(kinds=[WORKING], newest=RECENT)
    over = {step.body for step in steps if not (step.status.stands and step.unfinished) or _is_past(step, now)}
    choices = store.records(kinds=[DECISION, PREFERENCE], newest=RECENT)
    standing = {choice.body for choice in choices if choice.status.stands and not _is_past(choice, now)}
    return frozenset(over | {choice.body for choice in choices if choice.body not in standing}) - standing


def _is_to_come(step: Record, now: datetime) -> bool:
    """Say whether a step names a day that is not over, or a month: "renew the insurance before December 31", "in january"."""
    if step.kind != WORKING or not step.unfinished:
        return False
    said_at = step.at.astimezone(now.tzinfo)
    if any(day >= f"{now:%Y-%m-%d}" for day in days_named(step.body, written=said_at)):
        return True
    period = find_period(step.body, now=said_at)
    return period is not None and now < _ahead(period, said_at) <= said_at + _SOON


def _ahead(period: Period, said_at: datetime) -> datetime:
    """Return when a time ends that was meant to come: a bare month is read as the last one, and the next one was meant."""
    is_month = period.end > period.start + timedelta(days=27) and period.end < period.start + timedelta(days=32)
    over = is_month and period.end <= said_at
    return period.end.replace(year=period.end.year + 1) if over else period.end


def _is_past(record: Record, now: datetime) -> bool:
    """Say whether a step was only not to be forgotten at its time, and that is over: "don't forget the parents' evening tomorrow".

    A decision or a fact is past that says only on which day something is, which is over: "the meet moved to 17 October".
    """
    if record.kind in (DECISION, FACT):
        return is_over(record.body, written=record.at.astimezone(now.tzinfo), now=now)
    if not (record.kind == WORKING and record.unfinished and is_only_at_its_time(record.body)):
        return False
    period = find_period(record.body, now=record.at.astimezone(now.tzinfo))
    if period is None:
        return False
    week = timedelta(days=7)  # a bare day of the week is read as the last one, and the next one was meant
    end = period.end if period.end > record.at else period.end + week
    return record.at < end <= now


def _without_secrets(told: Briefing) -> Briefing:
    """Return the same as it may be told: what was captured has none, but a person may write a record as well."""
    records = (replace(one.record, title=redact(one.record.title), body=redact(one.record.body)) for one in told.told)
    return Briefing(
        redact(told.text), tuple(one._replace(record=record) for one, record in zip(told.told, records, strict=True))
    )
