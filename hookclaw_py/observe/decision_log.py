"""Decision log: decisions are written behind the reply, by a thread of its own and a few at a time; no prompt waits for that.

A crash loses the last tenth of a second of stories; what was *injected* is an event, written before the reply.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from hookclaw_py.model.types import Injection, Prompt
from hookclaw_py.store import decisions
from hookclaw_py.store.decisions import Fresh
from hookclaw_py.store.ports import Decisions
from hookclaw_py.trace import Trace
from hookclaw_py.workers import Worker

_PAUSE = 0.1  # seconds in which decisions gather before they are written, so that the reply has the processor
_BREATH = 0.001  # seconds between two stories: a prompt that came meanwhile goes first
_CLOSING = 10.0  # seconds that ``close`` gives to a write; one that hangs is left behind
WAITING = 500
"""Decisions that may wait while another process holds the database."""


class DecisionLog:
    """Writes decisions behind the reply. ``add`` never waits and never raises; ``lost`` counts what was not written.

    What the store does not take now (another process holds it, the disk is full) is tried again with the next decision;
    ``waiting`` of them at most. The newest ``kept`` stay. Of a prompt off the record nothing is written.
    """

    def __init__(
        self,
        store: Decisions,
        *,
        on_failure: Callable[[str], None] = lambda _: None,
        kept: int = decisions.KEPT,
        waiting: int = WAITING,
    ) -> None:
        self.lost = 0
        self._kept, self._most_waiting = kept, waiting
        self._on_failure = on_failure
        self._store = store
        self._waiting: list[Fresh] = []
        self._adding = threading.Lock()
        self._closed = False
        self._hurry = threading.Event()
        self._worker = Worker("history", on_failure=on_failure)

    def add(self, prompt: Prompt, injection: Injection, *, ms: float, as_of: bool, fingerprint: str) -> None:
        """Remember a decision; one of the same id is replaced."""
        if prompt.off_record:
            return
        with self._adding:
            if self._closed or len(self._waiting) >= self._most_waiting:
                self.lost += 1
                return
            self._waiting.append(Fresh(prompt, injection, ms, as_of, fingerprint))
        self._start()

    def flush(self, timeout: float | None = None) -> None:
        """Wait until everything is written, at most ``timeout`` seconds."""
        self._hurry.set()
        self._worker.flush(timeout)
        self._hurry.clear()

    def close(self) -> None:
        """Write what waits, and end; a closed log adds nothing."""
        with self._adding:
            self._closed = True
        self._start()
        self._hurry.set()
        self._worker.close(_CLOSING)

    def _start(self) -> None:
        if self._waiting and not self._worker.soon(self._write_all, _PAUSE):
            with self._adding:  # the process ends, or gets no more threads
                self.lost += len(self._waiting)
                self._waiting = []

    def _write_all(self) -> None:
        with self._adding:
            batch, self._waiting = self._waiting, []
        trace = Trace(timeout_ms=0, strict=False)
        written = trace.attempt("history", None, self._write, batch, trace)
        for fault in trace.faults:
            self._on_failure(fault.stage)
        with self._adding:
            if written is None and not self._closed:
                waiting = [*batch, *self._waiting]
                self._waiting = waiting[-self._most_waiting :]
                self.lost += len(waiting) - len(self._waiting)
            else:
                self.lost += len(batch) - (written or 0)

    def _write(self, batch: Sequence[Fresh], trace: Trace) -> int:
        told = []
        for fresh in batch:
            if one := trace.attempt("history", None, decisions.told, fresh):
                told.append(one)
            self._hurry.wait(_BREATH)
        pools = ((*one.injection.candidates, *one.injection.rejected) for one in batch)
        chunks = {candidate.chunk.id: candidate.chunk for pool in pools for candidate in pool}
        self._store.add_decisions(told, about=list(chunks.values()), most=self._kept)
        return len(told)
