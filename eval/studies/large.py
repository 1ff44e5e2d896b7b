"""Two checkouts beside each other on the large stores that ``filled.py`` made: starts, memory, recalls and a changed note, by size.

    python eval/studies/large.py BEFORE AFTER FOLDER [--earlier FOLDER] [--sizes 10000 100000] [--prompts 100] [--rounds 2]

Each side is a ``hookclaw serve`` of its checkout on the same store (or, where the first knows an earlier schema, on a copy of that in the folder
``--earlier``), one after the other and in turn, so that whatever slows the machine slows
both; told is the median of the rounds. The first answer is asked for at once: by keywords alone with vectors switched off, by all when an
answer comes without a fault, which says that nothing of the notes was still being read. ``paired_latency.py`` measures recalls more closely.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, sleep, time_ns

import numpy as np
from machine import Serving, found_after, serving
from made_up import prompt

from hookclaw_py.evaluation.tables import Sheet, markdown

PATIENCE = 300.0  # seconds for a whole first answer
RESTED = 8.0  # seconds after the first answers, for what goes on behind them
ROWS = (
    KEYWORDS := "first answer by keywords alone, s",
    BY_THEN := "first answer by keywords alone, processor, s",
    ALL := "first answer by all, s",
    ALL_BY_THEN := "first answer by all, processor, s",
    START := "resident after it, MB",
    PEAK := "resident at most until then, MB",
    P50 := "warm recall p50, ms",
    P95 := "warm recall p95, ms",
    EACH := "warm recall, processor, ms",
    AFTER := "resident after the prompts, MB",
    CHANGED := "a changed note in answers, s",
    CHANGED_BY_THEN := "a changed note in answers, processor, s",
)


def first_answer(one: Serving, begun: float, text: str, notes: Path) -> float:
    """Return the seconds since ``begun`` at which an answer lacked nothing."""
    while perf_counter() - begun < PATIENCE:
        if not one.recall(text, workspaceDir=str(notes))["faults"]:
            return perf_counter() - begun
        sleep(0.05)
    return float("nan")


def measured(
    checkout: Path, home: Path, notes: Path, size: int, prompts: int, rng: random.Random
) -> Mapping[str, float]:
    """Return what one side took."""
    its_own = {"PYTHONPATH": str(checkout), "PYTHONSAFEPATH": "1"}
    begun = perf_counter()
    with serving(home, HOOKCLAW_ENABLE_VECTOR="false", **its_own) as one:
        found = {KEYWORDS: first_answer(one, begun, prompt(rng, size), notes), BY_THEN: one.processor()}
    begun = perf_counter()
    with serving(home, **its_own) as one:
        found[ALL], found[ALL_BY_THEN] = first_answer(one, begun, prompt(rng, size), notes), one.processor()
        sleep(RESTED)
        found[START], found[PEAK] = one.status("VmRSS") / 1024, one.status("VmHWM") / 1024
        used = one.processor()
        took = [one.recall(prompt(rng, size))["ms"] for _ in range(prompts)]
        found[P50], found[P95] = np.percentile(took, [50, 95])
        found[EACH] = (one.processor() - used) / prompts * 1000
        found[AFTER], used = one.status("VmRSS") / 1024, one.processor()
        file = sorted((notes / "memory").glob("*.md"))[0]
        before = file.read_text()
        try:
            found[CHANGED] = found_after(one, notes, f"samovar{time_ns()}")
            found[CHANGED_BY_THEN] = one.processor() - used
        finally:
            file.write_text(before)
    return found


def rows(
    checkouts: Sequence[Path], stores: Sequence[Path], size: int, prompts: int, rounds: int
) -> list[tuple[str, ...]]:
    """Return the rows of one size; the notes lie beside the stores of the last checkout."""
    sides: list[dict[str, list[float]]] = [defaultdict(list), defaultdict(list)]
    for number in range(rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            rng = random.Random(number)
            home, notes = stores[side] / f"home{size}", stores[-1] / f"notes{size}"
            told = measured(checkouts[side], home, notes, size, prompts, rng)
            for name, value in told.items():
                sides[side][name].append(value)
    medians = [(name, *(median(side[name]) for side in sides)) for name in ROWS]
    return [(f"{size:,}: {name}", f"{b:.4g}", f"{a:.4g}", f"{a / b:.2f}") for name, b, a in medians]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="a checkout, the base of the comparison")
    parser.add_argument("after", type=Path, help="another")
    parser.add_argument("folder", type=Path, help="what filled.py filled")
    parser.add_argument("--earlier", type=Path, help="copies of its stores as the first checkout knows them")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--prompts", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    checkouts = [given.before.resolve(), given.after.resolve()]
    stores = [(given.earlier or given.folder).resolve(), given.folder.resolve()]
    for size in given.sizes:
        told = rows(checkouts, stores, size, given.prompts, given.rounds)
        print(markdown(Sheet(f"{size:,} passages", ["what", "before", "after", "ratio"], told)), flush=True)


if __name__ == "__main__":
    main()
