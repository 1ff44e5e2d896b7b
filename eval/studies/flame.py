"""Where a warm recall spends its time, before and after a change: what each stage takes, and a flame graph of each side.

    pip install py-spy
    python eval/studies/flame.py BEFORE AFTER [--chunks 10000] [--prompts 600] [--kept FOLDER] [--svg NAME]

BEFORE and AFTER are checkouts, asked in turn and on one core as in ``paired_latency.py``; their passages have about 120 words, three
times as many as there, so that the reader has as much to read as it reads of any. A stage's time is by the clock; the two searches run
side by side, and a stage that is not reached takes nothing. Then each side is asked again while py-spy looks two hundred times a second
at what it does: the width of a frame is its share of the samples, what it called stands above it, what only waits is left out.
``--svg`` writes NAME_before.svg and NAME_after.svg; without it there is the table alone.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import paired_latency
from flames import Stacks, flame_graph, stacks
from made_up import write_workspace
from paired_latency import CPU, SIDE, TURN, WARM_UP, WHOLE

from hookclaw_py.evaluation.tables import Sheet, markdown

FACTS = 3  # of forty words each
RATE = 200  # samples a second
LEAST = 0.004  # share of a recall below which a stage is not told


def sampled(checkout: str, home: Path, *, chunks: int, prompts: int, out: Path) -> Stacks:
    """Ask one side once more and return what it was seen to do meanwhile; ``out`` is where py-spy writes it.

    Raises:
        RuntimeError: if py-spy cannot look.
    """
    turns = -(-prompts // TURN)
    command = [sys.executable, paired_latency.__file__, SIDE, Path(checkout).resolve(), home, str(chunks)]
    with subprocess.Popen(
        [*command, str((WARM_UP + turns) * TURN)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as side:
        side.stdout.readline()
        _ask(side, WARM_UP)
        looking = ["py-spy", "record", "--pid", str(side.pid), "--format", "raw", "--function", "--full-filenames"]
        with subprocess.Popen(
            [*looking, "--rate", str(RATE), "--duration", "3600", "--output", out], stdout=subprocess.PIPE, text=True
        ) as spy:
            if "Sampling" not in (said := spy.stdout.readline()):
                side.kill()
                raise RuntimeError(f"py-spy: {said}")
            _ask(side, turns)
            side.stdin.close()  # it ends, and so does who looked
            spy.stdout.read()
    return stacks(out.read_text(encoding="utf-8").splitlines())


def _ask(side: subprocess.Popen[str], turns: int) -> None:
    for _ in range(turns):
        print("next", file=side.stdin, flush=True)
        side.stdout.readline()


def table(sides: Sequence[Sequence[dict[str, float]]], chunks: int) -> Sheet:
    """Return what each stage took before and after, on average, the longest first; then the whole."""
    names = {name for side in sides for one in side for name in one} - {WHOLE, CPU, "recall"}
    took = [(name, *(float(np.mean([one.get(name, 0.0) for one in side])) for side in sides)) for name in sorted(names)]
    least = LEAST * float(np.mean([one[WHOLE] for one in sides[0]]))
    lines = sorted((line for line in took if max(line[1:]) >= least), key=lambda line: -line[1])
    rest = [line for line in took if line not in lines]
    lines.append((f"{len(rest)} others together", sum(line[1] for line in rest), sum(line[2] for line in rest)))
    for told, name in ((CPU, "all, processor"), (WHOLE, "all, clock")):
        times = [[one[told] for one in side] for side in sides]
        lines += [(f"{name}, p{share}", *(float(np.percentile(side, share)) for side in times)) for share in (50, 95)]
    rows = [[name, f"{b:.2f}", f"{a:.2f}", f"{a / b:.2f}" if b else ""] for name, b, a in lines]
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    return Sheet(f"{chunks:,} passages, {len(sides[0])} prompts; {load}", ["ms", "before", "after", "ratio"], rows)


def main() -> None:
    """Measure, print, draw."""
    arguments = paired_latency.parser(__doc__)
    arguments.add_argument("--svg", type=Path, help="how the graphs are called, without _before.svg and _after.svg")
    given = arguments.parse_args()
    checkouts, asked = [given.before, given.after], {"chunks": given.chunks, "prompts": given.prompts}
    with tempfile.TemporaryDirectory() as folder:
        homes = [(given.kept or Path(folder)).resolve() / name for name in ("before", "after")]
        for home in homes:
            if not (home / "workspace").exists():
                write_workspace(home / "workspace", given.chunks, random.Random(7), facts=FACTS)
        answers = paired_latency.answers_in_turn(checkouts, homes, **asked)
        print(markdown(table([side.took for side in answers], given.chunks)))
        for checkout, home in zip(checkouts, homes, strict=True) if given.svg else ():
            seen = sampled(checkout, home, out=Path(folder) / "stacks", **asked)
            drawn = flame_graph(seen, f"A warm recall {home.name}: {seen.total():,} samples")
            given.svg.with_name(f"{given.svg.name}_{home.name}.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
