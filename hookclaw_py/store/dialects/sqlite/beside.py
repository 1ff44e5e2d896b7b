"""What was forgotten, in a file beside the database: it holds whatever becomes of that one."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from hookclaw_py.store.sql import forgetting
from hookclaw_py.store.sql.connections import SQLConnection

FILE = "forgotten"


class Beside(NamedTuple):
    """What was forgotten: digests of headings and texts, and the ids of their memories and chunks. Nothing of what they said."""

    digests: frozenset[bytes]
    ids: frozenset[str]


def read(folder: Path) -> Beside:
    """Return what a store's folder remembers as forgotten, whatever has become of its database."""
    try:
        told = json.loads((folder / FILE).read_bytes())
        return Beside(frozenset(map(bytes.fromhex, told["digests"])), frozenset(told["ids"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Beside(frozenset(), frozenset())


def note(connection: SQLConnection, folder: Path, ids: Collection[str] = ()) -> None:
    """Remember what was forgotten in the database, and these ids."""
    before = read(folder)
    digests = before.digests | forgetting.digests_of(connection)
    known = Beside(digests, before.ids | frozenset(ids))
    if known == before:
        return
    told = {"digests": sorted(digest.hex() for digest in known.digests), "ids": sorted(known.ids)}
    draft = folder / f"{FILE}.{os.getpid()}"
    with open(draft, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        json.dump(told, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / FILE)


def forget_again(connection: SQLConnection, known: Beside, *, at: datetime) -> bool:
    """Purge it from a database; say whether there was any of it."""
    return forgetting.purge_again(connection, known.digests, known.ids, at=at)
