"""What a doctor says: one thing looked at, the verdict, and the one command that mends it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How one thing is. Only a PROBLEM makes the doctor's exit code 1."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. ``remedy`` is a command, or a short instruction where no command does it; "" when it is fine."""

    name: str
    verdict: Verdict
    finding: str
    remedy: str = ""

    def __str__(self) -> str:
        sign = {Verdict.OK: "✓", Verdict.NOTE: "·", Verdict.PROBLEM: "✗"}[self.verdict]
        return f"{sign} {self.name}: {self.finding}" + (f"\n    → {self.remedy}" if self.remedy else "")


def fine(name: str, finding: str) -> Check:
    """Return a check that found nothing wrong."""
    return Check(name, Verdict.OK, finding)


def problem(name: str, finding: str, remedy: str) -> Check:
    """Return a check that found something to mend."""
    return Check(name, Verdict.PROBLEM, finding, remedy)


def note(name: str, finding: str, remedy: str = "") -> Check:
    """Return a check that found something worth knowing."""
    return Check(name, Verdict.NOTE, finding, remedy)
