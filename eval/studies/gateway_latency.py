"""What a turn of a real OpenClaw gateway costs with us in it, and how much of a prompt cache it keeps.

    python eval/studies/gateway_latency.py [--chunks 10000] [--turns 200]

Four gateways side by side get the same turns over HTTP: without the plugin ("bare"), with the plugin but no engine
("off": the cost of being installed), with everything and the block after or before the user's words. Then the
byte-identical prefix of consecutive requests of a session: what a provider's prompt cache can use again. The language
model is a fake that answers at once, so all that is left is the gateway and us. Downloads OpenClaw and Node from npm
the first time (0.8 GB, $OPENCLAW_E2E_CACHE), and needs 6 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from made_up import long_prompt, write_workspace

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.e2e.gateway.host import Host
from tests.e2e.gateway.installation import installation
from tests.e2e.gateway.model_server import ModelServer

KINDS = ("bare", "off", "append", "prepend")
OWN = re.compile(r"(?:\\n)*Notes from earlier sessions.*?</relevant_memories>(?:\\n)*")  # as it stands in a JSON string


@contextmanager
def gateway(folder: Path, memories: Path, workspace: Path, model: ModelServer, kind: str) -> Iterator[Host]:
    """Run a gateway: kind is "bare" (no plugin), "off" (no engine), "prepend" or "append"."""
    host = Host(installation(), folder / kind, model)
    configuration = json.loads(host.config.read_text())
    configuration["agents"]["defaults"]["workspace"] = str(workspace)
    host.config.write_text(json.dumps(configuration))
    host.memories = memories
    if kind != "bare":
        done = host.hookclaw("openclaw", "install")
        assert done.returncode == 0, done.stderr
        configuration = json.loads(host.config.read_text())
        entry = configuration["plugins"]["entries"]["hookclaw"]["config"]
        entry |= {"python": "/nowhere/python"} if kind == "off" else {"placement": kind}
        host.config.write_text(json.dumps(configuration))
    with host:
        if kind in {"prepend", "append"}:
            wait_until_indexed(host)
        for n in range(3):
            host.turn(f"warming up, turn {n}, nothing to look for", user="warm")
        yield host


def wait_until_indexed(host: Host) -> None:
    """Wait for the memory process to have read and embedded the workspace."""
    while "chunks (" not in host.log.read_text():
        time.sleep(0.5)


def run_turns(hosts: dict[str, Host], turns: int, count: int) -> dict[str, list[float]]:
    """Say the same ``turns`` prompts to every gateway in turn, so that a busy machine slows all alike, twenty a session.

    Returns milliseconds of each turn by kind.
    """
    rng = random.Random(7)
    took: dict[str, list[float]] = {kind: [] for kind in hosts}
    for number in range(turns):
        words = long_prompt(rng, count, number)
        for kind, host in hosts.items():
            started = perf_counter()
            host.turn(words, user=f"s{number // 20}")
            took[kind].append((perf_counter() - started) * 1000)
    time.sleep(0.5)  # the plugins' records of the last turn
    return took


def lost_prefix(model: ModelServer) -> tuple[float, float, int]:
    """Return how much of consecutive requests of a session no cache can use again, and how many pairs of them there were.

    First the mean bytes of the earlier one's messages that are no prefix of the later one's, our own block not counted; then
    the mean bytes of the messages.
    """
    lost, sizes = [], []
    for one, two in pairwise(model.turns):
        if len(two.body["messages"]) <= len(one.body["messages"]):
            continue  # another session begins
        first, second = ("".join(json.dumps(m) for m in r.body["messages"]) for r in (one, two))
        same = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), len(first))
        own = sum(len(block) for block in OWN.findall(first[same - 1 :]))
        lost.append(len(first) - same - own)
        sizes.append(len(first))
    return statistics.mean(lost), statistics.mean(sizes), len(lost)


def percentiles(values: list[float]) -> str:
    """Return p50 and p95 as text."""
    cuts = statistics.quantiles(values, n=20)
    return f"{statistics.median(values):7.1f} {cuts[18]:7.1f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        workspace = folder / "workspace"
        write_workspace(workspace, options.chunks, random.Random(3))
        with ExitStack() as stack:
            models = {kind: stack.enter_context(ModelServer()) for kind in KINDS}
            hosts = {
                kind: stack.enter_context(gateway(folder, folder / "memories", workspace, models[kind], kind))
                for kind in KINDS
            }
            for model in models.values():
                model.requests.clear()
            took = run_turns(hosts, options.turns, options.chunks)
            print(
                f"{options.chunks} chunks, {options.turns} turns, milliseconds; load average {os.getloadavg()[0]:.1f}"
            )
            print("            turn p50     p95    hook p50     p95    bytes lost / sent")
            for kind, host in hosts.items():
                record = host.record
                hook = f"{record['p50Ms']:8.1f} {record['p95Ms']:7.1f}" if record else "       –       –"
                lost, size, pairs = lost_prefix(models[kind])
                said = f"{kind:8}   {percentiles(took[kind])}   {hook}    {lost:8.0f} / {size:.0f} ({pairs} pairs)"
                print(f"{said}  {record.get('outcomes', {})}")


if __name__ == "__main__":
    main()
