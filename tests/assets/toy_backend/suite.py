"""The toy, put through what every store promises, and asked by the engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy_store import ToyStore
from toy_vectors import ToyVectors

import hookclaw_py
from hookclaw_py import Config, Engine
from hookclaw_py.search.ports import VectorIndex
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.testing.fakes import HashEmbedder
from hookclaw_py.testing.stores import NotesContract
from hookclaw_py.testing.vectors import VectorContract


def test_it_is_the_installed_package_that_is_tried():
    assert "site-packages" in hookclaw_py.__file__


class TestToyStore(NotesContract):
    def open_store(self, folder: Path) -> AgentStore:
        return ToyStore()


class TestToyVectors(VectorContract):
    def open_index(self, dimension: int) -> VectorIndex:
        return ToyVectors(dimension)


def test_a_store_of_ones_own_answers_recalls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "home"))
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "ferry.md").write_text("# Travel\n\nThe ferry to Karlskrona leaves at nine, from pier four.\n")
    (notes / "bike.md").write_text("# Bike\n\nThe bike needs a new hub before the spring.\n")
    config = Config(keepHistory=False)
    from hookclaw_py.build import lexical_index

    with Engine(ToyStore(), lexical_index(config, None), HashEmbedder(), config=config) as engine:
        report = engine.index(notes)
        assert (report.added, report.warnings) == (2, ())
        found = engine.recall("When does the ferry to Karlskrona leave?", session="s")
        assert "pier four" in found.text, found.reason
        assert engine.agent_end("s", "It leaves at nine, from pier four.")
        assert [uses.shown for uses in engine.store.all_uses().values()] == [1]
