"""The store: one agent's chunks, vectors and files in one database. Everything else is derived from it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from hookclaw_py.model.memory import Memory, Revision
from hookclaw_py.model.types import Chunk, Period
from hookclaw_py.store.content import embedded
from hookclaw_py.store.decisions import Glance, Told
from hookclaw_py.store.dialects.sqlite import copies, disk
from hookclaw_py.store.dialects.sqlite.transactions import Transactions
from hookclaw_py.store.names import name_of
from hookclaw_py.store.ports import Changes, Cleaned, FileRecord, Key, Replaced, Vectors
from hookclaw_py.store.sql import (
    context,
    decisions,
    embeddings,
    experience,
    forgetting,
    generations,
    memories,
    rows,
    tallies,
)
from hookclaw_py.store.sql.connections import Busy
from hookclaw_py.store.sql.experience import Experience
from hookclaw_py.store.sql.tokens import KeptTokens

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import TokenVectors

_DAY = timedelta(days=1)
_KEPT = 10_000  # chunks in memory, about 5 KB each
_KEPT_TOKEN_BYTES = 64_000_000  # of about 6,000 chunks of 120 words
_BATCH = 500  # ids in one statement
MOST_PINNED = 20
"""Pinned chunks that compete for every prompt."""
_NAMES_SECONDS = 0.05
_TOMBSTONES = 10_000
_ENDED = 10_000  # memories of which nothing is known
_SPARE_EMBEDDINGS = 1_000


def embedding_text(chunk: Chunk) -> str:
    """Return what is embedded for a chunk: its heading path without bare dates, then its text."""
    return embedded(chunk.heading, chunk.text)


class Store(Experience, Transactions):
    """One agent's memory. Safe to use from several threads and processes; readers never wait for the indexer.

    Every method raises ``StoreError`` when the database cannot be read or written.
    """

    def __init__(self, file: Path | None, *, busy_seconds: float) -> None:
        Transactions.__init__(self, file, busy_seconds=busy_seconds)
        Experience.__init__(self)
        self._names: tuple[int, frozenset[str]] = (-1, frozenset())
        self._pinned: tuple[int, list[str]] = (-1, [])
        self._chunks: dict[int, Chunk] = {}
        self._chunks_generation = -1
        self._tokens = KeptTokens(_KEPT_TOKEN_BYTES)

    @classmethod
    def open(cls, folder: Path | None, *, busy_seconds: float = 5.0) -> Store:
        """Open the store in ``folder``, made if it is not there; None is a new store in memory.

        Raises:
            StoreError: if the database is damaged, locked, not writable, from a newer version or not ours.
        """
        return cls(None if folder is None else disk.file_in(folder), busy_seconds=busy_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _forget_what_was_read(self) -> None:
        self._names, self._pinned, self._chunks_generation = (-1, frozenset()), (-1, []), -1
        self._tokens = KeptTokens(_KEPT_TOKEN_BYTES)

    # Reading

    def generation(self) -> int:
        """Return the counter that every visible change raises, in this process or another."""
        with self._reading() as connection:
            return generations.current(connection)

    def chunks(self, ids: Iterable[str]) -> dict[str, Chunk]:
        """Return the chunks with these ids, in the order given; unknown ids are left out.

        They are kept in memory until anything in the store changes, or they are too many.
        """
        keys = [key for key in map(rows.key_of, ids) if key is not None]
        with self._reading() as connection:
            if (generation := generations.current(connection)) != self._chunks_generation:
                self._chunks.clear()
                self._chunks_generation = generation
            known = self._chunks
            unknown = [key for key in keys if key not in known]
            for start in range(0, len(unknown), _BATCH):
                batch = unknown[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                some = connection.execute(f"SELECT {rows.CHUNK} FROM chunks WHERE key IN ({marks})", batch)
                known.update((row[0], rows.chunk_of(row)) for row in some)
            found = [known[key] for key in keys if key in known]
            if len(known) > _KEPT:
                known.clear()
        return {chunk.id: chunk for chunk in found}

    def get(self, chunk_id: str) -> Chunk | None:
        """Return one chunk, or None."""
        return self.chunks([chunk_id]).get(chunk_id)

    def all_chunks(self) -> list[Chunk]:
        """Return every chunk, by path and position."""
        with self._reading(bulk=True) as connection:
            every = connection.execute(f"SELECT {rows.CHUNK} FROM chunks ORDER BY path, position")
            return [rows.chunk_of(row) for row in every]

    def chunks_of(self, path: str) -> list[Chunk]:
        """Return the chunks of one file, by position."""
        with self._reading(bulk=True) as connection:
            found = connection.execute(f"SELECT {rows.CHUNK} FROM chunks WHERE path = ? ORDER BY position", (path,))
            return [rows.chunk_of(row) for row in found]

    def memories_at(self, path: str, line: int) -> list[str]:
        """Return the memories on a line of a file, given by its whole path or by the end of it."""
        with self._reading(bulk=True) as connection:
            for which in ("path = ?1", "substr(path, -length(?1) - 1) = '/' || ?1"):
                found = connection.execute(
                    f"SELECT memory FROM chunks WHERE {which} AND ?2 BETWEEN first_line AND last_line ORDER BY memory",
                    (path, line),
                ).fetchall()
                if found:
                    return [rows.id_of(key) for (key,) in found]
        return []

    def memories_beginning_with(self, prefix: str, *, most: int) -> list[str]:
        """Return up to ``most`` memories of which a chunk's id, else that of an earlier wording, begins with these digits."""
        first, last = rows.keys_beginning_with(prefix)
        with self._reading(bulk=True) as connection:
            return [rows.id_of(key) for key in memories.beginning_with(connection, first, last, most)]

    def memory(self, memory: str) -> Memory | None:
        """Return one memory, active or ended."""
        with self._reading(bulk=True) as connection:
            return memories.find(connection, rows.key_of(memory))

    def revisions(self, memory: str) -> list[Revision]:
        """Return the wordings of a memory, oldest first."""
        with self._reading(bulk=True) as connection:
            return memories.revisions(connection, rows.key_of(memory))

    def memories_of(self, chunk_ids: Iterable[str]) -> dict[str, str]:
        """Return by chunk id, of wordings long replaced too, the memory of which it is one; unknown ids are left out."""
        keys = [key for key in map(rows.key_of, chunk_ids) if key is not None]
        with self._reading(bulk=True) as connection:
            found = memories.of_chunks(connection, keys)
        return {rows.id_of(key): rows.id_of(found[key]) for key in keys if key in found}

    def heads(self, ids: Iterable[str]) -> dict[str, Chunk]:
        """Return the chunks of the newest wordings of these memories, in the order given; what has ended is left out."""
        keys = [key for key in map(rows.key_of, ids) if key is not None]
        found: dict[str, Chunk] = {}
        with self._reading() as connection:
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                some = connection.execute(f"SELECT {rows.CHUNK} FROM chunks WHERE memory IN ({marks})", batch)
                found |= {chunk.memory: chunk for chunk in map(rows.chunk_of, some)}
        return {memory: found[memory] for memory in map(rows.id_of, keys) if memory in found}

    def count(self, within: Collection[str] | None = None) -> int:
        """Return the number of chunks, of the files ``within`` if given."""
        wanted = "" if within is None else " WHERE path IN (SELECT value FROM json_each(?))"
        with self._reading() as connection:
            values = () if within is None else (rows.listed(within),)
            count: int = connection.execute(f"SELECT count(*) FROM chunks{wanted}", values).fetchone()[0]
        return count

    def files(self) -> dict[str, FileRecord]:
        """Return what is known of each indexed file, by path."""
        with self._reading(bulk=True) as connection:
            every = connection.execute(
                "SELECT path, digest, size, mtime_ns, recipe, warnings, shared FROM files ORDER BY path"
            )
            return {path: _file_record(*columns) for path, *columns in every}

    def texts_by_file(self) -> list[tuple[str, bytes]]:
        """Return the path and the digest of the text of every chunk."""
        with self._reading(bulk=True) as connection:
            return connection.execute("SELECT path, digest FROM chunks").fetchall()

    def changes_since(self, generation: int, within: Collection[str] | None = None) -> Changes:
        """Return what happened to the chunks after ``generation``; only to those of the files ``within``, if given."""
        with self._snapshot() as connection:
            since, now, complete = generations.span(connection, generation)
            added = context.changed(connection, since, within)
            return Changes(added, [] if complete else generations.deleted(connection, since), now, complete)

    def vectors_since(self, model_id: str, generation: int, within: Collection[str] | None = None) -> Vectors:
        """Return the vectors of ``model_id`` that became available after ``generation``, and the chunks deleted since.

        With ``within``, only the vectors of chunks of these files.
        """
        with self._snapshot() as connection:
            since, now, complete = generations.span(connection, generation)
            ids, matrix = embeddings.load(connection, model_id, since, within)
            return Vectors(ids, matrix, [] if complete else generations.deleted(connection, since), now, complete)

    def tokens(self, model_id: str, ids: Iterable[str]) -> dict[str, TokenVectors]:
        """Return the token vectors by ``model_id`` of those of these chunks that have some.

        Up to 64 MB of them are kept in memory until anything in the store changes.
        """
        with self._reading() as connection:
            return self._tokens.of(connection, model_id, ids, generation=generations.current(connection))

    def dated(self, period: Period, pool_size: int, within: Collection[str] | None = None) -> list[str]:
        """Return up to ``pool_size`` ids of chunks whose date may lie in ``period``, newest first; of the files ``within``.

        A day note is dated at midnight UTC and covers that day in the user's zone: a day more is returned on each side.
        """
        first, last = (period.start - _DAY).astimezone(UTC), (period.end + _DAY).astimezone(UTC)
        with self._reading() as connection:
            found = connection.execute(
                "SELECT key FROM chunks WHERE created_at BETWEEN ?1 AND ?2 AND (?4 IS NULL OR path IN"
                " (SELECT value FROM json_each(?4))) ORDER BY created_at DESC, path, position LIMIT ?3",
                (first.isoformat(), last.isoformat(), pool_size, rows.listed(within)),
            )
            return [rows.id_of(key) for (key,) in found]

    def pending_embeddings(self, model_id: str, pool_size: int) -> list[tuple[str, str]]:
        """Return up to ``pool_size`` (chunk id, text to embed) that have no vector of ``model_id``, each text once."""
        with self._reading(bulk=True) as connection:
            return embeddings.pending(connection, model_id, pool_size)

    def pending_count(self, model_id: str) -> int:
        """Return how many distinct texts have no vector of ``model_id`` yet."""
        with self._reading(bulk=True) as connection:
            return embeddings.pending_count(connection, model_id)

    def embedded_count(self, model_id: str) -> int:
        """Return how many chunks have a vector of ``model_id``."""
        with self._reading(bulk=True) as connection:
            return embeddings.count(connection, model_id)

    def pinned(self) -> Sequence[str]:
        """Return the ids of what a person pinned, ``MOST_PINNED`` of them at most."""
        now = self.generation()
        if self._pinned[0] != now:
            with self._reading() as connection:
                self._pinned = now, tallies.pinned(connection, MOST_PINNED)
        return self._pinned[1]

    def names(self) -> frozenset[str]:
        """Return the headings, titles and aliases that are names: folded phrases of one to four words.

        Dates, "Notes" and the like are none. While the derived indexes are read, those of the last time will do: no prompt
        waits for that.
        """
        now = self.generation()
        if self._names[0] != now:
            try:
                self._names = (now, self.names_of(None, at_most=_NAMES_SECONDS))
            except Busy:
                return self._names[1]
        return self._names[1]

    def names_of(self, within: Collection[str] | None, *, at_most: float = -1) -> frozenset[str]:
        """Return the names in these files (None = in all), see ``names``.

        Raises:
            Busy: if other reads take longer than ``at_most`` seconds.
        """
        wanted = "path IN (SELECT value FROM json_each(?1))" if within is not None else "?1 IS NULL"
        with self._reading(bulk=True, within=at_most) as connection:
            values = (rows.listed(within),)
            headings = connection.execute(f"SELECT DISTINCT heading FROM chunks WHERE {wanted}", values).fetchall()
            named = connection.execute(f"SELECT names FROM files WHERE names <> '' AND {wanted}", values).fetchall()
        parts = {part for (heading,) in headings for part in heading.split(" > ")}
        given = (name for (names,) in named for name in names.split("\n"))
        return frozenset(filter(None, (*map(name_of, parts), *given)))

    def get_meta(self, key: str, default: Any = None) -> Any:
        """Return the JSON value remembered under ``key``."""
        with self._reading() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0]) if row else default

    def decisions(
        self, *, limit: int | None = None, session: str = "", outcome: str = "", since: datetime | None = None
    ) -> list[Glance]:
        """Return the newest decisions first; of one session, of one outcome, not older than ``since``."""
        with self._reading(bulk=True) as connection:
            return decisions.latest(connection, limit=limit, session=session, outcome=outcome, since=since)

    def decisions_beginning_with(self, prefix: str, *, most: int) -> list[Told]:
        """Return up to ``most`` decisions whose id begins with ``prefix``, the newest first."""
        with self._reading(bulk=True) as connection:
            return decisions.beginning_with(connection, prefix, most=most)

    def counts(self) -> dict[Key, float]:
        """Return every counter."""
        with self._reading(bulk=True) as connection:
            found = connection.execute("SELECT name, labels, amount FROM counts").fetchall()
        return {(name, tuple(labels.split(",")) if labels else ()): amount for name, labels, amount in found}

    # Writing

    def set_meta(self, key: str, value: Any) -> None:
        """Remember a JSON value under ``key``; this is no visible change."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, json.dumps(value)))

    def add_decisions(self, told: Sequence[Told], *, about: Collection[Chunk], most: int) -> None:
        """Add decisions in the place of those of the same id; the oldest beyond ``most`` go.

        Of the chunks they are ``about``, those that were forgotten since are taken out of the stories.
        """
        with self._writing() as connection:
            decisions.write(connection, told, most=most)
            left = {chunk.id for chunk in forgetting.without_forgotten(connection, list(about))}
            if gone := {chunk.id for chunk in about} - left:
                decisions.purge(connection, gone)

    def add_counts(
        self, amounts: Mapping[Key, float], *, told: Mapping[str, Any] = {}, busy_seconds: float | None = None
    ) -> None:
        """Add ``amounts`` to the counters, and replace the facts ``told``: all of it, or nothing.

        Raises:
            StoreError: if another writer is still at work after ``busy_seconds`` (None: as long as the store is patient).
        """
        counted = [(name, ",".join(labels), amount) for (name, labels), amount in amounts.items()]
        with self._writing(busy_seconds) as connection:
            connection.executemany(
                "INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
                counted,
            )
            connection.executemany(
                "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
                [(name, json.dumps(value)) for name, value in told.items()],
            )

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
        told = "\n".join(" ".join(warning.split()) for warning in warnings)
        with self._writing() as connection:
            chunks = forgetting.without_forgotten(connection, chunks)
            before = connection.execute(f"SELECT {rows.PLACED} FROM chunks WHERE path = ?", (path,))
            old = {row[0]: tuple(row) for row in before}
            new = {rows.key(chunk.id): rows.placed(chunk, position) for position, chunk in enumerate(chunks)}
            content = {rows.key(chunk.id): rows.content(chunk) for chunk in chunks}
            added, kept, gone = new.keys() - old.keys(), new.keys() & old.keys(), old.keys() - new.keys()
            moved: list[int] = []
            at = datetime.now(UTC)
            changed = [new[key] for key in kept if new[key] != old[key]]
            told_before = connection.execute("SELECT shared, names FROM files WHERE path = ?", (path,)).fetchone()
            connection.execute(
                "INSERT INTO files (path, digest, size, mtime_ns, recipe, warnings, names, shared)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET digest = excluded.digest, size = excluded.size,"
                " mtime_ns = excluded.mtime_ns, recipe = excluded.recipe, warnings = excluded.warnings,"
                " names = excluded.names, shared = excluded.shared",
                (path, digest, size, mtime_ns, recipe, told, "\n".join(names), shared),
            )
            if added or gone or changed or (told_before or (None, "")) != (shared, "\n".join(names)):
                generation = generations.advance(connection)
                leaving = memories.leaving(connection, path, kept) if gone else []
                elsewhere = (
                    [left for other in moved_from for left in memories.leaving(connection, other)] if added else []
                )
                wordings = memories.assign(
                    connection, _between(chunks, kept), leaving=leaving, elsewhere=elsewhere, at=at
                )
                going_on = {wording.memory for wording in wordings.values()}
                moved = [left.key for left in elsewhere if left.memory in going_on]
                context.mark_files_of(connection, moved, generation)
                generations.bury(connection, [*gone, *moved], generation)
                connection.executemany(rows.UPDATE, changed)
                inserted = [(path, *content[key], *wordings[key], generation, *new[key]) for key in new if key in added]
                connection.executemany(rows.INSERT, inserted)
                experience.hand_on(connection, [left for left in leaving if left.memory not in going_on], at=at)
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
                memories.end(connection, {left.memory for left in gone})
                generations.bury(connection, [left.key for left in gone], generations.advance(connection))
                experience.hand_on(connection, gone, at=datetime.now(UTC))
            connection.execute("DELETE FROM files WHERE path = ?", (path,))
        return len(gone)

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
        with self._writing() as connection:
            by_key = [(rows.key(chunk_id), vector) for chunk_id, vector in vectors]
            own = {rows.key(chunk_id): values for chunk_id, values in tokens.items()}
            generation = generations.advance(connection)
            embeddings.add(connection, model_id, by_key, tokens=own, generation=generation)

    def drop_vectors(self, model_id: str, ids: Iterable[str]) -> None:
        """Delete the vectors of these chunks, so that their texts are embedded again."""
        keys = [key for key in map(rows.key_of, ids) if key is not None]
        with self._writing() as connection:
            embeddings.drop(connection, model_id, keys)

    def forget_in_copies(self, *, at: datetime) -> Cleaned:
        """Take what the store forgot out of the databases set aside; one that cannot be cleaned is deleted."""
        return copies.forget_in_copies(self.folder, at=at) if self.folder else Cleaned([], [])

    def prune(self) -> None:
        """Drop the oldest tombstones, and ended memories and unused vectors once they are many (what comes back finds its own)."""
        with self._writing() as connection:
            generations.prune(connection, most=_TOMBSTONES)
            memories.prune(connection, most=_ENDED)
            embeddings.prune(connection, spare=_SPARE_EMBEDDINGS)


def _between(chunks: Sequence[Chunk], kept: Collection[int]) -> list[tuple[Chunk, int]]:
    """Return the chunks that are new, each with the number of those before it that are not."""
    found, gap = [], 0
    for chunk in chunks:
        if rows.key(chunk.id) in kept:
            gap += 1
        else:
            found.append((chunk, gap))
    return found


def _file_record(digest: str, size: int, mtime_ns: int, recipe: str, warnings: str, shared: int | None) -> FileRecord:
    told = tuple(filter(None, warnings.split("\n")))
    return FileRecord(digest, size, mtime_ns, recipe, told, None if shared is None else bool(shared))
