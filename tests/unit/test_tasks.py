"""Which lines say that something is still to do, and which prompts ask for that."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hookclaw_py.ingest.markdown import chunk_note
from hookclaw_py.model.terms import AWAITED, OPEN, UNDER_WAY
from hookclaw_py.model.types import Query
from hookclaw_py.speech.news import LINES
from hookclaw_py.speech.tasks import asked_for, states
from hookclaw_py.stages.tasks import by_urgency, soonest
from tests.conftest import candidate


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
