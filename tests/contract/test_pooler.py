"""Transactions that a pooler hands to whichever connection is free are an agent's own; what is asked through it is what is there."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py import Engine
from hookclaw_py.config import Config, StoreConfig
from tests.conftest import write_notes
from tests.waiting import wait_until

POOLER = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
NOW = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)
AGENTS, ROUNDS = 6, 8

SETTINGS = """
[databases]
postgres = host={server} dbname=postgres
[pgbouncer]
listen_addr =
listen_port = 6543
unix_socket_dir = {folder}
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = {connections}
"""


@contextmanager
def pooled(server: Any, connections: int) -> Iterator[str]:
    """Give the URL of a pooler with so many connections to the server."""
    with tempfile.TemporaryDirectory(prefix="pool") as made:
        folder = Path(made)
        (folder / "users").write_text('"postgres" ""\n')
        settings = SETTINGS.format(
            server=server.get_uri().partition("host=")[2], folder=folder, connections=connections
        )
        (folder / "settings.ini").write_text(settings)
        user = ()
        if server.system_user:
            shutil.chown(folder, server.system_user)
            user = ("-u", server.system_user)
        command = [str(POOLER), "-q", *user, str(folder / "settings.ini")]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                wait_until(lambda: list(folder.glob(".s.PGSQL.*")), "the pooler listens")
                yield f"postgresql://postgres@/postgres?host={folder}&port=6543"
            finally:
                process.kill()


@pytest.mark.slow
@pytest.mark.skipif(POOLER is None, reason="needs pgbouncer")
def test_agents_behind_a_pooler_read_and_are_told_their_own_notes_alone(server, tmp_path):
    def live(agent: str) -> list[list[str]]:
        told = []
        config = Config(
            timeout_ms=10_000,
            min_score=0.0,
            enable_vector=False,
            adaptive_results=False,
            store=StoreConfig(url=uri, space="pooled"),
        )
        with Engine.open(config, agent=agent, folder=tmp_path / agent) as engine:
            for count in range(ROUNDS):
                engine.index(
                    write_notes(tmp_path / f"notes of {agent}", {"a.md": f"The word of the boat is {agent}x{count}.\n"})
                )
                found = engine.recall(f"what is the word of the boat, {agent} {count}?", at=NOW)
                told.append([*map(str, found.faults), *(one.chunk.text for one in found.candidates)])
        return told

    agents = [f"a{number}" for number in range(AGENTS)]
    with pooled(server, AGENTS + 2) as uri, ThreadPoolExecutor(AGENTS) as threads:
        for agent, told in zip(agents, threads.map(live, agents), strict=True):
            assert told == [[f"The word of the boat is {agent}x{count}."] for count in range(ROUNDS)]
