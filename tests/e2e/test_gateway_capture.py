"""What happens in a real OpenClaw is captured: prompt, tool call, answer; once, also when the memory process is killed.

Rows C1, C2, C3, C7, C18, C19, M9 and M10 of the specifications. Slow: a real gateway.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from hookclaw_py.model.happening import Happening
from hookclaw_py.store import upkeep
from hookclaw_py.store.database import opened
from tests.e2e.gateway.host import Host
from tests.e2e.gateway.installation import installation
from tests.e2e.gateway.model_server import ModelServer
from tests.waiting import is_running, wait_until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def host(model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    host = Host(installation(), tmp_path_factory.mktemp("gateway") / "one", model)
    (host.workspaces["main"] / "memory").mkdir()
    (host.workspaces["main"] / "memory/ferry.md").write_text("# Ferry\n\nThe ferry to Karlskrona leaves at nine.\n")
    done = host.hookclaw("openclaw", "install")
    assert done.returncode == 0, done.stderr
    assert "Captured: what is said and done in your own direct sessions" in done.stdout
    with host:
        yield host


def kept(host: Host, user: str) -> list[Happening]:
    found: list[Happening] = []
    for folder in (host.memories / "agents").glob("main*"):
        if upkeep.is_there(folder):
            with opened(folder) as store:
                found += store.happenings(f"agent:main:openai-user:{user}")
    return found


def test_a_turn_with_a_tool_call_is_captured_as_it_happened(host, model):
    """C1, C2, C3, M9, M10."""
    model.calls["pier lamps"] = ("exec", {"command": "echo the pier lamps were tested and they all work"})
    model.answers["pier lamps"] = "All the pier lamps work."
    host.turn("<private>pw hunter2-Q9</private> do the pier lamps work?", user="one")
    wait_until(lambda: len(kept(host, "one")) >= 3, "the turn is written", 60)
    prompt, call, answer = [one for one in kept(host, "one") if one.kind in ("prompt", "tool_call", "answer")]
    assert dict(prompt.payload) == {"text": "do the pier lamps work?", "private": "some"}
    assert call.payload["tool"] == "exec"
    assert call.payload["ok"] is True
    assert "they all work" in call.payload["output"]
    assert answer.payload["text"] == "All the pier lamps work."
    assert prompt.run == call.run == answer.run != ""


def test_turns_are_kept_once_however_often_the_memory_process_is_killed(host, model):
    """C18, C19."""
    for n in range(4):
        host.turn(f"what about lantern number {n} on the quay?", user="two")
        pid = host.record.get("memoryPid", 0)
        if n < 3 and is_running(pid):
            os.kill(pid, signal.SIGKILL)
    host.turn("and that was the last lantern of the quay?", user="two")
    wait_until(lambda: len([one for one in kept(host, "two") if one.kind == "answer"]) == 5, "all of it is written", 90)
    found = kept(host, "two")
    asked = [one.payload["text"] for one in found if one.kind == "prompt"]
    assert sorted(asked) == sorted({*(f"what about lantern number {n} on the quay?" for n in range(4)), asked[-1]})
    assert len(asked) == 5
