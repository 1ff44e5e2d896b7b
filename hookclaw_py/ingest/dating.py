"""Dating: days in the names of notes and in their headings, as people and their programs write them.

"2026-03-14", "2026_03_14" (Logseq), "2026/03/14", "20260314", "202603141010" (Zettelkasten), "14.03.2026", "14/03/2026", "14-03-2026", "2026年3月14日", "March 14th, 2026" (Roam), "14 März
2026", "Tue 3 Mar 26"; and what leaves the year to the name of the file or to a heading above: "Tue 3 Mar", "9.3.", "Sat 14", "会议纪要 11-18".
A week ("2026-W12", "KW 12 2026") is dated by its Monday.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from typing import Any, NamedTuple

from hookclaw_py.regex import regex
from hookclaw_py.temporal.han import LETTER, LETTERS
from hookclaw_py.temporal.words import LEXICON

_YEAR = r"(?:19|20)\d\d"
_FULL = regex(
    rf"""(?ix) (?<!\d)(?:
      (?P<iso>\d{{4}}-\d\d-\d\d) (?!\d)
    | (?P<y>{_YEAR}) (?P<sep>[-_/]) (?P<m>\d\d?) (?P=sep) (?P<d>\d\d?) (?!\d)
    | (?P<y2>{_YEAR})\.(?P<m2>\d\d)\.(?P<d2>\d\d) (?!\d)
    | (?P<y3>{_YEAR})(?P<m3>0[1-9]|1[0-2])(?P<d3>[0-3]\d)(?:(?:[01]\d|2[0-3])(?:[0-5]\d){{1,2}})? (?!\d)
    | (?P<y4>{_YEAR})年(?P<m4>\d\d?)月(?P<d4>\d\d?)
    | (?<![^\W_])(?P<d5>\d\d?)\.\ ?(?P<m5>\d\d?)\.\ ?(?P<y5>{_YEAR}) (?!\d)
    | (?<![^\W_])(?<!\d[-_/.])(?P<d8>\d\d?)(?P<sep8>[-_/])(?P<m8>\d\d?)(?P=sep8)(?P<y8>{_YEAR}) (?!\d|(?P<sep9>[-_/.])\d\d?(?P=sep9)\d)
    | (?P<d6>\d\d?)(?:\.|st|nd|rd|th|er)?\ (?:de\ |of\ )?(?P<n6>[^\W\d_]{{3,12}})\.?,?\ (?:de\ )?(?P<y6>{_YEAR}) (?!\d)
    ) | \b(?P<n7>[^\W\d_]{{3,12}})\.?\ (?P<d7>\d\d?)(?:st|nd|rd|th)?,?\ (?P<y7>{_YEAR}) (?!\d)"""
)
_WITHOUT_YEAR = regex(
    r"""(?ix) ^\W*(?:(?P<weekday>[^\W\d_]{2,12})\.?,?\ +)? (?:
      (?P<d>\d\d?)(?:\.|st|nd|rd|th|er)?\ (?:de\ |of\ )?(?P<n>[^\W\d_]{3,12})\b
    | (?P<n2>[^\W\d_]{3,12})\.?\ (?P<d2>\d\d?)(?:st|nd|rd|th)?(?![\d:])
    | (?P<d3>\d\d?)\.(?P<m3>\d\d?)\.?(?(weekday)(?![\d.:])|(?=\W*$))
    | (?P<m4>\d\d?)月(?P<d4>\d\d?)日?
    | (?P<d5>\d\d?)(?:\.|st|nd|rd|th)?(?=\W*$) )"""
)
_AMONG_HAN = regex(
    rf"""(?x) (?:^|(?<=[\s_（(])|(?<=[{LETTERS}]))(?<![第共]) (?P<m>\d\d?)-(?P<d>\d\d)
    (?:$|[\s_）)]|(?=[{LETTERS}])(?![章节節页頁课課题題集卷回期话話岁歲个個人天周週月年日号號级級班点點分时時元块塊万萬])) """
)
"""A month and a day where the words around are Chinese or Japanese: "会议纪要 11-18"; "第10-12课" are lessons."""
_SHORT_YEAR = regex(
    r"""(?ix) ^\W*(?:(?P<weekday>[^\W\d_]{2,12})\.?,?\ +)? (?:
      (?P<d>\d\d?)(?:\.|st|nd|rd|th|er)?\ (?:de\ |of\ )?(?P<n>[^\W\d_]{3,12})\.?,?\ (?:de\ )?['’]?(?P<y>\d\d)
    | (?P<n2>[^\W\d_]{3,12})\.?\ (?P<d2>\d\d?)(?:st|nd|rd|th)?,\ ['’]?(?P<y2>\d\d)
    | (?P<d3>\d\d?)\.\ ?(?P<m3>\d\d?)\.\ ?(?P<y3>\d\d) ) \W*$"""
)
_BEGINS = regex(
    rf"""(?ix) [ \t]*(?:(?:[-*+]|\d{{1,3}}\))[ \t]+)?(?:\[[ x]\][ \t]+)?[*_\[(<`]{{0,3}}
    (?:(?P<weekday>[^\W\d_]{{2,12}})\.?,?\ +)? (?:
      (?P<full>{_YEAR}(?:-\d\d-\d\d|[-_/.]\d\d?[-_/.]\d\d?|年\d\d?月\d\d?日?)(?:T\d\d:\d\d)?|\d\d?\.\ ?\d\d?\.\ ?{_YEAR})
    | (?:\d\d?\.[-–]\ ?)?(?P<d>\d\d?)(?:\.|st|nd|rd|th|er)?\ (?:de\ |of\ )?(?P<n>[^\W\d_]{{3,12}})\.?(?:,?\ (?:de\ )?(?P<y>{_YEAR}))?
    | (?P<n2>[^\W\d_]{{3,12}})\.?\ (?P<d2>\d\d?)(?:st|nd|rd|th)?(?:,?\ (?P<y2>{_YEAR}))?
    | (?:\d\d?\.[-–]\ ?)?(?P<d3>\d\d?)\.(?P<m3>\d\d?)(?:\.(?P<y3>\d\d)?)?
    | (?P<m4>\d\d?)月(?P<d4>\d\d?)日?
    ) (?![^\W\u4e00-\u9fff]|\ ?[%€$£]|[.,:/]\d)"""
)
_WEEK = regex(
    rf"""(?ix) (?<![^\W_])(?: (?P<y>{_YEAR})[-_ ]?(?:W|KW|S)\ ?(?P<w>\d\d) | KW\ ?(?P<w2>\d\d?)(?:,\ |[-_/ ])(?P<y2>{_YEAR}) )(?![^\W_]|[-_]\d)"""
)
"""A week by its number in ISO 8601, as weekly notes are called ("2026-W12"), and in German and French ("KW 12", "2026-S12")."""
_MONTH = regex(
    rf"(?i)(?<!\d)(?P<y>{_YEAR})[-_/.](?P<m>0[1-9]|1[0-2])(?!\d)|\b(?P<n>[^\W\d_]{{3,12}})[ _-](?P<y2>{_YEAR})(?!\d)"
)
_OF_ANOTHER = regex(
    r"""(?ix)(?:\b(?:b | born(?:\ on)? | geb | geboren(?:\ am)? | née?(?:\ le)? | nacid[oa](?:\ el)? | dob | since | seit(?:\ dem)? | depuis(?:\ le)? | desde(?:\ el)?
    | until | till | bis(?:\ zum)? | jusqu['’]au | hasta(?:\ el)? | due | expires | valid)[.:]? | \(\* | [°†✝])\ *$"""
)
"""What stands before a day that is another than that of writing: "Kuba (b. 19 Jan 2022)", "contract until 2026-12-31"."""
_MAY_LEAD = regex(r"\W*(?:[^\W\d_]{2,12}\.?,?\ +)?")
"""What may stand before "14/03/2026" where that is the day of what follows: a day of the week. "Papa, Raymond, 12/03/1945" was born then."""
_A_YEAR = regex(rf"(?<!\d){_YEAR}(?!\d)")
_BEFORE = 16  # characters that tell whose day it is
_LONGEST = 40  # characters of a line that is a day
_LEAP_TO_ANY = range(2024, 2035)  # in one of these a day falls on any weekday
_DAY_NAMES = frozenset({"weekday", "sat", "sun"})
_WORD = regex(r"[^\W\d_]+")
_HAN_WEEKDAY = regex("(?:星期|周|週|礼拜|禮拜)[一二三四五六日天]|[月火水木金土日]曜日?|[月火水木金土日]")
_WEEKDAYS = [(word, value) for word, (kind, value) in LEXICON.items() if kind == "weekday"]


class Around(NamedTuple):
    """What the name of the file and the headings above say already: a year, and a month of it."""

    year: int | None = None
    month: int | None = None


def date_in(text: str, around: Around = Around()) -> tuple[datetime | None, list[str]]:  # noqa: B008 -- a constant
    """Return the first valid date of ``text`` as midnight UTC, or None, and those before it that are no dates.

    A date without its year counts where ``text`` begins with it and ``around`` knows the year.
    """
    impossible: list[str] = []
    for match in _FULL.finditer(text):
        if _OF_ANOTHER.search(text, max(0, match.start() - _BEFORE), match.start()):
            continue
        if match["sep8"] == "/" and not _MAY_LEAD.fullmatch(text[: match.start()].rpartition("/")[2]):
            continue
        year, month, day = _parts(match)
        found = _date(year, month, day)
        if not found and match["sep8"]:  # 02/14/2026: the month stands first where the day cannot
            found = _date(year, day, month or 0)
        if found:
            return found, impossible
        if match["iso"]:
            impossible.append(match[0])
    return _of_a_week(text) or _short(text, around), impossible


def _of_a_week(text: str) -> datetime | None:
    """Return the Monday of the first week that a text names."""
    week = _WEEK.search(text)
    try:
        day = date.fromisocalendar(_year_of(week), int(week["w"] or week["w2"]), 1) if week else None
    except ValueError:
        return None
    return datetime.combine(day, time(0), UTC) if day else None


def _year_of(week: re.Match[str]) -> int:
    return int(week["y"] or week["y2"])


def _short(text: str, around: Around) -> datetime | None:
    """Return the day that leaves out its year, or the century."""
    if whole := _SHORT_YEAR.match(text):
        known = Around(2000 + int(whole["y"] or whole["y2"] or whole["y3"]))
        return _in_year(whole, known, or_near=False)
    short = _WITHOUT_YEAR.match(text) if around.year else None
    if short and (of_year := _in_year(short, around)):
        return of_year
    if around.year and LETTER.search(text) and (among := _AMONG_HAN.search(text)):
        return _date(around.year, int(among["m"]), int(among["d"]))
    return None


def month_in(title: str) -> datetime | None:
    """Return the first day of the month that a heading is and says nothing besides: "März 2026", "2026-03"."""
    if match := _MONTH.fullmatch(title.strip("*_: ")):
        return _date(int(match["y"] or match["y2"]), int(match["m"]) if match["m"] else month_of(match["n"]), 1)
    return None


def first_day(line: str, around: Around = Around()) -> datetime | None:  # noqa: B008 -- a constant
    """Return the day that a line of a log begins with, behind its bullet, as midnight UTC; without its year it counts if ``around`` knows that.

    Of several ("3.-10.10. in Chur") it is the last.
    """
    match = _BEGINS.match(line)
    if match is None:
        return None
    if match["full"]:
        day = date_in(match["full"])[0]
        return day if day and day.weekday() in _weekdays(match) else None
    year = int(match["y"] or match["y2"] or 0) or (2000 + int(match["y3"]) if match["y3"] else around.year)
    return _in_year(match, Around(year), or_near=year == around.year) if year else None


def is_a_day(line: str) -> bool:
    """Say whether a line is a day and nothing else, with or without its year: "Tue 3 Mar 26", "**2026-03-14 (Sat)**"."""
    if not 4 < len(line) <= _LONGEST or not any(map(str.isdigit, line)):
        return False
    full = _FULL.search(line)
    if full and full["sep8"] == "/":  # ``entries`` reads these, which see of all of them whether the day stands first
        return False
    if full is None and _SHORT_YEAR.match(line):
        return date_in(line)[0] is not None
    match = full or _WITHOUT_YEAR.match(line)
    if match is None or (full is None and not (match["n"] or match["n2"] or match["m3"] or match["m4"])):
        return False
    besides = _WORD.findall(f"{line[: match.start()]} {line[match.end() :]}")
    named = [LEXICON.get(word.lower(), ("", None))[0] in _DAY_NAMES or _HAN_WEEKDAY.fullmatch(word) for word in besides]
    year = full or next((y for y in _LEAP_TO_ANY if date_in(line, Around(y))[0]), None)
    return bool(year) and len(named) <= 1 and all(named)


def around(text: str, before: Around = Around()) -> Around:  # noqa: B008 -- a constant
    """Return what a name or heading says of the year and month, or what was known ``before``."""
    day, _ = date_in(text)
    if day is not None:
        if day.weekday() == 0 and (week := _WEEK.search(text)):  # the first of a year may begin in the one before
            return Around(_year_of(week))
        return Around(day.year, before.month if before.year == day.year else None)
    for match in _MONTH.finditer(text):
        month = int(match["m"]) if match["m"] else month_of(match["n"])
        if month:
            return Around(int(match["y"] or match["y2"]), month)
    years = _A_YEAR.findall(text)
    return Around(int(years[-1])) if years else before


def _parts(match: re.Match[str]) -> tuple[int, int | None, int]:
    if match["iso"]:
        year, month, day = map(int, match["iso"].split("-"))
        return year, month, day
    found = {name[0]: value for name, value in match.groupdict().items() if value and not name.startswith("sep")}
    return int(found["y"]), int(found["m"]) if "m" in found else month_of(found["n"]), int(found["d"])


def _in_year(match: re.Match[str], known: Around, *, or_near: bool = True) -> datetime | None:
    """Return the day that is meant; where its day of the week is named, of the year, ``or_near`` it, in which it falls on that."""
    assert known.year
    found = {name[0]: value for name, value in match.groupdict().items() if value and name[0] in "dmn"}
    month = int(found["m"]) if "m" in found else month_of(found["n"]) if "n" in found else known.month
    years = (known.year, known.year + 1, known.year - 1) if match["weekday"] and or_near else (known.year,)
    days = [day for year in years if (day := _date(year, month, int(found["d"])))]
    return next((day for day in days if day.weekday() in _weekdays(match)), None)


def _weekdays(match: re.Match[str]) -> set[Any]:
    """Return the days of the week that a match may mean: "Di" is dienstag, and dimanche; all where it names none."""
    written = (match["weekday"] or "").lower()
    return {value for word, value in _WEEKDAYS if word.startswith(written)}


def _date(year: int, month: int | None, day: int) -> datetime | None:
    try:
        return datetime.combine(date(year, month or 0, day), time(0), UTC)
    except ValueError:
        return None


def month_of(word: str) -> int | None:
    """Return the number of the month that a word names, None for another word."""
    kind, value = LEXICON.get(word.lower().strip("."), ("", None))
    return int(value) if kind in ("month", "maybe") else None
