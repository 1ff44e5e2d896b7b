"""What one decision adds to the counters: every prompt once, labels from closed sets, base units."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py.config import Config
from hookclaw_py.engine import Engine
from hookclaw_py.hosts.openclaw import envelope
from hookclaw_py.model.kind import Kind
from hookclaw_py.model.reason import AUTOMATIC, Reason, Why
from hookclaw_py.model.types import Candidate, Effect, Fault, Injection, Outcome, Step
from hookclaw_py.observe import counting
from hookclaw_py.observe.counting import FAMILIES, Settled, Shown, found_by, reason_label
from hookclaw_py.speech import errands
from tests.conftest import candidate


def counted(*streams) -> Counter:
    total: Counter = Counter()
    for stream in streams:
        for key, amount in stream:
            total[key] += amount
    return total


def ranked(body="a note", relevance=0.0, score=0.0, last="mmr", **ranks) -> Candidate:
    steps = [Step(name, 1.0, "told in any words", Effect.RANKED, rank=rank) for name, rank in ranks.items()]
    return candidate(body, score, relevance).noted(*steps, Step(last, score))


# Reasons


@pytest.fixture
def engine():
    with Engine.in_memory(Config(enableVector=False), strict=True) as opened:
        yield opened


@pytest.mark.parametrize(
    ("why", "sentence", "label"),
    [
        (Why(Reason.RELEVANT, "0.812"), "top relevance 0.812", "relevant"),
        (Why(Reason.TOO_SHORT, "5"), "prompt too short (5 chars)", "too_short"),
        (Why(Reason.PAYLOAD), "protocol payload", "payload"),
        (Why(Reason.PATTERN, "small talk"), "matches skip pattern (small talk)", "pattern_small_talk"),
        (Why(Reason.PATTERN, r"^secret .*$"), r"matches skip pattern (^secret .*$)", "pattern_of_user"),
        (Why(Reason.MEMORY_FLUSH), "memory flush", "memory_flush"),
        (Why(Reason.AUTOMATIC, "whatever a host calls it"), "whatever a host calls it", "automatic"),
        (Why(Reason.BELOW_FLOOR, "0.312 is below 0.5"), "top relevance 0.312 is below 0.5", "below_floor"),
        (Why(Reason.NO_RETRIEVER, "disk full"), "no retriever answered: disk full", "no_retriever"),
        (
            Why(Reason.STILL_READING, "11", remarks=("nothing found",)),
            "still reading the notes (11 chunks so far); nothing found",
            "still_reading",
        ),
        (Why(Reason.OTHER, "something new"), "something new", "other"),
    ],
)
def test_a_reason_is_a_sentence_for_people_and_a_label_without_its_details(why, sentence, label):
    assert (why.sentence, reason_label(why)) == (sentence, label)


def test_a_reason_is_counted_the_same_when_its_sentence_is_put_otherwise(engine, monkeypatch):
    monkeypatch.setattr(Reason.NOTHING_FOUND, "words", "prompt too short, or heartbeat")
    monkeypatch.setattr(Reason.PATTERN, "words", "looks like idle talk")
    asked = "where is the spare key of the cabin?", "Hello there, how are you doing?"
    assert [engine.recall(prompt).reason for prompt in asked] == [
        "prompt too short, or heartbeat",
        "looks like idle talk (small talk)",
    ]
    counts = Counter(labels[1] for (name, labels), _ in engine.metrics.totals().items() if name == "prompts_total")
    assert counts == {"nothing_found": 1, "pattern_small_talk": 1}


def test_every_built_in_skip_rule_has_a_label_of_its_own():
    names = [next(iter(pattern.groupindex)).replace("_", " ") for pattern in errands.BUILT_IN_PATTERNS]
    labels = {reason_label(Why(Reason.PATTERN, name)) for name in names}
    assert len(labels) == len(names)
    assert "pattern_of_user" not in labels


def test_a_host_that_names_a_turn_as_we_do_is_understood_and_another_gets_no_label_of_its_own():
    for kind in AUTOMATIC:
        for word in (kind.value, kind.words):
            assert envelope.automatic_kind("do it", word) == Why(kind)
    assert envelope.automatic_kind("do it", "relevant") == Why(Reason.AUTOMATIC, "relevant")


@given(
    st.builds(
        Injection,
        st.just("i"),
        st.sampled_from(Outcome),
        st.builds(
            Why, st.sampled_from(Reason), st.text(max_size=60) | st.sampled_from(["small talk", "top relevance"])
        ),
        text=st.text(max_size=20),
        candidates=st.lists(
            st.builds(
                candidate,
                relevance=st.floats(0, 1),
                score=st.floats(0, 3),
                kind=st.builds(Kind, st.text(max_size=9)),
            ),
            max_size=3,
        ).map(tuple),
        faults=st.lists(st.builds(Fault, st.text(max_size=40), st.text(max_size=9)), max_size=3).map(tuple),
        timings=st.lists(st.tuples(st.text(max_size=40), st.floats(0, 1e5)), max_size=3).map(tuple),
        cached=st.sampled_from(["", "exact", "fuzzy"]),
    ),
    st.floats(0, 1e5),
)
def test_any_decision_is_one_prompt_with_labels_from_closed_sets(injection, elapsed_ms):
    seen = counted(counting.tallies(injection, elapsed_ms), Shown().tallies("s", injection))
    assert sum(n for (name, _), n in seen.items() if name == "prompts_total") == 1
    assert sum(n for (name, _), n in seen.items() if name == "recall_duration_seconds") == 1
    for (name, labels), amount in seen.items():
        family = FAMILIES[name.removesuffix(counting.SUM)]
        size = len(family.labels) + bool(family.buckets and not name.endswith(counting.SUM))
        assert len(labels) == size
        assert amount >= 0
        assert all(re.fullmatch(r"[a-z0-9_.-]{1,40}", label) for label in labels), labels


# Sums


def test_the_whole_of_one_injection_is_counted():
    hit, other = ranked("one", 0.8, 0.7, bm25=1, vector=12), ranked("two", 0.2, 0.1, last="abstain", bm25=40)
    injection = Injection(
        "i", Outcome.INJECTED, Why(Reason.RELEVANT, "0.8"), "ü" * 10, (hit,), (other,), timings=(("catch up", 2.0),)
    )
    seen = counted(counting.tallies(injection, 8.0))
    assert seen == {
        ("prompts_total", ("injected", "relevant", "none", "no")): 1,
        ("recall_duration_seconds", ("injected", "0.01")): 1,
        ("recall_duration_seconds_sum", ("injected",)): 0.008,
        ("stage_duration_seconds", ("catch_up", "0.0025")): 1,
        ("stage_duration_seconds_sum", ("catch_up",)): 0.002,
        ("top_relevance_ratio", ("injected", "0.8")): 1,
        ("top_relevance_ratio_sum", ("injected",)): 0.8,
        ("candidate_relevance_ratio", ("injected", "0.8")): 1,
        ("candidate_relevance_ratio_sum", ("injected",)): 0.8,
        ("candidate_score_ratio", ("injected", "0.7")): 1,
        ("candidate_score_ratio_sum", ("injected",)): 0.7,
        ("candidate_relevance_ratio", ("rejected", "0.2")): 1,
        ("candidate_relevance_ratio_sum", ("rejected",)): 0.2,
        ("candidate_score_ratio", ("rejected", "0.1")): 1,
        ("candidate_score_ratio_sum", ("rejected",)): 0.1,
        ("rejected_candidates_total", ("abstain",)): 1,
        ("injected_bytes_total", ()): 20,
        ("injected_tokens_total", ()): 5,
        ("injected_chunks_total", ("bm25", "memory")): 1,
        ("injected_rank", ("bm25", "1.0")): 1,
        ("injected_rank_sum", ("bm25",)): 1,
        ("injected_rank", ("vector", "20.0")): 1,
        ("injected_rank_sum", ("vector",)): 12,
    }


def test_an_answer_from_the_cache_adds_no_search_but_its_chunks_are_shown_again():
    injection = Injection(
        "i",
        Outcome.INJECTED,
        Why(Reason.RELEVANT),
        "text",
        (ranked("one", 0.8, bm25=1),),
        (ranked("two"),),
        cached="fuzzy",
    )
    names = Counter(name for (name, _), _ in counting.tallies(injection, 1.0))
    assert names["injected_chunks_total"] == 1
    assert not names["top_relevance_ratio"]
    assert not names["candidate_relevance_ratio"]
    assert not names["rejected_candidates_total"]
    assert counted(counting.tallies(injection, 1.0))["prompts_total", ("injected", "relevant", "fuzzy", "no")] == 1


def test_an_answer_in_spite_of_a_fault_is_degraded_and_a_failure_is_not():
    fault = (Fault("vector", "gone"),)
    seen = counted(
        counting.tallies(Injection("i", Outcome.SILENT, Why(Reason.NOTHING_FOUND), faults=fault), 1.0),
        counting.tallies(Injection("i", Outcome.FAILED, Why(Reason.NO_RETRIEVER), faults=fault), 1.0),
    )
    assert seen["prompts_total", ("silent", "nothing_found", "none", "yes")] == 1
    assert seen["prompts_total", ("failed", "no_retriever", "none", "no")] == 1
    assert seen["faults_total", ("vector",)] == 2


@pytest.mark.parametrize(
    ("ranks", "who"),
    [
        ({"bm25": 1, "vector": 10}, "both"),
        ({"bm25": 10, "vector": 11}, "bm25"),
        ({"vector": 3, "entity": 1}, "vector"),
        ({"recency": 1}, "neither"),
        ({}, "neither"),
    ],
)
def test_a_retriever_found_what_is_among_its_best_ten(ranks, who):
    assert found_by(ranked(**ranks)) == who


@pytest.mark.parametrize(("ms", "upper"), [(0.0, "0.0005"), (0.5, "0.0005"), (0.51, "0.001"), (99_999.0, "inf")])
def test_a_bucket_holds_what_is_at_most_its_bound(ms, upper):
    seen = counted(counting.tallies(Injection("i", Outcome.SILENT, Why(Reason.OTHER)), ms))
    assert seen["recall_duration_seconds", ("silent", upper)] == 1


# Sessions


def block(text, *chunks) -> Injection:
    return Injection("i", Outcome.INJECTED, Why(Reason.RELEVANT), text, tuple(chunks))


def test_a_session_tells_repeated_chunks_and_how_much_of_its_block_changed():
    shown, one, two = Shown(), candidate("one"), candidate("two")
    assert counted(shown.tallies("s", block("abcdef", one))) == {("blocks_total", ("first",)): 1}
    assert counted(shown.tallies("s", block("abcdef", one))) == {
        ("blocks_total", ("same",)): 1,
        ("repeated_chunks_total", ()): 1,
    }
    assert counted(shown.tallies("s", block("abcxyz12", one, two))) == {
        ("blocks_total", ("changed",)): 1,
        ("block_changed_bytes_total", ()): 5,
        ("repeated_chunks_total", ()): 1,
    }
    assert counted(shown.tallies("another", block("abcdef", one))) == {("blocks_total", ("first",)): 1}


def test_silence_and_prompts_without_a_session_change_no_block():
    shown = Shown()
    assert not counted(shown.tallies("", block("abc", candidate())))
    assert not counted(shown.tallies("s", Injection("i", Outcome.SILENT, Why(Reason.OTHER))))


def test_only_so_many_sessions_and_chunks_are_remembered():
    shown = Shown(sessions=2, chunks=2)
    for session in ("a", "b", "c", "a"):
        assert ("blocks_total", ("first",)) in counted(shown.tallies(session, block("t", candidate("x"))))
    for body in ("y", "z"):
        shown.tallies("a", block("t", candidate(body)))
        list(shown.tallies("a", block("t", candidate(body))))
    assert ("repeated_chunks_total", ()) not in counted(shown.tallies("a", block("t", candidate("x"))))


@given(st.binary(max_size=30), st.binary(max_size=30), st.binary(max_size=30))
def test_the_changed_part_begins_after_the_common_prefix(prefix, one, other):
    shared = counting._shared(prefix + one, prefix + other)
    assert (prefix + one)[:shared] == (prefix + other)[:shared]
    assert (prefix + one)[shared : shared + 1] != (prefix + other)[
        shared : shared + 1
    ] or prefix + one == prefix + other


def test_what_became_of_chunks_is_counted_by_rank_and_source():
    seen = counted(
        counting.settled([Settled(1, "memory", "used"), Settled(2, "sessions", "ignored"), Settled(12, "x", "y")])
    )
    assert seen == {
        ("turns_total", ()): 1,
        ("settled_chunks_total", ("used", "1", "memory")): 1,
        ("settled_chunks_total", ("ignored", "2", "sessions")): 1,
        ("settled_chunks_total", ("other", "10_and_more", "other")): 1,
    }


def test_every_kind_of_attribution_has_a_label_of_its_own():
    from hookclaw_py.learning.attribution import Attribution

    assert {str(kind) for kind in Attribution} <= set(counting.ATTRIBUTIONS)
