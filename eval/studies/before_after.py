"""What a change costs, in one run: warm recalls, ``--help``, a cold start and indexing, before and after, as ratios.

    python eval/studies/before_after.py BEFORE AFTER [--chunks 10000] [--prompts 600] [--rounds 15] [--kept FOLDER]

BEFORE and AFTER are checkouts; both run with the packages that the running Python has. Recalls are those of
``paired_latency.py``. Everything else is a process of its own, the two sides in turn, ``--help`` beside a bare start of
Python; told are medians. On a machine that others use the clock says little: the ratio of processor times says more.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from made_up import write_workspace
from paired_latency import CPU, WHOLE, answers_in_turn, parser, prompts_for

from hookclaw_py.evaluation.tables import Sheet, markdown

SIDES = ("before", "after")
FEW_CHUNKS = 1000  # that are indexed anew in every round


class Took(NamedTuple):
    """What a process took: milliseconds by the clock and of the processor."""

    clock: float
    processor: float


class Line(NamedTuple):
    """A line of the table: what was done, what it took before and after, and how much longer it may take, 0 for any."""

    name: str
    before: float
    after: float
    bound: float = 0.0

    def cells(self) -> list[str]:
        """Return the line as text."""
        ratio = self.after / self.before
        bound = f"≤ {self.bound:.2f}" if self.bound else ""
        return [self.name, f"{self.before:.1f}", f"{self.after:.1f}", f"{ratio:.3f}", bound]


def run(checkout: str, home: Path, *arguments: str, code: str = "") -> Took:
    """Run hookclaw of a checkout, or ``code``, to its end and return what that took.

    Raises:
        RuntimeError: if it ends with an error.
    """
    what = ["-c", code] if code else ["-m", "hookclaw_py", *arguments]
    env = os.environ | {"PYTHONPATH": str(Path(checkout).resolve()), "HOOKCLAW_HOME": str(home), "OMP_NUM_THREADS": "1"}
    started = perf_counter()
    with subprocess.Popen(
        [sys.executable, *what], cwd=home, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1: nothing to inject
        raise RuntimeError(f"{checkout}: hookclaw {' '.join(arguments)} ended with {process.returncode}")
    return Took((perf_counter() - started) * 1000, (used.ru_utime + used.ru_stime) * 1000)


def in_turn(rounds: int, *sides: Callable[[], Took]) -> list[Took]:
    """Return the median of each side over so many rounds, after one that does not count."""
    taken: list[list[Took]] = [[] for _ in sides]
    for number in range(rounds + 1):
        for n in range(len(sides))[:: 1 if number % 2 else -1]:
            taken[n].append(sides[n]())
    return [Took(*np.median(np.array(side[1:]), axis=0)) for side in taken]


def indexing(checkout: str, home: Path, workspace: Path) -> Callable[[], Took]:
    """Return what indexes a small workspace into a store that is not there yet."""
    agents = (f"anew{n}" for n in range(1000))
    return lambda: run(checkout, home, "--agent", next(agents), "index", str(workspace))


def recalling(checkout: str, home: Path, prompts: Sequence[str]) -> Callable[[], Took]:
    """Return what starts a process that answers one prompt from the large store."""
    turn = cycle(prompts)
    return lambda: run(checkout, home, "recall", next(turn))


def both(name: str, sides: Sequence[Took], bound: float) -> list[Line]:
    """Return the two lines of what both sides took; the bound is held against the processor's time."""
    return [
        Line(f"{name}, processor", sides[0].processor, sides[1].processor, bound),
        Line(f"{name}, clock", sides[0].clock, sides[1].clock),
    ]


def recalls(checkouts: Sequence[str], homes: Sequence[Path], chunks: int, prompts: int) -> list[Line]:
    """Return the lines of warm recalls."""
    answers = answers_in_turn(checkouts, homes, chunks=chunks, prompts=prompts)
    lines = []
    for told, name in (("processor", CPU), ("clock", WHOLE)):
        sides = [np.array([one[name] for one in side.took]) for side in answers]
        for share in (50, 95):
            values = [float(np.percentile(side, share)) for side in sides]
            lines.append(Line(f"warm recall p{share}, {told}", values[0], values[1], 1.05))
    return lines


def starts(checkouts: Sequence[str], homes: Sequence[Path], workspace: Path, rounds: int) -> list[Line]:
    """Return the lines of what begins with a process."""
    helps = [lambda c=c, h=h: run(c, h, "--help") for c, h in zip(checkouts, homes, strict=True)]
    *ours, bare = in_turn(3 * rounds, *helps, lambda: run(checkouts[0], homes[0], code="pass"))
    asked = prompts_for(FEW_CHUNKS, rounds + 1)
    cold = in_turn(rounds, *(recalling(c, h, asked) for c, h in zip(checkouts, homes, strict=True)))
    index = in_turn(max(rounds // 3, 1), *(indexing(c, h, workspace) for c, h in zip(checkouts, homes, strict=True)))
    return [
        Line("a bare start of Python, clock", bare.clock, bare.clock),
        *both("`hookclaw --help`", ours, 0.0),
        *both("cold start of `hookclaw recall`", cold, 1.1),
        *both(f"index of {FEW_CHUNKS:,} chunks", index, 1.1),
    ]


def main() -> None:
    """Compare and print."""
    arguments = parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=15, help="of cold starts; three times as many of --help")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        homes = [(options.kept or Path(folder)).resolve() / name for name in SIDES]
        workspace = Path(folder) / "few"
        write_workspace(workspace, FEW_CHUNKS, random.Random(7))
        checkouts = [options.before, options.after]
        lines = recalls(checkouts, homes, options.chunks, options.prompts)
        lines += starts(checkouts, homes, workspace, options.rounds)
    heads = ["ms", *SIDES, "ratio", "wanted"]
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(
        markdown(
            Sheet(f"{options.chunks:,} chunks, {options.prompts} prompts; {load}", heads, [x.cells() for x in lines])
        )
    )


if __name__ == "__main__":
    main()
