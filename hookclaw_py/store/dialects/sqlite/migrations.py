"""What changes the schema from one version to the next: functions with names, written once, never edited.

With each comes a store of the version before it, as SQL in ``tests/assets/stores``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hookclaw_py.regex import regex
from hookclaw_py.store import packing
from hookclaw_py.store.content import wording_digest

Migration = Callable[[sqlite3.Connection], None]
"""Brings a store of one version to the next, inside a transaction; its name says what it does (``add_revisions``)."""


_ID = regex(r"[0-7][0-9a-f]{15}")


def name_kinds(connection: sqlite3.Connection) -> None:
    """Chunks have a kind instead of a source and an origin, of which one followed from the other."""
    connection.execute("ALTER TABLE chunks RENAME COLUMN source TO kind")
    connection.execute("ALTER TABLE chunks DROP COLUMN origin")


def add_memories(connection: sqlite3.Connection) -> None:
    """Chunks are wordings of memories, on which all hangs that was learned; events tell of memories, not of chunks.

    A memory is called like the first chunk that it was known as: whose record was carried over to a later one.
    """
    for statement in _MEMORIES.split(";"):
        connection.execute(statement)
    chains = _chains(connection)
    first = {chunk: chain[0] for chunk, chain in chains.items()}
    now = datetime.now(UTC).isoformat()
    taken: set[str] = set()
    rows = connection.execute("SELECT key, kind, heading, text FROM chunks").fetchall()
    for key, kind, heading, text in sorted(rows, key=lambda row: f"{row[0]:016x}" in chains):
        chunk = f"{key:016x}"
        earlier = chains.get(chunk, [chunk])[:-1]
        if earlier and earlier[0] in taken:  # that one is there again
            earlier = []
        memory = earlier[0] if earlier else chunk
        while memory in taken:
            memory = f"{int(memory, 16) ^ 1:016x}"
        taken.add(memory)
        number, head = int(memory, 16), len(earlier) + 1
        connection.execute("UPDATE chunks SET memory = ?, revision = ? WHERE key = ?", (number, head, key))
        connection.execute("INSERT OR IGNORE INTO memories VALUES (?, ?, 'active', ?)", (number, kind, head))
        wordings = [*((int(one, 16), b"") for one in earlier), (key, wording_digest(heading, text))]
        connection.executemany(
            "INSERT OR IGNORE INTO revisions VALUES (?, ?, ?, ?, ?, ?)",
            [
                (number, n, now, "written" if n == 1 else "edited", one, digest)
                for n, (one, digest) in enumerate(wordings, start=1)
            ],
        )
    for memory in sorted(_retell_events(connection, first) - taken):  # the notes have it no more, or not now
        number = int(memory, 16)
        connection.execute("INSERT OR IGNORE INTO memories VALUES (?, 'memory', 'ended', 1)", (number,))
        connection.execute("INSERT OR IGNORE INTO revisions VALUES (?, 1, ?, 'written', ?, x'')", (number, now, number))
    connection.execute("DELETE FROM meta WHERE key = 'uses'")


_MEMORIES = """
    CREATE TABLE memories (
        key INTEGER PRIMARY KEY, kind TEXT NOT NULL, status TEXT NOT NULL, head INTEGER NOT NULL
    );
    CREATE INDEX memories_by_status ON memories (status) WHERE status = 'ended';
    CREATE TABLE revisions (
        memory INTEGER NOT NULL, number INTEGER NOT NULL, at TEXT NOT NULL, cause TEXT NOT NULL, chunk INTEGER NOT NULL,
        digest BLOB NOT NULL, PRIMARY KEY (memory, number)
    ) WITHOUT ROWID;
    CREATE INDEX revisions_by_digest ON revisions (digest);
    CREATE TABLE event_memories (
        memory INTEGER NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (memory, event)
    ) WITHOUT ROWID;
    ALTER TABLE chunks ADD COLUMN memory INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE chunks ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
    CREATE INDEX chunks_by_memory ON chunks (memory);
    DROP TABLE uses;
    CREATE TABLE uses (
        memory INTEGER PRIMARY KEY, shown INTEGER NOT NULL, used INTEGER NOT NULL, relevant INTEGER NOT NULL,
        contradicted INTEGER NOT NULL, ignored INTEGER NOT NULL, good INTEGER NOT NULL, bad INTEGER NOT NULL,
        hits REAL NOT NULL, misses REAL NOT NULL, as_of REAL NOT NULL, mark TEXT NOT NULL, occasions TEXT NOT NULL
    );
    DROP VIEW notes;
    CREATE VIEW notes AS
        SELECT printf('%016x', key) AS id, path, first_line || '-' || last_line AS lines, heading, text, created_at,
               printf('%016x', memory) AS memory, revision,
               (SELECT count(*) FROM embeddings e WHERE e.digest = c.digest) AS embeddings
        FROM chunks c ORDER BY path, position
"""


def _chains(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return by chunk those whose record was carried over to it, step by step, the first one first, itself last."""
    chains: dict[str, list[str]] = {}
    for (data,) in connection.execute("SELECT data FROM events WHERE kind = 'carry' ORDER BY id").fetchall():
        told = json.loads(data)
        chains[told["new"]] = [*chains.get(told["old"], [told["old"]]), told["new"]]
    return chains


def _retell_events(connection: sqlite3.Connection, first: Mapping[str, str]) -> set[str]:
    """Let events tell of memories; return all that they tell of."""
    named: set[str] = set()
    for number, kind, data in connection.execute("SELECT id, kind, data FROM events").fetchall():
        if kind in ("carry", "drop"):
            connection.execute("DELETE FROM events WHERE id = ?", (number,))
            continue
        told, memories = _retold(kind, json.loads(data), first)
        named |= memories
        written = json.dumps(told, ensure_ascii=False)
        connection.execute("UPDATE events SET data = ? WHERE id = ?", (written, number))
        connection.executemany(
            "INSERT OR IGNORE INTO event_memories VALUES (?, ?)",
            [(int(memory, 16), number) for memory in memories if _ID.fullmatch(memory)],
        )
    return {memory for memory in named if _ID.fullmatch(memory)}


def _retold(kind: str, data: dict[str, Any], first: Mapping[str, str]) -> tuple[dict[str, Any], set[str]]:
    """Return what an event tells, of memories, and which these are."""

    def named(chunks: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(first.get(chunk, chunk) for chunk in chunks))

    def keyed(values: Mapping[str, Any]) -> dict[str, Any]:
        return {first.get(chunk, chunk): value for chunk, value in values.items()}

    match kind:
        case "injection":
            shown = [{"id": one} if isinstance(one, str) else one for one in data.pop("chunks", [])]
            data["memories"] = [{**one, "id": first.get(one["id"], one["id"])} for one in shown]
            return data, {one["id"] for one in data["memories"]}
        case "turn":
            data["kinds"] = keyed(dict.fromkeys(data.pop("used", ()), "used") | data.get("kinds", {}))
            data["about"] = data.get("about", "").split()
            return data, set(data["kinds"])
        case "objection":
            data["memories"] = keyed(data.pop("chunks", {}))
            return data, set(data["memories"])
        case "verdict":
            data["memories"] = named(data.pop("chunks", []))
            data["withdrawn"] = keyed(data.get("withdrawn", {}))
            return data, set(data["memories"])
        case "mark":
            chunk = data.pop("chunk", "")
            data["memory"] = first.get(chunk, chunk)
            return data, {data["memory"]}
    return data, set()


def write_lists(connection: sqlite3.Connection) -> None:
    """Write lists of texts as JSON, where a comma, a blank or a line's end joined them."""

    def as_list(text: str, by: str) -> str:
        return json.dumps(text.split(by) if text else [], ensure_ascii=False)

    connection.create_function("as_list", 2, as_list, deterministic=True)
    connection.execute("UPDATE files SET warnings = as_list(warnings, char(10)), names = as_list(names, char(10))")
    connection.execute("UPDATE counts SET labels = as_list(labels, ',')")
    connection.execute("UPDATE decisions SET shown = as_list(shown, ' '), faults = as_list(faults, ' ')")


def add_happenings(connection: sqlite3.Connection) -> None:
    """Keep what happens in sessions, and what of it waits to be worked on."""
    for statement in _HAPPENINGS.split(";"):
        connection.execute(statement)


_HAPPENINGS = """
    CREATE TABLE happenings (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, host TEXT NOT NULL, session TEXT NOT NULL,
        run TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT
    );
    CREATE INDEX happenings_by_session ON happenings (session, run);
    CREATE INDEX happenings_by_date ON happenings (at) WHERE payload IS NOT NULL;
    CREATE TABLE queue (
        happening INTEGER PRIMARY KEY REFERENCES happenings (number), session TEXT NOT NULL, state TEXT NOT NULL,
        attempts INTEGER NOT NULL, due TEXT NOT NULL, leased TEXT, lease TEXT, error TEXT
    );
    CREATE INDEX queue_by_session ON queue (session, happening)
"""


def add_records(connection: sqlite3.Connection) -> None:
    """Keep what is distilled from sessions, what was done to it, and how it hangs together."""
    for statement in _RECORDS.split(";"):
        connection.execute(statement)


_RECORDS = """
    CREATE TABLE records (
        memory INTEGER PRIMARY KEY, kind TEXT NOT NULL, about TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
        said_by TEXT NOT NULL, confidence REAL NOT NULL, salience REAL NOT NULL, salient_at TEXT NOT NULL,
        level TEXT NOT NULL, scope TEXT NOT NULL, status TEXT NOT NULL, first_at TEXT NOT NULL, at TEXT NOT NULL,
        session TEXT NOT NULL, fields TEXT NOT NULL
    );
    CREATE INDEX records_by_about ON records (kind, about);
    CREATE INDEX records_by_date ON records (at);
    CREATE TABLE record_history (
        number INTEGER PRIMARY KEY, memory INTEGER NOT NULL, at TEXT NOT NULL, actor TEXT NOT NULL,
        action TEXT NOT NULL, why TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL, evidence TEXT NOT NULL
    );
    CREATE INDEX record_history_by_memory ON record_history (memory);
    CREATE TABLE record_links (
        source INTEGER NOT NULL, relation TEXT NOT NULL, target INTEGER NOT NULL, PRIMARY KEY (source, relation, target)
    ) WITHOUT ROWID;
    CREATE INDEX record_links_by_target ON record_links (target)
"""


def index_kinds(connection: sqlite3.Connection) -> None:
    """Find the passages of a kind without reading every passage."""
    connection.execute("CREATE INDEX chunks_by_kind ON chunks (kind)")


def stamp_origins(connection: sqlite3.Connection) -> None:
    """Keep whose words a passage holds, and a memory; of what is there only its kind is known."""
    for statement in _ORIGINS.split(";"):
        connection.execute(statement)


_ORIGINS = """
    ALTER TABLE chunks ADD COLUMN origin TEXT NOT NULL DEFAULT '';
    ALTER TABLE memories ADD COLUMN origin TEXT NOT NULL DEFAULT '';
    UPDATE chunks SET origin = CASE kind WHEN 'memory' THEN 'note' WHEN 'openclaw' THEN 'import' ELSE 'answered' END
"""


def part_lanes(connection: sqlite3.Connection) -> None:
    """Let the same happening wait for rules and for a model."""
    for statement in _LANES.split(";"):
        connection.execute(statement)


_LANES = """
    ALTER TABLE queue RENAME TO earlier_queue;
    CREATE TABLE queue (
        happening INTEGER NOT NULL REFERENCES happenings (number), lane TEXT NOT NULL DEFAULT 'rules', session TEXT NOT NULL,
        state TEXT NOT NULL, attempts INTEGER NOT NULL, due TEXT NOT NULL, leased TEXT, lease TEXT, error TEXT,
        PRIMARY KEY (happening, lane)
    );
    INSERT INTO queue (happening, session, state, attempts, due, leased, lease, error)
        SELECT happening, session, state, attempts, due, leased, lease, error FROM earlier_queue;
    DROP TABLE earlier_queue;
    CREATE INDEX queue_by_session ON queue (session, happening)
"""


def weigh_links(connection: sqlite3.Connection) -> None:
    """Keep how much linked records have to do with each other, and who says so."""
    for statement in _STRENGTHS.split(";"):
        connection.execute(statement)


_STRENGTHS = """
    ALTER TABLE record_links ADD COLUMN strength REAL NOT NULL DEFAULT 1;
    ALTER TABLE record_links ADD COLUMN made_by TEXT NOT NULL DEFAULT ''
"""


def pack_embeddings(connection: sqlite3.Connection) -> None:
    """From here on vectors are written in fewer bytes, which a version before this would take for damage.

    Those that are there are read as they are: to write them all anew would hold up the first prompt for a minute.
    """


def keep_words_alone(connection: sqlite3.Connection) -> None:
    """From here on token vectors are kept with the places where they are, which a version before this would take for damage.

    Those that are there are read as they are.
    """


def find_headings(connection: sqlite3.Connection) -> None:
    """Read the headings of all passages, as the first prompt after a start does, without their texts."""
    connection.execute("DROP INDEX chunks_by_path")
    connection.execute("CREATE INDEX chunks_by_path ON chunks (path, position, heading)")


def pack_terms(connection: sqlite3.Connection) -> None:
    """Keep the terms of a passage in a quarter of the bytes: they are nearly the words that stand beside them."""

    def packed(*texts: bytes) -> bytes:  # as bytes, for of damaged ones no text is made
        return packing.packed_terms(*(text.decode(errors="replace") for text in texts))

    connection.create_function("packed", 3, packed, deterministic=True)
    connection.execute(
        "UPDATE chunks SET terms = packed(CAST(terms AS BLOB), CAST(heading AS BLOB), CAST(text AS BLOB))"
    )


def find_news_by_context(connection: sqlite3.Connection) -> None:
    """Find new passages among those whose context changed: of each it did, so that an index of its own told nothing more."""
    connection.execute("DROP INDEX chunks_by_generation")


MIGRATIONS: Sequence[Migration] = (
    name_kinds,
    add_memories,
    write_lists,
    add_happenings,
    add_records,
    index_kinds,
    stamp_origins,
    part_lanes,
    weigh_links,
    pack_embeddings,
    keep_words_alone,
    find_headings,
    pack_terms,
    find_news_by_context,
)
"""Those after the baseline, in order."""
