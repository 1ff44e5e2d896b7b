"""Pause: for a while, or until a person says otherwise, nothing is told and nothing is kept of what is said and done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from hookclaw_py.store.ports import Changeable, Facts

PAUSES = "pauses"
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_KEPT = 1_000
"""Pauses that are known afterwards: what was said in one is not taken in later either."""


class Pause(NamedTuple):
    """From when to when, for one ``agent``, "" for all of a home; ``until`` is None while nobody has said."""

    since: datetime
    until: datetime | None
    agent: str = ""

    def __str__(self) -> str:
        end = f"`hookclaw {f'--agent {self.agent} ' if self.agent else ''}resume`"
        return f"until {self.until:%Y-%m-%d %H:%M} UTC, or {end}" if self.until else f"until {end}"


def length_of(written: str) -> timedelta | None:
    """Read how long to pause, as people write it: 30m, 2h or 7d; None where it is no length of time."""
    found = re.fullmatch(r"(\d{1,5})\s*([mhd])", written.strip().casefold())
    return timedelta(**{_UNITS[found[2]]: int(found[1])}) if found and int(found[1]) else None


def pauses(store: Facts) -> list[Pause]:
    """Return every pause, oldest first."""
    return [Pause(_moment(since), _moment(until) if until else None) for since, until in store.get_meta(PAUSES, [])]


def pause_at(known: Iterable[Pause], moment: datetime) -> Pause | None:
    """Return the pause that a moment lies in."""
    return next((one for one in known if one.since <= moment and (one.until is None or moment < one.until)), None)


def pause(store: Changeable, *, now: datetime, until: datetime | None = None) -> Pause:
    """Pause from now on; a pause that is under way ends with the new one.

    Raises:
        StoreError: if the store cannot be written.
    """
    begun = Pause(now.astimezone(UTC), until and until.astimezone(UTC))
    with store.together():
        _keep(store, [*_ended(pauses(store), now), begun])
    return begun


def resume(store: Changeable, *, now: datetime) -> Pause | None:
    """End the pause; return it, None if there is none.

    Raises:
        StoreError: if the store cannot be written.
    """
    if pause_at(pauses(store), now) is None:
        return None
    with store.together():
        known = pauses(store)
        _keep(store, _ended(known, now))
    return pause_at(known, now)


def _ended(known: Iterable[Pause], now: datetime) -> list[Pause]:
    return [one._replace(until=now.astimezone(UTC)) if pause_at([one], now) else one for one in known]


def _keep(store: Facts, known: list[Pause]) -> None:
    told = [[one.since.isoformat(), one.until.isoformat() if one.until else None] for one in known[-_KEPT:]]
    store.set_meta(PAUSES, told)


def _moment(written: str) -> datetime:
    return datetime.fromisoformat(written).astimezone(UTC)
