"""Decay: of what is about equally relevant, the newer comes first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hookclaw_py.model.types import Candidate, best_first

ZERO, DAY = timedelta(0), timedelta(days=1)


def half_life_decay(age: timedelta, *, half_life: timedelta) -> float:
    """Return 0.5 ** (age / half_life); a date in the future counts as age 0, a half-life of 0 means no decay."""
    return 0.5 ** (max(age, ZERO) / half_life) if half_life > ZERO else 1.0


def decay(candidates: Sequence[Candidate], *, now: datetime, half_life: timedelta, floor: float) -> list[Candidate]:
    """Multiply each score by ``floor + (1 - floor) * half_life_decay``.

    Chunks that are undated, or of a kind that does not decay, keep theirs. ``floor`` in [0, 1] bounds the effect, so that age
    orders what is about equally relevant and never buries an old note that answers the prompt; 0 is the textbook half-life.
    """
    now = now.astimezone(UTC)  # the chunks' own zone: a difference within one zone is much cheaper
    aged = []
    for candidate in candidates:
        created_at = candidate.chunk.created_at
        if created_at is None or half_life <= ZERO or not candidate.chunk.kind.decays:
            aged.append(candidate)
            continue
        age = max(now - created_at, ZERO)
        factor = floor + (1 - floor) * half_life_decay(age, half_life=half_life)
        aged.append(candidate.rescored("decay", candidate.score * factor, f"{age / DAY:.1f} days old"))
    return best_first(aged)
