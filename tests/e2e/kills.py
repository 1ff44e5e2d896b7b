"""Kill -9 at system calls: of indexing, forgetting, watching, rebuilding and migrating, and what the next start finds.

``python -m tests.e2e.kills 500`` prints how many of each were killed where; the slow test takes a sample. It needs
strace (Debian: ``apt install strace``) and the right to trace one's own children.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from time import monotonic, sleep

import numpy as np

from hookclaw_py import Config, Engine, build, forgetting
from hookclaw_py.capture.reports import Report
from hookclaw_py.errors import HookclawError
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.types import Injection, Prompt
from hookclaw_py.store.database import Store
from hookclaw_py.store.dialects.sqlite import copies, schema
from hookclaw_py.store.dialects.sqlite.migrations import MIGRATIONS, Migration
from tests.waiting import delete, wait_until

CALLS = {
    "pwrite64": 80,
    "write": 30,
    "fdatasync": 10,
    "renameat": 6,
    "fsync": 3,
    "ftruncate": 4,
    "rename": 3,
    "unlink": 4,
}
"""The calls that victims are killed at, and about how many of each a thread makes at most."""
VERBS = ("index", "forget", "watch", "rebuild", "salvage", "migration", "capture")
SECONDS = 120.0  # that one victim may take
CONFIG = Config(minScore=0.0, timeoutMs=10_000)
QUESTION, ANSWER = "what is the codeword of the harbour release?", "Quillwort"
DOOMED = "The spare key lies under the blue flowerpot."
SAID = "We keep the charts of the harbour in the oak drawer."
TOLD_AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
EVENTS = ("forgotten", "captured")
"""What victims say beside the ids of recalls."""


def add_extra(connection: sqlite3.Connection) -> None:
    """Migrate in several statements."""
    connection.execute("CREATE TABLE extra (a)")
    connection.execute("ALTER TABLE counts ADD COLUMN extra TEXT")
    connection.execute("INSERT INTO extra VALUES (1)")


class HashEmbedder:
    """Tells texts apart by their words."""

    model_id, dimension = "hash-16", 16

    def embed(self, text: str, deadline: object = None) -> np.ndarray:
        vector = np.full(16, 0.01, np.float32)
        for word in text.lower().split():
            vector[blake2b(word.encode(), digest_size=1).digest()[0] % 16] += 1
        return vector / np.linalg.norm(vector)

    def close(self) -> None: ...


def opened(folder: Path, migrations: Sequence[Migration] = MIGRATIONS) -> Engine:
    store = Store.open(folder, migrations=migrations)
    return Engine(store, build.lexical_index(CONFIG, folder), HashEmbedder(), config=CONFIG)


def asked(engine: Engine, run: str):
    prompt = Prompt(f"{QUESTION} {run}", datetime.now(UTC), "main", "s", run_id=run, audience=Audience.OWNER)
    return engine.recall(prompt)


def say(word: str) -> None:
    os.write(1, f"{word}\n".encode())


def say_if_kept(recalled: Injection) -> None:
    """Say which recall this was, if nothing went wrong with it: then it is on record."""
    if not recalled.faults:
        say(recalled.id)


def prepare(top: Path) -> None:
    """Make the store that every victim begins with: notes, a turn, marks, a forgotten memory, a copy set aside."""
    notes = top / "notes/memory"
    notes.mkdir(parents=True)
    (notes / "harbour.md").write_text(f"## Harbour\n\nThe codeword of the harbour release is {ANSWER}.\n")
    (notes / "key.md").write_text(f"## Key\n\n{DOOMED}\n")
    for n in range(6):
        (notes / f"day-{n}.md").write_text(f"## Day {n}\n\nOn day {n} the tide came at {n + 3} and {n + 9}.\n")
    with opened(top / "main") as engine:
        engine.index(top / "notes")
        for n in range(3):
            assert ANSWER in asked(engine, f"r{n}").text
            engine.agent_end("s", f"It is {ANSWER}.", run=f"r{n}")
        engine.store.mark(id_of(engine, "day 5"), "block", at=datetime.now(UTC))
    copies.back_up(top / "main", top / "main/memory.db.before-restore-1")


def id_of(engine: Engine, text: str) -> str:
    return next(chunk.id for chunk in engine.store.all_chunks() if text in chunk.text)


# What is killed


def index(top: Path) -> None:
    notes = top / "notes/memory"
    (notes / "day-1.md").write_text("## Day 1\n\nOn day 1 the tide came late, and the ferry with it.\n")
    (notes / "day-2.md").unlink()
    (notes / "new.md").write_text("## New\n\nThe lighthouse keeper is called Brandt.\n")
    with opened(top / "main") as engine:
        engine.index(top / "notes")
        for n in range(3):
            say_if_kept(asked(engine, f"k{n}"))
            engine.agent_end("s", f"It is {ANSWER}.", run=f"k{n}")


def forget(top: Path) -> None:
    with opened(top / "main") as engine:
        found = forgetting.forget(engine.store, id_of(engine, DOOMED), beside=top / "main", at=datetime.now(UTC))
        assert found.ids
        say("forgotten")


def watch(top: Path) -> None:
    failed: list[HookclawError] = []
    with opened(top / "main") as engine:
        stop, heard = threading.Event(), threading.Event()

        def watched() -> None:
            try:
                engine.watch(lambda _: heard.set(), stop=stop)
            except HookclawError as error:
                failed.append(error)
                heard.set()

        watching = threading.Thread(target=watched, daemon=True)
        watching.start()
        heard.wait(SECONDS)
        if not failed:
            heard.clear()
            (top / "notes/memory/day-3.md").write_text("## Day 3\n\nOn day 3 there was no tide at all.\n")
            heard.wait(SECONDS)
        say_if_kept(asked(engine, "w"))
        stop.set()
        watching.join(SECONDS)
    for error in failed:
        raise error


def rebuild(top: Path) -> None:
    assert copies.rebuild(top / "main", at=datetime.now(UTC)) is not None
    with opened(top / "main") as engine:
        engine.index(top / "notes")
        say_if_kept(asked(engine, "b"))


def salvage(top: Path) -> None:
    rebuild(top)


def migration(top: Path) -> None:
    with opened(top / "main", [*MIGRATIONS, add_extra]) as engine:
        say_if_kept(asked(engine, "m"))


def capture(top: Path) -> None:
    with opened(top / "main") as engine:
        told = {"host": "openclaw", "session": "agent:main:main", "run": "c", "audience": Audience.OWNER}
        prompt = Report(HappeningKind.PROMPT, TOLD_AT, payload={"text": SAID}, **told)
        answer = Report(HappeningKind.ANSWER, TOLD_AT + timedelta(seconds=9), payload={"text": "Noted."}, **told)
        engine.capturing.record([prompt], at=TOLD_AT)
        engine.capturing.record([answer], at=TOLD_AT)
        say("captured")
        engine.capturing.work_off()


VICTIMS: dict[str, Callable[[Path], None]] = {
    "index": index, "forget": forget, "watch": watch, "rebuild": rebuild, "salvage": salvage, "migration": migration,
    "capture": capture,
}  # fmt: skip


def be_killed(jobs: list[tuple[str, str]], report: Path) -> None:
    """Run each victim in a process of its own, and write down how it ended. This runs under strace."""
    ends = []
    for verb, top in jobs:
        child = os.fork()
        if not child:
            try:
                os.dup2(os.open(Path(top) / "said", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600), 1)
                os.dup2(os.open(Path(top) / "cried", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600), 2)
                VICTIMS[verb](Path(top))
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        until = monotonic() + SECONDS
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
            if monotonic() > until:
                os.kill(child, 9)
            sleep(0.02)
        ends.append(ended[1])
    os.writev(os.open(report, os.O_CREAT | os.O_WRONLY, 0o600), [json.dumps(ends).encode()])


# The killing


def kill(call: str, number: int, template: Path, top: Path) -> dict[str, bool]:
    """Kill each verb at that call, look at what it left, and say which of them were killed."""
    jobs = []
    for verb in VERBS:
        shutil.copytree(template, top / verb)
        with Store.open(top / verb / "main") as store:
            store.set_meta("workspace", str((top / verb / "notes").resolve()))
        if verb == "salvage":
            damage(top / verb / "main/memory.db")
        jobs.append((verb, str(top / verb)))
    report = top / "report"
    inject = f"inject={call}:signal=KILL:when={number}"
    # The process that forks the victims makes none of these calls itself.
    command = [
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        f"trace={call}",
        "-e",
        "signal=none",
        "-e",
        inject,
    ]
    victim = [sys.executable, "-B", "-m", "tests.e2e.kills", "victims", json.dumps(jobs), str(report)]
    done = subprocess.run([*command, *victim], capture_output=True, text=True, timeout=SECONDS * len(jobs), check=False)
    if not report.exists():
        return {}
    ends = dict(zip(VERBS, json.loads(report.read_text()), strict=True))
    for verb, end in ends.items():
        assert os.WIFSIGNALED(end) or end == 0, (
            f"{verb} {call} {number}: {(top / verb / 'cried').read_text()}{done.stderr}"
        )
        inspect(verb, top / verb, template, where=f"{verb} killed at {call} {number}")
    return {verb: os.WIFSIGNALED(end) for verb, end in ends.items()}


def inspect(verb: str, top: Path, template: Path, where: str) -> None:
    """See that the database is whole, no event is lost, keywords answer at the next start, and indexing ends as it should."""
    recorded = {event.injection for event in shown(template)}
    migrations = [*MIGRATIONS, add_extra] if verb == "migration" else MIGRATIONS
    said = (top / "said").read_text().split()
    file = top / "main/memory.db"
    if verb != "salvage" or said:
        assert copies.damage(file, thorough=True, migrations=migrations) == "", where
    elif copies.damage(file, thorough=True, migrations=migrations):
        assert copies.rebuild(top / "main", at=datetime.now(UTC)), where
    with opened(top / "main", migrations) as engine:
        engine.catch_up()
        events = list(engine.store.events())
        injections = {event.injection for event in events if event.kind == "injection"}
        assert recorded <= injections, where
        assert {word for word in said if word not in EVENTS} <= injections, where
        assert list(engine.store.marks().values()) == ["block"], where
        if verb not in ("rebuild", "salvage") or said:
            found = engine.recall(QUESTION, timeout_ms=10_000, record=False)
            assert ANSWER in found.text, (where, found.reason, found.faults)
            assert engine._parts.indexes.lexical.search(["quillwort"], 5, context_boost=1), where
            assert not [fault for fault in found.faults if "still" not in fault.error], (where, found.faults)
        report = engine.index(top / "notes")
        assert report.warnings == (), where
        assert len(engine._parts.indexes.lexical.search(["quillwort"], 5, context_boost=1)) == 1, where
        status = engine.status()
        assert (status.problems, status.embedded) == ((), status.chunks), where
        if "captured" in said:
            engine.capturing.retry()
            wait_until(
                lambda: worked_off(engine), "what was captured is worked off", SECONDS
            )  # it may be its second try
            said_once = [c for c in engine.store.all_chunks() if c.kind is SESSION and SAID in c.text]
            assert len(said_once) == 1, (where, said_once)
        left = {chunk.text for chunk in engine.store.all_chunks()}
        assert (DOOMED in left) == ("forgotten" not in said and verb != "forget") or (
            verb == "forget" and "forgotten" not in said
        ), where
        if "forgotten" in said:
            assert DOOMED not in left, where
    assert copies.damage(file, thorough=True, migrations=migrations) == "", where


def worked_off(engine: Engine) -> bool:
    engine.capturing.work_off()
    waiting = engine.capturing.waiting()
    return not waiting.pending + waiting.processing


def shown(template: Path):
    with Store.open(template / "main") as store:
        return [event for event in store.events() if event.kind == "injection"]


def study(kills: int, top: Path, *, seed: int = 1) -> Counter[str]:
    """Kill that many times; return how often each verb was killed at each call."""
    template = top / "template"
    prepare(template)
    chance, killed = random.Random(seed), Counter[str]()
    most = dict(CALLS)
    calls = [call for call, many in CALLS.items() for _ in range(1 + many // 10)]
    round_ = 0
    while killed.total() < kills and round_ < 20 * kills:
        call = calls[round_ % len(calls)]
        number = chance.randint(1, most[call])
        place = top / f"round-{round_}"
        found = kill(call, number, template, place)
        killed.update(f"{verb} at {call}" for verb, was in found.items() if was)
        if not any(found.values()):
            most[call] = max(1, min(most[call], number - 1))  # none of them makes so many
        delete(place)
        round_ += 1
        print(f"{round_}: {call} {number}: {sum(found.values())} killed, {killed.total()} in all", flush=True)
    return killed


def damage(file: Path) -> None:
    """Destroy a page that holds an index of the chunks."""
    with sqlite3.connect(file) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = raw.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'chunks_by_date'").fetchone()
    raw.close()
    data = bytearray(file.read_bytes())
    size = schema.PAGE_SIZE
    data[size * (page - 1) : size * page] = b"\xa5" * size
    file.write_bytes(data)


if __name__ == "__main__":
    if sys.argv[1] == "victims":
        be_killed(json.loads(sys.argv[2]), Path(sys.argv[3]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HOOKCLAW_HOME"] = str(Path(folder) / "home")
            counted = study(int(sys.argv[1]), Path(folder), seed=int((*sys.argv, "1")[2]))
        for what, times in sorted(counted.items()):
            print(f"{times:5} {what}")
        print(
            f"{counted.total():5} kills: every database whole, every event there, keywords answered at the next start"
        )
