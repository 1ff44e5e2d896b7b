"""Whatever happens in a session: distilling never fails, gives the same bytes, and says no word of its own."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from hookclaw_py.distil import distil
from hookclaw_py.model.happening import Happening, HappeningKind

FRAMES = """
asked read changed to after added removed ran passed failed exit fixed passes edited wrote line lines looked up u a no messages
request investigated learned completed next steps step invoke in
""".split()  # noqa: SIM905
WORD = re.compile(r"[^\W_]+")
START = datetime(2026, 3, 2, 9, tzinfo=UTC)

SAID = st.sampled_from(
    [
        "we decided to keep 45 days because legal said so",
        "Always run make check. never touch raw/, thats the archive",
        "no, the port is 9443 now",
        "Redis is a database and Kafka is not a cache.",
        "it works again now, thanks",
        "plan: broker first week, then backups",
        "am 24. märz um 9:30 ist der termin bei dr. sailer",
        "TypeError: x is not a function\n  at y (z.js:3)\nwhat is that",
        "rent is 940, oke's laptop is a thinkpad",
        "从现在起用中文回答。",
        "1. one\n2. two\n```\ncode is code\n```",
        "",
    ]
)
WORDS = st.one_of(SAID, st.text(max_size=80))
VALUES = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), WORDS, st.lists(WORDS, max_size=2))
NAMES = st.sampled_from(
    ["path", "file_path", "command", "url", "query", "old", "new", "old_string", "content", "edits", "x"]
)
TOOLS = st.sampled_from(
    ["exec", "edit", "Write", "read", "web_fetch", "web_search", "message", "memory_search", "", "Bash"]
)


@st.composite
def payloads(draw: st.DrawFn, kind: HappeningKind) -> dict[str, Any]:
    if kind in (HappeningKind.PROMPT, HappeningKind.ANSWER):
        return draw(
            st.one_of(st.fixed_dictionaries({"text": WORDS}), st.just({}), st.fixed_dictionaries({"text": VALUES}))
        )
    if kind is not HappeningKind.TOOL_CALL:
        return {}
    given = {"tool": TOOLS, "input": st.one_of(st.dictionaries(NAMES, VALUES, max_size=4), VALUES)}
    rest = {"output": VALUES, "error": VALUES, "ok": VALUES, "ms": VALUES}
    return draw(st.fixed_dictionaries(given, optional=rest))


@st.composite
def listed(draw: st.DrawFn) -> list[Happening]:
    found = []
    for number in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(HappeningKind))
        found.append(
            Happening(
                id=draw(st.sampled_from([f"h{number}", "h0"])),
                at=START + timedelta(minutes=draw(st.integers(0, 20))),
                host="openclaw",
                session=draw(st.sampled_from(["s", "t"])),
                run=draw(st.sampled_from(["", "r1", "r2"])),
                kind=kind,
                payload=draw(payloads(kind)),
            )
        )
    return found


@settings(max_examples=200)
@given(listed())
def test_the_same_events_give_the_same_bytes_and_nothing_fails(happenings: list[Happening]):
    first = json.dumps(distil(happenings), default=repr)
    assert json.dumps(distil([*happenings, *happenings]), default=repr) == first


@settings(max_examples=200)
@given(listed())
@example([Happening("1", START, "openclaw", "s", "r", HappeningKind.PROMPT, {"text": "rent is 940"})])
def test_every_word_of_a_draft_is_of_the_events(happenings: list[Happening]):
    told = json.dumps([one.payload for one in happenings], ensure_ascii=False, default=str).casefold()
    for draft in distil(happenings):
        words = WORD.findall(f"{draft.title} {draft.body}".casefold())
        assert [word for word in words if word not in told and word not in FRAMES and not word.isdigit()] == []


@settings(max_examples=100)
@given(listed())
def test_a_draft_names_the_events_that_it_was_made_of_and_its_fields_are_json(happenings: list[Happening]):
    ids = {one.id for one in happenings}
    for draft in distil(happenings):
        assert draft.evidence
        assert {*draft.evidence} <= ids
        assert (draft.title + draft.body).strip()
        assert draft.key
        assert 0 <= draft.confidence <= 1
        assert json.loads(json.dumps(draft.fields)) == draft.fields
