"""What stands around a chunk reaches the keyword index, and follows every edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookclaw_py import text
from hookclaw_py.build import derived_indexes
from hookclaw_py.model.place import FilePlace
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Chunk
from hookclaw_py.search.local.rank_bm25_index import RankBM25Index
from hookclaw_py.search.local.tantivy_index import TantivyIndex
from hookclaw_py.search.ports import LexicalIndex
from hookclaw_py.store.database import Store

CONTEXT_BOOST = 4.0

DAY = datetime(2026, 2, 9, 18, 30, tzinfo=UTC)
DATE = ["09", "februari", "2026", "monday"]
NOTE, OTHER = "memory/a.md", "memory/b.md"
MODEL = "hash-1"


def chunk(number: int, *words: str, path: str = NOTE, day: datetime | None = None) -> Chunk:
    return Chunk(f"{number:016x}", " ".join(words), FilePlace(path, (1, 1)), created_at=day, terms=Terms(words))


ONE, TWO, THREE, FOUR = (chunk(n, word) for n, word in enumerate(("one", "two", "three", "four"), 1))


@pytest.fixture
def store():
    with Store.open(None) as opened:
        yield opened


def contexts(store: Store, since: int = -1) -> dict[int, list[str]]:
    return {int(chunk_id, 16): context for chunk_id, _, context in store.changes_since(since).added}


def test_a_context_is_the_chunk_before_the_chunk_the_chunk_after_and_the_date(store: Store):
    store.replace_file(NOTE, chunks=[ONE, replace(TWO, created_at=DAY), THREE])
    store.replace_file(OTHER, chunks=[replace(FOUR, place=FilePlace(OTHER, (1, 1))), chunk(5, "five", path=OTHER)])
    assert list(text.terms("09 February 2026 Monday")) == DATE
    assert contexts(store) == {
        1: ["one", "two"],
        2: ["one", "two", "three", *DATE],
        3: ["two", "three"],
        4: ["four", "five"],  # another file is no neighbour
        5: ["four", "five"],
    }


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        ([ONE, TWO, THREE], {}),
        ([replace(ONE, place=FilePlace(NOTE, (7, 7))), TWO, THREE], {}),
        ([ONE, TWO, THREE, FOUR], {3: ["two", "three", "four"], 4: ["three", "four"]}),
        ([FOUR, ONE, TWO, THREE], {1: ["four", "one", "two"], 4: ["four", "one"]}),
        ([ONE, FOUR, TWO, THREE], {1: ["one", "four"], 4: ["one", "four", "two"], 2: ["four", "two", "three"]}),
        ([TWO, THREE], {2: ["two", "three"]}),
        ([ONE, THREE], {1: ["one", "three"], 3: ["one", "three"]}),
        ([ONE, TWO], {2: ["one", "two"]}),
        ([TWO, ONE, THREE], {1: ["two", "one", "three"], 2: ["two", "one"], 3: ["one", "three"]}),
        ([ONE, TWO, replace(THREE, terms=Terms(("drei",)))], {2: ["one", "two", "drei"], 3: ["two", "drei"]}),
        ([replace(ONE, created_at=DAY), TWO, THREE], {1: ["one", "two", *DATE]}),
        ([replace(ONE, terms=Terms()), TWO, THREE], {1: ["two"], 2: ["two", "three"]}),
    ],
)
def test_an_edit_changes_the_context_of_what_is_beside_it_and_of_nothing_else(store: Store, after, changed):
    store.replace_file(NOTE, chunks=[ONE, TWO, THREE])
    before = store.generation()
    store.replace_file(NOTE, chunks=after)
    assert contexts(store, before) == changed


def test_what_was_beside_a_forgotten_chunk_no_longer_holds_its_words(store: Store):
    store.replace_file(NOTE, chunks=[ONE, TWO, THREE, FOUR])
    store.replace_file(OTHER, chunks=[chunk(5, "five", path=OTHER)])
    before = store.generation()
    store.forget([TWO.id, THREE.id], at=DAY)
    assert contexts(store, before) == {1: ["one", "four"], 4: ["one", "four"], 5: ["five"]}  # indexes begin anew
    store.replace_file(NOTE, chunks=[ONE, TWO, THREE, FOUR])
    assert contexts(store)[1] == ["one", "four"]


def test_the_vectors_of_chunks_that_only_got_other_neighbours_are_not_loaded_again(store: Store):
    store.replace_file(NOTE, chunks=[ONE, THREE])
    store.add_embeddings(MODEL, [(c.id, np.ones(1, "<f4").tobytes()) for c in (ONE, THREE)])
    before = store.generation()
    store.replace_file(NOTE, chunks=[ONE, TWO, replace(THREE, terms=Terms(("drei",)), created_at=DAY)])
    assert store.vectors_since(MODEL, before).ids == []
    assert store.vectors_since(MODEL, -1).ids == [ONE.id, THREE.id]
    assert store.pending_count(MODEL) == 1


WORDS = ["deploy", "logging", "json", "ferry"]
CHUNKS = st.builds(
    chunk,
    st.integers(1, 6),
    st.sampled_from(WORDS),
    st.sampled_from(WORDS),
    day=st.sampled_from([None, DAY, DAY.replace(month=5)]),
)
FILES = st.lists(CHUNKS, max_size=6, unique_by=lambda c: c.id)
EDITS = st.one_of(
    st.tuples(st.just("write"), FILES),
    st.tuples(st.just("remove"), st.just([])),
    st.tuples(st.just("forget"), st.lists(CHUNKS, min_size=1, max_size=2)),
    st.tuples(st.just("look"), st.just([])),
)
BACKENDS: dict[str, Callable[[], LexicalIndex]] = {"rank-bm25": RankBM25Index, "tantivy": lambda: TantivyIndex(None)}


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=40)
@given(edits=st.lists(EDITS, max_size=12))
def test_after_any_edits_the_index_answers_like_one_made_from_scratch(backend: str, edits):
    with Store.open(None) as store:
        grown = BACKENDS[backend]()
        indexes = derived_indexes(store, grown, None)
        for verb, chunks in [*edits, ("look", [])]:
            if verb == "write":
                store.replace_file(NOTE, chunks=chunks)
            elif verb == "remove":
                store.forget_file(NOTE)
            elif verb == "forget":
                store.forget([c.id for c in chunks], at=DAY)
            else:
                indexes.catch_up()
        fresh = BACKENDS[backend]()
        beside = derived_indexes(store, fresh, None)
        beside.catch_up()
        for word in [*WORDS, *DATE]:
            ours, theirs = (
                grown.search([word], 100, context_boost=CONTEXT_BOOST),
                fresh.search([word], 100, context_boost=CONTEXT_BOOST),
            )
            if backend == "tantivy":  # the dead weigh in its scores until it merges their segments
                ours, theirs = sorted(hit.chunk_id for hit in ours), sorted(hit.chunk_id for hit in theirs)
            assert ours == theirs
        assert grown.idf(WORDS) == fresh.idf(WORDS)
        indexes.close()
        beside.close()
