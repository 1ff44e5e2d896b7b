"""A part of a store as a clause of SQL: what is asked within it never sees the rest."""

from __future__ import annotations

from typing import Any

from hookclaw_py.store.recalled import Part
from hookclaw_py.store.sql.connections import SQLConnection


def where(connection: SQLConnection, within: Part, *conditions: str, chunks: str = "") -> tuple[str, list[Any]]:
    """Return the clause for rows of ``chunks`` that fulfil these conditions and are ``within`` a part, and the part's values.

    Kinds are told by the keys that the index of kinds holds, so that no passage is read for its kind.
    """
    every, values = list(conditions), list[Any]()
    if within.files is not None:
        every.append(connection.among(f"{chunks}path"))
        values.append(connection.many(within.files))
    for kinds, word in ((within.only, "IN"), (within.without or None, "NOT IN")):
        if kinds is not None:
            every.append(f"{chunks}key {word} (SELECT key FROM chunks WHERE {connection.among('kind')})")
            values.append(connection.many(kinds))
    return f" WHERE {' AND '.join(every)}" if every else "", values
