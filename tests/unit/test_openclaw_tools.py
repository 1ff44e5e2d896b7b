"""The plugin's tools and chat commands, in Node: under which names, for whom, and what is asked of the memory process."""

from __future__ import annotations

import json

import pytest

from hookclaw_py.doors.tools.table import TOOLS, shown
from tests.unit import test_openclaw_plugin as plugin

run = plugin.run
pytestmark = plugin.pytestmark

HOST = """
const tools = {}, commands = {};
const host = (config = {}, more = {}) => ({ ...api(config), config: more, registerTool: (make, { name }) => (tools[name] = make), registerCommand: (one) => (commands[one.name] = one) });
const wrong = async (promise) => { try { await promise; return ""; } catch (error) { return error.message; } };
"""
ANSWERS = """if method in ("memory_set", "chat_command"): reply(line, {"id": "1f", "text": "so it is"}); continue
if method == "memory_recall": tell({"id": line["id"], "error": {"code": "NOT_FOUND", "message": "nothing"}}); continue"""


def test_an_agent_has_the_usual_tools_and_all_of_them_if_that_is_configured(run):
    """Row P8: nothing is started by registering."""
    out = run(
        f"{HOST} plugin.register(host()); out.usual = Object.keys(tools); plugin.register(host({{ tools: 'all' }})); out.all = Object.keys(tools);"
    )
    assert out["usual"] == ["memory_set", "memory_recall", "palace_get", "palace_message"]
    assert len(out["all"]) == len(TOOLS) == 13
    assert len(shown("usual")) == 4
    assert out["got"] == []


@pytest.mark.parametrize(
    ("config", "names"),
    [
        ({}, ["palace_get", "memory_recall"]),
        ({"plugins": {"slots": {"memory": "none"}}}, ["memory_get", "memory_recall"]),
        ({"plugins": {"allow": ["hookclaw"]}}, ["memory_get", "memory_recall"]),
        ({"plugins": {"entries": {"memory-core": {"enabled": False}}}}, ["memory_get", "memory_recall"]),
        ({"plugins": {"slots": {"memory": "memory-lancedb"}}}, ["memory_get", "palace_recall"]),
    ],
)
def test_a_name_that_the_hosts_memory_plugin_holds_is_left_to_it(run, config, names):
    out = run(f"{HOST} plugin.register(host({{}}, {json.dumps(config)})); out.names = Object.keys(tools);")
    assert set(names) <= set(out["names"])


def test_a_tool_is_asked_for_the_session_that_the_host_names_and_says_what_is_wrong(run):
    out = run(
        f"""{HOST} plugin.register(host());
        const mine = {{ agentId: "main", sessionKey: "agent:main:main", sessionId: "s1", workspaceDir: "/ws" }};
        out.answer = await tools.memory_set(mine).execute("1", {{ content: "x" }});
        out.wrong = await wrong(tools.memory_recall({{ ...mine, sessionKey: "agent:main:discord:group:1" }}).execute("2", {{ query: "x" }}));
        out.nobody = await wrong(tools.memory_set({{}}).execute("3", {{ content: "x" }}));
        await fire("gateway_stop", {{}});""",
        body=ANSWERS,
    )
    assert json.loads(out["answer"]["content"][0]["text"])["id"] == "1f"
    assert out["wrong"] == "NOT_FOUND: nothing"
    assert out["nobody"] == "FORBIDDEN: the host names no agent"
    asked = {line["method"]: line["params"] for line in out["got"] if line["method"].startswith("memory_")}
    assert asked["memory_set"]["audience"] == "owner"
    assert asked["memory_set"]["arguments"] == {"content": "x"}
    assert asked["memory_recall"]["audience"] == "group"


def test_commands_are_there_under_both_names_for_those_who_may_and_never_throw(run):
    """Row M42."""
    out = run(
        f"""{HOST} plugin.register(host());
        out.names = Object.keys(commands); out.auth = Object.values(commands).every((one) => one.requireAuth && one.acceptsArgs);
        const chat = {{ agentId: "main", sessionKey: "agent:main:main", channel: "webchat", args: "2h" }};
        out.said = (await commands.membranepause.handler(chat)).text;
        out.nobody = (await commands.memoryforget.handler({{ args: "LAST" }})).text;
        await fire("gateway_stop", {{}});""",
        body=ANSWERS,
    )
    verbs = ("status", "recall", "pause", "forget")
    assert sorted(out["names"]) == sorted(f"{name}{verb}" for name in ("memory", "membrane") for verb in verbs)
    assert (out["auth"], out["said"]) == (True, "so it is")
    assert out["nobody"] == "No memory here: the host names no agent."
    asked = [line["params"] for line in out["got"] if line["method"] == "chat_command"]
    assert (asked[0]["name"], asked[0]["arguments"], asked[0]["audience"]) == ("pause", "2h", "owner")
