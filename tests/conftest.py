"""Small real values that many tests build."""

from __future__ import annotations

import gc
import hashlib
import itertools
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from hookclaw_py import text
from hookclaw_py.calibration import weights
from hookclaw_py.model.kind import NOTE
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Candidate, Chunk
from hookclaw_py.observe.metrics import Metrics

NOW = datetime(2026, 2, 20, 12, 0, tzinfo=UTC)
CONSTANTS = weights.load("").constants

# Started in the background, pytest is to ignore Ctrl-C, and so would every process that it starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Where the environment forbids bytecode (container images do), each process of a test would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A busy machine makes no property wrong.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

Metrics.always_strict = True  # every engine of every test sees at its end whether its numbers add up

SLOW_TIMEOUT = 1200  # seconds
FILLERS = (
    "gardening",
    "bicycles",
    "teapots",
    "harbours",
    "violins",
    "mountains",
    "pottery",
    "whales",
    "trains",
    "owls",
)
"""What notes are about that no test asks for: a store of one note knows nothing of what is usual."""

_FOLDERS = itertools.count()


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests of processes wait a third of their time."""
    return (os.cpu_count() or 1) + 1


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the end-to-end tests keep their memories elsewhere."""
    parser.addoption("--database", choices=("sqlite", "postgresql"), default="sqlite", help="of the tests in tests/e2e")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage among ten thousand tests: while they are collected that takes a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests more time until they count as hanging: a gateway may have to be installed first."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_TIMEOUT))


def chunk(body: str = "a note", **fields: Any) -> Chunk:
    """Return a chunk whose id and terms follow from its text."""
    fields.setdefault("id", hashlib.blake2b(body.encode(errors="replace"), digest_size=8).hexdigest())
    fields["id"] = f"{int(fields['id'], 16) & (2**63 - 1):016x}"
    place = fields.get("kind", NOTE).place
    fields["place"] = place(fields.pop("path", "memory/2026-02-10.md"), fields.pop("lines", (1, 1)))
    fields["terms"] = Terms(fields.get("terms", text.terms(body)))
    return Chunk(text=body, **fields)


def candidate(body: str = "a note", score: float = 0.0, relevance: float = 0.0, **fields: Any) -> Candidate:
    """Return a candidate for ``chunk(body)``."""
    return Candidate(chunk(body, **fields), score, relevance)


def write_notes(folder: Path, notes: Mapping[str, str]) -> Path:
    """Write each note below ``folder``, by its path there."""
    for path, body in notes.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(body, encoding="utf-8")
    return folder


def new_folder(factory: pytest.TempPathFactory, name: str) -> Path:
    """Return a folder for one test; ``mktemp`` looks through those of all other tests for a number."""
    folder = factory.getbasetemp() / f"{name}-{next(_FOLDERS)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the test alone, as pytest's own, without looking for its number."""
    return new_folder(tmp_path_factory, "test")


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every test away from the user's files and environment."""
    monkeypatch.setenv("HOOKCLAW_HOME", str(new_folder(tmp_path_factory, "home")))


@pytest.fixture
def no_gateway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no OpenClaw on this machine but what the test puts into ``tmp_path``'s "bin" and "state"."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(tmp_path / "state/openclaw.json"))
    (tmp_path / "state").mkdir()
