"""Views: parts of a store, each with what answers from it alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hookclaw_py.store.parts import PartOfStore
from hookclaw_py.store.recalled import ANSWERED_FROM, Part, Parted
from hookclaw_py.store.sharing import SharedNotes

if TYPE_CHECKING:
    from hookclaw_py.pipeline import Pipeline
    from hookclaw_py.search.derived import DerivedIndexes

_MOST_VIEWS = 4


class View(NamedTuple):
    """A part of a store and what answers from it: it knows nothing of the rest.

    Not a filter behind the search: what is not in it neither fills the pool nor weighs, names or answers anything.
    """

    indexes: DerivedIndexes
    pipeline: Pipeline

    def close(self) -> None:
        """Release the files."""
        self.indexes.close()


class Views:
    """What answers others than the owner, and of the kinds that are asked for: made when they are asked for first, the newest few are kept."""

    def __init__(self, store: Parted, globs: Sequence[str], view_of: Callable[[PartOfStore], View]) -> None:
        """Make views of parts of ``store`` with ``view_of``; ``globs`` say what is shared."""
        self._store, self._globs, self._view_of = store, globs, view_of
        self.shared_notes = SharedNotes(store, globs, ANSWERED_FROM)
        self.shared = view_of(self.shared_notes)
        self._lock = threading.Lock()
        self._known: dict[tuple[frozenset[str], bool], View] = {}

    def of(self, kinds: Collection[str], *, shared: bool) -> View:
        """Return what answers from these kinds, and with ``shared`` only from what others than the owner may hear of."""
        key = frozenset(kinds), shared
        with self._lock:
            view = self._known.pop(key, None) or self._view_of(self._part(Part(only=key[0]), shared))
            self._known[key] = view
            if len(self._known) > _MOST_VIEWS:
                self._known.pop(next(iter(self._known))).close()
        return view

    def close(self) -> None:
        """Release the files."""
        with self._lock:
            for view in (self.shared, *self._known.values()):
                view.close()

    def _part(self, part: Part, shared: bool) -> PartOfStore:
        return SharedNotes(self._store, self._globs, part) if shared else PartOfStore(self._store, part, lasting=False)
