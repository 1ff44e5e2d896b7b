"""Log lines that operators grep, one for each decision, in the original plugin's shapes."""

from __future__ import annotations

from hookclaw_py.model.reason import Reason
from hookclaw_py.model.types import Candidate, Injection, Outcome
from hookclaw_py.privacy.redaction import redact


def top_score(injection: Injection) -> float:
    """Return the best relevance among everything that was considered; 0 when nothing was."""
    return max((c.relevance for c in (*injection.candidates, *injection.rejected)), default=0.0)


def decision_line(number: int, injection: Injection, elapsed_ms: float) -> str:
    """Return the log line of one decision, in the original plugin's shapes."""
    start, took, top = f"hookclaw: #{number}", f"{elapsed_ms:.0f}ms", f"top score: {top_score(injection):.3f}"
    count = len(injection.candidates)
    if injection.outcome is Outcome.SKIPPED:
        return f"{start} skip — {redact(injection.reason)}"
    if injection.outcome is Outcome.INJECTED:
        return f"{start} {'cache hit — ' if injection.cached else ''}injecting {count} memories ({took}, {top})"
    if injection.outcome is Outcome.FAILED:
        return f"{start} recall failed — {redact(injection.reason)} ({took})"
    if injection.why.kind not in (Reason.NOTHING_FOUND, Reason.BELOW_FLOOR):
        return f"{start} {redact(injection.reason)} ({took})"
    if injection.rejected:
        return f"{start} {len(injection.rejected)} results filtered out ({top}) ({took})"
    return f"{start} no relevant memories found ({took})"


def candidate_line(number: int, candidate: Candidate) -> str:
    """Return the debug line of one injected chunk."""
    chunk = candidate.chunk
    return f"hookclaw: #{number}   {chunk.place} ({candidate.relevance:.3f}) {redact(chunk.heading)}"
