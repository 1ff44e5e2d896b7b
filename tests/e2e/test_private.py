"""What is private is nowhere: in no file of ours, whether a prompt, a note or a session held it, or a note held it once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import zstandard

from hookclaw_py import Config, Engine
from hookclaw_py.forgetting import forget
from hookclaw_py.model.types import Message, Prompt
from tests.conftest import FILLERS

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HIDDEN = "zanzibarquokka"
NOTE = f"# Safe\n\nThe safe in the cellar opens with {HIDDEN}, turned twice.\n"
ASKED = "how does the safe in the cellar open?"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for word in FILLERS:
        (folder / f"{word}.md").write_text(
            f"# {word.title()}\n\nA note on {word} and nothing else.\n", encoding="utf-8"
        )
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def opened(store: Path, notes: Path) -> Iterator[Any]:
    engines: list[Engine] = []

    def opened(**settings: Any) -> Engine:
        settings = {"enable_vector": False, "min_score": 0.1, "record_prompts": True, **settings}
        engines.append(Engine.open(Config(**settings), folder=store, strict=True))
        engines[-1].index(notes)
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


def where_it_is(folder: Path, word: str = HIDDEN) -> list[str]:
    """Return in which files of ours, and columns of our databases, a word is, packed or not."""
    found = []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        if file.suffix == ".db":
            found += [f"{file.name}: {column}" for column in _columns_with(file, word)]
        if word.encode() in file.read_bytes():
            found.append(file.relative_to(folder).as_posix())
    return found


def _columns_with(file: Path, word: str) -> Iterator[str]:
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in connection.execute(f"SELECT * FROM {table}"):
                for value in row:
                    raw = value if isinstance(value, bytes) else str(value).encode(errors="replace")
                    if raw[:4] == b"\x28\xb5\x2f\xfd":
                        raw = zstandard.decompress(raw)
                    if word.encode() in raw.lower():
                        yield table


def asked(engine: Engine, text: str = ASKED, **more: Any) -> str:
    return engine.recall(
        Prompt(text, NOW, agent_id="main", session_id="s", run_id="r", **{"audience": "owner", **more})
    ).text


def test_what_is_private_in_a_prompt_is_written_nowhere(opened: Any, store: Path, notes: Path):
    (notes / "safe.md").write_text("# Safe\n\nThe safe in the cellar opens to the left.\n", encoding="utf-8")
    engine = opened()
    recent = (Message("user", f"<private>{HIDDEN}</private> hello"), Message("assistant", "hello"))
    told = asked(engine, f"<private>the code is {HIDDEN}</private> {ASKED}", recent=recent)
    assert "to the left" in told
    engine.close()
    assert where_it_is(store) == []


def test_of_a_prompt_that_asks_not_to_be_kept_nothing_is_written(opened: Any, store: Path, notes: Path):
    (notes / "safe.md").write_text("# Safe\n\nThe safe in the cellar opens to the left.\n", encoding="utf-8")
    engine = opened()
    assert "to the left" in asked(engine, f"off the record: the code is {HIDDEN}. {ASKED}")
    recent = (Message("user", f"don't remember this: {HIDDEN}"), Message("assistant", "hello"))
    assert "to the left" in asked(engine, recent=recent)
    assert "to the left" in asked(engine, f"{ASKED} {HIDDEN}", off_record=True)
    engine.close()
    assert where_it_is(store) == []


@pytest.mark.parametrize(
    "marked", [f"<private>{NOTE}</private>", f"---\nprivate: true\n---\n{NOTE}", f"+++\nprivate = 1\n+++\n{NOTE}"]
)
def test_what_is_private_in_a_note_is_read_nowhere(opened: Any, store: Path, notes: Path, marked: str):
    (notes / "safe.md").write_text(marked, encoding="utf-8")
    engine = opened()
    assert HIDDEN not in asked(engine)
    engine.close()
    assert where_it_is(store) == []


@pytest.mark.sqlite
def test_a_note_that_was_made_private_leaves_every_trace_of_it(opened: Any, store: Path, notes: Path):
    (notes / "safe.md").write_text(NOTE, encoding="utf-8")
    engine = opened(enable_vector=True)
    assert HIDDEN in asked(engine)
    engine.agent_end("s", f"Turn {HIDDEN} twice, the safe in the cellar opens with it.", run="r")
    engine.history.flush()
    assert len(where_it_is(store)) > 2
    (notes / "safe.md").write_text(f"---\nprivate: true\n---\n{NOTE}", encoding="utf-8")
    engine.index()
    assert HIDDEN not in asked(engine)
    engine.close()
    assert where_it_is(store) == []


def test_a_note_that_was_deleted_leaves_the_history_the_stories_and_the_recordings(
    opened: Any, store: Path, notes: Path
):
    (notes / "safe.md").write_text(NOTE, encoding="utf-8")
    engine = opened()
    decision = engine.recall(Prompt(ASKED, NOW, agent_id="main", session_id="s", run_id="r", audience="owner"))
    assert HIDDEN in decision.text
    engine.history.flush()
    (notes / "safe.md").unlink()
    engine.index()
    assert HIDDEN not in asked(engine, f"{ASKED} again")
    told = engine.decided(decision.id)
    assert (told.text, told.query) == ("", None)
    assert [one.prompt.text for one in engine._parts.recordings.all()] == [f"{ASKED} again"]
    engine.close()
    assert [
        place for place in where_it_is(store) if not place.startswith("lexical/")
    ] == []  # it is merged away in time


def told_of_two_notes(opened: Any, notes: Path, *titles: str) -> tuple[Any, Any]:
    """Return an engine, and what it has told and written down of two notes of the same words below these titles."""
    for name, title in zip(("safe.md", "copy.md"), titles, strict=True):
        (notes / name).write_text(NOTE.replace("# Safe", f"# {title}"), encoding="utf-8")
    engine = opened()
    decision = engine.recall(Prompt(ASKED, NOW, agent_id="main", session_id="s", audience="owner"))
    engine.history.flush()
    return engine, decision


def test_what_stands_in_another_note_as_well_keeps_its_history(opened: Any, notes: Path):
    engine, decision = told_of_two_notes(opened, notes, "safe.md", "copy.md")
    (notes / decision.candidates[0].chunk.place.path).unlink()
    engine.index()
    assert HIDDEN in engine.decided(decision.id).text


@pytest.mark.parametrize("heading", ["Safe", "Cellar"])
def test_what_stood_in_two_notes_leaves_the_history_with_the_second(
    opened: Any, store: Path, notes: Path, heading: str
):
    engine, decision = told_of_two_notes(opened, notes, "Safe", heading)
    told = decision.candidates[0].chunk.place.path
    for name in (told, *({"safe.md", "copy.md"} - {told})):
        (notes / name).unlink()
        engine.index()
    assert engine.decided(decision.id).text == ""
    engine.close()
    assert [place for place in where_it_is(store) if not place.startswith("lexical/")] == []


@pytest.mark.parametrize("heading", ["Safe", "Cellar"])
def test_what_is_forgotten_leaves_what_was_told_of_an_earlier_note_with_the_same_words(
    opened: Any, store: Path, notes: Path, heading: str
):
    engine, decision = told_of_two_notes(opened, notes, "Safe", heading)
    (notes / decision.candidates[0].chunk.place.path).unlink()
    engine.index()
    (memory,) = (chunk.memory for chunk in engine._parts.store.all_chunks() if HIDDEN in chunk.text)
    assert forget(engine._parts.store, memory, beside=store, at=NOW).recordings == 1
    assert engine.decided(decision.id).text == ""
    engine.close()
    assert [place for place in where_it_is(store) if not place.startswith("lexical/")] == []


@pytest.mark.sqlite
def test_a_note_that_was_made_private_leaves_the_history_with_its_heading(opened: Any, store: Path, notes: Path):
    text = "The safe in the cellar opens to the left.\n"
    for name, heading in (("safe.md", HIDDEN), ("copy.md", "Cellar")):
        (notes / name).write_text(f"# {heading}\n\n{text}", encoding="utf-8")
    engine = opened()
    asked(engine)
    engine.history.flush()
    (notes / "safe.md").write_text(f"---\nprivate: true\n---\n# {HIDDEN}\n\n{text}", encoding="utf-8")
    engine.index()
    engine.close()
    assert where_it_is(store) == []


def test_a_note_that_moved_keeps_its_history(opened: Any, notes: Path):
    (notes / "safe.md").write_text(NOTE, encoding="utf-8")
    engine = opened()
    decision = engine.recall(Prompt(ASKED, NOW, agent_id="main", session_id="s", audience="owner"))
    (notes / "safe.md").rename(notes / "cellar.md")
    engine.index()
    assert HIDDEN in engine.decided(decision.id).text
