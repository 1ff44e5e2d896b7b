"""A vector backend that hookclaw_py has never heard of: one module outside of the package, handed to the engine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hookclaw_py import Config, Engine, Injection, build
from hookclaw_py.search import loading
from hookclaw_py.search.ports import VectorIndex
from tests.assets.toy_backend.toy_vectors import ToyVectors
from tests.conftest import FILLERS, write_notes

ASKED = "At what time does the ferry to Sweden go?"
FERRY = "# Travel\n\nThe ferry to Karlskrona in Sweden leaves at nine, from pier four.\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return write_notes(tmp_path, {f"{word}.md": f"All about {word} and nothing else.\n" for word in FILLERS})


def answers(notes: Path, vectors: Callable[[int], VectorIndex]) -> list[Injection]:
    """Ask an engine that has no other search, before and after somebody edits the note."""
    config, found = Config(), list[Injection]()
    with Engine(
        build.store(None), None, loading.embedder(config), config=config, strict=True, vectors=vectors
    ) as engine:
        for hour in ("nine", "seven"):
            write_notes(notes, {"ferry.md": FERRY.replace("nine", hour)})
            engine.index(notes)
            found.append(engine.recall(ASKED))
    return found


def told(found: Injection) -> tuple[str, list[tuple[str, float]]]:
    """Return the block, and everything that was found, each with its score."""
    return found.text, [(c.chunk.id, round(c.score, 4)) for c in (*found.candidates, *found.rejected)]


def test_a_vector_backend_of_ones_own_answers_recalls(notes: Path, monkeypatch: pytest.MonkeyPatch):
    ours = answers(notes, build.vector_index)
    monkeypatch.setitem(sys.modules, "hookclaw_py.search.local.faiss_index", None)  # nothing else is there to search
    before, after = theirs = answers(notes, ToyVectors)
    assert "leaves at nine, from pier four" in before.text
    assert "leaves at seven, from pier four" in after.text
    assert "nine" not in after.text
    assert [told(found) for found in theirs] == [told(found) for found in ours]
