"""The log of events in SQL; what they tell is said in ``store.events``."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from hookclaw_py.store.events import EndedTurn, Event, EventKind, Unsettled, named_in, shown_in, without
from hookclaw_py.store.sql import rows
from hookclaw_py.store.sql.batches import marks
from hookclaw_py.store.sql.connections import SQLConnection

_PAGE = 1000  # events read at a time

_COLUMNS = "id, at, kind, session, run, injection, data"


def append(
    connection: SQLConnection,
    at: datetime,
    kind: EventKind,
    data: Mapping[str, Any],
    *,
    session: str = "",
    run: str = "",
    injection: str = "",
) -> Event:
    """Write one event and return it."""
    written = json.dumps(data, ensure_ascii=False)
    number = connection.execute(
        "INSERT INTO events (at, kind, session, run, injection, data) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
        (at.isoformat(), kind.value, session, run, injection, written),
    ).fetchone()[0]
    event = Event(number, at, kind, session, run, injection, data)
    link(connection, [event])
    return event


def link(connection: SQLConnection, written: Iterable[Event]) -> None:
    """Note which memories these events tell of."""
    connection.executemany(
        "INSERT INTO event_memories (memory, event) VALUES (?, ?) ON CONFLICT (memory, event) DO NOTHING",
        [(rows.key_of(memory), event.number) for event in written for memory in sorted(named_in(event))],
    )


def unsettled(connection: SQLConnection, session: str, *, run: str = "", injection: str = "") -> Unsettled | None:
    """Return the injection that a turn belongs to, unless it is settled: by its id, else by run, else the session's last.

    A run that is not known may be one whose injection was not given a name: then, too, it is the session's last.
    """
    event = None
    if injection:
        event = _last_injection(connection, "injection = ? AND session = ?", (injection, session))
    elif run:
        event = _last_injection(connection, "session = ? AND run = ?", (session, run))
    if event is None and not injection:
        event = _last_injection(connection, "session = ?", (session,))
        if event is not None and run and event.run:
            return None
    if event is None or is_settled(connection, event.injection):
        return None
    return Unsettled(event.injection, event.data["prompt"], shown_in(event))


def is_settled(connection: SQLConnection, injection: str) -> bool:
    """Say whether a turn has ended after the injection, or it was never seen."""
    return has(connection, injection, EventKind.TURN, EventKind.UNSHOWN)


def has(connection: SQLConnection, injection: str, *kinds: EventKind) -> bool:
    """Say whether there is an event of one of these kinds about the injection."""
    found = connection.execute(
        f"SELECT 1 FROM events WHERE injection = ? AND kind IN ({marks(len(kinds))}) LIMIT 1", (injection, *kinds)
    )
    return found.fetchone() is not None


def last_turn(connection: SQLConnection, session: str) -> EndedTurn | None:
    """Return the session's last event if that is a turn which taught something: nothing has come between."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM events WHERE session = ? ORDER BY id DESC LIMIT 1", (session,)
    ).fetchone()
    turn = _event(row) if row else None
    if turn is None or turn.kind != EventKind.TURN or not turn.data.get("kinds"):
        return None
    return EndedTurn(turn.injection, turn.at, turn.data["kinds"])


def injection_of(connection: SQLConnection, injection: str) -> Event | None:
    """Return the injection of this id."""
    return _last_injection(connection, "injection = ?", (injection,))


def verdict_on(connection: SQLConnection, injection: str, memory: str, by: str) -> tuple[bool, str] | None:
    """Return the last verdict on the memory in this injection ("": on the memory as such), good or not, and when."""
    found = connection.execute(
        "SELECT e.data, e.at FROM events e JOIN event_memories m ON m.event = e.id"
        " WHERE m.memory = ? AND e.injection = ? AND e.kind = 'verdict' ORDER BY e.id DESC",
        (rows.key_of(memory), injection),
    )
    said = ((json.loads(data), at) for data, at in found)
    return next(((bool(data["good"]), at) for data, at in said if data["by"] == by), None)


def read(connection: SQLConnection, *, after: int = 0, kinds: Collection[str] = (), most: int = _PAGE) -> list[Event]:
    """Return up to ``most`` events after that number, of these kinds (none given: all), oldest first."""
    among = f"AND kind IN ({marks(len(kinds))})" if kinds else ""
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM events WHERE id > ? {among} ORDER BY id LIMIT ?", (after, *kinds, most)
    )
    return [_event(row) for row in found]


def runs_that_saw(connection: SQLConnection, memories: Iterable[str]) -> set[tuple[str, str]]:
    """Return session and run of each prompt that was shown one of these memories; those without a name are left out."""
    return {
        run
        for memory in memories
        for run in connection.execute(
            "SELECT DISTINCT session, run FROM events WHERE run <> '' AND kind = 'injection'"
            " AND id IN (SELECT event FROM event_memories WHERE memory = ?)",
            (rows.key_of(memory),),
        )
    }


def reword(connection: SQLConnection, rewrite: Callable[[str], str]) -> None:
    """Let every prompt be what ``rewrite`` makes of it."""
    for number, written in connection.execute("SELECT id, data FROM events WHERE kind = 'injection'").fetchall():
        data = json.loads(written)
        if (left := rewrite(data["prompt"])) != data["prompt"]:
            told = json.dumps(data | {"prompt": left}, ensure_ascii=False)
            connection.execute("UPDATE events SET data = ? WHERE id = ?", (told, number))


def erase(connection: SQLConnection, memories: Collection[str]) -> None:
    """Take every trace of these memories out of the log, with the prompts that called them up.

    An event that tells of nothing else goes; of the others the rest stays.
    """
    gone = frozenset(memories)
    telling = {
        event[0]: event
        for memory in sorted(gone)
        for event in connection.execute(
            f"SELECT {_COLUMNS} FROM events WHERE id IN (SELECT event FROM event_memories WHERE memory = ?)",
            (rows.key_of(memory),),
        )
    }
    injections = {event[5] for event in telling.values() if event[5]}
    for injection in sorted(injections):  # what a turn was about is the prompt that called them up
        turns = connection.execute(f"SELECT {_COLUMNS} FROM events WHERE injection = ? AND kind = 'turn'", (injection,))
        telling |= {event[0]: event for event in turns}
    for event in map(_event, telling.values()):
        rest = without(event, gone)
        if rest is None:
            connection.execute("DELETE FROM events WHERE id = ?", (event.number,))
            connection.execute("DELETE FROM event_memories WHERE event = ?", (event.number,))
        else:
            written = json.dumps(rest, ensure_ascii=False)
            connection.execute("UPDATE events SET data = ? WHERE id = ?", (written, event.number))
    connection.executemany("DELETE FROM event_memories WHERE memory = ?", [(rows.key_of(one),) for one in sorted(gone)])


def _last_injection(connection: SQLConnection, which: str, values: Sequence[str]) -> Event | None:
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM events WHERE kind = 'injection' AND {which} ORDER BY id DESC LIMIT 1", values
    ).fetchone()
    return _event(row) if row else None


def _event(row: Sequence[Any]) -> Event:
    number, at, kind, session, run, injection, data = row
    return Event(number, datetime.fromisoformat(at), EventKind(kind), session, run, injection, json.loads(data))
