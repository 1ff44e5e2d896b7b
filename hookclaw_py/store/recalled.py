"""What a recall, and the indexes behind it, read of a store: ports like those of ``store.ports``, of which a part of one will do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from hookclaw_py.model.types import Chunk, Period, Uses
from hookclaw_py.store.values import Changes, FileRecord, Vectors

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import TokenVectors


class Versioned(Protocol):
    """A store that says whether anything in it has changed."""

    @property
    def replaced(self) -> int:
        """How often another store was found in the place of the one that was open: deleted, rebuilt, restored."""

    def generation(self) -> int:
        """Return the counter that every visible change raises, in this process or another."""


class Chunks(Protocol):
    """What a recall reads of the passages."""

    def chunks(self, ids: Iterable[str]) -> Mapping[str, Chunk]:
        """Return the chunks with these ids, in the order given; unknown ids are left out."""

    def dated(self, period: Period, pool_size: int) -> Sequence[str]:
        """Return up to ``pool_size`` ids of chunks whose date may lie in ``period``, newest first."""

    def names(self) -> frozenset[str]:
        """Return the headings, titles and aliases that are names: folded phrases of one to four words."""

    def tokens(self, model_id: str, ids: Iterable[str]) -> Mapping[str, TokenVectors]:
        """Return the token vectors by ``model_id`` of those of these chunks that have some."""


class Recollection(Protocol):
    """What a recall reads of the past: what is known of the use of memories."""

    def uses(self, ids: Iterable[str]) -> Mapping[str, Uses]:
        """Return what is known of the use of these memories; those of which nothing is known are left out."""

    def only_marks(self, ids: Iterable[str]) -> Mapping[str, Uses]:
        """Return what a person pinned or blocked of these memories and nothing else: for when ``uses`` fails."""

    def pinned(self) -> Sequence[str]:
        """Return the ids of the chunks of what a person pinned, a few at most: they compete whatever the search finds."""


class Recalled(Chunks, Recollection, Protocol):
    """All that a recall reads."""


class Derivable(Versioned, Protocol):
    """What indexes are derived from, and follow."""

    @property
    def lasting(self) -> bool:
        """Whether what is derived may be kept for the next start."""

    def count(self) -> int:
        """Return the number of chunks."""

    def changes_since(self, generation: int) -> Changes:
        """Return what happened to the chunks after ``generation``."""

    def vectors_since(self, model_id: str, generation: int) -> Vectors:
        """Return the vectors of ``model_id`` that became available after ``generation``, and the chunks deleted since."""

    def drop_vectors(self, model_id: str, ids: Iterable[str]) -> None:
        """Delete the vectors of these chunks, so that their texts are embedded again."""


class Parted(Recalled, Derivable, Protocol):
    """A store of which a part can be asked as if there were nothing else: the files ``within`` (None: all of them)."""

    def files(self) -> Mapping[str, FileRecord]:
        """Return what is known of each indexed file, by path."""

    def count(self, within: Collection[str] | None = None) -> int:
        """Return the number of chunks."""

    def dated(self, period: Period, pool_size: int, within: Collection[str] | None = None) -> Sequence[str]:
        """Return up to ``pool_size`` ids of chunks whose date may lie in ``period``, newest first."""

    def names_of(self, within: Collection[str] | None) -> frozenset[str]:
        """Return the names in these files, see ``names``."""

    def changes_since(self, generation: int, within: Collection[str] | None = None) -> Changes:
        """Return what happened to the chunks after ``generation``."""

    def vectors_since(self, model_id: str, generation: int, within: Collection[str] | None = None) -> Vectors:
        """Return the vectors of ``model_id`` that became available after ``generation``."""
