"""A server that can only be read, a standby or for a role, answers recalls; what it cannot note is told and costs nothing else."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hookclaw_py import Engine
from hookclaw_py.config import Config, StoreConfig
from hookclaw_py.errors import StoreError
from hookclaw_py.model.types import Outcome
from hookclaw_py.store import placing, upkeep
from hookclaw_py.store.dialects.postgres import schema
from hookclaw_py.store.placing import Elsewhere
from tests.conftest import FILLERS, write_notes
from tests.waiting import wait_until

psycopg = pytest.importorskip("psycopg", reason="needs psycopg[binary]")
NOW = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)
PAGE = Path(schema.__file__).with_name("README.md")
ASKED = "what does the mooring in Vigo cost?"


def remembering(uri: str, folder: Path) -> Engine:
    return Engine.open(
        Config(timeout_ms=10_000, enable_vector=False, store=StoreConfig(url=uri, space=folder.parent.name)),
        folder=folder / "main",
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


class Standby(NamedTuple):
    """A second server that follows the first."""

    uri: str
    folder: str
    run: Callable[..., None]


@contextmanager
def standby(server: Any) -> Iterator[Standby]:
    """Give a server that follows this one."""
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
            yield Standby(f"postgresql://postgres@/postgres?host={folder}", folder, run)
        finally:
            run("pg_ctl", "-m", "immediate", "stop")


@pytest.mark.slow
def test_a_standby_answers_and_follows_and_takes_over(server, tmp_path):
    wrote(server.get_uri(), tmp_path, 60)
    with standby(server) as second:
        notes = wrote(server.get_uri(), tmp_path, 62)
        with (
            remembering(server.get_uri(), tmp_path / "writer") as one,
            remembering(second.uri, tmp_path / "looks") as two,
        ):
            wait_until(lambda: two.store.generation() == one.store.generation(), "the standby follows")
        seen = upkeep.served(Elsewhere(second.uri))
        assert seen.read_only
        assert seen.behind is not None
        answers_and_notes_nothing(second.uri, tmp_path, notes)
        folders = f"{second.folder},{server.get_uri().partition('host=')[2]}"
        either = f"postgresql://postgres@/postgres?host={folders}&target_session_attrs=read-write"
        with remembering(either, tmp_path / "either") as engine:
            assert "62 euros" in engine.recall(ASKED, at=NOW).text
            server.stop()
            try:
                second.run("pg_ctl", "-w", "promote")
                wait_until(lambda: not engine.recall(ASKED, at=NOW).faults, "it is answered by the other one")
                (notes / "boat.md").write_text("# Boat\n\nThe mooring in Vigo costs 64 euros a week.\n")
                engine.index(notes)
                assert "64 euros" in engine.recall(ASKED, at=NOW).text
            finally:
                server.start()


@pytest.mark.slow
def test_a_dump_that_was_put_back_is_answered_from_though_indexes_are_ahead_of_it(server, tmp_path):
    notes, back = wrote(server.get_uri(), tmp_path, 62), server.get_uri().replace("/postgres?", "/back?")
    (said,) = re.findall(r"UPDATE hookclaw_memory\.counter .*", PAGE.read_text(encoding="utf-8"))
    with tempfile.NamedTemporaryFile(suffix=".sql") as dump:
        dumped = subprocess.run(
            [server.bin_path / "pg_dump", "-d", server.get_uri(), "--schema", schema.SCHEMA],
            capture_output=True,
            check=True,
        )
        dump.write(dumped.stdout)
        dump.flush()
        ahead = "The mooring in Vigo is free of charge.\n"
        with remembering(server.get_uri(), tmp_path / "writer") as engine:
            (notes / "boat.md").write_text(ahead)
            engine.index(notes)
            assert "free" in engine.recall(ASKED, at=NOW).text
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("CREATE DATABASE back")
        restore = [server.bin_path / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", back, "-f", dump.name]
        subprocess.run(restore, check=True, stdout=subprocess.DEVNULL)
    with psycopg.connect(back, autocommit=True) as connection:
        connection.execute(said)
    (notes / "boat.md").write_text("# Boat\n\nThe mooring in Vigo costs 62 euros a week.\n")
    for count in range(3):  # as many changes as the index of the first machine knows more, and others
        (notes / "owls.md").write_text(f"# Owls\n\nThere are {count} owls.\n")
        with remembering(back, tmp_path / "another machine") as engine:
            engine.index(notes)
    placing.put(tmp_path / "writer" / "main", Elsewhere(back, tmp_path.name))
    with remembering(back, tmp_path / "writer") as engine:
        assert "62 euros" in engine.recall(ASKED, at=NOW).text
