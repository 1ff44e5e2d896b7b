"""The values of a sentence: its times, dates, weekdays and amounts, each of a sort, and those that it calls former."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.news import MONTH_NAMES, MONTHS
from hookclaw_py.temporal.words import LEXICON

Values = Mapping[str, frozenset[str]]
"""The values of a sentence, by their sort."""

_UNITS = r"days?|weeks?|months?|years?|hours?|minutes?|min|times?|bar|km|cm|mm|m2|m²|kg|kwh|%|percent|°\s?c|euros?|eur|€|\$|tage|wochen|monate|jahre|stunden|minuten|mal|grad|jours|semaines|mois|ans|días|semanas|meses|años"
_MORE = r"(?:/\d[\d:]*)+|(?:,\ \d[\d.:]*)*,?\ (?:and|und|et|y)\ \d[\d.:]*(?!\ (?:is|are|ist|sind|it|we)\b)"
"""What follows the first of several values of one list: "7/14/30", "8, 12 and 16"."""
_FORMER = regex(
    r"""(?xi) \b(?: (?:not | no | nicht | pas | no\ more | no\ longer | instead\ of | statt | au\ lieu\ de | en\ vez\ de | was | were | war | mit)\ (?P<day>am\ |de[mnr]\ )?(?:on\ )?(?:the\ )?(?P<not>[\w:]+(?:[.,]\d+)*)(?P<not_more>MORE)?
      | (?:from | von | vom | de)\ (?:the\ )?(?P<from>\d[\d.:]*(?:,\d[\d.:]*)*(?:st|nd|rd|th)?)(?P<from_more>MORE)?(?:\s\w+)?\s(?:to | down | up | auf | zum | à | a)\b
      | (?<![\w.,:])(?P<before>\d[\d.:]*+(?:,\d[\d.:]*+)*+)(?:\s?\w{1,9})?\s?(?:→|->|=>)(?=\s?[€$£]?\d)
      | \b(?<!:)(?<!\d[.,])(?P<wrong>[\w:]++(?:[.,]\d+)*+)(?:\ ?(?:UNITS))?\ (?:was|is|were|are|war|ist|sind|était|est|era|es)\ (?:wrong|incorrect|a\ mistake|falsch|faux|fausse|incorrect[oa])\b )""".replace(
        "UNITS", _UNITS
    ).replace("MORE", _MORE)
)
_MOVES = regex(
    r"""(?xi) \b(?: (?:chang|mov|switch|replac|renam|rais|increas|reduc|lower|postpon|shift|extend|push|cut|upgrad|migrat)(?:e?s|e?d|ing|e)? | goes | went | going | rose | fell | grew | brought | put | now | new
      | passe | passé | chang\w+ | déplac\w+ | report\w+ | pas[aó] | cambi\w+ )\b"""
)
_LASTS = regex(r"(?i)\b(?:is|are|was|were|be|open|closed|away|available|free|there|works?|stays?|runs?|lasts?)\s+$")
_WAS = regex(r"(?i)(?:was|were|war|mit)\b")
_CLOCK = regex(
    r"(?i)(?<![\w.,])(?:[01]?\d|2[0-4])(?::[0-5]\d|\s?h(?:[0-5]?\d)?)\b|\b\d{1,2}(?:[:.]\d\d)?\s?(?:uhr|am|pm)\b"
)
PHONE = regex(
    r"""(?x) (?<![\w.,:/-]) (?<!\d\ ) (?!\d\d[-./]\d\d[-./]\d{2,4}\b)
      (?: (?:\+\d{1,3}|\(?0\d)[\d()/\ -]{5,16}\d | \(?[2-9]\d\d\)?[\ .-]\d{3}[\ .-]\d{4} | [6-9]\d\d(?:\ \d\d){3} ) (?![\w.,:]\d|\d)"""
)
_ADDRESS = regex(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
_MEASURED = regex(rf"(?i)(?<![\w.,:])(?P<number>\d[\d.,]*k?)\s?(?P<unit>{_UNITS})(?!\w)")
_NUMBER = regex(r"(?<![\w.,:/-])(?!(?:19|20)\d\d\b)\d[\d.,]*[kK]?(?![\w:/-])")
_WEEKDAYS = {word: value for word, (kind, value) in LEXICON.items() if kind in ("weekday", "weekdays")}
_DATE = regex(
    rf"""(?xi) \b(?: (?P<day1>\d{{1,2}})(?:\.|st|nd|rd|th|er)?\s+(?:de\s+|of\s+)?(?P<month1>{MONTH_NAMES})
      | (?P<month2>{MONTH_NAMES})\s+(?:the\s+)?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:]|[.,]\d|\s?(?:{_UNITS}|uhr|[ap]m)(?!\w))
      | (?P<day3>[0-3]?\d)\.(?P<month3>0?[1-9]|1[0-2])\.(?:20\d\d)?(?!\d) | (?:{MONTH_NAMES})\s+(?:de\s+)?20\d\d )(?!\w)"""
)
_DAY = regex(
    r"""(?xi) \b(?: the\ (?P<nth>\d{1,2})(?:st|nd|rd|th)(?=\s*(?:[,.;:!)–-]|$|(?:at|of|in|to|and|or|but|from|until|till|instead|not|now|then|tho|though|for|with|since|because|cos|please|pls)\b))
      | (?:am|vom|zum|de[mnr])\ (?P<day>\d{1,2})(?:\.(?!\d|\s+(?-i:[A-ZÄÖÜ]))|$) )"""
)
_LONGEST_DATE = 40  # characters
_OF_LIST = regex(r"\d[\d.:]*")
_DAY_OF = regex(r"\d+\.(?=\d)")
_WORD = regex(r"\w+")
_SHORT_THOUSANDS = regex(r"\d+(?:[.,]\d{1,2})?k")
_THOUSANDS = regex(r"[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?:\.\d{3})+")
_HOUR = regex(r"(\d{1,2})(?:[:.h](\d\d)?)?")
_NTH = regex(r"(?i)(\d{1,2})(?:st|nd|rd|th)")


class Value(NamedTuple):
    """A value in a sentence: its sort, what it is, and where it stands; of a measure that is where its number does."""

    sort: str
    value: str
    start: int
    end: int


def values_of(said: str) -> Values:
    """Return what a sentence holds of times, dates, weekdays and amounts, each by its sort; a date is of a day ("12.") as well."""
    found: dict[str, set[str]] = {}
    for sort, value, *_ in values_in(said):
        found.setdefault(sort, set()).add(value)
        if sort == "date" and (day := _DAY_OF.match(value)):
            found.setdefault("day", set()).add(day[0])
    return {sort: frozenset(values) for sort, values in found.items()}


def values_in(said: str) -> list[Value]:
    """Return the values of a sentence, each once, in whatever order."""
    found: list[Value] = []
    rest = said

    def take(pattern: re.Pattern[str], told: Callable[[re.Match[str]], tuple[str, str]], group: str | int = 0) -> None:
        nonlocal rest
        found.extend(Value(*told(match), *match.span(group)) for match in pattern.finditer(rest))
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)

    take(PHONE, lambda match: ("phone", "".join(filter(str.isdigit, match[0]))))
    take(_ADDRESS, lambda match: ("address", match[0]))
    take(_DATE, lambda match: ("date", _date(match)))
    take(_DAY, lambda match: ("day", f"{int(match['nth'] or match['day'])}."))
    take(
        _MEASURED,
        lambda match: (f"in {match['unit'].casefold().rstrip('s')}", _digits(match["number"])),
        "number",
    )
    take(_CLOCK, lambda match: ("clock", _time(match[0])))
    for match in _WORD.finditer(rest):
        days = [f"day {_WEEKDAYS[word]}" for word in text.words(match[0]) if word in _WEEKDAYS]
        found.extend(Value("weekday", day, *match.span()) for day in days)
    take(_NUMBER, lambda match: ("number", _digits(match[0])))
    return found


def dates_in(said: str) -> list[tuple[int, int]]:
    """Return where the dates stand in a sentence."""
    return [match.span() for match in _DATE.finditer(said)]


def _date(match: re.Match[str]) -> str:
    day = _day_and_month(match)
    return f"{day[0]}.{day[1]}." if day else _plain(match[0])


def _plain(value: str) -> str:
    return re.sub(r"\s|\.(?!\d)", "", value.casefold()).strip(",.:")


def _digits(value: str) -> str:
    """Return a number as it is compared: "1,150" is 1150, "20k" is 20000."""
    number = _plain(value).strip(",.")
    if _SHORT_THOUSANDS.fullmatch(number):
        return f"{(Decimal(number[:-1].replace(',', '.')) * 1000).normalize():f}"
    return "".join(filter(str.isdigit, number)) if _THOUSANDS.fullmatch(number) else number


def _time(value: str) -> str:
    """Return a time of day as it is compared: "5am" and "05:00" are the same, "5 pm" and "17h" too."""
    plain = _plain(value)
    hour, minutes = (int(part or 0) for part in _HOUR.match(plain).groups())  # type: ignore[union-attr]
    if plain.endswith(("am", "pm")):
        hour = hour % 12 + 12 * plain.endswith("pm")
    return f"{hour}:{minutes:02}"


def former_values(said: str) -> frozenset[frozenset[str]]:
    """Return the values that a sentence calls former: "not 5433", "from 780 to 815", "780 → 815", "not monday", "not the 12th"; those of a list together: "instead of 7/14/30"."""
    found = ((_called(said, match), *_listed_with(match)) for match in _formerly(said))
    return frozenset(frozenset(values) for values in found if values[0])


def sets_right(said: str) -> bool:
    """Say whether a sentence says of a value that it does not hold, and not only that it was so once."""
    return any(_called(said, match) for match in _formerly(said) if not _WAS.match(match[0]))


def _formerly(said: str) -> list[re.Match[str]]:
    return [match for match in _FORMER.finditer(said) if not (match["from"] and _is_range(said, match))]


def _is_range(said: str, former: re.Match[str]) -> bool:
    """Say whether "from 8 to 12 march" tells how long something lasts, and of nothing that it changed."""
    until = said[former.end() :].lstrip()
    lasts = _DATE.match(until) or _CLOCK.match(until) or _LASTS.search(said[: former.start()])
    return bool(lasts) and former[0].endswith(("to", " a", "à")) and not _MOVES.search(said)


def _called(said: str, former: re.Match[str]) -> str:
    group = next(group for group in ("not", "from", "before", "wrong") if former[group])
    word = former[group].casefold()
    begin, end = former.span(group)
    dates = (_DATE.match(said, begin), *_DATE.finditer(said, max(0, begin - _LONGEST_DATE), end))
    if date := next((one for one in dates if one and _is_at(one, (begin, end)) and _day_and_month(one)), None):
        return _date(date)
    if word in _WEEKDAYS:
        return f"day {_WEEKDAYS[word]}"
    if nth := _NTH.fullmatch(word):
        return f"{int(nth[1])}."
    if _CLOCK.fullmatch(word):
        return _time(word)
    value = _digits(word.strip(".,:")) if word[:1].isdigit() else ""
    return f"{int(value)}." if former["day"] and value.isdigit() else value


def _listed_with(former: re.Match[str]) -> list[str]:
    """Return the other values of a list of bare numbers that is called former."""
    more, first = former["not_more"] or former["from_more"], former["not"] or former["from"]
    is_bare = more and not former["day"] and first.strip(",.").replace(":", "").isdigit()
    return [value.strip(".,:") for value in _OF_LIST.findall(more)] if is_bare else []


def _is_at(date: re.Match[str], span: tuple[int, int]) -> bool:
    """Say whether a date begins or ends where what is called former does."""
    return date.start() == span[0] or date.end() == span[1]


def _day_and_month(date: re.Match[str]) -> tuple[int, int] | None:
    day, month = (date[f"{what}1"] or date[f"{what}2"] or date[f"{what}3"] for what in ("day", "month"))
    if not day:
        return None
    return int(day), int(month if month.isdigit() else MONTHS[month.casefold()])
