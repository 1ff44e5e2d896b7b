"""Steps: the day, or week, after or before the one that was spoken of: "und am Tag danach", "the week before"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from hookclaw_py.model.types import Period
from hookclaw_py.regex import regex

_END = r"(?=\s*(?:[,?!.;:]|\Z))"
_STEP = regex(
    rf"""(?ix) \b(?:am\ |den\ |der\ |die\ |in\ der\ )?(?:tag|(?P<w1>woche))\ (?:danach|darauf|drauf|(?P<b1>davor|vorher|zuvor))\b
    | \b(?:am\ |den\ )?(?:tags\ (?:darauf|(?P<b2>davor|zuvor))|(?:nächsten|folgenden|darauffolgenden)\ tag\b)
    | \bthe\ (?:day|(?P<w2>week))\ (?:after|(?P<b3>before))(?:\ that)?{_END} | \bthe\ (?:next|following|(?P<b4>previous))\ day\b
    | \b(?:le\ lendemain|(?P<b5>la\ veille))\b{_END}
    | \b(?:le\ jour|(?P<w3>la\ semaine))\ (?:d['’]après|suivante?|(?P<b6>d['’]avant|précédente?))\b
    | \b(?:(?:el|al)\ día|(?P<w4>(?:la|a\ la)\ semana))\ (?:siguiente|después|(?P<b7>anterior|antes))\b"""
)
_WEEKS = ("w1", "w2", "w3", "w4")
_BACK = ("b1", "b2", "b3", "b4", "b5", "b6", "b7")


class Onward(NamedTuple):
    """How far it is from the time that was spoken of, and the words that say so."""

    by: timedelta
    phrase: str


def steps(text: str) -> list[Onward]:
    """Return the steps that a text takes, in their order."""
    return [_step(match) for match in _STEP.finditer(text)]


def stepped(period: Period, taken: Sequence[Onward]) -> Period:
    """Return the period that lies these steps from another, called as the last one is."""
    by = sum((step.by for step in taken), timedelta())
    return Period(period.start + by, period.end + by, taken[-1].phrase)


def without_steps(text: str) -> str:
    """Return a text without the words that step on."""
    return _STEP.sub(" ", text)


def _step(match: re.Match[str]) -> Onward:
    days = 7 if any(map(match.group, _WEEKS)) else 1
    return Onward(timedelta(days=-days if any(map(match.group, _BACK)) else days), match[0])
