"""Whatever breaks, the prompt survives, the other half answers, and it shows."""

from __future__ import annotations

import re
import sqlite3
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from hookclaw_py import Config, Engine, Outcome, Prompt, build
from hookclaw_py.build import STAGES
from hookclaw_py.errors import EmbeddingError, RetrievalError, StoreError
from hookclaw_py.learning import settling
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Hit, Step
from hookclaw_py.search import loading, onnx_runtime
from hookclaw_py.search.circuit import Circuit
from hookclaw_py.search.local.faiss_index import FaissIndex
from hookclaw_py.search.local.tantivy_index import TantivyIndex
from hookclaw_py.search.shared import Shared
from hookclaw_py.store.database import Store
from hookclaw_py.trace import Deadline
from tests.waiting import wait_until

PROMPT = "What did we decide about the logging format?"
NOTES = """# 2026-02-09

## Logging

We decided to use structured logging, one object a line. The format is JSON.

## Ferry

Booked the ferry to Karlskrona for 14 March, cabin 4112.
"""


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-02-09.md").write_text(NOTES)
    return tmp_path


@pytest.fixture
def engine(workspace):
    with Engine.open(Config(logInjections=True), agent="main") as engine:
        engine.index(workspace)
        yield engine


class Broken:
    """A retriever or embedder that fails whenever it is asked."""

    model_id, dimension, generation = "broken", 384, 0
    knows = None  # it has no vocabulary

    def __init__(self, error: Exception) -> None:
        self.error, self.asked = error, 0

    def __getattr__(self, name):
        def fail(*_, **__):
            self.asked += 1
            raise self.error

        return fail

    def __len__(self):
        return 1

    def close(self):
        pass


class Slow(Broken):
    """An embedder that answers only when it is told to stop."""

    def __init__(self):
        super().__init__(EmbeddingError("stopped"))
        self.stopped = threading.Event()

    def embed(self, text, deadline=None):
        deadline.on_cancel(self.stopped.set)
        assert self.stopped.wait(10)
        raise self.error

    encode = embed


def test_one_broken_retriever_does_not_silence_the_other(engine):
    """Mend 15: one failed search disabled memory until restart; now it degrades to keywords."""
    engine.pipeline.embedder = Broken(EmbeddingError("model gone"))
    injection = engine.recall(PROMPT)
    assert "one object a line" in injection.text
    assert [fault.stage for fault in injection.faults] == ["vector"]
    assert "model gone" in injection.faults[0].error


def test_keywords_that_fail_leave_the_vectors(engine):
    """Mend 15."""
    engine._parts.indexes.lexical = Broken(RetrievalError("index gone"))
    injection = engine.recall(PROMPT)
    assert "one object a line" in injection.text
    assert {"bm25", "idf"} <= {fault.stage for fault in injection.faults}


class TokensGone(Store):
    """A store whose token vectors lie where the disk is gone."""

    def tokens(self, model_id, ids):
        raise StoreError("the disk is gone")


def again(engine, store: type[Store] = Store, **parts) -> Engine:
    """Open another engine on the same folder, with parts of a test's own."""
    folder = Path(engine.store.place)
    lexical = parts.pop("lexical", None) or build.lexical_index(engine.config, folder)
    embedder = parts.pop("embedder", None) or engine._parts.embedder
    return Engine(store.open(folder), lexical, embedder, config=engine.config)


def test_token_vectors_that_cannot_be_read_leave_both_retrievers(engine):
    with again(engine, TokensGone) as other:
        injection = other.recall(PROMPT)
    assert "one object a line" in injection.text
    assert [(fault.stage, fault.error) for fault in injection.faults] == [("late", "the disk is gone")]
    assert {"bm25", "vector"} <= {step.stage for step in injection.candidates[0].history}


def test_without_keywords_every_token_counts_alike(engine):
    engine._parts.indexes.lexical = Broken(RetrievalError("index gone"))
    injection = engine.recall(PROMPT)
    assert "late" in {step.stage for step in injection.candidates[0].history}
    assert "late" not in {fault.stage for fault in injection.faults}


def test_the_circuit_opens_after_three_failures_and_recovers(engine):
    """Mend 15: a circuit breaker that recovers."""
    good, bad = engine.pipeline.embedder, Broken(EmbeddingError("model gone"))
    engine.pipeline.embedder = bad
    for _ in range(4):
        engine.recall(PROMPT)
    assert bad.asked == 3
    assert "three failures" in engine.recall(PROMPT).faults[0].error
    engine.pipeline.embedder = good
    engine._parts.circuit._breaker.half_open()  # what thirty seconds do
    assert engine.recall(PROMPT).faults == ()
    assert engine.recall(PROMPT + " again").faults == ()


def test_a_degraded_recall_is_not_remembered(engine):
    """Mend 6: timeouts and errors were cached as "no memories" for five minutes."""
    good = engine.pipeline.embedder
    engine.pipeline.embedder = Broken(EmbeddingError("model gone"))
    assert engine.recall(PROMPT).faults
    engine.pipeline.embedder = good
    healthy = engine.recall(PROMPT)
    assert (healthy.cached, healthy.faults) == ("", ())
    assert engine.recall(PROMPT).cached == "exact"


def test_a_late_half_is_dropped_at_the_deadline_and_told_to_stop(workspace):
    """Mend 18: a search that ran on after its timeout."""
    with Engine.open(Config(timeoutMs=2000), agent="main") as engine:
        engine.index(workspace)
        engine.pipeline.embedder = slow = Slow()
        injection = engine.recall(PROMPT)
        assert "one object a line" in injection.text
        assert "deadline" in next(fault.error for fault in injection.faults if fault.stage == "vector")
        assert slow.stopped.is_set()


class Hanging(Broken):
    """An embedder that does not heed the deadline and answers when it is released."""

    def __init__(self, vector):
        super().__init__(EmbeddingError("unused"))
        self.vector, self.released = vector, threading.Event()

    def embed(self, text, deadline=None):
        self.asked += 1
        assert self.released.wait(20)
        return self.vector

    encode = None  # it knows no tokens


def test_searches_by_meaning_that_hang_do_not_silence_keywords(workspace):
    """Mend 15: not for the first prompts, and not for those after them."""
    with Engine.open(Config(timeoutMs=2000), agent="main") as engine:
        engine.index(workspace)
        engine.pipeline.embedder = hanging = Hanging(engine._parts.embedder.embed("logging"))
        for n in range(4):
            injection = engine.recall(f"{PROMPT} {'again ' * n}", session=str(n))
            assert "one object a line" in injection.text
            assert [fault.stage for fault in injection.faults] == ["vector"]
        hanging.released.set()


def test_answers_that_come_too_late_open_the_circuit_too(workspace):
    """Mend 15: else every prompt would wait for its whole time."""
    with Engine.open(Config(timeoutMs=1000), agent="main") as engine:
        engine.index(workspace)
        engine.warm_up()  # what begins late is in a hurry, and counts for nothing
        engine.pipeline.embedder = hanging = Hanging(engine._parts.embedder.embed("logging"))
        for n in range(3):
            engine.recall(f"{PROMPT} {'again ' * n}")
        hanging.released.set()
        wait_until(lambda: engine.circuit == "open", "all three have answered")
    assert hanging.asked == 3


def test_callers_who_hardly_wait_take_the_meaning_half_from_nobody(workspace):
    with Engine.open(Config(timeoutMs=10_000), agent="main") as engine:
        engine.index(workspace)
        engine.warm_up()
        embedder = engine.pipeline.embedder
        engine.pipeline.embedder = Broken(EmbeddingError("no time left before the deadline"))
        for n in range(6):
            engine.recall(f"{PROMPT} {'again ' * n}", timeout_ms=1500)
        assert engine.circuit == "closed"
        engine.pipeline.embedder = embedder
        assert engine.recall(PROMPT).faults == ()


def test_one_search_that_hangs_does_not_hold_up_another():
    circuit, entered, released = Circuit(lambda *_: None), threading.Event(), threading.Event()

    def hang():
        entered.set()
        return released.wait(20)

    with ThreadPoolExecutor(2) as pool:
        hanging = pool.submit(circuit.guard, hang)
        assert entered.wait(20)
        try:
            assert pool.submit(circuit.guard, lambda: "found").result(timeout=5) == "found"
        finally:
            released.set()
        assert hanging.result()


def test_the_failure_that_opens_the_circuit_is_told_as_it_was(engine):
    engine.pipeline.embedder = Broken(EmbeddingError("model gone"))
    assert ["model gone" in engine.recall(PROMPT).faults[0].error for _ in range(4)] == [True, True, True, False]


def test_when_nothing_answers_the_outcome_is_failed_not_silent(engine):
    engine.pipeline.embedder = Broken(EmbeddingError("model gone"))
    engine._parts.indexes.lexical = Broken(RetrievalError("index gone"))
    injection = engine.recall(PROMPT)
    assert (injection.outcome, injection.text) == (Outcome.FAILED, "")
    assert "index gone" in injection.reason
    assert "model gone" in injection.reason


def exploding(*_, **__):
    raise ZeroDivisionError("exploded")


NEEDED = {"smoothing", "growth", "evidence", "calibrate", "abstain", "conceal", "render", "verdict"}
"""Stages without which nothing is shown."""
UNCALLED = {"context", "perhaps", "follows", "notes_first"}
"""Without a conversation nothing is left out of a prompt, and where a note leads none is put first."""
ALL = [stage.name for stage in fields(STAGES) if stage.name != "further"]


@pytest.mark.parametrize("stage", sorted({*ALL} - NEEDED - UNCALLED))
def test_a_stage_that_explodes_costs_its_effect_and_shows(engine, stage):
    engine.pipeline.stages = replace(STAGES, **{stage: exploding})
    injection = engine.recall(PROMPT)
    assert "one object a line" in injection.text
    assert any("exploded" in fault.error for fault in injection.faults)


@pytest.mark.parametrize("stage", sorted(NEEDED))
def test_a_stage_we_cannot_do_without_costs_the_memories_and_shows(engine, stage):
    engine.pipeline.stages = replace(STAGES, **{stage: exploding})
    injection = engine.recall(PROMPT)
    assert injection.text == ""
    assert any("exploded" in fault.error for fault in injection.faults)
    assert engine.metrics.snapshot()["faults"]


def test_a_stage_of_ones_own_comes_before_it_is_decided_and_costs_only_its_effect(engine):
    def doubtful(candidates, query):
        assert query.terms
        return [c.judged(0.1, c.score, Step("doubt", 0.1, "not sure")) for c in candidates]

    engine.pipeline.stages = replace(STAGES, further=(("doubt", doubtful),))
    silenced = engine.recall(PROMPT)
    assert (silenced.outcome, silenced.reason) == (Outcome.SILENT, "top relevance 0.100 is below 0.5")
    assert "doubt" in {step.stage for step in silenced.rejected[0].history}
    assert "doubt" in dict(silenced.timings)
    engine.pipeline.stages = replace(STAGES, further=(("doubt", exploding),))
    told = engine.recall(PROMPT, session="another")
    assert "one object a line" in told.text
    assert [fault.stage for fault in told.faults] == ["doubt"]


def blocked(engine, until="one object a line"):
    (chunk_id,) = [c.id for c in engine.store.all_chunks() if until in c.text]
    engine.store.mark(chunk_id, "block", at=datetime.now(UTC))
    return chunk_id


def test_what_a_person_blocked_stays_out_when_its_record_is_damaged(engine):
    assert blocked(engine) in engine.store.all_uses()
    with engine.store._writing() as connection:
        connection.execute("UPDATE uses SET occasions = 'not json'")
    injection = engine.recall(PROMPT)
    assert [fault.stage for fault in injection.faults] == ["uses"]
    assert "one object a line" not in injection.text


def test_what_a_person_blocked_stays_out_when_utility_fails(engine):
    blocked(engine)
    engine.pipeline.stages = replace(STAGES, utility=exploding)
    injection = engine.recall(PROMPT)
    assert [fault.stage for fault in injection.faults] == ["utility"]
    assert "one object a line" not in injection.text


@pytest.mark.parametrize("anything", [True, False])
def test_when_marks_cannot_be_read_nothing_is_shown_where_there_were_any(engine, anything):
    if anything:
        blocked(engine, until="Karlskrona")
    with engine.store._writing() as connection:
        connection.execute("DROP TABLE uses")
    injection = engine.recall(PROMPT)
    assert injection.faults
    if anything:
        assert (injection.outcome, injection.text) == (Outcome.FAILED, "")
        assert "what is blocked cannot be read" in injection.reason
    else:
        assert "one object a line" in injection.text


@pytest.mark.timeout(60)
def test_remembering_what_was_shown_does_not_outlast_the_deadline(engine):
    """Mend 18: the deadline holds for everything that a prompt waits for."""
    shown = engine.recall(PROMPT, session="s")  # remembered: the next one takes no time itself
    engine.metrics.flush()
    other = sqlite3.connect(Path(engine.store.place) / "memory.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    injection = engine.recall(PROMPT, session="s", timeout_ms=500)
    asked = Prompt(PROMPT, datetime.now(UTC), "main", "s", audience=Audience.OWNER)
    with pytest.raises(StoreError, match=r"being written to|locked"):  # it would wait that long if it had the time
        settling.remember(engine.store, asked, shown, Deadline(300), busy_seconds=600.0)
    other.execute("ROLLBACK")
    other.close()
    assert "one object a line" in injection.text
    assert [fault.stage for fault in injection.faults] == ["remember"]


def test_a_strict_engine_raises(workspace):
    with Engine.open(Config(), agent="main", strict=True) as engine:
        engine.index(workspace)
        engine._parts.indexes.lexical = Broken(RetrievalError("index gone"))
        with pytest.raises(RetrievalError, match="index gone"):
            engine.recall(PROMPT)


def test_an_altered_model_leaves_keywords_and_says_so(workspace, tmp_path):
    from hookclaw_py.config import EmbedderConfig

    config = Config(embedder=EmbedderConfig(model=str(tmp_path / "no-model-here")))
    with Engine.open(config, agent="main") as engine:
        report = engine.index(workspace)
        assert any("no-model-here" in warning for warning in report.warnings)
        for _ in range(2):  # and it is not remembered as healthy
            injection = engine.recall(PROMPT)
            assert "one object a line" in injection.text
            assert [fault.stage for fault in injection.faults] == ["vector"]
            assert injection.cached == ""
        assert engine.status().problems


@pytest.mark.parametrize("library", ["onnxruntime", "tokenizers", "faiss"])
def test_a_library_that_does_not_load_leaves_keywords_and_says_what_to_install(workspace, library, monkeypatch):
    for module in ("search.local.rough", "search.embedders.onnx_embedder", "search.wordpiece"):
        monkeypatch.delitem(sys.modules, f"hookclaw_py.{module}", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    onnx_runtime.close()  # as in a process of its own: the models of this one share their tokenizer
    lexical, embedder = build.lexical_index(Config(), None), loading.embedder(Config(), Shared())
    vectors = partial(FaissIndex, crossover=1)  # as if they were many
    with Engine(build.store(None), lexical, embedder, config=Config(), vectors=vectors) as engine:
        (warning,) = engine.index(workspace).warnings
        assert re.search(f"{library}.*pip install --force-reinstall .*{library}", warning)
        injection = engine.recall(PROMPT)
        assert "one object a line" in injection.text
        assert any(library in fault.error for fault in injection.faults)


def test_another_agents_prompt_gets_nothing_from_this_store(engine):
    """DESIGN: isolation fails closed."""
    injection = engine.recall(Prompt(PROMPT, datetime.now(UTC), agent_id="other", audience=Audience.OWNER))
    assert (injection.outcome, injection.text) == (Outcome.FAILED, "")


def test_a_hit_whose_chunk_is_gone_is_passed_over(engine):
    search = engine._parts.indexes.lexical.search
    engine._parts.indexes.lexical.search = lambda *what, **how: [Hit("00000000000000aa", 99.0), *search(*what, **how)]
    injection = engine.recall(PROMPT)
    assert "one object a line" in injection.text
    assert injection.faults == ()


def test_a_keyword_folder_that_cannot_be_used_is_replaced_by_memory(workspace, tmp_path):
    """DESIGN: anything but the database can be lost."""
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "lexical").write_text("a file where a folder should be")
    with Engine.open(Config(), folder=folder) as engine:
        engine.index(workspace)
        assert "one object a line" in engine.recall(PROMPT).text
        assert any("keywords are indexed in memory" in problem for problem in engine.status().problems)


def test_another_process_that_writes_the_keyword_index_disturbs_nobody(engine, workspace):
    from filelock import FileLock

    (workspace / "memory/2026-02-10.md").write_text("The spare key of the boat is with Ilse.\n")
    with Engine.open(Config(), agent="main") as writer:
        writer.index(workspace)
    (workspace / "memory/2026-02-11.md").write_text("The anchor chain was replaced in Gdynia.\n")
    with FileLock(Path(engine.store.place) / "lexical.lock"), FileLock(Path(engine.store.place) / "index.lock"):
        engine.catch_up()  # a busy machine may need longer for it than a recall waits
        injection = engine.recall("who has the spare key of the boat?")
        assert "Ilse" in injection.text
        assert injection.faults == ()


class Unhurried(TantivyIndex):
    """A keyword index that begins to write when it is let."""

    may_write = threading.Event()

    def alone(self, wait_seconds):
        self.may_write.wait(10)
        return super().alone(wait_seconds)


def test_what_takes_long_to_catch_up_does_not_hold_up_the_prompt(engine):
    """Mend 18: the deadline holds for everything that a prompt waits for."""
    engine.store.set_meta("k", 1)
    lexical = Unhurried(Path(engine.store.place) / "lexical")
    with again(engine, lexical=lexical) as other:
        lexical.may_write.set()
        other.catch_up()
        lexical.may_write.clear()
        engine.store.mark(engine.store.all_chunks()[0].memory, "pin", at=datetime.now(UTC))
        injection = other.recall(PROMPT, timeout_ms=1000)
        lexical.may_write.set()
    assert "one object a line" in injection.text
    assert "still reading what is new" in injection.faults[0].error


def test_a_closed_engine_answers_nothing(workspace):
    with Engine.open(Config(), agent="main") as engine:
        engine.index(workspace)
        assert engine.recall(PROMPT).text
    assert (engine.recall(PROMPT).outcome, engine.recall(PROMPT).reason) == (Outcome.FAILED, "this engine is closed")


def test_a_look_leaves_no_trace(engine):
    engine.recall(PROMPT, session="s", record=False)
    assert engine.metrics.snapshot()["calls"] == 0
    assert engine.agent_end("s", "one object a line, JSON") == {}
