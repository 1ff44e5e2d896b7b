"""The HTTP door for tests: a real process, asked by an independent client, with a memory that has something of everything."""

from __future__ import annotations

import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from hookclaw_py.capture.reports import Report
from hookclaw_py.config import Config
from hookclaw_py.engine import Engine
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.store.agents import agent_folder
from tests.e2e.sidecar import ASKED, workspace
from tests.waiting import wait_until

PATIENCE = 60
SESSION = "agent:main:main"


class Patient(httpx.HTTPTransport):
    """Asks once more, after a second, what was one request too many in a second."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        for _ in range(PATIENCE):
            reply = super().handle_request(request)
            if reply.status_code != httpx.codes.TOO_MANY_REQUESTS:
                break
            reply.close()
            time.sleep(1)
        return reply


class Door(NamedTuple):
    """A process that listens, and the token of its agent "main"."""

    process: subprocess.Popen[bytes]
    home: Path
    url: str
    token: str

    def client(self, *, patient: bool = True, **headers: str) -> httpx.Client:
        """Return a client that shows the token, unless it is told to show another one, and asks no more than it may."""
        shown = {"authorization": f"Bearer {self.token}", **headers}
        return httpx.Client(
            base_url=self.url, headers=shown, timeout=PATIENCE, transport=Patient() if patient else None
        )


def run(home: Path, *arguments: str) -> str:
    """Run a command; return what it says."""
    env = {**os.environ, "HOOKCLAW_HOME": str(home)}
    command = [sys.executable, "-P", "-m", "hookclaw_py", *arguments]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@contextmanager
def door(home: Path, **env: str) -> Iterator[Door]:
    """Start the process on any free port, and end it."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    env = {**os.environ, "HOOKCLAW_HOME": str(home), "HOOKCLAW_HTTP__PORT": "0", **env}
    command = [sys.executable, "-P", "-m", "hookclaw_py", "worker", "run"]
    file = home / "run" / "http.json"
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE) as process:
        said: list[bytes] = []
        threading.Thread(target=lambda: said.extend(process.stderr), daemon=True).start()
        try:
            wait_until(lambda: file.exists() or process.poll() is not None, "the door is open", PATIENCE)
            assert file.exists(), b"".join(said).decode()
            told = json.loads(file.read_text(encoding="utf-8"))
            yield Door(process, home, f"http://127.0.0.1:{told['port']}", run(home, "viewer", "--token"))
        finally:
            process.terminate()
            process.wait(PATIENCE)


def remembered(home: Path, notes: Path, agent: str = "main") -> None:
    """Make a memory of notes, of two sessions with a fact, a decision and a failed command, and of two prompts."""
    config = Config(timezone="UTC")
    with Engine.open(config, agent=agent, folder=agent_folder(home, agent)) as engine:
        engine.index(workspace(notes))
        began = datetime.now(UTC) - timedelta(hours=2)
        turn(engine, "We decided to keep raw data for 45 days.", "Noted.", run="1", at=began)
        turn(engine, "Mondo Gate has 1,100 customers.", "Noted.", run="2", at=began + timedelta(minutes=5))
        failed = {
            "tool": "exec",
            "input": {"command": "pytest -q tests"},
            "result": {"exitCode": 1},
            "error": "2 failed",
        }
        turn(engine, "Run the tests, please.", "Two fail.", run="3", at=began + timedelta(minutes=9), tools=[failed])
        engine.recall(ASKED, session=SESSION)
        engine.recall("What is the capital of Mongolia?", session=SESSION)
        engine.agent_end(SESSION, "Structured logging: one JSON object a line, serilog.")


def turn(
    engine: Engine, asked: str, answered: str, *, run: str, at: datetime, tools: list[dict[str, Any]] | None = None
) -> None:
    """Tell an engine of a turn, as a host does."""
    common = {"host": "openclaw", "session": SESSION, "run": f"run-{run}", "audience": Audience.OWNER}
    told = [Report(HappeningKind.PROMPT, at, payload={"text": asked}, **common)]
    for number, payload in enumerate(tools or []):
        moment = at + timedelta(seconds=number + 1)
        told.append(Report(HappeningKind.TOOL_CALL, moment, call=f"call-{number}", payload=payload, **common))
    told.append(Report(HappeningKind.ANSWER, at + timedelta(minutes=1), payload={"text": answered}, **common))
    engine.capturing.record(told, at=at)
    engine.capturing.work_off()


class Stream:
    """Live events as an independent client reads them."""

    def __init__(self, door: Door, **headers: str) -> None:
        self.events: queue.Queue[tuple[int, str, Any]] = queue.Queue()
        self._client = door.client(**headers)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        told: dict[str, str] = {}
        try:
            with self._client.stream("GET", "/stream") as response:
                self._socket = response.extensions["network_stream"].get_extra_info("socket")
                assert response.headers["content-type"].startswith("text/event-stream")
                for line in response.iter_lines():
                    name, _, value = line.partition(": ")
                    if name:
                        told[name] = value
                    elif told:
                        self.events.put((int(told.get("id", 0)), told["event"], json.loads(told["data"])))
                        told = {}
        except httpx.HTTPError:
            pass  # closed

    def next(self, name: str) -> tuple[int, Any]:
        """Return the next event of that name."""
        while True:
            number, found, data = self.events.get(timeout=PATIENCE)
            if found == name:
                return number, data

    def close(self) -> None:
        """Leave."""
        with suppress(OSError):  # it has ended already
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE)
        self._client.close()
