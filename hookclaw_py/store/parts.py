"""A part of a store, of which nobody who asks sees the rest: what is searched, weighed, named and counted of it is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import TYPE_CHECKING

from hookclaw_py.model.types import Chunk, Period, Uses
from hookclaw_py.store.recalled import Part, Parted
from hookclaw_py.store.values import Changes, Vectors

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import TokenVectors


class PartOfStore:
    """Answers as the store does, as if nothing else were in there."""

    def __init__(self, store: Parted, part: Part, *, lasting: bool) -> None:
        """``lasting`` says whether what is derived from it may be kept for the next start: of one part it may."""
        self.lasting = lasting
        self._store, self._part = store, part

    def part(self) -> Part:
        """Return which part that is, now."""
        return self._part

    @property
    def replaced(self) -> int:
        """How often the store was replaced by another one."""
        return self._store.replaced

    def generation(self) -> int:
        """Return the store's counter."""
        return self._store.generation()

    def count(self) -> int:
        """Return the number of chunks."""
        return self._store.count(self.part())

    def chunks(self, ids: Iterable[str]) -> dict[str, Chunk]:
        """Return those of these chunks that are in it."""
        part = self.part()
        return {name: chunk for name, chunk in self._store.chunks(ids).items() if part.holds(chunk)}

    def dated(self, period: Period, pool_size: int) -> Sequence[str]:
        """Return up to ``pool_size`` ids of chunks whose date may lie in ``period``."""
        return self._store.dated(period, pool_size, self.part())

    def following(self, chunk: Chunk) -> Chunk | None:
        """Return the chunk behind this one in its file, if it is in this part."""
        found = self._store.following(chunk)
        return found if found is not None and self.part().holds(found) else None

    def names(self) -> Set[str]:
        """Return the headings that are names."""
        return self._store.names(self.part())

    def uses(self, ids: Iterable[str]) -> Mapping[str, Uses]:
        """Return what became of these memories."""
        return self._store.uses(ids)

    def only_marks(self, ids: Iterable[str]) -> Mapping[str, Uses]:
        """Return what a person marked of these memories."""
        return self._store.only_marks(ids)

    def pinned(self) -> Sequence[str]:
        """Return what the owner pinned of it."""
        return self._store.pinned(self.part())

    def salience(self, ids: Iterable[str], now: datetime) -> Mapping[str, float]:
        """Return how present these records are by now."""
        return self._store.salience(ids, now)

    def tokens(self, model_id: str, ids: Iterable[str]) -> Mapping[str, TokenVectors]:
        """Return the token vectors of these chunks."""
        return self._store.tokens(model_id, ids)

    def changes_since(self, generation: int) -> Changes:
        """Return what happened to its chunks; everything, once it is another part than before."""
        part = self.part()
        return self._store.changes_since(self._known(generation), part)

    def vectors_since(self, model_id: str, generation: int) -> Vectors:
        """Return the vectors that became available; all of them, once it is another part than before."""
        part = self.part()
        return self._store.vectors_since(model_id, self._known(generation), part)

    def vectors_as_kept(self, model_id: str, generation: int) -> bytes:
        """Return the vectors of all texts of the store, as it keeps them."""
        return self._store.vectors_as_kept(model_id, generation)

    def drop_vectors(self, model_id: str, ids: Iterable[str]) -> None:
        """Delete damaged vectors, so that their texts are embedded again."""
        self._store.drop_vectors(model_id, ids)

    def _known(self, generation: int) -> int:
        """Return what of this part is known to whoever knows the store as of a generation."""
        return generation
