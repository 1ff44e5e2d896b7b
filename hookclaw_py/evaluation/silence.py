"""Silence: how often the engine speaks where it should and where it should not, at every level of abstention."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

NEVER = -1.0
"""The level of a prompt that the gate stops: it fires at no abstention level in [0, 1]."""


class Point(NamedTuple):
    """One abstention level: the share of home prompts and of the others that fire at it (relevance >= level)."""

    level: float
    home_fire: float
    false_fire: float


def fire_rate(levels: Sequence[float], level: float) -> float:
    """Return the share of ``levels`` (sorted) that are at least ``level``; 0 for none."""
    return (len(levels) - bisect_left(levels, level)) / len(levels) if levels else 0.0


def operating_curve(home: Sequence[float], others: Sequence[float]) -> list[Point]:
    """Return a point for each level at which something changes, from silence (level above all) to the lowest level."""
    low, high = sorted(home), sorted(others)
    levels = sorted({*(x for x in (*low, *high) if x >= 0)}, reverse=True)
    points = [Point(level, fire_rate(low, level), fire_rate(high, level)) for level in levels]
    return [Point(1.0, 0.0, 0.0), *points]


def area_under(home: Sequence[float], others: Sequence[float]) -> float:
    """Return the probability that a home prompt's level is above another's, ties counting half (the ROC area).

    Source: Hanley & McNeil, "The meaning and use of the area under a ROC curve", Radiology 1982.
    """
    if not home or not others:
        return float("nan")
    below = sorted(others)
    wins = 0.0
    for level in home:
        first = bisect_left(below, level)
        ties = 0
        while first + ties < len(below) and below[first + ties] == level:
            ties += 1
        wins += first + ties / 2
    return wins / (len(home) * len(others))


def at_home_fire(home: Sequence[float], others: Sequence[float], share: float) -> Point | None:
    """Return the highest level at which at least ``share`` of the home prompts fire; None where the gate stops too many."""
    reached = [point for point in operating_curve(home, others) if point.home_fire >= share - 1e-12]
    return reached[0] if reached else None


def thinned(curve: Sequence[Point], count: int) -> list[Point]:
    """Return about ``count`` points of a curve, spread evenly, its ends among them: for storing and drawing."""
    if len(curve) <= count:
        return list(curve)
    return [curve[round(i * (len(curve) - 1) / (count - 1))] for i in range(count)]
