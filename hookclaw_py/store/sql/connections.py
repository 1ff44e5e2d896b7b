"""What the SQL asks of its dialect: connections for different haste, transactions, and what the database is for the system."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Collection
from contextlib import AbstractContextManager

from hookclaw_py.errors import StoreError


class Busy(StoreError):
    """Another thread uses the connection."""


class Connections(ABC):
    """The connections of one process to one agent's database. Safe to use from threads.

    What a database says wrong is raised as ``StoreError``, with what to do.
    """

    @abstractmethod
    def _reading(self, *, bulk: bool = False, within: float = -1) -> AbstractContextManager[sqlite3.Connection]:
        """Give a connection to read with: for quick answers, or for ``bulk``.

        Raises:
            Busy: if other reads take longer than ``within`` seconds (below 0: they may).
        """

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[sqlite3.Connection]:
        """Several bulk reads that see the same generation."""

    @abstractmethod
    def _writing(self, noting_within: float | None = None) -> AbstractContextManager[sqlite3.Connection]:
        """One transaction: all of it, or nothing. An event waits at most ``noting_within`` seconds for other writers."""

    @abstractmethod
    def _note_forgotten(self, connection: sqlite3.Connection, ids: Collection[str] = ()) -> None:
        """Remember what was forgotten where it outlives the database, too."""

    @abstractmethod
    def _let_no_trace_stay(self) -> None:
        """Have what was deleted gone from wherever the database would hold it a while longer."""

    @abstractmethod
    def _forget_what_was_read(self) -> None:
        """Let go of what is kept in memory of the database."""
