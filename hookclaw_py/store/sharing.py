"""The part of a store that others than its owner may hear of: what is asked of it never sees the rest."""

from __future__ import annotations

from collections.abc import Sequence

from hookclaw_py.patterns import Patterns
from hookclaw_py.store.parts import PartOfStore
from hookclaw_py.store.recalled import EVERYTHING, Part, Parted
from hookclaw_py.store.values import FileRecord


class SharedNotes(PartOfStore):
    """The notes whose front matter says ``shared: true``, or that match ``globs`` (.gitignore patterns) and do not say no.

    Of these only those of the kinds that ``of`` holds. ``globs`` are read with every question, so that a changed
    configuration counts at once.
    """

    def __init__(self, store: Parted, globs: Sequence[str], of: Part = EVERYTHING) -> None:
        super().__init__(store, of, lasting=False)
        self._globs = Patterns(globs)
        self._paths: tuple[tuple[int, int], frozenset[str]] = ((-1, -1), frozenset())
        self._since = 0  # the generation at which these were found to be the paths

    def part(self) -> Part:
        """Return the shared part."""
        return self._part._replace(files=self.paths())

    def paths(self) -> frozenset[str]:
        """Return the files that are shared."""
        now = (self._store.generation(), self._store.replaced)
        if self._paths[0] != now:
            found = frozenset(path for path, file in self._store.files().items() if self._is_shared(path, file))
            if found != self._paths[1]:
                self._since = now[0]
            self._paths = (now, found)
        return self._paths[1]

    def _is_shared(self, path: str, file: FileRecord) -> bool:
        if not file.kind.shareable:
            return False
        if file.shared is None:
            return self._globs.match(path)
        return file.shared

    def _known(self, generation: int) -> int:
        return generation if generation > self._since else -1
