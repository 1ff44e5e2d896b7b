"""Reading: of the best chunks a reader says whether they answer, and that is weighed with all that spoke for them before.

What was found by words and vectors is about the subject; whether it answers is seen by reading prompt and passage together.
A reader takes milliseconds a passage, so it reads the best few. Its logits are one more ranking and one more piece of evidence:
how much each counts is data, fitted by ``eval/fit_reader.py``. What was not read is taken for the worst that was, but becomes no more relevant
by that than it is near the best: where all that was read answers, the rest of the notes does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log

from hookclaw_py import text
from hookclaw_py.calibration.defining import asks_who_or_what_one_is
from hookclaw_py.calibration.weights import ReaderWeights
from hookclaw_py.model.types import Candidate, Query, Step, best_first
from hookclaw_py.speech import phones
from hookclaw_py.speech.speakers import own_words

LEAST = 1e-9  # of a share, before its logarithm is taken
THOROUGH, QUICK = 6, 3  # of the best that are read
SURE, HOPELESS = 0.97, 0.25
"""Relevance of the best beyond which there is no doubt, and below which reading hardly ever finds an answer."""


def to_read(candidates: Sequence[Candidate], query: Query, *, thoroughly: bool) -> list[Candidate]:
    """Return the chunks that are worth reading, best first: none where there is no doubt, or nothing that a reader can tell.

    Who asks for a day wants all of it. Who somebody is, notes tell in passing ("Frau Maike (vet), two children"); ours learned from questions about
    things and calls that no answer. So they tell phone numbers. Of a code alone ("E44") it knows nothing.
    """
    best = max((c.relevance for c in candidates), default=0.0)
    if best < HOPELESS or query.lists or asks_who_or_what_one_is(query) or _holds_the_number(candidates, query):
        return []
    if _is_a_code(query):
        return []
    return list(candidates[:THOROUGH]) if thoroughly else list(candidates[:QUICK]) if best < SURE else []


def _is_a_code(query: Query) -> bool:
    """Say whether nothing is asked but a code: of an error, of a part."""
    return all(kind == "identifier" for kind, _ in text.raw_tokens(query.text))


def _holds_the_number(candidates: Sequence[Candidate], query: Query) -> bool:
    """Say whether a phone number is asked for, and one of the best holds one, and whose it is ("Graham Oakes (site manager) 07700 900118")."""
    if not phones.ask_for_one(query.topic):
        return False
    best = [candidate.chunk for candidate in candidates[:QUICK]]
    return any(
        phones.answers(own_words(c.text, c.kind.speakers) if c.kind.speakers else c.text, query.topic) for c in best
    )


def behind(candidates: Sequence[Candidate], *, absolute: float, spread: float) -> list[float]:
    """Return how far each chunk is behind the best in the engine's own order, in logits, as its score tells."""
    rests = [max(LEAST, (c.score - absolute * c.relevance) / (1 - absolute)) for c in candidates]
    return [spread * log(min(1.0, rest)) for rest in rests]


def logit_of(relevance: float) -> float:
    """Return ln(p / (1 - p)), bounded."""
    return log(max(LEAST, relevance) / max(LEAST, 1 - relevance))


def reread(
    candidates: Sequence[Candidate],
    logits: Mapping[str, float],
    weights: ReaderWeights,
    *,
    absolute: float,
    spread: float,
) -> list[Candidate]:
    """Give every candidate the relevance and the score that it has now that the reader has spoken, best first.

    ``logits`` are by chunk id; without any, nothing changes. A score is ``absolute`` · relevance + (1 - ``absolute``) ·
    exp((logit - best logit) / ``spread``), before and after.
    """
    if not logits:
        return list(candidates)
    least = min(logits.values())
    said = [logits.get(c.chunk.id, least) for c in candidates]
    parts = zip(behind(candidates, absolute=absolute, spread=spread), said, strict=True)
    orders = [weights.order_engine * distance + weights.order_reader * logit for distance, logit in parts]
    best = max(orders)
    judged = []
    for candidate, logit, order in zip(candidates, said, orders, strict=True):
        judgement = weights.intercept + weights.engine * logit_of(candidate.relevance) + weights.reader * logit
        value, near = 1 / (1 + exp(-max(-50.0, min(50.0, judgement)))), exp((order - best) / spread)
        score = absolute * value + (1 - absolute) * near
        if candidate.chunk.id not in logits:
            value = min(value, max(candidate.relevance, near))
        note = (
            f"the reader says {logit:+.1f}"
            if candidate.chunk.id in logits
            else "not read, taken for the worst that was"
        )
        judged.append(candidate.judged(value, score, Step("read", value, note), Step("rank", score)))
    return best_first(judged)
