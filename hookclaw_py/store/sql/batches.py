"""Statements about many keys, some hundred at a time: databases differ in how many values one statement may have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hookclaw_py.store.sql.connections import SQLConnection

_BATCH = 500


def found(
    connection: SQLConnection, statement: str, values: Iterable[Any], *, then: Sequence[Any] = ()
) -> Iterator[Any]:
    """Yield the rows of a statement about any number of values.

    They stand for its ``{}``, as in ``key IN ({})``; those of ``then`` follow in each statement. No values, no rows.
    """
    every = list(values)
    for start in range(0, len(every), _BATCH):
        batch = every[start : start + _BATCH]
        yield from connection.execute(statement.format(marks(len(batch))), (*batch, *then))


def marks(number: int) -> str:
    """Return the places of so many values."""
    return ",".join("?" * number)
