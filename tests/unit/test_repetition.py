"""A memory that stands in the conversation already is not sent again."""

from __future__ import annotations

import pytest

from hookclaw_py.model.kind import SESSION
from hookclaw_py.stages import render
from hookclaw_py.stages.repetition import already_said, leave_out_said
from tests.conftest import candidate, chunk

LOGGING = "We decided to use structured logging & one JSON object\n> a line, written with <serilog>"
PLAIN = "# Ports\nThe invoice service listens on port 7443"


@pytest.mark.parametrize("template", ["xml", "markdown"])
def test_a_chunk_is_recognised_in_our_own_block(template):
    for text in (LOGGING, PLAIN):
        block = render.render([candidate(text, relevance=0.9)], template=template, max_chars=2000).text
        told = chunk(text)
        assert already_said([told], ["something else", f"before\n{block}\nafter"]) == {told.id}


def test_a_long_chunk_that_the_budget_cut_is_recognised_by_its_beginning():
    long = " ".join(f"sentence number {n}." for n in range(200))
    block = render.render([candidate(long, relevance=0.9)], template="xml", max_chars=1000).text
    assert already_said([chunk(long)], [block])


def test_other_words_and_very_short_notes_are_not_taken_for_known():
    assert not already_said([chunk(LOGGING)], ["We decided to use structured logging"])
    assert not already_said([chunk("5432")], ["the port is 5432"])


def test_what_was_shown_before_is_left_out_and_says_so():
    """DESIGN: never repeating a chunk that is already in the conversation."""
    old, new = candidate("the old fact"), candidate("a new fact")
    news, said = leave_out_said([old, new], shown=frozenset([old.chunk.id]), conversation=())
    assert [c.chunk.text for c in news] == ["a new fact"]
    assert said[0].history[-1].note == "said already"


def test_a_recorded_turn_of_this_very_conversation_is_not_sent_again():
    session = chunk(
        "User: where did we put the boat papers?\n\nAssistant: In the blue folder on the chart table.",
        kind=SESSION,
    )
    texts = ["where did we put the boat papers?", "In the blue folder on the chart table."]
    assert already_said([session], texts) == {session.id}
    assert not already_said([session], texts[:1])


def test_a_turn_of_this_conversation_with_a_short_answer_is_known_again_and_a_short_one_alone_is_not():
    session = chunk("User: the tide tables are on the host heron-2\nAssistant: Noted: heron-2.", kind=SESSION)
    texts = ["the tide tables are on the host heron-2", "Noted: heron-2."]
    assert already_said([session], texts) == {session.id}
    assert not already_said([session], texts[:1])
    assert not already_said([chunk("User: yes\nAssistant: Good.", kind=SESSION)], ["yes", "Good."])
