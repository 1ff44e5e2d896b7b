"""Since when a line holds: the day that it says so of ("from 1 May", "seit Oktober"), or when it was written."""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import lru_cache

from hookclaw_py.model.terms import Terms
from hookclaw_py.regex import regex
from hookclaw_py.speech.news import MONTH_NAMES, MONTHS

_FROM = r"(?:\b(?:since|from|as\ of|starting|effective|ab|seit|depuis|dès|[àa]\ partir\ d[eu]l?|desde|da(?:l|ll['’])?)|从|自)"
_DAY = regex(
    rf"""(?ix) (?P<since>{_FROM}\s*(?:the\ |le\ |el\ |dem\ )?)? (?:
      \b(?P<iso>20\d\d)-(?P<iso_month>0[1-9]|1[0-2])(?:-(?P<iso_day>[0-3]\d))?(?!\d)
      | (?:\b(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th|er)?\s+(?:de\s+)?)?\b(?P<month>{MONTH_NAMES})\b\.?(?:\s+(?P<after>\d{{1,2}})(?:st|nd|rd|th)?(?![\d%€$]|[:.,]\d))?(?:,?\s+(?:de\s+)?(?P<year>20\d\d))?
      | (?<![\w.,:/-])(?P<dotted_day>\d{{1,2}})\.\ ?(?P<dotted_month>1[0-2]|0?[1-9])\.(?P<dotted_year>(?:\ ?20)?\d\d(?![\d.:]))?
      | (?P<han_year>20\d\d)年(?:(?P<han_month>1[0-2]|0?[1-9])月)? )"""
)


_BULLET = regex(r"\W*")
_FIRST = regex(
    r"(?:[^\W\d_]{2,10}\.?,?\ )?(?:20\d\d-[01]\d-[0-3]\d|\d\d?\.(?:[-–]\d\d?\.)?\d\d?\.(?:(?:20)?\d\d)?|\d\d?/\d\d?(?:/(?:20)?\d\d)?)(?![\w%€$£])"
)


@lru_cache(maxsize=4096)
def since(line: str, written: datetime | None, today: date | None = None) -> date | None:
    """Return from when on a line holds: the day that it says so of, else when it was written, else a day that it names.

    Of a line that nobody knows when it was written, a day without its year ("- 22 Nov: …", "since October") is the last such by ``today``.
    """
    day = written.date() if written else None
    begins, others = list[date](), list[date]()
    for match in _DAY.finditer(line):
        told = match["since"] or match.start() == _bullet(line)
        named = _day(match, day) or (_last(match, today) if told and today else None)
        if named:
            (begins if match["since"] else others).append(named)
    return max(begins, default=day or max(others, default=None))


def is_logged_after(line: str, day: date, today: date, terms: Terms) -> bool:
    """Say whether a line of a log begins with a later day ("7 Nov: …") that is over; without a year it is the last such, unless ``terms`` know better."""
    match = _DAY.match(line, _bullet(line))
    logged = (_day(match, None) or _last(match, today)) if match and not match["since"] else None
    known = logged and not {logged.isoformat(), f"--{logged:%m-%d}"}.isdisjoint(terms.distinct)
    return bool(logged and known and day < logged <= today)


def without_day(line: str) -> str:
    """Return a line of a log without the day that it begins with: "29.5. new number" says no number of its own."""
    match = _FIRST.match(line, _bullet(line))
    return line[match.end() :] if match else line


def _bullet(line: str) -> int:
    """Return where a line begins, behind its bullet."""
    bullet = _BULLET.match(line)
    return bullet.end() if bullet else 0


def _last(match: re.Match[str], today: date) -> date | None:
    """Return the last such day by ``today`` of one without a year, unless it may as well be to come ("from May") or no day ("may")."""
    if not (_over(match) if match["since"] else match["day"] or match["after"]):
        return None
    month, day = _month(match), _day_of_month(match)
    return date(today.year - ((month, day) > (today.month, today.day)), month, day)


def _over(match: re.Match[str]) -> bool:
    return (match["since"] or "").lower().startswith(("since", "seit", "depuis"))


def _month(match: re.Match[str]) -> int:
    in_digits = match["iso_month"] or match["han_month"] or match["dotted_month"]
    return int(in_digits or MONTHS.get((match["month"] or "").lower(), 1))


def _day_of_month(match: re.Match[str]) -> int:
    return min(int(match["iso_day"] or match["day"] or match["after"] or match["dotted_day"] or 1) or 1, 28)


def _day(match: re.Match[str], written: date | None) -> date | None:
    """Return the day that is named; of one without a year the next, or "since" it the last, from the day of writing."""
    month = _month(match)
    year = match["iso"] or match["han_year"] or match["year"] or match["dotted_year"]
    if year:
        of = int(year) if len(year) > 2 else 2000 + int(year)
    elif written is None:
        return None
    elif _over(match):
        of = written.year - (month > written.month)
    else:
        of = written.year + (month < written.month)
    return date(of, month, _day_of_month(match))
