"""Workers: ``Workers`` for what is waited for and may hang, a ``Worker`` for what goes on behind the answer; threads are shared by all.

A read from a disk that is away cannot be interrupted, only left behind. What was left behind is counted until it
returns, and while too much of a kind is, no more of that kind is begun: hung threads do not pile up.
"""

from __future__ import annotations

import atexit
import logging
import threading
from _thread import allocate_lock
from collections import Counter, deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, Generic, ParamSpec, TypeVar

from hookclaw_py.errors import DeadlineExceeded, HookclawError
from hookclaw_py.threads import CLOCK, SHARED, Threads
from hookclaw_py.threads import NoThread as NoThread

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("hookclaw")

MOST_LEFT_BEHIND = 8
"""Pieces of work of one kind that may hang at a time; a kind is the name of a stage."""


_AGAIN = 1.0  # seconds until work that is due is tried again where there was no thread for it


class Crowded(HookclawError):
    """Too much of this kind hangs or waits already."""


class Task(Generic[T]):
    """Work on its way, for one to wait for."""

    def __init__(self, name: str, work: Callable[[], T], workers: Workers) -> None:
        self.name, self.left, self.finished = name, False, False
        self._work: Callable[[], T] | None = work
        self._workers = workers
        self._result: T
        self._error: BaseException | None = None
        self._done = allocate_lock()  # the cheapest thing that one thread can wait for and another release
        self._done.acquire()

    def wait(self, seconds: float) -> T:
        """Return what the work came to, or raise what it raised.

        Raises:
            DeadlineExceeded: if it is still at it after ``seconds``; it is then left behind.
        """
        waiting = min(max(seconds, 0.0), threading.TIMEOUT_MAX)
        if not self._done.acquire(timeout=waiting) and self._workers.leave(self):
            raise DeadlineExceeded("no answer before the deadline; raise timeoutMs if this happens often")
        if self._error is not None:
            raise self._error
        return self._result

    def run(self) -> None:
        """Do the work; an error is handed to the one who waits."""
        assert self._work is not None
        try:
            self._result = self._work()
        except BaseException as error:  # of whatever kind: it is raised where the result is waited for
            self._error = error
            if self.left and not isinstance(error, DeadlineExceeded):
                log.warning("hookclaw: %s failed after the deadline: %s", self.name, error or type(error).__name__)
        self._work = None

    def release(self) -> None:
        """Let the one who waits go on."""
        self._done.release()


class Workers:
    """What is begun side by side, waited for, and left behind when it hangs; none of it holds up the end of the process."""

    def __init__(
        self, name: str, *, on_left: Callable[[str], None] = lambda _: None, threads: Threads | None = None
    ) -> None:
        """Name the work; ``on_left`` hears the kind of whatever is left behind."""
        self._name, self._on_left, self._threads = name, on_left, threads or SHARED
        self._changed = threading.Condition()
        self._under_way, self._closed = 0, False
        self._left: Counter[str] = Counter()

    @property
    def left_behind(self) -> Mapping[str, int]:
        """How many pieces of work of each kind hang now."""
        with self._changed:
            return {name: number for name, number in self._left.items() if number}

    def start(self, name: str, work: Callable[[], T]) -> Task[T]:
        """Begin ``work`` of the kind ``name``.

        Raises:
            Crowded: if ``MOST_LEFT_BEHIND`` of its kind hang.
            NoThread: if there is no thread for it.
        """
        task = Task(name, work, self)
        with self._changed:
            if self._closed:
                raise NoThread("closed")
            if self._left[name] >= MOST_LEFT_BEHIND:
                raise Crowded(
                    f"not tried: {self._left[name]} earlier ones hang in the system; see to the disk or the endpoint, "
                    "or restart"
                )
            self._threads.run(self._name, partial(self._do, task))
            self._under_way += 1
        return task

    def leave(self, task: Task[Any]) -> bool:
        """Wait for ``task`` no longer; False when it has just finished."""
        with self._changed:
            if task.finished:
                return False
            task.left = True
            self._left[task.name] += 1
        self._on_left(task.name)
        return True

    def close(self, within: float) -> bool:
        """Wait for work under way, what was left behind aside; False if some is not done ``within`` seconds."""
        until = monotonic() + within
        with self._changed:
            self._closed = True
            return self._changed.wait_for(lambda: self._under_way <= self._left.total(), max(0.0, until - monotonic()))

    def _do(self, task: Task[Any]) -> Callable[[], None]:
        task.run()
        with self._changed:
            task.finished = True
            self._left[task.name] -= task.left
            self._under_way -= 1
            self._changed.notify_all()
        return task.release


class Worker:
    """What is done behind the answers, one piece after the other; it has a thread only meanwhile.

    ``submit`` gives a future, which holds what failed. Of ``put`` and ``soon`` nobody hears the outcome, so a failure is
    logged and told to ``on_failure`` with the worker's name. At most ``most`` pieces wait. It holds up the end of the
    process only for what is to be done soon, and no longer than ``ENDING`` seconds.
    """

    ENDING = 5.0

    def __init__(
        self,
        name: str,
        *,
        most: int = 1000,
        on_failure: Callable[[str], None] = lambda _: None,
        threads: Threads | None = None,
    ) -> None:
        self._name, self._most, self._on_failure, self._threads = name, most, on_failure, threads or SHARED
        self._jobs: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._due: dict[Callable[[], None], float] = {}
        self._changed = threading.Condition()
        self._runs = self._busy = self._closed = self._ends_late = False
        self._in_a_hurry = 0

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have ``work`` done when its turn comes.

        Raises:
            Crowded: if too much waits already.
            NoThread: if the worker was closed, or there is no thread for it.
        """
        future: Future[T] = Future()
        with self._changed:
            if len(self._jobs) >= self._most:
                raise Crowded(f"not done: {self._most} pieces of work wait for the thread {self._name} already")
            self._require_open()
            self._begin()
            self._jobs.append((future, partial(work, *args, **kwargs)))
        return future

    def put(self, work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Have ``work`` done when its turn comes; raises what ``submit`` raises."""
        self.submit(work, *args, **kwargs).add_done_callback(self._report)

    def soon(self, work: Callable[[], None], after: float = 0.0) -> bool:
        """Have ``work`` done once, in ``after`` seconds at most, however often that is asked for meanwhile; False if it cannot be."""
        moment = monotonic() + after
        if self._due.get(work, moment + 1) <= moment:  # it takes with it whatever was left for it until it begins
            return True
        with self._changed:
            try:
                self._require_open()
                if after > 0:
                    CLOCK.wake(moment, self._on_time)
                else:
                    self._begin()
            except NoThread:
                return False
            self._due[work] = min(moment, self._due.get(work, moment))
            if not self._ends_late:
                self._ends_late = True
                atexit.register(self._at_exit)
            return True

    def flush(self, within: float | None = None) -> bool:
        """Do now what is to be done soon; False if anything is not done ``within`` seconds (None = as long as it takes)."""
        with self._changed:
            self._in_a_hurry += 1
            with suppress(NoThread):  # it is done when it is due, then
                if self._due:
                    self._begin()
            done = self._changed.wait_for(lambda: not (self._jobs or self._due or self._busy), within)
            self._in_a_hurry -= 1
            return done

    def close(self, within: float, *, drop: bool = False) -> bool:
        """Take no more work and end what there is, with ``drop`` only what is under way.

        False if that takes longer than ``within`` seconds: it is then left behind.
        """
        atexit.unregister(self._at_exit)
        with self._changed:
            self._closed = True
            if drop:
                self._due.clear()
                for future, _ in self._jobs:
                    future.cancel()
            try:
                if self._due or self._jobs:
                    self._begin()
            except NoThread:  # the process ends, and starts no more: done here, then
                self._runs = here = True
            else:
                here = False
        if here:
            self._serve()
        with self._changed:
            return self._changed.wait_for(lambda: not self._runs, max(0.0, within))

    def _at_exit(self) -> None:
        self.close(self.ENDING)

    def _require_open(self) -> None:
        if self._closed:
            raise NoThread(f"the thread {self._name} was closed")

    def _begin(self) -> None:
        if not self._runs:
            self._threads.run(self._name, self._serve)
            self._runs = True

    def _on_time(self) -> None:
        """Do what is due, on a thread; where there is none now, try again."""
        with self._changed:
            if self._due:
                try:
                    self._begin()
                except NoThread:
                    CLOCK.wake(monotonic() + _AGAIN, self._on_time)

    def _serve(self) -> None:
        while (job := self._next()) is not None:
            future, work = job
            if future.set_running_or_notify_cancel():
                try:
                    result = work()
                except BaseException as error:  # of whatever kind: the future raises it, and the thread goes on
                    future.set_exception(error)
                else:
                    future.set_result(result)
            del job, future, work
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _next(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        """Return what is to be done now; None if that is nothing: the thread is then given back."""
        with self._changed:
            if not self._jobs:
                work, moment = min(self._due.items(), key=lambda item: item[1], default=(None, 0.0))
                if work is None or not (moment <= monotonic() or self._closed or self._in_a_hurry):
                    self._runs = False
                    self._changed.notify_all()
                    return None
                del self._due[work]
                future: Future[Any] = Future()
                future.add_done_callback(self._report)
                self._jobs.append((future, work))
            self._busy = True
            return self._jobs.popleft()

    def _report(self, future: Future[Any]) -> None:
        error = None if future.cancelled() else future.exception()
        if error is not None:
            log.warning("hookclaw: %s failed: %s", self._name, error or type(error).__name__, exc_info=error)
            self._on_failure(self._name)
