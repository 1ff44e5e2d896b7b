"""How a person names a memory: the first digits of its id, or the file and line where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from hookclaw_py.errors import StoreError
from hookclaw_py.model.record import Record
from hookclaw_py.model.types import Chunk
from hookclaw_py.regex import regex
from hookclaw_py.store.ports import Memories
from hookclaw_py.store.sessions import Records

_ID = regex(r"[0-9a-f]{1,16}")
_LINE = regex(r"(.+):(\d+)(?:-\d+)?")
_SOME = 4
_MANY = 50


class Remembered(Memories, Records, Protocol):
    """Where memories are found, and records among them."""


def find_memory(store: Memories, named: str, *, among: Mapping[str, str] = {}) -> str:
    """Return the id of the memory that ``named`` means; a whole id need not be in the store any more.

    People see the ids of chunks: that of an earlier wording means the memory, too. Where it could be several, those
    ``among`` the given ones are meant, which stand by the ids of their chunks.

    Raises:
        StoreError: if no memory is meant, or more than one.
    """
    name = named.strip()
    place = _LINE.fullmatch(name)
    if place:
        there = store.memories_at(place[1], int(place[2]))
        found = [memory for memory in there if memory in among.values()] or there
    elif _ID.fullmatch(name.lower()):
        near = dict.fromkeys(memory for chunk_id, memory in among.items() if chunk_id.startswith(name.lower()))
        found = list(near) or store.memories_beginning_with(name.lower(), most=_SOME)
        if not found and len(name) == 16:
            return name.lower()
    else:
        raise StoreError(
            f"{named!r} names no memory; give the first digits of its id, or its place, as memory/2026-02-09.md:5"
        )
    if not found:
        raise StoreError(f"there is no memory {named!r}; `hookclaw explain` shows ids and places")
    if len(found) > 1:
        raise StoreError(f"{named!r} could be {', '.join(found[: _SOME - 1])}; give more of the id")
    return found[0]


def find_record(store: Remembered, named: str) -> Record:
    """Return the record whose id begins with ``named``.

    Raises:
        StoreError: if there is none, or more than one.
    """
    name = named.strip().lower()
    if not _ID.fullmatch(name):
        raise StoreError(f"{named!r} is no id; `hookclaw records list` shows them")
    near = store.memories_beginning_with(name, most=_MANY)
    found = [record for memory in near if (record := store.record(memory))]
    if not found:
        raise StoreError(f"there is no record {named!r}; `hookclaw records list` shows their ids")
    if len(found) > 1:
        raise StoreError(
            f"{named!r} could be {', '.join(record.id for record in found[: _SOME - 1])}; give more of the id"
        )
    return found[0]


def place_of(chunk: Chunk | None, memory: str) -> str:
    """Return where a memory stands, for people; ``chunk`` is None when it has ended."""
    return f"{chunk.id[:8]}  {chunk.place}" if chunk else f"{memory}  (gone from the notes)"
