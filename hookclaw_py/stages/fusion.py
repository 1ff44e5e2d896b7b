"""Fusion: several rankings of one pool become one score. After it a score only orders the candidates of its query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from hookclaw_py.model.types import Candidate, Effect, Hit, Step

Rankings = Mapping[str, Sequence[Hit]]


def reciprocal_rank_fusion(rankings: Rankings, *, weights: Mapping[str, float], rrf_k: int) -> dict[str, float]:
    """Return Σ wᵢ / (k + rankᵢ) by chunk id, ranks from 1; a chunk absent from a ranking gets nothing from it.

    Source: Cormack, Clarke & Büttcher, "Reciprocal rank fusion outperforms Condorcet", SIGIR 2009, with weights.
    """
    fused: dict[str, float] = {}
    for name, ranking in rankings.items():
        for rank, hit in enumerate(ranking, start=1):
            fused[hit.chunk_id] = fused.get(hit.chunk_id, 0.0) + weights.get(name, 0.0) / (rrf_k + rank)
    return fused


def convex_combination(
    rankings: Rankings, pool: Sequence[str], *, weights: Mapping[str, float], partial: Set[str]
) -> dict[str, float]:
    """Return Σ wᵢ · minmax(scoreᵢ) / Σ wᵢ for every chunk id of ``pool``, in [0, 1].

    A chunk absent from a ranking scores 0 in it, before that ranking is scaled to [0, 1] over the pool; but a ranking
    named in ``partial`` has no opinion of the chunks absent from it (they are not embedded yet), and does not count for
    them. A ranking that tells no chunks apart is left out.
    Source: Bruch, Gai & Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023.
    """
    nothing = dict.fromkeys(pool, 0.0)
    fused, totals = nothing.copy(), nothing.copy()
    for name, ranking in rankings.items():
        weight = weights.get(name, 0.0)
        if weight <= 0:
            continue
        scores = dict(ranking) if name in partial else {**nothing, **dict(ranking)}
        low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
        if high > low:
            scale = weight / (high - low)
            for chunk_id, score in scores.items():
                if chunk_id in fused:
                    fused[chunk_id] += scale * (score - low)
                    totals[chunk_id] += weight
    return {chunk_id: score / (totals[chunk_id] or 1.0) for chunk_id, score in fused.items()}


def fuse(
    pool: Sequence[Candidate],
    rankings: Rankings,
    *,
    method: str,
    weights: Mapping[str, float],
    rrf_k: int,
    partial: Set[str],
    pool_size: int,
    kept: Set[str],
) -> list[Candidate]:
    """Score the pool and return the best ``pool_size`` and the ``kept`` ones, best first.

    ``method`` is "rrf" or "convex"; ``partial`` names rankings of what is embedded only; ``kept`` are ids of chunks that something else speaks for, whatever the rankings say.
    """
    if method == "rrf":
        fused = reciprocal_rank_fusion(rankings, weights=weights, rrf_k=rrf_k)
    else:
        fused = convex_combination(rankings, [c.chunk.id for c in pool], weights=weights, partial=partial)
    ordered = sorted(pool, key=lambda c: (-fused.get(c.chunk.id, 0.0), c.chunk.id))
    best = [c for n, c in enumerate(ordered) if n < pool_size or c.chunk.id in kept]
    votes: dict[str, list[Step]] = {c.chunk.id: [] for c in best}
    for name, ranking in rankings.items():
        for rank, (chunk_id, score) in enumerate(ranking, start=1):
            if chunk_id in votes:
                votes[chunk_id].append(Step(name, score, f"rank {rank}", Effect.RANKED, "", rank))
    totals = [fused.get(c.chunk.id, 0.0) for c in best]
    return [
        c.judged(0.0, total, *votes[c.chunk.id], Step("fusion", total, method))
        for c, total in zip(best, totals, strict=True)
    ]
