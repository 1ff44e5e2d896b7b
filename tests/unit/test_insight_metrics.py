"""The counters of a store: they add up to the number of prompts, over restarts, engines and processes, and can be read."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from hookclaw_py import Config, Engine
from hookclaw_py.cli.commands import main
from hookclaw_py.config import home
from hookclaw_py.doors import answers
from hookclaw_py.errors import RetrievalError
from hookclaw_py.insight.exposition import MOST_SERIES, exposition
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Fault, Injection, Outcome, Prompt
from hookclaw_py.observe import counting, metrics_document
from hookclaw_py.observe.counting import FAMILIES
from hookclaw_py.observe.metrics import Metrics, MiscountError, prompts
from hookclaw_py.observe.metrics_document import Histogram, document, series
from hookclaw_py.store import freshness
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.store.database import Store
from tests.conftest import FILLERS
from tests.unit.exposition_lint import lint, parse

QUIET = Config(enableVector=False, logInjections=False, minScore=0.5, keepHistory=False)
NOTE = "The staging build failed with NETSDK1005; the fix was to delete the obj folder and restore again."
ASKED = "The build fails with NETSDK1005 again, what was the fix?"
ASK = {
    "injected": ASKED,
    "fuzzy": "please, the build fails with NETSDK1005 again, what was the fix?",
    "silent": "Who painted the harbours of Rotterdam, Genoa, Marseille and Lisbon?",
    "short": "ok",
    "pattern": "Write me a haiku about the autumn leaves.",
    "payload": '{"jsonrpc": "2.0", "result": {"status": "done", "items": [1, 2, 3]}}',
}
KINDS = [*ASK, "heartbeat", "stranger", "repeat", "raises"]


def workspace(folder: Path) -> Path:
    (folder / "memory").mkdir(parents=True)
    fillers = "\n\n".join(f"## About {word}\n\nA filler note on {word}, and nothing else." for word in FILLERS[:8])
    (folder / "memory" / "2026-02-10.md").write_text(f"## Builds\n\n{NOTE}\n\n{fillers}\n", encoding="utf-8")
    return folder


class Broken:
    """A keyword index that cannot answer."""

    def __init__(self, lexical):
        self._lexical = lexical

    def __getattr__(self, name):
        return getattr(self._lexical, name)

    def search(self, terms, pool_size, *, context_boost):
        raise RetrievalError("the disk is gone")


def ask(engine: Engine, kind: str) -> None:
    now = datetime.now(UTC)
    if kind == "heartbeat":
        engine.recall(
            Prompt(
                "Check the inbox and the calendar.", now, agent_id="main", trigger="heartbeat", audience=Audience.OWNER
            )
        )
    elif kind == "stranger":
        engine.recall(Prompt(ASKED, now, agent_id="somebody else", audience=Audience.OWNER))
    elif kind == "repeat":
        engine.recall(
            Prompt(ASKED, now, agent_id="main", session_id="s", conversation=(NOTE,), audience=Audience.OWNER)
        )
    elif kind == "raises":
        lexical, engine._parts.indexes.lexical = engine._parts.indexes.lexical, Broken(engine._parts.indexes.lexical)
        try:
            engine.recall("Who broke the keyword index of the Lantern proxy?", session="s")
        except RetrievalError:
            assert engine._parts.strict
        finally:
            engine._parts.indexes.lexical = lexical
    else:
        engine.recall(ASK[kind], session="s")


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    return workspace(tmp_path_factory.mktemp("workspace"))


@pytest.fixture
def folder(tmp_path, notes):
    """A store that has read the notes."""
    with Engine.open(QUIET, folder=tmp_path / "store", strict=True) as engine:
        engine.index(notes)
    return tmp_path / "store"


def stored(folder: Path) -> dict:
    with Store.open(folder) as store:
        return store.counts()


def told(folder: Path) -> dict:
    with Store.open(folder) as store:
        return document("main", store, store.counts(), now=datetime.now(UTC))


# Adding up


@settings(max_examples=12)
@given(st.lists(st.lists(st.sampled_from(KINDS), max_size=8), min_size=1, max_size=3), st.booleans())
def test_any_mix_of_prompts_adds_up_over_restarts_and_two_engines_on_one_store(tmp_path_factory, notes, runs, strict):
    folder = tmp_path_factory.mktemp("store")
    with Engine.open(QUIET, folder=folder) as beside:
        beside.index(notes)
        for kinds in runs:
            with Engine.open(QUIET, folder=folder, strict=strict) as engine:
                for kind in kinds:
                    ask(engine, kind)
                    ask(beside, kind)
    total = 2 * sum(map(len, runs))
    assert set(prompts(stored(folder)).values()) == {total}
    seen = told(folder)
    assert seen["prompts"] == sum(seen["outcomes"].values()) == sum(seen["cache"].values()) == total
    assert sum(sum(reasons.values()) for reasons in seen["reasons"].values()) == total
    assert seen["latencyMs"]["all"]["count"] == total


def test_each_outcome_is_told_with_its_reason(folder):
    with Engine.open(QUIET, folder=folder) as engine:
        for kind in (*KINDS, "injected"):
            ask(engine, kind)
    seen = told(folder)
    assert seen["reasons"] == {
        "injected": {"relevant": 3},
        "silent": {"below_floor": 1, "in_conversation": 1},
        "skipped": {"too_short": 1, "pattern_verse_or_joke": 1, "payload": 1, "heartbeat": 1},
        "failed": {"wrong_agent": 1, "no_retriever": 1},
    }
    assert seen["cache"] == {"none": 9, "exact": 1, "fuzzy": 1}
    assert seen["faults"] == {"bm25": 1}
    assert seen["chunks"] == {
        "injected": 3,
        "foundBy": {"bm25": 3},
        "bySource": {"memory": 3},
        "repeated": 2,
        "redactedSecrets": 0,
    }
    assert {name: seen["blocks"][name] for name in ("injected", "first", "same", "changed")} == {
        "injected": 3,
        "first": 1,
        "same": 2,
        "changed": 0,
    }
    assert seen["blocks"]["tokens"] == pytest.approx(seen["blocks"]["bytes"] / 4, abs=3)
    assert seen["stagesMs"]["bm25"]["count"] >= 3
    assert seen["rejectedBy"]["conversation"] == 1


def test_a_look_is_not_counted(folder):
    with Engine.open(QUIET, folder=folder) as engine:
        engine.recall(ASKED, record=False)
        assert engine.metrics.snapshot()["calls"] == 0
    assert stored(folder) == {}


def test_many_threads_and_two_engines_lose_nothing(folder):
    with Engine.open(QUIET, folder=folder) as one, Engine.open(QUIET, folder=folder) as two:

        def run(number: int) -> None:
            for kind in ("short", "injected", "short"):
                ask((one, two)[number % 2], kind)
            (one, two)[number % 2].metrics.flush(5.0)

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(run, range(32)))
    assert prompts(stored(folder)) == {"outcomes": 96, "latencies": 96}


def test_another_process_that_is_killed_loses_a_second_at_most(folder):
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom hookclaw_py import Config, Engine\n"
        "engine = Engine.open(Config(enableVector=False), folder=Path(sys.argv[1]))\n"
        "for _ in range(7):\n    engine.recall('ok')\n"
        "print('asked', flush=True)\ntime.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        assert process.stdout.readline() == "asked\n"
        until = monotonic() + 10
        while not stored(folder) and monotonic() < until:
            sleep(0.05)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert prompts(stored(folder))["outcomes"] == 7


def test_a_program_that_never_closes_its_engine_loses_nothing(folder):
    script = (
        "import sys\nfrom pathlib import Path\nfrom hookclaw_py import Config, Engine\n"
        "Engine.open(Config(enableVector=False), folder=Path(sys.argv[1])).recall('ok')\n"
    )
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True, capture_output=True)
    assert prompts(stored(folder))["outcomes"] == 1


def test_a_store_that_is_being_written_delays_no_prompt_and_is_counted_into_later(folder):
    writer = sqlite3.connect(folder / "memory.db", isolation_level=None)
    with Engine.open(QUIET, folder=folder, strict=True) as engine:
        writer.execute("BEGIN IMMEDIATE")
        assert engine.recall("ok").faults == ()  # whoever had waited for the writer would say that it went on and on
        assert answers.metrics(engine)["prompts"] == 1  # not saved, but known
        assert prompts(stored(folder))["outcomes"] == 0
        writer.execute("ROLLBACK")
    writer.close()
    assert prompts(stored(folder))["outcomes"] == 1


@pytest.mark.parametrize("tampering", ["amount = amount + 1", "amount = 0"])
def test_numbers_that_do_not_add_up_are_told_at_the_end(folder, tampering):
    engine = Engine.open(QUIET, folder=folder, strict=True)
    engine.recall("ok")
    engine.metrics.flush()
    with sqlite3.connect(folder / "memory.db") as writer:
        writer.execute(f"UPDATE counts SET {tampering} WHERE name = 'prompts_total'")
    writer.close()
    with pytest.raises(MiscountError, match=r"the store do not add up: outcomes \d, latencies 1"):
        engine.close()
    engine.close()  # the second time there is nothing left to do


def test_a_prompt_that_was_counted_nowhere_is_told_too():
    metrics = Metrics(strict=True)
    metrics.record(Injection("i", Outcome.SILENT, Why(Reason.OTHER)), 1.0)
    metrics._decisions.clear()
    with pytest.raises(MiscountError, match="calls 1, outcomes 0"):
        metrics.close()


# The circuit, the index


def test_the_circuit_is_told_while_it_is_open_and_forgotten_with_its_process(folder):
    with Engine.open(QUIET, folder=folder) as engine:

        def broken():
            raise RetrievalError("no model")

        for _ in range(3):
            with pytest.raises(RetrievalError):
                engine._parts.circuit.guard(broken)
        seen = answers.metrics(engine)["circuit"]
        assert seen["state"] == "open"
        assert seen["transitions"] == {"open": 1}
        assert told(folder)["circuit"]["state"] == "open"  # what another process sees
    assert told(folder)["circuit"]["state"] == "closed"
    assert told(folder)["circuit"]["transitions"] == {"open": 1}


def test_the_index_says_how_fresh_it_is(tmp_path, folder):
    seen = told(folder)["index"]
    assert (seen["files"], seen["chunks"], seen["pending"]) == (1, 9, 0)
    assert 0 <= seen["secondsSinceIndex"] < 60
    with Store.open(tmp_path / "new") as store:
        new = document("main", store, {}, now=datetime.now(UTC))["index"]
    assert (new["indexedAt"], new["secondsSinceIndex"], new["chunks"]) == (None, None, 0)


def test_what_waits_to_be_embedded_is_counted_without_the_model(folder):
    with Store.open(folder) as store:
        freshness.note_indexing(store, at=datetime.now(UTC), model_id="some model")
        assert freshness.freshness(store).pending == 9


# The document


def fields_of(docstring: str) -> set[str]:
    """Return the top-level fields that the module's docstring names: what stands before a colon or in a list."""
    return set(re.findall(r"``(\w+)``", docstring))


def test_every_field_of_the_document_is_described(folder):
    with Engine.open(QUIET, folder=folder) as engine:
        ask(engine, "injected")
        seen = answers.metrics(engine)
    assert set(seen) <= fields_of(metrics_document.__doc__)
    assert seen["schemaVersion"] == 1
    json.dumps(seen)


def test_quantiles_are_those_of_prometheus():
    one = Histogram((1.0, 2.0, 4.0))
    for upper, count in ((1.0, 2), (2.0, 6), (4.0, 2)):
        one.add(upper, count)
    assert one.quantile(0.5) == 1.5
    assert one.quantile(0.2) == 1.0
    assert one.quantile(1.0) == 4.0
    one.add(float("inf"), 90)
    assert one.quantile(0.99) == 4.0  # beyond the last bound nothing better is known
    assert Histogram((1.0,)).quantile(0.5) == 0.0


def test_series_of_another_version_are_left_out_and_its_buckets_find_a_place():
    totals = {
        ("prompts_total", ("injected", "relevant", "none", "no")): 2.0,
        ("prompts_total", ("injected",)): 9.0,
        ("recall_duration_seconds", ("injected", "0.0033")): 4.0,
        ("recall_duration_seconds_sum", ("injected",)): 1.0,
        ("an_old_family_total", ("x",)): 3.0,
    }
    assert sum(series(totals, "prompts_total").values()) == 2
    (one,) = metrics_document.histograms(totals, "recall_duration_seconds").values()
    assert one.counts[one.bounds.index(0.005)] == 4
    assert one.sum == 1.0


# Prometheus


@pytest.fixture(scope="module")
def text(tmp_path_factory, notes):
    """The exposition of a store in which everything that is counted was counted at least once."""
    config = QUIET.model_copy(update={"enable_feedback_loop": True})
    with Engine.open(config, folder=tmp_path_factory.mktemp("store")) as engine:
        engine.index(notes)
        for kind in (*KINDS, "injected"):
            ask(engine, kind)
        engine.agent_end("s", "Delete the obj folder and restore again.")
        engine.metrics.undelivered()
        engine.metrics.left_behind("vector")
        engine.metrics.captured("tool_call", "queued")
        engine.metrics.lost(2)
        engine.store.add_counts({("model_requests_total", ("used",)): 1, ("model_tokens_total", ()): 120})
        engine.metrics.object_to(["a", "b"])
        engine.metrics.circuit("half-open", "2026-02-20T10:00:00+00:00")
        injection = Injection(
            "i", Outcome.INJECTED, Why(Reason.RELEVANT), "another block", (), faults=(Fault("vector", 'a "b"\n\\'),)
        )
        engine.metrics.record(
            injection,
            1.0,
            prompt=Prompt(ASKED, datetime.now(UTC), agent_id="main", session_id="s", audience=Audience.OWNER),
        )
        sent = {"sent": 3, "delivered": 2, "woken": 2, "refused": 0}
        told = answers.metrics(engine, sent)
        assert told["messages"] == sent
        yield exposition("main", engine.metrics.totals() | counting.of_messages(sent), told)


def test_an_independent_parser_reads_every_family_and_the_prompts_add_up(text):
    families, samples = parse(text)
    assert {f"hookclaw_{name}" for name in FAMILIES} <= set(families)
    asked = sum(value for (name, _), value in samples.items() if name == "hookclaw_prompts_total")
    timed = sum(value for (name, _), value in samples.items() if name == "hookclaw_recall_duration_seconds_count")
    assert asked == timed == len(KINDS) + 2
    empty = [name for name in families if not any(sample.startswith(name) for sample, _ in samples)]
    assert not empty


def test_the_lint_rules_of_promtool_find_nothing(text):
    assert lint(text) == []


def test_the_parser_of_prometheus_reads_the_same_numbers(text):
    _, samples = parse(text)
    theirs = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert theirs == samples


def test_the_lint_finds_what_promtool_would_find():
    bad = """# TYPE hookclaw_things counter
hookclaw_things 1
# HELP hookclaw_delay_ms How long.
# TYPE hookclaw_delay_ms gauge
hookclaw_delay_ms{Agent="x"} 1
# HELP hookclaw_open_total Open.
# TYPE hookclaw_open_total gauge
hookclaw_open_total 1
# HELP hookclaw_t_seconds T.
# TYPE hookclaw_t_seconds histogram
hookclaw_t_seconds_bucket{le="1.0"} 3
hookclaw_t_seconds_bucket{le="+Inf"} 2
hookclaw_t_seconds_count 2
hookclaw_t_seconds_sum 2
"""
    found = "\n".join(lint(bad))
    for problem in ("no help", "_total", "base unit", "camelCase", "not cumulative"):
        assert problem in found


def test_every_series_names_its_agent_and_no_family_grows_without_bounds(folder):
    totals = {("faults_total", (f"stage{n}",)): 1.0 for n in range(MOST_SERIES + 50)}
    _, samples = parse(exposition("an-agent.2", totals, told(folder)))
    assert all(("agent", "an-agent.2") in labels for _, labels in samples)
    assert Counter(name for name, _ in samples)["hookclaw_faults_total"] == MOST_SERIES


# The command


@pytest.fixture
def used(notes, monkeypatch):
    """The main agent's store, with some prompts asked."""
    monkeypatch.setenv("HOOKCLAW_ENABLE_VECTOR", "false")
    with Engine.open(QUIET, folder=agent_folder(home(), "main")) as engine:
        engine.index(notes)
        for kind in KINDS:
            ask(engine, kind)
        engine.agent_end("s", "Delete the obj folder and restore again.")


def run(*arguments: str):
    result = CliRunner().invoke(main, ["metrics", *arguments])
    return result.exit_code, result.output


def test_the_command_prints_a_table_with_everything_a_person_looks_for(used):
    code, output = run()
    assert code == 0
    assert f"agent main: {len(KINDS)} prompts" in output
    for word in (
        "pattern verse or joke",
        "below floor",
        "~p95",
        "estimated within the buckets of a histogram",
        "found by",
        "estimated",
        "bm25",
        "rank 1",
        "9 chunks of 1",
    ):
        assert word in output, output


def test_the_command_prints_json_and_prometheus_that_agree(used):
    seen = json.loads(run("--json")[1])
    assert seen["prompts"] == len(KINDS)
    _, samples = parse(run("--prometheus")[1])
    assert sum(value for (name, _), value in samples.items() if name == "hookclaw_prompts_total") == len(KINDS)


def test_an_agent_without_a_memory_is_one_clear_line():
    code, output = run()
    assert code == 2
    assert output.startswith("hookclaw: no memory of agent 'main' here")


def test_a_store_that_was_never_asked_says_so(folder, monkeypatch, notes):
    with Engine.open(QUIET, folder=agent_folder(home(), "main")) as engine:
        engine.index(notes)
    code, output = run()
    assert code == 0
    assert "nothing counted yet" in output
    assert lint(run("--prometheus")[1]) == []


@pytest.mark.parametrize("options", [("--json", "--prometheus"), ("--json", "--dump", "x"), ("--every", "2")])
def test_options_that_do_not_go_together_are_refused(options):
    assert run(*options)[0] == 2


def test_a_dump_is_two_whole_files_and_leaves_nothing_else(used, tmp_path):
    for _ in range(2):
        code, output = run("--dump", str(tmp_path / "out"))
        assert code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["hookclaw-main.json", "hookclaw-main.prom"]
    assert output.split() == [str(tmp_path / "out" / name) for name in ("hookclaw-main.json", "hookclaw-main.prom")]
    assert json.loads((tmp_path / "out" / "hookclaw-main.json").read_text())["prompts"] == len(KINDS)
    assert lint((tmp_path / "out" / "hookclaw-main.prom").read_text()) == []


def test_a_folder_that_cannot_be_written_is_one_clear_line(used, tmp_path):
    (tmp_path / "file").write_text("in the way")
    code, output = run("--dump", str(tmp_path / "file" / "out"))
    assert code == 2
    assert output.startswith("hookclaw: ")
    assert "cannot be written" in output


def test_a_scheduled_dump_goes_on_until_it_is_interrupted(used, tmp_path):
    command = [sys.executable, "-m", "hookclaw_py", "metrics", "--dump", str(tmp_path), "--every", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    file, seen = tmp_path / "hookclaw-main.json", set()
    until = monotonic() + 60
    while len(seen) < 2 and monotonic() < until:
        if file.exists():
            seen.add(json.loads(file.read_text())["at"])  # whole at every moment
        sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert len(seen) == 2, told
    assert process.returncode == 130, told


def test_ctrl_c_when_a_dump_has_just_taken_its_place_is_ctrl_c(used, tmp_path):
    """It was told as a folder that cannot be written, because the part was gone that was to be removed."""
    code = """
        import os, signal, sys
        from hookclaw_py.cli.commands import main
        replace = os.replace
        def interrupted(*places):
            replace(*places)
            os.kill(os.getpid(), signal.SIGINT)
        os.replace = interrupted
        main(["metrics", "--dump", sys.argv[1]])
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "hookclaw: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["hookclaw-main.json"]


def test_engines_that_come_and_go_leave_no_threads(folder):
    with Engine.open(QUIET, folder=folder) as engine:
        engine.recall("ok")
    before = len(threading.enumerate())
    for _ in range(10):
        with Engine.open(QUIET, folder=folder) as engine:
            engine.recall("ok")
    after = [thread.name for thread in threading.enumerate()]
    assert "hookclaw-metrics" not in after
    assert len(after) <= before + 3


def test_a_dump_that_fails_halfway_leaves_no_part_behind(used, tmp_path):
    (tmp_path / "hookclaw-main.json").mkdir()
    code, output = run("--dump", str(tmp_path))
    assert code == 2
    assert "cannot be written" in output
    assert [path.name for path in tmp_path.iterdir()] == ["hookclaw-main.json"]


def test_a_store_that_breaks_while_in_use_costs_numbers_and_nothing_else(folder, caplog):
    engine = Engine.open(QUIET, folder=folder, strict=True)
    engine.store.close()
    engine.metrics.record(Injection("i", Outcome.SILENT, Why(Reason.OTHER)), 1.0)
    engine.close()
    assert "stage metrics failed" in caplog.text
    assert "the store was closed" in caplog.text


def test_a_turn_that_the_user_contradicts_afterwards_is_counted(folder):
    config = QUIET.model_copy(update={"enable_feedback_loop": True})
    with Engine.open(config, folder=folder, strict=True) as engine:
        ask(engine, "injected")
        engine.agent_end("s", "Delete the obj folder and restore again.")
        engine.agent_end("s", "Delete the obj folder and restore again.")  # said twice, counted once
        engine.recall("No, that's outdated. The build needs something else today.", session="s")
        seen = answers.metrics(engine)
    assert (seen["turns"], seen["settled"], seen["objected"]) == (1, {"used": 1}, 1)
