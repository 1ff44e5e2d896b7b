"""What a hook could not tell, because nobody listened: kept in a small private file until the next hook finds somebody.

Nothing is written that has not been cleaned. Of a prompt with a private part it is noted that it had one: what would know
it again is written nowhere.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from time import time

from hookclaw_py.hosts.caller import home_folder, tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MOST_BYTES = 8 << 20
_ABANDONED = 60.0  # seconds after which a file that somebody took to tell of it is anybody's again
_NAME = "claude-code.jsonl"


def keep(agent: str, report: dict[str, Any], *, most_bytes: int = MOST_BYTES) -> None:
    """Put down one report, cleaned; beyond ``most_bytes`` it is only counted."""
    from datetime import UTC, datetime
    from pathlib import Path

    from hookclaw_py.capture import policy
    from hookclaw_py.capture.cleaning import cleaned
    from hookclaw_py.config import Config
    from hookclaw_py.speech.unsaying import kept_of
    from hookclaw_py.store.switches import Switches

    settings = Config.load().capture
    payload = report["payload"]
    cwd = str(payload.get("cwd") or report["folder"])
    asked = policy.Request(str(payload.get("tool") or ""), payload.get("input"), cwd)
    outside = policy.is_within(report["folder"], settings.exclude) or policy.lies_within(asked, settings.exclude)
    aside = bool(asked.tool) and policy.skips_tool(asked.tool, settings.skip_tools)
    if not settings.enabled or outside or aside or policy.reads_secrets(asked, settings.refuse):
        return
    switches = Switches(agent, None, Path(home_folder()))
    if switches.paused(datetime.now(UTC)) or switches.not_captured():
        return  # what one agent's own switch says is asked when it is told
    if report["kind"] == "prompt" and (bare := kept_of(payload["text"])).private:
        payload = {**payload, "text": bare.text, "private": "all" if bare.is_wholly_private else "some"}
    line = json.dumps({"agentId": agent, "report": {**report, "payload": cleaned(payload)}}).encode() + b"\n"
    folder = _folder()
    path = os.path.join(folder, _NAME)
    with _alone(folder):
        full = os.path.exists(path) and os.path.getsize(path) + len(line) > most_bytes
        _append(f"{path}.lost" if full else path, b"." if full else line)
    if full:
        tell(f"{path} is full: what happens is not captured until a resident process has read it")


def taken() -> Iterator[tuple[str, list[dict[str, Any]], int]]:
    """Yield each file that waits, taken for this process alone: its path, what it tells, and how much was lost.

    Whoever has told of it deletes it; if that never happens another one takes it.
    """
    folder = _folder()
    for name in sorted(os.listdir(folder)):
        if not name.startswith(_NAME) or name.endswith(".lost"):
            continue
        path, mine = os.path.join(folder, name), os.path.join(folder, f"{_NAME}.{os.urandom(8).hex()}")
        with suppress(OSError):
            with _alone(folder):
                if name != _NAME and time() - os.stat(path).st_ctime < _ABANDONED:
                    continue
                os.rename(path, mine)
                lost = _lost(f"{os.path.join(folder, _NAME)}.lost")
            with open(mine, encoding="utf-8") as file:
                yield mine, list(_read(file)), lost


@contextmanager
def given_back(path: str) -> Iterator[None]:
    """Let what was taken wait again if it cannot be told after all."""
    try:
        yield
    except BaseException:  # Ctrl-C and the end of the hook's time too; it goes on
        with suppress(OSError):  # others wait there already: then this one waits its time beside them
            os.link(path, os.path.join(_folder(), _NAME))
            os.unlink(path)
        raise


def _read(lines: Iterator[str] | Any) -> Iterator[dict[str, Any]]:
    for line in lines:
        with suppress(ValueError):  # the last one of a process that was killed
            told = json.loads(line)
            if isinstance(told, dict):
                yield told


def _lost(path: str) -> int:
    with suppress(OSError):
        number = os.path.getsize(path)
        os.unlink(path)
        return number
    return 0


@contextmanager
def _alone(folder: str) -> Iterator[None]:
    """Let nobody else put down or take anything meanwhile: what is written into a file that was told of already is lost."""
    from fcntl import LOCK_EX, flock

    fd = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system that knows no locks: then it is told, or rarely lost
            flock(fd, LOCK_EX)
        yield
    finally:
        os.close(fd)


def _append(path: str, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(fd, data)
    finally:
        os.close(fd)


def _folder() -> str:
    folder = os.path.join(home_folder(), "spool")
    os.makedirs(home_folder(), mode=0o700, exist_ok=True)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder
