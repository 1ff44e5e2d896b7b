"""What the SQL asks of its dialect: connections for different haste, transactions, and what the database is for the system."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Any, Protocol

from hookclaw_py.errors import StoreError
from hookclaw_py.store.values import Cleaned


class Busy(StoreError):
    """Another thread uses the connection."""


class Rows(Protocol):
    """The rows that a statement finds."""

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any:
        """Return the next row, None when there is no more."""

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""


class SQLConnection(Protocol):
    """What a statement is run on. Each ``?`` in its text is a value's place, and no other character has a meaning of its own.

    Keys are signed integers of 64 bits, moments ISO 8601 texts that sort by time, lists of texts JSON (``rows.listed``).
    """

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Rows:
        """Run a statement."""

    def executemany(self, statement: str, values: Iterable[Sequence[Any]], /) -> object:
        """Run a statement with each of these values."""

    def among(self, column: str) -> str:
        """Return the condition that a text column is one of many, with one ``?`` for them all."""

    def many(self, texts: Collection[str]) -> Any:
        """Return texts, however many, as the value of that ``?``."""


class Unit(threading.local):
    """The connection on which this thread makes one unit of all that it does; None where it makes none."""

    connection: Any = None


class Connections(ABC):
    """The connections of one process to one agent's database. Safe to use from threads.

    What a database says wrong is raised as ``StoreError``, with what to do.
    """

    _unit: Unit

    @abstractmethod
    def _reading(self, *, bulk: bool = False, within: float = -1) -> AbstractContextManager[SQLConnection]:
        """Give a connection to read with: for quick answers, or for ``bulk``.

        Raises:
            Busy: if other reads take longer than ``within`` seconds (below 0: they may).
        """

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[SQLConnection]:
        """Several bulk reads that see the same generation."""

    @abstractmethod
    def _writing(self, noting_within: float | None = None) -> AbstractContextManager[SQLConnection]:
        """One transaction: all of it, or nothing. An event waits at most ``noting_within`` seconds for other writers."""

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make all that this thread writes inside one unit: all of it, or nothing. It sees its own changes meanwhile."""
        with self._writing() as connection:
            outer, self._unit.connection = self._unit.connection, connection
            try:
                yield
            except BaseException:  # Ctrl-C too, as the transaction around it: what was read of what is undone never was
                self._forget_what_was_read()
                raise
            finally:
                self._unit.connection = outer

    @abstractmethod
    def vectors_as_kept(self, model_id: str, generation: int) -> bytes:
        """Return all vectors as they are kept, in the order of their rows; none where these are far away."""

    @abstractmethod
    def forget_in_copies(self, *, at: datetime) -> Cleaned:
        """Take what the store forgot out of its copies that were set aside; one that cannot be cleaned is deleted."""

    @abstractmethod
    def close(self) -> None:
        """Close the store; it can be called twice."""

    @abstractmethod
    def _note_forgotten(self, connection: SQLConnection, ids: Collection[str] = ()) -> None:
        """Remember what was forgotten where it outlives the database, too."""

    @abstractmethod
    def _let_no_trace_stay(self) -> None:
        """Have what was deleted gone from wherever the database would hold it a while longer."""

    @abstractmethod
    def _forget_what_was_read(self) -> None:
        """Let go of what is kept in memory of the database."""
