"""Deciding what a fact is beside those of the same subject and predicate: new, known, confirmed, or at odds with one.

A person's correction sets right what was known. What an assistant supposed never does, and what was said earlier never
replaces what was said later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from hookclaw_py.distil.terms import folded
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.record import Record, RecordStatus
from hookclaw_py.regex import regex

SURE = 0.8  # confidence from which a fact may set another one right
MOST = 0.95
"""Confidence that confirmations can come to: nothing said in a conversation is certain."""
_NUMBER = regex(r"\d+(?:[.,:]\d+)*")


class Stance(StrEnum):
    """What a fact is beside those that are there."""

    NEW = "new"
    SEEN = "seen"  # the same session said so before
    CONFIRMED = "confirmed"  # another session said so
    UPHELD = "upheld"  # confirmed until its rival gives way
    SUPERSEDES = "supersedes"
    EARLIER = "earlier"  # what is known was said later
    CONTESTS = "contests"
    DENIES = "denies"  # says that something is not so
    RETRACTS = "retracts"  # says so, and is to be believed
    NOTHING = "nothing"  # denies what nobody said


class Standing(NamedTuple):
    """What a fact is: beside which record, with what confidence, and why, for people."""

    stance: Stance
    rival: Record | None = None
    confidence: float = 0.0
    why: str = ""


def decide(fact: Draft, there: Sequence[Record]) -> Standing:
    """Decide on a fact; ``there`` are the records about the same that are active or contested."""
    same = next((record for record in there if same_object(fact, record)), None)
    if fact.fields.get("denied"):
        if same is None:
            return Standing(Stance.NOTHING, why="nobody said so")
        sure = fact.confidence >= SURE and may_correct(fact, same)
        return Standing(Stance.RETRACTS if sure else Stance.DENIES, same, why="it was said that this is not so")
    if same is not None:
        return _again(fact, same, there)
    rival = next((record for record in there if _conflict(fact, record)), None)
    if rival is None:
        return Standing(Stance.NEW, confidence=fact.confidence)
    if fact.at < rival.at:
        return Standing(Stance.EARLIER, rival, fact.confidence, "said before what is known")
    if fact.confidence >= SURE and may_correct(fact, rival):
        return Standing(Stance.SUPERSEDES, rival, fact.confidence, "said later, and surely")
    return Standing(Stance.CONTESTS, rival, fact.confidence, "at odds with what is known, and not sure enough")


def same_object(fact: Draft, record: Record) -> bool:
    """Say whether a fact says of something what a record says of it."""
    return _object(record.fields) == _object(fact.fields)


def may_correct(draft: Draft, record: Record) -> bool:
    """Say whether the speaker may set the record right: no word yields to one that is trusted less, a pinned one to none."""
    if record.pinned:
        return False
    as_trusted = draft.said_by.origin.tier <= record.said_by.origin.tier
    return as_trusted or draft.said_by is Speaker.MODEL  # it rewrites what a person said


def corroborates(draft: Draft, record: Record) -> bool:
    """Say whether it makes a record surer that a draft says the same: a person does, and whoever says it from elsewhere.

    Who repeats themselves does not, nor an agent that repeats what it was told.
    """
    agents = (Speaker.ASSISTANT, Speaker.MODEL)
    return draft.said_by is Speaker.PERSON or (draft.said_by is not record.said_by and draft.said_by not in agents)


def confirmed(known: float, said: float) -> float:
    """Return the confidence of what two sessions said, each with its own; it never falls."""
    return max(known, min(MOST, 1 - (1 - known) * (1 - said)))


def _again(fact: Draft, same: Record, there: Sequence[Record]) -> Standing:
    if same.session == fact.session:
        return Standing(Stance.SEEN, same, same.confidence, "said before in the same session")
    if not corroborates(fact, same):
        return Standing(Stance.SEEN, same, same.confidence, "only repeated")
    confidence = confirmed(same.confidence, fact.confidence)
    rivals = [record for record in there if record.id != same.id and record.status is RecordStatus.CONTESTED]
    if same.status is RecordStatus.CONTESTED and confidence >= SURE and rivals:
        return Standing(Stance.UPHELD, same, confidence, "said again, its rival was not")
    return Standing(Stance.CONFIRMED, same, confidence, "said again in another session")


def _conflict(fact: Draft, record: Record) -> bool:
    """Say whether both cannot be true: one thing can use Redis and Kafka, but has one number of customers."""
    if fact.fields.get("correction") or fact.fields.get("definite"):
        return True
    ours, theirs = _object(fact.fields), _object(record.fields)
    return ours != theirs and bool(_NUMBER.search(ours)) and _NUMBER.sub("#", ours) == _NUMBER.sub("#", theirs)


def _object(fields: Mapping[str, Any]) -> str:
    return folded(str(fields.get("object", "")))
