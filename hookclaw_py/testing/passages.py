"""What every store promises of passages: chunks and files, generations, and what is derived from them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from hookclaw_py.errors import StoreError
from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.types import Period
from hookclaw_py.store.content import embedded
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.recalled import Part
from hookclaw_py.testing.fakes import a_chunk, a_vector
from hookclaw_py.testing.store_under_test import AT, BIKE, FERRY, MODEL, NOTE, OTHER, StoreUnderTest


class PassageContract(StoreUnderTest):
    """The tests of chunks and files, and of vectors."""

    # Chunks

    def test_a_chunk_comes_back_as_it_was(self, store: AgentStore) -> None:
        found = store.get(FERRY.id)
        assert found == FERRY
        assert [chunk.id for chunk in store.all_chunks()] == [FERRY.id, BIKE.id]
        assert [chunk.id for chunk in store.chunks_of(NOTE)] == [FERRY.id, BIKE.id]
        assert store.chunks_of(OTHER) == []
        assert store.following(FERRY) == BIKE
        assert store.following(BIKE) is None
        assert store.following(a_chunk("Nobody wrote this")) is None
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
        part = Part(frozenset([NOTE]))
        assert store.count(part) == 2
        assert list(store.dated(day, 5, part)) == [FERRY.id]
        assert "quillwort harbour" in store.names()
        assert "quillwort harbour" not in store.names(part)
        assert {chunk_id for chunk_id, *_ in store.changes_since(-1, part).added} == {FERRY.id, BIKE.id}

    def test_a_part_may_be_of_some_kinds_or_without_some(self, store: AgentStore) -> None:
        said = a_chunk("The harbour closes at noon", "sessions/a.jsonl", created_at=AT, heading="Pier", kind=SESSION)
        store.replace_file(said.place.path, chunks=[said], names=["mole"], recipe=SESSION.name)
        store.mark(said.memory, "pin", at=AT)
        store.add_embeddings(MODEL, [(chunk.id, a_vector(n)) for n, chunk in enumerate((FERRY, BIKE, said))])
        day, kind = Period(AT - timedelta(hours=1), AT + timedelta(hours=1)), frozenset([SESSION.name])
        for part, held in ((Part(only=kind), {said.id}), (Part(without=kind), {FERRY.id, BIKE.id})):
            found = {chunk_id for chunk_id, *_ in store.changes_since(-1, part).added}
            assert found == held == set(store.vectors_since(MODEL, -1, part).ids)
            assert {chunk.id for chunk in store.all_chunks() if part.holds(chunk)} == held
            assert store.count(part) == len(held)
            assert set(store.dated(day, 5, part)) == held - {BIKE.id}
            assert ("pier" in store.names(part), "mole" in store.names(part)) == (said.id in held,) * 2
            assert list(store.pinned(part)) == [said.id] * (said.id in held)
        assert store.count(Part(frozenset([NOTE]), only=kind)) == 0

    def test_chunks_are_found_by_day_by_place_and_by_the_beginning_of_their_id(self, store: AgentStore) -> None:
        assert list(store.dated(Period(AT, AT + timedelta(days=1)), 5)) == [FERRY.id]
        assert list(store.dated(Period(AT + timedelta(days=30), AT + timedelta(days=31)), 5)) == []
        ends = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9))), datetime.max.replace(tzinfo=UTC)
        assert list(store.dated(Period(*ends), 5)) == [FERRY.id], "the calendar ends there"
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
        assert (found.ids, found.rows[:].tolist()) == ([FERRY.id], [[1, 0, 0, 0]])
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
