"""What every store promises, as tests: derive ``StoreContract``, say how a store is opened, and run it with pytest.

Nothing here knows what database it is: the ports of ``hookclaw_py.store.ports`` are all that is used.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py.errors import StoreError
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.model.memory import Cause, Memory, MemoryStatus
from hookclaw_py.model.place import FilePlace
from hookclaw_py.model.types import Chunk, Outcome, Period
from hookclaw_py.store import tallies
from hookclaw_py.store.content import embedded
from hookclaw_py.store.decisions import Glance, Told
from hookclaw_py.store.events import EventKind, Showing
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.testing.fakes import a_chunk, a_vector

AT = datetime(2026, 2, 10, 9, tzinfo=UTC)
NOTE, OTHER = "memory/a.md", "memory/b.md"
FERRY = a_chunk("The ferry to Karlskrona leaves at nine", created_at=AT, heading="Travel > Ferry", lines=(3, 4))
BIKE = a_chunk("The bike needs a new hub before spring", lines=(6, 9))
MODEL = "model-4"
SECOND, HOUR, STUCK = timedelta(seconds=1), timedelta(hours=1), timedelta(seconds=300)
WAITS = (timedelta(seconds=2), timedelta(seconds=4))


class StoreContract(ABC):
    """The tests of a store. ``open_store`` is asked several times for the same folder: each is another user of it."""

    @abstractmethod
    def open_store(self, folder: Path) -> AgentStore:
        """Open the store that lies in ``folder``, a new one if there is none."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[AgentStore]:
        """An open store with two chunks of one note."""
        with self.open_store(tmp_path / "store") as opened:
            opened.replace_file(NOTE, chunks=[FERRY, BIKE], digest="d", size=3, mtime_ns=4, recipe="notes 1")
            yield opened
            replayed = tallies.replay(opened.events())
            assert replayed == opened.all_uses(), "what is known of use is what the log comes to, after every test"

    # Chunks

    def test_a_chunk_comes_back_as_it_was(self, store: AgentStore) -> None:
        found = store.get(FERRY.id)
        assert found == FERRY
        assert [chunk.id for chunk in store.all_chunks()] == [FERRY.id, BIKE.id]
        assert [chunk.id for chunk in store.chunks_of(NOTE)] == [FERRY.id, BIKE.id]
        assert store.chunks_of(OTHER) == []
        assert store.count() == 2

    def test_chunks_come_in_the_order_asked_for_and_unknown_ids_are_left_out(self, store: AgentStore) -> None:
        asked = [BIKE.id, "0" * 16, "no id", FERRY.id]
        assert list(store.chunks(asked)) == [BIKE.id, FERRY.id]
        assert store.get("f" * 16) is None

    def test_a_file_comes_back_as_it_was_and_is_touched(self, store: AgentStore) -> None:
        assert store.files() == {NOTE: ("d", 3, 4, "notes 1", (), None)}
        store.touch_file(NOTE, size=5, mtime_ns=6)
        assert store.files()[NOTE][:3] == ("d", 5, 6)
        store.replace_file(OTHER, chunks=[], warnings=["odd"], shared=True)
        assert (store.files()[OTHER].warnings, store.files()[OTHER].shared) == (("odd",), True)

    def test_replacing_a_file_keeps_what_stayed_and_drops_what_went(self, store: AgentStore) -> None:
        new = a_chunk("A sentence that nobody has written before")
        assert store.replace_file(NOTE, chunks=[BIKE, new]) == (1, 1, 1)
        assert [chunk.id for chunk in store.all_chunks()] == [BIKE.id, new.id]
        assert store.forget_file(NOTE) == 2
        assert (store.files(), store.count()) == ({}, 0)

    def test_a_part_is_asked_as_if_there_were_nothing_else(self, store: AgentStore) -> None:
        store.replace_file(OTHER, chunks=[a_chunk("Nobody else", OTHER, created_at=AT, heading="Quillwort Harbour")])
        day = Period(AT - timedelta(hours=1), AT + timedelta(hours=1))
        assert store.count([NOTE]) == 2
        assert list(store.dated(day, 5, [NOTE])) == [FERRY.id]
        assert "quillwort harbour" not in store.names_of([NOTE])
        assert {chunk_id for chunk_id, *_ in store.changes_since(-1, [NOTE]).added} == {FERRY.id, BIKE.id}

    def test_chunks_are_found_by_day_by_place_and_by_the_beginning_of_their_id(self, store: AgentStore) -> None:
        assert list(store.dated(Period(AT, AT + timedelta(days=1)), 5)) == [FERRY.id]
        assert list(store.dated(Period(AT + timedelta(days=30), AT + timedelta(days=31)), 5)) == []
        assert store.memories_at(NOTE, 4) == store.memories_at("a.md", 3) == [FERRY.id]
        assert store.memories_at(NOTE, 5) == []
        assert store.memories_beginning_with(FERRY.id[:9], most=4) == [FERRY.id]
        assert store.memories_beginning_with("f" * 16, most=4) == []

    def test_headings_are_names(self, store: AgentStore) -> None:
        assert {"travel", "ferry"} <= store.names()
        store.replace_file(NOTE, chunks=[FERRY, BIKE], names=["quillwort"])
        assert "quillwort" in store.names(), "also when nothing else has changed"

    # Generations, and what is derived

    def test_every_visible_change_raises_the_generation_and_nothing_else_does(self, store: AgentStore) -> None:
        before = store.generation()
        store.set_meta("k", 1)
        store.touch_file(NOTE, size=1, mtime_ns=1)
        store.replace_file(NOTE, chunks=[FERRY, BIKE], digest="d", size=1, mtime_ns=1, recipe="notes 1")
        assert store.generation() == before
        store.replace_file(NOTE, chunks=[BIKE])
        assert store.generation() > before

    def test_an_index_can_follow(self, store: AgentStore) -> None:
        index: dict[str, list[str]] = {}
        generation = -1
        for chunks in ([FERRY, BIKE], [BIKE], [BIKE, FERRY]):
            store.replace_file(NOTE, chunks=chunks)
            changes = store.changes_since(generation)
            if changes.complete:
                index = {}
            for gone in changes.deleted:
                index.pop(gone, None)
            index.update({chunk_id: context for chunk_id, _, context in changes.added})
            generation = changes.generation
            assert set(index) == {chunk.id for chunk in chunks}
        assert generation == store.generation()
        assert {"ferri", "bike", "februari"} <= set(index[FERRY.id]), "neighbours and date are its context"

    def test_vectors_are_asked_for_once_a_text_and_come_back(self, store: AgentStore) -> None:
        store.replace_file(OTHER, chunks=[a_chunk(BIKE.text, OTHER)])
        pending = dict(store.pending_embeddings(MODEL, 10))
        assert pending[FERRY.id] == embedded(FERRY.heading, FERRY.text)
        assert (len(pending), store.pending_count(MODEL)) == (2, 2)
        store.add_embeddings(MODEL, [(FERRY.id, a_vector(1, 0, 0, 0))], {FERRY.id: bytes(64)})
        assert (store.pending_count(MODEL), store.embedded_count(MODEL), store.pending_count("else")) == (1, 1, 2)
        found = store.vectors_since(MODEL, -1)
        assert (found.ids, found.matrix.tolist()) == ([FERRY.id], [[1, 0, 0, 0]])
        assert store.tokens(MODEL, [FERRY.id, BIKE.id])[FERRY.id].shape == (1, 64)
        store.drop_vectors(MODEL, [FERRY.id])
        assert store.embedded_count(MODEL) == 0

    def test_a_text_that_moves_keeps_its_vector(self, store: AgentStore) -> None:
        store.add_embeddings(MODEL, [(FERRY.id, a_vector(1, 0, 0, 0))])
        moved = a_chunk(FERRY.text, OTHER, heading=FERRY.heading)
        store.replace_file(OTHER, chunks=[moved])
        store.forget_file(NOTE)
        store.prune()
        assert store.vectors_since(MODEL, -1).ids == [moved.id]

    def test_a_vector_that_is_none_is_refused_and_nothing_is_written(self, store: AgentStore) -> None:
        store.add_embeddings(MODEL, [(FERRY.id, a_vector(1, 0, 0, 0))])
        for bad in (a_vector(1, 0), a_vector(float("nan"), 0, 0, 0), b""):
            with pytest.raises(StoreError):
                store.add_embeddings(MODEL, [(BIKE.id, a_vector(0, 1, 0, 0)), (FERRY.id, bad)])
        assert store.vectors_since(MODEL, -1).ids == [FERRY.id]

    # Memories

    def test_a_passage_is_a_memory_with_one_revision(self, store: AgentStore) -> None:
        found = store.memory(FERRY.id)
        assert found == Memory(FERRY.id, FERRY.kind, MemoryStatus.ACTIVE, 1)
        (written,) = store.revisions(FERRY.id)
        assert (written.number, written.cause, written.chunk_id) == (1, Cause.WRITTEN, FERRY.id)
        assert store.heads([BIKE.id, FERRY.id, "0" * 16]) == {BIKE.id: BIKE, FERRY.id: FERRY}
        assert (store.memory("0" * 16), list(store.revisions("no id"))) == (None, [])

    def edited(self, text: str, **fields: Any) -> Chunk:
        """Return the passage about the ferry in other words."""
        return a_chunk(text, NOTE, **{"created_at": AT, "heading": FERRY.heading, "lines": (3, 4)} | fields)

    def test_an_edit_is_a_new_revision_and_what_was_learned_follows_it(self, store: AgentStore) -> None:
        store.mark(FERRY.id, "pin", at=AT)
        self.shown(store, "i1")
        store.settle(at=AT, session_id="s", injection_id="i1", kinds={FERRY.id: "used"})
        edited = self.edited(FERRY.text.replace("nine", "ten"))
        store.replace_file(NOTE, chunks=[edited, BIKE])
        found = store.get(edited.id)
        assert found is not None
        assert (found.memory, found.revision) == (FERRY.id, 2)
        assert [(r.number, r.cause, r.chunk_id) for r in store.revisions(FERRY.id)] == [
            (1, Cause.WRITTEN, FERRY.id),
            (2, Cause.EDITED, edited.id),
        ]
        assert (store.marks(), store.uses([FERRY.id])[FERRY.id].used) == ({FERRY.id: "pin"}, 1)
        assert list(store.pinned()) == [edited.id]
        assert store.heads([FERRY.id]) == {FERRY.id: found}
        assert store.memories_of([FERRY.id, edited.id]) == {FERRY.id: FERRY.id, edited.id: FERRY.id}
        assert store.memories_beginning_with(edited.id[:9], most=2) == [FERRY.id]

    def test_a_verdict_on_what_was_shown_is_one_on_its_later_wording(self, store: AgentStore) -> None:
        self.shown(store, "i1")
        store.replace_file(NOTE, chunks=[self.edited(FERRY.text.replace("nine", "ten")), BIKE])
        waiting = store.unsettled("s")
        assert waiting is not None
        assert waiting.memories == (FERRY.id, BIKE.id)
        assert store.add_verdict(True, at=AT, injection_id="i1", ids=[FERRY.id]) == [FERRY.id]

    def test_a_short_passage_in_its_place_is_the_same_memory_and_elsewhere_it_is_not(self, store: AgentStore) -> None:
        port = self.edited("Port: 5432", heading="Database")
        store.replace_file(NOTE, chunks=[port, FERRY])
        moved = self.edited("Port: 6000", heading="Database")
        store.replace_file(NOTE, chunks=[moved, FERRY])
        assert store.chunks([moved.id])[moved.id].memory == port.id
        away = self.edited("Port: 7000", heading="Database")
        store.replace_file(NOTE, chunks=[FERRY, away])
        assert store.chunks([away.id])[away.id].memory == away.id

    def test_another_text_in_its_place_is_another_memory_and_the_first_one_ends(self, store: AgentStore) -> None:
        store.mark(FERRY.id, "pin", at=AT)
        other = self.edited("A sentence of quite another thing")
        store.replace_file(NOTE, chunks=[other, BIKE])
        found = store.memory(FERRY.id)
        assert found is not None
        assert (found.status, store.chunks([other.id])[other.id].memory) == (MemoryStatus.ENDED, other.id)
        assert (list(store.pinned()), store.heads([FERRY.id]), store.marks()) == ([], {}, {FERRY.id: "pin"})
        with pytest.raises(StoreError):
            store.mark(FERRY.id, "block", at=AT)

    def test_what_had_gone_is_the_same_memory_when_it_comes_back(self, store: AgentStore) -> None:
        store.mark(FERRY.id, "pin", at=AT)
        store.replace_file(NOTE, chunks=[BIKE])
        store.forget_file(NOTE)
        back = a_chunk(FERRY.text, OTHER, created_at=AT, heading=FERRY.heading)
        store.replace_file(OTHER, chunks=[back])
        assert store.chunks([back.id])[back.id].memory == FERRY.id
        assert [r.cause for r in store.revisions(FERRY.id)] == [Cause.WRITTEN, Cause.RETURNED]
        assert list(store.pinned()) == [back.id]

    def test_a_renamed_file_keeps_its_memories_with_a_paragraph_edited(self, store: AgentStore) -> None:
        store.mark(FERRY.id, "pin", at=AT)
        moved = a_chunk(FERRY.text.replace("nine", "ten"), OTHER, created_at=AT, heading="Travel")
        store.replace_file(OTHER, chunks=[moved], moved_from=[NOTE])
        assert store.chunks([moved.id])[moved.id].memory == FERRY.id
        assert [chunk.id for chunk in store.all_chunks()] == [BIKE.id, moved.id], "it stands in one place"
        assert [r.cause for r in store.revisions(FERRY.id)] == [Cause.WRITTEN, Cause.MOVED]
        store.forget_file(NOTE)
        assert list(store.pinned()) == [moved.id]

    def test_what_is_known_of_a_copy_that_goes_holds_for_the_one_that_stays(self, store: AgentStore) -> None:
        copy = a_chunk(FERRY.text, OTHER, created_at=AT, heading=FERRY.heading)
        store.replace_file(OTHER, chunks=[copy])
        store.mark(FERRY.id, "pin", at=AT)
        store.add_verdict(True, at=AT, ids=[copy.id])
        store.forget_file(NOTE)
        uses = store.uses([copy.id])[copy.id]
        assert (uses.mark, uses.good) == ("pin", 1)

    def test_two_memories_never_have_one_name(self, store: AgentStore) -> None:
        edited = self.edited(FERRY.text.replace("nine", "ten"))
        store.replace_file(NOTE, chunks=[edited, BIKE])
        store.replace_file(NOTE, chunks=[FERRY, a_chunk("Nothing like it"), edited, BIKE])
        found = store.chunks([FERRY.id, edited.id])
        assert found[edited.id].memory == FERRY.id
        assert found[FERRY.id].memory not in (FERRY.id, edited.id)

    def test_forgetting_takes_the_memory_its_revisions_its_chunk_and_its_vector(self, store: AgentStore) -> None:
        edited = self.edited(FERRY.text.replace("nine", "ten"))
        store.replace_file(NOTE, chunks=[edited, BIKE])
        store.add_embeddings(MODEL, [(edited.id, a_vector(1, 0, 0, 0))])
        self.shown(store, "i1")
        assert store.forget([FERRY.id], at=AT) == {FERRY.id: [FERRY.id, edited.id]}
        assert (store.memory(FERRY.id), list(store.revisions(FERRY.id))) == (None, [])
        assert [chunk.id for chunk in store.all_chunks()] == [BIKE.id]
        assert store.vectors_since(MODEL, -1).ids == []
        store.replace_file(NOTE, chunks=[edited, BIKE])
        assert store.get(edited.id) is None
        assert "leave" not in "".join(str(event) for event in store.events())

    def test_what_had_ended_can_be_forgotten_and_stays_out(self, store: AgentStore) -> None:
        store.mark(FERRY.id, "pin", at=AT)
        store.replace_file(NOTE, chunks=[BIKE])
        store.forget([FERRY.id], at=AT)
        assert store.marks() == {}
        store.replace_file(NOTE, chunks=[FERRY, BIKE])
        assert store.get(FERRY.id) is None

    # Events

    def shown(self, store: AgentStore, injection: str, *, run: str = "") -> None:
        """Let both chunks be shown to a prompt."""
        both = [Showing(FERRY.id, relevance=0.8), Showing(BIKE.id)]
        store.record_injection(
            at=AT, session_id="s", injection_id=injection, prompt="when does it leave?", shown=both, run_id=run
        )

    def test_an_injection_waits_for_its_turn_and_is_settled_once(self, store: AgentStore) -> None:
        self.shown(store, "i1")
        waiting = store.unsettled("s")
        assert waiting == ("i1", "when does it leave?", (FERRY.id, BIKE.id))
        kinds = {FERRY.id: "used", BIKE.id: "ignored"}
        assert store.settle(at=AT, session_id="s", injection_id="i1", kinds=kinds)
        assert not store.settle(at=AT, session_id="s", injection_id="i1", kinds=kinds)
        assert store.unsettled("s") is None
        uses = store.uses([FERRY.id, BIKE.id])
        assert (uses[FERRY.id].used, uses[FERRY.id].shown, uses[BIKE.id].ignored) == (1, 1, 1)

    def test_a_turn_finds_its_injection_by_run_and_what_was_not_seen_has_none(self, store: AgentStore) -> None:
        self.shown(store, "i1", run="r1")
        self.shown(store, "i2", run="r2")
        waiting = store.unsettled("s", run_id="r1")
        assert waiting is not None
        assert waiting.injection_id == "i1"
        store.record_unshown("i2", at=AT)
        assert store.unsettled("s", run_id="r2") is None

    def test_a_failed_turn_teaches_nothing(self, store: AgentStore) -> None:
        self.shown(store, "i1")
        assert store.settle(at=AT, session_id="s", injection_id="i1", kinds={FERRY.id: "used"}, success=False)
        assert (store.unsettled("s"), store.all_uses()) == (None, {})

    def test_the_next_message_can_object_once(self, store: AgentStore) -> None:
        self.shown(store, "i1")
        store.settle(at=AT, session_id="s", injection_id="i1", kinds={FERRY.id: "used"})
        assert store.object_to("s", at=AT, judge=lambda turn: list(turn.kinds)) == [FERRY.id]
        assert store.object_to("s", at=AT, judge=lambda turn: list(turn.kinds)) == []
        assert store.all_uses()[FERRY.id].contradicted == 1

    def test_a_verdict_counts_once_and_can_be_changed(self, store: AgentStore) -> None:
        self.shown(store, "i1")
        generation = store.generation()
        assert store.add_verdict(True, at=AT, injection_id="i1") == [FERRY.id, BIKE.id]
        assert store.generation() > generation, "answers given before are void"
        assert store.add_verdict(True, at=AT, injection_id="i1") == []
        assert store.add_verdict(False, at=AT, injection_id="i1", ids=[FERRY.id]) == [FERRY.id]
        uses = store.all_uses()
        assert (uses[FERRY.id].good, uses[FERRY.id].bad, uses[BIKE.id].good) == (0, 1, 1)
        with pytest.raises(StoreError):
            store.add_verdict(True, at=AT, injection_id="unheard of")
        with pytest.raises(StoreError):
            store.add_verdict(True, at=AT, ids=["0" * 16])

    def test_a_mark_is_set_changed_and_taken_away(self, store: AgentStore) -> None:
        generation = store.generation()
        assert store.mark(FERRY.id, "pin", at=AT)
        assert store.generation() > generation, "answers given before are void"
        assert not store.mark(FERRY.id, "pin", at=AT)
        assert list(store.pinned()) == [FERRY.id]
        assert store.mark(FERRY.id, "block", at=AT)
        assert not store.pinned()
        assert store.marks() == {FERRY.id: "block"}
        assert store.only_marks([FERRY.id, BIKE.id])[FERRY.id].mark == "block"
        assert store.mark(FERRY.id, "", at=AT)
        assert store.marks() == {}
        for chunk_id, mark in (("0" * 16, "pin"), (FERRY.id, "frame")):
            with pytest.raises(StoreError):
                store.mark(chunk_id, mark, at=AT)

    def test_the_log_is_read_in_order_by_kind_and_onwards(self, store: AgentStore) -> None:
        self.shown(store, "i1", run="r")
        store.settle(at=AT, session_id="s", injection_id="i1", kinds={}, run_id="r", error="none", duration_ms=7)
        first, second = store.events()
        assert (first.kind, first.at, first.session, first.run, first.injection) == ("injection", AT, "s", "r", "i1")
        assert (second.data["ms"], second.number > first.number) == (7, True)
        assert list(store.events(EventKind.TURN)) == list(store.events(after=first.number)) == [second]

    def test_what_is_forgotten_leaves_no_trace_and_does_not_come_back(self, store: AgentStore) -> None:
        store.replace_file(OTHER, chunks=[a_chunk(FERRY.text, OTHER, heading=FERRY.heading)])
        self.shown(store, "i1")
        store.settle(at=AT, session_id="s", injection_id="i1", kinds={FERRY.id: "used", BIKE.id: "used"})
        store.add_embeddings(MODEL, [(FERRY.id, a_vector(1, 0, 0, 0))])
        gone = store.forget([FERRY.id], at=AT)
        assert len(gone) == 2
        assert gone[FERRY.id] == [FERRY.id]
        left = "".join(str(event) for event in store.events())
        assert not [trace for trace in (*gone, "leave") if trace in left]
        assert set(store.all_uses()) == {BIKE.id}
        assert [chunk.id for chunk in store.all_chunks()] == [BIKE.id]
        assert store.changes_since(store.generation() - 1).complete, "derived indexes keep no word of it"
        store.replace_file(NOTE, chunks=[FERRY, BIKE])
        assert store.get(FERRY.id) is None
        assert store.forgotten_at() == [AT]
        assert store.forget(["0" * 16], at=AT) == {"0" * 16: ["0" * 16]}

    # What happened, and what of it waits

    def happened(
        self, name: str, session: str = "s", *, run: str = "r", text: str = "", at: datetime = AT
    ) -> Happening:
        """Return something that happened."""
        return Happening(name, at, "openclaw", session, run, HappeningKind.PROMPT, {"text": text or name})

    def test_what_happened_comes_back_in_its_order_and_once(self, store: AgentStore) -> None:
        """C18: the same id twice is one."""
        first, second = self.happened("1"), self.happened("2", run="q")
        assert store.append([first, second], queued=["1"], now=AT) == {"1", "2"}
        assert store.append([first._replace(at=AT + HOUR), self.happened("3", "t")], queued=["1", "3"], now=AT) == {"3"}
        assert store.happenings("s") == [first, second]
        assert store.happenings("s", run="q") == store.happenings("s", newest=1) == [second]
        assert store.happenings(kinds=[HappeningKind.ANSWER]) == []
        found = store.waiting(now=AT, stuck=STUCK)
        assert (found.captured, found.sessions, found.pending, found.failed, found.last) == (3, 2, 2, 0, AT)

    def test_sessions_are_worked_on_side_by_side_each_in_its_order(self, store: AgentStore) -> None:
        """C9."""
        store.append([self.happened(n, s) for n, s in ("1a", "2b", "3a", "4b")], queued=["1", "2", "3", "4"], now=AT)
        one, two = store.lease(now=AT, most=9), store.lease(now=AT, most=9)
        assert one is not None
        assert two is not None
        assert [[one.id for one in lease.happenings] for lease in (one, two)] == [["1", "3"], ["2", "4"]]
        store.append([self.happened("5", "a")], queued=["5"], now=AT)
        assert store.lease(now=AT, most=9) is None, "5 comes after what is at work"
        store.done(one)
        assert self.leased(store, AT) == ["5"]
        store.release(two, now=AT)
        assert self.leased(store, AT) == ["2", "4"]

    def leased(self, store: AgentStore, now: datetime) -> list[str]:
        """Take what is due, and return its ids."""
        lease = store.lease(now=now, most=9)
        return [one.id for one in lease.happenings] if lease else []

    def test_what_fails_is_tried_three_times_after_longer_and_longer_waits(self, store: AgentStore) -> None:
        """C9, vector 17: an item fails at 0 s, again, again: due 2 s, then 6 s, then failed."""
        store.append([self.happened("1")], queued=["1"], now=AT)
        for second, due in ((0, 2), (2, 6)):
            lease = store.lease(now=AT + SECOND * second, most=9)
            assert lease is not None
            store.fail(lease, "no room", now=AT + SECOND * second, waits=WAITS)
            assert store.waiting(now=AT, stuck=STUCK).due == AT + SECOND * due
            assert store.lease(now=AT + SECOND * (due - 1), most=9) is None
        lease = store.lease(now=AT + SECOND * 6, most=9)
        assert lease is not None
        assert lease.attempts == 2
        store.fail(lease, "no room", now=AT, waits=WAITS)
        found = store.waiting(now=AT, stuck=STUCK)
        assert (found.pending, found.failed, found.errors) == (0, 1, (("1", "no room"),))
        assert store.retry(now=AT) == 1
        assert self.leased(store, AT) == ["1"]

    def test_what_waits_for_another_try_holds_up_its_session_alone_and_is_then_tried_alone(
        self, store: AgentStore
    ) -> None:
        """C9, vector 20: a waits for its retry, b of the same session is pending: b waits."""
        store.append([self.happened(n, s) for n, s in ("as", "bs", "ct")], queued=["a", "b", "c"], now=AT)
        lease = store.lease(now=AT, most=9)
        assert lease is not None
        store.fail(lease, "no room", now=AT, waits=WAITS)
        assert self.leased(store, AT) == ["c"]
        assert self.leased(store, AT + SECOND) == []
        assert self.leased(store, AT + SECOND * 2) == ["a"]

    def test_what_is_stuck_goes_back_and_counts(self, store: AgentStore) -> None:
        """C9, vector 18: processing for 300,000 ms is processing, for 300,001 ms pending again, attempts + 1."""
        store.append([self.happened("1"), self.happened("2")], queued=["1", "2"], now=AT)
        first = store.lease(now=AT, most=9)
        assert first is not None
        assert store.recover(now=AT + STUCK, stuck=STUCK, waits=WAITS) == 0
        late = AT + STUCK + timedelta(milliseconds=1)
        assert store.waiting(now=late, stuck=STUCK).stuck == 2
        assert store.recover(now=late, stuck=STUCK, waits=WAITS) == 1
        store.done(first)
        found = store.waiting(now=late, stuck=STUCK)
        assert (found.pending, found.processing) == (2, 0), "the first one that had it ends nothing"
        second = store.lease(now=late + SECOND * 2, most=9)
        assert second is not None
        assert (second.attempts, [one.id for one in second.happenings]) == (1, ["1"])

    def test_what_takes_its_process_with_it_three_times_has_failed_and_the_others_go_on(
        self, store: AgentStore
    ) -> None:
        """C9, vector 19."""
        store.append([self.happened("1"), self.happened("2")], queued=["1", "2"], now=AT)
        now, taken = AT, list[list[str]]()
        for _ in range(4):
            taken.append(self.leased(store, now))
            now += STUCK * 2
            store.recover(now=now, stuck=STUCK, waits=WAITS)
            now += STUCK
        assert taken == [["1", "2"], ["1"], ["1"], ["2"]]
        assert store.waiting(now=now, stuck=STUCK).failed == 1

    def test_payloads_go_after_a_while_and_what_waits_keeps_its_own(self, store: AgentStore) -> None:
        """C12, defect 10: what happened is still known, and is not kept twice."""
        store.append([self.happened(n) for n in "123"], queued=["1", "2"], now=AT)
        store.append([self.happened("4", at=AT + HOUR)], queued=[], now=AT)
        lease = store.lease(now=AT, most=1)
        assert lease is not None
        store.fail(lease, "no", now=AT, waits=())
        assert store.expire(before=AT + SECOND) == 2
        assert [one.payload.get("text", "") for one in store.happenings("s")] == ["", "2", "", "4"]
        assert store.append([self.happened("1")], queued=["1"], now=AT) == frozenset()
        assert store.waiting(now=AT, stuck=STUCK).failed == 0

    def test_forgetting_takes_what_happened_where_it_was_shown_and_what_says_it(self, store: AgentStore) -> None:
        self.shown(store, "i1", run="r1")
        told = [
            self.happened("1", run="r1", text="when was that?"),
            self.happened("2", run="r2", text=f"You said:   {FERRY.text.upper()}, didn't you"),
            self.happened("3", run="r3", text="The ferry is late"),
        ]
        store.append(told, queued=["1", "2", "3"], now=AT)
        store.forget([FERRY.id], at=AT)
        assert [dict(one.payload) for one in store.happenings("s")] == [{}, {}, {"text": "The ferry is late"}]
        assert self.leased(store, AT) == ["3"]

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
        stop = threading.Event()

        def read() -> int:
            looked = 0
            while not stop.is_set():
                assert set(store.chunks([BIKE.id])) == {BIKE.id}
                looked += 1
            return looked

        with ThreadPoolExecutor(max_workers=3) as pool:
            readers = [pool.submit(read) for _ in range(3)]
            try:
                for number in range(20):
                    store.replace_file(OTHER, chunks=[a_chunk(f"number {number}", OTHER)])
            finally:
                stop.set()
            assert all(reader.result(30) for reader in readers)

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
