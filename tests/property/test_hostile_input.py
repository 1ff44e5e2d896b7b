"""What comes from outside is read, or refused in words, whatever it is: wire, configuration, front matter, prompts, reports.

``HOSTILE_EXAMPLES=100000 pytest tests/property/test_hostile_input.py`` looks for hours; what it finds is kept in
``.hypothesis`` and tried first the next time.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hookclaw_py.capture import cleaning
from hookclaw_py.capture.reports import Report, read
from hookclaw_py.config import Config
from hookclaw_py.doors import protocol, requests
from hookclaw_py.errors import ConfigError
from hookclaw_py.hosts.claude_code import telling
from hookclaw_py.hosts.openclaw import envelope
from hookclaw_py.ingest.frontmatter import read_front_matter
from hookclaw_py.privacy.marked import without_marked
from hookclaw_py.privacy.own_blocks import strip_own_blocks
from hookclaw_py.privacy.redaction import redact

EXAMPLES = settings(max_examples=int(os.environ.get("HOSTILE_EXAMPLES", "150")))
NOW = datetime(2026, 3, 2, tzinfo=UTC)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["\ud800", "1e999", "-"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
METHODS = st.sampled_from(sorted(requests.METHODS)) | st.text(max_size=12)
NAMES = st.sampled_from(
    ["prompt", "agentId", "messages", "reports", "at", "session", "kind", "payload", "id", "run", "timeoutMs"]
)
CALLS = st.fixed_dictionaries(
    {
        "id": JSON,
        "method": METHODS | JSON,
        "params": st.dictionaries(NAMES | st.text(max_size=8), JSON, max_size=5) | JSON,
    }
)
PIECES = st.sampled_from(
    [
        *("---\n", "+++\n", ";;;\n", "private: ", "tags: [", "aliases:\n  - ", "created: 2026-02-31", "&a *a", "!!python/object:os.system "),
        *("<private>", "</private>", "<system-reminder>", "```", "`", "[media attached: ", "System: ", "[Mon 2026-03-02 09:00 UTC] "),
        *("<relevant_memories>", "</relevant_memories>", "Conversation info (untrusted metadata):\n```json\n", "{\"a\":", "\u2028", "\x00", "\u202e", "\ufeff"),
        *("AKIA", "-----BEGIN PRIVATE KEY-----\n", "password is ", "sk-" + "a" * 30, "eyJ" + "a" * 40 + ".", "\n", "  ", "=" * 5, "A" * 300),
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=20), max_size=14).map("".join)


@EXAMPLES
@given(
    line=st.binary(max_size=120)
    | JSON.map(lambda value: json.dumps(value).encode())
    | CALLS.map(lambda value: json.dumps(value).encode())
)
@example(line=b'{"id": 99999999999999999999, "method": "\\ud800"}')
def test_every_line_is_a_request_or_is_refused_in_one_line(line: bytes):
    try:
        request = protocol.parse_request(protocol.parse_line(line))
    except protocol.WireError as error:
        refused = protocol.error_line(error)
    else:
        refused = b""
        assert request is not None
    if refused:
        assert orjson.loads(refused)["error"]["message"]
        assert refused.count(b"\n") == 1


@EXAMPLES
@given(
    told=st.dictionaries(
        NAMES, JSON | st.sampled_from(["prompt", "answer", "tool_call", "agent:main:main"]), max_size=6
    )
)
def test_every_report_is_read_or_refused(told):
    found = read(told, host="openclaw", now=NOW)
    assert isinstance(found, Report) or found


@EXAMPLES
@given(event=st.dictionaries(st.sampled_from(["hook_event_name", "session_id", "prompt", "tool_name", "tool_input", "tool_response", "tool_use_id", "transcript_path", "reason", "source"]), JSON | st.sampled_from(["PostToolUse", "Stop", "SessionEnd", "UserPromptSubmit"]), max_size=8))  # fmt: skip
def test_every_event_of_claude_code_is_told_or_left(event):
    told = telling.report_of(event, "/project", "")
    assert told is None or json.dumps(told)


@EXAMPLES
@given(text=TEXTS)
def test_every_text_is_unwrapped_and_twice_is_once(text: str):
    bare = envelope.unwrap(text)
    assert envelope.unwrap(bare) == bare
    envelope.automatic_kind(text, "user")


@EXAMPLES
@given(text=TEXTS)
def test_every_front_matter_is_read_or_told_of(text: str):
    for start in ("", "---\n", "+++\n"):
        found = read_front_matter(start + text)
        assert found is not None


@EXAMPLES
@given(text=TEXTS)
def test_what_is_private_stays_away_however_often_it_is_cleaned(text: str):
    marked = f"{text}<private>quillwort</private>"
    assert "quillwort" not in without_marked(marked).text or "`" in text
    once = cleaning.clean_text(text)
    assert redact(redact(text)) == redact(text)
    assert len(once) <= cleaning.MOST_CHARS + 100
    strip_own_blocks(text)


@EXAMPLES
@given(values=st.dictionaries(st.sampled_from(sorted(Config.model_fields)) | st.text(max_size=10), JSON, max_size=4))
def test_every_configuration_is_taken_or_every_problem_told(values):
    told = "taken"
    try:
        Config(**values)
    except ConfigError as error:
        told = str(error)
    assert told


@pytest.mark.parametrize("nested", [b"[" * 100_000, b'{"a":' * 100_000, b'"' + b"\\" * 99_999])
def test_what_is_nested_without_end_is_refused(nested: bytes):
    with pytest.raises(protocol.WireError):
        protocol.parse_line(nested)
