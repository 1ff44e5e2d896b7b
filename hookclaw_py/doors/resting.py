"""Resting: an engine that nobody asked for a while is closed, and opened again by the next who needs it.

What cannot be made anew of the store goes on with it: what was counted since the process began, and what is dear to make.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from hookclaw_py.errors import HookclawError
from hookclaw_py.heaps import give_back
from hookclaw_py.trace import Trace
from hookclaw_py.workers import NoThread, Worker

if TYPE_CHECKING:
    from hookclaw_py.engine import Engine
    from hookclaw_py.indexing import AsLeft
    from hookclaw_py.observe.metrics import SinceStart
    from hookclaw_py.observe.status import Status

IDLE = 300.0
"""Seconds after which an engine that nobody asked is closed."""
MOST_OPEN = 3
"""Engines of a process that stay open until then, those that were asked last."""
LARGEST = 10_000
"""Passages of an engine that rests: to open a larger one again takes longer than a prompt may wait."""


class NotReady(HookclawError):
    """An agent's memory cannot be asked now; the message says why."""


class Handover(NamedTuple):
    """What a closed engine left to the next one. What could not be read of it is None."""

    known: AsLeft | None
    counted: SinceStart
    status: Status | None


class Roster:
    """Which engines of a process are open, in the order in which they were asked. Safe to use from threads."""

    def __init__(self, *, most: int = MOST_OPEN, idle: float = IDLE, largest: int = LARGEST) -> None:
        self.largest = largest
        self._most, self._idle = most, idle
        self._asked: OrderedDict[OnCall, float] = OrderedDict()
        self._changing = threading.Lock()
        self._worker = Worker("rest")

    def asked(self, one: OnCall) -> None:
        """Hear that somebody asked it just now."""
        with self._changing:
            self._asked[one] = monotonic()
            self._asked.move_to_end(one)
            crowded = len(self._asked) > self._most
        self._worker.soon(self._let_rest, 0.0 if crowded else self._idle)

    def spare(self, one: OnCall) -> None:
        """Hear that it was opened although nobody asked: unless somebody has meanwhile, it rests as soon as it can."""
        with self._changing:
            if one not in self._asked:
                self._back(one, -self._idle)
        self._worker.soon(self._let_rest)

    def forget(self, one: OnCall) -> None:
        """Hear that it is no more."""
        with self._changing:
            self._asked.pop(one, None)

    def close(self) -> None:
        """Let none rest any more."""
        self._worker.close(0, drop=True)

    def _back(self, one: OnCall, since: float) -> None:
        self._asked.setdefault(one, since)
        self._asked.move_to_end(one, last=False)

    def _let_rest(self) -> None:
        """Close those that nobody asked for a while, and more where there are too many; who is in use, or may not rest, is passed over."""
        with self._changing:
            known = list(self._asked.items())
        over, closed, kept = len(known) - self._most, False, list[tuple[OnCall, float]]()
        for one, since in known:
            if over <= 0 and monotonic() - since < self._idle:
                break
            over -= 1
            with self._changing:
                if self._asked.get(one) != since:
                    continue
                del self._asked[one]
            if one.rest():
                closed = True
            else:
                kept.append((one, since))
        with self._changing:
            for one, since in reversed(kept):
                if one not in self._asked:
                    self._back(one, since)
            left = [since + self._idle - monotonic() for since in self._asked.values()]
        if closed:
            give_back()
        if left:
            self._worker.soon(self._let_rest, min((wait for wait in left if wait > 0), default=self._idle))


class OnCall:
    """One agent's engine: opened at once, and whenever somebody needs it again. Safe to use from threads."""

    def __init__(
        self,
        agent_id: str,
        opening: Callable[[], Engine],
        *,
        opener: Worker,
        roster: Roster,
        told: Callable[[str], None],
        changed: Callable[[], None],
    ) -> None:
        """Have ``opener`` open it first. ``told`` hears each time what keeps it from being opened, "" if nothing does.

        ``changed`` hears that others changed its store while it rested.
        """
        self._agent_id, self._opening, self._roster = agent_id, opening, roster
        self._told, self._heed = told, changed
        self._changing = threading.Condition()
        self._users, self._gone, self._late = 0, False, False
        self._left: Future[Handover] | None = None  # while it rests
        self.was_opened = False
        """Whether it was open once."""
        self.status: Status | None = None
        """What was known of it when it was closed last; None before."""
        self._engine: Future[Engine] = opener.submit(self._first)

    @property
    def failed(self) -> bool:
        """Say whether it could not be opened at all; the next attempt needs another one."""
        return self._engine.done() and not self.was_opened

    @property
    def rests(self) -> bool:
        """Say whether it is closed until somebody needs it."""
        return self._left is not None

    @contextmanager
    def using(self, *, timeout: float | None, asked: bool) -> Iterator[Engine]:
        """Give the engine, kept open meanwhile; ``asked`` says that somebody does who may ask again soon.

        Raises:
            NotReady: if it is not open within ``timeout`` seconds, or cannot be opened.
        """
        with self._changing:
            if self._gone:
                raise NotReady(f"the memory of agent {self._agent_id} was closed")
            found = self._awake()
            self._users += 1
        try:
            yield self._result(found, timeout)
        finally:
            self._left_by_one(asked=asked)

    @contextmanager
    def looking(self) -> Iterator[Engine | None]:
        """Give the engine, kept open meanwhile, if it is open; None otherwise."""
        with self._changing:
            is_open = self.was_opened and self._left is None and self._engine.done() and not self._gone
            found = self._engine if is_open else None
            self._users += 1
        try:
            yield found.result() if found is not None else None
        finally:
            self._released()

    def opened(self) -> Future[Engine]:
        """Return the engine on its way, called if it rests.

        Raises:
            NotReady: if there is no thread for that.
        """
        with self._changing:
            found = self._awake()
        self._roster.asked(self)
        return found

    def rest(self) -> bool:
        """Close the engine, unless it is, until somebody needs it; False if somebody uses it, or it may not rest."""
        with self._changing:
            if self._gone or self._left is not None or self.failed:
                return True
            if self._users or not self._engine.done():
                return False
            engine = self._engine.result()
            if not _may_rest(engine, self._roster.largest):
                return False
            left: Future[Handover] = Future()
            self._left, self._engine = left, Future()
        trace = Trace(timeout_ms=0, strict=False)
        known = trace.attempt("rest", None, engine.indexing.known)
        self.status = trace.attempt("rest", self.status, engine.status)
        try:
            engine.close()
        finally:
            left.set_result(Handover(known, engine.metrics.since_start(), self.status))
        return True

    def cancel(self) -> None:
        """Let nobody wait any more for what is to be opened first."""
        if not self.was_opened:
            self._engine.cancel()

    def close(self, within: float) -> bool:
        """Close the engine for good when nobody uses it any more; False if that took longer than ``within`` seconds: who uses it last closes it."""
        until = monotonic() + within
        with self._changing:
            self._gone = True
            self._late = not self._changing.wait_for(lambda: not self._users, max(0.0, within))
        self._roster.forget(self)
        return not self._late and self._end(until)

    def _end(self, until: float) -> bool:
        """Close the engine; False if it still rests then, which closes it as well."""
        if self._left is not None:
            try:
                self._left.result(max(0.0, until - monotonic()))
            except FutureTimeout:
                return False
        elif self.was_opened and self._engine.done():
            self._engine.result().close()
        elif self.was_opened:
            self._engine.add_done_callback(_close)  # on the thread that has just opened it
        return True

    def _first(self) -> Engine:
        engine, _ = self._open(None)
        with self._changing:
            self.was_opened = not self._gone
        if not self.was_opened:  # it was closed for good meanwhile
            engine.close()
            raise NotReady(f"the memory of agent {self._agent_id} was closed")
        self._roster.asked(self)
        return engine

    def _awake(self) -> Future[Engine]:
        """Have it opened if it rests, on a thread of its own: what is opened for others holds up no prompt."""
        if self._left is not None:
            try:
                self._engine = Worker("open").submit(self._again, self._left)
            except NoThread as error:
                raise NotReady(str(error)) from error
            self._left = None
            self._users += 1  # whoever closes it for good waits for it
        return self._engine

    def _again(self, left: Future[Handover]) -> Engine:
        """Open it as it was left; where that fails who waits is told, and the next one tries again."""
        with ExitStack() as after:
            after.callback(self._left_by_one, asked=False)
            after.callback(self._rest_on, left)
            engine, unchanged = self._open(left.result())
            after.pop_all()
        self._left_by_one(asked=False)
        if not unchanged:
            self._heed()
        return engine

    def _open(self, left: Handover | None) -> tuple[Engine, bool]:
        """Open it, to go on from what another engine ``left``; say whether the store is as it was then."""
        try:
            engine = self._opening()
            unchanged = _goes_on(engine, left)
        except HookclawError as error:
            self._told(str(error))
            raise
        self._told("")
        return engine, unchanged

    def _rest_on(self, left: Future[Handover]) -> None:
        with self._changing:
            self._left = left

    def _result(self, found: Future[Engine], timeout: float | None) -> Engine:
        try:
            return found.result(timeout)
        except FutureTimeout:
            raise NotReady(f"the memory of agent {self._agent_id} is still being opened") from None
        except CancelledError:
            raise NotReady("the process is ending") from None
        except HookclawError as error:
            raise NotReady(str(error)) from error

    def _left_by_one(self, *, asked: bool) -> None:
        self._released()
        if not self._gone:
            (self._roster.asked if asked else self._roster.spare)(self)

    def _released(self) -> None:
        with self._changing:
            self._users -= 1
            self._changing.notify_all()
            last = self._late and not self._users
        if last:
            self._end(monotonic())


def _close(opened: Future[Engine]) -> None:
    if not opened.cancelled() and opened.exception() is None:
        opened.result().close()


def _goes_on(engine: Engine, left: Handover | None) -> bool:
    """Bring an engine up to its store, or close it where that fails; say whether the store is as another one ``left`` it."""
    with ExitStack() as closing:
        closing.callback(engine.close)
        unchanged = left is not None and left.known is not None and engine.indexing.go_on(left.known)
        engine.catch_up()
        closing.pop_all()
    if left is not None:
        engine.metrics.go_on(left.counted)
    return unchanged


def _may_rest(engine: Engine, largest: int) -> bool:
    """Say whether an engine can be opened again in time and as it was: nothing hangs in it, and nothing that failed waits to be tried again."""
    indexing = engine.indexing
    return engine.store.lasting and indexing.settled and not engine.left_behind and indexing.size <= largest
