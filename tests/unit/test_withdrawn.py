"""What an answer guessed and the person set right does not come back as a memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from hookclaw_py import Engine
from hookclaw_py.capture.processing import Processor
from hookclaw_py.capture.reports import Report
from hookclaw_py.config import Config
from hookclaw_py.consolidate.sessions import Consolidation
from hookclaw_py.ingest.corrected import without_withdrawn
from hookclaw_py.ingest.spoken import Turn
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.types import Prompt
from hookclaw_py.speech.withdrawn import withdrawn

AT = datetime(2026, 3, 3, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("answer", "objection"),
    [
        ("Probably the disk of the archive is full.", "no, it was the quota"),
        ("I suspect the cache is stale.", "the cache is fine, i looked. try the proxy"),
        ("A known cause is firmware 4.1.", "its on 4.3 since may, cant be that"),
        ("Vermutlich ist die Pumpe defekt.", "nein, die sicherung war raus"),
        ("Der Akku ist wohl leer.", "akku ist neu, hab ich gestern gewechselt"),
        ("C'est probablement la courroie.", "non, la courroie est neuve"),
        ("Quizás es el filtro.", "no, el filtro lo cambié ayer"),
        ("可能是电池没电了。", "不是，电池是新的，是线断了"),
        ("档案室在学校的二楼。", "不，档案室在学校的地下室"),
        ("Ruth is your landlady.", "no no ruth is the neighbour, the landlady is mrs keel"),
    ],
)
def test_a_guess_goes_when_the_person_sets_it_right(answer, objection):
    assert withdrawn(answer, objection) == [answer]


def test_a_guess_goes_when_the_next_answer_gives_it_up():
    guess = "I suppose it is the seal."
    prompt = "the hinge came off in my hand when i looked, two screws were missing"
    assert withdrawn(guess, prompt, "Then it is not the seal but the hinge.") == [guess]


@pytest.mark.parametrize(
    ("answer", "following"),
    [
        ("Probably the disk is full.", "yes, 100 percent. what can go"),
        ("Probably the disk is full.", "genau, gut gesehen"),
        ("Probably the disk is full.", "thanks. now the invoice for march"),
        ("The backup ran at 03:00 and took nine minutes.", "no more reminders about lunch please"),
        ("Shall I send it now?", "no, later"),
        ("The invoice is in the folder march.", "not a word to jan about the party"),
    ],
)
def test_what_nobody_set_right_stays(answer, following):
    assert withdrawn(answer, following) == []


def test_beside_a_wrong_guess_stands_what_was_seen():
    answer = "The sync stops at row 812. Probably the server was restarted."
    assert withdrawn(answer, "no, the server has been up since may. row 812 has a tab in it") == [
        "Probably the server was restarted."
    ]


def test_of_the_turn_the_rest_stays_and_the_correction_stands():
    said = Turn((("user", "why is it slow"), ("assistant", "Ping is 3 ms. Perhaps the switch is old.")), AT, (1, 1))
    after = Turn((("user", "no, the switch is from last week, it was the cable"),), AT, (2, 2))
    assert [turn.said for turn in without_withdrawn([said, after])] == [
        (("user", "why is it slow"), ("assistant", "Ping is 3 ms.")),
        (("user", "no, the switch is from last week, it was the cable"),),
    ]


def test_a_captured_guess_that_was_wrong_is_not_recalled():
    told = [
        ("the pump of the greenhouse stops every night at 2, why", "Maybe the timer is set to winter hours."),
        ("no, a fox bit through its cable, i taped it", "A bitten cable then; taped."),
    ]
    with Engine.in_memory(Config(timezone="UTC")) as engine:
        engine.capturing.record([*reported(told)], at=AT)
        work = Consolidation(engine.store, agent=engine.agent, zone=UTC, clock=lambda: AT)
        day = timedelta(days=1)
        Processor(engine.store, work, stuck=day, keep=day, on_failure=pytest.fail).run(lambda: AT)
        engine.catch_up()
        asked = "why does the pump of the greenhouse stop at night"
        block = engine.recall(Prompt(asked, AT + day, engine.agent, audience=Audience.OWNER), record=False).text
    assert "fox bit through its cable" in block
    assert "winter hours" not in block


def reported(told: list[tuple[str, str]]) -> Iterator[Report]:
    for number, turn in enumerate(told):
        for kind, words in zip((HappeningKind.PROMPT, HappeningKind.ANSWER), turn, strict=True):
            at = AT + timedelta(minutes=number)
            yield Report(
                kind,
                at,
                "openclaw",
                "agent:main:main",
                str(number),
                f"{kind} {number}",
                Audience.OWNER,
                payload={"text": words},
            )
