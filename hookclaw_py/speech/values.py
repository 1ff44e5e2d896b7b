"""Values: what a sentence holds of times, days, amounts and addresses, each by its sort; only what is of one sort can differ."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.temporal.words import LEXICON

Values = Mapping[str, frozenset[str]]

WEEKDAYS = {word: value for word, (kind, value) in LEXICON.items() if kind in ("weekday", "weekdays")}
_OTHER_WORDS = frozenset(("one", "eins", "один", "одну", "due", "dos", "neuf"))  # they mostly mean something else
_COUNTS = {"single": "1"} | {
    word: str(value) for word, (kind, value) in LEXICON.items() if kind == "number" and word not in _OTHER_WORDS
}
_COUNT = "|".join(sorted(_COUNTS, key=len, reverse=True))
_UNITS = r"days?|weeks?|months?|years?|hours?|minutes?|min|times?|bar|km|kg|kwh|%|percent|°\s?c|euros?|eur|€|\$|tage|wochen|monate|jahre|stunden|minuten|mal|grad|jours|semaines|mois|ans|días|semanas|meses|años"
_CLOCK = regex(
    r"(?i)(?<![\w.,])(?:[01]?\d|2[0-4])(?::[0-5]\d|\s?h(?:[0-5]?\d)?)\b|\b\d{1,2}(?:[:.]\d\d)?\s?(?:uhr|am|pm)\b"
)
_ADDRESS = regex(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
_MEASURED = regex(rf"(?i)(?<![\w.,:])(?P<number>\d[\d.,]*|\b(?:{_COUNT}))\s?(?P<unit>{_UNITS})(?!\w)")
_AN_HOUR = regex(r"(?i)(?<!half )\b(?:an|eine|une|una)\s+(?P<unit>hour|stunde|heure|hora)\b")
_SUFFIXED = regex(r"(?i)(?<![\w.,:])(?P<number>\d[\d.,]*)(?P<unit>[a-z]{1,4})\b")
_ORDINALS = ("st", "nd", "rd", "th", "er", "e")
_NUMBER = regex(r"(?<![\w.,:/-])(?!(?:19|20)\d\d\b)\d[\d.,]*(?![\w:/-])")
_MONTH = "|".join(sorted((w for w, (kind, _) in LEXICON.items() if kind in ("month", "maybe")), key=len, reverse=True))
_DATE = regex(
    rf"(?i)\b(?:\d{{1,2}}(?:\.|st|nd|rd|th|er)?\s+(?:de\s+|of\s+)?(?:{_MONTH})|(?:{_MONTH})\s+(?:de\s+)?20\d\d)\b"
)
_SPECIFIC = regex(r"\d+[.,:]\d|\d{3}")


def values_of(said: str) -> Values:
    """Return what a sentence holds of times, dates, weekdays and amounts, in digits or in words, each by its sort."""
    found: dict[str, set[str]] = {}
    rest = said

    def take(pattern: re.Pattern[str], sort: str) -> None:
        nonlocal rest
        for match in pattern.finditer(rest):
            found.setdefault(sort, set()).add(re.sub(r"\s|\.(?!\d)", "", match[0].casefold()).strip(",.:"))
        rest = pattern.sub(" ", rest)

    take(_ADDRESS, "address")
    take(_DATE, "date")
    for match in _MEASURED.finditer(rest):
        number = match["number"].casefold().strip(",.")
        found.setdefault(_in(match["unit"]), set()).add(_COUNTS.get(number, number))
    rest = _MEASURED.sub(" ", rest)
    for match in _AN_HOUR.finditer(rest):
        found.setdefault(_in(match["unit"]), set()).add("1")
    take(_CLOCK, "clock")
    for match in _SUFFIXED.finditer(rest):
        unit = match["unit"].casefold()
        found.setdefault("number" if unit in _ORDINALS else _in(unit), set()).add(match["number"].strip(",."))
    for word in text.words(rest):
        if word in WEEKDAYS:
            found.setdefault("weekday", set()).add(f"day {WEEKDAYS[word]}")
        if word in _COUNTS:
            found.setdefault("number", set()).add(_COUNTS[word])
    take(_NUMBER, "number")
    return {sort: frozenset(values) for sort, values in found.items()}


def _in(unit: str) -> str:
    return f"in {unit.casefold().rstrip('s') or 's'}"


def differs(newer: Values, older: Values, *, but: str = "") -> bool:
    """Say whether both hold a value of a sort, and none the same; ``but`` is a sort that does not count."""
    return any(values.isdisjoint(older[sort]) for sort, values in newer.items() if sort in older and sort != but)


def moves_on(newer: Values, older: Values) -> bool:
    """Say whether the newer values hold one of the older ones that hardly stands for anything else (a date, a time, 0.45, 5433), beside another of its sort."""
    return any(
        newer[sort] - values and any(_is_specific(sort, value) for value in newer[sort] & values)
        for sort, values in older.items()
        if sort in newer
    )


def _is_specific(sort: str, value: str) -> bool:
    return sort in ("clock", "date", "address") or bool(_SPECIFIC.match(value))
