"""Moves: a passage that was cut out of one document and pasted into another stays what a person made of it.

Its heading is another there, and the one document is read before the other. So what ended and what began is remembered until all are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from hookclaw_py.model.kind import NOTE
from hookclaw_py.model.memory import MemoryStatus
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.content import wording_digest
from hookclaw_py.store.events import EventKind
from hookclaw_py.store.sql import batches, events, generations, memories, rows, tallies
from hookclaw_py.store.sql.connections import SQLConnection
from hookclaw_py.store.sql.memories import Left, Wording


class Moves:
    """What of the notes ended and began since they were last ``settled``, by the text alone; of what ended, only that of which something is known."""

    def __init__(self) -> None:
        self._ended: list[tuple[int, bytes]] = []
        self._begun: dict[bytes, list[int]] = {}

    def ended(self, connection: SQLConnection, left: Sequence[Left]) -> None:
        """Note passages that are about to go, whose memories end with them."""
        known = tallies.load(connection, [one.memory for one in left])
        keys = [one.key for one in left if rows.id_of(one.memory) in known]
        for row in batches.found(connection, f"SELECT {rows.CHUNK} FROM chunks WHERE key IN ({{}})", keys):
            chunk = rows.chunk_of(tuple(row))
            if chunk.kind is NOTE:
                self._ended.append((rows.key(chunk.memory), wording_digest("", chunk.text)))

    def begun(self, connection: SQLConnection, told: Iterable[tuple[Chunk, Wording]]) -> None:
        """Note passages that are new, in a store that knows anything of its memories' use."""
        new = [(chunk, wording) for chunk, wording in told if wording.revision == 1 and chunk.kind is NOTE]
        if new and connection.execute("SELECT 1 FROM uses LIMIT 1").fetchone() is not None:
            for chunk, wording in new:
                self._begun.setdefault(wording_digest("", chunk.text), []).append(wording.memory)

    def settle(self, connection: SQLConnection, *, at: datetime) -> None:
        """Let what is known of each memory that ended hold for one that began with its words."""
        ended, begun = self._ended, self._begun
        self._ended, self._begun = [], {}
        for memory, digest in ended:
            heirs = [heir for heir in begun.get(digest, ()) if _is(connection, heir, MemoryStatus.ACTIVE)]
            if heirs and _is(connection, memory, MemoryStatus.ENDED) and tallies.load(connection, [memory]):
                begun[digest].remove(heirs[0])
                data = {"old": rows.id_of(memory), "new": rows.id_of(heirs[0])}
                tallies.count(connection, events.append(connection, at, EventKind.MERGE, data))
                generations.advance(connection)


def _is(connection: SQLConnection, key: int, status: MemoryStatus) -> bool:
    found = memories.find(connection, key)
    return found is not None and found.status is status
