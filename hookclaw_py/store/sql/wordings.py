"""What a store says of its memories: what they are now, what they were, and by what a person finds them."""

from __future__ import annotations

from collections.abc import Iterable

from hookclaw_py.model.memory import Memory, Revision
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.sql import batches, memories, rows
from hookclaw_py.store.sql.connections import Connections

_OF_MEMORIES = f"SELECT {rows.CHUNK} FROM chunks WHERE memory IN ({{}})"


class Wordings(Connections):
    """The part of a store that knows memories through all their wordings."""

    def memory(self, memory: str) -> Memory | None:
        """Return one memory, active or ended."""
        with self._reading(bulk=True) as connection:
            return memories.find(connection, rows.key_of(memory))

    def revisions(self, memory: str) -> list[Revision]:
        """Return the wordings of a memory, oldest first."""
        with self._reading(bulk=True) as connection:
            return memories.revisions(connection, rows.key_of(memory))

    def heads(self, ids: Iterable[str]) -> dict[str, Chunk]:
        """Return the chunks of the newest wordings of these memories, in the order given; what has ended is left out."""
        keys = rows.keys_of(ids)
        with self._reading() as connection:
            some = map(rows.chunk_of, batches.found(connection, _OF_MEMORIES, keys))
            found = {chunk.memory: chunk for chunk in some}
        return {memory: found[memory] for memory in map(rows.id_of, keys) if memory in found}

    def memories_of(self, chunk_ids: Iterable[str]) -> dict[str, str]:
        """Return by chunk id, of wordings long replaced too, the memory of which it is one; unknown ids are left out."""
        keys = rows.keys_of(chunk_ids)
        with self._reading(bulk=True) as connection:
            found = memories.of_chunks(connection, keys)
        return {rows.id_of(key): rows.id_of(found[key]) for key in keys if key in found}

    def memories_beginning_with(self, prefix: str, *, most: int) -> list[str]:
        """Return up to ``most`` memories of which a chunk's id, else that of an earlier wording, begins with these digits."""
        first, last = rows.keys_beginning_with(prefix)
        with self._reading(bulk=True) as connection:
            return [rows.id_of(key) for key in memories.beginning_with(connection, first, last, most)]

    def memories_at(self, path: str, line: int) -> list[str]:
        """Return the memories on a line of a file, given by its whole path or by the end of it."""
        with self._reading(bulk=True) as connection:
            known = [name for (name,) in connection.execute("SELECT path FROM files")]
            meant = [path] if path in known else [name for name in known if name.endswith(f"/{path}")]
            found = batches.found(connection, _AT_LINE, meant, then=(line,))
            return [rows.id_of(key) for key in sorted(key for (key,) in found)]


_AT_LINE = "SELECT memory FROM chunks WHERE path IN ({}) AND ? BETWEEN first_line AND last_line"
