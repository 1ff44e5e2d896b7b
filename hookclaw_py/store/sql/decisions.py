"""The decision log in SQL; what a decision tells is said in ``store.decisions``."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

import zstandard

from hookclaw_py.model.types import Outcome
from hookclaw_py.store.decisions import Glance, Told, without

_COLUMNS = (
    "id", "at", "session", "run", "outcome", "reason", "cached", "relevance", "ms", "bytes", "shown", "faults", "prompt", "story",
)  # fmt: skip


def write(connection: sqlite3.Connection, told: Sequence[Told], *, most: int) -> None:
    """Add decisions, in the place of those of the same id, and drop the oldest beyond ``most``."""
    marks = ",".join("?" * len(_COLUMNS))
    connection.executemany(
        f"INSERT OR REPLACE INTO decisions ({', '.join(_COLUMNS)}) VALUES ({marks})", [_row(one) for one in told]
    )
    connection.execute("DELETE FROM decisions WHERE number <= (SELECT max(number) FROM decisions) - ?", (most,))


def latest(
    connection: sqlite3.Connection, *, limit: int | None, session: str, outcome: str, since: datetime | None
) -> list[Glance]:
    """Return the newest decisions first; of one session, of one outcome, not older than ``since``."""
    start = since.astimezone(UTC).isoformat() if since else ""
    rows = connection.execute(
        f"SELECT {', '.join(_COLUMNS[:-1])} FROM decisions WHERE (?1 = '' OR session = ?1)"
        " AND (?2 = '' OR outcome = ?2) AND at >= ?3 ORDER BY number DESC LIMIT ?4",
        (session, outcome, start, -1 if limit is None else limit),
    )
    return [_glance(row) for row in rows]


def beginning_with(connection: sqlite3.Connection, prefix: str, *, most: int) -> list[Told]:
    """Return up to ``most`` decisions whose id begins with ``prefix``, the newest first."""
    rows = connection.execute(
        f"SELECT {', '.join(_COLUMNS)} FROM decisions WHERE substr(id, 1, length(?1)) = ?1 ORDER BY number DESC LIMIT ?2",
        (prefix, most),
    )
    return [Told(_glance(row[:-1]), zstandard.decompress(row[-1])) for row in rows]


def purge(connection: sqlite3.Connection, chunk_ids: Collection[str]) -> int:
    """Take chunks out of every story; return how many stories changed.

    Where one was in the block, the block goes, and the prompt that called it up.
    """
    rows = connection.execute("SELECT number, shown, prompt, story FROM decisions").fetchall()
    changed = [(*found, row[0]) for row in rows if (found := _without(row[1:], frozenset(chunk_ids)))]
    connection.executemany("UPDATE decisions SET shown = ?, prompt = ?, story = ? WHERE number = ?", changed)
    return len(changed)


def _without(row: tuple[str, str, bytes], gone: frozenset[str]) -> tuple[str, str, bytes] | None:
    """Return ids, prompt and story without these chunks, None when they are not in there."""
    found = without(tuple(row[0].split()), row[1], zstandard.decompress(row[2]), gone)
    return found and (" ".join(found[0]), found[1], zstandard.compress(found[2]))


def _row(told: Told) -> tuple[Any, ...]:
    glance = told.glance
    return (
        *glance[:1],
        glance.at.astimezone(UTC).isoformat(),
        *glance[2:4],
        str(glance.outcome),
        *glance[5:10],
        " ".join(glance.shown),
        " ".join(glance.faults),
        glance.prompt,
        zstandard.compress(told.story),
    )


def _glance(row: Sequence[Any]) -> Glance:
    found = Glance(*row)
    return found._replace(
        at=datetime.fromisoformat(row[1]),
        outcome=Outcome(found.outcome),
        shown=tuple(row[10].split()),
        faults=tuple(row[11].split()),
    )
