"""What an operator asks of a server: what it is, whose rows it holds, and how much room they take."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

_MANY = 1_000  # dead rows, below which a table is not worth a word
_SHARE = 0.2  # of all rows


@dataclass(frozen=True, slots=True)
class Held:
    """What a server holds of one agent.

    ``bytes`` are those of its rows, without indexes and without what vacuum has not taken back; ``memories`` are those that
    have not ended, ``indexed_at`` is when notes were read last.
    """

    space: str
    agent: str
    chunks: int
    memories: int
    bytes: int
    generation: int
    indexed_at: datetime | None


@dataclass(frozen=True, slots=True)
class TableSize:
    """How much room a table takes with its indexes, for all agents, as the server's statistics have it.

    ``dead`` rows are gone for whoever asks, and their bytes are there until ``vacuumed``.
    """

    name: str
    rows: int
    dead: int
    bytes: int
    vacuumed: datetime | None

    @property
    def bloated(self) -> bool:
        """Whether vacuum leaves too much of it as it is."""
        return self.dead > max(_MANY, _SHARE * (self.rows + self.dead))


@dataclass(frozen=True, slots=True)
class Served:
    """A server as one role sees it.

    ``schema`` is where its tables are; ``works_as`` is the role of its transactions: one above row security works as another. ``administers`` says that it is the
    ``owner`` of the tables, or above that. ``unguarded`` are tables whose rows other agents could see, ``lacking`` indexes that are
    not there or not valid; ``behind`` is how many seconds a standby has still to take over, None where it is none.
    """

    place: str
    schema: str
    version: str
    user: str
    works_as: str
    administers: bool
    owner: str
    read_only: bool
    behind: float | None
    unguarded: tuple[str, ...]
    lacking: tuple[str, ...]
    tables: tuple[TableSize, ...]

    @property
    def bytes(self) -> int:
        """All that its tables take, with indexes."""
        return sum(table.bytes for table in self.tables)
