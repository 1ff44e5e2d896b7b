"""How the database is read and written: a transaction for each, in which only one agent's rows are there."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from typing import Any

from hookclaw_py.errors import IndexingError, StoreError
from hookclaw_py.store.dialects.postgres.connection import PostgresConnection, of_an_agent
from hookclaw_py.store.dialects.postgres.oversight import open_to_others, unguarded
from hookclaw_py.store.dialects.postgres.schema import SCHEMA, names
from hookclaw_py.store.dialects.postgres.servers import READ_ONLY, WAITING, Server, server
from hookclaw_py.store.placing import Elsewhere
from hookclaw_py.store.sql import generations
from hookclaw_py.store.sql.connections import Connections, SQLConnection, Unit
from hookclaw_py.store.sql.handing_over import MOVED
from hookclaw_py.store.values import Cleaned

_WRITING = 30.0  # seconds that a writer waits for another one of the same agent
_LOCKS = 0x686F6F6B  # "hook": the first number of our advisory locks; an agent's is the second


class PostgresTransactions(Connections):
    """The transactions of one process in one agent's rows. Safe to use from threads."""

    damage, replaced, lasting = "", 0, True

    def __init__(self, place: Elsewhere, agent: str, *, coming: bool = False) -> None:
        """Open the rows of an agent; ``coming`` says that a memory is to be put there, whatever was there before.

        Raises:
            StoreError: if the server does not answer, row security is off, or the memory was moved to another place.
        """
        self._coming = coming
        self._server: Server = server(place)
        self._space, self._agent, self._closed, self._unit = place.space, agent, False, Unit()
        self.place = f"{place.shown} ({agent})"
        self._key  # it is there from now on  # noqa: B018

    @cached_property
    def _key(self) -> int:
        """The agent's number, given when it is opened first."""
        known = f"SELECT id FROM {SCHEMA}.agent WHERE space = %s AND name = %s"
        with self._server.connection(waiting=_WRITING) as connection, connection.transaction():
            whose = self._space or self._server.user, self._agent
            found = connection.execute(known, whose).fetchone()
            if found is None:  # not tried at once: a standby refuses
                new = f"INSERT INTO {SCHEMA}.agent (space, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
                connection.execute(new, whose)
                found = connection.execute(known, whose).fetchone()
            key: int = found[0]
            connection.execute(self._server.beginning(str(key)))
            if bare := unguarded(connection):
                raise StoreError(open_to_others(self.place, bare), at_shell=f"hookclaw --agent {self._agent} doctor")
            begun, note = connection.execute(
                "SELECT (SELECT generation FROM counter), (SELECT value FROM meta WHERE key = %s)", (MOVED,)
            ).fetchone()
            if note and not self._coming:
                raise _moved(self.place, self._agent, json.loads(note))
            if begun is None:
                connection.execute("INSERT INTO counter VALUES (DEFAULT, 1, 1, 1) ON CONFLICT DO NOTHING")
                generations.start(PostgresConnection(connection, written=of_an_agent))
        return key

    @property
    def unwritable(self) -> str:
        """Why the store can be read only; "" when it can be written, as far as is known."""
        try:
            return f"{self.place}: {READ_ONLY}" if self._server.is_read_only() else ""
        except StoreError:
            return ""  # that it does not answer is told elsewhere

    def check(self) -> str:
        """Say what is wrong with the tables, "" when nothing is; damage of its files is the server's to find."""
        try:
            with self._reading(bulk=True) as connection:
                for table in names():
                    connection.execute(f"SELECT count(*) FROM {table}").fetchone()
                bare = unguarded(connection.raw)
        except StoreError as error:
            return str(error)
        return open_to_others(self.place, bare) if bare else ""

    @contextmanager
    def alone(self, wait_seconds: float) -> Iterator[None]:
        """Be the one process that reads notes into this store; that ends with the process, however that ends.

        Raises:
            IndexingError: if another one still is after ``wait_seconds``.
        """
        with self._server.connection(beside=True) as connection, connection.transaction():
            connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            if not _locked(connection, self._key, wait_seconds):
                raise IndexingError(f"another process is indexing {self.place}; wait until it is done, or end it")
            yield

    def vectors_as_kept(self, model_id: str, generation: int) -> bytes:  # noqa: ARG002
        """Return none: a file beside the memory is read sooner than what a server sends."""
        return b""

    def forget_in_copies(self, *, at: datetime) -> Cleaned:  # noqa: ARG002
        """Clean nothing: backups of a server are its keeper's."""
        return Cleaned([], [])

    def close(self) -> None:
        """Close the store; it can be called twice. The connections are the process's, and stay."""
        self._closed = True

    @contextmanager
    def _reading(self, *, bulk: bool = False, within: float = -1) -> Iterator[PostgresConnection]:  # noqa: ARG002
        if self._unit.connection:
            yield self._unit.connection
            return
        with self._begun("READ COMMITTED READ ONLY", waiting=within if within >= 0 else WAITING) as connection:
            yield connection

    @contextmanager
    def _snapshot(self) -> Iterator[PostgresConnection]:
        """Several reads that see the same generation."""
        if self._unit.connection:
            yield self._unit.connection
            return
        with self._begun("REPEATABLE READ READ ONLY", waiting=_WRITING) as connection:
            yield connection

    @contextmanager
    def _writing(self, noting_within: float | None = None) -> Iterator[PostgresConnection]:
        """One transaction: all of it, or nothing. Writers of one agent queue up, so that generations become visible in order."""
        if self._unit.connection:
            with self._unit.connection.raw.transaction():  # a part of the unit
                yield self._unit.connection
            return
        waiting = _WRITING if noting_within is None else noting_within
        with self._begun("READ COMMITTED", waiting=waiting) as connection:
            connection.raw.execute(f"SET LOCAL lock_timeout = {max(1, round(waiting * 1000))}")
            if connection.raw.execute("SELECT generation FROM counter FOR UPDATE").fetchone() is None:
                raise StoreError(f"{self.place}: {generations.GONE}")
            yield connection

    @contextmanager
    def _begun(self, mode: str, *, waiting: float) -> Iterator[PostgresConnection]:
        if self._closed:
            raise StoreError(f"{self.place}: the store was closed; open it again")
        with self._server.connection(waiting=waiting) as connection:
            connection.execute(f"BEGIN ISOLATION LEVEL {mode}; {self._server.beginning(str(self._key))}")
            try:
                yield PostgresConnection(connection, written=of_an_agent)
                connection.execute("COMMIT")
            finally:  # Ctrl-C too: the next one must not inherit half a change
                if (
                    not connection.closed
                    and connection.info.transaction_status != connection.info.transaction_status.IDLE
                ):
                    connection.rollback()

    def _note_forgotten(self, connection: SQLConnection, ids: Collection[str] = ()) -> None: ...

    def _let_no_trace_stay(self) -> None: ...


def _moved(place: str, agent: str, note: Mapping[str, str]) -> StoreError:
    if not note["to"]:
        return StoreError(
            f"{place}: the memory was moved into a file of one machine; there `hookclaw migrate --to URL` brings it back"
        )
    command = ["hookclaw", "move", agent, "--to", note["to"], *(("--space", note["space"]) if note["space"] else ())]
    return StoreError(f"{place}: the memory was moved to {note['to']}; follow it", at_shell=shlex.join(command))


def _locked(connection: Any, agent: int, wait_seconds: float) -> bool:
    """Take the lock of those who index until the transaction ends; say whether it was given in time."""
    from psycopg.errors import LockNotAvailable

    taken: bool = connection.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", (_LOCKS, agent)).fetchone()[0]
    if taken or wait_seconds <= 0:
        return taken
    try:
        connection.execute(f"SET LOCAL lock_timeout = {max(1, round(wait_seconds * 1000))}")
        connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (_LOCKS, agent))
    except LockNotAvailable:
        return False
    return True
