"""The store on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

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
