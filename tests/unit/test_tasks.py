"""Which lines say that something is still to do, and which prompts ask for that."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from hookclaw_py import Config, Engine
from hookclaw_py.ingest.markdown import chunk_note
from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.terms import AWAITED, OPEN, UNDER_WAY
from hookclaw_py.model.types import Effect, Query
from hookclaw_py.speech.news import LINES
from hookclaw_py.speech.tasks import asked_for, states
from hookclaw_py.stages.tasks import by_urgency, soonest, still_to_do
from tests.conftest import candidate, write_notes


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("- TODO call the notary", [OPEN]),
        ("\t- next: TODO list of the figures", [OPEN]),
        ("- [ ] milk", [OPEN]),
        ("1. [ ] milk", [OPEN]),
        ("** NEXT order toner", []),  # of Org, read as a heading
        ("## NEXT order toner", [OPEN]),
        ("- DOING chapter 2", [OPEN, UNDER_WAY]),
        ("* WAITING answer from Uli", [OPEN, AWAITED]),
        ("- still need to send Soledad the blot", [OPEN]),
        ("warte noch auf Antwort von Uli", [OPEN, AWAITED]),
        ("muss den Notar noch anrufen", [OPEN]),
        ("il reste à payer le dentiste", [OPEN]),
        ("queda por pagar el dentista", [OPEN]),
        ("resta da pagare il dentista", [OPEN]),
        ("- Fendt 5 340 h, vidange à faire", [OPEN]),
        ("faut que j'envoie le devis à Luc", [OPEN]),
        ("et faut renouveler l'assurance avant le 31 décembre", [OPEN]),
        ("pour le permis il faut payer une taxe", []),
        ("rappelle moi de payer l'urssaf", [OPEN]),
        ("rappelle-moi de quoi on parlait", []),
        ("falta enviarle el acta", [OPEN]),
        ("remind me to call the notary", [OPEN]),
        ("erinnere mich daran, den Notar anzurufen", [OPEN]),
        ("distribution à faire à 180 000", []),
        ("- tagliando da fare, 300", [OPEN]),
        ("还没买票", [OPEN]),
        ("我还得买票", [OPEN]),
        ("他还得了奖", []),
        ("c'est plus facile à dire qu'à faire.", []),
        ("- TODO", []),
        ("- [x] milk", []),
        ("- DONE still to do: milk", []),
        ("- {{query (task TODO DOING)}}", []),
        ("- {{[[TODO]]}} call the notary", [OPEN]),
        ("- {{[[DONE]]}} call the notary, still to be paid", []),
        ("see TODO.md and do it now", []),
        ("reste à charge 31 000", []),
        ("pendientes de plata para Irene", []),
        ("Das erinnert mich an meinen Opa", []),
        ("ich erinnere mich gern an Opa", []),
        ("faut dire que c'est cher", []),
        ("faut croire que Paul ment", []),
        ("falta azúcar", []),
        ("falta lugar", []),
        ("no falta pagar nada", []),
        ("no me falta pagar nada", []),
        ("le falta enviar el acta", []),
        ("faut dire à Paul que le devis est prêt", [OPEN]),
        ("me falta pagar la luz", [OPEN]),
        ("for the flat, todo: call the notary", [OPEN]),
        ("To-do: order toner", [OPEN]),
        ("le gusta sobre todo: el pan", []),
    ],
)
def test_a_line_says_in_which_state_its_task_is(line: str, said: list[str]):
    assert list(states(line)) == said


@pytest.mark.parametrize(
    "prompt",
    [
        "is the cambelt still to do and what was it",
        "which shops are still open",
        "what time is the pool open",
        "open todos for the flat",
        "which todos did i do",
        "welche Sachen sind bei Lena noch offen",
        "il reste quoi à faire pour le visa",
        "pendientes muy monos para Irene",
        "tank todo list for the hiwi",
        "what are we doing",
    ],
)
def test_what_names_something_besides_asks_for_that(prompt: str):
    assert asked_for(prompt) == ""


def test_a_task_and_its_deadline_are_one_line():
    said = "- TODO pay\n  DEADLINE: <2026-12-10 Thu>\n- rain"
    assert [line for line in LINES.split(said) if line] == ["- TODO pay\n  DEADLINE: <2026-12-10 Thu>", "- rain"]


def test_what_is_due_these_weeks_comes_first_then_the_latest_then_what_has_no_day():
    notes = {
        "journals/2026_10_30.md": "- TODO copy of the contract\n  DEADLINE: <2026-11-30 Mon>\n",
        "journals/2026_11_25.md": "- TODO goodbye list\n- back in Japan on 2026-11-29\n",
        "journals/2026_07_03.md": "- TODO abstract by 2026-07-05\n",
        "later.md": "- TODO paint the door\n",
        "plan.org": "* House\n** TODO call the notary\nDEADLINE: <2026-12-01 Tue>\n** DONE order toner\nstill warm\n",
    }
    chunks = [
        chunk
        for path, text in notes.items()
        for chunk in chunk_note(text, path=path, evergreen=False).chunks
        if OPEN in chunk.terms
    ]
    now = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)
    assert [chunk.place.path for chunk in soonest(chunks[::-1], now)] == [
        "journals/2026_10_30.md",
        "plan.org",
        "journals/2026_11_25.md",
        "journals/2026_07_03.md",
        "later.md",
    ]


def test_what_has_no_task_stands_behind_what_has_one_however_soon_its_day_is():
    now = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)
    found = [
        candidate("- TODO paint the door", 0.7, 0.8, path="door.md", created_at=None),
        candidate("- TODO pay by 2026-11-30", 0.6, 0.7, path="pay.md", created_at=None),
        candidate("- TODO of another time, by 2026-11-29", 0.9, 0.3, path="other.md", created_at=None),
    ]
    ordered = by_urgency(found, Query("what is still open", now, topic=(OPEN,)))
    assert [c.chunk.place.path for c in ordered] == ["pay.md", "door.md", "other.md"]


def test_what_is_still_to_do_for_days_to_come_is_open_among_many_tasks(tmp_path):
    notes = {
        f"2026-0{month}-{day:02}.md": f"- [ ] paint door {month}{day}\n" for month in (3, 4) for day in range(1, 25)
    }
    notes["Vienna.md"] = (
        "# Vienna, 4–9 April 2027\n\n- [ ] reserve berths in the sleeper that leaves Basel in the evening\n"
    )
    with Engine.in_memory(Config(enable_vector=False)) as engine:
        engine.index(write_notes(tmp_path, notes))
        found = engine.recall("what is still open", at=datetime(2026, 11, 28, 9, tzinfo=UTC))
    assert "reserve berths" in found.text


def turn(said: str, day: int):
    at = datetime(2026, 10, day, 9, tzinfo=UTC)
    return candidate(f"User: {said}\nAssistant: Noted.", path=f"10-{day:02}", created_at=at, kind=SESSION)


@pytest.mark.parametrize(
    ("open_then", "since", "kept"),
    [
        ("rappelle moi de payer l'urssaf avant le 5", ["urssaf payé"], []),
        ("il me reste a faire : le devis charpente, la notice accessibilité, relancer Ann pour la clé", ["j'ai fini le devis charpente", "la notice accessibilité est faite", "j'ai relancé Ann pour la clé"], []),
        ("I still need to call the notary", ["I called the plumber"], ["10-01"]),
        ("I still need to call the notary", ["called the notary, done"], []),
        ("the shed is painted. it looks good", ["the shed is painted"], ["10-01"]),
    ],
)  # fmt: skip
def test_a_turn_of_which_all_is_done_since_is_no_longer_open(open_then: str, since: list[str], kept: list[str]):
    later = [turn(said, 9 + n) for n, said in enumerate(since)]
    query = Query("what is still open", datetime(2026, 11, 1, tzinfo=UTC), topic=(OPEN,))
    rest, over = still_to_do([turn(open_then, 1)], query, beside=lambda *_: [c.chunk for c in later])
    assert [c.chunk.place.path for c in rest] == kept
    assert [c.chunk.text for c in rest] == [turn(open_then, 1).chunk.text for _ in kept]
    assert len(over) == 1 - len(kept)


def test_what_was_said_to_be_done_before_or_after_it_was_asked_ends_nothing():
    said = turn("I still need to call the notary", 5)
    query = Query("what is still open", datetime(2026, 10, 7, tzinfo=UTC), topic=(OPEN,))
    done = [turn("called the notary, done", 1).chunk, turn("called the notary, done", 9).chunk]
    assert still_to_do([said], query, beside=lambda *_: done) == ([said], [])


def test_of_what_is_done_in_part_the_rest_is_told():
    said = turn("il me reste a faire : le devis charpente, la notice accessibilité, relancer Ann pour la clé", 1)
    both = turn("rappelle moi de payer l'urssaf\nUser: et faut renouveler l'assurance", 2)
    later = [
        turn(done, 9).chunk
        for done in ("j'ai fini le devis charpente\nUser: urssaf payé", "notice accessibilité faite")
    ]
    query = Query("what is still open", datetime(2026, 11, 1, tzinfo=UTC), topic=(OPEN,))
    rest, over = still_to_do([said, both], query, beside=lambda *_: later)
    assert [c.chunk.text for c in rest] == [
        "User: il me reste a faire : relancer Ann pour la clé\nAssistant: Noted.",
        "User: et faut renouveler l'assurance\nAssistant: Noted.",
    ]
    assert not over


def test_what_a_person_asks_is_no_task_of_theirs():
    query = Query("what is still open", datetime(2026, 11, 1, tzinfo=UTC), topic=(OPEN,))
    asked = turn("do I still have to call the notary?", 1)
    assert still_to_do([asked], query, beside=lambda *_: [turn("called the notary, done", 9).chunk]) == ([asked], [])


def note(body: str, day: int | None):
    at = datetime(2026, 10, day, tzinfo=UTC) if day else None
    return candidate(body, path=f"{day}.md", created_at=at)


@pytest.mark.parametrize(
    ("later", "left"),
    [
        ("- [x] call the notary", "- [ ] buy paint"),
        ("- [X] Call the notary ✅ 2026-10-07", "- [ ] buy paint"),
        ("- DONE call the notary", "- [ ] buy paint"),
        ("1. [x] call the notary", "- [ ] buy paint"),
        ("- CANCELLED call the notary", "- [ ] buy paint"),
        ("- [ ] call the notary", "- [ ] call the notary\n- [ ] buy paint"),
        ("- [x] call the notary and the bank", "- [ ] call the notary\n- [ ] buy paint"),
        ("- [x] call the notary\n- [x] buy paint", None),
    ],
)
def test_what_is_ticked_off_in_a_later_note_is_no_longer_open_in_an_earlier_one(later: str, left: str | None):
    query = Query("what is still open", datetime(2026, 11, 1, tzinfo=UTC), topic=(OPEN,))
    first = note("- [ ] call the notary\n- [ ] buy paint", 1)
    rest, over = still_to_do([first], query, beside=lambda *_: [note(later, 7).chunk])
    assert [c.chunk.text for c in rest] == ([left] if left else [])
    assert [c.fate for c in over] == ([] if left else [Effect.OUTDATED])


@pytest.mark.parametrize(("opened", "ticked"), [(7, 1), (7, 7), (1, None), (None, 7)])
def test_what_was_ticked_off_before_or_on_a_day_that_nobody_knows_is_open_again(opened: int | None, ticked: int | None):
    query = Query("what is still open", datetime(2026, 11, 1, tzinfo=UTC), topic=(OPEN,))
    chore = note("- [ ] water the plants", opened)
    done = note("- [x] water the plants", ticked).chunk
    assert still_to_do([chore], query, beside=lambda *_: [done]) == ([chore], [])


def test_a_numbered_task_that_is_ticked_off_is_none_that_is_open():
    assert list(states("1. [ ] still to pay")) == [OPEN]
    assert list(states("1. [x] still to pay")) == []


def test_what_is_ticked_off_today_is_done_where_it_is_still_yesterday_in_greenwich():
    in_auckland = datetime(2026, 10, 7, 9, tzinfo=timezone(timedelta(hours=13)))
    query = Query("what is still open", in_auckland, topic=(OPEN,))
    chore, done = note("- [ ] water the plants", 1), note("- [x] water the plants", 7).chunk
    assert [c.fate for c in still_to_do([chore], query, beside=lambda *_: [done])[1]] == [Effect.OUTDATED]
    to_come = note("- [x] water the plants", 8).chunk
    assert still_to_do([chore], query, beside=lambda *_: [to_come]) == ([chore], [])


def test_what_is_looked_for_in_later_notes_is_bounded_however_many_tasks_there_are():
    sought = list[tuple[str, ...]]()

    def beside(terms, _):
        sought.append(tuple(terms))
        return ()

    query = Query("what is still open", datetime(2026, 11, 1, tzinfo=UTC), topic=(OPEN,))
    daily = [note("\n".join(f"- [ ] chore {n} of {day % 4}" for n in range(20)), day) for day in range(1, 13)]
    still_to_do(daily, query, beside=beside)
    assert len(sought) == len(set(sought)) < 30
