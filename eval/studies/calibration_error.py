"""How wrong a stated relevance is: whether .7 is right seven times in ten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Bin(NamedTuple):
    """Prompts whose stated relevance falls together: its mean, the share that was right, the weight of the bin."""

    stated: float
    right: float
    weight: float


def reliability(yes: Sequence[float], no: Sequence[float], *, bins: int) -> list[Bin]:
    """Return the bins of [0, 1] that hold anything; ``yes`` are relevances of prompts with an answer, ``no`` without.

    Both groups weigh the same, whatever their sizes; the weights add up to 1.
    """
    held: list[list[tuple[float, float, float]]] = [[] for _ in range(bins)]
    for values, truth in ((yes, 1.0), (no, 0.0)):
        for value in values:
            held[min(bins - 1, max(0, int(value * bins)))].append((value, truth, 0.5 / len(values)))
    found = []
    for members in held:
        if weight := sum(w for _, _, w in members):
            stated = sum(value * w for value, _, w in members) / weight
            found.append(Bin(stated, sum(truth * w for _, truth, w in members) / weight, weight))
    return found


def expected_calibration_error(yes: Sequence[float], no: Sequence[float], *, bins: int = 10) -> float:
    """Return the mean distance of stated and right over the bins, each by its weight; 0 is perfect. NaN for an empty group.

    Source: Naeini, Cooper & Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning", AAAI 2015.
    """
    if not yes or not no:
        return float("nan")
    return sum(b.weight * abs(b.stated - b.right) for b in reliability(yes, no, bins=bins))
