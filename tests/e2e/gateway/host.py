"""One OpenClaw on this machine, cut off from everything: its own home, state, workspace, port and model."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from hookclaw_py.hosts.openclaw.gateway import gateway_key
from hookclaw_py.hosts.openclaw.status import read_record
from tests.e2e.gateway.installation import Installation
from tests.e2e.gateway.model_server import ModelServer

TOKEN = "end-to-end"
_TRIES, _UP = 3, 400  # seconds


class Host:
    """Writes a configuration; ``command`` runs the CLI, ``turn`` a turn of the running gateway."""

    def __init__(
        self,
        installed: Installation,
        folder: Path,
        model: ModelServer,
        *,
        agents: tuple[str, ...] = ("main",),
        profile: str = "",
    ) -> None:
        self.installed, self.folder, self.model = installed, folder, model
        self.workspaces = {agent: folder / f"workspace-{agent}" for agent in agents}
        self.state, self.config = folder / "home" / f".openclaw{profile and '-'}{profile}", folder / "openclaw.json"
        self.memories = folder / "memories"
        self.port = free_port()
        self.log = folder / "gateway.log"
        self._process: subprocess.Popen[bytes] | None = None
        for place in (self.state, folder / "home", *self.workspaces.values()):
            place.mkdir(parents=True, exist_ok=True)
        self.config.write_text(json.dumps(self._configuration(model), indent=2))
        self.original = self.config.read_bytes()

    @property
    def version(self) -> tuple[int, ...]:
        """The release, as numbers."""
        return tuple(int(part) for part in self.installed.version.split("."))

    def _configuration(self, model: ModelServer) -> dict[str, Any]:
        provider = {
            "baseUrl": model.url,
            "apiKey": "none",
            "api": "openai-completions",
            "models": [
                {
                    "id": "fake-1",
                    "name": "Fake 1",
                    "reasoning": False,
                    "input": ["text"],
                    "contextWindow": 128_000,
                    "maxTokens": 4096,
                    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
                }
            ],
        }
        defaults: dict[str, Any] = {
            "workspace": str(next(iter(self.workspaces.values()))),
            "skipBootstrap": True,
            "model": {"primary": "fake/fake-1"},
        }
        configuration: dict[str, Any] = {
            "update": {"checkOnStart": False},
            "gateway": {
                "mode": "local",
                "port": self.port,
                "bind": "loopback",
                "auth": {"mode": "token", "token": TOKEN},
                "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
            },
            "logging": {"file": str(self.folder / "gateway-file.log")},
            "agents": {"defaults": defaults},
            "models": {"mode": "replace", "providers": {"fake": provider}},
            "plugins": {"allow": ["memory-core"]},
        }
        if self.version >= (2026, 8, 1):
            configuration["telemetry"] = {"enabled": False}
            configuration["tools"] = {"toolSearch": False}
            configuration["memory"] = {"search": {"enabled": False}}
            # "safeguard", the default, finds fault with the fake model's summaries
            defaults["compaction"] = {"mode": "default", "keepRecentTokens": 50}
        else:
            defaults["memorySearch"] = {"enabled": False}
        if len(self.workspaces) > 1:
            configuration["agents"]["list"] = [
                {"id": agent, "workspace": str(place), **({"default": True} if n == 0 else {})}
                for n, (agent, place) in enumerate(self.workspaces.items())
            ]
        return configuration

    @property
    def environment(self) -> dict[str, str]:
        """What the gateway and anything that talks to it needs."""
        home = str(self.folder / "home")
        return {
            **os.environ,
            "PATH": f"{self.installed.openclaw.parent}:{self.installed.node.parent}:{os.environ['PATH']}",
            "HOME": home,
            "OPENCLAW_HOME": home,
            "OPENCLAW_STATE_DIR": str(self.state),
            "OPENCLAW_CONFIG_PATH": str(self.config),
            "OPENCLAW_OFFLINE": "1",
            "OPENCLAW_NO_AUTO_UPDATE": "1",
            "OPENCLAW_DISABLE_BONJOUR": "1",
            "OPENCLAW_SKIP_CHANNELS": "1",
            "NO_COLOR": "1",
            "HOOKCLAW_HOME": str(self.memories),
        }

    def command(self, *arguments: str, timeout: float = 240) -> subprocess.CompletedProcess[str]:
        """Run ``openclaw`` with these arguments."""
        command = [str(self.installed.openclaw), *arguments]
        return subprocess.run(
            command, env=self.environment, cwd=self.folder, capture_output=True, text=True, timeout=timeout, check=False
        )

    def hookclaw(self, *arguments: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """Run one of our commands for this gateway."""
        command = [str(Path(sys.executable).with_name("hookclaw")), *arguments]
        return subprocess.run(
            command, env=self.environment, cwd=self.folder, capture_output=True, text=True, timeout=timeout, check=False
        )

    @property
    def record(self) -> dict[str, Any]:
        """What the plugin noted of its turns."""
        return read_record(self.memories / "gateways" / gateway_key(self.state) / "record.json")

    def __enter__(self) -> Self:
        for _ in range(_TRIES):
            if self._start():
                return self
        raise RuntimeError(f"the gateway does not come up:\n{self.log.read_text()[-3000:]}")

    def _start(self) -> bool:
        """Start the gateway and wait for it; False if it gave up: on a busy machine it runs out of time by its own limits."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(self.installed.node), str(self.installed.openclaw.resolve()), "gateway", "run"],
                env=self.environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + _UP
        while not self._ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop(signal.SIGKILL)
                return False
            time.sleep(0.1)
        return True

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self, by: signal.Signals = signal.SIGTERM) -> bool:
        """End the gateway, by force if it goes on for 20 seconds; say whether it ended by itself, or did not run."""
        if self._process is None:
            return True
        process, self._process = self._process, None
        process.send_signal(by)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return False
        return True

    @property
    def pid(self) -> int:
        """The gateway's process."""
        assert self._process is not None
        return self._process.pid

    def _ready(self) -> bool:
        if self.version < (2026, 4, 0):  # these have no /readyz
            return "listening on ws://" in self.log.read_text()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2) as answer:
                return b'"ready":true' in answer.read()
        except OSError:
            return False

    def turn(
        self, text: str, *, agent: str = "main", user: str = "user-1", session: str = "", timeout: float = 120
    ) -> str:
        """Say ``text`` to an agent as that user (each has a session of its own), or in a session; return the answer."""
        body = {"model": f"openclaw/{agent}", "user": user, "messages": [{"role": "user", "content": text}]}
        answer = self._post(
            "/v1/chat/completions", body, timeout, {"x-openclaw-session-key": session} if session else {}
        )
        content: str = answer["choices"][0]["message"]["content"]
        return content

    def _post(self, path: str, body: Mapping[str, Any], timeout: float, headers: Mapping[str, str]) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            json.dumps(body).encode(),
            {"content-type": "application/json", "authorization": f"Bearer {TOKEN}", **headers},
        )
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.loads(answer.read())

    def call(self, method: str, **params: Any) -> Any:
        """Call a method of the running gateway."""
        done = self.command("gateway", "call", method, "--params", json.dumps(params), "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
