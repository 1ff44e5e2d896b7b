"""What every store promises, as tests: derive ``StoreContract``, say how a store is opened, and run it with pytest.

A store that holds notes and what was done with them, and no sessions, derives ``NotesContract``: an engine answers from it, and captures nothing.
Nothing here knows what database it is: the ports of ``hookclaw_py.store.ports`` are all that is used.
"""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from hookclaw_py.errors import StoreError
from hookclaw_py.model.place import FilePlace
from hookclaw_py.model.types import Outcome
from hookclaw_py.store.decisions import Glance, Told
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.testing.fakes import a_chunk
from hookclaw_py.testing.memories import MemoryContract
from hookclaw_py.testing.passages import PassageContract
from hookclaw_py.testing.records import RecordContract
from hookclaw_py.testing.store_under_test import AT, BIKE, FERRY, NOTE, OTHER


class NotesContract(PassageContract, MemoryContract):
    """The tests of a store of notes: these, and those of passages and memories."""

    # Decisions, counters, facts

    def glance(self, name: str, session: str = "s") -> Glance:
        """Return a decision in one line."""
        shown = (FERRY.id,)
        return Glance(name, AT, session, "r", Outcome.INJECTED, "", "", 0.9, 2.0, 7, shown, ("vector",), "when?")

    def test_decisions_come_back_newest_first_and_the_oldest_go(self, store: AgentStore) -> None:
        story = b'{"candidates":[],"rejected":[],"block":"B","query":null}'
        for name in ("aa1", "aa2", "bb3"):
            store.add_decisions([Told(self.glance(name, session=name[0]), story)], about=[], most=2)
        assert [glance.id for glance in store.decisions()] == ["bb3", "aa2"]
        assert store.decisions(session="a", outcome="injected", limit=1) == [self.glance("aa2", session="a")]
        assert store.decisions(since=AT + timedelta(days=1)) == []
        assert store.decisions_beginning_with("aa", most=4) == [Told(self.glance("aa2", session="a"), story)]
        store.add_decisions([Told(self.glance("bb3", session="new"), story)], about=[], most=2)
        assert next(glance.session for glance in store.decisions()) == "new"

    def test_a_story_of_what_was_forgotten_since_is_told_without_it(self, store: AgentStore) -> None:
        story = f'{{"candidates":[{{"id":"{FERRY.id}"}}],"rejected":[],"block":"The ferry","query":{{"text":"when?"}}}}'
        store.forget([FERRY.id], at=AT)
        store.add_decisions([Told(self.glance("aa1"), story.encode())], about=[FERRY], most=9)
        (told,) = store.decisions_beginning_with("aa1", most=2)
        assert (told.glance.shown, told.glance.prompt) == ((), "")
        assert not [trace for trace in (FERRY.id, "ferry", "when?") if trace in told.story.decode()]

    def test_counters_add_up_with_the_facts_told_beside_them(self, store: AgentStore) -> None:
        store.add_counts({("recalls", ("injected", "s")): 2.0, ("errors", ()): 1.0}, told={"circuit": "open"})
        store.add_counts({("recalls", ("injected", "s")): 0.5})
        assert store.counts() == {("recalls", ("injected", "s")): 2.5, ("errors", ()): 1.0}
        assert store.get_meta("circuit") == "open"

    def test_lists_come_back_whatever_their_members_are(self, store: AgentStore) -> None:
        store.add_counts({("hits", ("a, b", "c")): 1.0, ("hits", ("a", "b, c")): 2.0, ("hits", ("",)): 4.0})
        assert store.counts() == {("hits", ("a, b", "c")): 1.0, ("hits", ("a", "b, c")): 2.0, ("hits", ("",)): 4.0}
        glance = self.glance("aa1")._replace(faults=("catch up", "é"))
        store.add_decisions([Told(glance, b"{}")], about=[], most=10)
        assert store.decisions()[0].faults == ("catch up", "é")

    def test_facts_are_any_json(self, store: AgentStore) -> None:
        store.set_meta("k", {"a": [1, None, "größe"]})
        assert store.get_meta("k") == {"a": [1, None, "größe"]}
        assert (store.get_meta("none"), store.get_meta("none", 3)) == (None, 3)

    # Work

    def test_a_unit_is_all_there_or_not_at_all(self, store: AgentStore) -> None:
        with store.together():
            store.set_meta("k", 1)
            store.mark(FERRY.id, "pin", at=AT)
            assert store.get_meta("k") == 1
        with pytest.raises(ZeroDivisionError), store.together():  # noqa: PT012
            store.set_meta("k", 2)
            store.mark(FERRY.id, "", at=AT)
            store.replace_file(NOTE, chunks=[])
            assert store.get(FERRY.id) is None
            _ = 1 // 0
        assert (store.get_meta("k"), store.marks(), store.count()) == (1, {FERRY.id: "pin"}, 2)
        assert store.get(FERRY.id) is not None
        assert "ferry" in store.names()

    def test_what_was_seen_in_a_unit_that_failed_is_not_seen_again(self, store: AgentStore) -> None:
        elsewhere = replace(FERRY, place=FilePlace(NOTE, (70, 71)), heading="Quillwort")
        with pytest.raises(ZeroDivisionError), store.together():  # noqa: PT012
            store.replace_file(NOTE, chunks=[elsewhere, BIKE])
            found = store.get(FERRY.id)
            assert found is not None
            assert found.place.lines == (70, 71)
            _ = 1 // 0
        store.replace_file(OTHER, chunks=[a_chunk("number one", OTHER)])  # as many changes as the unit had
        found = store.get(FERRY.id)
        assert found is not None
        assert found.place == FERRY.place

    def test_what_fails_in_a_unit_leaves_nothing_and_the_unit_goes_on(self, store: AgentStore) -> None:
        with store.together():
            store.set_meta("k", 1)
            with pytest.raises(ZeroDivisionError), store.together():  # noqa: PT012
                store.set_meta("k", 2)
                store.mark(FERRY.id, "pin", at=AT)
                _ = 1 // 0
            store.set_meta("more", 3)
        assert (store.get_meta("k"), store.get_meta("more"), store.marks()) == (1, 3, {})

    def test_one_at_a_time_reads_notes_and_the_next_one_afterwards(self, store: AgentStore) -> None:
        with store.alone(0.0):
            pass
        with store.alone(0.0):
            assert store.replace_file(OTHER, chunks=[]) == (0, 0, 0)

    def test_threads_read_while_one_writes(self, store: AgentStore) -> None:
        stays, stop = [a_chunk(f"note {number}", NOTE) for number in range(30)], threading.Event()
        store.replace_file(NOTE, chunks=stays)
        ids = [chunk.id for chunk in stays]

        def read() -> int:
            missed = 0
            while not stop.is_set():
                missed += list(store.chunks(ids)) != ids
            return missed

        turn = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)  # another thread may go on anywhere
        try:
            with ThreadPoolExecutor(max_workers=4) as pool:
                readers = [pool.submit(read) for _ in range(4)]
                try:
                    for number in range(300):
                        store.replace_file(OTHER, chunks=[a_chunk(f"number {number}", OTHER)])
                finally:
                    stop.set()
                assert [reader.result(30) for reader in readers] == [0, 0, 0, 0]
        finally:
            sys.setswitchinterval(turn)

    def test_a_closed_store_says_so_and_can_be_closed_again(self, store: AgentStore, tmp_path: Path) -> None:
        with self.open_store(tmp_path / "another") as other:
            other.set_meta("k", 1)
        other.close()
        with pytest.raises(StoreError):
            other.set_meta("k", 2)
        assert store.get_meta("k") is None, "each folder has a store of its own"

    def test_it_says_whether_it_is_sound(self, store: AgentStore) -> None:
        assert (store.check(), store.damage, store.unwritable, store.replaced) == ("", "", "", 0)
        assert store.forget_in_copies(at=AT) == ([], [])

    # What outlives a process

    def test_everything_survives_closing(self, store: AgentStore, tmp_path: Path) -> None:
        if not store.lasting:
            pytest.skip("this store keeps nothing")
        store.mark(FERRY.id, "pin", at=AT)
        store.add_counts({("errors", ()): 1.0})
        with self.open_store(tmp_path / "store") as other:
            assert (other.generation(), other.marks(), other.count()) == (store.generation(), {FERRY.id: "pin"}, 2)
            assert other.counts() == {("errors", ()): 1.0}
            assert other.place == store.place != ""

    def test_another_user_sees_what_changed(self, store: AgentStore, tmp_path: Path) -> None:
        if not store.lasting:
            pytest.skip("nobody else can open this store")
        with self.open_store(tmp_path / "store") as other:
            before = other.generation()
            assert other.get(FERRY.id) is not None
            store.replace_file(NOTE, chunks=[BIKE])
            assert other.generation() > before
            assert other.get(FERRY.id) is None
            other.add_counts({("errors", ()): 1.0})
            assert store.counts() == {("errors", ()): 1.0}


class StoreContract(NotesContract, RecordContract):
    """The tests of a whole store: those of notes, and those of happenings and records."""
