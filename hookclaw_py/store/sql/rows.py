"""Chunks as rows of the database, and back."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from functools import lru_cache
from typing import Any

from hookclaw_py.model.kind import kind_called
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.content import content_digest

MOST = 2**63 - 1  # integers of the database end there, and so do the ids
CHUNK = "key, text, path, first_line, last_line, heading, kind, created_at, terms"
PLACED = "key, position, first_line, last_line, kind, created_at, terms"
INSERT = f"INSERT INTO chunks (path, heading, text, digest, generation, {PLACED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
UPDATE = (
    "UPDATE chunks SET position = ?2, first_line = ?3, last_line = ?4, kind = ?5, created_at = ?6, terms = ?7"
    " WHERE key = ?1"
)


def placed(chunk: Chunk, position: int) -> tuple[Any, ...]:
    """Return what may change about a chunk that keeps its id: the columns ``PLACED``."""
    created_at = chunk.created_at.isoformat() if chunk.created_at else None
    return int(chunk.id, 16), position, *chunk.place.lines, chunk.kind.name, created_at, " ".join(chunk.terms)


def content(chunk: Chunk) -> tuple[str, str, bytes]:
    """Return heading, text and the digest of what is embedded: what makes a chunk the chunk it is."""
    return chunk.heading, chunk.text, content_digest(chunk.heading, chunk.text)


def chunk_of(row: tuple[Any, ...]) -> Chunk:
    """Make a chunk of the columns ``CHUNK``."""
    key, text, path, first, last, heading, kind, created_at, terms = row
    what, words = kind_called(kind), Terms(terms.split(" ") if terms else ())
    return Chunk(id_of(key), text, what.place(path, (first, last)), heading, what, _moment(created_at), words)


@lru_cache(maxsize=4096)
def _moment(written: str | None) -> datetime | None:
    return datetime.fromisoformat(written) if written else None


def key_of(chunk_id: str) -> int | None:
    """Return the database's key for a chunk id, or None if it is no chunk id."""
    try:
        key = int(chunk_id, 16)
    except ValueError:
        return None
    return key if 0 <= key <= MOST else None


def keys_beginning_with(prefix: str) -> tuple[int, int] | None:
    """Return the first and last key whose id begins with these hexadecimal digits; None if there can be none."""
    first, last = int(prefix.ljust(16, "0"), 16), min(int(prefix.ljust(16, "f"), 16), MOST)
    return (first, last) if first <= last else None


def id_of(key: int) -> str:
    """Return the chunk id for a database key."""
    return f"{key:016x}"


def listed(paths: Collection[str] | None) -> str | None:
    """Return paths as a value for ``json_each``; None stays None."""
    return None if paths is None else json.dumps(sorted(paths))
