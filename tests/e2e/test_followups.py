"""A conversation about somebody's notes, with the real model: what a prompt leaves out is taken from the turns before."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hookclaw_py.build import STAGES
from hookclaw_py.config import Config
from hookclaw_py.doors import answers
from hookclaw_py.engine import Engine
from hookclaw_py.insight.explaining import print_explanation
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.reason import Reason
from hookclaw_py.model.types import Message, Outcome, Prompt

AT = datetime(2026, 2, 20, 9, tzinfo=UTC)
SECONDS = 4  # of a recall whose search is slow
NOTES = {
    "Boathouse.md": "Rented from Kåre, 5,600 a year since January.\n- paid by 1 May\n- notice 3 months, in writing\n",
    "Orienteering.md": "Coach is Geir, helped by Tuva.\n- Geir: text only, 15 55 12 86\n- Wednesdays at the school\n",
    "Plumber.md": "Sturla, 15 55 90 01, comes on Fridays. Fixed the tap in the kitchen.\n",
    "Grünkohl.md": "2,5 kg Grünkohl, mit 3 EL Haferflocken binden.\n- 2 Stunden leise kochen\n",
    "Heat pump.md": "Filter every second month, service by Nordvarme each September.\n",
    "Plugs.md": "Van Leeuwen, customer no. 40877.\n- claims within 48 hours of delivery: a photo with the tray label visible, or no credit\n",
    "Gym.md": "Membership paid until June, notice two weeks.\n",
}
RENT = [("user", "what's the rent for the boathouse"), ("assistant", "5,600 a year.")]
COACH = [("user", "who coaches orienteering"), ("assistant", "Geir, helped by Tuva.")]
PLUGS = [("user", "the van leeuwen plugs came damaged, how long do i have"), ("assistant", "48 hours.")]
DIARY = """
# Journal 2026

## January

### Mon 12.1.
Plumber came for the tap in the kitchen.

### Tue 13.1.
Kåre rang, the boathouse needs a new roof.

### Wed 14.1.
Night training with Geir, frost.

### Mon 19.1.
Tuva has the flu.
"""
TAP = [("user", "who fixed the tap in the kitchen"), ("assistant", "Sturla did.")]


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    notes, store = tmp_path_factory.mktemp("notes"), tmp_path_factory.mktemp("store")
    for name, text in NOTES.items():
        (notes / name).write_text(text, encoding="utf-8")
    with Engine.open(Config(timezone="Europe/Oslo"), folder=store, strict=True) as engine:
        engine.index(notes)
        yield engine


@pytest.fixture(scope="module")
def diary(tmp_path_factory):
    notes, store = tmp_path_factory.mktemp("diary"), tmp_path_factory.mktemp("store")
    (notes / "Journal.md").write_text(DIARY, encoding="utf-8")
    with Engine.open(Config(timezone="Europe/Oslo"), folder=store, strict=True) as engine:
        engine.index(notes)
        yield engine


def ask(engine, prompt, turns, session="s"):
    said = tuple(Message(role, text) for role, text in turns)
    asked = Prompt(prompt, AT, agent_id=engine.agent, session_id=session, recent=said, audience=Audience.OWNER)
    return engine.recall(asked)


@pytest.mark.parametrize(
    ("turns", "prompt", "answer"),
    [
        (RENT, "and how long is the notice?", "notice 3 months"),
        (RENT, "until when do I have to pay it", "paid by 1 May"),
        (COACH, "and his number?", "15 55 12 86"),
        (COACH, "which day is that", "Wednesdays"),
        (RENT, "is that a problem", "5,600"),
        (PLUGS, "what has to be on the photo", "tray label visible"),
        ([("user", "womit binde ich den Grünkohl")], "und wie lange muss der kochen?", "2 Stunden"),
    ],
)
def test_a_follow_up_gets_the_note_that_the_conversation_is_about(engine, turns, prompt, answer):
    found = ask(engine, prompt, turns)
    assert found.outcome is Outcome.INJECTED
    assert answer in found.candidates[0].chunk.text


ON_THE_12TH = ("user", "what happened on 12 January")


@pytest.mark.parametrize(
    ("turns", "prompt", "answer"),
    [
        ([ON_THE_12TH], "and the day after?", "new roof"),
        ([ON_THE_12TH, ("assistant", "The Plumber came.")], "and the day after", "new roof"),
        (
            [ON_THE_12TH, ("user", "and the day after?"), ("assistant", "A roof.")],
            "and the day after?",
            "Night training",
        ),
        ([ON_THE_12TH], "and the week after?", "Tuva has the flu"),
        ([("user", "what did we do on 14 January")], "and the day before", "new roof"),
        ([("user", "was war am 12.1.")], "und am tag danach", "new roof"),
        ([("user", "was war am 14.1.")], "und am Tag davor?", "new roof"),
        ([("user", "qu'est-ce qu'on a fait le 12 janvier")], "et le lendemain ?", "new roof"),
        ([("user", "qué hicimos el 12 de enero")], "y al día siguiente?", "new roof"),
    ],
)
def test_the_day_after_is_the_one_after_the_day_that_was_asked_for(diary, turns, prompt, answer):
    found = ask(diary, prompt, turns)
    assert answer in found.candidates[0].chunk.text


def test_equal_follow_ups_after_different_turns_do_not_share_an_answer(engine):
    of_the_coach, of_the_plumber = (ask(engine, "and his number?", turns, "one") for turns in (COACH, TAP))
    assert of_the_coach.candidates[0].chunk.place.path == "Orienteering.md"
    assert of_the_plumber.candidates[0].chunk.place.path == "Plumber.md"


def test_a_complete_prompt_is_searched_as_it_is_whatever_was_said_before(engine):
    prompt = "how often does the heat pump need a new filter"
    alone, after = ask(engine, prompt, []), ask(engine, prompt, RENT, "another")
    assert after.query == alone.query
    assert after.text == alone.text != ""


def test_who_asks_nothing_but_why_is_told_the_reason_that_the_note_gives(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Queue.md").write_text(
        "# Queue\n\nWe decided to use NATS instead of RabbitMQ because of ops load.\n"
    )
    with Engine.open(Config(), folder=tmp_path / "store", strict=True) as engine:
        engine.index(tmp_path / "notes")
        for why in ("why?", "Warum?", "pourquoi ?", "¿por qué?"):
            assert ask(engine, why, []).why.kind is Reason.TOO_SHORT
            decided = [("user", "which queue did we decide on?"), ("assistant", "NATS.")]
            assert "ops load" in ask(engine, why, decided, why).text


def test_small_talk_stays_silent_in_a_conversation(engine):
    for prompt in (
        "thanks, great!",
        "ok",
        "and thank you",
        "haha right, her",
        "oh how nice",
        "wow, that's a lot",
    ):
        assert not ask(engine, prompt, RENT).text, prompt


def test_a_question_of_a_few_words_that_the_notes_answer_by_themselves_is_answered_by_them(engine):
    prompt = "how long is the gym membership paid"
    assert ask(engine, prompt, RENT, "third").text == ask(engine, prompt, []).text != ""


def test_a_follow_up_is_told_the_rest_of_the_section_too(tmp_path):
    long = "\n\n".join(f"Paragraph {n}: " + "the hull was planed and oiled by the pier again. " * 12 for n in range(2))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Tordis.md").write_text(f"Tordis was built by Hjelle.\n\n{long}\n\nShe draws 1.1 m.\n")
    with Engine.open(Config(), folder=tmp_path / "store", strict=True) as engine:
        engine.index(tmp_path / "notes")
        built = [("user", "who built tordis"), ("assistant", "Hjelle.")]
        assert "1.1 m" in ask(engine, "and how deep does she go", built).text


def test_what_was_added_is_told_in_the_explanation(engine, capsys):
    found = ask(engine, "and how long is the notice?", RENT, "told")
    print_explanation(found, limit=1)
    assert 'searched with "what\'s the rent for the boathouse"' in " ".join(capsys.readouterr().out.split())
    assert answers.explanation(found)["query"]["context"] == "what's the rent for the boathouse"


@pytest.mark.parametrize(
    ("said", "prompt", "carried"),
    [
        ("车库的租金是多少", "还有呢？", ["车库", "租金"]),
        ("weißt du wem das Bootshaus gehört", "und seine Nummer?", ["bootshaus", "gehort"]),
    ],
)
def test_of_a_turn_before_is_sought_what_it_asks_of_and_not_that_it_asks(engine, said, prompt, carried):
    found = ask(engine, prompt, [("user", said), ("assistant", "…")], "asking")
    assert list(found.query.carried) == carried


def test_a_conversation_that_cannot_be_read_costs_only_what_it_would_have_added(tmp_path):
    def explode(*_, **__):
        raise ZeroDivisionError("left_out exploded")

    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Boathouse.md").write_text(NOTES["Boathouse.md"], encoding="utf-8")
    stages = replace(STAGES, context=explode)
    with Engine.open(Config(), folder=tmp_path / "store", stages=stages) as engine:
        engine.index(tmp_path / "notes")
        found = ask(engine, "what is the rent for the boathouse?", RENT)
    assert "5,600" in found.text
    assert [fault.stage for fault in found.faults] == ["context"]


def test_where_the_first_search_took_half_of_the_time_there_is_no_second(tmp_path):
    searched: list[str] = []

    def slow(lexical, query, pool_size, **how):
        searched.append(query.context)
        time.sleep(0.5 * SECONDS)
        return STAGES.bm25(lexical, query, pool_size, **how)

    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Plugs.md").write_text("What has to be on the photo: the tray label.\n", encoding="utf-8")
    stages, config = replace(STAGES, bm25=slow), Config(timeoutMs=1000 * SECONDS, enableVector=False)
    with Engine.open(config, folder=tmp_path / "store", stages=stages) as engine:
        engine.index(tmp_path / "notes")
        found = ask(engine, "what has to be on the photo", PLUGS)
    assert "tray label" in found.text
    assert searched == [""]
    assert not found.faults
