"""Which of two statements says something newer of the same: "the rent is 890" … "since August we pay 940 for the flat".

Compared are a person's sentences. What they speak of is what they share of telling words, in the sentence or beside it; what is different
is a value of the same sort (a time, a day, an amount), or what was to be done and is. Precision comes first: a
wrong supersession hides a true memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.sentences import Sentence
from hookclaw_py.temporal.words import LEXICON

_CHANGES = regex(
    r"""(?xi) \b(?: now | new | again | (?:chang|mov|switch|replac|renam|rais|increas|reduc|lower|postpon|shift|cancel|upgrad|migrat|extend|retir|clos)(?:e?s|e?d|ing)
      | no\ longer | no\ more | not\ any\ ?more | anymore | instead | gone | off | from\ (?:now|next|today|\d|(?:january|february|march|april|may|june|july|august|september|october|november|december)\b)
      | goes\ (?:up|down|from|to) | goes | extension | prolongation | decided | final | after\ all(?!\ (?:the|of|my|our|these|those)\b)
      | jetzt | nun | neu(?:e[nrsm]?)? | ab\ (?:heute|morgen|sofort|\w+tag|mitte|anfang|ende|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)
      | seit | nicht\ mehr | umgezogen | (?:ge)?(?:ändert|wechselt) | planänderung | verschoben | statt(?:dessen)? | ersetzt | abgesagt | ausgefallen | runter | rauf | hoch | doch
      | maintenant | désormais | nouve(?:au|l|lle)s? | chang(?:é|e) | reporté\w* | déplacé\w* | annulé\w* | ne\ \w+\ plus | à\ partir\ d
      | ahora | nuev[oa]s? | cambi\w+ | pasa\ a | pasó\ a | ya\ no | aplazad\w+ | cancelad\w+ | a\ partir\ d )\b
      | [改换搬涨降新]|现在|不再|取消|推迟"""
)
_DONE = regex(
    r"""(?xi) \b(?: done | did | (?:is|are|was|were)\ (?:out|in|through|booked|paid|sent|closed|migrated|ready|settled|there) | closed | booked | paid | sent | signed | tried | finished | arrived | came
      | put\ \w+(?:\ \w+)?\ in | rang | called | read | bought | said | installed | accepted
      | erledigt | gemacht | fertig | gebucht | bezahlt | geschickt | gekommen | da\ ist | unterschrieben | fait\w* | terminé\w* | hecho | terminad\w+ )\b | 完成|好了|已经"""
)
_OPEN = regex(
    r"""(?xi) \b(?: open | todo | to\ do | next | still | not\ yet | yet | must | has\ to | have\ to | needs?\ to | should | will | until | before | plan | tomorrow | later | starts | wants\ to | don['’]?t | doesn['’]?t
      | puts | does | offen | noch | muss | müssen | plan | morgen | später | bis | läuft\ .*\ ab | reste | encore | doit | falta | todavía | hay\ que | tiene\ que )\b | 还没|待|要"""
)
_FORMER = regex(
    r"""(?xi) \b(?: (?:not | no | nicht | pas | no\ more | no\ longer | instead\ of | statt | au\ lieu\ de | en\ vez\ de | was | were | war | mit)\ (?P<day>am\ |de[mnr]\ )?(?:on\ )?(?:the\ )?(?P<not>[\w:]+(?:[.,]\d+)*)
      | (?:from | von | vom | de)\ (?:the\ )?(?P<from>\d[\d.,:]*(?:st|nd|rd|th)?)(?:\s\w+)?\s(?:to | down | up | auf | zum | à | a)\b )"""
)
_WAS = regex(r"(?i)(?:was|were|war|mit)\b")
_UNITS = r"days?|weeks?|months?|years?|hours?|minutes?|min|times?|bar|km|kg|kwh|%|percent|°\s?c|euros?|eur|€|\$|tage|wochen|monate|jahre|stunden|minuten|mal|grad|jours|semaines|mois|ans|días|semanas|meses|años"
_CLOCK = regex(
    r"(?i)(?<![\w.,])(?:[01]?\d|2[0-4])(?::[0-5]\d|\s?h(?:[0-5]?\d)?)\b|\b\d{1,2}(?:[:.]\d\d)?\s?(?:uhr|am|pm)\b"
)
_ADDRESS = regex(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
_MEASURED = regex(rf"(?i)(?<![\w.,:])(?P<number>\d[\d.,]*)\s?(?P<unit>{_UNITS})(?!\w)")
_NUMBER = regex(r"(?<![\w.,:/-])(?!(?:19|20)\d\d\b)\d[\d.,]*(?![\w:/-])")
_MONTHS = {word for word, (kind, _) in LEXICON.items() if kind in ("month", "maybe")}
_WEEKDAYS = {word: value for word, (kind, value) in LEXICON.items() if kind in ("weekday", "weekdays")}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = regex(
    rf"""(?xi) \b(?: (?P<day1>\d{{1,2}})(?:\.|st|nd|rd|th|er)?\s+(?:de\s+|of\s+)?(?P<month1>{_MONTH})
      | (?P<month2>{_MONTH})\s+(?:the\s+)?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:]|[.,]\d|\s?(?:{_UNITS}|uhr|[ap]m)(?!\w))
      | (?P<day3>[0-3]?\d)\.(?P<month3>0?[1-9]|1[0-2])\.(?:20\d\d)?(?!\d) | (?:{_MONTH})\s+(?:de\s+)?20\d\d )(?!\w)"""
)
_DAY = regex(
    r"""(?xi) \b(?: the\ (?P<nth>\d{1,2})(?:st|nd|rd|th)(?=\s*(?:[,.;:!)–-]|$|(?:at|of|in|to|and|or|from|until|till|instead|not|now|for|with)\b))
      | (?:am|vom|zum|de[mnr])\ (?P<day>\d{1,2})(?:\.(?!\d|\s+(?-i:[A-ZÄÖÜ]))|$) )"""
)
_DAY_OF = regex(r"\d+\.(?=\d)")
_WORD = regex(r"\w+")
_NTH = regex(r"(?i)(\d{1,2})(?:st|nd|rd|th)")
_TIMES = frozenset(("unit", "units", "month", "maybe", "weekday", "weekdays", "sat", "sun", "number", "dayword"))
_EMPTY = "now new again still just also really thing way lot time today yesterday tomorrow next last week good fine long note later"
_NO_TIME = ("", None)

_SAID, _DONE_SAID, _MUCH, _SURE, _SURER = 0.5, 0.7, 1.0, 0.9, 1.2
"""What two statements must share of terms, each counted by its rarity: for who asks about them, and (the last two) by themselves."""
_THIRD, _HALF = 0.3, 0.5
"""And the same as a part of the terms of the one that says less."""
_KEPT = 0.6  # of what the older one holds of a topic
_FEW = 3  # telling terms: with fewer a sentence does not say by itself what it speaks of
_TOGETHER = 3  # sentences
_JOINT = ". "

Values = Mapping[str, frozenset[str]]


class Restating(StrEnum):
    """By what a statement takes the place of an earlier one, for people."""

    NAMES = "names what was"
    CHANGES = "another value, and says that it changed"
    OTHERWISE = "another value of the same"
    DONE = "it was to be done, and is"


class Statement(NamedTuple):
    """A sentence as it is compared: what it speaks of, what stands around it, its values by sort, and those it calls former."""

    said: str
    terms: frozenset[str]
    around: frozenset[str]
    values: Values
    former: frozenset[str]
    changes: bool
    done: bool
    open: bool


@lru_cache(maxsize=4096)
def statement(said: str) -> Statement:
    """Read a sentence that stands by itself."""
    return _statement(said, "")


def _statement(said: str, around: str) -> Statement:
    """Read a sentence; ``around`` is what else was said with it: the rest of the message, and what was answered."""
    own = telling(said)
    return Statement(
        said,
        own,
        _telling(around) - own,
        values_of(said),
        _former(said),
        bool(_CHANGES.search(said)),
        bool(_DONE.search(said)),
        bool(_OPEN.search(said)),
    )


def _former(said: str) -> frozenset[str]:
    """Return the values that a sentence calls former: "not 5433", "from 780 to 815", "not monday", "not the 12th"."""
    found = (_called(said, match) for match in _FORMER.finditer(said))
    return frozenset(value for value in found if value)


def sets_right(said: str) -> bool:
    """Say whether a sentence says of a value that it does not hold, and not only that it was so once."""
    return any(_called(said, match) for match in _FORMER.finditer(said) if not _WAS.match(match[0]))


def _called(said: str, former: re.Match[str]) -> str:
    group = "not" if former["not"] else "from"
    word = former[group].casefold()
    if (date := _DATE.match(said, former.start(group))) and _day_and_month(date):
        return _date(date)
    if word in _WEEKDAYS:
        return f"day {_WEEKDAYS[word]}"
    if nth := _NTH.fullmatch(word):
        return f"{int(nth[1])}."
    value = word.strip(".,:") if word[:1].isdigit() else ""
    return f"{int(value)}." if former["day"] and value.isdigit() else value


def _day_and_month(date: re.Match[str]) -> tuple[int, int] | None:
    day, month = (date[f"{what}1"] or date[f"{what}2"] or date[f"{what}3"] for what in ("day", "month"))
    if not day:
        return None
    return int(day), int(month if month.isdigit() else LEXICON[month.casefold()][1])


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

    take(_ADDRESS, lambda match: ("address", match[0]))
    take(_DATE, lambda match: ("date", _date(match)))
    take(_DAY, lambda match: ("day", f"{int(match['nth'] or match['day'])}."))
    take(
        _MEASURED,
        lambda match: (f"in {match['unit'].casefold().rstrip('s')}", match["number"].strip(",.")),
        "number",
    )
    take(_CLOCK, lambda match: ("clock", _plain(match[0])))
    for match in _WORD.finditer(rest):
        days = [f"day {_WEEKDAYS[word]}" for word in text.words(match[0]) if word in _WEEKDAYS]
        found.extend(Value("weekday", day, *match.span()) for day in days)
    take(_NUMBER, lambda match: ("number", _plain(match[0])))
    return found


def _date(match: re.Match[str]) -> str:
    day = _day_and_month(match)
    return f"{day[0]}.{day[1]}." if day else _plain(match[0])


def _plain(value: str) -> str:
    return re.sub(r"\s|\.(?!\d)", "", value.casefold()).strip(",.:")


def stated(every: Sequence[Sentence], answer: str) -> list[Statement]:
    """Return what the sentences of a message state; one that hardly says of what ("mondays 17:00 then") goes with the one before it."""
    groups: list[list[Sentence]] = []
    for one in every:
        if (
            groups
            and len(groups[-1]) < _TOGETHER
            and (_is_short(one.bare) or _is_short(" ".join(s.bare for s in groups[-1])))
        ):
            groups[-1].append(one)
        else:
            groups.append([one])
    found = []
    for number, group in enumerate(groups):
        if not all(one.asks for one in group):
            others = [one.said for at, other in enumerate(groups) if at != number for one in other]
            found.append(_statement(_JOINT.join(one.bare for one in group), " ".join([*others, answer])))
    return found


def _is_short(said: str) -> bool:
    return len(telling(said)) < _FEW


def may_restate(newer: Statement, older: Statement) -> bool:
    """Say whether a later statement could take the place of an earlier one, whatever both speak of: cheap, and mostly no."""
    if newer.terms.isdisjoint(older.terms):
        return False
    return _names(newer, older) or _differs(newer.values, older.values) or _is_done(newer, older)


def restates(
    newer: Statement,
    older: Statement,
    rarity: Mapping[str, float],
    topic: frozenset[str] | None = None,
    *,
    answers: bool = False,
) -> Restating | None:
    """Say by what a later statement takes the place of an earlier one, None where it does not.

    ``rarity`` says of terms how rare they are, in [0, 1]; one that it does not know is as rare as can be. Whoever asks about a ``topic`` must be
    answered by the newer one nearly as well as by the older; where the turn of the newer one ``answers`` by itself, and one of its sentences
    holds all that the older one does of what is asked, if that is half of it, it need share nothing else. Without a topic both must share
    more, the newer one say that it changed, and a bare number is not enough: it may count anything.
    """

    def weight(terms: frozenset[str]) -> float:
        return sum(rarity.get(term, 1.0) for term in terms)

    shared = weight(newer.terms & older.terms)
    part = shared / (min(weight(newer.terms), weight(older.terms)) or 1.0)
    if topic is None:
        if shared >= _SURE and _names(newer, older):
            return Restating.NAMES
        if part >= _HALF and shared >= _SURER and newer.changes and _differs(newer.values, older.values, but="number"):
            return Restating.CHANGES
        return Restating.DONE if part >= _HALF and shared >= _SURE and _is_done(newer, older) else None
    near = topic & (newer.terms | newer.around)
    if not near or shared < _SAID:
        return None
    if _names(newer, older):
        return Restating.NAMES
    asked = topic & older.terms
    whole = answers and weight(asked) >= _HALF * weight(topic) and _in_one_sentence(asked, newer)
    if (part < _THIRD and not whole) or weight(near) < _KEPT * weight(topic & (older.terms | older.around)):
        return None
    if _differs(newer.values, older.values):
        if newer.changes or newer.done:
            return Restating.CHANGES
        return Restating.OTHERWISE if shared >= _MUCH and (part >= _HALF or whole) else None
    return Restating.DONE if shared >= _DONE_SAID and _is_done(newer, older) else None


def _names(newer: Statement, older: Statement) -> bool:
    """Say whether the later statement calls a value of the earlier one former."""
    return any(not newer.former.isdisjoint(values) for values in older.values.values())


def _in_one_sentence(terms: frozenset[str], told: Statement) -> bool:
    return any(terms <= telling(one) for one in told.said.split(_JOINT))


def _is_done(newer: Statement, older: Statement) -> bool:
    return older.open and newer.done and not newer.open


def _differs(newer: Values, older: Values, *, but: str = "") -> bool:
    """Say whether both hold a value of a sort, and none the same; ``but`` is a sort that does not count."""
    return any(values.isdisjoint(older[sort]) for sort, values in newer.items() if sort in older and sort != but)


@lru_cache(maxsize=4096)
def telling(said: str) -> frozenset[str]:
    """Return the terms of a sentence that tell what it speaks of: not its times and numbers, and not that something changed."""
    return _telling(said)


def _telling(said: str) -> frozenset[str]:
    plain = _CHANGES.sub(" ", said)
    words = [word for word in text.words(plain) if LEXICON.get(word, _NO_TIME)[0] not in _TIMES]
    found = {term for word in words for term in text.terms(word) if not term[:1].isdigit()}
    return frozenset(found) - text.asking() - _empty()


@lru_cache(maxsize=1)
def _empty() -> frozenset[str]:
    return frozenset(text.terms(_EMPTY))
