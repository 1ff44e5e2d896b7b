"""Calls on files that fail, are cut short, or end the process: what every verb says then, and what the next start finds.

``python -m tests.e2e.io_faults 10000`` prints how many of each were hit where; the slow test takes a sample. It needs Linux
and a C compiler: ``io_faults.c`` stands before the C library in a process from which every victim is forked.
"""

from __future__ import annotations

import ctypes
import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from hookclaw_py.errors import HookclawError
from hookclaw_py.store.database import Store
from tests.e2e import kills

SOURCE = Path(__file__).with_suffix(".c")
READS, WRITES, SYNCS, OPENS, MOVES, LOOKS = 1, 2, 4, 8, 16, 32
FAIL, SHORT, TORN, KILL = range(4)
SECONDS = 60.0  # that one victim may take
NEVER = 2**40  # so many calls nobody makes
REFUSED = 3  # the exit status of a verb that said why it could not be done


class Fault(NamedTuple):
    """What happens to a call: which kinds of calls, what effect, with which error, and whether to all that follow."""

    name: str
    kinds: int
    effect: int
    error: int = 0
    lasting: bool = False
    files: str = "main"


FAULTS = (
    Fault("killed at a write", WRITES, KILL),
    Fault("killed in a write", WRITES, TORN),
    Fault("killed at a sync", SYNCS, KILL),
    Fault("killed at an open", OPENS | LOOKS, KILL),
    Fault("killed at a move", MOVES, KILL),
    Fault("a write is cut short", WRITES, SHORT),
    Fault("a read is cut short", READS, SHORT),
    Fault("a read fails", READS, FAIL, errno.EIO),
    Fault("a write fails", WRITES, FAIL, errno.EIO),
    Fault("the disk is full from now on", WRITES | MOVES, FAIL, errno.ENOSPC, lasting=True),
    Fault(
        "the disk is gone from now on", READS | WRITES | SYNCS | MOVES | OPENS | LOOKS, FAIL, errno.EIO, lasting=True
    ),
    Fault("a sync fails", SYNCS, FAIL, errno.EIO),
    Fault("an open is refused", OPENS | LOOKS, FAIL, errno.EACCES),
    Fault("no handles are left", OPENS | LOOKS, FAIL, errno.EMFILE, lasting=True),
    Fault("a move is refused", MOVES, FAIL, errno.EACCES),
    Fault("a note cannot be read", READS | LOOKS, FAIL, errno.EIO, files="notes"),
)


def in_child(work: Callable[[], None], *, said: Path, cried: Path) -> int:
    """Run ``work`` in a process of its own, and return how that ended, as ``os.waitpid`` does."""
    child = os.fork()
    if not child:
        try:
            os.dup2(os.open(said, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600), 1)
            os.dup2(os.open(cried, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600), 2)
            work()
            os._exit(0)
        except HookclawError:
            disarm()
            traceback.print_exc()
            os._exit(REFUSED)
        except BaseException:
            disarm()
            traceback.print_exc()
            os._exit(1)
    until = monotonic() + SECONDS
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        if monotonic() > until:
            os.kill(child, signal.SIGABRT)
        sleep(0.002)
    return ended[1]


def arm(place: Path, fault: Fault, nth: int) -> None:
    """Let the ``nth`` call of the fault's kinds on files of ``place`` be hit."""
    folder = str(place / fault.files).encode()
    ctypes.CDLL(None).io_arm(folder, fault.kinds, ctypes.c_long(nth), fault.effect, fault.error, fault.lasting)


def disarm() -> None:
    """Let all calls be as they are."""
    ctypes.CDLL(None).io_arm(b"", 0, ctypes.c_long(0), 0, 0, 0)


def made(kinds: int) -> int:
    """Return how many calls of these kinds were made since they are counted."""
    count = ctypes.CDLL(None).io_calls
    count.restype = ctypes.c_long
    return sum(count(1 << bit) for bit in range(6) if kinds >> bit & 1)


class Struck(NamedTuple):
    """How a verb ended at a fault, and how many such calls it made until then."""

    ended: int
    calls: int


def strike(verb: str, fault: Fault, nth: int, template: Path, top: Path) -> Struck:
    """Let a verb run into a fault, and see what it left."""
    top.mkdir()
    place, counted, cried = top / verb, top / "calls", top / "cried"
    shutil.copytree(template, place)

    def prepare() -> None:
        with Store.open(place / "main") as store:
            store.set_meta("workspace", str((place / "notes").resolve()))

    def work() -> None:
        arm(place, fault, nth)
        try:
            kills.VICTIMS[verb](place)
        finally:
            calls = made(fault.kinds)
            disarm()
            counted.write_text(str(calls))

    where = f"{verb}: {fault.name}, number {nth}"
    assert in_child(prepare, said=top / "-", cried=cried) == 0, (where, cried.read_text())
    if verb == "salvage":
        kills.damage(place / "main/memory.db")
    ended = in_child(work, said=place / "said", cried=cried)
    if os.WIFSIGNALED(ended):
        assert fault.effect in (KILL, TORN), (where, os.WTERMSIG(ended), cried.read_text())
    else:
        assert os.WEXITSTATUS(ended) in (0, REFUSED), (where, cried.read_text())
    later = in_child(lambda: kills.inspect(verb, place, template, where), said=top / "-", cried=cried)
    assert later == 0, (where, cried.read_text())
    return Struck(ended, int(counted.read_text()) if counted.exists() else 0)


class Found(NamedTuple):
    """How often each fault was met and how it ended, and what went wrong."""

    met: Counter[str]
    wrong: list[str]


def study(number: int, top: Path, *, seed: int = 1) -> Found:
    """Strike that many times."""
    template = top / "template"
    made_ready = in_child(lambda: kills.prepare(template), said=top / "said", cried=top / "cried")
    assert made_ready == 0, (top / "cried").read_text()
    chance, met, wrong = random.Random(seed), Counter[str](), list[str]()
    most: dict[tuple[str, str], int] = {}
    jobs = [(verb, fault) for fault in FAULTS for verb in kills.VERBS]
    for n in range(number):
        verb, fault = chance.choice(jobs)
        key = verb, fault.name
        try:
            if key not in most:
                most[key] = max(1, strike(verb, fault, NEVER, template, top / f"counted-{n}").calls)
            ended = strike(verb, fault, chance.randint(1, most[key]), template, top / f"round-{n}").ended
            how = "killed" if os.WIFSIGNALED(ended) else "said why not" if os.WEXITSTATUS(ended) else "done"
            met[f"{fault.name}: {how}"] += 1
        except AssertionError as error:
            wrong.append(str(error))
            print(error, file=sys.stderr, flush=True)
        for place in top.glob("*-*"):
            shutil.rmtree(place, ignore_errors=True)
        if n % 100 == 99:
            print(f"{n + 1} of {number}", file=sys.stderr, flush=True)
    return Found(met, wrong)


def loaded(folder: Path, arguments: Sequence[str]) -> int:
    """Run this module with the shim before the C library; return its exit status."""
    library = folder / "io_faults.so"
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "needs a C compiler"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    home = {"HOOKCLAW_HOME": str(folder / "home"), "IO_FAULTS": str(folder)}
    one = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # a process is forked: it must have no threads
    environment = {**os.environ, **home, **one, "LD_PRELOAD": str(library)}
    return subprocess.run(
        [sys.executable, "-m", "tests.e2e.io_faults", *arguments], env=environment, check=False
    ).returncode


def main(arguments: Sequence[str]) -> int:
    """Print how often each fault was met."""
    if folder := os.environ.get("IO_FAULTS"):
        met, wrong = study(int(arguments[0]), Path(folder), seed=int((*arguments, "1")[1]))
        for what, times in sorted(met.items()):
            print(f"{times:5} {what}")
        print(
            f"{met.total():5} faults after which every database was whole, every event there, and keywords answered at the next start"
        )
        print(f"{len(wrong):5} after which not")
        return 1 if wrong else 0
    with tempfile.TemporaryDirectory() as top:
        return loaded(Path(top), arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
