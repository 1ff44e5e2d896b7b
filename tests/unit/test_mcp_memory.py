"""What the MCP tools cost: they read what was asked for, and not the store."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hookclaw_py.config import Config
from hookclaw_py.doors.requests import MemoryBrief
from hookclaw_py.doors.residents import Resident
from hookclaw_py.engine import Engine
from hookclaw_py.model.kind import DECISION
from tests.calls import calls
from tests.e2e.test_growing_memory import MONDAY, Host

pytest.importorskip("mcp", reason="needs the extra mcp")

from hookclaw_py.doors.mcp_server import MemoryTools
from hookclaw_py.workers import Worker


def test_a_file_is_read_without_the_rest_of_the_store(tmp_path: Path):
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(40):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nThe ferry number {number} leaves at nine.\n")
    config = Config(enable_vector=False)
    with Engine.open(config) as engine:
        engine.index(notes)
    with ThreadPoolExecutor(max_workers=1) as opener:
        resident = Resident(
            "main",
            lambda: Engine.open(config),
            opener=opener,
            queue=Worker("queue"),
            watching=False,
            emit=lambda *_: None,
        )
        try:
            memory = MemoryTools(resident, "")
            memory.search("ferry", 1)
            with calls() as counted:
                (note,) = memory.get("", "7.md")["memories"]
        finally:
            resident.close(5)
    assert "ferry number 7 leaves" in note["text"]
    assert counted["chunk_of"] == 1


def test_an_agent_may_ask_what_is_unfinished_pinned_or_confirmed(tmp_path: Path):
    """M15, M16."""
    config = Config(enable_vector=False)
    with Engine.open(config) as engine:
        Host(engine).turn("s", "We decided to hire Ronja Brandt as our gardener.", "Noted.", at=MONDAY)
        (decision,) = engine.store.records(kinds=[DECISION])
        engine.store.mark(decision.id, "pin", at=MONDAY)
    with ThreadPoolExecutor(max_workers=1) as opener:
        resident = Resident(
            "main",
            lambda: Engine.open(config),
            opener=opener,
            queue=Worker("queue"),
            watching=False,
            emit=lambda *_: None,
        )
        try:
            told = MemoryTools(resident, "").answer(MemoryBrief())
        finally:
            resident.close(5)
    assert "Ronja Brandt" in told["text"]
    assert [one["id"] for one in told["records"]["decision"]] == [decision.id]
