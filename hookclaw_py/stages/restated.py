"""Restated: what a person said later of the same takes the place of the turn in which they said it before.

A note claims to hold, and ``changes`` puts a line of news before it. A turn only tells what was said that day; when the person
has said otherwise since, it is outdated, and no answer. Only a person's words do that, never an answer's. Where that is likely and
not sure, the later turn is told first, and the earlier one says that it may be outdated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import log
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.calibration.constants import RestatedRules
from hookclaw_py.kept import of_texts
from hookclaw_py.model.types import Candidate, Chunk, Effect, Query
from hookclaw_py.regex import regex
from hookclaw_py.speech import phones
from hookclaw_py.speech.clauses import refers
from hookclaw_py.speech.finishing import is_done
from hookclaw_py.speech.restating import Restating, Statement, may_restate, restates, stated, telling
from hookclaw_py.speech.sentences import sentences
from hookclaw_py.speech.speakers import parts_of

_UNKNOWN = datetime.max.replace(tzinfo=UTC)
_ASKS_NO_VALUE = regex(
    r"(?i)\b(?:who|whom|whose|why|wer|wen|wem|wessen|warum|wieso|weshalb|qui|pourquoi|quién|por qué)\b|[谁]|为什么"
)
_ASKS_AMOUNT = regex(
    r"(?i)\b(?:how\ (?:much|many)|wie\s?viele?|combien|cuánt[oa]s?|quant[oaie])\b|\bwhat\b.*\bcosts?\b|\bwas kostet\b|多少"
)
_ASKS_CLOCK = regex(
    r"(?i)\b(?:(?:what|which) time|um wie\s?viel uhr|wie\s?viel uhr|(?:à|a) quelle heure|a qué hora|a que ora)\b|几点"
)
_KNOWN, _WELL_KNOWN = 1, 2  # rare words that say what is spoken of
_FEW = 3  # telling terms: what has fewer, and "her" or "it", is read with the sentence before it
AMONG = 8  # turns that may be injected; what lies deeper hardly is


def follow(
    candidates: Sequence[Candidate],
    query: Query,
    *,
    beside: Callable[[list[str], Collection[str]], Iterable[Chunk]],
    rarity: Callable[[Collection[str]], Mapping[str, float]],
    min_score: float,
) -> tuple[list[Candidate], list[Candidate]]:
    """Part the candidates that hold from the turns that a later one outdates for this prompt; that one takes their place.

    Who asks by whom or why asks for no value, and is told all. Later turns are looked for among the ``candidates``, and in what is found ``beside`` the best of them.
    """
    said = [c for c in candidates if c.chunk.is_said]
    best = [c for c in said if c.relevance >= min_score][:AMONG]
    topic = telling(query.text) & frozenset(query.topic)
    if not best or not topic or _ASKS_NO_VALUE.search(query.text):
        return list(candidates), []
    sought = sorted({*query.topic, *best[0].chunk.terms.distinct})
    found = [chunk for chunk in beside(sought, {c.chunk.id for c in candidates}) if chunk.is_said]
    known = [chunk for chunk in (*(c.chunk for c in said), *found) if _moment(chunk) <= query.asked_at]
    pairs = [pair for pair in _pairs(known, [c.chunk for c in best], topic) if _may_answer(query.text, pair)]
    answering = {c.chunk.id for c in said if c.relevance >= min_score}
    rare = rarity({term for pair in pairs for one in (pair.new, pair.old) for term in one.terms | one.around})
    ordered, outdated = list(candidates), list[Candidate]()
    for older in best:
        told = [
            (pair.newer, why)
            for pair in pairs
            if pair.older == older.chunk.id
            and (
                why := restates(pair.new, pair.old, rare, topic, answers=pair.newer.id in answering)
                or _does(pair, topic)
            )
        ]
        if told:
            newest, why = max(told, key=lambda item: (item[0].created_at, item[0].id))
            outdated.append(_behind(older, newest, why))
            ordered = _replaced(ordered, older, newest)
    gone = {c.chunk.id for c in outdated}
    return [c for c in ordered if c.chunk.id not in gone], outdated


class Later(NamedTuple):
    """A sentence of a turn that is later than the best one: which share of what is asked it has, and how it stands beside that.

    It ``differs`` where it has another value of a sort than the sentence there that answers most; ``place`` counts from the best one on.
    What says that something has changed is ``akin`` to that sentence by what it shares with it of rare words beside what is asked: "the relaunch
    moved to December 8" to "new website: the relaunch goes live on December 1". Then its place counts half.
    """

    chunk: Chunk
    covered: float
    differs: bool
    place: int
    akin: float

    def weighed(self, rules: RestatedRules) -> float:
        """Return how likely it is that this says something newer."""
        akin, far = rules.akin * min(_WELL_KNOWN, self.akin), rules.behind * log(self.place)
        return self.covered + rules.differs * self.differs + akin - (far / 2 if self.akin else far)


def latest_first(
    candidates: Sequence[Candidate],
    query: Query,
    *,
    worth: Callable[[Candidate], bool],
    rarity: Callable[[Collection[str]], Mapping[str, float]],
    rules: RestatedRules,
) -> list[Candidate]:
    """Let the turn that most likely says something newer than the best one stand before it; that one says that it may be outdated.

    So does what keeps the first one company and was said before it.
    """
    ordered = list(candidates)
    best = next((c for c in ordered if worth(c)), None)
    if best is None or not best.chunk.is_said:
        return ordered
    if newest := _newer(ordered, best, query, rarity, rules):
        ordered = [_doubted(c, newest) if c is best else c for c in _replaced(ordered, best, newest)]
    first = next(c for c in ordered if worth(c))
    told = [c for c in ordered[:AMONG] if worth(c) and c.chunk.is_said and not c.overtaken and not c.superseded]
    topic = telling(query.text) & frozenset(query.topic)
    about = [c for c in told if any(one.terms & topic for one in statements_of(c.chunk))]
    outdated = [c for c in about if _newer([c, first], c, query, rarity, rules)]
    return [_doubted(c, first.chunk) if c in outdated else c for c in ordered]


def _newer(
    ordered: Sequence[Candidate],
    best: Candidate,
    query: Query,
    rarity: Callable[[Collection[str]], Mapping[str, float]],
    rules: RestatedRules,
) -> Chunk | None:
    """Return the turn behind the best that most likely says something newer, if one is likely enough to."""
    most = max(told_later(ordered, best, query, rarity), key=lambda one: one.weighed(rules), default=None)
    return most.chunk if most and most.weighed(rules) >= rules.least else None


def _doubted(older: Candidate, newer: Chunk) -> Candidate:
    note = f"perhaps said otherwise later: {newer.place}"
    return older.rescored("restated", older.score, note, Effect.OVERTAKEN, newer.id)


def told_later(
    ordered: Sequence[Candidate],
    best: Candidate,
    query: Query,
    rarity: Callable[[Collection[str]], Mapping[str, float]],
) -> list[Later]:
    """Return the sentences with something of what is asked, or akin to what answers, of the turns that stand behind the best one and are later.

    What the prompt names ("DATEV") and the best one speaks of must stand in them, too, unless they are akin and have another value.
    """
    topic = telling(query.text) & frozenset(query.topic)
    before = statements_of(best.chunk)
    if not topic or not before:
        return []
    most = max(before, key=lambda one: len(one.subject & topic))
    answer, named = most.values, most.subject & topic & _names(query.text)
    is_number = phones.ask_for_one(topic) and phones.holds(best.chunk.text)
    is_amount = bool(_ASKS_AMOUNT.search(query.text))
    found = []
    for place, later in enumerate(ordered[ordered.index(best) + 1 :][:AMONG], 1):
        if later.chunk.is_said and _moment(best.chunk) < _moment(later.chunk) <= query.asked_at:
            for one in statements_of(later.chunk):
                if is_number and not phones.holds(one.said):
                    continue  # another day is no news of a phone number
                if is_amount and not any(sort == "number" or sort.startswith("in ") for sort in one.values):
                    continue  # and none of how much something is
                covered = len(one.subject & topic) / len(topic)
                differs = any(sort in answer and not values <= answer[sort] for sort, values in one.values.items())
                akin = sum(rarity((one.terms & most.terms) - topic).values()) if one.changes else 0.0
                if covered < len(most.subject & topic) / len(topic) / 2 and not akin:
                    continue  # a word of many and another time are news of something else
                if named <= one.subject or (differs and akin >= _KNOWN):
                    found.append(Later(later.chunk, covered, differs, place, akin))
    return [one for one in found if one.covered or (one.akin and one.differs)]


def _names(prompt: str) -> frozenset[str]:
    """Return the terms of a prompt that are written with a capital and do not only begin it."""
    words = (
        word for number, word in enumerate(prompt.split()) if any(c.isupper() for c in (word if number else word[1:]))
    )
    return frozenset(term for word in words for term in text.terms(word))


class _Pair(NamedTuple):
    """A statement, the turn it is of, and an earlier one whose place it may take, with the id of that turn."""

    newer: Chunk
    new: Statement
    older: str
    old: Statement


def _pairs(known: Sequence[Chunk], best: Sequence[Chunk], topic: frozenset[str]) -> Iterator[_Pair]:
    """Yield what may say something newer than those sentences of the best turns which answer most."""
    for older in best:
        said = statements_of(older)
        most = max((len(one.terms & topic) for one in said), default=0)
        answering = [one for one in said if most and len(one.terms & topic) == most]
        later = [chunk for chunk in known if _moment(chunk) > _moment(older)] if answering else []
        for newer in later:
            for new in statements_of(newer):
                yield from (_Pair(newer, new, older.id, old) for old in answering if may_restate(new, old))


def _may_answer(prompt: str, pair: _Pair) -> bool:
    """Say whether the later statement may answer what the earlier one does: who asks at what time is told none by another day."""
    loses_the_clock = "clock" in pair.old.values and "clock" not in pair.new.values
    return not (loses_the_clock and _ASKS_CLOCK.search(prompt))


def _does(pair: _Pair, topic: frozenset[str]) -> Restating | None:
    """Say whether the later statement tells that the step is done which the earlier one names: however much else is said of the same ("wrote to Ann")."""
    new, old = pair.new, pair.old
    named = old.open and topic & old.terms and topic & new.terms
    return Restating.DONE if named and is_done(new.said, old.said) else None


def _moment(chunk: Chunk) -> datetime:
    return chunk.created_at or _UNKNOWN


def _replaced(ordered: Sequence[Candidate], older: Candidate, newest: Chunk) -> list[Candidate]:
    """Return the candidates with the newest where the older one stands, unless it stands above it."""
    places = [c.chunk.id for c in ordered]
    at = places.index(older.chunk.id)
    own = next((c for c in ordered if c.chunk.id == newest.id), Candidate(newest))
    if newest.id in places[:at] and own.relevance >= older.relevance:
        return list(ordered)
    own = own._replace(relevance=max(own.relevance, older.relevance))
    newer = own.rescored(
        "restated", max(own.score, older.score), f"said later than {older.chunk.place}", Effect.RAISED, older.chunk.id
    )
    rest = [c for c in ordered if c.chunk.id != newest.id]
    place = next(n for n, c in enumerate(rest) if c.chunk.id == older.chunk.id)
    return [*rest[:place], newer, *rest[place:]]


def _behind(older: Candidate, newest: Chunk, why: str) -> Candidate:
    return older.rescored("restated", older.score, f"{why}: {newest.place}", Effect.OUTDATED, newest.id)


@of_texts
def statements_of(chunk: Chunk) -> tuple[Statement, ...]:
    """Return what the person says in a turn, each sentence with what stands around it; questions say nothing."""
    return tuple(_statements(chunk.text, chunk.kind.speakers))


def _statements(body: str, speakers: tuple[str, ...]) -> Iterator[Statement]:
    said, before = parts_of(body, speakers), None
    for number, (who, words) in enumerate(said):
        if who != speakers[0]:
            continue
        answer = said[number + 1][1] if number + 1 < len(said) and said[number + 1][0] != who else ""
        every = sentences(words)
        if every and before and refers(every[0].bare) and len(telling(every[0].bare)) < _FEW:
            every.insert(0, before)
        yield from stated(every, answer)
        before = every[-1] if every else before
