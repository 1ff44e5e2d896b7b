"""What a fact is beside those that are known (membrane, M22-M25, M31 and the decisions; defects D12, D13, D17, D18)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hookclaw_py.consolidate.consolidator import consolidate
from hookclaw_py.consolidate.facts import Stance, confirmed, decide
from hookclaw_py.distil.facts import facts
from hookclaw_py.distil.terms import fact_key
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.kind import DECISION, FACT, OBSERVATION, SKILL
from hookclaw_py.model.record import Record, RecordAction, RecordStatus, Relation

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
KNOWN = "Mondo Gate has 1,100 customers."


def said(
    sentence: str, *, session: str = "a", by: Speaker = Speaker.PERSON, confidence: float | None = None, day: int = 0
) -> Draft:
    """Return the draft of the one fact of a sentence, as sure as the rules are of it."""
    (fact,) = facts(sentence)
    sure = 0.8 if fact.correction and by is Speaker.PERSON else 0.5
    return Draft(
        kind=FACT,
        key=fact_key(fact.subject, fact.predicate),
        title="",
        body=sentence,
        said_by=by,
        confidence=sure if confidence is None else confidence,
        at=NOW + timedelta(days=day),
        session=session,
        run="r",
        evidence=[f"{session}:{sentence}"],
        fields={
            "subject": fact.subject,
            "predicate": fact.predicate,
            "object": fact.object,
            "denied": fact.denied,
            "correction": fact.correction,
            "definite": fact.definite,
        },
    )


def known(*drafts: Draft) -> list[Record]:
    """Return the records that these drafts come to, one after the other."""
    records: dict[str, Record] = {}
    for draft in drafts:
        there = [record for record in records.values() if record.about == draft.key]
        records |= {change.record.id: change.record for change in consolidate(draft, there)}
    return list(records.values())


@pytest.mark.parametrize(
    ("draft", "stance"),
    [
        (said(KNOWN), Stance.SEEN),
        (said(KNOWN, session="b"), Stance.CONFIRMED),
        (said("Mondo Gate now has 2,000 customers.", session="b", day=1), Stance.SUPERSEDES),
        (said("Mondo Gate has 2,000 customers.", session="b", day=1), Stance.CONTESTS),
        (said("Mondo Gate has an API.", session="b", day=1), Stance.NEW),
        (said("Mondo Gate has no 1,100 customers.", session="b", day=1), Stance.DENIES),
        (said("Mondo Gate has no office.", session="b", day=1), Stance.NOTHING),
        (said("Mondo Gate has 2,000 customers.", by=Speaker.ASSISTANT, confidence=0.8, day=1), Stance.CONTESTS),
        (said("Mondo Gate has 2,000 customers.", by=Speaker.MODEL, confidence=0.79, day=1), Stance.CONTESTS),
        (said("Mondo Gate has 2,000 customers.", by=Speaker.MODEL, confidence=0.8, day=1), Stance.SUPERSEDES),
        (said("Mondo Gate now has 900 customers.", session="b", day=-1), Stance.EARLIER),
    ],
)
def test_vector_14(draft, stance):
    """M31, D12, D17."""
    assert decide(draft, known(said(KNOWN))).stance is stance


def test_what_is_said_again_is_surer_and_never_certain():
    """Vector 14: confidence .75, then .875."""
    (twice,) = known(said(KNOWN), said(KNOWN, session="b", day=1))
    (thrice,) = known(said(KNOWN), said(KNOWN, session="b", day=1), said(KNOWN, session="c", day=2))
    assert (twice.confidence, thrice.confidence) == (0.75, 0.875)
    assert confirmed(0.94, 0.94) == 0.95


def test_a_correction_is_another_wording_of_the_same_memory():
    """M22; what was learned of it stays with it."""
    march, may = said(KNOWN), said("Mondo Gate now has 2,000 customers.", session="b", day=60)
    (before,) = known(march)
    (change,) = consolidate(may, [before])
    assert (change.record.id, change.record.body) == (before.id, may.body)
    assert change.record.status is RecordStatus.ACTIVE
    assert (change.action, change.evidence) == (RecordAction.SUPERSEDED, may.evidence)


def test_two_that_contradict_each_other_are_both_contested_until_one_is_said_again():
    """M25, D13."""
    one, other = said(KNOWN), said("Mondo Gate has 2,000 customers.", session="b", day=1)
    records = known(one, other)
    assert {record.status for record in records} == {RecordStatus.CONTESTED}
    (_, link), *_ = [(change, link) for change in consolidate(other, known(one)) for link in change.links]
    assert link.relation is Relation.CONTESTED_BY
    again = known(one, other, said(other.body, session="c", day=2), said(other.body, session="d", day=3))
    assert {record.body: record.status for record in again} == {
        one.body: RecordStatus.SUPERSEDED,
        other.body: RecordStatus.ACTIVE,
    }


def test_what_was_said_earlier_never_replaces_what_was_said_later():
    records = known(
        said("Mondo Gate now has 2,000 customers.", day=9), said("Mondo Gate now has 900 customers.", session="b")
    )
    assert {record.body: record.status for record in records} == {
        "Mondo Gate now has 2,000 customers.": RecordStatus.ACTIVE,
        "Mondo Gate now has 900 customers.": RecordStatus.SUPERSEDED,
    }


def test_what_a_person_pinned_is_only_contested():
    (record,) = known(said(KNOWN))
    decision = decide(said("Mondo Gate now has 2,000 customers.", session="b", day=1), [replace(record, pinned=True)])
    assert decision.stance is Stance.CONTESTS


def test_both_can_be_true():
    """D12: a second object of "uses" is no conflict."""
    records = known(said("The Team uses Redis."), said("The Team uses Kafka.", session="b", day=1))
    assert {record.status for record in records} == {RecordStatus.ACTIVE}
    assert len(records) == 2


def test_what_was_taken_back_never_comes_back():
    """D18, M25."""
    (record,) = known(said(KNOWN))
    gone = replace(record, status=RecordStatus.RETRACTED)
    assert consolidate(said(KNOWN, session="b", day=3), [gone]) == []
    kept = replace(gone, kind=DECISION)
    assert consolidate(said(KNOWN, session="b", day=3)._replace(kind=DECISION), [kept]) == []


def test_what_was_done_is_told_once_however_often_it_is_distilled():
    draft = said(KNOWN)._replace(kind=OBSERVATION, key="run 1 | edited a.py", body="Edited a.py (+1 -1)")
    (change,) = consolidate(draft, [])
    assert consolidate(draft, [change.record]) == []
    (more,) = consolidate(draft._replace(body="Edited a.py (+3 -1)"), [change.record])
    assert (more.record.id, more.record.body) == (change.record.id, "Edited a.py (+3 -1)")


def test_the_same_drafts_give_the_same_records():
    drafts = [said(KNOWN), said("Mondo Gate has 2,000 customers.", session="b", day=1), said("Mondo Gate has an API.")]
    assert known(*drafts) == known(*drafts)
    assert len({record.id for record in known(*drafts)}) == 3


def practised(wins: int, calls: int, failures: dict[str, int], *, body: str = "", day: int = 0) -> Draft:
    """Return what is known of a tool after so many calls."""
    fields = {"wins": wins, "calls": calls, "failures": failures}
    told = body or f"{wins}/{calls} success"
    return Draft(
        SKILL,
        "skill:exec",
        "skill:exec",
        told,
        Speaker.TOOL,
        0.8,
        NOW + timedelta(days=day),
        "a",
        "r",
        (f"e{calls}",),
        fields,
    )


def test_success_makes_a_skill_more_present_and_failure_less():
    """M37, vector 19, D8: one record, counted in place; only that it began, and new ways to fail, are told."""
    drafts = [practised(2, 3, {"timeout": 1}), practised(3, 4, {"timeout": 1}), practised(3, 5, {"timeout": 2})]
    [begun] = consolidate(drafts[0], [])
    [fourth] = consolidate(drafts[1], [begun.record])
    [fifth] = consolidate(drafts[2], [fourth.record])
    changes = [begun, fourth, fifth]
    assert [change.record.salience.value for change in changes] == pytest.approx([0.9, 1, 0.9])
    assert [change.record.body for change in changes] == ["2/3 success", "3/4 success", "3/5 success"]
    assert [change.action for change in changes] == [RecordAction.BEGUN, RecordAction.COUNTED, RecordAction.COUNTED]
    assert len({change.record.id for change in changes}) == 1
    assert consolidate(drafts[2], [fifth.record]) == []
    [unheard] = consolidate(practised(3, 6, {"timeout": 2, "denied": 1}), [fifth.record])
    assert (unheard.action, unheard.why) == (RecordAction.EDITED, "fails in a new way")


def test_a_skill_that_was_taken_back_does_not_come_back_with_the_next_call():
    """D18: status decides."""
    [begun] = consolidate(practised(3, 3, {}), [])
    assert consolidate(practised(4, 4, {}), [replace(begun.record, status=RecordStatus.RETRACTED)]) == []
