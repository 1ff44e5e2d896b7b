"""Two checkouts beside each other: how much slower or faster a warm recall of the second is than one of the first.

    python eval/studies/paired_latency.py BEFORE AFTER [--chunks 10000] [--prompts 600] [--kept FOLDER]

Each side is a process of its own that imports ``hookclaw_py`` from its checkout, with the default configuration. Both
answer the same prompts, none of them twice, twenty at a time in turn and on one core, so that whatever slows the machine
slows both. Both need the packages that the running Python has. ``--kept`` names a folder that keeps their stores for the
next run. Of the ratios, p50 and p95 are those of the two distributions; "by prompt" is the median over the prompts. CPU is
the processor time of the side's process meanwhile, all its threads: believe that one while others use the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np
from made_up import prompt, write_workspace

TURN = 20  # prompts that one side answers before it is the other's turn
WARM_UP = 3  # turns
WHOLE, CPU = "whole", "CPU"
SIDE = "--side"


def prompts_for(chunks: int, count: int) -> list[str]:
    """Return so many different prompts, the same in every process."""
    rng, found = random.Random(5), dict[str, None]()
    while len(found) < count:
        found[prompt(rng, chunks)] = None
    return list(found)


class Answers(NamedTuple):
    """What one side took: how many chunks its store holds, and of each prompt the milliseconds by stage."""

    chunks: int
    took: list[dict[str, float]]


def answer(checkout: str, folder: Path, chunks: int, count: int) -> None:
    """Be one side: answer the next turn's prompts for every line read, and write what they took, in milliseconds."""
    os.environ |= {"OMP_NUM_THREADS": "1", "HOOKCLAW_HOME": str(folder)}
    sys.path.insert(0, checkout)
    from hookclaw_py import Config, Engine

    workspace = folder / "workspace"
    if not workspace.exists():
        write_workspace(workspace, chunks, random.Random(7))
    with Engine.open(Config(timezone="UTC")) as engine:
        engine.index(workspace)
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        prompts = iter(prompts_for(chunks, count))
        print(json.dumps(engine.status().chunks), flush=True)
        for _ in sys.stdin:
            turn = []
            for text in islice(prompts, TURN):
                started, worked = perf_counter(), process_time()
                injection = engine.recall(text)
                took = {WHOLE: perf_counter() - started, CPU: process_time() - worked}
                turn.append(dict(injection.timings) | {name: seconds * 1000 for name, seconds in took.items()})
            print(json.dumps(turn), flush=True)


def answers_in_turn(checkouts: Sequence[str], homes: Sequence[Path], *, chunks: int, prompts: int) -> list[Answers]:
    """Return what each side took of the same prompts; their stores lie in ``homes``."""
    turns = WARM_UP + -(-prompts // TURN)
    sides = [
        subprocess.Popen(
            [sys.executable, __file__, SIDE, Path(checkout).resolve(), home, str(chunks), str(turns * TURN)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for checkout, home in zip(checkouts, homes, strict=True)
    ]
    answers = [Answers(json.loads(side.stdout.readline()), []) for side in sides]
    for turn in range(turns):
        for n in (0, 1) if turn % 2 else (1, 0):
            print("next", file=sides[n].stdin, flush=True)
            answered = json.loads(sides[n].stdout.readline())
            answers[n].took.extend(answered if turn >= WARM_UP else [])
    for side in sides:
        side.communicate()
    return answers


def parser(told: str | None) -> argparse.ArgumentParser:
    """Return what reads the arguments of a comparison of two checkouts."""
    found = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("before", help="a checkout, the base of the comparison")
    found.add_argument("after", help="another")
    found.add_argument("--chunks", type=int, default=10_000)
    found.add_argument("--prompts", type=int, default=600)
    found.add_argument("--kept", type=Path, help="where to keep the stores; by default they are thrown away")
    return found


def main() -> None:
    """Compare and print."""
    options = parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        homes = [(options.kept or Path(folder)).resolve() / name for name in ("before", "after")]
        checkouts = [options.before, options.after]
        answers = answers_in_turn(checkouts, homes, chunks=options.chunks, prompts=options.prompts)
    took = [side.took for side in answers]
    print(f"{answers[0].chunks} and {answers[1].chunks} chunks, {len(took[0])} prompts, one core")
    print(f"{'ms':<16}{'before':>9}{'after':>9}{'ratio':>8}")
    for name in dict.fromkeys(stage for one in (*took[0], *took[1]) for stage in one):
        if name not in (WHOLE, CPU, "recall"):
            row(f"  {name}", [float(np.median([one.get(name, 0.0) for one in side])) for side in took])
    for name in (CPU, WHOLE):
        sides = [np.array([one[name] for one in side]) for side in took]
        for share in (50, 95):
            row(f"{name} p{share}", [float(np.percentile(side, share)) for side in sides])
        print(f"{name} by prompt: {np.median(sides[1] / sides[0]):.3f}")


def row(name: str, values: list[float]) -> None:
    """Print a line: before, after, ratio."""
    before, after = values
    print(f"{name:<16}{before:>9.2f}{after:>9.2f}" + (f"{after / before:>8.3f}" if before else ""))


if __name__ == "__main__":
    if sys.argv[1:2] == [SIDE]:
        answer(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
    else:
        main()
