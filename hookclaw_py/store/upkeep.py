"""What keeps stores whole: where one is kept and whether one is there, what is damaged, backups, rebuilding."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from hookclaw_py.errors import StoreError
from hookclaw_py.store import placing
from hookclaw_py.store.database import opened
from hookclaw_py.store.dialects.sqlite import copies, disk
from hookclaw_py.store.dialects.sqlite.copies import Rebuilt as Rebuilt
from hookclaw_py.store.fleet import Held, Served

ENGINE = disk.ENGINE
"""The database and its version, for people."""
FILES = (*disk.FILES, placing.FILE)
"""What the files of a store are called, in its folder, as patterns."""


def is_there(folder: Path) -> bool:
    """Say whether a folder holds a store, or says which server does.

    Raises:
        OSError: if it cannot be looked into.
    """
    return disk.file_in(folder).exists() or (folder / placing.FILE).exists()


def where(folder: Path) -> str:
    """Return where a store is kept, for people."""
    place = placing.elsewhere(folder)
    return place.shown if place else str(folder)


def keep(folder: Path, url: str, space: str) -> None:
    """See to it that a store is kept on the server at ``url``; one that is kept anywhere already is not moved by that.

    Raises:
        StoreError: if it is kept somewhere else, and how to move it; if that server does not answer: it is not noted then.
    """
    wanted, known = placing.Elsewhere(url, space), placing.elsewhere(folder)
    if not url:
        return
    if known and known.is_one_with(wanted):
        _take_password(folder, wanted, known)
        return
    if known or disk.file_in(folder).exists():
        other = " (with --already-there, if it is there by other means)" if known else ""
        raise StoreError(
            f"the memory of agent {folder.name} is kept in {where(folder)}, and store.url names another place:"
            f" leave that out to use it where it is, or move it{other}",
            at_shell=f"hookclaw --agent {folder.name} migrate --to {wanted.shown}",
        )
    from hookclaw_py.store.dialects.postgres import oversight

    oversight.ask(wanted)
    placing.put(folder, wanted)


def find(folder: Path, url: str, space: str, *, to_move: bool = False) -> None:
    """Note that a store is kept on the server at ``url`` if it is there, and nothing else is known of it.

    One that is ``to_move`` may be kept anywhere until then.

    Raises:
        StoreError: if it is kept somewhere else, and how to move it; if the server does not answer.
    """
    wanted = placing.Elsewhere(url, space)
    if not url:
        return
    if is_there(folder):
        known = placing.elsewhere(folder)
        if not to_move or (known and known.is_one_with(wanted)):
            keep(folder, url, space)
        return
    from hookclaw_py.store.dialects.postgres import oversight

    if oversight.holds(wanted, folder.name):
        keep(folder, url, space)


def _take_password(folder: Path, wanted: placing.Elsewhere, known: placing.Elsewhere) -> None:
    """Note the password of a server that is known, where one is given that is another, and the server takes it."""
    if wanted.url not in (known.url, wanted.shown):
        from hookclaw_py.store.dialects.postgres import oversight

        oversight.ask(wanted)
        placing.put(folder, wanted)


def served(place: placing.Elsewhere) -> Served:
    """Look at a server that keeps memories.

    Raises:
        StoreError: if it does not answer, or refuses.
    """
    from hookclaw_py.store.dialects.postgres import oversight

    return oversight.served(place)


def held(place: placing.Elsewhere, *, all_spaces: bool) -> list[Held]:
    """Say what a server holds of each agent of the place's space, or of ``all_spaces``.

    Raises:
        StoreError: if it does not answer, or refuses.
    """
    from hookclaw_py.store.dialects.postgres import oversight

    return list(oversight.held(place, all_spaces=all_spaces))


def remove(place: placing.Elsewhere, agent: str) -> bool:
    """Delete all that a server holds of an agent; False where it holds none of that name.

    Raises:
        StoreError: if it does not answer, or refuses.
    """
    from hookclaw_py.store.dialects.postgres import oversight

    return oversight.remove(place, agent)


def damage(folder: Path) -> str:
    """Look through a store that is not open; say what is wrong with it, "" when nothing is.

    Raises:
        StoreError: if it is not ours, of a newer version, or cannot be opened.
    """
    if placing.elsewhere(folder) is None:
        return copies.damage(disk.file_in(folder))
    with opened(folder) as store:
        return store.check()


def back_up(folder: Path, file: Path) -> None:
    """Copy a store into a file, while it is used.

    Raises:
        StoreError: if it cannot be read or the file written; if a server keeps it.
    """
    _here(folder, "pg_dump backs it up")
    copies.back_up(folder, file)


def rebuild(folder: Path, *, at: datetime) -> Rebuilt | None:
    """Make a store anew of what can be read of it; None where there is none.

    Raises:
        StoreError: if that is not possible; if a server keeps it.
    """
    _here(folder, "its server mends it")
    return copies.rebuild(folder, at=at)


def restore(folder: Path, file: Path, *, at: datetime) -> Path | None:
    """Put a backup in the place of a store; return where that is kept, if there was one.

    Raises:
        StoreError: if the file is none of our backups; if a server keeps the store.
    """
    _here(folder, "pg_restore restores it")
    return copies.restore(folder, file, at=at)


def _here(folder: Path, instead: str) -> None:
    if place := placing.elsewhere(folder):
        raise StoreError(
            f"the memory of agent {folder.name} is kept on {place.shown}: {instead}; `hookclaw migrate --to here` takes it back"
        )
