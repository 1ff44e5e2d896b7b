"""Restated: what a person said later of the same takes the place of the turn in which they said it before.

A note claims to hold, and ``changes`` puts a line of news before it. A turn only tells what was said that day; when the person
has said otherwise since, it is outdated, and no answer. Only a person's words do that, never an answer's.

How people word that something is different now is without end. So two sentences that hold other values of a sort are read as well, each beside
the prompt: when both answer it, the later one does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from hookclaw_py.model.types import Candidate, Chunk, Effect, Query
from hookclaw_py.regex import regex
from hookclaw_py.speech.restating import (
    Restating,
    Statement,
    likeness,
    may_restate,
    restates,
    stated,
    telling,
    that_answer,
)
from hookclaw_py.speech.sentences import sentences
from hookclaw_py.speech.speakers import parts_of
from hookclaw_py.speech.values import moves_on

_UNKNOWN = datetime.max.replace(tzinfo=UTC)
_ASKS_NO_VALUE = regex(
    r"(?i)\b(?:who|whom|whose|why|wer|wen|wem|wessen|warum|wieso|weshalb|qui|pourquoi|quién|por qué)\b|[谁]|为什么"
)
AMONG = 8  # turns that may be injected; what lies deeper hardly is
_READ = 6  # sentences, of about two milliseconds each


def follow(
    candidates: Sequence[Candidate],
    query: Query,
    *,
    beside: Callable[[list[str], Collection[str]], Iterable[Chunk]],
    rarity: Callable[[Collection[str]], Mapping[str, float]],
    read: Callable[[Sequence[str]], Sequence[float]],
    min_score: float,
) -> tuple[list[Candidate], list[Candidate]]:
    """Part the candidates that hold from the turns that a later one outdates for this prompt; that one takes their place.

    Where only the reader says that both answer, they change places, and the older one is superseded. Who asks by whom or why asks for no
    value, and is told all. Later turns are looked for among the ``candidates``, and in what is found ``beside`` the best of them.
    ``read`` says of sentences how well each answers, in logits; of none where there is no reader.
    """
    said = [c for c in candidates if _is_said(c.chunk)]
    best = [c for c in said if c.relevance >= min_score][:AMONG]
    topic = telling(query.text) & frozenset(query.topic)
    if not best or not topic or _ASKS_NO_VALUE.search(query.text):
        return list(candidates), []
    sought = sorted({*query.topic, *best[0].chunk.terms.distinct})
    found = [chunk for chunk in beside(sought, {c.chunk.id for c in candidates}) if _is_said(chunk)]
    known = [chunk for chunk in (*(c.chunk for c in said), *found) if _moment(chunk) <= query.asked_at]
    sure, unsure = _pairs(known, [c.chunk for c in best], topic), _valued(known, [c.chunk for c in best], topic)
    pairs, others = list(sure), [] if query.period else list(unsure)
    rare = rarity({term for pair in (*pairs, *others) for one in pair.both for term in one.terms | one.around})
    answers = {c.chunk.id for c in said if c.relevance >= min_score}
    reasons = ((pair, restates(*pair.both, rare, topic, answers=pair.newer.id in answers)) for pair in pairs)
    told = [(pair, why) for pair, why in reasons if why]
    restated = {pair.older for pair, _ in told}
    told += _read_apart([pair for pair in others if pair.older not in restated], topic, rare, read)
    ordered, outdated = list(candidates), list[Candidate]()
    for older in best:
        own = [(pair.newer, why) for pair, why in told if pair.older == older.chunk.id]
        if own:
            newest, why = max(own, key=lambda item: (item[0].created_at, item[0].id))
            ordered = _replaced(ordered, older, newest) if why.is_sure else _changed_places(ordered, older, newest, why)
            outdated += [_behind(older, newest, why)] * why.is_sure
    gone = {c.chunk.id for c in outdated}
    return [c for c in ordered if c.chunk.id not in gone], outdated


class _Pair(NamedTuple):
    """A statement, the turn it is of, and an earlier one whose place it may take, with the id of that turn."""

    newer: Chunk
    new: Statement
    older: str
    old: Statement

    @property
    def both(self) -> tuple[Statement, Statement]:
        """The later one, and the earlier one."""
        return self.new, self.old


def _pairs(known: Sequence[Chunk], best: Sequence[Chunk], topic: frozenset[str]) -> Iterator[_Pair]:
    """Yield what may say something newer than those sentences of the best turns which answer most."""
    for older in best:
        said = statements_of(older)
        most = max((len(one.terms & topic) for one in said), default=0)
        answering = [one for one in said if most and len(one.terms & topic) == most]
        spoken = max((len((one.terms | one.around) & topic) for one in said), default=0)
        beside = [
            one for one in said if spoken and one not in answering and len((one.terms | one.around) & topic) == spoken
        ]
        later = [chunk for chunk in known if _moment(chunk) > _moment(older)] if answering or beside else []
        for newer in later:
            for new in statements_of(newer):
                yield from (_Pair(newer, new, older.id, old) for old in answering if may_restate(new, old))
                yield from (_Pair(newer, new, older.id, old) for old in beside if moves_on(new.values, old.values))


def _valued(known: Sequence[Chunk], best: Sequence[Chunk], topic: frozenset[str]) -> Iterator[_Pair]:
    """Yield a sentence of the best turns and one of a later session, where both hold a value and speak of what is asked.

    Who says two things of something in one session mostly means both.
    """
    about = {
        chunk.id: [one for one in statements_of(chunk) if one.values and not topic.isdisjoint(one.terms)]
        for chunk in (*known, *best)
    }
    for older in best:
        later = [chunk for chunk in known if _moment(chunk) > _moment(older)] if about[older.id] else []
        for newer in later:
            for new in about[newer.id] if newer.place.path != older.place.path else ():
                yield from (_Pair(newer, new, older.id, old) for old in about[older.id])


def _read_apart(
    pairs: Sequence[_Pair],
    topic: frozenset[str],
    rarity: Mapping[str, float],
    read: Callable[[Sequence[str]], Sequence[float]],
) -> list[tuple[_Pair, Restating]]:
    """Return the pairs of which both sentences answer, as ``read`` says; those that share most and say most of the topic are read."""
    weights: dict[str, float] = {}
    alike = [(pair, weight) for pair in pairs if (weight := likeness(*pair.both, rarity))]
    for pair, weight in alike:
        asked = sum(rarity.get(term, 1.0) for one in pair.both for term in one.terms & topic)
        for one in pair.both:
            weights[one.said] = max(weights.get(one.said, 0.0), weight + asked)
    chosen = sorted(weights, key=lambda said: (-weights[said], said))[:_READ]
    logits = dict(zip(chosen, read(chosen), strict=False)) if chosen else {}
    answer = that_answer(logits)
    return [(pair, Restating.ANSWERS) for pair, _ in alike if answer.issuperset(one.said for one in pair.both)]


def _is_said(chunk: Chunk) -> bool:
    return bool(chunk.kind.speakers) and chunk.created_at is not None


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


def _changed_places(ordered: Sequence[Candidate], older: Candidate, newest: Chunk, why: Restating) -> list[Candidate]:
    """Return the candidates with the newest and the older one in each other's place; nothing else moves."""
    places = [c.chunk.id for c in ordered]
    at = places.index(older.chunk.id)
    place = places.index(newest.id) if newest.id in places else len(places)
    score = ordered[min(place, len(ordered) - 1)].score
    rest = [c for c in _replaced(ordered, older, newest) if c.chunk.id != older.chunk.id]
    behind = _behind(older, newest, why)._replace(score=min(older.score, score))
    return [*rest[: max(at, place)], behind, *rest[max(at, place) :]]


def _behind(older: Candidate, newest: Chunk, why: Restating) -> Candidate:
    effect = Effect.OUTDATED if why.is_sure else Effect.SUPERSEDED
    return older.rescored("restated", older.score, f"{why}: {newest.place}", effect, newest.id)


@lru_cache(maxsize=4096)
def statements_of(chunk: Chunk) -> tuple[Statement, ...]:
    """Return what the person says in a turn, each sentence with what stands around it; questions say nothing."""
    return tuple(_statements(chunk.text, chunk.kind.speakers))


def _statements(body: str, speakers: tuple[str, ...]) -> Iterator[Statement]:
    said = parts_of(body, speakers)
    for number, (who, words) in enumerate(said):
        if who != speakers[0]:
            continue
        answer = said[number + 1][1] if number + 1 < len(said) and said[number + 1][0] != who else ""
        yield from stated(sentences(words), answer)
