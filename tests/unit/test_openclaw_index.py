"""OpenClaw's own index as a source: what it knows and our notes do not, in both of its schemas."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from hookclaw_py import Config, Engine
from hookclaw_py.hosts.openclaw.envelope import ENVELOPE
from hookclaw_py.ingest.indexer import index_workspace
from hookclaw_py.ingest.sources import SourceRequest, index_sources
from hookclaw_py.store.database import Store
from tests.unit.openclaw_state import OLD_INDEX, State, everything, said

GARDEN = "# Garden\n\nThe roses were cut back to the third bud.\n\n## Pond\n\nThe pump takes a 40 watt fuse."
LINES = GARDEN.split("\n")


class Index:
    """An index under construction, in one of the two schemas."""

    def __init__(self, state: State, *, old: bool) -> None:
        self.state, self.old = state, old

    def file(self, agent: str) -> Path:
        return self.state.folder / "memory" / f"{agent}.sqlite" if self.old else self.state.database_file(agent)

    def connect(self, agent: str = "main") -> sqlite3.Connection:
        if not self.old:
            return self.state.database(agent)
        self.file(agent).parent.mkdir(exist_ok=True)
        connection = sqlite3.connect(self.file(agent), isolation_level=None)
        connection.executescript(OLD_INDEX)
        return connection

    def add(self, path, *chunks, agent="main", source="memory", model="fts-only", digest="1", vectors=()):
        """Put in a file: ``chunks`` are (first line, last line, text); what was there of it is replaced."""
        tables = ("files", "chunks") if self.old else ("memory_index_sources", "memory_index_chunks")
        connection = self.connect(agent)
        connection.execute("BEGIN")
        for table in tables:
            connection.execute(f"DELETE FROM {table} WHERE path = ?", (path,))
        connection.execute(
            f"INSERT INTO {tables[0]} (path, source, hash, mtime, size) VALUES (?, ?, ?, 1771419900000, 9)",
            (path, source, digest),
        )
        for number, (first, last, text) in enumerate(chunks):
            vector = list(vectors[number]) if vectors else []
            packed = json.dumps(vector) if self.old else np.array(vector, "<f8").tobytes()
            connection.execute(
                f"INSERT INTO {tables[1]} (id, path, source, start_line, end_line, hash, model, text, embedding, updated_at)"
                " VALUES (?, ?, ?, ?, ?, 'h', ?, ?, ?, 1)",
                (f"{path}{source}{number}", path, source, first, last, model, text, packed),
            )
        connection.execute("COMMIT")
        connection.close()


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(tmp_path / "state")


@pytest.fixture(params=["old", "new"])
def theirs(request, state: State) -> Index:
    return Index(state, old=request.param == "old")


@pytest.fixture
def store():
    with Store.open(None) as store:
        yield store


@pytest.fixture
def index(state: State, store: Store):
    def run(*sources: str, agent: str = "main", model: str = "", evergreen=("MEMORY.md",)):
        asked = SourceRequest(store, str(state.folder), agent, ZoneInfo("UTC"), ENVELOPE, evergreen, model)
        return index_sources(asked, sources or ("memory", "openclaw"), model_id="openai:m@h" if model else "")

    return run


def test_a_file_is_put_together_again_and_chunked_like_a_note(theirs, index, store):
    theirs.add("memory/2026-02-10.md", (1, 5, "\n".join(LINES[:5])), (3, 7, "\n".join(LINES[2:])))
    report = index()
    assert [(c.heading, c.text, c.place.lines, c.kind.name) for c in store.all_chunks()] == [
        ("Garden", "The roses were cut back to the third bud.", (3, 3), "openclaw"),
        ("Garden > Pond", "The pump takes a 40 watt fuse.", (7, 7), "openclaw"),
    ]
    assert {c.created_at for c in store.all_chunks()} == {datetime(2026, 2, 10, tzinfo=UTC)}
    assert (report.seen, report.changed, report.added, report.warnings) == (1, 1, 2, ())


def test_a_long_line_that_is_in_several_chunks_is_one_line_again(theirs, index, store):
    theirs.add("memory/a.md", (1, 1, "The first half of a long line, "), (1, 1, "and its second half."))
    index()
    assert [c.text for c in store.all_chunks()] == ["The first half of a long line, and its second half."]


def test_unchanged_files_are_not_read_again_changed_ones_are_and_lost_ones_are_forgotten(theirs, index, store):
    theirs.add("memory/a.md", (1, 7, GARDEN))
    theirs.add("memory/b.md", (1, 1, "The gate squeaks."))
    index()
    assert (index().unchanged, index().changed) == (2, 0)
    theirs.add("memory/a.md", (1, 7, GARDEN.replace("40", "60")), digest="2")
    report = index()
    assert (report.changed, report.added, report.kept, report.removed) == (1, 1, 1, 1)
    connection = theirs.connect()
    connection.execute(f"DELETE FROM {'files' if theirs.old else 'memory_index_sources'} WHERE path = 'memory/b.md'")
    connection.close()
    assert index().deleted == 1
    assert "gate" not in "".join(c.text for c in store.all_chunks())


def test_an_index_that_was_still_being_built_is_read_again(theirs, index):
    theirs.add("a.md", (1, 3, "\n".join(LINES[:3])))
    index()
    theirs.add("a.md", (1, 3, "\n".join(LINES[:3])), (5, 7, "\n".join(LINES[4:])))
    assert index().added == 1


def test_what_our_own_notes_hold_is_not_stored_twice(tmp_path, theirs, index, store):
    root = tmp_path / "notes"
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "a.md").write_text(GARDEN)
    index_workspace(store, root, globs=(), exclude=(), evergreen=())
    theirs.add("memory/a.md", (1, 7, GARDEN.replace("roses", "old roses")))
    theirs.add("elsewhere/copy.md", (1, 9, f"{GARDEN}\n\nThe gate squeaks in the wind, says the copy."))
    index()
    theirs_only = [(c.place.path, c.text) for c in store.all_chunks() if c.kind.name == "openclaw"]
    assert theirs_only == [
        ("elsewhere/copy.md", "The pump takes a 40 watt fuse.\n\nThe gate squeaks in the wind, says the copy.")
    ]


def test_a_file_that_becomes_a_note_of_ours_is_one(tmp_path, theirs, index, store):
    theirs.add("memory/a.md", (1, 7, GARDEN))
    index()
    root = tmp_path / "notes"
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "a.md").write_text(GARDEN)
    for _ in range(2):
        index_workspace(store, root, globs=(), exclude=(), evergreen=())
        index()
    assert [c.kind.name for c in store.all_chunks()] == ["memory", "memory"]
    assert len(store.files()) == 1


def test_vectors_of_the_same_model_are_taken_over_with_their_chunks(theirs, index, store):
    theirs.add(
        "memory/2026-02-10.md",
        (1, 3, "\n".join(LINES[:3])),
        (5, 7, "\n".join(LINES[4:])),
        model="m",
        vectors=[[3, 4], [0, 2]],
    )
    index(model="m")
    assert [(c.text, c.place.lines, c.heading) for c in store.all_chunks()] == [
        ("# Garden\n\nThe roses were cut back to the third bud.", (1, 3), ""),
        ("## Pond\n\nThe pump takes a 40 watt fuse.", (5, 7), ""),
    ]
    assert store.pending_count("openai:m@h") == 0
    found = store.vectors_since("openai:m@h", -1)
    by_id = dict(zip(found.ids, found.rows[:].tolist(), strict=True))
    assert [by_id[c.id] for c in store.all_chunks()] == [pytest.approx([0.6, 0.8], abs=0.005), pytest.approx([0, 1])]
    assert {c.created_at for c in store.all_chunks()} == {datetime(2026, 2, 10, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("model", "vectors"),
    [
        ("another", [[3, 4], [0, 2]]),
        ("m", [[0, 0], [1, 0]]),
        ("m", [[1, 0], [1, 0, 0]]),
        ("m", [[], []]),
        ("m", [[float("inf"), 0], [1, 0]]),
    ],
)
def test_other_vectors_and_broken_ones_are_not(theirs, index, store, model, vectors):
    theirs.add("a.md", (1, 3, "\n".join(LINES[:3])), (5, 7, "\n".join(LINES[4:])), model=model, vectors=vectors)
    index(model="m")
    assert [c.heading for c in store.all_chunks()] == ["Garden", "Garden > Pond"]
    assert store.pending_count("openai:m@h") == 2


def test_vectors_of_another_dimension_than_ours_are_a_warning(theirs, index, store):
    theirs.add("a.md", (1, 7, GARDEN), model="m", vectors=[[3, 4]])
    index(model="m")
    theirs.add("b.md", (1, 1, "The gate squeaks."), model="m", vectors=[[3, 4, 5]])
    assert "OpenClaw's vectors are not used" in index(model="m").warnings[0]
    assert store.pending_count("openai:m@h") == 1


def test_our_own_block_in_a_chunk_is_stripped_and_its_vector_not_used(theirs, index, store):
    block = '<relevant_memories>\n<memory source="a">\nsecret\n</memory>\n</relevant_memories>\n'
    theirs.add("a.md", (1, 6, f"{block}The gate squeaks."), model="m", vectors=[[3, 4]])
    index(model="m")
    assert [c.text for c in store.all_chunks()] == ["The gate squeaks."]
    assert store.pending_count("openai:m@h") == 1


@pytest.mark.parametrize("model", ["", "m"])
def test_private_notes_stay_private_and_evergreen_ones_green(theirs, index, store, model):
    theirs.add(
        "secret.md", (1, 4, "---\nprivate: true\n---\nThe safe is behind the mirror."), model="m", vectors=[[1, 0]]
    )
    theirs.add("notes/2026-02-10.md", (1, 1, "The gate squeaks."), model="m", vectors=[[1, 0]])
    report = index(model=model, evergreen=("notes/",))
    assert [(c.text, c.created_at) for c in store.all_chunks()] == [("The gate squeaks.", None)]
    assert report.warnings == ("secret.md: says private: true, or sensitivity: critical, and is not indexed",)


def test_sessions_in_the_index_are_not_read(theirs, index, state, store):
    theirs.add("sessions/main/s1.jsonl", (2, 3, "User: psst"), source="sessions")
    assert index().seen == 0
    state.file("s1", said(("What is the code of the blue door?", "It is 7714, as ever.")))
    theirs.add("sessions/main/s1.jsonl", (2, 3, "User: psst"))
    for _ in range(2):
        assert index("memory", "sessions", "openclaw").seen == 1
    assert [c.kind.name for c in store.all_chunks()] == ["sessions"]


def test_another_agents_index_is_not_read(theirs, index):
    theirs.add("a.md", (1, 7, GARDEN), agent="other")
    assert index().seen == 0
    assert index(agent="other").seen == 1


def test_the_new_index_counts_where_there_are_both(state, index, store):
    Index(state, old=True).add("a.md", (1, 1, "The gate was green."))
    Index(state, old=False).add("a.md", (1, 1, "The gate is red."))
    index()
    assert [c.text for c in store.all_chunks()] == ["The gate is red."]


def test_a_database_without_an_index_has_nothing_to_say(state, index):
    state.rows("s1", said("Hello, is anybody there today?"))
    (state.folder / "memory").mkdir()
    sqlite3.connect(state.folder / "memory" / "main.sqlite").close()
    (state.folder / "memory" / "main.sqlite").write_bytes(b"")
    assert index().seen == 0


def test_a_file_whose_chunks_are_not_there_yet_waits(theirs, index):
    theirs.add("a.md")
    assert index().seen == 0


def test_reading_leaves_no_trace(theirs, index, state):
    theirs.add("a.md", (1, 7, GARDEN))
    before = everything(state.folder)
    assert index().added == 2
    assert everything(state.folder) == before


@pytest.mark.parametrize("trouble", ["locked", "damaged"])
def test_a_locked_or_damaged_index_costs_a_warning_and_no_memory(theirs, index, store, trouble):
    theirs.add("a.md", (1, 7, GARDEN))
    index()
    file = theirs.file("main")
    connection = sqlite3.connect(file, isolation_level=None)
    if trouble == "locked":
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN EXCLUSIVE")
    else:
        connection.close()
        file.write_bytes(b"not a database, though a file of some length")
    report = index()
    connection.close()
    assert {"locked": "it is read the next time", "damaged": "openclaw doctor"}[trouble] in report.warnings[0]
    assert store.count() == 2


def test_it_is_off_by_default_and_recalled_when_it_is_on(tmp_path, state):
    Index(state, old=False).add("shared/house.md", (1, 7, GARDEN))
    root = tmp_path / "notes"
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "2026-02-10.md").write_text("The gate squeaks in the wind.\n")
    prompt = "Which fuse does the pond pump take?"
    for sources, found in ((["memory"], False), (["memory", "openclaw"], True), (["memory"], False)):
        config = Config(openclawState=str(state.folder), sources=sources)
        with Engine.open(config, folder=tmp_path / "store", strict=True) as engine:
            engine.index(root)
            assert ("40 watt" in engine.recall(prompt).text) is found
