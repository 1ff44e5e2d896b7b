"""The doctor: what is wrong is found, said, and comes with the command that mends it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import hookclaw_py
from hookclaw_py.cli.openclaw_commands import doctor
from hookclaw_py.config import Config, home
from hookclaw_py.engine import Engine
from hookclaw_py.hosts.checks import Check, Verdict
from hookclaw_py.hosts.openclaw import gateway_checks
from hookclaw_py.hosts.openclaw.gateway import GatewayError, find_gateway
from hookclaw_py.hosts.openclaw.install import install
from hookclaw_py.hosts.openclaw.status import PluginStatus, status
from hookclaw_py.insight import canary, engine_checks
from hookclaw_py.observe import counting

DEMO = Path(hookclaw_py.__file__).parent / "demo"


pytestmark = pytest.mark.usefixtures("no_gateway")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A store of agent "main" with the demo's notes."""
    folder = tmp_path / "workspace"
    shutil.copytree(DEMO, folder)
    with Engine.open(Config()) as engine:
        engine.index(folder)
    home().chmod(0o700)
    return folder


def named(checks: Any) -> dict[str, Check]:
    return {check.name: check for check in checks}


def engine_side(config: Config | None = None, agent: str = "main") -> dict[str, Check]:
    return named(engine_checks.examine(config or Config(), agent))


def test_a_healthy_installation_passes_without_a_gateway(workspace):
    done = CliRunner().invoke(doctor, [])
    assert done.exit_code == 0, done.output
    for line in (
        "✓ model",
        "✓ permissions",
        "✓ store",
        "✓ index: ",
        "✓ canary: asked a real `hookclaw serve`",
        "✓ time",
        "· gateway: no OpenClaw",
    ):
        assert line in done.output
    told = json.loads(CliRunner().invoke(doctor, ["--json"]).output)
    assert told["ok"] is True
    assert {check["name"] for check in told["checks"]} >= {"versions", "configuration", "canary"}


def test_a_missing_store_and_an_empty_one_are_problems(tmp_path):
    done = CliRunner().invoke(doctor, ["--json"])
    assert done.exit_code == 1
    told = {check["name"]: check for check in json.loads(done.output)["checks"]}
    assert told["store"]["remedy"] == "hookclaw index FOLDER, the agent's workspace"
    assert told["canary"]["verdict"] == "note"
    Engine.open(Config()).close()
    assert engine_side()["index"].finding == "agent main's store is empty"
    assert engine_side(agent="../x")["store"].verdict is Verdict.PROBLEM


def test_a_configuration_that_cannot_be_used_ends_the_visit(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text("maxResult = 3")
    done = CliRunner().invoke(doctor, [], obj={"config_file": file})
    assert done.exit_code == 1
    assert "did you mean maxResults?\n    → hookclaw config check" in done.output
    assert "model" not in done.output


def test_an_altered_model_is_found_by_its_hash(tmp_path):
    model = tmp_path / "model"
    shutil.copytree(hookclaw_py.search.models.find_model(Config().embedder.model).folder, model)
    assert engine_checks._model(Config(embedder={"model": str(model)})).verdict is Verdict.OK
    weights = next(file for file in model.iterdir() if file.suffix == ".onnx")
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    check = engine_checks._model(Config(embedder={"model": str(model)}))
    assert check.verdict is Verdict.PROBLEM
    assert "truncated or altered" in check.finding
    assert engine_checks._model(Config(enableVector=False)).verdict is Verdict.NOTE
    assert engine_checks._model(Config(embedder={"backend": "openai"})).verdict is Verdict.NOTE


def test_a_home_that_nobody_can_make_is_a_problem(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    for none in (file, file / "home"):
        assert engine_checks._permissions(none).finding == f"{file} is no folder"
        assert "HOOKCLAW_HOME" in engine_checks._permissions(none).remedy


def test_a_home_that_others_can_read_is_a_problem():
    assert engine_checks._permissions(home() / "nowhere").verdict is Verdict.NOTE
    home().chmod(0o755)
    assert engine_checks._permissions(home()).remedy == f"chmod 700 {home()}"
    home().chmod(0o700)
    assert engine_checks._permissions(home()).verdict is Verdict.OK
    if os.getuid() == 0:
        os.chown(home(), 12345, 12345)
        assert engine_checks._permissions(home()).remedy.startswith("sudo chown")


def test_a_damaged_store_a_lost_workspace_and_missing_vectors_are_told_apart(workspace):
    file = home() / "agents/main/memory.db"
    with Engine.open(Config(enableVector=False)) as engine:
        (workspace / "memory/2026-02-19.md").write_text("# New\n\nA note that has no vector yet.\n")
        engine.index()
    assert engine_side()["index"].finding.endswith("have no vector yet")
    shutil.rmtree(workspace)
    assert engine_side()["index"].remedy == "hookclaw --agent main index --move FOLDER"
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    checks = engine_side()
    assert checks["store"].verdict is Verdict.PROBLEM
    assert checks["store"].remedy == "hookclaw --agent main index --rebuild"


def test_the_doctor_says_what_groups_hear_of_and_what_was_left_behind(workspace):
    assert "no note is shared" in engine_side()["sharing"].finding
    assert "left behind" not in engine_side()
    shared = Config(shared=["memory/**"])
    with Engine.open(shared) as engine:
        count = len([path for path in engine.store.files() if path.startswith("memory/")])
        engine.store.add_counts(dict([counting.left_behind("lexical")]))
    seen = engine_side(shared)
    assert f"hear of {count} file" in seen["sharing"].finding
    assert (seen["left behind"].verdict, "1 of lexical" in seen["left behind"].finding) == (Verdict.NOTE, True)
    assert CliRunner().invoke(doctor, []).exit_code == 0, "it is past"


@pytest.mark.slow
def test_the_canary_dies_when_the_process_cannot_run_or_does_not_answer(workspace, tmp_path):
    def sung(python: str) -> dict[str, Check]:
        return named(canary.examine("main", python, budget_ms=1500, seconds=1))

    assert "cannot be run" in sung("/nowhere/python")["canary"].finding
    for text, finding in {
        "echo 'No module named hookclaw_py' >&2; exit 1": "hookclaw serve ended: No module named hookclaw_py",
        """read x; echo '{"id":"0","error":{"code":"INTERNAL_ERROR","message":"odd"}}'; cat >/dev/null""": "INTERNAL_ERROR: odd",
        "while read x; do :; done": "does not answer within",
        """while read x; do i=$((${i:--1}+1)); echo "{\\"id\\":\\"$i\\",\\"result\\":{\\"outcome\\":\\"silent\\",\\"reason\\":\\"no\\"}}"; done""": "none of 3 questions about its own notes brought them back (silent: no)",
    }.items():  # fmt: skip
        script = tmp_path / "python"
        script.write_text(f"#!/bin/sh\nPATH=/bin:/usr/bin\n{text}\n")
        script.chmod(0o755)
        check = sung(str(script))["canary"]
        assert check.verdict is Verdict.PROBLEM
        assert finding in check.finding
    slow = named(canary.examine("main", sys.executable, budget_ms=0.001))
    assert slow["canary"].verdict is Verdict.OK
    assert slow["time"].remedy.startswith("openclaw config set")


HALF = """#!{python}
import json, sys
for text in sys.stdin:
    line = json.loads(text)
    block = " ".join('path="%s"' % path for path in {paths})
    faults = [{{"stage": "vector", "error": "the model is gone"}}]
    print(json.dumps({{"id": line["id"], "result": {{"outcome": "injected", "text": block, "faults": faults}}}}), flush=True)
"""


def test_a_failing_half_of_the_search_is_a_problem_although_the_note_comes_back(workspace, tmp_path):
    paths = [path.relative_to(workspace).as_posix() for path in workspace.rglob("*.md")]
    script = tmp_path / "python"
    script.write_text(HALF.format(python=sys.executable, paths=paths))
    script.chmod(0o755)
    check = named(canary.examine("main", str(script), budget_ms=60_000))["canary"]
    assert check.verdict is Verdict.PROBLEM
    assert check.finding == "it answers, but part of the search fails: vector: the model is gone"


def test_the_canary_leaves_no_trace_in_history_statistics_or_what_was_learned(workspace):
    def recorded() -> dict[str, list[object]]:
        connection = sqlite3.connect(home() / "agents/main/memory.db")
        rows = {name: list(connection.execute(f"SELECT * FROM {name}")) for name in ("events", "decisions", "counts")}
        connection.close()
        return rows

    before = recorded()
    checks = named(canary.examine("main", sys.executable, budget_ms=60_000))
    assert checks["canary"].verdict is Verdict.OK
    assert recorded() == before


# The gateway's side

ANSWERS = """#!/bin/sh
case "$1 $2" in
  "--version "*) echo "OpenClaw {version}";;
  *) cat {answer}; exit {code};;
esac
"""


@pytest.fixture
def found(tmp_path: Path) -> PluginStatus:
    """A gateway with the plugin in it and a turn behind it."""
    answer(tmp_path, '{"plugin": {"status": "loaded"}, "diagnostics": []}')
    (tmp_path / "state/openclaw.json").write_text("{}")
    gateway = find_gateway()
    install(gateway, sys.executable, by_hand=True)
    last = {"at": "2026-02-20T10:00:00Z", "outcome": "injected", "reason": "top relevance 0.9"}
    (gateway.folder / "record.json").write_text(
        json.dumps({"last": last, "outcomes": {"injected": 1}, "p50Ms": 8, "p95Ms": 20})
    )
    return status(gateway)


def answer(tmp_path: Path, text: str, *, version: str = "2026.9.6", code: int = 0) -> None:
    file = tmp_path / "bin/openclaw"
    file.parent.mkdir(exist_ok=True)
    (tmp_path / "answer").write_text(text)
    file.write_text(ANSWERS.format(version=version, answer=tmp_path / "answer", code=code).replace("cat ", "/bin/cat "))
    file.chmod(0o755)


def test_the_doctor_looks_at_the_store_of_the_gateway_it_found(found, workspace):
    work = replace(found, profile="work")
    Engine.open(Config(enableVector=False), agent="shop-3f9a").close()
    assert gateway_checks.store_of("main", replace(found, profile="")) == "main"
    assert gateway_checks.store_of("main", work) == "main@work", "although the usual profile's main has a store here"
    assert gateway_checks.store_of("main@old", work) == "main@old"
    assert gateway_checks.store_of("shop-3f9a", work) == "shop-3f9a", "no gateway's agent, a project"


def gateway_side(found: PluginStatus) -> dict[str, Check]:
    return named(gateway_checks.examine(found, None))


def test_a_plugin_that_works_passes(found):
    checks = gateway_side(found)
    assert {name for name, check in checks.items() if check.verdict is Verdict.OK} == {"gateway", "plugin", "interpreter", "hooks", "loaded", "fired", "turns"}  # fmt: skip
    assert "last turn 2026-02-20T10:00:00Z (injected: top relevance 0.9)" in checks["fired"].finding


@pytest.mark.parametrize(
    ("change", "name", "finding", "remedy"),
    [
        ({"installed": False}, "plugin", "not in the gateway's configuration", "hookclaw openclaw install"),
        ({"current": False}, "plugin", "of another version", "hookclaw openclaw install"),
        ({"home": "/elsewhere"}, "plugin", "this shell looks at", "HOOKCLAW_HOME=/elsewhere hookclaw doctor"),
        ({"enabled": False}, "plugin", "disabled", "hookclaw openclaw install"),
        ({"allowed": False}, "plugin", "plugins.allow leaves it out", "hookclaw openclaw install"),
        ({"python": "/nowhere/python"}, "interpreter", "cannot be run", "hookclaw openclaw install"),
        ({"python": ""}, "interpreter", "names no Python", "hookclaw openclaw install"),
        ({"hooks_allowed": False}, "hooks", "it would load and do nothing", "openclaw config set plugins.entries.hookclaw.hooks"),
        ({"record": {}}, "fired", "no turn has reached it yet", "openclaw gateway restart"),
        ({"record": {"last": {"at": "t", "outcome": "failed", "reason": "it died"}}}, "fired", "failed: it died", "openclaw logs"),
        ({"record": {"last": {"at": "t", "outcome": "silent"}, "p95Ms": 1600}}, "turns", "up to 1600 ms", "openclaw config set plugins.entries.hookclaw.config.budgetMs"),
    ],
)  # fmt: skip
def test_each_thing_that_can_be_wrong_is_named_with_its_remedy(found, change, name, finding, remedy):
    check = gateway_side(replace(found, **change))[name]
    assert check.verdict is Verdict.PROBLEM
    assert finding in check.finding
    assert check.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("said", "version", "verdict", "finding"),
    [
        ('{"plugin": {"status": "error", "error": "boom"}, "diagnostics": []}', "2026.9.6", Verdict.PROBLEM, "error: boom"),
        ('{"plugin": {"status": "loaded"}, "diagnostics": [{"message": "blocked hook"}]}', "2026.9.6", Verdict.PROBLEM, "blocked hook"),
        ("config is invalid", "2026.9.6", Verdict.PROBLEM, "config is invalid"),
        ('{"plugin": {"status": "loaded"}, "diagnostics": [{"message": "OpenClaw can\'t verify where this plugin came from."}]}', "2026.9.6", Verdict.NOTE, "did not install it"),
        ('note\n{"plugins": [{"id": "x"}, {"id": "hookclaw", "status": "loaded"}]}', "2026.3.13", Verdict.OK, "loads it"),
        ('{"plugins": [{"id": "x"}]}', "2026.3.13", Verdict.PROBLEM, "it knows no such plugin"),
    ],
)  # fmt: skip
def test_the_gateway_itself_is_asked_whether_it_loads_the_plugin(found, tmp_path, said, version, verdict, finding):
    answer(tmp_path, said, version=version)
    check = gateway_side(found)["loaded"]
    assert check.verdict is verdict
    assert finding in check.finding


def test_without_the_gateways_command_the_rest_is_still_looked_at(found, tmp_path):
    (tmp_path / "bin/openclaw").unlink()
    checks = gateway_side(found)
    assert checks["loaded"].verdict is Verdict.NOTE
    assert checks["fired"].verdict is Verdict.OK


def test_no_gateway_is_a_note_and_a_named_one_that_is_not_there_a_problem(tmp_path):
    none = gateway_checks.gateway_status(None)
    assert isinstance(none, Check)
    assert none.verdict is Verdict.NOTE
    named_one = gateway_checks.gateway_status(tmp_path / "nowhere")
    assert isinstance(named_one, Check)
    assert named_one.verdict is Verdict.PROBLEM
    with pytest.raises(GatewayError):
        find_gateway(tmp_path / "nowhere")
