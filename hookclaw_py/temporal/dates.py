"""What numbers and dates mean: one function per kind of phrase, from the tokens it matched to a span or a cycle.

Readings are those of someone who looks back: a bare weekday, month or day of the year is the most recent one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from hookclaw_py.regex import regex
from hookclaw_py.temporal import spans
from hookclaw_py.temporal.lexer import Token
from hookclaw_py.temporal.match import Action, Match
from hookclaw_py.temporal.spans import Cycle, Span
from hookclaw_py.text import fold, guess_language

_TO_A_PERSON = regex(r"\b(?:ask(?:ed)?|tell|told|call(?:ed)?|email(?:ed)?|text(?:ed)?|invited?|met)\s+\Z")
_BY_A_PERSON = regex(
    r"\s+(?:sa(?:id|ys?)|ask(?:s|ed)|t(?:old|ells)|thinks?|thought|wants?|likes?|loves?|prefers?|mentioned|suggested)\b"
)
_SHARE = regex(r"\s*(?:%|por\s+ciento|per\s+(?:cento|mille)|pour\s*cent|prozent)")
_GOES_ON = regex(
    r"\s*(?:[?!.,;:]|$|(?:j|c|qu)['’]|(?:on|je|tu|il|elle|nous|vous|ils|elles|qui|quoi|que|ça|y|a|à|vers|est|en|et)\b)"
)
"""What may stand behind "le 1er" where that is a day."""
_WORD = regex(r"[^\W\d_]+")
_LE = regex(r"\b(?:le|el|il|du|del)\s+\Z")
_OF_IT = regex(r"\s+(?:d[eu]|del|des)\b|\s+d['’]")
_IN_FULL = regex(r"\d\d\.\d\d\.(?!\d)")
_SOON = timedelta(days=31)
_DAY_KINDS = ("number", "ordinal", "nth")


def nothing(_: Match) -> None:
    """Read what only looks like a date: a greeting, a habit."""


def number(value: Callable[[Match], Any], kind: str = "number") -> Action:
    """Return a reading of the match as a number, or as another token of a number."""
    return lambda m: m.make(kind, value(m))


def constant(kind: str, value: Any) -> Action:
    """Return a reading that is the same whatever matched."""
    return lambda m: m.make(kind, value)


def compound(m: Match) -> Token | None:
    """Read "twenty one" and "twenty first"."""
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


def month(m: Match) -> Token | None:
    """Read a month that stands alone, unless it is the April one asks or the June who said so."""
    name = m.tokens[0]
    person = _TO_A_PERSON.search(m.lowered, max(0, name.start - 12), name.start) or _BY_A_PERSON.match(
        m.lowered, name.end
    )
    return None if person else m.make("cycle", Cycle("month", name.value))


def month_day(m: Match) -> Token | None:
    """Read a month and a day of it, with a year or without; "Tuesday 1 December" is the day nearest to today that is a Tuesday."""
    cycle = Cycle("date", m.one("month", "maybe"), m.one(*_DAY_KINDS))
    year = m.one("year")
    if year is not None:
        return m.span(spans.day_span(datetime(year, cycle.value, cycle.day)))
    if named := _on_weekday([cycle], m):
        return m.span(named)
    return m.make("cycle", cycle if cycle.day <= 28 or spans.latest(cycle, m.wall) else None)


def month_day_short_year(m: Match) -> Token | None:
    """Read "3 Nov 26" as a day of 2026; in "3 Nov 150" there is only the day."""
    number = m.tokens[-1].value
    if abs(m.wall.year % 100 - number) > 20:
        return month_day(Match(m.tokens[:-1], m.now, m.lowered))
    year = m.wall.year // 100 * 100 + number
    return m.span(spans.day_span(datetime(year, m.one("month", "maybe"), m.one(*_DAY_KINDS))))


def month_year(m: Match) -> Token | None:
    """Read a month of a year."""
    return m.span(spans.month_span(m.one("year"), m.one("month", "maybe")))


def months_of(m: Match) -> Token | None:
    """Read "Nov-Feb 2017", "June to August of 2025": the year is that of the last month."""
    first, last = m.all("month", "maybe")
    year = m.one("year")
    return m.span(Span(datetime(year - (first > last), first, 1), spans.month_span(year, last).end))


def two_months(m: Match) -> Token | None:
    """Read "January and February", which follow each other; of two others the second."""
    first, last = m.all("month", "maybe")
    if last != first % 12 + 1:
        return m.make("cycle", Cycle("month", last))
    return m.between(Cycle("month", first), Cycle("month", last))


def month_days(m: Match) -> Token | None:
    """Read "March 3 to 10", "3-10 March 2026", both days included."""
    first, last = m.one("range") or m.all(*_DAY_KINDS)
    month, year = m.one("month", "maybe"), m.one("year")
    if first > last:
        return None
    if year is None:
        return m.between(Cycle("holiday", month, first), Cycle("holiday", month, last))
    return m.span(Span(datetime(year, month, first), spans.day_span(datetime(year, month, last)).end))


def two_dates(m: Match) -> Token | None:
    """Read "3/1 - 3/10", "du 21/12 au 31/12"."""
    first, last = (_slashed(pair, m)[:1] for pair in m.all("slash"))
    return m.between(first[0], last[0]) if first and last else None


def with_slash(m: Match) -> Token | None:
    """Read "on 3/12", "avant le 3/12"; "vendredi 11/12" is the day nearest to today that is a Friday."""
    possible = _slashed(m.one("slash"), m)
    if named := _on_weekday(possible, m):
        return m.span(named)
    return m.make("cycle", possible[0]) if possible else None


def _on_weekday(possible: Sequence[Cycle], m: Match) -> Span | None:
    """Return the day nearest to today, within a year or so, that is one of these and of the weekday that is named, if one is."""
    weekday, years = m.one("weekday", "sat", "sun"), range(m.wall.year - 1, m.wall.year + 2)
    days = [day for cycle in possible for year in years for day in spans.occurrences(cycle, year)]
    named = [day for day in days if day.start.weekday() == weekday]
    return min(named, key=lambda day: abs(day.start - m.wall), default=None)


def le_with_slash(m: Match) -> Token | None:
    """Read "le 3/12", "del 3/12"; "the 3/4 sleeve", "le 3/4 du gâteau" and "scores of 3/4" are no days."""
    slash = m.tokens[-1]
    of_a_day = _LE.search(m.lowered, max(0, slash.start - 5), slash.start)
    return with_slash(m) if of_a_day and not _OF_IT.match(m.lowered, slash.end) else None


def _slashed(pair: tuple[int, int], m: Match) -> list[Cycle]:
    """Return the days that 4/22, 22/4 or 3/12 may be, the likelier one first: month first as English does, or day first as others do."""
    ways = (pair, pair[::-1]) if _english(m) else (pair[::-1], pair)
    return [Cycle("date", month, day) for month, day in ways if 1 <= month <= 12 and 1 <= day <= 31]


def _english(m: Match) -> bool:
    return guess_language([fold(word) for word in _WORD.findall(m.lowered)]) == "english"


def dotted(m: Match) -> Token | None:
    """Read "24.12." as a day and a month."""
    day, month = (int(n) for n in m.one("dotted").split("."))
    return m.make("cycle", Cycle("date", month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None)


def dotted_in_full(m: Match) -> Token | None:
    """Read "05.11." as a day and a month: "3.12" is a version as well."""
    at = m.tokens[0].start
    return dotted(m) if _IN_FULL.match(m.lowered, at) else None


def days(m: Match) -> Token | None:
    """Read "between the 3rd and the 5th"."""
    return m.between(*(Cycle("day", day) for day in m.all("ordinal")))


def days_dotted(m: Match) -> Token | None:
    """Read "vom 9. bis 13.11."."""
    last = dotted(m)
    return m.between(Cycle("day", m.one("ordinal")), last.value) if last else None


def weekday_the(m: Match) -> Token | None:
    """Read "Thursday the 21st": the 21st nearest to today that is a Thursday.

    "Friday 11", and "vendredi 20" before more words, are that day where one asks for what comes or was, and it is near; else the number is an hour, or
    how many come.
    """
    weekday, day = m.one("weekday", "sat", "sun"), m.one(*_DAY_KINDS)
    months = (spans.containing(m.wall, "month", shift) for shift in range(-14, 15))
    days = [
        span for month in months if (span := spans.within(Cycle("day", day), month)) and span.start.weekday() == weekday
    ]
    nearest = min(days, key=lambda span: abs(span.start - m.wall), default=None)
    goes_on = m.lowered[m.tokens[-1].end :].lstrip()[:1].isalnum()
    if m.tokens[-1].kind == "number" and (goes_on or day <= 12):
        asks = (m.ahead or m.back) and not (goes_on and _english(m))
        if not (asks and nearest and abs(nearest.start - m.wall) < _SOON and m.ahead is (nearest.start > m.wall)):
            read = Match(m.tokens[:1], m.now, m.lowered) if goes_on else m
            return read.make("cycle", Cycle("weekday", weekday))
    return m.span(nearest)


def cycle(kind: str, *kinds: str) -> Action:
    """Return a reading of one of these tokens as something that comes again."""
    return lambda m: m.make("cycle", Cycle(kind, m.one(*kinds)))


def holiday(m: Match) -> Token | None:
    """Read a holiday, its eve, and the Friday before or the Monday after a feast."""
    feast, weekday = m.one("feast"), m.one("weekday")
    if feast is not None:  # Good Friday comes before Easter, Easter Monday after
        near = 0 if weekday is None else weekday + 1 if weekday < 3 else weekday - 6
        return m.make("cycle", Cycle("feast", feast, near - bool(m.one("eve"))))
    month, day = m.one("holiday", "valentine")
    return m.make("cycle", Cycle("holiday", month, day - 1 if m.one("eve") else day))


def day_ahead(m: Match) -> Token | None:
    """Read "for the 5th" where plans are asked for, and "le 1er", which is no "1er étage"."""
    alone = not m.lowered[m.tokens[-1].end :].lstrip()[:1].isalnum()
    said = m.lowered[m.tokens[0].start : m.tokens[0].end] == "le" and _GOES_ON.match(m.lowered, m.tokens[-1].end)
    return m.make("cycle", Cycle("day", m.one("ordinal"))) if said or (m.ahead and alone) else None


def holiday_ahead(m: Match) -> Token | None:
    """Read a holiday by its bare name where plans are asked for: "plans for Easter"."""
    return holiday(m) if m.ahead else None


def fest(m: Match) -> Token | None:
    """Read a feast whose name is nothing else: "Heiligabend", "der zweite Weihnachtstag", "除夕"."""
    value = m.one("fest")
    cycle = Cycle(*value) if value[0] == "feast" else Cycle("holiday", *value)
    return m.make("cycle", cycle._replace(day=cycle.day + (m.one("nth") or 1) - 1))


def day_of_month(m: Match) -> Token | None:
    """Read "am 11.", "le 11", "el día 11", "il 16", which English would write as an ordinal; "el 10 por ciento" is none."""
    first, last, day = m.tokens[0], m.tokens[-1], m.one("number", "ordinal")
    german = m.lowered[last.end - 1] == "." and m.lowered[max(0, first.start - 2) : first.end] != "i am"
    if not (german if m.one("am") else m.lowered[first.start : first.end] in ("le", "el", "il", "l")):
        return None
    real = 1 <= day <= 31 and not _SHARE.match(m.lowered, last.end)
    return m.make("cycle", Cycle("day", day) if real else None)


def black_friday(m: Match) -> Token | None:
    """Read "Black Friday", the day after Thanksgiving; another black weekday is that weekday."""
    weekday = m.one("weekday")
    return m.make("cycle", Cycle("feast", 1, 1) if weekday == 4 else Cycle("weekday", weekday))


def new_year(m: Match) -> Token | None:
    """Read "new year", and the eve of it."""
    if m.all("unit")[:1] != ["year"]:
        return None
    return m.make("cycle", Cycle("holiday", 12, 31) if m.one("eve") else Cycle("holiday", 1, 1))


def year(m: Match) -> Token | None:
    """Read a year that stands alone or is called one."""
    return m.span(spans.month_span(m.one("year"), 1, 12) if m.one("unit") in (None, "year") else None)


def quarter_year(m: Match) -> Token | None:
    """Read a quarter of a year."""
    return m.span(spans.month_span(m.one("year"), 3 * m.one("quarter") - 2, 3))


def half_year(m: Match) -> Token | None:
    """Read a half of a year."""
    return m.span(spans.month_span(m.one("year"), 6 * m.one("halfyear") - 5, 6))


def week_number(m: Match) -> Token | None:
    """Read "week 46" and "the 46th week"."""
    number = m.one("number", "ordinal")
    return m.make("cycle", Cycle("week", number) if m.one("unit") in (None, "week") and 1 <= number <= 53 else None)


def week_of_work(m: Match) -> Token | None:
    """Read "in week 46"; fewer than ten may be the weeks of a course."""
    return week_number(m) if m.one("number") >= 10 else None


def quarter_ordinal(m: Match) -> Token | None:
    """Read "the third quarter", "im ersten Quartal 2026"."""
    number, year = m.one("nth", "ordinal"), m.one("year")
    if m.one("unit") != "quarter" or number > 4:
        return None
    return (
        m.make("cycle", Cycle("quarter", number)) if year is None else m.span(spans.month_span(year, 3 * number - 2, 3))
    )


def decade(m: Match) -> Token | None:
    """Read "the nineties"."""
    return m.span(spans.month_span(m.one("decade", "decades"), 1, 120))


def elsewhere(m: Match) -> Token | None:
    """Read what the grammar lacks with dateparser."""
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


_LANGUAGES = ("pl", "cs", "sk", "sv", "da", "nb", "fi", "hu", "ro", "tr", "uk", "bg", "el", "hr", "id")
