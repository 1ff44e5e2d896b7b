"""Budget: what the lane has spent today and how long it rests, as every process that shares the store knows it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from hookclaw_py.store.ports import Facts

_FACT = "llm"
_RESTS = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 4, 8, 10))
"""How long the lane rests after its first, second … failure in a row; the last one holds from then on."""


class Spent(NamedTuple):
    """Tokens of a day, and how the last questions went.

    ``wanted`` is what a question asked for that there was no room for; ``failures`` are those in a row, ``error`` is the last one,
    and ``rests`` until when nothing is asked for it, None if that is over. A question counts at what it may take from before it leaves the machine, and at what it took once that is known.
    """

    day: date
    tokens: int = 0
    wanted: int = 0
    failures: int = 0
    error: str = ""
    rests: datetime | None = None

    def on(self, day: date) -> Spent:
        """Return it as of a day."""
        return self if self.day == day else self._replace(day=day, tokens=0, wanted=0)

    def plus(self, tokens: int) -> Spent:
        """Return it with more tokens; fewer, where more were reckoned with than it took."""
        return self._replace(tokens=max(0, self.tokens + tokens))

    def failed(self, error: str, now: datetime) -> Spent:
        """Return it after one more failure, resting."""
        rest = _RESTS[min(self.failures, len(_RESTS) - 1)]
        return self._replace(failures=self.failures + 1, error=error, rests=now + rest)

    def answered(self) -> Spent:
        """Return it after an answer: the failures before it are over."""
        return self._replace(failures=0, error="", rests=None)


def spent(store: Facts, day: date) -> Spent:
    """Return what is known, as of a day."""
    told: Mapping[str, Any] = store.get_meta(_FACT, {})
    if not told:
        return Spent(day)
    rests = datetime.fromisoformat(told["rests"]).astimezone(UTC) if told["rests"] else None
    return Spent(**{**told, "day": date.fromisoformat(told["day"]), "rests": rests}).on(day)


def keep(store: Facts, now: Spent) -> None:
    """Remember it.

    Raises:
        StoreError: if the store cannot be written.
    """
    rests = now.rests.isoformat() if now.rests else None
    store.set_meta(_FACT, {**now._asdict(), "day": now.day.isoformat(), "rests": rests})
