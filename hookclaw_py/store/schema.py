"""The database file: its schema in numbered migrations, how it is opened, and what its errors mean to a user.

Tables (times are ISO 8601 UTC; ``generation`` is the counter's value when the row became visible):

- ``meta``        key, value (JSON): workspace, and whatever a caller remembers
- ``counter``     one row: generation (raised by every visible change), first and pruned (the oldest it can tell about)
- ``files``       path, digest of the bytes, size, mtime_ns, recipe (chunker, tokenizer and flags the chunks were made with),
                  warnings (one a line: what was wrong with the file), names (one a line: title and aliases, folded),
                  shared (1, 0 or null: what it says of itself)
- ``chunks``      key (the id as an integer), path, position, lines, heading, text, created_at, terms, digest, generation,
                  context_generation (when its terms, or those of its neighbours, changed; see ``store.context``)
- ``tombstones``  key and generation of deleted chunks, so that derived indexes can catch up
- ``models``      name and dimension of embedding models
- ``embeddings``  digest of the embedded text, model, vector (little-endian float32), generation, tokens (64 int8 for each token of the
                  text, see ``retrieval.base.TokenVectors``; null when the model tells only the vector)
- ``events``      append-only: what was injected, what the turn after it used, what a person said of it; see ``store.events``
- ``decisions``   every prompt and what became of it; ``story`` is how, as JSON compressed by zstandard
- ``uses``        what ``events`` come to by chunk key: how often shown, used and so on; hits and misses, the weight of verdicts,
                  have decayed to ``as_of``; occasions: the last turns, JSON of [time, what became of the chunk, the prompt's terms]
- ``forgotten``   digest of each heading and text that a person wants gone: it is not indexed again
- ``counts``      what ``hookclaw metrics`` shows, added up over all processes: name, label values (with commas), amount

The views ``notes`` and ``note_files`` are for people: ``sqlite3 memory.db 'SELECT * FROM notes'``.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import time_ns

from filelock import FileLock, Timeout

from hookclaw_py.config import make_private
from hookclaw_py.errors import StoreError
from hookclaw_py.store import forgetting, pages

Identity = tuple[int, int] | None
"""Device and inode of a file; None where there is none."""
DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
"""What the names of errors begin with that tell of a damaged file."""
_UNWRITABLE = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_FULL", "SQLITE_IOERR")
_OPENING_TIMEOUT_S = 10

APPLICATION_ID = 0x486F6F6B  # "Hook", in the file's header

MIGRATIONS = [
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE counter (generation INTEGER NOT NULL, first INTEGER NOT NULL, pruned INTEGER NOT NULL);
    CREATE TABLE files (
        path TEXT PRIMARY KEY, digest TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        recipe TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE chunks (
        key INTEGER PRIMARY KEY, path TEXT NOT NULL REFERENCES files (path), position INTEGER NOT NULL,
        first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL,
        source TEXT NOT NULL, origin TEXT NOT NULL, created_at TEXT, terms TEXT NOT NULL, digest BLOB NOT NULL,
        generation INTEGER NOT NULL
    );
    CREATE INDEX chunks_by_path ON chunks (path, position);
    CREATE INDEX chunks_by_generation ON chunks (generation);
    CREATE INDEX chunks_by_digest ON chunks (digest);
    CREATE TABLE tombstones (key INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
    CREATE INDEX tombstones_by_generation ON tombstones (generation);
    CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
    CREATE TABLE embeddings (
        digest BLOB NOT NULL, model INTEGER NOT NULL REFERENCES models (id), vector BLOB NOT NULL,
        generation INTEGER NOT NULL, PRIMARY KEY (model, digest)
    );
    CREATE INDEX embeddings_by_generation ON embeddings (model, generation);
    CREATE VIEW notes AS
        SELECT printf('%016x', key) AS id, path, first_line || '-' || last_line AS lines, heading, text, created_at,
               (SELECT count(*) FROM embeddings e WHERE e.digest = c.digest) AS embeddings
        FROM chunks c ORDER BY path, position;
    CREATE VIEW note_files AS
        SELECT path, size, datetime(mtime_ns / 1000000000, 'unixepoch') AS modified, recipe,
               (SELECT count(*) FROM chunks c WHERE c.path = f.path) AS chunks
        FROM files f ORDER BY path;
    """,
    """
    CREATE TABLE events (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, session TEXT NOT NULL, injection TEXT NOT NULL,
        data TEXT NOT NULL
    );
    CREATE INDEX events_by_session ON events (session, id);
    CREATE TABLE uses (key INTEGER PRIMARY KEY, retrievals INTEGER NOT NULL, citations INTEGER NOT NULL);
    CREATE INDEX chunks_by_date ON chunks (created_at);
    """,
    "ALTER TABLE files ADD COLUMN warnings TEXT NOT NULL DEFAULT ''",
    """
    CREATE TABLE decisions (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, session TEXT NOT NULL, run TEXT NOT NULL,
        outcome TEXT NOT NULL, reason TEXT NOT NULL, cached TEXT NOT NULL, relevance REAL NOT NULL, ms REAL NOT NULL,
        bytes INTEGER NOT NULL, shown TEXT NOT NULL, faults TEXT NOT NULL, prompt TEXT NOT NULL, story BLOB NOT NULL
    );
    CREATE INDEX decisions_by_session ON decisions (session, number);
    ALTER TABLE events ADD COLUMN run TEXT NOT NULL DEFAULT '';
    CREATE INDEX events_by_injection ON events (injection);
    DROP TABLE uses;
    CREATE TABLE uses (
        key INTEGER PRIMARY KEY, shown INTEGER NOT NULL, used INTEGER NOT NULL, relevant INTEGER NOT NULL,
        contradicted INTEGER NOT NULL, ignored INTEGER NOT NULL, good INTEGER NOT NULL, bad INTEGER NOT NULL,
        hits REAL NOT NULL, misses REAL NOT NULL, as_of REAL NOT NULL, mark TEXT NOT NULL, occasions TEXT NOT NULL
    );
    CREATE TABLE forgotten (digest BLOB PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE counts (
        name TEXT NOT NULL, labels TEXT NOT NULL, amount REAL NOT NULL, PRIMARY KEY (name, labels)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE chunks ADD COLUMN context_generation INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX chunks_by_context_generation ON chunks (context_generation);
    ALTER TABLE embeddings ADD COLUMN tokens BLOB
    """,
    "ALTER TABLE files ADD COLUMN names TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE files ADD COLUMN shared INTEGER",
]
"""Each brings the database from one ``user_version`` to the next; written once, never edited."""


def opened(file: Path | None, where: str, *, busy_seconds: float) -> tuple[sqlite3.Connection, Identity, str]:
    """Open the database, made if it is not there (None: in memory), and bring it to the newest schema.

    Where it cannot be written (a read-only or full disk) it is opened for reading, if that is possible. Return the
    connection, which file it is of, and why it can only be read ("" when it can be written).
    """
    found = None
    if file:
        try:
            if not file.exists():
                create_file(file)
            found = identity(file)
            if file.stat().st_size == 0:
                raise StoreError(
                    f"{where} is empty: what it held is lost; {_REBUILD}, or `hookclaw restore FILE` a backup"
                )
        except OSError as error:
            raise StoreError(f"{where}: {error.strerror}; check the owner and mode of its folder") from error
    try:
        return _connected(file, where, busy_seconds), found, ""
    except sqlite3.OperationalError as error:
        connection = _readable(file, busy_seconds) if file else None
        if connection is None or not getattr(error, "sqlite_errorname", "").startswith(_UNWRITABLE):
            raise
        return connection, found, str(explanation(error, where))


def identity(file: Path) -> Identity:
    """Return what tells a file from another one in its place; None when there is none."""
    try:
        stat = file.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino


def _connected(file: Path | None, where: str, busy_seconds: float) -> sqlite3.Connection:
    connection = connect(file, busy_seconds=busy_seconds)
    try:
        if file:
            _keep_a_copy(connection, file)
        migrate(connection, where, lasting=file is not None)
    except (sqlite3.Error, StoreError):
        connection.close()
        raise
    return connection


def _keep_a_copy(connection: sqlite3.Connection, file: Path) -> None:
    """Copy a database that is about to be migrated to ``memory.db.before-schema-N``; that of the last time goes."""
    if not 0 < version_of(connection, str(file)) < len(MIGRATIONS):
        return
    kept = file.with_name(f"{file.name}.before-schema-{len(MIGRATIONS)}")
    try:
        pages.copy_to_file(connection, kept, str(file))
        for older in file.parent.glob(f"{file.name}.before-schema-*"):
            if older != kept:
                older.unlink()
    except OSError as error:
        raise StoreError(f"cannot copy {file} before its migration: {error.strerror}; make room") from error


def _readable(file: Path, busy_seconds: float) -> sqlite3.Connection | None:
    """Open a database of this version that cannot be written; None if it cannot be read either.

    SQLite writes beside the file even to read it, unless the file is said to be immutable: which it is while nobody can
    write, if no journal is left.
    """
    journal = file.with_name(f"{file.name}-wal")
    for how in ("mode=ro", "immutable=1"):
        if how == "immutable=1" and journal.exists() and journal.stat().st_size:
            continue
        connection = sqlite3.connect(
            f"{file.absolute().as_uri()}?{how}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=busy_seconds,
        )
        try:
            if connection.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS):
                return connection
        except sqlite3.Error:
            pass
        connection.close()
    return None


def connect(file: Path | None, *, busy_seconds: float) -> sqlite3.Connection:
    """Open a connection in autocommit mode; None is a database in memory."""
    name = ":memory:" if file is None else str(file)
    connection = sqlite3.connect(name, isolation_level=None, check_same_thread=False, timeout=busy_seconds)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what a note no longer says is gone from the free pages, too
    return connection


def create_file(file: Path) -> None:
    """Make the store's folder (mode 0700) and its database (0600), whole or not at all.

    A folder that is there already is left as it is: it may be somebody's shared one. The journal of a database that is
    gone is put aside: SQLite would take it for that of the new one.
    """
    draft = file.with_name(f"{file.name}.new-{os.getpid()}")
    try:
        make_private(file.parent)
        with opening(file):
            if file.exists():
                return
            for stale in file.parent.glob(f"{file.name}.new-*"):
                stale.unlink()
            put_aside(file, journals_only=True)
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            connection = connect(draft, busy_seconds=0)
            try:
                migrate(connection, str(file), lasting=True)
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    forgetting.purge_again(connection, forgetting.beside(file.parent), at=datetime.now(UTC))
            finally:
                connection.close()
            draft.rename(file)
    except OSError as error:
        raise StoreError(f"cannot create {file}: {error.strerror}; check the folder, or set HOOKCLAW_HOME") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


@contextmanager
def opening(file: Path) -> Iterator[None]:
    """Hold the lock that lets one process at a time make the file, or put another one in its place."""
    try:
        with FileLock(file.with_name("open.lock"), timeout=_OPENING_TIMEOUT_S, mode=0o600):
            yield
    except Timeout:
        raise StoreError(f"cannot create {file}: another process is making it; try again") from None


def migrate(connection: sqlite3.Connection, where: str, *, lasting: bool) -> None:
    """Bring the database to the newest schema, in one transaction.

    Raises:
        StoreError: if a newer version of this package wrote it, or another program.
    """
    if lasting and connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode = WAL")
    if version_of(connection, where) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for version in range(version_of(connection, where), len(MIGRATIONS)):  # again: another process may have done it
            for statement in MIGRATIONS[version].split(";"):
                connection.execute(statement)
            if version == 0:
                # A store made after another was deleted starts above all of its generations: no derived index of the
                # old one can be mistaken for an index of this one.
                start = time_ns() // 1_000_000 if lasting else 0
                connection.execute("INSERT INTO counter VALUES (?, ?, ?)", (start, start, start))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except sqlite3.Error:
        roll_back(connection)
        raise


def version_of(connection: sqlite3.Connection, where: str) -> int:
    """Return the schema's version.

    Raises:
        StoreError: if a newer version of this package wrote it, or another program.
    """
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    owner: int = connection.execute("PRAGMA application_id").fetchone()[0]
    tables: int = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if owner != APPLICATION_ID and (owner or version or tables):
        raise StoreError(f"{where} is the database of another program; move it away, or set HOOKCLAW_HOME")
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{where} was written by a newer hookclaw (schema {version}, this one knows {len(MIGRATIONS)}); "
            "upgrade hookclaw_py, or use another HOOKCLAW_HOME"
        )
    return version


def roll_back(connection: sqlite3.Connection) -> None:
    """End the transaction, if the error has not ended it already."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn a database error into a ``StoreError`` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise explanation(error, where) from error


def explanation(error: sqlite3.Error, where: str) -> StoreError:
    """Say what went wrong with the database, and what to do about it."""
    name = getattr(error, "sqlite_errorname", "")  # absent when the error is the module's own
    advice = next((text for prefix, text in _ADVICE.items() if name.startswith(prefix)), "")
    if not name and "closed" in str(error):
        advice = "the store was closed; open it again"
    return StoreError(f"{where}: {error}" + (f"; {advice}" if advice else ""))


def put_aside(file: Path, *, journals_only: bool = False) -> Path | None:
    """Rename the database and its journal to ``memory.db.corrupt-N``; return the new name, None if there was nothing."""
    journals = [file.with_name(f"{file.name}{suffix}") for suffix in ("-wal", "-shm")]
    parts = [path for path in (*([] if journals_only else [file]), *journals) if path.exists()]
    if not parts:
        return None
    taken = {path.name.removesuffix("-wal").removesuffix("-shm") for path in file.parent.glob(f"{file.name}.corrupt-*")}
    aside = next(name for n in range(1, 1_000_000) if (name := f"{file.name}.corrupt-{n}") not in taken)
    try:
        for path in parts:
            path.rename(file.with_name(aside + path.name.removeprefix(file.name)))
    except OSError as error:
        raise StoreError(f"cannot move {file} aside: {error.strerror}; end the programs that use it") from error
    return file.with_name(aside)


_REBUILD = "`hookclaw index --rebuild` saves what can be read of it and indexes the notes anew"
DAMAGED = f"the file is damaged; {_REBUILD}"
_ADVICE = {
    "SQLITE_CORRUPT": DAMAGED,
    "SQLITE_NOTADB": DAMAGED,
    "SQLITE_BUSY": "another process holds it; wait until that is done, or end it",
    "SQLITE_LOCKED": "another process holds it; wait until that is done, or end it",
    "SQLITE_READONLY": "it cannot be written; check the owner and mode of the file and its folder",
    "SQLITE_CANTOPEN": "it cannot be opened; check the owner and mode of the file and its folder",
    "SQLITE_PERM": "it cannot be opened; check the owner and mode of the file and its folder",
    "SQLITE_FULL": "nothing was lost; make room and run the command again",
    "SQLITE_IOERR": "the disk does not accept it (full, or failing); nothing was lost, make room and try again",
}
