"""A connection to a SQLite file, and how what differs between databases is written for it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from pathlib import Path
from typing import Any


class SQLiteConnection(sqlite3.Connection):
    """Python's own; texts without number go over as one value, an array in JSON."""

    def among(self, column: str) -> str:
        """Return the condition that a text column is one of many."""
        return f"{column} IN (SELECT value FROM json_each(?))"

    def many(self, texts: Collection[str]) -> str:
        """Return texts as the value of that condition."""
        return json.dumps(sorted(texts))


def plain(name: str | Path, **options: Any) -> SQLiteConnection:
    """Open a connection as ``sqlite3.connect`` does."""
    return sqlite3.connect(name, factory=SQLiteConnection, **options)
