"""Forgetting for good: a chunk, its copies, its vectors, and every trace of its use; and that it does not come back."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from datetime import datetime

from hookclaw_py.model.types import Chunk
from hookclaw_py.store.content import forgetting_digest
from hookclaw_py.store.sql import context, decisions, events, generations, rows


def purge(connection: sqlite3.Connection, chunk_ids: Collection[str], *, at: datetime) -> list[str]:
    """Delete these chunks and those that say the same under the same heading; return all their ids."""
    keys = [key for key in map(rows.key_of, chunk_ids) if key is not None]
    wanted = {key: row for key in keys for row in _rows(connection, "key", key)}
    copies = {
        row[0]: row
        for _, heading, text, digest in wanted.values()
        for row in _rows(connection, "digest", digest)
        if row[1:3] == (heading, text)
    }
    connection.executemany(
        "INSERT OR REPLACE INTO forgotten (digest, at) VALUES (?, ?)",
        [(forgetting_digest(heading, text), at.isoformat()) for _, heading, text, _ in wanted.values()],
    )
    if keys:
        generation = generations.begin_anew(connection)
        context.mark_files_of(connection, copies, generation)
        generations.bury(connection, copies, generation)
        connection.executemany(
            "DELETE FROM embeddings WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM chunks WHERE digest = ?1)",
            [(row[3],) for row in copies.values()],
        )
    gone = sorted({rows.id_of(key) for key in (*keys, *copies)})
    if gone:
        older = events.predecessors(connection, gone) - set(gone)
        every = [*gone, *(i for i in older if not _rows(connection, "key", rows.key_of(i)))]
        events.erase(connection, every)
        decisions.purge(connection, every)
    return gone


def purge_again(
    connection: sqlite3.Connection, digests: Collection[bytes], ids: Collection[str], *, at: datetime
) -> list[str]:
    """Purge what was forgotten in another database: an earlier copy of this one, or the one that stood in its place.

    Known of it are the digests of headings and texts, and the ids of their chunks.
    """
    if not (digests or ids):
        return []
    missing = set(digests) - digests_of(connection)
    connection.executemany(
        "INSERT OR IGNORE INTO forgotten (digest, at) VALUES (?, ?)", [(one, at.isoformat()) for one in sorted(missing)]
    )
    every = connection.execute("SELECT key, heading, text FROM chunks").fetchall()
    there = {rows.id_of(key) for key, heading, text in every if forgetting_digest(heading, text) in digests}
    return purge(connection, there | set(ids), at=at) if there or ids else []


def digests_of(connection: sqlite3.Connection) -> set[bytes]:
    """Return the digests of what was forgotten."""
    return {digest for (digest,) in connection.execute("SELECT digest FROM forgotten")}


def without_forgotten(connection: sqlite3.Connection, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
    """Return the chunks that a person has not asked to forget."""
    forgotten = digests_of(connection)
    if not forgotten:
        return chunks
    return [chunk for chunk in chunks if forgetting_digest(chunk.heading, chunk.text) not in forgotten]


def _rows(connection: sqlite3.Connection, column: str, value: object) -> list[tuple[int, str, str, bytes]]:
    return connection.execute(f"SELECT key, heading, text, digest FROM chunks WHERE {column} = ?", (value,)).fetchall()
