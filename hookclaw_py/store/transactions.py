"""How the database is read and written: connections for different haste, and transactions that are whole or nothing."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from hookclaw_py.errors import StoreError
from hookclaw_py.store import schema


class Transactions:
    """The connections of one process to one database. Safe to use from threads."""

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

    def close(self) -> None:
        """Close the store; it can be called twice."""
        for connection, lock in self._connections:
            with lock:
                connection.close()

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
        started = perf_counter()
        if not lock.acquire(timeout=-1 if noting_within is None or not self.file else noting_within):
            raise StoreError(f"{self._where}: is being written to; the event is not stored")
        try:
            with schema.explained(self._where):
                if noting_within is not None:
                    left = max(0.0, noting_within - (perf_counter() - started))
                    connection.execute(f"PRAGMA busy_timeout = {round(left * 1000)}")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                finally:  # KeyboardInterrupt too: the next writer must not inherit half a change
                    schema.roll_back(connection)
        finally:
            lock.release()
