"""Memories and their revisions in SQL; which memory goes on in which passage is decided by ``store.lineage``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple

from hookclaw_py.model.kind import PRACTISED, kind_called
from hookclaw_py.model.memory import Cause, Memory, MemoryStatus, Revision
from hookclaw_py.model.origin import Origin, lowest, origin_called
from hookclaw_py.model.record import RecordStatus
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.content import wording_digest
from hookclaw_py.store.lineage import Passage, successors
from hookclaw_py.store.sql import batches, rows
from hookclaw_py.store.sql.connections import SQLConnection
from hookclaw_py.store.sql.happenings import is_said

_ENDED = f"status = '{MemoryStatus.ENDED}'"  # as the index says it
NO_DIGEST = b""
"""Of a wording that an earlier version of the schema did not keep: it is known by its chunk alone."""


class Wording(NamedTuple):
    """What a chunk is a wording of: the memory's key, the number of its revision, and whose words it holds by now."""

    memory: int
    revision: int
    origin: Origin


class _Next(NamedTuple):
    """The revision that a memory is about to have."""

    memory: int
    number: int
    cause: Cause


class Left(NamedTuple):
    """A passage that is about to go: the keys of its chunk and its memory, the digest of its text, and what it is known by."""

    key: int
    memory: int
    digest: bytes
    passage: Passage


_WRITE_REVISION = (
    "INSERT INTO revisions (memory, number, at, cause, chunk, digest) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (memory, number) DO UPDATE SET"
    " at = excluded.at, cause = excluded.cause, chunk = excluded.chunk, digest = excluded.digest"
)


_LEARNED_OF_THEM = (
    "records WHERE memory",
    "record_history WHERE memory",
    "record_links WHERE source",
    "record_links WHERE target",
)


def assign(
    connection: SQLConnection,
    added: Sequence[tuple[Chunk, int]],
    *,
    leaving: Sequence[Left],
    elsewhere: Sequence[Left],
    at: datetime,
) -> dict[int, Wording]:
    """Say what each added chunk, given with the number of staying chunks before it, is a wording of; by the chunk's key.

    A chunk that comes as one of a memory is a wording of that. Memories that are ``leaving`` this document, or gone with
    another one, go on where their words do; what nothing goes on in ends. What had ended and is there again word for word
    returns. Everything else is new.
    """
    known = {rows.id_of(left.memory): left for left in (*leaving, *elsewhere)}
    here = {left.memory for left in leaving}
    given = [chunk for chunk, _ in added if chunk.memory != chunk.id]
    coming = [
        Passage(chunk.id, chunk.heading, chunk.terms.distinct, gap, chunk.origin)
        for chunk, gap in added
        if chunk.memory == chunk.id
    ]
    found = successors([left.passage for left in known.values()], coming) if known else {}
    heads = _heads(connection, (known[memory].memory for memory in found.values()))
    following: dict[str, _Next] = {}
    for chunk_id, memory in found.items():
        key = known[memory].memory
        following[chunk_id] = _Next(key, heads[key] + 1, Cause.EDITED if key in here else Cause.MOVED)
    following |= _going_on(connection, given)
    following |= _returning(connection, [chunk for chunk, _ in added if chunk.id not in following])
    following |= _beginning(connection, [chunk for chunk, _ in added if chunk.id not in following])
    stamps = _stamps(connection, [(chunk, following[chunk.id]) for chunk, _ in added])
    _write(connection, [(chunk, following[chunk.id]) for chunk, _ in added], stamps, at)
    end(connection, here - {following[chunk_id].memory for chunk_id in found})
    return {
        rows.key(chunk_id): Wording(revision.memory, revision.number, stamps[chunk_id])
        for chunk_id, revision in following.items()
    }


def _stamps(connection: SQLConnection, values: Sequence[tuple[Chunk, _Next]]) -> dict[str, Origin]:
    """Return by chunk whose words it holds: no revision is trusted more than one before it."""
    keys = [revision.memory for _, revision in values]
    known = dict(batches.found(connection, "SELECT key, origin FROM memories WHERE key IN ({})", keys))
    return {
        chunk.id: lowest([origin_called(known.get(revision.memory, "")), chunk.origin]) for chunk, revision in values
    }


def stamp(connection: SQLConnection, keys: Iterable[int]) -> None:
    """Note of the memories of these chunks whose words they hold by now."""
    connection.executemany(
        "UPDATE memories SET origin = (SELECT c.origin FROM chunks c WHERE c.key = ?)"
        " WHERE key = (SELECT c.memory FROM chunks c WHERE c.key = ?)",
        [(key, key) for key in keys],
    )


def leaving(connection: SQLConnection, path: str, staying: Collection[int] = ()) -> list[Left]:
    """Return the passages of a document, but those that stay, with where they stand between these."""
    found, gap = [], 0
    for key, memory, digest, heading, text, terms, origin in connection.execute(
        "SELECT key, memory, digest, heading, text, terms, origin FROM chunks WHERE path = ? ORDER BY position", (path,)
    ):
        if key in staying:
            gap += 1
        else:
            said, whose = frozenset(rows.terms_of(terms, heading, text)), origin_called(origin)
            found.append(Left(key, memory, digest, Passage(rows.id_of(memory), heading, said, gap, whose)))
    return found


def end(connection: SQLConnection, keys: Collection[int]) -> None:
    """Note that nothing of these memories is there any more."""
    connection.executemany(
        "UPDATE memories SET status = ? WHERE key = ?", [(MemoryStatus.ENDED, key) for key in sorted(keys)]
    )


def prune(connection: SQLConnection, *, most: int) -> None:
    """Let go of memories that have ended and of which nothing is known, once they are more than ``most``."""
    idle = (
        f"{_ENDED} AND NOT EXISTS (SELECT 1 FROM event_memories e WHERE e.memory = key)"
        " AND NOT EXISTS (SELECT 1 FROM records r WHERE r.memory = key)"
    )
    count: int = connection.execute(f"SELECT count(*) FROM memories WHERE {idle}").fetchone()[0]
    if count > most:
        connection.execute(f"DELETE FROM revisions WHERE memory IN (SELECT key FROM memories WHERE {idle})")
        connection.execute(f"DELETE FROM memories WHERE {idle}")


def purge(connection: SQLConnection, keys: Collection[int]) -> None:
    """Delete memories and their revisions."""
    for statement in _LEARNED_OF_THEM:
        connection.executemany(f"DELETE FROM {statement} = ?", [(key,) for key in keys])
    connection.executemany("DELETE FROM revisions WHERE memory = ?", [(key,) for key in keys])
    connection.executemany("DELETE FROM memories WHERE key = ?", [(key,) for key in keys])


def recorded(connection: SQLConnection, keys: Collection[int]) -> list[str]:
    """Return all that these memories said as records."""
    said = (
        connection.execute("SELECT body FROM record_history WHERE memory = ? ORDER BY number", (key,))
        for key in sorted(keys)
    )
    return list(dict.fromkeys(body for rows_of in said for (body,) in rows_of if body.strip()))


def practised(connection: SQLConnection, keys: Collection[int]) -> set[bytes]:
    """Return by what these memories are known when they come back, of those that count what is done: what they are about."""
    found = (connection.execute("SELECT kind, about FROM records WHERE memory = ?", (key,)) for key in sorted(keys))
    counting = {kind.name for kind in PRACTISED}
    return {wording_digest(kind, about) for rows_of in found for kind, about in rows_of if kind in counting}


def distilled_from(connection: SQLConnection, happenings: frozenset[str], lines: Collection[str]) -> set[int]:
    """Return the records that were made, at any time, of one of these happenings, or that say one of these folded lines."""
    told = connection.execute("SELECT memory, title, body, evidence FROM record_history").fetchall()
    found = set()
    for memory, title, body, evidence in told:
        said = " ".join(f"{title} {body}".casefold().split())
        if not happenings.isdisjoint(rows.texts(evidence)) or any(is_said(line, said) for line in lines):
            found.add(memory)
    return found


def find(connection: SQLConnection, key: int | None) -> Memory | None:
    """Return one memory."""
    row = connection.execute("SELECT key, kind, status, head FROM memories WHERE key = ?", (key,)).fetchone()
    return Memory(rows.id_of(row[0]), kind_called(row[1]), MemoryStatus(row[2]), row[3]) if row else None


def revisions(connection: SQLConnection, key: int | None) -> list[Revision]:
    """Return the wordings of a memory, oldest first."""
    found = connection.execute(
        "SELECT number, at, cause, chunk FROM revisions WHERE memory = ? ORDER BY number", (key,)
    )
    return [Revision(n, datetime.fromisoformat(at), Cause(cause), rows.id_of(chunk)) for n, at, cause, chunk in found]


def active(connection: SQLConnection, memories: Iterable[str]) -> list[str]:
    """Return those of these memories that can be recalled, each once: as passages, or as records that stand."""

    def is_active(memory: str) -> bool:
        key = rows.key_of(memory)
        found = find(connection, key)
        return (found is not None and found.status is MemoryStatus.ACTIVE) or _stands(connection, key)

    return [memory for memory in dict.fromkeys(memories) if is_active(memory)]


def of_chunks(connection: SQLConnection, keys: Iterable[int]) -> dict[int, int]:
    """Return by the key of a chunk, there or gone, the memory of which it is a wording, or was last."""
    known = list(keys)
    were = batches.found(connection, "SELECT chunk, memory FROM revisions WHERE chunk IN ({}) ORDER BY at", known)
    return dict(were) | dict(batches.found(connection, "SELECT key, memory FROM chunks WHERE key IN ({})", known))


def beginning_with(connection: SQLConnection, first: int, last: int, most: int) -> list[int]:
    """Return the memories of which a chunk, else an earlier one, has its key between these two; and records, by their own."""
    found: set[int] = set()
    for tables in ((("chunks", "key"), ("records", "memory")), (("revisions", "chunk"),)):
        for table, column in tables:
            some = connection.execute(
                f"SELECT DISTINCT memory FROM {table} WHERE {column} BETWEEN ? AND ? ORDER BY memory LIMIT ?",
                (first, last, most),
            )
            found |= {key for (key,) in some}
        if found:
            break
    return sorted(found)[:most]


def _stands(connection: SQLConnection, key: int | None) -> bool:
    row = connection.execute("SELECT status FROM records WHERE memory = ?", (key,)).fetchone()
    return row is not None and RecordStatus(row[0]).stands


def mend(connection: SQLConnection, at: datetime) -> None:
    """Make memories and chunks fit where rows of either were lost: each chunk has a memory, each other memory has ended."""
    lacking = connection.execute(
        "SELECT c.key, c.memory, c.revision, c.kind, c.heading, c.text, c.origin FROM chunks c"
        " LEFT JOIN memories m ON m.key = c.memory AND m.head = c.revision WHERE m.key IS NULL"
    ).fetchall()
    connection.executemany(
        "INSERT INTO memories (key, kind, status, head, origin) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (key) DO UPDATE SET kind = excluded.kind, status = excluded.status, head = excluded.head",
        [(memory, kind, MemoryStatus.ACTIVE, number, origin) for _, memory, number, kind, _, _, origin in lacking],
    )
    connection.executemany(
        _WRITE_REVISION,
        [
            (memory, number, at.isoformat(), Cause.WRITTEN, key, wording_digest(heading, text))
            for key, memory, number, _, heading, text, _ in lacking
        ],
    )
    connection.execute(
        "UPDATE memories SET status = ? WHERE key NOT IN (SELECT memory FROM chunks)", (MemoryStatus.ENDED,)
    )


def _heads(connection: SQLConnection, keys: Iterable[int]) -> dict[int, int]:
    return dict(batches.found(connection, "SELECT key, head FROM memories WHERE key IN ({})", keys))


def _going_on(connection: SQLConnection, chunks: Sequence[Chunk]) -> dict[str, _Next]:
    """Give each chunk the next number of the memory that it comes as a wording of."""
    heads = _heads(connection, [rows.key(chunk.memory) for chunk in chunks])
    return {
        chunk.id: _Next(key, heads.get(key, 0) + 1, Cause.EDITED if key in heads else Cause.WRITTEN)
        for chunk in chunks
        for key in [rows.key(chunk.memory)]
    }


def _returning(connection: SQLConnection, chunks: Sequence[Chunk]) -> dict[str, _Next]:
    """Find the ended memories whose last words these chunks have: the same chunk again, or the same text elsewhere."""
    if connection.execute(f"SELECT 1 FROM memories WHERE {_ENDED} LIMIT 1").fetchone() is None:
        return {}
    found: dict[str, _Next] = {}
    taken: set[int] = set()
    for chunk in chunks:
        key = rows.key(chunk.id)
        ended = connection.execute(
            "SELECT m.key, m.head FROM revisions r JOIN memories m ON m.key = r.memory AND m.head = r.number"
            " WHERE (r.digest = ? OR (r.digest = ? AND r.chunk = ?)) AND m.status = ? AND m.kind = ?"
            " ORDER BY r.chunk <> ?, m.key",
            (wording_digest(chunk.heading, chunk.text), NO_DIGEST, key, MemoryStatus.ENDED, chunk.kind.name, key),
        )
        free = next(((memory, head) for memory, head in ended if memory not in taken), None)
        if free:
            taken.add(free[0])
            found[chunk.id] = _Next(free[0], free[1] + 1, Cause.RETURNED)
    return found


def _beginning(connection: SQLConnection, chunks: Sequence[Chunk]) -> dict[str, _Next]:
    """Call new memories like the chunks they begin with; where one is called so already, by another name."""
    names = {chunk.id: rows.key(chunk.id) for chunk in chunks}
    taken = _heads(connection, names.values()).keys()
    found: dict[str, _Next] = {}
    for chunk_id, key in names.items():
        number = 0
        while key in taken or (number and _heads(connection, [key])):
            number += 1
            key = rows.key(blake2b(f"{chunk_id} {number}".encode(), digest_size=8).hexdigest())
        found[chunk_id] = _Next(key, 1, Cause.WRITTEN)
    return found


def _write(
    connection: SQLConnection, values: Sequence[tuple[Chunk, _Next]], stamps: Mapping[str, Origin], at: datetime
) -> None:
    connection.executemany(
        "INSERT INTO memories (key, kind, status, head, origin) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (key) DO UPDATE SET status = excluded.status, head = excluded.head, origin = excluded.origin",
        [
            (revision.memory, chunk.kind.name, MemoryStatus.ACTIVE, revision.number, stamps[chunk.id])
            for chunk, revision in values
        ],
    )
    connection.executemany(
        _WRITE_REVISION,
        [
            (key, number, at.isoformat(), cause, rows.key(chunk.id), wording_digest(chunk.heading, chunk.text))
            for chunk, (key, number, cause) in values
        ],
    )
