"""Calibration: what the retrievers found becomes a relevance in [0, 1], the one scale on which we decide to speak.

Raw cosines and BM25 sums mean different things in every store. Each store therefore keeps a *null sample*: the best
cosine that each of a fixed list of prompts reaches, prompts that no one's notes answer. A chunk's cosine is measured
in standard deviations from there. These cosines are those of prompts seen from the mean of that list: what makes it a
prompt at all says nothing of its subject.

``Evidence`` is the table of what speaks for a chunk. How much each piece counts is data, fitted by
``eval/fit_calibration.py``: once for the order of the chunks, where it matters how far one is behind the best of its pool,
and once for the relevance, the chance that a prompt with this evidence is answered by this store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from datetime import timedelta, tzinfo
from functools import lru_cache
from itertools import islice
from math import exp, log, log1p, log2
from operator import mul
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.types import Candidate, Chunk, Effect, Query, Step, best_first, covered_by

PRIOR_CHUNKS = 100  # a store of three notes says little about which words are rare: as if so many others were there
FEWEST = 5  # chunks; smaller stores were not measured, and are taken for this size
GROWN, GROWTH = 200, 0.25  # chunks; deviations that the null mean gains a doubling (development sets cut to 5 … 400)
ABSOLUTE = 0.2  # share of the relevance in the score that orders
SPREAD = 5.0  # logits behind the best at which a chunk's score has fallen by a factor of e
COMPANY = 0.75  # of the best score: what lies below it is right too rarely to be worth its tokens
ALIKE = 0.7  # cosine of two tokens from which on they may well mean the same
LEAST_DEVIATION = 0.03  # a null sample of a store with a few chunks can be narrower than the noise of a cosine
_STEM = 3  # letters that a word and its stem begin with
_WORD = re.compile(r"\w[\w'’.-]*")
A_DAY = timedelta(hours=36)  # and its night


class NullSample(NamedTuple):
    """Mean and standard deviation of the best cosine that prompts without an answer reach in this store."""

    mean: float
    deviation: float


class Evidence(NamedTuple):
    """What speaks for one chunk. Shares are in [0, 1]; a piece that has nothing to say is 0.

    ``surprise`` is its cosine in standard deviations above the null sample's mean. ``coverage`` is the share of the
    prompt's idf that its terms hold, ``title`` the share that its title and headings hold, ``mass`` that idf in units of
    the idf of a term that occurs nowhere. ``entities`` is the share of the prompt's entities it holds, ``unknown`` the
    share that the whole store has never heard of, ``unheard`` the share of the prompt's idf that the store has never heard of.
    ``in_period``, ``out_of_period``: from the time that the prompt speaks of, or not; ``on_day``: and that is one day.
    ``speaks`` says whether one of its lines is said by someone whom the prompt names. ``foreign`` is how far the worst
    match among the tokens of topical words that the store has never heard of falls short of ``ALIKE``. ``late`` is the
    score of late interaction, ``bm25`` and ``fused`` are shares of the pool's best. What ends in ``behind`` is the
    distance to the best of the pool, never above 0. ``length`` is ln(1 + number of its terms). Where the prompt asks who or
    what something is, ``defines`` says that the chunk's title names it or a line says what it is ("Mara: plumber"), ``page``
    that it is no note of a day.
    """

    surprise: float = 0.0
    coverage: float = 0.0
    title: float = 0.0
    mass: float = 0.0
    entities: float = 0.0
    unknown: float = 0.0
    unheard: float = 0.0
    in_period: float = 0.0
    out_of_period: float = 0.0
    on_day: float = 0.0
    speaks: float = 0.0
    foreign: float = 0.0
    late: float = 0.0
    bm25: float = 0.0
    fused: float = 0.0
    coverage_behind: float = 0.0
    cosine_behind: float = 0.0
    late_behind: float = 0.0
    length: float = 0.0
    defines: float = 0.0
    page: float = 0.0


class Weighing(NamedTuple):
    """What each piece of evidence counts for the order of the chunks, and for their relevance, in logits."""

    order: Evidence
    relevance: Evidence
    intercept: float
    """Of the relevance; an order has none."""


class Weights(NamedTuple):
    """The weighing of a chunk that vectors and late interaction saw, one that only vectors saw, and of keywords alone."""

    full: Weighing
    vectors: Weighing
    keywords: Weighing


class Findings(NamedTuple):
    """What the search found out about the chunks of a pool, by id, and about the prompt.

    ``asked`` is what each topical term of the prompt weighs, ``known`` are the terms that some chunk of the store holds.
    ``centred`` are the cosines with the prompt seen from the centre of the null sample; ``least`` is the worst match of the
    tokens of words that the store has never heard of.
    """

    asked: Mapping[str, float]
    known: Collection[str]
    unknown: float
    bm25: Mapping[str, float]
    cosines: Mapping[str, float]
    centred: Mapping[str, float]
    late: Mapping[str, float]
    least: Mapping[str, float]
    named: Mapping[str, float]
    null: NullSample | None
    store_size: int


def as_if_grown(null: NullSample, *, store_size: int) -> NullSample:
    """Return a small store's null sample as it would be with ``GROWN`` chunks.

    The best cosine of a prompt without an answer grows with the logarithm of the number of chunks it can choose from: in
    a store of ten notes a middling cosine would pass for a surprise.
    """
    missing = max(0.0, log2(GROWN / max(store_size, FEWEST)))
    return NullSample(null.mean + GROWTH * missing * null.deviation, null.deviation)


def smoothed(idf: Mapping[str, float], *, store_size: int) -> dict[str, float]:
    """Return each idf as it would be with ``PRIOR_CHUNKS`` more chunks, none of which holds the term."""
    widened = {}
    for term, value in idf.items():
        frequency = document_frequency(value, store_size=store_size)
        widened[term] = log(1 + (store_size + PRIOR_CHUNKS - frequency + 0.5) / (frequency + 0.5))
    return widened


def document_frequency(idf: float, *, store_size: int) -> float:
    """Return how many of the store's chunks hold a term of this idf."""
    return (store_size + 1) / exp(idf) - 0.5


def known_terms(idf: Mapping[str, float], *, store_size: int) -> set[str]:
    """Return the terms that at least one of the store's chunks holds."""
    return {term for term, value in idf.items() if document_frequency(value, store_size=store_size) >= 0.5}


def term_weights(query_terms: Sequence[str], *, idf: Mapping[str, float]) -> dict[str, float]:
    """Return what each term of a query weighs: its idf, or 1 when that is not known."""
    return {term: idf.get(term, 1.0) for term in query_terms}


def coverage(asked: Mapping[str, float], chunk_terms: Collection[str]) -> tuple[float, float]:
    """Return (share of the asked idf held by the chunk, that idf); a query without terms is not covered: (0, 0)."""
    held = chunk_terms if isinstance(chunk_terms, Set) else frozenset(chunk_terms)
    total = sum(asked.values())
    found = sum([asked[term] for term in asked.keys() & held])
    return (found / total if total else 0.0), found


def evidence_of(candidates: Sequence[Candidate], query: Query, found: Findings, *, zone: tzinfo) -> dict[str, Evidence]:
    """Gather the evidence for every chunk of a pool, by id."""
    if not candidates:
        return {}
    ids = [c.chunk.id for c in candidates]
    unit = log(1 + (found.store_size + PRIOR_CHUNKS + 0.5) / 0.5)
    covered = {c.chunk.id: coverage(found.asked, c.chunk.terms) for c in candidates}
    unheard, _ = coverage(found.asked, found.asked.keys() - set(found.known))
    best_bm25, best_fused = _best(found.bm25, ids) or 1.0, max(c.score for c in candidates) or 1.0
    best_cosine, best_late = _best(found.cosines, ids), _best(found.late, ids)
    best_share = max(share for share, _ in covered.values())
    names = [entity.text.lower() for entity in query.entities]
    asks_what = bool(query.topic) and _ASKS_WHAT_IT_IS.match(query.text) is not None
    gathered = {}
    for candidate in candidates:
        chunk = candidate.chunk
        share, mass = covered[chunk.id]
        inside, least = _in_period(candidate, query, zone), found.least.get(chunk.id)
        surprise = _surprise(found.centred.get(chunk.id), found.null)
        if not query.topic and inside is not None:  # "what did we do yesterday?" asks for the day, and for nothing else
            share = float(inside)
            surprise = max(surprise, 0.0) if inside else min(surprise, 0.0)
        gathered[chunk.id] = Evidence(
            surprise=surprise,
            coverage=share,
            title=_in_title(found.asked, chunk) if share else 0.0,
            mass=mass / unit,
            entities=found.named.get(chunk.id, 0.0),
            unknown=found.unknown,
            unheard=unheard,
            in_period=float(inside is True),
            out_of_period=float(inside is False),
            on_day=float(inside is True and _is_day(query)),
            speaks=float(bool(names) and _speaks(chunk, names)),
            foreign=0.0 if least is None else max(0.0, ALIKE - least),
            late=found.late.get(chunk.id, 0.0),
            bm25=found.bm25.get(chunk.id, 0.0) / best_bm25,
            fused=candidate.score / best_fused,
            coverage_behind=min(0.0, share - best_share),
            cosine_behind=found.cosines.get(chunk.id, best_cosine) - best_cosine,
            late_behind=found.late.get(chunk.id, best_late) - best_late,
            length=log1p(len(chunk.terms)),
            defines=float(asks_what and _defines(chunk, query.topic)),
            page=float(asks_what and share > 0 and chunk.created_at is None),
        )
    return gathered


def _best(scores: Mapping[str, float], ids: Sequence[str]) -> float:
    return max((scores[i] for i in ids if i in scores), default=0.0)


def _surprise(cosine: float | None, null: NullSample | None) -> float:
    if cosine is None or null is None:
        return 0.0
    return (cosine - null.mean) / max(null.deviation, LEAST_DEVIATION)


def _in_title(asked: Mapping[str, float], chunk: Chunk) -> float:
    """Return the share of the asked idf that the chunk's title and headings hold; most have none of it, at a glance."""
    title = text.fold(chunk.heading)
    if not any(term[:_STEM] in title for term in asked.keys() & set(chunk.terms)):
        return 0.0
    return coverage(asked, _terms_of(chunk.heading))[0]


@lru_cache(maxsize=16_384)
def _terms_of(heading: str) -> frozenset[str]:
    return frozenset(text.terms(heading))


_OWNED = r"(?!\s*(?:the|our|my|your|his|her|their|this|that|it|der|die|das|mein\w*|unser\w*|le|la|les|mon|ma|notre|el|mi|nuestr\w*)\b)"
_ASKS_WHAT_IT_IS = re.compile(
    rf"""\W*(?:(?:and|so|ok|sorry|again)\W+)*(?:
      (?:tell\ me\ )?(?:who|what)(?:['’]?s|\ is|\ are|\ was|\ were|\ does)\b{_OWNED} | tell\ me\ (?:who|what|about)\b{_OWNED} | who\ or\ what\ is\b
    | (?:wer|was)\ (?:ist|war|sind|waren|macht)\b{_OWNED} | qui\ (?:est|était|sont)\b | qu['’]est[- ]ce\ que?\b{_OWNED} | .{{1,40}}\ c['’]est\ (?:qui|quoi)\b
    | (?:quién(?:es)?|qué|quien|que)\ (?:es|son|era)\b{_OWNED} | .{{1,20}}(?:是谁|是什么|是啥|是哪位|誰|とは) | (?:谁|什么)是 )""",
    re.VERBOSE | re.IGNORECASE,
)
_SAYS_WHAT = re.compile(r"\s*(?:\([^)]+\)|[:=–—]|-\s|(?:is|was|ist|war|est|es|era)\s|是|\|)")


def _defines(chunk: Chunk, topic: Sequence[str]) -> bool:
    """Say whether a chunk is about the topic: its title names it, or a line begins with it and says what it is."""
    sought = frozenset(topic)
    if sought <= _terms_of(chunk.heading):
        return True
    if sought.isdisjoint(chunk.terms):
        return False
    return any(
        not sought.isdisjoint(text.terms(word[0])) and _SAYS_WHAT.match(line, word.end())
        for line in chunk.text.splitlines()
        for word in islice(_WORD.finditer(line), 3)
    )


def _is_day(query: Query) -> bool:
    return query.period is not None and query.period.end - query.period.start <= A_DAY


def _speaks(chunk: Chunk, names: Sequence[str]) -> bool:
    """Say whether a line of the chunk is said by someone whom the prompt names ("Maria: I am off to Lisbon")."""
    if ":" not in chunk.text:
        return False
    said = chunk.text.lower()
    return any(f"{name}:" in said and re.search(rf"^\W*{re.escape(name)}:", said, re.MULTILINE) for name in names)


def _in_period(candidate: Candidate, query: Query, zone: tzinfo) -> bool | None:
    """Say whether a chunk is from the query's period or speaks of its date ("12 April"); None when neither has a time."""
    chunk, period = candidate.chunk, query.period
    if period is None:
        return None
    if chunk.created_at is not None and covered_by(chunk.created_at, zone).overlaps(period):
        return True
    if any(character.isdigit() for character in period.phrase):
        named = frozenset(query.terms) - frozenset(query.topic)
        if named and named <= frozenset(chunk.terms):
            return True
    return None if chunk.created_at is None else False


def weighing_of(chunk_id: str, found: Findings, weights: Weights) -> Weighing:
    """Choose the weighing for what looked at a chunk."""
    if chunk_id not in found.centred or found.null is None:
        return weights.keywords
    return weights.full if chunk_id in found.late else weights.vectors


def relevance(evidence: Evidence, weighing: Weighing) -> float:
    """Return the calibrated probability, in [0, 1], that a prompt with this evidence is answered by this store."""
    return 1 / (1 + exp(-max(-50.0, min(50.0, weighing.intercept + _dot(weighing.relevance, evidence)))))


def _dot(weights: Evidence, evidence: Evidence) -> float:
    return float(sum(map(mul, weights, evidence)))


def calibrate(
    candidates: Sequence[Candidate], evidence: Mapping[str, Evidence], found: Findings, weights: Weights
) -> list[Candidate]:
    """Give every candidate its relevance, and the score on the same scale that orders from here on.

    That score tells how far a chunk is behind the best of its pool, exp((logit - best logit) / ``SPREAD``), and to a fifth
    its relevance, which is absolute.
    """
    chosen = {c.chunk.id: weighing_of(c.chunk.id, found, weights) for c in candidates}
    logits = {i: _dot(weighing.order, evidence[i]) for i, weighing in chosen.items()}
    best = max(logits.values(), default=0.0)
    judged = []
    for candidate in candidates:
        own = candidate.chunk.id
        value = relevance(evidence[own], chosen[own])
        score = ABSOLUTE * value + (1 - ABSOLUTE) * exp((logits[own] - best) / SPREAD)
        story = Step("relevance", value, _story(evidence[own], chosen[own])), Step("rank", score)
        judged.append(candidate.judged(value, score, *story))
    return best_first(judged)


_TOLD: Mapping[str, Callable[[float], str]] = {
    "coverage": lambda share: f"covers {share:.0%} of the prompt",
    "surprise": lambda _: "meaning",
    "title": lambda share: f"title {share:.0%}",
    "entities": lambda share: f"names {share:.0%}",
    "unknown": lambda share: f"{share:.0%} of its names are nowhere in the notes",
    "foreign": lambda _: "an unknown word",
    "speaks": lambda _: "said by whom it names",
    "in_period": lambda _: "from that time",
    "on_day": lambda _: "that very day",
    "defines": lambda _: "says what it is",
}
_TOO_LITTLE = 0.05  # logits; the line shows one decimal
_COVERAGE = Evidence._fields.index("coverage")
_IN_ORDER = [(Evidence._fields.index(name), told) for name, told in _TOLD.items()]


def _story(evidence: Evidence, weighing: Weighing) -> str:
    """Tell what speaks for a chunk and what against it, each with its part in the logit of the relevance."""
    parts = tuple(map(mul, weighing.relevance, evidence))
    rest = weighing.intercept + sum(parts)
    story = []
    for piece, told in _IN_ORDER:
        part = parts[piece]
        if piece == _COVERAGE or abs(part) >= _TOO_LITTLE:
            story.append(f"{told(evidence[piece])} {part:+.1f}")
            rest -= part
    story.append(f"else {rest:+.1f}")
    return ", ".join(story)


def abstain(
    candidates: Sequence[Candidate], *, min_score: float, adaptive: bool, max_results: int
) -> tuple[list[Candidate], list[Candidate], int]:
    """Return (relevant enough, the rest, how many to inject at most).

    With ``adaptive`` a chunk that is far behind the best is left out, and a strong best chunk needs less company: above
    a relevance of .7 at most two are injected.
    """
    passed, failed = list[Candidate](), list[Candidate]()
    enough = max((COMPANY * c.score for c in candidates if c.relevance >= min_score), default=0.0) if adaptive else 0.0
    for c in candidates:
        if c.relevance < min_score:
            note = f"relevance below {min_score:g}"
            failed.append(c.noted(Step("abstain", c.relevance, note, Effect.IRRELEVANT)))
        elif c.score < enough:
            note = f"score below {enough:.2f}, far behind the best"
            failed.append(c.noted(Step("abstain", c.score, note, Effect.IRRELEVANT)))
        else:
            passed.append(c)
    top = max((c.relevance for c in passed), default=0.0)
    return passed, failed, min(2, max_results) if adaptive and top > 0.7 else max_results
