"""A damaged, locked, read-only, foreign or full store: a message that names the file and what to do; nothing lost."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from hookclaw_py.errors import IndexingError, StoreError
from hookclaw_py.ingest.indexer import index_workspace
from hookclaw_py.ingest.note_text import read_note
from hookclaw_py.ingest.workspace import Problem, find_notes
from hookclaw_py.model.place import FilePlace
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.database import Store
from hookclaw_py.store.dialects.sqlite import copies, schema
from hookclaw_py.store.dialects.sqlite.migrations import MIGRATIONS

MODEL = "hash-4"
CHUNKS = [
    Chunk(f"{n:016x}", f"fact {n} " * 20, FilePlace("memory/a.md", (n, n)), terms=Terms(("fact", str(n))))
    for n in range(1, 200)
]


def filled(folder: Path) -> Path:
    with Store.open(folder) as store:
        store.replace_file("memory/a.md", chunks=CHUNKS)
        store.add_embeddings(MODEL, [(c.id, np.ones(4, "<f4").tobytes()) for c in CHUNKS])
    return folder / "memory.db"


def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path):
    file = tmp_path / "memory.db"
    file.write_bytes(b"these are not the bytes you are looking for" * 100)
    with pytest.raises(StoreError, match=r"memory\.db.*--rebuild"):
        Store.open(tmp_path)
    assert file.read_bytes().startswith(b"these are not")


def pages_of_schema(data: bytes) -> set[int]:
    """Return the pages on which SQLite keeps the schema: an interior page 1 and its children; without them nothing opens."""
    assert data[100] == 5
    cells = [int.from_bytes(data[at : at + 2], "big") for at in range(112, 112 + 2 * data[104], 2)]
    return {int.from_bytes(data[at : at + 4], "big") for at in (108, *cells)}


def test_damage_in_the_middle_is_reported_when_it_is_met(tmp_path: Path):
    file = filled(tmp_path)
    data = bytearray(file.read_bytes())
    for page in range(2, len(data) // schema.PAGE_SIZE + 1):
        if page not in pages_of_schema(data):
            data[(page - 1) * schema.PAGE_SIZE : page * schema.PAGE_SIZE] = b"\xa5" * schema.PAGE_SIZE
    file.write_bytes(data)
    with Store.open(tmp_path) as store:
        for use in (
            store.all_chunks,
            store.files,
            lambda: store.chunks([CHUNKS[0].id]),
            lambda: store.changes_since(-1),
            lambda: store.vectors_since(MODEL, -1),
            lambda: store.replace_file("memory/b.md", chunks=[]),
        ):
            with pytest.raises(StoreError, match=r"memory\.db.*damaged"):
                use()


def test_a_damaged_database_is_set_aside_only_when_asked_and_kept(tmp_path: Path):
    for number in (1, 2):
        (tmp_path / "memory.db").write_bytes(b"damaged")
        (tmp_path / "memory.db-wal").write_bytes(b"journal")
        rebuilt = copies.rebuild(tmp_path, at=datetime.now(UTC))
        assert rebuilt is not None
        assert rebuilt.aside == tmp_path / f"memory.db.corrupt-{number}"
        assert rebuilt.aside.read_bytes() == b"damaged"
        assert rebuilt.lost["events"]
    with Store.open(tmp_path) as store:
        assert store.count() == 0
    assert copies.rebuild(tmp_path / "nowhere", at=datetime.now(UTC)) is None


def test_a_locked_database_says_who_to_wait_for_and_reading_goes_on(tmp_path: Path):
    file = filled(tmp_path)
    with Store.open(tmp_path, busy_seconds=0.05) as store:
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"memory\.db.*locked.*another process"):
            store.forget_file("memory/a.md")
        assert store.count() == len(CHUNKS)
        other.execute("ROLLBACK")
        other.close()
        assert store.forget_file("memory/a.md") == len(CHUNKS)


def test_a_database_that_another_program_holds_cannot_be_opened(tmp_path: Path):
    file = filled(tmp_path)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="another process"):
        Store.open(tmp_path, busy_seconds=0.05)
    other.close()
    with Store.open(tmp_path) as store:
        assert store.count() == len(CHUNKS)


def test_a_newer_schema_asks_for_an_upgrade_and_is_left_alone(tmp_path: Path):
    file = filled(tmp_path)
    with sqlite3.connect(file) as newer:
        newer.execute(f"PRAGMA user_version = {schema.newest() + 1}")
    newer.close()
    with pytest.raises(StoreError, match=r"memory\.db.*newer.*upgrade"):
        Store.open(tmp_path)


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE theirs (a)", "PRAGMA user_version = 7", "PRAGMA application_id = 9"]
)
def test_the_database_of_another_program_is_left_alone(tmp_path: Path, statement: str):
    with sqlite3.connect(tmp_path / "memory.db") as theirs:
        theirs.execute(statement)
    theirs.close()
    with pytest.raises(StoreError, match="another program"):
        Store.open(tmp_path)


def test_a_failed_migration_leaves_nothing_half_done(tmp_path: Path):
    def add_extra(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE extra (a)")

    def add_files_again(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE files (a)")

    filled(tmp_path)
    with pytest.raises(StoreError, match="already exists"):
        Store.open(tmp_path, migrations=[*MIGRATIONS, add_extra, add_files_again])
    with Store.open(tmp_path, migrations=[*MIGRATIONS, add_extra]) as store:
        assert store.count() == len(CHUNKS)


def test_a_store_that_was_closed_says_so(tmp_path: Path):
    store = Store.open(tmp_path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match=r"memory\.db.*closed"):
        store.generation()
    with pytest.raises(StoreError, match="closed"):
        store.set_meta("a", 1)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=r"file/main/memory\.db"):
        Store.open(tmp_path / "file" / "main")


def test_a_damaged_vector_is_embedded_again(tmp_path: Path):
    file = filled(tmp_path)
    with sqlite3.connect(file) as raw:
        raw.execute("UPDATE embeddings SET vector = x'0102' WHERE rowid = 1")
    raw.close()
    with Store.open(tmp_path) as store:
        assert len(store.vectors_since(MODEL, -1).ids) == len(CHUNKS) - 1
        ((chunk_id, _),) = store.pending_embeddings(MODEL, 10)
        store.add_embeddings(MODEL, [(chunk_id, np.ones(4, "<f4").tobytes())])
        assert len(store.vectors_since(MODEL, -1).ids) == len(CHUNKS)


@contextmanager
def unprivileged(folder: Path) -> Iterator[None]:
    """Make ``folder`` and its files read-only for whoever we are, root included."""
    paths = [*folder.rglob("*"), folder]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)


@contextmanager
def as_root() -> Iterator[None]:
    """Be ourselves again inside ``unprivileged``."""
    euid = os.geteuid()
    if os.getuid() != euid:
        os.seteuid(os.getuid())
    try:
        yield
    finally:
        if os.geteuid() != euid:
            os.seteuid(euid)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX file modes")
def test_a_read_only_store_says_what_to_check_and_loses_nothing():
    folder = Path(tempfile.mkdtemp())  # pytest's own folders are closed to other users
    try:
        folder.chmod(0o755)
        filled(folder / "main")
        (folder / "notes").mkdir()
        with unprivileged(folder):
            with (
                pytest.raises(StoreError, match=r"memory\.db.*(?:owner and mode|cannot create)"),
                Store.open(folder / "main", busy_seconds=0.05) as store,
            ):
                store.forget_file("memory/a.md")
            with pytest.raises(StoreError, match=r"cannot create .*new/memory\.db"):
                Store.open(folder / "new")
        with Store.open(folder / "main") as store:
            assert store.count() == len(CHUNKS)
            (folder / "main" / "index.lock").touch()
            with unprivileged(folder), pytest.raises((IndexingError, StoreError), match=r"owner and mode"):
                index_workspace(store, folder / "notes", globs=(), exclude=(), evergreen=())
        with unprivileged(folder), pytest.raises(StoreError, match="owner and mode"):
            copies.rebuild(folder / "main", at=datetime.now(UTC))
    finally:
        shutil.rmtree(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX file modes")
def test_notes_that_may_not_be_read_are_named_and_the_rest_is_listed():
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o755)
        for path in ("MEMORY.md", "memory/secret.md", "memory/closed/a.md"):
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text("fact")
        with unprivileged(folder):
            with as_root():
                (folder / "memory/secret.md").chmod(0)
                (folder / "memory/closed").chmod(0o444)  # names can be listed, files not looked at
            listing = find_notes(folder, globs=(), exclude=())
            read = read_note(folder, "memory/secret.md")
        assert [note.path for note in listing.notes] == ["MEMORY.md", "memory/secret.md"]
        assert [(problem.path, problem.passing) for problem in listing.problems] == [("memory/closed/a.md", True)]
        assert isinstance(read, Problem)
        assert read.passing
        assert "check its mode" in str(read)
    finally:
        shutil.rmtree(folder)


FILL_THE_DISK = """
import resource, sys
from pathlib import Path
from hookclaw_py.errors import StoreError
from hookclaw_py.store.dialects.sqlite import copies
from hookclaw_py.store.database import Store
from hookclaw_py.ingest.indexer import index_workspace

with Store.open(Path(sys.argv[1])) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    try:
        index_workspace(store, Path(sys.argv[2]), globs=(), exclude=(), evergreen=())
    except StoreError as error:
        print(error)
"""


def test_a_full_disk_is_reported_and_the_next_run_goes_on(tmp_path: Path):
    pytest.importorskip("resource", reason="needs POSIX resource limits")
    for n in range(60):
        note = tmp_path / "workspace" / "memory" / f"{n:02}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text("".join(f"# H{n}.{i}\n\n{f'fact {n} {i} ' * 40}\n\n" for i in range(10)))
    command = [sys.executable, "-c", FILL_THE_DISK, str(tmp_path / "main"), str(tmp_path / "workspace")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "memory.db" in done.stdout
    assert "nothing was lost" in done.stdout
    with Store.open(tmp_path / "main") as store:
        before = store.count()
        assert 0 < before < 600
        assert before == sum(10 for _ in store.files())  # whole files only
        report = index_workspace(store, tmp_path / "workspace", globs=(), exclude=(), evergreen=())
        assert store.count() == 600
        assert report.added == 600 - before


def test_a_note_of_a_million_tiny_paragraphs_is_named_and_the_others_are_read(tmp_path: Path):
    """It took 69 seconds and 2.1 GB."""
    (tmp_path / "workspace/memory").mkdir(parents=True)
    (tmp_path / "workspace/memory/dump.md").write_text("a\n\n" * 1_000_000)
    (tmp_path / "workspace/memory/boat.md").write_text("The spare key of the boat is with Ilse.\n")
    with Store.open(tmp_path / "main") as store:
        report = index_workspace(store, tmp_path / "workspace", globs=(), exclude=(), evergreen=())
        assert store.count() == 1
    (warning,) = report.warnings
    assert re.search(r"memory/dump\.md.*1,000,000 lines.*split it, or exclude it", warning)
