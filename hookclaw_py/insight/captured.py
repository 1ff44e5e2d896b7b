"""What is captured, in words: for the commands, the doctor and the panel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from hookclaw_py.capturing import Switched
from hookclaw_py.hosts.checks import Check, fine, note, problem
from hookclaw_py.insight.printing import counted
from hookclaw_py.store.values import Key, Waiting

CAPTURED = (
    "Captured: what is said and done in your own direct sessions, secrets redacted; `hookclaw capture off` stops it, and so does"
    " capture.enabled = false; <private>…</private> keeps a part out."
)
"""What an installer says."""
STOP = "`hookclaw capture off` stops it, <private>…</private> keeps a part out"


def captured_lines(switched: Switched, waiting: Waiting, counts: Mapping[Key, float]) -> Iterator[str]:
    """Yield whether anything is captured, how much, what was passed over, and what was lost."""
    yield _switched(switched)
    for session in switched.sessions:
        yield f"  not captured: {session}"
    yield _how_much(waiting)
    if passed := passed_over(counts):
        listed = (f"{number} {why.replace('_', ' ')}" for why, number in sorted(passed.items()))
        yield f"passed over: {', '.join(listed)}"
    if number := lost(counts):
        yield f"lost: {number}, because too much happened while nobody listened"
    yield from queue_lines(waiting)


def passed_over(counts: Mapping[Key, float]) -> dict[str, int]:
    """Return how much of what hosts reported was not kept, by why."""
    passed: Counter[str] = Counter()
    for (name, labels), amount in counts.items():
        if name == "captured_total" and labels[1] not in ("queued", "duplicate"):
            passed[labels[1]] += int(amount)
    return dict(passed)


def queue_lines(waiting: Waiting) -> Iterator[str]:
    """Yield how much waits, is at work or has failed, and the newest errors."""
    stuck = f" ({waiting.stuck} of it stuck: `hookclaw queue process` takes it back)" if waiting.stuck else ""
    yield f"{waiting.pending} wait, {waiting.processing} at work{stuck}, {waiting.failed} failed"
    for name, error in waiting.errors:
        yield f"  {name}: {error}"
    if waiting.failed:
        yield "`hookclaw queue retry` tries again what has failed"


def capture_checks(switched: Switched, waiting: Waiting, counts: Mapping[Key, float], *, agent: str) -> Iterator[Check]:
    """Yield what the doctor says of it."""
    command = f"hookclaw --agent {agent}"
    if waiting.failed:
        told = f"{waiting.failed} of what was captured could not be worked on: {waiting.errors[0][1]}"
        yield problem("capture", told, f"{command} queue retry")
    elif waiting.stuck:
        told = f"{waiting.stuck} of what was captured is stuck: a process ended, or hangs, that was at work on it"
        yield note("capture", told, f"{command} queue process")
    elif not switched.on:
        yield note("capture", f"nothing is captured: {switched.why}", switched.undo)
    else:
        yield fine("capture", f"{_how_much(waiting)}, {waiting.pending} wait; {STOP}")
    if number := lost(counts):
        yield note("capture", f"{number} of what happened is lost: too much at once while the memory process was away")


def panel_text(waiting: Waiting) -> str:
    """Return what the panel says beside the number."""
    told = f"things said and done, of {counted(waiting.sessions, 'session')}"
    waits = [(waiting.pending + waiting.processing, "wait to be worked on"), (waiting.failed, "failed")]
    return "; ".join([told, *(f"{number} {what}" for number, what in waits if number)])


def _switched(switched: Switched) -> str:
    if switched.on:
        return f"your own sessions are captured; {STOP}"
    return f"nothing is captured: {switched}"


def _how_much(waiting: Waiting) -> str:
    last = f", the last on {waiting.last:%Y-%m-%d}" if waiting.last else ""
    return f"{counted(waiting.captured, 'thing')} said and done in {counted(waiting.sessions, 'session')}{last}"


def lost(counts: Mapping[Key, float]) -> int:
    """Return how much of what happened no host could keep until it was heard."""
    return int(counts.get(("capture_lost_total", ()), 0))
