"""Killed at any moment: the index comes out as after a quiet run, and what was shown is on record."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hookclaw_py.store import tallies
from hookclaw_py.store.database import Store

INDEXER = """
import sys
from hashlib import blake2b
from pathlib import Path

import numpy as np

from hookclaw_py.errors import IndexingError
from hookclaw_py.store.database import Store
from hookclaw_py.ingest.embedding import embed_pending
from hookclaw_py.ingest.indexer import index_workspace


class HashEmbedder:
    model_id, dimension = "hash-16", 16

    def embed(self, text, deadline=None):
        vector = np.zeros(16, np.float32)
        for word in text.split():
            vector[blake2b(word.encode(), digest_size=1).digest()[0] % 16] += 1
        return vector / np.linalg.norm(vector)

    def close(self): ...


def progress(*step):
    print(*step, flush=True)


with Store.open(Path(sys.argv[1])) as store:
    try:
        index_workspace(store, Path(sys.argv[2]), globs=(), exclude=(), evergreen=(), progress=progress)
    except IndexingError as error:
        print("refused", error)
    embed_pending(store, HashEmbedder(), progress=progress)
"""
ASKER = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path

from hookclaw_py import Config, Engine
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Prompt

engine = Engine.open(Config(enableVector=False, minScore=0.0), folder=Path(sys.argv[1]), strict=True)
engine.index(Path(sys.argv[2]))
for n in range(10_000):
    question = "what failed in release 7 of the deploy?"
    asked = Prompt(question, datetime.now(UTC), "main", "s", run_id=f"r{n}", audience=Audience.OWNER)
    print(engine.recall(asked).id, flush=True)
    if n % 2:
        engine.agent_end("s", "release 7 failed", run=f"r{n - 1}")
        print(f"r{n - 1}", flush=True)
"""
NOTES = 60
STEPS = NOTES + 1 + 2 * NOTES + 1  # a line for each file, one at the end, then the same for each text

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "memory").mkdir()
    for n in range(NOTES):
        text = f"# Day {n}\n\n## Deploy\n\nrelease {n} failed\n\n## Logging\n\nline {n} of the log\n"
        (folder / "memory" / f"{n:03}.md").write_text(text)
    return folder


@pytest.fixture(scope="module")
def quiet(workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> object:
    folder = tmp_path_factory.mktemp("quiet") / "main"
    lines = start(folder, workspace).communicate(timeout=60)[0].splitlines()
    assert len(lines) == STEPS
    return content(folder)


def start(folder: Path, workspace: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", INDEXER, str(folder), str(workspace)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def content(folder: Path) -> object:
    with Store.open(folder) as store:
        vectors = store.vectors_since("hash-16", -1)
        terms = store.changes_since(-1).added
        files = {path: record.digest for path, record in store.files().items()}
        return store.all_chunks(), files, terms, vectors.ids, vectors.rows[:].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_indexer_loses_nothing_and_the_next_run_goes_on(
    seed: int, workspace: Path, quiet: object, tmp_path: Path
):
    moment = random.Random(seed).randrange(STEPS * seed // 3, STEPS * (seed + 1) // 3)
    victim = start(tmp_path / "main", workspace)
    assert victim.stdout is not None
    for _ in range(moment):
        victim.stdout.readline()
    victim.send_signal(signal.SIGKILL)
    victim.communicate(timeout=60)
    with Store.open(tmp_path / "main") as store:
        chunks, embedded = store.count(), len(store.vectors_since("hash-16", -1).ids)
    assert chunks >= 2 * min(NOTES, max(0, moment - 1))  # what it reported as done is there
    assert embedded >= moment - (NOTES + 2) - 32  # but for one batch of vectors
    again = start(tmp_path / "main", workspace).communicate(timeout=60)[0].splitlines()
    assert len(again) == STEPS - embedded  # the second run made the vectors that were missing
    assert content(tmp_path / "main") == quiet


def test_two_processes_on_one_store_do_not_disturb_each_other(workspace: Path, quiet: object, tmp_path: Path):
    with Store.open(tmp_path / "main") as reader:
        processes = [start(tmp_path / "main", workspace) for _ in range(2)]
        counts, generations = [], []
        while any(process.poll() is None for process in processes):
            counts.append(reader.count())
            generations.append(reader.generation())
            ids = [chunk_id for chunk_id, _, _ in reader.changes_since(-1).added]
            assert len(reader.chunks(ids)) == len(ids)
        outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert counts == sorted(counts)
    assert generations == sorted(generations)
    assert all(count % 2 == 0 for count in counts)  # a file's chunks appear together
    assert any(f"{NOTES} {NOTES}" in output for output in outputs)
    assert [process.returncode for process in processes] == [0, 0]
    assert content(tmp_path / "main") == quiet


@pytest.mark.parametrize("answers", [1, 20])
def test_what_was_injected_is_in_the_log_before_the_reply_leaves(answers: int, workspace: Path, tmp_path: Path):
    command = [sys.executable, "-c", ASKER, str(tmp_path / "main"), str(workspace)]
    victim = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert victim.stdout is not None
    told = [victim.stdout.readline().strip() for _ in range(answers)]
    victim.send_signal(signal.SIGKILL)
    told += victim.stdout.read().split()  # communicate() would lose what readline() has read ahead
    victim.stdout.close()
    victim.wait(timeout=60)
    with Store.open(tmp_path / "main") as store:
        events = list(store.events())
        shown = [event.injection for event in events if event.kind == "injection"]
        ended = [event.run for event in events if event.kind == "turn"]
        injections, runs = [t for t in told if t[0] != "r"], [t for t in told if t[0] == "r"]
        assert len(injections) >= answers // 2
        assert shown[: len(injections)] == injections
        assert ended[: len(runs)] == runs
        assert len(shown) <= len(injections) + 1
        assert tallies.replay(events) == store.all_uses()
        assert store.unsettled("s", run_id=f"r{len(shown) - 1}"), "and its end can still come"
