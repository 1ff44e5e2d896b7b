"""Months: in a running note they stand alone in a line ("Nov 25", "Mai:", "2026"); what stands below one was written then.

A month without its year is of the year of those above it, or of the next where it comes before them in the year. So what is
below "Nov 25" and what is below "Juli 26" are told apart, and the later one is known to be the later. A year that stands so above the lines of
a log ("2026", "4 Jan: paid") is that of their days.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from hookclaw_py.ingest.dating import Around, first_day, month_of
from hookclaw_py.regex import regex
from hookclaw_py.text import guess_language, words

_FEWEST = 3  # months that stand alone in a line, and have text below
_IN_ORDER = 0.8  # of them, at least, stand in the order of time, or all against it
_NEXT = 6  # months until the next one that leaves out its year, at most
_LONGEST = 24  # characters of a line that is a month
_HEADING = "##### "  # around the days that stand alone in a line
_ALONE = regex(
    r"""(?ix) [*_]{0,2}(?: (?P<name>[^\W\d_]{3,12})\.?(?:[ ](?:de[ ])?['’]?(?P<year>\d{4}|\d\d))?
    | (?P<number>0?[1-9]|1[0-2])[./](?P<of>20\d\d) | (?P<only>20\d\d) )[ ]?:?[*_]{0,2}:?[ \t]*"""
)
_SHORT_YEARS = range(10, 41)  # another number behind a month is a day


class _Month(NamedTuple):
    """A line that is a month, or only a year: then ``month`` is 0. ``year`` is 0 where it leaves that out."""

    line: int
    name: str
    month: int
    year: int


def with_months_as_headings(doc: str, known: Around) -> str:
    """Return a running note with the lines that are months as headings, each with its year; ``known`` is what the note's name says of that."""
    lines = doc.split("\n")
    found = _months(lines)
    months = [one for one in found if one.month]
    if found and not months:
        return _with_years_as_headings(lines, found)
    told = sum(any(map(str.strip, lines[a.line + 1 : b])) for a, b in _until_next(found, len(lines)) if a.month)
    fewest = 1 if _are_sure(found, lines) else _FEWEST
    if told < max(fewest, _IN_ORDER * len(months)) or _are_days(found):
        return doc
    dated = _with_years(found, known.year or 0)
    if not dated:
        return doc
    for one in dated:
        named = f"{one.name} {one.year}" if one.name else f"{one.year}-{one.month:02}" if one.month else one.year
        lines[one.line] = f"{_HEADING}{named}"
    return "\n".join(lines)


def _with_years_as_headings(lines: list[str], years: Sequence[_Month]) -> str:
    """Return a log with the lines that are years as headings, where most lines below begin with a day that leaves out its own."""
    below = [line for line in lines[years[0].line + 1 :] if line.strip()]
    days = [line for line in below if first_day(line) is None and first_day(line, Around(years[0].year))]
    if len(days) >= max(_FEWEST + 1, len(below) / 2):
        for one in years:
            lines[one.line] = f"{_HEADING}{one.year}"
    return "\n".join(lines)


def _months(lines: Sequence[str]) -> list[_Month]:
    fenced, found = False, list[_Month]()
    for number, line in enumerate(lines):
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        match = None if fenced or not 2 < len(line) <= _LONGEST else _ALONE.fullmatch(line)
        if match is None:
            continue
        month = int(match["number"] or 0) or (month_of(match["name"]) or 0 if match["name"] else 0)
        if month or match["only"]:
            year = int(match["year"] or match["of"] or match["only"] or 0)
            found.append(_Month(number, match["name"] or "", month, year))
    return found


def _until_next(found: Sequence[_Month], end: int) -> list[tuple[_Month, int]]:
    return [*zip(found, [*(one.line for one in found), end][1:], strict=True)]


def _are_sure(found: Sequence[_Month], lines: Sequence[str]) -> bool:
    """Say whether each month stands below a blank line, with its year: "Okt 26" is no day but in English."""
    apart = all(one.year and not "".join(lines[one.line - 1 : one.line]).strip() for one in found)
    return apart and (all(one.year > 99 for one in found) or guess_language(words("\n".join(lines))) != "english")


def _are_days(found: Sequence[_Month]) -> bool:
    """Say whether numbers behind months are days of them: "Nov 3", or another one each time ("Nov 25", "Nov 27", "Dec 21")."""
    short = [one.year for one in found if 0 < one.year < 100]
    varied = len(short) > 1 and len({*short}) == len(short) == len(found)
    return varied or any(year not in _SHORT_YEARS for year in short)


def _with_years(found: Sequence[_Month], year: int) -> list[_Month]:
    """Return the months each with its year, if one of them or the note's name tells it, and they stand in the order of time; else nothing."""
    named = [one._replace(year=one.year + 2000 if 0 < one.year < 100 else one.year) for one in found]
    step = _direction(named)
    forth = _filled(named, year, step)
    both = _filled(forth[::-1], 0, -step)[::-1]
    if not all(one.year for one in both):
        return []
    gaps = [
        (step * (12 * (b.year - a.year) + b.month - a.month), told.year)
        for (a, b), told in zip(pairwise(both), named[1:], strict=True)
        if a.month and b.month
    ]
    in_order = sum(gap >= 0 and (gap <= _NEXT or told > 0) for gap, told in gaps)
    return both if in_order >= _IN_ORDER * len(gaps) else []


def _filled(months: Sequence[_Month], year: int, step: int) -> list[_Month]:
    """Return months, those without a year with that of the one before; in a year of its own where they begin anew."""
    filled, before = list[_Month](), 0
    for one in months:
        if not one.year and year:
            one = one._replace(year=year + step * (before > 0 and step * (one.month - before) < 0))
        filled.append(one)
        year, before = one.year or year, one.month
    return filled


def _direction(months: Sequence[_Month]) -> int:
    """Return 1 where the months follow time, -1 where the latest stands first."""
    years = [one.year for one in months if one.year]
    if years and years[0] != years[-1]:
        return 1 if years[0] < years[-1] else -1
    gaps = [(b.month - a.month) % 12 for a, b in pairwise(months) if a.month and b.month]
    return 1 if 2 * sum(gap <= _NEXT for gap in gaps) >= len(gaps) else -1
