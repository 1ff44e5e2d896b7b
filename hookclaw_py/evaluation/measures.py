"""Ranking measures, all arithmetic by ``ir-measures`` (trec_eval); here only runs and truth are brought into shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any

from hookclaw_py.errors import MissingExtraError

Ranking = Sequence[tuple[str, float]]
"""(document or session id, score), best first."""

CUTOFFS = (1, 3, 5, 10)
STEP = 1e-6  # trec_eval reads scores as 32-bit floats; steps of this size stay apart there


def check_installed() -> None:
    """Look for what only the extra brings, before an hour of replaying.

    Raises:
        MissingExtraError: if it is not installed.
    """
    try:
        import ir_measures  # noqa: F401
        import scipy  # noqa: F401
    except ImportError:
        raise MissingExtraError("an evaluation", "eval") from None


def strictly_decreasing(ranking: Ranking) -> dict[str, float]:
    """Return scores by id, rounded to six decimals and lowered where need be so that no two are equal.

    trec_eval orders by score and breaks ties by id backwards; without ties the order is ours.
    """
    scores: dict[str, float] = {}
    last = float("inf")
    for name, score in ranking:
        last = round(min(score, last - STEP), 6)
        scores[name] = last
    return scores


def by_session(ranking: Ranking, sessions: Mapping[str, str], *, pool: str) -> list[tuple[str, float]]:
    """Rank the sessions of the ranked documents, best first.

    ``pool`` "best" scores a session by its best document, "mean3" by the mean of its best three (a missing one is 0).
    A document without a session is left out.
    """
    found: dict[str, list[float]] = {}
    for document, score in ranking:
        if session := sessions.get(document):
            found.setdefault(session, []).append(score)
    if pool == "best":
        return [(session, scores[0]) for session, scores in found.items()]
    means = {session: sum(scores[:3]) / 3 for session, scores in found.items()}
    return sorted(means.items(), key=lambda item: (-item[1], item[0]))


def ranking_measures(
    qrels: Mapping[str, Mapping[str, int]], runs: Mapping[str, Ranking]
) -> dict[str, dict[str, float]]:
    """Return each judged prompt's measures by name; a prompt that is absent from ``runs`` or has no ranking scores 0.

    R@k, RAll@k (every relevant one in the top k: R@k = 1), Success@k for k = 1, 3, 5, 10, nDCG@10 and RR.
    """
    import ir_measures

    names = _measures()
    per_prompt = {prompt: dict.fromkeys((str(m) for m in names), 0.0) for prompt in qrels}
    run = {prompt: _by_rank(ranking) for prompt, ranking in runs.items() if prompt in qrels and ranking}
    if run:
        truth = {prompt: dict(relevant) for prompt, relevant in qrels.items()}
        for metric in ir_measures.iter_calc(names, truth, run):
            per_prompt[metric.query_id][str(metric.measure)] = float(metric.value)
    for values in per_prompt.values():
        values.update({f"RAll@{k}": float(values[f"R@{k}"] > 1 - 1e-9) for k in CUTOFFS})
    return per_prompt


def _by_rank(ranking: Ranking) -> dict[str, float]:
    """Return scores that say nothing but the order: high ones that differ by little are the same as 32-bit floats."""
    return {name: float(len(ranking) - place) for place, (name, _) in enumerate(ranking)}


def _measures() -> list[Any]:
    from ir_measures import RR, R, Success, nDCG

    return [*(R @ k for k in CUTOFFS), *(Success @ k for k in CUTOFFS), nDCG @ 10, RR]


def mean(per_prompt: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over the prompts."""
    every = list(per_prompt)
    return {name: fmean(values[name] for values in every) for name in every[0]} if every else {}


def by_category(
    per_prompt: Mapping[str, Mapping[str, float]], categories: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """Return each category's mean measures, and how many prompts it has under "prompts"."""
    ordered = sorted(per_prompt, key=lambda prompt: (categories.get(prompt, ""), prompt))
    means: dict[str, dict[str, float]] = {}
    for category, prompts in groupby(ordered, key=lambda prompt: categories.get(prompt, "")):
        members = [per_prompt[prompt] for prompt in prompts]
        means[category] = {"prompts": len(members), **mean(members)}
    return means
