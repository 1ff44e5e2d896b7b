"""Forgetting for good: a memory with its revisions, chunks, copies and vectors, and every trace of its use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from hookclaw_py.model.types import Chunk
from hookclaw_py.store.content import content_digest, wording_digest
from hookclaw_py.store.sql import batches, context, decisions, events, generations, happenings, memories, rows
from hookclaw_py.store.sql.connections import SQLConnection


def purge(connection: SQLConnection, ids: Collection[str], *, at: datetime) -> dict[str, list[str]]:
    """Delete these memories and those that say the same under the same heading; return them with all chunks they were.

    What is no memory, or none any more, is taken for a chunk: it is taken out of the log and of the stories. Records that
    were distilled where it was said go as well; what else was said there can be distilled again.
    """
    named = set(rows.keys_of(ids))
    gone = {rows.id_of(key): [rows.id_of(key)] for key in named}
    chunks = {row[0]: row for key in named for row in _rows(connection, "memory", key)}
    recorded = memories.recorded(connection, named)
    wordings = {wording_digest(heading, text) for _, _, heading, text, _ in chunks.values()}
    copies = {
        row[0]: row
        for *_, digest in chunks.values()
        for row in _rows(connection, "digest", digest)
        if wording_digest(*row[2:4]) in wordings
    }
    for key in named | {row[1] for row in copies.values()}:
        earlier = [revision.chunk_id for revision in memories.revisions(connection, key)]
        gone[rows.id_of(key)] = list(dict.fromkeys([*earlier, *gone.get(rows.id_of(key), [])]))
    same = decisions.gone_that_said(connection, [row[3] for row in copies.values()])
    for key in sorted(named)[:1]:
        gone[rows.id_of(key)] += sorted(same.difference(*gone.values()))
    said = {wording_digest("", body) for body in recorded} | memories.practised(connection, named)
    _note(connection, wordings | _last_wordings(connection, named) | said, at)
    if gone:
        generation = generations.begin_anew(connection)
        context.mark_files_of(connection, copies, generation)
        generations.bury(connection, copies, generation)
        connection.executemany(
            "DELETE FROM embeddings WHERE digest = ?"
            " AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.digest = embeddings.digest)",
            [(row[4],) for row in copies.values()],
        )
        texts = [*(row[3] for row in copies.values()), *recorded]
        untold = happenings.purge(connection, texts, events.runs_that_saw(connection, gone))
        lines = {line for text in texts for line in happenings.lines_of(text)}
        events.erase(connection, gone)
        decisions.purge(connection, [chunk_id for earlier in gone.values() for chunk_id in earlier])
        memories.purge(connection, {*map(rows.key, gone), *memories.distilled_from(connection, untold, lines)})
    return dict(sorted(gone.items()))


def purge_said(
    connection: SQLConnection, passages: Collection[Chunk], reworded: Callable[[str], str], *, at: datetime
) -> None:
    """Take passages that are gone out of the stories and their vectors away, note that they are forgotten as they stood, and reword what happened and was asked."""
    _note(connection, {wording_digest(chunk.heading, chunk.text) for chunk in passages}, at)
    connection.executemany(
        "DELETE FROM embeddings WHERE digest = ?"
        " AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.digest = embeddings.digest)",
        [(content_digest(chunk.heading, chunk.text),) for chunk in passages],
    )
    decisions.purge(connection, {chunk.id for chunk in passages})
    decisions.reword(connection, reworded)
    events.reword(connection, reworded)
    happenings.reword(connection, reworded)


def _note(connection: SQLConnection, digests: Collection[bytes], at: datetime) -> None:
    connection.executemany(
        "INSERT INTO forgotten (digest, at) VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET at = excluded.at",
        [(digest, at.isoformat()) for digest in sorted(digests)],
    )


def untell(connection: SQLConnection, paths: Collection[str], *, private: bool) -> list[str]:
    """Take what these files alone say out of the stories, and ``private`` ones out of all else; return the chunks that it was.

    What another file says in the same words stays, of ``private`` ones only where it stands below the same heading.
    The files are still there. They may come back, so nothing notes that they were forgotten.
    """
    said = [row for path in sorted(paths) for row in _rows(connection, "path", path)]
    column, at = ("digest", 4) if private else ("text", 3)
    ours, lengths = {row[at] for row in said}, sorted({len(row[3]) for row in said})
    alike = f"SELECT path, {column} FROM chunks WHERE length(text) IN ({batches.marks(len(lengths))})"
    there = connection.execute(alike, lengths) if lengths else ()
    elsewhere = {value for path, value in there if value in ours and path not in paths}
    said = [row for row in said if row[at] not in elsewhere]
    if not said:
        return []
    gone = {rows.id_of(memory): memory for _, memory, *_ in said}
    chunks = {rows.id_of(key) for key, *_ in said}
    chunks |= {revision.chunk_id for memory in gone.values() for revision in memories.revisions(connection, memory)}
    texts = [text for _, _, _, text, _ in said]
    chunks |= decisions.gone_that_said(connection, texts)
    decisions.purge(connection, chunks)
    if private:
        untold = happenings.purge(connection, texts, events.runs_that_saw(connection, gone))
        lines = {line for text in texts for line in happenings.lines_of(text)}
        events.erase(connection, gone)
        memories.purge(connection, memories.distilled_from(connection, untold, lines))
        connection.executemany("DELETE FROM embeddings WHERE digest = ?", [(row[4],) for row in said])
        generations.begin_anew(connection)
    return sorted(chunks)


def _last_wordings(connection: SQLConnection, keys: Collection[int]) -> set[bytes]:
    """Return the digests of what these memories said last: of those that have ended, it is all that is known."""
    found = (
        connection.execute(
            "SELECT r.digest FROM memories m JOIN revisions r ON r.memory = m.key AND r.number = m.head WHERE m.key = ?",
            (key,),
        )
        for key in keys
    )
    return {digest for rows_of in found for (digest,) in rows_of} - {memories.NO_DIGEST}


def purge_again(connection: SQLConnection, digests: Collection[bytes], ids: Collection[str], *, at: datetime) -> bool:
    """Purge what was forgotten in another database: an earlier copy of this one, or the one that stood in its place.

    Known of it are the digests of headings and texts, and the ids of memories and their chunks. Say whether there was any.
    """
    if not (digests or ids):
        return False
    missing = set(digests) - digests_of(connection)
    connection.executemany(
        "INSERT INTO forgotten (digest, at) VALUES (?, ?)", [(one, at.isoformat()) for one in sorted(missing)]
    )
    every = connection.execute("SELECT memory, heading, text FROM chunks").fetchall()
    there = {rows.id_of(memory) for memory, heading, text in every if wording_digest(heading, text) in digests}
    were = {rows.id_of(memory) for memory in memories.of_chunks(connection, rows.keys_of(ids)).values()}
    return bool(purge(connection, there | were | set(ids), at=at)) if there or ids else False


def digests_of(connection: SQLConnection) -> set[bytes]:
    """Return the digests of what was forgotten."""
    return {digest for (digest,) in connection.execute("SELECT digest FROM forgotten")}


def without_forgotten(connection: SQLConnection, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
    """Return the chunks that a person has not asked to forget."""
    forgotten = digests_of(connection)
    if not forgotten:
        return chunks
    return [chunk for chunk in chunks if wording_digest(chunk.heading, chunk.text) not in forgotten]


def _rows(connection: SQLConnection, column: str, value: object) -> list[tuple[int, int, str, str, bytes]]:
    return connection.execute(
        f"SELECT key, memory, heading, text, digest FROM chunks WHERE {column} = ?", (value,)
    ).fetchall()
