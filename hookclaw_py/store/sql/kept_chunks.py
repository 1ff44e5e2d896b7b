"""The chunks asked for lately, kept in memory; the others are read from their rows."""

from __future__ import annotations

from collections.abc import Iterable

from hookclaw_py.model.types import Chunk
from hookclaw_py.store.sql import batches, rows
from hookclaw_py.store.sql.connections import SQLConnection

Known = tuple[Chunk, bytes]
"""A chunk, and the digest of what is embedded of it."""

_OBJECT_BYTES = 700  # of a chunk with its place, its names and its digest, beside its text and terms
_TERM_BYTES = 8  # of a term, whose text others have as well
_BY_KEY = f"SELECT {rows.CHUNK}, digest FROM chunks WHERE key IN ({{}})"


class KeptChunks:
    """Chunks of one ``generation`` of a store, about ``most_bytes`` of them.

    Half of it is for what was asked for last. When that is full it becomes the other half, of which goes what nobody asked for since.
    """

    def __init__(self, generation: int, most_bytes: int) -> None:
        self.generation = generation
        self._half = most_bytes // 2
        self._bytes = 0
        self._last: dict[int, Known] = {}
        self._before: dict[int, Known] = {}

    def of(self, connection: SQLConnection, ids: Iterable[str]) -> list[Known]:
        """Return the chunks with these ids, in the order given; unknown ids are left out."""
        keys = rows.keys_of(ids)
        if self._bytes > self._half:
            self._last, self._before, self._bytes = {}, self._last, 0
        last, before = self._last, self._before
        unknown = list[int]()
        for key in keys:
            if key not in last:
                if (known := before.get(key)) is None:
                    unknown.append(key)
                else:
                    self._keep(last, key, known)
        for row in batches.found(connection, _BY_KEY, unknown) if unknown else ():
            self._keep(last, row[0], (rows.chunk_of(row[:-1]), row[-1]))
        return [last[key] for key in keys if key in last]

    def _keep(self, last: dict[int, Known], key: int, known: Known) -> None:
        last[key] = known
        self._bytes += _OBJECT_BYTES + len(known[0].text) + _TERM_BYTES * len(known[0].terms)
