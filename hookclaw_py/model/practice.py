"""Practice: how often something was done, how that went, and when it was last."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from hookclaw_py.model.salience import half_life_decay

HALF_LIFE = timedelta(days=30)
UNTRIED = 0.5  # of what nobody knows: how well it works, how long ago that was


class Tried(NamedTuple):
    """How often something was done, how often that went well, and when it was done last, aware: None never."""

    times: float = 0
    wins: float = 0
    last: datetime | None = None

    @property
    def success(self) -> float:
        """The share of times that it went well, in [0, 1]."""
        return min(self.wins / self.times, 1.0) if self.times else UNTRIED

    def recency(self, now: datetime) -> float:
        """Return 1 for what was done just now, half of that after 30 days."""
        return half_life_decay(now - self.last, half_life=HALF_LIFE) if self.last else UNTRIED
