"""Remembering: a note is written down, in a file that its owner can read and edit, under the day's date."""

from __future__ import annotations

import os
import re
from datetime import date
from pathlib import Path

from hookclaw_py.errors import IndexingError
from hookclaw_py.errors.remedies import is_gone
from hookclaw_py.ingest.folders import Folder
from hookclaw_py.ingest.workspace import Layout
from hookclaw_py.privacy.plain import plain
from hookclaw_py.regex import regex

NOTES = "Remembered.md"
"""The file in a person's folder of notes; an agent's workspace has one for each day."""
MAX_CHARS = 10_000
NOTED_BY = regex(r" \(noted by (?!me\b|myself\b)[^()\n]{1,60}\)$", re.MULTILINE)
"""What stands behind an item that somebody else than the owner of the notes had written down."""
_DAY = regex(r"^## (\d{4}-\d{2}-\d{2})\s*$", re.MULTILINE)


def path_for(folder: Folder, day: date) -> str:
    """Return the path, below ``folder``, of the file that a note of this ``day`` goes to."""
    return f"memory/{day.isoformat()}.md" if folder.layout is Layout.WORKSPACE else NOTES


def write_down(folder: Folder, text: str, *, day: date, agent: str, by: str = "") -> Path:
    """Append ``text`` as an item of a list; return the file. ``by`` says who noted it, if not the owner of the notes.

    ``agent`` is whose folder it is.

    Raises:
        IndexingError: if there is nothing to write, too much, the folder is gone, or the file cannot be written.
    """
    said = _item(text, by)
    if not os.path.isdir(folder.root):  # made here, it would stand where the moved one comes back to
        raise IndexingError(is_gone(folder.root, agent))
    file = folder.root / path_for(folder, day)
    try:
        before = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
        file.parent.mkdir(exist_ok=True)
        with file.open("a", encoding="utf-8", newline="\n") as notes:
            notes.write(_heading(folder, before, day) + said)
    except OSError as error:
        raise IndexingError(f"{file}: cannot be written: {error.strerror}; check its mode and the disk") from error
    return file


def _item(text: str, by: str) -> str:
    if len(text) > MAX_CHARS:
        raise IndexingError(f"that has {len(text)} characters, {MAX_CHARS} are allowed; write it to a note of its own")
    lines = (line.rstrip() for line in plain(text).strip().splitlines())
    told = "\n".join(f"  {line}" if line else "" for line in lines).strip()
    if not told:
        raise IndexingError("there is nothing to remember; give a sentence")
    return f"- {told}{f' (noted by {by})' if by else ''}\n"


def _heading(folder: Folder, before: str, day: date) -> str:
    """Return what stands before the item: the day, where the file does not end with that day's notes."""
    if not before:
        title = f"# {day}\n" if folder.layout is Layout.WORKSPACE else f"# Remembered\n\n## {day}\n"
        return f"{title}\n"
    end = "" if before.endswith("\n") else "\n"
    if folder.layout is Layout.WORKSPACE or _DAY.findall(before)[-1:] == [day.isoformat()]:
        return end
    return f"{end}\n## {day}\n\n"
