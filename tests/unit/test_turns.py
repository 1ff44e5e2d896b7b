"""Turns: so many at a time, in their order, and what hangs does not hold up the rest."""

from __future__ import annotations

import threading

from hookclaw_py.turns import InTurn
from tests.waiting import wait_until

WAIT = 30


def test_so_many_pieces_are_done_side_by_side_and_no_more():
    turns, gate, begun = InTurn("test", width=2, patience=600), threading.Event(), list[int]()

    def work(number: int) -> None:
        begun.append(number)
        assert gate.wait(WAIT)

    for number in range(5):
        turns.put(lambda number=number: work(number))
    wait_until(lambda: len(begun) == 2, "two are at work")
    assert sorted(begun) == [0, 1]
    gate.set()
    wait_until(lambda: len(begun) == 5, "the others after them")


def test_what_takes_long_does_not_hold_up_the_others():
    turns, gate, done = InTurn("test", width=1, patience=0.05), threading.Event(), threading.Event()

    def hang() -> None:
        gate.wait(WAIT)

    turns.put(hang)
    turns.put(hang)
    turns.put(done.set)
    assert done.wait(WAIT)
    gate.set()


def test_what_was_not_begun_when_they_close_is_not_done():
    turns, gate, done, entered = (
        InTurn("test", width=1, patience=600),
        threading.Event(),
        list[int](),
        threading.Event(),
    )

    def work() -> None:
        entered.set()
        assert gate.wait(WAIT)
        done.append(1)

    turns.put(work)
    assert entered.wait(WAIT)
    turns.put(lambda: done.append(2))
    turns.close()
    turns.put(lambda: done.append(3))
    gate.set()
    wait_until(lambda: done, "what was under way is done")
    assert done == [1]
