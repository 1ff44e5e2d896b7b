"""What is forgotten goes from what was said as well: an agent saves what its person told it, and then the person wants that gone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hookclaw_py import Config, Engine
from hookclaw_py.cli.commands import main
from hookclaw_py.config import CaptureConfig
from hookclaw_py.doors.protocol import filled
from hookclaw_py.doors.tools.commands import said
from hookclaw_py.doors.tools.desk import ToolDesk
from hookclaw_py.doors.tools.table import TOOLS, answered
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.kind import FACT
from hookclaw_py.model.types import Message, Prompt
from hookclaw_py.observe.recording import PromptLog
from tests.conftest import FILLERS
from tests.e2e.test_growing_memory import Host

NOW = datetime.now(UTC)
EARLIER = NOW - timedelta(hours=2)
TOLD = "Please remember that the codeword of the harbour gate is Quillwort. The ferry to Karlskrona leaves at nine."
SAVED = "The codeword of the harbour gate is Quillwort."
GATE = "What is the codeword of the harbour gate?"
FERRY = "When does the ferry to Karlskrona leave?"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOOKCLAW_TIMEZONE", "UTC")
    return tmp_path / "home"


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    config = Config(timezone="UTC", capture=CaptureConfig(keep_raw_days=3650))
    with Engine.open(config, strict=True) as engine:
        for number, word in enumerate(FILLERS[:4]):
            Host(engine).turn(f"f{number}", f"The {word} stands in room {number}.", "Noted.", at=EARLIER)
        yield engine


def save(engine: Engine, content: str) -> str:
    """Let the agent save it, as its person asked."""
    return call(engine, "memory_set", content=content)["id"]


def call(engine: Engine, tool: str, **given: Any) -> Any:
    return answered(desk(engine), filled(TOOLS[tool].shape, given))


def desk(engine: Engine) -> ToolDesk:
    return ToolDesk(engine=engine, now=NOW, session="s1", audience=Audience.OWNER)


def run(*words: str) -> str:
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return done.output


def asked(engine: Engine, prompt: str) -> str:
    engine.catch_up()
    return engine.recall(prompt, at=NOW + timedelta(days=1), session="later").text


def on_disk(home: Path, word: str) -> list[str]:
    return [file.name for file in home.glob("agents/main/memory.db*") if word.encode() in file.read_bytes()]


@pytest.mark.sqlite
@pytest.mark.parametrize("how", ["chat", "command line"])
def test_what_an_agent_saved_and_its_person_had_forgotten_is_told_by_no_turn(engine: Engine, home: Path, how: str):
    Host(engine).turn("s1", TOLD, "I keep that in mind: the harbour gate's codeword is Quillwort.", at=EARLIER)
    memory = save(engine, SAVED)
    assert "Quillwort" in asked(engine, GATE)
    told = said(desk(engine), "forget", memory[:8]) if how == "chat" else run("feedback", "forget", "--yes", memory[:8])
    assert ("Forgotten for good" in told, "out of what was said, too" in told) == (how == "chat", True)
    assert "the note still has it" not in told
    assert "Quillwort" not in asked(engine, GATE)
    assert "leaves at nine" in asked(engine, FERRY), "the rest of the turn stays"
    engine.close()
    assert not on_disk(home, "Quillwort")
    with closing(sqlite3.connect(home / "agents/main/memory.db")) as connection:
        gone = "SELECT count(*) FROM embeddings WHERE digest NOT IN (SELECT digest FROM chunks)"
        assert connection.execute(gone).fetchone() == (0,), "nor what it means"


def test_the_prompt_that_told_it_and_the_turns_before_a_later_one_lose_it_in_history_stories_and_recordings(
    engine: Engine, home: Path
):
    keeping = Engine.open(engine.config.model_copy(update={"record_prompts": True}), strict=True)
    before = (Message("user", TOLD), Message("assistant", "Noted."))
    prompts = [
        Prompt(TOLD, EARLIER, "main", "s", audience=Audience.OWNER),
        Prompt("And the ferry?", EARLIER, "main", "s", recent=before, audience=Audience.OWNER),
        Prompt(GATE, EARLIER, "main", "t", audience=Audience.OWNER),
    ]
    with keeping:
        for prompt in prompts:
            keeping.decided(keeping.recall(prompt).id)
    saved = save(engine, SAVED)
    told = run("feedback", "forget", saved, "--yes")
    assert "2 recorded prompts" in told
    stories = [one.story for one in engine.store.decisions_beginning_with("", most=9)]
    assert (len(stories), [story for story in stories if b"quillwort" in story.lower()]) == (3, [])
    left = "The ferry to Karlskrona leaves at nine."
    assert {one.prompt.strip() for one in engine.store.decisions()} == {left, "And the ferry?", GATE}
    recorded = PromptLog(home / "agents" / "main").all()
    assert {one.prompt.text.strip() for one in recorded} == {left, "And the ferry?", GATE}
    assert [message.text.strip() for one in recorded for message in one.prompt.recent] == [left, "Noted."]


def test_what_was_said_of_something_else_in_the_same_sentence_stays(engine: Engine, home: Path):
    both = "The ferry to Karlskrona leaves at nine and the codeword of the harbour gate is Quillwort."
    Host(engine).turn("s1", both, "Noted.", at=EARLIER)
    said(desk(engine), "forget", save(engine, SAVED))
    assert any("The ferry to Karlskrona leaves at nine." in chunk.text for chunk in engine.store.all_chunks())
    engine.close()
    assert not on_disk(home, "Quillwort")


def test_it_does_not_come_back_when_the_session_goes_on(engine: Engine, home: Path):
    host = Host(engine)
    host.turn("s1", f"By the way, please note down: {SAVED[:-1]}, she said.", "Noted.", at=EARLIER)
    said(desk(engine), "forget", save(engine, "The harbour gate codeword is Quillwort."))
    host.turn("s1", "The lamp in the boat house is broken.", "I see.", at=EARLIER + timedelta(minutes=5))
    assert "Quillwort" not in asked(engine, GATE)
    assert "boat house" in asked(engine, "what is broken in the boat house?")
    engine.close()
    assert not on_disk(home, "Quillwort")


def test_what_says_it_in_other_words_is_named_and_can_be_forgotten_as_well(engine: Engine):
    Host(engine).turn("s1", "At the harbour gate one has to say Quillwort, please remember.", "Noted.", at=EARLIER)
    told = said(desk(engine), "forget", save(engine, SAVED))
    assert "What was said may still tell of it in other words; `/memoryforget ID`:" in told
    (line,) = (one for one in told.splitlines() if "one has to say Quillwort" in one)
    assert "Quillwort" in asked(engine, "what does one have to say at the harbour gate?")
    said(desk(engine), "forget", line.rpartition("(id ")[2].rstrip(")"))
    assert "Quillwort" not in asked(engine, "what does one have to say at the harbour gate?")


@pytest.mark.parametrize(
    ("told", "saved"),
    [
        (
            "Note that my aunt's laundry is dried in Grandpa's barn, will you?",
            "The aunt dries laundry in grandpas barn.",
        ),
        (
            "Merk dir bitte, der Schlüssel zum Gartenhaus liegt unter der Blumenkübel.",
            "Unter der BLUMENKÜBEL liegt der Schlüssel zum Gartenhaus.",
        ),
    ],
)
def test_it_is_known_again_in_any_form_of_its_words(engine: Engine, home: Path, told: str, saved: str):
    Host(engine).turn("s1", told, "Noted.", at=EARLIER)
    answer = said(desk(engine), "forget", save(engine, saved))
    assert "out of what was said, too (1)" in answer
    engine.close()
    assert not on_disk(home, told[12:40])


def test_what_speaks_of_something_else_stays_and_is_not_named(engine: Engine):
    Host(engine).turn("s1", "The gate of the orchard is painted blue.", "Blue it is.", at=EARLIER)
    told = said(desk(engine), "forget", save(engine, SAVED))
    assert told.splitlines() == [told]
    assert "what was said" not in told
    assert "blue" in asked(engine, "which colour has the gate of the orchard?")


def test_what_is_retracted_in_the_viewer_goes_from_what_was_said_as_well(engine: Engine, home: Path):
    pytest.importorskip("starlette", reason="needs the extra http")
    from hookclaw_py.web import asked as wanted
    from hookclaw_py.web import changing
    from hookclaw_py.web.desk import Desk

    Host(engine).turn("s1", SAVED, "Noted, and the ferry to Karlskrona leaves at nine.", at=EARLIER)
    (fact,) = (one for one in engine.store.records(kinds=[FACT]) if "Quillwort" in one.body)
    page = Desk(agent="main", engine=engine, service=None, folder=home / "agents" / "main", now=NOW)
    assert changing.retract(page, wanted.RetractRecord(id=fact.id, why="no more"))["success"]
    assert "Quillwort" not in asked(engine, GATE)
    assert "leaves at nine" in asked(engine, FERRY)


def test_who_forgets_a_passage_of_several_turns_is_told_before_that_all_of_them_go(engine: Engine, home: Path):
    host = Host(engine)
    host.turn("s1", "The spare key of the sauna hangs behind the boiler.", "Noted.", at=EARLIER)
    host.turn("s1", "The chimney sweep comes on the third of March.", "Noted.", at=EARLIER + timedelta(minutes=2))
    (chunk,) = (one for one in engine.store.all_chunks() if "sauna" in one.text and one.kind.searched)
    (alone,) = (
        one for one in engine.store.all_chunks() if f"The {FILLERS[0]} stands" in one.text and one.kind.searched
    )
    engine.close()
    asked_first = CliRunner().invoke(main, ["feedback", "forget", chunk.id], input="n\n")
    assert "2 turns stand in this passage, all of them go" in asked_first.output
    assert "turns stand" in CliRunner().invoke(main, ["feedback", "forget", "--yes", chunk.id]).output
    assert "turns stand" not in CliRunner().invoke(main, ["feedback", "forget", "--yes", alone.id]).output
