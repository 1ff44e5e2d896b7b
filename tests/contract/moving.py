"""What our own stores do beyond what every store promises: a passage that moves between notes stays what a person made of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from hookclaw_py.ingest.indexer import index_workspace
from hookclaw_py.ingest.workspace import Layout
from hookclaw_py.store.ports import AgentStore
from tests.conftest import write_notes

AT = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)
BOILER = "The boiler was serviced by Ottokar in March and costs 180 euros every year.\n"
GAS = "Gas contract with the town works until December, paid by the month.\n"
INTRO = "Intro words of this note\n"
SECTION = f"\n# Boiler\n\n{BOILER}"


class Moving:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ({"A.md": INTRO + SECTION, "B.md": GAS}, {"A.md": INTRO, "B.md": GAS + SECTION}),
            ({"A.md": GAS, "B.md": INTRO + SECTION}, {"A.md": GAS + SECTION, "B.md": INTRO}),
            ({"Home.md": INTRO + SECTION}, {"Home.md": f"{INTRO}\n![[Boiler]]\n", "Boiler.md": BOILER}),
            ({"X.md": BOILER, "Y.md": GAS}, {"X.md": GAS, "Y.md": BOILER}),
            ({"Draft.md": BOILER, "Final.md": GAS}, {"Final.md": BOILER}),
        ],
    )
    def test_a_passage_that_moves_between_notes_stays_blocked(
        self, store: AgentStore, tmp_path: Path, before: dict[str, str], after: dict[str, str]
    ) -> None:
        self.indexed(store, write_notes(tmp_path / "notes", before))
        [old] = [chunk for chunk in store.all_chunks() if chunk.text == BOILER.strip()]
        store.mark(old.memory, "block", at=AT)
        for name in before:
            (tmp_path / "notes" / name).unlink()
        self.indexed(store, write_notes(tmp_path / "notes", after))
        assert [chunk.text for chunk in store.all_chunks() if chunk.memory in store.marks()] == [BOILER.strip()]

    def test_a_passage_that_had_always_been_elsewhere_gets_no_block_of_one_that_goes(
        self, store: AgentStore, tmp_path: Path
    ) -> None:
        notes = write_notes(tmp_path / "notes", {"A.md": INTRO + SECTION, "B.md": GAS + SECTION})
        self.indexed(store, notes)
        [old] = [chunk for chunk in store.all_chunks() if chunk.place.path == "A.md" and "boiler" in chunk.text]
        store.mark(old.memory, "block", at=AT)
        self.indexed(store, write_notes(notes, {"A.md": INTRO}))
        marked = [chunk.text for chunk in store.all_chunks() if chunk.memory in store.marks()]
        assert marked == []

    def indexed(self, store: AgentStore, notes: Path) -> None:
        index_workspace(store, notes, layout=Layout.NOTES, globs=(), exclude=(), evergreen=())
