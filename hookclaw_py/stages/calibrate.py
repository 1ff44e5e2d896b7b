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
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta, tzinfo
from functools import lru_cache
from math import exp, log, log1p, log2
from operator import mul
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.model.types import Candidate, Chunk, Effect, Period, Query, Step, best_first, covered_by

PRIOR_CHUNKS = 100  # a store of three notes says little about which words are rare: as if so many others were there
FEWEST = 5  # chunks; smaller stores were not measured, and are taken for this size
GROWN, GROWTH = 200, 0.25  # chunks; deviations that the null mean gains a doubling (development sets cut to 5 … 400)
ABSOLUTE = 0.2  # share of the relevance in the score that orders
SPREAD = 5.0  # logits behind the best at which a chunk's score has fallen by a factor of e
COMPANY = 0.75  # of the best score: what lies below it is right too rarely to be worth its tokens
ALIKE = 0.7  # cosine of two tokens from which on they may well mean the same
ALL = 0.999  # share; beyond it nothing is missing but a rounding
LEAST_DEVIATION = 0.03  # a null sample of a store with a few chunks can be narrower than the noise of a cosine
_STEM = 3  # letters that a word and its stem begin with
_WORD = re.compile(r"\w[\w'’.-]*")
_FILES = (".md", ".markdown", ".txt", ".org")
A_DAY = timedelta(hours=36)  # and its night
Columns = dict[str, Sequence[float]]
"""Pieces of evidence by name, each with one value for every chunk of a pool; what is missing is 0 for all of them."""


class NullSample(NamedTuple):
    """Mean and standard deviation of the best cosine that prompts without an answer reach in this store."""

    mean: float
    deviation: float


class Evidence(NamedTuple):
    """What speaks for one chunk. Shares are in [0, 1]; a piece that has nothing to say is 0.

    ``surprise`` is its cosine in standard deviations above the null sample's mean. ``coverage`` is the share of the
    prompt's idf that its terms hold, ``whole`` says that they hold all of it, ``title`` the share that its title and headings hold, ``mass`` that idf in units of
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
    whole: float = 0.0
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
    order_intercept: float
    relevance: Evidence
    intercept: float


class Weighings(NamedTuple):
    """The weighing of a chunk that vectors and late interaction saw, one that only vectors saw, and of keywords alone."""

    full: Weighing
    vectors: Weighing
    keywords: Weighing


class Weights(NamedTuple):
    """How a passage of a file is judged; and a record, which stands alone, as what was said in a turn does."""

    files: Weighings
    records: Weighings


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
    total, found = sum(asked.values()), sum([asked[term] for term in _held(asked, chunk_terms)])
    return (found / total if total else 0.0), found


def _held(asked: Mapping[str, float], terms: Collection[str]) -> list[str]:
    return [term for term in asked if term in terms]


def evidence_of(candidates: Sequence[Candidate], query: Query, found: Findings, *, zone: tzinfo) -> dict[str, Evidence]:
    """Gather the evidence for every chunk of a pool, by id."""
    if not candidates:
        return {}
    chunks = [c.chunk for c in candidates]
    columns = {**_by_words(chunks, found), **_by_rank(candidates, found)}
    columns |= _by_kind(chunks, query, columns["coverage"])
    if query.period is not None:
        columns |= _by_time(chunks, query, query.period, columns["surprise"], zone=zone)
    columns["whole"] = [float(share > ALL) for share in columns["coverage"]]
    nothing = [0.0] * len(chunks)
    pieces = map(Evidence, *(columns.get(name, nothing) for name in Evidence._fields))
    return dict(zip([chunk.id for chunk in chunks], pieces, strict=True))


def _by_words(chunks: Sequence[Chunk], found: Findings) -> Columns:
    """Say what of the prompt's terms and entities each chunk holds, and what of them nothing holds."""
    asked, unit = found.asked, log(1 + (found.store_size + PRIOR_CHUNKS + 0.5) / 0.5)
    total = sum(asked.values()) or 1.0
    held = [_held(asked, chunk.terms.distinct) for chunk in chunks]
    masses = [sum([asked[term] for term in terms]) for terms in held]
    best = max(masses) / total
    unheard = sum([weight for term, weight in asked.items() if term not in found.known]) / total
    return {
        "coverage": [mass / total for mass in masses],
        "coverage_behind": [mass / total - best for mass in masses],
        "mass": [mass / unit for mass in masses],
        "title": [_in_title(asked, terms, chunk.heading) for terms, chunk in zip(held, chunks, strict=True)],
        "entities": [found.named.get(chunk.id, 0.0) for chunk in chunks],
        "unknown": [found.unknown] * len(chunks),
        "unheard": [unheard] * len(chunks),
        "length": [log1p(len(chunk.terms.distinct)) for chunk in chunks],
    }


def _by_rank(candidates: Sequence[Candidate], found: Findings) -> Columns:
    """Say what the rankings hold of each chunk, by itself and beside the best of the pool."""
    ids = [c.chunk.id for c in candidates]
    best_bm25, best_fused = _best(found.bm25, ids) or 1.0, max(c.score for c in candidates) or 1.0
    best_cosine, best_late = _best(found.cosines, ids), _best(found.late, ids)
    return {
        "surprise": [_surprise(found.centred.get(i), found.null) for i in ids],
        "late": [found.late.get(i, 0.0) for i in ids],
        "late_behind": [found.late.get(i, best_late) - best_late for i in ids],
        "bm25": [found.bm25.get(i, 0.0) / best_bm25 for i in ids],
        "fused": [c.score / best_fused for c in candidates],
        "cosine_behind": [found.cosines.get(i, best_cosine) - best_cosine for i in ids],
        "foreign": [max(0.0, ALIKE - found.least.get(i, ALIKE)) for i in ids],
    }


def _by_kind(chunks: Sequence[Chunk], query: Query, shares: Sequence[float]) -> Columns:
    """Say which chunks are somebody's words, and which say what something is, where the prompt asks for that."""
    columns: Columns = {}
    if query.entities:
        names = [entity.text.lower() for entity in query.entities]
        columns["speaks"] = [float(_speaks(chunk, names)) for chunk in chunks]
    if asks_what_it_is(query):
        columns["defines"] = [float(_defines(chunk, query.topic)) for chunk in chunks]
        columns["page"] = [float(share > 0 and c.created_at is None) for share, c in zip(shares, chunks, strict=True)]
    return columns


def _by_time(
    chunks: Sequence[Chunk], query: Query, period: Period, surprises: Sequence[float], *, zone: tzinfo
) -> Columns:
    """Say which chunks are from the time that the prompt speaks of."""
    told = any(character.isdigit() for character in period.phrase)
    named = frozenset(query.terms) - frozenset(query.topic) if told else frozenset[str]()
    if named == {str(period.start.year)}:  # of "Christmas Eve 2025": a year is no day
        named = frozenset()
    inside = [_in_period(chunk, period, named, zone) for chunk in chunks]
    there = [float(own is True) for own in inside]
    columns: Columns = {"in_period": there, "out_of_period": [float(own is False) for own in inside]}
    if period.end - period.start <= A_DAY and period.end <= query.asked_at:  # a day, and it is over
        columns["on_day"] = [
            float(own is True and _is_on_day(chunk, period, zone)) for own, chunk in zip(inside, chunks, strict=True)
        ]
    if not query.topic:  # "what did we do yesterday?" asks for the day, and for nothing else
        columns["coverage"] = there
        columns["surprise"] = [
            own if there is None else max(own, 0.0) if there else min(own, 0.0)
            for own, there in zip(surprises, inside, strict=True)
        ]
    return columns


def _best(scores: Mapping[str, float], ids: Sequence[str]) -> float:
    return max((scores[i] for i in ids if i in scores), default=0.0)


def _surprise(cosine: float | None, null: NullSample | None) -> float:
    if cosine is None or null is None:
        return 0.0
    return (cosine - null.mean) / max(null.deviation, LEAST_DEVIATION)


def _in_title(asked: Mapping[str, float], held: Sequence[str], heading: str) -> float:
    """Return the share of the asked idf that a chunk's title and headings hold; most have none of it, at a glance."""
    if not held or not heading:
        return 0.0
    title = text.fold(heading)
    for term in held:
        if term[:_STEM] in title and _may_hold(title, term):
            return coverage(asked, _terms_of(heading))[0]
    return 0.0


def _may_hold(title: str, term: str) -> bool:
    """Say whether a folded title that has the beginning of a term may have the term: a number is no part of another."""
    return not term.isdecimal() or re.search(rf"(?<!\d){term}(?!\d)", title) is not None


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
_CLOSING = r"""[*_\]"”»’']*"""
_MORE_OF_THE_NAME = r"(?:\s+(?:[+&]\s+)?[^\W\d_a-z][\w’'-]+){0,2}"
_SAYS_WHAT = re.compile(
    rf"{_CLOSING}{_MORE_OF_THE_NAME}{_CLOSING}\s*(?:\([^)]+\)|[:=–—,|]|-\s|(?:is|was|ist|war|est|es|era)\s|是)"
)
_IN_BRACKETS = re.compile(rf"{_CLOSING}{_MORE_OF_THE_NAME}{_CLOSING}\s*(?:\([^)]+\)|=\s)")
_NAMED_IN = 4  # terms at most, of a name that is asked for
_FIRST = 3  # words of a line, where it says what it is about


def asks_what_it_is(query: Query) -> bool:
    """Say whether a prompt asks who or what something is, and not what was on some day."""
    return 0 < len(query.topic) <= _NAMED_IN and query.period is None and _ASKS_WHAT_IT_IS.match(query.text) is not None


def _defines(chunk: Chunk, topic: Sequence[str]) -> bool:
    """Say whether a chunk is about the topic: its title names it, or a line says what it is ("Mara Lind (plumber)").

    A day's notes have what somebody said or did there: "Mara: on my way" defines nothing.
    """
    sought = frozenset(topic)
    if sought <= _terms_of(chunk.heading):
        return True
    if sought.isdisjoint(chunk.terms.distinct):
        return False
    for line in chunk.text.splitlines():
        for at, word in enumerate(_WORD.finditer(line)):
            telling = _SAYS_WHAT if at < _FIRST and chunk.created_at is None else _IN_BRACKETS
            if telling.match(line, word.end()) and not sought.isdisjoint(_terms_of(word[0])):
                return True
    return False


def _is_on_day(chunk: Chunk, period: Period, zone: tzinfo) -> bool:
    """Say whether a chunk is from that day, or has no date and names it."""
    return chunk.created_at is None or _time_of(chunk.created_at, zone).overlaps(period)


def _speaks(chunk: Chunk, names: Sequence[str]) -> bool:
    """Say whether a line of the chunk is said by someone whom the prompt names ("Maria: I am off to Lisbon")."""
    if ":" not in chunk.text:
        return False
    said = chunk.text.lower()
    return any(f"{name}:" in said and re.search(rf"^\W*{re.escape(name)}:", said, re.MULTILINE) for name in names)


def _in_period(chunk: Chunk, period: Period, named: frozenset[str], zone: tzinfo) -> bool | None:
    """Say whether a chunk is from the period or has the terms ``named`` of its date; None when neither has a time."""
    if chunk.created_at is not None and _time_of(chunk.created_at, zone).overlaps(period):
        return True
    if named and named.issubset(chunk.terms.distinct):
        return True
    return None if chunk.created_at is None else False


_time_of = lru_cache(maxsize=4096)(covered_by)  # the notes of a day have one date


def weighing_of(chunk: Chunk, found: Findings, weights: Weights) -> Weighing:
    """Choose the weighing for a chunk and for what looked at it."""
    weighings = weights.files if is_of_a_file(chunk) else weights.records
    if chunk.id not in found.centred or found.null is None:
        return weighings.keywords
    return weighings.full if chunk.id in found.late else weighings.vectors


def is_of_a_file(chunk: Chunk) -> bool:
    """Say whether a chunk is a passage of a person's file, which has more around it."""
    return not chunk.kind.speakers and chunk.place.path.lower().endswith(_FILES)


def relevance(evidence: Evidence, weighing: Weighing) -> float:
    """Return the calibrated probability, in [0, 1], that a prompt with this evidence is answered by this store."""
    return 1 / (1 + exp(-max(-50.0, min(50.0, weighing.intercept + _dot(weighing.relevance, evidence)))))


def _dot(weights: Evidence, evidence: Evidence) -> float:
    return float(sum(map(mul, weights, evidence)))


def calibrate(
    candidates: Sequence[Candidate],
    evidence: Mapping[str, Evidence],
    found: Findings,
    weights: Weights,
    *,
    relevance: Callable[[Evidence, Weighing], float] = relevance,
) -> list[Candidate]:
    """Give every candidate its relevance, and the score on the same scale that orders from here on.

    That score tells how far a chunk is behind the best of its pool, exp((logit - best logit) / ``SPREAD``), and to a fifth
    its relevance, which is absolute.
    """
    pieces = [evidence[c.chunk.id] for c in candidates]
    chosen = [weighing_of(c.chunk, found, weights) for c in candidates]
    logits = [w.order_intercept + _dot(w.order, own) for w, own in zip(chosen, pieces, strict=True)]
    best = max(logits, default=0.0)
    judged = []
    for candidate, own, weighing, logit in zip(candidates, pieces, chosen, logits, strict=True):
        value = relevance(own, weighing)
        score = ABSOLUTE * value + (1 - ABSOLUTE) * exp((logit - best) / SPREAD)
        story = Step("relevance", value, _story(own, weighing)), Step("rank", score)
        judged.append(candidate.judged(value, score, *story))
    return best_first(judged)


_TOLD = {
    "coverage": "covers %.0f%% of the prompt",
    "surprise": "meaning",
    "title": "title %.0f%%",
    "entities": "names %.0f%%",
    "unknown": "%.0f%% of its names are nowhere in the notes",
    "foreign": "an unknown word",
    "speaks": "said by whom it names",
    "in_period": "from that time",
    "on_day": "that very day",
    "defines": "says what it is",
}
_TOO_LITTLE = 0.05  # logits; the line shows one decimal
_IN_ORDER = [(Evidence._fields.index(name), name == "coverage", "%" in told) for name, told in _TOLD.items()]


def _story(evidence: Evidence, weighing: Weighing) -> str:
    """Tell what speaks for a chunk and what against it, each with its part in the logit of the relevance."""
    parts = tuple(map(mul, weighing.relevance, evidence))
    rest = weighing.intercept + sum(parts)
    told, values = list[int](), list[float]()
    for piece, always, with_share in _IN_ORDER:
        part = parts[piece]
        if always or part >= _TOO_LITTLE or part <= -_TOO_LITTLE:
            told.append(piece)
            values += (100 * evidence[piece], part) if with_share else (part,)
            rest -= part
    return _sentence(tuple(told)) % (*values, rest)


@lru_cache(maxsize=1024)
def _sentence(told: tuple[int, ...]) -> str:
    """Return the line that tells these pieces, for their values: formatting one line is cheaper than many words."""
    return "".join(f"{_TOLD[Evidence._fields[piece]]} %+.1f, " for piece in told) + "else %+.1f"


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
