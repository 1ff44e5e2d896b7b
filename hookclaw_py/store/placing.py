"""Where an agent's memory is kept: in its folder, or on a server that a small file in the folder names."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from hookclaw_py.errors import StoreError
from hookclaw_py.privacy.addresses import shown

FILE = "store.json"
MOVING = "moving.json"
"""In the folder: where the memory is on its way to."""


class Elsewhere(NamedTuple):
    """A server, and whose agents these are there; ``space`` "" is the user that the URL names."""

    url: str
    space: str = ""

    @property
    def shown(self) -> str:
        """The server as people may see it: without a password, or any part of one."""
        return shown(self.url)

    def asked_by(self, role: str) -> str:
        """Return the server as it is asked by another role, without a password."""
        parts = urlsplit(self.shown)
        if not parts.scheme:
            return f"{self.shown} user={role}"  # libpq takes the last one
        return urlunsplit(parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}"))

    def is_one_with(self, other: Elsewhere) -> bool:
        """Say whether another one is the same but for the password."""
        return (self.shown, self.space) == (other.shown, other.space)


def elsewhere(folder: Path | None, name: str = FILE) -> Elsewhere | None:
    """Return the server that keeps the memory of the agent whose folder this is; None where the folder does.

    Raises:
        StoreError: if the file cannot be read.
    """
    if folder is None:
        return None
    file = folder / name
    try:
        return Elsewhere(**json.loads(file.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError) as error:
        raise StoreError(f"{file}: cannot be read: {error}; it says where the memory is: mend it") from error


def unfinished(folder: Path) -> str:
    """Say that the memory of an agent's folder is on its way to another place, and which command ends that; "" where it is not."""
    try:
        to = elsewhere(folder, MOVING)
    except StoreError:
        note = folder / MOVING
        return (
            f"{note}, which says where a move of this memory goes, cannot be read; unless one is under way,"
            f" `{shlex.join(['rm', str(note)])}`, and move it again"
        )
    if to is None:
        return ""
    where = ["--to", to.shown, *(("--space", to.space) if to.space else ())] if to.url else ["--to", "here"]
    return (
        f"a move of this memory {f'to {to.shown}' if to.url else 'into a file here'} was begun and has not ended;"
        f" unless it is under way, `{shlex.join(['hookclaw', 'move', folder.name, *where])}` ends it"
    )


def put(folder: Path, place: Elsewhere | None, name: str = FILE) -> None:
    """Note in an agent's folder where its memory is kept from now on: None is the folder itself.

    Raises:
        StoreError: if it cannot be noted.
    """
    from hookclaw_py.config import make_private
    from hookclaw_py.privacy.files import replace_text

    file = folder / name
    try:
        if place is None:
            file.unlink(missing_ok=True)
            return
        make_private(folder)
        replace_text(file, json.dumps(place._asdict(), ensure_ascii=False) + "\n")
    except OSError as error:
        raise StoreError(
            f"{error.filename or file}: {os.strerror(error.errno or 0)}; check its owner and mode"
        ) from error
