"""The lexer of dates: a text becomes tokens, each of a kind ("weekday", "unit", "number", …; "noise" for most words).

Words that are only sometimes a date ("may", "sat", "spring") have kinds of their own, so that the grammar can ask for
more around them. A number is read with all that is glued to it: v2.1.0, 192.168.1.1 and #2026 are noise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, NamedTuple

from hookclaw_py.regex import regex
from hookclaw_py.temporal import han
from hookclaw_py.temporal.spans import Cycle, Span, day_span, duration, month_span
from hookclaw_py.temporal.words import CUES, LEXICON, PHRASES
from hookclaw_py.text import fold, guess_language


class Token(NamedTuple):
    """A word of the text, or what the grammar has made of several: ``value`` depends on ``kind``."""

    kind: str
    value: Any
    start: int
    end: int


_SHORT_UNITS = {"d": "day", "h": "hour", "w": "week", "wk": "week", "wks": "week", "mo": "month", "y": "year"}
_WORD = regex(rf"[^\W\d_{han.LETTERS}]+")
_NUMERIC_CUE = regex(
    r"\d(?:st|nd|rd|th|er)\b|\d[-/.]\d{1,2}[-/.]\d|\b(?:19|20)\d\d|\b\d\d?/\d|\b[qh][1-4]|\d0'?s\b|['’]\d\d\b|\b\d\d?\. ?\d\d?\.(?!\d)|\d[dhwy]\b|\b(?:am|vom|zum|le|au|du|el|del|al|día|il) \d\d?\b|l['’](?:8|11)\b"
)
_CHUNK = regex(
    r"""(?<![\w.,:/-])\d\d?\. \d\d?\.(?: \d{4}(?!\d))?(?![\w.])|[^\s,;()\[\]{}<>"“”„«»!?|…—。，、！？；：（）「」『』*=]+|[\n,;()\[\]{}<>"“”„«»!?|…—。，、！？；：（）「」『』*=]"""
)
_YEAR = r"(?:19|20|21)\d\d"
_NUMERIC = regex(
    rf"""
      (?P<ymd>\d{{4}})(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?:t(?P<clock>\d\d:?\d\d(?::?\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?))?
    | (?P<a>\d{{1,2}})(?P<by>[-/.])(?P<b>\d{{1,2}})(?P=by)(?P<dmy>\d{{4}})
    | (?P<a2>\d{{1,2}})/(?P<b2>\d{{1,2}})/(?P<dmy2>\d\d)
    | (?P<a3>\d\d)(?P<by3>\.)(?P<b3>\d\d)\.(?P<dmy3>\d\d)
    | (?P<ym>{_YEAR})[-/](?P<month>0?[1-9]|1[0-2])
    | (?P<my>0?[1-9]|1[0-2])[-/](?P<myear>{_YEAR})
    | (?P<packed>(?:19|20)\d\d)(?P<packedm>0[1-9]|1[0-2])(?P<packedd>0[1-9]|[12]\d|3[01])
    | (?P<years>{_YEAR})[-~/](?P<toyear>{_YEAR}|\d\d)
    | (?P<clock2>\d{{1,2}}(?::\d\d){{1,2}}(?:\.\d+)?(?:[ap]\.?m)?|\d{{1,2}}[ap]\.?m)
    | (?P<range>\d{{1,2}})(?:st|nd|rd|th)?-(?P<torange>\d{{1,2}})(?:st|nd|rd|th)?
    | (?P<slash>\d{{1,2}})/(?P<slashb>\d{{1,2}})
    | (?P<ordinal>\d{{1,2}})(?:st|nd|rd|th|er|º|ª|го|(?=\.$))\.?
    | (?P<dotted>\d{{1,2}}\.\d{{1,2}})\.?
    | (?:q(?P<quarter>[1-4])|(?P<nq>[1-4])q)(?:[-/'’]?(?P<qyear>{_YEAR}|\d\d))?
    | (?P<yq>{_YEAR})-?q(?P<ofyq>[1-4])
    | (?:h(?P<half>[12])|(?P<nh>[12])h)(?:[-/'’]?(?P<hyear>{_YEAR}|\d\d))?
    | (?P<yh>{_YEAR})-?h(?P<ofyh>[12])
    | (?P<yw>{_YEAR})-?w(?P<week>\d\d)
    | kw(?P<kw>\d{{1,2}})
    | (?:(?P<decade>(?:19|20)\d0)|['’](?P<decade2>[2-9]0)(?=s)|(?P<decade3>[2-9]0)(?=['’]))(?:['’]?s|er)
    | (?P<count>\d{{1,4}})(?P<short>[a-z]+)
    | ['’](?P<shortyear>\d\d)
    | (?P<year>{_YEAR})
    | (?P<number>\d+)
    """,
    re.VERBOSE,
)
_GLUED = regex(r"(\d+|[^\W\d_]+)(?:[-/.]|(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)|$)")


_ELIDED = regex(r"\b((?:a|da|de|ne|su)l)?l['’](?=(?:8|11)\b)")
"""Before the days of the month that begin with a vowel in Italian: "l'8", "dall'11"."""
_WEEKEND = regex(r"\b(?:le|ce|du|au|les|el|este|del|al) (we|finde)\b")
_EVENING_BEFORE = regex(r"\bhier (?:matin|midi|après|soir)\b")
_PARTS_OF_WEEKDAYS = {
    day + part: (day, part)
    for day in ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag")
    for part in ("vormittag", "nachmittag", "abend", "nacht")
}
_NOISE = Token("noise", None, 0, 0)


def mentions_time(lowered: str) -> bool:
    """Say whether ``lowered`` could speak of a date at all: cheap, and wrong only in saying yes."""
    words = _WORD.findall(lowered)
    if not (CUES.isdisjoint(words) and _PARTS_OF_WEEKDAYS.keys().isdisjoint(words)):
        return True
    if _NUMERIC_CUE.search(lowered) or PHRASES.search(lowered) or _WEEKEND.search(lowered):
        return True
    return not lowered.isascii() and han.TIME.search(lowered) is not None


def lex(lowered: str, now: datetime) -> list[Token]:
    """Return the tokens of a lower-case text. ``now`` is aware: it decides between the readings of 12/02/2026."""
    tokens: list[Token] = []
    lowered = _ELIDED.sub(lambda elided: " " * len(elided[1] or "") + "l ", lowered)
    lowered = PHRASES.sub(lambda phrase: phrase[0].replace(" ", "-"), lowered)
    weekends = {match.start(1) for match in _WEEKEND.finditer(lowered)}
    for match in _CHUNK.finditer(lowered):
        chunk = match.group()
        start = match.start()
        known = ("unit", "weekend") if start in weekends else LEXICON.get(chunk)
        if known is not None:
            if known[0] != "func" or not tokens or tokens[-1].kind not in ("noise", "func"):
                tokens.append(Token(known[0], known[1], start, match.end()))
        elif compound := _PARTS_OF_WEEKDAYS.get(chunk):
            tokens += [Token(*LEXICON[part], start, match.end()) for part in compound]
        elif chunk.isalpha() and (chunk.isascii() or not han.LETTER.search(chunk)):
            if not tokens or tokens[-1] is not _NOISE:
                tokens.append(_NOISE)
        elif " " in chunk:  # "14. 12. 2026"
            tokens += [t._replace(end=match.end()) for t in _chunk_tokens(chunk.replace(" ", ""), start, lowered, now)]
        else:
            tokens += _chunk_tokens(chunk, start, lowered, now)
    return [_settled(token, lowered) if token.kind == "hier" else token for token in tokens]


def _settled(token: Token, lowered: str) -> Token:
    """Tell French "hier" (yesterday) from German and Dutch "hier" (here)."""
    french = (
        _EVENING_BEFORE.search(lowered) or guess_language([fold(word) for word in _WORD.findall(lowered)]) == "french"
    )
    return token._replace(kind="dayword", value=-1) if french else _NOISE


def _chunk_tokens(chunk: str, start: int, lowered: str, now: datetime) -> Iterator[Token]:
    if len(chunk) == 1 and not chunk.isalnum():
        yield Token({",": "comma", "-": "dash", "–": "dash"}.get(chunk, "stop"), None, start, start + 1)
        return
    if not chunk.isascii() and han.LETTER.search(chunk):
        for kind, value, at, end in han.pieces(chunk):
            yield _NOISE if kind == "noise" else Token(kind, value, start + at, start + end)
        return
    bare = chunk.rstrip(".:'’")
    chunk = chunk.replace("–", "-")
    if any(c.isdigit() for c in chunk):
        found = list(_numeric(chunk if chunk[-1:] == "." else bare.replace("–", "-"), start, lowered, now))
        yield from found
    else:
        found = list(_word_tokens(bare.replace("–", "-"), start))
        yield from found
    if len(bare) < len(chunk) and found[-1].kind not in ("month", "maybe", "sat", "sun", "ordinal", "dotted"):
        yield Token("stop", None, start + len(bare), start + len(chunk))


def _word_tokens(chunk: str, start: int) -> Iterator[Token]:
    """Read a word with hyphens or apostrophes: known as a whole, or in parts when every part is known ("mid-march")."""
    if chunk[-2:] in ("'s", "’s"):
        chunk = chunk[:-2]
    if whole := LEXICON.get(chunk):
        yield Token(whole[0], whole[1], start, start + len(chunk))
        return
    if chunk.startswith("avant-"):
        yield Token("dayword", -2, start, start + len(chunk))
        return
    found: list[Token] = []
    for part in re.finditer(r"[^\W\d_]+|[-/]", chunk):
        if part.start() == 0 and chunk.startswith("mi-"):  # "mi-juin"; alone it is Spanish for my
            found.append(Token("early", 1, start, start + 2))
            continue
        kind, value = ("dash", None) if part.group() in "-/" else LEXICON.get(part.group(), ("noise", None))
        found.append(Token(kind, value, start + part.start(), start + part.end()))
    strange = any(token.kind in ("noise", "func") for token in found)
    yield from (
        [_NOISE] if not found or (("-" in chunk or "/" in chunk) and strange) or "_" in chunk or "." in chunk else found
    )


def _numeric(chunk: str, start: int, lowered: str, now: datetime) -> Iterator[Token]:
    """Read a chunk with digits; a date that does not exist is noise."""
    end = start + len(chunk)
    match = _NUMERIC.fullmatch(chunk) or _NUMERIC.fullmatch(chunk.rstrip("."))
    if match is None:
        yield from _glued(chunk, start) or _glued_range(chunk, start, lowered, now) or [_NOISE]
        return
    kind, value = _reading(match, lowered, now)
    if kind != "count":
        yield Token(kind, value, start, end)
        return
    number, short = value
    if short in _SHORT_UNITS:
        yield Token("short", duration(number, _SHORT_UNITS[short]), start, end)
    elif short == "s" and number in range(20, 100, 10):
        yield Token("decades", 1900 + number, start, end)
    elif short in LEXICON and LEXICON[short][0] in ("unit", "units"):
        yield Token("number", number, start, end)
        yield Token("units", LEXICON[short][1], start, end)
    else:
        yield from _glued(chunk, start) or [_NOISE]


_GLUED_DATES = [
    [*month, *rest] for month in (["month"], ["maybe"]) for rest in (["number"], ["number", "year"], ["year"])
] + [["early", "year"]]


def _glued(chunk: str, start: int) -> list[Token]:
    """Read "12-feb-2026", "oct2": one month name among at most two numbers; and "mid-2025"."""
    tokens: list[Token] = []
    at = 0
    for part in _GLUED.finditer(chunk):
        if part.start() != at:
            return []
        at = part.end()
        text = part[1]
        kind, value = (
            ("number", int(text)) if text.isdecimal() and len(text) <= 2 else LEXICON.get(text, ("noise", None))
        )
        if re.fullmatch(_YEAR, text):
            kind, value = "year", int(text)
        tokens.append(Token(kind, value, start + part.start(1), start + part.end(1)))
    kinds = sorted(token.kind for token in tokens)
    if at < len(chunk) or kinds not in _GLUED_DATES:
        return []
    return [token._replace(kind="ordinal") if token.kind == "number" else token for token in tokens]


def _glued_range(chunk: str, start: int, lowered: str, now: datetime) -> list[Token]:
    """Read "10/1/2018-10/7/2018" and "5/1-5/7"."""
    halves = re.fullmatch(r"([\d/.]+)[-~]([\d/.]+)", chunk)
    if not halves or not (first := _NUMERIC.fullmatch(halves[1])) or not (last := _NUMERIC.fullmatch(halves[2])):
        return []
    a, b = _reading(first, lowered, now), _reading(last, lowered, now)
    if a[0] != b[0] or a[0] not in ("span", "slash", "dotted"):
        return []
    middle = start + halves.end(1)
    return [
        Token(*a, start, middle),
        Token("dash", None, middle, middle + 1),
        Token(*b, middle + 1, start + len(chunk)),
    ]


def _reading(match: re.Match[str], lowered: str, now: datetime) -> tuple[str, Any]:
    found = {name: text for name, text in match.groupdict().items() if text is not None}
    if "slash" in found and han.LETTER.search(lowered):
        return han.month_and_day(int(found["slash"]), int(found["slashb"]))
    return _day(found, lowered, now) or _part_of_years(found, now) or _other_number(found, now)


def _day(found: dict[str, str], lowered: str, now: datetime) -> tuple[str, Any] | None:
    """Read a day with its month and year."""
    try:
        if "packed" in found:
            return "span", day_span(date(int(found["packed"]), int(found["packedm"]), int(found["packedd"])))
        if "ymd" in found:
            return "span", _iso_day(found, now.tzinfo)
        if written := found.get("dmy") or found.get("dmy2") or found.get("dmy3"):
            a = int(found.get("a") or found.get("a2") or found["a3"])
            b = int(found.get("b") or found.get("b2") or found["b3"])
            separator = found.get("by") or found.get("by3") or "/"
            return "span", _day_or_month_first(a, b, _full_year(written, now), separator, lowered, now)
    except (ValueError, OverflowError):  # no such day
        return "noise", None
    return None


def _part_of_years(found: dict[str, str], now: datetime) -> tuple[str, Any] | None:
    """Read a month, week, quarter or half of a year, a decade, and years from one to another."""
    if "ym" in found or "my" in found:
        return "span", month_span(int(found.get("ym") or found["myear"]), int(found.get("month") or found["my"]))
    if "years" in found:
        return _years(int(found["years"]), found["years"], found["toyear"])
    if "quarter" in found or "nq" in found or "yq" in found:
        number = int(found.get("quarter") or found.get("nq") or found["ofyq"])
        year = _full_year(found.get("qyear") or found.get("yq"), now)
        return ("span", month_span(year, 3 * number - 2, 3)) if year else ("quarter", number)
    if half := found.get("half") or found.get("nh") or found.get("ofyh"):
        year = _full_year(found.get("hyear") or found.get("yh"), now)
        return ("span", month_span(year, 6 * int(half) - 5, 6)) if year else ("halfyear", int(half))
    if "yw" in found or "kw" in found:
        return _week(found)
    if decade := found.get("decade") or found.get("decade2") or found.get("decade3"):
        return "decade", int(decade) + (1900 if len(decade) == 2 else 0)
    return None


def _years(first: int, written: str, to: str) -> tuple[str, Any]:
    """Read "2019-2023" and "2024/25"; the years of the latter follow each other."""
    last = int(written[: 4 - len(to)] + to)
    real = first < last and (len(to) == 4 or last == first + 1)
    return ("span", Span(datetime(first, 1, 1), datetime(last + 1, 1, 1))) if real else ("noise", None)


def _other_number(found: dict[str, str], now: datetime) -> tuple[str, Any]:
    """Read what is a date together with its neighbours only."""
    if "range" in found:
        return "range", (int(found["range"]), int(found["torange"]))
    if "slash" in found:
        return "slash", (int(found["slash"]), int(found["slashb"]))
    if "clock2" in found:
        return "clock", None
    if "dotted" in found:
        return "dotted", found["dotted"]
    if "count" in found:
        return "count", (int(found["count"]), found["short"])
    if "shortyear" in found:
        return "year", _full_year(found["shortyear"], now)
    kind = "ordinal" if "ordinal" in found else "year" if "year" in found else "number"
    return kind, int(found[kind][:9])


def _week(found: dict[str, str]) -> tuple[str, Any]:
    number = int(found.get("week") or found["kw"])
    if not 1 <= number <= 53:
        return "noise", None
    if "kw" in found:
        return "cycle", Cycle("week", number)
    try:
        monday = datetime.fromisocalendar(int(found["yw"]), number, 1)
    except ValueError:  # a year of 52 weeks
        return "noise", None
    return "span", Span(monday, monday + timedelta(days=7))


def _iso_day(found: dict[str, str], zone: tzinfo | None) -> Span:
    day = date(int(found["ymd"]), int(found["m"]), int(found["d"]))
    clock = found.get("clock", "")
    if clock.endswith("z") or "+" in clock or "-" in clock:
        moment = datetime.fromisoformat(f"{day.isoformat()}T{clock.upper()}")
        return day_span(moment.astimezone(UTC).astimezone(zone).date())
    return day_span(day)


def _full_year(written: str | None, now: datetime) -> int:
    """Return the year of "2026" or "26" (from eighty years back to twenty ahead); 0 when there is none."""
    if not written or len(written) == 4:
        return int(written or 0)
    year = now.year // 100 * 100 + int(written)
    return year if year <= now.year + 20 else year - 100


def _day_or_month_first(a: int, b: int, year: int, separator: str, lowered: str, now: datetime) -> Span:
    """Read a/b/year: by what is possible, then by what is past, then by language (month first only in English)."""
    if a > 12 or separator == ".":
        return day_span(date(year, b, a))
    month_first = day_span(date(year, a, b))
    if b > 12 or a == b:
        return month_first
    day_first = day_span(date(year, b, a))
    today = now.replace(tzinfo=None)
    if (month_first.start > today) != (day_first.start > today):
        return min(month_first, day_first)
    english = guess_language([fold(word) for word in _WORD.findall(lowered)]) == "english"
    return month_first if english else day_first
