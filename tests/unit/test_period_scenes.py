"""What is searched for, and what competes beside it: scenes, names of several words, pages among mentions, pinned notes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hookclaw_py import Config, Engine, Outcome, Prompt
from hookclaw_py.model.audience import Audience
from hookclaw_py.stages.entities import find_entities, unknown_share
from hookclaw_py.stages.periods import find_period, sets_the_scene

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    "prompt",
    [
        "reserve the usual table for the four of us, friday at six",
        "beeping in the bedroom since this morning, what is it",
        "28 degrees in the workshop today, can I still paint",
        "wohin mit dem Besuch am Samstag",
        "write a text to the plasterer asking him to come monday",
        "remind me of a good pub as a treat friday",
        "i need a slide on the frost trial by friday, what do we have on it",
    ],
)
def test_a_period_in_passing_is_none_to_search_for(prompt):
    period = find_period(prompt, now=NOW)
    assert period is None or sets_the_scene(period, prompt, now=NOW)


@pytest.mark.parametrize(
    "prompt",
    [
        "what did we do on friday",
        "which machine let us down on friday and for how long",
        "what broke on monday",
        "was haben wir am Samstag gemacht",
        "what's on today?",
        "the dishwasher man said something yesterday evening, what was it",
        "the pump leaked the day before yesterday, which valve was it",
        "what did Mara say yesterday",
        "qué hicimos el sábado",
        "was war am 3. März",
        "Ragnhild a dit quoi lundi",
        "quoi de prévu aujourd'hui",
        "quoi de prévu aujourd’hui",
        "rdv aujourd'hui",
    ],
)
def test_who_looks_back_means_the_period(prompt):
    period = find_period(prompt, now=NOW)
    assert period is not None
    assert not sets_the_scene(period, prompt, now=NOW)


def test_a_question_for_a_month_names_none():
    assert find_period("园子水几月开", now=NOW) is None
    assert find_period("前几天说了什么", now=NOW) is not None


def test_of_a_name_of_several_words_the_unknown_ones_count():
    (name,) = find_entities("ask Yann Goarant", names=frozenset())
    assert unknown_share((name,), frozenset({"yann"})) == pytest.approx(0.5)
    assert unknown_share((name,), frozenset()) == 1


def test_in_german_a_noun_is_no_name():
    assert not find_entities("was hab ich vorgestern mit der Tante gemacht", names=frozenset())


def test_the_page_about_somebody_is_found_among_a_hundred_mentions(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "People at work.md").write_text(
        "# People at work\n\n| who | does |\n|---|---|\n| Piotr Zielak | backend and the portal |\n| Nils Foss | workshop |\n"
    )
    days = (f"## 2025-{1 + n // 28:02}-{1 + n % 28:02}\n\n- Piotr late\n- ferry full\n" for n in range(120))
    (notes / "journal.md").write_text("# journal\n\n" + "\n".join(days))
    with Engine.in_memory(Config()) as engine:
        engine.index(notes)
        answer = engine.recall("who is piotr")
    assert answer.outcome is Outcome.INJECTED
    assert "backend and the portal" in answer.text


def test_a_pinned_note_competes_although_many_others_fit_better(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "Boiler.md").write_text("The red lever behind the shelf shuts the heating off.\n")
    others = "\n\n".join(
        f"## Heating bill {n}\n\nHeating bill number {n}: {90 + n} euros, paid for the heating." for n in range(90)
    )
    (notes / "Bills.md").write_text(others)
    with Engine.in_memory(Config()) as engine:
        engine.index(notes)
        [boiler] = [chunk for chunk in engine.store.all_chunks() if chunk.place.path == "Boiler.md"]
        prompt = "heating bill paid, how many euros"

        def story():
            answer = engine.recall(prompt)
            return {c.chunk.id for c in (*answer.candidates, *answer.rejected)}

        assert boiler.id not in story()
        engine.store.mark(boiler.id, "pin", at=NOW)
        assert boiler.id in story()


def test_what_the_owner_pinned_is_pinned_for_nobody_else(tmp_path):
    (tmp_path / "MEMORY.md").write_text("The safe behind the clock opens with 77-12-40.\n")
    with Engine.in_memory(Config()) as engine:
        engine.index(tmp_path)
        [chunk] = engine.store.all_chunks()
        engine.store.mark(chunk.id, "pin", at=NOW)
        asked = Prompt("how does the safe behind the clock open?", NOW, agent_id=engine.agent)
        assert "77-12-40" in engine.recall(replace(asked, audience=Audience.OWNER)).text
        for audience in (one for one in Audience if one is not Audience.OWNER):
            answer = engine.recall(replace(asked, audience=audience))
            assert not [*answer.candidates, *answer.rejected]
