"""The resident process behind a private Unix socket: started on demand, shared by all hooks, gone when nobody asks."""

from __future__ import annotations

import logging
import os
import select
import socket
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from hookclaw_py.doors import protocol
from hookclaw_py.doors.logs import log_to_stderr
from hookclaw_py.doors.ndjson import Connection
from hookclaw_py.doors.service import Service
from hookclaw_py.doors.stdio import WORKERS, Beside, stop_on_signals
from hookclaw_py.errors import HookclawError
from hookclaw_py.heaps import share_a_heap
from hookclaw_py.hosts.caller import home_folder
from hookclaw_py.workers import NoThread, Task, Worker, Workers

if TYPE_CHECKING:
    from filelock import FileLock

log = logging.getLogger("hookclaw")

_MOST_CLIENTS = 64
_TAKES_OVER = 5.0  # seconds within which the one that was first must be there
_STALLED = 1.0
_CLOSING = 0.5


class SocketError(HookclawError):
    """The resident process cannot listen."""


def serve_socket(path: Path, *, idle_seconds: float, config_file: Path | None, beside: Beside) -> None:
    """Listen at ``path`` until nobody has asked for ``idle_seconds``, or the process is told to end. Does not return.

    Prints one line when somebody listens there: this process, or the one that did already.

    Raises:
        SocketError: if the socket's folder cannot be made private, or nobody can listen there.
    """
    from filelock import FileLock

    _make_private(path.parent)
    lock = FileLock(path.with_suffix(".lock"), timeout=0, mode=0o600)
    if not _is_first(lock, path):
        _say_ready()
        return
    share_a_heap()
    stop, stopping = stop_on_signals()
    logs = log_to_stderr()
    listener = _listen(path)
    _say_ready()
    _Clients(listener, config_file=config_file, beside=beside, stop=stop, stopping=stopping).serve(idle_seconds)
    _leave(path, listener, lock)
    logs.drain(0.5)
    os._exit(0)


class _Clients:
    """Serves each client in a thread of its own; all share one service."""

    def __init__(
        self, listener: socket.socket, *, config_file: Path | None, beside: Beside, stop: int, stopping: int
    ) -> None:
        self._listener, self._stop, self._stopping = listener, stop, stopping
        shown = Path(home_folder()) / "conversations.jsonl"
        self._service = Service(config_file=config_file, emit=_log_event, watching=False, conversations=shown)
        self._beside = beside
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="hookclaw-recall")
        self._clients = Workers("client")
        self._served: set[Task[None]] = set()
        self._used_at = monotonic()

    def serve(self, idle_seconds: float) -> None:
        """Accept clients until told to stop or idle; then let the pending ones finish."""
        self._service.warm()
        Worker("http").put(self._beside, self._service)
        while True:
            self._served = {task for task in self._served if not task.finished}
            if self._served:
                self._used_at = monotonic()
            left = self._used_at + idle_seconds - monotonic()
            if left <= 0:
                log.info("hookclaw: nobody asked for %.0f s; the resident process ends", idle_seconds)
                break
            crowded = len(self._served) >= _MOST_CLIENTS
            watched: list[Any] = [self._stop] if crowded else [self._listener, self._stop]
            ready, _, _ = select.select(watched, [], [], min(left, 1.0) if self._served else left)
            if self._stop in ready:
                break
            if ready:
                self._accept()
        self._service.hurried = True
        os.write(self._stopping, b"e")  # readers of every client see it
        self._clients.close(2 * _STALLED)
        self._service.close(_CLOSING)

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        try:
            self._served.add(self._clients.start("client", partial(self._serve_client, client)))
        except NoThread as error:
            log.warning("hookclaw: a client was turned away: %s", error)
            client.close()

    def _serve_client(self, client: socket.socket) -> None:
        with client:
            fd = client.fileno()
            connection = Connection(self._service, self._workers, reads=fd, writes=fd, stop=self._stop)
            connection.serve()
            connection.finish(_STALLED)
            if connection.shutdown:
                os.write(self._stopping, b"e")


def _make_private(folder: Path) -> None:
    try:
        Path(home_folder()).mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat(follow_symlinks=False)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise SocketError(f"{folder} is not a folder of yours; remove it, or set HOOKCLAW_HOME")
        if found.st_mode & 0o077:  # never changed by us: it may be somebody's shared folder
            raise SocketError(f"{folder} is open to other users; chmod it to 700, or set HOOKCLAW_HOME")
    except OSError as error:
        raise SocketError(f"cannot make {folder}: {error.strerror}; set HOOKCLAW_HOME") from error


def _listen(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)  # we hold the lock: whoever made it is gone
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(_MOST_CLIENTS)
    except OSError as error:
        raise SocketError(f"cannot listen at {path}: {error.strerror}; set HOOKCLAW_HOME") from error
    return listener


def _is_first(lock: FileLock, path: Path) -> bool:
    """Take the lock; or, when the process that holds it takes clients, say that we are not the first.

    One that was killed may hold it for a moment more: whoever waits for it then takes its place.

    Raises:
        SocketError: if it neither listens nor ends.
    """
    from filelock import Timeout

    until = monotonic() + _TAKES_OVER
    pause = threading.Event()
    while True:
        with suppress(Timeout):
            lock.acquire()
            return True
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            if probe.connect_ex(str(path)) == 0:
                return False
        if monotonic() > until:
            raise SocketError(f"another process holds {path.with_suffix('.lock')} but does not listen; end it")
        pause.wait(0.02)


def _say_ready() -> None:
    """Tell whoever started us; then leave its pipe, so that nobody waits for its end."""
    with suppress(OSError):  # whoever started us has gone: others will come
        os.write(1, protocol.encode(protocol.hello()))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.close(nothing)


def _leave(path: Path, listener: socket.socket, lock: FileLock) -> None:
    path.unlink(missing_ok=True)
    listener.close()
    lock.release()


def _log_event(event: str, params: Any) -> None:
    log.info("hookclaw: %s %s", event, protocol.encode(params).decode().strip())
