"""The composition root: what all engines of a process share is made once, and let go of."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hookclaw_py.config import Config
from hookclaw_py.errors import IndexClosedError, ModelError
from hookclaw_py.search import loading
from hookclaw_py.search.shared import Shared


def test_threads_that_ask_at_once_get_the_same_and_it_is_made_once():
    shared: Shared[str, object] = Shared()
    made: list[object] = []
    entered, go = threading.Barrier(4), threading.Event()

    def make() -> object:
        go.wait(5)  # all of the others are waiting, or making a second one
        made.append(object())
        return made[-1]

    def ask(_: int) -> object:
        entered.wait(5)
        return shared.get("model", make)

    with ThreadPoolExecutor(max_workers=4) as pool:
        asked = [pool.submit(ask, number) for number in range(4)]
        go.set()
        got = {id(one.result(10)) for one in asked}
    assert (len(made), len(got)) == (1, 1)


def test_what_could_not_be_made_is_tried_again():
    shared: Shared[str, int] = Shared()
    with pytest.raises(ZeroDivisionError):
        shared.get("model", lambda: 1 // 0)
    assert shared.get("model", lambda: 2) == 2


def test_what_was_begun_on_another_thread_is_waited_for_and_what_failed_there_is_told_who_asks():
    shared: Shared[str, int] = Shared()
    go, made = threading.Event(), list[str]()

    def make() -> int:
        assert go.wait(5)
        made.append(threading.current_thread().name)
        return 7

    def fail() -> int:
        made.append("failed")
        raise ModelError("no such file")

    shared.begin("reader", make)
    go.set()
    assert (shared.get("reader", make), len(made)) == (7, 1)
    shared.begin("reader", make)
    shared.begin("broken", fail)
    with pytest.raises(ModelError, match="no such file"):
        shared.get("broken", fail)


def test_models_are_shared_by_engines_until_they_are_let_go_of():
    shared: loading.Embedders = Shared(let_go=lambda embedder: embedder.close())
    first = loading.embedder(Config(), shared)
    assert loading.embedder(Config(), shared) is first
    shared.close()
    with pytest.raises(IndexClosedError):
        first.embed("ferry")
    again = loading.embedder(Config(), shared)
    assert again is not first
    assert again.embed("ferry").shape == (384,)
