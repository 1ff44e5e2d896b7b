"""Agents of one home write to each other: over the line protocol, at the shell, with a prompt, and after a restart.

Rows P5, P6, P7, P14 to P17 and vectors 1 to 3 and 12 to 17 of the specification of the memory palace, with real processes.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py.messages.wording import HEAD
from hookclaw_py.privacy.own_blocks import strip_own_blocks
from tests.contract.test_mail import message
from tests.e2e.sidecar import PATIENCE, Sidecar
from tests.waiting import wait_until

AGENTS = ("prime", "code", "support")
SETTINGS = {"enableVector": False, "timeoutMs": 10_000}


class Gateway(Sidecar):
    """A host that hears of the messages of its agents."""

    def __init__(self, home: Path) -> None:
        super().__init__(HOOKCLAW_HOME=str(home))
        self.ask("_configure", config=SETTINGS)
        for agent in AGENTS:
            self.ask("_subscribe", channel=agent)

    def says(
        self, agent: str, words: str = "and what do we do about the ferry tomorrow?", **more: Any
    ) -> dict[str, Any]:
        session = more.pop("sessionKey", f"agent:{agent}:main")
        return self.prompt(words, agentId=agent, sessionKey=session, **more)

    def message(self, agent: str, **asked: Any) -> dict[str, Any]:
        return self.ask("message", agentId=agent, audience="owner", arguments=asked)

    def refused(self, agent: str, **asked: Any) -> tuple[str, str]:
        params = {"agentId": agent, "audience": "owner", "arguments": asked}
        error = self.reply(self.request("message", **params))["error"]
        return error["code"], error["message"]

    def error(self, method: str, **params: Any) -> tuple[str, str]:
        error = self.reply(self.request(method, **params))["error"]
        return error["code"], error["message"]

    def heard(self, name: str, seconds: float) -> list[dict[str, Any]]:
        """Return the events of this name that come within so many seconds, one of which must not come."""
        found = []
        try:
            while True:
                event = self.events.get(timeout=seconds)
                found += [event["params"]] if event["event"] == name else []
        except queue.Empty:
            return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def gateway(home: Path) -> Iterator[Gateway]:
    with Gateway(home) as gateway:
        for agent in AGENTS:
            gateway.ask("session_start", agentId=agent, sessionKey=f"agent:{agent}:main", audience="owner")
        wait_until(lambda: gateway.ask("sessions")["count"] == 3, "the sessions are known")
        yield gateway


def hookclaw(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOOKCLAW_HOME": str(home)}
    command = [sys.executable, "-m", "hookclaw_py", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_a_message_is_told_wakes_and_is_read_by_its_receiver_alone(gateway):
    """Rows P5 and P15, vectors 13 and 14."""
    sent = gateway.message(
        "prime",
        action="send",
        to_instance="code",
        content="is it booked?",
        subject="deploy :now",
        message_type="question",
        priority=2,
    )
    assert (sent["success"], sent["receivers"]) == (True, 1)
    told = gateway.event("new_message")
    assert told == {
        "from": "prime",
        "to": "code",
        "type": "question",
        "subject": "deploy :now",
        "channel": "",
        "id": sent["id"],
        "priority": 2,
    }
    text = f"hookclaw: message {sent['id']} from agent prime (question, priority 2): deploy :now"
    assert gateway.event("wake") == {
        "agentId": "code",
        "sessionKey": "agent:code:main",
        "messages": [{"id": sent["id"], "text": text}],
    }
    got = gateway.message("code", action="get")
    assert got["count"] == 1
    (message,) = got["messages"]
    assert (message["from"], message["content"], message["read"]) == ("prime", "is it booked?", False)
    assert message["words"] == "written by agent prime, not by the person"
    for other in ("prime", "support"):
        assert gateway.message(other, action="get", unread_only=False) == {"count": 0, "messages": []}
    gateway.message("code", action="mark_read", message_id=sent["id"])
    assert gateway.message("code", action="get")["count"] == 0
    gateway.message("code", action="mark_unread", message_id=sent["id"])
    assert gateway.message("code", action="get", message_type="question")["count"] == 1


def test_what_is_wrong_is_said_with_a_code(gateway):
    """Row P7, vectors 12 and 15."""
    ask = {"action": "send", "content": "hello", "to_instance": "code"}
    assert gateway.refused("prime", **ask, priority=11) == ("INVALID_PARAMS", "priority must be 0 to 10, not 11")
    code, told = gateway.refused("prime", **ask, message_type="note")
    assert (code, "handoff, status, question, fyi, context, event, message" in told) == ("INVALID_PARAMS", True)
    assert gateway.refused("prime", **{**ask, "to_instance": "nobody"})[0] == "NOT_FOUND"
    assert gateway.refused("prime", **ask, instance_id="code")[0] == "FORBIDDEN", "who sends is who asks"
    assert gateway.refused("prime", action="shout")[0] == "INVALID_PARAMS"
    number = gateway.message("prime", **ask)["id"]
    code, told = gateway.refused("support", action="mark_read", message_id=number)
    assert (code, told) == ("FORBIDDEN", f"Message {number} is not addressed to support")
    assert gateway.refused("code", action="mark_read", message_id=999)[0] == "NOT_FOUND"
    error = gateway.reply(
        gateway.request(
            "message",
            agentId="code",
            audience="group",
            sessionKey="agent:code:discord:group:1",
            arguments={"action": "get"},
        )
    )["error"]
    assert error["code"] == "FORBIDDEN", "a group reads no messages"


def test_channels_of_the_bridge_and_of_the_agents(gateway):
    """Row P6, vector 17."""
    code, told = gateway.error("_subscribe", channel="a b")
    assert (code, "'a b' is no name of a channel" in told) == ("SUBSCRIBE_ERROR", True)
    assert gateway.ask("_subscribe", channel="memory_palace_msg_support") == {"message": "subscribed to support"}
    assert gateway.ask("_unsubscribe", channel="support") == {"message": "unsubscribed from support"}
    assert gateway.error("_unsubscribe", channel="support") == ("UNSUBSCRIBE_ERROR", "not subscribed to support")
    assert gateway.message("code", action="subscribe", channel="deploys") == {"message": "subscribed to deploys"}
    assert gateway.ask("sessions")["channels"] == ["deploys"]
    gateway.message("prime", action="send", channel="deploys", content="on its way")
    assert gateway.event("new_message")["channel"] == "deploys"
    assert gateway.message("code", action="get", channel="deploys")["count"] == 1
    assert gateway.message("code", action="unsubscribe", channel="deploys") == {"message": "unsubscribed from deploys"}
    assert gateway.message("prime", action="send", channel="deploys", content="there")["receivers"] == 0


@pytest.mark.slow
def test_each_agents_newest_direct_session_is_known_and_outlives_the_process(gateway, home):
    """Rows P6, P15 and P16."""
    gateway.says("code", sessionKey="agent:code:web")
    gateway.says("code", sessionKey="agent:code:discord:group:7", audience="group")
    gateway.says("code", sessionKey="agent:code:cron:9", trigger="cron")
    wait_until(lambda: gateway.ask("sessions")["sessions"]["code"]["sessionKey"] == "agent:code:web", "it is known")
    gateway.end()
    with Gateway(home) as another:
        found = another.ask("sessions")
        assert (found["count"], found["channels"]) == (3, [])
        code = found["sessions"]["code"]
        assert (code["agentId"], code["sessionKey"]) == ("code", "agent:code:web")
        assert code["ageMs"] >= 0
        assert datetime.fromisoformat(code["lastSeen"])
        routes = another.ask("_get_instance_routes")
        assert routes["instances"] == sorted(AGENTS)
        assert routes["instance_routes"]["code"] == "agent:code:web"


@pytest.mark.slow
def test_what_was_sent_while_no_gateway_ran_wakes_when_one_does(gateway, home):
    gateway.end()
    done = hookclaw(
        home, "--agent", "prime", "message", "send", "code", "the", "soup", "is", "ready", "--subject", "soup"
    )
    assert (done.returncode, done.stdout) == (0, "message 1 is on its way to 1 agent\n")
    with Gateway(home) as another:
        assert another.event("new_message")["subject"] == "soup"
        assert another.event("wake")["sessionKey"] == "agent:code:main"


def test_another_process_sends_and_this_one_wakes(gateway, home):
    """Row P15: by what the database says, from process to process."""
    assert hookclaw(home, "--agent", "prime", "message", "send", "all", "lights out").returncode == 0
    assert {gateway.event("wake")["agentId"] for _ in range(2)} == {"code", "support"}


def test_what_a_turn_has_shown_is_delivered_and_nobody_is_woken_for_it_again(gateway, home):
    number = gateway.message("prime", action="send", to_instance="code", content="soup is ready")["id"]
    gateway.event("wake")
    assert "waits" in hookclaw(home, "--agent", "code", "message", "list").stdout
    assert gateway.ask("delivered", agentId="support", ids=[number]) == {"delivered": 0}, "it is not support's"
    assert gateway.ask("delivered", agentId="code", ids=[number]) == {"delivered": 1}
    listed = json.loads(hookclaw(home, "--agent", "code", "message", "list", "--json").stdout)
    assert [one["id"] for one in listed] == [number]
    assert "delivered" in hookclaw(home, "--agent", "code", "message", "list").stdout


def test_an_agent_that_cannot_be_woken_is_told_with_its_next_prompt_once_a_turn_went_well(home):
    """Row P15: then it waits for the next turn."""
    with Gateway(home) as gateway:
        gateway.says("code")
        gateway.says("prime", sessionKey="")
        gateway.message("code", action="send", to_instance="prime", content="the content", subject="soup")
        shown = gateway.says("prime", sessionKey="", sessionId="s1")["prependContext"]
        line = "hookclaw: message 1 from agent code (message): soup"
        assert shown == f"<agent_messages>\n{HEAD}\n{line}\n</agent_messages>"
        assert strip_own_blocks(f"my words\n{shown}") == "my words", "it never comes back as the person's"
        again = gateway.says("prime", sessionKey="", sessionId="s1")["prependContext"]
        assert again == shown, "no turn has ended well yet"
        who = {"agentId": "prime", "sessionId": "s1", "audience": "owner"}
        gateway.ask("agent_end", **who, messages=[{"role": "assistant", "content": "Soup, then."}])
        wait_until(
            lambda: "prependContext" not in gateway.says("prime", sessionKey="", sessionId="s1"), "it is delivered"
        )
        assert "prependContext" not in gateway.says("prime", sessionKey="agent:prime:g", audience="group")


@pytest.mark.slow
def test_who_is_paused_is_neither_woken_nor_told_and_gets_all_of_it_afterwards(gateway, home):
    assert hookclaw(home, "--agent", "code", "pause").returncode == 0
    sent = [
        gateway.message("prime", action="send", to_instance=to, content="the content", subject="soup")["id"]
        for to in ("code", "code", "support")
    ]
    assert [wake["agentId"] for wake in gateway.heard("wake", 4)] == ["support"], "the others go on"
    told = gateway.says("code")
    assert (told["outcome"], told.get("prependContext")) == ("skipped", None)
    for asked in ({"action": "get"}, {"action": "send", "to_instance": "prime", "content": "yes?"}):
        code, words = gateway.refused("code", **asked)
        assert (code, "paused until" in words) == ("UNAVAILABLE", True)
    assert hookclaw(home, "--agent", "code", "resume").returncode == 0
    wake = gateway.event("wake")
    assert (wake["agentId"], [one["id"] for one in wake["messages"]]) == ("code", sent[:2])
    assert gateway.message("code", action="get")["count"] == 2


def test_what_waited_in_a_pause_is_told_with_the_first_prompt_after_it(home):
    with Gateway(home) as gateway:
        gateway.says("code")
        gateway.says("prime", sessionKey="")
        assert hookclaw(home, "--agent", "prime", "pause").returncode == 0
        gateway.message("code", action="send", to_instance="prime", content="the content", subject="soup")
        assert "prependContext" not in gateway.says("prime", sessionKey="", sessionId="s1")
        who = {"agentId": "prime", "sessionId": "s1", "audience": "owner"}
        gateway.ask("agent_end", **who, messages=[{"role": "assistant", "content": "Quiet here."}])
        assert hookclaw(home, "--agent", "prime", "resume").returncode == 0
        shown = gateway.says("prime", sessionKey="", sessionId="s1")["prependContext"]
        assert "hookclaw: message 1 from agent code (message): soup" in shown


@pytest.mark.slow
def test_two_agents_that_answer_whatever_wakes_them_come_to_rest(gateway):
    """Row P15: after eight automatic answers in a row nobody is woken."""
    gateway.message("prime", action="send", to_instance="code", content="how are you?")
    woken = []
    for _ in range(9):
        agent = gateway.event("wake")["agentId"]
        woken.append(agent)
        (got,) = gateway.message(agent, action="get")["messages"]
        gateway.message(agent, action="mark_read", message_id=got["id"])
        gateway.message(agent, action="send", to_instance=got["from"], content="and you?")
    assert woken == ["code", "prime"] * 4 + ["code"]
    assert gateway.heard("wake", 2) == []
    assert gateway.message("prime", action="get")["count"] == 1, "the answer is there all the same"


def test_three_messages_in_a_moment_are_three_events_and_one_wake(gateway):
    """Vector 16."""
    asked = {"action": "send", "to_instance": "code", "content": "one of three"}
    calls = [gateway.request("message", agentId="prime", audience="owner", arguments=asked) for _ in range(3)]
    sent = [gateway.reply(call)["result"]["id"] for call in calls]
    events = [gateway.events.get(timeout=PATIENCE) for _ in range(4)]
    assert sorted(event["event"] for event in events) == ["new_message"] * 3 + ["wake"]
    (wake,) = [event["params"] for event in events if event["event"] == "wake"]
    assert sorted(one["id"] for one in wake["messages"]) == sorted(sent)
    assert gateway.heard("wake", 1) == []


def test_lines_that_are_none_are_answered_and_the_next_is_served(gateway):
    """Vectors 1 to 3."""
    assert gateway.hello["ready"] is True
    assert {"message", "_subscribe", "_unsubscribe", "_get_instance_routes", "sessions"} <= set(
        gateway.hello["methods"]
    )
    gateway.send(b"{nope\n")
    assert gateway.reply(None)["error"]["code"] == "PARSE_ERROR"
    gateway.send(b'{"id": "a", "method": "foo"}\n')
    assert gateway.reply("a")["error"]["code"] == "METHOD_NOT_FOUND"
    assert gateway.ask("sessions")["count"] == 3


def test_at_the_shell_a_message_is_sent_listed_and_read(gateway, home):
    assert hookclaw(home, "--agent", "prime", "message", "send", "code", "hi", "--priority", "3").returncode == 0
    listed = hookclaw(home, "--agent", "code", "message", "list")
    assert "message 1 from agent prime (message, priority 3)" in listed.stdout
    read = hookclaw(home, "--agent", "code", "message", "read", "1")
    assert read.stdout.endswith("hi\n")
    assert hookclaw(home, "--agent", "code", "message", "list").stderr == "no unread messages for code\n"
    refused = hookclaw(home, "--agent", "support", "message", "read", "1")
    assert (refused.returncode, refused.stderr) == (2, "hookclaw: Message 1 is not addressed to support\n")
    assert hookclaw(home, "--agent", "typo", "message", "list").returncode == 2


def test_the_numbers_tell_of_messages(gateway, home):
    gateway.message("prime", action="send", to_instance="code", content="the content")
    gateway.event("wake")
    gateway.message("code", action="get")
    mine = gateway.ask("metrics")["agents"]
    assert mine["prime"]["messages"] == {"sent": 1, "delivered": 0, "woken": 0, "refused": 0}
    assert mine["code"]["messages"] == {"sent": 0, "delivered": 1, "woken": 1, "refused": 0}
    told = json.loads(hookclaw(home, "--agent", "code", "metrics", "--json").stdout)
    assert told["messages"] == mine["code"]["messages"]
    exposed = hookclaw(home, "--agent", "code", "metrics", "--prometheus").stdout
    assert 'hookclaw_messages_total{agent="code",event="woken"} 1.0' in exposed.splitlines()
    line = next(one for one in hookclaw(home, "--agent", "prime", "stats").stdout.splitlines() if "messages" in one)
    assert " ".join(line.split()) == "messages 1 sent to agents, 0 of theirs delivered; woken 0 times"
    assert "the content" not in exposed


@pytest.mark.slow
def test_messages_are_backed_up_beside_memories_and_come_back_while_a_gateway_runs(gateway, home, tmp_path):
    gateway.message("prime", action="send", to_instance="code", content="the content", subject="soup")
    backup = hookclaw(home, "--agent", "prime", "backup", str(tmp_path / "memory"))
    assert (backup.returncode, "`hookclaw backup --messages FILE` copies those of all" in backup.stderr) == (0, True)
    assert hookclaw(home, "backup", "--messages", str(tmp_path / "kept")).returncode == 0
    gateway.message("code", action="mark_read", message_id=1)
    gateway.message("prime", action="send", to_instance="code", content="sent after it")
    restored = hookclaw(home, "restore", "--messages", str(tmp_path / "kept"))
    assert (restored.returncode, "the messages that were there are kept as" in restored.stdout) == (0, True)
    assert [one["content"] for one in gateway.message("code", action="get")["messages"]] == ["the content"]
    assert gateway.message("prime", action="send", to_instance="code", content="goes on")["id"] == 3
    refused = hookclaw(home, "restore", "--messages", str(tmp_path / "memory"))
    assert (refused.returncode, "holds no messages between agents" in refused.stderr) == (2, True)


def test_what_every_agent_had_a_month_ago_goes_as_a_gateway_goes_on(home):
    from hookclaw_py.store.database import MailStore

    mail = MailStore.at_home(home)
    then = datetime.now(UTC) - timedelta(days=31)
    for subject, receivers in (("had", {"code"}), ("waits", {"code", "support"})):
        mail.send(message(subject=subject, at=then), receivers, due=None)
    mail.deliver("code", [1, 2], at=then)
    with Gateway(home) as gateway:
        gateway.says("prime")
        wait_until(lambda: mail.receivers(1) is None, "it is gone")
    assert mail.receivers(2)
    mail.close()


def test_the_doctor_says_what_is_wrong_with_messages(gateway, home):
    checks = lambda: {one["name"]: one for one in json.loads(hookclaw(home, "doctor", "--json").stdout)["checks"]}  # noqa: E731
    assert checks()["messages"]["finding"] == "sound, and none waits; 3 agents can be woken"
    gateway.end()
    for file in home.glob("messages.db*"):
        file.write_bytes(b"no database at all")
    assert checks()["messages"]["verdict"] == "problem"


def test_a_damaged_file_of_messages_costs_no_prompt_and_is_told(gateway, home):
    for file in home.glob("messages.db-*"):
        file.unlink()
    (home / "messages.db").unlink()
    (home / "messages.db").write_bytes(b"no database at all" * 100)
    assert gateway.says("code")["outcome"] in ("silent", "skipped", "injected")
    assert "messages" in gateway.event("problem")["message"]
    wait_until(lambda: any("messages.db" in one for one in gateway.ask("health")["problems"]), "health says so")
    assert gateway.refused("prime", action="send", to_instance="code", content="hi")[0] == "UNAVAILABLE"
