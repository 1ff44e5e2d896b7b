"""Fusion: several rankings of one pool become one score. After it a score only orders the candidates of its query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookclaw_py.types import Candidate, Hit, Step, best_first

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


def convex_combination(rankings: Rankings, pool: Sequence[str], *, weights: Mapping[str, float]) -> dict[str, float]:
    """Return Σ wᵢ · minmax(scoreᵢ) / Σ wᵢ for every chunk id of ``pool``, in [0, 1].

    A chunk absent from a ranking scores 0 in it, before that ranking is scaled to [0, 1] over the pool; a ranking
    that tells no chunks apart is left out.
    Source: Bruch, Gai & Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023.
    """
    fused = dict.fromkeys(pool, 0.0)
    total = 0.0
    for name, ranking in rankings.items():
        scores = {**dict.fromkeys(pool, 0.0), **{hit.chunk_id: hit.score for hit in ranking}}
        low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
        if high > low and (weight := weights.get(name, 0.0)) > 0:
            total += weight
            for chunk_id in pool:
                fused[chunk_id] += weight * (scores[chunk_id] - low) / (high - low)
    return {chunk_id: score / total for chunk_id, score in fused.items()} if total else fused


def fuse(
    pool: Sequence[Candidate], rankings: Rankings, *, method: str, weights: Mapping[str, float], rrf_k: int
) -> list[Candidate]:
    """Score every candidate of the pool, best first; ``method`` is "rrf" or "convex"."""
    if method == "rrf":
        fused = reciprocal_rank_fusion(rankings, weights=weights, rrf_k=rrf_k)
    else:
        fused = convex_combination(rankings, [c.chunk.id for c in pool], weights=weights)
    votes: dict[str, list[Step]] = {candidate.chunk.id: [] for candidate in pool}
    for name, ranking in rankings.items():
        for rank, hit in enumerate(ranking, start=1):
            if hit.chunk_id in votes:
                votes[hit.chunk_id].append(Step(name, hit.score, f"rank {rank}"))
    scored = []
    for candidate in pool:
        score = fused.get(candidate.chunk.id, 0.0)
        scored.append(candidate.judged(0.0, score, *votes[candidate.chunk.id], Step("fusion", score, method)))
    return best_first(scored)
