"""The period that a prompt speaks of: "last Tuesday", "in March", "vor drei Wochen", "from Feb 9 to Feb 12".

A cascade of small grammars over token kinds (after Abney, "Partial parsing via finite-state cascades", 1996): each
level rewrites runs of tokens as one token, and the next level sees the shorter list. Nothing is looked for unless one
of the words of ``temporal.words`` is there, or a number that looks like a date. ``temporal.readings`` says what the
phrases mean; dateparser resolves absolute dates in languages that the grammar does not know.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, timedelta, timezone

from hookclaw_py.temporal import readings as read
from hookclaw_py.temporal import spans
from hookclaw_py.temporal.lexer import Token, lex, mentions_time
from hookclaw_py.temporal.readings import Action, Match
from hookclaw_py.temporal.spans import DAY, Span
from hookclaw_py.types import Period

_LOOKED_AT = 4000  # characters


def find_period(text: str, *, now: datetime) -> Period | None:
    """Return the period that ``text`` speaks of, or None; ``now`` is aware and in the user's zone, and so is the answer.

    Of several phrases, one that reaches into the past goes before one that begins today or later, then the narrowest
    (a day at least), then the first. Only the first 4,000 characters are read.
    """
    text = text[:_LOOKED_AT]
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    lowered = text.lower()
    if not mentions_time(lowered):
        return None
    if len(lowered) != len(text):  # a few letters grow when lowered
        text = lowered
    tokens = lex(lowered, now)
    for level in _LEVELS:
        tokens = level.rewrite(tokens, now, lowered)
    found = [token for token in tokens if token.kind == "span"]
    if not found:
        return None
    midnight = spans.midnight(now.replace(tzinfo=None))
    best = min(found, key=lambda t: (t.value.start >= midnight, max(t.value.end - t.value.start, DAY)))
    return _period(best.value, now, text[best.start : best.end].rstrip(".:"))


def _period(span: Span, now: datetime, phrase: str) -> Period | None:
    start, end = span.start.replace(tzinfo=now.tzinfo), span.end.replace(tzinfo=now.tzinfo)
    if start >= end:  # the hour that the clocks repeat: compare by offset, not by what the clock shows
        start, end = (moment.replace(tzinfo=timezone(moment.utcoffset() or timedelta(0))) for moment in (start, end))
    return Period(start, end, phrase) if start < end else None


class _Level:
    """One grammar of the cascade: rules in order of preference, matched left to right; all ``need`` one of some kinds."""

    def __init__(self, need: str, *rules: tuple[str, Action]) -> None:
        self._need = frozenset(_encoded(need))
        self._actions = [action for _, action in rules]
        alternatives = "|".join(f"(?P<r{i}>{_encoded(rule)})" for i, (rule, _) in enumerate(rules))
        self._pattern = re.compile(_encoded("(?! [noise func stop])") + f"(?:{alternatives})")

    def rewrite(self, tokens: list[Token], now: datetime, lowered: str) -> list[Token]:
        codes = "".join([_CODES[token.kind] for token in tokens])
        if self._need.isdisjoint(codes):
            return tokens
        rewritten: list[Token] = []
        at = 0
        for match in self._pattern.finditer(codes):
            rewritten += tokens[at : match.start()]
            at = match.end()
            action = self._actions[int((match.lastgroup or "r0")[1:])]
            try:
                made = action(Match(tokens[match.start() : at], now, lowered))
            except (ValueError, OverflowError):  # a date outside the calendar
                made = None
            rewritten.append(made or _NOTHING)
        return rewritten + tokens[at:] if at else tokens


_KINDS = """
    noise func stop comma dash the of by and a in during on am at from between to since before vor until after agopre ago hence
    earlier now beforelast last past passed this next coming every good early edge few half number tens ordinal nth unit units month maybe
    weekday sat sun dayword dayelsewhere elsewhere hier morgen tonight part parts season spring decade holiday eve valentine new
    kw il hundred thousand clock quarter halfyear decades span cycle year range slash dotted short duration
"""
_CODES = {kind: chr(0x100 + i) for i, kind in enumerate(_KINDS.split())}
_NOTHING = Token("stop", None, 0, 0)


def _encoded(rule: str) -> str:
    """Turn a rule over kinds ("last number? units") into a regular expression over their codes."""
    return re.sub(r"[a-z]+", lambda m: _CODES[m[0]], rule).replace(" ", "")


_D = "[number ordinal nth]"
_M = "[month maybe]"
_W = "([weekday sat sun] comma? the?)?"
_P = "[span cycle year]"

_NUMBERS = _Level(
    "every parts good tens thousand hundred few half il a dotted from morgen number year",
    (
        "every the? [weekday sat sun unit units month part season spring holiday ordinal nth morgen dayword]+",
        read.nothing,
    ),
    ("weekday parts", read.nothing),
    ("good the? new? [part morgen unit weekday sat]", read.nothing),
    (
        "number thousand ([and number tens]+)?|number tens number?|tens tens number?|number hundred ([and number tens]+)?",
        read.spoken_year,
    ),
    ("tens dash? [number nth]", read.compound),
    ("tens", read.number(lambda m: m.one("tens"))),
    ("year (?= units)", read.number(lambda m: m.one("year"))),
    ("a? few of?", read.number(lambda m: m.one("few"))),
    ("number and a half", read.number(lambda m: m.one("number") + 0.5)),
    ("half a? (?=unit)", read.constant("number", 0.5)),
    ("il and a", read.constant("agopre", 1)),
    ("a (?=unit)", read.constant("number", 1)),
    ("dotted (?=[unit units])", read.number(lambda m: float(m.one("dotted")))),
    ("from now", read.constant("hence", 1)),
    ("(?<=[dayword this]) morgen", read.constant("part", (5, 12))),
    ("[am the] morgen", read.nothing),
    ("morgen", read.constant("dayword", 1)),
)
_DURATIONS = _Level("unit units", ("number [unit units] (comma? and? number [unit units])*", read.duration))
_DATES = _Level(
    "month maybe weekday sat sun elsewhere dayelsewhere ordinal slash dotted decade holiday new valentine season spring year kw quarter halfyear decades",
    (f"{_W} {_M} {_D} [to dash until] the? {_D} ([of comma]* year)?", read.month_days),
    (f"{_M} range ([of comma]* year)?", read.month_days),
    (f"between the? {_D} and the? {_D} of? {_M} ([of comma]* year)?", read.month_days),
    (f"[from am of]? the? {_D} [to dash until] the? {_D} of? {_M} ([of comma]* year)?", read.month_days),
    (f"[from between]? range [of in]? {_M} ([of comma]* year)?", read.month_days),
    (f"{_W} the? {_D} [of dash]? {_M} [of comma dash the]* year", read.month_day),
    (f"{_W} {_M} dash? the? {_D} [of comma dash clock]* year", read.month_day),
    (f"year [comma dash]? {_M} dash? {_D}", read.month_day),
    ("year [comma dash]? month", read.month_year),
    (f"{_M} [of comma the]* year", read.month_year),
    (f"{_W} the? {_D} of {_M}", read.month_day),
    (f"{_W} the? [ordinal nth] {_M}", read.month_day),
    (f"{_W} {_D} month", read.month_day),
    (f"[weekday sat sun] comma? the? {_D} maybe", read.month_day),
    (f"(?<=[on am since before after until from to between by the]) {_D} maybe", read.month_day),
    (f"{_W} month dash? the? {_D} (?! [unit units])", read.month_day),
    (f"{_W} maybe the? [ordinal nth]", read.month_day),
    ("[weekday sat sun] comma? maybe number", read.month_day),
    ("maybe number (?! [noise func unit units number a])", read.month_day),
    ("[number ordinal] of? elsewhere of? year?", read.elsewhere),
    ("elsewhere [number ordinal] comma? year|elsewhere year|year elsewhere [number ordinal]?", read.elsewhere),
    ("dayelsewhere", read.elsewhere),
    (
        "[weekday sat sun] comma? the? [ordinal nth]|weekday comma? the? number (?! [noise unit units])",
        read.weekday_the,
    ),
    ("the? unit of the ordinal (?! [noise of unit units])", read.unit_of_day),
    (
        "(?<=[on since until before after from to]) the? ordinal (?! [noise of unit units])",
        read.cycle("day", "ordinal"),
    ),
    ("(?<=[from between on]) slash [to dash and until] slash", read.two_dates),
    (
        "[weekday sat sun] comma? slash|(?<=[on am since until before after from to]) slash",
        lambda m: m.make("cycle", read.slashed(m.one("slash"))),
    ),
    ("(?<=[am since to]) dotted", read.dotted),
    ("weekday", read.cycle("weekday", "weekday")),
    ("(?<=[on since last next until after before this]) sat", read.cycle("weekday", "sat")),
    ("(?<=[last next since until]) sun", read.cycle("weekday", "sun")),
    ("month", read.cycle("month", "month")),
    (f"{_M} [to dash until] {_M} [of comma]* year", read.months_of),
    ("(?<=[in during since before after until last next early between by past]) maybe", read.cycle("month", "maybe")),
    ("(?<=[unit units nth edge early ordinal number] of) maybe", read.cycle("month", "maybe")),
    (
        f"(?<=from) maybe (?= [to until dash])|(?<={_M} [to dash]) maybe|maybe (?= [to until dash] {_M})",
        read.cycle("month", "maybe"),
    ),
    ("the? decade|the decades", read.decade),
    ("quarter [of comma in]? year|year comma? quarter", read.quarter_year),
    ("halfyear [of comma in]? year|year comma? halfyear", read.half_year),
    (
        "(?<=[in during of since until before after last this next by]) quarter|quarter (?! stop)",
        read.cycle("quarter", "quarter"),
    ),
    ("holiday eve", read.holiday),
    ("the? new unit [eve unit]", read.new_year),
    ("valentine unit", read.holiday),
    ("(?<=[on at in since last next this before after until of]) holiday", read.holiday),
    ("holiday (?= [comma of]? year)", read.holiday),
    ("(?<=[in during since last next this past after before until]) season", read.cycle("season", "season")),
    ("(?<=in the) [season spring]|(?<=during the) [season spring]", read.cycle("season", "season", "spring")),
    ("[season spring] (?= of? year)", read.cycle("season", "season", "spring")),
    ("(?<=[last next this past]) spring", read.cycle("season", "spring")),
    ("kw number|unit number (?= [of comma]? year)", read.week_number),
    ("(?<=[in during]) year (?! [unit units])|the? unit year", read.year),
)
_RELATIVES = _Level(
    "unit units part tonight cycle dayword duration short passed",
    ("the? [last past next] [duration short] (?! of)", read.rolling),
    ("number [last past passed next] units", read.rolling),
    ("the? [last past] units", read.rolling),
    ("the? past unit (?! of)", read.rolling),
    ("maybe of? the? [last this next] unit|maybe of? the? unit passed", read.month_of_year),
    ("the? unit before last|the? unit after next|the? beforelast unit", read.calendar),
    (f"the? [last this next passed coming] unit (?! of|before the? {_P})", read.calendar),
    ("earlier in the unit|[in during on at] the? unit (?! of|number)", read.this_unit),
    ("the? unit [passed coming]|the a passed", read.calendar),
    ("[last this next] part", read.part_of_today),
    ("tonight", read.part_of_today),
    ("the? [last past this next passed coming] cycle (?! of)", read.relative_cycle),
    ("cycle [passed coming]", read.relative_cycle),
    ("[duration short] ago|[agopre vor] duration|duration hence|in duration (?! of)", read.ago),
    ("dayword", read.day),
)
_COMBINATIONS = _Level(
    "span cycle year edge early unit",
    (f"the? last? [duration unit] [before after from] the? {_P}", read.offset),
    (f"the? [nth ordinal last] [cycle unit duration] [of in] the? {_P}", read.nth),
    ("the? [nth ordinal last] [cycle unit duration] [of in] the unit", read.nth),
    ("the? [nth ordinal] cycle span", read.nth),
    (f"early [of in dash]? the? {_P}|the? edge of the? {_P}", read.third),
    ("early of? the unit|the? edge of the? unit", read.third),
    ("the? [ordinal nth] of the? span", read.day_in),
    ("cycle part [of in comma on the]* span", read.part_in),
    ("cycle [of in comma on the at clock]* [span year]", read.cycle_in),
    ("span [of in comma on the]* cycle", read.cycle_in),
    ("[span cycle] [comma in at am the]* part", read.part_of_day),
    ("the? part of? the? [span cycle]", read.part_of_day),
)
_WEEKS_OF = _Level("unit", (f"the? unit of the? {_P}", read.unit_of))
_RANGES = _Level(
    "between to until dash a since before vor after",
    (f"between the? {_P} and the? [span cycle year now]", read.from_to),
    ("[from of]? the? [span cycle] [to until dash] the? [span cycle year now]", read.from_to),
    (f"from the? {_P} [to until dash] the? [span cycle year now]", read.from_to),
    ("of the? [span cycle] [a to] the? [span cycle]", read.from_to),
    (f"between now and the? {_P}|from now [to until] the? {_P}", read.from_to),
    ("[year] [to until dash] year", read.from_to),
    (f"since the? {_P}", read.since),
    (f"[until before vor] the? {_P}", read.until),
    (f"after the? {_P}", read.after),
)
_BARE = _Level("cycle", ("cycle", read.most_recent))
_LEVELS = (_NUMBERS, _DURATIONS, _DATES, _RELATIVES, _COMBINATIONS, _COMBINATIONS, _WEEKS_OF, _RANGES, _BARE)
