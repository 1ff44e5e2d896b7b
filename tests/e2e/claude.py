"""Claude Code for tests: one process a hook, as it runs them, for one project."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from hookclaw_py.hosts import caller
from tests.e2e.sidecar import ASKED
from tests.waiting import is_running, wait_until

HOOK = [sys.executable, "-P", "-c", "import sys; from hookclaw_py.hosts.claude_code.hook import main; sys.exit(main())"]
LISTEN = [sys.executable, "-P", "-m", "hookclaw_py", "serve", "--socket"]


class Claude:
    """Runs hooks for one project, as Claude Code would."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "project"
        self.env = {k: v for k, v in os.environ.items() if k != "CLAUDE_PROJECT_DIR"} | {
            "HOOKCLAW_HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(folder / "claude"),
        }

    def run(self, stdin: bytes) -> bytes:
        ran = subprocess.run(HOOK, input=stdin, capture_output=True, env=self.env, cwd="/", timeout=60)
        assert (ran.returncode, ran.stderr) == (0, b"")
        return ran.stdout

    def hook(self, name: str, session: str = "s1", **fields: Any) -> dict[str, Any] | None:
        event = {
            "session_id": session,
            "transcript_path": "/none",
            "cwd": str(self.project),
            "hook_event_name": name,
            **fields,
        }
        out = self.run(json.dumps(event).encode())
        return json.loads(out) if out else None

    def prompt(self, text: str = ASKED, session: str = "s1") -> str:
        answer = self.hook("UserPromptSubmit", session, prompt=text)
        return answer["hookSpecificOutput"]["additionalContext"] if answer else ""

    def answered(self, text: str = ASKED) -> str:
        """Return a session that has got its memories: on a busy machine a hook may have to go without."""
        for number in range(60):
            if self.prompt(text, session := f"answered-{number}-{monotonic()}"):
                return session
        raise AssertionError(self.log())

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask the resident process itself."""
        until, patient = monotonic() + 90, monotonic() + 15
        while (connection := caller.connected(str(self.home / "run" / "hookclaw.sock"), until)) is None:
            assert monotonic() < until, self.log()  # it is still starting
            if (
                monotonic() > patient
            ):  # on a busy machine it counted as hung, and was ended: the next hook starts another
                self.hook("SessionStart", source="resume")
                patient += 15
            sleep(0.05)
        with connection:
            connection.sendall(json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n")
            return json.loads(caller.read_line(connection, monotonic() + 30))["result"]

    def wait_until_indexed(self) -> None:
        until = monotonic() + 120
        while True:
            agents = self.ask("health")["agents"]
            if any(agent["state"] == "ready" and agent["chunks"] for agent in agents):
                return
            assert monotonic() < until, (agents, self.log())
            if not any(
                one["workspaceDir"] for one in agents
            ):  # the hook that started it had no time left to tell it of the project
                self.hook("SessionStart", source="resume")

    def log(self) -> str:
        file = self.home / "logs" / "claude-code.log"
        return file.read_text(encoding="utf-8") if file.exists() else ""


def leave(claude: Claude) -> None:
    """End the resident process, and wait until it writes into its home no more."""
    pid = claude.ask("health")["pid"]
    os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not is_running(pid), "the resident process has ended")
