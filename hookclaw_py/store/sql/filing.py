"""What reads notes writes into a store: files with their chunks, and vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hookclaw_py.model.types import Chunk
from hookclaw_py.store import packing
from hookclaw_py.store.sql import context, embeddings, experience, forgetting, generations, memories, rows
from hookclaw_py.store.sql.connections import Connections
from hookclaw_py.store.sql.memories import Wording
from hookclaw_py.store.sql.moves import Moves
from hookclaw_py.store.values import Replaced

TOMBSTONES = 10_000
"""Of deleted chunks: an index that is further behind starts from empty."""
ENDED = 10_000
"""Memories that have ended and of which nothing is known."""
SPARE_EMBEDDINGS = 1_000
"""Vectors of texts that are gone."""
_WRITE_FILE = """
    INSERT INTO files (path, digest, size, mtime_ns, recipe, warnings, names, shared) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (path) DO UPDATE SET digest = excluded.digest, size = excluded.size, mtime_ns = excluded.mtime_ns,
        recipe = excluded.recipe, warnings = excluded.warnings, names = excluded.names, shared = excluded.shared
"""


class Filing(Connections):
    """The part of a store that notes are written into."""

    def __init__(self) -> None:
        self._moves = Moves()

    def replace_file(
        self,
        path: str,
        *,
        chunks: Sequence[Chunk],
        digest: str = "",
        size: int = 0,
        mtime_ns: int = 0,
        recipe: str = "",
        warnings: Sequence[str] = (),
        names: Sequence[str] = (),
        shared: bool | None = None,
        moved_from: Collection[str] = (),
    ) -> Replaced:
        """Make ``chunks`` those of the file, in one transaction. A chunk that is there already keeps its row and vector.

        An edited passage is a new revision of its memory. Memories of files that are gone, ``moved_from``, go on in this
        one where their words do.
        """
        told = rows.listed(filter(None, (" ".join(warning.split()) for warning in warnings)))
        with self._writing() as connection:
            chunks = forgetting.without_forgotten(connection, chunks)
            before = connection.execute(f"SELECT {rows.PLACED}, heading, text FROM chunks WHERE path = ?", (path,))
            old = {row[0]: rows.unpacked(row) for row in before}
            new = {rows.key(chunk.id): rows.placed(chunk, position) for position, chunk in enumerate(chunks)}
            content = {rows.key(chunk.id): rows.content(chunk) for chunk in chunks}
            added, kept, gone = new.keys() - old.keys(), new.keys() & old.keys(), old.keys() - new.keys()
            new |= {key: rows.lowered(new[key], old[key][rows.ORIGIN]) for key in kept}
            moved: list[int] = []
            at = datetime.now(UTC)
            changed = [rows.packed(new[key], *content[key][:2]) for key in kept if new[key] != old[key]]
            told_before = connection.execute("SELECT shared, names FROM files WHERE path = ?", (path,)).fetchone()
            told_now = (shared, rows.listed(names))
            connection.execute(_WRITE_FILE, (path, digest, size, mtime_ns, recipe, told, told_now[1], shared))
            if added or gone or changed or (told_before or (None, rows.listed([]))) != told_now:
                generation = generations.advance(connection)
                leaving = memories.leaving(connection, path, kept) if gone else []
                others = moved_from if added else ()
                elsewhere = [left for other in others for left in memories.leaving(connection, other)]
                between = _between(chunks, kept)
                wordings = memories.assign(connection, between, leaving=leaving, elsewhere=elsewhere, at=at)
                going_on = {wording.memory for wording in wordings.values()}
                moved = [left.key for left in elsewhere if left.memory in going_on]
                ending = [left for left in leaving if left.memory not in going_on]
                begun = [(c, wordings[rows.key(c.id)]) for c in chunks if rows.key(c.id) in added]
                self._moves.ended(connection, ending)
                self._moves.begun(connection, begun)
                context.mark_files_of(connection, moved, generation)
                generations.bury(connection, [*gone, *moved], generation)
                connection.executemany(rows.UPDATE, [(*row[1:], row[0]) for row in changed])
                memories.stamp(connection, [row[0] for row in changed])
                fresh = [(new[key], content[key], wordings[key]) for key in new if key in added]
                connection.executemany(rows.INSERT, [_inserted(path, generation, *one) for one in fresh])
                experience.hand_on(connection, ending, at=at)
                was, now = context.surroundings(old.values()), context.surroundings(new.values())
                context.mark(connection, [key for key in now if now[key] != was.get(key)], generation)
                connection.executemany("DELETE FROM tombstones WHERE key = ?", [(key,) for key in added])
        return Replaced(len(added), len(kept), len(gone) + len(moved))

    def touch_file(self, path: str, *, size: int, mtime_ns: int) -> None:
        """Remember the file's new stat when its content has not changed."""
        with self._writing() as connection:
            connection.execute("UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?", (size, mtime_ns, path))

    def forget_file(self, path: str) -> int:
        """Delete a file and its chunks; return how many there were. Their memories end."""
        with self._writing() as connection:
            gone = memories.leaving(connection, path)
            if gone:
                self._moves.ended(connection, gone)
                memories.end(connection, {left.memory for left in gone})
                generations.bury(connection, [left.key for left in gone], generations.advance(connection))
                experience.hand_on(connection, gone, at=datetime.now(UTC))
            connection.execute("DELETE FROM files WHERE path = ?", (path,))
        return len(gone)

    def untell(self, paths: Collection[str], *, private: bool) -> list[str]:
        """Take what these files alone say out of past decisions, before they go; return the ids of the chunks that it was.

        Of ``private`` ones goes what else is known of them as well: vectors, events, words of turns that were shown them.
        """
        with self._writing() as connection:
            found = forgetting.untell(connection, paths, private=private)
            if private and found:
                experience.rebuild_uses(connection)
        if found:
            self._let_no_trace_stay()
        return found

    def add_embeddings(
        self, model_id: str, vectors: Sequence[tuple[str, bytes]], tokens: Mapping[str, bytes] = {}
    ) -> None:
        """Store (chunk id, little-endian float32) vectors in one transaction; a chunk that is gone by now is passed over.

        ``tokens`` are their token vectors, int8, by chunk id.

        Raises:
            StoreError: if a vector has another dimension than the model's others, or a value that is no finite number.
        """
        if not vectors:
            return
        own = {rows.key(chunk_id): packing.packed_tokens(values) for chunk_id, values in tokens.items() if values}
        with self._writing() as connection:
            by_key = [(rows.key(chunk_id), vector) for chunk_id, vector in vectors]
            generation = generations.advance(connection)
            embeddings.add(connection, model_id, by_key, tokens=own, generation=generation)

    def drop_vectors(self, model_id: str, ids: Iterable[str]) -> None:
        """Delete the vectors of these chunks, so that their texts are embedded again."""
        with self._writing() as connection:
            embeddings.drop(connection, model_id, rows.keys_of(ids))

    def prune(self, *, tombstones: int = TOMBSTONES, spare: int = SPARE_EMBEDDINGS) -> None:
        """Drop the oldest tombstones, and ended memories and unused vectors once they are many (what comes back finds its own).

        What is known of a passage that was in one file, and is in another by now, holds for it there.
        """
        with self._writing() as connection:
            self._moves.settle(connection, at=datetime.now(UTC))
            generations.prune(connection, most=tombstones)
            memories.prune(connection, most=ENDED)
            embeddings.prune(connection, spare=spare)


def _inserted(
    path: str, generation: int, row: tuple[Any, ...], content: tuple[Any, ...], wording: Wording
) -> tuple[Any, ...]:
    """Return what is written of a new chunk, no more trusted than its wording."""
    packed = rows.packed(rows.lowered(row, wording.origin), *content[:2])
    return (path, *content, *wording[:2], generation, *packed)


def _between(chunks: Sequence[Chunk], kept: Collection[int]) -> list[tuple[Chunk, int]]:
    """Return the chunks that are new, each with the number of those before it that are not."""
    found, gap = [], 0
    for chunk in chunks:
        if rows.key(chunk.id) in kept:
            gap += 1
        else:
            found.append((chunk, gap))
    return found
