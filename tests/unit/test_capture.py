"""What hosts report, from the report to the store: judged, cleaned, kept once.

Rows C1 to C8, C18 and M9, M10, M14 of the specifications; vectors 6, 7, 8, 11 and 24, defects D7, D9, D10, D16.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hookclaw_py
from hookclaw_py.capture import cleaning, policy
from hookclaw_py.capture.policy import Request, Skip
from hookclaw_py.capture.recorder import Receipt, Recorder
from hookclaw_py.capture.reports import Report, report_of
from hookclaw_py.config import CaptureConfig
from hookclaw_py.hosts.openclaw.envelope import ENVELOPE
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.store.database import Store
from hookclaw_py.store.switches import SWITCH, Switches

AT = datetime(2026, 3, 3, 9, tzinfo=UTC)
SESSION = "agent:main:openai-user:u1"


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open(None) as opened:
        yield opened


class Host:
    """Reports to a recorder as a host does, all in one session."""

    def __init__(self, store: Store, **settings: Any) -> None:
        self.store, self.counted = store, Counter[tuple[str, str]]()
        self.settings = CaptureConfig(**settings)
        self.restart()

    def restart(self) -> None:
        """Let the process be another one."""
        self._recorder = Recorder(
            self.store,
            Switches("main", self.store, None),
            settings=self.settings,
            envelope=ENVELOPE,
            count=lambda kind, outcome: self.counted.update([(kind, outcome)]),
        )

    def tell(self, kind: str, payload: dict[str, Any] | None = None, **more: Any) -> Receipt:
        told = {"session": SESSION, "run": "r", "audience": "owner", "at": AT.isoformat(), **more}
        report = report_of({**told, "kind": kind, "payload": payload or {}}, host="openclaw", now=AT)
        return self._recorder.record([report], now=AT)[0]

    def prompt(self, text: str, **more: Any) -> Receipt:
        return self.tell("prompt", {"text": text}, **more)

    def call(self, tool: str, given: Any = None, result: Any = "", **more: Any) -> Receipt:
        payload = {"tool": tool, "input": given or {}, "result": result, **more.pop("payload", {})}
        return self.tell("tool_call", payload, call=more.pop("call", "c1"), **more)

    def kept(self, kind: str = "tool_call") -> dict[str, Any]:
        """Return the payload of the newest of a kind."""
        return dict(self.store.happenings(kinds=[HappeningKind(kind)])[-1].payload)

    def texts(self) -> str:
        return json.dumps([dict(one.payload) for one in self.store.happenings()])


@pytest.fixture
def host(store: Store) -> Host:
    return Host(store)


def test_a_turn_is_kept_in_its_order_and_waits(host: Host, store: Store):
    """C1, C2, C3, M9, M10: prompt, tool call with its outcome, answer; a session key with colons is a session (defect 5)."""
    host.tell("session_start", run="")
    host.prompt("[Tue 2026-03-03 09:00 UTC] Why does the build fail?")
    host.call("exec", {"command": "make build"}, "error: no rule", payload={"ms": 12, "error": "exit 2", "cwd": "/w"})
    host.tell("answer", {"text": "[[reply_to_current]] The rule is missing."})
    host.tell("compaction", run="")
    host.tell("session_end", {"reason": "reset"}, run="")
    told = store.happenings(SESSION)
    assert [one.kind.value for one in told] == [
        "session_start",
        "prompt",
        "tool_call",
        "answer",
        "compaction",
        "session_end",
    ]
    assert [one.run for one in told] == ["", "r", "r", "r", "r", "r"]
    assert dict(told[1].payload) == {"text": "Why does the build fail?"}
    assert dict(told[2].payload) == {
        "tool": "exec", "input": {"command": "make build"}, "ok": False, "output": "error: no rule",
        "error": "exit 2", "ms": 12, "cwd": "/w",
    }  # fmt: skip
    assert dict(told[3].payload) == {"text": "The rule is missing."}
    assert store.waiting(now=AT, stuck=timedelta(1)).pending == 6
    assert host.counted["tool_call", "queued"] == 1


def test_the_same_twice_is_one(host: Host, store: Store):
    """C18, vector 11: by session, run and call, or the moment where these have no name."""
    host.prompt("What is next?")
    first = host.call("exec", {"command": "make test"}, "ok", call="c7")
    again = host.call("exec", {"command": "make test"}, "ok", call="c7", at=(AT + timedelta(1)).isoformat())
    assert (again.id, again.duplicate, first.duplicate) == (first.id, True, False)
    assert [host.tell("session_start", run="").duplicate for _ in range(2)] == [False, True]
    assert len(store.happenings(SESSION)) == 3


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"audience": "group"}, Skip.AUDIENCE),
        ({"audience": "person"}, Skip.AUDIENCE),
        ({"audience": ""}, Skip.AUDIENCE),
        ({"session": "agent:main:telegram:group:4711"}, Skip.AUDIENCE),
        ({"session": "agent:main:cron:daily"}, Skip.AUDIENCE),
        ({"session": "agent:main:subagent:x"}, Skip.AUDIENCE),
        ({"session": "agent:main:incognito-1"}, Skip.AUDIENCE),
        ({"session": "agent:other:main"}, Skip.AUDIENCE),
        ({"trigger": "heartbeat"}, Skip.AUTOMATIC),
        ({"trigger": "cron"}, Skip.AUTOMATIC),
        ({"folder": "/home/me/diary/2026"}, Skip.EXCLUDED),
    ],
)
def test_only_the_owners_own_sessions_are_captured(store: Store, more: dict[str, Any], why: Skip):
    """M14, D16, vector 24: the host's context decides, unknown is none of ours; and nothing of such a turn is kept."""
    host = Host(store, exclude=("/home/me/diary",))
    assert host.prompt("Where is the key to the shed?", **more).skipped is why
    assert host.call("exec", {"command": "make test"}, "passed", **more).skipped in (why, Skip.NO_PROMPT)
    host.tell("answer", {"text": "Under the pot."}, **more)
    assert store.happenings() == []


def test_a_gateways_key_with_colons_is_captured(host: Host):
    """Vector 24, defect 5."""
    assert host.prompt("hello there", session="agent:main:openai-user:u1").queued
    assert host.prompt("hello there", session="agent:main:main").queued


def test_a_person_switches_it_off_and_on_again(host: Host, store: Store):
    store.set_meta(SWITCH, {"sessions": [SESSION]})
    assert host.prompt("a secret plan").skipped is Skip.OFF
    assert host.prompt("another session", session="agent:main:main").queued
    store.set_meta(SWITCH, {"off": True, "sessions": []})
    assert host.prompt("a plan", session="agent:main:main", run="q").skipped is Skip.OFF
    assert Host(store, enabled=False).prompt("x").skipped is Skip.OFF
    store.set_meta(SWITCH, {})
    assert host.prompt("a plan").queued


def test_nothing_of_a_wholly_private_turn_is_kept_and_the_prompt_keeps_its_place(host: Host, store: Store):
    """C7, vector 7; also after a restart."""
    assert host.prompt("<PRIVATE>a</PRIVATE>").skipped is Skip.PRIVATE
    assert host.call("exec", {"command": "make test"}, "all passed").skipped is Skip.PRIVATE
    host.restart()
    assert host.tell("answer", {"text": "It is a."}).skipped is Skip.PRIVATE
    assert [dict(one.payload) for one in store.happenings()] == [{"text": "", "private": "all"}]
    assert store.waiting(now=AT, stuck=timedelta(1)).pending == 0


@pytest.mark.parametrize("said", ["off the record: I want to quit", "please don't remember this: I want to quit"])
def test_a_prompt_that_asks_not_to_be_kept_is_wholly_private_without_a_tag_as_well(host: Host, store: Store, said: str):
    assert host.prompt(said).skipped is Skip.PRIVATE
    assert host.call("exec", {"command": "make test"}, "all passed").skipped is Skip.PRIVATE
    host.restart()
    assert host.tell("answer", {"text": "You want to quit."}).skipped is Skip.PRIVATE
    assert [dict(one.payload) for one in store.happenings()] == [{"text": "", "private": "all"}]


def test_what_was_private_in_a_prompt_comes_back_covered(host: Host):
    """C7, vector 6: in a call's input, its result, the answer, and the next turn."""
    host.prompt("<private>pw hunter2-Q9</private> log in")
    assert host.kept("prompt") == {"text": "log in", "private": "some"}
    host.call("login", {"with": "hunter2-Q9"}, "login hunter2-Q9 ok")
    assert (host.kept()["input"], host.kept()["output"]) == ({"with": "[private]"}, "login [private] ok")
    host.tell("answer", {"text": "I used hunter2-Q9."})
    host.prompt("and again", run="r2")
    host.call("login", {}, "hunter2-Q9 was taken", run="r2")
    assert "hunter2" not in host.texts()


def test_of_a_turn_whose_private_part_nobody_knows_any_more_nothing_is_kept(host: Host):
    """C7: what was private is in no file, so a process that has just begun cannot cover it."""
    host.prompt("<private>pw hunter2-Q9</private> log in")
    host.restart()
    assert host.call("login", {}, "login hunter2-Q9 ok").skipped is Skip.PRIVATE
    assert host.tell("answer", {"text": "I used hunter2-Q9."}).skipped is Skip.PRIVATE
    host.prompt("<private>pw hunter2-Q9</private> log in")  # the host tells of it again: it had no answer
    assert host.call("login", {}, "login hunter2-Q9 ok").queued
    assert "hunter2" not in host.texts()


def test_a_host_that_took_out_what_was_private_says_so_and_what_may_repeat_it_is_not_kept(host: Host):
    """C7, C19: a prompt that had to wait in a file."""
    assert host.tell("prompt", {"text": "log in", "private": "some"}).queued
    assert host.call("login", {}, "login hunter2-Q9 ok").skipped is Skip.PRIVATE
    assert host.tell("answer", {"text": "I used hunter2-Q9."}).skipped is Skip.PRIVATE
    assert host.kept("prompt") == {"text": "log in", "private": "some"}


def test_each_text_is_cleaned_by_itself_before_it_is_written(host: Host):
    """C7, vector 4, defect 3, D10."""
    host.prompt("Show it")
    given = {"a": "<private>1", "b": "2</private>", "password": "tea", "n": [1, "AKIAIOSFODNN7EXAMPLE"]}
    block = "<relevant_memories>\n  <memory source='x'>\n  old\n  </memory>\n</relevant_memories>\nnew and long enough to keep"
    host.call("show", given, {"content": [{"type": "text", "text": block}]})
    assert host.kept()["input"] == {"a": "", "b": "2", "password": "[redacted]", "n": [1, "[redacted]"]}
    assert host.kept()["output"] == "new and long enough to keep"


def test_a_long_result_is_cut_and_accepted(host: Host):
    """C4, vector 24, defect 20: the first 9,600 and the last 4,800 characters, no word torn."""
    host.prompt("Show it")
    text = " ".join(f"word{n}" for n in range(8000))
    assert host.call("show", {"x": "y" * 200_000}, text).queued
    output = host.kept()["output"]
    assert 14_000 < len(output) < 16_000
    first, marker, last = output.split("\n")
    assert marker.startswith("[… ")
    assert text.startswith(first)
    assert text.endswith(last)
    assert {*first.split(), *last.split()} <= set(text.split())


@pytest.mark.parametrize(
    ("tool", "given", "result", "why"),
    [
        ("Read", {"file_path": "a.py"}, "x = 1", Skip.READ),  # vector 11
        ("TodoWrite", {}, "done, more than forty characters of it, really", Skip.TOOL),
        ("memory_search", {}, "x" * 50, Skip.TOOL),
        ("mcp__hookclaw__memory_search", {}, "x" * 50, Skip.TOOL),
        ("tool_call", {"name": "exec"}, "x" * 50, Skip.TOOL),
        ("lights", {}, "ok", Skip.NOISE),
        ("lights", {}, json.dumps([{"a": "b" * 50}] * 100), Skip.NOISE),
        ("lights", {}, json.dumps([{"a": "b" * 50}] * 10_000), Skip.NOISE),
        ("exec", {"command": "ls"}, "a.py", Skip.NOISE),
        ("exec", {"command": "make test"}, "ok", None),
        ("exec", {"command": "./deploy.sh"}, "", None),
        ("Edit", {"file_path": "a.py"}, "ok", None),
        ("lights", {}, "the lamp in the hall is on now", None),
    ],
)
def test_noise_does_not_wait_for_work(host: Host, tool: str, given: Any, result: str, why: Skip | None):
    """C5, C6, vector 11: of a successful read the path is kept, for the summary; tests, builds and edits always wait."""
    host.prompt("Do it")
    assert host.call(tool, given, result).skipped is why
    if why is Skip.READ:
        assert host.kept() == {"tool": "Read", "input": {"file_path": "a.py"}, "ok": True}


@pytest.mark.parametrize(
    "result",
    [
        {"isError": True, "content": []},
        {"details": {"exitCode": 1}},
        {"details": {"status": "failed"}},
        {"exit_code": 2},
        {"interrupted": True},
        {"code": 1, "stderr": "no such file"},
        {"code": 127},
        {"code": 404, "result": "not found"},
    ],
)
def test_a_failure_is_always_kept_and_known_by_the_results_own_word(host: Host, result: Any):
    """C6, M10, D9."""
    host.prompt("Do it")
    assert host.call("exec", {"command": "ls"}, result).queued
    assert host.kept()["ok"] is False


@pytest.mark.parametrize("result", [{"result": "# Tides", "code": 200}, {"code": 0}, {"code": "E1"}, {"code": [1]}])
def test_what_a_server_says_of_a_page_that_it_gave_is_no_exit_code(host: Host, result: Any):
    host.prompt("Read the tide table")
    assert host.call("WebFetch", {"url": "https://tides.example", "prompt": "when"}, result).id
    assert host.kept()["ok"] is True


HIDDEN = "[redacted]"
IN_PARTS = [
    (
        {"argv": ["mysql", "-u", "root", "--password", "Tr0ub4dor&3x", "-e", "x"]},
        ["mysql", "-u", "root", "--password", HIDDEN, "-e", "x"],
    ),
    ({"argv": ["mysql", "-pTr0ub4dor&3x"]}, ["mysql", "-p" + HIDDEN]),
    ({"argv": ["vault", "--db-passphrase", "kelp otter"]}, ["vault", "--db-passphrase", HIDDEN]),
    ({"argv": ["curl", "-u", "una:kelp-Otter9"]}, ["curl", "-u", "una:" + HIDDEN]),
    ({"argv": ["sudo", "--pin", 4821]}, ["sudo", "--pin", HIDDEN]),
    ({"env": [{"name": "DB_PASSWORD", "value": "kelp"}]}, [{"name": "DB_PASSWORD", "value": HIDDEN}]),
    ({"env": [{"name": "DB_PASSWORD", "value": 48213377}]}, [{"name": "DB_PASSWORD", "value": HIDDEN}]),
    (
        {"headers": [["Authorization", "Basic dXNlcjpw"], ["Accept", "*/*"]]},
        [["Authorization", HIDDEN], ["Accept", "*/*"]],
    ),
    ({"header": ["Authorization", "Basic dXNlcjpw"]}, ["Authorization", HIDDEN]),
    ({"auth": [["password", "kelp"], ["user", "una"]]}, [["password", HIDDEN], ["user", "una"]]),
    ({"passphrase": "kelp"}, HIDDEN),
    ({"private_key": "kelp"}, HIDDEN),
    ({"passcode": "kelp"}, HIDDEN),
    ({"password1": "kelp"}, HIDDEN),
    ({"passwordConfirmation": "kelp"}, HIDDEN),
    ({"Password (again)": "kelp"}, HIDDEN),
    ({"clientSecret": "kelp"}, HIDDEN),
    ({"refreshToken": "kelp"}, HIDDEN),
    ({"DB_PASS": "kelp"}, HIDDEN),
    ({"APIKey": "kelp"}, HIDDEN),
    ({"X-Api-Key": "kelp"}, HIDDEN),
    ({"wachtwoord": "kelp"}, HIDDEN),
    ({"密码": "kelp"}, HIDDEN),
    ({"password": 48213377}, HIDDEN),
    ({"PIN": "4821"}, HIDDEN),
    ({"pin": 4821}, HIDDEN),
    ({"password": {"value": "kelp", "n": 17}}, {"value": HIDDEN, "n": HIDDEN}),
    ({"credentials": ["una", {"deep": "kelp"}]}, [HIDDEN, {"deep": HIDDEN}]),
    (
        {"fill": {"name": "Password", "type": "textbox", "value": "kelp"}},
        {"name": "Password", "type": "textbox", "value": HIDDEN},
    ),
    ({"type": {"element": "Password field", "text": "kelp"}}, {"element": "Password field", "text": HIDDEN}),
    (
        {"fill": {"selector": "input[type=password]", "value": "kelp"}},
        {"selector": "input[type=password]", "value": HIDDEN},
    ),
]


@pytest.mark.parametrize(("told", "kept"), IN_PARTS)
def test_a_password_is_left_out_however_a_tool_is_given_it(told: dict[str, Any], kept: Any):
    assert list(cleaning.cleaned(told).values()) == [kept]


def test_the_arguments_of_a_command_are_judged_with_it():
    told = {"command": "mysql", "args": ["-u", "root", "-p", "Tr0ub4dor&3x"]}
    assert cleaning.cleaned(told)["args"] == ["-u", "root", "-p", HIDDEN]


@pytest.mark.parametrize(
    "told",
    [
        {"tokens": 512, "max_tokens": 4096, "token": 7, "total_token_count": 12000},
        {"tokens": ["the", "owl", "sleeps"]},
        {"password_field": False, "password": True, "has_password": "yes", "password_length": 12, "passwords": 3},
        {"pass": 12, "fail": 0, "compass": "north", "pin": 13, "pinned": "top"},
        {"pwd": "/srv/app", "cwd": "/srv/app"},
        {"properties": {"password": {"type": "string", "minLength": 8}}, "required": ["username", "password"]},
        {"required": ["password", "username"]},
        {"argv": ["gh", "secret", "list", "--json", "name"]},
        {"argv": ["cat", "--token-file", "/run/x", "--password-stdin"]},
        {"argv": ["pytest", "--secret", "-x"]},
        {"name": "password-policy", "content": "Passwords have twelve letters."},
        {"element": "Search field", "text": "password policy"},
        {"element": "Pin to top", "text": "left"},
        {"key": "Enter", "session_key": "agent:main:main", "keywords": ["keys"]},
        {"name": "retries", "value": 5000},
        {"lines": ["the password is asked for", "twice-a-day2 by the form"]},
    ],
)
def test_what_only_sounds_like_a_password_stays(told: dict[str, Any]):
    assert cleaning.cleaned(told) == told


READS = [
    ("exec", {"command": "cat .env"}),
    ("exec", {"command": "cat ~/.ssh/id_ed25519"}),
    ("Bash", {"command": "cd app && printenv | sort"}),
    ("Bash", {"command": "gpg -d notes.gpg"}),
    ("Bash", {"command": "env"}),
    ("Read", {"file_path": "/home/me/.aws/credentials"}),
    ("Read", {"file_path": "C:\\Users\\me\\.npmrc"}),
    ("Read", {"path": "/srv/app/.env.production"}),
    ("Grep", {"pattern": "x", "path": "/Users/me/Library/Keychains/login.keychain-db"}),
]
ORDINARY = [
    ("exec", {"command": "git config set user.name x"}),  # vector 8
    ("Read", {"file_path": "src/config"}),
    ("Read", {"file_path": "src/environment.ts"}),
    ("Edit", {"file_path": ".env.example", "new_string": "PORT=1"}),
    ("exec", {"command": "pass --help; setup.sh --set a=b; env FOO=1 make"}),
    ("exec", {"command": "python -m app.aws.client && ls ssh"}),
    ("Write", {"file_path": "a.md", "content": "copy .env from a colleague, then\nprintenv\n"}),
]


@pytest.mark.parametrize(("tool", "given"), READS)
def test_a_call_that_reads_secrets_is_not_captured(host: Host, store: Store, tool: str, given: Any):
    """C8."""
    host.prompt("Do it")
    assert host.call(tool, given, "x" * 100).skipped is Skip.REFUSED
    assert len(store.happenings()) == 1


@pytest.mark.parametrize(("tool", "given"), ORDINARY)
def test_a_call_that_only_looks_like_it_is(host: Host, tool: str, given: Any):
    """C8, vector 8, defect 19."""
    host.prompt("Do it")
    assert host.call(tool, given, "x" * 100).skipped in (None, Skip.READ)


def test_what_else_is_to_be_refused_can_be_said(store: Store):
    """C8: ``capture.refuse``."""
    host = Host(store, refuse=("payroll*", "*/ledgers/*"))
    host.prompt("Do it")
    assert host.call("Read", {"file_path": "/w/payroll-2026.csv"}, "x").skipped is Skip.REFUSED
    assert host.call("exec", {"command": "cat /w/ledgers/may.txt"}, "x").skipped is Skip.REFUSED


def test_a_call_about_an_excluded_folder_is_not_captured(store: Store):
    host = Host(store, exclude=("/home/me/diary", "~/taxes"))
    host.prompt("Do it")
    assert host.call("Write", {"file_path": "/home/me/diary/x.md"}, "ok").skipped is Skip.EXCLUDED
    assert (
        host.call("Write", {"file_path": "../diary/x.md"}, "ok", payload={"cwd": "/home/me/w"}).skipped is Skip.EXCLUDED
    )
    assert host.call("exec", {"command": "cat ~/taxes/a"}, "x" * 50).skipped is Skip.EXCLUDED
    assert host.call("Write", {"file_path": "/home/me/diary2/x.md"}, "ok", call="c2").queued


IN_THE_DIARY = [
    ("Bash", {"command": "cat ~/diary/today.md"}),
    ("Bash", {"command": "cat $HOME/diary/today.md"}),
    ("Bash", {"command": 'cat "${HOME}/diary/today.md"'}),
    ("Bash", {"command": "git -C ~/diary commit -am x"}),
    ("Bash", {"command": "cd ~/diary && git commit -am 'a bad day'"}),
    ("Bash", {"command": "cd -- ~ && git -C diary commit"}),
    ("Bash", {"command": "cd; cat diary/today.md"}),
    ("Bash", {"command": "bash -c 'cd ~ && cat diary/today.md'"}),
    ("Bash", {"command": 'cat "$HOME/my letters/to ann.md"'}),
    ("Bash", {"command": "cat ~/my\\ letters/to\\ ann.md"}),
    ("Bash", {"command": "cat work/link/today.md"}),
    ("Bash", {"command": "grep -r --file=~/diary/words x"}),
    ("Bash", {"command": "cat ~/work/link/today.md"}),
    ("exec", {"args": ["bash", "-c", "cat ~/diary/today.md"]}),
    ("Read", {"file_path": "~/diary/today.md"}),
    ("Read", {"file_path": "$HOME/diary/today.md"}),
    ("Read", {"file_path": "work/link/new.md"}),
    ("fetch", {"uri": "file://~/diary/today.md"}),
]


@pytest.mark.parametrize(("tool", "given"), IN_THE_DIARY)
def test_an_excluded_folder_is_known_however_a_call_spells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str, given: Any
):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "diary").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work/link").symlink_to(tmp_path / "diary")
    assert policy.lies_within(Request(tool, given, str(tmp_path)), ["~/diary", "~/my letters"])
    assert policy.lies_within(Request(tool, given, str(tmp_path)), ["${HOME}/work/link", "$HOME/my letters"])
    assert not policy.lies_within(Request(tool, given, str(tmp_path)), ["~/diar", "~/letter", "/diary"])


def test_work_in_a_folder_that_a_link_leads_to_is_excluded(tmp_path: Path):
    (tmp_path / "diary").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "diary")
    assert policy.is_within(str(tmp_path / "link"), [str(tmp_path / "diary")])
    assert policy.lies_within(Request("Bash", {"command": "make"}, str(tmp_path / "link")), [str(tmp_path / "diary")])
    assert not policy.is_within(str(tmp_path), [str(tmp_path / "diary")])


@pytest.mark.parametrize(
    "given", ["cd", "cat \0", "'", '"\\', "\\" * 5000, "\"'" * 5000, "cd " * 5000, "~" * 300, "a/" * 9000]
)
def test_a_command_that_no_shell_would_read_names_nothing(given: str):
    assert not policy.lies_within(Request("Bash", {"command": given, "path": given}, "/w"), ["/srv/diary"])


def test_an_excluded_folder_is_one_however_its_name_is_composed(store: Store):
    host = Host(store, exclude=("/home/me/Persönlich",), refuse=("*Gehälter*",))
    host.prompt("Do it")
    for path in ("/home/me/Perso\u0308nlich/x.md", "/w/Geha\u0308lter.csv"):
        assert host.call("Read", {"file_path": path}, "ok").skipped in (Skip.EXCLUDED, Skip.REFUSED)


def test_a_host_without_names_for_its_runs_has_them_named_after_their_prompts(host: Host, store: Store):
    """D7: a tool call belongs to the session's last prompt, also after a restart."""
    host.prompt("first", run="", at="2026-03-03T09:00:00+00:00")
    host.prompt("second", run="", at="2026-03-03T09:01:00+00:00")
    host.restart()
    host.call("exec", {"command": "make test"}, "ok", run="", call="t1")
    host.tell("answer", {"text": "Done."}, run="", at="2026-03-03T09:02:00+00:00")
    runs = [one.run for one in store.happenings(SESSION)]
    assert runs[0].startswith("~")
    assert runs[0] != runs[1] == runs[2] == runs[3]


def test_what_belongs_to_no_prompt_that_is_known_is_not_kept(host: Host):
    """D7: without a prompt nothing says whether a person began it."""
    host.prompt("What is next?")
    assert host.call("exec", {"command": "make test"}, "ok", run="other").skipped is Skip.NO_PROMPT


@pytest.mark.parametrize("text", ["NO_REPLY", "HEARTBEAT_OK", "", "<private>x</private>"])
def test_an_answer_that_says_nothing_is_none(host: Host, text: str):
    host.prompt("What is next?")
    assert host.tell("answer", {"text": text}).skipped is Skip.EMPTY
    assert host.tell("answer", {"text": text, "ok": False, "error": "aborted"}).queued, "that it failed is something"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({}, "kind must be one of prompt, answer, tool_call, .*, not None"),
        ({"kind": "nonsense", "session": "s"}, "kind must be one of .*, not 'nonsense'"),
        ({"kind": "prompt"}, "session is missing"),
        (
            {"kind": "prompt", "session": "s", "at": "yesterday"},
            "at must be an ISO 8601 time with its zone, .*, not 'yesterday'",
        ),
        ({"kind": "prompt", "session": "s", "at": 1e300}, "at must be an ISO 8601 time"),
        ({"kind": "prompt", "session": "s", "at": "2026-03-03T09:00:00"}, "at has no time zone"),
        ({"kind": "prompt", "session": "s", "at": "9999-12-31T23:59:59-10:00"}, "at must be"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(told: dict[str, Any], said: str):
    with pytest.raises(ValueError, match=f"^{said}"):
        report_of(told, host="openclaw", now=AT)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=40)
@given(JSON)
def test_whatever_a_tool_is_given_or_says_is_kept_as_json_that_can_be_written(value: Any):
    said = cleaning.cleaned(value)
    json.dumps(said, ensure_ascii=False).encode()
    cleaning.text_of_result(value).encode(errors="surrogatepass")
    policy.reads_secrets(Request("any", value))


@pytest.mark.timeout(60)  # what is quadratic takes minutes
def test_a_command_of_blank_lines_is_read_at_once():
    assert not policy.reads_secrets(Request("Bash", {"command": "cat <<EOF" + "\n" * 19_000 + "EOF"}))
    assert policy.reads_secrets(Request("Bash", {"command": "true\n\n\n  printenv"}))


def test_a_report_has_one_name_however_it_comes():
    report = Report(HappeningKind.PROMPT, AT, "openclaw", "s", "r", audience=Audience.OWNER)
    assert report.id == report._replace(at=AT + timedelta(1), payload={"text": "x"}, host="other").id
    assert report.id != report._replace(kind=HappeningKind.ANSWER).id
    assert report._replace(run="").id != report._replace(run="", at=AT + timedelta(1)).id


SAYINGS = """The token is expired, log in again.
The password is required and must be long.
pass the salt, then set the table
Das Passwort ist falsch.
token = tokenizer.encode(text)
self.secret = settings.read("x")
The secret is patience.
git config set user.name x
The session key agent:main:main is a name like any other
see docs.python.org/3/library/secrets for more
A bearer of bad news arrived at the harbour
the api key is kept in 1Password
the token limit of gpt-4-turbo is 128000
the password reset of DOCK-561 went out at 2026-03-02T10:00:00Z
the key for the cabin hangs behind boiler 2
the token bucket lies in limiter/tokenBucket2.py
basic arithmetic is enough here
""".splitlines()


@pytest.mark.parametrize("text", SAYINGS)
def test_ordinary_words_are_no_secrets(text: str):
    """C8, defect 19."""
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "export AWS_SECRET_ACCESS_KEY=[redacted]"),
        ("the password is hunter2-Q9.", "the password is [redacted]."),
        ("user mqtt password mq-FAKE-7Hq2zz, topic a/b", "user mqtt password [redacted], topic a/b"),
        (
            "a token to make the bucket: hcl_FAKE_9a8b7c6d  delete it",
            "a token to make the bucket: [redacted]  delete it",
        ),
        ("das wlan hier: camping-FAKE-4711 falls nötig", "das wlan hier: [redacted] falls nötig"),
        ("login is tb and password Regenwurm!fake99", "login is tb and password [redacted]"),
        ("curl -u admin:S3cretPw99 https://x.org", "curl -u admin:[redacted] https://x.org"),
        ("Set-Cookie: session=eyJ1c2VyX2lkIjo0Mn0; Path=/", "Set-Cookie: session=[redacted]"),
        ("110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "110201543:[redacted]"),
        (
            "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX",
            "https://hooks.slack.com/services/[redacted]",
        ),
    ],
)
def test_secrets_of_many_makers_are_redacted(text: str, kept: str):
    """C8."""
    assert redact(text) == kept


def test_less_than_one_line_in_a_hundred_of_ordinary_text_is_taken_for_a_secret():
    """C8, defect 19: measured on our own pages and code."""
    folder = Path(hookclaw_py.__file__).parent
    files = [*folder.rglob("*.md"), *folder.rglob("*.py"), *folder.rglob("*.js")]
    every = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    lines = every[::7]
    assert sum(redact(line) != line for line in lines) < len(lines) / 100
