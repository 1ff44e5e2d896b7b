"""What keeps stores whole: whether one is there, what is damaged, backups, rebuilding. Today every store is SQLite's."""

from __future__ import annotations

from pathlib import Path

from hookclaw_py.store.dialects.sqlite import copies, disk
from hookclaw_py.store.dialects.sqlite.copies import Rebuilt as Rebuilt
from hookclaw_py.store.dialects.sqlite.copies import back_up as back_up
from hookclaw_py.store.dialects.sqlite.copies import rebuild as rebuild
from hookclaw_py.store.dialects.sqlite.copies import restore as restore

ENGINE = disk.ENGINE
"""The database and its version, for people."""
FILES = disk.FILES
"""What the files of a store are called, in its folder, as patterns."""


def is_there(folder: Path) -> bool:
    """Say whether a folder holds a store.

    Raises:
        OSError: if it cannot be looked into.
    """
    return disk.file_in(folder).exists()


def damage(folder: Path) -> str:
    """Look through a store that is not open; say what is wrong with it, "" when nothing is.

    Raises:
        StoreError: if it is not ours, of a newer version, or cannot be opened.
    """
    return copies.damage(disk.file_in(folder))
