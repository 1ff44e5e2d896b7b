"""A secret of a note goes into no block; its owner is told the password of a Wi-Fi that they ask for, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hookclaw_py import Config, Engine
from hookclaw_py.model.types import Candidate, Effect
from hookclaw_py.privacy.redaction import REDACTED
from hookclaw_py.stages.concealing import conceal, conceal_lines
from tests.conftest import candidate, write_notes

ASKED = "what is the wifi password for the guests?"
WIFI = "Wifi at the cabin: password is tern4Blue"
SAFE = "The password of the safe is gorse9Gate"
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2


def concealed(body: str, *, asked: str = "", **fields: str) -> Candidate:
    ((told),) = conceal([candidate(body, 0.9, **fields)], asked=asked)
    return told


def test_a_secret_is_concealed_and_counted():
    told = concealed(f"The ferry leaves at nine.\n{SAFE}.")
    assert told.chunk.text == f"The ferry leaves at nine.\nThe password of the safe is {REDACTED}."
    assert (told.history[-1].note, told.history[-1].value, told.fate) == (
        "1 secret is [redacted]",
        1.0,
        Effect.REDACTED,
    )


def test_what_stands_in_the_heading_and_the_path_is_concealed_and_counted_as_well():
    told = concealed(SAFE, heading=f"Key {KEY}", path=f"memory/{KEY}.md")
    assert (told.chunk.heading, told.chunk.place.path) == (f"Key {REDACTED}", f"memory/{REDACTED}.md")
    assert told.history[-1].note == "3 secrets are [redacted]"
    only_there = concealed("The ferry leaves at nine.", heading=f"Key {KEY}")
    assert only_there.chunk.heading == f"Key {REDACTED}"
    assert concealed("The ferry leaves at nine.", path=f"memory/{KEY}.md").history[-1].value == 1.0


@pytest.mark.parametrize("heading", ["NAS > Password", "Passwort:", "Safe > **Kennwort**"])
def test_what_stands_alone_below_a_heading_that_calls_it_a_password_is_concealed(heading: str):
    told = concealed("gorse9Gate\n\nThe ferry leaves at nine.", heading=heading)
    assert told.chunk.text == f"{REDACTED}\n\nThe ferry leaves at nine."
    assert told.history[-1].value == 1.0
    kept = concealed("gorse9Gate\nThe ferry leaves at nine.", heading="Password policy")
    assert kept.chunk.text.startswith("gorse9Gate")


def test_without_a_secret_nothing_is_changed():
    plain = candidate("The ferry leaves at nine.")
    assert conceal([plain], asked=ASKED) == [plain]


@pytest.mark.parametrize(
    ("body", "heading"),
    [
        (WIFI, ""),
        ("Guests: password is tern4Blue", "WLAN"),
        (f"{SAFE.replace('gorse9Gate', 'in my head')}\n{WIFI}", ""),
    ],
)
def test_the_owner_is_told_the_password_of_a_wifi_that_they_ask_for(body: str, heading: str):
    assert "tern4Blue" in concealed(body, asked=ASKED, heading=heading).chunk.text
    assert "tern4Blue" not in concealed(body, asked="what is the password?", heading=heading).chunk.text
    assert "tern4Blue" not in concealed(body, heading=heading).chunk.text


def test_no_other_secret_is_told_to_who_asks_for_the_wifi():
    told = concealed(f"{WIFI}\n{SAFE}", asked=ASKED).chunk.text
    assert "tern4Blue" in told
    assert "gorse9Gate" not in told
    assert KEY not in concealed(f"Wifi router's token: {KEY}", asked=ASKED).chunk.text, (
        "no machine's, whatever it is called"
    )


@pytest.mark.parametrize(
    ("passage", "line", "told"),
    [
        ("Router in the hall\nPassword:\ngorse9Gate", "gorse9Gate", REDACTED),
        ("Router in the hall\nPassword:\ngorse9Gate", "Router in the hall", "Router in the hall"),
        ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nEFAASCBKcwggSjAgEAAoIBAQ\n-----END PRIVATE KEY-----", "EFAASCBKcwggSjAgEAAoIBAQ", REDACTED),
    ],
)  # fmt: skip
def test_of_a_single_line_what_is_a_secret_in_its_passage_is_concealed(passage: str, line: str, told: str):
    whole = candidate(passage)
    alone = whole._replace(chunk=replace(whole.chunk, text=line))
    (hidden,) = conceal_lines([alone], {whole.chunk.id: whole.chunk}, asked="")
    assert hidden.chunk.text == told


def test_the_line_behind_the_one_that_calls_it_a_password_is_not_told(tmp_path):
    notes = {
        "Router.md": "# Router of the office\n\nadmin at 192.168.0.1\nPassword:\ngorse9Gate\n",
        "Office.md": "# Office\n\nThe router of the office stands in the hall, the office opens at nine.\n",
        "Garden.md": "# Garden\n\nThe hedge is cut in June.\n",
        "Car.md": "# Car\n\nTyres 205/55 R16.\n",
    }
    with Engine.in_memory(Config(max_results=1)) as engine:
        engine.index(write_notes(tmp_path, notes))
        found = engine.recall("where does the router of the office stand")
    assert "admin at 192.168.0.1" in found.text
    assert "gorse9Gate" not in found.text
