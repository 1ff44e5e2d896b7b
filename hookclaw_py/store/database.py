"""The store: one agent's chunks, vectors and files in one database. Everything else is derived from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from hookclaw_py.errors import StoreError
from hookclaw_py.model.types import Chunk
from hookclaw_py.store import placing
from hookclaw_py.store.content import embedded
from hookclaw_py.store.dialects.postgres.mail import PostgresMail
from hookclaw_py.store.dialects.sqlite import disk, mail, mail_copies
from hookclaw_py.store.dialects.sqlite.mail import SQLiteMail
from hookclaw_py.store.dialects.sqlite.migrations import MIGRATIONS, Migration
from hookclaw_py.store.dialects.sqlite.transactions import Transactions
from hookclaw_py.store.sql.mail import SQLMail
from hookclaw_py.store.sql.passages import KEPT, Kept
from hookclaw_py.store.sql.store import SQLStore

if TYPE_CHECKING:
    from hookclaw_py.store.ports import AgentStore


def opened(folder: Path | None) -> AgentStore:
    """Open an agent's store where it is kept, made if it is not there; None is a new one in memory.

    Raises:
        StoreError: if it cannot be opened, and what to do.
    """
    place = placing.elsewhere(folder)
    if folder is None or place is None:
        return Store.open(folder)
    from hookclaw_py.store.dialects.postgres.store import PostgresStore

    try:
        return PostgresStore(place, folder.name)
    except StoreError as error:
        if told := placing.unfinished(folder):  # what the server says of it is for other machines
            raise StoreError(f"{error}; {told}") from error
        raise


def passing(url: str) -> AgentStore:
    """Open a new store that is gone when it is closed: in memory, or on the server at ``url``.

    Raises:
        StoreError: if the server does not answer.
    """
    if not url:
        return Store.open(None)
    from hookclaw_py.store.dialects.postgres.store import PassingStore

    return PassingStore(url)


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

    def close(self) -> None:
        """Close the store, and let go of what was kept of it in memory; it can be called twice."""
        Transactions.close(self)
        self._forget_what_was_read()

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


class MailStore(SQLiteMail, SQLMail):
    """The messages between the agents of one home. Safe to use from several threads and processes.

    Every method raises ``StoreError`` when the database cannot be read or written.
    """

    @classmethod
    def at_home(cls, home: Path, *, busy_seconds: float = 5.0) -> Self:
        """Open the messages of a home, made if there are none.

        Raises:
            StoreError: if the database is damaged, locked, not writable, from a newer version or not ours.
        """
        return cls(home / mail.NAME, busy_seconds=busy_seconds)

    @staticmethod
    def back_up(home: Path, target: Path) -> None:
        """Copy the messages of a home, while they are used, into one file.

        Raises:
            StoreError: if there are none, they are damaged, or the copy cannot be written.
        """
        mail_copies.back_up(home / mail.NAME, target)

    @staticmethod
    def restore(home: Path, source: Path) -> Path | None:
        """Put a backup in the place of a home's messages; return where those that were there are kept.

        Raises:
            StoreError: if the backup is none of ours, or the messages cannot be written.
        """
        return mail_copies.restore(home / mail.NAME, source)

    @staticmethod
    def is_at(home: Path) -> bool:
        """Say whether a home has messages."""
        return (home / mail.NAME).exists()


class SharedMailStore(PostgresMail, SQLMail):
    """The messages between agents of several machines, in PostgreSQL."""
