"""A page says how it was and the journal how it is now: the agent reads the newer one first, and of the other that it is old."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hookclaw_py.doors import answers
from hookclaw_py.doors.tools.commands import recall
from hookclaw_py.engine import Engine
from tests.conftest import write_notes
from tests.unit.agent import Agent

TRIVIA = "- boathouse, swept\n- walked the dog\n- ferry late again\n- Kåre phoned about the weather\n"
NOTES = {
    "house/boathouse.md": "# Boathouse\n\nWe rent the left half from Kåre.\n\n- rent 4 800 kr a year, paid by 1 May\n- notice 3 months\n",
    "health/doctors.txt": "Dentist: Dr. Holm, Harbour Street 4, 15 55 13 30\nVet for the cat: Dyreklinikken, 15 55 90 90\n",
    "journal.md": "# Journal\n\n"
    + "".join(f"## 2025-{month:02}-{day:02}\n\n{TRIVIA}\n" for month in range(1, 11) for day in (3, 11, 19, 27))
    + "## 2025-11-12\n\n- ferry full\n- boathouse: rent goes up to 5 600 from January, Kåre is sorry\n- bread\n\n"
    + "## 2025-12-02\n\n- new dentist: Dr. Lund, same street, Holm is retired\n- bread again\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    root = write_notes(tmp_path_factory.mktemp("notes"), NOTES)
    with Engine.in_memory() as engine:
        engine.index(root)
        yield engine


@pytest.mark.parametrize(
    ("prompt", "now", "then"),
    [
        ("how much rent do we pay for the boathouse?", "5 600", "4 800"),
        ("who is our dentist now?", "Dr. Lund", "Dr. Holm, Harbour"),
    ],
)
def test_what_holds_now_stands_before_what_was_which_says_so(engine, prompt, now, then):
    injection = engine.recall(prompt, at=datetime(2026, 2, 20, 9, 0, tzinfo=UTC))
    assert now in injection.candidates[0].chunk.text
    assert [c.superseded for c in injection.candidates if then in c.chunk.text] in ([], [True])


def test_before_the_day_and_for_who_asks_for_it_the_old_one_stands(engine):
    october = engine.recall("how much rent do we pay for the boathouse?", at=datetime(2025, 10, 30, 9, 0, tzinfo=UTC))
    assert "4 800" in october.candidates[0].chunk.text
    assert not october.candidates[0].superseded
    was = engine.recall("how much was the rent for the boathouse before?", at=datetime(2026, 2, 20, 9, 0, tzinfo=UTC))
    assert "4 800" in was.candidates[0].chunk.text
    assert not was.candidates[0].superseded


def test_every_door_that_gives_passages_says_which_of_them_are_old(engine):
    """``serve``, HTTP and the tools: what the block marks they mark."""
    prompt, agent = "how much rent do we pay for the boathouse?", Agent(engine)
    assert 'superseded="yes"' in engine.recall(prompt).text
    explained = answers.explanation(engine.recall(prompt, record=False))["candidates"]
    for told in (
        explained,
        agent.call("memory_recall", query=prompt)["memories"],
        agent.call("memory_recall", query=prompt, detail_level="summary")["memories"],
    ):
        assert "5 600" in told[0]["text"]
        assert not told[0].get("superseded")
        assert [one["superseded"] for one in told if "4 800" in one["text"]] == ["yes"]
    assert ", superseded]" in agent.call("memory_recall", query=prompt, synthesize=True)["summary"]
    assert ", superseded]" in recall(agent.desk(), prompt)


FAMILY = {
    "Family.md": "# Family\n\n## Paul\nClass 4b. Shoe size 35.\n\n## Mia\nNursery Sunhill. Shoe size 28.\n",
    "Atlas.md": "# Atlas\n\nBudget 80k. Go-live 2027-03-01.\n",
    "Helios.md": "# Helios\n\nBudget 120k. Go-live 2027-02-15.\n",
    "Meetings/2026-10-12 Helios sync.md": "# Helios sync\n\n- Budget raised to 135k.\n",
    "2026-10-13.md": "# 2026-10-13\n\n- Paul now has shoe size 36.\n- Tyres changed.\n",
}


@pytest.mark.parametrize(
    ("prompt", "now", "superseded"),
    [
        ("what shoe size does mia have", "Shoe size 28", False),
        ("atlas budget", "Budget 80k", False),
        ("what's paul's shoe size", "shoe size 36", True),
        ("helios budget", "135k", True),
    ],
)
def test_news_of_one_that_the_notes_name_are_none_of_another(tmp_path, prompt, now, superseded):
    with Engine.in_memory() as engine:
        engine.index(write_notes(tmp_path, FAMILY))
        injection = engine.recall(prompt, at=datetime(2026, 11, 28, 9, 0, tzinfo=UTC))
    assert now in injection.candidates[0].chunk.text
    assert any(c.supersession for c in injection.candidates) is superseded


DECISIONS = {
    "ADR-007.md": "# ADR-007 Queue\n\nWe decided to use NATS instead of RabbitMQ because of ops load.\n\nStatus: accepted 2026-03-02\n",
    "ADR-012.md": "# ADR-012 Queue\n\nWe move from NATS to Postgres LISTEN/NOTIFY.{new}\n\nStatus: accepted 2026-09-14\n",
    "Ports.md": "# Ports\n\n- postgres 5432\n- redis 6379\n- api 8080\n",
}


@pytest.mark.parametrize(("new", "old"), [(" Supersedes ADR-007.", ""), ("", "Superseded by ADR-012.\n")])
@pytest.mark.parametrize(
    ("prompt", "first"),
    [
        ("what queue do we use", "LISTEN"),
        ("which message queue did we decide on", "LISTEN"),
        ("what did ADR-007 say", "RabbitMQ"),
    ],
)
def test_a_decision_that_says_what_it_supersedes_stands_before_that(tmp_path, new, old, prompt, first):
    notes = DECISIONS | {
        "ADR-012.md": DECISIONS["ADR-012.md"].format(new=new),
        "ADR-007.md": DECISIONS["ADR-007.md"] + old,
    }
    with Engine.in_memory() as engine:
        engine.index(write_notes(tmp_path, notes))
        injection = engine.recall(prompt, at=datetime(2026, 11, 28, 9, 0, tzinfo=UTC))
    assert first in injection.candidates[0].chunk.text
