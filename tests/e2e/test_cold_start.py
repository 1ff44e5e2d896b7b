"""A command that answers one prompt and ends: what it loads, and what it leaves alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner

from hookclaw_py.cli.commands import main
from hookclaw_py.cli.demonstration import SOURCE
from hookclaw_py.engine import Engine
from hookclaw_py.search.loading import READER
from tests.calls import calls

AT = ["--at", "2026-02-20T10:00:00+01:00"]
QUESTION = "What did we decide about the logging format?"
WATCHED = """
import atexit, gc, json, os, sys, threading
opened, collections, beside = [], [], []
sys.addaudithook(lambda event, about: opened.append(str(about[0])) if event == "open" else None)
sys.addaudithook(
    lambda event, about: beside.append(str(about[0]))
    if event == "open" and threading.current_thread() is not threading.main_thread()
    else None
)
gc.callbacks.append(lambda phase, info: collections.append(info["generation"]) if phase == "start" else None)


@atexit.register
def tell():
    told = {"opened": opened, "collections": collections, "frozen": gc.get_freeze_count(), "beside": beside}
    told["loaded"] = list(sys.modules)
    told["blas"] = os.environ["OPENBLAS_NUM_THREADS"]
    print(json.dumps(told), file=sys.stderr)


from hookclaw_py.__main__ import start

start()
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home whose agent "main" knows the demo's notes."""
    folder = tmp_path_factory.mktemp("cold-home")
    result = CliRunner().invoke(main, ["index", str(SOURCE)], env={"HOOKCLAW_HOME": str(folder)})
    assert result.exit_code == 0, result.output
    return folder


def watched(home, *arguments) -> tuple[str, dict[str, Any]]:
    """Run a command in a process of its own; return its answer and what was seen of it."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**plain, "HOOKCLAW_HOME": str(home)},
    )
    return done.stdout, json.loads(done.stderr.splitlines()[-1])


def test_a_command_neither_looks_for_garbage_at_each_turn_nor_through_everything_at_its_end(home):
    answer, seen = watched(home, "recall", QUESTION, *AT)
    assert "stack traces" in answer
    assert len(seen["collections"]) < 20  # with the usual thresholds two hundred
    assert seen["frozen"] > 10_000


def test_no_thread_of_numpys_waits_busily_for_small_products(home):
    _, seen = watched(home, "recall", QUESTION, *AT)
    assert seen["blas"] == "1"


def test_a_command_does_not_search_what_else_is_installed(home):
    _, seen = watched(home, "recall", QUESTION, *AT)
    assert [file for file in seen["opened"] if file.endswith("entry_points.txt")] == []


def test_a_recall_loads_nothing_that_reads_notes_or_makes_memories_of_sessions(home):
    answer, seen = watched(home, "recall", QUESTION, *AT)
    assert "stack traces" in answer
    parts = {name.removeprefix("hookclaw_py.") for name in seen["loaded"] if name.startswith("hookclaw_py.")}
    assert {part.split(".")[0] for part in parts} & {
        "distil",
        "consolidate",
        "capture",
        "llm",
        "session_start",
    } == set()
    assert {"ingest.indexer", "ingest.markdown", "ingest.transcripts", "cli.history_commands"} & parts == set()
    assert "pathspec" not in seen["loaded"]


def test_what_names_a_time_is_compiled_for_a_prompt_that_may_name_one():
    script = (
        "import re\nfrom hookclaw_py.regex import COMPILED\nfrom hookclaw_py.stages.periods import find_period\n"
        "from datetime import datetime, UTC\n"
        "used = lambda: [key[0] for key, one in COMPILED._known.items() if isinstance(one, re.Pattern)]\n"
        "now, rules = datetime.now(UTC), lambda: sum('(?P<r0>' in expression for expression in used())\n"
        "print(find_period('which tiles?', now=now), rules(), find_period('since yesterday', now=now).phrase, rules() > 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None", "0", "since", "yesterday", "True"]


def test_what_is_wrong_is_known_without_counting_twice_what_is_embedded(home):
    with Engine.open(folder=home / "agents" / "main") as engine, calls() as counted:
        status = engine.status()
    assert status.embedded == status.chunks > 0
    assert (counted["pending_count"], counted["embedded_count"]) == (2, 0)  # the store's, and what it asks


def test_the_reader_is_loaded_beside_the_embedder(home):
    answer, seen = watched(home, "recall", QUESTION, *AT)
    assert "stack traces" in answer
    loaded, beside = ({file for file in seen[key] if file.endswith("model.onnx")} for key in ("opened", "beside"))
    assert len(loaded) == 2
    assert [READER in file for file in beside] == [True]
