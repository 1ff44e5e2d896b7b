"""Counterfactual replay: what another policy would have shown and how that would have been used."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.studies.off_policy import LoggedShowing, LoggedTurn, estimate, logged_turns, same_policy
from hookclaw_py.store.events import Event, EventKind

NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)
USE = {"good": 0.8, "fair": 0.4, "poor": 0.1}  # how often a chunk is used when it is shown
CHANCE = {"good": 0.3, "fair": 0.6, "poor": 0.9}  # how often the log's policy shows it


def turn(*showings: tuple[str, float, float], name: str = "t") -> LoggedTurn:
    return LoggedTurn(name, NOON, "a prompt", tuple(LoggedShowing(*s) for s in showings))


def simulated(rng: random.Random, turns: int) -> list[LoggedTurn]:
    return [
        turn(*((c, p, float(rng.random() < USE[c])) for c, p in CHANCE.items() if rng.random() < p))
        for _ in range(turns)
    ]


showings = st.tuples(st.sampled_from("abcdef"), st.floats(0.05, 1.0), st.floats(0.0, 1.0))
logs = st.lists(st.lists(showings, max_size=5, unique_by=lambda s: s[0]), min_size=1, max_size=20).map(
    lambda rows: [turn(*row) for row in rows]
)


@given(logs)
def test_the_policy_of_the_log_gets_the_mean_of_the_log(log):
    rewards = [s.reward for one in log for s in one.showings]
    found = estimate(log, same_policy)
    if not rewards:
        assert found.precision is None
        return
    assert found.precision == pytest.approx(fmean(rewards))
    assert found.effective == pytest.approx(len(rewards))
    assert (found.covered, found.clipped) == (pytest.approx(1.0), 0)
    assert 0.0 <= found.low <= found.precision <= found.high <= 1.0


@given(logs, st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.0, 1.0)), st.floats(1.0, 20.0))
def test_whatever_the_policy_the_numbers_stay_in_their_ranges(log, chosen, clip):
    found = estimate(log, lambda _: chosen, clip=clip)
    shown = sum(len(one.showings) for one in log)
    assert 0.0 <= found.effective <= shown + 1e-6
    assert 0.0 <= found.covered <= 1.0 + 1e-9
    assert 0.0 <= found.low <= found.high <= 1.0
    if found.precision is not None:
        assert found.low <= found.precision <= found.high


def test_on_a_simulation_the_estimate_is_right_on_average_and_its_interval_holds_the_truth():
    policy = {"good": 0.9, "fair": 0.3, "poor": 0.1}
    truth = sum(p * USE[c] for c, p in policy.items()) / sum(policy.values())
    per_turn = sum(p * USE[c] for c, p in policy.items())
    rng = random.Random(5)
    found = [estimate(simulated(rng, 300), lambda _: policy) for _ in range(200)]
    error = stdev(f.precision for f in found) / 200**0.5
    assert fmean(f.precision for f in found) == pytest.approx(truth, abs=4 * error)
    assert fmean(f.rewards_per_turn for f in found) == pytest.approx(per_turn, rel=0.02)
    assert 0.92 <= fmean(f.low <= truth <= f.high for f in found) <= 0.999
    plain = fmean(s.reward for one in simulated(rng, 20_000) for s in one.showings)
    assert abs(plain - truth) > 0.2, "the log's own mean is something else"


def test_the_hand_checked_example():
    log = [turn(("a", 0.5, 1.0), ("b", 1.0, 0.0)), turn(("b", 1.0, 1.0), ("c", 0.25, 0.0))]
    found = estimate(log, lambda _: {"a": 1.0, "b": 1.0, "z": 1.0})  # weights 2 and 1; 1
    assert found.precision == pytest.approx((2 + 1) / 4)
    assert found.effective == pytest.approx(16 / 6)
    assert found.covered == pytest.approx(3 / 6)
    assert (found.showings_per_turn, found.rewards_per_turn, found.turns) == (3.0, 1.5, 2)


def test_a_heavy_weight_is_cut_and_the_result_says_so():
    log = [turn(("a", 0.05, 1.0), ("b", 1.0, 0.0))]
    assert estimate(log, lambda _: {"a": 1.0, "b": 1.0}, clip=20.0).clipped == 0
    found = estimate(log, lambda _: {"a": 1.0, "b": 1.0}, clip=4.0)
    assert (found.precision, found.clipped) == (pytest.approx(0.8), 1)
    assert any("weights were cut" in caveat for caveat in found.caveats)


def test_without_exploration_the_estimate_is_plain_and_says_so():
    log = [turn(("a", 1.0, 1.0), ("b", 1.0, 0.0))] * 40
    found = estimate(log, lambda _: {"a": 1.0, "new": 1.0})
    assert found.precision == 1.0
    assert found.low < 1.0, "forty out of forty is no certainty"
    assert "left to chance" in found.caveats[0]
    assert "50%" in found.caveats[1]
    explored = [turn(("a", 0.9, 1.0), ("b", 1.0, 0.0))] * 40
    assert estimate(explored, same_policy).caveats == ()


def test_a_policy_of_which_the_log_knows_nothing_gets_no_number():
    found = estimate([turn(("a", 1.0, 1.0))], lambda _: {"new": 1.0})
    assert (found.precision, found.low, found.high, found.effective) == (None, 0.0, 1.0, 0.0)
    assert estimate([], same_policy).precision is None


@pytest.mark.parametrize(
    ("log", "chosen"), [([turn(("a", 0.0, 1.0))], {"a": 1.0}), ([turn(("a", 1.0, 1.0))], {"a": 1.5})]
)
def test_impossible_probabilities_are_refused(log, chosen):
    with pytest.raises(ValueError, match="not in"):
        estimate(log, lambda _: chosen)


def event(number: int, kind: EventKind, injection: str, **data: object) -> Event:
    return Event(number, NOON, kind, "s", "", injection, data)


def test_the_log_is_joined_by_injection_and_what_taught_nothing_is_left_out():
    shown = [{"id": "a", "propensity": 0.5}, {"id": "b", "propensity": 1.0}]
    log = logged_turns(
        [
            event(1, EventKind.INJECTION, "i1", prompt="first", memories=shown),
            event(2, EventKind.INJECTION, "i2", prompt="failed", memories=shown),
            event(3, EventKind.TURN, "i2", kinds={}),
            event(4, EventKind.TURN, "i1", kinds={"a": "used", "b": "relevant"}),
            event(5, EventKind.TURN, "i1", kinds={"a": "ignored", "b": "used"}),
            event(6, EventKind.INJECTION, "i3", prompt="no end", memories=shown),
            event(7, EventKind.TURN, "i4", kinds={"a": "used"}),
            event(8, EventKind.INJECTION, "i5", prompt="old log", memories=[{"id": "c"}, {"id": "gone"}]),
            event(9, EventKind.TURN, "i5", kinds={"c": "used"}),
            event(10, EventKind.MARK, "", memory="a", mark="pin"),
        ]
    )
    assert [(t.injection_id, t.prompt, t.showings) for t in log] == [
        ("i1", "first", (LoggedShowing("a", 0.5, 1.0), LoggedShowing("b", 1.0, 0.0))),
        ("i5", "old log", (LoggedShowing("c", 1.0, 1.0),)),
    ]
    worth = logged_turns(
        [
            event(1, EventKind.INJECTION, "i1", prompt="p", memories=shown),
            event(2, EventKind.TURN, "i1", kinds={"a": "used", "b": "relevant"}),
        ],
        reward={"used": 1.0, "relevant": 0.5},
    )
    assert [s.reward for s in worth[0].showings] == [1.0, 0.5]
