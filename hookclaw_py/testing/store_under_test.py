"""A store with two chunks of one note: what the suites for stores begin with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hookclaw_py.store import tallies
from hookclaw_py.store.events import Showing
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.testing.fakes import a_chunk

AT = datetime(2026, 2, 10, 9, tzinfo=UTC)
NOTE, OTHER = "memory/a.md", "memory/b.md"
FERRY = a_chunk("The ferry to Karlskrona leaves at nine", created_at=AT, heading="Travel > Ferry", lines=(3, 4))
BIKE = a_chunk("The bike needs a new hub before spring", lines=(6, 9))
MODEL = "model-4"


class StoreUnderTest(ABC):
    """What a suite needs to be told. ``open_store`` is asked several times for the same folder: each is another user of it."""

    @abstractmethod
    def open_store(self, folder: Path) -> AgentStore:
        """Open the store that lies in ``folder``, a new one if there is none."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[AgentStore]:
        """An open store with two chunks of one note."""
        with self.open_store(tmp_path / "store") as opened:
            opened.replace_file(NOTE, chunks=[FERRY, BIKE], digest="d", size=3, mtime_ns=4, recipe="notes 1")
            yield opened
            replayed = tallies.replay(opened.events())
            assert replayed == opened.all_uses(), "what is known of use is what the log comes to, after every test"

    def shown(self, store: AgentStore, injection: str, *, run: str = "") -> None:
        """Let both chunks be shown to a prompt."""
        both = [Showing(FERRY.id, relevance=0.8), Showing(BIKE.id)]
        store.record_injection(
            at=AT, session_id="s", injection_id=injection, prompt="when does it leave?", shown=both, run_id=run
        )
