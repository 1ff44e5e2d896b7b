"""What may cross the wire: every line is either a request we understand or an error that says what is wrong with it."""

from __future__ import annotations

from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py.doors import answers, protocol, requests
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.ndjson import Lines
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Effect, Entity, Fault, Injection, Outcome, Period, Query
from tests.conftest import candidate


def parse(value: object) -> requests.Request:
    return protocol.parse_request(protocol.parse_line(orjson.dumps(value)))


def refused(value: object) -> WireError:
    with pytest.raises(WireError) as caught:
        protocol.parse_request(protocol.parse_line(value if isinstance(value, bytes) else orjson.dumps(value)))
    return caught.value


def ask(**params: object) -> dict[str, object]:
    return {"id": "1", "method": "before_agent_start", "params": {"agentId": "main", "prompt": "hello", **params}}


def test_a_full_request_arrives_as_it_was_sent():
    messages = [{"role": "user", "content": "x", "foreign": 1}]
    who = {"sessionKey": "k", "sessionId": "s", "workspaceDir": "/w"}
    request = parse(ask(**who, messages=messages, trigger="user", timeoutMs=1450, keepsInjections=True))
    assert isinstance(request, requests.BeforeAgentStart)
    assert (request.agent_id, request.session_key, request.session_id, request.prompt) == ("main", "k", "s", "hello")
    assert (request.workspace_dir, request.trigger, request.timeout_ms) == ("/w", "user", 1450)
    assert request.keeps_injections is True
    assert request.messages[0]["content"] == "x"


def test_an_optional_field_may_be_null_or_absent():
    assert parse(ask(messages=None, timeoutMs=None)) == parse(ask())


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"promt": "x"}, "unknown field 'promt'; did you mean prompt?"),
        ({"prompt": 7}, "prompt must be a string, not a number"),
        ({"timeoutMs": "1"}, "timeoutMs must be a number, 0 or more, not a string"),
        ({"timeoutMs": -1}, "timeoutMs must be a number, 0 or more"),
        ({"timeoutMs": True}, "timeoutMs must be a number, 0 or more, not a boolean"),
        ({"messages": [{}, 1]}, "messages must be an array of messages; messages[1] is a number"),
        ({"agent_id": "main"}, "unknown field 'agent_id'; did you mean agentId?"),
        ({"dir": "/w"}, "unknown field 'dir'; did you mean claudeDir or projectDir or workspaceDir?"),
        ({"to": "you"}, "unknown field 'to'; known are agentId, audience, claudeDir"),
        ({"messages": {}}, "messages must be an array of messages, not an object"),
        ({"keepsInjections": 1}, "keepsInjections must be a boolean"),
        ({"prompt": None}, "prompt is missing"),
    ],
)
def test_a_wrong_field_is_an_error_that_names_it(params, says):
    error = refused(ask(**params))
    assert error.code is Code.INVALID_PARAMS
    assert error.reply_to == "1"
    assert says in str(error)


def test_of_a_misspelt_field_that_has_to_be_given_the_spelling_is_told():
    told = str(refused({"id": "1", "method": "before_agent_start", "params": {"agentId": "main", "promt": "x"}}))
    assert told == "before_agent_start: unknown field 'promt'; did you mean prompt?"


def test_of_a_tools_fields_those_are_told_that_its_schema_shows():
    asked = {"agentId": "main", "audience": "owner", "arguments": {"id": "1c2d"}}
    told = str(refused({"id": "1", "method": "memory_get", "params": asked}))
    assert told == "memory_get: unknown field 'id'; did you mean memory_ids?"
    told = str(refused({"id": "1", "method": "memory_get", "params": {**asked, "arguments": {"note": "x"}}}))
    assert told == "memory_get: unknown field 'note'; known are graph_depth, memory_ids, path"


SCHEMA = requests.schema()
VALUES = st.one_of(
    st.text(max_size=5), st.integers(-1, 10**9), st.sampled_from([0.5, -0.5, 2e9 + 0.5]), st.booleans(),
    st.lists(st.one_of(st.booleans(), st.dictionaries(st.text(max_size=3), st.booleans(), max_size=2)), max_size=2),
    st.dictionaries(st.text(max_size=3), st.booleans(), max_size=2),
)  # fmt: skip


@given(st.sampled_from(sorted(requests.METHODS)), st.data())
def test_what_the_schema_allows_is_what_is_served(method, data):
    validator = pytest.importorskip("jsonschema").Draft202012Validator(SCHEMA)
    names = [*SCHEMA["$defs"][method].get("properties", {}), "agentid"]
    params = data.draw(st.dictionaries(st.sampled_from(names), VALUES, max_size=4))
    required = [name for name in SCHEMA["$defs"][method].get("required", ()) if name not in params]
    params |= {
        name: {"messages": [], "config": {}, "id": 1}.get(name, "x")
        for name in required[: data.draw(st.integers(0, 4))]
    }
    if isinstance(params.get("agentId"), str):
        params["agentId"] = "main"
    line = {"id": 1, "method": method, "params": params}
    try:
        parse(line)
    except WireError:
        assert not validator.is_valid(line)
    else:
        assert validator.is_valid(line)


@pytest.mark.parametrize("agent", [None, "", ".hidden", "../main", "a/b", "a" * 65, "main\n", "-x"])
def test_no_agent_id_no_memory(agent):
    """DESIGN 2.8: isolation fails closed."""
    assert refused(ask(agentId=agent)).code is Code.INVALID_PARAMS


@pytest.mark.parametrize(
    ("line", "code", "reply_to"),
    [
        (b"{", Code.PARSE_ERROR, None),
        (b"[]", Code.PARSE_ERROR, None),
        (b'"x"', Code.PARSE_ERROR, None),
        (b"NaN", Code.PARSE_ERROR, None),
        (b'{"id":1,"method":"health","params":{"a":NaN}}', Code.PARSE_ERROR, None),
        (b'{"id":"1","method":"health\xff"}', Code.PARSE_ERROR, None),
        (b"[" * 100_000, Code.PARSE_ERROR, None),
        (b'{"id":"' + b"1" * protocol.MAX_LINE + b'"}', Code.PARSE_ERROR, None),
        (b'{"id":1}', Code.INVALID_PARAMS, 1),
        (b'{"id":1.5,"method":"health"}', Code.INVALID_PARAMS, None),
        (b'{"id":true,"method":"health"}', Code.INVALID_PARAMS, None),
        (b'{"id":{},"method":"health"}', Code.INVALID_PARAMS, None),
        (b'{"id":1,"method":7}', Code.INVALID_PARAMS, 1),
        (b'{"id":1,"method":"health","params":[]}', Code.INVALID_PARAMS, 1),
        (b'{"id":1,"method":"health","param":{}}', Code.INVALID_PARAMS, 1),
        (b'{"id":1,"method":"helth"}', Code.METHOD_NOT_FOUND, 1),
    ],
)
def test_a_line_that_cannot_be_served_gets_its_code_and_its_id_where_it_has_one(line, code, reply_to):
    error = refused(line)
    assert (error.code, error.reply_to) == (code, reply_to)


def test_half_a_surrogate_pair_from_javascript_becomes_a_replacement_character():
    request = parse_bytes(b'{"id":1,"method":"explain","params":{"agentId":"main","prompt":"cut \\ud83d here"}}')
    assert request.prompt == "cut \ufffd here"
    assert orjson.loads(protocol.encode({"a": ["\ud83d", 1]})) == {"a": ["\ufffd", 1]}


def parse_bytes(line: bytes) -> requests.Request:
    return protocol.parse_request(protocol.parse_line(line))


@given(st.binary(max_size=300))
def test_no_line_breaks_the_parser(line):
    try:
        request = protocol.parse_request(protocol.parse_line(line))
    except WireError as error:
        reply = orjson.loads(protocol.error_line(error))
    else:
        assert type(request) in requests.METHODS.values()
        return
    assert reply.keys() == {"id", "error"}


def cut(stream: bytes, sizes: list[int], limit: int) -> list[bytes | str]:
    lines, found, at = Lines(limit), [], 0
    for size in [*sizes, len(stream)]:
        found += list(lines.feed(stream[at : at + size]))
        at += size
    found += list(lines.end())
    return [line if isinstance(line, bytes) else line.code.value for line in found]


@given(st.lists(st.binary(max_size=30), max_size=8), st.lists(st.integers(0, 40), max_size=12))
def test_lines_are_the_same_however_the_stream_is_cut(parts, sizes):
    stream, limit = b"\n".join(parts), 16
    whole = stream.split(b"\n")
    expected = [line if len(line) < limit else Code.PARSE_ERROR.value for line in whole]
    if expected[-1] == b"":
        expected.pop()  # what follows the last newline is no line when it is empty
    assert cut(stream, sizes, limit) == expected


def test_a_line_without_an_end_takes_no_memory():
    lines = Lines(1000)
    for _ in range(1000):
        assert list(lines.feed(b"x" * 999)) == []
        assert len(lines._rest) < 1000


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_the_limit_counts_the_newline(extra):
    line = b"x" * (16 - 1 + extra)
    assert (cut(line + b"\nnext\n", [], 16)[0] == line) is (extra <= 0)


def test_a_decision_has_a_block_only_when_memories_were_injected():
    silent = answers.decision(
        Injection("a1", Outcome.SILENT, Why(Reason.NOTHING_FOUND), faults=(Fault("vector", "late"),)), 12.34
    )
    assert silent == {
        "outcome": "silent", "reason": "nothing found", "injectionId": "a1", "ms": 12.3,
        "faults": [{"stage": "vector", "error": "late"}],
    }  # fmt: skip
    given_ = answers.decision(Injection("a1", Outcome.INJECTED, Why(Reason.RELEVANT), text="<block>"), 1)
    assert given_["prependContext"] == "<block>"


def test_an_explanation_is_json_with_every_candidate_and_its_history():
    now = datetime(2026, 2, 20, tzinfo=UTC)
    query = Query("q", now, ("q",), ("q",), (Entity("path", "a/b"),), Period(now, now, "today"))
    chosen = candidate("a note").rescored("supersession", 0.9, "newer than b.md", Effect.TOOK_PLACE, "b" * 16)
    told = orjson.loads(
        protocol.encode(
            answers.explanation(Injection("a1", Outcome.INJECTED, Why(Reason.RELEVANT), "text", (chosen,), (), query))
        )
    )
    (step,) = told["candidates"][0]["history"]
    assert step == {
        "stage": "supersession", "value": 0.9, "note": "newer than b.md", "effect": "took place", "other": "b" * 16, "rank": 0
    }  # fmt: skip
    assert told["query"]["entities"] == [{"kind": "path", "text": "a/b"}]
    assert told["query"]["period"]["phrase"] == "today"
    assert (
        orjson.loads(protocol.encode(answers.explanation(Injection("", Outcome.FAILED, Why(Reason.OTHER)))))["query"]
        is None
    )
