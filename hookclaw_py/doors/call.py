"""Call: one request on its way through a door, and what it is told when its time is over."""

from __future__ import annotations

from _thread import LockType, allocate_lock
from dataclasses import dataclass, field
from time import monotonic

from hookclaw_py.doors import requests
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Fault, Injection, Outcome
from hookclaw_py.trace import Trace

WAY_BACK = 0.02
"""Seconds from the engine's deadline to the host's."""


@dataclass
class Call:
    """One request on its way: when it came, how long its host waits, and whether it gave up."""

    request: requests.Request
    arrived: float = field(default_factory=monotonic)
    cancelled: bool = False
    _begun: LockType = field(default_factory=allocate_lock)

    def begin(self) -> bool:
        """Say whether it is for the caller to answer: it is for the first one who asks."""
        return self._begun.acquire(blocking=False)

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the request came."""
        return (monotonic() - self.arrived) * 1000


def left_ms(trace: Trace) -> float:
    """Return how long the engine may take, so that its answer is back before the host stops waiting."""
    left = trace.deadline.remaining()
    return max(1.0, 1000 * (left - min(WAY_BACK, left / 2)))


def missed(request: requests.BeforeAgentStart | requests.SessionStart, call: Call) -> Injection | None:
    """Return the answer for a host that waits no longer; None while it does."""
    if call.cancelled:
        return failed(Reason.CANCELLED, stage="cancel")
    if request.timeout_ms and call.elapsed_ms > request.timeout_ms:
        return failed(Reason.TIMED_OUT, f"{request.timeout_ms:.0f}", stage="deadline")
    return None


def failed(kind: Reason, detail: str = "", *, stage: str = "") -> Injection:
    """Return the answer where no engine gives one; the fault is that of a ``stage``, if it names one."""
    why = Why(kind, detail)
    return Injection("", Outcome.FAILED, why, faults=(Fault(stage, why.sentence),) if stage else ())
