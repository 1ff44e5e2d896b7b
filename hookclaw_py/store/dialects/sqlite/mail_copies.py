"""Copies of the file of messages: backups, and how one takes the file's place."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from hookclaw_py.config import make_private
from hookclaw_py.errors import StoreError
from hookclaw_py.store.dialects.sqlite import copies, disk, mail, pages
from hookclaw_py.store.dialects.sqlite.connection import plain

_BUSY_SECONDS = 10.0


def back_up(file: Path, target: Path) -> None:
    """Copy the messages, while they are used, into one file.

    Raises:
        StoreError: if they are damaged, or the copy cannot be written.
    """
    if target.exists():
        raise StoreError(f"{target} is there already; give the backup another name")
    if not file.exists():
        raise StoreError(f"there are no messages in {file.parent}")
    try:
        with disk.explained(str(file)), closing(disk.opened_to_read(file, busy_seconds=_BUSY_SECONDS)) as live:
            _see_to_it_that_it_is_sound(live, file)
            pages.copy_to_file(live, target, str(file))
    except OSError as error:
        raise StoreError(f"cannot write {target}: {error.strerror}") from error


def restore(file: Path, source: Path) -> Path | None:
    """Put a backup in the place of the messages; return where those that were there are kept.

    Nobody is woken for what was sent before: what no turn had shown comes with the next prompt. Ids count on.

    Raises:
        StoreError: if the backup is damaged, not ours or of a newer version, or the messages cannot be written.
    """
    if not source.is_file():
        raise StoreError(f"there is no backup {source}")
    try:
        make_private(file.parent)
        with copies.draft_of(file) as draft, disk.explained(str(source)):
            with closing(plain(source)) as old, closing(disk.connect(draft, busy_seconds=0)) as new:
                _see_to_it_that_it_is_sound(old, source)
                pages.copy(old, new, str(source))
                mail.bring_up(new, str(source))
                new.execute("PRAGMA journal_mode = WAL")
                new.execute("UPDATE counter SET last = max(last, ?)", (_newest(file),))
                new.execute("UPDATE inbox SET due = NULL")
            aside = None
            if file.exists():
                aside = copies.free_name(file, "before-restore")
                copies.copy_raw(file, aside)
            copies.put_in_place(draft, file)
            return aside
    except OSError as error:
        raise StoreError(f"cannot write in {file.parent}: {error.strerror}; check its owner and mode") from error


def _see_to_it_that_it_is_sound(connection: sqlite3.Connection, file: Path) -> None:
    try:
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if not getattr(error, "sqlite_errorname", "").startswith(disk.DAMAGE):
            raise
        owner, version, said = mail.APPLICATION_ID, mail.VERSION, str(error)
    if said != "ok":
        raise StoreError(f"{file} is damaged ({' '.join(said.split())})")
    if owner != mail.APPLICATION_ID:
        raise StoreError(f"{file} holds no messages between agents")
    if version > mail.VERSION:
        raise StoreError(f"{file} was written by a newer hookclaw; upgrade hookclaw_py")


def _newest(file: Path) -> int:
    """Return the highest id that was given, as far as that can be read."""
    with suppress(sqlite3.Error, OSError):
        if file.exists():
            with closing(plain(file)) as live:
                number: int = live.execute("SELECT last FROM counter").fetchone()[0]
                return number
    return 0
