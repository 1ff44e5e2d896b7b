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
from hookclaw_py.speech.deeds import is_still_to_do, names_all, shares_deed
from hookclaw_py.speech.ending import is_decided
from hookclaw_py.speech.finishing import each_done, is_done
from hookclaw_py.speech.giving_out import changed_for_another
from hookclaw_py.speech.listing import is_list
from hookclaw_py.speech.restating import Restating, may_restate, moves, restates, statement
from hookclaw_py.speech.taking_back import takes_back
from hookclaw_py.text import count_words

WORDED = (FACT, DECISION, PREFERENCE, WORKING)
"""Kinds of records that are a person's sentences."""
_STANDING = (DECISION, PREFERENCE)  # hold on when they were done once
_CHOSEN = (DECISION, PREFERENCE, WORKING)  # may be taken back; a fact is only set right
_FEWEST_WORDS = 5  # with fewer a decision hardly says of what it is


def outdated(changes: Sequence[RecordChange], draft: Draft, standing: Sequence[Record]) -> list[RecordChange]:
    """Return what becomes of the records in ``standing`` that the draft, which ``changes`` has just been made of, outdates.

    Only a person's words outdate, and only a person's; what is pinned stays, and so does what was said later.
    """
    new = next((change.record for change in changes if change.record.status is RecordStatus.ACTIVE), None)
    if new is None or draft.said_by is not Speaker.PERSON or draft.kind not in WORDED or draft.fields.get("denied"):
        return []
    earlier = [record for record in standing if _may_go(record, new, draft)]
    ended = {**_restated(draft, earlier, standing), **_ended(draft, earlier)}
    if not any(change.record is new and change.action is RecordAction.SUPERSEDED for change in changes):
        ended = {**_moved(draft, earlier), **ended}
    return [_gone(record, new, draft, ended[record.id]) for record in earlier if record.id in ended]


def with_what_it_ends(changes: Sequence[RecordChange], gone: Sequence[RecordChange]) -> list[RecordChange]:
    """Return the changes of a draft that ended records: the new one is as sure as what it takes the place of.

    What hardly says of what it speaks ("blue, not green") stands behind what it set right.
    """
    if not gone:
        return list(changes)
    return [
        change._replace(record=_taking_the_place(change.record, [ended.record for ended in gone]))
        if change.record.status is RecordStatus.ACTIVE
        else change
        for change in changes
    ]


def _taking_the_place(record: Record, gone: Sequence[Record]) -> Record:
    surest = max([record, *gone], key=lambda one: one.confidence)
    hardly_says = record.kind == DECISION and count_words(record.body) < _FEWEST_WORDS
    before = gone[0].body if gone[0].body.endswith("。") else f"{gone[0].body.rstrip('.')}. "
    return replace(record, confidence=surest.confidence, body=f"{before}{record.body}" if hardly_says else record.body)


def _moved(draft: Draft, earlier: Sequence[Record]) -> dict[str, str]:
    """Return why, by id, the record ends of which the draft tells another time of day; none where several may be meant."""
    said = statement(draft.body)
    moved = [record.id for record in earlier if moves(said, statement(record.body))]
    return dict.fromkeys(moved, Restating.MOVES) if len(moved) == 1 else {}


def _restated(draft: Draft, earlier: Sequence[Record], standing: Sequence[Record]) -> dict[str, str]:
    """Return why, by id, records end of which the draft says something newer; a step that is done is not among them: who did it counts."""
    said = statement(draft.body)
    rivals = [record for record in earlier if may_restate(said, statement(record.body))]
    rarity = rarity_in(standing) if rivals else {}
    reasons = {record.id: (record, restates(said, statement(record.body), rarity)) for record in rivals}
    return {
        id: why
        for id, (record, why) in reasons.items()
        if why and not (why is Restating.DONE and record.kind in (*_STANDING, WORKING))
    }


def _ended(draft: Draft, earlier: Sequence[Record]) -> dict[str, str]:
    """Return why, by id, records end that the draft takes back, does or decides, and says so."""
    steps = [record for record in earlier if record.kind == WORKING]
    ended = {record.id: "it is done" for said in each_done(draft.body) for record in _done(said, steps)}
    for record in earlier:
        if record.kind == WORKING and draft.kind == DECISION and is_decided(draft.body, record.body):
            ended[record.id] = "it is decided"
        elif (
            record.kind == WORKING
            and draft.kind == WORKING
            and not is_list(record.body)
            and is_still_to_do(draft.body, record.body)
        ):
            ended[record.id] = "it is still to be done"
        elif record.kind in _CHOSEN and takes_back(draft.body, record.body, at_once=record.session == draft.session):
            ended[record.id] = "it is taken back"
        elif changed_for_another(draft.body, record.body):
            ended[record.id] = "something else was taken"
    return ended


def _done(said: str, steps: Sequence[Record]) -> list[Record]:
    """Return which steps a statement says are done: those of which it names all, and one of which it does not, where only one may be meant."""
    done = [record for record in steps if is_done(said, record.body)]
    whole = [record for record in done if names_all(said, record.body)]
    meant = [record for record in done if shares_deed(said, record.body)] or ([] if whole else done)
    return [*whole, *(meant if len(meant) == 1 and not is_list(meant[0].body) else ())]


def rarity_in(records: Sequence[Record]) -> Mapping[str, float]:
    """Return how rare the terms of records are among them, in [0, 1]."""
    counts = Counter(term for record in records for term in statement(record.body).terms)
    many = len(records) + 1
    return {term: log(many / count) / log(many) for term, count in counts.items()} if records else {}


def _may_go(record: Record, new: Record, draft: Draft) -> bool:
    return record.at < draft.at and record.id != new.id and record.said_by is Speaker.PERSON and not record.pinned


def _gone(record: Record, new: Record, draft: Draft, why: str) -> RecordChange:
    return RecordChange(
        replace(record, status=RecordStatus.SUPERSEDED),
        RecordAction.SUPERSEDED,
        why,
        draft.evidence,
        [Link(new.id, Relation.SUPERSEDES, record.id)],
    )
