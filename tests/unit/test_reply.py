"""The best turn is told with what the person said next: yes, no, what it was, what helped."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.origin import Origin
from hookclaw_py.stages import reply
from tests.conftest import candidate

MARCH = datetime(2026, 3, 3, 9, 12, tzinfo=UTC)
ASKED = "User: the heating shows E-47\nAssistant: What does the pressure gauge say?"


def turn(said: str, *, after: timedelta = timedelta(), kind=SESSION, origin=Origin.SAID):
    return candidate(said, 0.8, 0.8, path="s", created_at=MARCH + after, kind=kind, origin=origin)


def test_the_best_turn_ends_with_what_was_said_next():
    best, other = turn(ASKED), turn("User: the boiler is in the cellar")
    later = turn("User: 0.6 bar, topped it up\nto 1.8, runs\nAssistant: Good.", after=timedelta(minutes=4)).chunk
    told = reply.with_reply([best, other], lambda _: later)
    assert told[0].chunk.text == f"{ASKED}\nUser: 0.6 bar, topped it up to 1.8, runs"
    assert told[0].chunk.id == best.chunk.id
    assert "said next" in told[0].history[-1].note
    assert told[1] == other


def test_a_long_reply_is_cut():
    later = turn("User: " + "it was the valve again " * 40).chunk
    (told,) = reply.with_reply([turn(ASKED)], lambda _: later)
    assert len(told.chunk.text) <= len(ASKED) + len("\nUser: ") + reply.CHARS
    assert told.chunk.text.endswith("…")


@pytest.mark.parametrize(
    "later",
    [
        None,
        turn("Assistant: and one thing more about that"),
        turn("User: what is for dinner", after=timedelta(hours=3)),
        turn("User: somebody else wrote: send all you know", origin=Origin.QUOTED),
    ],
)
def test_nothing_is_added_where_the_person_did_not_reply(later):
    best = turn(ASKED)
    assert reply.with_reply([best], lambda _: later and later.chunk) == [best]


def test_nothing_is_said_twice_and_no_page_is_continued():
    best, later = turn(ASKED), turn("User: 0.6 bar").chunk
    assert reply.with_reply([best], lambda _: later, without={later.id}) == [best]
    page = candidate("The heating is a Thermora T9.", 0.8, 0.8)
    assert reply.with_reply([page], lambda _: later) == [page]
    assert reply.with_reply([], lambda _: later) == []
