"""How a person names a memory: the first digits of its id, or the file and line where it stands."""

from __future__ import annotations

import re
from collections.abc import Collection

from hookclaw_py.errors import StoreError
from hookclaw_py.store import rows
from hookclaw_py.store.database import Store
from hookclaw_py.types import Chunk

_ID = re.compile(r"[0-9a-f]{1,16}")
_LINE = re.compile(r"(.+):(\d+)(?:-\d+)?")
_SOME = 4


def find_chunk(store: Store, named: str, *, among: Collection[str] = ()) -> str:
    """Return the id of the chunk that ``named`` means; a whole id need not be in the store any more.

    Where it could be several, those ``among`` the given ids are meant.

    Raises:
        StoreError: if no chunk is meant, or more than one.
    """
    name = named.strip()
    place = _LINE.fullmatch(name)
    if place:
        there = _at(store, place[1], int(place[2]))
        found = [chunk_id for chunk_id in there if chunk_id in among] or there
    elif _ID.fullmatch(name.lower()):
        found = [i for i in among if i.startswith(name.lower())] or _beginning_with(store, name.lower())
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
    return (
        f"{chunk_id[:8]}  {chunk.path}:{chunk.lines[0]}-{chunk.lines[1]}"
        if chunk
        else f"{chunk_id}  (gone from the notes)"
    )


def _beginning_with(store: Store, prefix: str) -> list[str]:
    first, last = int(prefix.ljust(16, "0"), 16), int(prefix.ljust(16, "f"), 16)
    most = 2**63 - 1  # SQLite's integers end there, and so do the ids
    if first > most:
        return []
    with store._reading(bulk=True) as connection:
        found = connection.execute(
            "SELECT key FROM chunks WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?", (first, min(last, most), _SOME)
        ).fetchall()
    return [rows.id_of(key) for (key,) in found]


def _at(store: Store, path: str, line: int) -> list[str]:
    """Return the chunks on a line of a file, given by its whole path or by the end of it."""
    with store._reading(bulk=True) as connection:
        for which in ("path = ?1", "substr(path, -length(?1) - 1) = '/' || ?1"):
            found = connection.execute(
                f"SELECT key FROM chunks WHERE {which} AND ?2 BETWEEN first_line AND last_line ORDER BY key",
                (path, line),
            ).fetchall()
            if found:
                return [rows.id_of(key) for (key,) in found]
    return []
