"""What happened to memories: injections and the turns that followed, append-only, and the tallies kept from them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

MAX_PROMPT_CHARS = 2000
"""Of a prompt, the rest is not stored: a pasted log is no question."""


class Shown(NamedTuple):
    """An injection that no turn has settled yet: its id, the prompt, and the chunks whose text was in the block.

    ``prompt`` is cut after ``MAX_PROMPT_CHARS``.
    """

    injection_id: str
    prompt: str
    chunk_ids: tuple[str, ...]


def record_injection(
    connection: sqlite3.Connection,
    *,
    at: datetime,
    session_id: str,
    injection_id: str,
    prompt: str,
    chunk_ids: Sequence[str],
) -> None:
    """Remember that these chunks were shown."""
    kept = prompt[:MAX_PROMPT_CHARS].encode(errors="replace").decode()  # SQLite takes no lone surrogate
    data = json.dumps({"prompt": kept, "chunks": list(chunk_ids)}, ensure_ascii=False)
    _append(connection, at, "injection", session_id, injection_id, data)


def unsettled(connection: sqlite3.Connection, session_id: str, injection_id: str | None) -> Shown | None:
    """Return the session's last injection if no turn has ended since; or the one of this id if it is not settled."""
    row = connection.execute(
        "SELECT kind, injection, data FROM events WHERE session = ?1 AND (?2 IS NULL OR injection = ?2)"
        " ORDER BY id DESC LIMIT 1",
        (session_id, injection_id),
    ).fetchone()
    if row is None or row[0] != "injection":
        return None
    data = json.loads(row[2])
    return Shown(row[1], data["prompt"], tuple(data["chunks"]))


def settle(
    connection: sqlite3.Connection, *, at: datetime, session_id: str, injection_id: str, used: Mapping[str, bool]
) -> None:
    """Remember which of the shown chunks the turn used, and add it to their tallies; none: it only ends the turn."""
    data = json.dumps({"used": [chunk_id for chunk_id, was in used.items() if was]})
    _append(connection, at, "turn", session_id, injection_id, data)
    connection.executemany(
        "INSERT INTO uses VALUES (?, 1, ?) ON CONFLICT DO UPDATE SET"
        " retrievals = retrievals + 1, citations = citations + excluded.citations",
        [(int(chunk_id, 16), int(was)) for chunk_id, was in used.items()],
    )


def tallies(connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return (retrievals, citations) of the chunks that have any, by key."""
    wanted = list(keys)
    marks = ",".join("?" * len(wanted))
    rows = connection.execute(f"SELECT key, retrievals, citations FROM uses WHERE key IN ({marks})", wanted)
    return {key: (retrievals, citations) for key, retrievals, citations in rows}


def _append(
    connection: sqlite3.Connection, at: datetime, kind: str, session_id: str, injection_id: str, data: str
) -> None:
    connection.execute(
        "INSERT INTO events (at, kind, session, injection, data) VALUES (?, ?, ?, ?, ?)",
        (at.isoformat(), kind, session_id, injection_id, data),
    )
