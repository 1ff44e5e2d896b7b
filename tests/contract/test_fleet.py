"""What an operator sees of a server: whose agents are told to whom, how large they are, what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hookclaw_py import Engine
from hookclaw_py.cli.commands import main
from hookclaw_py.config import Config, StoreConfig
from hookclaw_py.insight import fleet
from hookclaw_py.store import placing
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.store.dialects.postgres import schema
from hookclaw_py.store.placing import Elsewhere
from tests.conftest import write_notes

psycopg = pytest.importorskip("psycopg", reason="needs psycopg[binary]")
NOTES = {"boat.md": "# Boat\n\nThe mooring in Vigo costs 62 euros a week.\n"}
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "home"))
    return lambda *arguments: CliRunner().invoke(main, list(arguments))


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_notes(tmp_path_factory.mktemp("notes"), NOTES)


@pytest.fixture(scope="module")
def una(server: Any, notes: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The server as a role sees it that owns nothing, and there are two spaces."""
    uri: str = server.get_uri()
    for space, agent in (("una", "main"), ("una", "work"), ("tomas", "main")):
        remember(uri, space, tmp_path_factory.mktemp(space) / agent, notes)
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE una LOGIN IN ROLE {schema.ROLE}")
    return uri.replace("//postgres:@", "//una@")


def remember(uri: str, space: str, folder: Path, notes: Path) -> None:
    config = Config(enable_vector=False, store=StoreConfig(url=uri, space=space))
    with Engine.open(config, agent=folder.name, folder=folder) as engine:
        engine.index(notes)


def test_who_administers_a_server_sees_all_agents_anybody_else_those_of_their_space(run, uri, una):
    shown = json.loads(run("--store", una, "fleet", "status", "--json").stdout)
    assert [(one["space"], one["agent"]) for one in shown["agents"]] == [("una", "main"), ("una", "work")]
    assert (shown["server"]["works_as"], shown["server"]["administers"]) == ("una", False)
    shown = json.loads(run("--store", uri, "fleet", "status", "--json").stdout)
    assert [one["space"] for one in shown["agents"]] == ["tomas", "una", "una"]
    assert (shown["server"]["works_as"], shown["server"]["administers"]) == (schema.ROLE, True)
    for one in shown["agents"]:
        assert (one["chunks"], one["memories"]) == (1, 1)
        assert 500 < one["bytes"] < 100_000
        assert one["indexed_at"]
    assert not shown["server"]["unguarded"]
    assert not shown["server"]["lacking"]


def test_how_far_the_index_of_this_machine_is_behind_is_told(run, una, notes, tmp_path):
    home = tmp_path / "home"
    assert "index here" not in run("--store", una, "fleet", "status").stdout
    assert "62 euros" in run("--store", una, "recall", "what does the mooring in Vigo cost?").stdout
    assert "index here up to date" in run("fleet", "status").stdout
    write_notes(notes, {"rent.md": "The rent is 940 euros.\n"})
    remember(una, "", tmp_path / "another machine" / "main", notes)
    found = fleet.fleet(placing.elsewhere(agent_folder(home, "main")) or Elsewhere(""), home)
    assert found.lag["main"] > 0
    assert f"index here {found.lag['main']} behind" in run("fleet", "status").stdout


def test_a_memory_in_files_has_no_fleet(run):
    shown = run("fleet", "status")
    assert shown.exit_code == 2
    assert "hookclaw --store URL fleet status" in shown.stderr


def test_doctor_says_what_is_wrong_with_a_server_and_how_to_mend_it(run, uri, una, tmp_path):
    folder = tmp_path / "home" / "agents" / "main"
    placing.put(folder, Elsewhere(una))
    (sound,) = fleet.checks(folder)
    assert "as una; row security and every index" in sound.finding
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"SET search_path = {schema.SCHEMA}")
        connection.execute("ALTER TABLE events NO FORCE ROW LEVEL SECURITY")
        connection.execute("DROP INDEX chunks_agent_digest_idx")
        connection.execute("ALTER TABLE counts SET (autovacuum_enabled = false)")
        connection.execute(
            "INSERT INTO counts SELECT id, n, '', 1 FROM (SELECT min(id) AS id FROM agent), generate_series(1, 3000) n"
        )
        connection.execute("DELETE FROM counts WHERE labels = ''")
        connection.execute("SELECT pg_stat_force_next_flush()")
        found = list(fleet.checks(folder))
        assert [check.name for check in found] == ["row security", "indexes", "bloat"]
        assert run("fleet", "status").exit_code == 1
        for check in found:
            assert check.remedy.startswith(f"psql '{uri.replace('postgres:@', 'postgres@')}' -c '"), (
                "the owner of the tables can"
            )
            connection.execute(check.remedy.split("'")[3])
        connection.execute("SELECT pg_stat_force_next_flush()")
        connection.execute("ALTER TABLE counts RESET (autovacuum_enabled)")
    assert [check.name for check in fleet.checks(folder)] == ["server"]


def test_doctor_names_the_server_to_look_at_and_says_once_that_it_is_read_only(run, uri, una, tmp_path):
    folder = tmp_path / "home" / "agents" / "main"
    placing.put(folder, Elsewhere("postgresql://una@127.0.0.1:1/memory"))
    assert "→ psql 'postgresql://una@127.0.0.1:1/memory'" in run("doctor").output
    placing.put(folder, Elsewhere(f"{una}&options=-cdefault_transaction_read_only%3Don"))
    (told, _) = fleet.checks(folder)
    assert told.finding.count("read only:") == told.finding.count("is read only") == 1


def test_an_agent_that_was_opened_by_mistake_is_removed_when_that_is_confirmed(run, uri, notes, tmp_path):
    for name in ("mistake", "kept"):
        remember(uri, "tidy", tmp_path / "tidy" / name, notes)

    def agents() -> list[str]:
        shown = json.loads(run("--store", uri, "fleet", "status", "--json").stdout)
        return [one["agent"] for one in shown["agents"] if one["space"] == "tidy"]

    def known(name: str) -> int:
        config = Config(enable_vector=False, store=StoreConfig(url=uri, space="tidy"))
        with Engine.open(config, agent=name, folder=tmp_path / "tidy" / name) as engine:
            return engine.store.count()

    before = known("kept")
    command = ("--store", uri, "fleet", "remove", "mistake", "--space", "tidy")
    assert run(*command).exit_code == 1, "nobody said yes"
    assert agents() == ["kept", "mistake"]
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"ALTER TABLE {schema.SCHEMA}.chunks DISABLE ROW LEVEL SECURITY")
        refused = run(*command, "--yes")
        connection.execute(f"ALTER TABLE {schema.SCHEMA}.chunks ENABLE ROW LEVEL SECURITY")
    assert (refused.exit_code, "row security is off for chunks" in refused.output) == (2, True), refused.output
    assert known("kept") == known("mistake") == before > 0, "nobody's rows are gone"
    assert run(*command, "--yes").exit_code == 0
    assert (agents(), known("kept")) == (["kept"], before)
    again = run(*command, "--yes")
    assert (again.exit_code, "there are: kept" in again.output) == (2, True), again.output
