"""Stores of earlier versions: each opens as it is, and nothing that it knows is lost.

``tests/assets/stores/schema-N.sql`` is a store that the code of version N filled, as SQL: three chunks with vectors, a turn
that used one of them, a showing that waits for its turn, and from version 5 on a pin, a verdict, a decision, a counter,
and a chunk that was forgotten.
"""

from __future__ import annotations

import json
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.model.kind import NOTE
from hookclaw_py.model.memory import Memory, MemoryStatus
from hookclaw_py.model.record import RecordAction, RecordChange
from hookclaw_py.store import upkeep
from hookclaw_py.store.database import Store
from hookclaw_py.store.decisions import find
from hookclaw_py.store.dialects.postgres import schema as postgres_schema
from hookclaw_py.store.dialects.sqlite import disk, schema
from hookclaw_py.store.dialects.sqlite.migrations import MIGRATIONS
from hookclaw_py.store.recalled import ANSWERED_FROM
from hookclaw_py.store.sql import embeddings, headings, memories, parts
from tests.unit.records import record

ASSETS = sorted((Path(__file__).parents[1] / "assets" / "stores").glob("schema-*.sql"))
AT = datetime(2026, 2, 10, 9, tzinfo=UTC)
NOTE_FILE = "memory/2026-02-09.md"
A, B, C, D = (f"{number:016x}" for number in (1, 2, 3, 4))


def version_of(asset: Path) -> int:
    return int(asset.stem.rpartition("-")[2])


CHUNKS_ALONE = [pytest.param(asset, id=asset.stem) for asset in ASSETS if 5 <= version_of(asset) < 9]
"""What was learned hung on chunks, until there were memories."""
JOINED = [pytest.param(asset, id=asset.stem) for asset in ASSETS if version_of(asset) == 9]
"""Lists with several texts, joined as they were until they were JSON."""
EARLIER = [pytest.param(asset, id=asset.stem) for asset in ASSETS]
LEARNED = [pytest.param(asset, id=asset.stem) for asset in ASSETS if version_of(asset) >= 5]


def laid_down(asset: Path, folder: Path) -> Path:
    """Put the store of an asset into a folder, as if its version had left it there; return the folder."""
    folder.mkdir(exist_ok=True)
    with closing(sqlite3.connect(folder / "memory.db", isolation_level=None)) as connection:
        connection.executescript(asset.read_text(encoding="utf-8"))
    return folder


def tables_of(file: Path) -> dict[str, list[str]]:
    with closing(sqlite3.connect(file)) as connection:
        named = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
        return {
            name: sorted(schema.columns_of(connection, name)) if kind == "table" else re.sub(r"\s+", " ", sql)
            for kind, name, sql in named
        }


@pytest.mark.parametrize("asset", EARLIER)
def test_a_store_of_an_earlier_version_has_the_tables_of_a_new_one(asset: Path, tmp_path: Path):
    Store.open(laid_down(asset, tmp_path / "old")).close()
    Store.open(tmp_path / "new").close()
    assert tables_of(tmp_path / "old/memory.db") == tables_of(tmp_path / "new/memory.db")
    with closing(sqlite3.connect(tmp_path / "old/memory.db")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.newest()
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize("asset", EARLIER)
def test_it_keeps_its_notes_its_vectors_and_whose_it_is(asset: Path, tmp_path: Path):
    with Store.open(laid_down(asset, tmp_path)) as store:
        left = [A, B] if version_of(asset) >= 5 else [A, B, C]
        assert [chunk.id for chunk in store.all_chunks()] == left
        chunk = store.get(A)
        assert chunk is not None
        assert (chunk.text, chunk.heading, chunk.place.lines) == ("The ferry leaves at nine", "Harbour > Ferry", (1, 1))
        assert {path: file[:4] for path, file in store.files().items()} == {NOTE_FILE: ("d1", 10, 20, "chunker-1")}
        assert store.get_meta("agent") == "main"
        found = store.vectors_since("hash-4", -1)
        assert (found.ids, found.rows[:].tolist()) == ([A, B], [[1, 0, 0, 0], [0, 1, 0, 0]])
        assert store.replace_file("memory/2026-02-09.md", chunks=[chunk], warnings=["w"]).kept == 1


@pytest.mark.parametrize("asset", [asset for asset in ASSETS if version_of(asset) < 20])
def test_the_terms_of_its_passages_are_packed_and_the_same(asset: Path, tmp_path: Path):
    with closing(sqlite3.connect(laid_down(asset, tmp_path) / "memory.db")) as connection:
        before = dict(connection.execute("SELECT key, terms FROM chunks"))
    with Store.open(tmp_path) as store:
        assert {int(c.id, 16): " ".join(c.terms) for c in store.all_chunks()}.items() <= before.items()
        assert store.get(A).terms == ("the", "ferry", "leaves", "at", "nine")
        assert "pier" in next(context for chunk_id, _, context in store.changes_since(-1).added if chunk_id == A)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
        assert connection.execute("SELECT DISTINCT typeof(terms) FROM chunks").fetchall() == [("blob",)]


def test_terms_that_are_damaged_keep_no_store_from_opening(tmp_path: Path):
    (asset,) = (asset for asset in ASSETS if version_of(asset) == 19)
    with closing(sqlite3.connect(laid_down(asset, tmp_path) / "memory.db")) as connection:
        connection.execute("UPDATE chunks SET terms = CAST(x'66ff20' AS TEXT) WHERE key = 1")
        connection.execute("UPDATE chunks SET terms = x'00ff' WHERE key = 2")
        connection.commit()
    with Store.open(tmp_path) as store:
        assert [chunk.text for chunk in store.all_chunks()] == [
            "The ferry leaves at nine",
            "The pier is closed in winter",
        ]


@pytest.mark.parametrize(("number", "last"), [(16, 1), (17, 1), (18, 2)])
def test_it_keeps_its_token_vectors_as_they_were(number: int, last: int, tmp_path: Path):
    (asset,) = (asset for asset in ASSETS if version_of(asset) == number)
    with Store.open(laid_down(asset, tmp_path)) as store:
        found = store.tokens("hash-4", [A, B])
        assert {chunk: rows.shape for chunk, rows in found.items()} == {A: (last + 1, 64)}
        assert (found[A][0, 3], found[A][last, 7]) == (127, -127)
        assert store.pending_count("hash-4") == 0


@pytest.mark.parametrize("asset", EARLIER)
def test_it_keeps_what_happened_and_goes_on_learning(asset: Path, tmp_path: Path):
    with Store.open(laid_down(asset, tmp_path)) as store:
        assert store.all_uses()[A].used == 1
        assert store.unsettled("s") == ("i2", "and the pier?", (B,))
        assert store.settle(at=AT, session_id="s", injection_id="i2", kinds={B: "used"})
        assert store.all_uses()[B].used == 1
        store.forget([A], at=AT)
        assert A not in "".join(str(event) for event in store.events())


@pytest.mark.parametrize("asset", LEARNED)
def test_it_keeps_what_a_person_said_what_was_decided_and_what_is_forgotten(asset: Path, tmp_path: Path):
    with Store.open(laid_down(asset, tmp_path)) as store:
        assert store.marks() == {B: "pin"}
        assert store.all_uses()[A].good == 1
        assert find(store, "00000000000000a1").glance.prompt == "when does the ferry leave?"
        assert store.counts()["hookclaw_recalls", ("injected",)] == 2.0
        with store._writing() as connection:
            assert connection.execute("SELECT count(*) FROM forgotten").fetchone()[0] == 1


@pytest.mark.parametrize("asset", [asset for asset in ASSETS if version_of(asset) < schema.BASELINE])
def test_an_index_of_the_store_as_it_was_starts_from_empty(asset: Path, tmp_path: Path):
    laid_down(asset, tmp_path)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
        generation = connection.execute("SELECT generation FROM counter").fetchone()[0]
    with Store.open(tmp_path) as store:
        found = store.changes_since(generation)
        assert found.complete
        assert "pier" in next(context for chunk_id, _, context in found.added if chunk_id == A)


@pytest.mark.parametrize("asset", [asset for asset in ASSETS if version_of(asset) < schema.BASELINE])
def test_the_store_as_it_was_is_kept_beside(asset: Path, tmp_path: Path):
    Store.open(laid_down(asset, tmp_path)).close()
    (copy,) = tmp_path.glob("memory.db.before-schema-*")
    with closing(sqlite3.connect(copy)) as kept:
        assert kept.execute("PRAGMA user_version").fetchone()[0] == version_of(asset)


@pytest.mark.parametrize("asset", LEARNED)
def test_a_damaged_one_is_salvaged_with_its_chunks_and_what_a_person_said(asset: Path, tmp_path: Path):
    file = laid_down(asset, tmp_path) / "memory.db"
    with closing(sqlite3.connect(file)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'chunks_by_date'").fetchone()
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    data = bytearray(file.read_bytes())
    data[size * (page - 1) : size * page] = b"\xa5" * size
    file.write_bytes(data)
    rebuilt = upkeep.rebuild(tmp_path, at=AT)
    assert rebuilt is not None
    assert (bool(rebuilt.damage), rebuilt.lost) == (True, {})
    with Store.open(tmp_path) as store:
        assert [chunk.id for chunk in store.all_chunks()] == [A, B]
        assert store.marks() == {B: "pin"}
        assert len(store.forgotten_at()) == 1


def carried_over(asset: Path, folder: Path) -> Path:
    """Let the pier's chunk be a slight edit of an earlier one, whose record was carried over, and one be gone for good."""
    laid_down(asset, folder)
    with closing(sqlite3.connect(folder / "memory.db", isolation_level=None)) as connection:
        edited, gone = f"{9:016x}", f"{7:016x}"
        connection.execute("UPDATE chunks SET key = 9 WHERE key = 2")
        connection.execute("UPDATE uses SET key = 9 WHERE key = 2")
        for kind, data in (
            ("carry", {"old": B, "new": edited}),
            ("mark", {"chunk": gone, "mark": "block"}),
            ("drop", {"chunks": [gone]}),
            ("objection", {"chunks": {edited: "ignored"}, "then": "2026-02-10T09:00:00+00:00"}),
        ):
            connection.execute(
                "INSERT INTO events (at, kind, session, injection, data) VALUES (?, ?, '', '', ?)",
                (AT.isoformat(), kind, json.dumps(data)),
            )
    return folder


@pytest.mark.parametrize("asset", JOINED)
def test_lists_that_were_joined_have_the_same_members(asset: Path, tmp_path: Path):
    with Store.open(laid_down(asset, tmp_path)) as store:
        assert store.files()[NOTE_FILE].warnings == ("line 3 is not UTF-8",)
        assert {"harbour", "ferry", "old pier"} <= store.names()
        assert store.counts() == {
            ("hookclaw_recalls", ("injected",)): 2.0,
            ("hookclaw_faults", ("vector", "late")): 1.0,
            ("hookclaw_starts", ()): 1.0,
        }
        (glance,) = store.decisions()
        assert (glance.shown, glance.faults) == ((A, B), ("catch-up", "vector"))
        store.add_counts({("hookclaw_faults", ("vector", "late")): 1.0})
        assert store.counts()["hookclaw_faults", ("vector", "late")] == 2.0


@pytest.mark.parametrize("asset", CHUNKS_ALONE)
def test_what_was_carried_from_chunk_to_chunk_hangs_on_one_memory(asset: Path, tmp_path: Path):
    edited, gone = f"{9:016x}", f"{7:016x}"
    with Store.open(carried_over(asset, tmp_path)) as store:
        assert {c.id: (c.memory, c.revision) for c in store.all_chunks()} == {A: (A, 1), edited: (B, 2)}
        assert store.marks() == {B: "pin", gone: "block"}
        assert (store.all_uses()[B].contradicted, list(store.pinned())) == (1, [edited])
        assert store.memory(gone) == Memory(gone, NOTE, MemoryStatus.ENDED, 1)
        assert [event.kind for event in store.events()][-2:] == ["mark", "objection"]
        back = replace(store.chunks([edited])[edited], id=gone, text="It is back", memory="", revision=1)
        store.replace_file("memory/other.md", chunks=[back])
        assert store.chunks([gone])[gone].memory == gone, "what was blocked stays blocked"
        assert store.forget([B], at=AT) == {B: [B, edited]}
        assert set(store.marks()) == {gone}


@pytest.mark.parametrize("asset", LEARNED)
def test_of_a_damaged_store_what_can_be_read_fits_together(asset: Path, tmp_path: Path):
    """keep: rows of memories that are lost are made anew for the chunks that are there."""
    with Store.open(laid_down(asset, tmp_path)) as store, store._writing() as connection:
        connection.execute("DELETE FROM memories")
        connection.execute("DELETE FROM revisions WHERE memory = 1")
    with closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None)) as connection:
        memories.mend(connection, AT)
    with Store.open(tmp_path) as store:
        found = store.memory(A)
        assert found is not None
        assert (found.status, [r.chunk_id for r in store.revisions(A)]) == (MemoryStatus.ACTIVE, [A])
        assert store.replace_file("memory/2026-02-09.md", chunks=[]).removed == 2
        assert store.marks() == {B: "pin"}


@pytest.mark.parametrize("asset", EARLIER)
def test_what_happens_from_now_on_is_kept(asset: Path, tmp_path: Path):
    with Store.open(laid_down(asset, tmp_path)) as store:
        assert [one.payload["text"] for one in store.happenings()] == ["what was the port?", "6000"][
            : 2 * (version_of(asset) > 10)
        ]
        told = Happening("h", AT, "openclaw", "s", "r", HappeningKind.PROMPT, {"text": "hello"})
        assert store.append([told], queued=["h"], now=AT) == {"h"}
        assert store.happenings("s") == [told]


@pytest.mark.parametrize("asset", EARLIER)
def test_what_is_distilled_from_now_on_is_kept(asset: Path, tmp_path: Path):
    with Store.open(laid_down(asset, tmp_path)) as store:
        assert store.records() == []
        change = RecordChange(
            record(id="00000000000000aa", body="The port is 6000."), RecordAction.BEGUN, "new", ["h0"]
        )
        assert store.write_record(change, None, at=AT, actor="test")
        assert [one.body for one in store.records()] == ["The port is 6000."]


@pytest.mark.parametrize("asset", EARLIER)
def test_its_headings_are_read_without_its_texts(asset: Path, tmp_path: Path):
    """keep: of a million passages these are 1.3 GB, which the first prompt would wait for."""
    with Store.open(laid_down(asset, tmp_path)) as store, store._reading() as connection:
        where, values = parts.where(connection, ANSWERED_FROM)
        plan = connection.execute(f"EXPLAIN QUERY PLAN SELECT path, heading FROM chunks{where}", values).fetchall()
        assert plan[0][-1] == "SCAN chunks USING COVERING INDEX chunks_by_path"
        later = connection.execute(f"EXPLAIN QUERY PLAN {headings._NEWER}", (7,)).fetchall()
        assert [step[-1].split(" (")[0] for step in later] == [
            "SEARCH chunks USING INDEX chunks_by_context_generation"
        ], "of what changed, no other passage is looked at"


@pytest.mark.parametrize("asset", EARLIER)
def test_new_passages_are_found_by_what_changed_around_them(asset: Path, tmp_path: Path):
    with Store.open(laid_down(asset, tmp_path)) as store:
        before = store.generation()
        new = replace(store.get(A), id=D, memory=D, text="The mole is closed")
        store.replace_file("memory/later.md", chunks=[new])
        store.add_embeddings("hash-4", [(D, bytes(12) + b"\0\0\x80\x3f")])
        assert [store.vectors_since("hash-4", since).ids for since in (before, before + 1)] == [[D], [D]]
        with store._snapshot() as connection:
            said = list[str]()
            connection.set_trace_callback(said.append)
            embeddings.load(connection, "hash-4", before)
            connection.set_trace_callback(None)
            plan = [step[-1] for step in connection.execute(f"EXPLAIN QUERY PLAN {said[-1]}")]
    assert any("chunks_by_context_generation" in step or "embeddings_by_generation" in step for step in plan)
    assert not any(step.startswith("SCAN") for step in plan), plan
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
        late = connection.execute("SELECT count(*) FROM chunks WHERE generation > context_generation").fetchone()
    assert late == (0,) or version_of(asset) < schema.BASELINE, "no passage is newer than what is around it"


def test_who_opens_it_while_another_process_migrates_it_waits_and_copies_nothing(tmp_path: Path):
    """Each copied it to the same file: one took the other's away, which said that the disk is full or failing."""
    folder = laid_down(ASSETS[0], tmp_path)
    with ThreadPoolExecutor() as pool:
        with disk.opening(disk.file_in(folder)):
            second = pool.submit(Store.open, folder)
            with pytest.raises(TimeoutError):
                second.result(0.5)
            with closing(disk.connect(disk.file_in(folder), busy_seconds=0)) as first:
                schema.migrate(first, "", lasting=True)
        with second.result() as store:
            assert store.files()
    assert not list(folder.glob("*.before-schema-*"))


def test_there_is_a_store_of_the_version_before_each_migration():
    versions = {version_of(asset) for asset in ASSETS}
    assert versions >= set(range(schema.BASELINE, schema.newest())) | {schema.BASELINE}


def test_migrations_are_functions_with_names_of_their_own():
    names = [migration.__name__ for migration in MIGRATIONS]
    assert len(set(names)) == len(names)
    assert "<lambda>" not in names


def test_postgresql_has_the_same_tables(tmp_path):
    Store.open(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        ours = {t: {row[1] for row in connection.execute(f"PRAGMA table_info({t})")} for t in tables}
        assert connection.execute("PRAGMA user_version").fetchone()[0] == postgres_schema.VERSION
    assert {table: set(columns) for table, columns in postgres_schema.columns().items()} == ours
