"""Verdict: what a recall came to, and why; silence has a reason, and a failure is never called silence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Candidate, Effect, Fault, Outcome

LEGS = frozenset({"bm25", "vector"})
NEEDED = ("calibrate", "secrets", "render")
"""Stages without which nothing is told, whatever was found: a failure there is no silence."""


def verdict(
    candidates: Sequence[Candidate],
    *,
    injected: bool,
    answered: bool,
    blocked: bool,
    said: Sequence[Candidate],
    held: int,
    faults: Sequence[Fault],
    min_score: float,
) -> tuple[Outcome, Why]:
    """Judge a search that came to ``candidates``: whether it is ``injected``, and else why not.

    ``answered`` says that a retriever did, ``blocked`` that a person keeps some of what was found out of it; ``said`` is what
    was relevant, if all of it stands in the conversation; so many were ``held`` back, for they are not the person's own words.
    """
    top = max((c.relevance for c in candidates), default=0.0)
    if injected:
        return Outcome.INJECTED, Why(Reason.RELEVANT, f"{top:.3f}")
    errors = {fault.stage: fault.error for fault in faults}
    if "marks" in errors:
        return Outcome.FAILED, Why(Reason.MARKS_UNREADABLE, errors["marks"])
    searching = [error for stage, error in errors.items() if stage in LEGS]
    if not answered or (searching and not candidates):
        return Outcome.FAILED, Why(Reason.NO_RETRIEVER, "; ".join(dict.fromkeys(searching or errors.values())))
    if not candidates and blocked:
        return Outcome.SILENT, Why(Reason.BLOCKED)
    if not candidates and errors:
        return Outcome.FAILED, Why(Reason.PART_FAILED, listed(faults))
    if not candidates:
        return Outcome.SILENT, Why(Reason.HELD_BACK, _held(held)) if held else Why(Reason.NOTHING_FOUND)
    if said:
        in_system = all(c.fate is Effect.IN_SYSTEM_PROMPT for c in said)
        return Outcome.SILENT, Why(Reason.IN_SYSTEM_PROMPT if in_system else Reason.IN_CONVERSATION)
    if untold := [fault for fault in faults if fault.stage in NEEDED]:
        return Outcome.FAILED, Why(Reason.PART_FAILED, listed(untold))
    if top >= min_score:
        return Outcome.SILENT, Why(Reason.OVER_BUDGET)
    below = Why(Reason.BELOW_FLOOR, f"{top:.3f} is below {min_score:g}")
    return Outcome.SILENT, below.remarking(_held(held, " held back")) if held else below


def listed(faults: Iterable[Fault]) -> str:
    """Say what went wrong, each message once, behind all the stages that it is of."""
    stages: dict[str, list[str]] = {}
    for stage, error in faults:
        stages.setdefault(error, []).append(stage)
    return "; ".join(f"{', '.join(names)}: {error}" for error, names in stages.items())


def _held(number: int, what: str = "") -> str:
    return f"{number} {'memory' if number == 1 else 'memories'}{what}, see `hookclaw review`"
