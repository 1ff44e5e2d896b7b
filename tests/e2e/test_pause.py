"""A person can have peace: nothing told and nothing kept for a while; or look first at what would be told."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from hookclaw_py import Config, Engine, Outcome
from hookclaw_py.cli.commands import main
from hookclaw_py.errors import StoreError
from hookclaw_py.messages import opening
from hookclaw_py.model.reason import Reason
from hookclaw_py.store import database
from hookclaw_py.store import pause as pausing
from hookclaw_py.store.switches import SWITCH, HomeFacts, switch_capture
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
    assert "(silent: all agents are paused until `hookclaw resume`" in run("brief")
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


def told(agent: str) -> str:
    """Return what an agent is told, and let a turn of it be reported."""
    with Engine.open(agent=agent) as engine:
        Host(engine).turn(f"s{datetime.now(UTC)}", SAID, "Noted.", at=datetime.now(UTC))
        return engine.recall(QUESTION).reason


def captured(agent: str) -> int:
    with Engine.open(agent=agent) as engine:
        return engine.capturing.waiting().captured


def test_a_pause_holds_for_every_agent_those_that_come_included_and_one_of_a_name_for_it_alone(notes: Path):
    told("shop-1")
    assert captured("shop-1") == 2
    assert "all agents are paused until `hookclaw resume`" in run("pause")
    for agent in ("main", "shop-1", "shop-2"):
        assert told(agent) == "paused until `hookclaw resume`", agent
        assert "all agents are paused until `hookclaw resume`" in run("status", "--agent", agent)
        assert "all agents are paused until `hookclaw resume`" in run("doctor", "--agent", agent)
        assert "nothing is captured: paused until `hookclaw resume`" in run("capture", "status", "--agent", agent)
    assert [captured(agent) for agent in ("main", "shop-1", "shop-2")] == [0, 2, 0]
    assert "all agents are still paused until `hookclaw resume`" in run("resume", "--agent", "shop-1")
    assert "memory goes on; it was paused since" in run("resume")
    assert "paused" not in run("status", "--agent", "shop-1")

    assert "agent shop-1 is paused until `hookclaw --agent shop-1 resume`" in run("pause", "--agent", "shop-1")
    assert told("shop-1") == "paused until `hookclaw --agent shop-1 resume`"
    assert "paused" not in told("shop-2")
    assert "agent shop-1 is still paused until `hookclaw --agent shop-1 resume`" in run("resume")
    assert [captured(agent) for agent in ("shop-1", "shop-2")] == [2, 2]
    run("resume", "--agent", "shop-1")
    assert "paused" not in told("shop-1")


def test_what_was_said_in_a_pause_of_all_is_not_taken_in_later_and_doors_say_why(notes: Path):
    told("shop-1")
    run("pause")
    paused = datetime.now(UTC)
    assert opening.is_paused("main")
    assert opening.is_paused("nobody-yet")
    run("resume")
    assert not opening.is_paused("main")
    with Engine.open(agent="shop-1") as engine:
        Host(engine).turn("late", SAID, "Noted.", at=paused)
        assert engine.capturing.waiting().captured == 2


def test_where_nobody_can_read_who_is_paused_all_are(notes: Path):
    file = Path(notes).parent / "home" / "switches.json"
    file.write_text("{")
    with Engine.open() as engine:
        assert engine.recall(QUESTION).reason == "paused until `hookclaw resume`"
    with pytest.raises(StoreError, match="it says what is switched off"):
        told("main")
    assert "mend it, or delete it" in run("resume")
    file.unlink()
    assert "paused" not in told("main")


def test_what_many_switch_off_at_once_is_all_off(notes: Path):
    home = Path(notes).parent / "home"
    names = [f"n{number}" for number in range(8)]
    stores = {name: database.opened(home / "agents" / "main") for name in names}

    def switch_off(name: str) -> None:
        switch_capture(HomeFacts(home, name), False)
        pausing.pause(HomeFacts(home, name), now=MONDAY)
        with stores[name] as store:
            switch_capture(store, False, session=name)

    with ThreadPoolExecutor(len(names)) as threads:
        list(threads.map(switch_off, names))
    assert HomeFacts(home).agents() == names
    assert all(HomeFacts(home, name).get_meta(SWITCH)["off"] for name in names)
    assert all(len(pausing.pauses(HomeFacts(home, name))) == 1 for name in names)
    with Engine.open() as engine:
        assert sorted(engine.switches.without()) == names


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
    assert "canary: not asked, since nothing is told: shadow mode" in " ".join(run("doctor").split())


def test_the_doctor_asks_nothing_while_nothing_is_told(notes: Path):
    assert "came back" in run("doctor")
    run("pause")
    said = run("doctor")
    assert "canary: not asked, since nothing is told: paused until `hookclaw resume`" in " ".join(said.split())
    assert "none of" not in said
    run("resume")
    assert "came back" in run("doctor")
