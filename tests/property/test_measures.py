"""Measures agree with trec_eval and with the textbook, whatever the run; so does the arithmetic of silence and tests."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from hookclaw_py.evaluation import compare, measures, silence

DOCUMENTS = [f"d{n}" for n in range(15)]
PROMPTS = [f"q{n}" for n in range(4)]
rankings = st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=15)
relevant = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(1, 3), min_size=1, max_size=6)
levels = st.lists(st.sampled_from([silence.NEVER, 0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=12)


@st.composite
def judged_runs(draw):
    qrels = {prompt: draw(relevant) for prompt in PROMPTS}
    scores = st.floats(0, 1, allow_nan=False)
    runs = {}
    for prompt in draw(st.lists(st.sampled_from([*PROMPTS, "unjudged"]), unique=True)):
        ranked = draw(rankings)
        runs[prompt] = [
            (d, s) for d, s in zip(ranked, sorted((draw(scores) for _ in ranked), reverse=True), strict=True)
        ]
    return qrels, runs


@given(judged_runs())
def test_measures_are_those_of_trec_eval(case):
    qrels, runs = case
    ours = measures.ranking_measures(qrels, runs)
    names = {"recall.1,3,5,10", "success.1,3,5,10", "ndcg_cut.10", "recip_rank"}
    decreasing = {q: {d: float(100 - n) for n, (d, _) in enumerate(ranked)} for q, ranked in runs.items()}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(decreasing)
    for prompt in PROMPTS:
        values = theirs.get(prompt)
        for k in measures.CUTOFFS:
            assert ours[prompt][f"R@{k}"] == pytest.approx(values[f"recall_{k}"] if values else 0)
            assert ours[prompt][f"Success@{k}"] == pytest.approx(values[f"success_{k}"] if values else 0)
        assert ours[prompt]["nDCG@10"] == pytest.approx(values["ndcg_cut_10"] if values else 0)
        assert ours[prompt]["RR"] == pytest.approx(values["recip_rank"] if values else 0)


def test_high_scores_that_are_equal_are_ranked_as_they_come():
    """trec_eval took those that differ by a millionth for equal, and ordered them by id, backwards."""
    ranked = [(f"d{n}", 40.0) for n in range(10)]
    assert measures.ranking_measures({"q": {"d0": 1}}, {"q": ranked})["q"]["RR"] == 1.0


@given(judged_runs())
def test_measures_are_those_of_the_textbook(case):
    qrels, runs = case
    ours = measures.ranking_measures(qrels, runs)
    assert set(ours) == set(qrels), "every judged prompt counts, whether or not it has a ranking"
    for prompt, truth in qrels.items():
        ranked = [d for d, _ in runs.get(prompt, [])]
        for k in measures.CUTOFFS:
            found = len(set(ranked[:k]) & set(truth))
            assert ours[prompt][f"R@{k}"] == pytest.approx(found / len(truth))
            assert ours[prompt][f"RAll@{k}"] == float(found == len(truth))
            assert ours[prompt][f"Success@{k}"] == float(found > 0)
        gains = [truth.get(d, 0) / math.log2(rank + 1) for rank, d in enumerate(ranked[:10], 1)]
        ideal = [g / math.log2(rank + 1) for rank, g in enumerate(sorted(truth.values(), reverse=True)[:10], 1)]
        assert ours[prompt]["nDCG@10"] == pytest.approx(sum(gains) / sum(ideal))
        first = next((rank for rank, d in enumerate(ranked, 1) if d in truth), None)
        assert ours[prompt]["RR"] == pytest.approx(1 / first if first else 0)


@given(rankings, st.lists(st.floats(0, 8, width=32), min_size=15, max_size=15))
def test_a_runs_scores_are_strictly_decreasing_also_as_32_bit_floats(ranked, scores):
    run = measures.strictly_decreasing(list(zip(ranked, sorted(scores, reverse=True), strict=False)))
    assert list(run) == ranked
    single = np.array(list(run.values()), dtype=np.float32)
    assert np.all(single[:-1] > single[1:])
    written = [float(f"{score:.6f}") for score in run.values()]
    assert all(a > b for a, b in itertools.pairwise(written))


def test_a_session_scores_by_its_best_document_or_the_mean_of_three():
    ranking = [("a1", 0.9), ("b1", 0.8), ("b2", 0.7), ("x", 0.65), ("b3", 0.6), ("b4", 0.1)]
    sessions = {"a1": "a", "b1": "b", "b2": "b", "b3": "b", "b4": "b"}
    assert measures.by_session(ranking, sessions, pool="best") == [("a", 0.9), ("b", 0.8)]
    assert measures.by_session(ranking, sessions, pool="mean3") == [
        ("b", pytest.approx(0.7)),
        ("a", pytest.approx(0.3)),
    ]


def test_means_by_category_count_their_prompts():
    values = {"q1": {"R@5": 1.0}, "q2": {"R@5": 0.0}, "q3": {"R@5": 1.0}}
    found = measures.by_category(values, {"q1": "x", "q2": "x", "q3": "y"})
    assert found == {"x": {"prompts": 2, "R@5": 0.5}, "y": {"prompts": 1, "R@5": 1.0}}
    assert measures.mean([]) == {}


@given(levels, levels)
def test_the_area_is_the_share_of_pairs_in_the_right_order(home, others):
    pairs = [(a > b) + (a == b) / 2 for a in home for b in others]
    assert silence.area_under(home, others) == pytest.approx(sum(pairs) / len(pairs))


def test_there_is_no_area_without_both_sides():
    assert math.isnan(silence.area_under([], [0.5]))


@given(levels, levels, st.sampled_from([0.5, 0.9, 0.95, 1.0]))
def test_the_curve_counts_who_fires_and_its_mark_is_the_most_silent_one(home, others, share):
    curve = silence.operating_curve(home, others)
    assert (curve[0].home_fire, curve[0].false_fire) == (0, 0)
    for point in curve[1:]:
        assert point.home_fire == pytest.approx(sum(x >= point.level for x in home) / len(home))
        assert point.false_fire == pytest.approx(sum(x >= point.level for x in others) / len(others))
    for lower, higher in itertools.pairwise(reversed(curve)):
        assert lower.home_fire >= higher.home_fire
        assert lower.false_fire >= higher.false_fire
    mark = silence.at_home_fire(home, others, share)
    reachable = sum(x >= 0 for x in home) / len(home)
    assert (mark is None) == (reachable < share - 1e-12)
    if mark:
        assert mark.home_fire >= share - 1e-12
        assert all(point.home_fire < share for point in curve if point.level > mark.level)


def test_a_thinned_curve_keeps_its_ends():
    curve = [silence.Point(n / 100, n / 100, 0.0) for n in range(100)]
    thin = silence.thinned(curve, 11)
    assert len(thin) == 11
    assert (thin[0], thin[-1]) == (curve[0], curve[-1])
    assert silence.thinned(curve, 200) == curve


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holms_correction_never_lowers_a_p_and_keeps_their_order(p_values):
    corrected = compare.holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, corrected, strict=True))
    assert min(corrected) == pytest.approx(min(1, len(p_values) * min(p_values)))
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    assert all(corrected[a] <= corrected[b] for a, b in itertools.pairwise(order))


def test_holm_by_hand():
    assert compare.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_mcnemar_by_hand():
    assert compare.mcnemar(0, 0) == 1.0
    assert compare.mcnemar(8, 2) == pytest.approx(2 * (1 + 10 + 45) / 2**10)


@settings(max_examples=20)
@given(st.lists(st.sampled_from([-0.5, -0.25, 0.0, 0.5, 1.0]), min_size=2, max_size=7))
def test_the_randomisation_test_counts_sign_patterns(gaps):
    gap = np.array(gaps)
    patterns = [abs(np.mean(gap * signs)) for signs in itertools.product([1, -1], repeat=len(gaps))]
    expected = np.mean([value >= abs(gap.mean()) - 1e-12 for value in patterns])
    assert compare.randomisation_test(gap, seed=0) == pytest.approx(min(1.0, expected) if gap.any() else 1.0)


def test_a_bootstrap_interval_holds_the_mean_and_shrinks_with_the_sample():
    gap = np.tile([0.0, 0.2, -0.1, 0.3], 10)
    low, high = compare.bootstrap_interval(gap, seed=1)
    assert low < gap.mean() < high
    narrow = compare.bootstrap_interval(np.tile(gap, 16), seed=1)
    assert narrow[1] - narrow[0] < (high - low) / 2
    assert compare.bootstrap_interval(np.zeros(5), seed=1) == (0.0, 0.0)
