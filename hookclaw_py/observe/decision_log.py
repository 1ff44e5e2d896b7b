"""Writes decisions behind the reply, by a thread of its own and a few at a time: a prompt never waits for that.

A crash loses the last tenth of a second of stories; what was *injected* is an event, written before the reply.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from hookclaw_py.model.types import Injection, Prompt
from hookclaw_py.store import decisions
from hookclaw_py.store.decisions import Fresh
from hookclaw_py.store.ports import Decisions
from hookclaw_py.trace import Trace

_PAUSE = 0.1  # seconds in which decisions gather before they are written, so that the reply has the processor
_BREATH = 0.001  # seconds between two stories: a prompt that came meanwhile goes first
_CLOSING = 10.0  # seconds that ``close`` gives to a write; one that hangs is left behind
_WAITING = 500  # decisions that may wait while another process holds the database


class DecisionLog:
    """Writes decisions behind the reply. ``add`` never waits and never raises; ``lost`` counts what was not written.

    What the store does not take now (another process holds it, the disk is full) is tried again with the next decision.
    """

    def __init__(self, store: Decisions) -> None:
        self.lost = 0
        self._store = store
        self._waiting: list[Fresh] = []
        self._changed = threading.Condition()
        self._writing = self._closed = False
        self._hurry = threading.Event()
        self._background = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hookclaw-history")

    def add(self, prompt: Prompt, injection: Injection, *, ms: float, as_of: bool, fingerprint: str) -> None:
        """Remember a decision; one of the same id is replaced."""
        with self._changed:
            if self._closed or len(self._waiting) >= _WAITING:
                self.lost += 1
                return
            self._waiting.append(Fresh(prompt, injection, ms, as_of, fingerprint))
            self._start()

    def flush(self, timeout: float | None = None) -> None:
        """Wait until everything is written, at most ``timeout`` seconds."""
        self._hurry.set()
        with self._changed:
            self._changed.wait_for(lambda: not self._writing, timeout)
        self._hurry.clear()

    def close(self) -> None:
        """Write what waits, and end; a closed log adds nothing."""
        with self._changed:
            self._closed = True
            self._start()
        self.flush(_CLOSING)
        with self._changed:
            hangs = self._writing
        self._background.shutdown(wait=not hangs)

    def _start(self) -> None:
        if self._waiting and not self._writing:
            try:
                self._background.submit(self._write_all)
                self._writing = True
            except RuntimeError:  # the interpreter ends, or gives no more threads
                self.lost += len(self._waiting)
                self._waiting = []

    def _write_all(self) -> None:
        while True:
            self._hurry.wait(_PAUSE)
            with self._changed:
                batch, self._waiting = self._waiting, []
                if not batch:
                    self._writing = False
                    self._changed.notify_all()
                    return
            trace = Trace(timeout_ms=0, strict=False)
            written = trace.attempt("history", None, self._write, batch, trace)
            with self._changed:
                if written is None and not self._closed:
                    waiting = [*batch, *self._waiting]
                    self._waiting = waiting[-_WAITING:]
                    self.lost += len(waiting) - len(self._waiting)
                    self._writing = False
                    self._changed.notify_all()
                    return
                self.lost += len(batch) - (written or 0)

    def _write(self, batch: Sequence[Fresh], trace: Trace) -> int:
        told = []
        for fresh in batch:
            if one := trace.attempt("history", None, decisions.told, fresh):
                told.append(one)
            self._hurry.wait(_BREATH)
        pools = ((*one.injection.candidates, *one.injection.rejected) for one in batch)
        chunks = {candidate.chunk.id: candidate.chunk for pool in pools for candidate in pool}
        self._store.add_decisions(told, about=list(chunks.values()), most=decisions.KEPT)
        return len(told)
