"""What another way of choosing memories would have shown, and how that would have been used, from the log of this one.

The log holds what was shown, how likely exploration made that, and what the answer did with it. A showing that the other
policy would have made too speaks for it, weighted by how much likelier the other policy makes it: inverse propensity
scoring, clipped and self-normalised (Swaminathan and Joachims, "The self-normalized estimator for counterfactual
learning", NeurIPS 2015), each chunk on its own: whether one is used is taken not to depend on which others stand beside
it. Without exploration every weight is 1 and the estimate is only about what both policies show; ``Estimate.caveats``
says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import NormalDist
from typing import NamedTuple

from hookclaw_py.learning.attribution import Attribution
from hookclaw_py.store.events import Event, EventKind, shown_in

FEW = 30.0  # effective showings below which an estimate is a hint at most
COVERED = 0.8  # share of the other policy's showings below which the log knows too little of it


class LoggedShowing(NamedTuple):
    """A chunk that was in the block: the ``propensity`` of that, in (0, 1], and its ``reward``, in [0, 1]."""

    chunk_id: str
    propensity: float
    reward: float


@dataclass(frozen=True, slots=True)
class LoggedTurn:
    """A turn of the log whose end is known: what was asked and what was shown, in the block's order."""

    injection_id: str
    at: datetime
    prompt: str
    showings: tuple[LoggedShowing, ...]


Policy = Callable[[LoggedTurn], Mapping[str, float]]
"""Gives, for a turn, each chunk it would show and how likely that is, in [0, 1]; 1 for a policy without chance."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How a policy would have done.

    ``precision`` is the mean reward of what it shows, with a confidence interval from ``low`` to ``high``; None when the
    log says nothing about it. ``rewards_per_turn`` and ``showings_per_turn`` say how much it shows and gets. ``effective``
    is how many equally weighted showings the estimate is worth; ``covered`` the share of the policy's showings that the
    log holds; ``clipped`` how many weights were cut.
    """

    precision: float | None
    low: float
    high: float
    rewards_per_turn: float
    showings_per_turn: float
    effective: float
    covered: float
    clipped: int
    turns: int
    caveats: tuple[str, ...]


def logged_turns(events: Iterable[Event], *, reward: Mapping[str, float] | None = None) -> list[LoggedTurn]:
    """Join the injections of a log with the turns that ended after them.

    ``reward`` gives what a kind is worth (default: 1 for "used", else 0). A failed turn, one that nobody saw and one
    without an end are left out.
    """
    worth = {Attribution.USED.value: 1.0} if reward is None else reward
    injections: dict[str, Event] = {}
    found: dict[str, LoggedTurn] = {}
    for event in events:
        if event.kind is EventKind.INJECTION:
            injections[event.injection] = event
        elif event.kind is EventKind.TURN and event.injection in injections and event.injection not in found:
            kinds = event.data.get("kinds", {})
            shown = injections[event.injection]
            if kinds:
                found[event.injection] = _turn(shown, kinds, worth)
    return list(found.values())


def _turn(shown: Event, kinds: Mapping[str, str], worth: Mapping[str, float]) -> LoggedTurn:
    likely = {c["id"]: float(c.get("propensity", 1.0)) for c in shown.data["memories"]}
    showings = tuple(
        LoggedShowing(chunk_id, likely.get(chunk_id, 1.0), worth.get(kinds[chunk_id], 0.0))
        for chunk_id in shown_in(shown)
        if chunk_id in kinds
    )
    return LoggedTurn(shown.injection, shown.at, shown.data["prompt"], showings)


def same_policy(turn: LoggedTurn) -> Mapping[str, float]:
    """Show what was shown, as likely as it was: the policy of the log itself."""
    return {s.chunk_id: s.propensity for s in turn.showings}


def estimate(log: Sequence[LoggedTurn], policy: Policy, *, clip: float = 10.0, confidence: float = 0.95) -> Estimate:
    """Estimate from the ``log`` how ``policy`` would have done.

    A weight above ``clip`` is cut to it: a little bias for much less noise. The interval is the wider of two: by the
    spread between turns, and Wilson's for as many showings as are effective.

    Raises:
        ValueError: if a propensity or a probability of the policy is out of range.
    """
    gained, weighed, squares, clipped = [], [], 0.0, 0
    wanted = held = 0.0
    for turn in log:
        chosen = policy(turn)
        _check(turn, chosen)
        wanted += sum(chosen.values())
        held += sum(chosen.get(s.chunk_id, 0.0) for s in turn.showings)
        raw = [chosen.get(s.chunk_id, 0.0) / s.propensity for s in turn.showings]
        clipped += sum(weight > clip for weight in raw)
        weights = [min(weight, clip) for weight in raw]
        gained.append(sum(w * s.reward for w, s in zip(weights, turn.showings, strict=True)))
        weighed.append(sum(weights))
        squares += sum(w * w for w in weights)
    total, turns = sum(weighed), len(log)
    covered = held / wanted if wanted else 0.0
    effective = total * total / squares if squares else 0.0
    explored = any(s.propensity < 1.0 for turn in log for s in turn.showings)
    precision = sum(gained) / total if total else None
    low, high = _interval(precision, gained, weighed, effective, confidence)
    return Estimate(
        precision,
        low,
        high,
        rewards_per_turn=sum(gained) / turns if turns else 0.0,
        showings_per_turn=wanted / turns if turns else 0.0,
        effective=effective,
        covered=covered,
        clipped=clipped,
        turns=turns,
        caveats=tuple(_caveats(explored=explored, covered=covered, effective=effective, clipped=clipped)),
    )


def _check(turn: LoggedTurn, chosen: Mapping[str, float]) -> None:
    for showing in turn.showings:
        if not 0.0 < showing.propensity <= 1.0:
            raise ValueError(
                f"turn {turn.injection_id}: the propensity of {showing.chunk_id} is {showing.propensity}, not in (0, 1]"
            )
    for chunk_id, likely in chosen.items():
        if not 0.0 <= likely <= 1.0:
            raise ValueError(
                f"turn {turn.injection_id}: the policy shows {chunk_id} with probability {likely}, not in [0, 1]"
            )


def _interval(
    precision: float | None, gained: Sequence[float], weighed: Sequence[float], effective: float, confidence: float
) -> tuple[float, float]:
    if precision is None or not effective:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    centre = (precision + z * z / (2 * effective)) / (1 + z * z / effective)
    spread = precision * (1 - precision) / effective + z * z / (4 * effective * effective)
    half = z * math.sqrt(max(spread, 0.0)) / (1 + z * z / effective)
    low, high = centre - half, centre + half
    turns = len(gained)
    if turns > 1:
        residuals = sum((g - precision * w) ** 2 for g, w in zip(gained, weighed, strict=True))
        between = z * math.sqrt(residuals * turns / (turns - 1)) / sum(weighed)
        low, high = min(low, precision - between), max(high, precision + between)
    return min(max(low, 0.0), precision), max(min(high, 1.0), precision)


def _caveats(*, explored: bool, covered: float, effective: float, clipped: int) -> Iterable[str]:
    if not explored:
        yield (
            "nothing in this log was left to chance: the estimate is a plain mean over what both policies show, "
            "and may be off either way for what only the other one shows"
        )
    if covered < COVERED:
        yield f"the log holds {covered:.0%} of what this policy shows; of the rest it knows only by the weights"
    if effective < FEW:
        yield f"it rests on {effective:.0f} showings' worth of evidence: take it as a hint"
    if clipped:
        yield f"{clipped} weights were cut, which pulls the estimate towards the policy of the log"
