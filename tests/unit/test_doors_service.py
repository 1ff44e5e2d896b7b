"""The service behind every door, on real stores and keywords alone: which memories, for whom, in what time."""

from __future__ import annotations

import json
import queue
import shutil
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from hookclaw_py.capture.reports import report_of
from hookclaw_py.config import Config, home
from hookclaw_py.doors import protocol, requests
from hookclaw_py.doors.call import Call
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.service import Service
from hookclaw_py.engine import Engine
from hookclaw_py.model.types import Injection
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.trace import Trace
from tests.conftest import FILLERS
from tests.waiting import wait_until

CONFIG = {"enableVector": False, "minScore": 0.3}
ERROR_NOTE = "The staging build failed with NETSDK1005; the fix was to delete the obj folder and restore again."
ASKED = "The build fails with NETSDK1005 again, what was the fix?"
PORT_NOTE = "The invoice service listens on port 7443 behind the Lantern proxy."


class Host:
    """Stands where a gateway stands: asks, and hears events."""

    def __init__(self, *, watching: bool = False, config: dict[str, Any] | None = None) -> None:
        self.events: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
        self.service = Service(
            config_file=None, emit=lambda name, params: self.events.put((name, dict(params))), watching=watching
        )
        if config is not None:
            self.ask("_configure", config=config)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        return dict(self.service.answer(self.call(method, **params)))

    def call(self, method: str, **params: Any) -> Call:
        return Call(protocol.parse_request(protocol.Line("1", method, params)))

    def prompt(self, text: str = ASKED, **params: Any) -> dict[str, Any]:
        return self.ask(
            "before_agent_start",
            **{"agentId": "main", "audience": "owner", "sessionKey": "s", "prompt": text, **params},
        )

    def event(self, wanted: str) -> dict[str, Any]:
        while True:
            name, params = self.events.get(timeout=20)
            if name == wanted:
                return params


def workspace(folder: Path, *notes: str) -> Path:
    (folder / "memory").mkdir(parents=True, exist_ok=True)
    filler = [f"Filler note {n} about {word} and nothing else." for n, word in enumerate(FILLERS)]
    text = "\n\n".join(f"## Section {n}\n\n{note}" for n, note in enumerate([*notes, *filler]))
    (folder / "memory" / "2026-02-10.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    host = Host(config=CONFIG)
    host.ask("session_start", agentId="main", workspaceDir=str(workspace(tmp_path / "ws", ERROR_NOTE, PORT_NOTE)))
    assert host.event("indexed")["chunks"] == 12
    yield host
    assert host.service.close(10)


def test_a_prompt_gets_the_memory_that_answers_it(host):
    found = host.prompt()
    assert found["outcome"] == "injected"
    assert "delete the obj folder" in found["prependContext"]
    assert "teapots" not in found["prependContext"]
    assert len(found["injectionId"]) == 16


def test_an_unrelated_or_automatic_prompt_gets_nothing_and_a_reason(host):
    assert host.prompt("Which hotel did we book in Lisbon for the conference?").items() >= {"outcome": "silent"}.items()
    skipped = host.prompt(trigger="heartbeat")
    assert (skipped["outcome"], skipped["reason"], "prependContext" in skipped) == ("skipped", "heartbeat", False)


def test_a_chunk_that_stands_in_the_messages_is_not_sent_again(host):
    block = host.prompt()["prependContext"]
    messages = [{"role": "user", "content": f"{block}\n\nearlier prompt"}, {"role": "assistant", "content": "ok"}]
    again = host.prompt(messages=messages)
    assert (again["outcome"], again["reason"]) == ("silent", "everything relevant is in the conversation already")
    assert host.prompt(messages=messages[1:])["outcome"] == "injected"  # this host does not keep what is injected


def test_a_note_that_the_host_has_in_its_system_prompt_is_not_sent_again_unless_it_was_cut_there(host):
    whole = f"# Project Context\n\n## MEMORY.md\n\n{ERROR_NOTE}\n\nBe helpful."
    again = host.prompt(system=whole)
    assert (again["outcome"], again["reason"]) == ("silent", "everything relevant is in the system prompt already")
    assert (
        host.prompt(system=whole.replace(" and restore again.", "\n[...truncated, read MEMORY.md]"))["outcome"]
        == "injected"
    )
    assert host.prompt()["outcome"] == "injected"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("ws/CLAUDE.md", "# Rules\n\nBe brief.\n@docs/known.md\n"),
        ("ws/.claude/CLAUDE.md", "- see @../docs/more.md"),
        ("ws/CLAUDE.local.md", ERROR_NOTE),
        ("claude/CLAUDE.md", f"Of all projects:\n\n{ERROR_NOTE}"),
    ],
)
def test_a_note_that_claude_code_has_in_its_context_is_not_sent_again(host, tmp_path, file, text):
    for folder in ("ws/docs", "elsewhere"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "known.md").write_text(ERROR_NOTE)
    (tmp_path / "ws/docs/more.md").write_text("@known.md")
    known = {"workspaceDir": str(tmp_path / "ws"), "claudeDir": str(tmp_path / "claude")}
    assert host.prompt(**known)["outcome"] == "injected"
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text)
    again = host.prompt(**known)
    assert (again["outcome"], again["reason"]) == ("silent", "everything relevant is in the system prompt already")
    for other in ("`@docs/known.md` is never read", f"@{tmp_path}/elsewhere/known.md", "```\n@docs/known.md\n```\n"):
        (tmp_path / file).write_text(other)
        assert host.prompt(**known)["outcome"] == "injected", "what it does not import, or may not"


def test_of_two_relevant_chunks_the_one_not_yet_said_is_sent(host):
    both = f"{ASKED} And on which port does the invoice service listen, behind the Lantern proxy?"
    assert {w in host.prompt(both)["prependContext"] for w in ("7443", "obj folder")} == {True}
    rest = host.prompt(both, messages=[{"role": "assistant", "content": ERROR_NOTE}])
    assert "7443" in rest["prependContext"]
    assert "obj folder" not in rest["prependContext"]


@pytest.mark.parametrize("event", ["after_compaction", "session_start", "session_end"])
def test_where_injections_stay_a_chunk_comes_once_until_the_conversation_is_shortened_or_begun_anew(host, event):
    first, second = (host.prompt(keepsInjections=True) for _ in range(2))
    assert (first["outcome"], second["outcome"]) == ("injected", "silent")
    assert host.prompt(keepsInjections=True, sessionKey="another")["outcome"] == "injected"
    host.ask("before_compaction", agentId="main", sessionKey="s")
    assert host.prompt(keepsInjections=True)["outcome"] == "silent"
    host.ask(event, agentId="main", sessionKey="s")
    assert host.prompt(keepsInjections=True)["outcome"] == "injected"


@pytest.mark.parametrize("sends_messages", [True, False])
def test_a_follow_up_is_searched_with_the_turn_before_whether_or_not_the_host_sends_it(host, sends_messages):
    before, said = "which port is the invoice service on", [{"role": "assistant", "content": "7443."}]
    host.prompt(before, sessionKey="one")
    host.ask("agent_end", agentId="main", sessionKey="one", messages=said)
    sent = {"messages": [{"role": "user", "content": before}, *said]} if sends_messages else {}
    found = host.prompt("and which proxy is it behind?", sessionKey="one", **sent)
    told = host.ask("explain", agentId="main", audience="owner", injectionId=found["injectionId"])
    assert told["query"]["context"] == before
    alone = host.prompt("and which proxy is it behind?", sessionKey="two")
    assert (
        host.ask("explain", agentId="main", audience="owner", injectionId=alone["injectionId"])["query"]["context"]
        == ""
    )


def test_a_resumed_session_keeps_what_it_was_shown(host):
    host.prompt(keepsInjections=True)
    host.ask("session_start", agentId="main", sessionKey="s", resumedFrom="s0")
    assert host.prompt(keepsInjections=True)["outcome"] == "silent"


def answer(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": ASKED}, {"role": "assistant", "content": [{"type": "text", "text": text}]}]


def test_agent_end_says_which_memory_the_answer_used(host):
    host.prompt()
    used = host.ask(
        "agent_end", agentId="main", sessionKey="s", messages=answer("Delete the obj folder, restore again.")
    )
    assert list(used["cited"].values()) == [True]
    assert (
        host.ask("agent_end", agentId="main", sessionKey="s", messages=answer("Delete the obj folder"))["cited"] == {}
    )


def test_a_turn_that_was_given_nothing_settles_nothing(host):
    host.prompt()
    host.prompt("Write a poem about the sea")  # the earlier turn never ended: it was aborted
    used = host.ask(
        "agent_end", agentId="main", sessionKey="s", messages=answer("Delete the obj folder, restore again.")
    )
    assert used["cited"] == {}


def test_the_end_of_a_named_turn_finds_its_prompt_although_another_came_between(host):
    host.prompt(runId="r1")
    host.prompt("Write a poem about the sea", runId="r2")
    end = {"agentId": "main", "sessionKey": "s", "messages": answer("Delete the obj folder, restore again.")}
    failed = host.ask("agent_end", **end, runId="r2", success=False, error="529 overloaded", durationMs=12.5)
    assert failed == {"cited": {}, "kinds": {}}
    ended = host.ask("agent_end", **end, runId="r1", durationMs=583)
    assert list(ended["cited"].values()) == [True]
    assert list(ended["kinds"].values()) == ["used"]
    assert host.ask("agent_end", **end, runId="r1")["kinds"] == {}


def test_what_a_named_turn_got_too_late_is_not_held_against_the_memory(host):
    call = host.call("before_agent_start", agentId="main", audience="owner", sessionKey="s", prompt=ASKED, runId="r1")
    recall = host.service._conversing._recall

    def given_up(request: requests.BeforeAgentStart, call: Call, trace: Trace) -> Injection:
        found = recall(request, call, trace)
        call.cancelled = True
        return found

    host.service._conversing._recall = given_up
    assert host.service.answer(call)["outcome"] == "failed"
    host.service._conversing._recall = recall
    end = {"agentId": "main", "sessionKey": "s", "runId": "r1", "messages": answer("Delete the obj folder")}
    assert host.ask("agent_end", **end)["kinds"] == {}
    assert host.service.ask("main", lambda engine: [event.kind for event in engine.store.events()])[-1] == "unshown"


def test_a_late_answer_has_no_block_and_counts_as_not_shown(host):
    call = host.call(
        "before_agent_start",
        agentId="main",
        audience="owner",
        sessionKey="s",
        prompt=ASKED,
        timeoutMs=50,
        keepsInjections=True,
    )
    call.arrived -= 1
    late = host.service.answer(call)
    assert (late["outcome"], "prependContext" in late, late["faults"][0]["stage"]) == ("failed", False, "deadline")
    assert (
        host.ask("agent_end", agentId="main", sessionKey="s", messages=answer("Delete the obj folder"))["cited"] == {}
    )
    assert host.prompt(keepsInjections=True, timeoutMs=60_000)["outcome"] == "injected"


def test_an_answer_that_took_too_long_to_find_has_no_block_either(host, monkeypatch):
    """The host gave up while the search was running: nobody will see the block."""
    call = host.call(
        "before_agent_start", agentId="main", audience="owner", sessionKey="s", prompt=ASKED, keepsInjections=True
    )
    recall = host.service._conversing._recall

    def given_up(request: requests.BeforeAgentStart, call: Call, trace: Trace) -> Injection:
        found = recall(request, call, trace)
        call.cancelled = True
        return found

    monkeypatch.setattr(host.service._conversing, "_recall", given_up)
    late = host.service.answer(call)
    assert (late["outcome"], "prependContext" in late) == ("failed", False)
    monkeypatch.undo()
    assert host.prompt(keepsInjections=True)["outcome"] == "injected"


def test_a_cancelled_prompt_is_answered_without_a_block(host):
    call = host.call("before_agent_start", agentId="main", audience="owner", sessionKey="s", prompt=ASKED)
    call.cancelled = True
    assert host.service.answer(call).items() >= {"outcome": "failed", "reason": "cancelled by the host"}.items()


def test_two_agents_never_see_each_others_notes(host, tmp_path):
    """DESIGN 2.8, issue 3: isolation."""
    other = workspace(tmp_path / "other", PORT_NOTE.replace("7443", "9999"))
    host.ask("session_start", agentId="bob", workspaceDir=str(other))
    host.event("indexed")
    asked = "On which port does the invoice service listen behind the Lantern proxy?"
    mine, his = host.prompt(asked)["prependContext"], host.prompt(asked, agentId="bob")["prependContext"]
    assert ("7443" in mine, "9999" in mine) == (True, False)
    assert ("7443" in his, "9999" in his) == (False, True)
    with pytest.raises(WireError, match="agentId is missing"):
        host.ask("before_agent_start", prompt=asked)


def test_an_agents_memory_answers_in_its_own_workspace_only(host, tmp_path):
    elsewhere = workspace(tmp_path / "elsewhere", PORT_NOTE)
    refused = host.prompt(workspaceDir=str(elsewhere))
    assert refused["outcome"] == "failed"
    assert "holds the notes of" in refused["reason"]
    assert host.prompt(workspaceDir=str(tmp_path / "ws"))["outcome"] == "injected"


def test_a_store_that_another_process_moves_to_another_folder_answers_there_and_nowhere_else(host, tmp_path):
    mine = str(tmp_path / "ws")
    assert host.prompt(workspaceDir=mine)["outcome"] == "injected"
    elsewhere = workspace(tmp_path / "elsewhere", ERROR_NOTE.replace("obj folder", "whole disk"))
    with Engine.open(Config(**CONFIG)) as other:  # as `hookclaw index --move` does in a process of its own
        other.index(elsewhere, move=True, wait_seconds=20)  # the service may be reading what it has opened
    refused = host.prompt(workspaceDir=mine)
    assert (refused["outcome"], refused.get("prependContext")) == ("failed", None)
    assert f"holds the notes of {elsewhere}, not of {mine}" in refused["reason"]
    assert "whole disk" in host.prompt(workspaceDir=str(elsewhere))["prependContext"], "its own folder is answered"
    host.service.close(5)
    with Engine.open(Config(**CONFIG)) as other:
        assert other.workspace == str(elsewhere), "nobody took it back"


def test_a_workspace_that_moved_is_followed(host, tmp_path):
    (tmp_path / "ws").rename(tmp_path / "moved")
    host.prompt(workspaceDir=str(tmp_path / "moved"))
    assert host.prompt(workspaceDir=str(tmp_path / "moved"))["outcome"] == "injected"
    (tmp_path / "moved" / "memory" / "new.md").write_text("The new gate code is ZK-4410.", encoding="utf-8")
    host.prompt(workspaceDir=str(tmp_path / "moved"))
    assert host.event("indexed")["workspaceDir"] == str(tmp_path / "moved")


def test_a_wrong_configuration_lists_every_problem_and_memory_waits_for_a_good_one(host):
    with pytest.raises(WireError, match="did you mean maxResults") as caught:
        host.ask("_configure", config={"maxResult": 3, "minScore": 7})
    assert caught.value.code is Code.INVALID_PARAMS
    assert "minScore" in str(caught.value)
    refused = host.prompt()
    assert (refused["outcome"], "minScore" in refused["reason"]) == ("failed", True)
    assert host.ask("health")["problems"]
    host.ask("session_start", agentId="main", workspaceDir="/somewhere")  # nothing to open it with; no error either
    host.ask("_configure", config=CONFIG)
    assert host.prompt()["outcome"] == "injected"


def test_reload_reads_the_file_again_and_the_hosts_values_stay_on_top(host):
    before = host.ask("_reload")["fingerprint"]
    home().mkdir(exist_ok=True)
    (home() / "config.toml").write_text("max_results = 7\nmin_score = 0.9\n", encoding="utf-8")
    after = host.ask("_reload")["fingerprint"]
    assert after != before
    assert host.prompt()["outcome"] == "injected"  # reopened, and the host's min_score still holds
    assert host.ask("_reload")["fingerprint"] == after


def test_an_edited_configuration_file_holds_from_the_next_prompt_on(host):
    home().mkdir(exist_ok=True)
    file = home() / "config.toml"
    file.write_text('format_template = "markdown"\n', encoding="utf-8")
    assert "**Relevant Memories:**" in host.prompt()["prependContext"]
    file.write_text('format_template = "html"\n', encoding="utf-8")
    for _ in range(2):
        assert "formatTemplate: 'html' is not allowed" in host.prompt()["reason"]
    file.unlink()
    assert host.prompt()["prependContext"].startswith("<relevant_memories>")


def test_a_decision_can_be_explained_afterwards_by_its_id_and_by_its_agent_only(host):
    given = host.prompt()
    told = host.ask("explain", agentId="main", audience="owner", injectionId=given["injectionId"])
    assert told["text"] == given["prependContext"]
    assert told["candidates"][0]["history"]
    assert host.ask("explain", agentId="main", audience="owner", prompt=ASKED)["outcome"] == "injected"
    for wrong in ({"agentId": "bob", "injectionId": given["injectionId"]}, {"agentId": "main"}):
        with pytest.raises(WireError):
            host.ask("explain", **wrong)


def test_a_decision_can_be_explained_after_many_more_and_a_skip_too(host):
    first = host.prompt()["injectionId"]
    skipped = [host.prompt(trigger="heartbeat")["injectionId"] for _ in range(120)]
    assert host.ask("explain", agentId="main", audience="owner", injectionId=first)["outcome"] == "injected"
    assert host.ask("explain", agentId="main", audience="owner", injectionId=skipped[0])["outcome"] == "skipped"
    with pytest.raises(WireError, match="no decision 'ffff' is kept"):
        host.ask("explain", agentId="main", audience="owner", injectionId="ffff")


def test_without_history_the_past_cannot_be_explained_and_the_answer_says_why(host):
    host.ask("_configure", config={"keepHistory": False})
    given = host.prompt()
    with pytest.raises(WireError, match="keepHistory"):
        host.ask("explain", agentId="main", audience="owner", injectionId=given["injectionId"])


def test_health_and_metrics_say_what_an_operator_needs(host):
    host.prompt()
    wait_until(lambda: host.ask("health")["agents"][0]["state"] == "ready", "all is indexed")
    health = host.ask("health")
    (agent,) = health["agents"]
    assert (agent["agentId"], agent["state"], agent["chunks"], agent["problem"]) == ("main", "ready", 12, "")
    assert agent["recalls"] == 1
    assert agent["lastRecallAt"]
    assert health["configured"] is True
    metrics = host.ask("metrics")
    assert metrics["agents"]["main"]["outcomes"] == {"injected": 1}
    assert host.ask("metrics", agentId="bob")["agents"] == {}


def test_prompts_that_no_engine_saw_are_counted_too(host):
    host.prompt()
    host.prompt("ok")
    late = host.call("before_agent_start", agentId="main", audience="owner", sessionKey="s", prompt=ASKED)
    late.cancelled = True
    host.service.answer(late)
    seen = host.ask("metrics")
    assert (seen["prompts"], seen["unreached"]) == (3, 1)
    assert seen["agents"]["main"]["prompts"] == seen["agents"]["main"]["thisProcess"]["calls"] == 2


def test_what_became_of_each_chunk_is_counted_by_rank_and_source(host):
    host.prompt()
    host.ask(
        "agent_end",
        agentId="main",
        sessionKey="s",
        messages=[
            {"role": "user", "content": ASKED},
            {"role": "assistant", "content": "Delete the obj folder and restore again."},
        ],
    )
    agent = host.ask("metrics")["agents"]["main"]
    assert agent["turns"] == 1
    assert agent["usedByRank"]["1"] == {"settled": 1, "used": 1, "rate": 1.0}
    assert agent["usedBySource"]["memory"]["used"] == 1


def test_a_store_that_cannot_be_opened_costs_memories_and_nothing_else():
    folder = agent_folder(home(), "main")
    folder.mkdir(parents=True)
    (folder / "memory.db").write_bytes(b"this is no database" * 100)
    host = Host(config=CONFIG)
    failed = host.prompt()
    assert failed["outcome"] == "failed"
    assert "memory.db" in failed["reason"]
    assert host.event("problem")["agentId"] == "main"
    assert host.ask("health")["agents"][0]["state"] == "failed"
    with pytest.raises(WireError, match=r"memory\.db"):
        host.ask("explain", agentId="main", audience="owner", prompt=ASKED)
    (folder / "memory.db").unlink()
    assert host.prompt()["outcome"] == "silent"
    assert host.service.close(10)


def test_a_workspace_that_does_not_exist_yet_is_told_once_and_answers_stay_silent(tmp_path):
    host = Host(config=CONFIG)
    assert host.prompt(workspaceDir=str(tmp_path / "later"))["outcome"] == "silent"
    assert str(tmp_path / "later") in host.event("problem")["message"]
    workspace(tmp_path / "later", ERROR_NOTE)
    host.prompt(workspaceDir=str(tmp_path / "later"))  # asks for another look
    host.event("indexed")
    assert host.prompt()["outcome"] == "injected"
    assert host.service.close(10)


def test_an_edited_note_answers_the_next_prompt(tmp_path):
    host = Host(config=CONFIG, watching=True)
    folder = workspace(tmp_path / "ws", ERROR_NOTE)
    host.prompt(workspaceDir=str(folder))
    host.event("indexed")
    (folder / "memory" / "2026-02-11.md").write_text("The gate code of the depot is ZK-4410.", encoding="utf-8")
    assert host.event("indexed")["added"] == 1
    assert "ZK-4410" in host.prompt("What is the gate code of the depot, please?")["prependContext"]
    assert host.service.close(10)


def system_threads(name: str) -> int:
    """How many threads of this process, Python's and others, have a name that begins so."""
    names = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # it has just ended
            names.append(task.joinpath("comm").read_text())
    return sum(found.startswith(name) for found in names)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_notes_of_all_agents_are_watched_together_by_one_thread_of_the_system(tmp_path):
    host, agents = Host(config=CONFIG, watching=True), [f"agent{n}" for n in range(5)]
    folders = {agent: workspace(tmp_path / agent, f"The pet of {agent} is called {agent}-Rex.") for agent in agents}
    for agent, folder in folders.items():
        host.prompt(agentId=agent, workspaceDir=str(folder))
    assert {host.event("indexed")["agentId"] for _ in agents} == set(agents)
    for agent, folder in folders.items():
        (folder / "memory" / "2026-02-11.md").write_text(f"The gate code of the depot is ZK-{agent}.", encoding="utf-8")
    assert {host.event("indexed")["agentId"] for _ in agents} == set(agents)
    for agent in agents:
        found = host.prompt("What is the gate code of the depot, please?", agentId=agent)["prependContext"]
        assert f"ZK-{agent}" in found
        assert found.count("ZK-") == 1
    wait_until(lambda: system_threads("notify-rs") == 1, "one thread watches for all")
    assert host.service.close(10)
    wait_until(lambda: system_threads("notify-rs") == 0, "none is left behind")


def test_a_folder_that_was_deleted_and_made_anew_is_watched_again_and_the_others_all_the_while(tmp_path):
    host = Host(config=CONFIG, watching=True)
    folders = {agent: workspace(tmp_path / agent, PORT_NOTE) for agent in ("main", "other")}
    for agent, folder in folders.items():
        host.prompt(agentId=agent, workspaceDir=str(folder))
        host.event("indexed")
    shutil.rmtree(folders["main"])
    (folders["other"] / "memory" / "2026-02-12.md").write_text("The depot has four gates.", encoding="utf-8")
    while host.event("indexed")["agentId"] != "other":
        pass
    workspace(folders["main"], PORT_NOTE, ERROR_NOTE)
    wait_until(lambda: host.prompt()["outcome"] == "injected", "what stands in the new folder is found")
    (folders["main"] / "memory" / "2026-02-11.md").write_text(
        "The gate code of the depot is ZK-4410.", encoding="utf-8"
    )
    asked = "What is the gate code of the depot, please?"
    wait_until(lambda: "ZK-4410" in host.prompt(asked).get("prependContext", ""), "an edit in it, too")
    assert host.service.close(10)


def test_many_threads_ask_at_once_and_each_gets_its_own_answer(host):
    found: list[tuple[int, str]] = []

    def ask(n: int) -> None:
        text = ASKED if n % 2 else "On which port does the invoice service listen behind the Lantern proxy?"
        found.append((n, host.prompt(text, sessionKey=f"s{n}")["prependContext"]))

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 24
    assert all(("obj folder" if n % 2 else "7443") in block for n, block in found)


def test_when_the_process_ends_prompts_are_let_go_at_once(host):
    host.service.hurried = True
    assert host.prompt()["reason"] == "the process is ending"


@contextmanager
def slow_embeddings(release: threading.Event) -> Iterator[str]:
    """Run an embeddings server that answers nobody before ``release`` is set."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            release.wait(60)
            body = json.dumps({"data": [{"embedding": [1.0, 0.5]}]}).encode()
            with suppress(OSError):
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        release.set()
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_store_that_is_still_being_read_says_so_and_answers_by_keywords_from_what_is_there(tmp_path):
    release, hotel = threading.Event(), "Which hotel did we book in Lisbon for the conference?"
    folder = str(workspace(tmp_path / "ws", ERROR_NOTE))
    with slow_embeddings(release) as url:
        embedder = {"backend": "openai", "model": "any", "url": url}
        host = Host(config={"minScore": 0.3, "timeoutMs": 300, "embedder": embedder})
        host.ask("session_start", agentId="main", workspaceDir=folder)
        until = monotonic() + 30
        while (found := host.prompt(workspaceDir=folder))["outcome"] != "injected" and monotonic() < until:
            said = "still reading the notes" in found["reason"] or "no notes have been read yet" in found["reason"]
            assert said or found["outcome"] == "failed", found
        assert found["outcome"] == "injected", "by keywords, before anything is embedded"
        assert host.prompt(hotel)["reason"].startswith("still reading the notes (11 chunks so far)")
        counted = host.ask("metrics")["agents"]["main"]
        assert "still_reading" in json.dumps(counted)
        release.set()
        host.event("indexed")
        assert "still reading" not in host.prompt(hotel)["reason"]
        assert host.service.close(10)


def test_an_agent_whose_notes_nobody_named_is_not_said_to_be_reading_them():
    host = Host(config=CONFIG)
    told = "no notes have been read yet; name their folder as workspaceDir, or run `hookclaw --agent main index FOLDER`; nothing found"
    assert host.prompt()["reason"] == told
    assert host.service.close(10)


def test_every_agent_of_a_roster_is_read_one_after_the_other_without_a_prompt(tmp_path):
    host = Host(config=CONFIG)
    for agent in ("work", "main", "main@work"):
        port = PORT_NOTE.replace("Lantern", agent)
        host.ask("session_start", agentId=agent, workspaceDir=str(workspace(tmp_path / agent, port)))
    assert [host.event("indexed")["agentId"] for _ in range(3)] == ["work", "main", "main@work"]
    for agent in ("work", "main", "main@work"):
        found = host.prompt("which port does the invoice service listen on?", agentId=agent)
        assert f"behind the {agent} proxy" in found["prependContext"]
    assert host.service.close(10)


def test_a_prompt_is_answered_in_time_whatever_hangs_on_the_way_to_its_memory(host):
    """The configuration's file, the opening, the binding: all of it takes its time from the host's."""
    call = host.call("before_agent_start", agentId="main", sessionKey="s", prompt=ASKED, timeoutMs=200)
    held, let_go = threading.Event(), threading.Event()

    def hang() -> None:
        with host.service._agents._lock:
            held.set()
            let_go.wait(60)

    thread = threading.Thread(target=hang)
    thread.start()
    try:
        assert held.wait(60)
        with ThreadPoolExecutor(1) as pool:
            answered = pool.submit(host.service.answer, call).result(30)
        assert (answered["outcome"], answered["faults"][0]["stage"]) == ("failed", "bridge")
        assert "200 ms" in answered["reason"]
    finally:
        let_go.set()
        thread.join()
    assert host.prompt(timeoutMs=60_000)["outcome"] == "injected"


def happened(kind: str, payload: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    told = {"kind": kind, "session": "s", "run": "r", "at": 1_800_000_000_000, "audience": "owner"}
    return {**told, "payload": payload or {}, **more}


def test_what_happened_is_written_when_the_reply_comes_and_worked_off_behind_it(host):
    """C2, C9, C18: vectors 7 and 11 as the replies say them."""
    reports = [
        happened("prompt", {"text": "Does it pass?"}),
        happened("tool_call", {"tool": "exec", "input": {"command": "make test"}, "result": "2 passed"}, call="1"),
        happened("tool_call", {"tool": "Read", "input": {"path": "a.py"}, "result": "x"}, call="2"),
        happened("nonsense"),
    ]
    receipts = host.ask("capture", agentId="main", host="openclaw", reports=reports, lost=3)["receipts"]
    assert [receipt["queued"] for receipt in receipts] == [True, True, False, False]
    assert [receipt.get("skippedReason") for receipt in receipts] == [None, None, "read", "unreadable"]
    again = host.ask("capture", agentId="main", host="openclaw", reports=reports[:2])["receipts"]
    assert [receipt["queueId"] for receipt in again] == [receipt["queueId"] for receipt in receipts[:2]]
    assert all(receipt["duplicate"] for receipt in again)
    with Engine.open(Config(**CONFIG), folder=agent_folder(home(), "main")) as engine:
        assert engine.capturing.waiting().captured == 3
        wait_until(lambda: not engine.capturing.waiting().pending, "what was captured is worked off")
    wait_until(lambda: host.ask("metrics")["agents"]["main"]["captureLost"] == 3, "what was lost is counted")


def test_a_private_turn_is_refused_by_name(host):
    """C7, vector 7."""
    reports = [happened("prompt", {"text": "<PRIVATE>a</PRIVATE>"}), happened("tool_call", {"tool": "exec"}, call="1")]
    receipts = host.ask("capture", agentId="main", host="openclaw", reports=reports)["receipts"]
    assert [(receipt["queued"], receipt["skippedReason"]) for receipt in receipts] == [(False, "private")] * 2


def test_what_an_earlier_process_left_is_worked_off_by_the_next(tmp_path):
    """C9, defect 9: without a prompt, as soon as the store is open."""
    with Engine.open(Config(**CONFIG), folder=agent_folder(home(), "main")) as engine:
        told = report_of(happened("prompt", {"text": "Hello there?"}), host="openclaw", now=datetime.now(UTC))
        engine.capturing.record([told])
        host = Host(config=CONFIG)
        host.ask("session_start", agentId="main", workspaceDir=str(workspace(tmp_path / "ws", PORT_NOTE)))
        wait_until(lambda: not engine.capturing.waiting().pending, "what waited is worked off")
        assert host.service.close(10)
