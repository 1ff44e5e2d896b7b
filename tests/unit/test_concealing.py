"""A secret of a note goes into no block; its owner is told the password of a Wi-Fi that they ask for, and nothing else."""

from __future__ import annotations

import pytest

from hookclaw_py.model.types import Candidate, Effect
from hookclaw_py.privacy.redaction import REDACTED
from hookclaw_py.stages.concealing import conceal
from tests.conftest import candidate

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
