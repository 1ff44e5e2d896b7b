"""``hookclaw worker`` and ``viewer``: the process that listens for browsers and programs of this machine, and its page."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

import click

from hookclaw_py.cli.opening import agent_of, config_file_of, folder_of, no_memory_of
from hookclaw_py.insight.terminal import say

if TYPE_CHECKING:
    from hookclaw_py.web.server import Address

_BEGINS, _ENDS = 10.0, 5.0  # seconds
_LOG = "worker.log"
_MOST_LOG = 1 << 20


@click.group()
def worker() -> None:
    """Listen for browsers and programs of this machine (needs hookclaw_py[http]).

    One process does that for all agents: this one, or one that serves a host and has http.enabled = true.
    """


@worker.command("start")
@click.pass_context
def start_command(ctx: click.Context) -> None:
    """Start the process, unless one listens already."""
    address, is_new = _started(ctx)
    say(f"{'listening' if is_new else 'listening already'}: {_where(address)}")


@worker.command("run")
@click.pass_context
def run_command(ctx: click.Context) -> None:
    """Listen in this terminal until Ctrl-C."""
    from hookclaw_py.config import Config
    from hookclaw_py.doors.logs import log_to_stderr
    from hookclaw_py.doors.service import Service
    from hookclaw_py.web import server

    config_file = config_file_of(ctx)
    config = Config.load(config_file).http
    lock = server.claim()
    if lock is None:
        found = server.listening()
        raise server.DoorError(f"another process listens already{f': {_where(found)}' if found else ''}")
    logs = log_to_stderr()
    service = Service(config_file=config_file, emit=lambda *_: None, watching=False)
    service.warm()
    try:
        server.serve(service, config, lock)
    finally:
        service.close(2.0)
        logs.drain(0.5)


@worker.command("stop")
def stop_command() -> None:
    """End the process; what waits to be worked on stays."""
    from hookclaw_py.web.server import listening

    found = listening()
    if found is None:
        say("nothing listens")
        return
    say("ended" if _ended(found) else f"process {found.pid} had to be killed")


@worker.command("restart")
@click.pass_context
def restart_command(ctx: click.Context) -> None:
    """End the process and start another one."""
    from hookclaw_py.web.server import listening

    found = listening()
    if found is not None:
        _ended(found)
    address, _ = _started(ctx)
    say(f"listening: {_where(address)}")


@worker.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def status_command(ctx: click.Context, as_json: bool) -> None:
    """Say whether a process listens, and where; exits with 1 if none does."""
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.web.server import listening

    found = listening()
    if as_json:
        say(as_plain({"running": found is not None, **(found._asdict() if found else {})}))
    else:
        say(f"listening: {_where(found)}" if found else "nothing listens; `hookclaw worker start` changes that")
    ctx.exit(0 if found else 1)


@worker.command("logs")
@click.option("--lines", type=click.IntRange(min=1), default=50, show_default=True, help="How many, the newest.")
def logs_command(lines: int) -> None:
    """Print what the process logged last."""
    file = _logs() / _LOG
    said = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.exists() else []
    for line in said[-lines:]:
        say(line)
    if not said:
        say(f"nothing was logged yet ({file})", err=True)


@click.command()
@click.option("--url", is_flag=True, help="Print the address instead of opening a browser; it holds the agent's token.")
@click.option("--token", is_flag=True, help="Print the agent's token alone, for a program.")
@click.pass_context
def viewer(ctx: click.Context, url: bool, token: bool) -> None:
    """Open the page that shows what is remembered, live: prompts, what was learned, and what came of it."""
    from hookclaw_py.store.upkeep import is_there
    from hookclaw_py.web.server import DoorError
    from hookclaw_py.web.tokens import token_of

    agent = agent_of(ctx)
    if not is_there(folder_of(ctx)):
        raise no_memory_of(agent)
    secret = token_of(agent)
    if token:
        say(secret)
        return
    address, _ = _started(ctx)
    if not address.url:
        raise DoorError(f"a browser cannot open {address.socket}; set http.socket to nothing for the viewer")
    whole = f"{address.url}#token={secret}"
    if url:
        say(whole)
    elif _open(whole):
        say(f"opened {address.url} (`hookclaw viewer --url` prints the whole address)")
    else:
        say(f"no browser opened; open this yourself: {whole}")


def _open(address: str) -> bool:
    """Open a browser by a file of ours that leads to ``address``: what stands in a command line, other users may read."""
    import webbrowser

    from hookclaw_py.privacy.files import replace_text
    from hookclaw_py.web.server import run_folder

    file = run_folder() / "viewer.html"
    replace_text(file, f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={address}">')
    return webbrowser.open(file.as_uri())


def _started(ctx: click.Context) -> tuple[Address, bool]:
    """Return where the door is, opened if need be, and whether that was need."""
    from hookclaw_py.config import Config
    from hookclaw_py.errors import MissingExtraError
    from hookclaw_py.web.server import DoorError, is_claimed, listening

    if found := listening():
        return found, False
    config_file = config_file_of(ctx)
    Config.load(config_file)
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtraError("the HTTP door", "http") from None
    command = [sys.executable, "-P", "-m", "hookclaw_py", *(["--config", str(config_file)] if config_file else [])]
    file = _log_file()
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as log:
        process = subprocess.Popen(
            [*command, "worker", "run"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    # another shell may have begun at the same time: then that one's process is about to listen, and ours ends
    if not _waited(lambda: listening() is not None or (process.poll() is not None and not is_claimed()), _BEGINS):
        raise DoorError(f"no answer within {_BEGINS:.0f} s; `hookclaw worker logs` says why")
    found = listening()
    if found is None:
        last = file.read_text(encoding="utf-8", errors="replace").splitlines()[-1:]
        said = "".join(last).removeprefix("hookclaw: ")
        raise DoorError(f"it did not start: {said or 'nothing was logged'}")
    return found, found.pid == process.pid


def _ended(found: Address) -> bool:
    """End the process; False if it had to be killed."""
    from hookclaw_py.web.server import listening

    os.kill(found.pid, signal.SIGTERM)
    if _waited(lambda: listening() is None, _ENDS):
        return True
    os.kill(found.pid, signal.SIGKILL)
    _waited(lambda: listening() is None, _ENDS)
    return False


def _waited(is_so: Callable[[], bool], seconds: float) -> bool:
    until = monotonic() + seconds
    while not is_so():
        if monotonic() > until:
            return False
        sleep(0.05)
    return True


def _where(address: Address) -> str:
    return f"{address.url or address.socket} (process {address.pid})"


def _logs() -> Path:
    from hookclaw_py.config import home, make_private

    return make_private(home() / "logs")


def _log_file() -> Path:
    """Return the file that a process which begins writes to; one that has grown big makes way for it."""
    file = _logs() / _LOG
    if file.exists() and file.stat().st_size > _MOST_LOG:
        file.replace(file.with_suffix(".log.1"))
    return file
