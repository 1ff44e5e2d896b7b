"""What a recall, and the indexes behind it, read of a store: ports like those of ``store.ports``, of which a part of one will do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hookclaw_py.model.kind import UNSEARCHED
from hookclaw_py.model.types import Chunk, Period, Uses
from hookclaw_py.store.values import Changes, FileRecord, Vectors

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import TokenVectors


class Part(NamedTuple):
    """A part of a store: the passages of these ``files``, of the kinds ``only`` (None: all), and of none of the kinds ``without``."""

    files: frozenset[str] | None = None
    only: frozenset[str] | None = None
    without: frozenset[str] = frozenset()

    def holds(self, chunk: Chunk) -> bool:
        """Say whether a passage is in it."""
        of_files = self.files is None or chunk.place.path in self.files
        return of_files and (self.only is None or chunk.kind.name in self.only) and chunk.kind.name not in self.without


EVERYTHING = Part()
ANSWERED_FROM = Part(without=UNSEARCHED)
"""What prompts are answered from, unless they ask for kinds."""


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

    def following(self, chunk: Chunk) -> Chunk | None:
        """Return the chunk behind this one in its file; None behind the last."""

    def names(self) -> Set[str]:
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

    def salience(self, ids: Iterable[str], now: datetime) -> Mapping[str, float]:
        """Return how present these records are by now; what is no record is left out."""


class Recalled(Chunks, Recollection, Protocol):
    """All that a recall reads."""


class Derivable(Versioned, Protocol):
    """What indexes are derived from, and follow."""

    @property
    def lasting(self) -> bool:
        """Whether what is derived may be kept for the next start."""

    def chunks(self, ids: Iterable[str]) -> Mapping[str, Chunk]:
        """Return the chunks with these ids; unknown ids are left out."""

    def count(self) -> int:
        """Return the number of chunks."""

    def changes_since(self, generation: int) -> Changes:
        """Return what happened to the chunks after ``generation``."""

    def vectors_since(self, model_id: str, generation: int) -> Vectors:
        """Return the vectors of ``model_id`` that became available after ``generation``, and the chunks deleted since."""

    def vectors_as_kept(self, model_id: str, generation: int) -> bytes:
        """Return the vectors of ``model_id`` that are there since a ``generation``, one after another as ``packing`` writes them.

        They are those of all texts, in an order that stays; none where a copy of them is read sooner.
        """

    def drop_vectors(self, model_id: str, ids: Iterable[str]) -> None:
        """Delete the vectors of these chunks, so that their texts are embedded again."""


class Parted(Recalled, Derivable, Protocol):
    """A store of which a part can be asked as if there were nothing else."""

    def files(self) -> Mapping[str, FileRecord]:
        """Return what is known of each indexed file, by path."""

    def count(self, within: Part = EVERYTHING) -> int:
        """Return the number of chunks."""

    def dated(self, period: Period, pool_size: int, within: Part = EVERYTHING) -> Sequence[str]:
        """Return up to ``pool_size`` ids of chunks whose date may lie in ``period``, newest first."""

    def names(self, within: Part = EVERYTHING) -> Set[str]:
        """Return the names in this part, see ``Chunks.names``."""

    def pinned(self, within: Part = EVERYTHING) -> Sequence[str]:
        """Return the ids of the chunks of what a person pinned in this part, a few at most."""

    def changes_since(self, generation: int, within: Part = EVERYTHING) -> Changes:
        """Return what happened to the chunks after ``generation``."""

    def vectors_since(self, model_id: str, generation: int, within: Part = EVERYTHING) -> Vectors:
        """Return the vectors of ``model_id`` that became available after ``generation``."""
