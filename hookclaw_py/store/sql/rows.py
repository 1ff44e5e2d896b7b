"""Chunks as rows of the database, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from sys import intern
from typing import Any

from hookclaw_py.model.kind import kind_called
from hookclaw_py.model.origin import lowest, origin_called
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Chunk
from hookclaw_py.store import packing
from hookclaw_py.store.content import content_digest

_KEYS = 2**64  # ids are 16 hexadecimal digits; the database's integers have a sign
CHUNK = "key, text, path, first_line, last_line, heading, kind, created_at, terms, memory, revision, origin"
PLACED = "key, position, first_line, last_line, kind, origin, created_at, terms"
ORIGIN = 5
"""Where the origin stands among the columns ``PLACED``."""
INSERT = (
    f"INSERT INTO chunks (path, heading, text, digest, memory, revision, generation, {PLACED})"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
UPDATE = (
    "UPDATE chunks SET position = ?, first_line = ?, last_line = ?, kind = ?, origin = ?, created_at = ?, terms = ?"
    " WHERE key = ?"
)
"""Takes the columns ``PLACED``, the key last."""


def placed(chunk: Chunk, position: int) -> tuple[Any, ...]:
    """Return what may change about a chunk that keeps its id: the columns ``PLACED``, the terms as a text."""
    created_at = chunk.created_at.isoformat() if chunk.created_at else None
    return key(chunk.id), position, *chunk.place.lines, chunk.kind.name, chunk.origin, created_at, " ".join(chunk.terms)


def packed(row: tuple[Any, ...], heading: str, text: str) -> tuple[Any, ...]:
    """Return the columns ``PLACED`` as they are written."""
    return (*row[:-1], packing.packed_terms(row[-1], heading, text))


def unpacked(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the columns ``PLACED``, behind which heading and text were read, as ``placed`` does."""
    *before, terms, heading, text = row
    return (*before, packing.unpacked_terms(terms, heading, text))


def lowered(row: tuple[Any, ...], origin: str) -> tuple[Any, ...]:
    """Return the columns ``PLACED`` with an origin that is no more trusted than ``origin``."""
    return (*row[:ORIGIN], lowest([origin_called(row[ORIGIN]), origin_called(origin)]), *row[ORIGIN + 1 :])


def terms_of(kept: bytes, heading: str, text: str) -> Sequence[str]:
    """Read a chunk's terms. They are joined by blanks, which no term has, and are read for every chunk at each start."""
    written = packing.unpacked_terms(kept, heading, text)
    return written.split(" ") if written else ()


def content(chunk: Chunk) -> tuple[str, str, bytes]:
    """Return heading, text and the digest of what is embedded: what makes a chunk the chunk it is."""
    return chunk.heading, chunk.text, content_digest(chunk.heading, chunk.text)


def chunk_of(row: tuple[Any, ...]) -> Chunk:
    """Make a chunk of the columns ``CHUNK``; a term that many chunks have is one text in memory, and so is a path."""
    number, text, path, first, last, heading, kind, created_at, terms, memory, revision, origin = row
    what, words, name = kind_called(kind), Terms(map(intern, terms_of(terms, heading, text))), id_of(number)
    of = name if memory == number else id_of(memory)
    place, whose = what.place(intern(path), (first, last)), origin_called(origin)
    return Chunk(name, text, place, heading, what, moment_of(created_at), words, of, revision, whose)


@lru_cache(maxsize=4096)
def moment_of(written: str | None) -> datetime | None:
    """Return the time that was written down, None for none."""
    return datetime.fromisoformat(written) if written else None


def key(name: str) -> int:
    """Return the database's key for the id of a chunk or memory."""
    return _signed(int(name, 16))


def key_of(name: str) -> int | None:
    """Return the database's key for what may be an id, or None if it is none."""
    try:
        number = int(name, 16)
    except ValueError:
        return None
    return _signed(number) if 0 <= number < _KEYS else None


def keys_of(names: Iterable[str]) -> list[int]:
    """Return the database's keys for what may be ids; what is none is left out."""
    return [key for key in map(key_of, names) if key is not None]


def keys_beginning_with(prefix: str) -> tuple[int, int]:
    """Return the first and last key whose id begins with these hexadecimal digits, of which there is one at least."""
    return _signed(int(prefix.ljust(16, "0"), 16)), _signed(int(prefix.ljust(16, "f"), 16))


def _signed(number: int) -> int:
    return number - _KEYS if number >= _KEYS // 2 else number


def id_of(number: int) -> str:
    """Return the id for a database key."""
    return f"{number % _KEYS:016x}"


def listed(texts: Iterable[str]) -> str:
    """Write a list of texts for one column."""
    return json.dumps(list(texts), ensure_ascii=False)


def texts(written: str) -> tuple[str, ...]:
    """Read what ``listed`` wrote; of the files of a store, mostly nothing."""
    return tuple(json.loads(written)) if written != "[]" else ()
