"""A person can have peace: nothing told and nothing kept for a while; or look first at what would be told."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from hookclaw_py import Config, Engine, Outcome
from hookclaw_py.cli.commands import main
from hookclaw_py.model.reason import Reason
from hookclaw_py.store import pause as pausing
from tests.conftest import FILLERS
from tests.e2e.test_growing_memory import MONDAY, Host

QUESTION = "which colour has the fence behind the barn?"
SAID = "Please remember that the boiler is serviced by Ottokar every March."


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("HOOKCLAW_HOME", str(home))
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "fence.md").write_text("# Fence\n\nThe fence behind the barn is ochre.\n")
    for word in FILLERS:
        (folder / f"{word}.md").write_text(f"# {word}\n\nA note on {word} and nothing else.\n")
    run("index", str(folder))
    return folder


def run(*words: str) -> str:
    ran = CliRunner().invoke(main, words)
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.output


def test_a_pause_tells_nothing_and_keeps_nothing_until_it_ends(notes: Path):
    with Engine.open() as engine:
        assert "ochre" in engine.recall(QUESTION, session="s").text
    assert "paused until `hookclaw resume`" in run("pause")
    with Engine.open() as engine:
        injection = engine.recall(f"{QUESTION} zanzibarquokka", session="s")
        assert (injection.outcome, injection.text) == (Outcome.SKIPPED, "")
        assert injection.reason == "paused until `hookclaw resume`"
        assert engine.brief("s").text == ""
        engine.history.flush()
    assert "paused until" in run("status")
    assert "paused until" in run("doctor")
    assert "zanzibarquokka" not in run("history")
    assert "it was paused since" in run("resume")
    with Engine.open() as engine:
        assert "ochre" in engine.recall(QUESTION, session="t").text
    assert "it was not paused" in run("resume")


def test_a_pause_of_a_while_ends_by_itself(notes: Path):
    now = datetime.now(UTC)
    with Engine.open() as engine:
        pausing.pause(engine.store, now=now - timedelta(hours=3), until=now - timedelta(hours=1))
        assert "ochre" in engine.recall(QUESTION, session="s").text
        assert pausing.resume(engine.store, now=now) is None
    assert "paused until 2" in run("pause", "--for", "2h")
    assert "write 30m, 2h or 7d" in run("pause", "--for", "soon")
    with Engine.open() as engine:
        assert engine.recall(QUESTION, session="s").why.kind is Reason.PAUSED
        assert "paused" not in run("--agent", "other", "status")


def test_what_is_said_in_a_pause_is_not_captured_then_or_later(notes: Path):
    with Engine.open() as engine:
        pausing.pause(engine.store, now=MONDAY - timedelta(minutes=1))
        Host(engine).turn("s1", SAID, "Noted.", at=MONDAY)
        pausing.resume(engine.store, now=MONDAY + timedelta(minutes=10))
        Host(engine).turn("s1", SAID, "Noted.", at=MONDAY)  # as a host tells again what it recorded
        assert engine.capturing.waiting().captured == 0
        Host(engine).turn("s1", SAID, "Noted.", at=MONDAY + timedelta(hours=1))
        assert engine.capturing.waiting().captured == 2


def test_a_shadow_decides_and_keeps_the_history_and_tells_nothing(notes: Path):
    with Engine.open(Config(shadow=True)) as engine:
        injection = engine.recall(QUESTION, session="s")
        assert (injection.outcome, injection.text, injection.candidates) == (Outcome.SILENT, "", ())
        assert injection.reason.startswith("only a shadow: it would have been told, top relevance")
        assert engine.brief("s").text == ""
        assert engine.agent_end("s", "It is ochre.") == {}
        engine.history.flush()
        assert "ochre" in engine.decided(injection.id).text
        totals = engine.metrics.totals()
        assert not [name for name, _ in totals if name.startswith("injected_")]
    told = json.loads(run("history", "--json"))[0]
    assert (told["outcome"], told["id"]) == ("silent", injection.id)
    (Path(notes).parent / "home" / "config.toml").write_text("shadow = true\n")
    assert "shadow mode: nothing is told" in run("status")
    assert "shadow mode" in run("doctor")
