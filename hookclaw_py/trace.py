"""Time, faults and deadlines of one recall: the only broad ``except`` of the package is here."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from time import monotonic, perf_counter
from typing import ParamSpec, TypeVar

from hookclaw_py.errors import AwayError, DeadlineExceeded
from hookclaw_py.model.types import Fault
from hookclaw_py.workers import NoThread, Workers

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("hookclaw")

SEARCHING = 0.75
"""Share of its whole time that a recall gives its searches: a half that is late leaves enough to use the other one."""
HURRIED = 0.25
"""Share of the configured time with less of which a half can hardly answer: a caller may wait less long than is configured."""
READING = 0.9
"""Share of it until which what was found is read."""
AGAIN = 0.4
"""Share of it until which a search begins that only may be worth it: it takes as long as the one before, and that has answered."""
RESERVE, MOST_RESERVE = 0.05, 0.01
"""Share of its time, and at most so many seconds, that are kept for giving the answer: that takes a moment, too."""
_BEHIND = DeadlineExceeded("not done in time; it goes on behind the answer")


class Deadline:
    """The moment by which a recall must have answered: ``timeout_ms`` after ``since``, the moment of the host's request.

    Moments are those of ``time.monotonic``; without ``since`` it is now, and 0 milliseconds are no time at all. Work that
    can be interrupted registers ``on_cancel``; whoever waits calls ``cancel`` when the time is up, so that nothing keeps
    running afterwards.
    """

    def __init__(self, timeout_ms: float, *, since: float | None = None) -> None:
        self.began = monotonic() if since is None else since
        self.at = self.began + timeout_ms / 1000
        self.reserve = min(MOST_RESERVE, RESERVE * timeout_ms / 1000)
        self._callbacks: list[Callable[[], None]] = []
        self.cancelled = False

    def remaining(self) -> float:
        """Return the seconds left, never negative."""
        return 0.0 if self.cancelled else max(0.0, self.at - monotonic())

    def has_passed(self, share: float) -> bool:
        """Say whether ``share`` of the whole time is over."""
        return monotonic() - self.began >= (self.at - self.began) * share

    def part(self, share: float) -> Deadline:
        """Return one that ends when ``share`` of the whole time is over, cancelled with this one."""
        part = Deadline((self.at - self.began) * 1000 * share, since=self.began)
        self.on_cancel(part.cancel)
        return part

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
    evaluation and tests never measure a swallowed bug. When its deadline is cancelled nobody waits for the work any
    more, and it ends at its next stage.
    """

    def __init__(self, *, timeout_ms: float, strict: bool, since: float | None = None) -> None:
        self.deadline = Deadline(timeout_ms, since=since)
        self.strict = strict
        self._started = perf_counter()
        self._stage = ""  # the innermost under way
        self.began: dict[str, float] = {}
        self.timings: dict[str, float] = {}
        self.faults: list[Fault] = []

    def beyond(self) -> Trace:
        """Return the trace of what is done all the same when this one's work was given up; both see what either notes."""
        other = Trace(timeout_ms=0, strict=self.strict)
        if not self.deadline.cancelled:
            other.deadline = Deadline((self.deadline.at - self.deadline.began) * 1000, since=self.deadline.began)
        else:
            other.deadline = Deadline(math.inf)
        other._started, other.began, other.timings, other.faults = self._started, self.began, self.timings, self.faults
        return other

    def attempt(self, stage: str, fallback: T, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run one stage; when it fails, record a fault and return ``fallback``."""
        if self.deadline.cancelled:
            raise DeadlineExceeded("nobody waits for this any more")
        started = perf_counter()
        self.began.setdefault(stage, (started - self._started) * 1000)
        before, self._stage = self._stage, stage
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            if self.strict or self.deadline.cancelled:
                raise
            self.fault(stage, error)
            return fallback
        finally:
            self._stage = before
            self.timings[stage] = self.timings.get(stage, 0.0) + (perf_counter() - started) * 1000

    def attempt_in_time(
        self,
        stage: str,
        fallback: T,
        fn: Callable[[], T],
        workers: Workers,
        *,
        at_most: float = math.inf,
        finish: bool = False,
    ) -> T:
        """Run a stage, and those within it, on another thread; wait until the deadline, or ``at_most`` seconds.

        When it is late, the fault names the innermost stage under way. The work is then given up, or with ``finish`` goes
        on behind the answer. Where there is no other thread it is done on this one.
        """

        def wait() -> T:
            try:
                task = workers.start(stage, fn)
            except NoThread as error:
                self.fault("threads", error)
                return fn()
            try:
                return task.wait(min(at_most, self.deadline.remaining() - self.deadline.reserve))
            except DeadlineExceeded as late:
                if self.strict or not task.left:
                    raise
                self.fault(self._stage, _BEHIND if finish else late)
                if not finish:
                    self.deadline.cancel()
                return fallback

        return self.attempt(stage, fallback, wait)

    def attempt_together(
        self,
        fallback: T,
        calls: Sequence[tuple[str, Callable[[Deadline], T]]],
        workers: Workers,
        *,
        share: float = SEARCHING,
    ) -> list[T]:
        """Run several stages side by side, each called by its name; one that fails or is late gives ``fallback`` and a fault.

        Late is what has no answer when this ``share`` of the time is over. Those of one name are parts of one stage, which takes
        as long as the longest.
        """
        nothing: tuple[T, float | None] = (fallback, None)
        until, began = self.deadline.part(share), (perf_counter() - self._started) * 1000
        self.began |= {stage: began for stage, _ in calls}
        waits = [(stage, self.attempt(stage, None, self._begin, stage, call, until, workers)) for stage, call in calls]
        answers, took = list[T](), dict[str, float]()
        for stage, wait in waits:
            answer, elapsed = self.attempt(stage, nothing, wait) if wait else nothing
            answers.append(answer)
            if elapsed is not None:
                took[stage] = max(elapsed, took.get(stage, 0.0))
        self.timings |= took  # a stage's own time, not how long we waited for it
        return answers

    def _begin(
        self, stage: str, call: Callable[[Deadline], T], until: Deadline, workers: Workers
    ) -> Callable[[], tuple[T, float | None]]:
        """Begin a search; return how to wait for its answer and the milliseconds it took."""

        def work() -> tuple[T, float | None]:
            started = perf_counter()
            answer = call(until)
            return answer, (perf_counter() - started) * 1000

        try:
            task = workers.start(stage, work)
        except NoThread as error:
            self.fault("threads", error)
            return work

        def wait() -> tuple[T, float | None]:
            try:
                return task.wait(until.remaining())
            finally:
                if task.left:
                    until.cancel()

        return wait

    def fault(self, stage: str, error: Exception) -> None:
        """Note that a stage failed."""
        message = str(error) or type(error).__name__
        fault = Fault(stage, message)
        if fault not in self.faults:
            self.faults.append(fault)
        level = logging.DEBUG if _is_told(error) else logging.WARNING
        log.log(level, "hookclaw: stage %s failed: %s", stage, message, exc_info=log.isEnabledFor(logging.DEBUG))


def _is_told(error: BaseException | None) -> bool:
    """Say whether an error is, or comes from, a server's being away, which is in the log already."""
    return error is not None and (isinstance(error, AwayError) or _is_told(error.__cause__))
