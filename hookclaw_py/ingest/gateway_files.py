"""Where OpenClaw keeps an agent's files, and how to read its databases without ever changing or holding them up."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from hookclaw_py.errors import IndexingError
from hookclaw_py.store.agents import agent_folder

_PATIENCE = 0.5  # seconds to wait for a lock: the gateway comes first
_MAGIC = b"SQLite format 3\0"
_WAL = 2  # the header's "read version" of a database with a write-ahead log


class AgentFiles(NamedTuple):
    """The folders and databases of one agent below OpenClaw's state folder; they need not exist."""

    agent: str
    root: Path
    sessions: Path
    database: Path
    old_index: Path


def state_folder(configured: str) -> Path:
    """Return OpenClaw's state folder: ``configured``, else as OpenClaw itself looks for it."""
    if configured:
        return Path(configured).expanduser()
    if folder := os.environ.get("OPENCLAW_STATE_DIR"):
        return Path(folder).expanduser()
    return Path(os.environ.get("OPENCLAW_HOME") or "~").expanduser() / ".openclaw"


def agent_files(state: Path, agent: str) -> AgentFiles:
    """Return where ``agent``'s files are.

    Raises:
        IndexingError: if ``state`` is not there: a folder that is not mounted must not look like one that was emptied.
        StoreError: if ``agent`` is no agent id.
    """
    root = agent_folder(state, agent)
    if not state.is_dir():
        raise IndexingError(
            f"{state}: there is no OpenClaw state folder; set openclawState, or take sessions and openclaw out of sources"
        )
    return AgentFiles(
        agent=agent,
        root=root,
        sessions=root / "sessions",
        database=root / "agent" / "openclaw-agent.sqlite",
        old_index=state / "memory" / f"{agent}.sqlite",
    )


def belongs(file: Path, folder: Path) -> bool:
    """Say whether ``file`` really lies below ``folder``: a link must not lead into another agent's memory."""
    try:
        return file.resolve(strict=True).is_relative_to(folder.resolve(strict=True))
    except (OSError, RuntimeError):
        return False


@contextmanager
def reading(file: Path) -> Iterator[sqlite3.Connection]:
    """Open the database ``file`` for reading alone; nothing is written, not even beside it.

    (While a gateway runs, SQLite notes its readers in the ``-shm`` file that the gateway holds: its memory, not data.)
    Fetch all rows of a statement at once: while one is being read, a gateway without a write-ahead log cannot write.

    Raises:
        IndexingError: if it is locked, damaged or cannot be read; also when that shows within the ``with`` block.
    """
    try:
        with closing(_connected(file)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            connection.execute("PRAGMA query_only = ON")
            yield connection
    except sqlite3.Error as error:
        raise IndexingError(f"{file}: {error}; {_advice(error)}") from error
    except OSError as error:
        raise IndexingError(f"{file}: {error.strerror}; check its owner and mode") from error


def _connected(file: Path) -> sqlite3.Connection:
    with open(file, "rb") as opened:
        header = opened.read(20)
    # SQLite makes -wal and -shm files even to read. Where there are none nobody is writing, and it can do without.
    idle = header[:16] == _MAGIC and header[19] == _WAL and not Path(f"{file}-shm").exists()
    log = Path(f"{file}-wal")
    if idle and log.exists() and log.stat().st_size:
        raise sqlite3.OperationalError("its write-ahead log has lost its index")
    mode = "immutable=1" if idle else "mode=ro"
    return sqlite3.connect(f"file:{quote(str(file))}?{mode}", uri=True, timeout=_PATIENCE, isolation_level=None)


def _advice(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "it is read the next time"
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return "run `openclaw doctor`; what was read from it before stays"
    return "start the gateway once, and check the file's owner and mode; what was read from it before stays"


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the names of a table's columns, none if there is no such table: schemas differ between versions."""
    return frozenset(row[1] for row in connection.execute(f"PRAGMA table_info({table})").fetchall())


def some_columns(
    connection: sqlite3.Connection, table: str, wanted: Sequence[str], rest: str = "", values: Sequence[Any] = ()
) -> list[Mapping[str, Any]]:
    """Return the rows of ``table`` with those of the ``wanted`` columns that it has; [] if there is no such table."""
    there = columns(connection, table)
    names = [name for name in wanted if name in there]
    if not names:
        return []
    found = connection.execute(f"SELECT {', '.join(names)} FROM {table} {rest}", values).fetchall()
    return [dict(row) for row in found]
