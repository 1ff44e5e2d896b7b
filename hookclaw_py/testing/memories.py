"""What every store promises of memories: what goes on in an edited passage, and what is learned of it from events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hookclaw_py.errors import StoreError
from hookclaw_py.model.memory import Cause, Memory, MemoryStatus
from hookclaw_py.model.origin import Origin
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.events import EventKind
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.testing.fakes import a_chunk, a_vector
from hookclaw_py.testing.store_under_test import AT, BIKE, FERRY, MODEL, NOTE, OTHER, StoreUnderTest


class MemoryContract(StoreUnderTest):
    """The tests of memories, revisions, and events."""

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

    def test_no_wording_is_trusted_more_than_one_before_it(self, store: AgentStore) -> None:
        clipped = replace(FERRY, origin=Origin.WEB)
        store.replace_file(NOTE, chunks=[clipped, BIKE])
        edited = self.edited(FERRY.text.replace("nine", "ten"))
        store.replace_file(NOTE, chunks=[edited, BIKE])
        assert store.chunks([edited.id])[edited.id].origin is Origin.WEB
        store.forget_file(NOTE)
        store.replace_file(OTHER, chunks=[a_chunk(edited.text, OTHER, heading=edited.heading), BIKE])
        assert {chunk.origin for chunk in store.chunks_of(OTHER)} == {Origin.WEB, BIKE.origin}

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
