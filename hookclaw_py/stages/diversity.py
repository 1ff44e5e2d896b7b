"""Diversity: the same thing is said once, and each further chunk should add something."""

from __future__ import annotations

from collections.abc import Sequence

from hookclaw_py import text
from hookclaw_py.model.place import RecordPlace
from hookclaw_py.model.types import Candidate, Effect, Step
from hookclaw_py.text import jaccard


def remove_near_duplicates(
    candidates: Sequence[Candidate], *, threshold: float, enough: int
) -> tuple[list[Candidate], list[Candidate]]:
    """Return (kept, dropped): a chunk is dropped when its terms' Jaccard with a better one is at least ``threshold``.

    Of two near-duplicates the better stays, or the more trusted; of a note and what was distilled that says no more, the note. Once ``enough`` are kept the others are dropped unseen.
    """
    kept: list[Candidate] = []
    dropped: list[Candidate] = []
    for candidate in candidates:
        if len(kept) == enough:
            dropped.append(crowded_out(candidate, enough))
            continue
        place = next((n for n, k in enumerate(kept) if _says_the_same(k, candidate, threshold)), None)
        if place is None:
            kept.append(candidate)
            continue
        twin = kept[place]
        copied = candidate.chunk.origin.tier < twin.chunk.origin.tier
        if copied or _repeats(twin, candidate, threshold):  # whoever copies the person's words does not stand for them
            kept[place], twin, candidate = candidate, candidate, twin
        note = f"near-duplicate of {twin.chunk.place}"
        dropped.append(candidate.noted(Step("duplicates", 0.0, note, Effect.DUPLICATE, twin.chunk.id)))
    return kept, dropped


def maximal_marginal_relevance(
    candidates: Sequence[Candidate], *, mmr_lambda: float, top_k: int
) -> tuple[list[Candidate], list[Candidate]]:
    """Choose ``top_k`` one by one, each maximising λ · score - (1 - λ) · max similarity to those chosen.

    Similarity is the Jaccard of the chunks' terms. Return (chosen in that order, the rest in theirs).
    Source: Carbonell & Goldstein, "The use of MMR, diversity-based reranking", SIGIR 1998.
    """
    rest, chosen = list(candidates), list[Candidate]()
    while rest and len(chosen) < top_k:
        marginal = [
            mmr_lambda * c.score - (1 - mmr_lambda) * max((_similarity(c, k) for k in chosen), default=0.0)
            for c in rest
        ]
        best = max(range(len(rest)), key=lambda i: (marginal[i], -i))
        note = f"chosen as {len(chosen) + 1}"
        chosen.append(rest.pop(best).noted(Step("mmr", marginal[best], note, Effect.CHOSEN)))
    return chosen, rest


def crowded_out(candidate: Candidate, enough: int) -> Candidate:
    """Return a candidate that stays out for want of room: ``enough`` others are better."""
    return candidate.noted(Step("limit", candidate.score, f"beyond the best {enough}", Effect.CROWDED_OUT))


def _says_the_same(a: Candidate, b: Candidate, threshold: float) -> bool:
    return _similarity(a, b) >= threshold or _repeats(a, b, threshold) or _repeats(b, a, threshold)


def _repeats(record: Candidate, note: Candidate, threshold: float) -> bool:
    """Say whether what was distilled says no more than a note: so many of its own words stand there."""
    if not isinstance(record.chunk.place, RecordPlace) or not note.chunk.kind.trusted:
        return False
    own = text.terms(record.chunk.text).distinct
    return bool(own) and len(own & note.chunk.terms.distinct) >= threshold * len(own)


def _similarity(a: Candidate, b: Candidate) -> float:
    if a.chunk.text == b.chunk.text:
        return 1.0
    return jaccard(a.chunk.terms.distinct, b.chunk.terms.distinct)
