"""What a person says of something is outdated by what they say of it later, whatever record it was made into and however worded.

The key of a record says what it is about in the words of its sentence; people seldom use the same twice. So what a person newly says
is compared with all that stands of what they said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log

from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.kind import DECISION, FACT, PREFERENCE, WORKING
from hookclaw_py.model.record import Link, Record, RecordAction, RecordChange, RecordStatus, Relation
from hookclaw_py.speech.restating import Restating, may_restate, restates, statement

WORDED = (FACT, DECISION, PREFERENCE, WORKING)
"""Kinds of records that are a person's sentences."""
_STANDING = (DECISION, PREFERENCE)  # hold on when they were done once


def outdated(changes: Sequence[RecordChange], draft: Draft, standing: Sequence[Record]) -> list[RecordChange]:
    """Return what becomes of the records in ``standing`` that the draft, which ``changes`` has just been made of, outdates.

    Only a person's words outdate, and only a person's; what is pinned stays, and so does what was said later.
    """
    new = next((change.record for change in changes if change.record.status is RecordStatus.ACTIVE), None)
    if new is None or draft.said_by is not Speaker.PERSON or draft.kind not in WORDED or draft.fields.get("denied"):
        return []
    said = statement(draft.body)
    rivals = [
        record for record in standing if _may_go(record, new, draft) and may_restate(said, statement(record.body))
    ]
    rarity = rarity_in(standing) if rivals else {}
    reasons = ((record, restates(said, statement(record.body), rarity)) for record in rivals)
    return [
        _gone(record, new, draft, why)
        for record, why in reasons
        if why and not (why is Restating.DONE and record.kind in _STANDING)
    ]


def rarity_in(records: Sequence[Record]) -> Mapping[str, float]:
    """Return how rare the terms of records are among them, in [0, 1]."""
    counts = Counter(term for record in records for term in statement(record.body).terms)
    many = len(records) + 1
    return {term: log(many / count) / log(many) for term, count in counts.items()} if records else {}


def _may_go(record: Record, new: Record, draft: Draft) -> bool:
    said_before = record.at < draft.at and record.session != draft.session
    return said_before and record.id != new.id and record.said_by is Speaker.PERSON and not record.pinned


def _gone(record: Record, new: Record, draft: Draft, why: str) -> RecordChange:
    return RecordChange(
        replace(record, status=RecordStatus.SUPERSEDED),
        RecordAction.SUPERSEDED,
        why,
        draft.evidence,
        [Link(new.id, Relation.SUPERSEDES, record.id)],
    )
