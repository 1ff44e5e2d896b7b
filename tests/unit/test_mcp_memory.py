"""What the MCP tools cost: they read what was asked for, and not the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hookclaw_py.config import Config
from hookclaw_py.doors.residents import Resident, Staff
from hookclaw_py.doors.tools.asked import MemoryBrief, MemoryGet
from hookclaw_py.engine import Engine
from hookclaw_py.model.kind import DECISION
from hookclaw_py.store import pause as pausing
from tests.calls import calls
from tests.conftest import write_notes
from tests.e2e.test_growing_memory import MONDAY, Host
from tests.e2e.test_stale_facts import NOTES

pytest.importorskip("mcp", reason="needs the extra mcp")

from hookclaw_py.doors.mcp_server import MemoryTools, answered, defined

KEYWORDS = Config(enable_vector=False)


@contextmanager
def tools(config: Config = KEYWORDS) -> Iterator[MemoryTools]:
    """Yield the tools of a server for the agent whose notes were indexed."""
    staff = Staff(watching=False)
    resident = Resident("main", lambda: Engine.open(config), staff=staff, emit=lambda *_: None)
    try:
        yield MemoryTools(resident, "")
    finally:
        staff.close()
        resident.close(5)


def test_a_file_is_read_without_the_rest_of_the_store(tmp_path: Path):
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(40):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nThe ferry number {number} leaves at nine.\n")
    with Engine.open(KEYWORDS) as engine:
        engine.index(notes)
    with tools() as memory:
        memory.search("ferry", 1)
        with calls() as counted:
            (note,) = memory.answer(MemoryGet(path="7.md"))["memories"]
    assert "ferry number 7 leaves" in note["text"]
    assert counted["chunk_of"] == 1


def test_while_the_memory_is_paused_an_agent_writes_nothing_into_the_notes(tmp_path: Path):
    notes = write_notes(tmp_path / "notes", {"kiln.md": "The kiln is in the shed.\n"})
    with Engine.open(KEYWORDS) as engine:
        engine.index(notes)
        pausing.pause(engine.store, now=datetime.now(UTC), until=None)
    with tools() as memory:
        said = [answered(memory, "memory_remember", {"text": "The kiln needs a fuse."}, defined("usual"))]
        with Engine.open(KEYWORDS) as engine:
            (kiln,) = engine.store.all_chunks()
        judged = answered(memory, "memory_feedback", {"id": kiln.id, "useful": False}, defined("usual"))
        assert (judged.is_error, "paused" in judged.content[0].text) == (True, True), "nor is its word on a note kept"
        assert [path.name for path in notes.iterdir()] == ["kiln.md"]
        with Engine.open(KEYWORDS) as engine:
            pausing.resume(engine.store, now=datetime.now(UTC))
        said.append(answered(memory, "memory_remember", {"text": "The kiln needs a fuse."}, defined("usual")))
    assert said[0].is_error
    assert said[0].content[0].text.startswith("UNAVAILABLE: the memory is paused")
    assert said[1].structured_content == {"written": "Remembered.md"}


def test_an_agent_may_ask_for_some_kinds_alone_and_is_told_which_there_are(tmp_path: Path):
    """M38."""
    with Engine.open(KEYWORDS) as engine:
        Host(engine).turn("s", "We decided to hire Ronja Brandt as our gardener.", "Noted.", at=MONDAY)
    with tools() as memory:
        asked = {"query": "which gardener did we hire?"}
        decided = answered(
            memory, "memory_search", {**asked, "kinds": ["decision"]}, defined("usual")
        ).structured_content["memories"]
        said = answered(memory, "memory_search", asked, defined("usual")).structured_content["memories"]
        refused = answered(memory, "memory_search", {**asked, "kinds": ["rumour"]}, defined("usual"))
    assert [note["path"].partition("/")[0] for note in decided] == ["record:decision"]
    assert all(not note["path"].startswith("record:") for note in said)
    assert refused.is_error
    assert "decision" in refused.content[0].text


def test_an_agent_may_ask_what_is_unfinished_pinned_or_confirmed(tmp_path: Path):
    """M15, M16."""
    with Engine.open(KEYWORDS) as engine:
        Host(engine).turn("s", "We decided to hire Ronja Brandt as our gardener.", "Noted.", at=MONDAY)
        (decision,) = engine.store.records(kinds=[DECISION])
        engine.store.mark(decision.id, "pin", at=MONDAY)
    with tools() as memory:
        told = memory.answer(MemoryBrief())
    assert "Ronja Brandt" in told["text"]
    assert [one["id"] for one in told["records"]["decision"]] == [decision.id]


def test_a_note_that_newer_words_stand_before_says_so(tmp_path: Path):
    with Engine.open(Config()) as engine:
        engine.index(write_notes(tmp_path / "notes", NOTES))
    with tools(Config()) as memory:
        found = memory.search("how much rent do we pay for the boathouse?", 5)["memories"]
        told = memory.explain("how much rent do we pay for the boathouse?")["candidates"]
    for notes in (found, told):
        assert "5 600" in notes[0]["text"]
        assert not notes[0].get("superseded")
        assert [note["superseded"] for note in notes if "4 800" in note["text"]] == ["yes"]
