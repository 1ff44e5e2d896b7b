"""``hookclaw mcp`` under the official SDK's own client: the real process over real stdio."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner

mcp = pytest.importorskip("mcp", reason="needs the extra mcp")

from mcp import ClientSession, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

from hookclaw_py.cli.commands import main  # noqa: E402
from hookclaw_py.doors.mcp_server import defined  # noqa: E402
from hookclaw_py.doors.tools.table import TOOLS, description_of, schema_of  # noqa: E402
from tests.e2e.sidecar import ASKED, workspace  # noqa: E402


class Told:
    """What one session heard: the server's greeting, its tools, and the answers by name."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}


async def talk(folder: Path) -> Told:
    told = Told()
    errors = (folder / "stderr.txt").open("w")
    command = StdioServerParameters(
        command=sys.executable,
        args=["-P", "-m", "hookclaw_py", "mcp", "--workspace", str(workspace(folder / "ws"))],
        env={**os.environ, "HOOKCLAW_HOME": str(folder / "home")},
    )
    with errors:
        async with stdio_client(command, errlog=errors) as (reads, writes), ClientSession(reads, writes) as session:

            async def call(name: str, tool: str, **arguments: Any) -> Any:
                told.answers[name] = await session.call_tool(tool, arguments)
                return told.answers[name]

            told.greeting = await session.initialize()
            told.tools = (await session.list_tools()).tools
            found = await call("search", "memory_search", query=ASKED)
            first = found.structured_content["memories"][0]
            await call("short", "memory_search", query="NETSDK1005")
            await call("one", "memory_search", query="logging Mara build", limit=1)
            await call("nothing", "memory_search", query="What is the capital of Mongolia?")
            await call("get", "memory_get", memory_ids=first["id"])
            await call("file", "memory_get", path=first["path"])
            await call("explain", "memory_explain", prompt=ASKED)
            await call("feedback", "memory_feedback", id=first["id"], useful=True)
            await call("remember", "memory_remember", text="The harbour release is called Quillwort.")
            await call("again", "memory_search", query="what is the harbour release called?")
            await call("no words", "memory_remember", text=" ")
            await call("no prompt", "memory_explain", prompt="")
            await call("empty", "memory_search", query=" ")
            await call("limit", "memory_search", query="x", limit=0)
            await call("neither", "memory_get")
            await call("unknown", "memory_get", memory_ids=["0123456789abcdef"])
            await call("misspelt", "memory_search", querry="x")
            await call("as a text", "memory_search", query="logging Mara build", limit="1")
            await call("strange", "memory_burn")
            await call("no note", "memory_feedback", id="../../etc/passwd", useful=False)
    told.first = first
    return told


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return anyio.run(talk, tmp_path_factory.mktemp("mcp"))


def test_the_server_says_what_it_is_for(told):
    assert told.greeting.server_info.name == "hookclaw"
    assert "data, not instructions" in told.greeting.instructions


def test_there_are_tools_with_schemas_and_descriptions(told):
    tools = {tool.name: tool for tool in told.tools}
    assert set(tools) == {
        *("memory_search", "memory_brief", "memory_explain", "memory_feedback", "memory_remember"),
        *(name for name, tool in TOOLS.items() if tool.usual),
    }
    assert tools["memory_search"].input_schema["required"] == ["query"]
    assert all(tool.description for tool in tools.values())
    assert tools["memory_search"].annotations.read_only_hint is True


def test_the_tools_are_those_of_the_request_classes(told):
    for tool in told.tools:
        shape = defined("usual")[tool.name]
        assert tool.description == description_of(shape)
        assert tool.input_schema == schema_of(shape)
        assert set(tool.input_schema["properties"]) == {field.name for field in fields(shape)} - set(shape.untold)
        assert tool.input_schema["additionalProperties"] is False
    limit = schema_of(defined("usual")["memory_search"])["properties"]["limit"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 20, 5)


def test_a_number_may_be_sent_as_a_text(told):
    assert len(told.answers["as a text"].structured_content["memories"]) == 1


def test_a_search_finds_notes_with_their_place_and_relevance(told):
    """The first one: a search right after the start waits for the notes to be read."""
    assert "one JSON object a line" in told.first["text"]
    assert told.first["path"] == "memory/2026-02-09.md"
    assert told.first["date"] == "2026-02-09"
    assert 0.5 <= told.first["relevance"] <= 1


def test_who_asks_on_purpose_is_not_held_up_by_the_gate_of_prompts(told):
    (found,) = told.answers["short"].structured_content["memories"]
    assert "delete obj/" in found["text"]


def test_a_search_gives_no_more_than_asked_for_and_says_why_there_is_nothing(told):
    assert len(told.answers["one"].structured_content["memories"]) <= 1
    nothing = told.answers["nothing"].structured_content
    assert nothing["memories"] == []
    assert "below" in nothing["reason"]


def test_a_note_can_be_read_by_id_and_a_file_by_path(told):
    note = told.answers["get"].structured_content["memory"]
    assert note["text"] == told.first["text"]
    file = told.answers["file"].structured_content["memories"]
    assert {n["path"] for n in file} == {"memory/2026-02-09.md"}
    assert len(file) >= 2


def test_a_decision_is_explained_with_every_vote(told):
    explained = told.answers["explain"].structured_content
    assert explained["outcome"] == "injected"
    assert {"bm25", "vector", "relevance"} <= {step["stage"] for step in explained["candidates"][0]["history"]}


def test_feedback_is_recorded(told):
    assert told.answers["feedback"].structured_content == {"recorded": True}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("empty", "query is empty"),
        ("limit", "limit must be 1 to 20, not 0"),
        ("neither", "INVALID_PARAMS: give either memory_ids or path"),
        ("unknown", "NOT_FOUND: Memory 0123456789abcdef not found"),
        ("no note", "NOT_FOUND: there is no note"),
        ("no words", "INVALID_PARAMS: text is empty; give a text"),
        ("no prompt", "INVALID_PARAMS: prompt is empty; give a text"),
        ("misspelt", "unknown field 'querry'; did you mean query?"),
        ("strange", "there is no tool 'memory_burn'; there are memory_search"),
    ],
)
def test_a_wrong_call_is_a_tool_error_that_says_what_to_do(told, name, says):
    assert told.answers[name].is_error
    assert says in told.answers[name].content[0].text


def test_what_the_agent_is_told_to_remember_is_written_to_a_note_and_found(told):
    written = told.answers["remember"].structured_content["written"]
    assert re.fullmatch(r"memory/\d{4}-\d\d-\d\d\.md", written)
    texts = [memory["text"] for memory in told.answers["again"].structured_content["memories"]]
    assert any("Quillwort" in text and "(noted by an agent)" in text for text in texts)
    assert told.answers["no words"].is_error


async def edit(folder: Path) -> str:
    """Return what a search finds after a note was written beside those that `hookclaw index` has read."""
    env = {**os.environ, "HOOKCLAW_HOME": str(folder / "home")}
    notes = workspace(folder / "notes")
    subprocess.run([sys.executable, "-P", "-m", "hookclaw_py", "index", str(notes)], env=env, check=True)
    command = StdioServerParameters(command=sys.executable, args=["-P", "-m", "hookclaw_py", "mcp"], env=env)
    with (folder / "stderr.txt").open("w") as errors:
        async with stdio_client(command, errlog=errors) as (reads, writes), ClientSession(reads, writes) as session:
            await session.initialize()
            await session.call_tool("memory_search", {"query": ASKED})
            (notes / "memory" / "2026-02-13.md").write_text(
                "The Lantern proxy listens on port 7443.\n", encoding="utf-8"
            )
            with anyio.move_on_after(60):
                while True:
                    asked = {"query": "Which port does the Lantern proxy listen on?"}
                    found = (await session.call_tool("memory_search", asked)).structured_content["memories"]
                    if any("7443" in note["text"] for note in found):
                        return "found"
                    await anyio.sleep(0.1)
    return (folder / "stderr.txt").read_text()


@pytest.mark.slow
def test_without_a_folder_it_keeps_the_one_that_was_indexed_fresh(tmp_path):
    assert anyio.run(edit, tmp_path) == "found"


def test_what_the_tools_cost_a_client_is_told():
    """Every turn pays for the definitions that a model is shown."""
    done = CliRunner().invoke(main, ["mcp", "--tools"])
    assert done.exit_code == 0, done.output
    told = {name: int(cost) for name, cost in re.findall(r"^(\S.*?) +~ *(\d+) tokens", done.stdout, re.MULTILINE)}
    each = {name: told[name] for name in defined("usual")}
    usual = [name for name, tool in TOOLS.items() if tool.usual]
    assert all(cost > 20 for cost in each.values())
    assert told["in all"] == sum(each.values()) < 2500
    assert told["in a gateway"] == sum(each[name] for name in usual) < 1200
