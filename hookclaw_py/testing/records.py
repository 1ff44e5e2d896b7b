"""What every store promises of records: what was distilled from sessions, and how it came to that."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.kind import FACT, INDEXED
from hookclaw_py.model.level import Level
from hookclaw_py.model.place import RecordPlace
from hookclaw_py.model.record import Link, Record, RecordAction, RecordChange, RecordStatus, Relation
from hookclaw_py.model.salience import Salience
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.testing.happenings import SECOND, HappeningContract
from hookclaw_py.testing.store_under_test import AT, FERRY


class RecordContract(HappeningContract):
    """The tests of records, and of what happened, which they come of."""

    def learned(self, name: str, body: str, **fields: Any) -> Record:
        """Return a record, said now; only the fields that are given are others."""
        given = {
            "about": "ferry | leaves",
            "title": "",
            "said_by": Speaker.PERSON,
            "confidence": 0.5,
            "level": Level.MEDIUM,
        }
        moments = {"salience": Salience(1.0, AT), "first_at": AT, "at": AT}
        return Record(id=f"{name:0>16}", kind=FACT, body=body, **{**given, **moments, **fields})

    def passage(self, record: Record) -> Chunk:
        """Return what is searched of a record."""
        digits = f"{int(record.id, 16) ^ sum(map(ord, record.body)):016x}"
        place = RecordPlace(f"record:fact/{record.id}", (1, 1))
        return Chunk(digits, record.body, place, kind=FACT, terms=Terms(record.body.split()), memory=record.id)

    def write(self, store: AgentStore, record: Record, action: RecordAction, why: str = "", *links: Link) -> bool:
        """Write a record with what is searched of it."""
        change = RecordChange(record, action, why, [record.body], links)
        return store.write_record(change, self.passage(record), at=AT, actor="test")

    def test_a_record_has_one_memory_through_all_its_wordings(self, store: AgentStore) -> None:
        first, then = (self.learned("aa", f"the ferry leaves at {hour}", at=AT + SECOND * hour) for hour in (7, 8))
        assert self.write(store, first, RecordAction.BEGUN, "new")
        assert self.write(store, then, RecordAction.SUPERSEDED, "said later")
        assert store.record(first.id) == then
        assert store.records() == [then]
        history = store.record_history(first.id)
        told = [(one.action, one.body, one.why, one.actor, one.evidence) for one in history]
        assert told == [
            (RecordAction.BEGUN, first.body, "new", "test", (first.body,)),
            (RecordAction.SUPERSEDED, then.body, "said later", "test", (then.body,)),
        ]
        ((memory, passage),) = store.heads([first.id]).items()
        assert (memory, passage.text, passage.revision) == (first.id, then.body, 2)
        assert [one.number for one in store.revisions(first.id)] == [1, 2]

    def test_records_are_found_by_what_they_are_about_by_kind_and_session(self, store: AgentStore) -> None:
        one = self.learned("aa", "the ferry leaves at 7", session="s", at=AT + SECOND)
        gone = self.learned("bb", "the ferry leaves at 6", status=RecordStatus.RETRACTED)
        other = self.learned("cc", "the cat is Mona", about="cat | is", fields={"object": "Mona", "files": ["a", "b"]})
        for record in (one, gone, other):
            self.write(store, record, RecordAction.BEGUN)
        assert store.records(about="ferry | leaves") == [one, gone]
        assert store.records(about="ferry | leaves", standing=True) == [one]
        assert store.records(session="s") == [one]
        assert store.records(kinds=[FACT], newest=1) == [one]
        assert store.records(kinds=[INDEXED]) == []
        assert store.record(other.id) == other
        assert store.record("none") is None

    def test_what_stands_no_more_is_kept_and_not_searched(self, store: AgentStore) -> None:
        before = store.count()
        record = self.learned("aa", "the ferry leaves at 7")
        self.write(store, record, RecordAction.BEGUN)
        assert store.count() == before + 1
        ended = replace(record, status=RecordStatus.SUPERSEDED)
        self.write(store, ended, RecordAction.SUPERSEDED, "", Link(f"{'bb':0>16}", Relation.SUPERSEDES, record.id))
        assert store.count() == before
        assert store.record(record.id) == ended
        assert store.record_links([record.id]) == [Link(f"{'bb':0>16}", Relation.SUPERSEDES, record.id)]
        store.prune()
        assert store.memory(record.id) is not None

    def test_a_link_has_a_strength_is_there_once_and_can_be_taken_away(self, store: AgentStore) -> None:
        one, two = self.learned("aa", "the ferry leaves at 7"), self.learned("bb", "the ferry is red")
        strong, other = Link(one.id, "paints", two.id, 0.7, "an agent"), Link(one.id, Relation.REFINES, two.id)
        self.write(store, one, RecordAction.BEGUN)
        self.write(store, two, RecordAction.BEGUN)
        self.write(store, one, RecordAction.LINKED, "", strong, strong._replace(strength=0.1), other)
        assert set(store.record_links([two.id])) == {strong, other}
        store.remove_links([strong, Link(two.id, Relation.REFINES, one.id)])
        assert store.record_links([one.id]) == [other]

    def test_what_a_person_took_back_or_said_instead_is_told_with_its_moment(self, store: AgentStore) -> None:
        first, other = self.learned("aa", "the ferry leaves at 7"), self.learned("bb", "the ferry is red")
        later, again = (replace(first, body=f"the ferry leaves at {hour}") for hour in (8, 9))
        taken = replace(other, status=RecordStatus.RETRACTED)
        steps = (
            (first, RecordAction.BEGUN),
            (other, RecordAction.BEGUN),
            (later, RecordAction.SUPERSEDED),
            (again, RecordAction.SUPERSEDED),
            (taken, RecordAction.RETRACTED),
        )
        for number, (record, action) in enumerate(steps):
            actor = "person" if number > 2 else "hookclaw"
            store.write_record(RecordChange(record, action, "so"), None, at=AT + SECOND * number, actor=actor)
        store.write_record(RecordChange(first, RecordAction.SUPERSEDED, "said"), None, at=AT, actor="hookclaw")
        assert store.set_right() == [
            (AT + SECOND * 3, first.body, again.body),
            (AT + SECOND * 3, later.body, again.body),
            (AT + SECOND * 4, other.body, ""),
        ]

    def test_all_that_records_ever_said_is_told(self, store: AgentStore) -> None:
        first = self.learned("aa", "the ferry leaves at 7")
        self.write(store, first, RecordAction.BEGUN)
        self.write(store, replace(first, body="the ferry leaves at 8"), RecordAction.SUPERSEDED)
        told = {(memory, words.strip()) for memory, words in store.record_wordings()}
        assert told == {(first.id, "the ferry leaves at 7"), (first.id, "the ferry leaves at 8")}

    def test_records_say_how_present_they_are_and_what_is_none_is_left_out(self, store: AgentStore) -> None:
        fresh, faded = self.learned("aa", "the ferry leaves at 7"), self.learned("bb", "the ferry is red")
        self.write(store, fresh, RecordAction.BEGUN)
        self.write(store, replace(faded, salience=Salience(0.5, AT - FACT.half_life)), RecordAction.BEGUN)
        assert store.salience([fresh.id, faded.id, FERRY.id], AT) == {fresh.id: 1.0, faded.id: 0.25}
        store.mark(faded.id, "pin", at=AT)
        assert store.salience([faded.id], AT + FACT.half_life) == {faded.id: 0.5}

    def test_what_was_done_to_records_is_counted_by_kind_and_action(self, store: AgentStore) -> None:
        record = self.learned("aa", "the ferry leaves at 7")
        self.write(store, record, RecordAction.BEGUN)
        self.write(store, record, RecordAction.CONFIRMED)
        self.write(store, self.learned("bb", "the ferry is red"), RecordAction.BEGUN)
        assert store.record_changes() == {("fact", "begun"): 2, ("fact", "confirmed"): 1}
        assert store.record_changes(since=AT) == store.record_changes()
        assert store.record_changes(since=AT + timedelta(seconds=1)) == {}

    def test_a_record_without_a_passage_is_named_marked_and_forgotten_like_any_memory(self, store: AgentStore) -> None:
        record = self.learned("aa", "the safe opens with 4711")
        change = RecordChange(record, RecordAction.BEGUN, "new")
        assert store.write_record(change, None, at=AT, actor="test")
        assert store.memories_beginning_with(record.id[:15], most=2) == [record.id]
        assert store.mark(record.id, "pin", at=AT)
        assert [one.pinned for one in store.records()] == [True]
        store.forget([record.id], at=AT)
        assert not store.write_record(change, None, at=AT, actor="test")
        assert store.records() == []

    def test_a_forgotten_record_leaves_nothing_and_does_not_come_back(self, store: AgentStore) -> None:
        record = self.learned("aa", "the safe opens with 4711")
        self.write(store, record, RecordAction.BEGUN)
        store.forget([record.id], at=AT)
        assert (store.record(record.id), store.record_history(record.id)) == (None, [])
        assert store.is_forgotten(record, self.passage(record))
        assert not store.is_forgotten(replace(record, body="the safe is shut"), None)
        assert not self.write(store, record, RecordAction.BEGUN)
        assert store.records() == []

    def test_what_was_distilled_where_something_forgotten_was_said_goes_with_it(self, store: AgentStore) -> None:
        store.append([self.happened("1", text=f"you know that {FERRY.text}")], queued=[], now=AT)
        derived = RecordChange(self.learned("aa", "the ferry is the best way"), RecordAction.BEGUN, "", ["1"])
        repeats = RecordChange(self.learned("bb", f"Asked: {FERRY.text}"), RecordAction.BEGUN, "", ["9"])
        other = RecordChange(self.learned("cc", "the cat is Mona"), RecordAction.BEGUN, "", ["2"])
        for change in (derived, repeats, other):
            store.write_record(change, None, at=AT, actor="test")
        store.forget([FERRY.id], at=AT)
        assert [record.body for record in store.records()] == ["the cat is Mona"]
