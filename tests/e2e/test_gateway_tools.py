"""The tools and the chat commands in a real OpenClaw: what the model calls, what a person types. Slow: a real gateway."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.gateway.host import Host
from tests.e2e.gateway.installation import installation
from tests.e2e.gateway.model_server import ModelServer
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

KEPT = "The staging database of Lantern is called heron-2 and listens on port 6543."
ASKED = "Which port does the staging database of Lantern listen on?"


@pytest.fixture(scope="module")
def host(model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    host = Host(installation(), tmp_path_factory.mktemp("gateway") / "one", model)
    (host.workspaces["main"] / "memory").mkdir()
    (host.workspaces["main"] / "memory/kitchen.md").write_text(
        "# Kitchen\n\nThe sourdough starter is called Bertold.\n"
    )
    done = host.hookclaw("openclaw", "install")
    assert done.returncode == 0, done.stderr
    with host:
        wait_until(lambda: "main: 1 files" in host.log.read_text(), "the workspace is indexed")
        yield host


class Asking:
    """Has the model call tools, and the person type commands; each in a session of its own."""

    def __init__(self, host: Host, model: ModelServer) -> None:
        self.host, self.model = host, model

    def tool(self, name: str, **given: Any) -> str:
        """Return what the model got from a tool that it called."""
        words = f"please do it ({uuid.uuid4().hex[:8]})"
        self.model.calls[words] = (name, given)
        self.host.turn(words, user=uuid.uuid4().hex[:8])
        results = [
            m["content"] for request in self.model.turns[-1:] for m in request.body["messages"] if m["role"] == "tool"
        ]
        assert results, f"{name} was not called"
        return results[-1] if isinstance(results[-1], str) else results[-1][0]["text"]

    def command(self, line: str) -> str:
        """Return what a person is told, and see to it that no model was asked."""
        session, before = f"agent:main:{uuid.uuid4().hex[:8]}", len(self.model.requests)
        self.host.call("chat.send", sessionKey=session, message=line, idempotencyKey=uuid.uuid4().hex)
        replies: list[str] = []

        def replied() -> bool:
            params = json.dumps({"sessionKey": session, "limit": 10})
            done = self.host.command("gateway", "call", "chat.history", "--params", params, "--json")
            told = (
                json.loads(done.stdout)["messages"] if done.returncode == 0 else []
            )  # a busy gateway answers the next one
            replies[:] = [text_of(one) for one in told if one["role"] == "assistant"]
            return bool(replies)

        wait_until(replied, f"{line} is answered", 120)
        assert len(self.model.requests) == before
        return replies[-1]


def text_of(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@pytest.fixture(scope="module")
def asking(host: Host, model: ModelServer) -> Asking:
    return Asking(host, model)


@pytest.fixture(scope="module")
def kept(asking: Asking) -> str:
    """The id of a memory that the agent saved."""
    told = json.loads(asking.tool("memory_set", content=KEPT, subject="Staging database"))
    assert told["embedded"] is True
    kept: str = told["id"]
    return kept


def test_the_model_is_offered_the_usual_tools_under_names_that_nobody_else_holds(asking: Asking, host: Host, kept: str):
    """Row P8."""
    names = [tool["function"]["name"] for tool in asking.model.turns[-1].body["tools"]]
    assert {"memory_set", "memory_recall", "palace_get"} <= set(names)
    assert len(names) == len(set(names))
    assert "name conflict" not in host.log.read_text()


def test_what_an_agent_saves_reaches_a_new_session_as_its_own_word(
    asking: Asking, host: Host, model: ModelServer, kept: str
):
    host.turn(ASKED, user="somebody-new")
    prompt = next(request for request in reversed(model.turns) if ASKED in request.users[-1]).users[-1]
    assert "6543" in prompt.partition("<relevant_memories>")[2]
    assert 'words="noted by an agent"' in prompt


def test_an_agent_recalls_and_reads_what_it_saved(asking: Asking, kept: str):
    found = json.loads(asking.tool("memory_recall", query="which port does the staging database listen on?"))
    assert [one["id"] for one in found["memories"]] == [kept]
    assert json.loads(asking.tool("palace_get", memory_ids=[kept]))["memory"]["content"] == KEPT


def test_a_wrong_call_is_an_error_that_says_what_to_do(asking: Asking, kept: str):
    assert "source_type: must be" in asking.tool("memory_set", content="x", source_type="guess"), "the host's own words"
    misspelt = asking.tool("memory_set", content="x", contnt="y")
    assert "INVALID_PARAMS: memory_set: unknown field 'contnt'; did you mean content?" in misspelt
    assert "NOT_FOUND: Memory 999 not found" in asking.tool("palace_get", memory_ids=["999"])
    assert "FORBIDDEN" in asking.tool("memory_set", content="x", instance_id="support")


@pytest.mark.parametrize("old", ["memory", "membrane"])
def test_a_person_asks_their_memory_in_chat(asking: Asking, kept: str, old: str):
    """Row M42: by the old names, too."""
    status = asking.command(f"/{old}status")
    assert "**Memory of main**: running" in status
    assert "records: 1 (1 saved)" in status
    found = asking.command(f"/{old}recall which port does the staging database listen on?")
    assert found.splitlines()[0] == '**Recall: "which port does the staging database listen on?"**'
    assert f"6543. (id {kept[:8]})" in found


def test_a_person_pauses_and_forgets_in_chat(asking: Asking, host: Host, model: ModelServer, kept: str):
    assert "paused until" in asking.command("/memorypause 2h")
    assert "UNAVAILABLE: the memory is paused" in asking.tool("memory_set", content="The moon is made of basalt.")
    assert asking.command("/memorypause off") == "The memory goes on."
    assert "Say which" in asking.command("/memoryforget")
    assert "Forgotten for good" in asking.command(f"/memoryforget {kept[:8]}")
    assert "No records found" in asking.command("/memoryrecall which port does the staging database listen on?")
    assert "NOT_FOUND" in asking.tool("palace_get", memory_ids=[kept])
