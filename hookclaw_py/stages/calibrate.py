"""Calibration: what the retrievers found becomes a relevance in [0, 1], the one scale on which we decide to speak.

Raw cosines and BM25 sums mean different things in every store. Each store therefore keeps a *null sample*: the best
cosine that each of a fixed list of prompts reaches, prompts that no one's notes answer. A chunk's cosine is measured
in standard deviations from there, and joined with how much of the prompt, weighted by rarity, the chunk's words cover.
These cosines are those of prompts seen from the mean of that list: what makes it a prompt at all says nothing of its subject.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import tzinfo
from math import exp, log, log2
from typing import NamedTuple

from hookclaw_py.types import Candidate, Query, Step, best_first, covered_by


class NullSample(NamedTuple):
    """Mean and standard deviation of the best cosine that prompts without an answer reach in this store."""

    mean: float
    deviation: float


class Weights(NamedTuple):
    """A logistic regression over one chunk's evidence."""

    intercept: float
    surprise: float
    coverage: float
    mass: float
    entities: float
    unknown: float
    in_period: float
    speaks: float
    foreign: float


class Evidence(NamedTuple):
    """What speaks for one chunk.

    ``surprise`` is its cosine in standard deviations above the null sample's mean, None without a vector.
    ``coverage`` is the share of the prompt's idf that its terms hold, in [0, 1]; ``mass`` that idf in units of the
    idf of a term that occurs nowhere. ``entities`` is the share of the prompt's entities it holds, ``unknown`` the share
    that the whole store has never heard of, both in [0, 1].
    ``in_period`` is None when the prompt speaks of no time or the chunk has no date. ``speaks`` says whether one of its
    lines is said by someone whom the prompt names. ``foreign`` is how far the worst match among the tokens of topical
    words that the store has never heard of falls short of ``ALIKE``, 0 without any.
    """

    surprise: float | None
    coverage: float
    mass: float
    entities: float
    unknown: float
    in_period: bool | None
    speaks: bool = False
    foreign: float = 0.0


# Fitted by logistic regression on the evidence that this engine gathers over the development sets (LoCoMo, LongMemEval
# evidence, RealMem notes, ProactiveMem, our notebooks): a prompt at home is 1, the same prompt asked of another store 0, a
# general prompt 0, every set with one vote. The second line is for a recall whose vector half is missing. Set by hand: the
# intercepts (fitted were -2.41, which is too silent where prompts only imply what they need, and -3.03, at which keywords
# alone answer a tenth of all general prompts), and what a speaker weighs, which is told by LoCoMo's unanswerable prompts.
WITH_VECTOR = Weights(
    intercept=-2.20,
    surprise=1.05,
    coverage=2.00,
    mass=0.68,
    entities=1.89,
    unknown=-1.55,
    in_period=0.85,
    speaks=1.50,
    foreign=-1.73,
)
WITHOUT_VECTOR = Weights(
    intercept=-3.50,
    surprise=0.0,
    coverage=3.70,
    mass=0.99,
    entities=2.81,
    unknown=-1.80,
    in_period=0.99,
    speaks=1.50,
    foreign=0.0,
)
PRIOR_CHUNKS = 100  # a store of three notes says little about which words are rare: as if so many others were there
FEWEST = 5  # chunks; smaller stores were not measured, and are taken for this size
GROWN, GROWTH = 200, 0.25  # chunks; deviations that the null mean gains a doubling (development sets cut to 5 … 400)
ABSOLUTE = 0.2  # share of the relevance in the score that orders
COMPANY = 0.85  # of the best score: what lies below it is right too rarely to be worth its tokens
ALIKE = 0.7  # cosine of two tokens from which on they may well mean the same
LEAST_DEVIATION = 0.03  # a null sample of a store with a few chunks can be narrower than the noise of a cosine


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
    held = frozenset(chunk_terms)
    total = sum(asked.values())
    found = sum([weight for term, weight in asked.items() if term in held])
    return (found / total if total else 0.0), found


def weigh(
    candidate: Candidate,
    query: Query,
    *,
    cosine: float | None,
    null: NullSample | None,
    asked: Mapping[str, float],
    store_size: int,
    entities: float,
    unknown: float,
    least: float | None,
    zone: tzinfo,
) -> Evidence:
    """Gather the evidence for one chunk.

    ``cosine`` is that with the prompt seen from the centre of the null sample; ``least`` is the worst match of the tokens
    of words that the store has never heard of.
    """
    chunk = candidate.chunk
    share, found = coverage(asked, chunk.terms)
    in_period = _in_period(candidate, query, zone)
    surprise = None
    if cosine is not None and null is not None:
        surprise = (cosine - null.mean) / max(null.deviation, LEAST_DEVIATION)
    if not query.topic and in_period is not None:  # "what did we do yesterday?" asks for the day, and for nothing else
        share = float(in_period)
        surprise = max(surprise or 0.0, 0.0) if in_period else min(surprise or 0.0, 0.0)
    unit = log(1 + (store_size + PRIOR_CHUNKS + 0.5) / 0.5)
    foreign = 0.0 if least is None else max(0.0, ALIKE - least)
    return Evidence(surprise, share, found / unit, entities, unknown, in_period, _speaks(candidate, query), foreign)


def _speaks(candidate: Candidate, query: Query) -> bool:
    """Say whether a line of the chunk is said by someone whom the prompt names ("Maria: I am off to Lisbon")."""
    names = [entity.text.lower() for entity in query.entities]
    text = candidate.chunk.text.lower() if names else ""
    return any(f"{name}:" in text and re.search(rf"^\W*{re.escape(name)}:", text, re.MULTILINE) for name in names)


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


def relevance(evidence: Evidence) -> float:
    """Return the calibrated probability, in [0, 1], that a prompt with this evidence is answered by this store."""
    weights = WITHOUT_VECTOR if evidence.surprise is None else WITH_VECTOR
    logit = (
        weights.intercept
        + weights.surprise * (evidence.surprise or 0.0)
        + weights.coverage * evidence.coverage
        + weights.mass * evidence.mass
        + weights.entities * evidence.entities
        + weights.unknown * evidence.unknown
        + (weights.in_period if evidence.in_period else 0.0)
        + (weights.speaks if evidence.speaks else 0.0)
        + weights.foreign * evidence.foreign
    )
    return 1 / (1 + exp(-max(-50.0, min(50.0, logit))))


def calibrate(candidates: Sequence[Candidate], evidence: Mapping[str, Evidence]) -> list[Candidate]:
    """Give every candidate its relevance, and the score on the same scale that orders from here on.

    That score is mostly the fused score relative to the pool's best, which tells close candidates apart, and a fifth
    the relevance, which is absolute: on development data better than either alone on the set where it is weaker.
    """
    best = max((c.score for c in candidates), default=0.0) or 1.0
    judged = []
    for candidate in candidates:
        found = evidence[candidate.chunk.id]
        value = relevance(found)
        score = ABSOLUTE * value + (1 - ABSOLUTE) * candidate.score / best
        story = Step("relevance", value, _story(found)), Step("rank", score)
        judged.append(candidate.judged(value, score, *story))
    return best_first(judged)


def _story(e: Evidence) -> str:
    parts = [f"covers {e.coverage:.0%} of the prompt"]
    if e.surprise is None:
        parts.append("no vector")
    else:
        parts.append(f"cosine {abs(e.surprise):.1f}σ {'above' if e.surprise >= 0 else 'below'} no-answer")
    if e.entities:
        parts.append(f"names {e.entities:.0%} of its entities")
    if e.unknown:
        parts.append(f"{e.unknown:.0%} of its entities are nowhere in the store")
    if e.foreign:
        parts.append(f"a new word unmatched ({e.foreign:.2f})")
    if e.speaks:
        parts.append("said by whom the prompt names")
    if e.in_period:
        parts.append("from that time")
    return ", ".join(parts)


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
            failed.append(c.noted(Step("abstain", c.relevance, f"relevance below {min_score:g}")))
        elif c.score < enough:
            failed.append(c.noted(Step("abstain", c.score, f"score below {enough:.2f}, far behind the best")))
        else:
            passed.append(c)
    top = max((c.relevance for c in passed), default=0.0)
    return passed, failed, min(2, max_results) if adaptive and top > 0.7 else max_results
