"""How a person names a memory: the first digits of its id, or the file and line where it stands."""

from __future__ import annotations

import re
from collections.abc import Collection

from hookclaw_py.errors import StoreError
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.ports import Notes

_ID = re.compile(r"[0-9a-f]{1,16}")
_LINE = re.compile(r"(.+):(\d+)(?:-\d+)?")
_SOME = 4


def find_chunk(store: Notes, named: str, *, among: Collection[str] = ()) -> str:
    """Return the id of the chunk that ``named`` means; a whole id need not be in the store any more.

    Where it could be several, those ``among`` the given ids are meant.

    Raises:
        StoreError: if no chunk is meant, or more than one.
    """
    name = named.strip()
    place = _LINE.fullmatch(name)
    if place:
        there = store.ids_at(place[1], int(place[2]))
        found = [chunk_id for chunk_id in there if chunk_id in among] or there
    elif _ID.fullmatch(name.lower()):
        found = [i for i in among if i.startswith(name.lower())] or store.ids_beginning_with(name.lower(), most=_SOME)
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


def place_of(chunk: Chunk | None, chunk_id: str) -> str:
    """Return where a chunk stands, for people."""
    return f"{chunk_id[:8]}  {chunk.place}" if chunk else f"{chunk_id}  (gone from the notes)"
