"""The names among the headings of a store: of what has changed they are read anew, of all else they are known."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from hookclaw_py.store.names import Headings
from hookclaw_py.store.recalled import Part
from hookclaw_py.store.sql import batches, parts, rows
from hookclaw_py.store.sql.connections import SQLConnection

_BETWEEN = " > "  # the headings of a trail
_COUNTED = "SELECT path, count(*) FROM chunks GROUP BY path"
_NEWER = "SELECT path FROM chunks WHERE context_generation > ?"
_GIVEN = "SELECT path, names FROM files WHERE names NOT IN ('', '[]')"


class FileHeadings(NamedTuple):
    """By file how many chunks it has, and what stands in the headings of those that are in a part; and the names of all."""

    generation: int = -1
    counted: Mapping[str, int] = {}
    headings: Mapping[str, tuple[str, ...]] = {}
    given: frozenset[str] = frozenset()
    names: Headings = Headings()


def read(connection: SQLConnection, within: Part, known: FileHeadings, *, generation: int) -> FileHeadings:
    """Return what they are now, at ``generation`` or later, having known what they were.

    A file whose headings changed has new chunks, or chunks that stand beside others than before, or it has more or fewer.
    """
    counted: dict[str, int] = dict(connection.execute(_COUNTED).fetchall())
    changed = {path for path, count in counted.items() if known.counted.get(path) != count}
    if known.generation >= 0:
        changed.update(path for (path,) in connection.execute(_NEWER, (known.generation,)))
    now = {path: own for path, own in known.headings.items() if path in counted and path not in changed}
    now.update(_headings(connection, within, changed, every=len(changed) == len(counted)))
    told = connection.execute(_GIVEN).fetchall()
    given = frozenset(name for path, names in told if path in now for name in rows.texts(names))
    before = {one for path in known.headings.keys() - now.keys() | changed for one in known.headings.get(path, ())}
    after = {one for path in changed for one in now.get(path, ())}
    if given == known.given and (before <= after or before <= {one for own in now.values() for one in own}):
        names = known.names.with_more(after - before) if after - before else known.names
    else:
        names = Headings({one for own in now.values() for one in own}, given)
    return FileHeadings(generation, counted, now, given, names)


def _headings(
    connection: SQLConnection, within: Part, paths: Collection[str], *, every: bool
) -> Mapping[str, tuple[str, ...]]:
    """Return by path what stands in the headings of these files, each once; of those that are in the part."""
    trails = dict[str, list[str]]()
    for path, heading in _of_chunks(connection, within, paths, every=every):
        trails.setdefault(path, []).append(heading)
    return {path: tuple(dict.fromkeys(_BETWEEN.join(own).split(_BETWEEN))) for path, own in trails.items()}


def _of_chunks(
    connection: SQLConnection, within: Part, paths: Collection[str], *, every: bool
) -> Iterator[tuple[str, str]]:
    if every:
        where, values = parts.where(connection, within)
        yield from connection.execute(f"SELECT path, heading FROM chunks{where}", values)
    else:
        where, values = parts.where(connection, within, "path IN ({})")
        yield from batches.found(connection, f"SELECT path, heading FROM chunks{where}", paths, then=values)
