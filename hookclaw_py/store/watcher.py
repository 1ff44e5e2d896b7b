"""Notice edits of notes as they happen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from hookclaw_py.errors import IndexingError
from hookclaw_py.store.folders import Folder
from hookclaw_py.store.workspace import Selection

if TYPE_CHECKING:
    from watchfiles import Change

_DEBOUNCE_MS = 50  # edits this close together are one change: editors write, rename and touch
_STEP_MS = 10
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
    it. A folder that was moved or deleted is named itself.

    Raises:
        IndexingError: if a folder cannot be watched, or none is there.
    """
    from watchfiles import Change

    watched = [folder for folder in folders if folder.root.is_dir()] or list(folders[:1])
    tops = {
        folder.root.resolve(): (folder, Selection(folder.root.resolve(), folder.layout, globs=globs, exclude=exclude))
        for folder in watched
    }

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

    started = False
    for changes in _changes(list(tops), matters, stop_event):
        if changes or not started or is_due():
            started = True
            on_change(frozenset(stored(path) for _, path in changes))


def _changes(
    tops: Sequence[Path], matters: Callable[[Change, str], bool], stop_event: Event
) -> Iterator[set[tuple[Change, str]]]:
    from watchfiles import watch as watched

    try:
        yield from watched(
            *tops,
            watch_filter=matters,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            rust_timeout=_IDLE_MS,
            stop_event=stop_event,
            yield_on_timeout=True,
        )
    except OSError as error:
        raise IndexingError(
            f"{', '.join(map(str, tops))} cannot be watched: {error}; check the folder, and on Linux raise fs.inotify.max_user_watches"
        ) from error
