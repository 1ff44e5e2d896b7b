"""What a store gives and takes that is no noun of the engine: files, changes, vectors, counters, leases."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hookclaw_py.model.happening import Happening
from hookclaw_py.model.kind import RECORDS, Kind, kind_of_recipe

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import Matrix

Key = tuple[str, tuple[str, ...]]
"""The name of a counter, and its label values."""


class FileRecord(NamedTuple):
    """What a file was when its chunks were made; ``recipe`` names the chunker, tokenizer and flags that made them.

    ``warnings`` say what was wrong with the file, without naming it. ``shared`` is what the file says of others than its
    owner hearing of it, None if nothing.
    """

    digest: str
    size: int
    mtime_ns: int
    recipe: str
    warnings: tuple[str, ...] = ()
    shared: bool | None = None

    @property
    def kind(self) -> Kind:
        """The kind of its chunks."""
        return kind_of_recipe(self.recipe)

    @property
    def captured(self) -> bool:
        """Whether it is none: its words were said where a host reported them, and stand nowhere else."""
        return is_captured(self.recipe)


def is_captured(recipe: str) -> bool:
    """Say whether what was made by this recipe stands in no file."""
    return recipe.split(" ")[1:2] == ["captured"] or kind_of_recipe(recipe) in RECORDS


class Replaced(NamedTuple):
    """How many chunks a file gained, kept and lost."""

    added: int
    kept: int
    removed: int


class Changes(NamedTuple):
    """What a lexical index needs to catch up to ``generation``: (id, terms, context) to add or replace, then ids to delete.

    A chunk's context are its terms and those of the chunk before, the chunk after and its date; it is also "changed"
    when only its neighbours are. If ``complete``, the index must start from empty.
    """

    added: list[tuple[str, list[str], list[str]]]
    deleted: list[str]
    generation: int
    complete: bool


class VectorRows(Protocol):
    """Rows of float32, by pieces: a matrix is that, and so is what makes them when it is asked."""

    @property
    def shape(self) -> tuple[int, ...]:
        """How many rows there are, of how many values."""

    def __getitem__(self, places: slice, /) -> Matrix:
        """Return these rows, shape (how many, dimension)."""


class Vectors(NamedTuple):
    """What a vector index needs to catch up to ``generation``: a row for each of ``ids``.

    ``deleted`` chunks are gone; if ``complete``, the index must start from empty.
    """

    ids: list[str]
    rows: VectorRows
    deleted: list[str]
    generation: int
    complete: bool


class Cleaned(NamedTuple):
    """The copies that something was taken out of, and those that were too damaged for it and deleted."""

    cleaned: list[Path]
    deleted: list[Path]


class Lane(StrEnum):
    """Who works on what waits: rules at once, a model later; what waits for one holds up nothing of the other."""

    RULES = "rules"
    MODEL = "model"


class Lease(NamedTuple):
    """Happenings of one session, in their order, for one to work on; the first was tried ``attempts`` times before."""

    token: str
    session: str
    happenings: tuple[Happening, ...]
    attempts: int


class SetRight(NamedTuple):
    """What a person took back of what was learned, when, and what they said ``after`` that in its place, "" if nothing."""

    at: datetime
    before: str
    after: str


class Waiting(NamedTuple):
    """How much is captured, of how many sessions, and how much of it waits; ``stuck`` are among those at work.

    ``due`` is when the next one may be worked on, ``last`` when something happened last; ``errors`` are the newest, by id.
    """

    captured: int
    sessions: int
    pending: int
    processing: int
    stuck: int
    failed: int
    due: datetime | None
    last: datetime | None
    errors: tuple[tuple[str, str], ...]
