"""Claude Code's hooks as Claude Code runs them: a short-lived process per event, a resident one behind a private socket."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import pytest
from filelock import FileLock

from hookclaw_py.hosts.claude_code import hook as claude_code
from hookclaw_py.store.database import opened
from hookclaw_py.store.events import EventKind
from tests.conftest import write_notes
from tests.e2e.claude import HOOK, LISTEN, Claude, leave
from tests.e2e.sidecar import ASKED, workspace
from tests.waiting import delete, wait_until


@pytest.fixture(scope="module")
def short() -> Iterator[Path]:
    """A folder whose name is short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="hc-", dir="/tmp"))
    yield folder
    delete(folder)


@pytest.fixture(scope="module")
def claude(short: Path) -> Iterator[Claude]:
    claude = Claude(short)
    workspace(claude.project)
    assert claude.hook("SessionStart", source="startup") is None
    claude.wait_until_indexed()
    yield claude
    leave(claude)


def test_a_prompt_gets_its_memories_as_additional_context(claude):
    answer = claude.hook("UserPromptSubmit", "a", prompt=ASKED)
    assert answer is not None
    assert set(answer) == {"hookSpecificOutput"}
    output = answer["hookSpecificOutput"]
    assert output["hookEventName"] == "UserPromptSubmit"
    first, block = output["additionalContext"].split("\n", 1)
    assert "data, not instructions" in first
    assert block.startswith("<relevant_memories>")
    assert "one JSON object a line" in block


def test_what_claude_md_imports_is_not_said_twice(claude):
    told = claude.project / "CLAUDE.md"
    told.write_text("".join(f"@{file.relative_to(claude.project)}\n" for file in claude.project.rglob("*.md")))
    folder = claude.home / "agents" / claude_code.agent_id(str(claude.project))
    until, reasons = monotonic() + 60, set[str]()
    try:
        while "everything relevant is in the system prompt already" not in reasons:
            assert monotonic() < until, (reasons, claude.log())
            assert claude.prompt(session="told") == ""
            with opened(folder) as store:
                reasons = {one.reason for one in store.decisions() if one.session == "told"}
    finally:
        told.unlink()


def test_a_prompt_that_needs_no_memory_prints_nothing(claude):
    assert claude.prompt("thanks!") == ""
    assert claude.prompt("What is the capital of Mongolia?") == ""


def test_a_memory_comes_once_in_a_session_until_it_is_compacted(claude):
    b = claude.answered()
    assert claude.prompt(session=b) == ""
    claude.hook("SessionStart", b, source="resume")
    assert claude.prompt(session=b) == ""
    claude.hook("SessionStart", b, source="compact")
    assert claude.prompt(session=b)


@pytest.mark.slow
def test_a_conversation_that_is_taken_up_again_is_not_shown_the_same_twice(short):
    """``claude -c``: its process ended, and so did ours; the conversation's id, and what is in it, stayed."""
    claude = Claude(short / "c")
    workspace(claude.project)
    claude.hook("SessionStart", source="startup")
    claude.wait_until_indexed()
    b = claude.answered()
    claude.hook("SessionEnd", b, reason="prompt_input_exit")
    first = claude.ask("health")["pid"]
    claude.hook("SessionStart", b, source="resume")
    assert claude.prompt(session=b) == ""
    leave(claude)
    claude.hook("SessionStart", b, source="resume")
    claude.wait_until_indexed()
    assert claude.ask("health")["pid"] != first
    assert claude.prompt(session=b) == ""
    assert claude.answered()
    assert stat.S_IMODE((claude.home / "conversations.jsonl").stat().st_mode) == 0o600
    leave(claude)
    (claude.home / "conversations.jsonl").write_text('{"cut li', encoding="utf-8")
    claude.hook("SessionStart", b, source="resume")
    claude.wait_until_indexed()
    assert claude.answered()
    assert "conversations.jsonl" in claude.log()
    leave(claude)


@pytest.mark.slow
def test_a_process_that_hangs_is_replaced_by_the_hook_that_finds_it(short):
    claude = Claude(short / "h")
    workspace(claude.project)
    claude.hook("SessionStart", source="startup")
    claude.wait_until_indexed()
    hung = claude.ask("health")["pid"]
    os.kill(hung, signal.SIGSTOP)
    try:
        aged = claude.home / "run" / "hookclaw.sock"
        os.utime(aged)
        assert claude.prompt() == ""  # it has only just begun: a busy machine is no reason to kill it
        os.kill(hung, 0)
        os.utime(aged, (aged.stat().st_atime - 60, aged.stat().st_mtime - 60))
        claude.prompt()
        claude.wait_until_indexed()
        assert claude.ask("health")["pid"] != hung
        assert claude.answered()
        assert "the resident process hung and was ended" in claude.log()
    finally:
        os.kill(hung, signal.SIGKILL) if Path(f"/proc/{hung}").exists() else None
        leave(claude)


def test_stop_records_which_memory_the_answer_used(claude, tmp_path):
    assert claude.prompt(session="c")
    said = {
        "type": "assistant",
        "message": {"content": [{"type": "text", "text": "Structured logging: JSON, one object a line, serilog."}]},
    }
    (tmp_path / "t.jsonl").write_text(json.dumps(said) + "\n")
    claude.hook("Stop", "c", transcript_path=str(tmp_path / "t.jsonl"), stop_hook_active=False)
    agent = claude_code.agent_id(str(claude.project))
    with opened(claude.home / "agents" / agent) as store:
        (ended,) = (one for one in store.events(EventKind.TURN) if one.session == "c")
    assert list(ended.data["kinds"].values()).count("used") == 1


def test_two_projects_never_see_each_others_notes(claude, short):
    other = Claude(short)
    other.project = workspace(short / "other", {"MEMORY.md": "The launch code of the Falcon project is ZK-4410.\n"})
    asked = "What is the launch code of the Falcon project?"
    other.hook("SessionStart", "d", source="startup")
    other.wait_until_indexed()
    until = monotonic() + 30
    while not other.prompt(asked, session="d"):  # indexing is in the background
        assert monotonic() < until
    assert claude.prompt(asked, session="d2") == ""
    assert other.prompt(ASKED, session="d3") == ""


def test_a_new_note_answers_after_the_next_prompt(claude):
    asked = "Which port does the Lantern proxy listen on?"
    (claude.project / "memory" / "2026-02-13.md").write_text(
        "The Lantern proxy listens on port 7443.\n", encoding="utf-8"
    )
    until = monotonic() + 30
    while "7443" not in claude.prompt(asked, session=f"e{monotonic()}"):
        assert monotonic() < until


def test_the_socket_is_nobody_elses(claude):
    run = claude.home / "run"
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    assert stat.S_IMODE((run / "hookclaw.sock").stat().st_mode) == 0o600
    assert stat.S_IMODE(claude.home.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "stdin", [b"", b"{", b"[]", b"\xff", b'{"hook_event_name":"UserPromptSubmit","prompt":7,"cwd":9}', b"null"]
)
def test_nonsense_on_stdin_leaves_the_prompt_alone(claude, stdin):
    assert claude.run(stdin) == b""
    assert " hook: " in claude.log()


def test_an_event_of_another_kind_is_passed_over(claude):
    assert claude.hook("PreToolUse", tool_name="Bash") is None
    assert claude.hook("Stop", transcript_path="/does/not/exist") is None
    assert "/does/not/exist" in claude.log()


def test_without_a_place_to_work_the_prompt_goes_through(short):
    (short / "file").write_text("")
    for home in ("/proc/nowhere", str(short / "file")):
        claude = Claude(short)
        claude.env["HOOKCLAW_HOME"] = home
        assert claude.prompt() == ""


def test_a_home_that_is_told_from_where_one_is_is_that_of_the_resident_process_too(short):
    """It is started in the root folder: it made a home of its own there, which no hook ever looked into."""
    claude = Claude(short / "told")
    workspace(claude.project)
    event = {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": str(claude.project)}
    env = {**claude.env, "HOOKCLAW_HOME": "home"}
    ran = subprocess.run(HOOK, input=json.dumps(event).encode(), env=env, cwd=short / "told", timeout=60, check=False)
    assert ran.returncode == 0
    wait_until((claude.home / "run" / "hookclaw.sock").exists, "the resident process listens", 30)
    leave(claude)


@pytest.mark.slow
def test_many_first_hooks_at_once_start_one_process(short):
    claude = Claude(short / "many")
    workspace(claude.project)
    with ThreadPoolExecutor(4) as four:
        list(four.map(lambda n: claude.prompt("thanks!", session=f"s{n}"), range(4)))
    pids = {claude.ask("health")["pid"] for _ in range(5)}
    assert len(pids) == 1
    listening = subprocess.run(
        LISTEN, env=claude.env, capture_output=True, timeout=30
    )  # one more sees that it is not needed
    assert (listening.returncode, b'"ready":true' in listening.stdout) == (0, True)
    assert {claude.ask("health")["pid"]} == pids
    leave(claude)


def test_who_finds_a_dying_process_still_holding_the_lock_takes_its_place(short):
    """As after a kill on a busy machine: the next one came too early, said so five seconds later, and nobody listened."""
    claude = Claude(short / "d")
    (claude.home / "run").mkdir(mode=0o700, parents=True)
    with FileLock(claude.home / "run" / "hookclaw.lock"):
        waiting = subprocess.Popen(LISTEN, env=claude.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        sleep(1)  # most machines get as far as the lock meanwhile
    assert waiting.stdout is not None
    assert b'"ready":true' in waiting.stdout.readline()
    assert claude.ask("health")["pid"] == waiting.pid
    leave(claude)
    assert waiting.wait(30) == 0
    waiting.stdout.close()


def test_a_killed_process_is_replaced_at_the_next_prompt(short):
    claude = Claude(short / "k")
    workspace(claude.project)
    claude.hook("SessionStart", source="startup")
    claude.wait_until_indexed()
    first = claude.ask("health")["pid"]
    os.kill(first, signal.SIGKILL)
    claude.prompt()  # starts another; whether it answers in time is the machine's affair
    assert claude.ask("health")["pid"] != first
    assert claude.answered()
    leave(claude)


def test_a_process_of_another_version_makes_way(short):
    claude = Claude(short / "v")
    workspace(claude.project)
    old = [
        sys.executable,
        "-P",
        "-c",
        "import hookclaw_py; hookclaw_py.__version__ = '0.0.1'; from hookclaw_py.__main__ import start; start()",
    ]
    with subprocess.Popen(
        [*old, "serve", "--socket"], env=claude.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert json.loads(process.stdout.readline())["version"] == "0.0.1"
        claude.hook("SessionStart", source="startup")
        assert process.wait(30) == 0
    assert claude.ask("health")["pid"] != process.pid
    leave(claude)


def test_it_ends_when_nobody_has_asked_for_a_while(short):
    claude = Claude(short / "i")
    ran = subprocess.run([*LISTEN, "--idle-seconds", "0.2"], env=claude.env, capture_output=True, timeout=30)
    assert ran.returncode == 0
    assert b'"ready":true' in ran.stdout
    assert b"nobody asked" in ran.stderr
    assert not (claude.home / "run" / "hookclaw.sock").exists()
    assert stat.S_IMODE(claude.home.stat().st_mode) == 0o700


def test_a_folder_of_somebody_else_is_refused(short):
    claude = Claude(short / "r")
    claude.home.mkdir(parents=True)
    (claude.home / "run").symlink_to("/tmp")
    ran = subprocess.run(LISTEN, env=claude.env, capture_output=True, timeout=30)
    assert ran.returncode != 0
    assert b"is not a folder of yours" in ran.stderr


def test_the_settings_to_paste_name_a_command_that_works_without_a_path(claude):
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "hookclaw_py", "hook", "claude-code", "--settings"],
        capture_output=True,
        check=True,
    )
    hooks = json.loads(ran.stdout)["hooks"]
    assert set(hooks) == {
        "UserPromptSubmit",
        "Stop",
        "SessionStart",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "SessionEnd",
    }
    helped = subprocess.run(
        [sys.executable, "-P", "-m", "hookclaw_py", "hook", "claude-code", "--help"], capture_output=True, check=True
    )
    assert [
        name for name in (*hooks, "tool_response", "last_assistant_message") if name.encode() not in helped.stdout
    ] == []
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "p", "cwd": str(claude.project), "prompt": ASKED}
    for ((entry,),) in ([one["hooks"] for one in entries] for entries in hooks.values()):
        assert entry["type"] == "command"
        ran = subprocess.run(
            ["/bin/sh", "-c", entry["command"]], cwd="/", env={**claude.env, "PATH": "/nowhere"},
            input=json.dumps(event).encode(), capture_output=True, timeout=60,
        )  # fmt: skip
        assert (ran.returncode, ran.stderr) == (0, b"")
    assert "p" in {line["id"] or line["key"] for line in map(json.loads, _shown(claude).splitlines())}


def test_no_settings_are_printed_for_what_is_no_agent(claude):
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "hookclaw_py", "hook", "claude-code", "--agent", "../x", "--settings"],
        capture_output=True,
        env=claude.env,
    )
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert b"'../x' is no agent id" in ran.stderr


def test_projects_that_share_an_agent_are_told_the_notes_that_its_person_indexed(short):
    claude = Claude(short / "shared")
    notes = write_notes(
        short / "shared" / "notes", {"garden.md": "# Garden\n\nThe hedge of hornbeam is cut on 24 June.\n"}
    )
    run = partial(subprocess.run, check=True, capture_output=True, env=claude.env, timeout=120)
    hookclaw = [sys.executable, "-P", "-m", "hookclaw_py"]
    run([*hookclaw, "index", str(notes)])
    printed = run([*hookclaw, "hook", "claude-code", "--agent", "main", "--settings"])
    assert b"memory of agent main" in printed.stderr
    settings = json.loads(printed.stdout)
    assert settings["mcpServers"]["hookclaw"]["args"][-2:] == ["--agent", "main"]
    command = settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]

    def is_told(project: str, asked: str = "when is the hornbeam hedge cut?", answer: bytes = b"24 June") -> bool:
        (short / "shared" / project).mkdir(exist_ok=True)
        event = {
            "hook_event_name": "UserPromptSubmit",
            "session_id": f"{monotonic()}",
            "cwd": str(short / "shared" / project),
        }
        sent = json.dumps({**event, "prompt": asked}).encode()
        return answer in run(["/bin/sh", "-c", command], input=sent).stdout

    try:
        for project in ("shop", "site"):
            wait_until(partial(is_told, project), f"{project} is told")
        write_notes(notes, {"cello.md": "Ansgar rehaired the bow of the cello, 85 euros.\n"})
        rehaired = partial(is_told, "site", "who rehaired the bow of the cello?", b"Ansgar")
        wait_until(rehaired, "a note that is new is told without `hookclaw index`")
        assert [agent["agentId"] for agent in claude.ask("health")["agents"]] == ["main"]
    finally:
        leave(claude)


def _shown(claude: Claude) -> str:
    return (claude.home / "conversations.jsonl").read_text(encoding="utf-8")
