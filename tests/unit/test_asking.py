"""What only asks, and what says something as well."""

from __future__ import annotations

import pytest

from hookclaw_py.speech.asking import only_asks


@pytest.mark.parametrize(
    "said",
    ["what's the door code?", "was war heute", "und am Tag danach", "and the day after", "where is Tom? and on friday"],
)
def test_questions_and_what_goes_on_with_them_only_ask(said: str):
    assert only_asks(said)


@pytest.mark.parametrize(
    "said",
    [
        "I painted the fence",
        "and Tom likes tea",
        "and I paid 300",
        "y Lina es vegetariana",
        "und der Zaun ist grün",
        "can you fix the gate?",
        "where is Tom? he moved to Kiel",
        "",
    ],
)
def test_what_says_something_or_has_something_done_does_not(said: str):
    assert not only_asks(said)


@pytest.mark.timeout(60)  # what grows with the fourth power of a word's length takes minutes
def test_a_long_address_behind_and_is_read_at_once():
    assert not only_asks(f"And https://example.org/{'h' * 400} is broken because of the new proxy")
