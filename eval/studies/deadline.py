"""Recalls while reads, writes, locks, look-ups and the embedder stall at random: does every answer keep its deadline?

    python eval/studies/deadline.py [--recalls 10000] [--timeout 150] [--seed 1]

``stalls.c`` is compiled and loaded into the process before the C library: a share of the calls on files of the store
sleeps for up to twice the deadline first. The embedder does the same, a second thread changes the store all the while,
so that pages are read again, and every recall writes what it showed. Exit code 1 when an answer came more than 20 ms
after its deadline, or late without a fault that names a stage.

A busy machine lets a process wait for a processor whatever it does. The kernel keeps book of that (``schedstat``); what
the threads of this process waited from the deadline to the answer is not held against it, and both numbers are told.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
from made_up import prompt, write_workspace

from hookclaw_py import Config, Engine, Outcome, build
from hookclaw_py.search import loading
from hookclaw_py.store.ports import AgentStore

ALLOWED_MS = 20
KINDS = ("reads", "writes", "syncs", "locks", "look-ups")
CHUNKS = 600


class Stalling:
    """The embedder, asleep for a while before some of its answers; it does not heed the deadline meanwhile."""

    def __init__(self, embedder, share: float, longest_s: float, rng: random.Random) -> None:
        self._embedder, self._share, self._longest_s, self._rng = embedder, share, longest_s, rng
        self.model_id, self.dimension, self.stalls, self.on = embedder.model_id, embedder.dimension, 0, False

    def _stall(self) -> None:
        if self.on and self._rng.random() < self._share:
            self.stalls += 1
            sleep(self._rng.random() * self._longest_s)

    def embed(self, text, deadline=None):
        """Embed, after a stall by chance."""
        self._stall()
        return self._embedder.embed(text, deadline)

    def encode(self, text, deadline=None):
        """Encode, after a stall by chance."""
        self._stall()
        return self._embedder.encode(text, deadline)

    def close(self) -> None:
        """Close the embedder."""
        self._embedder.close()


def loaded(folder: Path) -> ctypes.CDLL:
    """Return the library that stalls, in this process already; or start this program again with it, and end with that."""
    if "HOOKCLAW_STALLS" not in os.environ:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None or not sys.platform.startswith("linux"):
            sys.exit("needs Linux and a C compiler")
        library = folder / "stalls.so"
        source = Path(__file__).with_name("stalls.c")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lpthread"], check=True)
        env = os.environ | {"LD_PRELOAD": str(library), "HOOKCLAW_STALLS": str(library)}
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=env, check=False).returncode)
    os.environ.pop("LD_PRELOAD", None)
    library = ctypes.CDLL(os.environ["HOOKCLAW_STALLS"])
    library.stalls_begin.argtypes = [ctypes.c_char_p, ctypes.c_double, ctypes.c_double, ctypes.c_ulong]
    library.waited_since.argtypes, library.waited_since.restype = [ctypes.c_double], ctypes.c_double
    library.stalls_made.restype = ctypes.c_long
    return library


def changing(store: AgentStore, stop: threading.Event) -> None:
    """Pin and unpin a chunk again and again: each time everybody has to read anew."""
    chunk = store.all_chunks()[0].id
    while not stop.wait(1):
        for mark in ("pin", ""):
            store.mark(chunk, mark, at=datetime.now(UTC))


def measure(options: argparse.Namespace, library: ctypes.CDLL, folder: Path) -> dict:
    """Return what was late, what stalled and what was told of it."""
    rng, longest_ms = random.Random(options.seed), 2.0 * options.timeout
    store_folder = folder / "store"
    config = Config(timeoutMs=options.timeout, cacheSize=1, recordPrompts=True, logInjections=False)
    write_workspace(folder / "workspace", CHUNKS, rng)
    embedder = Stalling(loading.embedder(config), 10 * options.share, longest_ms / 1000, rng)
    store = build.store(store_folder)
    engine = Engine(store, build.lexical_index(config, store_folder), embedder, config=config)
    engine.pipeline.guard = lambda search: search()  # else three late ones would spare the embedder for half a minute
    engine.index(folder / "workspace")
    for _ in range(20):
        engine.recall(prompt(rng, CHUNKS), session="warm")
    gc.freeze()  # as `hookclaw serve` does
    stop = threading.Event()
    changer = threading.Thread(target=changing, args=(store, stop), daemon=True)
    library.stalls_begin(os.fsencode(store_folder), options.share, longest_ms, options.seed)
    embedder.on = True
    changer.start()
    late, system, outcomes, faults, unnamed, most_left = [], [], Counter(), Counter(), 0, 0
    for number in range(options.recalls):
        started = perf_counter()
        injection = engine.recall(prompt(rng, CHUNKS), session=f"s{number % 50}")
        took = (perf_counter() - started) * 1000
        late.append(took - options.timeout)
        system.append(library.waited_since(late[-1] / 1000) if late[-1] > 0 else 0.0)
        outcomes[str(injection.outcome)] += 1
        faults.update(fault.stage for fault in injection.faults)
        too_late = late[-1] - system[-1] > 0
        unnamed += (too_late or injection.outcome is Outcome.FAILED) and not injection.faults
        most_left = max(most_left, sum(engine.left_behind.values()))
    stop.set()
    library.stalls_begin(os.fsencode(store_folder), 0.0, longest_ms, options.seed)
    embedder.on = False
    changer.join(60)
    engine.close()
    raw, ours = np.array(late), np.array(late) - np.array(system)
    told = dict(
        zip(("p50", "p90", "p99", "p99.9", "max"), np.percentile(raw, [50, 90, 99, 99.9, 100]).round(1), strict=True)
    )
    return {
        "recalls": options.recalls,
        "timeoutMs": options.timeout,
        "stalls": {kind: library.stalls_made(n) for n, kind in enumerate(KINDS)} | {"embedder": embedder.stalls},
        "outcomes": dict(outcomes),
        "faults": dict(faults.most_common()),
        "msAfterDeadline": {name: float(value) for name, value in told.items()},
        "atTheDeadline": int((raw >= 0).sum()),
        "laterThan20": int((raw > ALLOWED_MS).sum()),
        "laterThan20ByUs": int((ours > ALLOWED_MS).sum()),
        "msAfterDeadlineByUs": round(float(ours.max()), 1),
        "unnamed": unnamed,
        "mostLeftBehind": most_left,
    }


def main() -> int:
    """Measure and print; the exit code says whether every answer kept its deadline."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recalls", type=int, default=10_000)
    parser.add_argument("--timeout", type=int, default=150, help="timeoutMs")
    parser.add_argument(
        "--share", type=float, default=0.003, help="of the calls that stall; ten times as many of the embedder's"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(options, loaded(Path(folder)), Path(folder))
    print(json.dumps(found, indent=2))
    return 1 if found["laterThan20ByUs"] or found["unnamed"] else 0


if __name__ == "__main__":
    sys.exit(main())
