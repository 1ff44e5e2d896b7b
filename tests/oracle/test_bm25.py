"""BM25 against someone else's arithmetic: the textbook formula, and the rank_bm25 package as it comes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from hookclaw_py.search.local.rank_bm25_index import RankBM25Index
from hookclaw_py.search.local.tantivy_index import TantivyIndex
from hookclaw_py.search.ports import LexicalIndex

CONTEXT_BOOST = 4.0

WORDS = [f"w{n}" for n in range(12)]
CORPORA = st.lists(st.lists(st.sampled_from(WORDS), max_size=30), min_size=1, max_size=12)
CHUNK = st.lists(st.sampled_from(WORDS), max_size=30)
PAIRS = st.lists(st.tuples(CHUNK, CHUNK), min_size=1, max_size=12)
QUERIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)


def textbook_bm25(corpus: list[list[str]], query: list[str], k1: float = 1.2, b: float = 0.75) -> dict[str, float]:
    """Okapi BM25 with Lucene's idf, straight from Kamphuis et al. (ECIR 2020), only chunks that match."""
    average = sum(map(len, corpus)) / len(corpus)
    scores: dict[str, float] = {}
    for number, chunk in enumerate(corpus):
        total = 0.0
        for term in query:
            df = sum(term in other for other in corpus)
            tf = chunk.count(term)
            if tf:
                idf = math.log(1 + (len(corpus) - df + 0.5) / (df + 0.5))
                total += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(chunk) / average))
        if total:
            scores[f"{number:016x}"] = total
    return scores


def filled(index: LexicalIndex, corpus: list[list[str]], contexts: Sequence[list[str]] | None = None) -> LexicalIndex:
    around = [[] for _ in corpus] if contexts is None else contexts
    for number, (chunk, context) in enumerate(zip(corpus, around, strict=True)):
        index.add(f"{number:016x}", chunk, context)
    index.commit(1)
    return index


@pytest.mark.parametrize("backend", ["rank-bm25", "tantivy"])
@settings(max_examples=60)
@given(corpus=CORPORA, query=QUERIES)
def test_scores_are_the_textbook_formula(backend: str, corpus: list[list[str]], query: list[str]) -> None:
    """keep: BM25, also where a term is in most chunks or in all."""
    index = filled(RankBM25Index() if backend == "rank-bm25" else TantivyIndex(None), corpus)
    assert dict(index.search(query, 100, context_boost=CONTEXT_BOOST)) == pytest.approx(
        textbook_bm25(corpus, query), rel=1e-4
    )


@pytest.mark.parametrize("backend", ["rank-bm25", "tantivy"])
@settings(max_examples=60)
@given(pairs=PAIRS, query=QUERIES)
def test_scores_with_context_are_the_textbook_formula_over_either_field_added_up(
    backend: str, pairs: list[tuple[list[str], list[str]]], query: list[str]
) -> None:
    corpus, contexts = [own for own, _ in pairs], [context for _, context in pairs]
    index = filled(RankBM25Index() if backend == "rank-bm25" else TantivyIndex(None), corpus, contexts)
    own, around = textbook_bm25(corpus, query), textbook_bm25(contexts, query)
    expected = {key: own.get(key, 0) + CONTEXT_BOOST * around.get(key, 0) for key in own | around}
    assert dict(index.search(query, 100, context_boost=CONTEXT_BOOST)) == pytest.approx(expected, rel=1e-4)


@settings(max_examples=60)
@given(corpus=CORPORA, query=QUERIES)
def test_term_weights_agree_with_the_unchanged_package_where_its_idf_is_positive(
    corpus: list[list[str]], query: list[str]
) -> None:
    """The package leaves the 1 out of the logarithm, so its scores are compared through the weights of single terms."""
    if not any(corpus):
        return
    theirs = BM25Okapi(corpus, k1=1.2, b=0.75)
    index = filled(RankBM25Index(), corpus)
    for term in set(query):
        idf = theirs.idf.get(term, 0)
        df = sum(term in chunk for chunk in corpus)
        if df == 0 or math.log(len(corpus) - df + 0.5) - math.log(df + 0.5) <= 0:
            continue
        ours = dict(index.search([term], 100, context_boost=CONTEXT_BOOST))
        scale = math.log1p(math.exp(idf)) / idf  # ln(1 + x) where the package has ln(x)
        expected = {f"{n:016x}": float(score) * scale for n, score in enumerate(theirs.get_scores([term])) if score > 0}
        assert ours == pytest.approx(expected, rel=1e-6)


@settings(max_examples=60)
@given(pairs=PAIRS, query=QUERIES)
def test_both_backends_give_the_same_hits_and_idf(pairs: list[tuple[list[str], list[str]]], query: list[str]) -> None:
    corpus, contexts = [own for own, _ in pairs], [context for _, context in pairs]
    small, large = filled(RankBM25Index(), corpus, contexts), filled(TantivyIndex(None), corpus, contexts)
    assert dict(small.search(query, 100, context_boost=CONTEXT_BOOST)) == pytest.approx(
        dict(large.search(query, 100, context_boost=CONTEXT_BOOST)), rel=1e-4
    )
    assert small.idf(query) == pytest.approx(large.idf(query), rel=1e-9)


def test_a_common_word_never_weighs_more_than_a_rarer_one() -> None:
    """The package lifts a negative idf to a quarter of the average: there "the" outweighs "logging"."""
    rare = [[f"rare{n}"] for n in range(20)]
    corpus = [["the", *chunk, *(["logging"] if n < 9 else [])] for n, chunk in enumerate(rare)]
    weights = filled(RankBM25Index(), corpus).idf(["the", "logging", "rare3"])
    assert weights["the"] < weights["logging"] < weights["rare3"]
    assert BM25Okapi(corpus).idf["the"] > BM25Okapi(corpus).idf["logging"]


def test_long_chunks_agree_within_the_byte_that_tantivy_spends_on_a_length() -> None:
    corpus = [["deploy"] + ["filler"] * n for n in range(0, 400, 7)]
    small, large = filled(RankBM25Index(), corpus), filled(TantivyIndex(None), corpus)
    ours, theirs = (
        dict(small.search(["deploy"], 1000, context_boost=CONTEXT_BOOST)),
        dict(large.search(["deploy"], 1000, context_boost=CONTEXT_BOOST)),
    )
    assert theirs == pytest.approx(ours, rel=0.13)
