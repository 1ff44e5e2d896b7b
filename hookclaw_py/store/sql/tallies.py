"""The tallies in SQL: the table ``uses`` is a cache of ``store.tallies.replay``."""

from __future__ import annotations

import json
from collections.abc import Iterable, MutableMapping, Sequence
from functools import lru_cache
from typing import Any

from hookclaw_py.model.types import Occasion, Uses
from hookclaw_py.store.events import Event
from hookclaw_py.store.sql import batches, rows
from hookclaw_py.store.sql.connections import SQLConnection
from hookclaw_py.store.tallies import apply, concerned

_COLUMNS = ", ".join(Uses._fields)
_OF_MEMORIES = f"SELECT memory, {_COLUMNS} FROM uses WHERE memory IN ({{}})"
_WRITE = (
    f"INSERT INTO uses (memory, {_COLUMNS}) VALUES ({batches.marks(1 + len(Uses._fields))})"
    f" ON CONFLICT (memory) DO UPDATE SET {', '.join(f'{field} = excluded.{field}' for field in Uses._fields)}"
)


def count(connection: SQLConnection, event: Event) -> None:
    """Bring the table up to an event that was just written."""
    ids = concerned(event)
    state = load(connection, rows.keys_of(ids))
    apply(state, event)
    save(connection, state)
    gone = [(rows.key_of(memory),) for memory in ids - state.keys()]
    connection.executemany("DELETE FROM uses WHERE memory = ?", gone)


def load(connection: SQLConnection, keys: Iterable[int]) -> dict[str, Uses]:
    """Return what is known of the memories with these keys, by id."""
    return dict(map(_read, batches.found(connection, _OF_MEMORIES, keys)))


def load_all(connection: SQLConnection) -> dict[str, Uses]:
    """Return what is known of every memory, by id."""
    return dict(map(_read, connection.execute(f"SELECT memory, {_COLUMNS} FROM uses ORDER BY memory")))


def _read(row: tuple[Any, ...]) -> tuple[str, Uses]:
    return rows.id_of(row[0]), Uses._make((*row[1:-1], _occasions(row[-1])))


@lru_cache(maxsize=256)
def _occasions(written: str) -> tuple[Occasion, ...]:
    """Read what ``save`` wrote; remembered, for the same few memories are candidates again and again. Each is some 8 KB."""
    return tuple(Occasion(at, kind, frozenset(about)) for at, kind, about in json.loads(written))


def marked(connection: SQLConnection) -> dict[str, str]:
    """Return the marks that a person set, by memory."""
    found = connection.execute("SELECT memory, mark FROM uses WHERE mark <> '' ORDER BY memory")
    return {rows.id_of(key): mark for key, mark in found}


def marks_of(connection: SQLConnection, keys: Iterable[int]) -> dict[str, Uses]:
    """Return the marks alone of the memories with these keys that have one: also where the rest cannot be read."""
    found = batches.found(connection, "SELECT memory, mark FROM uses WHERE mark <> '' AND memory IN ({})", keys)
    return {rows.id_of(key): Uses(mark=mark) for key, mark in found}


def pinned(connection: SQLConnection, where: str, values: Sequence[Any], *, most: int) -> list[str]:
    """Return the ids of the chunks of what is pinned, at most so many of those ``where`` a condition of theirs holds.

    What is used is looked through first, for chunks are many: a cross join may keep that order where a plain one would not.
    """
    found = connection.execute(
        f"SELECT c.key FROM uses u CROSS JOIN chunks c{where} AND c.memory = u.memory ORDER BY c.key LIMIT ?",
        (*values, most),
    )
    return [rows.id_of(key) for (key,) in found]


def save(connection: SQLConnection, state: MutableMapping[str, Uses]) -> None:
    """Write these tallies."""
    connection.executemany(
        _WRITE,
        [(rows.key_of(i), *uses[:-1], _written(uses.occasions)) for i, uses in state.items()],
    )


def _written(occasions: Iterable[Occasion]) -> str:
    return json.dumps([(at, kind, sorted(about)) for at, kind, about in occasions], ensure_ascii=False)
