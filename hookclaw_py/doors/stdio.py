"""``hookclaw serve``: the sidecar of a gateway, on its own stdin and stdout."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hookclaw_py.doors.logs import log_to_stderr
from hookclaw_py.doors.ndjson import Connection
from hookclaw_py.doors.service import Service
from hookclaw_py.heaps import share_a_heap
from hookclaw_py.workers import Worker

WORKERS = 16
"""Prompts under way at a time; each thread only waits for an answer, and no longer than its host."""
_STALLED = 5.0  # seconds that a host which ended its stream has to take what is still to be written
_STALLED_IN_A_HURRY = 1.0
_CLOSING = 0.5
_ENDED = b"e"  # the stream did; else the number of a signal


def stop_on_signals() -> tuple[int, int]:
    """Return a pipe (read end, write end) that becomes readable when the process is asked to end.

    A handler runs in the main thread, when that wakes up next; a signal may reach any other. The byte comes at once.
    """
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, lambda *_: None)
    return read_end, write_end


def take_over_stdio() -> tuple[int, int]:
    """Return private descriptors of stdin and stdout; from now on a stray ``print`` goes to stderr, in C code too."""
    reads, writes = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return reads, writes


Beside = Callable[[Service], None]
"""Opens another door on the same service, if there is to be one; it ends with the process."""


def serve_stdio(config_file: Path | None, beside: Beside) -> None:
    """Serve one host until its stream ends, it sends ``_shutdown``, or the process is told to end. Does not return."""
    share_a_heap()
    reads, writes = take_over_stdio()
    stop, stopping = stop_on_signals()
    logs = log_to_stderr()
    connections: list[Connection] = []

    def emit(event: str, params: Mapping[str, Any]) -> None:
        for connection in connections:
            connection.tell(event, params)

    service = Service(config_file=config_file, emit=emit, watching=True)
    workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="hookclaw-recall")
    connection = Connection(service, workers, reads=reads, writes=writes, stop=stop)
    connections.append(connection)
    service.warm()
    Worker("http").put(beside, service)

    def read() -> None:
        try:
            connection.serve()
        finally:
            os.write(stopping, _ENDED)

    Worker("read").put(read)
    select.select([stop], [], [])
    told = os.read(stop, 1)
    service.hurried = service.hurried or told != _ENDED
    connection.finish(_STALLED_IN_A_HURRY if service.hurried else _STALLED)
    service.close(_CLOSING)
    logs.drain(0.5)
    # Threads that belong to libraries, or to an index in the making, are not waited for: every store survives that.
    os._exit(0)
