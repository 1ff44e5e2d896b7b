"""Decay: of what is about equally relevant, the newer comes first; of what was learned, what is more present."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from hookclaw_py.model.salience import ZERO, half_life_decay
from hookclaw_py.model.types import Candidate, best_first

DAY = timedelta(days=1)
NO_SALIENCE: Mapping[str, float] = MappingProxyType({})


def decay(
    candidates: Sequence[Candidate],
    *,
    now: datetime,
    half_life: timedelta,
    floor: float,
    salience: Mapping[str, float] = NO_SALIENCE,
) -> list[Candidate]:
    """Multiply each score by ``floor + (1 - floor) * half_life_decay``, or of a record by ``floor + (1 - floor) * salience``.

    ``salience`` holds that of each record by now, under the id of its memory: it has faded already, so its age counts no second time.
    Chunks that are undated, or of a kind that does not decay, keep their score. ``floor`` in [0, 1] bounds the effect, so that age
    orders what is about equally relevant and never buries an old note that answers the prompt; 0 is the textbook half-life.
    """
    now = now.astimezone(UTC)  # the chunks' own zone: a difference within one zone is much cheaper
    aged = []
    for candidate in candidates:
        created_at, present = candidate.chunk.created_at, salience.get(candidate.chunk.memory)
        if present is not None:
            left, note = present, f"salience {present:.2f}"
        elif created_at is None or half_life <= ZERO or not candidate.chunk.kind.decays:
            aged.append(candidate)
            continue
        else:
            age = max(now - created_at, ZERO)
            left, note = half_life_decay(age, half_life=half_life), f"{age / DAY:.1f} days old"
        aged.append(candidate.rescored("decay", candidate.score * (floor + (1 - floor) * left), note))
    return best_first(aged)
