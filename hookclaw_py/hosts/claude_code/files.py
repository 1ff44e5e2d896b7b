"""What Claude Code has in its context of itself: a project's CLAUDE.md and the person's, with what they import."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from hookclaw_py.regex import regex

_NAMES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")
_DEPTH = 5  # imports of imports that Claude Code follows
_MAX_BYTES = 1_000_000
_CODE = regex(r"^[ ]{0,3}(```|~~~).*?^[ ]{0,3}\1|`[^`\n]*`", re.MULTILINE | re.DOTALL)  # an @ there imports nothing
_IMPORT = regex(r"(?:^|(?<=\s))@((?:[^\s\\]|\\ )+)")


def in_context(project: str, own: str) -> str:
    """Return what a session in ``project`` begins with; ``own`` is Claude Code's folder of this person.

    An import from outside these folders is left out: whether it was allowed is not known here.
    """
    folder = Path(project).expanduser().resolve()
    texts = [text for name in _NAMES for text in _with_imports(folder / name, folder, set())]
    theirs = Path(own).expanduser().resolve()
    return "\n".join([*texts, *_with_imports(theirs / "CLAUDE.md", theirs, set())])


def _with_imports(file: Path, within: Path, seen: set[Path], depth: int = 0) -> Iterator[str]:
    file = Path(os.path.realpath(file))
    if file in seen or not file.is_relative_to(within):
        return
    seen.add(file)
    try:
        status = file.stat()
        text, imports = _read(file, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):
        return  # it is not there: then Claude Code has not got it either
    yield text
    for name in imports if depth < _DEPTH else ():
        yield from _with_imports(file.parent / Path(name).expanduser(), within, seen, depth + 1)


@lru_cache(maxsize=256)
def _read(file: Path, _mtime_ns: int, size: int) -> tuple[str, tuple[str, ...]]:
    """Return a file's text and what it imports; read again when it has changed."""
    if size > _MAX_BYTES:
        return "", ()
    text = file.read_text(encoding="utf-8", errors="replace")
    return text, tuple(name.replace("\\ ", " ") for name in _IMPORT.findall(_CODE.sub(" ", text)))
