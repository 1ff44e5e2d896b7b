"""One scale: what the retrievers found becomes a relevance in [0, 1] before anything is decided."""

from __future__ import annotations

from datetime import timedelta
from math import log, log2
from types import MappingProxyType
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from hookclaw_py.stages.calibrate import (
    PRIOR_CHUNKS,
    Evidence,
    NullSample,
    abstain,
    as_if_grown,
    calibrate,
    coverage,
    document_frequency,
    relevance,
    smoothed,
    term_weights,
    weigh,
)
from hookclaw_py.types import Entity, Period, Query
from tests.conftest import NOW, candidate

NOTHING = Evidence(surprise=0.0, coverage=0.0, mass=0.0, entities=0.0, unknown=0.0, in_period=None)
UTC = ZoneInfo("UTC")


def evidence(note, query, *, idf=MappingProxyType({}), **fields):
    settings = {"cosine": None, "null": None, "store_size": 1000, "entities": 0.0, "unknown": 0.0, "least": None}
    return weigh(note, query, asked=term_weights(query.topic, idf=idf), **{**settings, "zone": UTC, **fields})


def test_coverage_is_the_share_of_the_prompts_idf():
    idf = {"netsdk1005": 6.0, "build": 2.0, "fix": 2.0}
    asked = term_weights(["build", "netsdk1005", "fix", "build"], idf=idf)
    assert coverage(asked, ["netsdk1005", "other"]) == (approx(0.6), 6.0)
    assert coverage({}, ["x"]) == (0.0, 0.0)


def test_no_evidence_is_far_below_any_threshold_and_much_is_far_above():
    assert relevance(NOTHING) < 0.15
    assert relevance(Evidence(4.0, 0.8, 2.0, 1.0, 0.0, True)) > 0.99


@settings(deadline=None)
@given(st.floats(-50, 50), st.floats(0, 1), st.floats(0, 50), st.floats(0, 1), st.sampled_from([None, False, True]))
def test_relevance_is_a_probability_and_more_evidence_never_lowers_it(surprise, share, mass, entities, in_period):
    """mend 1: each stage assumed another scale."""
    found = Evidence(surprise, share, mass, entities, 0.0, in_period)
    assert 0 <= relevance(found) <= 1
    for more in (
        found._replace(surprise=surprise + 1),
        found._replace(coverage=min(1, share + 0.1)),
        found._replace(mass=mass + 1),
        found._replace(entities=1.0),
        found._replace(in_period=True),
    ):
        assert relevance(more) >= relevance(found)


def test_a_cosine_counts_against_what_this_store_gives_to_prompts_without_an_answer():
    note, query = candidate("x"), Query("q", NOW, ("word",), ("word",))
    generous = evidence(note, query, cosine=0.5, null=NullSample(0.45, 0.05))
    strict = evidence(note, query, cosine=0.5, null=NullSample(0.20, 0.05))
    assert (generous.surprise, strict.surprise) == (approx(1.0), approx(6.0))
    assert relevance(strict) > relevance(generous)


def test_a_null_sample_narrower_than_noise_does_not_make_everything_a_surprise():
    found = evidence(candidate("x"), Query("q", NOW, ("w",), ("w",)), cosine=0.21, null=NullSample(0.20, 0.0001))
    assert found.surprise == approx(1 / 3)


def test_without_a_vector_keywords_decide():
    """mend 15: degrade to keywords."""
    query = Query("q", NOW, ("netsdk1005", "build"), ("netsdk1005", "build"))
    found = evidence(candidate("x", terms=("netsdk1005", "build")), query, idf={"netsdk1005": 6.0, "build": 2.0})
    assert found.surprise is None
    assert relevance(found) > 0.5


def test_a_prompt_about_nothing_but_a_day_is_answered_by_that_day():
    """mend 3: periods change the ranking."""
    day = Period(NOW - timedelta(days=2), NOW - timedelta(days=1), "wednesday")
    query = Query("what did we do on Wednesday?", NOW, ("wednesday",), (), (), day)
    same = evidence(candidate("x", created_at=NOW - timedelta(days=2)), query)
    other = evidence(candidate("x", created_at=NOW - timedelta(days=9)), query)
    undated = evidence(candidate("x"), query)
    assert (same.in_period, other.in_period, undated.in_period) == (True, False, None)
    assert relevance(same) > 0.5 > relevance(other)


def test_a_note_that_speaks_of_the_date_is_from_that_time_too():
    """An undated note ("On 12 April we fly to Lisbon") answers "what are we doing on 12 April?"."""
    period = Period(NOW, NOW + timedelta(days=1), "12 April")
    query = Query("what are we doing on 12 April?", NOW, ("12", "april"), (), (), period)
    assert evidence(candidate("x", terms=("12", "april", "lisbon")), query).in_period is True
    assert evidence(candidate("x", terms=("april", "lisbon")), query).in_period is None
    vague = Query("what did we do yesterday?", NOW, ("yesterday",), (), (), Period(NOW, NOW, "yesterday"))
    assert evidence(candidate("x", terms=("yesterday",)), vague).in_period is None


def test_a_middling_cosine_is_no_surprise_in_a_store_of_ten_notes():
    small = as_if_grown(NullSample(0.15, 0.08), store_size=10)
    assert small.mean == approx(0.15 + 0.25 * log2(20) * 0.08)
    assert as_if_grown(NullSample(0.25, 0.09), store_size=200) == NullSample(0.25, 0.09)
    assert as_if_grown(NullSample(0.25, 0.09), store_size=100_000) == NullSample(0.25, 0.09)


@pytest.mark.parametrize(("size", "df"), [(1, 0), (1, 1), (50, 3), (100_000, 70_000)])
def test_smoothing_is_the_idf_of_the_store_with_more_chunks(size, df):
    idf = {"word": log(1 + (size - df + 0.5) / (df + 0.5))}
    assert smoothed(idf, store_size=size)["word"] == approx(log(1 + (size + PRIOR_CHUNKS - df + 0.5) / (df + 0.5)))


def test_a_word_found_in_the_only_note_still_tells_something():
    """A new user has three notes: their words must not count as common."""
    idf = smoothed({"alpha": log(1 + 0.5 / 1.5), "unknown": log(1 + 1.5 / 0.5)}, store_size=1)
    assert idf["alpha"] > 0.7 * idf["unknown"]


def test_calibration_orders_by_relative_fused_score_and_a_fifth_relevance():
    first, second = candidate("one", 0.9, id="1"), candidate("two", 1.0, id="2")
    found = {first.chunk.id: Evidence(4.0, 1.0, 1.0, 0.0, 0.0, None), second.chunk.id: NOTHING}
    best, other = calibrate([second, first], found)
    assert best.chunk.text == "one"
    assert best.score == approx(0.2 * best.relevance + 0.8 * 0.9)
    assert other.score == approx(0.2 * other.relevance + 0.8)
    assert "covers 100% of the prompt, cosine 4.0σ above no-answer" in best.history[0].note


@pytest.mark.parametrize(("top", "limit"), [(0.71, 2), (0.70, 3), (0.5, 3)])
def test_a_strong_best_needs_less_company(top, limit):
    """mend 1: the adaptive rule, on the one scale it was meant for; in the original every prompt came out empty."""
    pool = [candidate("a", relevance=top), candidate("b", relevance=0.5), candidate("c", relevance=0.4999)]
    passed, failed, at_most = abstain(pool, min_score=0.5, adaptive=True, max_results=3)
    assert ([c.chunk.text for c in passed], [c.chunk.text for c in failed]) == (["a", "b"], ["c"])
    assert at_most == limit
    assert failed[0].history[-1].note == "relevance below 0.5"
    assert abstain(pool, min_score=0.5, adaptive=False, max_results=3)[2] == 3


def test_a_prompt_about_someone_the_store_has_never_heard_of_is_less_likely_answered():
    heard = Evidence(2.0, 0.5, 0.5, 0.0, 0.0, None)
    assert relevance(heard._replace(unknown=1.0)) < relevance(heard._replace(unknown=0.5)) < relevance(heard)


def test_a_word_the_store_has_never_heard_of_counts_less_when_a_note_has_something_like_it():
    """Asked for Tokyo, a note about Shinjuku may answer; one about gardening does not."""
    query = Query("tips for Tokyo?", NOW, ("tokyo",), ("tokyo",))
    near, far, known = (evidence(candidate("x"), query, least=least) for least in (0.75, 0.3, None))
    assert (near.foreign, far.foreign, known.foreign) == (0.0, approx(0.4), 0.0)
    strong = {"surprise": 2.0, "coverage": 0.3}
    assert relevance(far._replace(**strong)) < relevance(near._replace(**strong))


@pytest.mark.parametrize("text", ["Maria: I paint horses.", "John: And you?\n- Maria: Horses.", "maria: horses"])
def test_what_the_person_asked_about_says_counts_more_than_what_is_said_to_her(text):
    query = Query("what does Maria paint?", NOW, ("paint",), ("paint",), (Entity("name", "Maria"),))
    said_by, said_to = evidence(candidate(text), query), evidence(candidate("John: Hi Maria: still painting?"), query)
    assert (said_by.speaks, said_to.speaks) == (True, False)
    assert relevance(said_by) > relevance(said_by._replace(speaks=False))


def test_the_document_frequency_is_read_back_from_the_idf():
    for frequency in (0, 1, 7):
        idf = log(1 + (100 - frequency + 0.5) / (frequency + 0.5))
        assert document_frequency(idf, store_size=100) == approx(frequency)


def test_what_is_far_behind_the_best_is_not_worth_its_tokens():
    pool = [candidate("a", score=0.8, relevance=0.9), candidate("b", score=0.7, relevance=0.9)]
    far = candidate("c", score=0.6, relevance=0.9)
    passed, failed, _ = abstain([*pool, far], min_score=0.5, adaptive=True, max_results=3)
    assert ([c.chunk.text for c in passed], [c.chunk.text for c in failed]) == (["a", "b"], ["c"])
    assert failed[0].history[-1].note == "score below 0.68, far behind the best"
    assert len(abstain([*pool, far], min_score=0.5, adaptive=False, max_results=3)[0]) == 3


def test_an_irrelevant_chunk_with_the_best_score_sets_no_standard():
    pool = [candidate("a", score=0.9, relevance=0.1), candidate("b", score=0.5, relevance=0.9)]
    assert [c.chunk.text for c in abstain(pool, min_score=0.5, adaptive=True, max_results=3)[0]] == ["b"]
