"""From a draft to what changes: which record begins, is confirmed, gets another wording, is contested or ends.

Pure: the records that are there come in, changes go out, and the store writes them. The same drafts in the same order
give the same records, ids included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hookclaw_py.consolidate.facts import Stance, Standing, confirmed, corroborates, decide, same_object
from hookclaw_py.distil.terms import folded
from hookclaw_py.model.draft import Draft
from hookclaw_py.model.ids import id_made_of
from hookclaw_py.model.kind import DECISION, EPISODE, FACT, OBSERVATION, PLAN, PRACTISED, PREFERENCE, SKILL
from hookclaw_py.model.level import Level
from hookclaw_py.model.record import Link, Record, RecordAction, RecordChange, RecordStatus, Relation
from hookclaw_py.model.salience import Salience

GAIN = 0.1  # of salience, for each confirmation, and each time that it went well
LOSS = 0.1  # of salience, each time that it failed
SAID = frozenset({FACT, DECISION, PREFERENCE})
"""Kinds that are somebody's words: another session that says the same confirms them."""

ONE_THING = frozenset({OBSERVATION, EPISODE, SKILL, PLAN})
"""Kinds that are of one thing that was done: whatever more is known of it, it is the same."""
GONE = (RecordStatus.RETRACTED, RecordStatus.MERGED)


def consolidate(draft: Draft, there: Sequence[Record]) -> list[RecordChange]:
    """Say what a draft changes. ``there`` are all records of its kind about the same, whatever their status."""
    living = [record for record in there if record.status.stands]
    if any(record.status in GONE and says_the_same(record, draft) for record in there):
        return []  # it was taken back for good, or another one says it
    if draft.kind is FACT:
        return _applied(draft, decide(draft, living), living, number=len(there))
    same = next((record for record in living if record.body == draft.body or draft.kind not in SAID), None)
    if same is None:
        return [_begun(draft, len(there), "new")]
    if draft.kind in PRACTISED:
        return _practised(same, draft)
    if same.body != draft.body:
        return [_reworded(same, draft, RecordAction.EDITED, "more is known")]
    if draft.kind in SAID and same.session != draft.session and corroborates(draft, same):
        return [
            _strengthened(same, draft, confirmed(same.confidence, draft.confidence), "said again in another session")
        ]
    return []


def says_the_same(record: Record, draft: Draft) -> bool:
    """Say whether a record says what a draft does, both about the same, however it is written."""
    if draft.kind in ONE_THING or folded(record.body) == folded(draft.body):
        return True
    return draft.kind is FACT and same_object(draft, record)


def _applied(draft: Draft, decision: Standing, living: Sequence[Record], *, number: int) -> list[RecordChange]:
    rival, why = decision.rival, decision.why
    match decision.stance, rival:
        case Stance.NEW, _:
            return [_begun(draft, number, "new")]
        case Stance.CONFIRMED, Record():
            return [_strengthened(rival, draft, decision.confidence, why)]
        case Stance.UPHELD, Record():
            upheld = replace(rival, status=RecordStatus.ACTIVE)
            return [_strengthened(upheld, draft, decision.confidence, why), *_giving_way(rival, living, why)]
        case Stance.SUPERSEDES, Record():
            return [_reworded(rival, draft, RecordAction.SUPERSEDED, why), *_giving_way(rival, living, why)]
        case Stance.EARLIER, Record():
            begun = _begun(draft, number, why)
            ended = replace(begun.record, status=RecordStatus.SUPERSEDED)
            return [begun._replace(record=ended, links=[Link(rival.id, Relation.SUPERSEDES, ended.id)])]
        case Stance.CONTESTS, Record():
            begun = _begun(draft, number, why)
            ours, theirs = (replace(record, status=RecordStatus.CONTESTED) for record in (begun.record, rival))
            links = [Link(ours.id, Relation.CONTESTED_BY, theirs.id), Link(theirs.id, Relation.CONTESTED_BY, ours.id)]
            return [
                begun._replace(record=ours, links=links),
                RecordChange(theirs, RecordAction.CONTESTED, why, draft.evidence),
            ]
        case Stance.DENIES, Record():
            return [
                RecordChange(replace(rival, status=RecordStatus.CONTESTED), RecordAction.CONTESTED, why, draft.evidence)
            ]
        case Stance.RETRACTS, Record():
            return [
                RecordChange(replace(rival, status=RecordStatus.RETRACTED), RecordAction.RETRACTED, why, draft.evidence)
            ]
    return []


def _practised(record: Record, draft: Draft) -> list[RecordChange]:
    """Let what is done again count in place: success makes it more present, failure less. Only a new way to fail is told."""
    known = _counts(record.fields)
    if _counts(draft.fields) == known:
        return [] if record.body == draft.body else [_reworded(record, draft, RecordAction.EDITED, "more is known")]
    now = replace(
        record,
        body=record.body if draft.kind is PLAN else draft.body,  # a plan is told as it was first asked for
        fields=draft.fields,
        session=draft.session,
        salience=_with_practice(record.salience, known, draft),
        at=max(record.at, draft.at),
    )
    if draft.fields.get("failures", {}).keys() <= record.fields.get("failures", {}).keys():
        return [RecordChange(now, RecordAction.COUNTED, "done again", draft.evidence)]
    return [RecordChange(now, RecordAction.EDITED, "fails in a new way", draft.evidence)]


def _counts(fields: Mapping[str, Any]) -> tuple[int, int]:
    """Return (wins, failures) of a skill or a plan."""
    wins = int(fields.get("wins", 0))
    return wins, max(0, int(fields.get("calls", fields.get("executions", 0))) - wins)


def _with_practice(salience: Salience, known: tuple[int, int], draft: Draft) -> Salience:
    wins, failures = (max(0, now - then) for now, then in zip(_counts(draft.fields), known, strict=True))
    better = salience.reinforced(draft.at, GAIN * wins, half_life=draft.kind.half_life)
    return better.penalised(draft.at, LOSS * failures, half_life=draft.kind.half_life)


def _begun(draft: Draft, number: int, why: str) -> RecordChange:
    record = Record(
        id=_name(draft, number),
        kind=draft.kind,
        about=draft.key,
        title=draft.title,
        body=draft.body,
        said_by=draft.said_by,
        confidence=draft.confidence,
        salience=_with_practice(Salience(1.0, draft.at), (0, 0), draft),
        level=Level.MEDIUM,
        first_at=draft.at,
        at=draft.at,
        session=draft.session,
        fields=draft.fields,
    )
    return RecordChange(record, RecordAction.BEGUN, why, draft.evidence)


def _name(draft: Draft, number: int) -> str:
    """Return the id of the ``number``-th record about something: the same drafts give the same."""
    return id_made_of(draft.kind.name, draft.key, str(number), draft.session, draft.body)


def _reworded(record: Record, draft: Draft, action: RecordAction, why: str) -> RecordChange:
    now = replace(
        record,
        title=draft.title,
        body=draft.body,
        fields=draft.fields,
        said_by=draft.said_by,
        confidence=draft.confidence,
        session=draft.session,
        status=RecordStatus.ACTIVE,
        salience=Salience(1.0, max(record.salience.at, draft.at)),
        at=max(record.at, draft.at),
    )
    return RecordChange(now, action, why, draft.evidence)


def _strengthened(record: Record, draft: Draft, confidence: float, why: str) -> RecordChange:
    now = replace(
        record,
        confidence=confidence,
        session=draft.session,
        salience=record.salience.reinforced(draft.at, GAIN, half_life=record.half_life),
        at=max(record.at, draft.at),
    )
    return RecordChange(now, RecordAction.CONFIRMED, why, draft.evidence)


def _giving_way(winner: Record, living: Sequence[Record], why: str) -> list[RecordChange]:
    """Let the contested rivals of a record that has won end."""
    if winner.status is not RecordStatus.CONTESTED:
        return []
    rivals = [record for record in living if record.id != winner.id and record.status is RecordStatus.CONTESTED]
    return [
        RecordChange(
            replace(rival, status=RecordStatus.SUPERSEDED),
            RecordAction.SUPERSEDED,
            why,
            links=[Link(winner.id, Relation.SUPERSEDES, rival.id)],
        )
        for rival in rivals
    ]
