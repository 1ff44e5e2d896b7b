"""Reading a host's messages: what was said, what the answer was, and which memories are in the conversation already."""

from __future__ import annotations

import pytest

from hookclaw_py.doors.requests import Who
from hookclaw_py.doors.sessions import Sessions
from hookclaw_py.hosts.openclaw.envelope import ENVELOPE
from hookclaw_py.ingest import messages as conversation
from hookclaw_py.stages import render
from tests.conftest import candidate

LOGGING = "We decided to use structured logging & one JSON object\n> a line, written with <serilog>"
PLAIN = "# Ports\nThe invoice service listens on port 7443"


def user(content: object) -> dict[str, object]:
    return {"role": "user", "content": content}


def assistant(content: object) -> dict[str, object]:
    return {"role": "assistant", "content": content}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "toolCall", "name": "x"}, {"type": "text", "text": "b"}], "a\nb"),
        (["a", {"text": 7}, None], "a"),
        (None, ""),
        (7, ""),
    ],
)
def test_the_text_of_a_message_is_found_in_every_shape_a_host_uses(content, text):
    assert conversation.text_of({"content": content}) == text


def test_recent_messages_are_the_last_ones_without_envelopes_tools_and_our_own_block():
    block = render.render([candidate(LOGGING, relevance=0.9)], template="xml", max_chars=2000).text
    messages = [
        user("too old to matter"),
        user(f"[Sat 2026-11-21 20:56 UTC] {block}\n\nwhat about the format?"),
        {"role": "toolResult", "content": "noise"},
        assistant([{"type": "text", "text": "JSON. " + "x" * 100}]),
        user(""),
    ]
    found = conversation.recent(messages, unwrap=ENVELOPE.unwrap, count=2, max_chars=20)
    assert [(m.role, m.text) for m in found] == [("user", "what about the forma"), ("assistant", "JSON. " + "x" * 14)]


def test_the_answer_is_what_the_assistant_said_after_the_last_user_message():
    turn = [
        assistant("old"),
        user("q"),
        assistant("let me look"),
        {"role": "toolResult", "content": "x"},
        assistant("it is 5432"),
    ]
    assert conversation.answer_of(turn) == "let me look\n\nit is 5432"
    assert conversation.answer_of([assistant("only this")]) == "only this"
    assert conversation.answer_of([]) == ""


A = Who(agent_id="main", session_key="agent:main:u1", session_id="s1")


def sessions_with(*shown: str) -> Sessions:
    sessions = Sessions()
    sessions.note(A, frozenset(shown), keeps=True)
    return sessions


@pytest.mark.parametrize(
    ("who", "resets"),
    [
        (A, True),
        (Who(agent_id="main", session_key=A.session_key), True),
        (Who(agent_id="main", session_id="s1"), True),  # an old host that tells the id only
        (Who(agent_id="main"), True),  # and one that tells nothing: better twice than never
        (Who(agent_id="main", session_key="agent:main:u2"), False),
        (Who(agent_id="main", session_id="s2"), False),
        (Who(agent_id="other", session_key=A.session_key, session_id="s1"), False),
    ],
)
def test_an_event_resets_the_conversation_it_is_about_and_no_other(who, resets):
    for forget in (True, False):
        sessions = sessions_with("c1")
        sessions.reset(who, forget=forget)
        assert sessions.shown(A) == (frozenset() if resets else {"c1"})


def test_the_same_key_with_a_new_session_id_is_a_new_conversation():
    sessions = sessions_with("c1")
    assert sessions.shown(Who(agent_id="main", session_key=A.session_key, session_id="s2")) == frozenset()


def test_a_turn_is_settled_once_and_only_if_it_was_given_memories():
    sessions = Sessions()
    assert sessions.settle(A)  # unknown after a restart
    sessions.note(A, frozenset({"c1"}), keeps=False)
    assert sessions.settle(A)
    assert not sessions.settle(A)
    sessions.note(A, frozenset({"c1"}), keeps=False)
    sessions.note(A, frozenset(), keeps=False)
    assert not sessions.settle(A)
    assert sessions.shown(A) == frozenset()


@pytest.mark.parametrize(
    "call",
    [
        {"content": [{"type": "toolCall", "name": "exec", "arguments": {"command": "./ship --env stg-2", "n": 3}}]},
        {"content": [{"type": "tool_use", "name": "Bash", "input": {"command": "./ship --env stg-2", "n": 3}}]},
        {"content": None, "tool_calls": [{"function": {"arguments": "./ship --env stg-2\n3"}}]},
    ],
)
def test_what_the_assistant_asked_of_its_tools_belongs_to_the_answer(call):
    turn = [
        user("ship it"),
        {"role": "assistant", **call},
        user([{"type": "tool_result", "content": "a page of output"}]),
        {"role": "toolResult", "content": "more output"},
        assistant("Done."),
    ]
    assert conversation.answer_of(turn) == "./ship --env stg-2\n3\n\nDone."


@pytest.mark.parametrize("arguments", [None, 7, True, [[[[[[[[[["too deep"]]]]]]]]]], {"a": None}])
def test_strange_tool_arguments_are_no_trouble(arguments):
    call = {"type": "toolCall", "arguments": arguments}
    said = conversation.answer_of([user("q"), assistant([call, None, {"type": "text", "text": "ok"}])])
    assert said in ("ok", "ok\n7")
