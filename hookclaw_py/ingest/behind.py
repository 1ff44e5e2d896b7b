"""Behind: how many notes look otherwise on the disk than when they were read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from time import time_ns

from hookclaw_py.errors import IndexingError
from hookclaw_py.ingest.folders import folders_of
from hookclaw_py.ingest.workspace import Problem, find_notes, shielded
from hookclaw_py.model.kind import NOTE
from hookclaw_py.store.ports import Notes

_SECOND = 10**9  # nanoseconds


def changed_since(store: Notes, read_at: datetime, *, globs: Sequence[str], exclude: Sequence[str]) -> int:
    """Count the files that were changed, added or taken away since the notes were read at ``read_at``, by size and time alone.

    A folder that cannot be looked into, because it is not mounted or another machine's, has none. Of files that were never read those
    count that are newer, but of no time to come: what is no text, or not for us, is not read either.
    """
    known = {path: (file.size, file.mtime_ns) for path, file in store.files().items() if file.kind is NOTE}
    found, problems, everywhere = dict[str, tuple[int, int]](), list[Problem](), True
    for folder in folders_of(store):
        try:
            listing = find_notes(folder.root, folder.layout, globs=globs, exclude=exclude)
        except IndexingError:
            everywhere = False
            continue
        found |= {folder.path_of(note.path): (note.size, note.mtime_ns) for note in listing.notes}
        problems += [problem._replace(path=folder.path_of(problem.path)) for problem in listing.problems]
    newest, now = int(read_at.timestamp() * _SECOND), time_ns()

    def is_behind(path: str) -> bool:
        size, written = found[path]
        held, was_written = known.get(path, (size, 0))  # 0: it was written just before it was read
        return size != held or (written != was_written if was_written else newest < written <= now)

    changed = sum(map(is_behind, found))
    gone = [path for path in known.keys() - found.keys() if not shielded(path, problems)] if everywhere else []
    return changed + len(gone)
