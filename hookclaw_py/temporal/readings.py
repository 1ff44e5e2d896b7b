"""What each phrase means: one function per kind of phrase, from the tokens it matched to a span of the wall clock.

Readings are those of someone who looks back: a bare weekday, month or day of the year is the most recent one. "Three
weeks ago" means that day give or take half a week, "the last three weeks" reaches until the end of today. Clock times
narrow nothing, because notes are dated by the day.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from hookclaw_py.temporal import spans
from hookclaw_py.temporal.lexer import Token
from hookclaw_py.temporal.spans import DAY, Cycle, Duration, Span

_BEGINNING, _END = datetime(1900, 1, 1), datetime(2200, 1, 1)
_CALENDAR_UNITS = ("week", "month", "quarter", "year", "decade")
_DAY_KINDS = ("number", "ordinal", "nth")


Action = Callable[["Match"], Token | None]


class Match:
    """The tokens that a rule matched, and the moment they are read at."""

    def __init__(self, tokens: Sequence[Token], now: datetime, lowered: str) -> None:
        self.tokens, self.now, self.lowered = tokens, now, lowered
        self.wall = now.replace(tzinfo=None)

    def all(self, *kinds: str) -> list[Any]:
        return [token.value for token in self.tokens if token.kind in kinds]

    def one(self, *kinds: str) -> Any:
        return next((token.value for token in self.tokens if token.kind in kinds), None)

    def sign(self) -> int:
        """-1 for "last", 0 for "this", 1 for "next"."""
        return -1 if self.one("last", "past", "passed") else 1 if self.one("next", "coming") else 0

    def make(self, kind: str, value: Any) -> Token | None:
        if value is None:
            return None
        return Token(kind, value, min(t.start for t in self.tokens if t.end), max(t.end for t in self.tokens))

    def span(self, span: Span | None) -> Token | None:
        return self.make("span", span)

    def elapsed(self, seconds: float) -> datetime:
        """Return the wall clock ``seconds`` of real time from now."""
        return (self.now.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(self.now.tzinfo).replace(tzinfo=None)

    def shifted(self, by: Duration, sign: int) -> datetime:
        if by.seconds and not by.days and not by.months:
            return self.elapsed(sign * by.seconds)
        return spans.moved(self.wall, by, sign)

    def resolved(self, value: Any, *, after: Span | None = None) -> Span | None:
        """Return a span for a span, a cycle (the most recent one, or the first ``after``) or a year."""
        if isinstance(value, Cycle):
            return spans.upcoming(value, after.end - DAY) if after else spans.latest(value, self.wall)
        return spans.month_span(value, 1, 12) if isinstance(value, int) else value


def nothing(_: Match) -> None:
    """Read what only looks like a date: a greeting, a habit."""


def number(value: Callable[[Match], Any], kind: str = "number") -> Action:
    return lambda m: m.make(kind, value(m))


def constant(kind: str, value: Any) -> Action:
    return lambda m: m.make(kind, value)


def compound(m: Match) -> Token | None:
    tens, ones = m.one("tens"), m.tokens[-1]
    return m.make("nth" if ones.kind == "nth" else "number", tens + ones.value if ones.value < 10 else None)


def spoken_year(m: Match) -> Token | None:
    """Read "nineteen eighty six", "two thousand and five", "twenty twenty six"."""
    head, *rest = m.all("number", "tens")
    scale = 1000 if m.one("thousand") else 100
    year = head * scale + sum(rest)
    if 1900 <= year < 2200:
        return m.make("year", year)
    return m.make("number", year if m.one("thousand", "hundred") else head + sum(rest))


def duration(m: Match) -> Token | None:
    parts = [spans.duration(n, unit) for n, unit in zip(m.all("number"), m.all("unit", "units"), strict=True)]
    total = parts[0]
    for part in parts[1:]:
        total = spans.together(total, part)
    return m.make("duration", total)


def month_day(m: Match) -> Token | None:
    cycle = Cycle("date", m.one("month", "maybe"), m.one(*_DAY_KINDS))
    year = m.one("year")
    if year is not None:
        return m.span(spans.day_span(datetime(year, cycle.value, cycle.day)))
    return m.make("cycle", cycle if cycle.day <= 28 or spans.latest(cycle, m.wall) else None)


def month_year(m: Match) -> Token | None:
    return m.span(spans.month_span(m.one("year"), m.one("month", "maybe")))


def months_of(m: Match) -> Token | None:
    """Read "Nov-Feb 2017", "June to August of 2025": the year is that of the last month."""
    first, last = m.all("month", "maybe")
    year = m.one("year")
    return m.span(Span(datetime(year - (first > last), first, 1), spans.month_span(year, last).end))


def month_days(m: Match) -> Token | None:
    """Read "March 3 to 10", "3-10 March 2026", both days included."""
    first, last = m.one("range") or m.all(*_DAY_KINDS)
    month, year = m.one("month", "maybe"), m.one("year")
    end = m.resolved(Cycle("date", month, last)) if year is None else spans.day_span(datetime(year, month, last))
    return m.span(Span(end.start.replace(day=first), end.end)) if end and first <= last else None


def two_dates(m: Match) -> Token | None:
    """Read "3/1 - 3/10"."""
    first, last = (slashed(pair) for pair in m.all("slash"))
    return _between(m, first, last) if first and last else None


def slashed(pair: tuple[int, int]) -> Cycle | None:
    """Read 4/22 and 22/4 as what is possible; when both are, month first, as English does."""
    month, day = pair if pair[0] <= 12 else pair[::-1]
    return Cycle("date", month, day) if month <= 12 and day <= 31 else None


def dotted(m: Match) -> Token | None:
    day, month = (int(n) for n in m.one("dotted").split("."))
    return m.make("cycle", Cycle("date", month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None)


def weekday_the(m: Match) -> Token | None:
    """Read "Thursday the 21st": the 21st nearest to today that is a Thursday."""
    weekday, day = m.one("weekday", "sat", "sun"), m.one(*_DAY_KINDS)
    if m.tokens[-1].kind == "number" and day <= 12:  # "Friday 11 at night"
        return m.make("cycle", Cycle("weekday", weekday))
    months = (spans.containing(m.wall, "month", shift) for shift in range(-14, 15))
    days = [
        span for month in months if (span := spans.within(Cycle("day", day), month)) and span.start.weekday() == weekday
    ]
    return m.span(min(days, key=lambda span: abs(span.start - m.wall), default=None))


def cycle(kind: str, *kinds: str) -> Action:
    return lambda m: m.make("cycle", Cycle(kind, m.one(*kinds)))


def holiday(m: Match) -> Token | None:
    month, day = m.one("holiday", "valentine")
    return m.make("cycle", Cycle("date", month, day - 1 if m.one("eve") else day))


def new_year(m: Match) -> Token | None:
    return m.make("cycle", Cycle("date", 12, 31) if m.one("eve") else Cycle("date", 1, 1))


def year(m: Match) -> Token | None:
    return m.span(spans.month_span(m.one("year"), 1, 12) if m.one("unit") in (None, "year") else None)


def quarter_year(m: Match) -> Token | None:
    return m.span(spans.month_span(m.one("year"), 3 * m.one("quarter") - 2, 3))


def half_year(m: Match) -> Token | None:
    return m.span(spans.month_span(m.one("year"), 6 * m.one("halfyear") - 5, 6))


def week_number(m: Match) -> Token | None:
    return m.make(
        "cycle", Cycle("week", m.one("number")) if m.one("unit") in (None, "week") and m.one("number") <= 53 else None
    )


def decade(m: Match) -> Token | None:
    return m.span(spans.month_span(m.one("decade", "decades"), 1, 120))


def elsewhere(m: Match) -> Token | None:
    whole = m.make("span", "")
    return m.span(
        _by_dateparser(m.lowered[whole.start : whole.end], m.wall.replace(hour=12, minute=0, second=0, microsecond=0))
        if whole
        else None
    )


@lru_cache(maxsize=256)
def _by_dateparser(phrase: str, noon: datetime) -> Span | None:
    from dateparser.date import DateDataParser

    settings = {
        "RELATIVE_BASE": noon,
        "PREFER_DATES_FROM": "past",
        "DATE_ORDER": "DMY",
        "RETURN_AS_TIMEZONE_AWARE": False,
    }
    data = DateDataParser(languages=list(_LANGUAGES), settings=settings).get_date_data(phrase)
    if data is None or data.date_obj is None:
        return None
    unit = data.period if data.period in ("month", "year") else "day"
    return spans.containing(data.date_obj, unit)


def warm() -> None:
    """Load dateparser ahead of need: its first use costs about half a second."""
    _by_dateparser("1 stycznia 2020", datetime(2020, 1, 1, 12))


_LANGUAGES = ("pl", "cs", "sk", "sv", "da", "nb", "fi", "hu", "ro", "tr", "uk", "bg", "el", "hr", "id")


def rolling(m: Match) -> Token | None:
    """Read "the last N units", until the end of today; hours and minutes until now."""
    length = m.one("duration", "short") or spans.duration(
        m.one("number") or (1 if m.one("unit") else 3), m.one("unit", "units")
    )
    today = spans.day_span(m.wall)
    if m.one("next"):
        return m.span(
            Span(m.wall, spans.day_span(m.shifted(length, 1)).end if not length.seconds else m.shifted(length, 1))
        )
    start = m.shifted(length, -1)
    return m.span(Span(start, m.wall) if length.seconds else Span(spans.midnight(start), today.end))


def calendar(m: Match) -> Token | None:
    """Read "last week", "this month", "next year": a calendar unit."""
    unit = m.one("unit") or "year"
    shift = -2 if m.one("beforelast") else m.sign() * (2 if m.one("before", "after") else 1)
    if unit == "hour" and shift == -1:
        return m.span(Span(m.elapsed(-3600), m.wall))
    return m.span(spans.containing(m.wall, unit, shift) if unit != "day" else None)


def this_unit(m: Match) -> Token | None:
    """Read "earlier in the week", "over the weekend": this one, or the weekend that began last."""
    unit = m.one("unit")
    if unit == "weekend":
        return m.span(spans.containing(m.wall, unit, 0 if m.wall.weekday() >= 5 else -1))
    return m.span(spans.containing(m.wall, unit) if m.one("earlier") and unit in _CALENDAR_UNITS else None)


def month_of_year(m: Match) -> Token | None:
    """Read "March last year"; in "we may this week" there is only the week."""
    whole = spans.containing(m.wall, m.one("unit"), m.sign())
    return m.span(spans.within(Cycle("month", m.one("maybe")), whole) if m.one("unit") == "year" else whole)


def relative_cycle(m: Match) -> Token | None:
    """Read "last Tuesday", "this March", "next summer"."""
    cycle, sign = m.one("cycle"), m.sign()
    if sign < 0:
        return m.span(spans.latest(cycle, m.wall, over=True))
    if cycle.kind == "weekday":
        return m.span(spans.within(cycle, spans.containing(m.wall, "week", sign)))
    return m.span(spans.upcoming(cycle, m.wall) if sign else spans.within(cycle, spans.containing(m.wall, "year")))


def day(m: Match) -> Token | None:
    return m.span(spans.containing(m.wall, "day", m.one("dayword")))


def part_of_today(m: Match) -> Token | None:
    day = spans.containing(m.wall, "day", m.one("tonight") or m.sign())
    return m.span(_hours(day, m.one("part") or (18, 30)))


def part_of_day(m: Match) -> Token | None:
    span = m.resolved(m.one("span", "cycle"))
    return m.span(_hours(span, m.one("part")) if span and span.days == 1 else span)


def _hours(day: Span, hours: tuple[int, int]) -> Span:
    return Span(day.start + timedelta(hours=hours[0]), day.start + timedelta(hours=hours[1]))


def ago(m: Match) -> Token | None:
    length = m.one("duration", "short")
    if m.one("in") and length.seconds:  # "runs in 9 seconds"
        return None
    return m.span(spans.around(m.shifted(length, 1 if m.one("hence", "in") else -1), length.unit))


def offset(m: Match) -> Token | None:
    """Read "three days before X", "the week after X"."""
    anchor = m.resolved(m.one("span", "cycle", "year"))
    sign = -1 if m.one("before") else 1
    if anchor is None:
        return None
    unit, length = m.one("unit"), m.one("duration")
    if unit:
        return m.span(spans.containing(anchor.start, unit, sign))
    return m.span(
        spans.around(spans.moved(anchor.start, length, sign), length.unit if length.unit != "second" else "day")
    )


def _object(m: Match) -> Span | None:
    """Return what the phrase is about: its span, cycle or year, else "the month" = this one."""
    value = m.one("span", "cycle", "year")
    if value is not None:
        return m.resolved(value)
    unit = m.all("unit")[-1]
    return spans.containing(m.wall, unit) if unit in _CALENDAR_UNITS else None


def third(m: Match) -> Token | None:
    """Read "early March", "the end of the month" as thirds, in whole days."""
    span, third = _object(m), m.one("early", "edge")
    if span is None or span.days < 3:
        return m.span(span)
    days = round(span.days)
    return m.span(Span(span.start + third * days // 3 * DAY, span.start + (third + 1) * days // 3 * DAY))


def nth(m: Match) -> Token | None:
    """Read "the first Monday of March", "the last week of 2025", "the first two days of the month"."""
    whole = m.tokens[-1]
    span = m.resolved(whole.value) if whole.kind != "unit" else _object(m)
    n = m.one("nth", "ordinal") or -1
    if span is None:
        return None
    what = next(t for t in m.tokens if t.kind in ("cycle", "unit", "duration"))
    if what.kind == "cycle":
        return m.span(spans.within(what.value, span, n))
    length = what.value if what.kind == "duration" else spans.duration(1, what.value)
    if n == -1:
        return m.span(Span(max(span.start, spans.moved(span.end, length, -1)), span.end))
    if what.kind == "duration" and n != 1:
        return None
    start = span.start
    for _ in range(n - 1):
        start = spans.moved(start, length, 1)
    end = spans.moved(start, length, 1)
    return m.span(Span(start, min(end, span.end)) if start < span.end else None)


def unit_of(m: Match) -> Token | None:
    """Read "the week of Feb 9": the calendar unit around it."""
    span, unit = m.resolved(m.one("span", "cycle", "year")), m.one("unit")
    return m.span(spans.containing(span.start, unit) if span else None)


def unit_of_day(m: Match) -> Token | None:
    """Read "the week of the 18th"."""
    day = spans.latest(Cycle("day", m.one("ordinal")), m.wall)
    return m.span(spans.containing(day.start, m.one("unit")) if day else None)


def day_in(m: Match) -> Token | None:
    """Read "the 20th of last month"."""
    span, day = m.one("span"), m.one("ordinal", "nth")
    return m.span(spans.within(Cycle("day", day), span) if 27 < span.days < 32 else span)


def cycle_in(m: Match) -> Token | None:
    """Read "March last year", "last week on Tuesday"; where the two do not fit together the narrower one stands."""
    cycle, whole = m.one("cycle"), m.resolved(m.one("span", "year"))
    if whole is None:
        return None
    if cycle.kind == "weekday" and whole.days > 7:
        return m.make("cycle", cycle)
    found = spans.within(cycle, whole)
    return m.span(found or (whole if whole.days <= 1 else None)) or m.make("cycle", cycle)


def most_recent(m: Match) -> Token | None:
    return m.span(m.resolved(m.one("cycle")))


def part_in(m: Match) -> Token | None:
    """Read "Tuesday morning last week"."""
    day = spans.within(m.one("cycle"), m.one("span"))
    return m.span(_hours(day, m.one("part")) if day and day.days == 1 else day)


def _between(m: Match, first: Any, last: Any) -> Token | None:
    """Return from the beginning of ``first`` to the end of ``last``; a cycle is read as near the other end as fits."""
    if isinstance(first, Cycle):
        end = m.resolved(last)
        start = spans.latest(first, end.start) if end else None
    else:
        start = m.resolved(first)
        end = m.resolved(last, after=start if start and isinstance(last, Cycle) else None)
    return m.span(Span(start.start, end.end) if start and end and start.start < end.end else None)


def from_to(m: Match) -> Token | None:
    values = m.all("span", "cycle", "year")
    if m.one("now"):
        values.insert(0 if m.tokens[1].kind == "now" else 1, Span(m.wall, m.wall))
    return _between(m, values[0], values[1])


def since(m: Match) -> Token | None:
    start = m.resolved(m.one("span", "cycle", "year"))
    return m.span(Span(start.start, max(spans.day_span(m.wall).end, start.end)) if start else None)


def until(m: Match) -> Token | None:
    end = m.resolved(m.one("span", "cycle", "year"))
    return m.span(Span(_BEGINNING, end.end if m.one("until") else end.start) if end else None)


def after(m: Match) -> Token | None:
    start = m.resolved(m.one("span", "cycle", "year"))
    today = spans.day_span(m.wall)
    return m.span(Span(start.end, today.end if start.end < today.end else _END) if start else None)
