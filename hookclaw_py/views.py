"""Views: parts of a store, each with what answers from it alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from hookclaw_py.store.recalled import Part

if TYPE_CHECKING:
    from hookclaw_py.pipeline import Pipeline
    from hookclaw_py.search.derived import DerivedIndexes
    from hookclaw_py.store.sharing import SharedNotes

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


class SharedParts(NamedTuple):
    """What others than the owner are answered from: it knows only what these may hear of."""

    notes: SharedNotes
    view: View


class Views:
    """What answers of the kinds that are asked for, made when they are asked for first; the newest few are kept."""

    def __init__(self, make: Callable[[Part, bool], View]) -> None:
        """``make`` makes the view of a part, and of what is shared of it."""
        self._make, self._lock = make, threading.Lock()
        self._known: dict[tuple[frozenset[str], bool], View] = {}

    def of(self, kinds: Collection[str], *, shared: bool) -> View:
        """Return what answers from these kinds, and with ``shared`` only from what others than the owner may hear of."""
        key = frozenset(kinds), shared
        with self._lock:
            view = self._known.pop(key, None) or self._make(Part(only=key[0]), shared)
            self._known[key] = view
            if len(self._known) > _MOST_VIEWS:
                self._known.pop(next(iter(self._known))).close()
        return view

    def close(self) -> None:
        """Release the files."""
        with self._lock:
            for view in self._known.values():
                view.close()
