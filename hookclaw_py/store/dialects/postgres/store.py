"""The store on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from hookclaw_py.store.dialects.postgres import schema
from hookclaw_py.store.dialects.postgres.transactions import PostgresTransactions
from hookclaw_py.store.placing import Elsewhere
from hookclaw_py.store.sql.handing_over import Columns, Sum
from hookclaw_py.store.sql.passages import KEPT
from hookclaw_py.store.sql.store import SQLStore


class PostgresStore(SQLStore, PostgresTransactions):
    """One agent's memory on a server. Safe to use from several threads, processes and machines.

    Every method raises ``StoreError`` when the server does not answer or refuses.
    """

    def __init__(self, place: Elsewhere, agent: str, *, coming: bool = False) -> None:
        PostgresTransactions.__init__(self, place, agent, coming=coming)
        SQLStore.__init__(self, KEPT)

    def take_over(self, given: Iterable[tuple[str, list[Sequence[Any]]]], columns: Columns) -> dict[str, Sum]:
        """Hold those rows and no others; what is numbered from now on is numbered behind them."""
        with self.together():
            sums = super().take_over(given, columns)
            with self._writing() as connection:
                for table, column in schema.numbered().items():
                    sequence = f"pg_get_serial_sequence('{table}', '{column}')"
                    connection.execute(
                        f"SELECT setval({sequence}, GREATEST(nextval({sequence}), max({column}))) FROM {table}"
                    )
        return sums


class PassingStore(PostgresStore):
    """The memory of an agent whom nobody knows but the one who opened it: closed, it is gone."""

    lasting = False

    def __init__(self, url: str) -> None:
        super().__init__(Elsewhere(url, f"passing {uuid4().hex}"), "main")

    def close(self) -> None:
        """Delete all of it; it can be called twice."""
        if not self._closed:
            with self._writing() as connection:
                for table in reversed(schema.names()):
                    connection.execute(f"DELETE FROM {table}")
                connection.execute("DELETE FROM agent WHERE id = ?", (self._key,))
        super().close()
