"""Fits those constants that hang together with the weights, for ``fit_calibration.py``: how null means grow, from which cosine on tokens are alike, how near the best company stands.

Each is looked for on a grid: a finer figure would be one of these sets, and of no other. The criteria are those under which the
constants that measured best on the development sets come out again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hookclaw_py.search.null_sampling import null_vectors
from hookclaw_py.store.ports import AgentStore

Matrix = npt.NDArray[np.float64]
ALIKES = (0.5, 0.6, 0.7, 0.8, 0.9)
COMPANIES = tuple(round(0.5 + 0.05 * n, 2) for n in range(10))
WORTH = (
    1 / 8
)  # of the chunks that stand so near the best, at least so many answer as well: else they are not worth their tokens
SMALLEST, LARGEST, DRAWS = 5, 200, 8
LEVEL = 0.5  # of relevance, from which on a chunk is shown


class Fitted(NamedTuple):
    """One weighing, in full precision."""

    order: Matrix
    order_intercept: float
    relevance: Matrix
    intercept: float


class Growth(NamedTuple):
    """A store cut to a size: by how many doublings, and how many deviations its null mean lay below that of the whole."""

    doublings: float
    deviations: float


def growths(store: AgentStore, embedder: Any) -> list[Growth]:
    """Cut a store at random to fewer and fewer chunks, and see what the null prompts reach in it."""
    vectors = store.vectors_since(embedder.model_id, 0).rows[:].astype(float)
    prompts = null_vectors(embedder, keep=False).astype(float)
    prompts -= prompts.mean(axis=0)
    prompts /= np.linalg.norm(prompts, axis=1, keepdims=True)
    size, rng, found = min(len(vectors), LARGEST), np.random.default_rng(7), list[Growth]()
    cosines = prompts @ vectors.T
    cut = SMALLEST
    while cut < size:
        for _ in range(DRAWS):
            chosen = rng.permutation(len(vectors))[:size]
            whole, part = cosines[:, chosen].max(axis=1), cosines[:, chosen[:cut]].max(axis=1)
            found.append(Growth(float(np.log2(size / cut)), float((whole.mean() - part.mean()) / part.std())))
        cut *= 2
    return found


def growth_of(sets: Sequence[Sequence[Growth]]) -> float:
    """Return the deviations that a null mean gains with each doubling, in steps of .05.

    Carefully: of each set what three cuts in four gain at least, and the mean of that. More would silence small stores.
    """
    gains = [[cut.deviations / cut.doublings for cut in cuts] for cuts in sets if cuts]
    return round(round(float(np.mean([np.quantile(own, 0.25) for own in gains])) / 0.05) * 0.05, 2)


def best_alike(fit: Callable[[float], Fitted], sets: Sequence[Sequence[Any]], *, foreign: int, present: float) -> float:
    """Return the cosine from which on two tokens are alike, as it makes the judgements likeliest.

    What is ``present`` stays unless another is better over these sets by more than the standard error of that.
    """
    fits = {alike: fit(alike) for alike in {*ALIKES, present}}
    likely = {alike: np.array([_likelihood(own, s, alike, foreign) for s in sets]) for alike, own in fits.items()}

    def surely_better(alike: float) -> bool:
        gains = likely[alike] - likely[present]
        return len(sets) > 1 and float(gains.mean()) > float(gains.std(ddof=1)) / len(sets) ** 0.5

    better = [alike for alike in ALIKES if alike != present and surely_better(alike)]
    return max(better, key=lambda alike: float(likely[alike].mean()), default=present)


def _likelihood(fitted: Fitted, judged: Sequence[Any], alike: float, foreign: int) -> float:
    """Return the mean log likelihood of a set's prompts, with and without an answer counting the half each."""
    logs: dict[bool, list[float]] = {True: [], False: []}
    for own in judged:
        if not len(own.evidence):
            continue
        evidence = own.evidence.copy()
        evidence[:, foreign] = np.maximum(0.0, alike - np.nan_to_num(own.least, nan=alike))
        first = evidence[int(np.argmax(evidence @ fitted.order))]
        logit = float(first @ fitted.relevance) + fitted.intercept
        logs[own.answerable].append(-float(np.logaddexp(0.0, -logit if own.answerable else logit)))
    return sum(float(np.mean(values)) for values in logs.values() if values)


def company_of(sets: Sequence[tuple[Fitted, Sequence[Any]]], *, absolute: float, spread: float) -> float:
    """Return how near a chunk's score must stand to the best, so that ``WORTH`` of those in each step above it answer."""
    shares: list[tuple[float, bool]] = []
    for fitted, judged in sets:
        for own in judged:
            if own.answerable and len(own.evidence):
                shares += _company(fitted, own, absolute, spread)
    for step in reversed(COMPANIES):
        near = [right for share, right in shares if step <= share < step + 0.05]
        if near and np.mean(near) < WORTH:
            return round(step + 0.05, 2)
    return COMPANIES[0]


def _company(fitted: Fitted, own: Any, absolute: float, spread: float) -> list[tuple[float, bool]]:
    """Return for each chunk behind the best that would be shown beside it its share of the best score, and whether it answers."""
    logits = own.evidence @ fitted.order
    chances = 1 / (1 + np.exp(-np.clip(own.evidence @ fitted.relevance + fitted.intercept, -50, 50)))
    scores = absolute * chances + (1 - absolute) * np.exp((logits - logits.max()) / spread)
    best = int(np.argmax(scores))
    if chances[best] < LEVEL:
        return []
    return [
        (float(scores[n] / scores[best]), bool(own.answers[n]))
        for n in range(len(scores))
        if n != best and chances[n] >= LEVEL
    ]
