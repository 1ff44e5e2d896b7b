"""Processing: takes what was captured from the queue, session by session, and hands it to whoever makes memories of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from hookclaw_py.model.happening import Happening
from hookclaw_py.store.ports import Work
from hookclaw_py.store.sessions import Happenings
from hookclaw_py.store.values import Lease
from hookclaw_py.trace import Trace

Process = Callable[[Sequence[Happening]], None]
"""Makes memories of happenings of one session, in their order. It runs in one unit of the store: all of it, or nothing."""

WAITS = (timedelta(seconds=2), timedelta(seconds=4))
"""How long something that failed waits for its next try; after the last one it has failed for good."""

UNANSWERED = timedelta(days=1)
"""How long the words of a turn are kept at least that has no answer yet."""

AT_ONCE = 50
"""Happenings in one unit: other writers wait meanwhile."""


class Queue(Happenings, Work, Protocol):
    """What a processor needs of a store."""


class Processed(NamedTuple):
    """How much was worked on: leases that were taken back from the dead, happenings done, and leases that failed."""

    recovered: int = 0
    done: int = 0
    failed: int = 0


class Processor:
    """Works off one agent's queue. Several may: each takes another session."""

    def __init__(
        self, store: Queue, process: Process, *, stuck: timedelta, keep: timedelta, on_failure: Callable[[str], None]
    ) -> None:
        self._store, self._process, self.stuck, self._keep = store, process, stuck, keep
        self._on_failure = on_failure

    def run(self, clock: Callable[[], datetime], *, should_stop: Callable[[], bool] = lambda: False) -> Processed:
        """Take back what is stuck, work off what is due, and let old payloads go.

        Raises:
            StoreError: if the store cannot be read or written.
        """
        recovered = self._store.recover(now=clock(), stuck=self.stuck, waits=WAITS)
        done = failed = 0
        while not should_stop():
            lease = self._store.lease(now=clock(), most=AT_ONCE)
            if lease is None:
                now = clock()
                self._store.expire(before=now - self._keep, unanswered=now - max(self._keep, UNANSWERED))
                break
            trace = Trace(timeout_ms=0, strict=False)
            if trace.attempt("consolidate", False, self._work_on, lease):
                done += len(lease.happenings)
            else:
                failed += 1
                self._on_failure("consolidate")
                self._store.fail(lease, trace.faults[-1].error, now=clock(), waits=WAITS)
        return Processed(recovered, done, failed)

    def _work_on(self, lease: Lease) -> bool:
        with self._store.together():
            self._process(lease.happenings)
            self._store.done(lease)
        return True
