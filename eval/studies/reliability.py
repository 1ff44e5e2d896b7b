"""Is anything lost, or told to whom it does not concern? Failing files, kills and random operations, in one table.

    python eval/studies/reliability.py [--faults 1000] [--kills 500] [--operations 10000] [--seed 1]

*Faults*: calls on files fail, are cut short or end the process (``tests/e2e/io_faults.py``; Linux and a C compiler). *Kills*: ``kill -9`` at
system calls (``tests/e2e/kills.py``; strace). *Operations*: six agents of two homes, owners and groups at random (``isolation.py``). 0 leaves one out. *Lost*: after
it a database was not whole, an event or a note not there, a question not answered, or somebody heard what is not theirs; what it was goes to stderr.
Exit status 1 if anything was lost.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hookclaw_py.evaluation.tables import Sheet, markdown

ROOT = Path(__file__).parents[2]
HEADS = ("what", "tried", "ended by it", "said why not", "went on", "lost")
ENDS = ("killed", "said why not", "done")


class Row(NamedTuple):
    """What was tried how often, how it ended, and after how many something was lost."""

    what: str
    tried: int
    ended: int = 0
    said: int = 0
    went_on: int = 0
    lost: int = 0


def told_by(command: Sequence[str | Path]) -> tuple[str, bool]:
    """Run a command in the root of the repository; return what it printed, and whether it found nothing wrong."""
    done = subprocess.run([sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout, done.returncode == 0


def faults(number: int, seed: int) -> Iterator[Row]:
    """Yield a row for each fault, and one for what went wrong."""
    printed, fine = told_by(["-m", "tests.e2e.io_faults", str(number), str(seed)])
    met = defaultdict[str, dict[str, int]](dict)
    for times, fault, how in re.findall(rf"(?m)^ *(\d+) (.+): ({'|'.join(ENDS)})$", printed):
        met[fault][how] = int(times)
    for fault, ends in met.items():
        yield Row(fault, sum(ends.values()), *(ends.get(how, 0) for how in ENDS))
    lost = re.search(r"(?m)^ *(\d+) after which not$", printed)
    if not fine:
        wrong = int(lost[1]) if lost else 1
        yield Row("faults after which something was lost", wrong, lost=wrong)


def kills(number: int, seed: int) -> Iterator[Row]:
    """Yield a row for each system call at which verbs were killed."""
    printed, fine = told_by(["-m", "tests.e2e.kills", str(number), str(seed)])
    killed = defaultdict[str, int](int)
    for times, call in re.findall(r"(?m)^ *(\d+) \w+ at (\w+)$", printed):
        killed[call] += int(times)
    for call, times in killed.items():
        yield Row(f"kill -9 at {call}", times, ended=times)
    if not fine:
        yield Row("a kill after which something was lost, which ended the trial", 1, lost=1)


def operations(number: int, seed: int) -> Iterator[Row]:
    """Yield a row for random operations of agents."""
    printed, fine = told_by(["eval/studies/isolation.py", str(number), "--seed", str(seed)])
    found = re.search(r"(\d+) words heard by owners, (\d+) by others, (\d+) leaks", printed)
    owners, others, leaks = map(int, found.groups()) if found else (0, 0, 1)
    words = f"operations of six agents; {owners + others:,} words rightly heard"
    yield Row(words, number, went_on=number - leaks, lost=leaks or int(not fine))


def main() -> int:
    """Run what was asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    asked = ((faults, given.faults), (kills, given.kills), (operations, given.operations))
    rows = list[Row]()
    for study, number in asked:
        found = list(study(number, given.seed)) if number else []
        rows += found
        if len(found) > 1:
            rows.append(
                Row(f"{study.__name__} in all", *(sum(column) for column in list(zip(*found, strict=True))[1:]))
            )
    cells = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    print(markdown(Sheet("Reliability", HEADS, cells)))
    return 1 if any(row.lost for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
