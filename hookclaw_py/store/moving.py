"""Moving an agent's memory: from its folder to a server, from one server to another, and back. All of it, or nothing."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from hookclaw_py.errors import IndexingError, StoreError
from hookclaw_py.store import placing
from hookclaw_py.store.database import Store, opened
from hookclaw_py.store.dialects.postgres.schema import columns
from hookclaw_py.store.dialects.sqlite import disk
from hookclaw_py.store.pause import PAUSES
from hookclaw_py.store.placing import Elsewhere
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.sql.handing_over import Sum
from hookclaw_py.store.sql.store import SQLStore
from hookclaw_py.store.switches import SWITCH, hold_too

Rows = Iterator[tuple[str, list[Sequence[Any]]]]

_PATIENCE = 30.0  # seconds for one that is indexing
_DRAFT = ".moving-"  # what begins the name of a folder in it, in which a memory comes back


def migrate(folder: Path, to: Elsewhere | None) -> dict[str, int]:
    """Move the store of an agent's folder to a server, or (None) into the folder; return how many rows of each table there are.

    Whoever writes meanwhile waits; what runs says afterwards that it must be started again. Both are compared row by row before anything is given
    up; then what was there is deleted: nothing that is forgotten later can be found where it was. A server notes where a memory went, for other
    machines: there the same command follows it. Killed at any moment, the memory is whole in one of the two, and the same command goes on.

    Raises:
        StoreError: if one of them cannot be read or written, there is a memory of that agent already, or they differ.
        IndexingError: if somebody is indexing.
    """
    source, under_way = placing.elsewhere(folder), placing.elsewhere(folder, placing.MOVING)
    if source and to and source != to and source.is_one_with(to):
        return find(folder, to)  # another password
    if source and _went(source, folder, to, under_way):
        return _arrived(folder, to)
    if source == to:
        if to is None or under_way != to:
            opened(folder).close()  # it says where it went, if it did
            raise StoreError(f"the memory of agent {folder.name} is kept there already")
        return _arrived(folder, to)
    goes = to or Elsewhere("", uuid4().hex)
    with opened(folder) as store:
        assert isinstance(store, SQLStore)
        with store.alone(_PATIENCE), store.together(), store.handed_over(columns()) as rows:
            moved = _to_the_server(folder, to, rows) if to else _into_the_folder(folder, goes, rows)
            if source:
                store.give_up(columns(), {"to": goes.shown, "space": goes.space})  # the moment from which it is there
            else:
                placing.put(folder, to)
                with suppress(OSError):  # who waits to write finds no file; where one that is open stays, it goes below
                    _delete_file(folder)
    _arrive(folder, to)
    return {table: one.rows for table, one in moved.items()}


def find(folder: Path, at: Elsewhere) -> dict[str, int]:
    """Note that the memory of an agent's folder is on a server already, and copy nothing; return how many rows of each table are there.

    So a machine goes on with a server that has another address or password by now, or was restored somewhere else. Where the memory
    was before nothing is read and nothing is changed.

    Raises:
        StoreError: if it is not there, or a memory lies in the folder.
    """
    from hookclaw_py.store.dialects.postgres import oversight
    from hookclaw_py.store.dialects.postgres.store import PostgresStore

    if disk.file_in(folder).exists():
        raise StoreError(f"the memory of agent {folder.name} is in {folder}; without --already-there it is moved")
    if not oversight.holds(at, folder.name):
        whose = f" in space {at.space}" if at.space else "; --space says whose it is, where it is not the user's"
        raise StoreError(f"{at.shown} holds no memory of agent {folder.name}{whose}")
    with PostgresStore(at, folder.name) as store:  # or it says where the memory went
        found = {table: one.rows for table, one in store.sums(columns()).items()}
    _arrive(folder, at)
    return found


def forget_left_behind(store: AgentStore, folder: Path) -> None:
    """Delete what a move into the folder that was killed left there of this store: it is a copy of everything, and takes nothing that is forgotten out.

    A move that is under way goes on: it is alone with the store.

    Raises:
        StoreError: if it cannot be read where the memory is, or where it goes.
    """
    to = placing.elsewhere(folder, placing.MOVING)
    coming = placing.elsewhere(folder) is not None and to is not None and not to.url
    if coming or any(folder.glob(f"{_DRAFT}*")):
        with suppress(IndexingError), store.alone(0), store.together():  # together: the memory is still in this one
            _delete_drafts(folder)
            if coming:
                _delete_file(folder)


def _went(source: Elsewhere, folder: Path, to: Elsewhere | None, under_way: Elsewhere | None) -> bool:
    """Say whether the memory was moved to just there before: from another machine, or by one of this that was killed."""
    from hookclaw_py.store.dialects.postgres.oversight import moved_to

    went = moved_to(source, folder.name)
    return went is not None and went == (Elsewhere(to.shown, to.space) if to else under_way)


def _arrived(folder: Path, to: Elsewhere | None) -> dict[str, int]:
    _arrive(folder, to)
    with opened(folder) as store:
        assert isinstance(store, SQLStore)
        return {table: one.rows for table, one in store.sums(columns()).items()}


def _arrive(folder: Path, to: Elsewhere | None) -> None:
    """Note where the memory is now, and let nothing of the move stay."""
    placing.put(folder, to)
    if to:
        _delete_file(folder)
    _delete_drafts(folder)
    (folder / placing.MOVING).unlink(missing_ok=True)


def _delete_drafts(folder: Path) -> None:
    for draft in folder.glob(f"{_DRAFT}*"):  # of one that was killed: a copy of everything
        shutil.rmtree(draft)


def _delete_file(folder: Path) -> None:
    for file in folder.glob(f"{disk.file_in(folder).name}*"):
        file.unlink(missing_ok=True)


def _to_the_server(folder: Path, to: Elsewhere, rows: Rows) -> dict[str, Sum]:
    from hookclaw_py.store.dialects.postgres.store import PostgresStore  # needs an extra, which the way back need not

    with PostgresStore(to, folder.name, coming=True) as target:
        under_way = placing.elsewhere(folder, placing.MOVING)
        begun = under_way is not None and under_way.is_one_with(to)
        if not begun and (target.files() or target.happened()):
            raise StoreError(
                f"{to.shown} holds a memory of agent {folder.name} already; if that is this one, add --already-there, else name another --space"
            )
        placing.put(folder, to, placing.MOVING)
        said = {} if begun else {name: target.get_meta(name) for name in (PAUSES, SWITCH)}
        switched = {name: told for name, told in said.items() if told is not None}
        moved = _compared(target, rows)
        if switched:  # by another machine, for an agent that knew nothing there yet
            hold_too(target, switched)
        return moved


def _into_the_folder(folder: Path, goes: Elsewhere, rows: Rows) -> dict[str, Sum]:
    placing.put(folder, goes, placing.MOVING)
    with tempfile.TemporaryDirectory(prefix=_DRAFT, dir=folder) as made:
        with Store.open(Path(made)) as target:
            moved = _compared(target, rows)
        disk.file_in(Path(made)).replace(disk.file_in(folder))
    return moved


def _compared(target: SQLStore, rows: Rows) -> dict[str, Sum]:
    given, taken = target.take_over(rows, columns()), target.sums(columns())
    if wrong := [table for table in given if given[table] != taken[table]]:
        raise StoreError(f"{', '.join(wrong)}: what was written is not what was read; the memory stays where it is")
    return given
