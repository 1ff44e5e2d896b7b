"""Whatever mask a process has, what it writes below ``$HOOKCLAW_HOME`` is for its owner alone."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.waiting import is_running, wait_until

SCRIPT = """
import json, os, subprocess, sys
from pathlib import Path
mask, home, notes = int(sys.argv[1], 8), Path(sys.argv[2]), Path(sys.argv[3])
os.umask(mask)
os.environ.update(HOOKCLAW_HOME=str(home), HOOKCLAW_RECORD_PROMPTS="true")
from click.testing import CliRunner
from hookclaw_py.cli.commands import main

def run(*words):
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 0, (words, ran.output)

run("index", str(notes))
run("recall", "how old is the fence number 3?", "--session", "s")
run("remember", "The plumber is called Ottokar")
run("capture", "off")
run("metrics")
run("history")
run("stats", "--html", str(home / "page.html"))
run("export", "--markdown", str(home / "learned"))
run("prompts", "export", "--out", str(home / "asked.jsonl"))
run("backup", str(home / "copy.db"))
run("restore", str(home / "copy.db"))
event = {"hook_event_name": "UserPromptSubmit", "prompt": "how old is the fence?", "session_id": "s", "cwd": str(notes)}
hook = [sys.executable, "-P", "-c", "from hookclaw_py.hosts.claude_code.hook import main; main()"]
for name in ("UserPromptSubmit", "Stop", "SessionEnd"):
    subprocess.run(hook, input=json.dumps(event | {"hook_event_name": name}).encode(), capture_output=True, timeout=60)
"""


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose path is short enough for a socket in it."""
    with tempfile.TemporaryDirectory(prefix="hc-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("mask", ["000", "022", "077"])
def test_every_file_and_folder_of_ours_is_for_its_owner_alone(tmp_path: Path, short: Path, mask: str):
    notes, home = tmp_path / "notes", short / "home"
    notes.mkdir()
    for n in range(4):
        (notes / f"{n}.md").write_text(f"# Fence {n}\n\nThe fence number {n} is green, and {n + 3} years old.\n")
    command = [sys.executable, "-c", SCRIPT, mask, str(home), str(notes)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    modes = _modes(home)  # with the socket, which a process that ends takes along
    ended = _end_residents(home)
    assert done.returncode == 0, done.stderr[-2000:]
    assert ended, "the hook began a process that answers it"
    modes |= _modes(home)
    kinds = {path.name for path in modes} | {path.suffix for path in modes}
    assert {
        "memory.db",
        "prompts.db",
        "lexical",
        "claude-code.log",
        ".lock",
        ".sock",
        "page.html",
        "copy.db",
        "asked.jsonl",
    } <= kinds
    assert {str(path): oct(mode) for path, mode in modes.items() if mode & 0o077} == {}
    wait_until(lambda: not any(map(is_running, ended)), "it has ended, and writes no more")


def _modes(home: Path) -> dict[Path, int]:
    """Return the mode of a folder and of all that is in it."""
    modes = dict[Path, int]()
    for path in (home, *home.rglob("*")):
        with suppress(FileNotFoundError):  # a database that is closed takes its journal along
            modes[path] = path.lstat().st_mode
    return modes


def _end_residents(home: Path) -> list[int]:
    """End the process that the hook began; it says its id in the answer to ``health``."""
    import json
    import signal
    import time

    from hookclaw_py.hosts import caller

    ended = []
    for path in (home / "run").glob("*.sock"):
        connection = caller.connected(str(path), time.perf_counter() + 30)
        if connection is not None:
            with connection:
                connection.sendall(b'{"id": 1, "method": "health", "params": {}}\n')
                pid = json.loads(caller.read_line(connection, time.monotonic() + 30))["result"]["pid"]
            os.kill(pid, signal.SIGTERM)
            ended.append(pid)
    return ended
