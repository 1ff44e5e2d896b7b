"""What a recall costs while somebody bothers the HTTP door of the same process: idle and bothered in turn, as a ratio.

    python eval/studies/beside_http.py [--rounds 7] [--prompts 60]

One process serves a gateway over stdin and listens over HTTP. In every other round somebody asks for two hundred streams
at once, begins fifty heads that do not come, and goes on with all that, bodies of a gigabyte and requests without a token, twenty a second.
A third kind of round has the same trouble made for a server that answers nothing: what of it is the machine's and not ours.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np

NOTES = [f"The {name} of the harbour office costs {place * 7 + 3} crowns a month." for place, name in enumerate(
    ("boiler", "ferry", "crane", "kiosk", "lamp", "radio", "pump", "slipway", "winch", "buoy", "cellar", "awning")
)]  # fmt: skip

STREAMS, HEADS, PAUSE = 200, 50, 0.05


class Host:
    """A gateway's side of the process."""

    def __init__(self, home: Path, notes: Path) -> None:
        env = {**os.environ, "HOOKCLAW_HOME": str(home), "HOOKCLAW_HTTP__ENABLED": "true", "HOOKCLAW_HTTP__PORT": "0"}
        env |= {"HOOKCLAW_CACHE_SIZE": "1"}
        command = [sys.executable, "-P", "-m", "hookclaw_py", "serve"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
        )
        self._numbers = count(1)
        self._line()
        self.ask("session_start", agentId="main", workspaceDir=str(notes))
        while self._line().get("event") != "indexed":
            pass

    def _line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        told: dict[str, Any] = json.loads(self.process.stdout.readline())
        return told

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a request."""
        assert self.process.stdin is not None
        ident = next(self._numbers)
        self.process.stdin.write(json.dumps({"id": ident, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        while (told := self._line()).get("id") != ident:
            pass
        result: dict[str, Any] = told["result"]
        return result

    def recalls(self, number: int, words: count[int]) -> list[float]:
        """Ask so many prompts; return the milliseconds of each."""
        took = []
        for _ in range(number):
            prompt = f"What does the {NOTES[next(words) % len(NOTES)].split()[1]} of the harbour office cost, number {next(words)}?"
            began = perf_counter()
            found = self.ask(
                "before_agent_start", agentId="main", audience="owner", sessionKey=f"s{next(words)}", prompt=prompt
            )
            took.append((perf_counter() - began) * 1000)
            assert found["outcome"] in ("injected", "silent"), found
        return took


def bother(port: int, token: str, stop: threading.Event) -> int:
    """Bother a port until told to stop; return how often something was tried."""
    known = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
    tried, held = 0, []
    while not stop.is_set():
        asked = (
            f"GET /stream HTTP/1.1\r\n{known}\r\n",
            "GET /health HTTP/1.1\r\nHo",
            f"POST /api/settings HTTP/1.1\r\n{known}Content-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{{",
            f"GET /api/prompts HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        )[0 if tried < STREAMS else 1 if tried < STREAMS + HEADS else tried % 5]
        with suppress(OSError):
            line = socket.create_connection(("127.0.0.1", port), timeout=5)
            line.sendall(asked.encode())
            held.append(line)
        tried += 1
        if len(held) > 2 * (STREAMS + HEADS):
            held.pop(0).close()
        sleep(0.001 if tried < STREAMS + HEADS else PAUSE)
    for line in held:
        line.close()
    return tried


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--prompts", type=int, default=60)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, notes = Path(folder) / "home", Path(folder) / "notes"
        (notes / "memory").mkdir(parents=True)
        for place, note in enumerate(NOTES):
            (notes / "memory" / f"2026-03-{place + 1:02}.md").write_text(f"# Costs\n\n{note}\n", encoding="utf-8")
        host, words = Host(home, notes), count()
        env = {**os.environ, "HOOKCLAW_HOME": str(home)}
        command = [sys.executable, "-P", "-m", "hookclaw_py", "viewer", "--token"]
        token = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip()
        port = json.loads((home / "run" / "http.json").read_text(encoding="utf-8"))["port"]
        host.recalls(given.prompts, words)
        with socket.create_server(("127.0.0.1", 0), backlog=1000) as deaf:
            took: dict[str, list[list[float]]] = {"idle": [], "beside a deaf server": [], "bothered": []}
            for _ in range(given.rounds):
                took["idle"].append(host.recalls(given.prompts, words))
                for name, where in (("beside a deaf server", deaf.getsockname()[1]), ("bothered", port)):
                    stop = threading.Event()
                    other = threading.Thread(target=bother, args=(where, token, stop))
                    other.start()
                    sleep(1)
                    took[name].append(host.recalls(given.prompts, words))
                    stop.set()
                    other.join()
                    sleep(1)
        host.process.terminate()
        host.process.wait(30)
    print("| | p50 ms | p95 ms | p95, of the idle round before (median) |\n|---|---|---|---|")
    for name, rounds in took.items():
        half, most = np.percentile(np.concatenate(rounds), [50, 95])
        ratios = [
            np.percentile(one, 95) / np.percentile(base, 95) for one, base in zip(rounds, took["idle"], strict=True)
        ]
        print(f"| {name} | {half:.1f} | {most:.1f} | {np.median(ratios):.2f} |")


if __name__ == "__main__":
    main()
