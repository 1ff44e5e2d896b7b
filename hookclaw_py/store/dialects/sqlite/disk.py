"""The database as a file: how it is made, opened, locked and put aside, and what its errors mean to a user."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from hookclaw_py.config import make_private
from hookclaw_py.errors import IndexingError, StoreError
from hookclaw_py.store import placing
from hookclaw_py.store.dialects.sqlite import beside, pages, schema
from hookclaw_py.store.dialects.sqlite.connection import SQLiteConnection, plain
from hookclaw_py.store.dialects.sqlite.migrations import MIGRATIONS, Migration

Identity = tuple[int, int] | None
"""Device and inode of a file; None where there is none."""
DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
"""What the names of errors begin with that tell of a damaged file."""
_UNWRITABLE = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_FULL", "SQLITE_IOERR")
_OPENING_TIMEOUT_S = 60  # a migration of many passages takes a while


ENGINE = f"SQLite {sqlite3.sqlite_version}"
"""The database and its version, for people."""
_NAME = "memory.db"
FILES = (f"{_NAME}*", beside.FILE)
"""The names of a store's files, as patterns: the database with its journal and what was set aside, and what was forgotten."""


def file_in(folder: Path) -> Path:
    """Return the file of the store that lies in a folder, there or not."""
    return folder / _NAME


def opened(
    file: Path | None, where: str, *, busy_seconds: float, migrations: Sequence[Migration] = MIGRATIONS
) -> tuple[SQLiteConnection, Identity, str]:
    """Open the database, made if it is not there (None: in memory), and bring it to the newest schema.

    Where it cannot be written (a read-only or full disk) it is opened for reading, if that is possible. Return the
    connection, which file it is of, and why it can only be read ("" when it can be written).
    """
    found = None
    if file:
        if place := placing.elsewhere(file.parent):
            raise StoreError(f"{where}: the memory is on {place.shown} since it was moved; start this program again")
        try:
            if not file.exists():
                create_file(file, migrations)
            found = identity(file)
            if file.stat().st_size == 0:
                raise StoreError(
                    f"{where} is empty: what it held is lost; {_REBUILD}, or `hookclaw restore FILE` a backup"
                )
        except OSError as error:
            raise StoreError(f"{where}: {error.strerror}; check the owner and mode of its folder") from error
    try:
        return _connected(file, where, busy_seconds, migrations), found, ""
    except sqlite3.OperationalError as error:
        connection = _readable(file, busy_seconds, migrations) if file else None
        if connection is None or not getattr(error, "sqlite_errorname", "").startswith(_UNWRITABLE):
            raise
        return connection, found, str(explanation(error, where))


def identity(file: Path) -> Identity:
    """Return what tells a file from another one in its place; None when there is none."""
    try:
        stat = file.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino


def _connected(file: Path | None, where: str, busy_seconds: float, migrations: Sequence[Migration]) -> SQLiteConnection:
    connection = connect(file, busy_seconds=busy_seconds)
    try:
        if file and _is_earlier(connection, file, migrations):
            _migrate_alone(connection, file, migrations)
        else:
            schema.migrate(connection, where, lasting=file is not None, migrations=migrations)
    except (sqlite3.Error, StoreError):
        connection.close()
        raise
    return connection


def _is_earlier(connection: SQLiteConnection, file: Path, migrations: Sequence[Migration]) -> bool:
    return 0 < schema.version_of(connection, str(file), migrations) < schema.newest(migrations)


def _migrate_alone(connection: SQLiteConnection, file: Path, migrations: Sequence[Migration]) -> None:
    """Migrate a database and keep a copy of it, ``memory.db.before-schema-N``; that of the last time goes. Who comes meanwhile waits."""
    kept = file.with_name(f"{file.name}.before-schema-{schema.newest(migrations)}")
    try:
        with opening(file):
            if _is_earlier(connection, file, migrations):  # still: another process may have done it
                pages.copy_to_file(connection, kept, str(file))
                for older in file.parent.glob(f"{file.name}.before-schema-*"):
                    if older != kept:
                        older.unlink()
            schema.migrate(connection, str(file), lasting=True, migrations=migrations)
    except OSError as error:
        raise StoreError(f"cannot copy {file} before its migration: {error.strerror}; make room") from error


def opened_to_read(file: Path, *, busy_seconds: float) -> SQLiteConnection:
    """Open a database of any version to read it, also where nothing can be written beside it."""
    try:
        return connect(file, busy_seconds=busy_seconds)
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", "").startswith(_UNWRITABLE) and (found := _read_only(file, busy_seconds)):
            return found
        raise


def _readable(file: Path, busy_seconds: float, migrations: Sequence[Migration]) -> SQLiteConnection | None:
    """Open a database of this version that cannot be written; None if it cannot be read either."""
    connection = _read_only(file, busy_seconds)
    if connection and _version(connection) != schema.newest(migrations):
        connection.close()
        return None
    return connection


def _read_only(file: Path, busy_seconds: float) -> SQLiteConnection | None:
    """Open a database that cannot be written; None if it cannot be read either.

    SQLite writes beside the file even to read it, unless the file is said to be immutable: which it is while nobody can
    write, if no journal is left.
    """
    journal = file.with_name(f"{file.name}-wal")
    for how in ("mode=ro", "immutable=1"):
        if how == "immutable=1" and journal.exists() and journal.stat().st_size:
            continue
        connection = plain(
            f"{file.absolute().as_uri()}?{how}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=busy_seconds,
        )
        with suppress(sqlite3.Error):
            _version(connection)
            return connection
        connection.close()
    return None


def _version(connection: SQLiteConnection) -> int:
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return found


def connect(file: Path | None, *, busy_seconds: float) -> SQLiteConnection:
    """Open a connection in autocommit mode; None is a database in memory."""
    name = ":memory:" if file is None else str(file)
    connection = plain(name, isolation_level=None, check_same_thread=False, timeout=busy_seconds)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what a note no longer says is gone from the free pages, too
    return connection


def create_file(file: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Make the store's folder (mode 0700) and its database (0600), whole or not at all.

    A folder that is there already is left as it is: it may be somebody's shared one. The journal of a database that is
    gone is put aside: SQLite would take it for that of the new one.
    """
    draft = file.with_name(f"{file.name}.new-{os.getpid()}")
    try:
        make_private(file.parent)
        with opening(file):
            if file.exists():
                return
            for stale in file.parent.glob(f"{file.name}.new-*"):
                stale.unlink()
            put_journals_aside(file)
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            connection = connect(draft, busy_seconds=0)
            try:
                schema.migrate(connection, str(file), lasting=True, migrations=migrations)
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    beside.forget_again(connection, beside.read(file.parent), at=datetime.now(UTC))
            finally:
                connection.close()
            draft.rename(file)
    except OSError as error:
        raise StoreError(f"cannot create {file}: {error.strerror}; check the folder, or set HOOKCLAW_HOME") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


@contextmanager
def opening(file: Path) -> Iterator[None]:
    """Hold the lock that lets one process at a time make the file, migrate it, or put another one in its place."""
    try:
        with FileLock(file.with_name("open.lock"), timeout=_OPENING_TIMEOUT_S, mode=0o600):
            yield
    except Timeout:
        raise StoreError(f"cannot open {file}: another process is making or migrating it; try again") from None


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn a database error into a ``StoreError`` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise explanation(error, where) from error


def explanation(error: sqlite3.Error, where: str) -> StoreError:
    """Say what went wrong with the database, and what to do about it."""
    name = getattr(error, "sqlite_errorname", "")  # absent when the error is the module's own
    advice = next((text for prefix, text in _ADVICE.items() if name.startswith(prefix)), "")
    if not name and "closed" in str(error):
        advice = "the store was closed; open it again"
    return StoreError(f"{where}: {error}" + (f"; {advice}" if advice else ""))


@contextmanager
def alone(folder: Path, wait_seconds: float) -> Iterator[None]:
    """Hold the lock that lets one process index a store at a time; it ends with the process, however that ends.

    Raises:
        IndexingError: if another process still holds it after ``wait_seconds``.
        OSError: if it cannot be made.
    """
    try:
        held = FileLock(folder / "index.lock", timeout=wait_seconds, mode=0o600).acquire()
    except Timeout:
        raise IndexingError(f"another process is indexing {folder}; wait until it is done, or end it") from None
    with held:
        yield


def put_journals_aside(file: Path) -> None:
    """Rename the journals that a database left behind to ``memory.db.corrupt-N-wal`` and ``-shm``."""
    journals = {suffix: file.with_name(f"{file.name}{suffix}") for suffix in ("-wal", "-shm")}
    taken = {path.name.removesuffix("-wal").removesuffix("-shm") for path in file.parent.glob(f"{file.name}.corrupt-*")}
    aside = next(name for n in range(1, 1_000_000) if (name := f"{file.name}.corrupt-{n}") not in taken)
    try:
        for suffix, path in journals.items():
            if path.exists():
                path.rename(file.with_name(aside + suffix))
    except OSError as error:
        raise StoreError(f"cannot move {file} aside: {error.strerror}; end the programs that use it") from error


_REBUILD = "`hookclaw index --rebuild` saves what can be read of it and indexes the notes anew"
DAMAGED = f"the file is damaged; {_REBUILD}"
_ADVICE = {
    "SQLITE_CORRUPT": DAMAGED,
    "SQLITE_NOTADB": DAMAGED,
    "SQLITE_BUSY": "another process holds it; wait until that is done, or end it",
    "SQLITE_LOCKED": "another process holds it; wait until that is done, or end it",
    "SQLITE_READONLY": "it cannot be written; check the owner and mode of the file and its folder",
    "SQLITE_CANTOPEN": "it cannot be opened; check the owner and mode of the file and its folder",
    "SQLITE_PERM": "it cannot be opened; check the owner and mode of the file and its folder",
    "SQLITE_FULL": "nothing was lost; make room and run the command again",
    "SQLITE_IOERR": "the disk does not accept it (full, or failing); nothing was lost, make room and try again",
}
