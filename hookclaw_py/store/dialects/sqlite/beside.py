"""What was forgotten, in a file beside the database: it holds whatever becomes of that one."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from hookclaw_py.errors import StoreError
from hookclaw_py.privacy.files import replace_text
from hookclaw_py.store.sql import forgetting
from hookclaw_py.store.sql.connections import SQLConnection

FILE = "forgotten"


class Beside(NamedTuple):
    """What was forgotten: digests of headings and texts, and the ids of their memories and chunks. Nothing of what they said."""

    digests: frozenset[bytes]
    ids: frozenset[str]


NOTHING = Beside(frozenset(), frozenset())


def read(folder: Path) -> Beside:
    """Return what a store's folder remembers as forgotten, whatever has become of its database."""
    try:
        return _told(folder)
    except OSError:
        return NOTHING


def _told(folder: Path) -> Beside:
    try:
        told = json.loads((folder / FILE).read_bytes())
        return Beside(frozenset(map(bytes.fromhex, told["digests"])), frozenset(told["ids"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return NOTHING


def note(connection: SQLConnection, folder: Path, ids: Collection[str] = ()) -> None:
    """Remember what was forgotten in the database, and these ids.

    Raises:
        StoreError: if that cannot be written: then it must not be forgotten either.
    """
    try:
        before = _told(folder)
        known = Beside(before.digests | forgetting.digests_of(connection), before.ids | frozenset(ids))
        if known == before:
            return
        told = {"digests": sorted(digest.hex() for digest in known.digests), "ids": sorted(known.ids)}
        replace_text(folder / FILE, json.dumps(told))
    except OSError as error:
        raise StoreError(f"cannot write what was forgotten to {folder / FILE}: {error.strerror}") from error


def forget_again(connection: SQLConnection, known: Beside, *, at: datetime) -> bool:
    """Purge it from a database; say whether there was any of it."""
    return forgetting.purge_again(connection, known.digests, known.ids, at=at)
