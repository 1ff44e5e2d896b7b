"""A server that can only be read, a standby or for a role, answers recalls; what it cannot note is told and costs nothing else."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py import Engine
from hookclaw_py.config import Config, StoreConfig
from hookclaw_py.errors import StoreError
from hookclaw_py.model.types import Outcome
from hookclaw_py.store import upkeep
from hookclaw_py.store.dialects.postgres import schema
from hookclaw_py.store.placing import Elsewhere
from tests.conftest import FILLERS, write_notes
from tests.waiting import wait_until

psycopg = pytest.importorskip("psycopg", reason="needs psycopg[binary]")
NOW = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)
ASKED = "what does the mooring in Vigo cost?"


def remembering(uri: str, folder: Path) -> Engine:
    return Engine.open(
        Config(timeout_ms=10_000, store=StoreConfig(url=uri, space=folder.parent.name)), folder=folder / "main"
    )


def wrote(uri: str, folder: Path, price: int) -> Path:
    notes = {f"{name}.md": f"# {name.title()}\n\nA note about {name}, of which nobody asks.\n" for name in FILLERS}
    written = write_notes(
        folder / "notes", {"boat.md": f"# Boat\n\nThe mooring in Vigo costs {price} euros a week.\n", **notes}
    )
    with remembering(uri, folder / "writer") as engine:
        engine.index(written)
    return written


def answers_and_notes_nothing(uri: str, folder: Path, notes: Path) -> None:
    with remembering(uri, folder / "reader") as engine:
        found = engine.recall(ASKED, at=NOW)
        assert (found.outcome, found.faults) == (Outcome.INJECTED, ())
        assert "62 euros" in found.text
        assert any("read only" in problem for problem in engine.status().problems)
        with pytest.raises(StoreError, match="read only"):
            engine.index(notes)
        assert "62 euros" in engine.recall(f"{ASKED} And in Vigo?", at=NOW).text


def test_a_role_that_may_only_read_is_answered(uri, tmp_path):
    notes = wrote(uri, tmp_path, 62)
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE reader LOGIN IN ROLE {schema.ROLE}")
        connection.execute("ALTER ROLE reader SET default_transaction_read_only = on")
    reader = uri.replace("//postgres:@", "//reader@")
    answers_and_notes_nothing(reader, tmp_path, notes)
    with pytest.raises(StoreError, match="read only"):
        Engine.open(Config(store=StoreConfig(url=reader, space="nobody yet")), folder=tmp_path / "new" / "main")


@contextmanager
def standby(server: Any) -> Iterator[str]:
    """Give the URL of a second server that follows this one."""
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        Path(folder).chmod(0o777)
        data = f"{folder}/data"

        def run(command: str, *arguments: str) -> None:
            user = {"user": server.system_user} if server.system_user else {}
            asked = [str(server.bin_path / command), "-D", data, *arguments]
            subprocess.run(asked, check=True, stdout=subprocess.DEVNULL, timeout=120, cwd="/", **user)

        run("pg_basebackup", "-R", "-X", "stream", "-c", "fast", "-d", server.get_uri())
        run("pg_ctl", "-w", "-l", f"{folder}/log", "-o", f"-k {folder} -h ''", "start")
        try:
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-m", "immediate", "stop")


@pytest.mark.slow
def test_a_standby_answers_and_follows(server, tmp_path):
    wrote(server.get_uri(), tmp_path, 60)
    with standby(server) as uri:
        notes = wrote(server.get_uri(), tmp_path, 62)
        with (
            remembering(server.get_uri(), tmp_path / "writer") as first,
            remembering(uri, tmp_path / "looks") as second,
        ):
            wait_until(lambda: second.store.generation() == first.store.generation(), "the standby follows")
        seen = upkeep.served(Elsewhere(uri))
        assert seen.read_only
        assert seen.behind is not None
        answers_and_notes_nothing(uri, tmp_path, notes)
