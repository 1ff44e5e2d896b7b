"""The courier: a host hears of each message once, soon, from whatever process, and its agents are woken within bounds.

Rows P5 and P15, vectors 13 and 16 of the specification of the memory palace, and its defect 5.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py.messages.courier import Courier
from hookclaw_py.messages.post import Post
from hookclaw_py.store.database import MailStore
from hookclaw_py.store.mail import WakeRules
from tests.waiting import wait_until

AGENTS = ("prime", "code", "support")
COALESCE = timedelta(milliseconds=250)
RULES = WakeRules(per_hour=20, coalesce=COALESCE, again=(timedelta(minutes=1),) * 3)


class Host:
    """What a host would be told, in its order."""

    def __init__(self, folder: Path, *names: str, rules: WakeRules = RULES) -> None:
        self.mail = MailStore.at_home(folder)
        self.events: list[tuple[str, Mapping[str, Any]]] = []
        self.paused: set[str] = set()
        self.asked: list[str] = []
        self.courier = Courier(
            self.mail, rules=rules, poll=0.05, tell=lambda *event: self.events.append(event), paused=self._is_paused
        )
        for name in names:
            self.mail.see(name, f"agent:{name}:main", at=datetime.now(UTC), spoken=True)
            self.courier.listen(name)

    def _is_paused(self, name: str) -> bool:
        self.asked.append(name)
        return name in self.paused

    def told(self, event: str) -> list[Mapping[str, Any]]:
        return [params for name, params in list(self.events) if name == event]

    def close(self) -> None:
        assert self.courier.close(5)
        self.mail.close()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path, "code", "support")
    yield host
    host.close()


@pytest.fixture
def post(tmp_path: Path) -> Iterator[Post]:
    """Another process's."""
    mail = MailStore.at_home(tmp_path)
    yield Post(mail, known=lambda: AGENTS, coalesce=COALESCE)
    mail.close()


def send(post: Post, content: str = "well?", **given: Any) -> int:
    return post.send("prime", content, now=datetime.now(UTC), **given)[0]


def test_a_host_is_told_of_a_message_that_another_process_sent_and_its_agent_is_woken(host, post):
    """Row P5, vector 13."""
    number = send(post, "the content", to="code", subject="deploy :now", type="question", priority=4)
    wait_until(lambda: host.told("wake"), "code is woken")
    assert host.told("new_message") == [
        {
            "from": "prime",
            "to": "code",
            "type": "question",
            "subject": "deploy :now",
            "channel": "",
            "id": number,
            "priority": 4,
        }
    ]
    text = f"hookclaw: message {number} from agent prime (question, priority 4): deploy :now"
    assert host.told("wake") == [
        {"agentId": "code", "sessionKey": "agent:code:main", "messages": [{"id": number, "text": text}]}
    ]
    assert "the content" not in str(host.events)


def test_three_messages_together_are_three_events_and_one_wake(host, post):
    """Vector 16."""
    sent = [send(post, to="code") for _ in range(3)]
    wait_until(lambda: host.told("wake"), "code is woken")
    wait_until(lambda: len(host.told("new_message")) == 3, "it hears of all")
    told = [one["id"] for wake in host.told("wake") for one in wake["messages"]]
    assert sorted(told) == sent, "each in one wake"
    assert len(host.told("wake")) == 1


def test_a_message_to_all_is_told_to_each(host, post):
    """Defect 5."""
    number = send(post, to="all")
    wait_until(lambda: len(host.told("wake")) == 2, "both are woken")
    assert sorted(one["to"] for one in host.told("new_message")) == ["code", "support"]
    assert {one["id"] for one in host.told("new_message")} == {number}


def test_a_host_hears_of_the_channels_and_agents_that_it_listens_to_alone(host, post):
    post.subscribe("prime", "deploys")
    Post(post.mail, known=lambda: AGENTS, coalesce=COALESCE).send(
        "code", "up", channel="deploys", now=datetime.now(UTC)
    )
    assert not host.courier.listen("code")
    assert host.courier.listen("deploys")
    Post(post.mail, known=lambda: AGENTS, coalesce=COALESCE).send(
        "code", "down", channel="deploys", now=datetime.now(UTC)
    )
    wait_until(lambda: host.told("new_message"), "it hears of the channel")
    assert {one["channel"] for one in host.told("new_message")} == {"deploys"}
    assert host.courier.unlisten("support")
    assert not host.courier.unlisten("support")
    send(post, to="support")
    send(post, to="code")
    wait_until(lambda: any(one["to"] == "code" for one in host.told("new_message")), "code hears of its own")
    assert not any(one["to"] == "support" for one in host.told("new_message"))


def test_what_was_sent_while_nobody_listened_is_told_and_wakes(post, tmp_path):
    number = send(post, to="code")
    host = Host(tmp_path, "code")
    wait_until(lambda: host.told("wake"), "code is woken")
    assert [one["id"] for one in host.told("new_message")] == [number]
    host.close()


def test_what_was_fetched_meanwhile_wakes_nobody(post, tmp_path):
    send(post, to="code")
    post.get("code", now=datetime.now(UTC), limit=9)
    host = Host(tmp_path, "code")
    send(post, to="code")
    wait_until(lambda: host.told("wake"), "code is woken")
    assert [len(wake["messages"]) for wake in host.told("wake")] == [1]
    host.close()


def test_who_is_paused_is_woken_once_for_all_that_came_when_that_is_over(host, post):
    host.paused.add("code")
    sent = [send(post, to="code"), send(post, to="code"), send(post, to="support")]
    wait_until(lambda: host.asked.count("code") >= 2, "it is looked again whether code is paused")
    wait_until(lambda: host.told("wake"), "support is woken")
    assert [wake["agentId"] for wake in host.told("wake")] == ["support"]
    assert len(host.told("new_message")) == 3, "the host itself hears of each"
    host.paused.clear()
    wait_until(lambda: len(host.told("wake")) == 2, "code is woken")
    assert [one["id"] for one in host.told("wake")[1]["messages"]] == sent[:2]


def test_who_has_no_session_yet_is_looked_after_and_keeps_nobody_busy(host, post):
    host.courier.listen("prime")
    Post(post.mail, known=lambda: AGENTS, coalesce=timedelta()).send("code", "up?", to="prime", now=datetime.now(UTC))
    wait_until(lambda: "prime" in host.asked, "it is due")
    first = time.monotonic()
    wait_until(lambda: host.asked.count("prime") >= 3, "it is looked again whether prime can be woken")
    assert time.monotonic() - first > 0.9, "now and then"
    host.mail.see("prime", "agent:prime:main", at=datetime.now(UTC), spoken=True)
    wait_until(lambda: host.told("wake"), "prime is woken")


def test_two_agents_that_answer_each_other_by_themselves_stop(tmp_path):
    """Row P15: a host whose agents answer whatever wakes them comes to rest."""
    home = MailStore.at_home(tmp_path)
    post = Post(home, known=lambda: AGENTS, coalesce=timedelta())
    rules = WakeRules(per_hour=100, coalesce=timedelta(), again=())
    host = Host(tmp_path, "code", "support", rules=rules)
    woken: list[str] = []

    def answer() -> None:
        for wake in host.told("wake")[len(woken) :]:
            woken.append(wake["agentId"])
            post.send(
                wake["agentId"],
                "and you?",
                to={"code": "support", "support": "code"}[wake["agentId"]],
                now=datetime.now(UTC),
            )

    post.send("code", "how are you?", to="support", now=datetime.now(UTC))
    wait_until(lambda: answer() or len(woken) >= 9, "they talk", 30)
    wait_until(lambda: len(host.told("new_message")) == 10, "the ninth answer is told, too")
    assert host.mail.next_due(["code", "support"]) is None, "and it wakes nobody"
    assert woken == ["support", "code"] * 4 + ["support"]
    host.close()
    home.close()


def test_a_file_that_cannot_be_read_is_said_once_and_the_courier_goes_on(host, post, tmp_path):
    kept = (tmp_path / "messages.db").read_bytes()
    for file in tmp_path.glob("messages.db-*"):
        file.unlink()
    (tmp_path / "messages.db").unlink()
    (tmp_path / "messages.db").write_bytes(b"no database at all" * 100)
    wait_until(lambda: host.told("problem"), "the host is told", 20)
    assert "move" in host.told("problem")[0]["message"]
    assert host.courier.problem
    assert len(kept) > 0


SENDS = """
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from hookclaw_py.messages.post import Post
from hookclaw_py.store.database import MailStore

home, first, number = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
mail = MailStore.at_home(home, busy_seconds=60)
post = Post(mail, known=lambda: ["prime", "code", "support"], coalesce=timedelta())
for n in range(first, first + number):
    post.send("prime", f"message number {n}", to="code", now=datetime.now(UTC))
"""


@pytest.mark.parametrize("number", [400, pytest.param(10_000, marks=pytest.mark.slow)])
def test_of_many_messages_from_four_processes_each_is_told_once_and_none_is_lost(tmp_path, number):
    host, each = Host(tmp_path, "code"), number // 4
    senders = [
        subprocess.Popen([sys.executable, "-c", SENDS, str(tmp_path), str(first), str(each)])
        for first in range(0, number, each)
    ]
    try:
        wait_until(lambda: len(host.told("new_message")) >= number, "all are told", 280)
    finally:
        for sender in senders:
            sender.kill() if sender.poll() is None and len(host.told("new_message")) < number else None
            assert sender.wait(60) == 0
    told = [one["id"] for one in host.told("new_message")]
    assert told == list(range(1, number + 1)), "each once, in its order"
    found = host.mail.inbox("code", now=datetime.now(UTC), limit=20_000)
    assert {one.message.content for one in found} == {f"message number {n}" for n in range(number)}
    shown = [one["id"] for wake in host.told("wake") for one in wake["messages"]]
    assert len(shown) == len(set(shown)), "no message wakes twice within a minute"
    host.close()
