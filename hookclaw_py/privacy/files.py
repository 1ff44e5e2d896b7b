"""Files that are nobody else's business: what lies in a folder of ours is for its owner only."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

HOME = (
    "config.toml",
    "messages.db*",
    "switches.json",
    "switches.lock",
    "agents",
    "agents/*",
    "cache",
    "cache/*",
    "logs",
    "logs/*",
    "run",
    "run/*",
    "spool",
    "spool/*",
)
"""What is ours below ``$HOOKCLAW_HOME``. The plugin's folder is not: a gateway under another user may read it."""

BESIDE = ("prompts.db*", "*.lock", "lexical", "lexical/*", "lexical/.*", "vectors.npz*")
"""What is ours in an agent's folder, beside the files of its store, which that knows."""


def mend(folder: Path, patterns: Iterable[str] = ("*", ".*")) -> list[Path]:
    """Take away what others may do with these of our files and folders; return those that were open to them.

    What cannot be changed (another owner, a read-only disk) stays as it is.
    """
    mended = []
    for path in _matching(folder, patterns):
        with suppress(OSError):
            mode = path.lstat().st_mode
            if mode & 0o077 and not path.is_symlink() and not path.is_socket():
                path.chmod(mode & 0o700)
                mended.append(path)
    return mended


def for_its_owner(name: str, flags: int) -> int:
    """Open a file, made for its owner alone: an opener of ``open``."""
    return os.open(name, flags, 0o600)


def replace_text(file: Path, text: str, *, mode: int = 0o600) -> None:
    """Replace a file, by default for its owner alone, in one step: a reader sees the old text or the new one."""
    try:
        descriptor, part = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    except OSError as error:
        error.filename = str(file)  # not the part of it that nobody asked for
        raise
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(part, mode)
        os.replace(part, file)
    except BaseException:  # Ctrl-C too, which may come when it has taken its place already
        Path(part).unlink(missing_ok=True)
        raise


def _matching(folder: Path, patterns: Iterable[str]) -> Iterator[Path]:
    if os.name != "posix":
        return
    for pattern in patterns:
        with suppress(OSError):
            yield from sorted(folder.glob(pattern))
