"""In a real engine the best passages are read beside the prompt, where there is a doubt; without a reader all goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hookclaw_py import Engine
from hookclaw_py.config import Config
from hookclaw_py.errors import RetrievalError
from hookclaw_py.evaluation.vaults import ask_vault, load_vault
from hookclaw_py.model.types import Injection, Outcome
from tests.conftest import write_notes

NOTES = {
    "Boiler.md": "Anna picked the Vaillant in March. 18,400 incl. montage, warranty ten years, serviced by Rolf Amsel every June.\n",
    "Garden.md": "The pear tree wants lime in autumn. The shed key hangs behind the rain barrel.\n",
    "Car.md": "Winter tyres 205/55 R16, stored at Fjord Dekk, shelf 12. Next inspection in May 2027.\n",
}
ASKED = "what did we pay for the boiler"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_notes(tmp_path / "notes", NOTES)


@pytest.fixture
def engine(folder: Path) -> Iterator[Engine]:
    with Engine.in_memory(Config(reader="deep", minScore=0.0), strict=False) as engine:
        engine.index(folder)
        yield engine


def said(injection: Injection) -> list[str]:
    found = [*injection.candidates, *injection.rejected]
    return [step.note for c in found for step in c.history if step.stage == "read"]


def test_the_story_of_a_memory_says_what_the_reader_said(engine: Engine):
    assert any(note.startswith("the reader says") for note in said(engine.recall(ASKED)))


def test_without_a_reader_nothing_is_read_and_nothing_else_changes(folder: Path):
    with Engine.in_memory(Config(reader="off")) as engine:
        engine.index(folder)
        injection = engine.recall("where is the shed key")
    assert said(injection) == []
    assert "rain barrel" in injection.text


def test_a_reader_that_fails_costs_its_word_and_shows(engine: Engine):
    class Broken:
        def read(self, *_):
            raise RetrievalError("the reader is gone")

        def close(self):
            pass

    engine.pipeline.reader = Broken()
    injection = engine.recall(ASKED)
    assert injection.outcome is Outcome.INJECTED
    assert [fault.stage for fault in injection.faults] == ["read"]
    assert said(injection) == []


@pytest.mark.slow
def test_on_a_folder_it_never_saw_it_finds_more_answers_and_is_silent_as_often():
    place = Path(__file__).parents[2] / "eval" / "data" / "answers" / "fieldbook"
    prompts = load_vault(place)[0][::5]
    right = {}
    for reader in ("off", "auto"):
        answers, _ = ask_vault(place, prompts, Config(reader=reader), lambda *_: None)
        for answered in (True, False):
            own = [a for a in answers if bool(a.prompt.answers) is answered]
            right[reader, answered] = sum(a.verdict == "right" for a in own) / len(own)
    assert right["auto", True] > right["off", True] + 0.04
    assert right["auto", False] > right["off", False] - 0.05
