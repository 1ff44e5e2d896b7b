"""What a store remembers beside memories: facts by name, decisions, and counters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from hookclaw_py.model.types import Chunk
from hookclaw_py.store.decisions import Glance, Told
from hookclaw_py.store.sql import decisions, facts, forgetting, rows
from hookclaw_py.store.sql.connections import Connections
from hookclaw_py.store.values import Key

_COUNT = """
    INSERT INTO counts (name, labels, amount) VALUES (?, ?, ?)
    ON CONFLICT (name, labels) DO UPDATE SET amount = counts.amount + excluded.amount
"""


class Ledger(Connections):
    """The part of a store that keeps book."""

    def get_meta(self, key: str, default: Any = None) -> Any:
        """Return the JSON value remembered under ``key``."""
        with self._reading() as connection:
            return facts.get(connection, key, default)

    def set_meta(self, key: str, value: Any) -> None:
        """Remember a JSON value under ``key``; this is no visible change."""
        with self._writing() as connection:
            facts.put(connection, key, value)

    def decisions(
        self, *, limit: int | None = None, session: str = "", outcome: str = "", since: datetime | None = None
    ) -> list[Glance]:
        """Return the newest decisions first; of one session, of one outcome, not older than ``since``."""
        with self._reading(bulk=True) as connection:
            return decisions.latest(connection, limit=limit, session=session, outcome=outcome, since=since)

    def decisions_beginning_with(self, prefix: str, *, most: int) -> list[Told]:
        """Return up to ``most`` decisions whose id begins with ``prefix``, the newest first."""
        with self._reading(bulk=True) as connection:
            return decisions.beginning_with(connection, prefix, most=most)

    def add_decisions(self, told: Sequence[Told], *, about: Collection[Chunk], most: int) -> None:
        """Add decisions in the place of those of the same id; the oldest beyond ``most`` go.

        Of the chunks they are ``about``, those that were forgotten since are taken out of the stories.
        """
        with self._writing() as connection:
            decisions.write(connection, told, most=most)
            left = {chunk.id for chunk in forgetting.without_forgotten(connection, list(about))}
            if gone := {chunk.id for chunk in about} - left:
                decisions.purge(connection, gone)

    def counts(self) -> dict[Key, float]:
        """Return every counter."""
        with self._reading(bulk=True) as connection:
            found = connection.execute("SELECT name, labels, amount FROM counts").fetchall()
        return {(name, rows.texts(labels)): amount for name, labels, amount in found}

    def add_counts(
        self, amounts: Mapping[Key, float], *, told: Mapping[str, Any] = {}, busy_seconds: float | None = None
    ) -> None:
        """Add ``amounts`` to the counters, and replace the facts ``told``: all of it, or nothing.

        Raises:
            StoreError: if another writer is still at work after ``busy_seconds`` (None: as long as the store is patient).
        """
        counted = [(name, rows.listed(labels), amount) for (name, labels), amount in amounts.items()]
        with self._writing(busy_seconds) as connection:
            connection.executemany(_COUNT, counted)
            for name, value in told.items():
                facts.put(connection, name, value)
