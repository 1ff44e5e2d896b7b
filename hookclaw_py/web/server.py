"""The server: one process of this user's listens for all agents, in the resident process or alone; a lock says which one."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hookclaw_py.config import Config, HttpConfig, home, make_private
from hookclaw_py.doors.service import Service
from hookclaw_py.errors import ConfigError, HookclawError, MissingExtraError
from hookclaw_py.privacy.files import replace_text

if TYPE_CHECKING:
    from filelock import FileLock

log = logging.getLogger("hookclaw")

HEADER_SECONDS = 10.0
"""That the head of a request may take to arrive."""
MOST_CONNECTIONS = 256
_IDLE = 5  # seconds that a connection may stay open without a request
_LOOKED = 1.0  # seconds in which somebody may hold the lock who only looks whether it is free
_ENDING = 2  # seconds for requests under way when the process ends


class DoorError(HookclawError):
    """The HTTP door cannot be opened."""


class Address(NamedTuple):
    """Where the door is: a process, and its port, or its socket's path."""

    pid: int
    host: str
    port: int
    socket: str

    @property
    def url(self) -> str:
        """What a browser opens; "" of a socket."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/" if not self.socket else ""


def run_folder() -> Path:
    """Return where it stands which process listens."""
    return make_private(home() / "run")


def listening() -> Address | None:
    """Return where the door is; None if no process has it open."""
    file = run_folder() / "http.json"
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        found = Address(int(told["pid"]), str(told["host"]), int(told["port"]), str(told["socket"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return found if is_claimed() else None  # whoever wrote it may be gone


def is_claimed() -> bool:
    """Say whether a process has the right to listen: it does, or is about to."""
    from filelock import FileLock, Timeout

    with suppress(Timeout), FileLock(run_folder() / "http.lock", timeout=0, mode=0o600):
        return False
    return True


def claim() -> FileLock | None:
    """Take the right to listen; None if another process has it."""
    from filelock import FileLock, Timeout

    lock = FileLock(run_folder() / "http.lock", timeout=_LOOKED, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock


def serve(service: Service, config: HttpConfig, lock: FileLock) -> None:
    """Listen until the process ends, or is told to.

    Raises:
        MissingExtraError: if Starlette or uvicorn is not installed.
        DoorError: if nobody can listen there.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtraError("the HTTP door", "http") from None
    listener = bound(config)
    port = 0 if config.socket else int(listener.getsockname()[1])
    address = Address(os.getpid(), config.host, port, config.socket)
    file = run_folder() / "http.json"
    _end_in_order()
    try:
        asyncio.run(_serve(service, listener, address, file))
    finally:
        file.unlink(missing_ok=True)
        listener.close()
        if config.socket:
            Path(config.socket).unlink(missing_ok=True)
        lock.release()


def _end_in_order() -> None:
    """Have a signal end the server, not the process: uvicorn raises what it caught once more when it has ended."""
    if threading.current_thread() is threading.main_thread():
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: None)


async def _serve(service: Service, listener: socket.socket, address: Address, file: Path) -> None:
    import uvicorn

    from hookclaw_py.web.app import Doorway, application
    from hookclaw_py.web.hurried import Hurried

    door = Doorway(service, port=address.port)
    config = uvicorn.Config(
        application(door, hosts=_hosts(address)),
        http=Hurried,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=_IDLE,
        timeout_graceful_shutdown=_ENDING,
    )
    server = uvicorn.Server(config)
    told = asyncio.create_task(_say_when_ready(server, door, address, file))
    await server.serve(sockets=[listener])
    door.ending = True
    told.cancel()


async def _say_when_ready(server: Any, door: Any, address: Address, file: Path) -> None:
    while not server.started:
        await asyncio.sleep(0.01)
    replace_text(file, json.dumps(address._asdict()))
    log.info("hookclaw: HTTP at %s", address.url or address.socket)
    while not server.should_exit:
        await asyncio.sleep(0.1)
    door.ending = True


def _hosts(address: Address) -> frozenset[str]:
    """Return the names under which the door is asked for."""
    if address.socket:
        return frozenset({"localhost"})
    return frozenset(f"{name}:{address.port}" for name in ("127.0.0.1", "localhost", "[::1]"))


def bound(config: HttpConfig) -> socket.socket:
    """Return the listening socket.

    Raises:
        DoorError: if nobody can listen there.
    """
    family = socket.AF_UNIX if config.socket else socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # asyncio sends what is written at once only where a socket says that it is of TCP
    listener = socket.socket(family, socket.SOCK_STREAM, 0 if config.socket else socket.IPPROTO_TCP)
    try:
        if config.socket:
            _bind_private(listener, Path(config.socket).expanduser())
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((config.host, config.port))
    except OSError as error:
        listener.close()
        where = config.socket or f"{config.host}:{config.port}"
        remedy = "set http.socket to a path of its own" if config.socket else "set http.port to another one"
        raise DoorError(f"cannot listen at {where}: {error.strerror or error}; {remedy}") from error
    return listener


def _bind_private(listener: socket.socket, path: Path) -> None:
    if path.is_socket():  # anything else that lies there is the person's
        path.unlink()
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)


def beside(service: Service, config_file: Path | None) -> None:
    """Listen beside another door, if the configuration wants it and no other process does; what keeps it from that is logged."""
    try:
        config = Config.load(config_file).http
    except ConfigError:
        return  # the service tells of it
    if not config.enabled:
        return
    lock = claim()
    if lock is None:
        log.info("hookclaw: HTTP is served by another process")
        return
    try:
        serve(service, config, lock)
    except HookclawError as error:
        lock.release()
        log.warning("hookclaw: no HTTP: %s", error)
