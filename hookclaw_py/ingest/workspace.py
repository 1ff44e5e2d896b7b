"""Which files of a folder are notes: nothing outside the folder."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from hookclaw_py.errors import IndexingError
from hookclaw_py.model.place import NOTE_SUFFIXES
from hookclaw_py.patterns import Patterns, composed
from hookclaw_py.regex import regex

MAX_BYTES = 10_000_000


class NoteFile(NamedTuple):
    """A file to index: its path relative to the workspace, with forward slashes, and its stat."""

    path: str
    size: int
    mtime_ns: int


class Problem(NamedTuple):
    """A file or folder that is not indexed and why. After a ``passing`` problem what was indexed before stays."""

    path: str
    why: str
    passing: bool = False

    def __str__(self) -> str:
        return told(self.path, self.why)


def told(path: str, why: str) -> str:
    """Return a line about a file for people, or about all of them ("")."""
    return f"{shown(path)}: {why}" if path else why


def shown(path: str) -> str:
    """Return a path as people see it, on one line: a name that could disturb their terminal is written with escapes."""
    return path if path.isprintable() else repr(path)


class FoundNotes(NamedTuple):
    """The notes of a workspace, by path, the problems met, and the paths of documents that are not read."""

    notes: list[NoteFile]
    problems: list[Problem]
    unread: tuple[str, ...] = ()


class Layout(StrEnum):
    """Where a folder keeps its notes."""

    WORKSPACE = "workspace"  # an agent's: MEMORY.md and memory/, whatever else lies there
    NOTES = "notes"  # a person's: every text file that is no template


_SURE = frozenset({"MEMORY.md", "SOUL.md"})
_OF_AN_AGENT = _SURE | {"AGENTS.md", "BOOTSTRAP.md", "HEARTBEAT.md", "IDENTITY.md", "TOOLS.md", "USER.md"}
"""What programs put into an agent's workspace, and call so; people have a "Memory.md" as well."""
_AS_PEOPLE_WRITE = frozenset({"memory.md", "agents.md", "soul.md"})
_NO_NOTES_OF_A_WORKSPACE = frozenset({name.lower() for name in _OF_AN_AGENT} | {"claude.md", "readme.md"})
_DAY = regex(r"\d{4}-\d\d-\d\d.*\.md", re.IGNORECASE)
_NO_NOTES = frozenset({"node_modules", "templates", "_templates", "attachments", "_attachments", "assets", "_assets"})
_MADE_ELSEWHERE = "csv tsv xls xlsx ods numbers pdf doc docx odt rtf pages htm html tex rst adoc eml enex opml"
_DOCUMENTS = frozenset(f".{suffix}" for suffix in _MADE_ELSEWHERE.split())
"""How the names of files end that have words in them and are not read: who keeps them among notes may think that they are."""
_COPIES = ("/logseq/bak/", "/logseq/version-files/")  # what Logseq keeps of the wording that its pages had before


def layout_of(root: Path) -> Layout:
    """Say whether ``root`` is an agent's workspace, by what lies in it, or a person's folder of notes.

    People have a note or a folder called "memory", too, and an AGENTS.md: among other notes, outside of a repository, it is one of
    theirs unless a second sign stands beside it, or it has an agent's notes of its days.
    """
    try:
        found = {entry.name: _is_folder(entry) for entry in os.scandir(root)}
    except OSError:
        return Layout.WORKSPACE  # ``find_notes`` says what is wrong with it
    entries = {name.lower(): is_folder for name, is_folder in found.items()}
    signs = {name.lower() for name in _OF_AN_AGENT.intersection(found)} | _AS_PEOPLE_WRITE.intersection(entries)
    signs |= {"memory"} if entries.get("memory") else set()
    if signs.isdisjoint(_AS_PEOPLE_WRITE | {"memory"}):
        return Layout.NOTES
    if len(signs) > 1 or not _SURE.isdisjoint(found):
        return Layout.WORKSPACE
    visible = {name for name in entries if not _is_hidden(name) and name not in signs}
    others = any(entries[name] or name.endswith(NOTE_SUFFIXES) for name in visible)
    return Layout.NOTES if others and ".git" not in entries and not _has_days(root, entries) else Layout.WORKSPACE


def _has_days(root: Path, entries: Collection[str]) -> bool:
    folders = [
        folder for folder in root.iterdir() if folder.name.lower() == "memory" and folder.name.lower() in entries
    ]
    return any(_DAY.match(note.name) for folder in folders for note in folder.glob("*"))


class Selection:
    """Says which paths below ``root`` are notes.

    Of a workspace MEMORY.md and memory/**/*.md, in any letter case; of a person's folder every .md, .markdown, .txt and .org
    outside of templates and attachments, as Obsidian has them set up there, and of the copies that Logseq keeps. ``globs`` add to these and ``exclude`` takes
    away, as .gitignore patterns. Hidden files and folders and node_modules never count.
    """

    def __init__(self, root: Path, layout: Layout, *, globs: Sequence[str], exclude: Sequence[str]) -> None:
        self._layout = layout
        self._globs, self._exclude = Patterns(globs), Patterns(exclude)
        self._no_notes = frozenset(_folders_of_obsidian(root)) if layout is Layout.NOTES else frozenset()

    def is_note(self, path: str) -> bool:
        """Judge a relative path with forward slashes."""
        if self._is_left_out(path):
            return False
        return self._is_built_in(path.lower()) or self._globs.match(path)

    def is_unread(self, path: str) -> bool:
        """Say whether a file that is no note is a document where a person's notes lie, or a note beside an agent's own files."""
        if self._layout is Layout.WORKSPACE:
            name = path.lower()
            own = name in _NO_NOTES_OF_A_WORKSPACE or not name.endswith(NOTE_SUFFIXES)
            return not own and "/" not in path and not self._is_left_out(path)
        stem, suffix = os.path.splitext(path.lower())
        return suffix in _DOCUMENTS and not self._is_left_out(path) and self._is_built_in(stem + NOTE_SUFFIXES[0])

    def may_hold_notes(self, folder: str) -> bool:
        """Say whether a folder must be looked into."""
        if self._is_left_out(f"{folder}/"):
            return False
        return self._layout is Layout.NOTES or bool(self._globs) or folder.lower().split("/")[0] == "memory"

    def _is_left_out(self, path: str) -> bool:
        hidden = any(_is_hidden(part) for part in path.rstrip("/").lower().split("/"))
        return hidden or self._exclude.match(path)

    def _is_built_in(self, path: str) -> bool:
        parts = path.split("/")
        if self._layout is Layout.WORKSPACE:
            return parts == ["memory.md"] or (len(parts) > 1 and parts[0] == "memory" and path.endswith(".md"))
        folders = {composed("/".join(parts[:depth])) for depth in range(1, len(parts))}
        is_copy = any(copies in f"/{path}" for copies in _COPIES)
        apart = _NO_NOTES.isdisjoint(parts[:-1]) and self._no_notes.isdisjoint(folders)
        return path.endswith(NOTE_SUFFIXES) and apart and not is_copy


def _folders_of_obsidian(root: Path) -> Iterator[str]:
    """Yield the folders, in lower case, that a vault's own settings name for templates and attachments."""
    for name, key in (
        ("templates.json", "folder"),
        ("app.json", "attachmentFolderPath"),
        ("plugins/templater-obsidian/data.json", "templates_folder"),
    ):
        try:
            told = json.loads((root / ".obsidian" / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):  # not there, or not readable: its folders are then notes like others
            continue
        folder = told.get(key) if isinstance(told, dict) else None
        if isinstance(folder, str) and (plain := composed(folder.strip("./ ").lower())):
            yield plain


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Say whether an entry is a folder, or a link to one; one that leads where we may not look is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name == "node_modules"


def find_notes(
    root: Path, layout: Layout = Layout.WORKSPACE, *, globs: Sequence[str], exclude: Sequence[str]
) -> FoundNotes:
    """List the notes below ``root``. A link may point into the folder, not out of it; each file is listed once.

    Raises:
        IndexingError: if ``root`` is not a folder that can be read.
    """
    try:
        real_root = root.resolve(strict=True)
        os.scandir(real_root).close()
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or error
        raise IndexingError(f"{root}: {why}; give the folder that holds your notes") from error
    search = _Search(real_root, Selection(real_root, layout, globs=globs, exclude=exclude))
    search.folder("")
    while search.links:  # after the real files, so that a link never hides the file it points to
        search.link(*search.links.pop(0))
    return FoundNotes(sorted(search.notes), sorted(search.problems), tuple(sorted(search.unread)))


class _Search:
    def __init__(self, root: Path, selection: Selection) -> None:
        self.root = root
        self.selection = selection
        self.notes: list[NoteFile] = []
        self.problems: list[Problem] = []
        self.unread: list[str] = []
        self.links: list[tuple[str, bool]] = []
        self._seen: set[str] = set()

    def folder(self, path: str) -> None:
        real = os.path.realpath(self.root / path)
        if real in self._seen:
            return
        self._seen.add(real)
        try:
            with os.scandir(self.root / path) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.problems.append(Problem(path, f"cannot be listed: {error.strerror}; check its mode", passing=True))
            return
        for entry in listed:
            self._entry(entry, f"{path}/{entry.name}" if path else entry.name, os.path.join(real, entry.name))

    def _entry(self, entry: os.DirEntry[str], path: str, real: str) -> None:
        is_note, may_hold_notes = self.selection.is_note(path), self.selection.may_hold_notes(path)
        if not is_note and not may_hold_notes:
            if path.isprintable() and self.selection.is_unread(path) and not _is_folder(entry):
                self.unread.append(path)
            return
        if not path.isprintable() and any("\ud800" <= c <= "\udfff" for c in path):
            self.problems.append(Problem(path, "its name is not UTF-8; rename it"))
        elif entry.is_symlink():
            self.links.append((path, is_note))
        elif entry.is_dir(follow_symlinks=False):
            if may_hold_notes:
                self.folder(path)
        elif is_note:
            self.file(path, real)
        elif self.selection.is_unread(path):
            self.unread.append(path)

    def link(self, path: str, is_note: bool) -> None:
        try:
            real = (self.root / path).resolve(strict=True)
        except (OSError, RuntimeError) as error:  # a loop is a RuntimeError before Python 3.13
            why = "leads round in a circle" if "loop" in str(error) or "many levels" in str(error) else "leads nowhere"
            closed = isinstance(error, PermissionError)
            wrong = "leads where we may not look; check the mode there" if closed else f"{why}; remove it"
            self.problems.append(Problem(path, f"this link {wrong}", passing=closed))
            return
        if not real.is_relative_to(self.root):
            self.problems.append(
                Problem(path, "this link leads out of the workspace and is not followed; copy the file")
            )
        elif real.is_dir():
            self.folder(path)
        elif is_note and str(real) not in self._seen:
            self.file(path, str(real))

    def file(self, path: str, real: str) -> None:
        try:
            status = (self.root / path).stat()
        except OSError as error:
            self.problems.append(Problem(path, f"cannot be read: {error.strerror}", passing=True))
            return
        if problem := unfit(path, status):
            self.problems.append(problem)
            return
        self._seen.add(real)
        self.notes.append(NoteFile(path, status.st_size, status.st_mtime_ns))


def unfit(path: str, status: os.stat_result) -> Problem | None:
    """Return why a file is none that is read, if it is none."""
    if not stat.S_ISREG(status.st_mode):
        return Problem(path, "is no ordinary file; move it out of the notes")
    if status.st_size > MAX_BYTES:
        return Problem(
            path, f"has {status.st_size / 1e6:.0f} MB, more than {MAX_BYTES // 1_000_000}; split it, or exclude it"
        )
    return None


def shielded(path: str, problems: Sequence[Problem]) -> bool:
    """Say whether a passing problem, its own or that of a folder above it, hides ``path`` from us at the moment."""
    return any(
        problem.passing and (problem.path in ("", path) or path.startswith(f"{problem.path}/")) for problem in problems
    )
