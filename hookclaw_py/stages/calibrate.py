"""Calibration: what the retrievers found becomes a relevance in [0, 1], the one scale on which we decide to speak.

Raw cosines and BM25 sums mean different things in every store. Each store therefore keeps a *null sample*: the best
cosine that each of a fixed list of prompts reaches, prompts that no one's notes answer. A chunk's cosine is measured
in standard deviations from there. These cosines are those of prompts seen from the mean of that list: what makes it a
prompt at all says nothing of its subject.

``calibration.features`` is the table of what speaks for a chunk. How much each piece counts is data, fitted by
``eval/fit_calibration.py``: once for the order of the chunks, where it matters how far one is behind the best of its pool,
and once for the relevance, the chance that a prompt with this evidence is answered by this store.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from datetime import tzinfo
from functools import lru_cache
from math import exp, inf, log, log2
from operator import mul
from typing import NamedTuple

from hookclaw_py.calibration.constants import Constants
from hookclaw_py.calibration.features import ALWAYS_TOLD, Evidence, Table
from hookclaw_py.calibration.findings import Findings, NullSample
from hookclaw_py.calibration.gathered import Gathered
from hookclaw_py.calibration.weights import Calibration, ReaderWeights, Readings, Weighing, Weights
from hookclaw_py.model.place import NOTE_SUFFIXES
from hookclaw_py.model.types import Candidate, Chunk, Effect, Query, Step, best_first
from hookclaw_py.regex import regex
from hookclaw_py.speech.asking import only_asks
from hookclaw_py.speech.speakers import own_words, words_of_others


def as_if_grown(null: NullSample, *, store_size: int, constants: Constants) -> NullSample:
    """Return a small store's null sample as it would be with ``grown`` chunks.

    The best cosine of a prompt without an answer grows with the logarithm of the number of chunks it can choose from: in
    a store of ten notes a middling cosine would pass for a surprise.
    """
    missing = max(0.0, log2(constants.grown / max(store_size, constants.fewest)))
    return NullSample(null.mean + constants.growth * missing * null.deviation, null.deviation)


def smoothed(idf: Mapping[str, float], *, store_size: int, prior_chunks: int) -> dict[str, float]:
    """Return each idf as it would be with ``prior_chunks`` more chunks, none of which holds the term."""
    widened = {}
    for term, value in idf.items():
        frequency = document_frequency(value, store_size=store_size)
        widened[term] = log(1 + (store_size + prior_chunks - frequency + 0.5) / (frequency + 0.5))
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
    total, found = sum(asked.values()), sum([asked[term] for term in asked if term in chunk_terms])
    return (found / total if total else 0.0), found


def evidence_of(
    candidates: Sequence[Candidate],
    query: Query,
    found: Findings,
    *,
    zone: tzinfo,
    calibration: Calibration,
) -> dict[str, Evidence]:
    """Gather the evidence for every chunk of a pool, by id."""
    return calibration.table.evidence(Gathered(candidates, query, found, zone, calibration.constants))


def weighing_of(chunk: Chunk, found: Findings, weights: Weights) -> Weighing:
    """Choose the weighing for a chunk and for what looked at it."""
    weighings = weights.files if is_of_a_file(chunk) else weights.records
    if chunk.id not in found.centred or found.null is None:
        return weighings.keywords
    return weighings.full if chunk.id in found.late else weighings.vectors


def is_of_a_file(chunk: Chunk) -> bool:
    """Say whether a chunk is a passage of a person's file, which has more around it."""
    return not chunk.kind.speakers and chunk.place.path.lower().endswith(NOTE_SUFFIXES)


def reading_of(chunk: Chunk, readings: Readings) -> ReaderWeights | None:
    """Choose what a reader's word counts where this chunk is the best, None where nothing was fitted."""
    return readings.files if is_of_a_file(chunk) else readings.turns if chunk.kind.speakers else None


def relevance(evidence: Evidence, weighing: Weighing) -> float:
    """Return the calibrated probability, in [0, 1], that a prompt with this evidence is answered by this store."""
    return 1 / (1 + exp(-max(-50.0, min(50.0, weighing.intercept + _dot(weighing.relevance, evidence)))))


def _dot(weights: Evidence, evidence: Evidence) -> float:
    return float(sum(map(mul, weights, evidence)))


def calibrate(
    candidates: Sequence[Candidate],
    evidence: Mapping[str, Evidence],
    found: Findings,
    calibration: Calibration,
    *,
    relevance: Callable[[Evidence, Weighing], float] = relevance,
) -> list[Candidate]:
    """Give every candidate its relevance, and the score on the same scale that orders from here on.

    That score tells how far a chunk is behind the best of its pool, exp((logit - best logit) / spread), and to a fifth
    its relevance, which is absolute.
    """
    weights, absolute, spread = calibration.weights, calibration.constants.absolute, calibration.constants.spread
    pieces = [evidence[c.chunk.id] for c in candidates]
    chosen = [weighing_of(c.chunk, found, weights) for c in candidates]
    logits = [w.order_intercept + _dot(w.order, own) for w, own in zip(chosen, pieces, strict=True)]
    best = max(logits, default=0.0)
    judged = []
    for candidate, own, weighing, logit in zip(candidates, pieces, chosen, logits, strict=True):
        value = relevance(own, weighing)
        score = absolute * value + (1 - absolute) * exp((logit - best) / spread)
        story = (
            Step("relevance", value, _story(own, weighing, calibration.table, own=calibration.own)),
            Step("rank", score),
        )
        judged.append(candidate.judged(value, score, *story))
    return best_first(judged)


_LATER = 0.01  # of a score: by so much each passage stands behind the one with a sooner day


def by_day(candidates: Sequence[Candidate], query: Query) -> list[Candidate]:
    """Return what was found for a prompt that asks for a time and nothing else: all that is of it answers, of a time to come the soonest first.

    What one only asked then was not done, and is left out unless that is what is asked for.
    """
    if not _ASKS_OF_TALK.search(query.text):
        candidates = [c for c in candidates if not _is_asking(c.chunk)]
    scores = {c.chunk.id: c.relevance for c in candidates}
    if query.period and query.period.end > query.asked_at:
        first = f"{query.period.start:%m-%d}"
        days = {c.chunk.id: min(_days_in(c.chunk, query.days, first), default=None) for c in candidates}
        of_it = sorted((day, chunk_id) for chunk_id, day in days.items() if day)
        best = max((scores[chunk_id] for _, chunk_id in of_it), default=0.0)
        scores |= {chunk_id: max(0.0, best - place * _LATER) for place, (_, chunk_id) in enumerate(of_it)}
    return best_first([c.rescored("rank", scores[c.chunk.id]) for c in candidates])


def _is_asking(chunk: Chunk) -> bool:
    """Say whether it is a conversation in which a person only asks, and is told no more than a line each time."""
    speakers = chunk.kind.speakers
    if not speakers:
        return False
    own, others = own_words(chunk.text, speakers), words_of_others(chunk.text, speakers)
    return only_asks(own) and len(others) <= _A_LINE * (1 + own.count("\n"))


def _days_in(chunk: Chunk, days: Set[str], first: str) -> list[tuple[bool, bool, str]]:
    """Return the ``days`` that a passage is of or names, each as (it is of any year, of the next one, its month and day).

    The period begins at ``first``. A day of any year is a birthday as likely as an appointment.
    """
    own = f"{chunk.created_at:%Y-%m-%d}" if chunk.created_at else ""
    return [(day[0] == "-", day[-5:] < first, day[-5:]) for day in days & (chunk.terms.distinct | {own})]


_A_LINE = 200  # characters
_ASKS_OF_TALK = regex(
    r"""(?ix)\b(?: ask(?:ed)? | talk(?:ed)? | discuss(?:ed)? | chat(?:ted)? | sp(?:eak|oke) | sa(?:y|id) | questions? | conversations? | sessions?
      | (?:ge)?frag\w* | geredet | besprochen | gesprochen | gesagt | gespräche?\w* | unterhalten | (?:parlé|discuté|demandé|dit) | (?:hablamos|pregunt\w+|dije|dijimos) )\b"""
)
_TOO_LITTLE = 0.05  # logits; the line shows one decimal


def _story(evidence: Evidence, weighing: Weighing, table: Table, *, own: bool) -> str:
    """Tell what speaks for a chunk and what against it, each with its part in the logit of the relevance."""
    parts = tuple(map(mul, weighing.relevance, evidence))
    rest = weighing.intercept + sum(parts)
    told, values = list[int](), list[float]()
    for number, always, with_share in _telling(table):
        part = parts[number]
        if always or part >= _TOO_LITTLE or part <= -_TOO_LITTLE:
            told.append(number)
            values += (100 * evidence[number], part) if with_share else (part,)
            rest -= part
    return _sentence(table, tuple(told), own=own) % (*values, rest)


@lru_cache(maxsize=16)
def _telling(table: Table) -> list[tuple[int, bool, bool]]:
    """Return (number, is always told, is told with its share) of each feature, in the order of telling."""
    order = sorted(range(len(table.features)), key=lambda number: table.features[number].name != ALWAYS_TOLD)
    return [(n, table.features[n].name == ALWAYS_TOLD, "%" in table.features[n].told) for n in order]


@lru_cache(maxsize=1024)
def _sentence(table: Table, told: tuple[int, ...], *, own: bool) -> str:
    """Return the line that tells these pieces, for their values: formatting one line is cheaper than many words."""
    whose = "" if own else "; by keywords alone: the model has no weights of its own"
    return "".join(f"{table.features[number].told} %+.1f, " for number in told) + "else %+.1f" + whose


class Threshold(NamedTuple):
    """What a candidate must reach to be told: a ``relevance``, or as ``company`` of what has that a ``score``, which all must have.

    Of the ``section`` of a file, its path and its headings, any score will do for company.
    """

    relevance: float
    score: float
    company: bool
    section: tuple[str, str] | None = None

    def least_score(self, c: Candidate) -> float:
        """Return the score that a candidate must have."""
        return 0.0 if self.section == _section(c) else self.score

    def is_reached(self, c: Candidate) -> bool:
        """Say whether a candidate is worth telling. Of words that are not the person's own only what is relevant itself is."""
        own = self.company and c.chunk.origin.is_own
        return c.score >= self.least_score(c) and (c.relevance >= self.relevance or own)


def threshold(
    candidates: Sequence[Candidate], *, min_score: float, adaptive: bool, follows: bool = False, constants: Constants
) -> Threshold:
    """Return what must be reached where these were found; nothing does where nothing is relevant.

    With ``adaptive`` what is far behind the best is left out, and what is near it keeps it company although its own relevance is
    lower: which passage answers is often less sure than that one does. Where the prompt ``follows`` another it says little of what
    it asks for: the rest of the best one's section keeps it company.
    """
    relevant = [c for c in candidates if c.relevance >= min_score]
    best = max((c.score for c in relevant), default=inf)
    section = _section(relevant[0]) if follows and adaptive and relevant else None
    return Threshold(min_score, constants.company * best if adaptive or best == inf else 0.0, adaptive, section)


def _section(c: Candidate) -> tuple[str, str]:
    return c.chunk.place.path, c.chunk.heading


def abstain(
    candidates: Sequence[Candidate], *, least: Threshold, max_results: int
) -> tuple[list[Candidate], list[Candidate]]:
    """Part what is told from the rest, each in the order given: all that is relevant, and company while there is room."""
    reached = [c for c in candidates if least.is_reached(c)]
    room = max_results - sum(c.relevance >= least.relevance for c in reached)
    company = {c.chunk.id for c in [c for c in reached if c.relevance < least.relevance][: max(0, room)]}
    passed, failed = list[Candidate](), list[Candidate]()
    for c in candidates:
        if c.relevance < least.relevance and c.chunk.id not in company:
            note = f"relevance below {least.relevance:g}"
            failed.append(c.noted(Step("abstain", c.relevance, note, Effect.IRRELEVANT)))
        elif c.score < least.least_score(c):
            note = f"score below {least.score:.2f}, far behind the best"
            failed.append(c.noted(Step("abstain", c.score, note, Effect.IRRELEVANT)))
        else:
            passed.append(c)
    return passed, failed
