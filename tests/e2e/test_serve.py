"""``hookclaw serve`` as a gateway runs it: a real process, the real model, real pipes."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from hookclaw_py.cli.commands import main
from tests.e2e.sidecar import ASKED, SERVE, Sidecar, workspace
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sidecar]:
    """A sidecar whose agent "main" has indexed the notes; shared, because loading the model takes most of a second."""
    folder = tmp_path_factory.mktemp("served")
    with Sidecar(HOOKCLAW_HOME=str(folder / "home")) as sidecar:
        found = sidecar.open(workspace(folder / "ws"))
        assert (found["files"], found["added"]) == (3, found["chunks"])
        yield sidecar


def test_the_hello_comes_before_anything_is_loaded():
    with Sidecar() as sidecar:
        assert sidecar.hello["ready"] is True
        assert sidecar.hello["protocol"] == 1
        assert sidecar.ask("health")["agents"] == []
        assert sidecar.end() == 0


def test_a_prompt_gets_its_memory_and_an_unrelated_one_nothing(served):
    found = served.prompt(ASKED)
    assert found["outcome"] == "injected"
    assert found["faults"] == []
    assert found["prependContext"].startswith("<relevant_memories>")
    assert "one JSON object a line" in found["prependContext"]
    assert served.prompt("What is the capital of Mongolia?")["outcome"] == "silent"
    assert served.prompt("thanks!")["outcome"] == "skipped"
    assert served.logged("injecting 1 memories")


def test_the_answer_settles_which_memory_was_used(served):
    served.prompt(ASKED, sessionKey="settled")
    said = [
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Structured logging: one JSON object a line, serilog."}],
        }
    ]
    used = served.ask("agent_end", agentId="main", sessionKey="settled", messages=said)
    assert list(used["cited"].values()) == [True]


def test_a_note_written_now_answers_the_next_prompt(served, tmp_path):
    folder = workspace(tmp_path / "ws2")
    served.open(folder, agent="writer")
    (folder / "memory" / "2026-02-13.md").write_text("The Lantern proxy listens on port 7443.\n", encoding="utf-8")
    assert served.event("indexed")["added"] == 1
    assert "7443" in served.prompt("Which port does the Lantern proxy listen on?", agentId="writer")["prependContext"]


def test_two_agents_of_one_gateway_never_see_each_others_notes(served, tmp_path):
    served.open(
        workspace(tmp_path / "bob", {"MEMORY.md": "The launch code of the Falcon project is ZK-4410.\n"}), "bob"
    )
    asked = "What is the launch code of the Falcon project?"
    assert "ZK-4410" in served.prompt(asked, agentId="bob")["prependContext"]
    assert served.prompt(asked)["outcome"] == "silent"
    assert served.prompt(ASKED, agentId="bob")["outcome"] == "silent"
    refused = served.reply(served.request("before_agent_start", prompt=asked))
    assert refused["error"]["code"] == "INVALID_PARAMS"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="heaps of glibc")
def test_all_its_threads_share_one_heap_of_the_c_library(served):
    asked = [
        served.request("before_agent_start", agentId="main", audience="owner", prompt=f"{ASKED} {n}") for n in range(40)
    ]
    for number in asked:
        served.reply(number)
    assert heaps_beside_the_first(served.process.pid) == []


def heaps_beside_the_first(pid: int) -> list[str]:
    """Return where glibc has reserved 64 MiB for threads."""
    reserved = 64 << 20
    lines = (Path("/proc") / str(pid) / "maps").read_text(encoding="utf-8").splitlines()
    mapped = [(*(int(end, 16) for end in line.split()[0].split("-")), line.split()[1]) for line in lines]
    return [
        hex(start)
        for (start, end, used), (after, last, unused) in pairwise(mapped)
        if start % reserved == 0 and (used, unused) == ("rw-p", "---p") and end == after and last == start + reserved
    ]


@pytest.mark.slow
def test_two_gateways_on_one_store_both_answer_and_both_notice_edits(tmp_path):
    env = {"HOOKCLAW_HOME": str(tmp_path / "home")}
    folder = workspace(tmp_path / "ws")
    with Sidecar(**env) as one, Sidecar(**env) as two:
        two.events = one.events
        for sidecar in (one, two):
            sidecar.ask("session_start", agentId="main", workspaceDir=str(folder))
            sidecar.event("indexed")
        assert [s.prompt(ASKED)["outcome"] for s in (one, two)] == ["injected", "injected"]
        (folder / "memory" / "new.md").write_text("The Lantern proxy listens on port 7443.\n", encoding="utf-8")
        assert one.event("indexed")["added"] == 1  # by whichever of them was first
        for sidecar in (one, two):
            assert "7443" in sidecar.prompt("Which port does the Lantern proxy listen on?")["prependContext"]


def test_the_first_prompt_does_not_wait_for_the_index(tmp_path):
    many = {
        f"memory/topic-{n}.md": f"# Topic {n}\n\n" + "\n\n".join(f"Fact {n}.{i} about {n * i}." for i in range(20))
        for n in range(40)
    }
    with Sidecar(HOOKCLAW_HOME=str(tmp_path / "home")) as sidecar:
        ident = sidecar.request(
            "before_agent_start",
            agentId="main",
            audience="owner",
            prompt=ASKED,
            workspaceDir=str(workspace(tmp_path / "ws", many)),
        )
        assert sidecar.reply(ident)["result"]["outcome"] == "silent"
        assert sidecar.events.empty()  # and the indexing is still going on
        assert sidecar.terminate() == 0  # which does not keep the process alive either


def test_a_prompt_that_cannot_have_its_answer_in_time_gets_one_without_memories(tmp_path):
    with Sidecar(HOOKCLAW_HOME=str(tmp_path / "home")) as sidecar:
        found = sidecar.prompt(ASKED, timeoutMs=1)
        assert (found["outcome"], "prependContext" in found) == ("failed", False)
        assert found["faults"]


def test_a_flood_of_a_thousand_prompts_is_answered_once_each(served):
    prompts = [
        {
            "agentId": "main",
            "audience": "owner",
            "sessionKey": f"f{n}",
            "prompt": f"{ASKED} ({n})",
            "timeoutMs": 1500,
        }
        for n in range(1000)
    ]
    idents = [served.request("before_agent_start", **prompt) for prompt in prompts]
    outcomes = [served.reply(ident)["result"]["outcome"] for ident in idents]
    assert len(outcomes) == 1000
    assert set(outcomes) <= {"injected", "failed"}
    assert "injected" in outcomes
    wait_until(lambda: served.prompt(ASKED)["outcome"] == "injected", "an answer once the flood is over")


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (b"x" * 5 * 1024 * 1024, "PARSE_ERROR"),
        (b"\xff\xfe", "PARSE_ERROR"),
        (b'{"id": null, "method": "nonsense"}', "METHOD_NOT_FOUND"),
        (
            b'{"id": 99999999999999999999, "method": "\\ud800"}',
            "INVALID_PARAMS",
        ),  # the lenient parser knows such numbers
        (
            b'{"method": "before_agent_start", "params": {"agentId": "main", "prompt": "x", "extra": 1}}',
            "INVALID_PARAMS",
        ),
    ],
)
def test_a_bad_line_costs_an_error_and_nothing_else(served, bad, code):
    served.send(bad + b"\n")
    assert served.reply(None)["error"]["code"] == code
    assert served.ask("health")["pending"] == 0


def test_a_long_conversation_fits_and_is_read(served):
    messages = [{"role": "user", "content": f"message {n} " + "lorem ipsum " * 500} for n in range(500)]  # 3 MB
    assert served.prompt(ASKED, messages=messages)["outcome"] == "injected"


def test_everything_pending_is_answered_when_the_stream_ends():
    lines = b"".join(
        b'{"id":%d,"method":"before_agent_start","params":{"agentId":"main","audience":"owner","prompt":"%s %d"}}\n'
        % (n, ASKED.encode(), n)
        for n in range(50)
    )
    ran = subprocess.run(SERVE, input=lines, capture_output=True, timeout=60)
    assert ran.returncode == 0
    assert ran.stdout.count(b'"result"') == 50


@pytest.mark.slow
@pytest.mark.parametrize("how", ["terminate", "_shutdown"])
def test_told_to_end_it_does_not_answer_what_still_waits(tmp_path, how):
    waiting = 3000  # half a minute's work
    with Sidecar(HOOKCLAW_HOME=str(tmp_path / "home")) as sidecar:
        sidecar.open(workspace(tmp_path / "ws"))
        for n in range(waiting):
            sidecar.request("before_agent_start", agentId="main", audience="owner", prompt=f"{ASKED} {n}")
        if how == "terminate":
            assert sidecar.terminate() == 0
        else:
            sidecar.ask("_shutdown")
            assert sidecar.process.wait(30) == 0
    told = [reply["result"] for reply in sidecar.unread()]
    assert len([result for result in told if result["outcome"] == "injected"]) < waiting / 2
    assert "the process is ending" in {result["reason"] for result in told}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc and tgkill")
def test_it_ends_although_the_signal_reaches_another_thread():
    """The kernel gives a signal to any thread; with others at work it is seldom the one that waits for it."""
    with Sidecar() as sidecar:
        sidecar.ask("health")
        pid = sidecar.process.pid
        others = [int(name) for name in os.listdir(f"/proc/{pid}/task") if int(name) != pid]
        tgkill = 234 if platform.machine() == "x86_64" else 131
        assert ctypes.CDLL(None, use_errno=True).syscall(tgkill, pid, others[0], signal.SIGTERM) == 0
        assert sidecar.process.wait(30) == 0


def test_a_stray_print_never_reaches_the_protocol():
    noisy = (
        "import os, sys, hookclaw_py.doors.service as service\n"
        "quiet = service.Service.answer\n"
        "def answer(self, call):\n"
        "    print('stray'); os.write(1, b'from C'); sys.__stdout__.write('more'); sys.__stdout__.flush(); os.system('echo child')\n"
        "    assert sys.stdin.read() == ''\n"
        "    return quiet(self, call)\n"
        "service.Service.answer = answer\n"
        "from hookclaw_py.doors.stdio import serve_stdio\n"
        "serve_stdio(None, lambda service: None)\n"
    )
    with Sidecar([sys.executable, "-P", "-c", noisy]) as sidecar:
        assert sidecar.ask("health")["protocol"] == 1
        sidecar.end()
        assert all(word in sidecar.stderr for word in ("stray", "from C", "more", "child"))


def test_each_line_of_the_log_begins_with_who_says_it_and_says_it_once():
    with Sidecar() as sidecar:
        assert "error" in sidecar.reply(sidecar.request("_configure", config={"maxResult": 3}))
        sidecar.end()
        assert sidecar.stderr.startswith("hookclaw: the configuration cannot be used: maxResult: unknown key")


@pytest.mark.slow
def test_a_host_that_never_reads_the_logs_is_answered_all_the_same(tmp_path):
    with Sidecar(drain_stderr=False, HOOKCLAW_HOME=str(tmp_path / "home")) as sidecar:
        sidecar.open(workspace(tmp_path / "ws"))
        for _ in range(1500):  # more than 64 KiB of log lines
            assert sidecar.prompt("thanks!")["outcome"] == "skipped"


def test_killed_while_indexing_it_goes_on_from_there_at_the_next_start(tmp_path):
    folder, env = workspace(tmp_path / "ws"), {"HOOKCLAW_HOME": str(tmp_path / "home")}
    first = Sidecar(**env)
    first.request("before_agent_start", agentId="main", audience="owner", prompt=ASKED, workspaceDir=str(folder))
    first.process.kill()
    assert first.end() == -9
    with Sidecar(**env) as second:
        second.open(folder)
        assert second.prompt(ASKED)["outcome"] == "injected"


def test_configuration_of_the_host_is_on_top_and_a_wrong_one_is_told(tmp_path):
    with Sidecar(HOOKCLAW_HOME=str(tmp_path / "home")) as sidecar:
        wrong = sidecar.reply(sidecar.request("_configure", config={"minScore": 3}))
        assert wrong["error"]["code"] == "INVALID_PARAMS"
        assert "minScore: 3 is not allowed" in wrong["error"]["message"]
        assert sidecar.prompt(ASKED)["outcome"] == "failed"
        sidecar.ask("_configure", config={"formatTemplate": "markdown"})
        sidecar.open(workspace(tmp_path / "ws"))
        assert sidecar.prompt(ASKED)["prependContext"].startswith("---\n**Relevant Memories:**")


def test_a_slow_reader_gets_everything():
    """The pipe is full long before the host begins to read; nobody waits for anybody for ever."""
    process = subprocess.Popen(
        SERVE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ)
    )
    with process:
        request = b'{"id":1,"method":"health"}\n'
        sender = threading.Thread(target=lambda: (process.stdin.write(request * 2000), process.stdin.close()))
        sender.start()
        sender.join(30)
        assert not sender.is_alive()
        assert process.stdout.read().count(b'"uptimeMs"') == 2000
    assert process.returncode == 0


@pytest.mark.sqlite
def test_a_server_named_on_the_command_line_is_the_doors_too(tmp_path):
    """A memory that was to be on a server is not put into a file here because the server does not answer."""
    call = {"agentId": "main", "audience": "owner", "arguments": {"content": "The gate code is 4711 blue."}}
    asked = json.dumps({"id": 1, "method": "memory_set", "params": call}) + "\n"
    command = [sys.executable, "-P", "-m", "hookclaw_py", "--store", "postgresql://una@127.0.0.1:1/memory", "serve"]
    env = {**os.environ, "HOOKCLAW_HOME": str(tmp_path)}
    done = subprocess.run(command, input=asked, capture_output=True, text=True, env=env, timeout=60, check=False)
    told = json.loads(done.stdout.splitlines()[-1])
    assert "postgresql://una@127.0.0.1:1/memory: does not answer" in told["error"]["message"]
    assert not list(tmp_path.glob("agents/*/memory.db"))


@pytest.mark.sqlite
def test_a_server_named_for_one_command_is_not_the_next_ones(tmp_path):
    before, env = dict(os.environ), {"HOOKCLAW_HOME": str(tmp_path)}
    named = CliRunner().invoke(
        main, ["--store", "postgresql://una@127.0.0.1:1/memory", "config", "show", "--json"], env=env
    )
    assert json.loads(named.stdout)["values"]["store"]["url"] == "postgresql://una@127.0.0.1:1/memory"
    assert (
        json.loads(CliRunner().invoke(main, ["config", "show", "--json"], env=env).stdout)["values"]["store"]["url"]
        == ""
    )
    assert dict(os.environ) == before
