"""Calendar arithmetic on the wall clock: spans of days, weeks, months, and what recurs in them.

Everything here is naive local time; a zone is put on at the very end, so that a day is a local day whatever the
clocks do. Weeks begin on Monday. Seasons are the meteorological ones of the northern hemisphere.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

DAY = timedelta(days=1)


class Span(NamedTuple):
    """A half-open stretch ``[start, end)`` of the wall clock."""

    start: datetime
    end: datetime

    @property
    def days(self) -> float:
        """The length in days."""
        return (self.end - self.start) / DAY


class Cycle(NamedTuple):
    """Something that comes again.

    Its kind is "weekday" (0 = Monday), "month", "quarter", "season" (0 = spring), "day" (of the month), "week" (of the
    year, ISO), "date" or "holiday" with ``value`` the month and ``day``, or "feast" (0 = Easter, 1 = Thanksgiving in the United States,
    2 = lunar new year, 3 = dragon boat, 4 = mid-autumn, 5 = the three days of Qingming) with ``day`` days added.
    """

    kind: str
    value: int
    day: int = 0


class Duration(NamedTuple):
    """A length of time; ``unit`` is its smallest unit, which says how exactly it was meant."""

    unit: str
    months: int = 0
    days: int = 0
    seconds: float = 0.0


_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_LUNAR_SINCE = 2010
_LUNAR = (  # the first day of the first month, the fifth of the fifth and the fifteenth of the eighth, year by year
    "2-14 2-3 1-23 2-10 1-31 2-19 2-8 1-28 2-16 2-5 1-25 2-12 2-1 1-22 2-10 1-29 2-17 2-6 1-26 2-13 2-3 1-23 2-11 1-31 2-19 2-8 1-28 2-15 2-4 1-24 2-12",
    "6-16 6-6 6-23 6-12 6-2 6-20 6-9 5-30 6-18 6-7 6-25 6-14 6-3 6-22 6-10 5-31 6-19 6-9 5-28 6-16 6-5 6-24 6-12 6-1 6-20 6-10 5-30 6-18 6-7 5-27 6-14",
    "9-22 9-12 9-30 9-19 9-8 9-27 9-15 10-4 9-24 9-13 10-1 9-21 9-10 9-29 9-17 10-6 9-25 9-15 10-3 9-22 9-12 10-1 9-19 9-8 9-27 9-16 10-4 9-24 9-13 10-2 9-20",
)
_QINGMING = 5
_VAGUENESS = {  # half of what "N units ago" may mean
    "second": timedelta(minutes=1),
    "minute": timedelta(minutes=5),
    "hour": timedelta(minutes=30),
    "week": timedelta(days=3),
    "fortnight": timedelta(days=3),
    "month": timedelta(days=15),
    "year": timedelta(days=182),
    "decade": timedelta(days=1826),
    "century": timedelta(days=18262),
}


def midnight(moment: datetime) -> datetime:
    """Return the start of the moment's day."""
    return datetime.combine(moment, time(0))


def day_span(day: date) -> Span:
    """Return a whole day."""
    start = datetime.combine(day, time(0))
    return Span(start, start + DAY)


def month_span(year: int, month: int, months: int = 1) -> Span:
    """Return whole months, beginning with ``month``."""
    start = datetime(year, month, 1)
    return Span(start, shift_months(start, months))


def shift_months(moment: datetime, months: int) -> datetime:
    """Return the same day ``months`` later, or the last day of a month that is too short."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return moment.replace(year=year, month=month, day=min(moment.day, monthrange(year, month)[1]))


def duration(number: float, unit: str) -> Duration:
    """Return ``number`` units; parts of a month or year are taken as days, and half a year is meant by the month."""
    finer = {"year": "month", "month": "week", "week": "day"}.get(unit, unit) if number < 1 else unit
    if unit in _MONTHS:
        months = number * _MONTHS[unit]
        return Duration(finer, months=int(months), days=round(30.4 * (months - int(months))))
    if unit in _DAYS:
        days = number * _DAYS[unit]
        return Duration(finer, days=int(days), seconds=86_400 * (days - int(days)))
    return Duration(unit, seconds=number * _SECONDS[unit])


def together(a: Duration, b: Duration) -> Duration:
    """Return the sum of two lengths of time."""
    unit = min(a.unit, b.unit, key=lambda unit: _VAGUENESS.get(unit, timedelta(hours=12)))
    return Duration(unit, a.months + b.months, a.days + b.days, a.seconds + b.seconds)


def moved(moment: datetime, by: Duration, sign: int) -> datetime:
    """Return ``moment`` shifted by a length of time, back when ``sign`` is -1."""
    return shift_months(moment, sign * by.months) + timedelta(days=sign * by.days, seconds=sign * by.seconds)


def around(moment: datetime, unit: str) -> Span:
    """Return what a point that was counted in ``unit`` stands for: its day; for weeks and longer, half a unit each way."""
    if unit in _SECONDS:
        return Span(moment - _VAGUENESS[unit], moment + _VAGUENESS[unit])
    if unit in ("weekend", "quarter"):
        return containing(moment, unit)
    slack = _VAGUENESS.get(unit, timedelta(0))
    start = midnight(moment)
    return Span(start - slack, start + slack + DAY)


def containing(moment: datetime, unit: str, shift: int = 0) -> Span:
    """Return the calendar unit that ``moment`` lies in, ``shift`` units later.

    Raises:
        ValueError: if the unit is shorter than a day, or the span leaves the calendar.
    """
    today = midnight(moment)
    if unit in _MONTHS:
        size = _MONTHS[unit]
        index = (today.year * 12 + today.month - 1) // size + shift
        return month_span(index * size // 12, index * size % 12 + 1, size)
    if unit not in _DAYS:
        raise ValueError(f"{unit} is not a unit of the calendar")
    if unit == "day":
        return Span(today + shift * DAY, today + (shift + 1) * DAY)
    start = today - today.weekday() * DAY + shift * _DAYS[unit] * DAY
    return Span(start + 5 * DAY if unit == "weekend" else start, start + _DAYS[unit] * DAY)


def easter(year: int) -> date:
    """Return Easter Sunday as the Western churches keep it.

    Source: the anonymous Gregorian algorithm, in Meeus, "Astronomical Algorithms", 1991.
    """
    golden, century, rest = year % 19, year // 100, year % 100
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    month, day = divmod(epact + weekday - 7 * ((golden + 11 * epact + 22 * weekday) // 451) + 114, 31)
    return date(year, month, day + 1)


def _feast(feast: int, year: int) -> date | None:
    if feast == 0:
        return easter(year)
    if feast == 1:
        late = date(year, 11, 22)  # the first that can be the fourth Thursday
        return late + (3 - late.weekday()) % 7 * DAY
    days = _LUNAR[feast - 2].split()
    if not 0 <= year - _LUNAR_SINCE < len(days):
        return None
    month, day = days[year - _LUNAR_SINCE].split("-")
    return date(year, int(month), int(day))


def occurrences(cycle: Cycle, year: int) -> Iterator[Span]:
    """Yield the spans of ``cycle`` that begin in ``year``, in order; impossible days are left out."""
    kind, value, day = cycle
    if kind == "month":
        yield month_span(year, value)
    elif kind == "quarter":
        yield month_span(year, 3 * value - 2, 3)
    elif kind == "season":
        yield month_span(year, 3 * value + 3, 3)
    elif kind == "week":
        if value <= date(year, 12, 28).isocalendar().week:  # the last week of any year holds this day
            monday = datetime.fromisocalendar(year, value, 1)
            yield Span(monday, monday + 7 * DAY)
    elif (kind, value) == ("feast", _QINGMING):
        yield Span(datetime(year, 4, 4), datetime(year, 4, 7))
    elif kind == "feast":
        feast = _feast(value, year)
        if feast is not None:
            yield day_span(feast + day * DAY)
    elif kind == "weekday":
        first = date(year, 1, 1)
        first += (value - first.weekday()) % 7 * DAY
        yield from (day_span(first + week * 7 * DAY) for week in range(53) if (first + week * 7 * DAY).year == year)
    else:
        yield from _real_days(
            year, [(value, day)] if kind in ("date", "holiday") else [(month, value) for month in range(1, 13)]
        )


def _real_days(year: int, days: Iterable[tuple[int, int]]) -> Iterator[Span]:
    for month, day in days:
        with suppress(ValueError):  # no such day
            yield day_span(date(year, month, day))


def latest(cycle: Cycle, now: datetime, *, over: bool = False) -> Span | None:
    """Return the last span of ``cycle`` that had begun by today (with ``over``: that had ended before today).

    A weekday is never today: whoever means today says so.
    """
    today = midnight(now)
    if cycle.kind == "weekday":
        return day_span(today - ((today.weekday() - cycle.value - 1) % 7 + 1) * DAY)
    for year in range(now.year, max(now.year - 9, 0), -1):
        for span in reversed(list(occurrences(cycle, year))):
            if (span.end if over else span.start) <= today:
                return span
    return None


def upcoming(cycle: Cycle, now: datetime) -> Span | None:
    """Return the first span of ``cycle`` that begins after today."""
    today = midnight(now)
    for year in range(now.year, min(now.year + 9, 10_000)):
        for span in occurrences(cycle, year):
            if span.start > today:
                return span
    return None


def within(cycle: Cycle, span: Span, nth: int = 1) -> Span | None:
    """Return the ``nth`` time that ``cycle`` begins in ``span``; -1 is the last time."""
    years = range(span.start.year, min(span.end.year, span.start.year + 10) + 1)
    found = [s for year in years for s in occurrences(cycle, year) if span.start <= s.start < span.end]
    index = nth - 1 if nth > 0 else nth
    return found[index] if -len(found) <= index < len(found) else None
