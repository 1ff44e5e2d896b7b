"""Stores of earlier versions: each opens as it is, and nothing that it knows is lost.

``tests/assets/stores/schema-N.sql`` is a store that the code of version N filled, as SQL: three chunks with vectors, a turn
that used one of them, a showing that waits for its turn, and from version 5 on a pin, a verdict, a decision, a counter,
and a chunk that was forgotten.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hookclaw_py.store import upkeep
from hookclaw_py.store.database import Store
from hookclaw_py.store.decisions import find
from hookclaw_py.store.dialects.sqlite import schema

ASSETS = sorted((Path(__file__).parents[1] / "assets" / "stores").glob("schema-*.sql"))
AT = datetime(2026, 2, 10, 9, tzinfo=UTC)
A, B, C = (f"{number:016x}" for number in (1, 2, 3))


def version_of(asset: Path) -> int:
    return int(asset.stem.rpartition("-")[2])


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
        assert store.files() == {"memory/2026-02-09.md": ("d1", 10, 20, "chunker-1", (), None)}
        assert store.get_meta("agent") == "main"
        found = store.vectors_since("hash-4", -1)
        assert (found.ids, found.matrix.tolist()) == ([A, B], [[1, 0, 0, 0], [0, 1, 0, 0]])
        assert store.replace_file("memory/2026-02-09.md", chunks=[chunk], warnings=["w"]).kept == 1


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
        assert store.counts() == {("hookclaw_recalls", ("injected",)): 2.0}
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


def test_there_is_a_store_of_the_version_before_each_migration():
    versions = {version_of(asset) for asset in ASSETS}
    assert versions >= set(range(schema.BASELINE, schema.newest())) | {schema.BASELINE}


def test_migrations_are_functions_with_names_of_their_own():
    names = [migration.__name__ for migration in schema.MIGRATIONS]
    assert len(set(names)) == len(names)
    assert "<lambda>" not in names
