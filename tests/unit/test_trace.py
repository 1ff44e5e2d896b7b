"""A failing stage costs its result, shows as a fault, and nothing runs on after the deadline."""

from __future__ import annotations

import threading

import pytest

from hookclaw_py.errors import RetrievalError
from hookclaw_py.trace import Deadline, Trace
from hookclaw_py.workers import Workers


def broken(*_: object) -> list[int]:
    raise RetrievalError("cannot read main.sqlite: database is locked")


def test_a_failing_stage_gives_its_fallback_and_a_fault():
    trace = Trace(timeout_ms=1000, strict=False)
    assert trace.attempt("lexical", [1], broken) == [1]
    assert trace.faults == [("lexical", "cannot read main.sqlite: database is locked")]
    assert trace.timings["lexical"] >= 0


def test_an_error_without_a_message_is_named_by_its_type():
    trace = Trace(timeout_ms=1000, strict=False)
    trace.attempt("stage", None, lambda: (_ for _ in ()).throw(KeyError()))
    assert trace.faults == [("stage", "KeyError")]


def test_strict_raises_so_that_evaluation_never_measures_a_swallowed_bug():
    with pytest.raises(RetrievalError):
        Trace(timeout_ms=1000, strict=True).attempt("lexical", [], broken)


def test_a_late_stage_is_dropped_told_to_stop_and_the_other_one_used():
    """Mend 18: a search ran on after its timeout."""
    stopped = threading.Event()

    def endless(deadline: Deadline) -> list[int]:
        deadline.on_cancel(stopped.set)
        assert stopped.wait(10)
        return [99]

    trace = Trace(timeout_ms=500, strict=False)
    answers = trace.attempt_together([], [("slow", endless), ("quick", lambda _: [1])], Workers("test"))
    assert answers == [[], [1]]
    assert [fault.stage for fault in trace.faults] == ["slow"]
    assert "deadline" in trace.faults[0].error
    assert stopped.is_set()


def test_parts_of_one_stage_answer_in_their_order_and_take_as_long_as_the_longest():
    trace = Trace(timeout_ms=20_000, strict=True)
    calls = [("read", lambda _: threading.Event().wait(0.1) or 1), ("read", lambda _: 2)]
    assert trace.attempt_together(0, calls, Workers("test")) == [1, 2]
    assert trace.timings["read"] >= 90


def test_a_stage_that_raises_timeout_itself_is_reported_with_its_own_words():
    def own(_: Deadline) -> list[int]:
        raise TimeoutError("the endpoint took too long")

    trace = Trace(timeout_ms=5000, strict=False)
    assert trace.attempt_together([], [("vector", own)], Workers("test")) == [[]]
    assert trace.faults == [("vector", "the endpoint took too long")]


def test_a_callback_registered_after_the_cancel_is_called_at_once():
    deadline, called = Deadline(1000), []
    assert 0 < deadline.remaining() <= 1
    deadline.cancel()
    deadline.on_cancel(lambda: called.append(1))
    assert called == [1]
    assert deadline.remaining() == 0
