"""Utility: what an agent used before is a little more welcome, what it never uses a little less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookclaw_py.types import Candidate, Uses, best_first

LEAST_RETRIEVALS = 3
REACH = 0.1  # a score moves by a tenth at most: use breaks ties, it cannot lift the irrelevant


def utility(uses: Uses) -> float:
    """Return (citations + 1) / (retrievals + 2), in (0, 1); .5 before the third retrieval."""
    if uses.retrievals < LEAST_RETRIEVALS:
        return 0.5
    return (uses.citations + 1) / (uses.retrievals + 2)


def prefer_useful(candidates: Sequence[Candidate], uses: Mapping[str, Uses]) -> list[Candidate]:
    """Multiply each score by ``1 + REACH * (2 * utility - 1)``; a chunk without a record keeps its score."""
    preferred = []
    for candidate in candidates:
        record = uses.get(candidate.chunk.id)
        if record is None or record.retrievals < LEAST_RETRIEVALS:
            preferred.append(candidate)
            continue
        factor = 1 + REACH * (2 * utility(record) - 1)
        note = f"used {record.citations} of {record.retrievals} times"
        preferred.append(candidate.rescored("utility", candidate.score * factor, note))
    return best_first(preferred)
