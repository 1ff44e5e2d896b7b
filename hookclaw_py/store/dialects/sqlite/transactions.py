"""How the database is read and written: connections for different haste, and transactions that are whole or nothing."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from time import monotonic, perf_counter

from hookclaw_py.errors import IndexingError, StoreError
from hookclaw_py.store.dialects.sqlite import beside, copies, disk, schema
from hookclaw_py.store.dialects.sqlite.connection import SQLiteConnection
from hookclaw_py.store.dialects.sqlite.migrations import MIGRATIONS, Migration
from hookclaw_py.store.sql.connections import Busy, Connections, SQLConnection, Unit
from hookclaw_py.store.values import Cleaned

log = logging.getLogger("hookclaw")

_TRY_AGAIN = 1.0  # seconds before a store that could only be read is opened for writing again
_ATTEMPTS = 3  # to begin a transaction in a file that is being replaced
_PAGES_KB = 512  # of the file that a connection holds which reads; what it is asked for again is kept above it
_AS_KEPT = """
    SELECT CAST(group_concat(vector, '') AS BLOB) FROM embeddings NOT INDEXED
    WHERE model = (SELECT id FROM models WHERE name = ?) AND generation <= ?
"""  # joined there, a quarter sooner than row by row
_CLOSING = 1.0  # seconds that ``close`` waits for what is under way on a connection


class Door:
    """One connection to the database and the lock that lets one thread at a time use it.

    Before each use it looks (one ``stat``) whether another file stands in the place of the one it opened: deleted,
    rebuilt or restored, it is opened anew. So is one that could only be read.
    """

    def __init__(
        self,
        file: Path | None,
        where: str,
        *,
        busy_seconds: float,
        migrations: Sequence[Migration] = MIGRATIONS,
        pages_kb: int | None = None,
    ) -> None:
        self._pages_kb = pages_kb
        self.lock = threading.RLock()
        self.file, self._where, self._busy_seconds, self._migrations = file, where, busy_seconds, migrations
        self._users, self._closed = 0, False
        self._tried = 0.0
        self._open()

    @contextmanager
    def entered(self, *, writing: bool = False, within: float = -1) -> Iterator[SQLiteConnection]:
        """Give the connection to this thread alone; with ``within`` wait so many seconds for another one, no longer.

        Raises:
            Busy: if another thread uses it all that time.
        """
        if not self.lock.acquire(timeout=within):
            raise Busy(f"{self._where}: is in use")
        try:
            if not self._users and not self._closed:
                soon = writing or monotonic() - self._tried > _TRY_AGAIN
                if not self.is_current() or (self.unwritable and soon):
                    self.reopen()
            self._users += 1
            try:
                yield self.connection
            finally:
                self._users -= 1
        finally:
            self.lock.release()

    def is_current(self) -> bool:
        """Say whether the file that was opened is the one that is there."""
        try:
            return self.file is None or disk.identity(self.file) == self.identity
        except OSError:  # of a folder that cannot be looked into, nothing is known
            return True

    def try_again(self) -> None:
        """Open the file anew at the next use if it could only be read."""
        self._tried = 0.0

    def reopen(self) -> None:
        """Open the file that is there now, made if there is none."""
        before = self.connection
        self._open()
        before.close()

    def close(self) -> None:
        """Close the connection; it can be called twice. One that hangs in a read or write is left as it is."""
        self._closed = True
        if self.lock.acquire(timeout=_CLOSING):
            try:
                self.connection.close()
            finally:
                self.lock.release()

    def _open(self) -> None:
        self._tried = monotonic()
        opened = disk.opened(self.file, self._where, busy_seconds=self._busy_seconds, migrations=self._migrations)
        self.connection, self.identity, self.unwritable = opened
        if self._pages_kb is not None:
            self.connection.execute(f"PRAGMA cache_size = -{self._pages_kb}")


class Transactions(Connections):
    """The connections of one process to one database. Safe to use from threads."""

    def __init__(self, file: Path | None, *, busy_seconds: float, migrations: Sequence[Migration]) -> None:
        self.file = file
        self._folder = file.parent if file else None
        self.replaced = 0
        """How often another file was found in the place of the one that was open."""
        self.damage = ""
        """What was found damaged while reading or writing; "" so far nothing."""
        self._where = str(file) if file else "the store in memory"
        self._doors: list[Door] = []
        with disk.explained(self._where):
            try:
                for kb in (None, _PAGES_KB, _PAGES_KB, None) if file else (None,):
                    self._doors.append(
                        Door(file, self._where, busy_seconds=busy_seconds, migrations=migrations, pages_kb=kb)
                    )
            except (sqlite3.Error, StoreError):
                Transactions.close(self)  # no store yet
                raise
        # One connection writes, one answers quickly, one reads in bulk, one notes events without waiting for the first;
        # in memory they are the same.
        self._writer, self._reader, self._bulk, self._noting = self._doors if file else self._doors * 4
        self._identity = self._writer.identity
        self._unit = Unit()

    @property
    def lasting(self) -> bool:
        """Whether the store outlives this process."""
        return self.file is not None

    @property
    def place(self) -> str:
        """Where the store is, for people; "" in memory."""
        return str(self._folder or "")

    def check(self) -> str:
        """Look through the whole file; return what is damaged and what to do, "" when nothing is."""
        try:
            with self._reading(bulk=True) as connection:
                said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if said != "ok":
                self.damage = f"{self._where}: {' '.join(said.split())}; {disk.DAMAGED}"
        except StoreError as error:
            return str(error)
        return self.damage

    @contextmanager
    def alone(self, wait_seconds: float) -> Iterator[None]:
        """Be the one process that reads notes into this store; that ends with the process, however that ends.

        Raises:
            IndexingError: if another one still is after ``wait_seconds``.
        """
        with ExitStack() as held:
            try:
                if self._folder:
                    held.enter_context(disk.alone(self._folder, wait_seconds))
            except OSError as error:
                raise IndexingError(
                    f"cannot lock {self._folder}: {error.strerror}; check its owner and mode"
                ) from error
            yield

    def vectors_as_kept(self, model_id: str, generation: int) -> bytes:
        """Return the vectors of a model that are there since a generation, in the order of their rows: copying a file keeps it."""
        with self._reading(bulk=True) as connection:
            (joined,) = connection.execute(_AS_KEPT, (model_id, generation)).fetchone()
            return joined or b""

    def forget_in_copies(self, *, at: datetime) -> Cleaned:
        """Take what the store forgot out of the databases set aside; one that cannot be cleaned is deleted."""
        return copies.forget_in_copies(self._folder, at=at) if self._folder else Cleaned([], [])

    def _note_forgotten(self, connection: SQLConnection, ids: Collection[str] = ()) -> None:
        """Remember what was forgotten where it outlives the database, too."""
        if self._folder:
            beside.note(connection, self._folder, ids)

    def _let_no_trace_stay(self) -> None:
        """Empty the journal: it would hold a forgotten text a while longer."""
        with self._reading(bulk=True) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @property
    def unwritable(self) -> str:
        """Why the store can be read only; "" when it can be written, as far as is known."""
        return self._writer.unwritable

    def close(self) -> None:
        """Close the store; it can be called twice."""
        for door in self._doors:
            door.close()

    @contextmanager
    def _reading(self, *, bulk: bool = False, within: float = -1) -> Iterator[SQLiteConnection]:
        door = self._bulk if bulk else self._reader
        with self._explained(), door.entered(within=within) as connection:
            self._heed(door)
            yield self._unit.connection or connection

    @contextmanager
    def _snapshot(self) -> Iterator[SQLiteConnection]:
        """Several bulk reads that see the same generation."""
        with self._reading(bulk=True) as connection:
            if self._unit.connection:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                schema.roll_back(connection)
                connection.execute("PRAGMA shrink_memory")  # every vector went through its pages: none is read twice

    @contextmanager
    def _writing(self, noting_within: float | None = None) -> Iterator[SQLiteConnection]:
        """One transaction: all of it, or nothing. An event waits at most ``noting_within`` seconds for other writers."""
        if self._unit.connection:
            with _part_of(self._unit.connection) as connection:
                yield connection
            return
        door = self._writer if noting_within is None else self._noting
        started = perf_counter()
        if not door.lock.acquire(timeout=-1 if noting_within is None or not self.file else noting_within):
            raise StoreError(f"{self._where}: is being written to; the event is not stored")
        try:
            with self._explained(), door.entered(writing=True):
                until = None if noting_within is None else started + noting_within
                connection = self._begun(door, until)
                try:
                    yield connection
                    connection.execute("COMMIT")
                finally:  # KeyboardInterrupt too: the next writer must not inherit half a change
                    schema.roll_back(connection)
        finally:
            door.lock.release()

    def _begun(self, door: Door, until: float | None) -> SQLiteConnection:
        """Begin a transaction in the file that is there: one that was replaced, or could only be read, is opened anew."""
        for attempt in range(_ATTEMPTS):
            if until is not None:
                left = max(0.0, until - perf_counter())
                door.connection.execute(f"PRAGMA busy_timeout = {round(left * 1000)}")
            try:
                door.connection.execute("BEGIN IMMEDIATE")
                if door.is_current():
                    self._heed(door)
                    for other in self._doors:
                        other.try_again()
                    return door.connection
                schema.roll_back(door.connection)
            except sqlite3.Error as error:
                if attempt or not getattr(error, "sqlite_errorname", "").startswith("SQLITE_READONLY"):
                    raise
            door.reopen()
        raise StoreError(f"{self._where} is being replaced again and again; end the program that does it")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            explanation = disk.explanation(error, self._where)
            if getattr(error, "sqlite_errorname", "").startswith(disk.DAMAGE):
                self.damage = str(explanation)
            raise explanation from error

    def _heed(self, door: Door) -> None:
        """Notice that another file is open than before."""
        if door.identity == self._identity:
            return
        self._identity = door.identity
        self.replaced += 1
        self.damage = ""
        self._forget_what_was_read()
        log.warning(
            "hookclaw: %s was replaced or deleted under this process; the one that is there now is used", door.file
        )


@contextmanager
def _part_of(connection: SQLiteConnection) -> Iterator[SQLiteConnection]:
    """Make a part of a transaction: all of it, or nothing, whatever becomes of the rest."""
    connection.execute("SAVEPOINT part")
    try:
        yield connection
    except BaseException:  # Ctrl-C too: whoever catches it further out commits the rest
        if connection.in_transaction:
            connection.execute("ROLLBACK TO part")
            connection.execute("RELEASE part")
        raise
    connection.execute("RELEASE part")
