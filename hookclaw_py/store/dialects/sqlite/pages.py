"""Copying a database page by page, with what is in its journal, while others use it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from time import monotonic

from hookclaw_py.errors import StoreError

_PATIENCE = 10.0  # seconds to wait for another process that writes


def copy(source: sqlite3.Connection, target: sqlite3.Connection, where: str) -> None:
    """Make ``target`` what ``source`` is, in one transaction: whoever has it open sees the one or the other."""
    until = monotonic() + _PATIENCE

    def give_up(status: int, remaining: int, total: int) -> None:  # noqa: ARG001
        if remaining and monotonic() > until:
            raise StoreError(f"{where}: another process holds it; wait until that is done, or end it")

    source.backup(target, progress=give_up, sleep=0.05)


def fit(draft: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Give a draft that nobody else has open pages of the size that ``target`` has: a journal takes no others."""
    own, wanted = (one.execute("PRAGMA page_size").fetchone()[0] for one in (draft, target))
    if own != wanted:
        draft.execute("PRAGMA journal_mode = DELETE")
        draft.execute(f"PRAGMA page_size = {wanted}")
        draft.execute("VACUUM")


def copy_to_file(source: sqlite3.Connection, target: Path, where: str) -> None:
    """Write a copy for its owner only (0600), without a journal, whole or not at all.

    Raises:
        OSError: if the file cannot be written.
    """
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        with closing(sqlite3.connect(part)) as new:
            copy(source, new, where)
            new.execute("PRAGMA journal_mode = DELETE")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
