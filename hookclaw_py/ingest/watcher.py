"""Watcher: edits of notes, noticed as they happen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from os.path import isdir
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from hookclaw_py.errors import IndexingError
from hookclaw_py.ingest.folders import Folder
from hookclaw_py.ingest.workspace import Selection

if TYPE_CHECKING:
    from watchfiles import Change
    from watchfiles.main import AbstractEvent

Place = tuple[str, int, int]
"""The path of a folder, and which of the system's folders it is."""
DELETED = 3  # ``Change.deleted``, without its library
_DEBOUNCE_MS = 50  # edits this close together are one change: editors write, rename and touch
_STEP_MS = 10
_LOOK_SECONDS = 1.0  # between two looks for folders that came back
_IDLE_MS = 100  # how long it may take to begin, and to see that ``stop_event`` is set while nothing changes


def watch(
    folders: Sequence[Folder],
    on_change: Callable[[frozenset[str]], None],
    *,
    stop_event: Event,
    globs: Sequence[str],
    exclude: Sequence[str],
    is_due: Callable[[], bool] = lambda: False,
) -> None:
    """Call ``on_change`` with the paths, as the store has them, that changed in ``folders``, until ``stop_event`` is set.

    The first call comes with no path, as soon as no edit can be missed any more: index then, and after each call. There
    is another without a path whenever ``is_due``, which is asked ten times a second, says that something else calls for
    it. A folder that was moved or deleted is named itself; one of ``folders`` that comes back, or another one that takes its place, is
    watched from then on.

    Raises:
        IndexingError: if a folder cannot be watched, or none is there.
    """
    while not stop_event.is_set():
        watched = Watched(folders, globs=globs, exclude=exclude)
        tops = list(watched.tops) or [folders[0].root.resolve()]
        started = False
        until = _UntilOneComes(stop_event, watched)
        for changes in changes_in(tops, watched.matters_or_is_one, until):
            until.forget({path for change, path in changes if change == DELETED})
            notes = frozenset(watched.stored(path) for change, path in changes if watched.matters(change, path))
            if notes or not started or is_due():
                started = True
                on_change(notes)


class Watched:
    """Folders of one store as they are there now, and which changes in them are of notes."""

    def __init__(self, folders: Sequence[Folder], *, globs: Sequence[str], exclude: Sequence[str]) -> None:
        self._folders, self._globs, self._exclude = folders, globs, exclude
        self.tops: dict[Path, tuple[Folder, Selection]] = {}
        """Those that are there, by their real path."""
        for folder in folders:
            if isdir(folder.root):
                top = folder.root.resolve()
                self.tops[top] = folder, Selection(top, folder.layout, globs=globs, exclude=exclude)
        self.places = frozenset(place for top in self.tops if (place := _place(top)))
        """Those that are there, and which of the system's folders each one is: another one may come to stand in its place."""

    def again(self) -> Watched:
        """Return the same folders as they are there now."""
        return Watched(self._folders, globs=self._globs, exclude=self._exclude)

    def matters(self, change: Change, path: str) -> bool:
        """Say whether a change at ``path`` is of a note, or of a folder that may hold some; what lies in none of ``tops`` may be."""
        if not any(Path(path).is_relative_to(top) for top in self.tops):
            return True
        _, selection, inner = self._parts(path)
        is_folder = not Path(path).suffix if change == DELETED else isdir(path)
        return selection.is_note(inner) or (is_folder and selection.may_hold_notes(inner))

    def matters_or_is_one(self, change: Change, path: str) -> bool:
        """Say whether a change matters, or is of one of ``tops`` itself."""
        return Path(path) in self.tops or self.matters(change, path)

    def stored(self, path: str) -> str:
        """Return what ``path`` is called in the store."""
        folder, _, inner = self._parts(path)
        return folder.path_of(inner)

    def _parts(self, path: str) -> tuple[Folder, Selection, str]:
        top = next(top for top in self.tops if Path(path).is_relative_to(top))
        return *self.tops[top], Path(path).relative_to(top).as_posix()


def _place(top: Path) -> Place | None:
    try:
        found = top.stat()
    except OSError:  # it has just gone
        return None
    return str(top), found.st_dev, found.st_ino


class _UntilOneComes:
    """Set when ``stop_event`` is, or when a folder stands where none did, or another one: looked at once a second."""

    def __init__(self, stop_event: Event, watched: Watched) -> None:
        self._stop, self._watched = stop_event, watched
        self._there = watched.places
        self._looked = monotonic()

    def forget(self, paths: Collection[str]) -> None:
        """Hear that what stood there is gone: what stands there next is another one, though the system may give it the same number."""
        self._there = frozenset(place for place in self._there if place[0] not in paths)

    def is_set(self) -> bool:
        if self._stop.is_set():
            return True
        if monotonic() - self._looked < _LOOK_SECONDS:
            return False
        self._looked = monotonic()
        before, self._there = self._there, self._watched.again().places
        return bool(self._there - before)


def changes_in(
    tops: Sequence[Path], matters: Callable[[Change, str], bool] | None, until: AbstractEvent
) -> Generator[set[tuple[Change, str]]]:
    """Yield what changes in ``tops``, of all that ``matters``, and an empty set at least ten times a second, ``until`` it is set.

    The first comes when no change can be missed any more.

    Raises:
        IndexingError: if one of them cannot be watched.
    """
    from watchfiles import watch as watched

    try:
        yield from watched(
            *tops,
            watch_filter=matters,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            rust_timeout=_IDLE_MS,
            stop_event=until,
            yield_on_timeout=True,
        )
    except OSError as error:
        raise IndexingError(
            f"{', '.join(map(str, tops))} cannot be watched: {error}; check the folder, and on Linux raise fs.inotify.max_user_watches"
        ) from error
