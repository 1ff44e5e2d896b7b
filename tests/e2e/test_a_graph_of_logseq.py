"""A graph as Logseq leaves it: outlines with tasks, what it keeps for itself below a block, and copies of what was."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from hookclaw_py.engine import Engine
from hookclaw_py.model.types import Injection
from tests.conftest import write_notes

GRAPH = {
    "logseq/config.edn": "{:meta/version 1}",
    "logseq/bak/pages/flat/2026-06-20T08_11_02.120Z.Desktop.md": "- rent 740, landlord Herr Senn\n",
    "logseq/version-files/local/pages/flat/2026.md": "- rent 720, landlord Herr Senn\n",
    "pages/flat.md": "type:: home\n\n- rent 770, landlord Herr Senn\n",
    "pages/templates.md": "- template:: day\n\t- lab\n\t- TODO food\n- template:: call\n\t- with:: [[Annelies]]\n",
    "pages/reading.md": "- LATER The Overstory\n- DONE Braiding Sweetgrass\n",
    "pages/contents.md": "- {{query (and (task TODO DOING) (priority A))}}\n- [[flat]]\n",
    "journals/2026_10_30.md": (
        "- permit: got the form\n\t- TODO ask HR for the contract copy\n\t  DEADLINE: <2026-11-30 Mon>\n"
    ),
    "journals/2026_11_05.md": "- DOING discussion of chapter 2, 600 words\n- seeds harvested\n",
    "journals/2026_11_12.md": "- blood test ok\n- [x] pay the dentist\n- WAITING answer from Haruka on the slots\n",
    "journals/2026_11_16.md": "- TODO book the flight to Xiamen\n- franchise 300 from January\n",
    "journals/2026_11_25.md": "- talk with Annelies, fig 4 is ok\n- we watered the monstera\n",
    "journals/2026_10_14.md": (
        "- met Soledad, she has an antibody\n"
        "  id:: 6710bb02-2222-4d3f-8b72-1e2b4f6a8b02\n  collapsed:: true\n"
        "\t- will send 50 µl on dry ice\n\t  :LOGBOOK:\n"
        "\t  CLOCK: [2026-10-14 Wed 10:12:07]--[2026-10-14 Wed 10:20:44] =>  00:08:37\n\t  :END:\n"
    ),
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        engine.index(write_notes(tmp_path_factory.mktemp("graph"), GRAPH))
        yield engine


def asked(engine: Engine, prompt: str) -> Injection:
    return engine.recall(prompt, at=datetime(2026, 11, 28, 9, 0, tzinfo=UTC))


def test_copies_of_what_a_page_said_before_and_templates_are_no_notes(engine: Engine):
    held = {chunk.place.path for chunk in engine.store.all_chunks()}
    assert held == {path for path in GRAPH if path.startswith(("pages/", "journals/"))} - {"pages/templates.md"}


def test_what_the_app_keeps_for_itself_below_a_block_is_not_told(engine: Engine):
    told = asked(engine, "who sends the antibody from Soledad?").text
    assert "\t- will send 50 µl on dry ice\n" in told
    assert not any(mark in told for mark in ("id::", "collapsed::", "LOGBOOK", "CLOCK", ":END:"))


@pytest.mark.parametrize(
    "prompt",
    [
        "which things are still open",
        "todos?",
        "welche Sachen sind noch offen",
        "was muss ich noch erledigen",
        "was muss ich heute noch machen",
        "what do i still have to do today",
        "what's overdue",
        "qu'est-ce qui reste à faire",
        "qué tengo pendiente",
        "cosa mi resta da fare",
        "还有什么没做",
    ],
)
def test_who_asks_what_is_open_is_told_the_open_tasks_what_is_due_soonest_first(engine: Engine, prompt: str):
    told = asked(engine, prompt).text
    assert 0 < told.find("ask HR for the contract copy") < told.find("book the flight to Xiamen")
    assert "monstera" not in told
    assert "query" not in told


@pytest.mark.parametrize(
    ("prompt", "task"),
    [
        ("worauf warte ich noch", "WAITING answer from Haruka"),
        ("what am i waiting for", "WAITING answer from Haruka"),
        ("what am i working on right now", "DOING discussion of chapter 2"),
        ("what do i still have to do next week", "ask HR for the contract copy"),
        ("was muss ich bis montag erledigen", "ask HR for the contract copy"),
        ("what do i need to finish by monday", "ask HR for the contract copy"),
        ("todos for next week", "ask HR for the contract copy"),
        ("offene aufgaben bis freitag", "ask HR for the contract copy"),
    ],
)
def test_of_tasks_in_one_state_or_of_one_time_those_are_told_and_no_others(engine: Engine, prompt: str, task: str):
    told = asked(engine, prompt).text
    assert task in told
    assert [line for line in ("HR", "flight", "DOING", "WAITING") if line in told] == [
        line for line in ("HR", "flight", "DOING", "WAITING") if line in task
    ]


def test_where_no_note_has_a_task_the_words_are_searched_for(tmp_path):
    with Engine.in_memory() as engine:
        engine.index(write_notes(tmp_path, {"shop.md": "The shop is still open on Sundays until eight.\n"}))
        query = asked(engine, "what is still open").query
        assert query is not None
        assert "open" in query.topic
