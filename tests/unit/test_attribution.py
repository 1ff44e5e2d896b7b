"""A chunk is used when the answer shows something that the chunk has and the prompt has not."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookclaw_py import text
from hookclaw_py.learning import attribution
from hookclaw_py.learning.attribution import Attribution, attribute, objected
from hookclaw_py.model.types import Chunk
from tests.conftest import chunk

COMMON = dict.fromkeys(text.terms("cat room service tyres inspection"), 0.3)
LABELLED = Path(__file__).parents[2] / "eval" / "data" / "attribution" / "transcripts.jsonl"


def flat(terms):
    return {term: COMMON.get(term, 1.0) for term in terms}


def kinds(chunks: list[Chunk], answer: str, prompt: str = "") -> list[Attribution]:
    found = attribute(chunks, answer, prompt, terms=text.terms, idf=flat)
    assert set(found) == {c.id for c in chunks}
    return [found[c.id] for c in chunks]


def kind(body: str, answer: str, prompt: str = "") -> Attribution:
    return kinds([chunk(body)], answer, prompt)[0]


def test_a_short_fact_is_cited_by_its_one_telling_word():
    """Mend 12: "API key is abc" could never be cited."""
    assert kind("API key is abc", "Use abc, as noted.", "what is the API key?") is Attribution.USED


def test_substrings_and_common_words_are_no_citation():
    """Mend 12: "form" counted in "format", and common words counted."""
    assert kind("the registration form asks for a birthday", "The format is JSON.") is Attribution.IGNORED
    assert (
        kind("it is in the shed, and that is where it was", "It is what it is, and that was that.")
        is Attribution.IGNORED
    )
    rare = chunk("zither strings cost a lot", id="1")
    met = chunk("the cat sleeps in that room", id="2")
    assert kinds([rare, met], "A cat may enter any room it likes.", "tell me of animals") == [
        Attribution.IGNORED,
        Attribution.IGNORED,
    ]


def test_an_answer_that_only_repeats_the_prompt_earns_nothing():
    """Mend 12."""
    prompt = "how do we store the reset tokens of the customer portal?"
    assert kind("Reset tokens of the customer portal are SHA-256 hashes", prompt, prompt) is Attribution.RELEVANT


def test_attribution_is_per_chunk_not_per_file():
    """Mend 11: two chunks of one file, only one of them used."""
    first = chunk("ferry to Karlskrona on 14 March, cabin 4112", id="1", path="memory/a.md")
    second = chunk("the bike needs a new hub", id="2", path="memory/a.md")
    answer = "Your ferry leaves on 14 March; the cabin is 4112."
    assert kinds([first, second], answer, "when do I leave?") == [Attribution.USED, Attribution.IGNORED]


def test_a_long_answer_from_general_knowledge_meets_a_note_in_single_words_only():
    note = "Car: Skoda, 2014, inspection due in May, garage Petersen does the service and has the winter tyres."
    answer = (
        "Check the service book, the mileage, rust on the underside and the age of the tyres. Take a test drive, listen "
        "to engine and gearbox, and try the brakes. Any garage will look at it for a small fee."
    )
    assert kind(note, answer, "what should I look at when I buy a used car?") is not Attribution.USED
    told = "Ask garage Petersen for the service book; inspection is due in May."
    assert kind(note, told, "what should I do about the car?") is Attribution.USED


@pytest.mark.parametrize(
    ("note", "answer"),
    [
        ("budget for the bike is 1,400", "He has 1400 to spend."),
        ("retries: five attempts", "It tries 5 times."),
        ("Frist: zwölf Wochen", "Es sind 12 Wochen."),
        ("the visa ends on 2027-05-07", "On 7 May 2027, so soon."),
        ("order ORD-2024-000123", "That is ORD-2024-000123."),
    ],
)
def test_numbers_and_dates_are_the_same_in_another_writing(note, answer):
    assert kind(note, answer, "what was it?") is Attribution.USED


def test_of_two_chunks_with_the_same_words_the_one_with_more_to_show_gets_the_credit():
    best = chunk("Porto: Casa do Largo was best, quiet courtyard, ask for room seven", id="1")
    other = chunk("Porto: the river hotel was noisy, courtyard full of bikes", id="2")
    answer = "Casa do Largo: the courtyard was quiet, ask for room 7."
    for order in ([best, other], [other, best]):
        found = dict(zip((c.id for c in order), kinds(order, answer, "which hotel did we like in Porto?"), strict=True))
        assert found == {best.id: Attribution.USED, other.id: Attribution.RELEVANT}


def test_both_get_credit_when_each_adds_something():
    form = chunk("School trip: Emil needs a raincoat and a signed form by Thursday", id="1")
    sick = chunk("Emil gets travel sick, tablets are in the bathroom", id="2")
    answer = "A raincoat and the signed form by Thursday. Tablets from the bathroom, as he gets travel sick."
    assert kinds([form, sick], answer, "what does Emil need for the trip?") == [Attribution.USED, Attribution.USED]


@pytest.mark.parametrize(
    "answer",
    [
        "Your notes still say Heroku, but that is outdated: the workflow pushes to Fly.io.",
        "It says Heroku. That is no longer true.",
        "The note about Heroku is wrong.",
        "Laut Notiz Heroku; das stimmt nicht mehr.",
    ],
)
def test_an_answer_that_calls_a_memory_out_of_date_contradicts_it(answer):
    old = chunk("Portal is deployed to Heroku from the main branch", id="1")
    other = chunk("Fridge belongs to the second team", id="2")
    assert kinds([old, other], answer, "where do we deploy the portal?") == [
        Attribution.CONTRADICTED,
        Attribution.IGNORED,
    ]


def test_what_went_wrong_elsewhere_contradicts_no_memory():
    note = "the manifest of the nightly job is cached in redis"
    assert kind(note, "The manifest was wrong, redis had cached an old one.", "why did it fail?") is Attribution.USED


def test_a_memory_that_says_itself_what_is_out_of_date_is_used_when_repeated():
    note = "sessions are signed cookies, the Redis page in the handbook is outdated"
    answer = "They are signed cookies; the Redis page in the handbook is outdated."
    assert kind(note, answer, "how do sessions work?") is Attribution.USED


def test_of_an_old_and_a_new_memory_only_the_one_that_is_meant_is_contradicted():
    old, new = chunk("Exports land in bucket acme-west", id="1"), chunk("Exports moved to bucket acme-east", id="2")
    answer = "They are in acme-east. The note that names acme-west is obsolete."
    assert kinds([old, new], answer, "where are the exports?") == [Attribution.CONTRADICTED, Attribution.USED]


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("no, that's outdated, we changed that last week", {"1", "2"}),
        ("Nein, das stimmt nicht mehr.", {"1", "2"}),
        ("that's wrong, the blue room is closed", {"1"}),
        ("it's not 9:15 any more", {"1"}),
        ("we no longer meet in the blue room", {"1"}),
        ("thanks! now what's wrong with the build?", set()),
        ("I no longer need this, thanks", set()),
        ("no, that is all for today", set()),
        ("", set()),
    ],
)
def test_the_next_message_of_the_user_can_object_to_what_the_answer_used(message, meant):
    one, two = chunk("Standup is at 9:15 in the blue room", id="1"), chunk("Standup takes ten minutes", id="2")
    unused = chunk("blue bins are for paper, that's wrong in the leaflet", id="3")
    before = {one.id: Attribution.USED, two.id: Attribution.USED, unused.id: Attribution.IGNORED}
    found = objected([one, two, unused], before, message, terms=text.terms)
    assert found == {c.id for c in (one, two) if c.id[-1] in meant}


def test_a_long_objection_that_names_no_memory_is_about_something_else():
    note = chunk("Standup is at 9:15", id="1")
    message = "that's wrong, the function should return a list and not a generator, since the caller takes its length"
    assert not objected([note], {note.id: Attribution.USED}, message, terms=text.terms)


def test_a_store_of_two_notes_has_rare_words_too():
    def idf(terms):
        return {term: math.log(1 + (2 - 1 + 0.5) / (1 + 0.5)) for term in terms}

    note = chunk("wifi password: moosehead")
    found = attribute([note], "The password is moosehead.", "what is the wifi password?", terms=text.terms, idf=idf)
    assert found == {note.id: Attribution.USED}


prose = st.text(st.sampled_from("abc de. 15,-\n?ß公"), max_size=60)


@settings(max_examples=150)
@given(st.lists(prose, max_size=4, unique=True), prose, prose)
def test_every_chunk_gets_one_kind_and_only_words_of_the_answer_beyond_the_prompt_count(bodies, answer, prompt):
    chunks = [chunk(body, id=str(n)) for n, body in enumerate(bodies)]
    found = attribute(chunks, answer, prompt, terms=text.terms, idf=flat)
    assert list(found) == [c.id for c in chunks]
    assert attribute(chunks[::-1], answer, prompt, terms=text.terms, idf=flat) == found
    for c in chunks:
        said = attribution.plain(answer)
        words = {term for part in (said, *attribution.sentences(said)) for term in text.terms(part)}
        if words.isdisjoint(text.terms(attribution.plain(c.text))):
            assert found[c.id] is not Attribution.USED
    repeated = attribute(chunks, prompt, prompt, terms=text.terms, idf=flat)
    assert Attribution.USED not in repeated.values()


def test_on_our_labelled_transcripts_most_of_what_it_calls_used_is_and_most_used_is_found():
    """The bar of the held-out half; ``eval/studies/attribution.py`` prints the whole table."""
    rows = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    right = called = used = 0
    for row in rows:
        if row["split"] == "test":
            chunks = [chunk(c["text"], id=str(n)) for n, c in enumerate(row["chunks"])]
            for label, found in zip(row["chunks"], kinds(chunks, row["answer"], row["prompt"]), strict=True):
                was = label["kind"] in ("used", "contradicted")  # an objection may still come
                used, called = used + was, called + (found in (Attribution.USED, Attribution.CONTRADICTED))
                right += was and found in (Attribution.USED, Attribution.CONTRADICTED)
    assert right / called >= 0.85
    assert right / used >= 0.7


def probable(body: str, answer: str, prompt: str = "") -> float:
    note = chunk(body)
    return attribution.probability(attribution.overlaps([note], answer, prompt, terms=text.terms, idf=flat)[note.id])


def test_words_that_stand_together_say_more_than_scattered_ones():
    note = "amber lantern beside copper kettle"
    together = "Look for an amber lantern, and then for ginger, salted plums and walnuts; a kettle too."
    scattered = "Look for amber, and then for ginger, a lantern, salted plums and walnuts; a kettle too."
    assert probable(note, together) > probable(note, scattered)
    in_one = "We saw ginger and amber with the kettle and plums. Walnuts were sold. Salted ones were gone."
    spread = "We saw ginger and amber. Walnuts were sold with the plums and the kettle. Salted ones were gone."
    assert probable(note, in_one) > probable(note, spread)


@given(
    st.lists(st.sampled_from(["amber", "lantern", "copper", "kettle", "ginger", "walnut", "plum", "salt"]), max_size=12)
)
def test_a_longer_answer_needs_more_to_show(filler):
    note, answer = "amber lantern beside copper kettle", "the amber lantern."
    assert probable(note, f"{answer} {' '.join(f'{w}{n}' for n, w in enumerate(filler))}") <= probable(note, answer)
    assert probable(note, answer, prompt="an amber lantern") == 0.0
