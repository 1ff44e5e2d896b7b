"""Counting what the engine does, and the log lines that operators grep."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import numpy as np

from hookclaw_py.types import Candidate, Injection, Outcome

EVERY = 100
WINDOW = 1000


class Metrics:
    """Outcomes since the start, and latencies (ms) and top relevances of the last thousand recalls."""

    def __init__(self) -> None:
        self.calls = 0
        self.outcomes: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.cached = 0
        self._latencies: deque[float] = deque(maxlen=WINDOW)
        self._scores: deque[float] = deque(maxlen=WINDOW)

    def record(self, injection: Injection, elapsed_ms: float) -> None:
        """Count one recall."""
        self.calls += 1
        self.outcomes[injection.outcome] += 1
        self.faults.update(fault.stage for fault in injection.faults)
        self.cached += bool(injection.cached)
        self._latencies.append(elapsed_ms)
        if injection.candidates:
            self._scores.append(top_score(injection))

    def snapshot(self) -> dict[str, Any]:
        """Return everything counted, ready for JSON; latencies in milliseconds."""
        p50, p95 = np.percentile(self._latencies, [50, 95]).tolist() if self._latencies else (0.0, 0.0)
        return {
            "calls": self.calls,
            "outcomes": dict(self.outcomes),
            "cached": self.cached,
            "faults": dict(self.faults),
            "p50_ms": p50,
            "p95_ms": p95,
            "avg_score": sum(self._scores) / len(self._scores) if self._scores else 0.0,
        }

    def log_line(self) -> str:
        """Return the periodic one-line summary."""
        seen, calls = self.snapshot(), max(self.calls, 1)
        return (
            f"hookclaw metrics: {self.calls} calls | {self.outcomes[Outcome.INJECTED] / calls:.0%} inject"
            f" | {self.cached / calls:.0%} cache | p50={seen['p50_ms']:.0f}ms p95={seen['p95_ms']:.0f}ms"
            f" | avg_score={seen['avg_score']:.3f}"
        )


def top_score(injection: Injection) -> float:
    """Return the best relevance among everything that was considered; 0 when nothing was."""
    return max((c.relevance for c in (*injection.candidates, *injection.rejected)), default=0.0)


def decision_line(number: int, injection: Injection, elapsed_ms: float) -> str:
    """Return the log line of one decision, in the original plugin's shapes."""
    start, took, top = f"hookclaw: #{number}", f"{elapsed_ms:.0f}ms", f"top score: {top_score(injection):.3f}"
    count = len(injection.candidates)
    if injection.outcome is Outcome.SKIPPED:
        return f"{start} skip — {injection.reason}"
    if injection.outcome is Outcome.INJECTED:
        return f"{start} {'cache hit — ' if injection.cached else ''}injecting {count} memories ({took}, {top})"
    if injection.outcome is Outcome.FAILED:
        return f"{start} recall failed — {injection.reason} ({took})"
    if injection.rejected:
        return f"{start} {len(injection.rejected)} results filtered out ({top}) ({took})"
    return f"{start} no relevant memories found ({took})"


def candidate_line(number: int, candidate: Candidate) -> str:
    """Return the debug line of one injected chunk."""
    chunk = candidate.chunk
    return f"hookclaw: #{number}   {chunk.path}:{chunk.lines[0]}-{chunk.lines[1]} ({candidate.relevance:.3f}) {chunk.heading}"
