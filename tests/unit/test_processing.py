"""Working off what was captured: in order, all of it or nothing, and whatever becomes of the process.

Row C9 of the specification; vectors 19 and 20, defects 7, 8, 9 and D14.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py.capture.processing import Process, Processed, Processor
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.store.database import Store

AT = datetime(2026, 3, 3, 9, tzinfo=UTC)
STUCK = timedelta(seconds=300)


def happened(name: str, session: str = "s") -> Happening:
    return Happening(name, AT, "openclaw", session, "r", HappeningKind.PROMPT, {"text": name})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store") as opened:
        yield opened


def processor(store: Store, process: Process, **more: Any) -> Processor:
    return Processor(store, process, stuck=STUCK, keep=timedelta(days=7), **{"on_failure": lambda _: None, **more})


def add(store: Store, *names: str, session: str = "s") -> None:
    store.append([happened(name, session) for name in names], queued=names, now=AT)


def test_each_session_is_handed_over_in_its_order_and_once(store: Store):
    """C9."""
    add(store, "a1", "a2", session="a")
    add(store, "b1", session="b")
    seen: list[list[str]] = []
    work = processor(store, lambda told: seen.append([one.id for one in told]))
    assert work.run(lambda: AT) == Processed(0, 3, 0)
    assert work.run(lambda: AT) == Processed()
    assert seen == [["a1", "a2"], ["b1"]]
    assert store.waiting(now=AT, stuck=STUCK).pending == 0


def test_after_a_start_everything_that_waits_is_worked_off_however_much(store: Store):
    """C9, defect 9; M30, M48: it lies in the store, nothing is dropped for being too much and nothing need be flushed."""
    names = [f"{n:04}" for n in range(450)]
    add(store, *names)
    seen: list[str] = []
    assert processor(store, lambda told: seen.extend(one.id for one in told)).run(lambda: AT).done == 450
    assert seen == names


def test_what_fails_leaves_nothing_waits_alone_and_takes_no_other_with_it(store: Store):
    """C9, vectors 17 and 20, defect 8, D14: marked done after success, and only then."""
    add(store, "1", "bad", "3")
    seen: list[str] = []
    failures: list[str] = []

    def process(told: Sequence[Happening]) -> None:
        for one in told:
            store.set_meta(f"memory of {one.id}", True)
            if one.id == "bad":
                raise ValueError("no room")
        seen.extend(one.id for one in told)

    work = processor(store, process, on_failure=failures.append)
    for second in range(60):
        work.run(lambda now=AT + timedelta(seconds=second): now)
    assert seen == ["1", "3"]
    assert [store.get_meta(f"memory of {name}", False) for name in ("1", "bad", "3")] == [True, False, True]
    found = store.waiting(now=AT, stuck=STUCK)
    assert (found.pending, found.failed, found.errors) == (0, 1, (("bad", "no room"),))
    assert set(failures) == {"consolidate"}


def test_told_to_stop_it_takes_no_more(store: Store):
    add(store, "1")
    assert processor(store, lambda _: None).run(lambda: AT, should_stop=lambda: True).done == 0
    assert store.waiting(now=AT, stuck=STUCK).pending == 1


def test_old_payloads_go_when_all_is_done(store: Store):
    """C12, defect 10: ``capture.keepRawDays``."""
    add(store, "1")
    processor(store, lambda _: None).run(lambda: AT + timedelta(days=8))
    assert [dict(one.payload) for one in store.happenings()] == [{}]


VICTIM = """
import sys, time
from datetime import datetime, timedelta
from pathlib import Path
from hookclaw_py.capture.processing import Processor
from hookclaw_py.store.database import Store
store = Store.open(Path(sys.argv[1]))
def process(told):
    for one in told:
        store.set_meta(f"memory of {one.id}", "by a victim")
    print("written", flush=True)
    time.sleep(600)
work = Processor(store, process, stuck=timedelta(seconds=300), keep=timedelta(days=7), on_failure=lambda _: None)
work.run(lambda: datetime.fromisoformat(sys.argv[2]))
"""


def killed_at_work(store: Store, now: datetime) -> None:
    """Let a process begin to work off the queue at a time of its own, and kill it between what it writes and "done"."""
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM, store.place, now.isoformat()], stdout=subprocess.PIPE, text=True
    )
    assert victim.stdout is not None
    assert victim.stdout.readline() == "written\n"
    victim.kill()
    victim.wait(60)
    victim.stdout.close()


def test_a_kill_between_writing_and_done_leaves_nothing_and_nothing_is_lost_or_twice(store: Store):
    """C9, defect 7: what its process died in goes back as soon as another looks, counted."""
    add(store, "1", "2")
    killed_at_work(store, AT)
    assert store.get_meta("memory of 1") is None
    seen: list[str] = []
    work = processor(store, lambda told: seen.extend(one.id for one in told))
    assert work.run(lambda: AT).recovered == 1
    assert work.run(lambda: AT + timedelta(seconds=2)) == Processed(0, 2, 0)
    assert seen == ["1", "2"]


def test_what_another_process_is_at_work_on_is_left_to_it(store: Store):
    """C9: until it has taken 300 s."""
    add(store, "1")
    taken = store.lease(now=AT, most=1)
    assert taken is not None
    other = "; ".join(
        (
            "import sys; from datetime import datetime, timedelta; from pathlib import Path",
            "from hookclaw_py.store.database import Store",
            "print(Store.open(Path(sys.argv[1])).recover(now=datetime.fromisoformat(sys.argv[2]), stuck=timedelta(seconds=300), waits=()))",
        )
    )

    def recovered(now: datetime) -> str:
        command = [sys.executable, "-c", other, store.place, now.isoformat()]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout.strip()

    assert recovered(AT + STUCK) == "0"
    assert recovered(AT + STUCK + timedelta(milliseconds=1)) == "1"


def test_what_kills_its_process_three_times_is_not_begun_a_fourth_time(store: Store):
    """C9, vector 19: and what comes after it goes on."""
    add(store, "poison", "2")
    now = AT
    for _ in range(3):
        killed_at_work(store, now)
        now += STUCK + timedelta(seconds=1)
        store.recover(now=now, stuck=STUCK, waits=(timedelta(seconds=2), timedelta(seconds=4)))
        now += timedelta(seconds=10)
    seen: list[str] = []
    processor(store, lambda told: seen.extend(one.id for one in told)).run(lambda: now)
    assert seen == ["2"]
    assert store.waiting(now=now, stuck=STUCK).failed == 1
