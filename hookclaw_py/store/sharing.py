"""The part of a store that others than its owner may hear of: what is asked of it never sees the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from hookclaw_py.model.types import Chunk, Period, Uses
from hookclaw_py.store.recalled import Parted
from hookclaw_py.store.values import Changes, FileRecord, Vectors

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import TokenVectors


class SharedNotes:
    """The notes whose front matter says ``shared: true``, or that match ``globs`` (.gitignore patterns) and do not say no.

    It answers as the store does, as if nothing else were in there: what is searched, weighed, named and counted of it
    is shared. ``globs`` are read with every question, so that a changed configuration counts at once.
    """

    lasting = False
    """What is derived from it stays in memory."""

    def __init__(self, store: Parted, globs: Sequence[str]) -> None:
        from pathspec import GitIgnoreSpec

        self._store, self._globs = store, GitIgnoreSpec.from_lines(globs)
        self._paths: tuple[tuple[int, int], frozenset[str]] = ((-1, -1), frozenset())
        self._since = 0  # the generation at which these were found to be the paths
        self._names: tuple[tuple[int, int], frozenset[str]] = ((-1, -1), frozenset())

    def paths(self) -> frozenset[str]:
        """Return the files that are shared."""
        now = (self._store.generation(), self._store.replaced)
        if self._paths[0] != now:
            found = frozenset(path for path, file in self._store.files().items() if self._is_shared(path, file))
            if found != self._paths[1]:
                self._since = now[0]
            self._paths = (now, found)
        return self._paths[1]

    @property
    def replaced(self) -> int:
        """How often the store was replaced by another one."""
        return self._store.replaced

    def _is_shared(self, path: str, file: FileRecord) -> bool:
        if not file.kind.shareable:
            return False
        return self._globs.match_file(path) if file.shared is None else file.shared

    def generation(self) -> int:
        """Return the store's counter."""
        return self._store.generation()

    def count(self) -> int:
        """Return the number of chunks."""
        return self._store.count(self.paths())

    def chunks(self, ids: Iterable[str]) -> dict[str, Chunk]:
        """Return those of these chunks that are shared."""
        paths = self.paths()
        return {name: chunk for name, chunk in self._store.chunks(ids).items() if chunk.place.path in paths}

    def dated(self, period: Period, pool_size: int) -> Sequence[str]:
        """Return up to ``pool_size`` ids of chunks whose date may lie in ``period``."""
        return self._store.dated(period, pool_size, self.paths())

    def names(self) -> frozenset[str]:
        """Return the headings that are names."""
        paths = self.paths()
        if self._names[0] != self._paths[0]:
            self._names = (self._paths[0], self._store.names_of(paths))
        return self._names[1]

    def uses(self, ids: Iterable[str]) -> Mapping[str, Uses]:
        """Return what became of these memories."""
        return self._store.uses(ids)

    def only_marks(self, ids: Iterable[str]) -> Mapping[str, Uses]:
        """Return what a person marked of these memories."""
        return self._store.only_marks(ids)

    def pinned(self) -> Sequence[str]:
        """Return what the owner pinned; whoever loads it gets what is shared of it."""
        return self._store.pinned()

    def tokens(self, model_id: str, ids: Iterable[str]) -> Mapping[str, TokenVectors]:
        """Return the token vectors of these chunks."""
        return self._store.tokens(model_id, ids)

    def changes_since(self, generation: int) -> Changes:
        """Return what happened to the shared chunks; everything, once other files are shared than before."""
        paths = self.paths()
        return self._store.changes_since(self._known(generation), paths)

    def vectors_since(self, model_id: str, generation: int) -> Vectors:
        """Return the vectors that became available; all of them, once other files are shared than before."""
        paths = self.paths()
        return self._store.vectors_since(model_id, self._known(generation), paths)

    def drop_vectors(self, model_id: str, ids: Iterable[str]) -> None:
        """Delete damaged vectors, so that their texts are embedded again."""
        self._store.drop_vectors(model_id, ids)

    def _known(self, generation: int) -> int:
        return generation if generation > self._since else -1
