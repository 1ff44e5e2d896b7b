"""The schema: one baseline; what changes it from one version to the next is in ``migrations``.

Tables (times are ISO 8601 UTC; ``generation`` is the counter's value when the row became visible):

- ``meta``        key, value (JSON): workspace, and whatever a caller remembers
- ``counter``     one row: generation (raised by every visible change), first and pruned (the oldest it can tell about)
- ``files``       path, digest of the bytes, size, mtime_ns, recipe (chunker, tokenizer and flags the chunks were made with),
                  warnings (a list: what was wrong with the file), names (a list: title and aliases, folded),
                  shared (1, 0 or null: what it says of itself)
- ``memories``    key (the id as an integer), kind, status, head (the number of the newest revision), origin (the least trusted it had)
- ``revisions``   each wording of a memory: number, at, cause, the key of its chunk, the digest of its heading and text
- ``chunks``      key, memory and revision, path, position, lines, heading, text, kind, origin, created_at, terms, digest, generation,
                  context_generation (when its terms, or those of its neighbours, changed; see ``store.sql.context``)
- ``tombstones``  key and generation of deleted chunks, so that derived indexes can catch up
- ``models``      name and dimension of embedding models
- ``embeddings``  digest of the embedded text, model, vector and tokens as ``store.packing`` writes them (tokens: the vector of each token of
                  the text, see ``model.vectors.TokenVectors``; null when the model tells only the vector), generation
- ``events``      append-only: what was injected, what the turn after it used, what a person said of it; see ``store.events``
- ``event_memories``  which event tells of which memory
- ``happenings``  what hosts reported of sessions, without secrets and private parts: number (the order they came in), id, at, host,
                  session, run, kind, payload (JSON; null when it was kept long enough, or forgotten)
- ``queue``       which of them wait for work: happening, lane (rules, model), session, state (pending, processing, failed), attempts, due,
                  and of what is at work since when (leased) and by whom (lease); what is done is in here no more
- ``records``     what was distilled of them: the memory it is, kind, about (what records on one thing share), title, body, said_by,
                  confidence, salience as of salient_at, level, scope, status, first_at, at (when it was said), session, fields (JSON)
- ``record_history``  what was done to each, append-only: at, actor, action, why, what it said then, evidence (ids of happenings)
- ``record_links``  that one record (source) supersedes, contests, comes from or has to do with another (target), how much
                  (strength), and who says so (made_by, "" = what was done to them)
- ``decisions``   every prompt and what became of it; ``shown`` and ``faults`` are lists, ``story`` is how, as JSON compressed by zstandard
- ``uses``        what ``events`` come to by memory: how often shown, used and so on; hits and misses, the weight of verdicts,
                  have decayed to ``as_of``; occasions: the last turns, JSON of [time, what became of the memory, the prompt's terms]
- ``forgotten``   digest of each heading and text that a person wants gone: it is not indexed again
- ``counts``      what ``hookclaw metrics`` shows, added up over all processes: name, label values (a list), amount

Lists are JSON, but for ``terms``, which blanks part and ``store.packing`` packs.

The views ``notes`` and ``note_files`` are for people: ``sqlite3 memory.db 'SELECT * FROM notes'``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from time import time_ns

from hookclaw_py.errors import StoreError
from hookclaw_py.store.dialects.sqlite.migrations import MIGRATIONS, Migration

APPLICATION_ID = 0x486F6F6B  # "Hook", in the file's header

PAGE_SIZE = 1024
"""Bytes. A passage has one row of one KB and one of three; of SQLite's own pages of 4 KB a sixth would be empty."""

BASELINE = 7
"""The version of a store that was just made and not migrated. Those before it were never released."""

_TABLES = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE counter (generation INTEGER NOT NULL, first INTEGER NOT NULL, pruned INTEGER NOT NULL);
    CREATE TABLE files (
        path TEXT PRIMARY KEY, digest TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        recipe TEXT NOT NULL, warnings TEXT NOT NULL DEFAULT '', names TEXT NOT NULL DEFAULT '', shared INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE chunks (
        key INTEGER PRIMARY KEY, path TEXT NOT NULL REFERENCES files (path), position INTEGER NOT NULL,
        first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL,
        source TEXT NOT NULL, origin TEXT NOT NULL, created_at TEXT, terms TEXT NOT NULL, digest BLOB NOT NULL,
        generation INTEGER NOT NULL, context_generation INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX chunks_by_path ON chunks (path, position);
    CREATE INDEX chunks_by_generation ON chunks (generation);
    CREATE INDEX chunks_by_context_generation ON chunks (context_generation);
    CREATE INDEX chunks_by_digest ON chunks (digest);
    CREATE INDEX chunks_by_date ON chunks (created_at);
    CREATE TABLE tombstones (key INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
    CREATE INDEX tombstones_by_generation ON tombstones (generation);
    CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
    CREATE TABLE embeddings (
        digest BLOB NOT NULL, model INTEGER NOT NULL REFERENCES models (id), vector BLOB NOT NULL,
        generation INTEGER NOT NULL, tokens BLOB, PRIMARY KEY (model, digest)
    );
    CREATE INDEX embeddings_by_generation ON embeddings (model, generation);
    CREATE TABLE events (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, session TEXT NOT NULL, injection TEXT NOT NULL,
        data TEXT NOT NULL, run TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX events_by_session ON events (session, id);
    CREATE INDEX events_by_injection ON events (injection);
    CREATE TABLE decisions (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, session TEXT NOT NULL, run TEXT NOT NULL,
        outcome TEXT NOT NULL, reason TEXT NOT NULL, cached TEXT NOT NULL, relevance REAL NOT NULL, ms REAL NOT NULL,
        bytes INTEGER NOT NULL, shown TEXT NOT NULL, faults TEXT NOT NULL, prompt TEXT NOT NULL, story BLOB NOT NULL
    );
    CREATE INDEX decisions_by_session ON decisions (session, number);
    CREATE TABLE uses (
        key INTEGER PRIMARY KEY, shown INTEGER NOT NULL, used INTEGER NOT NULL, relevant INTEGER NOT NULL,
        contradicted INTEGER NOT NULL, ignored INTEGER NOT NULL, good INTEGER NOT NULL, bad INTEGER NOT NULL,
        hits REAL NOT NULL, misses REAL NOT NULL, as_of REAL NOT NULL, mark TEXT NOT NULL, occasions TEXT NOT NULL
    );
    CREATE TABLE forgotten (digest BLOB PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE counts (
        name TEXT NOT NULL, labels TEXT NOT NULL, amount REAL NOT NULL, PRIMARY KEY (name, labels)
    ) WITHOUT ROWID;
    CREATE VIEW notes AS
        SELECT printf('%016x', key) AS id, path, first_line || '-' || last_line AS lines, heading, text, created_at,
               (SELECT count(*) FROM embeddings e WHERE e.digest = c.digest) AS embeddings
        FROM chunks c ORDER BY path, position;
    CREATE VIEW note_files AS
        SELECT path, size, datetime(mtime_ns / 1000000000, 'unixepoch') AS modified, recipe,
               (SELECT count(*) FROM chunks c WHERE c.path = f.path) AS chunks
        FROM files f ORDER BY path
"""


def newest(migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Return the version that this package writes, or one with other migrations would."""
    return BASELINE + len(migrations)


def migrate(
    connection: sqlite3.Connection,
    where: str,
    *,
    lasting: bool,
    to: int | None = None,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> None:
    """Bring the database to the newest schema, or to that version, in one transaction.

    Raises:
        StoreError: if a newer version of this package wrote it, or another program.
    """
    if lasting and connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")  # of a new file; one that is made keeps its own
        connection.execute("PRAGMA journal_mode = WAL")
    target = newest(migrations) if to is None else to
    if version_of(connection, where, migrations) >= target:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = version_of(connection, where, migrations)  # again: another process may have done it
        if version == 0:
            _make(connection)
            # A store made after another was deleted starts above all of its generations: no derived index of the
            # old one can be mistaken for an index of this one.
            start = time_ns() // 1_000_000 if lasting else 0
            connection.execute("INSERT INTO counter VALUES (?, ?, ?)", (start, start, start))
        elif version < BASELINE:
            _remake(connection)
        for migration in migrations[max(0, version - BASELINE) : target - BASELINE]:
            migration(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {target}")
        connection.execute("COMMIT")
    except sqlite3.Error:
        roll_back(connection)
        raise


def version_of(connection: sqlite3.Connection, where: str, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Return the schema's version.

    Raises:
        StoreError: if a newer version of this package wrote it, or another program.
    """
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    owner: int = connection.execute("PRAGMA application_id").fetchone()[0]
    tables: int = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if owner != APPLICATION_ID and (owner or version or tables):
        raise StoreError(f"{where} is the database of another program; move it away, or set HOOKCLAW_HOME")
    if version > newest(migrations):
        raise StoreError(
            f"{where} was written by a newer hookclaw (schema {version}, this one knows {newest(migrations)}); "
            "upgrade hookclaw_py, or use another HOOKCLAW_HOME"
        )
    return version


def columns_of(connection: sqlite3.Connection, table: str) -> list[str]:
    """Return the names of a table's columns; [] when there is no such table."""
    return [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]


def roll_back(connection: sqlite3.Connection) -> None:
    """End the transaction, if the error has not ended it already."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _make(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";"):
        connection.execute(statement)


def _remake(connection: sqlite3.Connection) -> None:
    """Bring a store from before the baseline to it: its tables are made anew, and filled with the rows they had.

    Left behind are the tallies of uses, which are made anew of the events; every derived index starts from empty.
    """
    connection.execute("PRAGMA defer_foreign_keys = ON")
    found = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    for kind, name, _ in found:
        if kind != "table":
            connection.execute(f"DROP {kind} {name}")
    tables = [(name, sql) for kind, name, sql in found if kind == "table"]
    for name, _ in tables:
        connection.execute(f"ALTER TABLE {name} RENAME TO earlier_{name}")
    _make(connection)
    for name, _ in tables:
        earlier = columns_of(connection, f"earlier_{name}")
        common = ", ".join(column for column in columns_of(connection, name) if column in earlier)
        if common and name != "uses":
            connection.execute(f"INSERT INTO {name} ({common}) SELECT {common} FROM earlier_{name}")
    for name, _ in sorted(tables, key=lambda table: "REFERENCES" not in table[1]):  # those that lean on others first
        connection.execute(f"DROP TABLE earlier_{name}")
    connection.execute("DELETE FROM meta WHERE key = 'uses'")
    connection.execute("UPDATE counter SET generation = generation + 1, pruned = generation + 1")
