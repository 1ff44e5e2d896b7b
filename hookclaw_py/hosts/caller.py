"""Caller: finds the resident process, starts it, and puts another in its place when it hangs. Imports only what is fast."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from time import monotonic, time

from hookclaw_py import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PATIENCE = 2.0
"""Seconds that one call may take in all; a cold start needs about one of them."""

_HELLO = 1.2  # of them, for the first line: a process that is well writes it at once, whatever else it does
_YOUNG = 10.0  # seconds that a process has to find its feet before it can count as hung
_DEAF = 20.0  # seconds without an answer to any prompt: what is only busy answers one of them
_LOG_BYTES = 1 << 20
_NEVER = ("PARSE_ERROR", "INVALID_PARAMS")  # errors of what was told, not of who was told
_PATH_BYTES = 100  # what a socket's address may have on every system


class Failed(Exception):
    """The resident process cannot be asked."""


class NotTaken(Failed):
    """The resident process is well, and does not take what it was told."""


class _Hung(OSError):
    """A process listens and does not say hello."""


def socket_path() -> str:
    """Return where the resident process listens: below ``$HOOKCLAW_HOME``, or where that is too long, in a folder of /tmp."""
    home = home_folder()
    path = os.path.join(home, "run", "hookclaw.sock")
    if len(os.fsencode(path)) <= _PATH_BYTES:
        return path
    from _blake2 import blake2b

    name = blake2b(os.fsencode(home), digest_size=6).hexdigest()
    return f"/tmp/hookclaw-{os.getuid()}/{name}.sock"


def home_folder() -> str:
    """Return ``$HOOKCLAW_HOME``, by default ``~/.hookclaw``."""
    return os.path.abspath(os.path.expanduser(os.environ.get("HOOKCLAW_HOME") or "~/.hookclaw"))


def log_file() -> str:
    """Return the log's path; a log that has grown big makes way for a new one."""
    folder = os.path.join(home_folder(), "logs")
    os.makedirs(home_folder(), mode=0o700, exist_ok=True)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, "claude-code.log")
    if os.path.exists(path) and os.path.getsize(path) > _LOG_BYTES:
        os.replace(path, path + ".1")
    return path


def ask(method: str, params: dict[str, Any], *, prompt: bool = False) -> dict[str, Any]:
    """Ask the resident process, started if need be, and return its result.

    A ``prompt`` is answered in time by a process that is well: one that leaves all of them unanswered is ended.

    Raises:
        Failed: if there is no answer in time, or the answer is an error.
    """
    until = monotonic() + PATIENCE
    path = socket_path()
    connection = connected(path, until) or _started(path, until)
    with connection:
        line = json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n"
        try:
            connection.settimeout(max(0.01, until - monotonic()))
            connection.sendall(line)
            while True:
                reply = json.loads(read_line(connection, until))
                if reply.get("id") == 1:
                    break
        except (OSError, ValueError) as error:
            ended = prompt and isinstance(error, TimeoutError) and _unanswered(connection, path)
            then = "; it was ended, the next prompt starts another" if ended else ""
            raise Failed(f"{method}: the resident process did not answer: {error}{then}") from None
    if prompt:
        with suppress(OSError):
            os.unlink(_note(path))
    if "result" not in reply:
        raise Failed(f"{method}: {reply.get('error')}")
    result: dict[str, Any] = reply["result"]
    return result


def listens() -> bool:
    """Say whether a resident process can be told something."""
    connection = connected(socket_path(), monotonic() + PATIENCE)
    if connection is not None:
        connection.close()
    return connection is not None


def tell_of(params: dict[str, Any], patience: float) -> None:
    """Tell a running process what happened in a session, and wait for its word that it is written; none is started for it.

    Raises:
        NotTaken: if it cannot take that, however often it is told.
        Failed: if nobody listens, or says so in time.
    """
    until = monotonic() + patience
    connection = connected(socket_path(), until)
    if connection is None:
        raise Failed("capture: no resident process listens")
    with connection:
        try:
            connection.settimeout(max(0.01, until - monotonic()))
            connection.sendall(json.dumps({"id": 1, "method": "capture", "params": params}).encode() + b"\n")
            while "event" in (reply := json.loads(read_line(connection, until))):
                pass
        except (OSError, ValueError) as error:
            raise Failed(f"capture: the resident process did not answer: {error}") from None
    if "result" not in reply:  # of what it cannot read it does not know the id either
        told = reply.get("error") or {}
        refused = told.get("code") in _NEVER
        raise (NotTaken if refused else Failed)(f"capture: {told}")


def connected(path: str, until: float) -> socket.socket | None:
    """Connect to a running process of this version; None if there is none (an older one is asked to end, a hung one is ended)."""
    try:
        folder = os.stat(os.path.dirname(path))
    except FileNotFoundError:
        return None
    if folder.st_uid != os.getuid() or folder.st_mode & 0o077:
        raise Failed(f"{os.path.dirname(path)} is open to other users; remove it, or chmod it to 700")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(max(0.01, until - monotonic()))
    try:
        connection.connect(path)
        version = json.loads(_hello(connection, until)).get("version")
        if version == __version__:
            return connection
        connection.sendall(b'{"method": "_shutdown"}\n')
        while connection.recv(4096):  # it has ended, and with it its lock
            pass
    except _Hung:
        if _end(connection, path):
            tell("the resident process hung and was ended; another takes its place")
    except (OSError, ValueError):
        pass
    connection.close()
    return None


def _hello(connection: socket.socket, until: float) -> bytes:
    try:
        return read_line(connection, min(until, monotonic() + _HELLO))
    except TimeoutError:
        raise _Hung("it does not say hello") from None


def _unanswered(connection: socket.socket, path: str) -> bool:
    """Note that a prompt got no answer; end a process that has answered none for long. Say whether it was ended."""
    note, peer = _note(path), str(_peer(connection)).encode()
    try:
        with open(note, "rb") as before:
            if before.read() == peer:
                return time() - os.stat(note).st_mtime > _DEAF and _end(connection, path)
    except OSError:
        pass  # it is the first one
    with suppress(OSError), open(note, "wb", opener=_private) as after:
        after.write(peer)
    return False


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _note(path: str) -> str:
    return f"{path.removesuffix('.sock')}.unanswered"


def _end(connection: socket.socket, path: str) -> bool:
    """Kill the process at the other end, which holds our socket in our private folder; say whether it was done.

    A process that has only just begun is left alone: a machine may be that busy, and killing would make it busier.
    """
    with suppress(OSError):
        pid = _peer(connection)
        if pid > 0 and time() - os.stat(path).st_mtime > _YOUNG:
            os.kill(pid, signal.SIGKILL)
            return True
    return False


def _peer(connection: socket.socket) -> int:
    """Return the id of the process that listens at the other end."""
    if sys.platform == "darwin":
        return int.from_bytes(connection.getsockopt(0, 2, 4), sys.byteorder)  # SOL_LOCAL, LOCAL_PEERPID
    return int.from_bytes(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4], sys.byteorder)


def _started(path: str, until: float) -> socket.socket:
    import subprocess

    with open(log_file(), "ab", opener=_private) as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "hookclaw_py", "serve", "--socket"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd="/",
            env={**os.environ, "HOOKCLAW_HOME": home_folder()},  # it may be told from where we are
            start_new_session=True,
        )
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - monotonic()))
    connection = connected(path, until) if ready and process.stdout.read(1) else None
    process.stdout.close()
    process.returncode = 0  # it lives on: nothing to wait for, nothing to warn about
    if connection is None:
        raise Failed("the resident process did not start in time; the next prompt will find it")
    return connection


def read_line(connection: socket.socket, until: float) -> bytes:
    """Return the next line.

    Raises:
        OSError: if it is not there in time (TimeoutError), or never comes.
    """
    line = b""
    while not line.endswith(b"\n"):
        connection.settimeout(max(0.01, until - monotonic()))
        byte = connection.recv(1 << 16, socket.MSG_PEEK)
        if not byte:
            raise OSError("it closed the connection")
        line += connection.recv(byte.find(b"\n") + 1 or len(byte))
    return line


def tell(what: str) -> None:
    """Write one line to the log."""
    from time import strftime

    with open(log_file(), "a", encoding="utf-8", errors="replace", opener=_private) as log:
        log.write(f"{strftime('%Y-%m-%dT%H:%M:%S%z')} hook: {what}\n")
