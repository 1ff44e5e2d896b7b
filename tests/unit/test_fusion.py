"""Fusion is the textbook's, and a chunk that a retriever did not find gets nothing from it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py.model.types import Hit
from hookclaw_py.stages.fusion import convex_combination, fuse, reciprocal_rank_fusion
from tests.conftest import candidate

BM25 = [Hit("a", 9.0), Hit("b", 4.0)]
VECTOR = [Hit("b", 0.8), Hit("c", 0.6), Hit("a", 0.2)]


def test_rrf_is_the_weighted_sum_of_reciprocal_ranks():
    """keep: RRF; a chunk absent from a ranking gets nothing (the original gave it rank total+1)."""
    fused = reciprocal_rank_fusion({"bm25": BM25, "vector": VECTOR}, weights={"bm25": 0.3, "vector": 0.4}, rrf_k=60)
    assert fused == {
        "a": pytest.approx(0.3 / 61 + 0.4 / 63),
        "b": pytest.approx(0.3 / 62 + 0.4 / 61),
        "c": pytest.approx(0.4 / 62),
    }


def test_convex_combination_scales_each_ranking_over_the_pool():
    fused = convex_combination(
        {"bm25": BM25, "vector": VECTOR}, "abc", weights={"bm25": 1.0, "vector": 1.0}, partial=frozenset()
    )
    assert fused == {
        "a": pytest.approx(0.5),
        "b": pytest.approx((4 / 9 + 1) / 2),
        "c": pytest.approx((0 + 0.4 / 0.6) / 2),
    }


def test_a_hit_outside_the_pool_gets_no_score():
    rankings = {"vector": [Hit("gone", 0.9), Hit("a", 0.5), Hit("b", 0.1)]}
    fused = convex_combination(rankings, ["a", "b"], weights={"vector": 1.0}, partial=frozenset())
    assert fused == pytest.approx({"a": 0.5, "b": 0.0})


def test_a_ranking_that_tells_nothing_apart_does_not_dilute_the_others():
    rankings = {"bm25": BM25, "recency": [Hit(i, 3.0) for i in "abc"], "entity": []}
    alone = convex_combination({"bm25": BM25}, "abc", weights={"bm25": 1.0}, partial=frozenset())
    assert (
        convex_combination(rankings, "abc", weights={"bm25": 1.0, "recency": 5.0, "entity": 1.0}, partial=frozenset())
        == alone
    )


@pytest.mark.parametrize("method", ["rrf", "convex"])
def test_an_entity_ranking_changes_the_order(method):
    """Mend 3: what enrichment finds must change the ranking."""
    pool = [candidate("one", id="1"), candidate("two", id="2")]
    plain = {"bm25": [Hit(pool[0].chunk.id, 2.0), Hit(pool[1].chunk.id, 1.9)]}
    named = {**plain, "entity": [Hit(pool[1].chunk.id, 1.0)]}
    weights = {"bm25": 0.3, "entity": 0.6}

    def order(rankings):
        fused = fuse(
            pool,
            rankings,
            method=method,
            weights=weights,
            rrf_k=60,
            partial=frozenset(),
            pool_size=9,
            kept=frozenset(),
        )
        return [c.chunk.text for c in fused]

    assert order(plain) == ["one", "two"]
    assert order(named) == ["two", "one"]


def test_each_vote_is_in_the_history():
    pool = [candidate("one", id="1")]
    (fused,) = fuse(
        pool,
        {"bm25": [Hit(pool[0].chunk.id, 2.5)]},
        method="rrf",
        weights={"bm25": 1.0},
        rrf_k=60,
        partial=frozenset(),
        pool_size=9,
        kept=frozenset(),
    )
    assert [(s.stage, s.value, s.note) for s in fused.history] == [
        ("bm25", 2.5, "rank 1"),
        ("fusion", pytest.approx(1 / 61), "rrf"),
    ]


def test_beyond_the_pool_size_only_what_is_dated_stays():
    pool = [candidate(name, id=str(n)) for n, name in enumerate(["worst", "good", "best", "dated"])]
    ids = [c.chunk.id for c in pool]
    votes = {"bm25": [Hit(ids[2], 3.0), Hit(ids[1], 2.0), Hit(ids[0], 1.0)]}
    dated = frozenset([ids[3]])
    kept = fuse(
        pool, votes, method="convex", weights={"bm25": 1.0}, rrf_k=60, partial=frozenset(), pool_size=2, kept=dated
    )
    assert [c.chunk.text for c in kept] == ["best", "good", "dated"]


rankings = st.dictionaries(
    st.sampled_from(["bm25", "vector", "recency"]),
    st.lists(st.sampled_from("abcdef"), unique=True).map(lambda ids: [Hit(i, 1.0 / n) for n, i in enumerate(ids, 1)]),
)


@given(rankings, st.integers(1, 100))
def test_fusion_is_the_textbook_sum(rankings, rrf_k):
    weights = {"bm25": 1.0, "vector": 2.0, "recency": 0.5}
    textbook = {}
    for name, ranking in rankings.items():
        for position in range(len(ranking)):
            chunk_id = ranking[position].chunk_id
            textbook[chunk_id] = textbook.get(chunk_id, 0) + weights[name] * 1 / (rrf_k + position + 1)
    assert reciprocal_rank_fusion(rankings, weights=weights, rrf_k=rrf_k) == pytest.approx(textbook)


@given(rankings)
def test_convex_scores_stay_between_0_and_1(rankings):
    fused = convex_combination(
        rankings, "abcdef", weights={"bm25": 1.0, "vector": 2.0, "recency": 0.5}, partial=frozenset()
    )
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in fused.values())


def test_a_chunk_that_is_not_embedded_yet_is_judged_by_its_keywords_alone():
    rankings = {"bm25": [Hit("new", 9.0), Hit("a", 5.0), Hit("b", 1.0)], "vector": [Hit("a", 0.9), Hit("b", 0.1)]}
    weights = {"bm25": 1.0, "vector": 1.0}
    fused = convex_combination(rankings, ["new", "a", "b"], weights=weights, partial=frozenset({"vector"}))
    assert fused == {"new": 1.0, "a": pytest.approx((5 / 9 + 1) / 2, abs=0.06), "b": pytest.approx(0.0, abs=0.06)}
    told = convex_combination(rankings, ["new", "a", "b"], weights=weights, partial=frozenset())
    assert told["new"] < told["a"]


def test_a_ranking_that_nobody_gave_a_weight_counts_nothing():
    more = {"bm25": BM25, "news": VECTOR}
    alone = convex_combination({"bm25": BM25}, "abc", weights={"bm25": 1.0}, partial=frozenset())
    assert convex_combination(more, "abc", weights={"bm25": 1.0}, partial=frozenset()) == alone
    by_rank = reciprocal_rank_fusion({"bm25": BM25}, weights={"bm25": 1.0}, rrf_k=60)
    assert reciprocal_rank_fusion(more, weights={"bm25": 1.0}, rrf_k=60) == {**by_rank, "c": 0.0}
