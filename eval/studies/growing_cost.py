"""What does it cost that memory grows by itself? Capturing a turn, working the queue off, the store's growth, and recall beside records.

    python eval/studies/growing_cost.py [--chunks 10000] [--records 20000] [--prompts 200]

Two of the diaries in ``eval/data/diaries`` are told report by report to an engine on disk, as a host tells them, then worked off; a turn is a
prompt with its tool calls and its answer. Recall is timed on one core: a store of made-up notes alone, and the same with records
beside it, which prompts are not answered from unless they ask for their kinds; twenty prompts at a time in turn. The
ratios are medians over the same prompts.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sqlite3
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import numpy as np
from grown import prompts_of, sessions_of
from latency import timed
from made_up import PEOPLE, SUBJECTS, THINGS, VERBS, prompt, write_workspace

from hookclaw_py import Config, Engine
from hookclaw_py.config import CaptureConfig
from hookclaw_py.consolidate.writing import write
from hookclaw_py.evaluation.tables import Sheet, markdown
from hookclaw_py.hosts.claude_code import spool
from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.kind import KINDS, RECORDS, SESSION
from hookclaw_py.model.level import Level
from hookclaw_py.model.record import Record, RecordAction, RecordChange
from hookclaw_py.model.salience import Salience

TURN = 20  # prompts that one side answers before it is the next one's turn
NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Told(NamedTuple):
    """What telling the diaries took: milliseconds of each report by kind, and of all reports of each turn."""

    reports: dict[str, list[float]]
    turns: list[float]
    sessions: int


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--diaries", nargs="+", default=["ines", "torsten"], metavar="NAME")
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--prompts", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        capturing(Path(folder) / "captured", options.diaries)
        recalling(Path(folder), options.chunks, options.records, options.prompts)


def capturing(folder: Path, names: Sequence[str]) -> None:
    """Print what it costs to take diaries in."""
    config = Config(timezone="UTC", capture=CaptureConfig(keep_raw_days=3650))
    with Engine.open(config, folder=folder, strict=True) as engine:
        engine.recall("What do the notes say about the harbour?", record=False)  # what a resident process has loaded
        empty = held(folder, engine)
        told = tell(engine, names)
        events, turns = engine.capturing.waiting().captured, len(told.turns)
        raw = held(folder, engine)
        started = perf_counter()
        processed = engine._parts.processor().run(lambda: datetime.now(UTC))  # noqa: SLF001
        worked = perf_counter() - started
        engine.capturing._bring_up()  # noqa: SLF001
        brought = perf_counter() - started
        full = held(folder, engine)
        kinds = Counter(chunk.kind.name for chunk in engine.store.all_chunks())
        records = len(engine.store.records(newest=10**9))
    rows = [[kind, *spread(times)] for kind, times in told.reports.items()]
    rows += [
        ["a whole turn", *spread(told.turns)],
        ["a report into the spool of Claude Code's hook", *spread(spooled(folder))],
    ]
    show("Capturing, milliseconds until it is written", ("what", "times", "p50", "p95"), rows)
    per = 1000 / turns
    show(
        f"What {turns} turns of {told.sessions} sessions come to ({events} events; {', '.join(names)})",
        ("what", "value"),
        [
            ["events a second through the queue, distilled and consolidated", f"{processed.done / worked:.0f}"],
            ["with embedding and both indexes brought up", f"{processed.done / brought:.0f}"],
            ["per 1,000 turns: what was said and done word for word (7 days), MB", f"{(raw - empty) * per:.2f}"],
            ["per 1,000 turns: what is made of it, vectors included, MB", f"{(full - raw) * per:.2f}"],
            ["per 1,000 turns: passages of what was said", f"{kinds[SESSION.name] * per:.0f}"],
            ["per 1,000 turns: records, with a passage each", f"{records * per:.0f}"],
        ],
    )  # fmt: skip


def tell(engine: Engine, names: Sequence[str]) -> Told:
    """Report diaries one by one, as a host does, and time each."""
    reports, turns, sessions = defaultdict(list), defaultdict(float), 0
    for name in names:
        for told in sessions_of(name):
            sessions += 1
            for report in told.reports:
                _, ms = timed(partial(engine.capturing.record, at=report.at), [report])
                reports[report.kind.value].append(ms)
                if report.kind in (HappeningKind.PROMPT, HappeningKind.ANSWER, HappeningKind.TOOL_CALL):
                    turns[name, report.session, report.run] += ms
    return Told(dict(reports), list(turns.values()), sessions)


def spooled(folder: Path) -> list[float]:
    """Time what Claude Code's hook does with a report when nobody listens."""
    os.environ["HOOKCLAW_HOME"] = str(folder)
    found = []
    for asked in prompts_of("ines"):
        report = {
            "kind": "prompt",
            "session": "s",
            "at": 1,
            "audience": "owner",
            "folder": "",
            "payload": {"text": asked.text},
        }
        found.append(timed(partial(spool.keep, "main"), report)[1])
    return found  # fmt: skip


def held(folder: Path, engine: Engine) -> float:
    """Return how many megabytes lie in a folder, once what waits in the log is written home."""
    engine.catch_up()
    with closing(sqlite3.connect(folder / "memory.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with engine.store._writing() as connection:  # noqa: SLF001
        connection.execute("SELECT 1")
    return (
        sum(
            file.stat().st_size
            for file in folder.rglob("*")
            if file.is_file() and not file.name.endswith(("-wal", "-shm"))
        )
        / 1e6
    )


def spread(times: Sequence[float]) -> list[str]:
    """Return how many there are, and their middle and the twentieth from the top of a hundred."""
    p50, p95 = np.percentile(times, [50, 95])
    return [str(len(times)), f"{p50:.2f}", f"{p95:.2f}"]


def show(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print one table."""
    print(markdown(Sheet(title, heads, rows)), "\n", flush=True)


def recalling(folder: Path, chunks: int, records: int, prompts: int) -> None:
    """Print what a recall costs with records beside the notes and without."""
    rng = random.Random(7)
    write_workspace(folder / "workspace", chunks, rng)
    with Engine.open(Config(cacheSize=1), folder=folder / "alone", strict=True) as engine:
        engine.index(folder / "workspace")
    shutil.copytree(folder / "alone", folder / "beside")
    with ExitStack() as stack:
        alone, beside = (
            stack.enter_context(Engine.open(Config(cacheSize=1), folder=folder / name, strict=True))
            for name in ("alone", "beside")
        )
        learn(beside, made_up(records, random.Random(11)))
        beside.capturing._bring_up()  # noqa: SLF001
        sides = {
            f"{chunks} chunks alone": alone.recall,
            f"{records} records beside them": beside.recall,
            "and all of them asked for by kind": partial(beside.recall, kinds=tuple(KINDS)),
        }
        for engine, kinds in ((alone, ()), (beside, ()), (beside, tuple(KINDS))):
            engine.warm_up(kinds)
        took = {name: list[float]() for name in sides}
        for block in range(0, prompts + TURN, TURN):
            asked = [prompt(rng, chunks) for _ in range(TURN)]
            for name, recall in sides.items():
                times = [timed(recall, text)[1] for text in asked]
                took[name] += times if block else []  # the first are to warm up
    first = np.array(took[next(iter(took))])
    rows = [[name, *spread(times), f"{np.median(np.array(times) / first):.2f}"] for name, times in took.items()]
    show("Recall, milliseconds on one core", ("store", "prompts", "p50", "p95", "beside the first"), rows)


def learn(engine: Engine, records: Iterator[Record]) -> None:
    """Write records into a store, a hundred at a time."""
    every = [RecordChange(record, RecordAction.BEGUN, "made up") for record in records]
    for start in range(0, len(every), 100):
        write(engine.store, every[start : start + 100], zone=UTC, at=NOW, actor="study")


def made_up(count: int, rng: random.Random) -> Iterator[Record]:
    """Yield records of every kind, as short as they are in life."""
    for number in range(count):
        kind = RECORDS[number % len(RECORDS)]
        subject, thing = rng.choice(SUBJECTS), rng.choice(THINGS)
        at = NOW - timedelta(hours=rng.randrange(4000))
        yield Record(
            id=f"{number + 1:016x}",
            kind=kind,
            about=f"{subject} | {number}",
            title="",
            body=f"{rng.choice(PEOPLE)} {rng.choice(VERBS)} the {thing} of the {subject} for LAN-{rng.randrange(count)}",
            said_by=Speaker.PERSON,
            confidence=0.8,
            salience=Salience(1.0, at),
            level=Level.MEDIUM,
            first_at=at,
            at=at,
            session=f"agent:main:{number // 50}",
        )


if __name__ == "__main__":
    main()
