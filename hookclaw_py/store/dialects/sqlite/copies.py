"""Copies of a store's database: backups, what was set aside, and how one takes the other's place."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from hookclaw_py.config import make_private
from hookclaw_py.errors import IndexingError, StoreError
from hookclaw_py.store.dialects.sqlite import beside, disk, pages, salvage, schema
from hookclaw_py.store.dialects.sqlite.connection import SQLiteConnection, plain
from hookclaw_py.store.dialects.sqlite.migrations import MIGRATIONS, Migration
from hookclaw_py.store.pause import PAUSES
from hookclaw_py.store.sql import experience, facts, forgetting, generations
from hookclaw_py.store.switches import SWITCH
from hookclaw_py.store.values import Cleaned

_PATIENCE = 10.0  # seconds to wait for another process that writes or indexes
_BUSY_SECONDS = 5.0


class Rebuilt(NamedTuple):
    """What a rebuild did: ``aside`` is where a damaged database is kept, ``lost`` says of which tables rows were lost.

    ``damage`` is what was wrong with it, "" when nothing was.
    """

    damage: str = ""
    aside: Path | None = None
    lost: Mapping[str, str] = {}


def damage(file: Path, *, thorough: bool = False, migrations: Sequence[Migration] = MIGRATIONS) -> str:
    """Say what is wrong with a database; "" when nothing is.

    Raises:
        StoreError: if it is not ours, of a newer version, or cannot be opened.
    """
    with disk.explained(str(file)):
        if not file.stat().st_size:
            return "it is empty"
        try:
            with closing(disk.opened_to_read(file, busy_seconds=_BUSY_SECONDS)) as connection:
                schema.version_of(connection, str(file), migrations)
                check = "integrity_check" if thorough else "quick_check"
                said: str = connection.execute(f"PRAGMA {check}(1)").fetchone()[0]
        except sqlite3.DatabaseError as error:
            if not getattr(error, "sqlite_errorname", "").startswith(disk.DAMAGE):
                raise
            said = str(error)
    return "" if said == "ok" else " ".join(said.split())


def rebuild(folder: Path, *, at: datetime) -> Rebuilt | None:
    """Let every note be read and embedded anew; None where there is no database.

    What no file can rebuild stays. A damaged database is kept aside, and what can be read of it is carried into a new one.

    Raises:
        StoreError: if the database is not ours, or cannot be written.
        IndexingError: if another process is indexing.
    """
    file = disk.file_in(folder)
    if not file.exists():
        return None
    with _alone(folder):
        found = damage(file, thorough=True)
        if found:
            return _salvaged(file, found, at)
        with disk.explained(str(file)), closing(disk.opened(file, str(file), busy_seconds=_PATIENCE)[0]) as live:
            live.execute("BEGIN IMMEDIATE")
            salvage.read_anew(live)
            salvage.note_origin(live, "rebuilt", at=at)
            live.execute("COMMIT")
        return Rebuilt()


def _salvaged(file: Path, found: str, at: datetime) -> Rebuilt:
    aside = free_name(file, "corrupt")
    with draft_of(file) as draft, disk.explained(str(file)):
        for _ in range(3):
            before = _stamp(file)
            copy_raw(file, aside)
            with closing(disk.connect(draft, busy_seconds=0)) as new, closing(plain(aside)) as old:
                carried = salvage.carry(old, new, str(file), at=at)
                _forget_again(new, beside.read(file.parent), at)
            if _stamp(file) == before:
                break
            _empty(draft)
        put_in_place(draft, file)
    return Rebuilt(found, aside, carried.lost)


def back_up(folder: Path, target: Path) -> None:
    """Copy a store's database, while it is used, into one file.

    Raises:
        StoreError: if it is damaged, or the copy cannot be written.
    """
    file = disk.file_in(folder)
    if target.exists():
        raise StoreError(f"{target} is there already; give the backup another name")
    if found := damage(file):
        raise StoreError(f"{file} is damaged ({found}); run `hookclaw index --rebuild FOLDER` first")
    try:
        with disk.explained(str(file)), closing(disk.opened_to_read(file, busy_seconds=_PATIENCE)) as live:
            pages.copy_to_file(live, target, str(file))
    except OSError as error:
        raise StoreError(f"cannot write {target}: {error.strerror}") from error


def restore(folder: Path, source: Path, *, at: datetime) -> Path | None:
    """Put a backup in the place of the store; return where the store that was there is kept.

    What was forgotten since stays forgotten, what was switched off stays off. Pins, blocks, history and verdicts are those of the
    backup. Engines that run go on with it.

    Raises:
        StoreError: if the backup is damaged, not ours or of a newer version, or the store cannot be written.
        IndexingError: if another process is indexing.
    """
    file = disk.file_in(folder)
    if not source.is_file():
        raise StoreError(f"there is no backup {source}")
    if found := damage(source, thorough=True):
        raise StoreError(f"{source} is damaged ({found}); restore another backup")
    make_private(folder)
    with _alone(folder), draft_of(file) as draft, disk.explained(str(file)):
        with closing(plain(source)) as old, closing(disk.connect(draft, busy_seconds=0)) as new:
            pages.copy(old, new, str(source))
            schema.migrate(new, str(source), lasting=True)
            owned = facts.get(new, "agent")
            if owned and owned != folder.name:
                raise StoreError(f"{source} is of agent {owned}, not of {folder.name}; use --agent {owned}")
            new.execute("BEGIN IMMEDIATE")
            generations.start(new)
            salvage.note_origin(new, "restored", at=at)
            for name, said in _switched(file).items():
                facts.put(new, name, said)
            new.execute("COMMIT")
            _forget_again(new, _forgotten_by(file), at)
        aside = None
        if file.exists():
            aside = free_name(file, "before-restore")
            copy_raw(file, aside)
        put_in_place(draft, file)
        return aside


def copies(folder: Path) -> list[Path]:
    """Return the databases that were set aside in a store's folder."""
    found = [path for why in ("corrupt", "before") for path in folder.glob(f"{disk.file_in(folder).name}.{why}-*")]
    return sorted({path.with_name(path.name.removesuffix("-wal").removesuffix("-shm")) for path in found})


def forget_in_copies(folder: Path, *, at: datetime) -> Cleaned:
    """Take what the store forgot out of the databases set aside; one that cannot be cleaned is deleted, and so are drafts left behind."""
    known = beside.read(folder)
    with suppress(IndexingError, OSError), disk.alone(folder, 0):  # else one is being made
        _delete_drafts(disk.file_in(folder))
    cleaned, deleted = [], []
    for path in copies(folder):
        try:
            _clean(path, known, at)
        except (StoreError, OSError):
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
            deleted.append(path)
        else:
            cleaned.append(path)
    return Cleaned(cleaned, deleted)


def _clean(path: Path, known: beside.Beside, at: datetime) -> None:
    """Take what was forgotten out of one database.

    Raises:
        StoreError: if it is damaged or of an earlier version: nothing can be taken out of it.
    """
    if not path.exists() or damage(path, thorough=True):
        raise StoreError(f"{path} cannot be cleaned")
    with disk.explained(str(path)), closing(disk.connect(path, busy_seconds=0)) as copy:
        if schema.version_of(copy, str(path)) != schema.newest():
            raise StoreError(f"{path} is of an earlier version")
        _forget_again(copy, known, at)
        copy.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _forgotten_by(file: Path) -> beside.Beside:
    """Return what the store of this file has forgotten, as far as that can be read."""
    known = beside.read(file.parent)
    with suppress(sqlite3.Error, OSError):
        if file.exists():
            with closing(plain(file)) as live:
                digests = forgetting.digests_of(live)
            known = known._replace(digests=known.digests | digests)
    return known


def _switched(file: Path) -> dict[str, Any]:
    """Return what a person switched off, or on again, in the store of this file, as far as that can be read."""
    with suppress(sqlite3.Error, OSError, ValueError):
        if file.exists():
            with closing(plain(file)) as live:
                said = {name: facts.get(live, name) for name in (PAUSES, SWITCH)}
            return {name: told for name, told in said.items() if told is not None}
    return {}


def _forget_again(connection: SQLiteConnection, known: beside.Beside, at: datetime) -> None:
    connection.execute("BEGIN IMMEDIATE")
    if beside.forget_again(connection, known, at=at):
        experience.rebuild_uses(connection)
    connection.execute("COMMIT")


def put_in_place(draft: Path, file: Path) -> None:
    """Let the draft be the store: inside the file that is there, so that whoever has it open goes on; else instead of it."""
    if file.exists() and file.stat().st_size:
        try:
            with closing(plain(draft)) as new, closing(disk.connect(file, busy_seconds=0)) as live:
                pages.fit(new, live)
                pages.copy(new, live, str(file))
                return
        except sqlite3.DatabaseError as error:
            if not getattr(error, "sqlite_errorname", "").startswith(disk.DAMAGE):
                raise
    with disk.opening(file):
        if file.exists():  # its journal was copied with it
            for suffix in ("-wal", "-shm"):
                file.with_name(file.name + suffix).unlink(missing_ok=True)
        else:
            disk.put_journals_aside(file)
        draft.replace(file)


def copy_raw(file: Path, aside: Path) -> None:
    """Copy a database as it is, readable or not, with its journal."""
    for suffix in ("", "-wal"):
        part = file.with_name(file.name + suffix)
        if part.exists():
            target = aside.with_name(aside.name + suffix)
            with part.open("rb") as old, open(target, "wb", opener=_private) as new:
                shutil.copyfileobj(old, new)
                new.flush()
                os.fsync(new.fileno())


def _stamp(file: Path) -> tuple[int, ...]:
    """Return what changes whenever somebody writes to the database."""
    found: list[int] = []
    for part in (file, file.with_name(f"{file.name}-wal")):
        if part.exists():
            stat = part.stat()
            found += [stat.st_size, stat.st_mtime_ns]
    return tuple(found)


@contextmanager
def draft_of(file: Path) -> Iterator[Path]:
    """Give an empty file beside another one, for its owner alone, which is gone afterwards unless it has become that."""
    draft = file.with_name(f"{file.name}.draft-{os.getpid()}")
    _delete_drafts(file)
    _empty(draft)
    try:
        yield draft
    finally:
        for suffix in ("", "-wal", "-shm"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def _delete_drafts(file: Path) -> None:
    """Delete what processes left that were killed: each is a copy of everything."""
    for stale in file.parent.glob(f"{file.name}.draft-*"):
        stale.unlink(missing_ok=True)


def _empty(draft: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        draft.with_name(draft.name + suffix).unlink(missing_ok=True)
    os.close(os.open(draft, os.O_CREAT | os.O_RDWR, 0o600))


def free_name(file: Path, why: str) -> Path:
    """Return how a file is called that is set aside."""
    taken = {path.name.removesuffix("-wal") for path in file.parent.glob(f"{file.name}.{why}-*")}
    return file.with_name(next(name for n in range(1, 1_000_000) if (name := f"{file.name}.{why}-{n}") not in taken))


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    try:
        with disk.alone(folder, _PATIENCE):
            yield
    except OSError as error:
        raise StoreError(
            f"cannot write in {folder}: {error.strerror}; check its owner and mode, or make room"
        ) from error
