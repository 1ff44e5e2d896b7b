"""Time, faults and deadlines of one recall: the only broad ``except`` of the package is here."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as FutureTimeout
from time import perf_counter
from typing import ParamSpec, TypeVar

from hookclaw_py.errors import DeadlineExceeded
from hookclaw_py.types import Fault

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("hookclaw")


class Deadline:
    """The moment by which a recall must have answered.

    Work that can be interrupted registers ``on_cancel``; whoever waits calls ``cancel`` when the time is up, so that
    nothing keeps running afterwards.
    """

    def __init__(self, timeout_ms: float) -> None:
        self._at = perf_counter() + timeout_ms / 1000
        self._callbacks: list[Callable[[], None]] = []
        self.cancelled = False

    def remaining(self) -> float:
        """Return the seconds left, never negative."""
        return 0.0 if self.cancelled else max(0.0, self._at - perf_counter())

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` when the deadline is cancelled, at once if it already is."""
        self._callbacks.append(callback)
        if self.cancelled:
            callback()

    def cancel(self) -> None:
        """Interrupt whatever registered itself."""
        self.cancelled = True
        for callback in list(self._callbacks):
            callback()


class Trace:
    """What happened during one recall: milliseconds by stage, and a ``Fault`` for each stage that failed.

    ``began`` says when each stage began, in milliseconds from here. With ``strict`` a failing stage raises instead:
    evaluation and tests never measure a swallowed bug.
    """

    def __init__(self, *, timeout_ms: float, strict: bool) -> None:
        self.deadline = Deadline(timeout_ms)
        self.strict = strict
        self._started = perf_counter()
        self.began: dict[str, float] = {}
        self.timings: dict[str, float] = {}
        self.faults: list[Fault] = []

    def attempt(self, stage: str, fallback: T, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run one stage; when it fails, record a fault and return ``fallback``."""
        started = perf_counter()
        self.began.setdefault(stage, (started - self._started) * 1000)
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            if self.strict:
                raise
            message = str(error) or type(error).__name__
            self.faults.append(Fault(stage, message))
            log.warning("hookclaw: stage %s failed: %s", stage, message, exc_info=log.isEnabledFor(logging.DEBUG))
            return fallback
        finally:
            self.timings[stage] = self.timings.get(stage, 0.0) + (perf_counter() - started) * 1000

    def attempt_together(
        self, fallback: T, calls: Mapping[str, Callable[[Deadline], T]], executor: Executor
    ) -> dict[str, T]:
        """Run several stages side by side; one that fails or misses the deadline gives ``fallback`` and a fault."""
        self.began |= dict.fromkeys(calls, (perf_counter() - self._started) * 1000)
        started = {stage: executor.submit(_timed, call, self.deadline) for stage, call in calls.items()}
        answers: dict[str, T] = {}
        for stage, future in started.items():
            nothing: tuple[T, float | None] = (fallback, None)
            answers[stage], elapsed = self.attempt(stage, nothing, self._collect, future)
            if elapsed is not None:
                self.timings[stage] = elapsed  # the stage's own time, not how long we waited for it
        return answers

    def _collect(self, future: Future[tuple[T, float | None]]) -> tuple[T, float | None]:
        try:
            return future.result(timeout=self.deadline.remaining())
        except FutureTimeout:
            if future.done():  # the stage itself raised a TimeoutError
                raise
            future.cancel()
            self.deadline.cancel()
            raise DeadlineExceeded("no answer before the deadline; raise timeoutMs if this happens often") from None


def _timed(call: Callable[[Deadline], T], deadline: Deadline) -> tuple[T, float | None]:
    started = perf_counter()
    answer = call(deadline)
    return answer, (perf_counter() - started) * 1000
