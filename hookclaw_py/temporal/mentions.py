"""Mentions: the days that a text names, written in one way: "2026-12-14" for "14 Dec 2026", "14.12.2026" and "December 14th, 2026".

So a note is found by a day that it speaks of, however both write it, and by each day of "12–16 December". A day without its year ("14 Dec") is the one nearest to when
the text was written, or of the year that was named before it, in the text or by the name of its note; where none is known it is
"--12-14", that day of any year (ISO 8601:2000). "Fri 20" is the Friday nearest to when the text was written that is a 20th.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from datetime import date, datetime, timedelta

from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Period
from hookclaw_py.regex import regex
from hookclaw_py.temporal.words import LEXICON

LONGEST = 31  # days of a period that are looked for one by one
_MONTHS = {word: int(value) for word, (kind, value) in LEXICON.items() if kind in ("month", "maybe")}
_MONTH = "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True))
_WORD = regex(r"[^\W\d_]{3,12}")
_YEAR = r"(?:19|20)\d\d"
_YEARS = regex(r"\d{4}")
_DIGITS = regex(r"\d+")
_MONTH_BEFORE, _MONTH_BEHIND = 14, 22
"""Characters between which and a number its month stands: "September. 3", "3rd of the September"."""
_NUMBERS = regex(r"\d(?=[-./年月] ?\d)")
_BEFORE_A_MARK = 3  # characters of a date before that: three of its year
_IN_NUMBERS = regex(
    rf"""(?x) (?: (?<![\w.,:/-]) | (?<=\d\.-) ) (?:
      (?P<y>{_YEAR}) (?P<sep>[-/.]) (?P<m>\d\d?) (?P=sep) (?P<d>\d\d?) (?![\d/-])
    | (?P<d2>\d\d?)\.\ ?(?P<m2>\d\d?)\. (?: \ ?(?P<y2>{_YEAR})(?!\.?\d) | (?P<y6>[1-3]\d)(?![:,.-]?\d) | (?![\d.]) )
    | (?P<d4>\d\d?)/(?P<m4>\d\d?)/(?P<y4>{_YEAR}) (?![\d/])
    | (?P<slash>(?:(?P<r5>\d\d?)-)?(?P<d5>\d\d?)/(?P<m5>\d\d?)) (?![\w/%]|-\d|\ (?:of|del?|du|des)\b)
    ) | (?<!\d)(?:(?P<y3>{_YEAR})年)?(?P<m3>\d\d?)月(?P<d3>\d\d?)"""
)
_IN_WORDS = regex(
    rf"""(?ix) (?<![\w.,:/-])(?:(?P<r>\d\d?)\.?-)?(?P<d>\d\d?)(?:\.|st|nd|rd|th|er|º)?\ (?:of\ (?:the\ )?|de\ )?(?P<n>{_MONTH})\b
      (?:[.,]?\ (?:de\ )?(?P<y>{_YEAR}))? (?!\d)
    | \b(?P<n2>{_MONTH})\.?\ (?P<d2>\d\d?)(?:st|nd|rd|th)?\b (?![:.,]?\d|\ ?[%€$£]) (?:,?\ (?P<y2>{_YEAR}))?"""
)
_UNTIL = r"[^\S\n]?(?:[-–—→]|->|to|till|until|through|bis(?:\ zum)?|au|al|[至到])[^\S\n]?"  # in one line: the next begins with a bullet
_TO = regex(rf"(?i){_UNTIL}(?:the\ |le\ |el\ )?(?:\w{{2,10}}\.?,?\ )?")  # and a day of the week
_FROM = regex(rf"(?i)(?<![\w.,:/-])(?P<d>\d\d?)(?:\.|st|nd|rd|th|er)?{_UNTIL}$")
_TO_ANOTHER = regex(rf"{_TO.pattern}\d\d?/\d")
_DAY_NAMES = "|".join(word for word, (kind, _) in LEXICON.items() if kind in ("weekday", "sat", "sun"))
_INTRODUCED = regex(
    rf"""(?ix)\b(?: le | el | au | al | du | del | avant
      | lundi | mardi | mercredi | jeudi | vendredi | samedi | dimanche | lunes | martes | mi[ée]rcoles | jueves | viernes | s[áa]bado | domingo
      | lun | mar | mer | jeu | ven | sam | dim | mié | jue | vie | sáb | dom
      | (?P<english>the | until | before | on | {_DAY_NAMES}) )\.?,?\ $"""
)
"""What stands before a day without its year: "avant le 3/12"; in English that may be the 12th of March as well."""
_LINE_BEGINS = regex(r"(?:\A|\n)[^\w\n]*\Z")
_BEGINS = regex(r"(?m)^[^\w\n]{0,8}(?P<d>\d\d?)/(?P<m>\d\d?)(?![\w/%]|-\d)")
_FEWEST = 3  # lines that begin with a day
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        [
            "mon mo lun",
            "tue tues di mar",
            "wed weds mi mer mié mie",
            "thu thur thurs do jeu jue gio",
            "fri fr ven vie",
            "sat sa sam sáb sab",
            "sun so dim dom",
        ]
    )
    for name in names.split()
} | {word: int(value) for word, (kind, value) in LEXICON.items() if kind == "weekday"}
_OF_A_WEEK = regex(
    r"""(?ix) \ (?P<d>\d\d?)(?:st|nd|rd|th|er|\.)?(?![\w:/%.,-]*\d|[\w%]|\ ?(?:[€$£%]|uhr\b|h\b|o['’]clock|[ap]m\b|min\b))"""
)
_WORD_BEFORE = regex(r"(?i)(?<![\w'’-])([^\W\d_]+(?:-[^\W\d_]+)*)\.?,?\ (?:(?:the|le|el|il|den|dem)\ )?\Z")
_ALSO_WORDS = frozenset({"do", "so", "may", "march"})
"""Names that in small letters are words as well: "we do 10 pushups"."""
_BEFORE_A_DAY = regex(r"(?i)(?:(?:^|[\n,;:(|/–-])[^\w\n]*|\b(?:am|vom|zum|bis|ab|und)\ )\Z")
_NEAR = 45  # days
_LONGEST_NAME = 20  # characters, of a day of the week and what stands between it and its number
_LARGEST_SHARE = 10  # "3/4" and "8/10" are shares and marks where nothing introduces them
_BEFORE = 12  # characters


def days_named(text: str, *, written: datetime | None = None, year: int | None = None) -> tuple[str, ...]:
    """Return the days that ``text`` names, each once; ``written`` is its own day, ``year`` what its note is about."""
    if not _DIGITS.search(text):
        return ()
    return tuple(dict.fromkeys(_days(text, written.date() if written else None, year)))


def with_days(terms: Terms, text: str, *, written: datetime | None = None, year: int | None = None) -> Terms:
    """Return the terms of a text and the days that it names, which are found as these are."""
    days = [day for day in days_named(text, written=written, year=year) if day not in terms.distinct]
    return Terms((*terms, *days)) if days else terms


def days_of(period: Period) -> tuple[str, ...]:
    """Return the days of a short period as texts may name them, those that leave out the year too; where the phrase names a day and no year, the next such day as well."""
    first, count = period.start.date(), -(-(period.end - period.start) // timedelta(days=1))
    if count > LONGEST:
        return ()
    days = [first + timedelta(days=n) for n in range(count)]
    whole = tuple(day.isoformat() for day in days)
    if _YEARS.search(period.phrase):
        return whole
    any_year = (f"--{day:%m-%d}" for day in days)
    if count > 1 or not _is_a_date(period.phrase):
        return *whole, *any_year
    return *whole, *_one_way(first.month, first.day, first.year + 1, None, None), *any_year


def _is_a_date(phrase: str) -> bool:
    """Say whether a phrase names a day of a month: "14 December"; with no year it may be the last or the next."""
    return bool(re.search(r"\d[./月-] ?\d", phrase)) or not _MONTHS.keys().isdisjoint(_WORD.findall(phrase.lower()))


def _days(text: str, written: date | None, year: int | None) -> Iterator[str]:
    """Yield the days that a text names; a line that begins with one without its year is of the year of the last that began with its own."""
    if written:
        yield from _of_a_week(text, written)
    matches = [*_in_numbers(text)]
    begins = _beginnings(text) if matches else frozenset[int]()
    if not _MONTHS.keys().isdisjoint(_WORD.findall(_around_numbers(text).lower())):
        matches = sorted([*matches, *_IN_WORDS.finditer(text)], key=re.Match.start)
    before, ended, above = None, 0, None
    for match in matches:
        parts = {name[0]: value for name, value in match.groupdict().items() if value and name != "sep"}
        after_one = before is not None and _TO.fullmatch(text, ended, match.start()) is not None
        ways = 1 if match.start() in begins else _ways(text, match, in_range=after_one)
        if not ways:
            continue
        month = int(parts["m"]) if "m" in parts else _MONTHS.get(parts["n"].lower(), 0)  # "APRİL" grows when lowered
        named = _year(parts["y"]) if "y" in parts else None
        if _LINE_BEGINS.search(text, max(0, match.start() - _BEFORE), match.start()):
            above = year = named or above or year
        year, day = named or year, int(parts["d"])
        found = [*_one_way(month, day, named, written, year)]
        if begun := parts.get("r") or _begun(text, match.start()):
            before = month, int(begun), named
        if found and before and (begun or after_one):
            first = next(_one_way(*before[:2], before[2] or named, written, year), "")
            yield from _from_to(first, found[0])
        yield from found
        if ways == 2:
            yield from _one_way(day, month, named, written, year)
        before, ended = (month, day, named), match.end()


def _around_numbers(text: str) -> str:
    """Return what stands so near to a number that it may be its month."""
    between = _DIGITS.split(text)
    room = _MONTH_BEFORE + _MONTH_BEHIND
    return " ".join(
        words if len(words) <= room else f"{words[:_MONTH_BEHIND]} {words[-_MONTH_BEFORE:]}" for words in between
    )


def _in_numbers(text: str) -> Iterator[re.Match[str]]:
    """Yield what ``_IN_NUMBERS`` finds, from left to right: each has a number with a mark behind it, of which most texts have few."""
    end = 0
    for number in _NUMBERS.finditer(text):
        for start in range(max(end, number.start() - _BEFORE_A_MARK), number.start() + 1):
            if match := _IN_NUMBERS.match(text, start):
                yield match
                end = match.end()
                break


def _ways(text: str, match: re.Match[str], *, in_range: bool) -> int:
    """Return in how many ways a date may be read: "03/04/2026" is a day in April, or in March; "3/4" is none unless something says that it is a day."""
    found = match.groupdict()
    if not found.get("slash"):
        return 2 if found.get("y4") else 1
    if introduced := _INTRODUCED.search(text, max(0, match.start() - _BEFORE), match.start()):
        return (0 if match[0] == "24/7" else 2) if introduced["english"] else 1
    is_share = int(found["d5"]) <= int(found["m5"]) <= _LARGEST_SHARE
    return int(not is_share and (in_range or bool(found["r5"]) or _TO_ANOTHER.match(text, match.end()) is not None))


def _beginnings(text: str) -> Set[int]:
    """Return where lines begin with "22/05", if several do and they are no shares: a log, with the day first."""
    found = [*_BEGINS.finditer(text)]
    shares = [
        int(match["d"]) <= int(match["m"]) <= _LARGEST_SHARE and "0" not in (match["d"][0], match["m"][0])
        for match in found
    ]
    are_days = len(found) >= _FEWEST and not all(shares) and all(_date(2024, int(m["m"]), int(m["d"])) for m in found)
    return {match.start("d") for match in found} if are_days else frozenset()


def _of_a_week(text: str, written: date) -> Iterator[str]:
    """Yield the days that are named by the weekday and the day of the month, near the day on which they were."""
    for match in _OF_A_WEEK.finditer(text):
        at = match.start("d")
        named = _WORD_BEFORE.search(text[max(0, at - _LONGEST_NAME) : at])
        weekday = _WEEKDAYS.get(named[1].lower()) if named else None
        if named is None or weekday is None:
            continue
        of_month = _IN_WORDS.match(text, at)
        if of_month and (of_month["n"] or "") not in _ALSO_WORDS:  # "Sunday 12 July" is that Sunday alone
            continue
        if not (named[1] in _ALSO_WORDS and _is_in_a_sentence(text, match, at - len(named[0]))):
            near = (written + timedelta(days=n) for n in sorted(range(-_NEAR, _NEAR + 1), key=abs))
            wanted = weekday, int(match["d"])
            yield from [day.isoformat() for day in near if (day.weekday(), day.day) == wanted][:1]


def _is_in_a_sentence(text: str, number: re.Match[str], at: int) -> bool:
    """Say whether a word at a place goes on with those before it, and the number behind it has no point: it names no day."""
    return not number[0].endswith(".") and _BEFORE_A_DAY.search(text[max(0, at - _BEFORE) : at]) is None


def _year(written: str) -> int:
    """Return the year that is written in full, or with its last two digits: "15.12.26"."""
    return int(written) if len(written) > 2 else 2000 + int(written)


def _begun(text: str, at: int) -> str:
    """Return the day of the month from which a range reaches to the day ``at`` that place, which names the month: "12" of "12 to 16 December"."""
    found = _FROM.search(text, max(0, at - _BEFORE), at)
    return found["d"] if found else ""


def _from_to(first: str, last: str) -> Iterator[str]:
    """Yield the days from ``first`` to the one before ``last``, of a month at most; both of a year, or of any ("--12-14")."""
    any_year = first[:1] == "-"
    if not first or any_year != (last[:1] == "-"):
        return
    start, end = (date.fromisoformat(f"2024{day[1:]}" if any_year else day) for day in (first, last))
    count = (end - start).days
    days = [start + timedelta(days=n) for n in range(count)] if count <= LONGEST else []
    yield from (f"--{day:%m-%d}" if any_year else day.isoformat() for day in days)


def _one_way(month: int, day: int, named: int | None, written: date | None, year: int | None) -> Iterator[str]:
    """Yield a day of the year that it names, nearest to ``written``, or in ``year``, else of any; nothing that is no day."""
    if named is None and written is not None:
        near = [found for y in (written.year - 1, written.year, written.year + 1) if (found := _date(y, month, day))]
        yield from [min(near, key=lambda found: abs(found - written)).isoformat()] if near else []
    elif known := named or year:
        yield from [found.isoformat()] if (found := _date(known, month, day)) else []
    elif _date(2024, month, day):  # a leap year
        yield f"--{month:02}-{day:02}"


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
