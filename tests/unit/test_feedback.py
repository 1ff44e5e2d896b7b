"""A chunk is cited when the answer shows something that the chunk has and the prompt has not."""

from __future__ import annotations

from hookclaw_py import text
from hookclaw_py.feedback import attribute
from tests.conftest import chunk


def used(body: str, answer: str, prompt: str = "") -> bool:
    note = chunk(body)
    return attribute([note], answer, prompt, terms=text.terms, idf=lambda terms: dict.fromkeys(terms, 1.0))[note.id]


def test_a_short_fact_is_cited_by_its_one_telling_word():
    """mend 12: "API key is abc" could never be cited."""
    assert used("API key is abc", "Use abc, as noted.", "what is the API key?")


def test_substrings_and_common_words_are_no_citation():
    """mend 12: "form" counted in "format", and common words counted."""
    assert not used("the registration form asks for a birthday", "The format is JSON.")
    assert not used("it is in the shed, and that is where it was", "It is what it is, and that was that.")


def test_an_answer_that_only_repeats_the_prompt_earns_nothing():
    """mend 12."""
    prompt = "how do we store the reset tokens of the customer portal?"
    assert not used("Reset tokens of the customer portal are SHA-256 hashes", prompt, prompt)


def test_attribution_is_per_chunk_not_per_file():
    """mend 11: two chunks of one file, only one of them used."""
    first = chunk("ferry to Karlskrona on 14 March, cabin 4112", id="1", path="memory/a.md")
    second = chunk("the bike needs a new hub", id="2", path="memory/a.md")
    found = attribute(
        [first, second],
        "Your ferry leaves on 14 March; the cabin is 4112.",
        "when do I leave?",
        terms=text.terms,
        idf=lambda terms: dict.fromkeys(terms, 1.0),
    )
    assert found == {first.id: True, second.id: False}
