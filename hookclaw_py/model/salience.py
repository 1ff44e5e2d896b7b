"""Salience: how present something remembered is, in [0, 1]. It fades by half-lives and comes back with use."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

ZERO = timedelta(0)


def half_life_decay(age: timedelta, *, half_life: timedelta) -> float:
    """Return 0.5 ** (age / half_life); a date in the future counts as age 0, a half-life of 0 means no decay."""
    return 0.5 ** (max(age, ZERO) / half_life) if half_life > ZERO else 1.0


class Salience(NamedTuple):
    """A value in [0, 1] and the moment, aware, at which it was that.

    What it is by now is computed when it is asked for: nothing sweeps over it, so that it is the same however often it is read.
    """

    value: float
    at: datetime

    def by(self, now: datetime, *, half_life: timedelta, floor: float = 0.0) -> float:
        """Return what is left of it: value · 2^(−age / half-life), at least ``floor``; a half-life of 0 keeps it."""
        return max(self.value * half_life_decay(now - self.at, half_life=half_life), floor)

    def reinforced(self, now: datetime, gain: float, *, half_life: timedelta) -> Salience:
        """Return what is left of it and ``gain`` more, 1 at most, from now on."""
        return self._changed(now, self.by(now, half_life=half_life) + gain)

    def penalised(self, now: datetime, loss: float, *, half_life: timedelta, floor: float = 0.0) -> Salience:
        """Return what is left of it and ``loss`` less, at least ``floor``, from now on."""
        return self._changed(now, max(self.by(now, half_life=half_life) - loss, floor))

    def _changed(self, now: datetime, value: float) -> Salience:
        return Salience(min(max(value, 0.0), 1.0), max(now, self.at))
