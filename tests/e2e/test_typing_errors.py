"""A prompt as it is typed in a hurry finds the note all the same, and says how it was read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from hookclaw_py.cli.commands import main
from hookclaw_py.engine import Engine
from hookclaw_py.model.types import Injection
from tests.conftest import write_notes

NOTES = {
    "work/printers.md": "Office wifi: guests use `Klippfisk`, the guest password is sild-og-potet.\n",
    "health/dentist.md": "Dr. Risnes, Strandgata 8, phone 15 55 13 30, closed on Fridays.\n",
    "house/Werkstatt.md": "Der Schlüssel der Werkstatt hängt unter der dritten Stufe.\n",
    "food/cheese.md": "Cheese: the brown one from Undredal, two blocks a month.\n",
    "people/Torleiv Haugen.md": "Sells birch wood, 70 kr a sack, cash only.\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_notes(tmp_path_factory.mktemp("notes"), NOTES)


@pytest.fixture(scope="module")
def engine(folder):
    with Engine.in_memory() as engine:
        engine.index(folder)
        yield engine


def asked(engine: Engine, prompt: str) -> Injection:
    return engine.recall(prompt, at=datetime(2026, 2, 20, 9, 0, tzinfo=UTC))


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("whats teh guest passwrod at teh ofice", "sild-og-potet"),
        ("wehn is teh dentsit closed", "Strandgata"),
        ("what does torleif haugn take for a sack of birch wood", "70 kr"),
    ],
)
def test_typing_errors_do_not_hide_the_note(engine, typed, answer):
    assert answer in asked(engine, typed).text


def test_a_word_that_the_notes_do_not_have_is_not_bent_into_one_that_they_have(engine):
    injection = asked(engine, "where can I play chess this weekend?")
    assert injection.text == ""
    assert injection.query.read_as == ()


def test_explain_says_how_a_word_was_read(folder, tmp_path):
    def run(*arguments):
        return CliRunner().invoke(main, list(arguments), env={"HOOKCLAW_HOME": str(tmp_path), "COLUMNS": "120"})

    assert run("index", str(folder)).exit_code == 0
    told = run("explain", "whats teh guest passwrod at teh office")
    assert "'passwrod' read as 'password'" in told.stdout
