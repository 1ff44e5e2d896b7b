"""The terms of a passage as a store keeps them, behind the words that stand beside them: whatever they are, they come back."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py import text as words
from hookclaw_py.store.packing import packed_terms, unpacked_terms

ANY = st.text(st.characters(exclude_categories=["Cs"]))
SAID = " ".join(f"Okafor moved the schema of the portal {n} because nobody uses it; see LAN-{n}." for n in range(9))


@given(terms=ANY, heading=ANY, text=ANY)
def test_they_come_back_whatever_stands_beside_them(terms: str, heading: str, text: str):
    assert unpacked_terms(packed_terms(terms, heading, text), heading, text) == terms


def test_those_of_a_text_take_a_third_at_most():
    terms = " ".join(words.terms(SAID))
    assert 0 < 3 * len(packed_terms(terms, "Portal", SAID)) < len(terms)


def test_a_text_longer_than_what_is_looked_back_at_has_them_too():
    rng = random.Random(1)
    text = " ".join(f"{rng.randrange(10**9):x}" for _ in range(10_000))
    assert unpacked_terms(packed_terms(text, "A", text), "A", text) == text


def test_what_an_earlier_version_kept_is_read_as_it_is():
    assert unpacked_terms("la mer gelée".encode(), "Mer", "La mer est gelée") == "la mer gelée"
    assert unpacked_terms(b"", "Mer", "La mer") == ""


def test_damaged_ones_are_none_or_others_and_no_error():
    kept = packed_terms("the ferry leaves at nine", "Ferry", "The ferry leaves at nine")
    assert unpacked_terms(kept[:1], "Ferry", "The ferry leaves at nine") == ""
    for place in range(1, len(kept)):
        for value in range(256):
            unpacked_terms(kept[:place] + bytes([value]) + kept[place + 1 :], "Ferry", "The ferry leaves at nine")
        unpacked_terms(kept[:place], "Ferry", "The ferry leaves at nine")
