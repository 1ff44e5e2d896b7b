"""Messages between agents in a SQLite file of their own, beside the agents' folders."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from hookclaw_py.config import make_private
from hookclaw_py.errors import StoreError
from hookclaw_py.store.dialects.sqlite import disk, schema
from hookclaw_py.store.dialects.sqlite.connection import SQLiteConnection

NAME = "messages.db"
VERSION = 2
APPLICATION_ID = 0x486F6F6D  # "Hoom", in the file's header
_OPENING_TIMEOUT_S = 10.0
_AS_THE_STORES = "the messages are damaged; move {file} away, a new one is made"
COUNTS = (
    "CREATE TABLE counts (agent TEXT NOT NULL, what TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (agent, what))"
)
"""What version 2 has more than version 1."""
TABLES = f"""
    {COUNTS};
    CREATE TABLE counter (last INTEGER NOT NULL);
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, sender TEXT NOT NULL, addressee TEXT NOT NULL, type TEXT NOT NULL,
        channel TEXT NOT NULL, priority INTEGER NOT NULL, subject TEXT NOT NULL, content TEXT NOT NULL, expires_at TEXT,
        chain INTEGER NOT NULL
    );
    CREATE INDEX messages_by_end ON messages (expires_at) WHERE expires_at IS NOT NULL;
    CREATE TABLE inbox (
        receiver TEXT NOT NULL, message INTEGER NOT NULL REFERENCES messages (id), wakes INTEGER NOT NULL, due TEXT,
        read_at TEXT, delivered_at TEXT, PRIMARY KEY (receiver, message)
    );
    CREATE INDEX inbox_by_message ON inbox (message);
    CREATE INDEX inbox_by_due ON inbox (receiver, due) WHERE read_at IS NULL AND delivered_at IS NULL;
    CREATE TABLE subscriptions (agent TEXT NOT NULL, channel TEXT NOT NULL, PRIMARY KEY (agent, channel));
    CREATE TABLE sessions (
        agent TEXT PRIMARY KEY, session TEXT NOT NULL, seen_at TEXT NOT NULL, chain INTEGER NOT NULL,
        chain_at TEXT NOT NULL
    );
    CREATE TABLE wakes (number INTEGER PRIMARY KEY, agent TEXT NOT NULL, at TEXT NOT NULL);
    CREATE INDEX wakes_by_agent ON wakes (agent, at);
    INSERT INTO counter (last) VALUES (0)
"""


class SQLiteMail:
    """One connection to the file, for one thread at a time, and one that only looks whether others wrote."""

    def __init__(self, file: Path, *, busy_seconds: float) -> None:
        self.file, self._where = file, str(file)
        self._busy_seconds = busy_seconds
        self._lock, self._closed = threading.RLock(), False
        self._open()

    @property
    def place(self) -> str:
        """Where the messages are, for people."""
        return self._where

    def _open(self) -> None:
        with self._explained():
            self._connection = _opened(self.file, self._busy_seconds)
            self._looker = disk.connect(self.file, busy_seconds=0)
            self._identity = disk.identity(self.file)
            self._seen = self._version()

    listens = False
    trouble = ""

    def changed(self, within: float) -> bool:  # noqa: ARG002
        """Say whether something was written since this was asked last, by this process or another; nobody waits for that."""
        with self._lock, self._explained():
            self._heed()
            before, self._seen = self._seen, self._version()
            return self._seen != before

    def check(self) -> str:
        """Look through the file; return what is damaged and what to do, "" when nothing is."""
        try:
            with self._reading() as connection:
                said: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        except StoreError as error:
            return str(error)
        return "" if said == "ok" else f"{self._where}: {said}; {_AS_THE_STORES.format(file=self.file)}"

    def close(self) -> None:
        """Close the file; it can be called twice."""
        with self._lock:
            self._closed = True
            self._connection.close()
            self._looker.close()

    def _news(self, message: int) -> None:
        """Tell nobody: whoever looks at the file sees that it changed."""

    @contextmanager
    def _reading(self) -> Iterator[SQLiteConnection]:
        with self._lock, self._explained():
            self._heed()
            yield self._connection

    @contextmanager
    def _writing(self) -> Iterator[SQLiteConnection]:
        with self._lock, self._explained():
            self._heed()
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:  # KeyboardInterrupt too
                schema.roll_back(self._connection)

    def _version(self) -> int:
        version: int = self._looker.execute("PRAGMA data_version").fetchone()[0]
        return version

    def _heed(self) -> None:
        """Open the file anew that stands in the place of the one that was open."""
        if not self._closed and disk.identity(self.file) != self._identity:
            with suppress(sqlite3.Error):
                self._connection.close()
                self._looker.close()
            self._open()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            if name.startswith(disk.DAMAGE):
                raise StoreError(f"{self._where}: {error}; {_AS_THE_STORES.format(file=self.file)}") from error
            raise disk.explanation(error, self._where) from error


def _opened(file: Path, busy_seconds: float) -> SQLiteConnection:
    """Open the file, for its owner alone; it is made if it is not there."""
    try:
        make_private(file.parent)
        with FileLock(file.with_name(f"{file.name}.lock"), timeout=_OPENING_TIMEOUT_S, mode=0o600):
            with suppress(FileExistsError):
                file.touch(mode=0o600, exist_ok=False)
            connection = disk.connect(file, busy_seconds=busy_seconds)
            try:
                bring_up(connection, str(file))
            except (sqlite3.Error, StoreError):
                connection.close()
                raise
            return connection
    except Timeout:
        raise StoreError(f"cannot open {file}: another process is making it; try again") from None
    except OSError as error:
        raise StoreError(
            f"cannot open {file}: {error.strerror}; check its owner and mode, or set HOOKCLAW_HOME"
        ) from error


def bring_up(connection: SQLiteConnection, where: str) -> None:
    """Make the tables that are not there.

    Raises:
        StoreError: if the file is not ours, or of a newer version.
    """
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    if owner not in (0, APPLICATION_ID):
        raise StoreError(f"{where} is the database of another program; move it away, or set HOOKCLAW_HOME")
    if version > VERSION:
        raise StoreError(f"{where} was written by a newer hookclaw; upgrade hookclaw_py, or use another HOOKCLAW_HOME")
    if version == VERSION:
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in TABLES.split(";") if version == 0 else [COUNTS]:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    finally:
        schema.roll_back(connection)
