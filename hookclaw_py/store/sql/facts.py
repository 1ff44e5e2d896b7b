"""Values by name, as JSON."""

from __future__ import annotations

import json
from typing import Any

from hookclaw_py.store.sql.connections import SQLConnection


def get(connection: SQLConnection, key: str, default: Any = None) -> Any:
    """Return the value remembered under ``key``."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return json.loads(row[0]) if row else default


def put(connection: SQLConnection, key: str, value: Any) -> None:
    """Remember a value under ``key``."""
    connection.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, json.dumps(value)),
    )
