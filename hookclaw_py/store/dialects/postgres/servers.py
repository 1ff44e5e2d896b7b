"""Servers: the connections of this process to each, shared by all its agents there."""

from __future__ import annotations

import atexit
import logging
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from select import select
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from hookclaw_py.errors import AwayError, MissingExtraError, StoreError, TooLongError
from hookclaw_py.privacy.addresses import problem_of
from hookclaw_py.store.dialects.postgres import schema
from hookclaw_py.store.dialects.postgres.connection import HEEDING
from hookclaw_py.store.placing import Elsewhere

try:
    import psycopg
except ImportError as error:
    raise MissingExtraError("a store on PostgreSQL", "postgres") from error

MOST = 16  # connections of a process to a server
WAITING = 0.5  # seconds for a connection; a prompt waits no longer
AWAY = 1.0  # seconds that a server which did not answer is not asked again: a prompt need not wait for it once more
READ_ONLY = "is read only, as a standby is"
_AS: Mapping[str, Any] = {
    "autocommit": True,
    "prepare_threshold": None,
    "connect_timeout": 5,
    "client_encoding": "utf8",
    **HEEDING,
}
"""How a connection is made: after 5 seconds a server is taken for away."""
_REFUSING = ("FATAL:", "fe_sendauth", "SSL")  # a server that is there, in the words of libpq
_AWAY = (
    "08",
    "57P",
)  # what a server's own codes begin with when it ends connections; with any other it is there, and refuses a statement
_SILENT = "does not answer"
_COMING = "the database system is"  # starting up, shutting down, in recovery

log = logging.getLogger("hookclaw")
logging.getLogger("psycopg").addHandler(logging.NullHandler())  # what it passes over is no line on stderr


class Server:
    """A database on a server: connections, and whether it is there.

    No ``psycopg_pool``: it asks a server that was away less and less often, and a prompt would wait for it each time.
    """

    def __init__(self, place: Elsewhere) -> None:
        self.place = place.shown
        self.role, self.user = "", ""
        self._url, self._away_until, self._trouble = place.url, 0.0, ""
        self._idle: deque[Any] = deque()
        self._telling = threading.Lock()
        self._free = threading.BoundedSemaphore(MOST)
        self._connecting = ThreadPoolExecutor(MOST, thread_name_prefix="postgres")

    @contextmanager
    def connection(self, *, waiting: float = WAITING, beside: bool = False) -> Iterator[Any]:
        """Lend a connection; one that turns out to be broken is thrown away.

        One that is lent ``beside`` is not counted: whoever keeps it asks for others before it is given back.

        Raises:
            StoreError: if the server does not answer, or says that something is wrong.
        """
        if (trouble := self._trouble) and monotonic() < self._away_until:
            raise AwayError(trouble)
        if not beside and not self._free.acquire(timeout=max(0.01, waiting)):
            raise StoreError(f"{self.place}: all {MOST} connections are in use; try again")
        try:
            with self._explained():
                connection = self._usable(max(WAITING, waiting))
                self._tell("")
                try:
                    yield connection
                finally:
                    self._keep(connection)
        finally:
            if not beside:
                self._free.release()

    def is_read_only(self) -> bool:
        """Say whether nothing can be written: a standby, or a role that is to read.

        Raises:
            StoreError: if it does not answer.
        """
        with self.connection() as connection:
            found: str = connection.execute("SHOW transaction_read_only").fetchone()[0]
        return found == "on"

    def beginning(self, agent: str) -> str:
        """Return the statement by which a transaction is that agent's (by number; "" nobody's), and what comes after it is not."""
        role = f", set_config('role', '{self.role}', true)" if self.role else ""
        return f"SELECT set_config('search_path', '{schema.SCHEMA}', true), set_config('hookclaw.agent', '{agent}', true){role}"

    def close(self) -> None:
        """Close the connections that nobody uses; it can be called twice."""
        while self._idle:
            self._idle.pop().close()
        self._connecting.shutdown(wait=False, cancel_futures=True)

    def _usable(self, waiting: float) -> Any:
        """Return a connection that was used before and still is one, else a new one."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                break
            if not select([connection], [], [], 0)[0]:  # what has something to say, and nobody asked, says that it ends
                return connection
            connection.close()
        coming = self._connecting.submit(self._connected)
        try:
            return coming.result(waiting)
        except TimeoutError:
            coming.add_done_callback(lambda late: None if late.exception() else self._keep(late.result()))
            raise psycopg.OperationalError(f"no answer within {waiting:g} s") from None

    def _keep(self, connection: Any) -> None:
        if not connection.closed and connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def _connected(self) -> Any:
        """Connect; nothing is prepared, for poolers keep no statements."""
        try:
            connection = psycopg.connect(self._url, **_AS)
        except psycopg.ProgrammingError as error:
            said = f": {_first_line(error)}" if self._url == self.place else ""  # libpq repeats passwords in it
            raise StoreError(f"{self.place}: names no server as postgresql://USER@HOST/DATABASE does{said}") from error
        try:
            if not self.user:
                self._get_to_know(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _get_to_know(self, connection: Any) -> None:
        """See to the tables, and who works in them."""
        try:
            schema.make(connection)
        except StoreError as error:
            raise StoreError(f"{self.place}: {error}") from error
        found = connection.execute(
            "SELECT current_user, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
        )
        user, above = found.fetchall()[0]
        self.role, self.user = schema.ROLE if above else "", user

    def _tell(self, trouble: str) -> str:
        """Log that the server is away when that begins, and when it ends (""); of one that goes on not to answer return what was said first."""
        with self._telling:
            before = self._trouble
            if _SILENT not in trouble or _SILENT not in before:
                self._trouble = trouble
            told = self._trouble
        if told and not before:
            log.warning("hookclaw: %s", told)
        elif before and not told:
            log.warning("hookclaw: %s: answers again", self.place)
        return told

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except psycopg.OperationalError as error:
            if isinstance(error, psycopg.errors.LockNotAvailable):
                raise StoreError(f"{self.place}: is being written to by somebody else; try again") from error
            if isinstance(error, psycopg.errors.ProgramLimitExceeded):
                raise TooLongError(f"{self.place}: {_first_line(error)}") from error
            if error.sqlstate and not error.sqlstate.startswith(_AWAY):
                raise StoreError(f"{self.place}: {_first_line(error)}") from error
            trouble = self._tell(f"{self.place}: {_said(error)}")
            self._away_until = monotonic() + AWAY
            raise AwayError(trouble) from error
        except psycopg.errors.InsufficientPrivilege as error:
            user = self.user or urlsplit(self._url).username or "…"
            raise StoreError(f"{self.place}: {_first_line(error)}; grant it: GRANT {schema.ROLE} TO {user}") from error
        except psycopg.errors.ReadOnlySqlTransaction as error:
            raise StoreError(f"{self.place}: {READ_ONLY}; nothing is noted there") from error
        except psycopg.Error as error:
            raise StoreError(f"{self.place}: {_first_line(error)}") from error


def _said(error: psycopg.OperationalError) -> str:
    """Return what became of asking a server: it refuses, or nobody is there."""
    line = _first_line(error)
    if error.sqlstate is None and any(sign in line for sign in _REFUSING) and _COMING not in line:
        return f"does not let us in: {line}; see to that, or correct its URL"
    return f"{_SILENT}: {line}; start it, or correct its URL"


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)


_servers: dict[str, Server] = {}
_opening = threading.Lock()


def server(place: Elsewhere) -> Server:
    """Return a server, whose connections all agents of this process share.

    Raises:
        StoreError: if none is named, or not so that its password can be told apart.
    """
    if not place.url.strip():
        raise StoreError("no server is named; write postgresql://USER@HOST/DATABASE")
    if problem := problem_of(place.url):
        raise StoreError(f"{place.shown}: {problem}")
    with _opening:
        if place.url not in _servers:
            _servers[place.url] = Server(place)
        return _servers[place.url]


@atexit.register
def close_all() -> None:
    """Close every connection of this process."""
    for one in _servers.values():
        one.close()
