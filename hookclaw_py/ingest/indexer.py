"""From a workspace to the store: only what changed is read, chunked and embedded, and any interruption is harmless."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from os.path import isdir
from pathlib import Path
from time import sleep

from hookclaw_py.errors import IndexingError, TooLongError
from hookclaw_py.errors.remedies import unreachable
from hookclaw_py.ingest.folders import Folder, chosen, folders_of, keep_folders, listings
from hookclaw_py.ingest.markdown import CHUNKER_VERSION, MEANT, PRIVATE, chunk_note
from hookclaw_py.ingest.note_text import NoteText, read_note
from hookclaw_py.ingest.workspace import (
    FoundNotes,
    Layout,
    NoteFile,
    Problem,
    layout_of,
    shielded,
    told,
)
from hookclaw_py.model.kind import NOTE
from hookclaw_py.patterns import Patterns
from hookclaw_py.store.ports import Notes
from hookclaw_py.store.values import FileRecord, Replaced
from hookclaw_py.text import TOKENIZER_VERSION

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

_SAVING_SECONDS = 0.2
_A_LOSS = 10  # chunks; fewer go without asking


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What indexing did: files by what became of them, chunks, and ``warnings``, each naming its file.

    ``withheld`` files are gone from the folders and stay in the store: with them most of it would go, unasked. ``unread`` are documents beside
    the notes that are none by their names, and notes that lie beside the files of an agent's workspace.
    """

    seen: int = 0
    unchanged: int = 0
    changed: int = 0
    deleted: int = 0
    added: int = 0
    kept: int = 0
    removed: int = 0
    withheld: int = 0
    warnings: tuple[str, ...] = field(default=())
    unread: tuple[str, ...] = field(default=())

    def __add__(self, other: IndexReport) -> IndexReport:
        return IndexReport(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


def index_workspace(
    store: Notes,
    *roots: Path,
    layout: Layout | None = Layout.WORKSPACE,
    globs: Sequence[str],
    exclude: Sequence[str],
    evergreen: Sequence[str],
    move: bool = False,
    drop: Sequence[Path] = (),
    prune: bool = False,
    progress: Progress | None = None,
    wait_seconds: float = 0.0,
    untold: Callable[[Collection[str]], object] = len,
) -> IndexReport:
    """Bring the store's chunks up to date with the notes of its folders and ``roots``; embedding them is ``ingest.embedding``.

    Each file is one transaction. A file whose size and time are as they were costs a stat, one whose content is as it
    was a hash. ``layout``, ``move`` and ``drop`` are those of ``folders.chosen``. When most of what is known would go,
    it stays unless one says ``prune``: an unmounted disk and a slip in ``exclude`` look like that.

    What a note said that is gone or private now goes out of past decisions, too; ``untold`` hears which chunks that were.

    Raises:
        IndexingError: if one of ``roots`` cannot be read, is not the store's, or another process is indexing.
        StoreError: if the database cannot be written.
    """
    with store.alone(wait_seconds):
        holds_notes = any(map(_is_note, store.files().values()))
        known = folders_of(store)
        if roots and not holds_notes and not {root.resolve() for root in roots} & {folder.root for folder in known}:
            known = ()  # that store had nothing to keep: it may have been a slip
        folders = chosen(known, roots, layout=layout, move=move, drop=drop)
        if not roots and len(folders) == 1 and not (isdir(folders[0].root) or unreachable(folders[0].root)):
            raise IndexingError(
                f"{folders[0].root}, whose notes this store holds, is gone; say where it has moved, or bring it back",
                at_shell="`hookclaw index NEW_FOLDER --move`",
            )
        required = [root.resolve() for root in roots] or [folder.root for folder in folders if len(folders) == 1]
        found = list(listings(folders, required, globs=globs, exclude=exclude))
        nothing_yet = _claim(store, found, known, holds_notes=holds_notes)
        work = _Indexing(store, evergreen, found, prune=prune or bool(drop), untold=untold)
        return work.run(progress or (lambda *_: None)) + IndexReport(warnings=nothing_yet)


class _Indexing:
    def __init__(
        self,
        store: Notes,
        evergreen: Sequence[str],
        found: Sequence[tuple[Folder, FoundNotes]],
        *,
        prune: bool,
        untold: Callable[[Collection[str]], object],
    ) -> None:
        self._store = store
        self._evergreen = Patterns(evergreen)
        self._notes = {folder.path_of(note.path): (folder, note) for folder, listing in found for note in listing.notes}
        self._unread = tuple(path for _, listing in found for path in listing.unread)
        self._problems = [problem for _, listing in found for problem in listing.problems]
        self._prune, self._untold = prune, untold
        self._warnings: list[str] = []
        self._unchanged = 0
        self._missing: dict[str, str] = {}  # the files that are gone, and may have been renamed, each with its digest

    def run(self, progress: Progress) -> IndexReport:
        files = self._store.files()
        known = {path: file for path, file in files.items() if _is_note(file)}
        notes = self._notes
        self._missing = {path: known[path].digest for path in self._gone(known)}
        before = sum(path in known for path, _ in self._store.texts_by_file()) if self._missing else 0
        outcomes: list[Replaced | None] = []
        for number, path in enumerate(self._renamed_first(known)):
            progress(path, number, len(notes))
            outcomes.append(self._file(path, *notes[path], known.get(path)))
        progress("", len(notes), len(notes))
        gone = self._gone(known)
        withheld = [] if self._prune else self._too_many(gone, known, before)
        gone = [] if withheld else gone
        self._untell(gone, private=False)
        lost = sum(self._store.forget_file(path) for path in gone)
        self._store.prune()
        replaced = [outcome for outcome in outcomes if outcome is not None]
        return IndexReport(
            seen=len(notes),
            unchanged=self._unchanged,
            changed=len(replaced),
            deleted=len(gone),
            added=sum(outcome.added for outcome in replaced),
            kept=sum(outcome.kept for outcome in replaced),
            removed=sum(outcome.removed for outcome in replaced) + lost,
            withheld=len(withheld),
            warnings=(*map(str, self._problems), *self._warnings),
            unread=self._unread,
        )

    def _renamed_first(self, known: Mapping[str, FileRecord]) -> list[str]:
        """Return the notes in the order in which they are read: last come new ones that cannot be, as they are, one that is gone."""
        sizes = {known[path].size for path in self._missing}
        last = {
            path for path, (_, note) in self._notes.items() if sizes and path not in known and note.size not in sizes
        }
        return sorted(self._notes, key=lambda path: path in last)

    def _moved_from(self, digest: str) -> list[str]:
        """Return which files that are gone a new one of this content may go on with: the one that it was, else all that are left."""
        twin = next((path for path, one in self._missing.items() if one == digest), None)
        if twin is None:
            return list(self._missing)
        del self._missing[twin]
        return [twin]

    def _file(self, path: str, folder: Folder, note: NoteFile, known: FileRecord | None) -> Replaced | None:
        evergreen = self._evergreen.match(note.path)
        recipe = f"chunker {CHUNKER_VERSION}, tokenizer {TOKENIZER_VERSION}{', evergreen' if evergreen else ''}"
        same_recipe = known is not None and known.recipe == recipe
        if known and same_recipe and (known.size, known.mtime_ns) == (note.size, note.mtime_ns):
            self._as_before(path, known)
            return None
        read = read_note(folder.root, note.path)
        if known and known.size and isinstance(read, NoteText) and not (read.size or read.mtime_ns):
            sleep(_SAVING_SECONDS)  # emptied a moment ago: many programs empty a file before they write it
            read = read_note(folder.root, note.path)
        if isinstance(read, Problem):
            self._problems.append(read._replace(path=path))
            return None
        if known and same_recipe and known.digest == read.digest:
            self._store.touch_file(path, size=read.size, mtime_ns=read.mtime_ns)
            self._as_before(path, known)
            return None
        chunks, warnings, names, shared = chunk_note(read.text, path=path, evergreen=evergreen)
        self._warn(path, (*read.warnings, *warnings))
        if known and PRIVATE in warnings:
            self._untell([path], private=True)
        try:
            return self._store.replace_file(
                path,
                chunks=chunks,
                names=names,
                digest=read.digest,
                size=read.size,
                mtime_ns=read.mtime_ns,
                recipe=recipe,
                warnings=(*read.warnings, *warnings),
                shared=shared,
                moved_from=() if known else self._moved_from(read.digest),
            )
        except TooLongError as error:
            self._problems.append(Problem(path, f"it is left out, for its path is too long for the server: {error}"))
            return None

    def _untell(self, paths: Collection[str], *, private: bool) -> None:
        if paths and (chunks := self._store.untell(paths, private=private)):
            self._untold(chunks)

    def _as_before(self, path: str, known: FileRecord) -> None:
        self._unchanged += 1
        self._warn(path, [warning for warning in known.warnings if warning not in MEANT])

    def _warn(self, path: str, warnings: Sequence[str]) -> None:
        self._warnings += [told(path, warning) for warning in warnings]

    def _gone(self, known: dict[str, FileRecord]) -> list[str]:
        unfit = {problem.path for problem in self._problems if not problem.passing}
        present = self._notes.keys() - unfit
        return [path for path in known if path not in present and not shielded(path, self._problems)]

    def _too_many(self, gone: list[str], known: Collection[str], before: int) -> list[str]:
        """Return the files ``gone`` if most of the store would go with them, none if they lie elsewhere now.

        There were so many passages ``before`` anything was read.
        """
        if not gone:
            return []
        texts, going = self._store.texts_by_file(), frozenset(gone)
        kept = {text for path, text in texts if path not in going}
        lost = sum(path in going and text not in kept for path, text in texts)
        before = before or sum(path in known for path, _ in texts)
        if lost < _A_LOSS or 2 * lost <= before:
            return []
        self._warnings.append(
            f"{len(gone)} of {len(known)} files are gone, and with them {lost} of {before} passages; they are kept until "
            "you say that they are to go (`hookclaw index --prune`)"
        )
        return gone


def _claim(
    store: Notes, found: Sequence[tuple[Folder, FoundNotes]], known: Sequence[Folder], *, holds_notes: bool
) -> tuple[str, ...]:
    """Tie the store to its folders; return what to warn of.

    A folder without notes does not get a store without notes, nor is it added to one: it is likely the wrong one.
    """
    held = {folder.name for folder in known}
    ours = [
        folder
        for number, (folder, listing) in enumerate(found)
        if listing.notes or folder.name in held or (number == 0 and holds_notes)
    ]
    if ours and (holds_notes or ours[0] == found[0][0]):
        keep_folders(store, ours)
    return tuple(filter(None, (_nothing_in(folder.root, folder.layout, listing) for folder, listing in found)))


def _nothing_in(root: Path, layout: Layout, listing: FoundNotes) -> str:
    if listing.notes or listing.problems:
        return ""
    if layout is Layout.NOTES:
        return f"no .md, .markdown, .txt or .org in {root}; give the folder that holds your notes"
    above = f" (did you mean {root.parent}?)" if layout_of(root.parent) is Layout.WORKSPACE else ""
    return f"no MEMORY.md or memory/*.md in {root}; give the folder that holds them{above}"


def _is_note(file: FileRecord) -> bool:
    return file.kind is NOTE
