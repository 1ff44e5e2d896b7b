"""What relative and composed phrases mean: one function per kind of phrase, from the tokens it matched to a span.

Readings are those of someone who looks back, unless the prompt looks ahead ("what's on in December"). "Three weeks ago" means that day give or take half a week, "the last
three weeks" reaches until the end of today. Clock times narrow nothing, because notes are dated by the day.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from hookclaw_py.temporal import spans
from hookclaw_py.temporal.lexer import Token
from hookclaw_py.temporal.match import Match
from hookclaw_py.temporal.spans import DAY, Cycle, Span

_BEGINNING, _END = datetime(1900, 1, 1), datetime(2200, 1, 1)
_LAST = 2  # of the thirds
_CALENDAR_UNITS = ("week", "month", "quarter", "year", "decade")


def duration(m: Match) -> Token | None:
    """Read "two weeks", "a year and three months"."""
    parts = [spans.duration(n, unit) for n, unit in zip(m.all("number") or [1], m.all("unit", "units"), strict=True)]
    total = parts[0]
    for part in parts[1:]:
        total = spans.together(total, part)
    return m.make("duration", total)


def one_or_two(m: Match) -> Token | None:
    """Read "a week or two"."""
    return m.make("duration", spans.duration(sum(m.all("number")) / 2, m.one("unit")))


def rolling(m: Match) -> Token | None:
    """Read "the last N units", until the end of today; hours and minutes until now. "The last days" are three, the next ones a week."""
    few = 1 if m.one("unit") else 7 if m.one("next") and m.one("units") == "day" else 3
    length = m.one("duration", "short") or spans.duration(m.one("number") or few, m.one("unit", "units"))
    today = spans.day_span(m.wall)
    if m.one("next"):
        return m.span(
            Span(m.wall, spans.day_span(m.shifted(length, 1)).end if not length.seconds else m.shifted(length, 1))
        )
    start = m.shifted(length, -1)
    return m.span(Span(start, m.wall) if length.seconds else Span(spans.midnight(start), today.end))


def these(m: Match) -> Token | None:
    """Read "这几天", "这两周": until so long from now, or since so long ago, by what one asks for; both where that is not said."""
    length, today = m.one("duration"), spans.day_span(m.wall)
    since = today.start if m.ahead else spans.midnight(m.shifted(length, -1))
    return m.span(Span(since, today.end if m.back else spans.day_span(m.shifted(length, 1)).end))


def calendar(m: Match) -> Token | None:
    """Read "last week", "this month", "next year": a calendar unit."""
    unit = m.one("unit") or "year"
    shift = (
        -2 if m.one("beforelast") else 2 if m.one("afternext") else m.sign() * (2 if m.one("before", "after") else 1)
    )
    if unit == "hour" and shift == -1:
        return m.span(Span(m.elapsed(-3600), m.wall))
    return m.span(spans.containing(m.wall, unit, shift) if unit != "day" else None)


def this_unit(m: Match) -> Token | None:
    """Read "earlier in the week", "over the weekend": this one, or the weekend that began last; looking ahead, the one that comes."""
    unit = m.one("unit")
    if unit == "weekend":
        return m.span(spans.containing(m.wall, unit, 0 if m.ahead or m.wall.weekday() >= 5 else -1))
    return m.span(spans.containing(m.wall, unit) if m.one("earlier") and unit in _CALENDAR_UNITS else None)


def rest_of_unit(m: Match) -> Token | None:
    """Read "the rest of the week", from today on."""
    unit = m.one("unit")
    whole = spans.containing(m.wall, unit) if unit in ("week", *_CALENDAR_UNITS) else None
    return m.span(Span(spans.midnight(m.wall), whole.end) if whole else None)


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


def before_last(m: Match) -> Token | None:
    """Read "the Friday before last", "the night before last"."""
    cycle = m.one("cycle")
    if cycle is None:
        return m.span(_hours(spans.containing(m.wall, "day", -2), m.one("part")))
    last = spans.latest(cycle, m.wall, over=True)
    return m.span(spans.latest(cycle, last.start - DAY) if last else None)


def weekdays_ago(m: Match) -> Token | None:
    """Read "two Fridays ago"."""
    last = spans.latest(Cycle("weekday", m.one("weekdays")), m.wall)
    return m.span(spans.containing(last.start, "day", -7 * (int(m.one("number")) - 1)) if last else None)


def days_ago(m: Match) -> Token | None:
    """Read "two nights ago" as the day that it began."""
    return m.span(spans.containing(m.wall, "day", -int(m.one("number"))))


def genitive(m: Match) -> Token | None:
    """Read "last weeks summary", an apostrophe short of "last week's"; "last days" is no such thing."""
    word, unit = m.tokens[-1], m.one("units")
    if m.lowered[word.start : word.end] == f"{unit}s" and unit in _CALENDAR_UNITS:
        return m.span(spans.containing(m.wall, unit, m.sign()))
    return rolling(m) if m.sign() else None


def day(m: Match) -> Token | None:
    """Read "today", "yesterday", "the day before yesterday"."""
    return m.span(spans.containing(m.wall, "day", m.one("dayword") - len(m.all("other"))))


def part_of_today(m: Match) -> Token | None:
    """Read "tonight", "this morning", "last night"."""
    day = spans.containing(m.wall, "day", m.one("tonight") or m.sign())
    return m.span(_hours(day, m.one("part") or (18, 30)))


def part_of_day(m: Match) -> Token | None:
    """Read "Tuesday morning"."""
    span = m.resolved(m.one("span", "cycle"))
    return m.span(_hours(span, m.one("part")) if span and span.days == 1 else span)


def _hours(day: Span, hours: tuple[int, int]) -> Span:
    return Span(day.start + timedelta(hours=hours[0]), day.start + timedelta(hours=hours[1]))


_AHEAD_IN_ITALIAN = ("tra", "fra")  # other languages' "between" says that of no length of time


def ago(m: Match) -> Token | None:
    """Read "three weeks ago", "in two days", "tra due giorni"."""
    length = m.one("duration", "short")
    if m.one("in") and length.seconds:  # "runs in 9 seconds"
        return None
    first = m.tokens[0]
    if first.kind == "between" and m.lowered[first.start : first.end] not in _AHEAD_IN_ITALIAN:
        return None
    return m.span(spans.around(m.shifted(length, 1 if m.one("hence", "in", "between") else -1), length.unit))


def ago_to_the_day(m: Match) -> Token | None:
    """Read "a year ago today", "a week ago yesterday", and "heute in zwei Wochen"."""
    day, length, ahead = m.one("dayword"), m.one("duration"), m.one("in")
    start = spans.containing(m.wall, "day", day).start
    if ahead and (day < 0 or length.seconds):  # "gestern in einer Stunde geschafft" says how long
        return m.span(spans.day_span(start))
    return m.span(spans.day_span(spans.moved(start, length, 1 if ahead else -1)))


def offset(m: Match) -> Token | None:
    """Read "three days before X", "the week after X"; "a week from Monday" counts from the Monday that comes."""
    anchor, unit, length = m.one("span", "cycle", "year"), m.one("unit"), m.one("duration")
    if length and isinstance(anchor, Cycle) and anchor.kind == "weekday" and any(t.kind == "from" for t in m.tokens):
        anchor = spans.upcoming(anchor, m.wall)
    anchor = m.resolved(anchor)
    sign = -1 if m.one("before") else 1
    if anchor is None:
        return None
    if unit:
        return m.span(spans.containing(anchor.start, unit, sign))
    return m.span(
        spans.around(spans.moved(anchor.start, length, sign), length.unit if length.unit != "second" else "day")
    )


def beside(m: Match) -> Token | None:
    """Read "the Tuesday before Thanksgiving", "the Monday after Feb 9"."""
    cycle, anchor = m.one("cycle"), m.resolved(m.tokens[-1].value)
    if anchor is None or cycle.kind != "weekday":
        return m.make("cycle", cycle)
    return m.span(spans.latest(cycle, anchor.start) if m.one("before") else m.resolved(cycle, after=anchor))


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


def third_in(m: Match) -> Token | None:
    """Read "mid June last year", "去年六月中旬"; where the two do not fit together the month stands."""
    cycle, whole = m.one("cycle"), m.resolved(m.one("span", "year"))
    month = spans.within(cycle, whole) if whole else None
    return third(
        Match([Token("early", m.one("early"), 0, 0), m.make("span", month or cycle) or m.tokens[0]], m.now, "")
    )


def half(m: Match) -> Token | None:
    """Read "the first half of 2025", "the second half of October"."""
    span, first = _object(m), m.one("nth", "ordinal") == 1
    if span is None or span.days < 2 or m.one("nth", "ordinal") not in (None, 1, 2):
        return None
    whole_year = span.end == spans.shift_months(span.start, 12)
    middle = spans.shift_months(span.start, 6) if whole_year else span.start + round(span.days / 2) * DAY
    return m.span(Span(span.start, middle) if first else Span(middle, span.end))


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
    day = m.resolved(Cycle("day", m.one("ordinal")))
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
    """Read what comes again as the last time it came, or looking ahead as the next."""
    return m.span(m.resolved(m.one("cycle")))


def part_in(m: Match) -> Token | None:
    """Read "Tuesday morning last week"."""
    day = spans.within(m.one("cycle"), m.one("span"))
    return m.span(_hours(day, m.one("part")) if day and day.days == 1 else day)


def from_to(m: Match) -> Token | None:
    """Read "from March to May", "between Monday and now"."""
    values = m.all("span", "cycle", "year")
    if m.one("now"):
        values.insert(0 if m.tokens[1].kind == "now" else 1, Span(m.wall, m.wall))
    return m.between(values[0], values[1])


def since(m: Match) -> Token | None:
    """Read "since March", which has been, and "from March on"."""
    value = m.one("span", "cycle", "year")
    start = spans.latest(value, m.wall) if m.one("since") and isinstance(value, Cycle) else m.resolved(value)
    return m.span(Span(start.start, max(spans.day_span(m.wall).end, start.end)) if start else None)


def until(m: Match) -> Token | None:
    """Read "until March", "before March"; who looks ahead means from today on."""
    end = m.resolved(m.one("span", "cycle", "year"), bound=True)
    return _until(m, end.end if m.one("until") else end.start) if end else None


def before_third(m: Match) -> Token | None:
    """Read "before the end of the month", which is over with the month; "before mid March", "before late March"."""
    whole, third = _object(m), next(token for token in m.tokens if token.kind in ("early", "edge"))
    if whole is None:
        return None
    is_end = third.value == _LAST and m.lowered[third.start : third.end] != "late"
    return _until(m, whole.end if is_end else whole.start + third.value * round(whole.days) // 3 * DAY)


def _until(m: Match, last: datetime) -> Token | None:
    today = spans.day_span(m.wall)
    return m.span(Span(today.start if m.ahead and last > today.end else _BEGINNING, last))


def by(m: Match) -> Token | None:
    """Read "by Friday", "bis Freitag", which is from today until then where it is looked ahead; else it is that Friday."""
    first, last = m.tokens[0], m.tokens[-1]
    end = m.resolved(m.one("span", "cycle", "year"), bound=True)
    today, german = spans.day_span(m.wall), m.lowered[first.start : first.end] == "bis"
    if not m.ahead or end is None or end.end <= today.end or not (german or first.kind == "by"):
        return last
    return m.span(Span(today.start, end.end))


def after(m: Match) -> Token | None:
    """Read "after March"."""
    start = m.resolved(m.one("span", "cycle", "year"), bound=True)
    today = spans.day_span(m.wall)
    return m.span(Span(start.end, today.end if start.end < today.end else _END) if start else None)
