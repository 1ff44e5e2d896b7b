"""Turns: work of many that has no hurry, a few pieces side by side; what hangs or takes long does not hold up the rest."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import monotonic

from hookclaw_py.threads import CLOCK, SHARED, NoThread, Threads

log = logging.getLogger("hookclaw")

_AGAIN = 1.0  # seconds until work is begun for which there was no thread


class InTurn:
    """Does work in the order in which it came: ``width`` pieces at a time, and one more for each that takes over ``patience`` seconds."""

    def __init__(self, name: str, *, width: int, patience: float, threads: Threads | None = None) -> None:
        self._name, self._width, self._patience, self._threads = name, width, patience, threads or SHARED
        self._waiting: deque[Callable[[], None]] = deque()
        self._begun: dict[object, float] = {}
        self._changed = threading.Lock()
        self._closed = self._timed = False

    def put(self, work: Callable[[], None]) -> None:
        """Have ``work``, which raises nothing, done when its turn comes; dropped if they are closed before."""
        with self._changed:
            if not self._closed:
                self._waiting.append(work)
        self._begin()

    def close(self) -> None:
        """Begin no more."""
        with self._changed:
            self._closed = True
            self._waiting.clear()

    def _begin(self) -> None:
        """Begin what may be begun now, and see to it that the rest is later."""
        with self._changed:
            now = monotonic()
            try:
                while self._waiting:
                    recent = [begun for begun in self._begun.values() if now - begun < self._patience]
                    if len(recent) >= self._width:
                        self._wake(min(recent) + self._patience)
                        return
                    token = object()
                    self._threads.run(self._name, partial(self._do, token, self._waiting[0]))
                    self._waiting.popleft()
                    self._begun[token] = now
            except NoThread as error:
                log.warning("hookclaw: %s waits: %s", self._name, error)
                with suppress(NoThread):  # otherwise it waits until there is more of it
                    self._wake(now + _AGAIN)

    def _wake(self, moment: float) -> None:
        if not self._timed:
            CLOCK.wake(moment, self._on_time)
            self._timed = True

    def _on_time(self) -> None:
        with self._changed:
            self._timed = False
        self._begin()

    def _do(self, token: object, work: Callable[[], None]) -> Callable[[], None]:
        work()
        with self._changed:
            del self._begun[token]
        return self._begin
