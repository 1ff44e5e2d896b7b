"""The store: one agent's chunks, vectors and files in one SQLite database. Everything else is derived from it."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from cachetools import LRUCache

from hookclaw_py.errors import StoreError
from hookclaw_py.store import embeddings, events, rows, schema
from hookclaw_py.store.names import name_of
from hookclaw_py.types import Chunk, Period, Uses

if TYPE_CHECKING:
    from hookclaw_py.retrieval.base import Matrix

_DAY = timedelta(days=1)
_KEPT = 4096  # chunks in memory: a conversation comes back to the same ones
_BATCH = 500  # ids in one statement
_TOMBSTONES = 10_000
_SPARE_EMBEDDINGS = 1_000
EVENT_BUSY_SECONDS = 0.2
"""How long an event waits for another writer: a prompt, or the end of a turn, waits with it."""


class FileRecord(NamedTuple):
    """What a file was when its chunks were made; ``recipe`` names the chunker, tokenizer and flags that made them.

    ``warnings`` say what was wrong with the file, without naming it.
    """

    digest: str
    size: int
    mtime_ns: int
    recipe: str
    warnings: tuple[str, ...] = ()


class Replaced(NamedTuple):
    """How many chunks a file gained, kept and lost."""

    added: int
    kept: int
    removed: int


class Changes(NamedTuple):
    """What a lexical index needs to catch up to ``generation``: (id, terms) to add or replace, then ids to delete.

    If ``complete``, the index must start from empty.
    """

    added: list[tuple[str, list[str]]]
    deleted: list[str]
    generation: int
    complete: bool


class Vectors(NamedTuple):
    """What a vector index needs to catch up to ``generation``: ``matrix`` has a row for each of ``ids``.

    ``deleted`` chunks are gone; if ``complete``, the index must start from empty.
    """

    ids: list[str]
    matrix: Matrix
    deleted: list[str]
    generation: int
    complete: bool


def agent_folder(home: Path, agent_id: str) -> Path:
    """Return the folder of one agent's store.

    Raises:
        StoreError: if there is no agent id, or it cannot be a folder's name.
    """
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}", agent_id):
        raise StoreError(
            f"{agent_id!r} is no agent id: use up to 64 letters, digits and _ . - that do not begin with . or -"
        )
    return home / "agents" / agent_id


def embedding_text(chunk: Chunk) -> str:
    """Return what is embedded for a chunk: its heading path without bare dates, then its text."""
    return rows.embedded(chunk.heading, chunk.text)


class Store:
    """One agent's memory. Safe to use from several threads and processes; readers never wait for the indexer.

    Every method raises ``StoreError`` when the database cannot be read or written.
    """

    def __init__(self, file: Path | None, *, busy_seconds: float) -> None:
        self.file = file
        self._where = str(file) if file else "the store in memory"
        self._connections: list[tuple[sqlite3.Connection, threading.RLock]] = []
        with schema.explained(self._where):
            try:
                for _ in range(4 if file else 1):
                    self._connections.append((schema.connect(file, busy_seconds=busy_seconds), threading.RLock()))
                    if len(self._connections) == 1:
                        schema.migrate(self._connections[0][0], self._where, lasting=file is not None)
            except (sqlite3.Error, StoreError):
                self.close()
                raise
        # One connection writes, one answers quickly, one reads in bulk, one notes events without waiting for the first;
        # in memory they are the same.
        self._writer, self._reader, self._bulk, self._noting = self._connections if file else self._connections * 4
        self._names: tuple[int, frozenset[str]] = (-1, frozenset())
        self._chunks: LRUCache[int, Chunk] = LRUCache(_KEPT)
        self._chunks_generation = -1

    @classmethod
    def open(cls, folder: Path | None, *, busy_seconds: float = 5.0) -> Store:
        """Open the store in ``folder``, made if it is not there; None is a new store in memory.

        Raises:
            StoreError: if the database is damaged, locked, not writable, from a newer version or not ours.
        """
        return cls(None if folder is None else schema.create_file(folder), busy_seconds=busy_seconds)

    @staticmethod
    def set_aside(folder: Path) -> Path | None:
        """Rename a damaged ``memory.db`` to ``memory.db.corrupt-N``, so that ``open`` begins anew; return its new name."""
        return schema.set_aside(folder)

    @property
    def folder(self) -> Path | None:
        """Where the store is; None in memory."""
        return self.file.parent if self.file else None

    def close(self) -> None:
        """Close the store; it can be called twice."""
        for connection, lock in self._connections:
            with lock:
                connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Reading

    def generation(self) -> int:
        """Return the counter that every visible change raises, in this process or another."""
        with self._reading() as connection:
            return _generation(connection)

    def chunks(self, ids: Iterable[str]) -> dict[str, Chunk]:
        """Return the chunks with these ids, in the order given; unknown ids are left out.

        The last few thousand are kept in memory until anything in the store changes.
        """
        keys = [key for key in map(rows.key_of, ids) if key is not None]
        with self._reading() as connection:
            if (generation := _generation(connection)) != self._chunks_generation:
                self._chunks.clear()
                self._chunks_generation = generation
            known = self._chunks
            unknown = [key for key in keys if key not in known]
            found = {key: known[key] for key in keys if key in known}
            for start in range(0, len(unknown), _BATCH):
                batch = unknown[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                some = connection.execute(f"SELECT {rows.CHUNK} FROM chunks WHERE key IN ({marks})", batch)
                found |= {row[0]: rows.chunk_of(row) for row in some}
            known.update((key, found[key]) for key in unknown if key in found)
        return {found[key].id: found[key] for key in keys if key in found}

    def get(self, chunk_id: str) -> Chunk | None:
        """Return one chunk, or None."""
        return self.chunks([chunk_id]).get(chunk_id)

    def all_chunks(self) -> list[Chunk]:
        """Return every chunk, by path and position."""
        with self._reading(bulk=True) as connection:
            every = connection.execute(f"SELECT {rows.CHUNK} FROM chunks ORDER BY path, position")
            return [rows.chunk_of(row) for row in every]

    def count(self) -> int:
        """Return the number of chunks."""
        with self._reading() as connection:
            count: int = connection.execute("SELECT count(*) FROM chunks").fetchone()[0]
        return count

    def files(self) -> dict[str, FileRecord]:
        """Return what is known of each indexed file, by path."""
        with self._reading(bulk=True) as connection:
            every = connection.execute("SELECT path, digest, size, mtime_ns, recipe, warnings FROM files ORDER BY path")
            return {
                path: FileRecord(digest, size, mtime_ns, recipe, tuple(filter(None, warnings.split("\n"))))
                for path, digest, size, mtime_ns, recipe, warnings in every
            }

    def changes_since(self, generation: int) -> Changes:
        """Return what happened to the chunks after ``generation``."""
        with self._snapshot() as connection:
            since, now, complete = _span(connection, generation)
            new = connection.execute("SELECT key, terms FROM chunks WHERE generation > ?", (since,)).fetchall()
            added = [(rows.id_of(key), terms.split(" ") if terms else []) for key, terms in sorted(new)]
            return Changes(added, [] if complete else _deleted(connection, since), now, complete)

    def vectors_since(self, model_id: str, generation: int) -> Vectors:
        """Return the vectors of ``model_id`` that became available after ``generation``, and the chunks deleted since."""
        with self._snapshot() as connection:
            since, now, complete = _span(connection, generation)
            ids, matrix = embeddings.load(connection, model_id, since)
            return Vectors(ids, matrix, [] if complete else _deleted(connection, since), now, complete)

    def dated(self, period: Period, pool_size: int) -> list[str]:
        """Return up to ``pool_size`` ids of chunks whose date may lie in ``period``, newest first.

        A day note is dated at midnight UTC and covers that day in the user's zone: a day more is returned on each side.
        """
        first, last = (period.start - _DAY).astimezone(UTC), (period.end + _DAY).astimezone(UTC)
        with self._reading() as connection:
            found = connection.execute(
                "SELECT key FROM chunks WHERE created_at BETWEEN ? AND ? ORDER BY created_at DESC, path, position LIMIT ?",
                (first.isoformat(), last.isoformat(), pool_size),
            )
            return [rows.id_of(key) for (key,) in found]

    def uses(self, ids: Iterable[str]) -> dict[str, Uses]:
        """Return how often each of these chunks was shown and used; those never shown are left out."""
        keys = [key for key in map(rows.key_of, ids) if key is not None]
        found: dict[str, Uses] = {}
        with self._reading() as connection:
            for start in range(0, len(keys), _BATCH):
                for key, tally in events.tallies(connection, keys[start : start + _BATCH]).items():
                    found[rows.id_of(key)] = Uses(*tally)
        return found

    def unsettled(self, session_id: str, injection_id: str | None = None) -> events.Shown | None:
        """Return the session's last injection if no turn has ended since; or the one of this id if it is not settled."""
        with self._reading() as connection:
            return events.unsettled(connection, session_id, injection_id)

    def record_injection(
        self,
        *,
        at: datetime,
        session_id: str,
        injection_id: str,
        prompt: str,
        chunk_ids: Sequence[str],
        busy_seconds: float = EVENT_BUSY_SECONDS,
    ) -> None:
        """Remember that these chunks were shown; written before it returns.

        Raises:
            StoreError: if another writer is still at work after ``busy_seconds``.
        """
        with self._writing(busy_seconds) as connection:
            events.record_injection(
                connection,
                at=at,
                session_id=session_id,
                injection_id=injection_id,
                prompt=prompt,
                chunk_ids=chunk_ids,
            )

    def settle(
        self,
        *,
        at: datetime,
        session_id: str,
        injection_id: str,
        used: Mapping[str, bool],
        busy_seconds: float = EVENT_BUSY_SECONDS,
    ) -> None:
        """Remember which of the shown chunks the turn used; {} ends a turn that teaches nothing.

        Raises:
            StoreError: if another writer is still at work after ``busy_seconds``.
        """
        with self._writing(busy_seconds) as connection:
            events.settle(connection, at=at, session_id=session_id, injection_id=injection_id, used=used)

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

    def names(self) -> frozenset[str]:
        """Return the headings that are names: folded phrases of one to four words, without dates, "Notes" and the like."""
        now = self.generation()
        if self._names[0] != now:
            with self._reading(bulk=True) as connection:
                headings = connection.execute("SELECT DISTINCT heading FROM chunks").fetchall()
            parts = {part for (heading,) in headings for part in heading.split(" > ")}
            self._names = (now, frozenset(filter(None, map(name_of, parts))))
        return self._names[1]

    def get_meta(self, key: str, default: Any = None) -> Any:
        """Return the JSON value remembered under ``key``."""
        with self._reading() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0]) if row else default

    # Writing

    def set_meta(self, key: str, value: Any) -> None:
        """Remember a JSON value under ``key``; this is no visible change."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, json.dumps(value)))

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
    ) -> Replaced:
        """Make ``chunks`` those of the file, in one transaction. A chunk that is there already keeps its row and vector."""
        told = "\n".join(" ".join(warning.split()) for warning in warnings)
        with self._writing() as connection:
            before = connection.execute(f"SELECT {rows.PLACED} FROM chunks WHERE path = ?", (path,))
            old = {row[0]: tuple(row) for row in before}
            new = {int(chunk.id, 16): rows.placed(chunk, position) for position, chunk in enumerate(chunks)}
            content = {int(chunk.id, 16): rows.content(chunk) for chunk in chunks}
            added, kept, gone = new.keys() - old.keys(), new.keys() & old.keys(), old.keys() - new.keys()
            changed = [new[key] for key in kept if new[key] != old[key]]
            connection.execute(
                "INSERT INTO files (path, digest, size, mtime_ns, recipe, warnings) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET digest = excluded.digest, size = excluded.size,"
                " mtime_ns = excluded.mtime_ns, recipe = excluded.recipe, warnings = excluded.warnings",
                (path, digest, size, mtime_ns, recipe, told),
            )
            if added or gone or changed:
                generation = _raise_generation(connection)
                _bury(connection, gone, generation)
                connection.executemany(rows.UPDATE, [(*row, generation) for row in changed])
                inserted = [(path, *content[key], generation, *new[key]) for key in new if key in added]
                connection.executemany(rows.INSERT, inserted)
                connection.executemany("DELETE FROM tombstones WHERE key = ?", [(key,) for key in added])
        return Replaced(len(added), len(kept), len(gone))

    def touch_file(self, path: str, *, size: int, mtime_ns: int) -> None:
        """Remember the file's new stat when its content has not changed."""
        with self._writing() as connection:
            connection.execute("UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?", (size, mtime_ns, path))

    def forget_file(self, path: str) -> int:
        """Delete a file and its chunks; return how many there were."""
        with self._writing() as connection:
            gone = [key for (key,) in connection.execute("SELECT key FROM chunks WHERE path = ?", (path,))]
            if gone:
                _bury(connection, gone, _raise_generation(connection))
            connection.execute("DELETE FROM files WHERE path = ?", (path,))
        return len(gone)

    def add_embeddings(self, model_id: str, vectors: Sequence[tuple[str, bytes]]) -> None:
        """Store (chunk id, little-endian float32) vectors in one transaction; a chunk that is gone by now is passed over.

        Raises:
            StoreError: if a vector has another dimension than the model's others, or a value that is no finite number.
        """
        if not vectors:
            return
        with self._writing() as connection:
            by_key = [(int(chunk_id, 16), vector) for chunk_id, vector in vectors]
            embeddings.add(connection, model_id, by_key, generation=_raise_generation(connection))

    def prune(self) -> None:
        """Drop the oldest tombstones, and vectors that no chunk uses once they are many (a moved text finds its own)."""
        with self._writing() as connection:
            oldest = connection.execute(
                "SELECT generation FROM tombstones ORDER BY generation DESC LIMIT 1 OFFSET ?", (_TOMBSTONES,)
            ).fetchone()
            if oldest:
                connection.execute("DELETE FROM tombstones WHERE generation <= ?", oldest)
                connection.execute("UPDATE counter SET pruned = ?", oldest)
            embeddings.prune(connection, spare=_SPARE_EMBEDDINGS)

    # Transactions

    @contextmanager
    def _reading(self, *, bulk: bool = False) -> Iterator[sqlite3.Connection]:
        connection, lock = self._bulk if bulk else self._reader
        try:
            with lock:
                yield connection
        except sqlite3.Error as error:
            raise schema.explanation(error, self._where) from error

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """Several bulk reads that see the same generation."""
        with self._reading(bulk=True) as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                schema.roll_back(connection)

    @contextmanager
    def _writing(self, noting_within: float | None = None) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it, or nothing. An event waits at most ``noting_within`` seconds for other writers."""
        connection, lock = self._writer if noting_within is None else self._noting
        if not lock.acquire(timeout=-1 if noting_within is None or not self.file else noting_within):
            raise StoreError(f"{self._where}: is being written to; the event is not stored")
        try:
            with schema.explained(self._where):
                if noting_within is not None:
                    connection.execute(f"PRAGMA busy_timeout = {round(noting_within * 1000)}")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                finally:  # KeyboardInterrupt too: the next writer must not inherit half a change
                    schema.roll_back(connection)
        finally:
            lock.release()


def _generation(connection: sqlite3.Connection) -> int:
    generation: int = connection.execute("SELECT generation FROM counter").fetchone()[0]
    return generation


def _raise_generation(connection: sqlite3.Connection) -> int:
    connection.execute("UPDATE counter SET generation = generation + 1")
    return _generation(connection)


def _span(connection: sqlite3.Connection, generation: int) -> tuple[int, int, bool]:
    """Return the generation to start after, the present one, and whether the caller must start from empty."""
    now, first, pruned = connection.execute("SELECT generation, first, pruned FROM counter").fetchone()
    complete = not max(first, pruned) <= generation <= now
    return (-1 if complete else generation), now, complete


def _bury(connection: sqlite3.Connection, keys: Iterable[int], generation: int) -> None:
    graves = [(key, generation) for key in keys]
    connection.executemany("DELETE FROM chunks WHERE key = ?", [(key,) for key, _ in graves])
    connection.executemany("INSERT OR REPLACE INTO tombstones (key, generation) VALUES (?, ?)", graves)


def _deleted(connection: sqlite3.Connection, since: int) -> list[str]:
    graves = connection.execute("SELECT key FROM tombstones WHERE generation > ?", (since,))
    return sorted(rows.id_of(key) for (key,) in graves)
