"""Selection: of the skills and plans that fit, which one to take: what has worked, and of late, comes first.

It orders skills and plans among themselves, in the places that they have: whether they fit is said by their relevance, and is not changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial

from hookclaw_py.model.kind import PRACTISED
from hookclaw_py.model.practice import Tried
from hookclaw_py.model.types import Candidate, Query

SURE = 0.7
"""Certainty below which the choice is not clear."""


def merit(fits: float, tried: Tried, now: datetime) -> float:
    """Return the mean of how well something fits, how well it has worked, and how lately, each in [0, 1]."""
    return (fits + tried.success + tried.recency(now)) / 3


def certainty(merits: Sequence[float]) -> float:
    """Return how clearly the best of these, best first, is ahead of the second: (best - second) / best, alone its merit, of none 0."""
    if not merits or not merits[0]:
        return 0.0
    return merits[0] if len(merits) == 1 else (merits[0] - merits[1]) / merits[0]


Practice = Callable[[Collection[str]], Mapping[str, Tried]]
"""Says by memory how often it was carried out, and how that went."""


def among(tried: Practice) -> tuple[str, Callable[[Sequence[Candidate], Query], list[Candidate]]]:
    """Return the stage that selects by what ``tried`` says, with its name."""
    return "selection", partial(select, tried=tried)


def select(candidates: Sequence[Candidate], query: Query, *, tried: Practice) -> list[Candidate]:
    """Return these, what is a skill or a plan among them in the order of its merit."""
    places = [n for n, c in enumerate(candidates) if c.chunk.kind in PRACTISED]
    if not places:
        return list(candidates)
    known = tried([candidates[n].chunk.memory for n in places])
    by_merit = sorted(
        (
            (merit(c.relevance, known.get(c.chunk.memory, Tried()), query.asked_at), c)
            for c in map(candidates.__getitem__, places)
        ),
        key=lambda pair: (-pair[0], pair[1].chunk.id),
    )
    sure = certainty([one for one, _ in by_merit])
    ordered = list(candidates)
    for place, (value, candidate) in zip(places, by_merit, strict=True):
        note = _note(known.get(candidate.chunk.memory, Tried()), value, sure)
        ordered[place] = candidate.rescored("selection", candidates[place].score, note)
    return ordered


def _note(tried: Tried, value: float, sure: float) -> str:
    times = f"went well {tried.wins:.0f} of {tried.times:.0f} times" if tried.times else "never tried"
    choice = "the choice is clear" if sure >= SURE else "better ask which"
    return f"{times}: merit {value:.2f}, certainty {sure:.2f}, {choice}"
