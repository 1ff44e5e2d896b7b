"""The vectors kept beside a store: a start that reads them searches as one that reads the database, and what is forgotten is not in them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from hookclaw_py import build
from hookclaw_py.forgetting import forget
from hookclaw_py.model.vectors import Vector
from hookclaw_py.search.derived import DerivedIndexes
from hookclaw_py.search.local.faiss_index import FaissIndex
from hookclaw_py.search.local.vector_file import VectorFile
from hookclaw_py.search.null_sampling import null_sample
from hookclaw_py.search.ports import Embedder, KeptIndex
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.testing.fakes import HashEmbedder, a_chunk
from tests.assets.toy_backend.toy_vectors import ToyVectors

NOW = datetime(2026, 2, 10, tzinfo=UTC)
EMBEDDER = HashEmbedder()
WORDS = ["harbour", "ferry", "pier", "boiler", "samovar", "invoice", "tyre", "ledger", "orchard", "kiln"]


@pytest.fixture
def store(tmp_path) -> Iterator[AgentStore]:
    with build.store(tmp_path) as store:
        written(store, "a.md", range(40))
        yield store


def texts(numbers: Sequence[int]) -> list[str]:
    return [f"{WORDS[n % 10]} {WORDS[n // 10 % 10]} {n}" for n in numbers]


def written(store: AgentStore, path: str, numbers: Sequence[int]) -> None:
    """Let a file say so, and embed what is new of it."""
    store.replace_file(path, chunks=[a_chunk(text, path) for text in texts(numbers)])
    pending = store.pending_embeddings(EMBEDDER.model_id, 1000)
    store.add_embeddings(
        EMBEDDER.model_id, [(name, EMBEDDER.embed(text).astype("<f4").tobytes()) for name, text in pending]
    )


@pytest.fixture(autouse=True, params=["whole", "by row"])
def kept_how(request, monkeypatch) -> str:
    """Whether the file holds the vectors, or of which row of the store each is."""
    if request.param == "whole":
        monkeypatch.setitem(VectorFile.__init__.__kwdefaults__, "whole", 0)
    return request.param


def beside(folder: Path, store: AgentStore | None = None, part: str = "") -> VectorFile:
    rows = {"rows": store.vectors_as_kept} if store is not None else {}
    return VectorFile(file_of(folder), part=part, least=10, **rows)


def derived(
    folder: Path, store: AgentStore, *, embedder: Embedder | None = EMBEDDER, null=null_sample
) -> DerivedIndexes:
    kept = beside(folder, store)
    return DerivedIndexes(store, None, embedder, vectors=build.vector_index, null_sample=null, beside=kept)


def begun(folder: Path, store: AgentStore, *, kept: bool = True) -> DerivedIndexes:
    """Return what a process searches that just started; ``kept`` says whether it may read what is kept."""
    indexes = derived(folder, store) if kept else build.derived_indexes(store, None, EMBEDDER)
    indexes.catch_up()
    return indexes


def found(indexes: DerivedIndexes) -> list[list[tuple[str, float]]]:
    asked = map(EMBEDDER.embed, texts(range(0, 60, 7)))
    return [indexes.vectors.search(vector, 100) if indexes.vectors is not None else [] for vector in asked]


def file_of(folder: Path) -> Path:
    return folder / "vectors.npz"


def test_the_next_start_reads_them_and_finds_the_same(tmp_path, store, monkeypatch):
    before = found(begun(tmp_path, store))
    assert file_of(tmp_path).stat().st_mode & 0o777 == 0o600
    asked: list[int] = []
    real = store.vectors_since
    monkeypatch.setattr(store, "vectors_since", lambda model, since: asked.append(since) or real(model, since))
    again = begun(tmp_path, store)
    assert asked == [store.generation()], "of the database only what is new is read"
    assert found(again) == before


def test_the_next_start_goes_on_with_the_null_sample_while_nothing_has_changed(tmp_path, store):
    taken: list[int] = []

    def counted(*given, **how):
        taken.append(store.generation())
        return null_sample(*given, **how)

    def started() -> DerivedIndexes:
        indexes = derived(tmp_path, store, null=counted)
        indexes.catch_up()
        return indexes

    before = store.generation()
    first, again = started(), started()
    assert taken == [before]
    assert again.null == first.null != (0.0, 0.0)
    assert again.centre.tolist() == first.centre.tolist()
    written(store, "b.md", [40])
    after, once_more = started(), started()
    assert taken == [before, store.generation()], "anew for a single one, and that is kept"
    fresh = begun(tmp_path, store, kept=False)
    assert after.null == once_more.null == fresh.null
    written(store, "c.md", [41, 42])
    once_more.catch_up()
    assert len(taken) == 2, "a process that goes on takes it anew for a tenth"
    assert once_more._beside.write("m", KeptIndex(once_more.vectors, 7), current=lambda: True)
    assert beside(tmp_path, store).read("m").null is None
    assert started().null == begun(tmp_path, store, kept=False).null


def test_of_a_store_that_has_few_passages_left_nothing_is_kept(tmp_path, store):
    begun(tmp_path, store)
    assert beside(tmp_path, store).read(EMBEDDER.model_id) is not None
    written(store, "a.md", [1, 2, 3])
    begun(tmp_path, store)
    assert not file_of(tmp_path).exists(), "it has the vectors of what is gone"


def test_a_null_sample_that_a_process_has_gone_on_with_is_not_kept_as_that_of_what_there_is(tmp_path, store):
    indexes = begun(tmp_path, store)
    assert beside(tmp_path, store).read(EMBEDDER.model_id).null == indexes.null
    written(store, "b.md", [40, 41])  # of forty a twentieth
    indexes.catch_up()
    kept = beside(tmp_path, store).read(EMBEDDER.model_id)
    assert (kept.generation, kept.null) == (store.generation(), None)


def test_a_null_sample_that_was_taken_otherwise_is_none(tmp_path, store):
    begun(tmp_path, store)
    assert beside(tmp_path, store).read(EMBEDDER.model_id).null is not None
    other = VectorFile(file_of(tmp_path), part="", sampling="otherwise", rows=store.vectors_as_kept, least=10).read(
        EMBEDDER.model_id
    )
    assert (other.null, len(other.vectors)) == (None, 40)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_happened_since_a_start_finds_what_one_without_them_does(tmp_path, store, seed):
    rng = random.Random(seed)
    begun(tmp_path, store)
    for _ in range(rng.randrange(1, 12)):
        path = f"{rng.choice('abc')}.md"
        match rng.randrange(5):
            case 0:
                store.forget_file(path)
            case 1:
                store.drop_vectors(EMBEDDER.model_id, [chunk.id for chunk in store.chunks_of(path)[:1]])
                written(store, "d.md", [rng.randrange(100)])
            case 2:
                store.forget([chunk.memory for chunk in store.chunks_of(path)[:1]], at=NOW)
            case _:
                written(store, path, rng.sample(range(100), rng.randrange(30)))
        if rng.random() < 0.4:
            begun(tmp_path, store)
    assert found(begun(tmp_path, store)) == found(begun(tmp_path, store, kept=False))


def test_what_changes_after_the_start_is_followed_and_in_time_kept(tmp_path, store):
    begun(tmp_path, store)
    indexes = begun(tmp_path, store)
    before = file_of(tmp_path).read_bytes()
    written(store, "b.md", [40])
    indexes.catch_up()
    assert file_of(tmp_path).read_bytes() == before, "one of forty is not worth it"
    written(store, "b.md", range(41, 50))
    indexes.catch_up()
    assert file_of(tmp_path).read_bytes() != before
    assert found(indexes) == found(begun(tmp_path, store)) == found(begun(tmp_path, store, kept=False))


def test_a_damaged_file_is_none(tmp_path, store):
    before, rng = found(begun(tmp_path, store)), np.random.default_rng(1)
    whole = file_of(tmp_path).read_bytes()
    cut = [whole[: rng.integers(len(whole))] for _ in range(15)]
    turned = []
    for place in rng.integers(len(whole), size=60).tolist():
        turned.append(bytearray(whole))
        turned[-1][place] ^= 1 << rng.integers(8)
    for data in (b"", b"PK", *cut, *turned):
        file_of(tmp_path).write_bytes(data)
        assert found(begun(tmp_path, store)) == before


def test_the_vectors_of_few_are_in_the_database_alone(tmp_path, store, kept_how):
    begun(tmp_path, store)
    with np.load(file_of(tmp_path)) as arrays:
        assert ("steps" in arrays) == (kept_how == "whole")
        assert ("row" in arrays) == (kept_how == "by row")


def test_a_file_that_holds_them_is_read_where_none_would_be_written(tmp_path, store, monkeypatch):
    """Those of earlier versions do."""
    with monkeypatch.context() as earlier:
        earlier.setitem(VectorFile.__init__.__kwdefaults__, "whole", 0)
        before = found(begun(tmp_path, store))
    whole = file_of(tmp_path).read_bytes()
    assert found(begun(tmp_path, store)) == before
    assert file_of(tmp_path).read_bytes() == whole


def test_where_the_rows_are_others_by_now_all_are_read_and_nobody_is_told(tmp_path, store, caplog):
    begun(tmp_path, store)
    before = beside(tmp_path, store).read(EMBEDDER.model_id)
    (first, *_) = store.chunks_of("a.md")
    store.drop_vectors(EMBEDDER.model_id, [first.id])
    store.add_embeddings(EMBEDDER.model_id, [(first.id, EMBEDDER.embed("another").astype("<f4").tobytes())])
    again = begun(tmp_path, store)
    assert before is not None
    assert found(again) == found(begun(tmp_path, store, kept=False))
    assert not caplog.records
    assert beside(tmp_path, store).read(EMBEDDER.model_id) is not None, "and they are kept anew"


def test_vectors_of_another_model_or_of_another_part_are_none(tmp_path, store):
    begun(tmp_path, store)
    assert beside(tmp_path, store).read("another") is None
    assert beside(tmp_path, store).read(EMBEDDER.model_id) is not None
    assert beside(tmp_path, store, part="all of it").read(EMBEDDER.model_id) is None


def test_an_index_of_ones_own_is_neither_kept_nor_given_away_for_ours(tmp_path, store, monkeypatch):
    monkeypatch.setitem(VectorFile.__init__.__kwdefaults__, "least", 10)
    (kept := build.derived_indexes(store, None, EMBEDDER, beside=tmp_path)).catch_up()
    assert isinstance(kept.vectors, FaissIndex)
    before = file_of(tmp_path).read_bytes()
    (own := build.derived_indexes(store, None, EMBEDDER, vectors=ToyVectors, beside=tmp_path)).catch_up()
    assert isinstance(own.vectors, ToyVectors)
    assert file_of(tmp_path).read_bytes() == before


def forgotten_of(store: AgentStore, folder: Path) -> str:
    (first, *_) = store.chunks_of("a.md")
    return forget(store, first.memory, beside=folder, at=NOW).problem


def test_what_is_forgotten_is_not_kept(tmp_path, store):
    begun(tmp_path, store)
    draft = file_of(tmp_path).with_name("vectors.npz.part")
    draft.write_bytes(b"what a killed process left")
    assert forgotten_of(store, tmp_path) == ""
    assert not file_of(tmp_path).exists()
    assert not draft.exists()


def test_nothing_is_kept_by_a_process_that_has_not_heard_of_it(tmp_path, store):
    """What was read before somebody forgot it is not written behind their back."""

    def meanwhile(*_: object, **__: object) -> tuple[None, Vector]:
        assert forgotten_of(store, tmp_path) == ""
        return None, EMBEDDER.embed("x")

    derived(tmp_path, store, null=meanwhile).catch_up()
    assert not file_of(tmp_path).exists()


@pytest.mark.parametrize("embedder", [EMBEDDER, None], ids=["by meaning", "by keywords alone"])
def test_what_became_private_is_not_kept_either(tmp_path, store, embedder):
    begun(tmp_path, store)
    store.untell(["a.md"], private=True)
    store.forget_file("a.md")
    derived(tmp_path, store, embedder=embedder).catch_up()
    assert not file_of(tmp_path).exists()


def test_they_stay_while_nobody_searches_by_meaning_and_nothing_is_forgotten(tmp_path, store):
    begun(tmp_path, store)
    written(store, "b.md", [50])
    derived(tmp_path, store, embedder=None).catch_up()
    assert file_of(tmp_path).exists()
    assert found(begun(tmp_path, store)) == found(begun(tmp_path, store, kept=False))


def test_where_they_cannot_be_written_all_else_is_as_ever(tmp_path, store):
    file_of(tmp_path).with_name("vectors.npz.part").mkdir()
    assert found(begun(tmp_path, store)) == found(begun(tmp_path, store, kept=False))


def test_few_are_not_kept(tmp_path, store):
    written(store, "a.md", range(5))
    build.derived_indexes(store, None, EMBEDDER, beside=tmp_path).catch_up()
    assert not file_of(tmp_path).exists()
