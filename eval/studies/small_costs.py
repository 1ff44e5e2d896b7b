"""What small things cost, each beside something that everybody knows, so that the ratio holds on any machine.

    python eval/studies/small_costs.py

A hook of Claude Code beside a bare start of Python; the steps that every prompt pays beside one ``json.loads`` of a
page of text. The best of many rounds: the rest is what the machine did meanwhile.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from time import perf_counter, sleep

from hookclaw_py import Config, Engine
from hookclaw_py.cli.demonstration import SOURCE
from hookclaw_py.hosts import caller
from hookclaw_py.stages.entities import entity_share, find_entities
from hookclaw_py.stages.periods import find_period

HOOK = [sys.executable, "-P", "-c", "import sys; from hookclaw_py.hosts.claude_code.hook import main; sys.exit(main())"]
PROMPT = "what did we decide about the logging format?"
NOW = datetime(2026, 3, 4, tzinfo=UTC)
ROUNDS = 20


def best(work: Callable[[], object], times: int = 1) -> float:
    """Return the seconds of the fastest of the rounds, each ``times`` times the work."""
    rounds = []
    for _ in range(ROUNDS):
        started = perf_counter()
        for _ in range(times):
            work()
        rounds.append((perf_counter() - started) / times)
    return min(rounds)


def hook() -> None:
    """Print what a prompt's hook costs while the resident process runs."""
    with tempfile.TemporaryDirectory(prefix="hc-", dir="/tmp") as home:  # short enough for a socket
        env = os.environ | {"HOOKCLAW_HOME": home}
        os.environ["HOOKCLAW_HOME"] = home
        asked = {"hook_event_name": "UserPromptSubmit", "prompt": PROMPT, "session_id": "s", "cwd": str(SOURCE)}

        def run(command: list[str]) -> Callable[[], object]:
            return lambda: subprocess.run(command, input=json.dumps(asked).encode(), capture_output=True, env=env)

        run(HOOK)()
        while (connection := caller.connected(caller.socket_path(), perf_counter() + 5)) is None:
            sleep(0.1)
        with connection:
            connection.sendall(b'{"id": 1, "method": "health", "params": {}}\n')
            pid = json.loads(caller.read_line(connection, perf_counter() + 30))["result"]["pid"]
        bare, ours = best(run([sys.executable, "-P", "-c", "pass"])), best(run(HOOK))
        os.kill(pid, signal.SIGTERM)
        print(f"{'a hook of Claude Code':<40}{ours * 1000:>9.1f} ms{ours / bare:>8.1f} bare starts of Python")


def steps() -> None:
    """Print what the steps of a prompt cost that no stage of ``latency.py`` shows alone."""
    page = json.dumps([f"word{n}" for n in range(300)])
    unit = best(lambda: json.loads(page), 200)
    with Engine.open(Config(), folder=None) as engine:
        engine.index(SOURCE)
        decision = engine.recall(PROMPT)
        note = engine.store.all_chunks()[0]
        entities = find_entities("Did Caroline put v2.1.0 and #1234 into src/auth.ts for Melanie", names=frozenset())
        work: dict[str, Callable[[], object]] = {
            "a period in a prompt without one": lambda: find_period(PROMPT, now=NOW),
            "a period in a prompt with one": lambda: find_period(f"{PROMPT} yesterday", now=NOW),
            "a prompt's entities in one chunk": lambda: entity_share(entities, note),
            "counting a decision": lambda: engine.metrics.record(decision, 5.0),
        }
        for name, what in work.items():
            cost = best(what, 50)
            print(f"{name:<40}{cost * 1e6:>9.1f} µs{cost / unit:>8.1f} pages of JSON")


if __name__ == "__main__":
    hook()
    steps()
