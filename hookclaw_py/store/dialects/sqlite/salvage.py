"""What no file can rebuild is carried from a damaged database into a new one, row by row as far as it can be read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import orjson
import zstandard

from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.memory import Cause, MemoryStatus
from hookclaw_py.model.record import RecordAction, RecordStatus
from hookclaw_py.store.content import content_digest
from hookclaw_py.store.dialects.sqlite import schema
from hookclaw_py.store.dialects.sqlite.connection import SQLiteConnection
from hookclaw_py.store.events import EventKind
from hookclaw_py.store.sql import events, experience, facts, generations, memories, rows, tallies
from hookclaw_py.store.values import is_captured

_QUERIES = 5_000  # that are spent on the gaps of one table


_EVENTS = frozenset({*map(str, EventKind), "carry", "drop"})  # the last two are of earlier versions


class _Kept(NamedTuple):
    """How a table is carried over: its key, whether a row read as it should, and how often a gap is halved in vain."""

    key: str
    is_sound: Callable[[Mapping[str, Any]], bool]
    halvings: int = 0


def _json(row: Mapping[str, Any]) -> bool:
    json.loads(row["value"])
    return bool(row["key"] != "uses")  # of the tallies, which are made anew


def _event(row: Mapping[str, Any]) -> bool:
    if row["kind"] not in _EVENTS:
        return False
    datetime.fromisoformat(row["at"])
    return isinstance(json.loads(row["data"]), dict)


def _memory(row: Mapping[str, Any]) -> bool:
    MemoryStatus(row["status"])
    return isinstance(row["head"], int)


def _revision(row: Mapping[str, Any]) -> bool:
    Cause(row["cause"])
    datetime.fromisoformat(row["at"])
    return isinstance(row["chunk"], int)


def _decision(row: Mapping[str, Any]) -> bool:
    datetime.fromisoformat(row["at"])
    return isinstance(orjson.loads(zstandard.decompress(row["story"])), dict)


def _chunk(row: Mapping[str, Any]) -> bool:
    return bool(content_digest(row["heading"], row["text"]) == row["digest"])


def _happening(row: Mapping[str, Any]) -> bool:
    HappeningKind(row["kind"])
    datetime.fromisoformat(row["at"])
    return row["payload"] is None or isinstance(json.loads(row["payload"]), dict)


def _queued(row: Mapping[str, Any]) -> bool:
    datetime.fromisoformat(row["due"])
    return row["state"] in ("pending", "processing", "failed")


def _distilled(row: Mapping[str, Any]) -> bool:
    RecordStatus(row["status"])
    datetime.fromisoformat(row["at"])
    return isinstance(json.loads(row["fields"]), dict)


def _done_to_it(row: Mapping[str, Any]) -> bool:
    RecordAction(row["action"])
    return isinstance(json.loads(row["evidence"]), list)


TRUTH = {
    "meta": _Kept("key", _json),
    "forgotten": _Kept("digest", lambda row: len(row["digest"]) == 16),
    "memories": _Kept("key", _memory, halvings=64),
    "revisions": _Kept("memory", _revision),
    "events": _Kept("id", _event, halvings=64),
    "decisions": _Kept("number", _decision, halvings=64),
    "happenings": _Kept("number", _happening, halvings=64),
    "queue": _Kept("happening", _queued),
    "records": _Kept("memory", _distilled, halvings=64),
    "record_history": _Kept("number", _done_to_it, halvings=64),
    "record_links": _Kept("source", lambda row: bool(row["relation"])),
    "counts": _Kept("name", lambda row: isinstance(row["amount"], float)),
}
"""The tables that no file can rebuild: every rebuild, restore and migration keeps them."""

REMEMBERED = {
    "files": _Kept("path", lambda row: isinstance(row["recipe"], str)),
    "chunks": _Kept("key", _chunk, halvings=6),
}
"""Made anew of the files, and kept until they are, so that a pin or a block can follow a note that was edited since."""

DERIVED = ("counter", "tombstones", "models", "embeddings", "event_memories", "uses")
"""What is made anew of the others, or of the files."""

_INCOMPLETE = "not all of it could be read"


class Carried(NamedTuple):
    """How many rows of each table came over, and of which tables not all could be read, with how many were refused."""

    rows: dict[str, int]
    lost: dict[str, str]


def carry(old: SQLiteConnection, new: SQLiteConnection, where: str, *, at: datetime) -> Carried:
    """Make of an empty database a store of what can be read of ``old``, of whatever version; its files count as changed."""
    schema.migrate(new, where, lasting=True, to=_version(old))
    carried, lost = _copied(old, new)
    schema.migrate(new, where, lasting=True)
    new.execute("BEGIN IMMEDIATE")
    generations.start(new)
    read_anew(new)
    memories.mend(new, at)
    experience.rebuild_uses(new)
    _recover_marks(old, new, at)
    note_origin(new, "rebuilt", at=at, lost=lost)
    new.execute("COMMIT")
    return Carried(carried, lost)


def _version(old: SQLiteConnection) -> int:
    """Return the version whose tables the rows of ``old`` fit into."""
    try:
        found: int = old.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error:
        found = schema.newest()
    return min(max(found, schema.BASELINE), schema.newest())


def _copied(old: SQLiteConnection, new: SQLiteConnection) -> tuple[dict[str, int], dict[str, str]]:
    """Copy the rows that can be read; return how many of each table, and of which not all, with how many were refused."""
    carried, lost = dict[str, int](), dict[str, str]()
    new.execute("BEGIN IMMEDIATE")
    new.execute("PRAGMA defer_foreign_keys = ON")
    for table, kept in {**TRUTH, **REMEMBERED}.items():
        found, complete = _rows(old, table, kept)
        sound = [row for row in found if _reads(kept, row)]
        carried[table] = _inserted(new, table, sound)
        refused = len([row for row in found if table != "meta" or row["key"] != "uses"]) - len(sound)
        if refused > 0 or not complete:
            lost[table] = _INCOMPLETE if not complete else f"{refused} rows were damaged"
    new.execute("DELETE FROM chunks WHERE path NOT IN (SELECT path FROM files)")
    if "queue" in carried and schema.columns_of(new, "queue"):
        new.execute("DELETE FROM queue WHERE happening NOT IN (SELECT number FROM happenings)")
    new.execute("COMMIT")
    return carried, lost


def read_anew(connection: SQLiteConnection) -> None:
    """Let every file be read, and every text be embedded again, in a store that keeps the rest: what was captured is no file."""
    generation = generations.begin_anew(connection)
    connection.execute("DELETE FROM embeddings")
    connection.execute("UPDATE chunks SET generation = ?1, context_generation = ?1", (generation,))
    files = connection.execute("SELECT path, recipe FROM files").fetchall()
    connection.executemany(
        "UPDATE files SET digest = '', recipe = substr(recipe, 1, instr(recipe || ' ', ' ') - 1) WHERE path = ?",
        [(path,) for path, recipe in files if not is_captured(recipe)],
    )
    damaged = [
        row[0]
        for row in connection.execute("SELECT key, heading, text, digest FROM chunks").fetchall()
        if content_digest(row[1], row[2]) != row[3]
    ]
    generations.bury(connection, damaged, generation)


def note_origin(connection: SQLiteConnection, how: str, *, at: datetime, lost: Mapping[str, str] = {}) -> None:
    """Remember that the store was "rebuilt" or "restored", and what was lost: the doctor tells it."""
    facts.put(connection, "origin", {"how": how, "at": at.isoformat(), "lost": dict(lost)})


def _reads(kept: _Kept, row: Mapping[str, Any]) -> bool:
    try:
        return kept.is_sound(row)
    except (ValueError, TypeError, KeyError, AttributeError, zstandard.ZstdError):
        return False


def _inserted(new: SQLiteConnection, table: str, found: list[dict[str, Any]]) -> int:
    if not found:
        return 0
    known = schema.columns_of(new, table)
    columns = [name for name in found[0] if name in known]
    marks = ", ".join("?" * len(columns))
    before = new.total_changes
    new.executemany(
        f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})",
        [[row[name] for name in columns] for row in found],
    )
    return new.total_changes - before


def _rows(old: SQLiteConnection, table: str, kept: _Kept) -> tuple[list[dict[str, Any]], bool]:
    """Return the rows that can be read: from both ends, and by number around what cannot; and whether these are all."""
    try:
        columns = schema.columns_of(old, table)
        if not columns:  # an older version had no such table
            return [], old.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] > 0
    except sqlite3.Error:
        return [], False
    reader = _Reader(old, table, columns, kept)
    complete = reader.read_all()
    return [dict(zip(columns, row, strict=True)) for row in reader.found.values()], complete


class _Reader:
    def __init__(self, old: SQLiteConnection, table: str, columns: list[str], kept: _Kept) -> None:
        self.found: dict[Any, tuple[Any, ...]] = {}
        self._old, self._kept = old, kept
        self._select = f"SELECT {kept.key}, {', '.join(columns)} FROM {table}"
        self._queries = 0

    def read_all(self) -> bool:
        if self._kept.halvings:
            if self._walk("ASC", ()):
                return True
            self._span(0, 2**63 - 1, 0)
        elif not self._walk("ASC", ()):
            self._walk("DESC", ())
        else:
            return True
        return False

    def _walk(self, order: str, between: tuple[int, ...]) -> bool:
        self._queries += 1
        key = self._kept.key
        where = f" WHERE {key} BETWEEN ? AND ?" if between else ""
        try:
            for row in self._old.execute(f"{self._select}{where} ORDER BY {key} {order}", between):
                self.found[row[0] if self._kept.halvings else row] = tuple(row[1:])
        except sqlite3.Error:
            return False
        return True

    def _span(self, low: int, high: int, in_vain: int) -> None:
        """Read what lies between two keys from both ends, and what is left by halves."""
        if low > high or in_vain > self._kept.halvings or self._queries > _QUERIES:
            return
        before = len(self.found)
        if self._walk("ASC", (low, high)):
            return
        here = [key for key in self.found if low <= key <= high]
        first = max(here, default=low - 1) + 1
        self._walk("DESC", (first, high))
        last = min((key for key in self.found if first <= key <= high), default=high + 1) - 1
        in_vain = 0 if len(self.found) > before else in_vain + 1
        if first >= last:
            return
        middle = (first + last) // 2
        self._span(first, middle, in_vain)
        self._span(middle + 1, last, in_vain)


def _recover_marks(old: SQLiteConnection, new: SQLiteConnection, at: datetime) -> None:
    """Set the pins and blocks again that the tallies tell of and the events do not, because they could not be read."""
    try:
        column = "memory" if "memory" in schema.columns_of(old, "uses") else "key"  # an earlier version marked chunks
        there: dict[int, str] = dict(old.execute(f"SELECT {column}, mark FROM uses WHERE mark <> ''").fetchall())
    except sqlite3.Error:
        return
    memory_of = memories.of_chunks(new, there) if column == "key" else dict[int, int]()
    known = tallies.marked(new)
    said = new.execute("SELECT data FROM events WHERE kind = 'mark'").fetchall()
    unmarked = {json.loads(data)["memory"] for (data,) in said}
    for key, mark in sorted(there.items()):
        memory = rows.id_of(memory_of.get(key, key))
        if memory not in known and memory not in unmarked:
            data = {"memory": memory, "mark": mark}
            tallies.count(new, events.append(new, at, EventKind.MARK, data))
