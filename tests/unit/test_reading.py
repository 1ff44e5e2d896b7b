"""A reader's word moves what was found: up what answers, down what is only about the same thing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from math import exp

import pytest

from hookclaw_py import text
from hookclaw_py.calibration.weights import ReaderWeights
from hookclaw_py.model.kind import NOTE, SESSION
from hookclaw_py.model.types import Query
from hookclaw_py.speech import phones
from hookclaw_py.stages.entities import find_entities
from hookclaw_py.stages.reading import behind, reread, to_read
from tests.conftest import candidate

WEIGHTS = ReaderWeights(order_engine=1.0, order_reader=1.0, engine=1.0, reader=1.0, intercept=0.0)
SCALE = {"absolute": 0.2, "spread": 5.0}


def pool(*relevances):
    """Return candidates of these relevances, best first; the second is one logit behind the first, and so on."""
    return [
        candidate(f"Passage {n}.", 0.2 * value + 0.8 * exp(-n / 5), relevance=value, lines=(n + 1, n + 1))
        for n, value in enumerate(relevances)
    ]


def weighed(found, logits, weights=WEIGHTS):
    by_chunk = {found[n].chunk.id: logit for n, logit in logits.items()}
    return reread(found, by_chunk, weights, **SCALE)


def bodies(candidates):
    return [c.chunk.text for c in candidates]


def test_what_the_reader_says_answers_comes_first():
    found = pool(0.6, 0.5)
    assert bodies(weighed(found, {0: -2.0, 1: 2.0})) == ["Passage 1.", "Passage 0."]


def test_what_answers_nothing_becomes_irrelevant_however_well_it_was_found():
    (judged,) = weighed(pool(0.8), {0: -4.0})
    assert judged.relevance < 0.1


def test_without_a_word_from_the_reader_nothing_changes():
    found = pool(0.8, 0.4)
    assert weighed(found, {}) == found


def test_a_reader_that_counts_nothing_changes_neither_order_nor_relevance():
    found = pool(0.8, 0.4, 0.3)
    silent = WEIGHTS._replace(order_reader=0.0, reader=0.0)
    for before, after in zip(found, weighed(found, {0: -3.0, 1: 5.0}, silent), strict=True):
        assert (after.chunk, after.relevance) == (before.chunk, pytest.approx(before.relevance))
        assert after.score == pytest.approx(before.score)


def test_what_was_not_read_never_passes_what_was_read_and_found_better():
    found = pool(0.6, 0.5, 0.5)
    assert bodies(weighed(found, {0: 1.0, 1: -1.0})) == ["Passage 0.", "Passage 1.", "Passage 2."]


def test_what_was_not_read_becomes_no_more_relevant_when_all_that_was_read_answers():
    _, _, near, *_, far = weighed(pool(0.9, 0.8, *[0.1] * 20), {0: 9.0, 1: 9.0})
    assert near.relevance > 0.5
    assert far.relevance == 0.1


def test_the_story_says_what_the_reader_said_and_what_it_did_not_read():
    read, unread = weighed(pool(0.6, 0.5), {0: 1.25})
    assert ("read", "the reader says +1.2") in {(step.stage, step.note) for step in read.history}
    assert any(step.stage == "read" and "not read" in step.note for step in unread.history)


@pytest.mark.parametrize("logit", [-1e9, 1e9])
def test_a_reader_beside_itself_breaks_nothing(logit):
    judged = weighed(pool(0.0, 1.0), {0: logit, 1: -logit})
    assert all(0 <= c.relevance <= 1 and 0 <= c.score <= 1 for c in judged)


def read_of(found, asked="who fixed the roof last spring", topic=("fix", "roof", "spring"), *, thoroughly=False):
    named = find_entities(asked, names=frozenset())
    query = Query(asked, datetime(2026, 3, 2, 9, tzinfo=UTC), topic=topic, entities=named)
    return to_read(found, query, thoroughly=thoroughly)


def test_only_a_doubt_is_read():
    assert read_of(pool(0.999, 0.2)) == []
    assert read_of(pool(0.001)) == read_of(pool(0.001), thoroughly=True) == []
    assert read_of([]) == []
    assert 0 < len(read_of(pool(*[0.5] * 20))) < len(read_of(pool(*[0.5] * 20), thoroughly=True)) < 20
    assert read_of(pool(0.999), thoroughly=True)


@pytest.mark.parametrize(
    ("asked", "topic"),
    [
        ("who is maike", ("maik",)),
        ("what's a pontil", ("pontil",)),
        ("who is Dagny Lien", ("dagni", "lien")),
        ("豆豆是谁", ("豆豆",)),
        ("E-44?", ("e44", "44")),
    ],
)
def test_of_who_or_what_one_thing_is_and_of_a_code_a_reader_is_not_asked(asked, topic):
    assert read_of(pool(0.5, 0.4), asked, topic, thoroughly=True) == []


@pytest.mark.parametrize(
    ("asked", "topic"),
    [
        ("what is nell allergic to", ("nell", "allerg")),
        ("who is maike's dentist", ("maik", "dentist")),
        ("maike phone", ("maik", "phone")),
        ("what to do about E-44", ("e44", "44")),
    ],
)
def test_what_holds_of_a_thing_it_is_asked(asked, topic):
    assert read_of(pool(0.5, 0.4), asked, topic)


def test_where_what_was_said_holds_the_phone_number_a_reader_is_not_asked():
    said = "User: lina moves to bremen\nher new number from then: 0421 33 90 18"
    asked, topic = "what's lina's phone number", ("lina", "phone", "number")
    found = pool(0.5, 0.4)

    def held_by(kind):
        return [found[0]._replace(chunk=replace(found[0].chunk, text=said, kind=kind)), found[1]]

    assert read_of(held_by(SESSION), asked, topic) == []
    assert read_of(held_by(SESSION), asked.replace("lina", "tom"), ("tom", *topic[1:]))
    answered = "User: hi\nAssistant: lina's phone number is 0421 33 90 18"  # an agent's words are not the person's
    assert read_of(
        [found[0]._replace(chunk=replace(found[0].chunk, text=answered, kind=SESSION)), found[1]], asked, topic
    )


def test_where_a_line_of_a_note_holds_the_phone_number_a_reader_is_not_asked():
    first, second = pool(0.5, 0.4)
    contacts = second.chunk.text + "\nGraham Oakes (site manager) 07700 900118\nSue Hartley, plot 3"

    def asked(whose):
        found = [first, second._replace(chunk=replace(second.chunk, text=contacts, kind=NOTE))]
        return read_of(found, f"{whose}'s number", (whose, "number"))

    assert asked("graham") == []
    assert asked("sue")


def test_from_where_on_a_passage_is_read_and_until_where():
    """A quarter is enough for a doubt, .97 is none any more; the best of all says so, not the last."""
    assert read_of(pool(0.25))
    assert read_of(pool(0.249), thoroughly=True) == []
    assert read_of(pool(0.97)) == []
    assert len(read_of(pool(0.6, 0.1))) == 2


def test_how_far_each_is_behind_the_best_is_read_from_the_scores():
    assert behind(pool(0.6, 0.5, 0.4), **SCALE) == pytest.approx([0.0, -1.0, -2.0])


@pytest.mark.parametrize(
    ("said", "prompt", "answered"),
    [
        ("lina is our best translator, she lives in lyon, phone 06 51 22 80 14, she has a son", "what's lina's phone number", True),
        ("lina called, she moves to bremen\nher new number from then: 0421 33 90 18", "what's lina's phone number", True),
        ("Jules Tondeur will britische Schreibung\nund seine Nummer ist jetzt 0612 844077", "wie ist die Telefonnummer von Jules Tondeur", True),
        ("lina is our best translator, she lives in lyon, phone 06 51 22 80 14\ntom mends the roof", "what's tom's phone number", False),
        ("tom mends the roof\nlina is our best translator, she lives in lyon, phone 06 51 22 80 14", "what's tom's phone number", False),
        ("lina lives in lyon", "what's lina's phone number", False),
    ],
)  # fmt: skip
def test_a_line_answers_who_asks_for_a_phone_number_where_it_says_whose_it_is(said, prompt, answered):
    assert phones.answers(said, text.terms_asked(prompt)) is answered
