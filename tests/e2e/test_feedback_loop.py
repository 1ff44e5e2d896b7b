"""The loop with the real model: a prompt, memories, an answer, the end of the turn, and what the next prompt gets."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from hookclaw_py import Config, Engine, Outcome
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Injection, Prompt
from tests.conftest import CONSTANTS

REACH, RETIREMENT = CONSTANTS.use.reach, CONSTANTS.use.retirement
AT = datetime.fromisoformat("2026-02-20T10:00:00+01:00")
ASKED = "Where do the invoices of the Hansen shipyard go, and who signs them off?"
NOTES = """\
# Hansen shipyard

## Invoices

Invoices of the Hansen shipyard go to Kaistrasse 14, Lübeck, by post since January.

## Sign-off

Invoices of the Hansen shipyard are signed off by Merle Okonjo, every second Thursday.

## Cranes

The slewing crane at the Hansen shipyard was repainted in yellow.
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "ws/memory").mkdir(parents=True)
    (tmp_path / "ws/memory/hansen.md").write_text(NOTES)
    return tmp_path / "ws"


@pytest.fixture
def engine(workspace: Path, tmp_path: Path) -> Iterator[Engine]:
    config = Config(timezone="Europe/Berlin", adaptiveResults=False, minScore=0.2, evergreen=["memory/**"])
    with Engine.open(config, folder=tmp_path / "store", strict=True) as engine:
        engine.index(workspace)
        yield engine


def ask(engine: Engine, session: str = "s", *, text: str = ASKED, run: str = "", at: datetime = AT) -> Injection:
    return engine.recall(Prompt(text, at, agent_id="main", session_id=session, run_id=run, audience=Audience.OWNER))


def scores(injection: Injection) -> dict[str, tuple[float, float]]:
    """Return score and relevance of every candidate, by the last part of its heading."""
    every = (*injection.candidates, *injection.rejected)
    return {c.chunk.heading.split(" > ")[-1]: (c.score, c.relevance) for c in every}


def test_an_answer_that_uses_one_of_two_chunks_changes_the_next_ranking(engine):
    first = ask(engine)
    by_name = {c.chunk.heading.split(" > ")[-1]: c.chunk.id for c in first.candidates}
    assert {"Invoices", "Sign-off"} <= set(by_name), "both were shown"
    kinds = engine.agent_end("s", "They are approved by Merle Okonjo on every second Thursday.", at=AT)
    assert kinds[by_name["Sign-off"]] == "used"
    assert kinds[by_name["Invoices"]] != "used"

    before, after = scores(first), scores(ask(engine, "another", at=AT + timedelta(minutes=5)))
    used = after["Sign-off"][0] / before["Sign-off"][0]
    unused = after["Invoices"][0] / before["Invoices"][0]
    assert 1 < used <= 1 + REACH
    assert 1 - REACH <= unused < used
    assert unused <= 1
    for name in before:
        assert after[name][1] == pytest.approx(before[name][1]), "whether to speak is not a matter of use"


def test_a_note_that_helps_with_one_question_and_not_with_another_is_preferred_for_the_one(engine):
    other = "To which postal address in Lübeck are invoices of the Hansen shipyard sent?"
    before = {text: scores(ask(engine, text=text)) for text in (ASKED, other)}
    at = AT
    for n in range(3):
        at += timedelta(minutes=1)
        ask(engine, f"a{n}", at=at)
        engine.agent_end(f"a{n}", "Merle Okonjo signs them off, every second Thursday.", at=at)
        ask(engine, f"b{n}", text=other, at=at)
        engine.agent_end(f"b{n}", "To Kaistrasse 14 in Lübeck.", at=at)
    later = at + timedelta(minutes=5)
    after = {text: scores(ask(engine, "x", text=text, at=later)) for text in (ASKED, other)}
    moved = {text: after[text]["Sign-off"][0] / before[text]["Sign-off"][0] for text in (ASKED, other)}
    assert 1 < moved[ASKED] <= 1 + REACH
    assert (1 - REACH) * RETIREMENT <= moved[other] < 1
    assert after[ASKED]["Invoices"][0] < before[ASKED]["Invoices"][0]
    unlike = "What colour was the slewing crane repainted in?"
    notes = [c.history for c in ask(engine, "y", text=unlike, at=later).candidates]
    assert not [step for steps in notes for step in steps if "retired" in step.note]


def test_an_answer_that_only_repeats_the_prompt_earns_nothing(engine):
    first = ask(engine)
    kinds = engine.agent_end(
        "s", f"{ASKED} Good question: the invoices of the Hansen shipyard. Who signs them off?", at=AT
    )
    assert kinds
    assert "used" not in kinds.values()
    before, after = scores(first), scores(ask(engine, "another"))
    assert all(after[name][0] <= before[name][0] * 1.000001 for name in before)
    assert all(uses.used == 0 for uses in engine.store.all_uses().values())


def test_a_hundred_used_turns_move_a_score_no_further_than_one_tenth(engine):
    for n in range(100):
        ask(engine, f"s{n}")
        engine.agent_end(f"s{n}", "Merle Okonjo signs them every second Thursday.", at=AT)
    never, often = ask(engine, "x"), engine.store.all_uses()
    assert max(uses.used for uses in often.values()) == 100
    unrelated = ask(engine, "y", text="What is the capital of Mongolia, and when was it founded?")
    assert unrelated.outcome is Outcome.SILENT, "use does not lift the irrelevant"
    step = next(s for c in never.candidates for s in c.history if s.note == "used 100 of 100 times")
    assert step.stage == "utility"


def test_an_end_that_comes_late_settles_its_own_turn_and_a_doubled_one_nothing(engine):
    first, second = ask(engine, run="r1"), ask(engine, run="r2")
    assert engine.agent_end("s", "Merle Okonjo", run="r1", duration_ms=583, at=AT)
    assert engine.agent_end("s", "Merle Okonjo", run="r1") == {}
    assert engine.agent_end("s", "nothing of the kind", run="r2", at=AT)
    turns = [e for e in engine.store.events() if e.kind == "turn"]
    assert [(e.run, e.injection) for e in turns] == [("r1", first.id), ("r2", second.id)]
    assert turns[0].data["ms"] == 583


def test_a_cached_answer_is_shown_again_and_counts_again(engine):
    first, again = ask(engine), ask(engine)
    assert (again.cached, again.text) == ("exact", first.text)
    assert again.id != first.id
    shown = [e.injection for e in engine.store.events() if e.kind == "injection"]
    assert shown == [first.id, again.id]
    assert engine.agent_end("s", "Merle Okonjo", at=AT)
    assert {uses.shown for uses in engine.store.all_uses().values()} == {1}


def test_the_end_of_a_turn_after_a_restart_still_counts(workspace, tmp_path):
    config = Config(timezone="Europe/Berlin")
    with Engine.open(config, folder=tmp_path / "store", strict=True) as engine:
        engine.index(workspace)
        shown = ask(engine, run="r1").candidates
    with Engine.open(config, folder=tmp_path / "store", strict=True) as engine:
        kinds = engine.agent_end("s", "Merle Okonjo, every second Thursday", run="r1", at=AT)
        assert set(kinds) == {c.chunk.id for c in shown}
        assert sum(uses.shown for uses in engine.store.all_uses().values()) == len(shown)


def test_a_user_who_objects_takes_the_credit_back(engine):
    ask(engine)
    engine.agent_end("s", "Merle Okonjo signs them off, every second Thursday.", at=AT)
    (used,) = [i for i, uses in engine.store.all_uses().items() if uses.used]
    ask(engine, text="And is it going to rain tomorrow in the evening?", at=AT + timedelta(seconds=30))
    assert engine.store.all_uses()[used].used == 1
    ask(engine, text="No, that's outdated. Somebody else does it now.", at=AT + timedelta(minutes=1))
    uses = engine.store.all_uses()[used]
    assert (uses.used, uses.contradicted, uses.shown) == (0, 1, 1)


def test_an_objection_a_day_later_is_about_something_else(engine):
    ask(engine)
    engine.agent_end("s", "Merle Okonjo signs them off, every second Thursday.", at=AT)
    before = engine.store.all_uses()
    ask(engine, text="No, that's outdated. Somebody else does it now.", at=AT + timedelta(days=1))
    assert engine.store.all_uses() == before


def test_a_blocked_note_is_never_injected_and_the_reason_is_told(engine):
    first = ask(engine)
    best = first.candidates[0].chunk
    engine.store.mark(best.id, "block", at=AT)
    again = ask(engine)
    assert not again.cached
    assert best.text not in again.text
    (told,) = [c for c in again.rejected if c.chunk.id == best.id]
    assert told.history[-1].note == "blocked: never injected"
    for chunk in engine.store.all_chunks():
        engine.store.mark(chunk.id, "block", at=AT)
    assert ask(engine).outcome is Outcome.SILENT


def test_marks_hold_when_learning_is_off(workspace, tmp_path):
    with Engine.open(Config(enableFeedbackLoop=False), folder=tmp_path / "store", strict=True) as engine:
        engine.index(workspace)
        best = ask(engine).candidates[0].chunk
        engine.store.mark(best.id, "block", at=AT)
        assert best.text not in ask(engine).text
        assert [e.kind for e in engine.store.events()] == ["mark"]


def test_what_is_forgotten_is_not_found_again_until_it_says_something_else(engine, workspace):
    best = ask(engine).candidates[0].chunk
    assert engine.store.forget([best.memory], at=AT) == {best.memory: [best.id]}
    assert best.text not in ask(engine).text
    file = workspace / "memory/hansen.md"
    file.write_text(NOTES + "\n## Harbour\n\nThe harbour master is called Ilse.\n")
    engine.index()
    assert best.text not in ask(engine).text
    assert "Ilse" in ask(engine, text="Who is the harbour master of the Hansen shipyard?").text
    file.write_text(NOTES.replace(best.text, f"{best.text} Since February."))
    engine.index()
    assert f"{best.text} Since February." in ask(engine).text


def test_an_injection_is_recorded_without_its_secrets(engine):
    ask(engine, text=f"{ASKED} My key is sk-live-0123456789abcdefghij.")
    raw = b"".join(path.read_bytes() for path in Path(engine.store.place).glob("memory.db*"))
    assert b"sk-live-0123456789" not in raw
