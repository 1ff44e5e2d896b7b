"""What people see of capture, and how they stop it: the commands, the doctor, the panel."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from hookclaw_py.capture.reports import report_of
from hookclaw_py.cli.commands import main
from hookclaw_py.config import Config, home
from hookclaw_py.engine import Engine
from hookclaw_py.insight.doctor import examine
from hookclaw_py.store.agents import agent_folder
from tests.unit.openclaw_state import State, said

NOW = datetime.now(UTC)
HookClaw = Callable[..., str]


@pytest.fixture
def hookclaw(monkeypatch: pytest.MonkeyPatch) -> HookClaw:
    """Return a function that runs a command and returns what it says on both channels."""
    monkeypatch.setenv("HOOKCLAW_ENABLE_VECTOR", "false")

    def run(*words: str, code: int = 0) -> str:
        done = CliRunner().invoke(main, words)
        assert done.exit_code == code, done.output
        return done.output

    return run


def engine() -> Engine:
    return Engine.open(Config(enable_vector=False), folder=agent_folder(home(), "main"))


def happen(session: str = "agent:main:main", **more: object) -> None:
    """Let a prompt be asked and a file be read in a session."""
    told = {"session": session, "run": "r", "audience": "owner", "at": NOW.isoformat(), **more}
    reports = [
        {**told, "kind": "prompt", "payload": {"text": "Where is the key?"}},
        {**told, "kind": "tool_call", "call": "1", "payload": {"tool": "Read", "input": {"path": "a"}, "result": "x"}},
    ]
    with engine() as opened:
        opened.capturing.record([report_of(one, host="openclaw", now=NOW) for one in reports])


def fail_for_good() -> None:
    """Let what waits fail as often as it is tried."""
    with engine() as opened:
        lease = opened.store.lease(now=NOW + timedelta(1), most=9)
        assert lease is not None
        opened.store.fail(lease, "no room", now=NOW, waits=())
        opened.capturing.lost(7)
        opened.recall("When does the ferry to Karlskrona leave?")


def test_what_was_passed_over_is_counted_of_every_kind_and_told_in_json_as_well(hookclaw):
    hookclaw("capture", "off", "--session", "agent:main:web")
    happen("agent:main:web")
    with engine() as opened:
        opened.capturing.lost(7)
    said = hookclaw("capture", "status")
    assert "passed over: 2 off" in said, "a prompt and a call"
    assert "lost: 7" in said
    told = json.loads(hookclaw("capture", "status", "--json"))
    assert (told["passed_over"], told["lost"]) == ({"off": 2}, 7)


def test_a_session_without_a_name_is_not_all_of_them(hookclaw):
    hookclaw("capture", "off")
    assert "it is empty; leave it out to mean all sessions" in hookclaw("capture", "on", "--session", "", code=2)
    assert "nothing is captured: it was switched off" in hookclaw("capture", "status")


def test_it_is_switched_off_and_on_for_one_session_and_for_all(hookclaw):
    assert "no longer captured: agent:main:web" in hookclaw("capture", "off", "--session", "agent:main:web")
    happen("agent:main:web")
    happen()
    assert "1 thing" not in hookclaw("capture", "status")
    assert "2 things said and done in 1 session" in hookclaw("capture", "status")
    assert "not captured: agent:main:web" in hookclaw("capture", "status")
    hookclaw("capture", "on", "--session", "agent:main:web")
    hookclaw("capture", "off")
    happen("agent:main:web")
    said = hookclaw("capture", "status")
    assert "nothing is captured: it was switched off" in said
    assert "passed over: 6 off" not in said
    assert json.loads(hookclaw("capture", "status", "--json"))["switched"]["on"] is False
    hookclaw("capture", "on")
    happen("agent:main:web")
    assert "4 things said and done in 2 sessions" in hookclaw("capture", "status")


def test_off_is_off_for_every_agent_and_with_a_name_for_that_one(hookclaw):
    def shop() -> int:
        """Let something be said to another agent; return how much of its sessions is captured."""
        with Engine.open(Config(enable_vector=False), agent="shop", folder=agent_folder(home(), "shop")) as other:
            told = {"session": "s", "run": f"r{datetime.now(UTC)}", "audience": "owner", "kind": "prompt"}
            report = report_of({**told, "payload": {"text": "Where is it?"}}, host="claude-code", now=NOW)
            other.capturing.record([report])
            return other.capturing.waiting().captured

    assert shop() == 1
    assert "anything, of all agents; `hookclaw capture on`" in hookclaw("capture", "off")
    assert shop() == 1
    for agent in ("main", "shop"):
        said = hookclaw("capture", "status", "--agent", agent)
        assert "nothing is captured: it was switched off; `hookclaw capture on` takes it up again" in said
        assert any(check.remedy == "hookclaw capture on" for check in examine(agent, None, None)) == (agent == "shop")
    hookclaw("capture", "on")
    assert shop() == 2

    assert "anything of agent shop; `hookclaw --agent shop capture on`" in hookclaw("capture", "off", "--agent", "shop")
    assert shop() == 2
    happen()
    assert "2 things said and done" in hookclaw("capture", "status")
    assert "still off: `hookclaw --agent shop capture on`" in hookclaw("capture", "on")
    hookclaw("capture", "on", "--agent", "shop")
    assert shop() == 3


def test_the_configuration_has_the_last_word(hookclaw, monkeypatch):
    monkeypatch.setenv("HOOKCLAW_CAPTURE__ENABLED", "false")
    assert "set capture.enabled = true" in hookclaw("capture", "on")
    assert "nothing is captured: capture.enabled is false" in hookclaw("capture", "status")


def test_the_queue_is_seen_worked_off_and_tried_again(hookclaw):
    """C9: ``hookclaw queue status``, ``process``, ``retry``."""
    assert "0 wait, 0 at work, 0 failed" in hookclaw("queue", "status")
    assert "nothing has failed" in hookclaw("queue", "retry")
    happen()
    assert "1 wait" in hookclaw("queue", "status")
    fail_for_good()
    said = hookclaw("queue", "status")
    assert "1 failed" in said
    assert "no room" in said
    assert json.loads(hookclaw("queue", "status", "--json"))["failed"] == 1
    assert "1 to be tried again" in hookclaw("queue", "retry")
    assert "1 done, 0 failed; 0 wait" in hookclaw("queue", "process")


def test_the_doctor_the_panel_and_the_metrics_say_what_is_captured_failed_and_lost(hookclaw):
    """C19."""
    happen()
    fail_for_good()
    checks = [check for check in examine("main", None, None) if check.name == "capture"]
    said = "\n".join(map(str, checks))
    assert "1 of what was captured could not be worked on: no room" in said
    assert "hookclaw --agent main queue retry" in said
    assert "7 of what happened is lost" in said
    assert "2  things said and done, of 1 session; 1 failed" in hookclaw("stats").replace("\n", " ")
    metrics = json.loads(hookclaw("metrics", "--json"))
    assert (metrics["captured"], metrics["captureLost"]) == ({"queued": 1, "read": 1}, 7)
    hookclaw("queue", "retry")
    hookclaw("capture", "off")
    assert any("it was switched off" in str(check) for check in examine("main", None, None))


def test_what_was_recorded_before_is_taken_in_once(hookclaw, tmp_path, monkeypatch):
    state = State(tmp_path / "state")
    state.file("s1", said(("The cellar key hangs behind the boiler on a red ribbon.", "A red ribbon, good.")))
    state.register({"agent:main:main": {"sessionId": "s1"}})
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(state.folder))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "neither"))
    assert "1 turn of 1 session taken in; 0 failed" in hookclaw("capture", "backfill")
    assert "0 turns of 0 sessions taken in" in hookclaw("capture", "backfill")
    assert "red ribbon" in hookclaw("search", "cellar key")


def test_backfill_without_a_gateway_says_so(hookclaw, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "neither"))
    assert "there is no OpenClaw state folder" in hookclaw("capture", "backfill", "--openclaw", code=2)
    said = hookclaw("capture", "backfill", code=2)
    assert f"{tmp_path}/neither has none of Claude Code" in said
    assert f"{tmp_path}/none is no OpenClaw state folder" in said


@pytest.mark.parametrize("words", [("review",), ("stats",), ("history",), ("recall", "where is the key of the boat?")])
@pytest.mark.parametrize("there", [True, False])
def test_who_looks_into_a_memory_that_is_empty_hears_who_has_one(hookclaw, words, there):
    if there:
        engine().close()
        assert "--agent" not in hookclaw(*words)
    with Engine.open(Config(enable_vector=False), agent="shop", folder=agent_folder(home(), "shop")):
        pass
    said = hookclaw(*words, code=0 if there or words[0] == "recall" else 2)
    assert "`hookclaw --agent shop …`" in said
    assert "`hookclaw --agent main …`" in hookclaw("--agent", "shop", *words) if there else True
    happen()
    assert "--agent shop" not in hookclaw(*words)


@pytest.mark.parametrize("words", [("capture", "status"), ("records", "list"), ("brief",)])
def test_where_nothing_was_captured_the_agents_are_named_of_which_something_was(hookclaw, words):
    engine().close()
    assert "--agent" not in hookclaw(*words)
    with Engine.open(Config(enable_vector=False), agent="shop", folder=agent_folder(home(), "shop")) as other:
        told = {"session": "s", "run": "r", "audience": "owner", "kind": "prompt", "payload": {"text": "Where is it?"}}
        other.capturing.record([report_of(told, host="claude-code", now=NOW)])
    assert "sessions of shop were captured: `hookclaw --agent shop …`" in hookclaw(*words)
    assert "shop" not in hookclaw("--agent", "shop", *words)


def captured_of(agent: str, session: str) -> int:
    """Let something be said in a session of Claude Code; return how much is captured of that agent."""
    with Engine.open(Config(enable_vector=False), agent=agent) as other:
        told = {"session": session, "run": f"r{datetime.now(UTC)}", "audience": "owner", "kind": "prompt"}
        report = report_of({**told, "payload": {"text": "Where is it?"}}, host="claude-code", now=datetime.now(UTC))
        other.capturing.record([report])
        return other.capturing.waiting().captured


def test_a_session_is_left_out_of_the_agent_that_it_is_of(hookclaw):
    assert (captured_of("main", "m1"), captured_of("shop", "s1")) == (1, 1)
    said = hookclaw("capture", "off", "--session", "s1")
    assert "no longer captured: s1 of agent shop; `hookclaw --agent shop capture on --session s1`" in said
    assert (captured_of("shop", "s1"), captured_of("shop", "s2"), captured_of("main", "s1")) == (1, 2, 2)
    assert "not captured: s1" not in hookclaw("capture", "status")
    said = hookclaw("capture", "off", "--session", "nowhere", code=2)
    assert "no agent has heard of session nowhere; name the agent that it is of (main, shop)" in said
    hookclaw("capture", "off", "--session", "s9", "--agent", "shop")
    assert captured_of("shop", "s9") == 2
    assert "captured from now on: s9 of agent shop" in hookclaw("capture", "on", "--session", "s9")
    assert captured_of("shop", "s9") == 3


def test_the_status_says_that_nothing_is_captured(hookclaw):
    happen()
    assert "captured" not in hookclaw("status", code=1)
    hookclaw("capture", "off")
    assert "nothing is captured: it was switched off" in hookclaw("status", code=1)
    hookclaw("capture", "on")
    assert "captured" not in hookclaw("status", code=1)


@pytest.mark.parametrize(
    ("off", "on", "still", "why"),
    [
        (("pause",), ("resume",), "agent sohp is still paused", "paused until `hookclaw --agent sohp resume`"),
        (("capture", "off"), ("capture", "on"), "still off: `hookclaw --agent sohp capture on`", "it was switched off"),
    ],
)
def test_what_is_switched_off_of_an_agent_without_a_memory_waits_for_it_and_makes_none(hookclaw, off, on, still, why):
    engine().close()
    said = hookclaw(*off, "--agent", "sohp")
    assert "there is no memory of agent sohp yet (there are: main); this holds for it when there is" in said
    assert "sohp" not in hookclaw("status", code=1)
    assert not agent_folder(home(), "sohp").exists()
    assert still in hookclaw(*on)
    assert (captured_of("sohp", "s"), captured_of("shop", "s")) == (0, 1)
    assert why in hookclaw("capture", "status", "--agent", "sohp")
    assert "there is no memory" not in hookclaw(*off, "--agent", "sohp")
    hookclaw(*on, "--agent", "sohp")
    assert captured_of("sohp", "s") == 1
    assert "still" not in hookclaw(*on)


def test_what_was_switched_off_of_no_agent_is_taken_back_without_one(hookclaw):
    hookclaw("pause", "--agent", "sohp")
    assert "memory goes on" in hookclaw("resume", "--agent", "sohp")
    assert captured_of("sohp", "s") == 1
