"""Threads for work that may hang: whoever asks waits as long as it has time, then leaves the work behind and goes on.

A read from a disk that is away cannot be interrupted, only left behind. What was left behind is counted until it
returns, and while too much of a kind is, no more of that kind is begun: hung threads do not pile up.
"""

from __future__ import annotations

import logging
import threading
from _thread import allocate_lock
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import SimpleQueue
from time import monotonic
from typing import Any, Generic, TypeVar

from hookclaw_py.errors import DeadlineExceeded, HookclawError

T = TypeVar("T")

log = logging.getLogger("hookclaw")

MOST_LEFT_BEHIND = 8
"""Pieces of work of one kind that may hang at a time; a kind is the name of a stage."""


class Crowded(HookclawError):
    """Too much of this kind was left behind and hangs still."""


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
        except BaseException as error:
            self._error = error
            if self.left and not isinstance(error, DeadlineExceeded):
                log.warning("hookclaw: %s failed after the deadline: %s", self.name, error or type(error).__name__)
        self._work = None

    def release(self) -> None:
        """Let the one who waits go on."""
        self._done.release()


class Workers:
    """A thread for each piece of work under way, kept for the next; none of them holds up the end of the process."""

    def __init__(self, name: str, *, on_left: Callable[[str], None] = lambda _: None) -> None:
        """Name the threads; ``on_left`` hears the kind of whatever is left behind."""
        self._name, self._on_left = name, on_left
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
        while (task := self._tasks.get()) is not None:
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
