"""What the events come to, by chunk: the table ``uses`` is a cache of ``replay``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, MutableMapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from hookclaw_py.stages import utility
from hookclaw_py.store import rows
from hookclaw_py.store.events import Event, EventKind
from hookclaw_py.types import Occasion, Uses

VERSION = 2
"""Of the formula and its weights: the table is made anew where another version wrote it."""
NOTHING = Uses()
_COLUMNS = ", ".join(Uses._fields)


def replay(events: Iterable[Event]) -> dict[str, Uses]:
    """Return what is known of each chunk, by id, after these events."""
    state: dict[str, Uses] = {}
    for event in events:
        apply(state, event)
    return state


def apply(state: MutableMapping[str, Uses], event: Event) -> None:
    """Add one event to what is known."""
    at, data = event.at.timestamp(), event.data
    match event.kind:
        case EventKind.TURN:
            kinds = dict.fromkeys(data.get("used", ()), "used") | data.get("kinds", {})  # an early version wrote "used"
            for chunk_id, kind in kinds.items():
                occasion = Occasion(at, kind, data.get("about", ""))
                state[chunk_id] = utility.observed(state.get(chunk_id, NOTHING), occasion)
        case EventKind.OBJECTION:
            then = datetime.fromisoformat(data["then"]).timestamp()
            for chunk_id, was in data["chunks"].items():
                _set(state, chunk_id, utility.objected(state.get(chunk_id, NOTHING), was, then))
        case EventKind.VERDICT:
            weight = utility.PERSON if data["by"] == "person" else utility.AGENT
            for chunk_id in data["chunks"]:
                uses = state.get(chunk_id, NOTHING)
                if chunk_id in data["withdrawn"]:
                    then = datetime.fromisoformat(data["withdrawn"][chunk_id]).timestamp()
                    uses = utility.judged(uses, not data["good"], then, weight=-weight)
                state[chunk_id] = utility.judged(uses, data["good"], at, weight=weight)
        case EventKind.MARK:
            _set(state, data["chunk"], state.get(data["chunk"], NOTHING)._replace(mark=data["mark"]))
        case EventKind.CARRY:
            old = state.pop(data["old"], NOTHING)
            _set(state, data["new"], utility.combined(old, state.get(data["new"], NOTHING)))
        case EventKind.DROP:
            for chunk_id in data["chunks"]:
                _set(state, chunk_id, Uses(mark=state.get(chunk_id, NOTHING).mark))
        case EventKind.INJECTION | EventKind.UNSHOWN:
            pass


def _set(state: MutableMapping[str, Uses], chunk_id: str, uses: Uses) -> None:
    if uses._replace(as_of=0.0) == NOTHING:
        state.pop(chunk_id, None)
    else:
        state[chunk_id] = uses


def concerned(event: Event) -> set[str]:
    """Return the ids of the chunks whose tallies the event can change."""
    data = event.data
    one = {data[name] for name in ("chunk", "old", "new") if name in data}
    return one | set(data.get("kinds", ())) | set(data.get("chunks", ()) if event.kind != EventKind.INJECTION else ())


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


def save(connection: sqlite3.Connection, state: MutableMapping[str, Uses]) -> None:
    """Write these tallies."""
    connection.executemany(
        f"INSERT OR REPLACE INTO uses (key, {_COLUMNS}) VALUES (?{', ?' * len(Uses._fields)})",
        [(rows.key_of(i), *uses[:-1], json.dumps(uses.occasions, ensure_ascii=False)) for i, uses in state.items()],
    )


def known(connection: sqlite3.Connection, keys: Collection[int]) -> list[int]:
    """Return those of these keys that have a row."""
    return [key for key in keys if connection.execute("SELECT 1 FROM uses WHERE key = ?", (key,)).fetchone()]
