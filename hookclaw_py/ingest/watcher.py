"""Watcher: edits of notes, noticed as they happen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from hookclaw_py.errors import IndexingError
from hookclaw_py.ingest.folders import Folder
from hookclaw_py.ingest.workspace import Selection

if TYPE_CHECKING:
    from watchfiles import Change

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
    it. A folder that was moved or deleted is named itself; one of ``folders`` that comes back is watched from then on.

    Raises:
        IndexingError: if a folder cannot be watched, or none is there.
    """
    from watchfiles import Change

    tops: dict[Path, tuple[Folder, Selection]] = {}

    def parts(path: str) -> tuple[Folder, Selection, str]:
        top = next(top for top in tops if Path(path).is_relative_to(top))
        return *tops[top], Path(path).relative_to(top).as_posix()

    def matters(change: Change, path: str) -> bool:
        _, selection, inner = parts(path)
        is_folder = Path(path).is_dir() if change != Change.deleted else not Path(path).suffix
        return selection.is_note(inner) or (is_folder and selection.may_hold_notes(inner))

    def stored(path: str) -> str:
        folder, _, inner = parts(path)
        return folder.path_of(inner)

    while not stop_event.is_set():
        tops.clear()
        for folder in [folder for folder in folders if folder.root.is_dir()] or folders[:1]:
            top = folder.root.resolve()
            tops[top] = (folder, Selection(top, folder.layout, globs=globs, exclude=exclude))
        started = False
        for changes in _changes(list(tops), matters, _UntilOneComesBack(stop_event, folders)):
            if changes or not started or is_due():
                started = True
                on_change(frozenset(stored(path) for _, path in changes))


class _UntilOneComesBack:
    """Set when ``stop_event`` is, or when a folder that was not there is there: looked at once a second."""

    def __init__(self, stop_event: Event, folders: Sequence[Folder]) -> None:
        self._stop, self._folders = stop_event, folders
        self._missing = {folder for folder in folders if not folder.root.is_dir()}
        self._looked = monotonic()

    def is_set(self) -> bool:
        if self._stop.is_set():
            return True
        if monotonic() - self._looked < _LOOK_SECONDS:
            return False
        self._looked = monotonic()
        gone = {folder for folder in self._folders if not folder.root.is_dir()}
        back, self._missing = self._missing - gone, self._missing | gone
        return bool(back)


def _changes(
    tops: Sequence[Path], matters: Callable[[Change, str], bool], until: _UntilOneComesBack
) -> Iterator[set[tuple[Change, str]]]:
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
