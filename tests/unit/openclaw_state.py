"""A small OpenClaw state folder, in the schemas of 2026.2 (files) and 2026.9 (one database an agent)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import zstandard

START = datetime(2026, 2, 18, 13, 5, tzinfo=UTC)

NEW_SCHEMA = """
CREATE TABLE IF NOT EXISTS session_windows (
  session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, transcript_updated_at INTEGER, transcript_observed_at INTEGER,
  acp_owned INTEGER NOT NULL DEFAULT 0, plugin_owner_id TEXT, hook_external_content_source TEXT, chat_type TEXT,
  channel TEXT, spawned_by TEXT, display_name TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS session_nodes (
  session_key TEXT NOT NULL PRIMARY KEY, entry_json TEXT NOT NULL, created_via TEXT, spawned_by TEXT, label TEXT,
  display_name TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS transcript_events (
  session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL, event_zstd BLOB,
  event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY (session_id, seq),
  CHECK ((event_json IS NOT NULL AND event_zstd IS NULL) OR (event_json IS NULL AND event_zstd IS NOT NULL))
) STRICT;
CREATE TABLE IF NOT EXISTS session_transcript_cold_archives (
  session_id TEXT NOT NULL PRIMARY KEY, archive_name TEXT NOT NULL, archive_sha256 TEXT NOT NULL,
  storage TEXT NOT NULL, archive_blob BLOB
) STRICT;
CREATE TABLE IF NOT EXISTS memory_index_sources (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL, source TEXT NOT NULL DEFAULT 'memory', hash TEXT NOT NULL,
  mtime REAL NOT NULL, size INTEGER NOT NULL, UNIQUE (path, source)
) STRICT;
CREATE TABLE IF NOT EXISTS memory_index_chunks (
  chunk_rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, path TEXT NOT NULL, source TEXT NOT NULL DEFAULT 'memory',
  start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, hash TEXT NOT NULL, model TEXT NOT NULL, text TEXT NOT NULL,
  embedding BLOB NOT NULL, updated_at INTEGER NOT NULL
) STRICT;
"""

OLD_INDEX = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS files (
  path TEXT PRIMARY KEY, source TEXT NOT NULL DEFAULT 'memory', hash TEXT NOT NULL, mtime INTEGER NOT NULL,
  size INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS chunks (
  id TEXT PRIMARY KEY, path TEXT NOT NULL, source TEXT NOT NULL DEFAULT 'memory', start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL, hash TEXT NOT NULL, model TEXT NOT NULL, dims INTEGER, text TEXT NOT NULL,
  embedding TEXT NOT NULL, updated_at INTEGER NOT NULL
);
"""


def said(*exchanges: tuple[str, str] | str, start: datetime = START, minutes: float = 1) -> list[dict[str, Any]]:
    """Return a session's events: its header, then a question and an answer (or a question alone) a minute."""
    events: list[dict[str, Any]] = [{"type": "session", "version": 4, "id": "s", "timestamp": start.isoformat()}]
    parent = None
    for number, exchange in enumerate(exchanges):
        pair = (exchange,) if isinstance(exchange, str) else exchange
        for role, text in zip(("user", "assistant"), pair, strict=False):
            at = start.timestamp() * 1000 + number * minutes * 60_000
            name = f"{role}{number}"
            content: Any = text if role == "user" else [{"type": "text", "text": text}]
            events.append(event(role, content, id=name, parentId=parent, at=int(at)))
            parent = name
    return events


def event(role: str, content: Any, *, at: int = 0, message: Mapping[str, Any] | None = None, **fields: Any) -> dict:
    """Return one message event."""
    moment = at or int(START.timestamp() * 1000)
    return {
        "type": "message",
        **fields,
        "message": {"role": role, "content": content, "timestamp": moment, **(message or {})},
    }


class State:
    """A state folder under construction."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def sessions(self, agent: str = "main") -> Path:
        folder = self.folder / "agents" / agent / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def file(self, session: str, events: Iterable[Any], *, agent: str = "main", suffix: str = ".jsonl") -> Path:
        """Write a session as JSON lines."""
        file = self.sessions(agent) / f"{session}{suffix}"
        data = "".join(json.dumps(one) + "\n" for one in events).encode()
        file.write_bytes(zstandard.compress(data) if suffix.endswith(".zst") else data)
        return file

    def register(self, entries: Mapping[str, Any], *, agent: str = "main") -> None:
        """Write sessions.json."""
        (self.sessions(agent) / "sessions.json").write_text(json.dumps(entries))

    def database_file(self, agent: str = "main") -> Path:
        return self.folder / "agents" / agent / "agent" / "openclaw-agent.sqlite"

    def database(self, agent: str = "main", *, wal: bool = True) -> sqlite3.Connection:
        """Open the agent's database for writing, as the gateway does."""
        file = self.database_file(agent)
        file.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(file, isolation_level=None)
        connection.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
        connection.executescript(NEW_SCHEMA)
        return connection

    def rows(
        self,
        session: str,
        events: Iterable[Any],
        *,
        agent: str = "main",
        key: str = "",
        entry: Mapping[str, Any] | None = None,
        packed: bool = False,
        first: int = 0,
        **window: Any,
    ) -> None:
        """Write (or, with ``first``, add to) a session as rows; ``packed`` ones are zstd frames without a size."""
        key = key or f"agent:{agent}:{session}"
        connection = self.database(agent)
        stamp = 1_771_419_900_000 + first
        values = {"session_id": session, "session_key": key, "created_at": 1, "updated_at": stamp, **window}
        values["transcript_updated_at"] = stamp
        marks = ", ".join("?" * len(values))
        connection.execute("BEGIN")
        connection.execute(
            f"INSERT OR REPLACE INTO session_windows ({', '.join(values)}) VALUES ({marks})", tuple(values.values())
        )
        connection.execute(
            "INSERT OR REPLACE INTO session_nodes (session_key, entry_json, label) VALUES (?, ?, ?)",
            (key, json.dumps(entry or {}), (entry or {}).get("label")),
        )
        for seq, one in enumerate(events, first):
            written = json.dumps(one)
            blob = _frame(written.encode()) if packed else None
            connection.execute(
                "INSERT INTO transcript_events (session_id, seq, event_json, created_at, event_zstd) VALUES (?, ?, ?, ?, ?)",
                (session, seq, None if packed else written, stamp, blob),
            )
        connection.execute("COMMIT")
        connection.close()


def _frame(data: bytes) -> bytes:
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(data) + packer.flush()


def everything(folder: Path) -> dict[str, bytes]:
    """Return every file below ``folder`` with its bytes: to see that nothing was written."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
