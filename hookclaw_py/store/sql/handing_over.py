"""Handing over: everything a store holds goes to another one, whatever databases they are on, and is compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, NamedTuple

from hookclaw_py.store.sql import facts
from hookclaw_py.store.sql.connections import Connections, SQLConnection

Columns = Mapping[str, Sequence[str]]
"""The tables and their columns; a table stands behind those that it leans on."""
MOVED = "moved"
"""Under which name a store that was given up says where its memory is."""
_AT_ONCE = 500  # rows


class Sum(NamedTuple):
    """How many rows a table holds, and a digest of them in whatever order."""

    rows: int
    digest: int

    def and_those(self, rows: Iterable[Sequence[Any]]) -> Sum:
        """Return the sum with more rows."""
        digests = [int.from_bytes(blake2b(repr(_plain(row)).encode(), digest_size=16).digest()) for row in rows]
        return Sum(self.rows + len(digests), (self.digest + sum(digests)) % 2**128)


NOTHING = Sum(0, 0)


class HandingOver(Connections):
    """What a store can do to be moved."""

    @contextmanager
    def handed_over(self, columns: Columns) -> Iterator[Iterator[tuple[str, list[Sequence[Any]]]]]:
        """Give the rows of every table, some at a time, while nobody writes; nobody does until this ends."""
        with self._writing() as connection:
            yield ((table, rows) for table in columns for rows in _rows(connection, table, columns[table]))

    def take_over(self, given: Iterable[tuple[str, list[Sequence[Any]]]], columns: Columns) -> dict[str, Sum]:
        """Hold those rows and no others: all of them, or none; return what was given."""
        sums = dict.fromkeys(columns, NOTHING)
        with self._writing() as connection:
            _empty(connection, columns)
            for table, rows in given:
                names = ", ".join(columns[table])
                places = ", ".join("?" * len(columns[table]))
                connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", rows)
                sums[table] = sums[table].and_those(rows)
        self._forget_what_was_read()
        return sums

    def sums(self, columns: Columns) -> dict[str, Sum]:
        """Return what every table holds."""
        sums = dict.fromkeys(columns, NOTHING)
        with self._snapshot() as connection:
            for table in columns:
                for rows in _rows(connection, table, columns[table]):
                    sums[table] = sums[table].and_those(rows)
        return sums

    def give_up(self, columns: Columns, note: Mapping[str, str]) -> None:
        """Hold nothing any more but a note of where it is now; who waits to write here is refused."""
        with self._writing() as connection:
            _empty(connection, columns)
            facts.put(connection, MOVED, note)
        self._forget_what_was_read()


def _empty(connection: SQLConnection, columns: Columns) -> None:
    for table in reversed(list(columns)):
        connection.execute(f"DELETE FROM {table}")


def _rows(connection: SQLConnection, table: str, columns: Sequence[str]) -> Iterator[list[Sequence[Any]]]:
    found = iter(connection.execute(f"SELECT {', '.join(columns)} FROM {table}"))
    while rows := [tuple(row) for _, row in zip(range(_AT_ONCE), found, strict=False)]:
        yield [
            [bool(v) if name == "shared" and v is not None else v for name, v in zip(columns, row, strict=True)]
            for row in rows
        ]


def _plain(row: Sequence[Any]) -> list[Any]:
    """Return a row as both databases tell it; of U+0000 in a text one of them keeps that there was a character."""
    return [_as_told(value) for value in row]


def _as_told(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, memoryview):
        return bytes(value)
    return int(value) if isinstance(value, bool) else value
