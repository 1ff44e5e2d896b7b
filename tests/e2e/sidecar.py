"""A host of ``hookclaw serve`` for tests: a real process, asked over its real pipes."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any, Self

from tests.conftest import write_notes

NOTES = {
    "MEMORY.md": "# Facts\n\nThe team lead is Mara. The office is in Gdynia.\n",
    "memory/2026-02-09.md": (
        "# 2026-02-09\n\n## Logging\n\nWe decided to use structured logging, one JSON object a line, written with serilog.\n\n"
        "## Holidays\n\nMara is away in the first week of March.\n"
    ),
    "memory/2026-02-12.md": "# 2026-02-12\n\n## Build\n\nNETSDK1005 on the build server: delete obj/ and restore again.\n",
}
ASKED = "What did we decide about the logging format?"

SERVE = [sys.executable, "-P", "-m", "hookclaw_py", "serve"]
PATIENCE = 60


def workspace(folder: Path, notes: Mapping[str, str] = NOTES) -> Path:
    """Write the notes that ``ASKED`` is about, or others."""
    return write_notes(folder, notes)


class Sidecar:
    """Starts the process, sends requests, and sorts what comes back into replies and events."""

    def __init__(
        self,
        command: list[str] = SERVE,
        *,
        drain_stderr: bool = True,
        environment: Mapping[str, str] | None = None,
        **env: str,
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**(os.environ if environment is None else environment), **env},
        )
        self.hello: dict[str, Any] = json.loads(self.process.stdout.readline())
        self.events: queue.Queue[dict[str, Any]] = queue.Queue()
        self.stderr = ""
        self._numbers = count(1)
        self._replies: dict[Any, queue.Queue[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._read, daemon=True)]
        if drain_stderr:
            self._threads.append(threading.Thread(target=self._read_stderr, daemon=True))
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _read(self) -> None:
        for line in self.process.stdout:
            message = json.loads(line)
            (self.events if "event" in message else self.box(message["id"])).put(message)

    def _read_stderr(self) -> None:
        for line in self.process.stderr:
            self.stderr += line.decode()

    def logged(self, line: str) -> bool:
        """Say whether ``line`` is in the log, which may come a moment after the reply."""
        until = time.monotonic() + PATIENCE
        while line not in self.stderr and time.monotonic() < until:
            time.sleep(0.01)
        return line in self.stderr

    def box(self, ident: Any) -> queue.Queue[dict[str, Any]]:
        with self._lock:
            return self._replies.setdefault(ident, queue.Queue())

    def send(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def request(self, method: str, **params: Any) -> int:
        """Send a request and return its id."""
        ident = next(self._numbers)
        self.send(json.dumps({"id": ident, "method": method, "params": params}).encode() + b"\n")
        return ident

    def reply(self, ident: Any) -> dict[str, Any]:
        """Return the whole reply to a request."""
        return self.box(ident).get(timeout=PATIENCE)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a request."""
        reply = self.reply(self.request(method, **params))
        assert "result" in reply, reply
        return reply["result"]

    def unread(self) -> list[dict[str, Any]]:
        """Return the replies that nobody has looked at yet."""
        with self._lock:
            return [reply for box in self._replies.values() for reply in list(box.queue)]

    def event(self, name: str) -> dict[str, Any]:
        while True:
            found = self.events.get(timeout=PATIENCE)
            if found["event"] == name:
                return found["params"]

    def prompt(self, text: str, **params: Any) -> dict[str, Any]:
        return self.ask(
            "before_agent_start",
            **{"agentId": "main", "audience": "owner", "sessionKey": "s", "prompt": text, **params},
        )

    def open(self, workspace: Path, agent: str = "main") -> dict[str, Any]:
        """Have an agent's notes indexed and wait for it."""
        self.ask("session_start", agentId=agent, workspaceDir=str(workspace))
        return self.event("indexed")

    def end(self) -> int:
        """End the stream and return the exit code."""
        self.process.stdin.close()
        return self._gone()

    def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self._gone()

    def _gone(self) -> int:
        code = self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        if not self.process.stdin.closed:
            self.process.stdin.close()
        return code
