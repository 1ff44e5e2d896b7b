"""Metrics: counts what the engine does.

A decision is counted in two halves. On its way out a recall only leaves its ``Injection`` here (some microseconds); a
thread behind it takes decisions apart (``hookclaw_py.observe.counting``) and adds them to the store's counters, at most a second
later. So numbers survive a restart, several processes add up in one store, and a killed process loses a second.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from hookclaw_py.errors import HookclawError, StoreError
from hookclaw_py.model.types import Chunk, Injection, Outcome, Prompt
from hookclaw_py.observe import counting
from hookclaw_py.observe.log_lines import top_score
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.values import Key
from hookclaw_py.trace import Trace
from hookclaw_py.workers import Worker

log = logging.getLogger("hookclaw")

EVERY = 100
WINDOW = 1000
FLUSH_SECONDS = 1.0
BUSY_SECONDS = 0.05  # for another writer, and prompts wait with it; after that the next flush tries again
CLOSING_SECONDS = 5.0
AT_MOST_WAITING = 256  # decisions that are not taken apart yet, where no thread does it


class MiscountError(HookclawError):
    """The numbers contradict each other: a prompt was lost or counted twice."""


class Answered(NamedTuple):
    """One answered prompt on its way to the counters. ``ended_ns`` is a Unix time; ``began`` milliseconds by stage."""

    injection: Injection
    elapsed_ms: float
    prompt: Prompt | None
    ended_ns: int
    began: Mapping[str, float]
    context: Any


@dataclass
class SinceStart:
    """What an engine's metrics counted in this process, the last latencies (ms) and top relevances too, and what of it is in the store."""

    calls: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    cached: int = 0
    latencies: deque[float] = field(default_factory=partial(deque, maxlen=WINDOW))
    scores: deque[float] = field(default_factory=partial(deque, maxlen=WINDOW))
    shown: counting.Shown = field(default_factory=counting.Shown)
    saved: dict[Key, float] = field(default_factory=dict)
    unsaved: dict[Key, float] = field(default_factory=dict)


class Spans(Protocol):
    """Shows decisions to a tracing system; see ``hookclaw_py.observe.telemetry``."""

    def context(self) -> Any:
        """Return what a span must know of the thread that asked."""

    def show(self, decision: Answered) -> None:
        """Show one decision."""

    def close(self) -> None:
        """Send what waits."""


class Metrics:
    """One engine's numbers: outcomes since the start, the last thousand latencies (ms) and top relevances, and counters.

    Counters live in ``store``; without one they are this object's own. ``strict`` lets ``close`` raise when they do not
    add up. Safe to use from threads.
    """

    always_strict = False  # as if every engine were strict: for tests

    def __init__(self, store: AgentStore | None = None, *, strict: bool = False, spans: Spans | None = None) -> None:
        self._store, self._strict, self._spans = store, strict, spans
        self._counting, self._flushing = threading.Lock(), threading.RLock()
        self._decisions: deque[Answered] = deque()
        self._others: deque[counting.Tally] = deque()
        self._told: dict[str, Any] = {}
        self._state = "closed"
        self._seen = SinceStart()
        self._ended = False
        in_background = spans is not None or (store is not None and store.lasting)
        self._worker = Worker("metrics") if in_background else None
        self._pause = FLUSH_SECONDS

    # On the way of a prompt: as little as can be

    def record(
        self,
        injection: Injection,
        elapsed_ms: float,
        *,
        prompt: Prompt | None = None,
        began: Mapping[str, float] | None = None,
    ) -> int:
        """Count one recall and return its number, from 1."""
        context = self._spans.context() if self._spans is not None else None
        decision = Answered(injection, elapsed_ms, prompt, time.time_ns(), began or {}, context)
        with self._counting:
            seen = self._seen
            seen.calls += 1
            number = seen.calls
            seen.outcomes[injection.outcome] += 1
            seen.faults.update(fault.stage for fault in injection.faults)
            seen.cached += bool(injection.cached)
            seen.latencies.append(elapsed_ms)
            if injection.candidates:
                seen.scores.append(top_score(injection))
            self._decisions.append(decision)
        self._soon()
        return number

    def settle(self, kinds: Mapping[str, str], chunks: Mapping[str, Chunk]) -> None:
        """Count one ended turn: what became of each chunk it was shown, by id in the order of the block."""
        ranked = ((rank, chunks.get(chunk_id), kind) for rank, (chunk_id, kind) in enumerate(kinds.items(), start=1))
        self._others.extend(
            counting.settled(
                counting.Settled(rank, chunk.kind.name if chunk else counting.OTHER, kind)
                for rank, chunk, kind in ranked
            )
        )
        self._soon()

    def object_to(self, chunk_ids: Collection[str]) -> None:
        """Count the chunks that the user's next message contradicted."""
        if chunk_ids:
            self._others.append((("objected_chunks_total", ()), len(chunk_ids)))
            self._soon()

    def undelivered(self) -> None:
        """Count a block that came too late for its host."""
        self._others.append(counting.UNDELIVERED)
        self._soon()

    def left_behind(self, kind: str) -> None:
        """Count work that hung at a deadline and was left behind."""
        self._others.append(counting.left_behind(kind))
        self._soon()

    def captured(self, kind: str, outcome: str) -> None:
        """Count a host's report by what became of it."""
        self._others.append(counting.captured(kind, outcome))
        self._soon()

    def lost(self, number: int) -> None:
        """Count reports that a host could not keep until they were heard."""
        self._others.append((("capture_lost_total", ()), number))
        self._soon()

    def failed(self, stage: str) -> None:
        """Count a failure behind the answers: what nobody waits for, and no reply tells of."""
        self._others.append((("faults_total", (stage,)), 1))
        self._soon()

    def circuit(self, state: str, at: str) -> None:
        """Count a change of the circuit breaker, and remember its ``state`` since ``at`` (an ISO time)."""
        self._state = state
        self._told = {"circuit": {"state": state, "since": at}}
        self._others.extend(counting.circuit(state))
        self._soon()

    def _soon(self) -> None:
        if self._worker is not None:
            self._worker.soon(self._save, self._pause)
        elif len(self._decisions) >= AT_MOST_WAITING:
            self._take_apart()

    # Behind it

    def _save(self) -> None:
        trace = Trace(timeout_ms=0, strict=False)
        trace.attempt("metrics", None, self.flush)
        self._pause = min(30.0, self._pause * 2) if trace.faults else FLUSH_SECONDS
        if trace.faults and self._worker is not None:
            self._worker.soon(self._save, self._pause)

    def _take_apart(self) -> None:
        with self._flushing:
            while self._decisions:
                decision = self._decisions.popleft()
                self._add(counting.tallies(decision.injection, decision.elapsed_ms))
                if decision.prompt:
                    self._add([counting.heard_by(decision.prompt, decision.injection)])
                session = decision.prompt.session_id if decision.prompt else ""
                self._add(self._seen.shown.tallies(session, decision.injection))
                if self._spans is not None:
                    Trace(timeout_ms=0, strict=False).attempt("spans", None, self._spans.show, decision)
            while self._others:
                self._add([self._others.popleft()])

    def _add(self, news: Iterable[counting.Tally]) -> None:
        _add(self._seen.unsaved, news)

    def flush(self, busy_seconds: float = BUSY_SECONDS) -> None:
        """Add what was counted so far to the store.

        Raises:
            StoreError: if it cannot be written now; nothing is lost, the next flush tries again.
        """
        with self._flushing:
            self._take_apart()
            if self._store is None or not (self._seen.unsaved or self._told):
                return
            told = self._told
            self._store.add_counts(self._seen.unsaved, told=told, busy_seconds=busy_seconds)
            _add(self._seen.saved, self._seen.unsaved.items())
            self._seen.unsaved = {}
            if self._told is told:
                self._told = {}

    def close(self) -> None:
        """Save what is not saved yet, and end. It can be called twice.

        Raises:
            MiscountError: if the engine is strict and the numbers do not add up.
        """
        if self._ended:
            return
        self._ended = True
        if self._worker is not None and not self._worker.close(CLOSING_SECONDS):
            log.warning("hookclaw: the metrics of the last moments are lost: writing them hangs")
            return
        if self._state != "closed":  # nobody's circuit is open when there is no process
            self._told = {"circuit": {"state": "closed", "since": datetime.now(UTC).isoformat()}}
        trace = Trace(timeout_ms=0, strict=False)
        trace.attempt("metrics", None, self.flush, busy_seconds=CLOSING_SECONDS)
        trace = Trace(timeout_ms=0, strict=self._strict or self.always_strict)
        trace.attempt("metrics", None, self.check)
        if self._spans is not None:
            Trace(timeout_ms=0, strict=False).attempt("spans", None, self._spans.close)

    def since_start(self) -> SinceStart:
        """Return what was counted so far; asked of metrics that are closed, which count no more."""
        seen = self._seen  # one whose last writing hangs may still change its own
        return replace(seen, saved=dict(seen.saved), unsaved=dict(seen.unsaved))

    def go_on(self, since: SinceStart) -> None:
        """Count on from there, before any prompt is counted."""
        with self._flushing, self._counting:
            _add(since.saved, self._seen.saved.items())
            _add(since.unsaved, self._seen.unsaved.items())
            self._seen = since

    # Reading

    def totals(self) -> dict[Key, float]:
        """Return every counter of the store, all processes and restarts together, this one's as of now.

        Raises:
            StoreError: if the store cannot be read.
        """
        with self._flushing:
            Trace(timeout_ms=0, strict=False).attempt("metrics", None, self.flush)
            found = self._store.counts() if self._store is not None else {}
            return _add(found, self._seen.unsaved.items())

    def check(self) -> None:
        """See whether every prompt was counted exactly once, here and in the store.

        Raises:
            MiscountError: if not.
        """
        with self._flushing:
            self._take_apart()
            with self._counting:
                calls = self._seen.calls - len(self._decisions)
            mine = prompts(_add(dict(self._seen.saved), self._seen.unsaved.items()))
            _agree("this process", {"calls": calls} | mine)
            if self._store is not None:
                try:
                    stored = self._store.counts()
                except StoreError:
                    return  # a store that cannot be read says so elsewhere
                _agree("the store", prompts(stored))
                if not self._seen.unsaved:
                    missing = max(0.0, mine["outcomes"] - prompts(stored)["outcomes"])
                    _agree("the store", {"missing": missing, "allowed to be missing": 0.0})

    def snapshot(self) -> dict[str, Any]:
        """Return what this process counted since its start, ready for JSON; latencies in milliseconds."""
        with self._counting:
            seen, latencies, scores = self._seen, list(self._seen.latencies), list(self._seen.scores)
            p50, p95 = np.percentile(latencies, [50, 95]).tolist() if latencies else (0.0, 0.0)
            return {
                "calls": seen.calls,
                "outcomes": {str(outcome): count for outcome, count in seen.outcomes.items()},
                "cached": seen.cached,
                "faults": dict(seen.faults),
                "p50_ms": p50,
                "p95_ms": p95,
                "avg_score": sum(scores) / len(scores) if scores else 0.0,
            }

    def log_line(self) -> str:
        """Return the periodic one-line summary."""
        seen = self.snapshot()
        calls = max(seen["calls"], 1)
        return (
            f"hookclaw metrics: {seen['calls']} calls | {seen['outcomes'].get(Outcome.INJECTED, 0) / calls:.0%} inject"
            f" | {seen['cached'] / calls:.0%} cache | p50={seen['p50_ms']:.0f}ms p95={seen['p95_ms']:.0f}ms"
            f" | avg_score={seen['avg_score']:.3f}"
        )


def prompts(counted: Mapping[Key, float]) -> dict[str, float]:
    """Return the number of prompts as each family that counts them has it."""
    outcomes = sum(amount for (name, _), amount in counted.items() if name == "prompts_total")
    timed = sum(amount for (name, _), amount in counted.items() if name == "recall_duration_seconds")
    return {"outcomes": outcomes, "latencies": timed}


def _add(amounts: dict[Key, float], news: Iterable[counting.Tally]) -> dict[Key, float]:
    for key, amount in news:
        amounts[key] = amounts.get(key, 0.0) + amount
    return amounts


def _agree(where: str, numbers: Mapping[str, float]) -> None:
    if len(set(numbers.values())) > 1:
        told = ", ".join(f"{name} {number:g}" for name, number in numbers.items())
        raise MiscountError(f"the metrics of {where} do not add up: {told}")
