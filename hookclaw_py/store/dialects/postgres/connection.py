"""A connection to PostgreSQL, and how the one text of our SQL is written for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

HEEDING = {"keepalives_idle": 30, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 5_000}
"""How a connection is made that is known to be lost when it is, because a laptop slept or is in another network: after 45 seconds, asked after 5."""
_NUL = "\x00"
_INSTEAD_OF_NUL = "\ufffd"
"""PostgreSQL keeps no U+0000 in a text."""


@lru_cache(maxsize=2000)
def in_postgres(statement: str) -> str:
    """Return a statement as psycopg takes it."""
    return statement.replace("%", "%%").replace("?", "%s")


@lru_cache(maxsize=2000)
def of_an_agent(statement: str) -> str:
    """Return a statement as psycopg takes it, where what is unique is so for each agent."""
    return in_postgres(statement).replace("ON CONFLICT (", "ON CONFLICT (agent, ")


class PostgresConnection:
    """A connection on which the statements of the store run as they stand, but for how they are ``written``."""

    def __init__(self, raw: Any, *, written: Callable[[str], str] = in_postgres) -> None:
        self.raw, self._written = raw, written

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Any:
        """Run a statement."""
        return self.raw.execute(self._written(statement), _kept(values))

    def executemany(self, statement: str, values: Iterable[Sequence[Any]], /) -> object:
        """Run a statement with each of these values."""
        if given := [_kept(row) for row in values]:
            with self.raw.cursor() as cursor:
                cursor.executemany(self._written(statement), given)
        return None

    def among(self, column: str) -> str:
        """Return the condition that a text column is one of many."""
        return f"{column} = ANY(?)"

    def many(self, texts: Collection[str]) -> list[str]:
        """Return texts as the value of that condition."""
        return sorted(texts)


def _kept(values: Sequence[Any]) -> Sequence[Any]:
    if any(isinstance(value, str) and _NUL in value for value in values):
        return [value.replace(_NUL, _INSTEAD_OF_NUL) if isinstance(value, str) else value for value in values]
    return values
