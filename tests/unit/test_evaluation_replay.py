"""Replays: who sees what, who is asked where, what is carried, and that no failure is measured as silence."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from hookclaw_py.build import STAGES
from hookclaw_py.config import Config
from hookclaw_py.errors import HookclawError
from hookclaw_py.evaluation import carry, replay, results, scopes, sets
from hookclaw_py.evaluation.sets import Document, LabelledPrompt, MemorySet
from hookclaw_py.evaluation.vectors import KeptEmbedder
from hookclaw_py.model.types import Outcome
from hookclaw_py.search.ports import Encoded

KEYWORDS = Config(enable_vector=False)
LOGGING = "We log JSON with structlog, one object a line."
OVEN = "The oven needs twenty minutes at 180 degrees for the gratin."


def asked(name, text, **fields):
    return LabelledPrompt(name, text, **fields)


def pets(**fields):
    return MemorySet(
        name="pets",
        documents=(
            Document("a1", LOGGING, datetime(2026, 1, 2, tzinfo=UTC), group="a", session="s1"),
            Document("a2", "Farid pays the structlog course in March.", group="a", session="s2"),
            Document("b1", OVEN, group="b", session="s3"),
        ),
        prompts=(
            asked("q1", "Which format do we log in, was it structlog with JSON?", group="a", category="x", answers=("structlog",)),
            asked("q2", "How long does the gratin stay in the oven at 180 degrees?", group="b", category="y"),
            asked("q3", "Where did we put the gratin dish and the oven gloves?", group="b", answerable=False),
        ),
        qrels={"q1": {"a1": 1}, "q2": {"b1": 1}},
        session_qrels={"q1": {"s1": 1}, "q2": {"s3": 1}},
        **fields,
    )  # fmt: skip


def by_id(replies):
    return {reply.prompt.id: reply for reply in replies}


def test_a_prompt_sees_its_own_group_and_strangers_ask_another():
    found = replay.replay(pets(), KEYWORDS, None, cross_pair=True)
    home, strangers = by_id(found.at_home), by_id(found.strangers)
    assert [name for name, _ in home["q1"].ranking] == ["a1", "a2"]
    assert home["q1"].fired
    assert home["q1"].injected[0] == "a1"
    assert LOGGING in home["q1"].block
    assert strangers["q1"].store == "b"
    assert not strangers["q1"].fired
    assert set(strangers) == {"q1", "q2", "q3"}
    assert found.chunks == 3


def test_only_what_was_written_before_the_prompt_is_visible():
    documents = tuple(Document(f"d{n}", f"structlog note number {n} about JSON", seq=n) for n in range(4))
    prompts = tuple(asked(f"q{n}", "What did we note about structlog and JSON?", before_seq=n) for n in (3, 0, 1))
    found = replay.replay(MemorySet("story", documents, prompts), KEYWORDS, None, cross_pair=False)
    seen = {reply.prompt.id: sorted(name for name, _ in reply.ranking) for reply in found.at_home}
    assert seen == {"q3": ["d0", "d1", "d2"], "q0": [], "q1": ["d0"]}


def test_a_haystack_is_a_store_of_its_own():
    found = replay.replay(
        pets(haystacks={"q1": ("a2", "b1"), "q2": ("b1",), "q3": ("b1",)}), KEYWORDS, None, cross_pair=False
    )
    assert [name for name, _ in by_id(found.at_home)["q1"].ranking] == ["a2"]


def test_a_stranger_is_never_asked_where_its_answer_is_under_another_name():
    documents = (
        Document("a1", LOGGING, group="a"),
        Document("b1", LOGGING, group="b"),
        Document("c1", OVEN, group="c"),
    )
    prompts = (asked("q1", "How do we log?", group="a"), asked("q2", "How long in the oven?", group="c"))
    truth = {"q1": {"a1": 1}, "q2": {"c1": 1}}
    found = scopes.scopes(MemorySet("twins", documents, prompts, truth), cross_pair=True)
    assert {s.name: [p.id for p in s.strangers] for s in found if s.strangers} == {"c": ["q1"], "a": ["q2"]}
    alone = MemorySet("alone", documents[:2], prompts[:1], truth)
    assert not any(scope.strangers for scope in scopes.scopes(alone, cross_pair=True))


def test_prompts_that_need_no_memory_are_dealt_out_over_the_stores():
    needless = [asked(f"g{n}", "Write a poem about the sea, please.", answerable=False) for n in range(3)]
    found = replay.replay(pets(), KEYWORDS, None, cross_pair=False, no_memory=needless)
    assert {reply.store for reply in found.needless} == {"a", "b"}
    assert len(found.needless) == 3


def test_a_broken_stage_is_raised_and_never_measured():
    def broken(*_args, **_kwargs):
        raise HookclawError("the fusion is broken")

    with pytest.raises(HookclawError, match="the fusion is broken"):
        replay.replay(pets(), KEYWORDS, None, cross_pair=False, stages=replace(STAGES, fusion=broken))


def test_a_replay_learns_nothing_and_runs_in_utc_unless_told_otherwise():
    config = replay.run_config(Config(timeout_ms=100))
    assert (config.enable_feedback_loop, config.timezone, config.timeout_ms) == (False, "UTC", 10_000)
    assert replay.run_config(Config(timezone="Asia/Tokyo")).timezone == "Asia/Tokyo"


def test_the_same_replay_twice_says_the_same():
    run = results.Run(KEYWORDS, True)
    one, other = (
        results.result_of(pets(), replay.replay(pets(), KEYWORDS, None, cross_pair=True), run) for _ in range(2)
    )
    for result in (one, other):
        del result["cost"]
        for line in (*result["prompts"].values(), *result["others"]["cross-pair"].values()):
            del line["ms"]
    assert one == other


def test_a_result_says_how_well_it_ranked_fired_and_carried():
    found = results.result_of(
        pets(), replay.replay(pets(), KEYWORDS, None, cross_pair=True), results.Run(KEYWORDS, True)
    )
    for level in ("chunk", "session"):
        assert found["ranking"][level]["judged"] == 2
        assert found["ranking"][level]["overall"]["R@1"] == 1.0
    assert set(found["ranking"]["chunk"]["by_category"]) == {"x", "y"}
    assert found["ranking"]["chunk"]["legs"]["bm25"]["R@1"] == 1.0
    assert found["silence"]["home"]["fired"] == 1.0
    assert found["silence"]["against"]["cross-pair"]["fired"] == 0.0
    assert found["silence"]["against"]["cross-pair"]["whole_engine"]["area"] == 1.0
    assert found["silence"]["against"]["unanswerable"]["prompts"] == 1
    assert (found["carry"]["whole"], found["carry"]["answer"]) == (1.0, 1.0)
    assert found["config"] == {"enableVector": False}
    assert found["cost"]["stages_ms"]["whole turn"]["p50"] > 0


def test_a_set_judged_by_session_counts_every_chunk_of_it():
    judged = MemorySet("sessions", pets().documents, pets().prompts[:2], session_qrels=pets().session_qrels)
    found = results.result_of(
        judged, replay.replay(judged, KEYWORDS, None, cross_pair=False), results.Run(KEYWORDS, False)
    )
    assert list(found["ranking"]) == ["session"]
    assert found["carry"]["whole"] == 1.0
    assert "all" not in found["carry"]


def reply_with(block="", injected=(), whole=(), ranking=(), outcome=Outcome.INJECTED):
    return replay.Reply(asked("q", "?"), "s", outcome, "", 0.9, block, injected, whole, tuple(ranking), {}, (), (), 1.0)


def test_carry_tells_whole_from_part_and_counts_what_was_not_asked_for():
    found = carry.carried(
        reply_with("the kite is red", ("d1", "d2", "d3"), ("d2", "d3")), ["d1", "d2"], ["a red kite", "x"]
    )
    assert found == {"whole": 1.0, "all": 0.0, "part": 1.0, "answer": 1.0, "precision": pytest.approx(2 / 3)}
    silent = carry.carried(reply_with(outcome=Outcome.SILENT), ["d1"], ["red"])
    assert silent == {"whole": 0.0, "all": 0.0, "part": 0.0, "answer": 0.0}


def test_an_answer_of_nothing_but_stop_words_must_stand_there_literally():
    assert carry.holds_words("He said: not now.", "Not")
    assert not carry.holds_words("He said: nothing.", "yes we can")
    assert not carry.holds_words("anything", " ")


def test_freshness_tells_the_newest_note_from_the_one_it_replaced():
    ranking = [("old", 0.9), ("new", 0.8)]
    both = carry.freshness(reply_with(injected=("old", "new"), ranking=ranking), ["new"], ["old"])
    assert both == {"newest_above": 0.0, "newest_in_block": 1.0, "newest_alone": 0.0, "stale_only": 0.0}
    only_old = carry.freshness(reply_with(injected=("old",), ranking=ranking[:1]), ["new"], ["old"])
    assert (only_old["stale_only"], only_old["newest_above"]) == (1.0, 0.0)
    alone = carry.freshness(reply_with(injected=("new",), ranking=ranking[::-1]), ["new"], ["old"])
    assert (alone["newest_alone"], alone["newest_above"]) == (1.0, 1.0)


def test_a_block_cut_to_its_budget_does_not_carry_the_chunk_whole():
    long = "The gratin recipe: " + "layer potatoes, cream and cheese. " * 60
    one = MemorySet(
        "long", (Document("d1", long),), (asked("q1", "What was the gratin recipe with potatoes?"),), {"q1": {"d1": 1}}
    )
    (reply,) = replay.replay(one, Config(enable_vector=False, max_context_chars=500), None, cross_pair=False).at_home
    assert (reply.injected, reply.whole) == (("d1",), ())
    (reply,) = replay.replay(one, Config(enable_vector=False, max_context_chars=5000), None, cross_pair=False).at_home
    assert reply.whole == ("d1",)


class Counting:
    """An embedder that counts what it is asked for."""

    model_id, dimension = "counting", 4

    def __init__(self):
        self.asked = []

    def embed(self, text, _deadline=None):
        self.asked.append(text)
        vector = np.array([len(text), text.count("e"), text.count(" "), 1.0])
        return (vector / np.linalg.norm(vector)).astype(np.float32)

    def close(self):
        self.asked.append("closed")


def test_documents_are_embedded_once_for_all_runs_and_prompts_each_time(tmp_path):
    first, second = Counting(), Counting()
    for embedder in (first, second):
        kept = KeptEmbedder(embedder, tmp_path / "kept" / "vectors.sqlite")
        replay.replay(pets(), Config(), kept, cross_pair=True)
        kept.release()
    prompts = {prompt.text for prompt in pets().prompts}
    texts = {document.text for document in pets().documents}
    assert texts <= set(first.asked)
    assert not texts & set(second.asked)
    assert prompts <= set(second.asked)


def test_a_kept_vector_is_the_embedders_own_and_a_damaged_one_is_made_again(tmp_path):
    embedder = Counting()
    kept = KeptEmbedder(embedder, tmp_path / "v.sqlite", prompts_too=True)
    assert np.array_equal(kept.embed("hello there"), Counting().embed("hello there"))
    kept.forget_prompt()
    assert np.array_equal(kept.embed("hello there"), Counting().embed("hello there"))
    assert embedder.asked == ["hello there"]
    kept._connection.execute("UPDATE vectors SET vector = x'00'")
    kept.forget_prompt()
    assert np.array_equal(kept.embed("hello there"), Counting().embed("hello there"))
    kept.release()


class CountingTokens(Counting):
    """The same, and a vector for each word."""

    def encode(self, text, deadline=None):
        places = [(m.start(), m.end()) for m in re.finditer(r"\S+", text)]
        tokens = np.array([[len(text[start:end])] * 64 for start, end in places], np.int8).reshape(-1, 64)
        return Encoded(self.embed(text, deadline), tokens, tuple(places))


def same(one, other):
    return np.array_equal(one.vector, other.vector) and np.array_equal(one.tokens, other.tokens) and one[2] == other[2]


@pytest.mark.parametrize("text", ["hello there", ""])
def test_kept_tokens_are_the_embedders_own_also_in_a_file_that_had_only_vectors(tmp_path, text):
    plain = KeptEmbedder(Counting(), tmp_path / "v.sqlite", prompts_too=True)
    assert same(plain.encode(text), Encoded(Counting().embed(text)))
    plain.release()
    for asked in ([text], []):
        embedder = CountingTokens()
        kept = KeptEmbedder(embedder, tmp_path / "v.sqlite", prompts_too=True)
        assert same(kept.encode(text), CountingTokens().encode(text))
        assert same(kept.encode(text), CountingTokens().encode(text))
        assert embedder.asked == asked
        kept.release()


def test_a_replay_ranks_by_tokens_where_the_embedder_tells_them(tmp_path):
    for embedder, there in ((Counting(), False), (CountingTokens(), True)):
        embedder.model_id += str(there)
        kept = KeptEmbedder(embedder, tmp_path / "v.sqlite")
        replies = replay.replay(pets(), Config(), kept, cross_pair=False).at_home
        assert any(reply.legs["late"] for reply in replies) == there
        assert all(reply.legs["vector"] for reply in replies if reply.legs["fusion"])
        kept.release()


def test_two_models_never_share_a_vector(tmp_path):
    one, other = Counting(), Counting()
    other.model_id = "another"
    for embedder in (one, other):
        kept = KeptEmbedder(embedder, tmp_path / "v.sqlite")
        seen = []
        kept.bytes_of(["a text"], lambda done, total, seen=seen: seen.append((done, total)))
        assert seen == [(1, 1)]
        kept.release()
    assert one.asked[0] == other.asked[0] == "a text"


def test_without_vectors_there_is_no_embedder():
    with replay.kept_embedder(KEYWORDS) as embedder:
        assert embedder is None


def test_percentiles_interpolate():
    assert results.percentiles([1.0]) == {"p50": 1.0, "p95": 1.0, "p99": 1.0}
    assert results.percentiles([float(n) for n in range(1, 102)])["p50"] == 51.0


def test_chunk_ids_are_stable_and_fit_the_store():
    ids = {replay.chunk_of(Document(f"d{n}", "x")).id for n in range(50)}
    assert len(ids) == 50
    assert all(len(i) == 16 and int(i, 16) < 2**63 for i in ids)
    assert replay.chunk_of(Document("d1", "x")).id == replay.chunk_of(Document("d1", "y")).id


def test_a_set_error_is_one_of_ours():
    assert issubclass(sets.SetError, HookclawError)


def test_documents_are_cut_like_notes_only_when_asked_and_stay_one_in_the_ranking():
    text = (
        "# Oven\n\nThe gratin takes twenty minutes.\n\n# Logging\n\nWe log JSON with structlog. "
        + "Padding words. " * 200
    )
    one = MemorySet(
        "cut", (Document("d1", text),), (asked("q1", "Do we log JSON with structlog, or what?"),), {"q1": {"d1": 1}}
    )
    whole = replay.replay(one, KEYWORDS, None, cross_pair=False)
    cut = replay.replay(one, KEYWORDS, None, cross_pair=False, rechunk=True)
    assert whole.chunks == 1
    assert cut.chunks > 1
    assert [name for name, _ in cut.at_home[0].ranking] == ["d1"]
    assert "structlog" in cut.at_home[0].block
    assert replay.chunks_of(Document("d2", ""), rechunk=True)[0].text == ""


def test_a_newest_note_that_nobody_found_is_not_above():
    assert carry.freshness(reply_with(), ["new"], ["old"])["newest_above"] == 0.0


def test_a_prompt_that_the_gate_stops_fires_at_no_level():
    skipped = reply_with(outcome=Outcome.SKIPPED)
    assert results.level_of(skipped) < 0
    assert results.level_of(reply_with(outcome=Outcome.SILENT)) == skipped.evidence == 0.9


def test_the_documents_of_a_session_are_the_lines_of_one_file_also_when_they_appear_one_after_another():
    """A turn's neighbours are there as they are in a transcript."""
    turns = tuple(Document(f"t{n}", f"turn number {n}", group="g", session="s1", seq=n) for n in range(3))
    prompt = LabelledPrompt("p", "which turn number is this?", group="g", before_seq=2)
    scope = scopes.Scope("g", turns, [prompt])
    with replay.Asked(scope, KEYWORDS, None, lambda *_: None, rechunk=False) as asked:
        asked.reveal(1)
        asked.reveal(2)
        chunks = asked.engine.store.all_chunks()
    assert [(*c.place, c.text) for c in chunks] == [
        ("s1", (1, 1), "turn number 0"),
        ("s1", (2, 2), "turn number 1"),
    ]


def test_no_prompt_is_a_stranger_where_a_speaker_it_names_is_at_home():
    documents = (
        Document("a1", "John: I read Dune.", group="a", speaker="John"),
        Document("b1", "John: I surf.", group="b", speaker="John"),
        Document("c1", "Mia: I bake.", group="c", speaker="Mia"),
    )
    asked = (
        LabelledPrompt("p1", "Which book did John read?", group="a"),
        LabelledPrompt("p2", "Who bakes?", group="c"),
    )
    found = {
        p.id: s.name for s in scopes.scopes(MemorySet("s", documents, asked), cross_pair=True) for p in s.strangers
    }
    assert found == {"p1": "c", "p2": "a"}
