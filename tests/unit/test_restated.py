"""What a person said later of the same takes the place of what they said before, however it is worded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hookclaw_py import text
from hookclaw_py.calibration.constants import RestatedRules
from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.types import Chunk, Effect, Query
from hookclaw_py.speech.former import asks_what_happened
from hookclaw_py.speech.values import values_of
from hookclaw_py.stages import restated
from tests.conftest import candidate

MARCH, MAY = datetime(2026, 3, 3, 9, 12, tzinfo=UTC), datetime(2026, 5, 4, 18, 30, tzinfo=UTC)
ASKED_AT = datetime(2026, 6, 1, 9, tzinfo=UTC)


def turn(said: str, at: datetime, relevance: float = 0.8):
    return candidate(f"User: {said}", relevance, relevance, path=f"{at:%m-%d}", created_at=at, kind=SESSION)


def told(prompt: str, *turns, beside: tuple[Chunk, ...] = ()) -> tuple[list[str], list[str]]:
    """Return what still answers a prompt, best first, and what is outdated."""
    terms = text.terms(prompt)
    query = Query(prompt, ASKED_AT, terms, terms)
    rest, gone = restated.follow(
        turns, query, beside=lambda *_: beside, rarity=lambda found: dict.fromkeys(found, 0.8), min_score=0.5
    )
    return [c.chunk.place.path for c in rest], [c.chunk.place.path for c in gone]


@pytest.mark.parametrize(
    ("prompt", "before", "since"),
    [
        (
            "how high is the rent of the flat",
            "the rent for the flat is 890",
            "since august the rent is 940 for the flat, not 890",
        ),
        ("when is the retro", "the retro is on tuesday at 10:00", "we moved the retro to thursday"),
        (
            "when are the dunning reminders",
            "dunning: three reminders, at 7, 14 and 30 days after due date",
            "dunning reminders at 10/20/40 days instead of 7/14/30",
        ),
        (
            "when are the tablets taken",
            "the tablets are taken at 8, 12 and 16",
            "tablets: from 8, 12 and 16 to 9, 13 and 17",
        ),
        (
            "which port has the staging db",
            "staging db is on port 5433",
            "pgbouncer is there. port of staging is 6432 now, not 5433",
        ),
        (
            "how large are the tanks",
            "fill it into tanks of 20k",
            "tanks should be 5k, not 20,000, Lund says the quay is too weak",
        ),
        (
            "what time is the regatta",
            "the regatta is on 10 may at 9:30",
            "the regatta is on 17 may at 11:00 instead of the 10th",
        ),
        ("when is the cutover", "the cutover is on 20 nov", "cutover pushed to 4 dec"),
        ("when is my physio", "physio is tuesdays 7:30 at frau vogel", "physio moved. mondays 17:00 from next week"),
        ("how many parcels are stored", "we have 214 parcels stored", "number of parcels stored is 238 since friday"),
        (
            "is the refund ticket still open",
            "the refund ticket is open, jan puts it in on monday",
            "jan has put the refund ticket in, it is closed",
        ),
        (
            "did i write to the harbour",
            "still have to write to the harbour",
            "wrote to the harbour. they say boats must be tied",
        ),
        ("ist der Toner bestellt", "noch offen: Toner bestellen", "Toner bestellt, kommt mit der Post"),
        ("when is the parents' evening", "parents' evening is on dec 8", "parents' evening is on the 9th, not the 8th"),
        (
            "when is the vaccination",
            "vaccination is on november 12",
            "we moved the vaccination from the 12th to the 14th",
        ),
        ("wann ist die Impfung", "die Impfung ist am 12. November", "die Impfung ist am 14., nicht am 12."),
        (
            "wie hoch ist der Abschlag für Strom",
            "der Abschlag für Strom ist 142 Euro",
            "der Abschlag für Strom ist jetzt 118 Euro",
        ),
        (
            "wann ist der Termin beim Zahnarzt",
            "Termin beim Zahnarzt am 14. April um 15:20",
            "neuer Termin beim Zahnarzt: 5. Mai um 8:10",
        ),
        (
            "quel est le loyer du garage",
            "le loyer du garage est 80 euros",
            "le loyer du garage est maintenant 95 euros",
        ),
        (
            "a qué hora es la clase de baile",
            "la clase de baile es a las 18:00",
            "la clase de baile ahora es a las 19:30",
        ),
        (
            "c'est quoi le numero de bastien",
            "bastien lacoste m'a rappelé, son nouveau num c'est le 05 59 31 72 40",
            "le num de bastien que je t'ai donné est faux, c'est le 05 59 31 72 04",
        ),
        ("健身房的费用是多少", "健身房的费用是 38 元", "健身房的费用现在是 42 元"),
    ],
)
def test_what_was_said_later_takes_the_place(prompt, before, since):
    assert told(prompt, turn(before, MARCH, 0.9), turn(since, MAY)) == (["05-04"], ["03-03"])


@pytest.mark.parametrize(
    ("prompt", "before", "since"),
    [
        ("how high is the rent of the flat", "the rent for the flat is 890", "the rent of the garage is 60 now"),
        ("when is the retro", "the retro is on tuesday at 10:00", "the standup moved to thursday"),
        ("who is the dentist", "dr. ruiz is the dentist, 38 euro a visit", "the dentist was fine, i paid 40 euro"),
        ("how many parcels are stored", "we have 214 parcels stored", "are 238 parcels stored now?"),
        ("when are the tablets taken", "the tablets are taken at 16 and 20", "the tablets of Ben: 9, not 8 and 16"),
        ("when is the retro", "the retro is on tuesday at 10:00", "the retro was good, they liked it"),
        (
            "what time is the regatta",
            "the regatta is on 10 may at 9:30",
            "the regatta moved to 17 may instead of the 10th",
        ),
        ("um wie viel Uhr ist die Probe", "die Probe ist am 10. Mai um 9:30", "die Probe ist am 17. Mai, nicht am 10."),
        ("did i pay the deposit", "still have to pay the deposit", "paid the rent. the deposit must wait"),
        ("which port has the staging db", "staging db is on port 5433", "production got a new disk, 2 tb"),
    ],
)
def test_what_is_of_something_else_leaves_it(prompt, before, since):
    assert told(prompt, turn(before, MARCH, 0.9), turn(since, MAY)) == (["03-03", "05-04"], [])


LONG = "the rehearsal is on tuesday with us, bring a folder for old scores whenever the choir master wants pencil marks"
MOVED = "so we moved the rehearsal to thursday because the organist teaches pupils over there in winter"


@pytest.mark.parametrize(
    ("prompt", "since", "relevance", "outdated"),
    [
        ("when is the rehearsal", MOVED, 0.7, True),
        ("when is the rehearsal", MOVED, 0.4, False),  # it answers nothing by itself
        ("what parking fee will guests at the rehearsal pay", MOVED, 0.7, False),  # asked is more than both speak of
        ("when does the choir master begin the rehearsal", MOVED, 0.7, False),  # the earlier one says more of it
        ("when does anna have the rehearsal", f"anna comes in june. {MOVED}", 0.7, False),  # in two
    ],
)
def test_all_that_is_asked_in_one_later_sentence_that_answers_is_enough(prompt, since, relevance, outdated):
    before = LONG if "anna" not in prompt else LONG.replace("rehearsal is", "rehearsal of anna is")
    assert told(prompt, turn(before, MARCH, 0.9), turn(since, MAY, relevance))[1] == ["03-03"] * outdated


def test_a_step_that_is_done_is_outdated_however_much_else_is_said_of_the_same():
    turns = turn("still have to write to Lund", MARCH, 0.9), turn("wrote to Lund. he says boats must be tied", MAY)
    prompt = "did i write to Lund"
    query = Query(prompt, ASKED_AT, text.terms(prompt), text.terms(prompt))
    common = {"beside": lambda *_: (), "rarity": lambda found: dict.fromkeys(found, 0.1), "min_score": 0.5}
    kept, gone = restated.follow(turns, query, **common)
    assert ([c.chunk.place.path for c in kept], [c.chunk.place.path for c in gone]) == (["05-04"], ["03-03"])


def test_only_a_persons_words_outdate():
    answer = candidate(
        "User: ok\nAssistant: The rent of the flat is 940 now, not 890.",
        0.7,
        0.7,
        path="05-04",
        created_at=MAY,
        kind=SESSION,
    )
    kept, gone = told("how high is the rent of the flat", turn("the rent of the flat is 890", MARCH), answer)
    assert (kept, gone) == (["03-03", "05-04"], [])


def test_what_was_said_earlier_or_after_the_moment_outdates_nothing():
    older, newer = turn("the rent of the flat is 890", MAY), turn("the rent of the flat is 940 now", MARCH)
    assert told("how high is the rent of the flat", older, newer)[1] == ["03-03"]  # the later one is right
    future = turn("the rent of the flat is 990 now", ASKED_AT + timedelta(days=1))
    assert told("how high is the rent of the flat", older, future)[1] == []


def test_the_later_turn_is_found_beside_and_stands_where_the_first_did():
    before, since = turn("the retro is on tuesday", MARCH, 0.9), turn("we moved the retro to thursday", MAY)
    other = turn("retro notes are in the wiki", MARCH + timedelta(days=1), 0.7)
    assert told("when is the retro", before, other, beside=(since.chunk,)) == (["05-04", "03-04"], ["03-03"])


def test_explain_tells_what_outdates_a_turn():
    before, since = turn("the retro is on tuesday", MARCH, 0.9), turn("we moved the retro to thursday", MAY)
    terms = text.terms("when is the retro")
    query = Query("when is the retro", ASKED_AT, terms, terms)
    _, [gone] = restated.follow([before, since], query, beside=lambda *_: (), rarity=lambda _: {}, min_score=0.5)
    assert gone.fate is Effect.OUTDATED
    assert gone.history[-1].other == since.chunk.id
    assert "says that it changed: 05-04" in gone.history[-1].note


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("tuesday 24 march at 18h", {"weekday": {"day 1"}, "date": {"24.3."}, "day": {"24."}, "clock": {"18:00"}}),
        ("3,4 bar statt 3,0 bar", {"in bar": {"3,4", "3,0"}}),
        ("der kuckuck hat die 192.168.20.31", {"address": {"192.168.20.31"}}),
        ("from 780 to 815 since october 2024", {"number": {"780", "815"}, "date": {"october2024"}}),
        ("nothing of the kind in 2025", {}),
        ("the evening is on dec 8 at 19:00", {"date": {"8.12."}, "day": {"8."}, "clock": {"19:00"}}),
        ("der Elternabend ist am 8. Dezember", {"date": {"8.12."}, "day": {"8."}}),
        ("december 3rd", {"date": {"3.12."}, "day": {"3."}}),
        ("thursday the 12th at 15:30", {"weekday": {"day 3"}, "day": {"12."}, "clock": {"15:30"}}),
        ("am 18.11. um 8:15", {"date": {"18.11."}, "day": {"18."}, "clock": {"8:15"}}),
        ("in may 890 euros, on the 2nd floor", {"in euro": {"890"}}),
        ("der 2. Stock hat 4 Zimmer", {"number": {"2", "4"}}),
        ("not 5am, half past: 05:30, 9.30pm, 7 Uhr", {"clock": {"5:00", "5:30", "21:30", "7:00"}}),
        (
            "tanks of 20k, 1.5k euros, 5km, 5kg",
            {"number": {"20000"}, "in euro": {"1500"}, "in km": {"5"}, "in kg": {"5"}},
        ),
        ("they want £1,150 on the 1st tho", {"number": {"1150"}, "day": {"1."}}),
    ],
)
def test_values_are_of_a_sort(said, values):
    assert values_of(said) == {sort: frozenset(found) for sort, found in values.items()}


def test_what_was_noted_is_not_outdated_by_what_is_said_and_no_note_outdates_what_was_said():
    """A note that changed is for another stage: here a person says something anew."""
    noted = candidate("the retro is on tuesday", 0.9, 0.9, path="retro.md", created_at=MARCH)
    since = turn("we moved the retro to thursday", MAY)
    assert told("when is the retro", noted, since) == (["retro.md", "05-04"], [])
    before = turn("the retro is on tuesday", MARCH, 0.9)
    moved = candidate("we moved the retro to thursday", 0.8, 0.8, path="retro.md", created_at=MAY)
    assert told("when is the retro", before, moved) == (["03-03", "retro.md"], [])


def test_of_several_later_words_the_last_ones_count_and_explain_names_them():
    april = datetime(2026, 4, 1, 9, tzinfo=UTC)
    before, between = turn("the retro is on tuesday", MARCH, 0.9), turn("we moved the retro to wednesday", april)
    last = turn("we moved the retro to thursday", MAY)
    terms = text.terms("when is the retro")
    query = Query("when is the retro", ASKED_AT, terms, terms)
    rest, gone = restated.follow(
        [before, between, last], query, beside=lambda *_: (), rarity=lambda _: {}, min_score=0.5
    )
    assert [c.chunk.id for c in rest] == [last.chunk.id]
    assert {c.history[-1].other for c in gone} == {last.chunk.id}


def test_a_turn_that_says_other_things_as_well_is_outdated_by_what_it_says_of_that():
    before = turn("I slept badly. the retro is on tuesday", MARCH, 0.9)
    since = turn("we moved the retro to thursday", MAY)
    assert told("when is the retro", before, since) == (["05-04"], ["03-03"])


RULES = RestatedRules(differs=0.4, behind=0.7, akin=0.4, least=0.6)


def first_told(prompt: str, *turns) -> list[tuple[str, bool]]:
    """Return the turns in their order, and whether each says that it may be outdated."""
    terms = text.terms(prompt)
    query = Query(prompt, ASKED_AT, terms, terms)
    told = restated.latest_first(
        turns,
        query,
        worth=lambda c: c.relevance >= 0.5,
        rarity=lambda found: dict.fromkeys(found, 0.8),
        rules=RULES,
    )
    return [(c.chunk.place.path, c.overtaken) for c in told]


@pytest.mark.parametrize(
    ("prompt", "before", "since"),
    [
        (
            "how many are coming to the wedding",
            "about 80 guests come to the wedding",
            "only 64 come to the wedding, half of them kids",
        ),
        (
            "when is my delf",
            "signed up for the delf on 5 june",
            "the delf: i pulled out, next one is in november",
        ),
        ("wann kommt der Klempner", "der Klempner kommt am 3. März", "der Klempner kann erst am 9. April"),
    ],
)
def test_a_later_turn_with_what_is_asked_is_told_first_and_the_earlier_one_may_be_outdated(prompt, before, since):
    assert first_told(prompt, turn(before, MARCH, 0.8), turn(since, MAY, 0.4)) == [("05-04", False), ("03-03", True)]


@pytest.mark.parametrize(
    "turns",
    [
        (turn("the delf is on 5 june", MAY), turn("the dentist is on 9 july", MARCH)),
        (turn("the delf is on 5 june", MARCH), turn("the dentist is on 9 june", MAY)),
        (turn("the delf is on 5 june", MARCH), turn("the delf is on 9 june", ASKED_AT + timedelta(days=1))),
        (turn("the delf is on 5 june", MARCH, 0.4), turn("the delf is on 9 june", MAY, 0.3)),
    ],
    ids=["an earlier one of something else", "of something else", "said after the prompt", "nothing answers"],
)
def test_nothing_is_outdated_by_what_is(turns):
    assert first_told("when is the delf", *turns) == [(c.chunk.place.path, False) for c in turns]


@pytest.mark.parametrize(
    ("prompt", "before", "since"),
    [
        (
            "when does the new website go live",
            "new website. the relaunch with Moulin goes live december 1st, budget 14,000",
            "moulin says the relaunch moved to december 8, the italian version comes in january only",
        ),
        (
            "when is Ella's violin lesson",
            "Noah's handball is wednesday 17:30, Ella has her lesson with madame Perrault on thursdays, violin",
            "and violin moved to fridays at 4:30 because madame Perrault has another group",
        ),
        (
            "wann geht die neue Webseite online",
            "die neue Webseite: der Umzug mit Moulin geht am 1. Dezember online",
            "Moulin sagt, der Umzug ist verschoben auf den 8. Dezember",
        ),
    ],
)
def test_what_is_told_by_another_name_later_is_known_by_what_else_was_said_of_it(prompt, before, since):
    turns = turn(before, MARCH, 0.8), turn("the fence is green", MAY, 0.4), turn(since, MAY + timedelta(days=2), 0.3)
    assert first_told(prompt, *turns)[:2] == [("05-06", False), ("03-03", True)]
    unchanged = turns[2]._replace(
        chunk=turn("the relaunch of Moulin, madame Perrault and der Umzug: nice.", MAY + timedelta(days=2)).chunk
    )
    assert first_told(prompt, turns[0], turns[1], unchanged)[0] == ("03-03", False)


def test_who_is_only_called_she_in_the_next_message_is_known_from_the_one_before():
    before, fence = turn("lina lives in Lyon, her rate is 12 cents", MARCH, 0.8), turn("the fence is green", MARCH, 0.6)
    since = turn("lina called about the move\nAssistant: Noted.\nUser: her rate is 14 cents", MAY, 0.4)
    others = turn("tom called about the move\nAssistant: Noted.\nUser: his rate is 14 cents", MAY, 0.4)
    assert first_told("what is the rate of lina", before, fence, since)[0] == ("05-04", False)
    assert first_told("what is the rate of lina", before, fence, others)[0] == ("03-03", False)


def test_where_a_phone_number_is_asked_for_nothing_without_one_is_newer():
    before = turn("lina lives in Lyon, phone 06 51 22 80 14", MARCH, 0.8)
    moved = turn("lina moved to Bremen, phone calls only from 9 to 2 now", MAY, 0.5)
    number = turn("lina moved to Bremen, new phone 0421 33 90 18", MAY, 0.4)
    assert first_told("what is the phone number of lina", before, moved) == [("03-03", False), ("05-04", False)]
    assert first_told("what is the phone number of lina", before, number) == [("05-04", False), ("03-03", True)]


def test_what_a_later_turn_speaks_of_is_heard_in_the_answer_that_confirms_it():
    before = turn("signed up for the race, my target is under 1:50", MARCH, 0.8)
    said = "yeah make it sub 2h then\nAssistant: The target is under two hours now."
    assert first_told("what is my target", before, turn(said, MAY, 0.7)) == [("05-04", False), ("03-03", True)]
    asks = said.replace("The target is under two hours now.", "Is that your target?")
    assert first_told("what is my target", before, turn(asks, MAY, 0.7)) == [("03-03", False), ("05-04", False)]


@pytest.mark.parametrize(
    ("prompt", "happened"),
    [
        ("what did we do about the flaky test in may", True),
        ("what happened with my knee", True),
        ("was ist mit dem Knie passiert", True),
        ("was ist passiert", True),
        ("what do we do about the flaky test", False),
        ("what did we decide about the tests", False),
    ],
)
def test_who_asks_what_happened_asks_for_no_value(prompt: str, happened: bool):
    terms = text.terms(prompt)
    assert asks_what_happened(Query(prompt, ASKED_AT, terms, terms)) is happened


def test_where_an_amount_is_asked_for_nothing_without_one_is_newer():
    before = turn("the rent is 1150", MARCH, 0.8)
    paid = turn("the rent is now paid on the 3rd", MAY, 0.7)
    raised = turn("the rent is now 1200", MAY, 0.7)
    assert first_told("how much is the rent", before, paid) == [("03-03", False), ("05-04", False)]
    assert first_told("how much is the rent", before, raised) == [("05-04", False), ("03-03", True)]


def test_the_same_time_in_another_way_of_writing_is_no_other_value():
    before, since = turn("the retro is at 9:00", MARCH, 0.8), turn("the retro is at 9am now", MAY, 0.6)
    assert told("when is the retro", before, since)[1] == []


def test_a_later_turn_without_what_the_prompt_names_stays_behind():
    wants = turn("continue with the export. DATEV wants cp1252, semicolons and 116 columns", MARCH, 0.8)
    other = turn("Lotte's birthday is on december 3rd, I want to book a table for 19:30, 6 people", MAY, 0.7)
    assert first_told("what encoding does DATEV want", wants, other) == [("03-03", False), ("05-04", False)]


def test_the_earlier_turn_that_keeps_the_later_one_company_says_that_it_may_be_outdated():
    turns = turn("the delf is on 5 june", MAY, 0.8), turn("signed up for the delf on 5 july", MARCH, 0.6)
    assert first_told("when is the delf", *turns) == [("05-04", False), ("03-03", True)]


def test_of_several_later_turns_a_near_one_with_another_value_wins():
    turns = (
        turn("the retro is on tuesday", MARCH, 0.8),
        turn("someone must prepare the retro", MAY, 0.6),
        turn("the retro is on friday", MAY + timedelta(days=2), 0.5),
    )
    assert first_told("when is the retro", *turns)[:2] == [("05-04", False), ("03-03", True)]
    assert first_told("when is the retro", turns[0], *turns[:0:-1])[:2] == [("05-06", False), ("03-03", True)]


def test_a_word_of_several_that_are_asked_for_and_another_time_are_news_of_something_else():
    before = turn("la réunion de chantier d'Arcangues passe au vendredi 9h", MARCH, 0.9)
    other = turn("la réunion avec Echeveste est le 2 décembre à 14h", MAY, 0.6)
    since = turn("la réunion du chantier commence à 10h", MAY, 0.6)
    prompt = "la réunion de chantier d'arcangues c'est a quelle heure"
    assert first_told(prompt, before, other) == [("03-03", False), ("05-04", False)]
    assert first_told(prompt, before, since) == [("05-04", False), ("03-03", True)]
