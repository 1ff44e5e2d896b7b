"""A kind of memory is one row of a table and one reader: a kind that nobody knew goes the whole way with no more."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hookclaw_py import Config, Engine
from hookclaw_py.hosts.openclaw.envelope import ENVELOPE
from hookclaw_py.ingest import sources
from hookclaw_py.ingest.sources import Contents, Indexable, Listing, SourceRequest
from hookclaw_py.insight.printing import as_plain
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.kind import KINDS, NOTE, RECORDS, UNKNOWN, Kind
from hookclaw_py.model.types import Injection, Prompt
from tests.conftest import chunk

LETTERS = Kind("letters", decays=False, shareable=False, speakers=("Ada", "Charles"))
SAID = ("which wheel of the engine sticks?", "The third wheel of the mill sticks, oil it before Friday.")
ASKED = "Which wheel of the mill sticks?"
NOW = datetime(2026, 2, 20, 12, tzinfo=UTC)


def read_letters(_: SourceRequest) -> Listing:
    body = f"Ada: {SAID[0]}\n\nCharles: {SAID[1]}"
    letter = chunk(body, path="letters/1843.txt", kind=LETTERS, created_at=datetime(2024, 7, 10, 9, tzinfo=UTC))
    return Listing([Indexable(letter.place.path, "1", f"{LETTERS.name} 1", lambda: Contents([letter]))])


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setitem(KINDS, LETTERS.name, LETTERS)
    monkeypatch.setitem(sources.READERS, LETTERS.name, read_letters)
    (tmp_path / "ws" / "memory").mkdir(parents=True)
    for word in ("gardening", "bicycles", "teapots", "harbours", "violins", "whales", "trains", "owls"):
        (tmp_path / "ws" / "memory" / f"{word}.md").write_text(f"All about {word} and nothing else.\n")
    config = Config(enable_vector=False, min_score=0.2, timezone="UTC", shared=["**"])
    config = config.model_copy(update={"sources": ("memory", LETTERS.name)})
    with Engine.open(config, folder=tmp_path / "store", strict=True) as opened:
        opened.index(tmp_path / "ws")
        yield opened


def recalled(engine: Engine, audience: Audience = Audience.OWNER, *, conversation: tuple[str, ...] = ()) -> Injection:
    prompt = Prompt(
        ASKED, NOW, agent_id="main", session_id=f"s {audience}", audience=audience, conversation=conversation
    )
    return engine.recall(prompt)


def test_a_kind_of_memory_of_ones_own_is_indexed_recalled_explained_and_counted(engine: Engine):
    found = recalled(engine)
    assert '<memory source="letters" path="letters/1843.txt"' in found.text
    (told,) = json.loads(as_plain(found))["candidates"]
    assert told["chunk"]["kind"] == "letters"
    engine.agent_end(f"s {Audience.OWNER}", "The third wheel sticks: oil it before Friday.")
    counted = {key for key in engine.metrics.totals() if "letters" in key[1]}
    assert counted == {
        ("injected_chunks_total", ("bm25", "letters")),
        ("settled_chunks_total", ("used", "1", "letters")),
    }


def test_a_kind_with_words_for_it_can_be_chosen_in_the_configuration():
    """In a process of its own: the configuration is made of the table when it is imported."""
    code = (
        "from hookclaw_py.model.kind import KINDS, Kind\n"
        "KINDS['letters'], KINDS['dreams'] = Kind('letters', 'what was written'), Kind('dreams')\n"
        "from hookclaw_py import Config\n"
        "print(Config(sources=['memory', 'letters']).sources, Config.model_fields['sources'].description)\n"
        "Config(sources=['memory', 'dreams'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("('memory', 'letters') What to remember: memory = the notes, ")
    assert done.stdout.rstrip().endswith(", letters = what was written")
    assert "dreams" in done.stderr.splitlines()[-1]


def test_all_that_follows_from_a_kind_is_read_from_its_row(engine: Engine):
    (letter,) = recalled(engine).candidates
    assert "decay" not in {step.stage for step in letter.history}, "two years old, and of a kind that does not decay"
    assert "letters/" not in repr(recalled(engine, Audience.GROUP)), "a kind that no pattern shares"
    assert not recalled(engine, conversation=SAID).text, "each of its lines was said already"


def test_a_kind_that_is_switched_off_is_forgotten_and_the_notes_stay(engine: Engine, tmp_path: Path):
    sources.index_sources(sources.SourceRequest(engine.store, "", "main", UTC, ENVELOPE), ["memory"])
    assert {c.kind for c in engine.store.all_chunks()} == {NOTE}
    assert engine.store.count() == 8


def test_a_kind_of_another_version_is_trusted_with_nothing_and_counted_as_other(engine: Engine, tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "store" / "memory.db")) as other:
        other.execute("UPDATE chunks SET kind = 'dreams' WHERE kind = 'letters'")
        other.commit()
    (letter,) = engine.store.chunks([c.chunk.id for c in recalled(engine).candidates]).values()
    assert letter.kind is UNKNOWN
    found = recalled(engine)
    assert '<memory source="other"' in found.text
    assert ("injected_chunks_total", ("bm25", "other")) in engine.metrics.totals()


def test_what_was_distilled_from_sessions_is_the_owners_alone_and_stands_in_no_file():
    """M2: what is lasting keeps its score, what was only so in a session fades; none of it is chosen as a source."""
    assert {kind.name for kind in RECORDS if not kind.decays} == {"fact", "decision", "preference", "skill", "plan"}
    for kind in RECORDS:
        assert KINDS[kind.name] is kind
        assert (kind.shareable, kind.trusted, kind.told) == (False, False, "")
        assert str(kind.place(f"record:{kind.name}/ab12", (0, 0))) == f"record:{kind.name}/ab12"
