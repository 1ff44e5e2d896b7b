"""The JavaScript plugin in Node, against hosts of every age and memory processes of every kind.

Each script runs until Node ends by itself, so a timer or process that keeps a host alive fails the test by its timeout.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py.hosts.openclaw.gateway import gateway_key, profile_of
from hookclaw_py.hosts.openclaw.manifest import PLUGIN_FOLDER
from hookclaw_py.store.agents import agent_folder

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")

PRELUDE = """
import plugin, { gatewayKey, profileOf } from %(plugin)s;
const hooks = {}, log = [], services = [], out = {};
const say = (level) => (line) => log.push(`${level} ${line}`);
const api = (config = {}, version = "2026.9.6") => ({
  pluginConfig: { ...%(config)s, ...config },
  runtime: { version, state: { resolveStateDir: () => %(state)s } },
  logger: { info: say("info"), warn: say("warn"), error: say("error") },
  on: (name, handler) => (hooks[name] ??= []).push(handler),
  registerService: (service) => services.push(service),
});
const inGateway = () => fire("gateway_start", { port: 1 }, { agentId: undefined });
const ctx = { agentId: "main", sessionKey: "agent:main:web", sessionId: "s1", workspaceDir: "/ws", trigger: "user" };
const fire = async (name, event, more = {}) => {
  const answers = [];
  for (const handler of hooks[name] ?? []) answers.push(await handler(event, { ...ctx, ...more }));
  return answers.filter(Boolean);
};
const prompt = (words, more) => fire("before_prompt_build", { prompt: words, messages: [] }, more);
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const ready = async (starts = 1) => { for (let i = 0; i < 200 && log.filter((line) => line.includes("is ready (pid")).length < starts; i++) await sleep(50); };
"""

MEMORY = """#!{python}
import json, os, sys, time
def tell(value): sys.stdout.write(json.dumps(value) + "\\n"); sys.stdout.flush()
def reply(line, result): tell({{"id": line["id"], "result": result}})
got = open({got!r}, "a")
hello = {{"ready": True, "version": "0", "protocol": 1}}
block = "<relevant_memories>x</relevant_memories>"
injected = {{"outcome": "injected", "reason": "top", "prependContext": block, "faults": []}}
{head}
for text in sys.stdin:
    got.write(text); got.flush()
    line = json.loads(text)
    method, prompt = line["method"], line.get("params", {{}}).get("prompt", "")
    if method == "_shutdown": break
{body}
    if "id" in line: reply(line, injected if method == "before_agent_start" else {{"cited": {{"c": True}}}})
"""

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs a script with a memory process of the given manners, and returns what it put into ``out``."""

    def run(
        script: str,
        *,
        head: str = "tell(hello)",
        body: str = "",
        config: dict[str, Any] | None = None,
        python: str = "",
        seconds: float = 20,
    ) -> dict[str, Any]:
        memory = tmp_path / "memory"
        indented = "\n".join(f"    {line}" for line in body.splitlines())
        memory.write_text(MEMORY.format(python=sys.executable, got=str(tmp_path / "got"), head=head, body=indented))
        memory.chmod(0o755)
        settings = {"python": python or str(memory), "home": str(tmp_path / "home"), "budgetMs": 600, **(config or {})}
        places = {
            "plugin": json.dumps((PLUGIN_FOLDER / "index.js").as_uri()),
            "config": json.dumps(settings),
            "state": json.dumps(str(tmp_path / ".openclaw")),
        }
        assert NODE is not None
        code = f"{PRELUDE % places}\n{script}\nout.log = log; console.log(JSON.stringify(out));"
        done = subprocess.run(
            [NODE, "--input-type=module", "-e", code],
            env={**os.environ, "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return {
            **json.loads(done.stdout.splitlines()[-1]),
            "got": received(tmp_path),
            "record": record(tmp_path),
        }

    return run


def received(folder: Path) -> list[dict[str, Any]]:
    file = folder / "got"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def record(folder: Path) -> dict[str, Any]:
    file = folder / "home/gateways" / gateway_key(folder / ".openclaw") / "record.json"
    return json.loads(file.read_text()) if file.exists() else {}


def test_registering_does_nothing_but_register(run):
    out = run("out.result = plugin.register(api()) ?? null; plugin.register(api()); out.hooks = Object.keys(hooks);")
    assert out["result"] is None, "synchronous"
    assert (out["got"], out["record"], out["log"]) == ([], {}, [])
    assert {
        "before_prompt_build",
        "agent_end",
        "before_compaction",
        "after_compaction",
        "session_start",
        "session_end",
        "gateway_stop",
    } <= set(out["hooks"])


@pytest.mark.parametrize(
    ("version", "legacy"),
    [
        ("2026.9.6", False),
        ("2026.4.24", False),
        ("2026.3.13", True),
        ("2026.2.9", True),
        ("1.0.0", True),
        ("unknown", True),
        ("", True),
    ],
)
def test_the_legacy_hook_is_registered_on_old_hosts_only(run, version, legacy):
    out = run(f"plugin.register(api({{}}, {json.dumps(version)})); out.legacy = 'before_agent_start' in hooks;")
    assert out["legacy"] is legacy


# What hosts of each age do in a turn: event by event, each (hook, with messages).
HOSTS = {
    "2026.2.9": [("before_agent_start", True)],
    "2026.2.17": [("before_agent_start", False), ("before_prompt_build", True), ("before_agent_start", True)],
    "2026.3.13": [("before_agent_start", False), ("before_prompt_build", True), ("before_agent_start", True)],
    "2026.9.6": [("before_prompt_build", True)],
}


@pytest.mark.parametrize("version", HOSTS)
def test_there_is_exactly_one_injection_a_turn_on_every_host(run, version):
    turn = "".join(
        f"injected.push(...await fire({json.dumps(hook)}, {{ prompt: 'p', {'messages: []' if full else ''} }}));"
        for hook, full in HOSTS[version]
    )
    out = run(f"plugin.register(api({{}}, '{version}')); const injected = []; {turn} {turn} out.injected = injected;")
    assert len(out["injected"]) == 2
    field = "appendContext" if version == "2026.9.6" else "prependContext"
    for injected in out["injected"]:
        assert list(injected) == [field]
        assert injected[field].endswith("\n<relevant_memories>x</relevant_memories>")
        assert injected[field].startswith("Notes from earlier sessions")


@pytest.mark.parametrize(
    ("placement", "version", "field"),
    [
        ("prepend", "2026.9.6", "prependContext"),
        ("append", "2026.3.13", "appendContext"),
        ("auto", "2026.5.2", "appendContext"),
        ("auto", "2026.5.1", "prependContext"),
    ],
)
def test_the_block_goes_where_the_operator_or_the_host_wants_it(run, placement, version, field):
    out = run(
        f"plugin.register(api({{ placement: '{placement}' }}, '{version}')); out.keys = Object.keys((await prompt('p'))[0]);"
    )
    assert out["keys"] == [field]


def test_who_asks_comes_from_the_hosts_context_and_nothing_else_is_passed_on(run):
    run("""plugin.register(api({ maxResults: 2, placement: "append", warmStart: false })); await inGateway();
        await fire("before_prompt_build", { prompt: "agent:evil:x what?", secret: 1, messages: [{ role: "user", content: "before", more: 1 }, { role: "assistant", content: [{ type: "text", text: "a" }, { type: "image", data: "x".repeat(1e6) }] }] }, { token: "t" });""")  # fmt: skip
    lines = received_by(run)
    assert lines[0] == {"id": "configure", "method": "_configure", "params": {"config": {"maxResults": 2}}}
    params = lines[1]["params"]
    assert 500 < params.pop("timeoutMs") <= 550
    assert params == {
        "agentId": "main", "sessionKey": "agent:main:web", "sessionId": "s1", "workspaceDir": "/ws", "trigger": "user",
        "audience": "unknown", "prompt": "agent:evil:x what?", "messages": [{"role": "user", "content": "before"}, {"role": "assistant", "content": "a"}],
    }  # fmt: skip


def received_by(run: Run) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = run("")["got"]
    return out


def test_an_old_hosts_agent_is_read_from_the_session_key_and_no_agent_means_no_memory(run):
    out = run("""plugin.register(api());
        out.first = (await prompt("p", { agentId: undefined, sessionKey: "agent:cook:main" })).length;
        out.second = (await prompt("p", { agentId: undefined, sessionKey: "global" })).length;
        out.third = (await prompt("p", { agentId: "../x" })).length;""")
    assert (out["first"], out["second"], out["third"]) == (1, 0, 0)
    assert [line["params"]["agentId"] for line in out["got"] if line["method"] == "before_agent_start"] == ["cook"]
    assert out["record"]["last"]["reason"] == "the host names no agent"


def test_automatic_turns_are_skipped_and_the_operator_can_have_them(run):
    turns = """out.heartbeat = (await prompt("p", { trigger: "heartbeat" })).length;
        out.cron = (await prompt("[cron:1 daily] what is due?", { trigger: "cron" })).length;
        out.sub = (await prompt("p", { sessionKey: "agent:main:subagent:1" })).length;"""
    out = run(f"plugin.register(api()); {turns}")
    assert (out["heartbeat"], out["cron"], out["sub"], out["got"]) == (0, 0, 0, [])
    out = run(f"plugin.register(api({{ skipTurns: [] }})); {turns}")
    assert (out["heartbeat"], out["cron"], out["sub"]) == (0, 1, 1)
    asked = [line["params"] for line in out["got"] if line["method"] == "before_agent_start"]
    assert [(p["prompt"], p["trigger"]) for p in asked] == [("what is due?", "user"), ("p", "user")]


def test_agents_that_are_not_listed_get_no_memories(run):
    out = run("""plugin.register(api({ agents: ["cook"] })); out.main = (await prompt("p")).length;
        out.cook = (await prompt("p", { agentId: "cook" })).length;""")
    assert (out["main"], out["cook"]) == (0, 1)


def test_a_process_that_hangs_costs_the_budget_and_is_told_that_nobody_waits(run):
    out = run(
        'plugin.register(api()); await prompt("warm"); out.answer = await prompt("hang"); out.next = (await prompt("p")).length;',
        body='if prompt == "hang": continue',
    )
    assert out["answer"] == []
    assert out["next"] == 1
    hung = next(line["id"] for line in out["got"] if line.get("params", {}).get("prompt") == "hang")
    assert {"id": f"cancel {hung}", "method": "cancel", "params": {"id": hung}} in out["got"]
    assert any("no memories for this turn: no answer within 600 ms" in line for line in out["log"])
    assert out["record"]["lastFailure"]["reason"] == "no answer within 600 ms"
    assert out["record"]["outcomes"] == {"injected": 2, "failed": 1}


CLOCK = "const now = Date.now; let ahead = 0; Date.now = () => now() + ahead;"


def test_a_process_that_says_nothing_for_half_a_minute_and_three_prompts_is_replaced(run):
    out = run(
        CLOCK
        + 'plugin.register(api({ budgetMs: 800 })); await inGateway(); await ready(); await prompt("warm");'
        + 'for (let i = 0; i < 3; i++) { await prompt("hang"); ahead += 20_000; } await ready(2); out.next = (await prompt("p")).length;',
        body='if prompt == "hang": time.sleep(60)',
    )
    assert any("s and 3 requests and was killed; starting it again" in line for line in out["log"]), out["log"]
    assert out["next"] == 1
    assert out["record"]["starts"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("between", ["ahead += 20_000", "0"])
def test_a_process_that_still_opens_a_store_is_left_to_it_however_long_it_takes(run, between):
    out = run(
        CLOCK
        + "plugin.register(api({ budgetMs: 500 })); await inGateway(); await ready();"
        + f'for (let i = 0; i < 6; i++) {{ await Promise.all([prompt("opening"), prompt("opening"), prompt("opening")]); {between}; }} await sleep(200); out.next = (await prompt("p")).length;',
        body='if prompt == "opening": continue',
    )
    assert out["next"] == 1
    assert out["record"]["starts"] == 1, "it said that it lives whenever it was asked to give up on a prompt"
    assert any("the memory is still being opened after" in line for line in out["log"]), (
        "not ready yet: that is the reason"
    )


def test_a_silence_of_hours_between_turns_is_no_sign_of_illness(run):
    out = run(
        CLOCK
        + 'plugin.register(api({ budgetMs: 500 })); await inGateway(); await ready(); await prompt("warm"); await fire("session_end", {});'
        + 'ahead += 3_600_000; await Promise.all([prompt("slow"), prompt("slow"), prompt("slow")]); await sleep(900); out.next = (await prompt("p")).length;',
        body='if prompt == "slow": time.sleep(0.4)',
    )
    assert out["next"] == 1
    assert out["record"]["starts"] == 1


def test_answers_in_between_save_a_process_from_being_replaced(run):
    out = run(
        'plugin.register(api({ budgetMs: 150 })); await prompt("warm"); await sleep(300); for (let i = 0; i < 4; i++) { await prompt("hang"); await prompt("p"); }',
        body='if prompt == "hang": continue',
    )
    assert out["record"]["starts"] == 1


def test_a_process_that_never_gets_ready_costs_the_budget_and_holds_nothing_up(run):
    out = run(
        'plugin.register(api()); await inGateway(); out.answer = (await prompt("p")).length;',
        head="for _ in sys.stdin: pass",
    )
    assert out["answer"] == 0
    assert "still starting after 600 ms" in out["record"]["lastFailure"]["reason"]


def test_the_first_turn_of_a_run_without_a_gateway_waits_for_the_process_to_start(run):
    script = (
        'plugin.register(api({ warmStart: false })); %s out.answer = (await prompt("p")).length; await prompt("hang");'
    )
    manners = {"head": "time.sleep(1); tell(hello)", "body": 'if prompt == "hang": continue'}
    alone = run(script % "", **manners)
    assert alone["answer"] == 1
    assert alone["record"]["lastFailure"]["reason"] == "no answer within 600 ms", "the next one has the usual budget"
    assert run(script % "await inGateway();", **manners)["answer"] == 0


def test_a_death_in_mid_flight_costs_that_turn_and_the_next_one_is_answered(run):
    out = run(
        'plugin.register(api({ budgetMs: 9000 })); await prompt("warm"); out.dead = (await prompt("die")).length; out.next = (await prompt("p")).length;',
        body='if prompt == "die": os.kill(os.getpid(), 9)',
    )
    assert (out["dead"], out["next"]) == (0, 1)
    assert out["record"]["lastFailure"]["reason"].endswith("SIGKILL"), "nobody waits for what cannot come any more"
    assert any("ended with SIGKILL; starting it again" in line for line in out["log"])
    assert out["record"]["starts"] == 2


def test_a_process_that_ends_of_its_own_will_is_started_by_the_next_prompt_only(run):
    out = run(
        'plugin.register(api()); await prompt("warm"); await prompt("end"); for (let i = 0; i < 200 && !log.at(-1).includes("ended with"); i++) await sleep(20); const { length } = log; out.next = (await prompt("p")).length; out.between = log.slice(0, length);',
        body='if prompt == "end": reply(line, injected); sys.exit(0)',
    )
    assert out["next"] == 1
    assert out["between"][-1].endswith("ended with exit code 0; the next prompt starts it again"), "not before it"


def test_a_process_that_keeps_dying_is_started_again_with_growing_pauses_and_its_last_words_are_heard(run):
    """M46."""
    out = run(
        'plugin.register(api()); for (let i = 0; i < 6; i++) await prompt("p");',
        head='sys.exit("No module named hookclaw_py")',
    )
    assert out["record"]["starts"] == 1, "the next start has to wait a second"
    reason = "the memory process died and is started again in 1 s; it said: No module named hookclaw_py"
    assert out["record"]["lastFailure"]["reason"] == reason, "meanwhile nothing is waited for"
    assert any("is started again in 1 s" in line for line in out["log"])


@pytest.mark.parametrize("python", ["/nowhere/python", "/etc/passwd"])
def test_an_interpreter_that_cannot_be_started_leaves_the_prompt_alone(run, python):
    out = run('plugin.register(api()); out.answer = await prompt("p");', python=python)
    assert out["answer"] == []
    assert any("cannot be started" in line for line in out["log"])
    assert out["record"]["outcomes"] == {"failed": 1}


def test_lines_that_are_not_for_us_do_no_harm(run):
    out = run(
        'plugin.register(api()); out.answer = (await prompt("p")).length; await sleep(100);',
        head='print("warned", file=sys.stderr, flush=True); print("Traceback"); tell([1]); tell(None); tell(hello); tell({"id": "99", "result": {}}); tell({"event": "news"}); tell({"event": "problem", "params": {"message": "disk full"}}); tell({"id": None, "error": {"code": "X", "message": "y"}})',
    )
    assert out["answer"] == 1
    assert any("not JSON: Traceback" in line for line in out["log"])
    assert "error hookclaw: X: y" in out["log"]
    assert "info warned" in out["log"]
    assert out["record"]["lastFailure"]["reason"] == "disk full"


def test_a_line_without_end_ends_the_process_that_writes_it(run):
    out = run(
        'plugin.register(api({ budgetMs: 10_000 })); out.answer = (await prompt("p")).length;',
        body='if prompt: sys.stdout.write("x" * 9_000_000); sys.stdout.flush(); time.sleep(30)',
    )
    assert out["answer"] == 0
    assert any("wrote a line without end and was killed" in line for line in out["log"])


def test_a_process_of_another_protocol_is_ended_and_the_remedy_said(run):
    out = run(
        'plugin.register(api()); out.answer = [(await prompt("p")).length, (await prompt("p")).length];',
        head='tell({**hello, "protocol": 2})',
    )
    assert out["answer"] == [0, 0]
    assert "died and is not started again" in out["record"]["lastFailure"]["reason"], "the second waits for nothing"
    assert any("speaks protocol 2, this plugin 1 (run `hookclaw openclaw install`" in line for line in out["log"])


def test_an_error_reply_and_a_bad_configuration_are_said_and_cost_only_memories(run):
    out = run(
        'plugin.register(api()); out.answer = (await prompt("p")).length;',
        body='if "id" in line: tell({"id": line["id"], "error": {"code": "INVALID_PARAMS", "message": "minScore: 2 is not allowed"}}); continue',
    )
    assert out["answer"] == 0
    assert any("the configuration cannot be used: minScore: 2 is not allowed" in line for line in out["log"])
    assert out["record"]["last"]["outcome"] == "failed"


def test_stopping_is_polite_first_and_forceful_after_a_second(run):
    last_will = """import atexit, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); atexit.register(lambda: got.write('{"method": "gone"}\\n')); tell(hello)"""
    out = run('plugin.register(api()); await prompt("p"); await fire("gateway_stop", {});', head=last_will)
    assert [line["method"] for line in out["got"]][-2:] == ["_shutdown", "gone"]
    out = run(
        'plugin.register(api()); await prompt("p"); await services[0].stop({});',
        head=last_will,
        body="if prompt: reply(line, injected); time.sleep(3600)",
    )
    assert out["got"][-1]["method"] == "before_agent_start", "its own end would have been waited for"
    assert run('plugin.register(api()); await fire("gateway_stop", {});')["got"] == out["got"], "nothing to stop"


def test_after_a_stop_a_prompt_starts_a_process_anew(run):
    out = run(
        'plugin.register(api()); await prompt("p"); await fire("gateway_stop", {}); out.answer = (await prompt("p")).length;'
    )
    assert out["answer"] == 1


def test_registrations_of_one_host_share_one_process(run):
    out = run('plugin.register(api()); plugin.register(api()); out.answers = (await prompt("p")).length;')
    assert out["answers"] == 2
    assert [line["method"] for line in out["got"]].count("_configure") == 1


def test_the_end_of_a_turn_hands_over_the_turn_and_nothing_before_it(run):
    out = run("""plugin.register(api()); await prompt("p");
        const messages = [{ role: "user", content: "old" }, { role: "assistant", content: "old" }, { role: "user", content: "p" }, { role: "assistant", content: [{ type: "text", text: "done" }] }];
        await fire("agent_end", { messages, success: false }); await sleep(50);""")  # fmt: skip
    ended = next(line["params"] for line in out["got"] if line["method"] == "agent_end")
    assert ended["messages"] == [{"role": "user", "content": "p"}, {"role": "assistant", "content": "done"}]
    assert ended["success"] is False
    assert out["record"]["lastAgentEnd"]["cited"] == 1


def test_a_turns_end_names_its_run_its_time_its_error_and_what_the_tools_were_asked(run):
    out = run("""plugin.register(api()); await fire("before_prompt_build", { prompt: "please find the port", messages: [] }, { runId: "run-7" });
        const call = { type: "toolCall", id: "1", name: "exec", arguments: { command: "curl :7443", env: { N: 3, no: null } } };
        const messages = [{ role: "user", content: "p" }, { role: "assistant", content: [{ type: "text", text: "trying" }, call] }, { role: "toolResult", content: "noise" }];
        await fire("agent_end", { messages, success: false, durationMs: 583, error: new Error("overloaded"), runId: "run-7" });
        await fire("agent_end", { messages, success: true, durationMs: -1, error: "" }, { runId: "run-8" }); await sleep(50);""")  # fmt: skip
    asked = next(line["params"] for line in out["got"] if line["method"] == "before_agent_start")
    failed, ended = (line["params"] for line in out["got"] if line["method"] == "agent_end")
    assert asked["runId"] == failed["runId"] == "run-7"
    assert (failed["durationMs"], failed["error"]) == (583, "overloaded")
    assert failed["messages"][1] == {"role": "assistant", "content": "trying\ncurl :7443\n3"}
    assert ended["runId"] == "run-8"
    assert not {"durationMs", "error"} & set(ended)


def test_sessions_and_compactions_are_told_and_start_no_process_by_themselves(run):
    events = ["session_end", "before_compaction", "after_compaction"]
    fired = "".join(f"await fire('{name}', {{ sessionId: 's1' }});" for name in events)
    assert run(f"plugin.register(api()); {fired}")["got"] == []
    out = run(
        f"plugin.register(api()); await fire('session_start', {{ resumedFrom: 's0' }}); {fired} await prompt('p');"
    )
    told = [line for line in out["got"] if "id" not in line]
    assert [line["method"] for line in told] == ["session_start", *events]
    assert told[0]["params"]["resumedFrom"] == "s0"


START = "await fire('gateway_start', { port: 1 }, { agentId: undefined, workspaceDir: '/default', config: { agents: %s } }); await prompt('p');"
RULE = "const host = api(); host.runtime.agent = { resolveAgentWorkspaceDir: (config, id) => `${process.env.HOME}/ws/${id}` }; host.runtime.config = { current: () => ({}) };"


@pytest.mark.parametrize(
    ("roster", "ids"),
    [
        ("{ list: [{ id: 'a' }, { id: 'B', default: true }, { id: 'off' }] }", ["a", "b"]),
        ("{ entries: { work: {}, main: { default: true } } }", ["work", "main"]),
        ("{ defaults: {} }", ["main"]),
        ("{ entries: {} }", []),
        ("{ entries: { unborn: {} } }", []),
    ],
)
def test_the_gateways_start_has_every_agents_notes_read_where_the_host_says_that_they_are(run, tmp_path, roster, ids):
    for agent in ("a", "b", "main", "work", "off"):
        (tmp_path / "ws" / agent).mkdir(parents=True)
    only = "host.pluginConfig.agents = ['a', 'b', 'main', 'work', 'unborn']; host.pluginConfig.budgetMs = 9000;"
    out = run(f"{RULE} {only} plugin.register(host); {START % roster}")
    told = [(line["method"], line["params"]) for line in out["got"][1:-1]]
    assert told == [("session_start", {"agentId": id, "workspaceDir": f"{tmp_path}/ws/{id}"}) for id in ids]


def test_a_host_that_does_not_say_whose_a_workspace_is_starts_the_process_and_binds_nobody(run):
    out = run(f"plugin.register(api({{ budgetMs: 9000 }})); {START % '{ entries: { work: {}, main: {} } }'}")
    assert [line["method"] for line in out["got"]] == ["_configure", "before_agent_start"]


def test_there_is_no_warm_start_for_those_who_want_none(run):
    start = "await fire('gateway_start', { port: 1 }, { config: {} }); await sleep(500);"
    out = run(f"{RULE} host.pluginConfig.warmStart = false; plugin.register(host); {start}")
    assert out["got"] == []


def test_an_agents_notes_are_where_the_host_rules_that_they_are_not_where_one_turn_runs(run, tmp_path):
    out = run(
        f'{RULE} plugin.register(host); await prompt("p", {{ workspaceDir: "/sandbox" }}); await fire("session_start", {{}}, {{ workspaceDir: "/sandbox" }}); await prompt("q");'
    )
    places = [line["params"]["workspaceDir"] for line in out["got"] if "workspaceDir" in line.get("params", {})]
    assert places == [f"{tmp_path}/ws/main"] * 3


def test_agents_of_another_profile_have_stores_of_their_own_and_are_called_as_the_host_calls_them(run, tmp_path):
    state = json.dumps(str(tmp_path / ".openclaw-work"))
    out = run(
        f"const host = api({{ agents: ['main'] }}); host.runtime.state.resolveStateDir = () => {state}; host.runtime.agent = {{ resolveAgentWorkspaceDir: (config, id) => `/ws/${{id}}` }};"
        'plugin.register(host); out.answer = (await prompt("p")).length; await fire("agent_end", { messages: [] }); await fire("session_end", {}); await sleep(50);'
    )
    assert out["answer"] == 1, "main is among agents"
    configured, *told = out["got"]
    assert configured["params"]["config"]["openclawState"] == str(tmp_path / ".openclaw-work")
    assert {line["params"]["agentId"] for line in told if "agentId" in line["params"]} == {"main@work"}
    asked = next(line["params"] for line in told if line["method"] == "before_agent_start")
    assert (asked["workspaceDir"], asked["sessionKey"]) == ("/ws/main", "agent:main:web")


def test_plugin_and_python_name_a_profile_alike(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    states = [
        tmp_path / ".openclaw",
        tmp_path / ".openclaw-work",
        tmp_path / ".openclaw-Work",
        tmp_path / "other/.openclaw",
        tmp_path / "Mémoire d'état / 2",
        Path("/"),
    ]
    names = run(f"out.names = {json.dumps(list(map(str, states)))}.map(profileOf);")["names"]
    assert names == list(map(profile_of, states))
    assert names[:2] == ["", "work"]
    assert len(set(names)) == len(names)
    assert all(agent_folder(tmp_path, f"main@{name}") for name in names[1:]), "every one can stand in an agent's id"


def test_what_goes_wrong_every_turn_is_said_once_counted_and_said_to_be_over(run):
    out = run(
        'plugin.register(api()); for (const p of ["p", "bad 1", "bad 22", "bad 3", "worse", "bad 4", "p", "p", "bad 5"]) await prompt(p);',
        body="""if prompt.startswith(("bad", "worse")):
    reply(line, {"outcome": "failed", "reason": f"disk full ({prompt})", "faults": [{"stage": "open", "error": "disk full"}]}); continue""",
    )
    assert [line for line in out["log"] if "disk full" in line or "all right" in line] == [
        "warn hookclaw: no memories for this turn: disk full (bad 1)",
        "warn hookclaw: open failed: disk full",
        "warn hookclaw: no memories for this turn: disk full (worse)",
        "info hookclaw: memories of main: all right again; it went wrong 5 times",
        "info hookclaw: parts of main's search: all right again; it went wrong 5 times",
        "warn hookclaw: no memories for this turn: disk full (bad 5)",
        "warn hookclaw: open failed: disk full",
    ]
    assert out["record"]["outcomes"]["failed"] == 6


def test_a_huge_conversation_is_cut_to_its_newest_part(run):
    out = run("""plugin.register(api()); const messages = Array.from({ length: 500 }, (_, i) => ({ role: "user", content: `${i} ` + "x".repeat(20000) }));
        await fire("before_prompt_build", { prompt: "y".repeat(3e6), messages });""")  # fmt: skip
    params = next(line["params"] for line in out["got"] if line["method"] == "before_agent_start")
    assert len(params["prompt"]) == 1024 * 1024
    assert 100_000 < sum(len(message["content"]) for message in params["messages"]) <= 192 * 1024
    assert params["messages"][-1]["content"].startswith("499 ")
    assert 5 < len(params["messages"]) <= 50


def test_a_prompt_without_words_is_not_replaced_by_what_surrounds_it(run):
    out = run(
        'plugin.register(api()); await fire("before_prompt_build", { prompt: "history and all", currentUserMessage: "", messages: [] });'
    )
    assert next(line["params"]["prompt"] for line in out["got"] if line["method"] == "before_agent_start") == ""


def test_a_record_that_cannot_be_written_is_said_once_and_costs_nothing(run, tmp_path):
    (tmp_path / "file").write_text("")
    out = run(
        'plugin.register(api()); out.answers = [(await prompt("p")).length, (await prompt("p")).length]; await sleep(50);',
        config={"home": str(tmp_path / "file" / "home")},
    )
    assert out["answers"] == [1, 1]
    assert sum("cannot write" in line for line in out["log"]) == 1


def test_plugin_and_python_name_a_gateways_folder_alike(run, tmp_path):
    out = run(f"out.key = gatewayKey({json.dumps(str(tmp_path / 'x/../state/'))});")
    assert out["key"] == gateway_key(tmp_path / "state")


def test_the_system_prompt_that_the_host_last_sent_goes_along_for_the_same_agent_and_audience_only(run):
    out = run("""plugin.register(api()); await inGateway();
        const mine = { sessionKey: "agent:main:main" }, group = { sessionKey: "agent:main:discord:group:1" };
        await prompt("one", mine);
        await fire("llm_input", { systemPrompt: "MEMORY.md: the cat is called Findus" }, mine);
        await prompt("two", mine); await prompt("three", group);""")
    asked = [line["params"] for line in out["got"] if line["method"] == "before_agent_start"]
    assert [(one["prompt"], one["audience"], one.get("system")) for one in asked] == [
        ("one", "owner", None), ("two", "owner", "MEMORY.md: the cat is called Findus"), ("three", "group", None),
    ]  # fmt: skip
