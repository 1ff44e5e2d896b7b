"""A person's word on what was learned: taken back, put right, joined, parted, doubted, made more or less present."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hookclaw_py.consolidate import revising
from hookclaw_py.consolidate.consolidator import consolidate
from hookclaw_py.errors import RevisionError
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.kind import DECISION, SKILL
from hookclaw_py.model.level import MIXED, Level, Reach
from hookclaw_py.model.record import Link, Record, RecordAction, RecordStatus, Relation
from tests.conftest import NOW
from tests.unit.records import record

LATER = NOW + timedelta(days=30)
WHY = "Mara said so"


def said_again(known: Record, body: str = "") -> Draft:
    """Return the draft of a record, said in another session."""
    common = known.kind, known.about, known.title, body or known.body, Speaker.PERSON, 0.8
    return Draft(*common, at=LATER, session="other", run="r", evidence=["e"], fields=known.fields)


def test_what_is_retracted_is_kept_and_is_never_learned_again():
    """M25, defect 18."""
    known = record("decision", "We decided to use Kafka.")
    ((gone, action, why, *_),) = revising.retract(known, [], why=WHY, now=LATER)
    assert (gone.status, gone.salience_by(LATER), gone.body) == (RecordStatus.RETRACTED, 0.0, known.body)
    assert (action, why) == (RecordAction.RETRACTED, WHY)
    assert consolidate(said_again(gone), [gone]) == []
    assert consolidate(said_again(gone, "we decided to  use Kafka."), [gone]) == [], "however it is written"
    assert consolidate(said_again(gone, "We decided to use Redis."), [gone]) != []


def test_a_skill_that_was_taken_back_does_not_come_back_in_other_words():
    """M25: what is of one thing is the same whatever more is known of it."""
    ((gone, *_),) = revising.retract(record("skill", "1. exec\n2. edit"), [], why=WHY, now=LATER)
    assert gone.kind is SKILL
    assert consolidate(said_again(gone, "1. exec\n2. edit\n3. exec"), [gone]) == []


def test_of_two_that_contest_each_other_the_one_that_is_left_stands():
    one, two = record(body="has 1,100 customers"), record(body="has 2,000 customers")
    doubted, doubting = (change.record for change in revising.contest(one, two, why=WHY))
    assert {doubted.status, doubting.status} == {RecordStatus.CONTESTED}
    _, upheld = revising.retract(doubted, [doubting], why=WHY, now=LATER)
    assert (upheld.record.id, upheld.record.status) == (two.id, RecordStatus.ACTIVE)


def test_contesting_links_both_ways_and_one_alone_can_be_doubted():
    """M25."""
    one, two = record(body="a"), record(body="b")
    first, second = revising.contest(one, two, why=WHY)
    expected = {Link(one.id, Relation.CONTESTED_BY, two.id), Link(two.id, Relation.CONTESTED_BY, one.id)}
    assert {*first.links, *second.links} == expected
    ((alone, *_),) = revising.contest(one, None, why=WHY)
    assert alone.status is RecordStatus.CONTESTED


def test_new_words_are_another_wording_of_the_same_memory_and_a_persons():
    """M22, and design: what is corrected goes on."""
    known = record(
        body="Mondo Gate has 1,100 customers", about="mondo gate | has", said_by=Speaker.ASSISTANT, confidence=0.5
    )
    ((now, action, *_),) = revising.supersede(known, "Mondo Gate has 2,000  customers", [], why=WHY, now=LATER)
    assert (now.id, now.body, action) == (known.id, "Mondo Gate has 2,000 customers", RecordAction.SUPERSEDED)
    assert (now.said_by, now.confidence, now.at) == (Speaker.PERSON, 0.95, LATER)
    assert now.fields["object"] == "2,000 customers"
    assert consolidate(replace_kind(said_again(now)), [now])[0].action is RecordAction.CONFIRMED, (
        "it is known as that fact"
    )


def replace_kind(draft: Draft) -> Draft:
    return draft._replace(confidence=0.5)


def test_one_record_takes_the_place_of_another():
    """M22: the old one is linked and stands no more."""
    old, new = record("decision", "a"), record("decision", "b", status=RecordStatus.CONTESTED)
    ended, upheld = revising.supersede_by(old, new, why=WHY)
    assert (ended.record.status, upheld.record.status) == (RecordStatus.SUPERSEDED, RecordStatus.ACTIVE)
    assert list(ended.links) == [Link(new.id, Relation.SUPERSEDES, old.id)]


def test_a_fork_stands_beside_what_it_comes_from():
    """M23."""
    known = record("plan", "build, then test", pinned=True)
    begun, kept = revising.fork(known, "build, test, then release", why=WHY, now=LATER)
    assert kept.record == known
    assert begun.record.status is known.status is RecordStatus.ACTIVE
    assert list(begun.links) == [Link(begun.record.id, Relation.DERIVED_FROM, known.id)]
    assert not begun.record.pinned, "a pin is of one memory"
    assert begun.record.id != known.id


def test_merged_records_end_and_what_is_made_of_them_is_no_less_private_and_no_more_trusted():
    """M24; design: what is derived carries the lowest tier of its sources."""
    one = record("decision", "use Redis", level=Level.LOW, scope="s1", confidence=0.6)
    two = record("decision", "Redis for the queue", level=Level.HIGH, scope="s2", said_by=Speaker.ASSISTANT)
    merged, *ended = revising.merge([one, two], "", why=WHY, now=LATER)
    assert [change.record.status for change in ended] == [RecordStatus.MERGED] * 2
    assert merged.record.reach == Reach(Level.HIGH, MIXED)
    assert (merged.record.said_by, merged.record.confidence) == (Speaker.ASSISTANT, 0.8)
    assert merged.record.body == "use Redis\nRedis for the queue"
    assert {link.target for link in merged.links} == {one.id, two.id}
    assert consolidate(said_again(one), [ended[0].record]) == [], "another one says it"


def test_words_of_a_person_are_a_persons_word():
    one, two = record("decision", "a", said_by=Speaker.ASSISTANT), record("decision", "b", said_by=Speaker.MODEL)
    merged, *_ = revising.merge([one, two], "a and b", why=WHY, now=LATER)
    assert (merged.record.body, merged.record.said_by) == ("a and b", Speaker.PERSON)


def test_reinforcing_and_penalising_begin_the_age_anew():
    """M19, vector 17."""
    known = record(salience=0.5)
    ((more, action, *_),) = revising.reinforce(known, 0.1, why=WHY, now=NOW)
    assert (more.salience.value, action) == (0.6, RecordAction.REINFORCED)
    assert more.salience_by(LATER) == 0.3
    ((less, action, *_),) = revising.penalize(known, 0.1, why=WHY, now=NOW)
    assert (less.salience.value, action) == (0.4, RecordAction.PENALIZED)
    assert revising.penalize(record(salience=0.05), 0.1, why=WHY, now=NOW)[0].record.salience.value == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda gone, other: revising.retract(gone, [], why=WHY, now=NOW),
        lambda gone, other: revising.supersede(gone, "words", [], why=WHY, now=NOW),
        lambda gone, other: revising.supersede_by(other, gone, why=WHY),
        lambda gone, other: revising.fork(gone, "words", why=WHY, now=NOW),
        lambda gone, other: revising.merge([other, gone], "", why=WHY, now=NOW),
        lambda gone, other: revising.contest(other, gone, why=WHY),
        lambda gone, other: revising.reinforce(gone, 0.1, why=WHY, now=NOW),
        lambda gone, other: revising.penalize(gone, 0.1, why=WHY, now=NOW),
    ],
)
def test_what_stands_no_more_is_not_revised(change):
    gone = record("decision", "a", status=RecordStatus.RETRACTED)
    with pytest.raises(RevisionError, match="retracted already"):
        change(gone, record("decision", "b"))


def test_what_happened_stays_as_it_was():
    """Revision: episodes refuse."""
    episode, other = record("episode", "a"), record("episode", "b")
    for change in (
        lambda: revising.supersede(episode, "words", [], why=WHY, now=NOW),
        lambda: revising.fork(episode, "words", why=WHY, now=NOW),
        lambda: revising.merge([episode, other], "", why=WHY, now=NOW),
    ):
        with pytest.raises(RevisionError, match="tells what happened"):
            change()
    assert revising.retract(episode, [], why=WHY, now=NOW)


def test_a_record_is_not_its_own_rival_and_kinds_do_not_mix():
    one = record("decision", "a")
    with pytest.raises(RevisionError, match="each once"):
        revising.merge([one, one], "", why=WHY, now=NOW)
    with pytest.raises(RevisionError, match="each once"):
        revising.contest(one, replace(one, body="b"), why=WHY)
    with pytest.raises(RevisionError, match="several kinds"):
        revising.merge([one, record("fact")], "", why=WHY, now=NOW)
    with pytest.raises(RevisionError, match="new words"):
        revising.supersede(record(), "  ", [], why=WHY, now=NOW)
    assert one.kind is DECISION
