"""Revising on a person's word: what becomes of records that are taken back, put right, joined, parted or doubted.

Pure: records come in, changes go out, and the store writes all of them or none. Whoever asks says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from hookclaw_py.consolidate.facts import MOST
from hookclaw_py.distil.facts import facts
from hookclaw_py.distil.terms import fact_key
from hookclaw_py.errors import RevisionError
from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.ids import id_made_of
from hookclaw_py.model.kind import EPISODE, FACT
from hookclaw_py.model.level import inherited
from hookclaw_py.model.record import Link, Record, RecordAction, RecordChange, RecordStatus, Relation
from hookclaw_py.model.salience import Salience

_TRUST = (Speaker.PERSON, Speaker.TOOL, Speaker.ASSISTANT, Speaker.MODEL)
"""Whose word counts how much, the most first."""


def retract(record: Record, rivals: Sequence[Record], *, why: str, now: datetime) -> list[RecordChange]:
    """Take a record back, for good. Of the ``rivals`` that contested it, one that is left alone stands again.

    Raises:
        RevisionError: if it stands no more.
    """
    _standing(record)
    gone = replace(record, status=RecordStatus.RETRACTED, salience=Salience(0.0, now))
    return [RecordChange(gone, RecordAction.RETRACTED, why), *upheld(record, rivals, why)]


def supersede(record: Record, words: str, rivals: Sequence[Record], *, why: str, now: datetime) -> list[RecordChange]:
    """Let a record say something else from now on: a new wording of the same memory. Its contested ``rivals`` give way.

    Raises:
        RevisionError: if it stands no more, tells what happened, or there are no words.
    """
    _revisable(record)
    worded = _worded(record, words, now=now)
    changed = RecordChange(replace(worded, status=RecordStatus.ACTIVE), RecordAction.SUPERSEDED, why)
    return [changed, *(change for rival in _contesting(record, rivals) for change in _gives_way(rival, worded, why))]


def supersede_by(record: Record, newer: Record, *, why: str) -> list[RecordChange]:
    """Let one record take the place of another.

    Raises:
        RevisionError: if one of them stands no more, they are the same, or it tells what happened.
    """
    _revisable(record)
    _standing(newer)
    _distinct([record, newer])
    upheld = replace(newer, status=RecordStatus.ACTIVE)
    changed = RecordChange(upheld, RecordAction.CONFIRMED, why)
    return [*_gives_way(record, newer, why), *([changed] if upheld != newer else [])]


def fork(record: Record, words: str, *, why: str, now: datetime) -> list[RecordChange]:
    """Let another record, which comes from this one, stand beside it.

    Raises:
        RevisionError: if it stands no more, tells what happened, or there are no words.
    """
    _revisable(record)
    worded = replace(_worded(record, words, now=now), first_at=now, pinned=False, status=RecordStatus.ACTIVE)
    other = replace(worded, id=id_made_of("fork", record.id, worded.body))
    begun = RecordChange(other, RecordAction.FORKED, why, links=[Link(other.id, Relation.DERIVED_FROM, record.id)])
    return [begun, RecordChange(record, RecordAction.FORKED, why)]


def merge(records: Sequence[Record], words: str, *, why: str, now: datetime) -> list[RecordChange]:
    """Make one record of several of a kind, which end; without ``words`` it says what they said.

    What is derived is as private as the most private of them, and no more trusted than the least.

    Raises:
        RevisionError: if they are fewer than two or of several kinds, one stands no more or tells what happened.
    """
    _distinct(records)
    for record in records:
        _revisable(record)
    if len({record.kind.name for record in records}) > 1:
        raise RevisionError(
            f"{', '.join(_called(record) for record in records)} are of several kinds; merge those of one"
        )
    first, reach = records[0], inherited(record.reach for record in records)
    last = max(records, key=lambda record: (record.at, record.id))
    joined = words.strip() or "\n".join(dict.fromkeys(record.body for record in records))
    least = max((record.said_by for record in records), key=_TRUST.index)
    merged = replace(
        _worded(first, joined, now=now)
        if words.strip()
        else replace(first, title="", body=joined, said_by=least, at=last.at),
        id=id_made_of("merge", *(record.id for record in records), joined),
        status=RecordStatus.ACTIVE,
        pinned=False,
        confidence=max(record.confidence for record in records),
        salience=Salience(1.0, now),
        level=reach.level,
        scope=reach.scope,
        first_at=min(record.first_at for record in records),
        session=last.session,
    )
    links = [Link(merged.id, Relation.DERIVED_FROM, record.id) for record in records]
    ended = [RecordChange(replace(record, status=RecordStatus.MERGED), RecordAction.MERGED, why) for record in records]
    return [RecordChange(merged, RecordAction.MERGED, why, links=links), *ended]


def contest(record: Record, rival: Record | None, *, why: str) -> list[RecordChange]:
    """Say that a record may be wrong; of two that contradict each other both may be.

    Raises:
        RevisionError: if one stands no more, or they are the same.
    """
    _standing(record)
    doubted = RecordChange(replace(record, status=RecordStatus.CONTESTED), RecordAction.CONTESTED, why)
    if rival is None:
        return [doubted]
    _standing(rival)
    _distinct([record, rival])
    links = [Link(record.id, Relation.CONTESTED_BY, rival.id), Link(rival.id, Relation.CONTESTED_BY, record.id)]
    other = RecordChange(replace(rival, status=RecordStatus.CONTESTED), RecordAction.CONTESTED, why)
    return [doubted._replace(links=links), other]


def reinforce(record: Record, gain: float, *, why: str, now: datetime) -> list[RecordChange]:
    """Make a record more present, 1 at most, from now on.

    Raises:
        RevisionError: if it stands no more.
    """
    _standing(record)
    salience = record.salience.reinforced(now, gain, half_life=record.half_life)
    return [RecordChange(replace(record, salience=salience), RecordAction.REINFORCED, why)]


def penalize(record: Record, loss: float, *, why: str, now: datetime) -> list[RecordChange]:
    """Make a record less present, 0 at least, from now on.

    Raises:
        RevisionError: if it stands no more.
    """
    _standing(record)
    salience = record.salience.penalised(now, loss, half_life=record.half_life)
    return [RecordChange(replace(record, salience=salience), RecordAction.PENALIZED, why)]


def _standing(record: Record) -> None:
    if not record.status.stands:
        raise RevisionError(
            f"{_called(record)} is {record.status} already; `hookclaw records show {record.id}` tells why"
        )


def _revisable(record: Record) -> None:
    _standing(record)
    if record.kind == EPISODE:
        raise RevisionError(f"{_called(record)} tells what happened, which stays as it was; retract it, or forget it")


def _distinct(records: Sequence[Record]) -> None:
    if len({record.id for record in records}) < max(2, len(records)):
        raise RevisionError("give two records or more, each once")


def _called(record: Record) -> str:
    return f"{record.kind.name} {record.id}"


def _worded(record: Record, words: str, *, now: datetime) -> Record:
    """Return a record as a person puts it: sure, as nothing is that was only said in a conversation, and present."""
    said = " ".join(words.split())
    if not said:
        raise RevisionError("give the new words")
    return replace(
        record,
        title="",
        body=said,
        said_by=Speaker.PERSON,
        confidence=max(record.confidence, MOST),
        salience=Salience(1.0, max(now, record.salience.at)),
        at=max(now, record.at),
        fields=_fields(record, said),
    )


def _fields(record: Record, said: str) -> Mapping[str, Any]:
    """Return what a fact is of in these words: of the same subject, if they are read so, else they are its object."""
    if record.kind != FACT:
        return record.fields
    read = [fact for fact in facts(said) if fact_key(fact.subject, fact.predicate) == record.about]
    told = {"object": read[0].object, "definite": read[0].definite} if len(read) == 1 else {"object": said}
    return {**record.fields, **told, "denied": False, "correction": True}


def _contesting(record: Record, rivals: Sequence[Record]) -> list[Record]:
    return [rival for rival in rivals if rival.id != record.id and rival.status is RecordStatus.CONTESTED]


def upheld(record: Record, rivals: Sequence[Record], why: str) -> list[RecordChange]:
    """Let the one of the ``rivals`` that is left alone stand again, where a record that it contested ends."""
    others = _contesting(record, rivals) if record.status is RecordStatus.CONTESTED else []
    if len(others) != 1:
        return []
    return [RecordChange(replace(others[0], status=RecordStatus.ACTIVE), RecordAction.CONFIRMED, why)]


def _gives_way(record: Record, newer: Record, why: str) -> list[RecordChange]:
    ended = replace(record, status=RecordStatus.SUPERSEDED)
    links = [Link(newer.id, Relation.SUPERSEDES, record.id)]
    return [RecordChange(ended, RecordAction.SUPERSEDED, why, links=links)]
