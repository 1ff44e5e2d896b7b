"""Single lines of other notes behind what is told, with the real model: what has changed since, without secrets, and nothing twice."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hookclaw_py import Config, Engine, Outcome, Prompt
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Effect

AT = datetime(2026, 9, 2, 9, tzinfo=UTC)
NEW = "- sold the old outboard, bought a Mariner off Struan, password of its tracker: Tr0ub4dor&3x"
NOTES = {
    "Dinghy.md": "Avon two-seater, in the shed.\n- outboard: Yamaha 2 hp, mixes fuel 1:50, serviced by Geir each spring\n",
    "2026-08-11.md": f"- wrote to the bank about the loan\n{NEW}\n- Tuva has the flu, no school\n- rain all day, fixed the tap\n",
    "2026-08-12.md": "- bank answered, loan runs until May\n- lawn\n",
    "Heat pump.md": "Filter every second month, service by Nordvarme each September.\n",
    "Gym.md": "Membership paid until June, notice two weeks.\n",
    "Orienteering.md": "Coach is Geir, helped by Tuva.\n- Wednesdays at the school\n",
}
ASKED = "who services the outboard of the dinghy, and which model is it"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    notes = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (notes / name).write_text(text, encoding="utf-8")
    with Engine.open(Config(), folder=tmp_path_factory.mktemp("store"), strict=True) as engine:
        engine.index(notes)
        yield engine


def ask(engine, **fields):
    return engine.recall(Prompt(ASKED, AT, agent_id=engine.agent, audience=Audience.OWNER, **fields))


def test_a_line_is_told_behind_the_page_without_its_secret_and_the_story_says_so(engine):
    found = ask(engine)
    assert found.outcome is Outcome.INJECTED
    assert [c.chunk.place.path for c in found.candidates] == ["Dinghy.md"]
    line = found.text.splitlines()[-2]
    assert line.startswith(
        '  <line path="2026-08-11.md" lines="1-4">- sold the old outboard, bought a Mariner off Struan'
    )
    assert "Tr0ub4dor" not in found.text
    (diary,) = [c for c in found.rejected if c.chunk.place.path == "2026-08-11.md"]
    assert [step.effect for step in diary.history][-2:] == [Effect.LINE, Effect.IRRELEVANT]


def test_a_line_that_the_conversation_holds_is_not_told_again(engine):
    assert "<line" in ask(engine, session_id="a").text
    assert "<line" not in ask(engine, session_id="b", conversation=(NEW,)).text


def test_a_line_of_a_note_that_a_person_blocked_is_not_told(engine):
    (diary,) = [c.chunk.memory for c in ask(engine).rejected if c.chunk.place.path == "2026-08-11.md"]
    engine.store.mark(diary, "block", at=AT)
    try:
        assert "<line" not in ask(engine, session_id="c").text
    finally:
        engine.store.mark(diary, "", at=AT)


def test_a_turn_is_judged_by_the_memories_not_by_the_lines(engine):
    shown = ask(engine, session_id="d")
    engine.agent_end("d", answer="Geir services it each spring.")
    uses = engine.store.uses([c.chunk.memory for c in (*shown.candidates, *shown.lines)])
    assert set(uses) == {shown.candidates[0].chunk.memory}


def test_without_lines_there_are_none(tmp_path):
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "notes" / name).write_text(text, encoding="utf-8")
    with Engine.open(Config(maxLines=0), folder=tmp_path / "store", strict=True) as engine:
        engine.index(tmp_path / "notes")
        assert "Yamaha" in ask(engine).text
        assert "<line" not in ask(engine).text
