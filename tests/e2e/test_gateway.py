"""The plugin in a real OpenClaw from npm, with the real engine and model; only the language model is a fake.

Slow (two or three minutes, and 0.8 GB from npm the first time), and CI runs it all the same.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

import hookclaw_py
from hookclaw_py.model.kind import SESSION
from hookclaw_py.store import upkeep
from hookclaw_py.store.database import opened
from tests.e2e.gateway.host import Host
from tests.e2e.gateway.installation import Installation, installation
from tests.e2e.gateway.model_server import ModelServer, Request
from tests.waiting import is_running, wait_until

pytestmark = pytest.mark.slow

DEMO = Path(hookclaw_py.__file__).parent / "demo"
LOGGING = "what did we decide about the logging format?"
FIX = "The build fails with NETSDK1005 again, what was the fix?"
UNRELATED = "explain how a hash map resolves collisions, with an example"


@pytest.fixture(scope="module")
def installed() -> Installation:
    return installation()


def fill(workspace: Path) -> None:
    """Give an agent the notes of the demo."""
    shutil.copytree(DEMO / "memory", workspace / "memory")
    shutil.copy(DEMO / "MEMORY.md", workspace / "MEMORY.md")


@pytest.fixture(scope="module")
def host(installed: Installation, model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A running gateway with our plugin in it, and two agents."""
    host = Host(installed, tmp_path_factory.mktemp("gateway") / "one", model, agents=("main", "cook"))
    fill(host.workspaces["main"])
    (host.workspaces["cook"] / "memory").mkdir()
    (host.workspaces["cook"] / "memory/kitchen.md").write_text(
        "# Kitchen\n\nThe sourdough starter is called Bertold and lives in the cellar.\n"
    )
    done = host.hookclaw("openclaw", "install")
    assert done.returncode == 0, done.stderr
    with host:
        wait_until(lambda: "16 chunks" in host.log.read_text(), "the workspace is indexed")
        yield host


def asked(model: ModelServer, words: str) -> Request:
    """Return the last request in which the agent's user said ``words``."""
    return next(r for r in reversed(model.turns) if r.users and words in r.users[-1])


def blocks(request: Request) -> int:
    """Count our blocks in everything that the model got."""
    return json.dumps(request.body).count("<relevant_memories>")


def memory_pid(host: Host) -> int:
    """Return the process that answers this gateway now; the plugin notes it a moment after a turn."""
    wait_until(lambda: is_running(host.record.get("memoryPid", 0)), "the plugin's record names a process", 10)
    pid: int = host.record["memoryPid"]
    return pid


def test_a_prompts_memory_reaches_the_model_exactly_once(host, model):
    host.turn(LOGGING, user="once")
    request = asked(model, LOGGING)
    assert blocks(request) == 1
    assert "one JSON object a line, written with serilog" in request.users[-1]
    assert request.users[-1].index(LOGGING) < request.users[-1].index("<relevant_memories>"), "after the user's words"
    host.turn(FIX, user="once")
    later = asked(model, FIX)
    assert blocks(later) == 1, "the block of the turn before is not in the conversation any more"
    assert "restore --force-evaluate" in later.users[-1]


def test_an_unrelated_prompt_arrives_as_it_was_sent(host, model):
    host.turn(UNRELATED, user="unrelated")
    request = asked(model, UNRELATED)
    assert blocks(request) == 0
    assert request.users[-1].partition("] ")[2].startswith(UNRELATED)
    wait_until(lambda: host.record["last"]["outcome"] in {"silent", "skipped"}, "the record says so")


def test_the_end_of_a_turn_says_which_memories_the_answer_used(host, model):
    model.answers["(and then)"] = (
        "Delete obj/project.assets.json and run dotnet restore --force-evaluate before publishing."
    )
    host.turn(f"{FIX} (and then)", user="end")
    wait_until(lambda: host.record["lastAgentEnd"]["cited"] == 1, "agent_end reaches the engine", 10)


def test_agents_never_see_each_others_notes(host, model):
    question = "what is the name of the sourdough starter that we keep?"
    host.turn(question, agent="main", user="spy")
    assert "Bertold" not in json.dumps(asked(model, question).body)
    wait_until(
        lambda: (
            upkeep.is_there(host.memories / "agents/cook")
            or not host.turn("hello my dear cook, anybody home?", agent="cook", user="k")
        ),
        "cook's store",
    )
    wait_until(lambda: "cook: 1 files" in host.log.read_text(), "cook's workspace is indexed")
    host.turn(question, agent="cook", user="baker")
    assert "Bertold" in asked(model, question).users[-1].partition("<relevant_memories>")[2]
    host.turn(LOGGING, agent="cook", user="spy")
    assert blocks(asked(model, LOGGING)) == 0


@pytest.mark.parametrize(
    ("session", "called"),
    [
        ("agent:main:discord:group:123", "a group"),
        ("agent:main:discord:channel:456", "a channel"),
        ("agent:main:slack:channel:c1:thread:1740", "a channel"),
        ("agent:main:telegram:direct:4711", "somebody who is not known to be the owner"),
    ],
)
def test_a_group_never_hears_of_what_is_not_shared_and_the_owner_does(host, model, session, called):
    host.turn(f"{LOGGING} ({session})", session=session)
    assert blocks(asked(model, f"({session})")) == 0
    wait_until(
        lambda: host.record.get("last", {}).get("reason") == f"nothing is shared with {called}",
        "the record says why",
        5,
    )
    mine = f"(mine, after {session.rpartition(':')[2]})"
    host.turn(f"{LOGGING} {mine}", session="agent:main:main")
    assert blocks(asked(model, mine)) == 1


@pytest.mark.sqlite
def test_a_group_hears_of_a_note_that_says_it_is_shared_and_of_nothing_else(installed, model, tmp_path):
    host = Host(installed, tmp_path / "shares", model)
    fill(host.workspaces["main"])
    shared = host.workspaces["main"] / "memory/house.md"
    shared.write_text("---\nshared: true\n---\n# Guest house\n\nThe codeword of the guest wifi is Quillwort.\n")
    wifi = "what is the codeword of the guest wifi?"
    assert host.hookclaw("openclaw", "install").returncode == 0
    with host:
        wait_until(lambda: "17 chunks" in host.log.read_text(), "the workspace is indexed")
        for session in ("agent:main:main", "agent:main:discord:group:1"):
            host.turn(LOGGING, session=session)
            assert ("one JSON object a line" in json.dumps(asked(model, LOGGING).body)) is session.endswith("main")
            host.turn(wifi, session=session)
            assert "Quillwort" in asked(model, wifi).users[-1].partition("<relevant_memories>")[2]
        told = json.loads(host.hookclaw("history", "--json").stdout)
        assert "only what is shared with a group was searched" in told[0]["reason"]


@pytest.mark.sqlite
def test_a_note_that_the_host_has_in_its_system_prompt_is_not_paid_for_twice(installed, model, tmp_path):
    host = Host(installed, tmp_path / "once", model)
    (host.workspaces["main"] / "MEMORY.md").write_text("# Cellar\n\nThe sourdough starter is called Bertold.\n")
    question = "what is the name of our sourdough starter?"
    assert host.hookclaw("openclaw", "install").returncode == 0
    with host:
        wait_until(lambda: "main: 1 files" in host.log.read_text(), "the workspace is indexed")
        host.turn("good day to you, this is the first turn of all", session="agent:main:main")
        host.turn(question, session="agent:main:main")
        request = asked(model, question)
        assert json.dumps(request.body).count("Bertold") == 1, "in the system prompt, and nowhere else"
        reason = "everything relevant is in the system prompt already"
        wait_until(lambda: host.record["last"]["reason"] == reason, "the record says so")


@pytest.mark.sqlite
def test_who_asks_again_is_told_the_note_and_not_the_earlier_conversation(installed, model, tmp_path):
    host = Host(installed, tmp_path / "again", model)
    (host.workspaces["main"] / "memory").mkdir()
    (host.workspaces["main"] / "memory/cellar.md").write_text("# Cellar\n\nThe sourdough starter is called Bertold.\n")
    host.memories.mkdir(mode=0o700)
    (host.memories / "config.toml").write_text('sources = ["memory", "sessions"]\n')
    question, folder = "what is the name of our sourdough starter?", host.memories / "agents/main"
    model.answers[question] = "Your sourdough starter is called Bertold."
    assert host.hookclaw("openclaw", "install").returncode == 0

    def conversations() -> list[str]:
        with opened(folder) as store:
            return [chunk.text for chunk in store.all_chunks() if chunk.kind is SESSION]

    with host:
        wait_until(lambda: "main: 1 files" in host.log.read_text(), "the workspace is indexed")
        for user in ("one", "two", "three"):
            host.turn(question, user=user)
            last = asked(model, question).users[-1]
            assert "sourdough starter is called Bertold" in last.partition("<relevant_memories>")[2], host.record
            assert 'source="sessions"' not in last
            told = f"The lantern of lodger {user} hangs in the attic."
            host.turn(told, user=user)
            wait_until(lambda told=told: any(told in text for text in conversations()), "the conversation is read", 120)
            assert "sourdough" not in "".join(conversations())
    del model.answers[question]


def test_a_reset_session_and_a_compacted_one_still_get_memories(host, model):
    for n in range(4):
        host.turn(f"turn {n} of a long talk about nothing in particular {'lorem ipsum ' * 60}", user="long")
    host.turn(LOGGING, user="long")
    key = "agent:main:openai-user:long"
    compacted = host.call("sessions.compact", key=key)
    assert compacted.get("ok", True), compacted
    host.turn(LOGGING, user="long")
    assert blocks(asked(model, LOGGING)) == 1
    host.call("sessions.reset", key=key)
    host.turn(LOGGING, user="long")
    assert blocks(asked(model, LOGGING)) == 1


def test_kill_9_in_mid_flight_costs_one_turn_its_memories_and_nothing_else(host, model):
    host.turn(LOGGING, user="killed")
    victim = memory_pid(host)
    os.kill(victim, signal.SIGSTOP)  # so that the next request is in flight when it dies
    with ThreadPoolExecutor(1) as pool:
        turn = pool.submit(host.turn, f"{FIX} (in flight)", user="killed")
        time.sleep(0.5)
        os.kill(victim, signal.SIGKILL)
        assert turn.result(60) == "I don't know."
    assert blocks(asked(model, "(in flight)")) == 0
    reason = lambda: host.record.get("lastFailure", {}).get("reason", "")  # noqa: E731
    wait_until(lambda: reason().endswith("SIGKILL"), "the record says so")
    wait_until(lambda: host.log.read_text().count("is ready (pid") >= 2, "it is started again")
    for n in range(10):  # on a busy machine the store is still being opened
        host.turn(f"{FIX} (afterwards {n})", user="killed")
        if remembered := blocks(asked(model, f"(afterwards {n})")):
            break
    assert remembered == 1, host.record
    assert memory_pid(host) != victim


def test_a_process_that_hangs_costs_the_budget_and_no_more(host, model):
    host.turn(LOGGING, user="hung")
    pid = memory_pid(host)
    os.kill(pid, signal.SIGSTOP)
    try:
        host.turn(f"{FIX} (hung)", user="hung")
    finally:
        os.kill(pid, signal.SIGCONT)
    assert blocks(asked(model, "(hung)")) == 0
    wait_until(lambda: "no answer within" in host.record["lastFailure"]["reason"], "the record says so")
    host.turn(f"{FIX} (awake)", user="hung")
    assert blocks(asked(model, "(awake)")) == 1


def test_a_process_that_is_held_up_for_some_turns_is_not_replaced(host, model):
    host.turn(LOGGING, user="busy")
    pid, said = memory_pid(host), host.log.read_text().count("no answer within")
    os.kill(pid, signal.SIGSTOP)
    try:
        for n in range(4):
            host.turn(f"{FIX} (busy {n})", user="busy")
    finally:
        os.kill(pid, signal.SIGCONT)
    host.turn(f"{FIX} (less busy)", user="busy")
    assert blocks(asked(model, "(less busy)")) == 1
    assert memory_pid(host) == pid
    turns_and_ends = 2
    assert host.log.read_text().count("no answer within") - said <= turns_and_ends, "said once, not every turn"


@pytest.mark.sqlite
def test_a_reload_of_the_plugin_leaves_no_process_behind(host, model):
    host.turn(LOGGING, user="reload")
    pid = memory_pid(host)
    done = host.command("plugins", "reload", "hookclaw")
    assert done.returncode == 0, done.stdout + done.stderr
    wait_until(lambda: not is_running(pid), "the old process is gone", 5)
    host.turn("first prompt after the reload, nothing special about it", user="reload")
    host.turn(FIX, user="reload")
    assert blocks(asked(model, FIX)) == 1


@pytest.mark.sqlite
def test_the_gateway_finds_nothing_wrong_with_the_plugin(host):
    done = host.command("plugins", "doctor")
    assert done.returncode == 0, done.stdout
    told = json.loads(host.command("plugins", "inspect", "hookclaw", "--runtime", "--json").stdout)
    assert told["plugin"]["status"] == "loaded"
    assert told["diagnostics"] == []


def test_the_doctor_proves_all_of_it(host):
    host.turn(LOGGING, user="doctor")
    done = host.hookclaw("doctor", "--json")
    told = json.loads(done.stdout)
    # "turns": those of this gateway waited now and then for a process that the tests above had stopped
    assert [check for check in told["checks"] if check["verdict"] != "ok" and check["name"] != "turns"] == []
    assert {"model", "store", "index", "canary", "time", "plugin", "interpreter", "hooks", "loaded", "fired"} <= {
        check["name"] for check in told["checks"] if check["verdict"] == "ok"
    }


@pytest.mark.sqlite
def test_the_gateway_stops_when_it_is_asked_to_and_takes_our_process_along(installed, model, tmp_path):
    host = Host(installed, tmp_path / "stops", model)
    fill(host.workspaces["main"])
    assert host.hookclaw("openclaw", "install").returncode == 0
    with host:
        wait_until(lambda: "16 chunks" in host.log.read_text(), "the workspace is indexed")
        host.turn(LOGGING)
        pid = memory_pid(host)
        assert is_running(pid)
        assert host.stop()
        assert not is_running(pid)


@pytest.mark.sqlite
def test_a_gateway_that_is_killed_leaves_no_process_of_ours(installed, model, tmp_path):
    host = Host(installed, tmp_path / "killed", model)
    fill(host.workspaces["main"])
    assert host.hookclaw("openclaw", "install").returncode == 0
    with host:
        host.turn(LOGGING)
        pid = memory_pid(host)
        host.stop(signal.SIGKILL)
        wait_until(lambda: not is_running(pid), "the process ends with the gateway", 5)


@pytest.mark.sqlite
def test_a_turn_without_a_gateway_has_memories_and_leaves_nothing_running(installed, model, tmp_path):
    host = Host(installed, tmp_path / "local", model)
    fill(host.workspaces["main"])
    configuration = json.loads(host.config.read_text())
    configuration["plugins"]["entries"] = {"hookclaw": {"config": {"budgetMs": 10_000}}}  # the machine may be busy
    host.config.write_text(json.dumps(configuration))
    assert host.hookclaw("openclaw", "install", "--edit").returncode == 0
    for n in range(5):  # the first one has the store made; on a busy machine it is opened too late for the next as well
        done = host.command("agent", "--local", "--agent", "main", "--message", f"{LOGGING} (local {n})")
        assert done.returncode == 0, done.stderr
        if remembered := blocks(asked(model, f"(local {n})")):
            break
    assert remembered == 1, host.record
    wait_until(lambda: not is_running(host.record["memoryPid"]), "the process ends with the turn", 5)


@pytest.mark.sqlite
def test_agents_are_read_when_the_gateway_starts_each_from_the_workspace_it_is_given(installed, model, tmp_path):
    """The roster's first agent is not the one that the host starts with, and the host's default folder is nobody's."""
    host = Host(installed, tmp_path / "roster", model, agents=("nobody", "main", "work", "late", "unborn"))
    configuration = json.loads(host.config.read_text())
    places = {agent: {"workspace": str(host.workspaces[agent])} for agent in ("work", "main", "late", "unborn")}
    defaults = configuration["agents"]["defaults"]
    configuration["agents"] = {"defaults": defaults, "entries": {**places, "main": {**places["main"], "default": True}}}
    host.config.write_text(json.dumps(configuration))
    host.workspaces["unborn"].rmdir()
    for agent in ("nobody", "main", "work", "late"):
        (host.workspaces[agent] / "memory").mkdir()
        (host.workspaces[agent] / "memory/release.md").write_text(
            f"# Release\n\nThe codeword of the harbour release is {agent}-wort.\n"
        )
    assert host.hookclaw("openclaw", "install", "--edit").returncode == 0
    (host.memories / "agents/late").mkdir(parents=True, mode=0o700)
    reading = FileLock(host.memories / "agents/late/index.lock")
    with host, reading:
        for agent in ("work", "main"):
            wait_until(
                lambda agent=agent: f"hookclaw: {agent}: 1 files" in host.log.read_text(), f"{agent} is read", 240
            )
            told = json.loads(host.hookclaw("status", "--agent", agent, "--json").stdout)
            assert told["workspaces"] == [str(host.workspaces[agent])]
        question = "what is the codeword of the harbour release?"
        host.turn(f"{question} (too early)", agent="late", user="one")
        reason = lambda: host.record.get("last", {}).get("reason", "")  # noqa: E731
        wait_until(lambda: reason().startswith("still reading the notes (0 chunks so far)"), "the record says so")
        reading.release()
        wait_until(lambda: "hookclaw: late: 1 files" in host.log.read_text(), "late is read", 240)
        for agent in ("work", "main", "late"):
            host.turn(f"{question} ({agent})", agent=agent, user="one")
            block = asked(model, f"({agent})").users[-1].partition("<relevant_memories>")[2]
            assert [a for a in ("nobody", "main", "work", "late") if f"{a}-wort" in block] == [agent]
        assert "unborn" not in host.log.read_text(), "there is nothing to read yet, and nothing to complain about"


@pytest.mark.sqlite
@pytest.mark.parametrize("how", [(), ("--edit",)], ids=["its own command", "--edit"])
def test_an_uninstall_is_not_undone_by_the_gateways_next_start(installed, model, tmp_path, how):
    """A configuration written by hand has no ``meta``; once it had some, OpenClaw takes its loss for damage and puts a copy back."""
    host = Host(installed, tmp_path / "stays", model)
    written = f"// The household's gateway, written by hand.\n{host.config.read_text()}// The end.\n"
    host.config.write_text(written)
    done = host.hookclaw("openclaw", "install", *how)
    assert done.returncode == 0, done.stderr
    with host:
        host.turn(LOGGING)
    done = host.hookclaw("openclaw", "uninstall", *how)
    assert done.returncode == 0, done.stderr
    assert host.config.read_text() == written
    with host:
        host.turn(UNRELATED)
    assert host.config.read_text() == written
    assert host.command("config", "get", "plugins", "--json").stdout.count("hookclaw") == 0
    assert host.config.read_text() == written
    assert not list(host.memories.glob("gateways/*"))


def test_two_gateways_with_an_agent_of_one_name_never_see_each_others_notes(installed, model, host, tmp_path):
    second = Host(installed, tmp_path / "two", model, profile="work")
    second.memories = host.memories
    (second.workspaces["main"] / "memory").mkdir()
    (second.workspaces["main"] / "memory/release.md").write_text(
        "# Release\n\nThe logging format of the other gateway is Morse code.\n"
    )
    assert second.hookclaw("openclaw", "install").returncode == 0
    with second:
        wait_until(
            lambda: "hookclaw: main@work: 1 files" in second.log.read_text(), "the second gateway's main is read"
        )
        with ThreadPoolExecutor(2) as pool:
            turns = [
                pool.submit(one.turn, f"{LOGGING} ({n})", user=f"u{n}") for n, one in enumerate([host, second] * 3)
            ]
            for turn in turns:
                turn.result(60)
        for n in range(6):
            block = asked(model, f"({n})").users[-1].partition("<relevant_memories>")[2]
            assert ("serilog" in block, "Morse code" in block) == ((True, False) if n % 2 == 0 else (False, True))
    listed = second.hookclaw("status", "--agent", "typo").stderr
    assert "main, main@work" in listed
    told = json.loads(second.hookclaw("doctor", "--json").stdout)
    index = next(check for check in told["checks"] if check["name"] == "index")
    assert str(second.workspaces["main"]) in index["finding"], "the doctor looks at this gateway's main"


@pytest.mark.sqlite
def test_installing_shows_the_change_first_is_idempotent_and_is_undone_to_the_byte(installed, model, tmp_path):
    host = Host(installed, tmp_path / "undone", model)
    original = host.config.read_bytes()
    shown = host.hookclaw("openclaw", "install", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "plugins.load.paths" in shown.stdout
    assert "nothing was changed" in shown.stdout
    assert host.config.read_bytes() == original
    assert host.hookclaw("openclaw", "install").returncode == 0
    after = json.loads(host.config.read_text())
    assert after["plugins"]["allow"] == ["memory-core", "hookclaw"]
    assert after["plugins"]["entries"]["hookclaw"]["hooks"] == {"allowConversationAccess": True}
    python = after["plugins"]["entries"]["hookclaw"]["config"]["python"]
    subprocess.run([python, "-P", "-c", "import hookclaw_py"], check=True, cwd="/")
    written = host.config.read_bytes()
    again = host.hookclaw("openclaw", "install")
    assert "nothing to change" in again.stdout
    assert host.config.read_bytes() == written
    status = json.loads(host.hookclaw("openclaw", "status", "--json").stdout)
    assert (status["installed"], status["enabled"], status["hooks_allowed"], status["record"]) == (True, True, True, {})
    assert host.hookclaw("openclaw", "uninstall").returncode == 0
    assert host.config.read_bytes() == original
    assert not list(host.memories.glob("gateways/*"))


@pytest.mark.sqlite
def test_the_doctor_says_what_is_missing_and_the_command_that_mends_it(installed, model, tmp_path):
    host = Host(installed, tmp_path / "ill", model)
    fill(host.workspaces["main"])
    done = host.hookclaw("doctor", "--json")
    told: dict[str, Any] = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert done.returncode == 1
    assert told["plugin"]["remedy"] == "hookclaw openclaw install"
    assert told["store"]["remedy"].startswith("hookclaw index")
