"""The folders whose notes one store holds: the first one's paths are as they lie there, another's begin with its name."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hookclaw_py.errors import IndexingError
from hookclaw_py.ingest.workspace import FoundNotes, Layout, Problem, find_notes, layout_of
from hookclaw_py.store.ports import Notes


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of notes; ``name`` stands before its notes' paths, "" for the first."""

    root: Path
    layout: Layout
    name: str = ""

    def path_of(self, inner: str) -> str:
        """Return the path in the store of what lies at ``inner`` in this folder ("" for the folder itself)."""
        return "/".join(filter(None, (self.name, inner)))

    def inner(self, path: str) -> str:
        """Undo ``path_of``."""
        return path.removeprefix(f"{self.name}/") if self.name else path


def folders_of(store: Notes) -> tuple[Folder, ...]:
    """Return the folders whose notes the store holds, the first one first; none before anything was indexed."""
    first = store.get_meta("workspace")
    if first is None:
        return ()
    more = [Folder(Path(root), Layout(layout), name) for root, layout, name in store.get_meta("more_folders", [])]
    known = store.get_meta("layout")
    return Folder(Path(first), Layout(known) if known else layout_of(Path(first))), *more


def keep_folders(store: Notes, folders: Sequence[Folder]) -> None:
    """Remember whose notes the store holds."""
    first, *more = folders
    values: dict[str, object] = {"workspace": str(first.root), "layout": str(first.layout)}
    rows = [[str(folder.root), str(folder.layout), folder.name] for folder in more]
    if rows or store.get_meta("more_folders"):
        values["more_folders"] = rows
    news = {key: value for key, value in values.items() if store.get_meta(key) != value}
    if news:
        with store.together():
            for key, value in news.items():
                store.set_meta(key, value)


def chosen(
    known: Sequence[Folder], given: Sequence[Path], *, layout: Layout | None, move: bool, drop: Sequence[Path]
) -> list[Folder]:
    """Return the folders that a store of the notes in ``known`` is to hold when ``given`` are named.

    New ones must be named together with one that is known, or it is likely a slip. ``layout`` is how notes lie in those
    that are new (None: as the folder looks; one that a host had named before is then a person's too, if it looks so), ``move`` says that the one given is where a known one lies now, ``drop``
    names known ones that are to go.

    Raises:
        IndexingError: if they cannot be had together.
    """
    roots = list(dict.fromkeys(path.resolve() for path in given))
    held = _without(known, [path.expanduser().resolve() for path in drop])
    fresh = [root for root in roots if root not in {folder.root for folder in held}]
    if move and fresh:
        return _moved(held, fresh, layout)
    for root in fresh:
        _refuse_nested(root, held)
    if held and roots and len(fresh) == len(roots):
        raise _other(held, fresh)
    for root in fresh:
        _refuse_nested(root, held)
        found = layout or layout_of(root)
        held.append(Folder(root, found, _name_for(root, held) if held else ""))
    named = {
        folder.root for folder in held if folder.root in roots and not layout and layout_of(folder.root) is Layout.NOTES
    }
    return [replace(folder, layout=Layout.NOTES) if folder.root in named else folder for folder in held]


def _without(known: Sequence[Folder], drop: Sequence[Path]) -> list[Folder]:
    for root in drop:
        if root not in {folder.root for folder in known}:
            raise IndexingError(f"this store does not hold the notes of {root}; `hookclaw status` lists its folders")
    if known and known[0].root in drop:
        raise IndexingError(
            f"{known[0].root} is the store's first folder and stays; another can take its place",
            at_shell="--move; or --agent NAME for a new store",
        )
    return [folder for folder in known if folder.root not in drop]


def _moved(held: Sequence[Folder], fresh: Sequence[Path], layout: Layout | None) -> list[Folder]:
    if not held:
        return [Folder(fresh[0], layout or layout_of(fresh[0]))]
    gone = movable([folder.root for folder in held])
    if len(fresh) > 1 or len(gone) != 1:
        raise IndexingError(
            f"which of {_listed(held)} has moved? Give one folder with --move, when one of these is no longer there"
        )
    _refuse_nested(fresh[0], [folder for folder in held if folder.root != gone[0]])
    here = layout or layout_of(fresh[0])
    return [replace(folder, root=fresh[0], layout=here) if folder.root == gone[0] else folder for folder in held]


def movable(roots: Sequence[Path]) -> list[Path]:
    """Return which of a store's folders may have moved: the only one, or of several those that are gone."""
    return [root for root in roots if not os.path.isdir(root)] if len(roots) > 1 else list(roots)


def _other(held: Sequence[Folder], fresh: Sequence[Path]) -> IndexingError:
    if none := [root for root in fresh if not os.path.isdir(root)]:
        return IndexingError(f"there is no folder {none[0]}; give the folder that holds your notes")
    if len(held) == len(fresh) == 1 and not os.path.isdir(held[0].root):
        return IndexingError(
            f"{held[0].root}, whose notes this store holds, is gone; say that it has moved to {fresh[0]}, or keep the "
            "new ones in another agent's store",
            at_shell="--move, or --agent NAME",
        )
    both = " ".join(shlex.quote(str(root)) for root in (*(folder.root for folder in held), *fresh))
    return IndexingError(
        f"this store holds the notes of {_listed(held)}, not of {fresh[0]}; index them together, keep the new ones in "
        "another agent's store, or say that the folder has moved",
        at_shell=f"`hookclaw index {both}`, --agent NAME, or --move",
    )


def _listed(folders: Sequence[Folder]) -> str:
    return " and ".join(str(folder.root) for folder in folders)


def _refuse_nested(root: Path, held: Sequence[Folder]) -> None:
    for folder in held:
        if root.is_relative_to(folder.root):
            notes = "what of it is MEMORY.md, memory/ or in `globs`" if folder.layout is Layout.WORKSPACE else "it"
            alone = "; to have nothing but that, say that the folder has moved" if os.path.isdir(root) else ""
            raise IndexingError(
                f"{root} lies in {folder.root}, which is indexed already, and {notes} is read with that{alone}",
                at_shell="--move" if alone else "",
            )
        if folder.root.is_relative_to(root):
            raise IndexingError(
                f"{root} holds {folder.root}, which is indexed already; give folders beside it, keep the new ones in another "
                "agent's store, or say that it has moved",
                at_shell="--agent NAME, or --move",
            )


def _name_for(root: Path, held: Sequence[Folder]) -> str:
    """Return the folder's name, with a number if a path in the store may begin like that already."""
    taken = {folder.name.lower() for folder in held}
    with suppress(OSError):  # not there now; ``listings`` tells of names that clash later
        taken |= {name.lower() for name in os.listdir(held[0].root)}
    plain = root.name or "root"
    names = (plain if number == 1 else f"{plain}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name.lower() not in taken)


def listings(
    folders: Sequence[Folder], required: Sequence[Path], *, globs: Sequence[str], exclude: Sequence[str]
) -> Iterator[tuple[Folder, FoundNotes]]:
    """Yield what lies in each folder; problems have the store's paths. One that is gone is a passing problem.

    Raises:
        IndexingError: if one of ``required`` cannot be read.
    """
    names = {folder.name: folder for folder in folders[1:]}
    for folder in folders:
        try:
            found = find_notes(folder.root, folder.layout, globs=globs, exclude=exclude)
        except IndexingError as error:
            if folder.root in required:
                raise
            kept = f"{error}; what was read there is kept"
            yield folder, FoundNotes([], [Problem(folder.path_of(""), kept, passing=True)])
            continue
        problems = [problem._replace(path=folder.path_of(problem.path)) for problem in found.problems]
        notes = found.notes
        if folder == folders[0] and names:
            clashing = [note for note in notes if note.path.partition("/")[0] in names and "/" in note.path]
            notes = [note for note in notes if note not in clashing]
            for name in sorted({note.path.partition("/")[0] for note in clashing}):
                told = f"is not indexed: the notes of {names[name].root} have this name here; rename one of the two"
                problems.append(Problem(name, told))
        yield folder, FoundNotes(notes, problems, tuple(map(folder.path_of, found.unread)))
