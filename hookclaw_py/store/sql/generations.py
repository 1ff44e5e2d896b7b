"""The counter that every visible change raises, and the graves by which derived indexes learn what is gone."""

from __future__ import annotations

from collections.abc import Iterable
from time import time_ns

from hookclaw_py.errors import StoreError
from hookclaw_py.store.sql import rows
from hookclaw_py.store.sql.connections import SQLConnection

GONE = "the memory was moved to another place; start this program again"


def current(connection: SQLConnection) -> int:
    """Return the counter.

    Raises:
        StoreError: if there is none: the memory was moved to another place.
    """
    if (found := connection.execute("SELECT generation FROM counter").fetchone()) is None:
        raise StoreError(GONE)
    generation: int = found[0]
    return generation


def advance(connection: SQLConnection) -> int:
    """Raise the counter and return it."""
    connection.execute("UPDATE counter SET generation = generation + 1")
    return current(connection)


def begin_anew(connection: SQLConnection) -> int:
    """Raise the counter so that every derived index starts from empty: of what it deletes, it would keep the words."""
    connection.execute("UPDATE counter SET generation = generation + 1, pruned = generation + 1")
    return current(connection)


def start(connection: SQLConnection) -> None:
    """Let the counter begin above that of every store there was before: no index of another can be taken for one of this."""
    connection.execute("UPDATE counter SET generation = ?, first = ?, pruned = ?", [time_ns() // 1_000_000] * 3)


def span(connection: SQLConnection, generation: int) -> tuple[int, int, bool]:
    """Return the generation to start after, the present one, and whether the caller must start from empty."""
    now, first, pruned = connection.execute("SELECT generation, first, pruned FROM counter").fetchone()
    complete = not max(first, pruned) <= generation <= now
    return (-1 if complete else generation), now, complete


def bury(connection: SQLConnection, keys: Iterable[int], generation: int) -> None:
    """Delete chunks, and remember that they were there."""
    graves = [(key, generation) for key in keys]
    connection.executemany("DELETE FROM chunks WHERE key = ?", [(key,) for key, _ in graves])
    connection.executemany(
        "INSERT INTO tombstones (key, generation) VALUES (?, ?)"
        " ON CONFLICT (key) DO UPDATE SET generation = excluded.generation",
        graves,
    )


def deleted(connection: SQLConnection, since: int) -> list[str]:
    """Return the ids of the chunks deleted after generation ``since``."""
    graves = connection.execute("SELECT key FROM tombstones WHERE generation > ?", (since,))
    return sorted(rows.id_of(key) for (key,) in graves)


def prune(connection: SQLConnection, *, most: int) -> None:
    """Keep at most ``most`` graves, the newest."""
    oldest = connection.execute(
        "SELECT generation FROM tombstones ORDER BY generation DESC LIMIT 1 OFFSET ?", (most,)
    ).fetchone()
    if oldest:
        connection.execute("DELETE FROM tombstones WHERE generation <= ?", oldest)
        connection.execute("UPDATE counter SET pruned = ?", oldest)
