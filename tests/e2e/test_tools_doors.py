"""Every tool through the doors: the real process over the line protocol, and the official SDK's client over MCP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from hookclaw_py.doors.tools.table import TOOLS
from hookclaw_py.hosts.claude_code.hook import agent_id
from tests.e2e.sidecar import Sidecar, workspace

KEPT = "The staging database of Lantern is called heron-2 and listens on port 6543."
ASKED = "Which port does the staging database of Lantern listen on?"
GOOD: dict[str, dict[str, Any]] = {
    "memory_set": {"content": "The other database of Lantern is called osprey.", "subject": "Other"},
    "memory_recall": {"query": ASKED},
    "memory_get": {"memory_ids": "ID"},
    "memory_recent": {},
    "memory_link": {"source_id": "ID", "target_id": "OTHER", "relation_type": "refines"},
    "memory_unlink": {"source_id": "ID", "target_id": "OTHER"},
    "memory_archive": {"memory_ids": ["OTHER"]},
    "memory_stats": {},
    "memory_audit": {},
    "memory_reembed": {"all_memories": True},
    "code_remember_tool": {"code_path": "tides.py"},
    "memory_reflect": {"transcript_path": "learned.txt"},
}
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "memory_set": ({"content": KEPT, "source_type": "guess"}, "INVALID_PARAMS"),
    "memory_recall": ({"querry": "x"}, "INVALID_PARAMS"),
    "memory_get": ({"memory_ids": [999]}, "NOT_FOUND"),
    "memory_recent": ({"limit": 0}, "INVALID_PARAMS"),
    "memory_link": ({"source_id": "ID", "target_id": "ID", "relation_type": "refines"}, "INVALID_PARAMS"),
    "memory_unlink": ({"source_id": "ID", "target_id": "OTHER"}, "NOT_FOUND"),
    "memory_archive": ({"dry_run": False}, "INVALID_PARAMS"),
    "memory_stats": ({"instance_id": "support"}, "FORBIDDEN"),
    "memory_audit": ({"checks": ["vibes"]}, "INVALID_PARAMS"),
    "memory_reembed": ({}, "INVALID_PARAMS"),
    "code_remember_tool": ({"code_path": "/etc/passwd"}, "FORBIDDEN"),
    "memory_reflect": ({"session_id": "nobody's"}, "NOT_FOUND"),
}
ELSEWHERE = {"message"}
"""Tools that have a test of their own."""


def project(folder: Path) -> Path:
    notes = workspace(folder)
    (notes / "tides.py").write_text('"""Tide tables of Lantern."""\n')
    (notes / "learned.txt").write_text(f"M|gotcha|Ports|{KEPT} Mind the firewall.\n")
    return notes


def filled_in(given: dict[str, Any], ids: dict[str, str]) -> dict[str, Any]:
    return {
        name: [ids.get(str(one), one) for one in value] if isinstance(value, list) else ids.get(str(value), value)
        for name, value in given.items()
    }


def test_every_tool_has_a_good_and_a_bad_call():
    assert GOOD.keys() == BAD.keys() == TOOLS.keys() - ELSEWHERE


def test_every_tool_answers_over_the_line_protocol(tmp_path: Path):
    """Row P8, vectors 4 to 10."""
    notes = project(tmp_path / "notes")
    with Sidecar() as host:
        host.open(notes)
        who = {"agentId": "main", "sessionKey": "agent:main:main", "audience": "owner", "workspaceDir": str(notes)}

        def ask(name: str, given: dict[str, Any]) -> dict[str, Any]:
            return host.reply(host.request(name, **who, arguments=filled_in(given, ids)))

        ids: dict[str, str] = {}
        for key, said in (("ID", KEPT), ("OTHER", "Ingrid prefers tabs in every Makefile.")):
            ids[key] = ask("memory_set", {"content": said})["result"]["id"]
        for name, (given, code) in BAD.items():
            assert ask(name, given)["error"]["code"] == code, name
        for name, given in GOOD.items():
            assert "result" in ask(name, given), name
        told = host.prompt(ASKED, sessionKey="another", workspaceDir=str(notes), audience="owner")
        assert "6543" in told["prependContext"]
        group = who | {"audience": "group"}
        assert (
            host.reply(host.request("memory_set", **group, arguments={"content": KEPT}))["error"]["code"] == "FORBIDDEN"
        )
        text = host.ask("chat_command", agentId="main", audience="owner", name="status")["text"]
        assert "**Memory of main**: running" in text
        wrong = host.reply(host.request("chat_command", agentId="main", audience="owner", name="burn"))["error"]
        assert wrong["message"].endswith("name must be status, recall, pause or forget, not burn")


@pytest.mark.slow
def test_every_tool_answers_an_mcp_client_and_claude_code_by_the_settings_that_it_is_given(tmp_path: Path):
    """The command is the one that the printed settings hold; the project's memory is the one that the hook asks."""
    pytest.importorskip("mcp", reason="needs the extra mcp")
    home, notes = tmp_path / "home", project(tmp_path / "lantern")
    home.mkdir()
    (home / "config.toml").write_text('tools = "all"\n')
    env = {**os.environ, "HOOKCLAW_HOME": str(home), "CLAUDE_PROJECT_DIR": str(notes)}
    printed = subprocess.run(
        [sys.executable, "-P", "-m", "hookclaw_py", "hook", "claude-code", "--settings"],
        env=env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    server = json.loads(printed.stdout)["mcpServers"]["hookclaw"]
    assert "claude mcp add" in printed.stderr
    anyio.run(talk, server, env, tmp_path / "stderr.txt")
    recalled = subprocess.run(
        [sys.executable, "-P", "-m", "hookclaw_py", "--agent", agent_id(str(notes)), "recall", ASKED],
        env=env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "6543" in recalled.stdout


async def talk(server: dict[str, Any], env: dict[str, str], errors: Path) -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    command = StdioServerParameters(**server, env=env, cwd=env["CLAUDE_PROJECT_DIR"])
    with errors.open("w") as log:
        async with stdio_client(command, errlog=log) as (reads, writes), ClientSession(reads, writes) as session:
            await session.initialize()
            assert set(TOOLS) <= {tool.name for tool in (await session.list_tools()).tools}
            ids: dict[str, str] = {}
            for key, said in (("ID", KEPT), ("OTHER", "Ingrid prefers tabs in every Makefile.")):
                told = await session.call_tool("memory_set", {"content": said})
                ids[key] = told.structured_content["id"]
            for name, (given, code) in BAD.items():
                wrong = await session.call_tool(name, filled_in(given, ids))
                assert wrong.is_error, name
                assert wrong.content[0].text.startswith(f"{code}: "), name
            for name, given in GOOD.items():
                told = await session.call_tool(name, filled_in(given, ids))
                assert not told.is_error, (name, told.content[0].text)


@pytest.mark.slow
def test_a_recall_is_answered_while_a_long_reflection_goes_on(tmp_path: Path):
    """Vector 19."""
    notes = project(tmp_path / "notes")
    lines = [
        f"M|fact|Shelf {n}|Shelf {n} of the depot holds box {n * 7}, painted in colour {n * 13}.\n" for n in range(150)
    ]
    (notes / "long.txt").write_text("".join(lines))
    with Sidecar() as host:
        host.open(notes)
        who = {"agentId": "main", "sessionKey": "agent:main:main", "audience": "owner", "workspaceDir": str(notes)}
        host.reply(host.request("memory_set", **who, arguments={"content": KEPT}))
        long = host.request("memory_reflect", **who, arguments={"transcript_path": "long.txt"})
        found = host.reply(host.request("memory_recall", **who, arguments={"query": ASKED}))["result"]
        assert "6543" in found["memories"][0]["text"]
        assert host.box(long).empty(), "the reflection still goes on"
        assert host.reply(long)["result"]["embedded"] == 150
