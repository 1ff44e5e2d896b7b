"""Lines: of what was found and is not told whole, the few lines that most likely answer as well.

Which passage answers is often less sure than that one of a few does, and one line of it is mostly enough. So behind the passages
that are told stand single lines of others: those that have, with their heading, most of what is asked, and of dated notes those that
say something about what is told before them, the latest first: what has changed since is written there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import replace
from math import log, log1p
from typing import NamedTuple

from hookclaw_py.calibration.constants import LineRules
from hookclaw_py.model.types import Candidate, Effect, Query, Step
from hookclaw_py.speech.news import LINES, may_tell, says_change, telling
from hookclaw_py.speech.speakers import own_words

LONGEST = 200
"""Characters of a line that is told; a longer one is a paragraph, and says more than one thing."""


class _Line(NamedTuple):
    """A line of a passage that is not told, its terms, and how far behind the best its passage stands."""

    of: Candidate
    line: str
    terms: Set[str]
    place: int


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

    ``rarity`` says how much terms weigh. Only a person's own words are told in lines.
    """
    known = {c.chunk.id for c in told}
    said = {line for c in told for line in map(_plain, LINES.split(c.chunk.text))}
    found = [
        _Line(c, line, telling(line), place)
        for place, c in enumerate(candidates)
        if c.chunk.id not in known and may_tell(c.chunk) and not c.superseded
        for line in map(str.strip, LINES.split(own_words(c.chunk.text, c.chunk.kind.speakers)))
        if line and len(line) <= LONGEST and _plain(line) not in said
    ]
    if not told or not found:
        return []
    weights = rarity(query.topic)
    before = [telling(line) for line in LINES.split(told[0].chunk.text)]
    days = sorted({one.of.chunk.created_at.date() for one in found if one.of.chunk.created_at})
    scored = list[tuple[float, _Line]]()
    for one in found:
        written = one.of.chunk.created_at
        share = _share(one.terms | telling(one.of.chunk.heading), weights)
        if share < rules.faint:
            continue
        score = share - rules.behind * log(1 + one.place)
        if written:
            shared = max(len(terms & one.terms) for terms in before)
            place = (days.index(written.date()) + 1) / len(days)
            score += rules.shared * log1p(shared) + rules.late * place + rules.change * says_change(one.line)
        scored.append((score, one))
    best = sorted(scored, key=lambda item: (-item[0], item[1].place))[:most]
    return [_told(one, score) for score, one in best if score >= rules.least]


def _told(one: _Line, score: float) -> Candidate:
    step = Step("lines", score, "one line of it is told", Effect.LINE)
    return one.of._replace(chunk=replace(one.of.chunk, text=one.line)).noted(step)


def _share(terms: Set[str], weights: Mapping[str, float]) -> float:
    """Return which share of what is asked, by weight, is among the terms."""
    return sum(weight for term, weight in weights.items() if term in terms) / (sum(weights.values()) or 1.0)


def _plain(line: str) -> str:
    return " ".join(line.split())
