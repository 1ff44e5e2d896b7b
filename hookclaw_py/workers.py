"""Workers: threads; ``Workers`` for what is waited for and may hang, a ``Worker`` for what goes on behind the answer.

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
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Generic, ParamSpec, TypeVar

from hookclaw_py.errors import DeadlineExceeded, HookclawError

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("hookclaw")

REST = 60.0
"""Seconds without work after which a thread ends; the next work begins another."""
MOST_LEFT_BEHIND = 8
"""Pieces of work of one kind that may hang at a time; a kind is the name of a stage."""


class Crowded(HookclawError):
    """Too much of this kind hangs or waits already."""


class NoThread(HookclawError):
    """The system gives this process no more threads."""


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
        except (
            BaseException
        ) as error:  # of whatever kind: it is raised where the result is waited for, not lost with a thread
            self._error = error
            if self.left and not isinstance(error, DeadlineExceeded):
                log.warning("hookclaw: %s failed after the deadline: %s", self.name, error or type(error).__name__)
        self._work = None

    def release(self) -> None:
        """Let the one who waits go on."""
        self._done.release()


class Workers:
    """A thread for each piece of work under way, kept a while for the next; none of them holds up the end of the process."""

    def __init__(self, name: str, *, on_left: Callable[[str], None] = lambda _: None, rest: float = REST) -> None:
        """Name the threads; ``on_left`` hears the kind of whatever is left behind."""
        self._name, self._on_left, self._rest = name, on_left, rest
        self._tasks: SimpleQueue[Task[Any] | None] = SimpleQueue()
        self._changed = threading.Condition()
        self._idle, self._threads, self._closed = 0, 0, False
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
            if self._idle:
                self._idle -= 1
            else:
                self._add_thread()
        self._tasks.put(task)
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
            for _ in range(self._threads):
                self._tasks.put(None)
            return self._changed.wait_for(lambda: self._threads <= self._left.total(), max(0.0, until - monotonic()))

    def _add_thread(self) -> None:
        thread = threading.Thread(target=self._serve, name=f"hookclaw-{self._name}", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            raise NoThread(f"no thread for it: {error}; see the limits of processes and memory") from error
        self._threads += 1

    def _keep_a_spare(self) -> None:
        """Have a thread ready for the next work: to start one takes long on a busy machine, and nobody waits for it here."""
        with self._changed, suppress(NoThread):
            if not self._idle and not self._closed:
                self._add_thread()
                self._idle += 1

    def _serve(self) -> None:
        while (task := self._next()) is not None:
            self._keep_a_spare()
            task.run()
            with self._changed:
                task.finished = True
                self._left[task.name] -= task.left
                self._idle += 1
                self._changed.notify_all()
            task.release()
            del task  # an answer is not kept until the next one comes
        with self._changed:
            self._threads -= 1
            self._changed.notify_all()

    def _next(self) -> Task[Any] | None:
        """Wait for the next piece of work; None at the end, or when there was none for a while."""
        while True:
            try:
                return self._tasks.get(timeout=self._rest)
            except Empty:
                with self._changed:
                    if self._idle:  # otherwise work is on its way to this thread
                        self._idle -= 1
                        return None


class Worker:
    """One thread behind the answers, begun with its first work and ended by a rest; it does one piece after the other.

    ``submit`` gives a future, which holds what failed. Of ``put`` and ``soon`` nobody hears the outcome, so a failure is
    logged and told to ``on_failure`` with the worker's name. At most ``most`` pieces wait. It holds up the end of the
    process only for what is to be done soon, and no longer than ``ENDING`` seconds.
    """

    ENDING = 5.0

    def __init__(
        self, name: str, *, most: int = 1000, on_failure: Callable[[str], None] = lambda _: None, rest: float = REST
    ) -> None:
        self._name, self._most, self._on_failure, self._rest = name, most, on_failure, rest
        self._jobs: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._due: dict[Callable[[], None], float] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._busy = self._closed = self._ends_late = False
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
            self._begin()
            self._jobs.append((future, partial(work, *args, **kwargs)))
            self._changed.notify_all()
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
                self._begin()
            except NoThread:
                return False
            self._due[work] = min(moment, self._due.get(work, moment))
            if not self._ends_late:
                self._ends_late = True
                atexit.register(self._at_exit)
            self._changed.notify_all()
            return True

    def flush(self, within: float | None = None) -> bool:
        """Do now what is to be done soon; False if anything is not done ``within`` seconds (None = as long as it takes)."""
        with self._changed:
            self._in_a_hurry += 1
            self._changed.notify_all()
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
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(max(0.0, within))
        return thread is None or not thread.is_alive()

    def _at_exit(self) -> None:
        self.close(self.ENDING)

    def _begin(self) -> None:
        if self._closed:
            raise NoThread(f"the thread {self._name} was closed")
        if self._thread is None:
            thread = threading.Thread(target=self._serve, name=f"hookclaw-{self._name}", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                raise NoThread(f"no thread for it: {error}; see the limits of processes and memory") from error
            self._thread = thread

    def _serve(self) -> None:
        while (job := self._next()) is not None:
            future, work = job
            if future.set_running_or_notify_cancel():
                try:
                    result = work()
                except (
                    BaseException
                ) as error:  # of whatever kind: the future raises it, and the thread does the next work
                    future.set_exception(error)
                else:
                    future.set_result(result)
            del job, future, work
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _next(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        """Wait for the next piece of work; None at the end."""
        with self._changed:
            while not self._jobs:
                work, moment = min(self._due.items(), key=lambda item: item[1], default=(None, 0.0))
                wait = moment - monotonic()
                if work is not None and (wait <= 0 or self._closed or self._in_a_hurry):
                    del self._due[work]
                    future: Future[Any] = Future()
                    future.add_done_callback(self._report)
                    self._jobs.append((future, work))
                elif work is None and self._closed:
                    return None
                elif not self._changed.wait(self._rest if work is None else wait) and not (self._jobs or self._due):
                    self._thread = None
                    return None
            self._busy = True
            return self._jobs.popleft()

    def _report(self, future: Future[Any]) -> None:
        error = None if future.cancelled() else future.exception()
        if error is not None:
            log.warning("hookclaw: %s failed: %s", self._name, error or type(error).__name__, exc_info=error)
            self._on_failure(self._name)
