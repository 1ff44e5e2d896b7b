"""Period: the time that a prompt speaks of: "last Tuesday", "in March", "vor drei Wochen", "from Feb 9 to Feb 12".

A cascade of small grammars over token kinds (after Abney, "Partial parsing via finite-state cascades", 1996): each
level rewrites runs of tokens as one token, and the next level sees the shorter list. Nothing is looked for unless one
of the words of ``temporal.words`` is there, or a number that looks like a date. ``temporal.dates`` and
``temporal.readings`` say what the phrases mean; dateparser resolves absolute dates in languages that the grammar does
not know.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, timedelta, timezone

from hookclaw_py.model.types import Period
from hookclaw_py.regex import regex
from hookclaw_py.temporal import dates, spans
from hookclaw_py.temporal import readings as read
from hookclaw_py.temporal.lexer import Token, lex, mentions_time
from hookclaw_py.temporal.match import Action, Match
from hookclaw_py.temporal.spans import DAY, Span
from hookclaw_py.temporal.tense import asks_for_plans, looks_ahead, looks_back, names_no_plan
from hookclaw_py.temporal.words import LEXICON, names_month
from hookclaw_py.text import asking, ends, terms

_LOOKED_AT = 4000  # characters
_TELLING = regex(r"\d{4}|\d[./-]\d|[月年]")
_WHICH = regex(r"[几幾](?:月|号|號|点|點)|[哪何](?:个|個)?(?:年|月|日|天|時|星期|礼拜|周|週)")
_COMING = regex(
    r"""(?i)(?P<weekend>\b(?:the\ )?(?:weekend|wochenende|week-?end|fin\ de\ semana)\b|\b(?:le|ce|el|este)\ (?:we|finde)\b|周末|週末)
    |\b(?:coming\ up|upcoming|next\ appointments?|nächsten?\ termine?|prochains?\ rendez-vous|próximas?\ citas?)\b|^was\ steht\ (?:\S+\ ){0,2}an\b|接下来|接下來""",
    re.VERBOSE,
)
_SOON = 30 * DAY
_BY = regex(r"^(?:by|bis|entro) ")


def find_period(text: str, *, now: datetime) -> Period | None:
    """Return the period that ``text`` speaks of, or None; ``now`` is aware and in the user's zone, and so is the answer.

    Of several phrases, one that reaches into the past goes before one that begins today or later, then the narrowest
    (a day at least), then the first. Of a long text only the two ends are read, 4,000 characters in all.
    """
    text = ends(text, _LOOKED_AT)
    if not text.isascii():
        text = _WHICH.sub(lambda which: "?" * len(which[0]), unicodedata.normalize("NFKC", text))
    lowered = text.lower()
    if not mentions_time(lowered) and not _COMING.search(lowered):
        return None
    if len(lowered) != len(text):  # a few letters grow when lowered
        text = lowered
    tokens, ahead, back = lex(lowered, now), looks_ahead(lowered), looks_back(lowered)
    for level in _LEVELS:
        tokens = level.rewrite(tokens, now, lowered, ahead=ahead, back=back)
    found = [token for token in tokens if token.kind == "span"]
    if not found:
        return _what_comes(text, now) if ahead else None
    midnight = spans.midnight(now.replace(tzinfo=None))
    best = min(found, key=lambda t: (t.value.start >= midnight, max(t.value.end - t.value.start, DAY)))
    return _period(best.value, now, text[best.start : best.end].rstrip(".:"))


def _what_comes(text: str, now: datetime) -> Period | None:
    """Return the days ahead that a text asks for and does not name: "what's coming up?", "plans for the weekend"."""
    match = _COMING.search(text)
    if match is None or not names_no_plan(without(text, match[0])):
        return None
    today = spans.day_span(now.replace(tzinfo=None))
    span = spans.containing(today.start, "weekend") if match["weekend"] else Span(today.start, today.end + _SOON)
    return _period(span, now, match[0])


def sets_the_scene(period: Period, text: str, *, now: datetime) -> bool:
    """Say whether a period only tells when somebody asks: "friday at six", "beeping since this morning, what is it?".

    So do a day of the week by its bare name, and today, in a prompt that does not look back and asks for more than the day.
    """
    today = spans.midnight(now.replace(tzinfo=None)).replace(tzinfo=now.tzinfo)
    bare = LEXICON.get(_BY.sub("", period.phrase.lower()).strip(), ("", None))[0] in (
        "weekday",
        "weekdays",
        "sat",
        "sun",
    )
    if not bare and not (period.start <= now < period.end <= today + 2 * DAY and now - period.start < 2 * DAY):
        return False
    rest = without(text, period.phrase)
    return not looks_back(rest) and not asks_for_plans(rest) and not asking().issuperset(terms(rest))


def written(phrase: str) -> str:
    """Return what of a phrase a note may hold itself: "3 March" of "3 March last year", "" of "3 days ago"."""
    found = [word for word in phrase.split() if any(map(str.isdigit, word)) or names_month(word.lower())]
    dated = any(map(str.isdigit, phrase)) and any(_TELLING.search(word) or names_month(word.lower()) for word in found)
    return " ".join(found) if dated else ""


def without(text: str, phrase: str) -> str:
    """Return ``text`` without the phrase, which leaves "Mayfair" whole and no half of it in "妈妈昨天说"."""
    return re.sub(rf"(?<![A-Za-z]){re.escape(phrase)}(?![A-Za-z])", " ", text)


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
        self._pattern = regex(_encoded("(?! [noise func stop])") + f"(?:{alternatives})")

    def rewrite(self, tokens: list[Token], now: datetime, lowered: str, *, ahead: bool, back: bool) -> list[Token]:
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
                made = action(Match(tokens[match.start() : at], now, lowered, ahead=ahead, back=back))
            except (ValueError, OverflowError):  # a date outside the calendar
                made = None
            rewritten.append(made or _NOTHING)
        return rewritten + tokens[at:] if at else tokens


_KINDS = """
    noise func stop comma dash the of by and or a in during on am at from between to since before vor until after agopre ago back onward hence
    earlier now beforelast afternext rest last past passed this next coming every good early edge few half number tens ordinal nth unit units month maybe
    weekday weekdays sat sun dayword dayelsewhere elsewhere hier morgen tonight part parts season spring decade holiday feast fest black eve valentine new other these
    kw cal il hundred thousand clock quarter halfyear decades span cycle year range slash dotted short duration
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
    "every parts good tens thousand hundred few half il a dotted from morgen number year range",
    (
        "every the? [weekday sat sun unit units month part season spring holiday ordinal nth morgen dayword]+",
        dates.nothing,
    ),
    ("weekday parts", dates.nothing),
    ("good the? new? [part morgen unit weekday sat]", dates.nothing),
    (
        "number thousand ([and number tens]+)?|number tens number?|tens tens number?|number hundred ([and number tens]+)?",
        dates.spoken_year,
    ),
    ("tens dash? [number nth]", dates.compound),
    ("tens", dates.number(lambda m: m.one("tens"))),
    ("year (?= units)", dates.number(lambda m: m.one("year"))),
    ("a? few of?", dates.number(lambda m: m.one("few"))),
    ("number [or to dash] number (?= [unit units])", dates.number(lambda m: sum(m.all("number")) / 2)),
    ("range (?= [unit units])", dates.number(lambda m: sum(m.one("range")) / 2)),
    ("number and a half", dates.number(lambda m: m.one("number") + 0.5)),
    ("half a? (?=unit)", dates.constant("number", 0.5)),
    ("il and a", dates.constant("agopre", 1)),
    ("a (?=unit)", dates.constant("number", 1)),
    ("dotted (?=[unit units])", dates.number(lambda m: float(m.one("dotted")))),
    ("from now", dates.constant("hence", 1)),
    ("(?<=[dayword this]) morgen", dates.constant("part", (5, 12))),
    ("[am the] morgen", dates.nothing),
    ("morgen", dates.constant("dayword", 1)),
)
_DURATIONS = _Level(
    "unit units",
    ("number unit or number (?= ago)", read.one_or_two),
    ("number [unit units] (comma? and? number [unit units])*", read.duration),
    ("unit (?= ago)", read.duration),
)
_DATES = _Level(
    "month maybe unit weekday sat sun elsewhere dayelsewhere ordinal number slash dotted decade holiday feast fest eve weekdays new valentine season spring year kw quarter halfyear decades",
    (f"{_W} {_M} {_D} [to dash until] the? {_D} ([of comma]* year)?", dates.month_days),
    (f"{_M} range ([of comma]* year)?", dates.month_days),
    (f"between the? {_D} and the? {_D} of? {_M} ([of comma]* year)?", dates.month_days),
    (f"[from am of]? the? {_D} [to dash until] the? {_D} of? {_M} ([of comma]* year)?", dates.month_days),
    (f"[from between]? range [of in]? {_M} ([of comma]* year)?", dates.month_days),
    (f"{_W} the? {_D} [of dash]? {_M} [of comma dash the]* year", dates.month_day),
    (f"{_W} the? {_D} {_M} number (?! [noise func unit units number a])", dates.month_day_short_year),
    (f"{_W} {_M} dash? the? {_D} [of comma dash clock]* year", dates.month_day),
    (f"year [comma dash]? {_M} dash? {_D}", dates.month_day),
    ("year [comma dash]? month", dates.month_year),
    (f"{_M} [of comma the]* year", dates.month_year),
    (f"{_W} the? {_D} of {_M}", dates.month_day),
    (f"{_W} the? [ordinal nth] {_M}", dates.month_day),
    (f"{_W} {_D} month", dates.month_day),
    (f"[weekday sat sun] comma? the? {_D} maybe", dates.month_day),
    (f"(?<=[on am since before after until from to between by the]) {_D} maybe", dates.month_day),
    (f"(?<!.) {_D} maybe (?= [dash comma]|$)", dates.month_day),
    (f"{_W} month dash? the? {_D} (?! [unit units])", dates.month_day),
    (f"{_W} maybe the? [ordinal nth]", dates.month_day),
    ("[weekday sat sun] comma? maybe number", dates.month_day),
    ("maybe number (?! [noise func unit units number a])", dates.month_day),
    (
        "(?<=[on since before after until from to between by of]) maybe number (?! [unit units number])",
        dates.month_day,
    ),
    ("[number ordinal] of? elsewhere of? year?", dates.elsewhere),
    ("elsewhere [number ordinal] comma? year|elsewhere year|year elsewhere [number ordinal]?", dates.elsewhere),
    ("dayelsewhere", dates.elsewhere),
    (
        "(il|the unit?) number (?! [of to dash until unit units month maybe number kw last past next this coming weekdays ago])",
        dates.day_of_month,
    ),
    (
        "am ordinal (?! [of to dash until unit units month maybe number kw last past next this coming weekdays ago])",
        dates.day_of_month,
    ),
    (
        "[weekday sat sun] comma? the? [ordinal nth]|weekday comma? the? number (?! [unit units])",
        dates.weekday_the,
    ),
    ("the? unit of the ordinal (?! [noise of unit units])", read.unit_of_day),
    (
        "((?<=[on since until before after from to]) the? ordinal|(?<=of) the ordinal) (?! [noise of unit units])",
        dates.cycle("day", "ordinal"),
    ),
    ("the ordinal (?= stop|comma|noise|on|a|at|$)", dates.day_ahead),
    ("between the ordinal and the ordinal (?! [noise of unit units])", dates.days),
    ("[from am] the? ordinal [to dash] dotted", dates.days_dotted),
    ("(?<=[from between on of]) slash [to dash and until] slash", dates.two_dates),
    (
        "[weekday sat sun] comma? the? slash|(?<=[on am since until before after from to]) slash|(?<=[on since until before after from]) the slash",
        dates.with_slash,
    ),
    ("the slash|(?<=of) slash", dates.le_with_slash),
    ("(?<=[am since to]) dotted", dates.dotted),
    ("(?<=[on from until before by after between]) dotted (?! dash)", dates.dotted_in_full),
    ("(?<=between dotted and) dotted", dates.dotted_in_full),
    ("(?<=[am from]) dotted (?= dash)|(?<= dotted dash) dotted", dates.dotted),
    ("nth? fest", dates.fest),
    ("weekday of the? feast|eve of the? [holiday feast]", dates.holiday),
    ("feast weekday", dates.holiday),
    ("black weekday", dates.black_friday),
    ("weekday", dates.cycle("weekday", "weekday")),
    ("(?<![on am every]) weekdays (?= noise)", dates.cycle("weekday", "weekdays")),
    (
        "[sat sun] (?= [to dash] [sat sun weekday])|(?<=[sat sun weekday] [to dash]) [sat sun]",
        dates.cycle("weekday", "sat", "sun"),
    ),
    ("(?<=between) [sat sun]|(?<=between [sat sun weekday] and) [sat sun]", dates.cycle("weekday", "sat", "sun")),
    ("[sat sun] (?= part)", dates.cycle("weekday", "sat", "sun")),
    ("(?<=[on since last next until after before this]) sat", dates.cycle("weekday", "sat")),
    ("(?<=[last next since until]) sun", dates.cycle("weekday", "sun")),
    (f"{_M} and {_M} (?! [of comma]* year)", dates.two_months),
    ("month", dates.month),
    (f"{_M} [to dash until] {_M} [of comma]* year", dates.months_of),
    ("(?<=[in during since before after until last next early between by past]) maybe", dates.cycle("month", "maybe")),
    ("(?<=[unit units nth edge early half ordinal number] of) maybe", dates.cycle("month", "maybe")),
    (
        f"(?<=from) maybe (?= [to until dash])|(?<={_M} [to dash]) maybe|maybe (?= [to until dash] {_M})",
        dates.cycle("month", "maybe"),
    ),
    ("the? decade|the decades", dates.decade),
    ("quarter [of comma in]? year|year comma? quarter", dates.quarter_year),
    ("halfyear [of comma in]? year|year comma? halfyear", dates.half_year),
    (
        "(?<=[in during of since until before after last this next by]) quarter|quarter (?! stop)",
        dates.cycle("quarter", "quarter"),
    ),
    ("[holiday feast] eve", dates.holiday),
    ("the? new unit [eve unit]|(?<=[since before after at and]) the? new unit", dates.new_year),
    ("valentine unit", dates.holiday),
    ("(?<=[on at in since last next this before after until of during between]) [holiday feast]", dates.holiday),
    ("(?<=during the) [holiday feast]", dates.holiday),
    ("[holiday feast] (?= [comma of]? year|passed)", dates.holiday),
    (
        "(?<=to) season|(?<=[in during since last next this past after before until]) season",
        dates.cycle("season", "season"),
    ),
    ("(?<=in the) [season spring]|(?<=during the) [season spring]", dates.cycle("season", "season", "spring")),
    ("[season spring] (?= of? year)", dates.cycle("season", "season", "spring")),
    ("[season spring] (?= [passed coming])", dates.cycle("season", "season", "spring")),
    ("(?<=[last next this past]) spring", dates.cycle("season", "spring")),
    ("kw number|ordinal kw|cal unit number|unit number (?= [of comma]? year)", dates.week_number),
    ("(?<=[in during of since from]) unit number (?! of)", dates.week_of_work),
    ("the? [nth ordinal] unit year", dates.quarter_ordinal),
    ("(?<=[in during]) year (?! [unit units])|the? unit year", dates.year),
    ("[holiday feast]", dates.holiday_ahead),
)
_RELATIVES = _Level(
    "unit units part parts tonight cycle dayword duration short passed weekdays",
    ("the? [last past next] [duration short] (?! of)", read.rolling),
    ("number [last past passed next] units", read.rolling),
    ("[last this next] units (?= noise)", read.genitive),
    ("the? [last past next] units", read.rolling),
    ("the? past unit (?! of)", read.rolling),
    ("these duration", read.these),
    ("maybe of? the? [last this next] unit|maybe of? the? unit passed", read.month_of_year),
    ("the? (cycle before last (?! [unit units cycle number duration])|beforelast cycle)", read.before_last),
    ("the? part before last (?! [unit units cycle])", read.before_last),
    ("number weekdays ago", read.weekdays_ago),
    ("number parts ago", read.days_ago),
    ("the? unit before last|the? unit after next|the? [beforelast afternext] unit", read.calendar),
    ("the? rest of? [the this]? unit", read.rest_of_unit),
    (f"the? [last this next passed coming] unit (?! of|before the? {_P})", read.calendar),
    (
        "earlier in the unit|[in during on at am] the? unit (?! of|am|number|before|after|from|beforelast|afternext)",
        read.this_unit,
    ),
    ("the? unit [passed coming]|the a passed", read.calendar),
    ("[last this next] part|the? part passed", read.part_of_today),
    ("tonight", read.part_of_today),
    ("the? [last past this next passed coming] cycle (?! of)", read.relative_cycle),
    ("cycle [passed coming]", read.relative_cycle),
    ("duration ago dayword|dayword [vor in] duration", read.ago_to_the_day),
    (
        "[duration short] [ago back]|[agopre vor] duration|duration hence|in duration (?! of)|between duration (?! [of and])",
        read.ago,
    ),
    ("(the? other)? dayword", read.day),
)
_COMBINATIONS = _Level(
    "span cycle year edge early unit",
    (f"the? last? [duration unit] [before after from] the? {_P}", read.offset),
    (f"the? [nth ordinal last] [cycle unit duration] [of in] the? {_P}", read.nth),
    ("the? [nth ordinal last] [cycle unit duration] [of in] the unit", read.nth),
    ("the? [nth ordinal] cycle span", read.nth),
    ("the? [nth ordinal] unit (?! [of in am before after from])", dates.quarter_ordinal),
    ("early [of in dash]? the? cycle [of in comma on the]* [span year]|span early cycle", read.third_in),
    (f"[before vor] of? the? [early edge] of? the? ({_P}|unit (?! of))", read.before_third),
    (f"early [of in dash]? the? {_P}|the? edge of the? {_P}", read.third),
    (f"the? [nth ordinal last] half of? the? {_P}|the? [nth ordinal last] half of? the unit", read.half),
    ("the? early (of|of? the) unit|the? edge of the? unit", read.third),
    ("the? [ordinal nth] of the? span", read.day_in),
    (f"the? cycle [before after] the? {_P}", read.beside),
    ("cycle part [of in comma on the]* span", read.part_in),
    ("cycle [of in comma on the at clock]* [span year]", read.cycle_in),
    ("span [of in comma on the]* cycle", read.cycle_in),
    ("[span cycle] [comma in at am the]* part", read.part_of_day),
    ("the? part of? the? [span cycle]", read.part_of_day),
)
_WEEKS_OF = _Level("unit", (f"the? unit [of am] the? {_P}", read.unit_of))
_RANGES = _Level(
    "between from to until dash a since before vor after by",
    (f"between the? {_P} and the? [span cycle year now]", read.from_to),
    ("[from of]? the? [span cycle] [to until dash] the? [span cycle year now]", read.from_to),
    (f"from the? {_P} [to until dash] the? [span cycle year now]", read.from_to),
    ("of the? [span cycle] [a to] the? [span cycle]", read.from_to),
    (f"between now and the? {_P}|from now [to until] the? {_P}", read.from_to),
    ("[year] [to until dash] year", read.from_to),
    (f"since the? {_P}|from the? {_P} (onward|on (?!.))", read.since),
    (f"[until before vor] of? the? {_P}", read.until),
    (f"after the? {_P}", read.after),
    ("[by to] the? [span cycle]", read.by),
)
_BARE = _Level("cycle", ("cycle", read.most_recent))
_LEVELS = (_NUMBERS, _DURATIONS, _DATES, _RELATIVES, _COMBINATIONS, _COMBINATIONS, _WEEKS_OF, _RANGES, _BARE)
