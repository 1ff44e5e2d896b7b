"""What is looked for only where a glance says that it may be there is found wherever it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hookclaw_py.model.terms import Terms
from hookclaw_py.speech import news, phones, tasks, values
from hookclaw_py.temporal import mentions

SAID = st.from_regex(re.compile(tasks._SAID.pattern)) | st.from_regex(re.compile(tasks._AWAITED.pattern))
PIECES = [
    "TODO",
    "WAITING",
    "DONE",
    "CANCELLED",
    "[ ]",
    "[x]",
    "{{",
    "}}",
    "[[",
    "- ",
    "* ",
    "> ",
    "## ",
    ": ",
    " ",
    "NEXT",
    "now",
    "\n",
    "`",
]
WHOLE = ["2026-12-3", "3.12.2026", "3. 12.", "12/3/2026", "3-4/12", "3/12", "2026年12月3", "12月 3"]
DATES = st.lists(st.sampled_from([*WHOLE, *WHOLE, "12", "3", "-", "/", ".", " ", " ", "年", "月", ",", "x", "\n"])).map(
    "".join
)
MONTHS = st.sampled_from(sorted(mentions._MONTHS))
NUMBERS = st.from_regex(r"\d{1,2}(?:\.|st|nd|rd|th|er|º)?", fullmatch=True)


WAYS = """
    waiting for Ann, waits for a reply, warte auf Ann, en attente de Ann, j'attends Ann, esperando a Ann, in attesa di Ann, aspetto che venga, 在等, 等待
    still to do, to be done, not done yet, to-do:milk, todo:milk, unfinished, noch offen, muss noch weg, unerledigt, steht noch aus, reste à payer, restent à payer
    encore à faire, à faire, il faut encore, pas encore fait, tengo pendiente, queda por pagar, falta por pagar, todavía hay que, por hacer
    resta da pagare, rimane da pagare, manca da pagare, ancora da pagare, da fare, devo ancora, dobbiamo ancora, in sospeso, 还没, 待办, 还要, 还得
"""


@pytest.mark.parametrize("said", [way.strip() for way in WAYS.strip().replace("\n", ",").split(",")])
def test_each_way_of_saying_it_is_heard(said: str):
    assert tasks.OPEN in tasks.with_tasks(Terms(()), said.upper())


@settings(max_examples=200)
@given(SAID, st.text(max_size=20))
def test_whatever_is_said_of_a_task_is_heard(said: str, more: str):
    for text in (f"{more} {said}", said):
        assert tasks._may_be_told(text)
        each = [mark for line in text.split("\n") for mark in tasks.states(line)]
        assert tasks.with_tasks(Terms(()), text) == Terms(dict.fromkeys(each))


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_a_mark_is_seen_wherever_it_stands(line: str):
    assert str(tasks._marked(line)) == str(tasks._MARKED.search(line))
    assert tasks._is_closed(line) == bool(tasks._CLOSED.search(line))


@settings(max_examples=1000)
@given(st.from_regex(re.compile(news._CHANGE.pattern)), st.text(max_size=10))
@example("Cap Béar ne livre plus le samedi", "")
@example("on nettoie rien plus", "")
def test_a_word_of_change_is_heard_wherever_it_stands(said: str, more: str):
    for text in (said, f"{more} {said}"):
        assert [m.span() for m in news._changes(text)] == [m.span() for m in news._CHANGE.finditer(text)]


@given(st.from_regex(re.compile(values.PHONE.pattern)))
def test_every_phone_number_is_seen(text: str):
    assert phones.holds(text)


@settings(max_examples=300)
@given(DATES)
def test_dates_in_numbers_are_those_that_stand_there_from_left_to_right(text: str):
    assert [m.span() for m in mentions._in_numbers(text)] == [m.span() for m in mentions._IN_NUMBERS.finditer(text)]


@settings(max_examples=300)
@given(st.text(max_size=15), MONTHS, NUMBERS, st.sampled_from([" ", ". ", " of the ", " of ", " de "]), st.booleans())
@example("", "september", "3", ". ", True)
@example("", "september", "3rd", " of the ", False)
def test_a_month_beside_a_number_is_seen(more: str, month: str, number: str, between: str, first: bool):
    text = f"{more} {month}{between}{number} {more}" if first else f"{more} {number}{between}{month} {more}"
    told = [(m["n"] or m["n2"], m["d"] or m["d2"]) for m in mentions._IN_WORDS.finditer(text)]
    if any(mentions._date(2024, mentions._MONTHS.get(month.lower(), 0), int(day)) for month, day in told):
        assert mentions.days_named(text)
