"""One deadline for everything a prompt waits for: what hangs is left behind, named and counted, and nothing raises."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from hookclaw_py import Config, Engine, Outcome, Prompt
from hookclaw_py.model.reason import Reason
from hookclaw_py.pipeline import READ_CHARS
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.threads import Threads
from hookclaw_py.workers import MOST_LEFT_BEHIND
from tests.conftest import NOW
from tests.faults.test_recall_faults import NOTES, PROMPT
from tests.waiting import wait_until

WAITS = 60  # seconds after which a test fails rather than waits on


@pytest.fixture
def engine(tmp_path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-02-09.md").write_text(NOTES)
    with Engine.open(Config(logInjections=True, timeoutMs=10_000), agent="main") as engine:
        engine.index(tmp_path)
        yield engine


@contextmanager
def hanging(lock):
    """Hold a connection as a read does that the disk never answers."""
    let_go, held = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            let_go.wait(WAITS)

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert held.wait(WAITS)
        yield
    finally:
        let_go.set()
        thread.join()


def in_time(work):
    """Return what ``work`` comes to; it may not wait for what hangs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result(WAITS / 2)


def test_who_has_no_time_left_waits_for_nothing(engine):
    with hanging(engine.store._reader.lock):
        injection = in_time(lambda: engine.recall(PROMPT, timeout_ms=0))
    assert (injection.outcome, injection.why.kind) == (Outcome.FAILED, Reason.LATE)
    assert dict(injection.timings)["recall"] < engine.config.timeout_ms / 2


def test_a_read_that_hangs_is_left_behind_and_named(engine):
    with hanging(engine.store._reader.lock):
        injection = in_time(lambda: engine.recall(PROMPT, timeout_ms=200))
        assert (injection.outcome, injection.text) == (Outcome.FAILED, "")
        assert [fault.stage for fault in injection.faults] == ["pause"], "what is read first"
        assert "deadline" in injection.reason
        assert engine._parts.workers.left_behind == {"recall": 1}
    wait_until(lambda: not engine._parts.workers.left_behind, "what was left behind has ended")
    assert "one object a line" in engine.recall(PROMPT).text
    assert engine.metrics.totals()["left_behind_total", ("recall",)] == 1


def test_reads_that_hang_do_not_pile_up_and_status_tells(engine):
    with hanging(engine.store._reader.lock):
        for n in range(10 * MOST_LEFT_BEHIND):  # on a busy machine one may be late before it hangs
            if engine._parts.workers.left_behind == {"recall": MOST_LEFT_BEHIND}:
                break
            in_time(lambda n=n: engine.recall(f"{PROMPT} {n}", timeout_ms=60))
        recalling = [thread.name for thread in threading.enumerate()].count("hookclaw-recall")
        refused = in_time(lambda: engine.recall(PROMPT))
        assert refused.outcome is Outcome.FAILED
        assert "earlier ones hang" in refused.faults[0].error
        assert [thread.name for thread in threading.enumerate()].count("hookclaw-recall") <= recalling
    wait_until(lambda: not engine._parts.workers.left_behind, "what was left behind has ended")
    assert "one object a line" in engine.recall(PROMPT).text


def test_what_hangs_is_among_the_problems(engine):
    with hanging(engine._parts.indexes._starting), hanging(engine._parts.indexes._catching_up):
        engine.store.set_meta("x", 1)
        engine._parts.indexes._caught_up = -1  # there is news
        in_time(lambda: engine.recall(PROMPT, timeout_ms=100))
        assert any("hangs in the system" in problem for problem in engine.status().problems)


def test_closing_does_not_wait_for_a_read_that_hangs(engine):
    with hanging(engine.store._reader.lock):
        in_time(lambda: engine.recall(PROMPT, timeout_ms=60))
        in_time(engine.close)


def test_an_answer_does_not_wait_for_what_is_written_down_of_it(engine):
    """The answer is there; that it was shown is written behind it when the disk takes its time."""
    engine.recall(PROMPT, session="s")
    with hanging(engine.store._noting.lock):
        injection = in_time(lambda: engine.recall(PROMPT, session="s", timeout_ms=5000))
        assert "one object a line" in injection.text
        assert {fault.stage for fault in injection.faults} == {"remember"}


def test_what_was_given_up_is_not_noted_as_shown(engine):
    engine.recall(PROMPT, session="s")
    before = len(list(engine.store.events()))
    with hanging(engine.store._reader.lock):
        in_time(lambda: engine.recall(PROMPT, session="s", timeout_ms=60))
    wait_until(lambda: not engine._parts.workers.left_behind, "what was left behind has ended")
    assert len(list(engine.store.events())) == before


@pytest.mark.parametrize(
    "prompt", [None, 7, b"bytes", Prompt(None, NOW, agent_id="main")], ids=["None", "7", "bytes", "Prompt"]
)  # type: ignore[arg-type]
def test_what_is_no_text_is_answered_and_named(engine, prompt):
    injection = engine.recall(prompt)
    assert (injection.outcome, injection.text) == (Outcome.FAILED, "")
    assert "a prompt is a text" in injection.faults[0].error


@pytest.mark.parametrize("half", [chr(0xD83D), chr(0xDE00), chr(0xDC80)], ids=ascii)
def test_half_a_surrogate_pair_costs_nothing(engine, half):
    injection = engine.recall(f"{PROMPT} {half}", session=f"s{half}")
    assert "one object a line" in injection.text
    assert injection.faults == ()
    assert "used" in engine.agent_end(f"s{half}", "Use structured logging, one object a line, as JSON.").values()


def test_without_a_thread_to_be_had_memory_goes_on(engine, monkeypatch):
    """As in a container at the limit of its processes; it raised RuntimeError."""

    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(engine._parts.workers, "_threads", Threads())  # in which none waits for work
    monkeypatch.setattr(threading.Thread, "start", start)
    injection = engine.recall(PROMPT, session="s")
    monkeypatch.undo()
    assert "one object a line" in injection.text
    assert {fault.stage for fault in injection.faults} == {"threads"}


def test_of_a_giant_prompt_the_ends_are_read(engine):
    words = " ".join(f"w{n:x}q{n * 7919 % 9973:x}" for n in range(100_000))
    injection = engine.recall(f"{words}\n\n{PROMPT}")
    assert injection.query is not None
    assert len(injection.query.text) <= READ_CHARS + 1
    assert injection.query.text.endswith(PROMPT.rstrip("?") + "?")


@pytest.mark.timeout(60)  # what takes time with the square of the length takes minutes
@pytest.mark.parametrize("piece", ["eyJ", "eyJabcdefgh-", "eyJabcdefgh.", "a-eyJabcdefgh"])
def test_a_megabyte_that_looks_like_tokens_is_looked_through_once(piece):
    line = piece * (1_000_000 // len(piece))
    assert redact(f"{line} api_key=hunter22").endswith(" api_key=[redacted]")


def test_a_token_is_redacted_wherever_it_stands():
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def_123"
    for line in (token, f"x-{token}", f"({token})", f"auth={token}!"):
        assert "eyJzdWIi" not in redact(line)
