"""Threads: those that all engines of a process share, and the clock that wakes what they do later."""

from __future__ import annotations

import heapq
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from queue import Empty, SimpleQueue
from time import monotonic

from hookclaw_py.errors import HookclawError

REST = 60.0
"""Seconds without work after which a thread ends; the next work begins another."""
MOST_IDLE = 6
"""Threads without work that are kept at a time, as many as a recall keeps busy; what a burst began beyond these ends with it."""
_IDLE = "hookclaw-idle"
Afterwards = Callable[[], None] | None


class NoThread(HookclawError):
    """The system gives this process no more threads."""


class Threads:
    """The threads of a process: one for each piece of work under way, kept a while for the next; none holds up its end."""

    def __init__(self, rest: float = REST) -> None:
        self._rest = rest
        self.forget()

    def forget(self) -> None:
        """Begin anew without any: a forked process has none of those that its parent had."""
        self._work: SimpleQueue[tuple[str, Callable[[], Afterwards]]] = SimpleQueue()
        self._changing = threading.Lock()
        self._idle = 0

    def run(self, name: str, work: Callable[[], Afterwards]) -> None:
        """Have ``work``, which raises nothing, done now by a thread called ``name`` meanwhile.

        What it returns is called when the thread is free again: who is told there that it is done finds this thread for more.

        Raises:
            NoThread: if the system gives no more threads.
        """
        with self._changing:
            if self._idle:
                self._idle -= 1
            else:
                self._add()
        self._work.put((name, work))

    def _add(self) -> None:
        try:
            threading.Thread(target=self._serve, name=_IDLE, daemon=True).start()
        except RuntimeError as error:
            raise NoThread(f"no thread for it: {error}; see the limits of processes and memory") from error

    def _keep_a_spare(self) -> None:
        """Have a thread ready for the next work: to start one takes long on a busy machine, and nobody waits for it here."""
        with self._changing, suppress(NoThread):
            if not self._idle:
                self._add()
                self._idle += 1

    def _serve(self) -> None:
        me = threading.current_thread()
        while (found := self._next()) is not None:
            self._keep_a_spare()
            me.name, work = f"hookclaw-{found[0]}", found[1]
            del found
            afterwards = work()
            me.name = _IDLE
            with self._changing:
                stays = self._idle < MOST_IDLE
                self._idle += stays
            if afterwards is not None:
                afterwards()
            if not stays:
                return
            del work, afterwards  # an answer is not kept until the next one comes

    def _next(self) -> tuple[str, Callable[[], Afterwards]] | None:
        """Wait for the next piece of work; None when there was none for a while."""
        while True:
            try:
                return self._work.get(timeout=self._rest)
            except Empty:
                with self._changing:
                    if self._idle:  # otherwise work is on its way to this thread
                        self._idle -= 1
                        return None


class Clock:
    """One thread that wakes what is to be done later."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew, with nothing to wake."""
        self._changed = threading.Condition()
        self._wakings: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()
        self._runs = False

    def wake(self, moment: float, what: Callable[[], None]) -> None:
        """Call ``what``, which takes no time and raises nothing, at ``moment`` of the monotonic clock.

        Raises:
            NoThread: if the system gives no more threads.
        """
        with self._changed:
            if not self._runs:
                SHARED.run("clock", self._serve)
                self._runs = True
            heapq.heappush(self._wakings, (moment, next(self._numbers), what))
            self._changed.notify_all()

    def _serve(self) -> None:
        while True:
            with self._changed:
                while not self._wakings or (wait := self._wakings[0][0] - monotonic()) > 0:
                    if not self._changed.wait(min(wait, REST) if self._wakings else REST) and not self._wakings:
                        self._runs = False
                        return
                _, _, what = heapq.heappop(self._wakings)
            what()


SHARED, CLOCK = Threads(), Clock()
os.register_at_fork(after_in_child=SHARED.forget)
os.register_at_fork(after_in_child=CLOCK.forget)
