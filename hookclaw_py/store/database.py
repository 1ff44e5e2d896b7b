"""The store: one agent's chunks, vectors and files in one database. Everything else is derived from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from hookclaw_py.model.types import Chunk
from hookclaw_py.store.content import embedded
from hookclaw_py.store.dialects.sqlite import disk
from hookclaw_py.store.dialects.sqlite.migrations import MIGRATIONS, Migration
from hookclaw_py.store.dialects.sqlite.transactions import Transactions
from hookclaw_py.store.sql.passages import KEPT, Kept
from hookclaw_py.store.sql.store import SQLStore


def embedding_text(chunk: Chunk) -> str:
    """Return what is embedded for a chunk: its heading path without bare dates, then its text."""
    return embedded(chunk.heading, chunk.text)


class Store(SQLStore, Transactions):
    """One agent's memory. Safe to use from several threads and processes; readers never wait for the indexer.

    Every method raises ``StoreError`` when the database cannot be read or written.
    """

    def __init__(
        self,
        file: Path | None,
        *,
        busy_seconds: float,
        kept: Kept = KEPT,
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> None:
        Transactions.__init__(self, file, busy_seconds=busy_seconds, migrations=migrations)
        SQLStore.__init__(self, kept)

    @classmethod
    def open(
        cls,
        folder: Path | None,
        *,
        busy_seconds: float = 5.0,
        kept: Kept = KEPT,
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> Self:
        """Open the store in ``folder``, made if it is not there; None is a new store in memory.

        Raises:
            StoreError: if the database is damaged, locked, not writable, from a newer version or not ours.
        """
        file = None if folder is None else disk.file_in(folder)
        return cls(file, busy_seconds=busy_seconds, kept=kept, migrations=migrations)
