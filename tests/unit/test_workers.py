"""The thread behind the answers: in order, bounded, told of when it fails, ended in bounded time."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from hookclaw_py.errors import DeadlineExceeded
from hookclaw_py.threads import MOST_IDLE, Threads
from hookclaw_py.workers import MOST_LEFT_BEHIND, Crowded, NoThread, Worker, Workers
from tests.waiting import wait_until

WAIT = 30


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    opened = threading.Event()
    yield opened
    opened.set()


def held(worker: Worker, gate: threading.Event) -> None:
    """Have the thread wait at the gate."""
    entered = threading.Event()

    def wait() -> None:
        entered.set()
        gate.wait(WAIT)

    worker.put(wait)
    assert entered.wait(WAIT)


def test_work_is_done_in_the_order_in_which_it_came_and_hands_back_what_it_came_to():
    worker, done = Worker("test"), list[int]()
    futures = [worker.submit(lambda n: done.append(n) or n * n, n) for n in range(50)]
    assert [future.result(WAIT) for future in futures] == [n * n for n in range(50)]
    assert done == list(range(50))
    assert worker.close(WAIT)


def test_no_more_than_so_many_pieces_wait(gate):
    worker = Worker("test", most=2)
    held(worker, gate)
    waiting = [worker.submit(int), worker.submit(int)]
    with pytest.raises(Crowded, match="2 pieces of work wait for the thread test already"):
        worker.submit(int)
    gate.set()
    assert [future.result(WAIT) for future in waiting] == [0, 0]
    assert worker.submit(int).result(WAIT) == 0
    assert worker.close(WAIT)


def test_what_is_asked_for_many_times_is_done_once_and_again_when_asked_again(gate):
    worker, done = Worker("test"), list[str]()

    def work() -> None:
        done.append("done")

    held(worker, gate)
    assert all(worker.soon(work) for _ in range(100))
    gate.set()
    assert worker.flush(WAIT)
    assert done == ["done"]
    worker.soon(work, after=3600)
    assert done == ["done"]
    assert worker.flush(WAIT), "what is to be done in an hour is done now"
    assert done == ["done", "done"]
    worker.soon(work, after=3600)
    assert worker.close(WAIT), "and at the end"
    assert len(done) == 3


def own_threads(before: set[threading.Thread]) -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread not in before]


def test_a_worker_without_work_keeps_no_thread_and_the_next_work_gets_one():
    before, threads = set(threading.enumerate()), Threads(rest=0.05)
    one, done = Worker("rests", threads=threads), list[int]()
    for n in range(3):
        one.soon(lambda n=n: done.append(n), 0.2)  # longer than a rest
        wait_until(lambda n=n: len(done) > n, "it is done")
        wait_until(lambda: "hookclaw-rests" not in own_threads(before), "the thread is given back")
        assert one.submit(abs, -n).result(WAIT) == n
    wait_until(lambda: set(own_threads(before)) <= {"hookclaw-clock", "hookclaw-idle"}, "and ends")
    assert one.close(WAIT)


def test_threads_that_waited_for_prompts_end_and_the_next_prompt_is_answered():
    before, many = set(threading.enumerate()), Workers("rest", threads=Threads(rest=0.05))
    assert [many.start("sum", lambda n=n: n + 1).wait(WAIT) for n in range(3)] == [1, 2, 3]
    wait_until(lambda: not own_threads(before), "they are gone")
    assert many.start("sum", lambda: 7).wait(WAIT) == 7
    assert many.close(WAIT)


def test_a_thread_that_ends_takes_no_prompt_along():
    many = Workers("hasty", threads=Threads(rest=0.00002))
    for n in range(2000):
        tasks = [many.start("sum", lambda n=n: n + 1) for _ in range(3)]
        assert [task.wait(WAIT) for task in tasks] == [n + 1] * 3
    many.close(WAIT)


def test_many_share_the_threads_that_one_needs():
    before, threads = set(threading.enumerate()), Threads()
    for n in range(20):
        prompts, behind = Workers(f"prompts {n}", threads=threads), Worker(f"behind {n}", threads=threads)
        legs = [prompts.start("leg", lambda n=n: n) for _ in range(2)]
        assert [leg.wait(WAIT) for leg in legs] == [n, n]
        assert behind.submit(abs, -n).result(WAIT) == n
        behind.soon(int, 3600)
    assert len(own_threads(before)) < 8


def test_what_a_burst_began_ends_with_it(gate):
    before, threads = set(threading.enumerate()), Threads(rest=3600)
    crowd = Workers("burst", threads=threads)
    waiting = [crowd.start(f"kind {n}", lambda: gate.wait(WAIT)) for n in range(30)]
    assert len(own_threads(before)) >= 30
    gate.set()
    assert all(one.wait(WAIT) for one in waiting)
    wait_until(lambda: len(own_threads(before)) <= MOST_IDLE, "the others have ended")
    assert [crowd.start("sum", lambda n=n: n + 1).wait(WAIT) for n in range(3)] == [1, 2, 3]
    assert crowd.close(WAIT)


def test_what_hangs_for_one_holds_up_no_other(gate):
    """keep: threads are shared, how much may hang is each one's own."""
    threads = Threads()
    one, other = Workers("one", threads=threads), Workers("other", threads=threads)
    for _ in range(MOST_LEFT_BEHIND):
        with pytest.raises(DeadlineExceeded):
            one.start("read", lambda: gate.wait(WAIT)).wait(0)
    held(Worker("stuck", threads=threads), gate)
    with pytest.raises(Crowded):
        one.start("read", int)
    assert [other.start("read", lambda n=n: n).wait(WAIT) for n in range(20)] == list(range(20))
    assert Worker("third", threads=threads).submit(abs, -3).result(WAIT) == 3


def test_a_forked_process_has_threads_of_its_own():
    script = """
import os
from hookclaw_py.workers import Worker, Workers
assert Workers("parent").start("sum", lambda: 1).wait(30) == 1
Worker("parent").soon(int, 3600)
if (child := os.fork()) == 0:
    found = Workers("child").start("sum", lambda: 2).wait(30)
    Worker("child").soon(lambda: os._exit(found), 0.01)
    import time
    time.sleep(30)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=WAIT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


def test_a_failure_is_logged_and_told_and_the_next_piece_is_done(caplog):
    told: list[str] = []
    worker = Worker("sorting", on_failure=told.append)

    def broken() -> None:
        raise ValueError("the shelf fell")

    worker.soon(broken)
    worker.put(broken)
    assert worker.submit(int).result(WAIT) == 0
    assert worker.flush(WAIT)
    with pytest.raises(ValueError, match="the shelf fell"):
        worker.submit(broken).result(WAIT)
    assert told == ["sorting", "sorting"], "who holds the future hears of it there"
    assert caplog.text.count("hookclaw: sorting failed: the shelf fell") == 2
    assert worker.close(WAIT)


def test_what_hangs_at_the_end_is_left_behind_and_what_waited_can_be_dropped(gate):
    worker = Worker("test")
    held(worker, gate)
    waiting = worker.submit(int)
    assert not worker.flush(0.01)
    assert not worker.close(0.01, drop=True)
    assert waiting.cancelled()
    with pytest.raises(NoThread):
        worker.submit(int)
    assert worker.soon(lambda: None) is False
    gate.set()
    assert worker.close(WAIT)


def test_the_end_of_the_process_waits_for_what_was_to_be_done_soon_and_not_for_what_hangs():
    script = """
import threading
from hookclaw_py.workers import Worker
Worker.ENDING = 0.1
hangs = Worker("hangs")
hangs.put(threading.Event().wait)
Worker("saves").soon(lambda: print("saved", flush=True), after=3600)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=WAIT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "saved\n", "")
