"""The tallies in SQL: the table ``uses`` is a cache of ``store.tallies.replay``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, MutableMapping
from functools import lru_cache
from typing import Any

from hookclaw_py.model.types import Occasion, Uses
from hookclaw_py.store.events import Event
from hookclaw_py.store.sql import rows
from hookclaw_py.store.tallies import apply, concerned

_COLUMNS = ", ".join(Uses._fields)


def count(connection: sqlite3.Connection, event: Event) -> None:
    """Bring the table up to an event that was just written."""
    ids = concerned(event)
    state = load(connection, filter(None, map(rows.key_of, ids)))
    apply(state, event)
    save(connection, state)
    gone = [(rows.key_of(chunk_id),) for chunk_id in ids - state.keys()]
    connection.executemany("DELETE FROM uses WHERE key = ?", gone)


def load(connection: sqlite3.Connection, keys: Iterable[int]) -> dict[str, Uses]:
    """Return what is known of the chunks with these keys, by id."""
    wanted = list(keys)
    marks = ",".join("?" * len(wanted))
    found = connection.execute(f"SELECT key, {_COLUMNS} FROM uses WHERE key IN ({marks})", wanted)
    return dict(map(_read, found))


def load_all(connection: sqlite3.Connection) -> dict[str, Uses]:
    """Return what is known of every chunk, by id."""
    return dict(map(_read, connection.execute(f"SELECT key, {_COLUMNS} FROM uses ORDER BY key")))


def _read(row: tuple[Any, ...]) -> tuple[str, Uses]:
    return rows.id_of(row[0]), Uses._make((*row[1:-1], _occasions(row[-1])))


@lru_cache(maxsize=2048)
def _occasions(written: str) -> tuple[Occasion, ...]:
    """Read what ``save`` wrote; remembered, for the same few chunks are candidates again and again."""
    return tuple(Occasion(*one) for one in json.loads(written))


def marked(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the marks that a person set, by chunk id."""
    found = connection.execute("SELECT key, mark FROM uses WHERE mark <> '' ORDER BY key")
    return {rows.id_of(key): mark for key, mark in found}


def marks_of(connection: sqlite3.Connection, keys: Iterable[int]) -> dict[str, Uses]:
    """Return the marks alone of the chunks with these keys that have one: also where the rest cannot be read."""
    wanted = list(keys)
    among = ",".join("?" * len(wanted))
    found = connection.execute(f"SELECT key, mark FROM uses WHERE mark <> '' AND key IN ({among})", wanted)
    return {rows.id_of(key): Uses(mark=mark) for key, mark in found}


def pinned(connection: sqlite3.Connection, most: int) -> list[str]:
    """Return the ids of pinned chunks, at most so many."""
    found = connection.execute("SELECT key FROM uses WHERE mark = 'pin' ORDER BY key LIMIT ?", (most,))
    return [rows.id_of(key) for (key,) in found]


def save(connection: sqlite3.Connection, state: MutableMapping[str, Uses]) -> None:
    """Write these tallies."""
    connection.executemany(
        f"INSERT OR REPLACE INTO uses (key, {_COLUMNS}) VALUES (?{', ?' * len(Uses._fields)})",
        [(rows.key_of(i), *uses[:-1], json.dumps(uses.occasions, ensure_ascii=False)) for i, uses in state.items()],
    )


def known(connection: sqlite3.Connection, keys: Collection[int]) -> list[int]:
    """Return those of these keys that have a row."""
    return [key for key in keys if connection.execute("SELECT 1 FROM uses WHERE key = ?", (key,)).fetchone()]
