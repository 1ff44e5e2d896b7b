"""The store: what goes in comes out, and derived indexes can follow it."""

from __future__ import annotations

import sqlite3
import stat
import threading
from datetime import UTC, datetime
from pathlib import Path
from time import time_ns
from typing import Any

import numpy as np
import pytest
import zstandard

from hookclaw_py.config import Config
from hookclaw_py.engine import Engine
from hookclaw_py.errors import StoreError
from hookclaw_py.model.kind import NOTE, SESSION
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.store.database import Store, embedding_text
from hookclaw_py.store.packing import packed_tokens, tokens_of
from hookclaw_py.store.sql.passages import Kept
from tests.calls import calls

DAY = datetime(2026, 2, 9, tzinfo=UTC)
MODEL = "hash-4"


def chunk(number: int, **fields: Any) -> Chunk:
    values = {
        "text": f"fact {number}",
        "terms": Terms(("fact", str(number))),
        "place": fields.get("kind", NOTE).place(
            fields.pop("path", "memory/a.md"), fields.pop("lines", (number, number))
        ),
    }
    return Chunk(id=f"{number:016x}", **{**values, **fields})


def vector(*values: float) -> bytes:
    return np.array(values, "<f4").tobytes()


@pytest.fixture(params=["on disk", "in memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path):
    with Store.open(tmp_path / "agents" / "main" if request.param == "on disk" else None) as opened:
        yield opened


def test_a_chunk_comes_back_as_it_was(store: Store):
    whole = chunk(7, heading="A > B", created_at=DAY, kind=SESSION, lines=(3, 9), text="größe\n日志")
    store.replace_file("memory/a.md", chunks=[whole, chunk(8, terms=Terms())])
    assert store.get(whole.id) == whole
    assert store.get(chunk(8).id) == chunk(8, terms=Terms())
    assert store.all_chunks() == [whole, chunk(8, terms=Terms())]
    assert store.count() == 2


def test_chunks_come_in_the_order_asked_for_and_unknown_ids_are_left_out(store: Store):
    many = [chunk(n) for n in range(1, 1201)]
    store.replace_file("memory/a.md", chunks=many)
    ids = [c.id for c in reversed(many)]
    assert list(store.chunks([*ids, "ffff", "nonsense", "-1", "f" * 16])) == ids
    assert store.get("nonsense") is None
    assert store.chunks([]) == {}


def test_a_store_larger_than_what_is_kept_in_memory_answers_all_the_same(tmp_path: Path):
    with Store.open(tmp_path, kept=Kept(chunk_bytes=3_000)) as store:
        store.replace_file("memory/a.md", chunks=[chunk(n) for n in range(1, 6)])
        ids = [chunk(n).id for n in range(1, 6)]
        for asked in (ids, ids[:1], ids[3:], ids):
            assert list(store.chunks(asked)) == asked


def test_of_chunks_that_were_read_those_asked_for_again_stay_and_others_are_let_go(tmp_path: Path):
    with Store.open(tmp_path, kept=Kept(chunk_bytes=8_000)) as store:
        store.replace_file("memory/a.md", chunks=[chunk(n) for n in range(1, 41)])
        often, once = store.get(chunk(1).id), store.get(chunk(2).id)
        for n in range(3, 41):
            store.get(chunk(n).id)
            assert store.get(chunk(1).id) is often, "it was asked for a moment ago"
        assert store.get(chunk(2).id) == once
        assert store.get(chunk(2).id) is not once, "it was read again"


def test_everything_survives_closing(tmp_path: Path):
    with Store.open(tmp_path) as store:
        store.replace_file("memory/a.md", chunks=[chunk(1)], digest="d", size=5, mtime_ns=6, recipe="r")
        store.add_embeddings(MODEL, [(chunk(1).id, vector(1, 0))])
        store.set_meta("null sample", {"scores": [0.1, 0.2]})
        generation = store.generation()
    with Store.open(tmp_path) as store:
        assert store.get(chunk(1).id) == chunk(1)
        assert store.files()["memory/a.md"] == ("d", 5, 6, "r", (), None)
        assert store.get_meta("null sample") == {"scores": [0.1, 0.2]}
        assert store.get_meta("unknown", 5) == 5
        assert store.generation() == generation
        assert store.vectors_since(MODEL, 0).ids == [chunk(1).id]


def test_files_are_for_their_owner_only(tmp_path: Path):
    folder = agent_folder(tmp_path, "main")
    with Store.open(folder) as store:
        store.replace_file("memory/a.md", chunks=[chunk(1)])
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        for file in folder.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


@pytest.mark.parametrize("agent_id", ["", ".", "..", "a/b", "../main", "a\\b", "-x", "a b", "a" * 65, "é"])
def test_no_agent_id_no_memory(agent_id: str, tmp_path: Path):
    with pytest.raises(StoreError, match="agent id"):
        agent_folder(tmp_path, agent_id)


def test_people_can_read_it_with_sqlite(tmp_path: Path):
    with Store.open(tmp_path) as store:
        store.replace_file("memory/a.md", chunks=[chunk(1, heading="H", created_at=DAY)], size=3)
        store.add_embeddings(MODEL, [(chunk(1).id, vector(1, 0))])
    plain = sqlite3.connect(tmp_path / "memory.db")
    assert plain.execute("SELECT * FROM notes").fetchall() == [
        (chunk(1).id, "memory/a.md", "1-1", "H", "fact 1", "2026-02-09T00:00:00+00:00", chunk(1).id, 1, 1)
    ]
    assert plain.execute("SELECT path, chunks FROM note_files").fetchall() == [("memory/a.md", 1)]
    plain.close()


# Replacing files


def test_replacing_a_file_keeps_what_stayed_and_drops_what_went(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1), chunk(2)])
    moved = chunk(2, lines=(10, 11), created_at=DAY)
    assert store.replace_file("memory/a.md", chunks=[chunk(3), moved]) == (1, 1, 1)
    assert store.all_chunks() == [chunk(3, memory=chunk(1).id, revision=2), moved]


def test_a_file_without_chunks_is_remembered_and_a_forgotten_one_is_not(store: Store):
    store.replace_file("memory/empty.md", chunks=[])
    assert list(store.files()) == ["memory/empty.md"]
    store.replace_file("memory/a.md", chunks=[chunk(1), chunk(2)])
    assert store.forget_file("memory/a.md") == 2
    assert store.forget_file("memory/empty.md") == 0
    assert store.files() == {}
    assert store.count() == 0


def test_a_failed_write_changes_nothing_and_the_next_one_works(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1)])
    generation = store.generation()
    with pytest.raises(StoreError, match="UNIQUE"):
        store.replace_file("memory/b.md", chunks=[chunk(9, path="memory/b.md"), chunk(1, path="memory/b.md")])
    assert store.generation() == generation
    assert list(store.files()) == ["memory/a.md"]
    store.replace_file("memory/b.md", chunks=[chunk(9, path="memory/b.md")])
    assert store.count() == 2


# The generation ("mend 7": the cache's key holds it)


def test_every_visible_change_raises_the_generation_and_nothing_else_does(store: Store):
    seen = [store.generation()]

    def raised() -> bool:
        seen.append(store.generation())
        return seen[-1] > seen[-2]

    store.replace_file("memory/a.md", chunks=[chunk(1)])
    assert raised()
    store.replace_file("memory/a.md", chunks=[chunk(1)], digest="other", mtime_ns=5)
    assert not raised()
    store.touch_file("memory/a.md", size=1, mtime_ns=2)
    store.set_meta("a", 1)
    store.prune()
    assert not raised()
    store.replace_file("memory/a.md", chunks=[chunk(1, lines=(5, 5))])
    assert raised()
    store.replace_file("memory/a.md", chunks=[chunk(1, lines=(5, 5), created_at=DAY)])
    assert raised()
    store.add_embeddings(MODEL, [])
    assert not raised()
    store.add_embeddings(MODEL, [(chunk(1).id, vector(1, 0))])
    assert raised()
    store.forget_file("memory/a.md")
    assert raised()
    store.forget_file("memory/a.md")
    assert not raised()


def test_another_process_sees_the_new_generation(tmp_path: Path):
    with Store.open(tmp_path) as ours, Store.open(tmp_path) as theirs:
        before = ours.generation()
        theirs.replace_file("memory/a.md", chunks=[chunk(1)])
        assert ours.generation() > before
        assert ours.get(chunk(1).id) == chunk(1)


# Catching up


def test_a_lexical_index_can_follow(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1), chunk(2)])
    everything = store.changes_since(-1)
    first = (chunk(1).id, ["fact", "1"], ["fact", "1", "fact", "2"])
    second = (chunk(2).id, ["fact", "2"], ["fact", "1", "fact", "2"])
    assert everything == ([first, second], [], store.generation(), True)
    store.replace_file("memory/a.md", chunks=[chunk(2, lines=(1, 1)), chunk(3)])
    changes = store.changes_since(everything.generation)
    second = (chunk(2).id, ["fact", "2"], ["fact", "2", "fact", "3"])
    third = (chunk(3).id, ["fact", "3"], ["fact", "2", "fact", "3"])
    assert changes == ([second, third], [chunk(1).id], store.generation(), False)
    assert store.changes_since(changes.generation) == ([], [], store.generation(), False)


def test_a_chunk_whose_terms_change_is_indexed_again_under_its_id(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1), chunk(2)])
    before = store.generation()
    store.replace_file("memory/a.md", chunks=[chunk(1), chunk(2, terms=Terms(("tagged",)))])
    assert (chunk(2).id, ["tagged"], ["fact", "1", "tagged"]) in store.changes_since(before).added


def test_a_chunk_that_went_and_came_back_is_not_deleted(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1)])
    before = store.generation()
    store.forget_file("memory/a.md")
    store.replace_file("memory/a.md", chunks=[chunk(1)])
    changes = store.changes_since(before)
    assert changes.deleted == []
    assert [chunk_id for chunk_id, _, _ in changes.added] == [chunk(1).id]


def test_an_index_from_another_life_of_the_store_starts_from_empty(tmp_path: Path):
    with Store.open(tmp_path / "old") as store:
        store.replace_file("memory/a.md", chunks=[chunk(1)])
        old = store.generation()
        assert store.changes_since(old + 1).complete
        assert store.vectors_since(MODEL, old + 1).complete
        started = store.changes_since(old).complete
    assert not started
    while time_ns() // 1_000_000 <= old:  # the clock ticks once a millisecond
        pass
    with Store.open(tmp_path / "new") as store:
        for n in range(1, 4):
            store.replace_file("memory/a.md", chunks=[chunk(n)])
        assert store.changes_since(old).complete
        assert not store.changes_since(store.generation()).complete


def test_an_index_that_slept_through_pruned_deletions_starts_from_empty(store: Store):
    generations = [store.generation()]
    for n in range(1, 6):
        store.replace_file("memory/a.md", chunks=[chunk(n)])
        generations.append(store.generation())
    store.prune(tombstones=2)
    assert [store.changes_since(g).complete for g in generations] == [True, True, True, False, False, False]
    assert store.changes_since(generations[3]).deleted == [chunk(3).id, chunk(4).id]


# Vectors


def test_vectors_are_asked_for_once_a_text_and_newest_notes_first(store: Store):
    old, new = chunk(1, created_at=DAY), chunk(2, created_at=DAY.replace(month=3), heading="2026-03-09 > Ops")
    same = chunk(3, text="fact 1", path="memory/b.md")
    store.replace_file("memory/a.md", chunks=[old, new])
    store.replace_file("memory/b.md", chunks=[same])
    assert store.pending_embeddings(MODEL, 10) == [(new.id, "Ops\nfact 2"), (old.id, "fact 1")]
    assert store.pending_embeddings(MODEL, 1) == [(new.id, embedding_text(new))]
    assert store.pending_count(MODEL) == 2
    store.add_embeddings(MODEL, [(old.id, vector(1, 0)), (new.id, vector(0, 1))])
    assert store.pending_count(MODEL) == 0
    found = store.vectors_since(MODEL, -1)
    assert found.ids == [old.id, new.id, same.id]
    assert found.rows[:].tolist() == [[1, 0], [0, 1], [1, 0]]
    assert found.rows[:].dtype == np.float32
    assert found.complete


def test_a_vector_index_can_follow(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1), chunk(2)])
    store.add_embeddings(MODEL, [(chunk(1).id, vector(1, 0))])
    first = store.vectors_since(MODEL, store.generation())
    assert (first.ids, first.rows.shape, first.complete) == ([], (0, 2), False)
    store.add_embeddings(MODEL, [(chunk(2).id, vector(0, 1))])
    second = store.vectors_since(MODEL, first.generation)
    assert second.ids == [chunk(2).id]
    store.replace_file("memory/b.md", chunks=[chunk(3, text="fact 2", path="memory/b.md")])
    store.forget_file("memory/a.md")
    third = store.vectors_since(MODEL, second.generation)
    assert (third.ids, third.deleted) == ([chunk(3).id], [chunk(1).id, chunk(2).id])
    assert third.rows[:].tolist() == [[0, 1]]


def test_vectors_of_two_models_never_mix(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1)])
    store.add_embeddings("small", [(chunk(1).id, vector(1, 0))])
    store.add_embeddings("large", [(chunk(1).id, vector(0, 0, 1))])
    assert store.vectors_since("small", -1).rows[:].tolist() == [[1, 0]]
    assert store.vectors_since("large", -1).rows[:].tolist() == [[0, 0, 1]]
    assert store.vectors_since("unknown", -1).ids == []
    assert store.pending_count("unknown") == 1


def test_every_chunk_with_a_vector_counts_as_embedded_also_when_two_share_it(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1), chunk(2, text="fact 1"), chunk(3), chunk(4, text="fact 3")])
    assert store.embedded_count(MODEL) == 0
    store.add_embeddings(MODEL, [(chunk(1).id, vector(1, 0))])
    assert (store.embedded_count(MODEL), store.pending_count(MODEL)) == (2, 1)
    assert store.embedded_count("another") == 0
    store.add_embeddings(MODEL, [(chunk(3).id, vector(0, 1))])
    assert (store.embedded_count(MODEL), store.pending_count(MODEL)) == (4, 0)


def test_a_vector_that_is_dropped_is_made_again_at_once_and_one_that_is_damaged_at_the_next_start(tmp_path: Path):
    folder = tmp_path / "agents" / "main"
    with Store.open(folder) as store:
        store.replace_file("memory/a.md", chunks=[chunk(1), chunk(2)])
        store.add_embeddings(MODEL, [(chunk(1).id, vector(1, 0)), (chunk(2).id, vector(0, 1))])
        assert (store.pending_count(MODEL), store.pending_embeddings(MODEL, 5)) == (0, [])
        store.drop_vectors(MODEL, [chunk(1).id])
        assert (store.pending_count(MODEL), store.pending_embeddings(MODEL, 5)) == (1, [(chunk(1).id, "fact 1")])
        store.add_embeddings(MODEL, [(chunk(1).id, vector(1, 0))])
    with sqlite3.connect(folder / "memory.db") as raw:
        raw.execute("UPDATE embeddings SET vector = x'01' WHERE rowid = 2")
    with Store.open(folder) as store:
        assert store.pending_embeddings(MODEL, 5) == [(chunk(2).id, "fact 2")]
        store.add_embeddings(MODEL, [(chunk(2).id, vector(0, 1))])
        assert (store.pending_count(MODEL), len(store.vectors_since(MODEL, -1).ids)) == (0, 2)


def test_a_text_that_moves_keeps_its_vector(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1)])
    store.add_embeddings(MODEL, [(chunk(1).id, vector(1, 0))])
    store.forget_file("memory/a.md")
    store.prune()
    store.replace_file("memory/b.md", chunks=[chunk(2, text="fact 1", path="memory/b.md")])
    assert store.pending_count(MODEL) == 0
    assert store.vectors_since(MODEL, -1).ids == [chunk(2).id]


def test_vectors_that_no_chunk_uses_go_once_they_are_many(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(n) for n in range(1, 6)])
    store.add_embeddings(MODEL, [(chunk(n).id, vector(n, 0)) for n in range(1, 6)])
    store.replace_file("memory/a.md", chunks=[chunk(1)])
    store.prune(spare=2)
    store.replace_file("memory/a.md", chunks=[chunk(n) for n in range(1, 6)])
    assert store.pending_count(MODEL) == 4


@pytest.mark.parametrize("bad", [vector(1, 0, 0), b"", b"abc", vector(float("nan"), 0), vector(float("inf"), 0)])
def test_a_vector_that_is_none_is_refused_and_nothing_is_written(store: Store, bad: bytes):
    store.replace_file("memory/a.md", chunks=[chunk(1), chunk(2), chunk(3)])
    store.add_embeddings(MODEL, [(chunk(1).id, vector(1, 0))])
    with pytest.raises(StoreError, match=MODEL):
        store.add_embeddings(MODEL, [(chunk(2).id, vector(1, 0)), (chunk(3).id, bad)])
    assert store.vectors_since(MODEL, -1).ids == [chunk(1).id]


def test_a_vector_for_a_chunk_that_is_gone_is_passed_over(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1)])
    store.add_embeddings(MODEL, [(chunk(1).id, vector(1, 0)), (chunk(2).id, vector(0, 1))])
    assert store.vectors_since(MODEL, -1).ids == [chunk(1).id]


# Token vectors


def tokens(*axes: int) -> bytes:
    """Return unit vectors times 127 along these axes, the first one being 1; backwards where one is negative."""
    rows = np.zeros((len(axes), 64), np.int8)
    for row, axis in zip(rows, axes, strict=True):
        row[abs(axis) - 1] = 127 if axis > 0 else -127
    return rows.tobytes()


def axes_of(store: Store, ids: list[str], model: str = MODEL) -> dict[str, list[int]]:
    found = store.tokens(model, ids)
    assert all(own.dtype == np.int8 and own.shape[1] == 64 for own in found.values())
    assert all((np.abs(own).max(axis=1) == 127).all() for own in found.values())
    return {i: [int(np.sign(row.sum()) * (np.abs(row).argmax() + 1)) for row in own] for i, own in found.items()}


def test_token_vectors_come_back_by_chunk_and_those_without_are_left_out(store: Store):
    ids = [chunk(n).id for n in range(1, 6)]
    store.replace_file("memory/a.md", chunks=[*map(chunk, range(1, 5))])
    store.add_embeddings(
        MODEL,
        [(i, vector(1, 0)) for i in ids],
        {ids[0]: tokens(1, 2, 3), ids[1]: tokens(-64), ids[2]: b"", ids[4]: tokens(9)},
    )
    for _ in range(2):  # read, then kept
        assert axes_of(store, [*ids, "no id", "0" * 16]) == {ids[0]: [1, 2, 3], ids[1]: [-64]}
    assert axes_of(store, [ids[1]]) == {ids[1]: [-64]}
    assert store.pending_count(MODEL) == 0


def test_token_vectors_of_two_models_never_mix(store: Store):
    one = chunk(1)
    store.replace_file("memory/a.md", chunks=[one])
    store.add_embeddings("small", [(one.id, vector(1, 0))], {one.id: tokens(1)})
    store.add_embeddings("large", [(one.id, vector(1, 0, 0))], {one.id: tokens(2, 3)})
    assert axes_of(store, [one.id], "small") == {one.id: [1]}
    assert axes_of(store, [one.id], "large") == {one.id: [2, 3]}
    assert axes_of(store, [one.id], "unknown") == {}


def test_chunks_of_one_text_share_their_token_vectors(store: Store):
    one, same = chunk(1), chunk(2, text="fact 1")
    store.replace_file("memory/a.md", chunks=[one, same])
    store.add_embeddings(MODEL, [(one.id, vector(1, 0))], {one.id: tokens(7)})
    assert axes_of(store, [one.id, same.id]) == {one.id: [7], same.id: [7]}


def test_kept_token_vectors_follow_every_change(store: Store):
    one = chunk(1)
    store.replace_file("memory/a.md", chunks=[one])
    assert axes_of(store, [one.id]) == {}
    store.add_embeddings(MODEL, [(one.id, vector(1, 0))])
    assert axes_of(store, [one.id]) == {}
    store.add_embeddings(MODEL, [(one.id, vector(1, 0))], {one.id: tokens(1)})
    assert axes_of(store, [one.id]) == {one.id: [1]}
    store.replace_file("memory/a.md", chunks=[chunk(2)])
    assert axes_of(store, [one.id]) == {}


def test_a_text_that_is_forgotten_takes_its_token_vectors_along(store: Store):
    one = chunk(1)
    store.replace_file("memory/a.md", chunks=[one])
    store.add_embeddings(MODEL, [(one.id, vector(1, 0))], {one.id: tokens(1)})
    assert axes_of(store, [one.id]) == {one.id: [1]}
    store.forget([one.id], at=DAY)
    assert axes_of(store, [one.id]) == {}
    with store._reading() as connection:
        assert connection.execute("SELECT count(*) FROM embeddings").fetchone() == (0,)


def random_units(count: int, dimension: int) -> np.ndarray:
    rows = np.random.default_rng(5).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_what_is_kept_of_vectors_is_small_and_near_to_them(store: Store):
    """keep: 64 numbers a token are most of what a passage takes."""
    one, two = chunk(1), chunk(2)
    whole, rows = random_units(2, 384), np.rint(random_units(150, 64) * 127).astype(np.int8)
    store.replace_file("memory/a.md", chunks=[one, two])
    vectors = [(c.id, v.astype("<f4").tobytes()) for c, v in zip((one, two), whole, strict=True)]
    store.add_embeddings(MODEL, vectors, {one.id: rows.tobytes()})
    found = store.vectors_since(MODEL, -1)
    assert found.ids == [one.id, two.id]
    assert np.abs(found.rows[:] @ whole.T - whole @ whole.T).max() < 0.003
    assert np.linalg.norm(found.rows[:], axis=1) == pytest.approx(1, abs=1e-4)
    kept = store.tokens(MODEL, [one.id])[one.id].astype(float)
    assert np.linalg.norm(kept, axis=1) == pytest.approx(127, abs=4)
    assert (kept * rows).sum(axis=1).mean() / 127**2 > 0.97
    with store._reading() as connection:
        (sizes,) = connection.execute("SELECT length(vector), length(tokens) FROM embeddings WHERE tokens NOT NULL")
    assert sizes[0] < 400
    assert sizes[1] < 150 * 26


def test_hardly_a_sixth_of_a_store_is_empty_or_overhead(tmp_path: Path):
    many = [chunk(n) for n in range(60)]
    whole, rows = random_units(60, 384), np.rint(random_units(60 * 100, 64) * 127).astype(np.int8).reshape(60, -1)
    with Store.open(tmp_path / "main") as opened:
        empty = (tmp_path / "main" / "memory.db").stat().st_size
        opened.replace_file("memory/a.md", chunks=many)
        vectors = [(c.id, v.astype("<f4").tobytes()) for c, v in zip(many, whole, strict=True)]
        opened.add_embeddings(MODEL, vectors, {c.id: own.tobytes() for c, own in zip(many, rows, strict=True)})
        with opened._reading() as connection:
            held = connection.execute("SELECT sum(length(vector) + length(tokens)) FROM embeddings").fetchone()[0]
    assert (tmp_path / "main" / "memory.db").stat().st_size - empty < 1.2 * held + 60 * 400, "a chunk's row takes 400"


def test_of_tokens_without_a_vector_the_places_are_kept_and_hardly_more(store: Store):
    one, two, three = chunk(1), chunk(2), chunk(3)
    store.replace_file("memory/a.md", chunks=[one, two, three])
    rows = np.rint(random_units(100, 64) * 127).astype(np.int8)
    thinned = rows.copy()
    thinned[1::2] = 0
    own = {one.id: rows.tobytes(), two.id: thinned.tobytes(), three.id: np.zeros_like(rows).tobytes()}
    store.add_embeddings(MODEL, [(c.id, vector(1, 0)) for c in (one, two, three)], own)
    found = store.tokens(MODEL, [one.id, two.id, three.id])
    assert np.array_equal(found[two.id][::2], found[one.id][:99:2]), "the others are as they would be"
    assert not found[two.id][1::2].any()
    assert found[three.id].shape == (100, 64), "where there is nothing else, they stay"
    with store._reading() as connection:
        sizes = sorted(size for (size,) in connection.execute("SELECT length(tokens) FROM embeddings"))
    assert sizes[1] < 0.55 * sizes[2]


def test_a_text_of_more_tokens_than_any_model_reads_keeps_them_all(store: Store):
    one = chunk(1)
    rows = np.rint(random_units(2_100, 64) * 127).astype(np.int8)
    rows[3] = 0
    store.replace_file("memory/a.md", chunks=[one])
    store.add_embeddings(MODEL, [(one.id, vector(1, 0))], {one.id: rows.tobytes()})
    found = store.tokens(MODEL, [one.id])[one.id]
    assert found.shape == rows.shape
    assert np.flatnonzero(~found.any(axis=1)).tolist() == [3]


def written(store: Store, column: str, value: bytes) -> None:
    with store._writing() as connection:
        connection.execute(f"UPDATE embeddings SET {column} = ?", (value,))
        connection.execute("UPDATE counter SET generation = generation + 1")


def test_what_earlier_versions_wrote_of_vectors_is_read_beside_what_is_written_now(store: Store):
    one, two = chunk(1), chunk(2)
    store.replace_file("memory/a.md", chunks=[one])
    store.add_embeddings(MODEL, [(one.id, vector(1, 0))])
    written(store, "vector", vector(0.6, 0.8))
    written(store, "tokens", tokens(3, -4))
    store.replace_file("memory/a.md", chunks=[one, two])
    assert [i for i, _ in store.pending_embeddings(MODEL, 9)] == [two.id], "it is not made anew"
    store.add_embeddings(MODEL, [(two.id, vector(0, 1))], {two.id: tokens(5)})
    found = store.vectors_since(MODEL, -1)
    assert found.ids == [one.id, two.id]
    assert found.rows[:] == pytest.approx(np.array([[0.6, 0.8], [0, 1]]))
    assert axes_of(store, [one.id, two.id]) == {one.id: [3, -4], two.id: [5]}


@pytest.mark.parametrize(
    "bad",
    [
        tokens(1)[:-1],
        packed_tokens(tokens(1, 2))[:-2],
        zstandard.compress(tokens(1)[:-1]),
        b"\x28",
        b"\x01\x80" + packed_tokens(tokens(1, 2)),
        packed_tokens(tokens(1) + bytes(64) + tokens(2))[:-2],
        packed_tokens(bytes(64))[:1],
    ],
)
def test_damaged_token_vectors_are_as_none(store: Store, bad: bytes):
    one = chunk(1)
    store.replace_file("memory/a.md", chunks=[one])
    store.add_embeddings(MODEL, [(one.id, vector(1, 0))], {one.id: tokens(1)})
    assert axes_of(store, [one.id]) == {one.id: [1]}
    written(store, "tokens", bad)
    assert axes_of(store, [one.id]) == {}


def test_memory_for_token_vectors_is_bounded_and_a_pool_beyond_it_is_whole(tmp_path: Path):
    store = Store.open(tmp_path, kept=Kept(token_bytes=50_000))
    many = [chunk(n) for n in range(1, 1_202)]
    store.replace_file("memory/a.md", chunks=many)
    store.add_embeddings(MODEL, [(c.id, vector(1, 0)) for c in many], {c.id: tokens(5, 6) for c in many})
    ids = [c.id for c in many]
    for _ in range(2):
        assert axes_of(store, ids) == {chunk_id: [5, 6] for chunk_id in ids}
    kept = [store._tokens.bytes_kept]
    for start in range(0, 1_200, 10):
        assert len(axes_of(store, ids[start : start + 10])) == 10
        kept.append(store._tokens.bytes_kept)
    assert 40_000 < max(kept) <= 50_000
    store.close()


def test_by_itself_a_store_keeps_four_megabytes_of_token_vectors(tmp_path: Path):
    many = [chunk(n) for n in range(300)]
    rows = np.rint(random_units(256, 64) * 127).astype(np.int8).tobytes()  # 16 KB
    with Store.open(tmp_path) as store:
        store.replace_file("memory/a.md", chunks=many)
        store.add_embeddings(MODEL, [(c.id, vector(1, 0)) for c in many], {c.id: rows for c in many})
        kept = list[int]()
        for start in range(0, 300, 20):
            store.tokens(MODEL, [c.id for c in many[start : start + 20]])
            kept.append(store._tokens.bytes_kept)
    assert 3_000_000 < max(kept) <= 4_000_000


def test_the_token_vectors_of_chunks_that_were_read_are_found_without_reading_these_again(store: Store):
    many, said = [chunk(n) for n in range(1, 9)], list[str]()
    store.replace_file("memory/a.md", chunks=many)
    store.add_embeddings(MODEL, [(c.id, vector(1, 0)) for c in many], {c.id: tokens(5, 6) for c in many})
    ids = list(store.chunks([c.id for c in many]))
    with store._reading() as connection:
        connection.set_trace_callback(said.append)
    assert axes_of(store, ids) == {chunk_id: [5, 6] for chunk_id in ids}
    assert any("FROM embeddings" in one for one in said)
    assert not any("FROM chunks" in one for one in said)


def test_token_vectors_that_are_read_together_are_those_of_each_text_by_itself():
    kept: list[bytes | None] = [None, b"", b"\x28", tokens(3, -4), packed_tokens(tokens(5, 6))[:-2]]
    for n in range(200):  # more than are unpacked at a time
        rows = np.rint(random_units(n % 23, 64) * 127).astype(np.int8)
        rows[n % 5 :: 3] = 0
        kept.insert(n * n % len(kept), packed_tokens(rows.tobytes()))
    alone = [next(tokens_of([one])) for one in kept]
    together = list(tokens_of(kept))
    assert len(together) == len(kept)
    assert all(np.array_equal(one, own) for one, own in zip(together, alone, strict=True))
    assert {len(own) for own in alone} >= set(range(1, 20)), "some have many"


# Files


def test_a_files_warnings_are_kept_until_it_is_replaced(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1)], warnings=["line 3 is\nnot UTF-8", "no date"])
    assert store.files()["memory/a.md"].warnings == ("line 3 is not UTF-8", "no date")
    store.touch_file("memory/a.md", size=1, mtime_ns=2)
    assert store.files()["memory/a.md"].warnings == ("line 3 is not UTF-8", "no date")
    generation = store.generation()
    store.replace_file("memory/a.md", chunks=[chunk(1)])
    assert store.files()["memory/a.md"].warnings == ()
    assert store.generation() == generation


# Names


def test_headings_are_the_names_of_a_store(store: Store):
    headings = [
        "2026-02-09 > Zeus > Action items",
        "Notes",
        "What we did",
        "Auth Service",
        "Größe",
        "February 2026",
        "The long heading of five words",
        "14:30",
        "src/auth.ts",
        "日志",
    ]
    store.replace_file("memory/a.md", chunks=[chunk(n, heading=h) for n, h in enumerate(headings, 1)])
    assert store.names() == {"zeus", "auth service", "grosse", "src/auth.ts", "日志"}


def test_names_follow_the_notes(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(1, heading="Zeus")])
    assert store.names() == {"zeus"}
    store.replace_file("memory/a.md", chunks=[chunk(2, heading="Athena")])
    assert store.names() == {"athena"}
    assert store.names() is store.names()


def test_only_headings_that_may_be_what_is_asked_for_are_read(store: Store):
    many = [chunk(n, heading=f"Ticket LAN-{n}") for n in range(1, 500)]
    store.replace_file("memory/a.md", chunks=many)
    with calls() as counted:
        names = store.names()
        assert "ticket lan-77" in names
        assert "ticket lan-977" not in names
    assert counted["name_of"] < 5


# Threads


def test_readers_do_not_wait_for_a_writer(tmp_path: Path):
    with Store.open(tmp_path) as store:
        store.replace_file("memory/a.md", chunks=[chunk(1)])
        with store._writing() as connection:
            connection.execute("DELETE FROM chunks")
            answers: list[object] = []
            reader = threading.Thread(target=lambda: answers.append((store.get(chunk(1).id), store.generation())))
            reader.start()
            reader.join(timeout=5)
            assert answers
            assert answers[0][0] == chunk(1)  # type: ignore[index]
            connection.execute("ROLLBACK")
            connection.execute("BEGIN")


def test_many_threads_read_while_one_writes(store: Store):
    store.replace_file("memory/a.md", chunks=[chunk(n) for n in range(1, 20)])
    errors: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                found = store.chunks([chunk(n).id for n in range(1, 20)])
                assert len(found) in (1, 19)  # before or after a transaction, never in the middle
                store.changes_since(store.generation() - 1)
                store.names()
        except BaseException as error:
            errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for turn in range(60):
        store.replace_file("memory/a.md", chunks=[chunk(n) for n in (range(1, 20) if turn % 2 else range(1, 2))])
    done.set()
    for reader in readers:
        reader.join()
    assert errors == []


def test_folders_are_made_for_their_owner_only_and_existing_ones_left_as_they_are(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    Store.open(shared).close()
    Store.open(tmp_path / "home/agents/main").close()
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in (shared, tmp_path / "home", tmp_path / "home/agents/main")}
    assert modes == {"shared": 0o755, "home": 0o700, "main": 0o700}


def test_a_store_answers_its_own_agent_and_refuses_everybody_else(tmp_path):
    quiet = Config(enableVector=False)
    Engine.open(quiet, agent="cook", folder=tmp_path / "elsewhere").close()
    with pytest.raises(StoreError, match="holds the memory of agent cook, not of main"):
        Engine.open(quiet, folder=tmp_path / "elsewhere")
    Store.open(agent_folder(tmp_path, "cook")).close()  # from before stores knew whose they are: its folder says it
    with pytest.raises(StoreError, match="holds the memory of agent cook, not of main"):
        Engine.open(quiet, folder=agent_folder(tmp_path, "cook"))
    Engine.open(quiet, agent="cook", folder=tmp_path / "elsewhere").close()


def test_agent_ids_that_differ_by_letter_case_only_never_share_a_store(tmp_path):
    quiet = Config(enableVector=False)
    Engine.open(quiet, agent="work", folder=agent_folder(tmp_path, "work")).close()
    with pytest.raises(StoreError, match="agent Work differs from agent work by letter case only"):
        Engine.open(quiet, agent="Work", folder=agent_folder(tmp_path, "Work"))
    (tmp_path / "agents/Work").symlink_to("work")  # what a file system without case shows
    with pytest.raises(StoreError, match="holds the memory of agent work, not of Work"):
        Engine.open(quiet, agent="Work", folder=agent_folder(tmp_path, "Work"))


def test_an_agent_of_another_profile_has_a_folder_of_its_own(tmp_path):
    assert agent_folder(tmp_path, "main@work") == tmp_path / "agents/main@work"
    for name in ("main@", "@work", "main@../x", "main@a@b", f"main@{'x' * 41}"):
        with pytest.raises(StoreError, match="is no agent id"):
            agent_folder(tmp_path, name)
