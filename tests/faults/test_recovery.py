"""What broke heals by itself, or says what to do: a store that is gone, replaced, read-only or on a full disk; vectors; an embedder."""

from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

from hookclaw_py import Config, Engine, build
from hookclaw_py.errors import EmbeddingError, StoreError
from hookclaw_py.indexing import Pauses
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Prompt
from hookclaw_py.search.ports import Embedder
from hookclaw_py.store import upkeep
from hookclaw_py.store.database import Store
from tests.conftest import NOW
from tests.faults.test_store_faults import unprivileged
from tests.waiting import delete, wait_until

QUESTION = "what is the codeword of the harbour release?"
CONFIG = Config(enableVector=False, minScore=0.0)
LONG = 60.0


class HashEmbedder:
    """Tells texts apart by their words; ``down`` is why it cannot be asked."""

    model_id, dimension, down = "hash-16", 16, ""

    def embed(self, text, deadline=None):
        if self.down:
            raise EmbeddingError(self.down)
        vector = np.full(16, 0.01, np.float32)
        for word in text.lower().split():
            vector[blake2b(word.encode(), digest_size=1).digest()[0] % 16] += 1
        return vector / np.linalg.norm(vector)

    def close(self): ...


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes/memory").mkdir(parents=True)
    (tmp_path / "notes/memory/2026-02-01.md").write_text(
        "## Harbour\n\nThe codeword of the harbour release is Quillwort.\n"
    )
    (tmp_path / "notes/memory/2026-02-02.md").write_text("## Garden\n\nThe tulips are planted along the fence.\n")
    return tmp_path / "notes"


def opened(folder: Path, embedder: Embedder | None = None) -> Engine:
    config = Config(minScore=0.0) if embedder else CONFIG
    return Engine(Store.open(folder), build.lexical_index(config, folder), embedder, config=config)


def asked(engine: Engine, question: str = QUESTION):
    return engine.recall(Prompt(question, NOW, "main", "s", audience=Audience.OWNER))


@contextmanager
def watched(engine: Engine) -> Iterator[None]:
    stop = threading.Event()
    reports: list[object] = []
    thread = threading.Thread(target=engine.watch, args=(reports.append,), kwargs={"stop": stop})
    thread.start()
    try:
        wait_until(lambda: reports, "the watcher has indexed")
        yield
    finally:
        stop.set()
        thread.join(LONG)


def test_a_running_engine_whose_folder_was_deleted_makes_it_anew_and_says_so(notes, tmp_path, caplog):
    with opened(tmp_path / "main") as engine:
        engine.index(notes)
        assert "Quillwort" in asked(engine).text
        delete(tmp_path / "main")
        with caplog.at_level(logging.WARNING):
            assert asked(engine).text == ""
        assert "was replaced or deleted under this process" in caplog.text
        assert "deleted or replaced under this process" in "; ".join(engine.status().problems)
        engine.index(notes)
        assert "Quillwort" in asked(engine).text
        assert engine.status().problems == ()
    with Store.open(tmp_path / "main") as store:
        assert [event.kind for event in store.events()] == ["injection"]


def test_a_watching_engine_reads_the_notes_again_when_its_store_is_gone(notes, tmp_path):
    with opened(tmp_path / "main") as engine:
        engine.index(notes)
        with watched(engine):
            delete(tmp_path / "main")
            wait_until(lambda: "Quillwort" in asked(engine).text, "the note is found again, though no note has changed")
            (notes / "memory/2026-02-03.md").write_text("## Ferry\n\nThe ferry pilot of the harbour is called Oduya.\n")
            wait_until(
                lambda: "Oduya" in asked(engine, "who is the ferry pilot of the harbour?").text, "a new note is found"
            )


def test_what_is_recorded_after_the_file_was_replaced_is_in_the_new_one(notes, tmp_path):
    with Store.open(tmp_path / "main") as store:
        store.set_meta("a", 1)
        (tmp_path / "main/memory.db").unlink()
        store.record_injection(at=NOW, session_id="s", injection_id="i", prompt="", shown=[])
        assert store.get_meta("a") is None
    with Store.open(tmp_path / "main") as store:
        assert [event.injection for event in store.events()] == ["i"]


def test_the_journal_of_a_database_that_is_gone_is_not_taken_for_that_of_the_next(tmp_path):
    script = "import sys\nfrom hookclaw_py.store.database import Store\nfrom pathlib import Path\nimport os\n"
    script += "store = Store.open(Path(sys.argv[1])); store.set_meta('old', 'journal'); os._exit(0)"
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, timeout=LONG)
    journal = (tmp_path / "memory.db-wal").read_bytes()
    assert journal
    (tmp_path / "memory.db").unlink()
    with Store.open(tmp_path) as store:
        assert store.get_meta("old") is None
        store.set_meta("new", 1)
    with Store.open(tmp_path) as store:
        assert store.get_meta("new") == 1
    assert (tmp_path / "memory.db.corrupt-1-wal").read_bytes() == journal


def test_an_empty_database_is_no_new_store(tmp_path):
    (tmp_path / "memory.db").touch()
    with pytest.raises(StoreError, match=r"memory\.db is empty.*--rebuild"):
        Store.open(tmp_path)


def test_a_store_that_was_read_only_is_written_to_as_soon_as_it_can_be(tmp_path):
    Store.open(tmp_path / "main").close()
    folder = tmp_path / "main"
    for parent in (tmp_path, *tmp_path.parents[:3]):
        parent.chmod(0o755) if parent.stat().st_uid == os.getuid() else None
    with unprivileged(folder), pytest.raises(StoreError):
        (store := Store.open(folder)).set_meta("a", 1)
    with store:
        store.set_meta("a", 2)
        assert store.get_meta("a") == 2
        assert store.unwritable == ""


def test_a_read_only_store_answers_and_says_that_nothing_is_recorded(notes, tmp_path):
    folder = tmp_path / "main"
    with opened(folder) as engine:
        engine.index(notes)
    for parent in (tmp_path, *tmp_path.parents[:3]):
        parent.chmod(0o755) if parent.stat().st_uid == os.getuid() else None
    with unprivileged(folder), Engine.open(CONFIG, folder=folder) as engine:
        injection = asked(engine)
        assert "Quillwort" in injection.text
        assert any("memory.db" in fault.error for fault in injection.faults)
        assert "nothing is recorded" in "; ".join(engine.status().problems)


@pytest.mark.parametrize("killed", [False, True])
def test_a_backup_is_made_of_a_store_that_can_only_be_read(notes, tmp_path, killed):
    folder, target = tmp_path / "main", tmp_path / "elsewhere" / "b.db"
    with opened(folder) as engine:
        engine.index(notes)
        count = engine.store.count()
        if killed:  # with what was written last in its journal
            left = {path.name: path.read_bytes() for path in folder.glob("memory.db*")}
    if killed:
        for name, content in left.items():
            (folder / name).write_bytes(content)
    target.parent.mkdir()
    target.parent.chmod(0o777)
    for parent in (tmp_path, *tmp_path.parents[:3]):
        parent.chmod(0o755) if parent.stat().st_uid == os.getuid() else None
    with unprivileged(folder):
        upkeep.back_up(folder, target)
    upkeep.restore(tmp_path / "again", target, at=datetime.now(UTC))
    with Store.open(tmp_path / "again") as store:
        assert store.count() == count


FULL = """
import resource, sys
from datetime import UTC, datetime
from pathlib import Path
from hookclaw_py import Config, Engine
from hookclaw_py.model.types import Prompt

resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
with Engine.open(Config(enableVector=False, minScore=0.0), folder=Path(sys.argv[1])) as engine:
    injection = engine.recall(Prompt(sys.argv[2], datetime.now(UTC), "main", "s", audience="owner"))
    print(injection.text, [fault.error for fault in injection.faults], engine.status().problems)
"""


def test_a_full_disk_does_not_end_recall(notes, tmp_path):
    pytest.importorskip("resource", reason="needs POSIX resource limits")
    with opened(tmp_path / "main") as engine:
        engine.index(notes)
    command = [sys.executable, "-c", FULL, str(tmp_path / "main"), QUESTION]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG)
    assert "Quillwort" in done.stdout, done.stderr
    assert "make room" in done.stdout


def flip(file: Path) -> None:
    """Flip a bit in the exponent of one vector's first number."""
    with sqlite3.connect(file) as raw:
        ((digest, vector),) = raw.execute("SELECT digest, vector FROM embeddings LIMIT 1").fetchall()
        damaged = np.frombuffer(vector, "<u4").copy()
        damaged[0] ^= 1 << 30
        raw.execute("UPDATE embeddings SET vector = ? WHERE digest = ?", (damaged.tobytes(), digest))
    raw.close()


def test_a_flipped_bit_in_a_vector_costs_that_vector_until_the_next_index(notes, tmp_path):
    with opened(tmp_path / "main", HashEmbedder()) as engine:
        engine.index(notes)
    flip(tmp_path / "main/memory.db")
    with opened(tmp_path / "main", HashEmbedder()) as engine:
        injection = asked(engine)
        assert injection.faults == ()
        assert engine.status().embedded == 1
        assert any("run `hookclaw index`" in problem for problem in engine.status().problems)
        assert engine.index().warnings == ()
        assert (engine.status().embedded, engine.status().problems) == (2, ())


def test_an_embedder_that_was_down_is_asked_again_though_no_note_changes(notes, tmp_path):
    embedder = HashEmbedder()
    embedder.down = "connection refused"
    with opened(tmp_path / "main", embedder) as engine:
        engine.indexing.pauses = Pauses(retry=0.1)
        assert any("connection refused" in warning for warning in engine.index(notes).warnings)
        with watched(engine):
            assert engine.status().embedded == 0
            embedder.down = ""
            wait_until(lambda: engine.status().embedded == 2, "the vectors are made")
            assert engine.status().problems == ()
