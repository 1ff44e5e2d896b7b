"""A person's folder of notes, as it is: Obsidian's habits, file names as titles, other suffixes; and what is no note."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hookclaw_py.engine import Engine
from hookclaw_py.model.types import Injection
from tests.conftest import write_notes

NOTES = {
    "Home/Heat pump.md": "---\naliases: [Wärmepumpe, WP]\ntags: [house]\nprice: 18,400\n---\nOffer from Vaillant: 18,400 €\n",
    "People/Mara Quist.md": "---\nphone: +49 171 5550123\ncssclass: wide\n---\nWorks at the harbour office. Allergic to walnuts.\n",
    "server.org": "#+TITLE: Server room\n* TODO Backups\n:PROPERTIES:\n:END:\nrestic to the attic disk, nightly at 3am\n",
    "wifi.txt": "guest network: Sommerregen, password blaubeere-77\n",
    "garden.markdown": "The hedge is cut on 24 June and never before.\n",
    "Templates/Meeting.md": "# {{title}}\n{{date}} attendees:\n",
    "Vorlagen/Woche.md": "Woche: Ziele, Rückblick, Dank\n",
    "Notizen/leer.md": "## {{date:YYYY}}\n- {{title}}\n",
    ".obsidian/templates.json": json.dumps({"folder": "Vorlagen"}),
    "attachments/scan.txt": "scanned page one of the tax return\n",
    "photo.png": "no text",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        engine.index(write_notes(tmp_path_factory.mktemp("notes"), NOTES))
        yield engine


def asked(engine: Engine, prompt: str) -> Injection:
    return engine.recall(prompt, at=datetime(2026, 2, 20, 9, 0, tzinfo=UTC))


def test_a_folder_of_notes_is_indexed_as_it_is_and_templates_and_attachments_are_no_notes(engine: Engine):
    held = {chunk.place.path for chunk in engine.store.all_chunks()}
    assert held == {"Home/Heat pump.md", "People/Mara Quist.md", "server.org", "wifi.txt", "garden.markdown"}


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("what was the offer for the heat pump?", "18,400"),  # named by the file alone
        ("what did the offer for the Wärmepumpe say?", "18,400"),  # by an alias
        ("what is Mara Quist's phone number?", "5550123"),  # a field of the front matter
        ("when do the backups of the server room run?", "3am"),  # Org
        ("what is the password of the guest network?", "blaubeere-77"),
    ],
)
def test_what_the_file_is_called_and_what_its_front_matter_says_is_found(engine: Engine, prompt: str, answer: str):
    assert answer in asked(engine, prompt).text


@pytest.mark.parametrize(
    "page",
    ["---\naliases: [dentist, Zahnarzt]\n---\n", "alias:: [[dentist]], Zahnarzt\ntype:: health\n\n- "],
    ids=["front matter", "properties of Logseq"],
)
def test_an_alias_says_what_a_page_is_to_whoever_asks_and_whoever_reads(tmp_path: Path, page: str):
    notes = {
        "pages/Dr Holm.md": f"{page}Harbour Street 4, first floor\nTel 0151 2233 44\n",
        "journal.md": "# journal\n\n## 2026-01-14\n\n- dentist: hygiene, 45 min, no holes\n",
        "wifi.txt": NOTES["wifi.txt"],
    }
    with Engine.in_memory() as engine:
        engine.index(write_notes(tmp_path / "notes", notes))
        for prompt in ("dentist phone", "Zahnarzt Telefon"):
            told = asked(engine, prompt).candidates
            assert [c.chunk.place.path for c in told][:1] == ["pages/Dr Holm.md"], prompt
            assert told[0].chunk.heading == "Dr Holm (dentist, Zahnarzt)"


PHONE = {
    "phone/Neue Notiz 12.txt": "Geburtstage\nFranz 3.2.\nSabine 14.12.\nGoran 30.11.\nElif 8.6.\n",
    "phone/Neue Notiz 14.txt": "Bewässerung einwintern\n1. Haupthahn zu\n2. ausblasen mit 3 bar\n",
    "phone/Untitled 3.md": "Boat winter list\n\n- drain the bilge\n- grease the winch\n",
    "journal.md": "# journal\n\n## 2026-01-14\n\nSabine rief an wegen der Bewässerung, Goran war krank, boat is fine\n",
    "wifi.txt": NOTES["wifi.txt"],
}


@pytest.mark.parametrize(
    ("prompt", "answer", "title"),
    [
        ("wann hat die sabine geburtstag", "Sabine 14.12.", "Geburtstage"),
        ("wie wintere ich die bewässerung ein", "ausblasen mit 3 bar", "Bewässerung einwintern"),
        ("what is on the winter list of the boat?", "grease the winch", "Boat winter list"),
    ],
)
def test_a_note_that_only_an_app_named_is_titled_by_its_first_line(
    tmp_path: Path, prompt: str, answer: str, title: str
):
    with Engine.in_memory() as engine:
        engine.index(write_notes(tmp_path / "notes", PHONE))
        told = asked(engine, prompt).candidates
        assert told, "silent"
        assert answer in told[0].chunk.text
        assert told[0].chunk.heading == title


PEOPLE = {
    "people.md": "# People\n\nStefan Brunner, Steuerberater, 01 523 88 40\nMichael Lang, Elektriker, 0699 118 20 33\n"
    "Joan Ellery, plumber, 07700 900 781\nHr. Novak, Kunde Lindauergasse, 0664 88 31 205\n",
    "Steuer.md": "# Steuer\n\nUmsatzsteuer bis 15. des Monats. Der Steuerberater braucht Belege immer bis zum 8.\n",
    "site.md": "# Lindengasse 14\n\nElektriker verlegt Kabel, fertig am 19.\nplumber found the leak behind the bath\n",
    "journal.md": "# journal\n\n## 2026-01-14\n\nplumber came, 340\nElektriker war da\n",
    "wifi.txt": NOTES["wifi.txt"],
}


@pytest.mark.parametrize(
    ("prompt", "number"),
    [
        ("nummer vom steuerberater", "01 523 88 40"),
        ("Telefonnummer Steuerberater", "01 523 88 40"),
        ("hast du die nummer vom elektriker", "0699 118 20 33"),
    ],
)
def test_who_asks_for_a_phone_number_finds_the_line_that_has_one_whatever_it_calls_it(
    tmp_path: Path, prompt: str, number: str
):
    with Engine.in_memory() as engine:
        engine.index(write_notes(tmp_path / "notes", PEOPLE))
        told = asked(engine, prompt).candidates
        assert told, "silent"
        assert number in told[0].chunk.text


def test_settings_for_other_programs_are_not_shown_to_the_agent(engine: Engine):
    text = asked(engine, "where does Mara Quist work?").text
    assert "harbour office" in text
    assert "cssclass" not in text


def test_a_workspace_keeps_its_rules_and_so_does_every_folder_that_a_host_names(tmp_path: Path):
    files = {"README.md": "how to build it\n", "docs/guide.md": "the guide\n"}
    with Engine.in_memory() as engine:
        engine.index(write_notes(tmp_path / "agent", {**files, "memory/2026-02-01.md": "The codeword is Quillwort.\n"}))
        assert {chunk.place.path for chunk in engine.store.all_chunks()} == {"memory/2026-02-01.md"}
    with Engine.open(folder=tmp_path / "store", hosted=True) as engine:
        report = engine.index(write_notes(tmp_path / "project", files))
        assert engine.store.count() == 0
        assert "MEMORY.md" in report.warnings[0]


def test_notes_that_a_person_pointed_to_stay_known_when_a_host_names_their_folder(tmp_path: Path):
    notes = {"garden.md": "The hedge is cut in June.\n", "memory/keys.md": "The key of the shed hangs in the hall.\n"}
    root = write_notes(tmp_path / "notes", notes)
    with Engine.open(folder=tmp_path / "store", hosted=True) as engine:
        engine.index(root)
        assert {chunk.place.path for chunk in engine.store.all_chunks()} == {"memory/keys.md"}
    with Engine.open(folder=tmp_path / "store") as engine:
        engine.index(root)
        assert "June" in asked(engine, "when is the hedge cut?").text
    write_notes(root, {"bins.md": "The bins go out on Thursday.\n"})
    with Engine.open(folder=tmp_path / "store", hosted=True) as engine:
        report = engine.index(root)
        assert not report.warnings
        assert "Thursday" in asked(engine, "when do the bins go out?").text
        assert "June" in asked(engine, "when is the hedge cut?").text


def test_a_folder_whose_notes_are_known_stays_a_folder_of_notes_when_one_is_called_memory(tmp_path: Path):
    root = write_notes(tmp_path / "notes", {"garden.md": "The hedge is cut in June.\n"})
    with Engine.open(folder=tmp_path / "store") as engine:
        engine.index(root)
        engine.index(write_notes(root, {"Memory.md": "Names of all neighbours: Anna, Boris.\n"}))
        assert {chunk.place.path for chunk in engine.store.all_chunks()} == {"garden.md", "Memory.md"}


def test_a_word_of_ones_own_glossary_is_looked_up_where_its_translation_is_asked_for(tmp_path: Path):
    glossary = (
        "# Glossario mobili IT-FR\n\n- anta = vantail (mai « porte »)\n- cassetto = tiroir\n- cerniera = charnière\n"
    )
    with Engine.in_memory() as engine:
        engine.index(write_notes(tmp_path, {"Glossario mobili.md": glossary, "wifi.txt": NOTES["wifi.txt"]}))
        assert "charnière" in asked(engine, "come si traduce cerniera").text
        assert asked(engine, "come si dice farfalla in francese").outcome == "skipped"
