"""How a person names a memory: the first digits of its id, or the file and line where it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hookclaw_py.errors import StoreError
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.ports import Memories

_ID = re.compile(r"[0-9a-f]{1,16}")
_LINE = re.compile(r"(.+):(\d+)(?:-\d+)?")
_SOME = 4


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


def place_of(chunk: Chunk | None, memory: str) -> str:
    """Return where a memory stands, for people; ``chunk`` is None when it has ended."""
    return f"{chunk.id[:8]}  {chunk.place}" if chunk else f"{memory}  (gone from the notes)"
