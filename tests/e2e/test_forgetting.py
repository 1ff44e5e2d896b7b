"""Forgetting reaches everything on disk, the words in the keyword index too, and other engines on the same store."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import tantivy

from hookclaw_py.config import Config
from hookclaw_py.engine import Engine
from hookclaw_py.errors import StoreError
from hookclaw_py.forgetting import Forgotten, forget
from hookclaw_py.insight.what_if import compare
from hookclaw_py.store.decisions import find

SAFE = "## Safe\nThe safe in the cellar opens with zanzibarquokka.\n"
LOGGING = "## Logging\nWe log with structlog, one object a line, to stdout.\n"
ASKED = "how does the safe in the cellar open?"


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    for n in range(20):
        (folder / "memory" / f"{n}.md").write_text(f"# Fence {n}\n\nThe fence number {n} is green.\n")
    (folder / "MEMORY.md").write_text(f"# Memory\n\n{SAFE}\n{LOGGING}")
    return folder


@pytest.fixture
def engine(tmp_path, notes):
    with Engine.open(Config(enable_vector=False, min_score=0.1), folder=tmp_path / "store") as engine:
        engine.index(notes)
        yield engine


def in_keyword_index(engine: Engine, word: str) -> int:
    """Return in how many chunks the files of the keyword index know the word, deleted ones too."""
    return tantivy.Index.open(str(Path(engine.store.place) / "lexical")).searcher().doc_freq("terms", word)


def forgotten_of(engine: Engine, memory: str) -> Forgotten:
    return forget(engine.store, memory, beside=Path(engine.store.place), at=datetime.now(UTC))


@pytest.mark.sqlite
@pytest.mark.parametrize("deleted_from_notes_before", [False, True])
def test_the_words_of_a_forgotten_memory_are_gone_from_the_keyword_index(engine, notes, deleted_from_notes_before):
    shown = engine.recall(ASKED).candidates[0].chunk
    assert in_keyword_index(engine, "zanzibarquokka")
    if deleted_from_notes_before:
        (notes / "MEMORY.md").write_text(f"# Memory\n\n{LOGGING}")
        engine.index()
        assert in_keyword_index(engine, "zanzibarquokka")  # tantivy keeps it until it merges
    forgotten = forgotten_of(engine, shown.id)
    assert (forgotten.ids, forgotten.problem) == ([shown.id], "")
    assert not in_keyword_index(engine, "zanzibarquokka")
    assert in_keyword_index(engine, "structlog")


def test_an_engine_that_was_open_meanwhile_finds_the_others_as_before(engine):
    shown = engine.recall(ASKED).candidates[0].chunk
    forgotten_of(engine, shown.id)
    assert "zanzibarquokka" not in engine.recall(ASKED).text
    found = engine.recall("what do we log with, and where to?")
    assert "structlog" in found.text
    assert not found.faults


@pytest.mark.sqlite
def test_what_a_note_no_longer_says_is_gone_from_the_pages_of_the_database(engine, notes):
    (notes / "MEMORY.md").write_text(f"# Memory\n\n{LOGGING}")
    engine.index()
    folder = Path(engine.store.place)
    engine.close()
    assert not [file.name for file in folder.glob("memory.db*") if b"zanzibarquokka" in file.read_bytes()]


def test_a_prompt_that_was_forgotten_cannot_be_asked_again(engine):
    injection = engine.recall(ASKED)
    engine.decided(injection.id)
    forgotten_of(engine, injection.candidates[0].chunk.id)
    past = find(engine.store, injection.id)
    with pytest.raises(StoreError, match="was forgotten"):
        compare(past, agent="main", folder=Path(engine.store.place), config_file=None, settings=())


def test_a_remembered_answer_is_not_given_while_the_engine_still_reads_what_is_forgotten(engine):
    shown = engine.recall(ASKED).candidates[0].chunk
    forgotten_of(engine, shown.id)
    with engine._parts.indexes._catching_up:  # as a large store would
        injection = engine.recall(ASKED, timeout_ms=2000)
    assert [fault.stage for fault in injection.faults] == ["catch up"]
    assert "zanzibarquokka" not in injection.text
