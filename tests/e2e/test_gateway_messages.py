"""Agents of a real OpenClaw write to each other, and are woken for it by what the host offers every plugin.

Rows P8, P15 and P16 of the specification of the memory palace. Slow: a real gateway.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.gateway.host import Host
from tests.e2e.gateway.installation import installation
from tests.e2e.gateway.model_server import ModelServer, Request
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

GREETING = "good morning, what is on the table today?"
SETTINGS = {"budgetMs": 10_000, "timeoutMs": 10_000, "enableVector": False}  # the machine may be busy


@pytest.fixture
def host(model: ModelServer, tmp_path: Path) -> Host:
    host = Host(installation(), tmp_path / "gateway", model, agents=("main", "cook"))
    for agent, place in host.workspaces.items():
        (place / "memory").mkdir()
        (place / "memory/kitchen.md").write_text(f"# Kitchen\n\nThe kitchen of {agent} is in the cellar.\n")
    return host


def configure(host: Host, **more: Any) -> None:
    """Put the plugin in, with this configuration."""
    configuration = json.loads(host.config.read_text())
    configuration["plugins"]["entries"] = {"hookclaw": {"config": {**SETTINGS, **more}}}
    host.config.write_text(json.dumps(configuration))
    done = host.hookclaw("openclaw", "install", "--edit")
    assert done.returncode == 0, done.stderr


def meet(host: Host, *agents: str) -> None:
    """Have each agent talk with its person, so that it has a session in which it can be woken."""
    for agent in agents:
        host.turn(GREETING, agent=agent, user="me")
    wait_until(lambda: set(sessions(host)) >= set(agents), "the sessions are known", 120)


def sessions(host: Host) -> dict[str, Any]:
    """Row P16: what the gateway's method says."""
    told = host.call("hookclaw.sessions")
    assert told["count"] == len(told["sessions"])
    found: dict[str, Any] = told["sessions"]
    return found


def shown(model: ModelServer, words: str) -> Request | None:
    """Return the first request of an agent whose messages hold these words, wherever."""
    return next((request for request in list(model.turns) if words in json.dumps(request.body["messages"])), None)


def state_of(host: Host, agent: str, number: int) -> str:
    listed = host.hookclaw("--agent", agent, "message", "list", "--all").stdout
    (line,) = [line for line in listed.splitlines() if f"message {number} from" in line]
    return line.split()[2]


def test_a_message_wakes_its_agent_is_delivered_when_a_turn_shows_it_and_wakes_are_bounded(host, model):
    """Row P15, vector 13: two wakes an hour here; what comes after them waits for the next prompt."""
    configure(host, messages={"wakesPerHour": 2})
    with host:
        meet(host, "main", "cook")
        assert sessions(host)["cook"]["sessionKey"] == "agent:cook:openai-user:me"
        for number, subject in ((1, "deploy :now"), (2, "soup")):
            send(host, "soup for nine", "--subject", subject)
            line = f"hookclaw: message {number} from agent main (message): {subject}"
            wait_until(lambda line=line: shown(model, line), "cook's turn shows the message", 120)
            wait_until(lambda number=number: state_of(host, "cook", number) == "delivered", "it is delivered", 120)
        send(host, "soup for nine", "--subject", "bread")
        time.sleep(5)  # ten times as long as a wake takes
        assert shown(model, "(message): bread") is None
        assert state_of(host, "cook", 3) == "waits"
        host.turn("and what else is new?", agent="cook", user="me")
        told = shown(model, "(message): bread")
        assert told is not None
        assert "<agent_messages>" in told.users[-1]
        wait_until(lambda: state_of(host, "cook", 3) == "delivered", "it is delivered", 120)
        assert shown(model, "soup for nine") is None, "never the content"


def test_agents_wake_and_answer_each_other_also_when_the_gateway_was_away(host, model):
    """Row P8: A writes to B, B is woken, reads and answers, A is woken; and once more over a restart."""
    configure(host)
    ask = {
        "action": "send",
        "to_instance": "cook",
        "content": "How many?",
        "subject": "supper",
        "message_type": "question",
    }
    answer = {"action": "send", "to_instance": "main", "content": "Nine, and the dog.", "subject": "supper for nine"}
    model.calls["please write to the cook"] = ("palace_message", ask)
    model.calls["(question): supper"] = ("palace_message", answer)
    model.calls["(question): breakfast"] = ("palace_message", {**answer, "subject": "breakfast for two"})
    model.calls["what did the cook say"] = ("palace_message", {"action": "get"})
    with host:
        meet(host, "cook", "main")
        host.turn("please write to the cook", agent="main", user="me")
        wait_until(lambda: shown(model, "from agent main (question): supper"), "cook is woken", 120)
        wait_until(lambda: shown(model, "from agent cook (message): supper for nine"), "main is woken", 120)
        host.turn("what did the cook say?", agent="main", user="me")
        wait_until(lambda: shown(model, "Nine, and the dog."), "main reads it", 60)
        assert shown(model, "written by agent cook, not by the person") is not None
    send(host, "How many?", "--subject", "breakfast", "--type", "question")
    with host:
        wait_until(lambda: shown(model, "from agent main (question): breakfast"), "cook is woken after all", 240)
        wait_until(lambda: shown(model, "from agent cook (message): breakfast for two"), "main is woken", 120)


def send(host: Host, *words: str) -> None:
    done = host.hookclaw("--agent", "main", "message", "send", "cook", *words)
    assert done.returncode == 0, done.stderr
