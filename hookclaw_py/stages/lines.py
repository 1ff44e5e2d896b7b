"""Lines: of what was found and is not told whole, the few lines that most likely answer as well.

Which passage answers is often less sure than that one of a few does, and one line of it is mostly enough. So behind the passages
that are told stand single lines of others: those that have, with their heading, most of what is asked, and of dated notes those that
say something about the best passage, the latest first: what has changed since is written there. What was written before it says what was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import date, datetime
from math import log, log1p
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.calibration.constants import LineRules
from hookclaw_py.model.types import Candidate, Effect, Query, Step
from hookclaw_py.regex import regex
from hookclaw_py.speech.columns import lines_of
from hookclaw_py.speech.namesakes import is_of_a_namesake, named_in_full
from hookclaw_py.speech.news import LINES, says_change, telling
from hookclaw_py.speech.speakers import own_words
from hookclaw_py.speech.tasks import states
from hookclaw_py.temporal.mentions import days_named

_BULLET = regex(r"(?P<indent>[ \t]*)[-*+•] +")
A_LIST = 3
LONGEST = 200
"""Characters of a line that is told; a longer one is a paragraph, and says more than one thing."""


class _Passage(NamedTuple):
    """A passage that is not told whole: what its heading has, what its place costs, and its day, if it has one."""

    of: Candidate
    heading: Set[str]
    behind: float
    day: date | None


def best_lines(
    candidates: Sequence[Candidate],
    told: Sequence[Candidate],
    query: Query,
    *,
    rarity: Callable[[Collection[str]], Mapping[str, float]],
    most: int,
    rules: LineRules,
) -> list[Candidate]:
    """Return at most ``most`` lines of ``candidates`` (best first) that are not ``told``, each as a candidate of its own, best first.

    Who asks for all of a time gets the lines that name a day of it, the soonest first, and of other notes of these days how they begin, who asks what is open those that say so, ``A_LIST`` times as many.
    ``rarity`` says how much terms weigh. What would have to say whose words it is, is told in no line, nor what is of a namesake of who is asked for.
    """
    if not told or not most:
        return []
    if query.only_a_time:
        dated = _of_its_days(candidates, told, query)
        return [*dated, *_beginnings(candidates, [*told, *dated], query)][: most * A_LIST]
    if query.only_tasks:
        return _of_its_tasks(candidates, told, query)[: most * A_LIST]
    weights, first = rarity(query.topic), told[0].chunk
    since = first.written(query.asked_at)  # what was written before says what was
    passages = list(_passages(candidates, told, weights, rules, since=since, now=query.asked_at))
    days = sorted({one.day for one in passages if one.day})
    said = _lines_of(told)
    before = [telling(line) for line in LINES.split(first.text)]
    named = named_in_full(query.text, (c.chunk.text for c in told))
    scored = list[tuple[float, Candidate, str]]()
    for of, heading, behind, day in passages:
        for line, above in _outlined(own_words(of.chunk.text, of.chunk.kind.speakers), weights.keys()):
            terms: Set[str] = frozenset()
            if len(line) <= LONGEST and _plain(line) not in said and not is_of_a_namesake(line, named):
                terms = telling(line)
            share = _share(terms | heading | telling(above), weights) if terms else 0.0
            if share < rules.faint:
                continue
            score = share - behind
            if day:
                shared = max(len(known & terms) for known in before)
                score += rules.shared * log1p(shared) + rules.late * (days.index(day) + 1) / len(days)
                score += rules.change if score + rules.change >= rules.least and says_change(line) else 0.0
            if score >= rules.least:
                scored.append((score, of, f"{above} > {_BULLET.sub('', line)}" if above else line))
    best = sorted(scored, key=lambda item: -item[0])[:most]
    return [_told(of, line, score) for score, of, line in best]


def of_a_list(
    chosen: Sequence[Candidate], query: Query, *, room: int, min_score: float
) -> tuple[list[Candidate], list[Candidate]]:
    """Part what is told whole from what is told by its lines, where all of a time is asked for, or all that is open: long notes left these no room.

    Whole is told the best, then what fits into half of the ``room``, in characters, and what has no line that names a day of it, or says what is open,
    or is below ``min_score``: of that no line is told.
    """
    whole, in_lines, half = list[Candidate](), list[Candidate](), room // 2
    for one in chosen:
        half -= len(one.chunk.text)
        if query.lists and whole and half < 0 and one.relevance >= min_score and _has_such_lines(one, query):
            half += len(one.chunk.text)
            in_lines.append(
                one.noted(Step("lines", one.score, "its lines that are asked for are told", Effect.CROWDED_OUT))
            )
        else:
            whole.append(one)
    return whole, in_lines


def _has_such_lines(one: Candidate, query: Query) -> bool:
    return bool((_of_its_days if query.only_a_time else _of_its_tasks)([one], [], query))


def _of_its_tasks(candidates: Sequence[Candidate], told: Sequence[Candidate], query: Query) -> list[Candidate]:
    """Return the lines that say of a task what is asked for, each once, in the order of their passages."""
    found, asked = dict[str, Candidate](), frozenset(query.topic)
    for c, line in _lines_beside(candidates, told):
        if not asked.isdisjoint(states(line)):
            found.setdefault(_plain(line), _told(c, line.strip(), c.relevance))
    return [*found.values()]


def _of_its_days(candidates: Sequence[Candidate], told: Sequence[Candidate], query: Query) -> list[Candidate]:
    """Return the lines that name one of the days that are asked for, each once, in their order; those without a year last."""
    found = dict[str, tuple[bool, str, Candidate]]()
    for c, line in _lines_beside(candidates, told):
        named = days_named(line, written=c.chunk.created_at)
        if day := next((day for day in named if day in query.days and day in c.chunk.terms.distinct), ""):
            any_year = day[0] == "-"
            on = max(one for one in query.days if one.endswith(day[-5:])) if any_year else day
            found.setdefault(_plain(line), (any_year, on, _told(c, line.strip(), c.relevance)))
    return [one for _, _, one in sorted(found.values(), key=lambda item: item[:2])]


def _lines_beside(candidates: Sequence[Candidate], told: Sequence[Candidate]) -> Iterator[tuple[Candidate, str]]:
    """Yield the lines of what is not ``told`` whole that may be told by themselves: a person's own, not too long, and not told already."""
    known, said = {c.chunk.id for c in told}, _lines_of(told)
    for c in candidates:
        if not (c.chunk.id in known or c.superseded or c.words):  # a line does not say whose words it is
            for line in lines_of(own_words(c.chunk.text, c.chunk.kind.speakers)):
                if len(line) <= LONGEST and _plain(line) not in said:
                    yield c, line


def _beginnings(candidates: Sequence[Candidate], told: Sequence[Candidate], query: Query) -> list[Candidate]:
    """Return of each note that was written on one of the days that are asked for, and of which nothing is told, its first line, in their order."""
    known, found = {c.chunk.place.path for c in told}, list[tuple[str, Candidate]]()
    for c in candidates:
        written = f"{c.chunk.created_at:%Y-%m-%d}" if c.chunk.created_at and not c.chunk.kind.speakers else ""
        line = next(filter(telling, map(str.strip, lines_of(c.chunk.text))), "")
        if written in query.days and c.chunk.place.path not in known and 0 < len(line) <= LONGEST and not c.words:
            known.add(c.chunk.place.path)
            found.append((written, _told(c, line, c.relevance)))
    return [one for _, one in sorted(found, key=lambda item: item[0])]


def _passages(
    candidates: Sequence[Candidate],
    told: Sequence[Candidate],
    weights: Mapping[str, float],
    rules: LineRules,
    *,
    since: datetime | None,
    now: datetime,
) -> Iterator[_Passage]:
    """Yield the passages of which a line may be told: of what is asked they have enough, as far as that can be said of a whole."""
    known = {c.chunk.id for c in told}
    for place, c in enumerate(candidates):
        written = c.chunk.written(now)
        before = written and since and written < since
        if before or c.chunk.id in known or c.superseded or c.words:  # a line does not say whose words it is
            continue
        heading, behind, day = telling(c.chunk.heading), rules.behind * log(1 + place), written and written.date()
        share = _share(c.chunk.terms.distinct | heading, weights)
        if share >= rules.faint and (day or share - behind >= rules.least):
            yield _Passage(c, heading, behind, day)


def _outlined(body: str, asked: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the lines of a text, each with the one that it is nested in, where it takes both to say what is ``asked``.

    What heads others and says nothing but what is asked ("- 1on1") is no line by itself.
    """
    around = list[tuple[int, str]]()
    for piece in lines_of(body):
        line, bullet = piece.strip(), _BULLET.match(piece)
        if bullet:
            indent = len(bullet["indent"].expandtabs(4))
            while around and around[-1][0] >= indent:
                around.pop()
            above = around[-1][1] if around else ""
            around.append((indent, line))
            fits = len(above) + len(line) <= LONGEST
            heads = _only_asks(above, asked)
            if _only_asks(line, asked):
                continue
            yield line, above if above and fits and (heads or not telling(line).isdisjoint(asked)) else ""
        elif line:
            yield line, ""


def _only_asks(line: str, asked: Collection[str]) -> bool:
    return frozenset(text.terms(line)).issubset(asked)


def _told(of: Candidate, line: str, score: float) -> Candidate:
    step = Step("lines", score, "one line of it is told", Effect.LINE)
    return of._replace(chunk=replace(of.chunk, text=line)).noted(step)


def _share(terms: Set[str], weights: Mapping[str, float]) -> float:
    """Return which share of what is asked, by weight, is among the terms."""
    return sum(weight for term, weight in weights.items() if term in terms) / (sum(weights.values()) or 1.0)


def _lines_of(told: Sequence[Candidate]) -> set[str]:
    """Return the lines of what is told whole, a row of a table as it is told by itself."""
    return {_plain(line) for c in told for line in lines_of(c.chunk.text)}


def _plain(line: str) -> str:
    return " ".join(line.split())
