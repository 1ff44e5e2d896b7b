"""What a store says of its passages: to a recall, to the indexes that are derived from it, and to what reads notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from hookclaw_py.model.types import Chunk, Period
from hookclaw_py.store.recalled import EVERYTHING, Part
from hookclaw_py.store.sql import context, embeddings, generations, headings, parts, rows, tallies
from hookclaw_py.store.sql.connections import Busy, Connections, SQLConnection
from hookclaw_py.store.sql.headings import FileHeadings
from hookclaw_py.store.sql.kept_chunks import KeptChunks
from hookclaw_py.store.sql.tokens import KeptTokens
from hookclaw_py.store.values import Changes, FileRecord, Vectors

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import TokenVectors

_DAY = timedelta(days=1)
_NAMES_SECONDS = 0.05
_PARTS = 3  # of which names and pins are kept, beside the newest
MOST_PINNED = 20
"""Pinned chunks that compete for every prompt."""


class Kept(NamedTuple):
    """How much is kept in memory at most: of chunks, about 3,000 of 120 words, and of token vectors, of about 400."""

    chunk_bytes: int = 6_000_000
    token_bytes: int = 4_000_000


KEPT = Kept()


class Passages(Connections):
    """The part of a store that is read. What a recall asks for is kept in memory until anything in the store changes."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._forget_what_was_read()

    def _forget_what_was_read(self) -> None:
        self._names: dict[Part, FileHeadings] = {}
        self._pinned: dict[Part, tuple[int, list[str]]] = {}
        self._chunks = KeptChunks(-1, self._kept.chunk_bytes)
        self._whole = set[str]()  # models of which no vector is damaged
        self._tokens = KeptTokens(self._kept.token_bytes)

    def generation(self) -> int:
        """Return the counter that every visible change raises, in this process or another."""
        with self._reading() as connection:
            return generations.current(connection)

    # For a recall

    def chunks(self, ids: Iterable[str]) -> dict[str, Chunk]:
        """Return the chunks with these ids, in the order given; unknown ids are left out."""
        with self._reading() as connection:
            found = self._known(connection, ids, generation=generations.current(connection))
            return {chunk.id: chunk for chunk, _ in found}

    def _known(self, connection: SQLConnection, ids: Iterable[str], *, generation: int) -> list[tuple[Chunk, bytes]]:
        """Return the chunks with these ids, each with the digest of what is embedded of it.

        Another thread may read an older or a newer generation meanwhile: each has what is known of its own.
        """
        kept = self._chunks
        if kept.generation != generation:
            kept = self._chunks = KeptChunks(generation, self._kept.chunk_bytes)
        return kept.of(connection, ids)

    def dated(self, period: Period, pool_size: int, within: Part = EVERYTHING) -> list[str]:
        """Return up to ``pool_size`` ids of chunks whose date may lie in ``period``, newest first.

        A day note is dated at midnight UTC and covers that day in the user's zone: a day more is returned on each side.
        """
        first, last = _moved(period.start, -_DAY), _moved(period.end, _DAY)
        with self._reading() as connection:
            where, values = parts.where(connection, within, "created_at BETWEEN ? AND ?")
            found = connection.execute(
                f"SELECT key FROM chunks{where} ORDER BY created_at DESC, path, position LIMIT ?",
                (first.isoformat(), last.isoformat(), *values, pool_size),
            )
            return [rows.id_of(key) for (key,) in found]

    def following(self, chunk: Chunk) -> Chunk | None:
        """Return the chunk behind this one in its file; None behind the last."""
        (key,) = rows.keys_of([chunk.id]) or (None,)
        with self._reading() as connection:
            found = connection.execute(
                "SELECT key FROM chunks WHERE path = ? AND position > (SELECT position FROM chunks WHERE key = ?)"
                " ORDER BY position LIMIT 1",
                (chunk.place.path, key),
            ).fetchone()
        return self.get(rows.id_of(found[0])) if found else None

    def names(self, within: Part = EVERYTHING) -> Set[str]:
        """Return the headings, titles and aliases that are names: folded phrases of one to four words.

        Dates, "Notes" and the like are none. While the derived indexes are read, those of the last time will do: no prompt
        waits for that.
        """
        now, known = self.generation(), self._names.get(within, FileHeadings())
        if known.generation == now:
            return known.names
        try:
            with self._reading(bulk=True, within=_NAMES_SECONDS) as connection:
                if generations.span(connection, known.generation)[2]:  # restored, or made anew
                    known = FileHeadings()
                read = headings.read(connection, within, known, generation=now)
        except Busy:
            return known.names
        self._names = dict(list(self._names.items())[-_PARTS:]) | {within: read}
        return read.names

    def pinned(self, within: Part = EVERYTHING) -> Sequence[str]:
        """Return the ids of what a person pinned, ``MOST_PINNED`` of them at most."""
        now, (read, ids) = self.generation(), self._pinned.get(within, (-1, list[str]()))
        if read != now:
            with self._reading() as connection:
                where, values = parts.where(connection, within, "u.mark = 'pin'", chunks="c.")
                ids = tallies.pinned(connection, where, values, most=MOST_PINNED)
            self._pinned = dict(list(self._pinned.items())[-_PARTS:]) | {within: (now, ids)}
        return ids

    def tokens(self, model_id: str, ids: Iterable[str]) -> dict[str, TokenVectors]:
        """Return the token vectors by ``model_id`` of those of these chunks that have some."""
        with self._reading() as connection:
            generation = generations.current(connection)
            digests = {chunk.id: digest for chunk, digest in self._known(connection, ids, generation=generation)}
            return self._tokens.of(connection, model_id, digests, generation=generation)

    # For derived indexes

    def count(self, within: Part = EVERYTHING) -> int:
        """Return the number of chunks."""
        with self._reading() as connection:
            where, values = parts.where(connection, within)
            count: int = connection.execute(f"SELECT count(*) FROM chunks{where}", values).fetchone()[0]
        return count

    def changes_since(self, generation: int, within: Part = EVERYTHING) -> Changes:
        """Return what happened to the chunks after ``generation``."""
        with self._snapshot() as connection:
            since, now, complete = generations.span(connection, generation)
            added = context.changed(connection, since, within)
            return Changes(added, [] if complete else generations.deleted(connection, since), now, complete)

    def vectors_since(self, model_id: str, generation: int, within: Part = EVERYTHING) -> Vectors:
        """Return the vectors of ``model_id`` that became available after ``generation``, and the chunks deleted since."""
        with self._snapshot() as connection:
            since, now, complete = generations.span(connection, generation)
            ids, matrix = embeddings.load(connection, model_id, since, within)
            return Vectors(ids, matrix, [] if complete else generations.deleted(connection, since), now, complete)

    # For what reads notes

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

    def pending_embeddings(self, model_id: str, pool_size: int) -> list[tuple[str, str]]:
        """Return up to ``pool_size`` (chunk id, text to embed) that have no vector of ``model_id``, each text once."""
        with self._reading(bulk=True) as connection:
            return embeddings.pending(connection, model_id, pool_size, whole=self._are_whole(connection, model_id))

    def pending_count(self, model_id: str) -> int:
        """Return how many distinct texts have no vector of ``model_id`` yet.

        A damaged vector counts as none; one that is damaged while this store is open does when it is opened again.
        """
        with self._reading(bulk=True) as connection:
            return embeddings.pending_count(connection, model_id, whole=self._are_whole(connection, model_id))

    def _are_whole(self, connection: SQLConnection, model_id: str) -> bool:
        """Say whether no vector of a model is damaged; they are looked at until that is so, for it reads most of the file."""
        if model_id not in self._whole and embeddings.are_whole(connection, model_id):
            self._whole.add(model_id)
        return model_id in self._whole

    def embedded_count(self, model_id: str, within: Part = EVERYTHING) -> int:
        """Return how many chunks have a vector of ``model_id``."""
        with self._reading(bulk=True) as connection:
            return embeddings.count(connection, model_id, within)


def _moved(moment: datetime, by: timedelta) -> datetime:
    """Return a moment so much later in UTC, or as it is where the calendar ends."""
    try:
        return (moment + by).astimezone(UTC)
    except OverflowError:
        return moment.replace(tzinfo=UTC)


def _file_record(digest: str, size: int, mtime_ns: int, recipe: str, warnings: str, shared: int | None) -> FileRecord:
    told = rows.texts(warnings)
    return FileRecord(digest, size, mtime_ns, recipe, told, None if shared is None else bool(shared))
