"""What a memory costs on one machine: recalls, starts, memory, threads, disk, indexing, and a changed note, by size.

    python eval/studies/machine.py [--sizes 1000 10000] [--agents 20] [--prompts 200] [--kept FOLDER]

Passages have about 120 words, a heading each. Everything is done as its users do it: ``hookclaw index`` and ``hookclaw
recall`` are processes, warm recalls are prompts to a ``hookclaw serve``, one at a time, and its memory is what the system says is
resident. What a size is asked to keep stands beside it; times are those of the machine, so compare them with the first row: the
median of a bare start of Python in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any

import numpy as np
from made_up import prompt, write_workspace

from hookclaw_py.evaluation.tables import Sheet, markdown

FACTS = 3  # of forty words each
OF_AN_AGENT = 500  # passages of each where there are many agents
TAKES = 120.0  # seconds until a changed note counts as never found
ROUNDS = 7
SETTLES = 2.0  # seconds until the threads of what was closed have ended: tantivy's look twice a second
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""As a user has it: where bytecode may not be written each start compiles the package anew, which nobody who installed it sees."""
Row = tuple[str, ...]


def command(home: Path, *arguments: str, **settings: str) -> float:
    """Run a command of hookclaw to its end and return the seconds it took.

    Raises:
        RuntimeError: if it ends with an error.
    """
    env = {**ENVIRONMENT, "HOOKCLAW_HOME": str(home), **settings}
    started = perf_counter()
    done = subprocess.run([sys.executable, "-m", "hookclaw_py", *arguments], env=env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"hookclaw {' '.join(arguments)}: {done.stderr[-2000:]}")
    return perf_counter() - started


class Serving:
    """A ``hookclaw serve`` and what it is asked."""

    def __init__(self, home: Path, **settings: str) -> None:
        env = {**ENVIRONMENT, "HOOKCLAW_HOME": str(home), **settings}
        words = [sys.executable, "-m", "hookclaw_py", "serve"]
        self._process = subprocess.Popen(
            words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._number = 0
        self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("hookclaw serve ended")
        told: dict[str, Any] = json.loads(line)
        return told

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Return the result of a request; events that come in between are passed over."""
        assert self._process.stdin is not None
        self._number += 1
        line = json.dumps({"id": self._number, "method": method, "params": params})
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()
        while (told := self._read()).get("id") != self._number:
            pass
        if "error" in told:
            raise RuntimeError(f"{method}: {told['error']}")
        result: dict[str, Any] = told["result"]
        return result

    def recall(self, text: str, agent: str = "main", **params: object) -> dict[str, Any]:
        """Return what a prompt of an agent's owner gets, waited for as long as it takes."""
        return self.ask(
            "before_agent_start", agentId=agent, sessionId=text, audience="owner", prompt=text, timeoutMs=0, **params
        )

    def status(self, name: str) -> int:
        """Return a number of ``/proc/PID/status``; sizes are in kB."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith(f"{name}:")))

    def processor(self) -> float:
        """Return the seconds of a processor that it took by now."""
        used = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")

    def handles(self) -> int:
        """Return how many files, sockets and the like it has open."""
        return len(os.listdir(f"/proc/{self._process.pid}/fd"))

    def end(self) -> None:
        """End it and wait."""
        self.ask("_shutdown")
        self._process.wait(60)


@contextmanager
def serving(home: Path, **settings: str) -> Iterator[Serving]:
    """Run a ``hookclaw serve`` for a while, with those variables set."""
    one = Serving(home, **settings)
    try:
        yield one
    finally:
        one.end()


def size_of(folder: Path) -> int:
    """Return the bytes of all files of a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def found_after(one: Serving, notes: Path, word: str) -> float:
    """Return the seconds until a changed note is in an answer, NaN if it never is."""
    file = sorted((notes / "memory").glob("*.md"))[0]
    file.write_text(f"{file.read_text()}\n## The {word}\n\nThe {word} stands in the cellar behind the third door.\n")
    started = perf_counter()
    while perf_counter() - started < TAKES:
        if f"{word} stands" in one.recall(f"where does the {word} stand?").get("prependContext", ""):
            return perf_counter() - started
        sleep(0.05)
    return float("nan")


def one_size(folder: Path, count: int, prompts: int) -> list[Row]:
    """Return the rows of one memory of so many passages."""
    home, notes = folder / f"home{count}", folder / f"notes{count}"
    rng = random.Random(7)
    fresh = not notes.exists()
    if fresh:
        write_workspace(notes, count, rng, facts=FACTS)
    took = command(home, "index", str(notes)) if fresh else float("nan")
    by_words = folder / f"words{count}"
    words = command(by_words, "index", str(notes), HOOKCLAW_ENABLE_VECTOR="false") if fresh else float("nan")
    agent = home / "agents" / "main"
    asked = [prompt(rng, count) for _ in range(prompts + ROUNDS)]
    cold = median(command(home, "recall", text) for text in asked[:ROUNDS])
    begun = perf_counter()
    with serving(home) as one:
        one.recall(asked[0], workspaceDir=str(notes))
        first = perf_counter() - begun
        warm = [one.recall(text)["ms"] for text in asked[ROUNDS:]]
        resident, threads = one.status("VmRSS") / 1024, one.status("Threads")
        changed = found_after(one, notes, f"samovar{rng.randrange(10**6)}")
    p50, p95 = np.percentile(warm, [50, 95])
    return [
        (f"{count:,} passages: warm recall p50 / p95, ms", f"{p50:.1f} / {p95:.1f}"),
        (f"{count:,}: resident in `serve`, MB; threads", f"{resident:.0f}; {threads}"),
        (f"{count:,}: on disk, KB a passage", f"{size_of(agent) / count / 1024:.1f}"),
        (f"{count:,}: cold `hookclaw recall`, s", f"{cold:.2f}"),
        (f"{count:,}: first answer of `serve`, s", f"{first:.2f}"),
        (f"{count:,}: indexing, passages/s; keywords alone", f"{count / took:.0f}; {count / words:.0f}"),
        (f"{count:,}: a changed note in answers, s", f"{changed:.2f}"),
    ]


def many_agents(folder: Path, count: int) -> list[Row]:
    """Return the rows of a process that serves many agents."""
    home, rng = folder / "agents", random.Random(8)
    places = {f"agent{n}": folder / f"agent{n}" for n in range(count)}
    for name, notes in places.items():
        if not notes.exists():
            write_workspace(notes, OF_AN_AGENT, rng, facts=FACTS)
            command(home, "--agent", name, "index", str(notes))
    with serving(home) as one:
        for name, notes in places.items():
            one.recall(prompt(rng, OF_AN_AGENT), agent=name, workspaceDir=str(notes))
        sleep(SETTLES)
        resident, threads = one.status("VmRSS") / 1024, one.status("Threads")
        took = [[one.recall(prompt(rng, OF_AN_AGENT), agent=name)["ms"] for _ in range(3)] for name in [*places] * 3]
        first, warm = (
            np.percentile(found, [50, 95]) for found in ([one[0] for one in took], [one[1:] for one in took])
        )
    what = f"{count} agents of {OF_AN_AGENT} passages in one `serve`"
    return [
        (f"{what}: resident, MB; threads", f"{resident:.0f}; {threads}"),
        (f"{what}: recall of one that rests p50 / p95, ms", f"{first[0]:.1f} / {first[1]:.1f}"),
        (f"{what}: recall of one that is open p50 / p95, ms", f"{warm[0]:.1f} / {warm[1]:.1f}"),
    ]


def bare() -> float:
    """Return the seconds that Python takes to start and end, doing nothing."""
    started = perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return perf_counter() - started


def rows(folder: Path, sizes: Sequence[int], agents: int, prompts: int) -> list[Row]:
    """Return all rows."""
    start = median(bare() for _ in range(ROUNDS))
    every = [("a bare start of Python, s", f"{start:.3f}")]
    for count in sizes:
        every += one_size(folder, count, prompts)
    return every + (many_agents(folder, agents) if agents else [])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--agents", type=int, default=20)
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--kept", type=Path, help="where stores are kept for the next run; indexing is then not timed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.kept or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        told = rows(folder, options.sizes, options.agents, options.prompts)
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(markdown(Sheet(f"One machine; {load}", ["what", "measured"], told)))


if __name__ == "__main__":
    main()
