"""What Claude Code's hooks tell of a session, with and without a resident process, as Claude Code runs them.

Rows C2, C3, C7, C18, C19 of the specification.
"""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookclaw_py.hosts.claude_code import spool
from hookclaw_py.hosts.claude_code.hook import agent_id
from hookclaw_py.model.happening import Happening
from hookclaw_py.model.kind import WORKING
from hookclaw_py.store import upkeep
from hookclaw_py.store.database import opened
from tests.e2e.claude import Claude, leave
from tests.e2e.sidecar import workspace
from tests.waiting import delete, wait_until


@pytest.fixture
def claude() -> Iterator[Claude]:
    folder = Path(tempfile.mkdtemp(prefix="hc-", dir="/tmp"))
    claude = Claude(folder)
    workspace(claude.project)
    yield claude
    if (claude.home / "run/hookclaw.sock").exists():
        leave(claude)
    delete(folder)


def kept(claude: Claude, session: str = "s1") -> list[Happening]:
    folder = claude.home / "agents" / agent_id(str(claude.project))
    if not upkeep.is_there(folder):
        return []
    with opened(folder) as store:
        return store.happenings(session)


def used(claude: Claude, number: int, text: str = "2 passed") -> None:
    """Let a tool be used."""
    claude.hook(
        "PostToolUse", tool_name="Bash", tool_use_id=f"toolu_{number}",
        tool_input={"command": f"make test {number}"}, tool_response={"stdout": text, "stderr": "", "interrupted": False},
    )  # fmt: skip


def spooled(claude: Claude) -> Path:
    return claude.home / "spool/claude-code.jsonl"


def test_a_session_is_captured_from_its_start_to_its_end(claude):
    """C1, C2, C3: prompt, tool call, answer, compaction, end; calls of sub-agents are not."""
    claude.hook("SessionStart", source="startup")
    claude.wait_until_indexed()
    claude.prompt("Does the harbour build pass?")
    used(claude, 1)
    claude.hook("PostToolUse", tool_name="Bash", tool_use_id="t9", tool_input={}, tool_response="x", agent_id="sub")
    claude.hook("Stop", last_assistant_message="It does.")
    claude.hook("PreCompact", trigger="auto")
    claude.hook("SessionEnd", reason="clear")
    wait_until(lambda: len(kept(claude)) == 6, "all of it is written")
    found = kept(claude)
    assert [one.kind.value for one in found] == [
        "session_start",
        "prompt",
        "tool_call",
        "answer",
        "compaction",
        "session_end",
    ]
    assert dict(found[1].payload) == {"text": "Does the harbour build pass?"}
    assert found[2].payload["output"] == "2 passed"
    assert len({one.run for one in found[1:]}) == 1
    assert not spooled(claude).exists()


def test_a_tool_that_failed_is_kept_as_that_also_where_the_host_has_an_event_of_its_own_for_it(claude):
    claude.hook("SessionStart", source="startup")
    claude.wait_until_indexed()
    claude.prompt("Does the harbour build pass?")
    for number, more in enumerate(({"error": "Exit code 2: tide table missing"}, {})):
        claude.hook(
            "PostToolUseFailure", tool_name="Bash", tool_use_id=f"t{number}", tool_input={"command": "make"}, **more
        )
    wait_until(lambda: len([one for one in kept(claude) if one.kind.value == "tool_call"]) == 2, "both are written")
    calls = [one.payload for one in kept(claude) if one.kind.value == "tool_call"]
    assert [(one["ok"], one["error"]) for one in calls] == [
        (False, "Exit code 2: tide table missing"),
        (False, "failed"),
    ]


def test_the_state_of_the_work_is_given_back_when_the_session_goes_on_after_a_compaction(claude):
    """M15, C3: as additional context of the session's start, and not once more with its next prompt."""
    assert claude.hook("SessionStart", source="startup") is None, "nothing is known yet"
    claude.wait_until_indexed()
    claude.prompt("Please move the lantern store to the north shed, the roof of the old one leaks.")
    claude.hook("Stop", last_assistant_message="The lanterns are in the north shed; the hooks are still missing.")
    claude.hook("PreCompact", trigger="auto")
    wait_until(lambda: "lantern store" in working(claude), "the state of the work is kept")
    told = claude.hook("SessionStart", source="compact")
    assert told is not None
    output = told["hookSpecificOutput"]
    assert output["hookEventName"] == "SessionStart"
    assert "data, not instructions" in output["additionalContext"].split("\n")[0]
    assert "hooks are still missing" in output["additionalContext"]
    assert "session_memory" not in claude.prompt("And what else?")
    assert claude.hook("SessionStart", source="resume") is None, "it is in the conversation"


def working(claude: Claude) -> str:
    """Return what the state of the work says."""
    with opened(claude.home / "agents" / agent_id(str(claude.project))) as store:
        return "\n".join(record.body for record in store.records(kinds=[WORKING]))


def test_a_pause_and_off_hold_for_a_project_without_its_name_and_the_log_says_by_which(claude):
    def said(*words: str) -> str:
        ran = subprocess.run(
            [sys.executable, "-m", "hookclaw_py", *words], capture_output=True, env=claude.env, check=True
        )
        return ran.stdout.decode()

    claude.hook("SessionStart", source="startup")
    claude.wait_until_indexed()
    claude.answered()
    said("capture", "off")
    assert claude.answered(), "it is told all the same"
    before = len(kept(claude, ""))
    said("pause")
    assert claude.prompt(session="s2") == ""
    claude.hook("Stop", "s2", last_assistant_message="A lamp.")
    claude.hook("SessionEnd", "s2", reason="clear")
    wait_until(lambda: "paused until `hookclaw resume`" in claude.log(), "the log says so")
    assert "nothing is captured until `hookclaw capture on`" in claude.log()
    leave(claude)
    claude.hook("Stop", "s2", last_assistant_message="A lamp.")
    assert not spooled(claude).exists(), "nothing waits to be told later"
    said("resume")
    said("capture", "on")
    claude.hook("SessionStart", "s3", source="startup")
    claude.answered()
    assert kept(claude, "s2") == []
    assert len(kept(claude, "")) > before


def test_what_happens_while_nobody_listens_waits_in_a_private_file_for_the_next_hook(claude):
    """C19: bounded, for its owner only, without secrets; told once, in its order."""
    used(claude, 1)
    claude.hook(
        "PostToolUse", tool_name="Bash", tool_use_id="x", tool_input={"command": "cat .env"}, tool_response="K=1"
    )
    used(claude, 2, "the password is hunter2-Q9 and <private>more</private>")
    file = spooled(claude)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    written = file.read_text()
    assert len(written.splitlines()) == 2
    assert not [word for word in ("hunter2", "more", "K=1") if word in written]
    claude.hook("SessionStart", source="startup")
    claude.wait_until_indexed()

    def nothing_waits() -> bool:
        claude.hook("PreCompact", trigger="auto")
        return not list(file.parent.glob("*"))

    wait_until(nothing_waits, "it is told", 120)
    kinds = [one.kind.value for one in kept(claude)]
    assert set(kinds) == {"session_start", "compaction"}, "of a call that belongs to no prompt nothing is kept"


@pytest.mark.slow
def test_much_that_waits_is_told_in_parts_and_what_nobody_can_take_holds_up_nothing(claude, monkeypatch):
    """C19: fifty long prompts are more than one line to the resident process may hold; one report alone is, too."""
    monkeypatch.setenv("HOOKCLAW_HOME", str(claude.home))
    agent = agent_id(str(claude.project))
    report = {"kind": "prompt", "session": "s1", "audience": "owner", "folder": str(claude.project)}
    too_long = {**report, "at": 1, "payload": {"text": "x" * 5_000_000}}
    spool.keep(agent, {**report, "at": 0, "payload": {"text": "first"}})
    with spooled(claude).open("a") as file:
        file.write(json.dumps({"agentId": agent, "report": too_long}) + "\n")
    for n in range(34):
        spool.keep(agent, {**report, "at": 1000 * (n + 2), "payload": {"text": f"{n} " + "鲸鱼 " * 4500}})
    claude.hook("SessionStart", source="startup")
    claude.wait_until_indexed()

    def nothing_waits() -> bool:
        claude.hook("PreCompact", trigger="auto")
        return not list(spooled(claude).parent.glob("*"))

    wait_until(nothing_waits, "it is told", 120)
    prompts = [one for one in kept(claude) if one.kind.value == "prompt"]
    assert len(prompts) == 35
    assert "is not captured" in (claude.home / "logs/claude-code.log").read_text()


def test_a_prompt_that_waits_says_only_that_a_part_of_it_was_private(claude, monkeypatch):
    """C7: what would know it again is written nowhere, so nothing is kept that may repeat it."""
    monkeypatch.setenv("HOOKCLAW_HOME", str(claude.home))
    report = {"kind": "prompt", "session": "s1", "at": 1, "audience": "owner", "folder": "", "payload": {}}
    spool.keep("main", {**report, "payload": {"text": "<private>pw hunter2-Q9</private> log in"}})
    (line,) = spooled(claude).read_text().splitlines()
    assert json.loads(line)["report"]["payload"] == {"text": "log in", "private": "some"}


def test_of_a_prompt_that_asks_not_to_be_kept_nothing_waits(claude, monkeypatch):
    monkeypatch.setenv("HOOKCLAW_HOME", str(claude.home))
    report = {"kind": "prompt", "session": "s1", "at": 1, "audience": "owner", "folder": "", "payload": {}}
    spool.keep("main", {**report, "payload": {"text": "off the record: I want to quit"}})
    (line,) = spooled(claude).read_text().splitlines()
    assert json.loads(line)["report"]["payload"] == {"text": "", "private": "all"}


def test_what_is_too_much_is_counted(claude, monkeypatch):
    """C19."""
    monkeypatch.setenv("HOOKCLAW_HOME", str(claude.home))
    report = {
        "kind": "answer",
        "session": "s1",
        "at": 1,
        "audience": "owner",
        "folder": "",
        "payload": {"text": "y" * 200},
    }
    for _ in range(4):
        spool.keep("main", report, most_bytes=500)
    ((_, waiting, lost),) = list(spool.taken())
    assert (len(waiting), lost) == (1, 3)
    assert list(spool.taken()) == [], "somebody tells of it already"
