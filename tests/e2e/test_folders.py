"""Several folders of notes for one agent, and what happens when most of what is known is suddenly gone."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from hookclaw_py.cli import index_commands
from hookclaw_py.cli.commands import main
from hookclaw_py.engine import Engine
from hookclaw_py.errors import IndexingError
from tests.conftest import write_notes

NOW = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)
RENT, VISA = "The rent of the flat is 1,240 euros a month.\n", "The visa for Ulaanbaatar costs 62 dollars.\n"


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return write_notes(tmp_path / "private", {"home.md": RENT})


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return write_notes(tmp_path / "work", {"travel/visa.md": VISA, "home.md": "The office is at 4 Quay Street.\n"})


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(folder=tmp_path / "store") as engine:
        yield engine


def paths(engine: Engine) -> set[str]:
    return {chunk.place.path for chunk in engine.store.all_chunks()}


def many(root: Path, count: int = 12) -> Path:
    return write_notes(root, {f"{n}.md": f"Plant number {n} is watered every {n + 2} days.\n" for n in range(count)})


def test_two_folders_are_searched_together_and_files_of_one_name_are_told_apart(engine, private, work):
    engine.index(private, work)
    assert paths(engine) == {"home.md", "work/home.md", "work/travel/visa.md"}
    assert 'path="home.md"' in engine.recall("how much is the rent of the flat?", at=NOW).text
    assert 'path="work/travel/visa.md"' in engine.recall("what does the visa for Ulaanbaatar cost?", at=NOW).text


def test_a_folder_that_is_named_by_nothing_is_not_where_one_stands(engine, private, tmp_path, monkeypatch):
    monkeypatch.chdir(private)
    with pytest.raises(IndexingError, match="named by nothing"):
        engine.index("")
    assert not engine.folders
    refused = CliRunner().invoke(main, ["index", ""], env={"HOOKCLAW_HOME": str(tmp_path / "home")})
    assert (refused.exit_code, "is a variable empty?" in refused.output) == (2, True)
    assert not list(tmp_path.glob("home/agents/*/memory.db"))


def test_a_folder_that_is_added_changes_no_path_and_is_read_again_without_being_named(engine, private, work):
    engine.index(private)
    before = {chunk.id for chunk in engine.store.all_chunks()}
    report = engine.index(private, work)
    assert (report.unchanged, report.changed) == (1, 2)
    assert before < {chunk.id for chunk in engine.store.all_chunks()}
    write_notes(work, {"new.md": "The printer's name is Gutenberg.\n"})
    assert engine.index().changed == 1
    assert "work/new.md" in paths(engine)
    assert engine.index(work).seen == 4, "naming one of them reads all"


def test_a_strange_folder_alone_is_refused_and_the_shell_names_its_options(engine, private, work, tmp_path):
    engine.index(private)
    with pytest.raises(IndexingError, match="index them together") as caught:
        engine.index(work)
    assert "--" not in str(caught.value), "an engine has no options"
    home = {"HOOKCLAW_HOME": str(tmp_path / "home")}
    CliRunner().invoke(main, ["index", str(private)], env=home)
    refused = CliRunner().invoke(main, ["index", str(work)], env=home)
    assert refused.exit_code == 2
    assert f"`hookclaw index {private} {work}`, --agent NAME, or --move" in refused.stderr


def test_where_the_only_folder_is_gone_one_is_told_to_say_where_it_has_moved(tmp_path, private):
    env = {"HOOKCLAW_HOME": str(tmp_path / "home"), "HOOKCLAW_ENABLE_VECTOR": "false"}
    assert CliRunner().invoke(main, ["index", str(private)], env=env).exit_code == 0
    nowhere = CliRunner().invoke(main, ["index", "--move", str(tmp_path / "nowhere")], env=env)
    assert "takes the place" not in nowhere.stderr, "it does not"
    new = private.rename(tmp_path / "new")
    unnamed = CliRunner().invoke(main, ["index"], env=env)
    assert unnamed.exit_code == 2
    assert f"{private}, whose notes this store holds, is gone" in unnamed.stderr
    assert "`hookclaw index NEW_FOLDER --move`" in unnamed.stderr
    named = CliRunner().invoke(main, ["index", str(new)], env=env)
    assert f"is gone; say that it has moved to {new}" in named.stderr
    assert "index them together" not in named.stderr
    assert CliRunner().invoke(main, ["index", str(new), "--move"], env=env).exit_code == 0


def test_a_folder_that_cannot_be_looked_into_keeps_its_notes_and_is_told_of(tmp_path, private):
    """A disk that hangs, or a folder above it that is locked: its notes are answered from, and nothing says that it is gone."""
    env = {"HOOKCLAW_HOME": str(tmp_path / "home"), "HOOKCLAW_ENABLE_VECTOR": "false"}
    assert CliRunner().invoke(main, ["index", str(private)], env=env).exit_code == 0
    private.rename(tmp_path / "away")
    private.symlink_to("x" * 300)
    why = f"the folder {private} cannot be looked into: File name too long"
    told = CliRunner().invoke(main, ["status", "--json"], env=env)
    assert (told.exit_code, "exception" in str(told.exception)) == (1, False)
    assert [problem for problem in json.loads(told.stdout)["problems"] if problem.startswith(why)]
    asked = CliRunner().invoke(main, ["search", "home"], env=env)
    assert (asked.exit_code, "home.md" in asked.stdout) == (0, True), asked.output
    again = CliRunner().invoke(main, ["index"], env=env)
    assert (again.exit_code, "File name too long" in again.stderr, "gone" in again.stderr) == (2, True, False)


def test_one_folder_in_another_is_refused(engine, private):
    write_notes(private, {"sub/a.md": "a\n"})
    for pair in ((private, private / "sub"), (private / "sub", private)):
        with pytest.raises(IndexingError, match="indexed already"):
            engine.index(*pair)


def test_what_lies_in_a_folder_that_is_indexed_is_no_folder_to_add(engine, private, tmp_path):
    write_notes(private, {"sub/a.md": "a\n"})
    engine.index(private)
    for inner in (private / "sub", private / "home.md"):
        with pytest.raises(IndexingError, match=f"{inner} lies in {private}, which is indexed already") as caught:
            engine.index(inner)
        assert "index them together" not in str(caught.value)
    with pytest.raises(IndexingError, match=f"{tmp_path} holds {private}"):
        engine.index(tmp_path)
    for missing in (tmp_path / "missing", write_notes(tmp_path, {"other.md": "b\n"}) / "other.md"):
        with pytest.raises(IndexingError, match=f"there is no folder {missing}"):
            engine.index(missing)


def test_the_second_folder_may_move_and_what_is_said_is_of_that_one(tmp_path, private, work):
    env = {"HOOKCLAW_HOME": str(tmp_path / "home"), "HOOKCLAW_ENABLE_VECTOR": "false"}
    CliRunner().invoke(main, ["index", str(private), str(work)], env=env)
    work.rename(tmp_path / "job")
    said = CliRunner().invoke(main, ["index", "--move", str(tmp_path / "job")], env=env).stderr
    assert f"still works in {work} gets no more memories there" in said
    assert f"still works in {private}" not in said
    private.rename(tmp_path / "away")
    said = CliRunner().invoke(main, ["index"], env=env).stderr
    assert f"warning: {private}: No such file" in said


def test_a_folder_whose_name_is_taken_gets_another_and_a_later_clash_is_told(engine, private, work):
    write_notes(private, {"work/mine.md": "My own ideas about work.\n"})
    engine.index(private, work)
    assert {"work/mine.md", "work-2/home.md"} <= paths(engine)
    write_notes(private, {"work-2/later.md": "A note that came later.\n"})
    (told,) = engine.index().warnings
    assert "work-2" in told
    assert "rename one of the two" in told
    assert "work-2/home.md" in paths(engine)


def test_a_folder_that_is_gone_keeps_its_notes_until_it_is_dropped_or_has_moved(engine, private, work, tmp_path):
    engine.index(private, work)
    work.rename(tmp_path / "job")
    (told,) = engine.index().warnings
    assert "what was read there is kept" in told
    assert "work/home.md" in paths(engine)
    assert any(str(work) in problem and "--move" in problem for problem in engine.status().problems)
    report = engine.index(tmp_path / "job", move=True)
    assert (report.unchanged, report.deleted) == (3, 0)
    assert engine.folders == (str(private), str(tmp_path / "job"))
    assert engine.index(drop=[tmp_path / "job"]).deleted == 2
    assert paths(engine) == {"home.md"}
    assert engine.folders == (str(private),)


def test_a_watcher_sees_edits_in_every_folder(engine, private, work):
    engine.index(private, work)
    stop, reports = threading.Event(), []
    ready, changed = threading.Event(), threading.Event()

    def heard(report):
        reports.append(report)
        (changed if ready.is_set() and report.changed else ready).set()

    watching = threading.Thread(target=engine.watch, args=(heard,), kwargs={"stop": stop}, daemon=True)
    watching.start()
    try:
        assert ready.wait(60)
        write_notes(work, {"new.md": "The printer's name is Gutenberg.\n"})
        assert changed.wait(60)
        assert "work/new.md" in paths(engine)
    finally:
        stop.set()
        watching.join(60)


@pytest.mark.parametrize("made_of", ["another one", "the same notes, written anew"])
def test_a_folder_that_takes_the_place_of_a_watched_one_is_watched(engine, private, tmp_path, made_of):
    """As a program does that brings a folder up to date: it puts a new one in the place of the old, within a moment."""
    engine.index(private)
    stop, heard, read = threading.Event(), threading.Condition(), list[set[str]]()

    def note(_: object) -> None:
        with heard:
            read.append(paths(engine))
            heard.notify_all()

    watching = threading.Thread(target=engine.watch, args=(note,), kwargs={"stop": stop}, daemon=True)
    watching.start()
    try:
        with heard:
            assert heard.wait_for(lambda: bool(read), 60)
        if made_of == "another one":
            write_notes(tmp_path / "fresh", {"home.md": "The landlord is called Ortwin.\n"})
            shutil.rmtree(private)
            (tmp_path / "fresh").rename(private)
        else:
            shutil.rmtree(private)
            write_notes(private, {"home.md": "The landlord is called Ortwin.\n"})
        with heard:
            assert heard.wait_for(lambda: len(read) > 1, 20)
        write_notes(private, {"new.md": "The printer's name is Gutenberg.\n"})
        with heard:
            assert heard.wait_for(lambda: "new.md" in read[-1], 20)
    finally:
        stop.set()
        watching.join(60)


def test_a_folder_that_comes_back_is_watched_again(engine, private, work, tmp_path):
    """A disk that is mounted after the watcher began."""
    engine.index(private, work)
    work.rename(tmp_path / "away")
    stop, heard = threading.Event(), threading.Condition()
    read: list[set[str]] = []

    def note(_: object) -> None:
        with heard:
            read.append(paths(engine))
            heard.notify_all()

    def wait_until(condition: Callable[[], bool]) -> None:
        with heard:
            assert heard.wait_for(condition, 60)

    watching = threading.Thread(target=engine.watch, args=(note,), kwargs={"stop": stop}, daemon=True)
    watching.start()
    try:
        wait_until(lambda: bool(read))
        read.clear()
        (tmp_path / "away").rename(work)
        wait_until(lambda: bool(read))
        write_notes(work, {"new.md": "The printer's name is Gutenberg.\n"})
        wait_until(lambda: "work/new.md" in read[-1])
    finally:
        stop.set()
        watching.join(60)


def test_status_lists_the_folders(tmp_path, private, work):
    env = {"HOOKCLAW_HOME": str(tmp_path / "home"), "COLUMNS": "200"}
    CliRunner().invoke(main, ["index", str(private), str(work)], env=env)
    shown = CliRunner().invoke(main, ["status"], env=env).stdout
    assert str(private) in shown
    assert str(work) in shown


def test_most_of_a_store_does_not_go_unasked_and_nothing_else_waits(engine, tmp_path):
    root = many(tmp_path / "notes")
    engine.index(root)
    for n in range(10):
        (root / f"{n}.md").unlink()
    write_notes(root, {"new.md": "The printer's name is Gutenberg.\n"})
    report = engine.index()
    assert (report.withheld, report.deleted, report.changed) == (10, 0, 1)
    assert "10 of 12 files are gone" in report.warnings[0]
    assert "0.md" in paths(engine)
    pruned = engine.index(prune=True)
    assert (pruned.withheld, pruned.deleted) == (0, 10)


def test_notes_that_lie_elsewhere_now_are_not_lost(engine, tmp_path):
    root = many(tmp_path / "notes")
    engine.index(root)
    (root / "garden").mkdir()
    for n in range(12):
        (root / f"{n}.md").rename(root / f"garden/{n}.md")
    report = engine.index()
    assert (report.withheld, report.deleted) == (0, 12)


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_is_asked_and_a_script_needs_prune(tmp_path, monkeypatch, answer):
    root, env = many(tmp_path / "notes"), {"HOOKCLAW_HOME": str(tmp_path / "home"), "HOOKCLAW_ENABLE_VECTOR": "false"}
    assert CliRunner().invoke(main, ["index", str(root)], env=env).exit_code == 0
    for n in range(11):
        (root / f"{n}.md").unlink()
    alone = CliRunner().invoke(main, ["index"], env=env)
    assert alone.exit_code == 1
    assert "--prune" in alone.stderr
    assert "now holds 12 passages" in alone.stdout
    monkeypatch.setattr(index_commands, "_asks", lambda: True)  # a terminal
    asked = CliRunner().invoke(main, ["index"], env=env, input=f"{answer}\n")
    assert asked.exit_code == (0 if answer == "y" else 1)
    assert f"now holds {'1 passage' if answer == 'y' else '12 passages'} " in asked.stdout
    assert CliRunner().invoke(main, ["index", "--prune"], env=env).exit_code == 0


def test_a_private_note_is_told_of_when_it_is_read_and_not_at_every_run(engine, tmp_path):
    root = write_notes(
        tmp_path / "notes", {"a.md": "---\nprivate: true\n---\nthe diary\n", "b.md": "The hedge is cut in June.\n"}
    )
    assert ["private" in warning for warning in engine.index(root).warnings] == [True]
    assert engine.index().warnings == ()
    write_notes(root, {"a.md": "---\nprivate: true\n---\nthe diary, more\n"})
    assert ["private" in warning for warning in engine.index().warnings] == [True]


def test_ctrl_d_at_the_question_removes_nothing(tmp_path, monkeypatch):
    root, env = many(tmp_path / "notes"), {"HOOKCLAW_HOME": str(tmp_path / "home"), "HOOKCLAW_ENABLE_VECTOR": "false"}
    CliRunner().invoke(main, ["index", str(root)], env=env)
    for n in range(12):
        (root / f"{n}.md").unlink()
    monkeypatch.setattr(index_commands, "_asks", lambda: True)
    assert CliRunner().invoke(main, ["index"], env=env, input="").exit_code != 0
    assert "12 passages" in CliRunner().invoke(main, ["status"], env={**env, "COLUMNS": "200"}).stdout


def test_the_help_says_what_is_removed_and_what_stays():
    told = " ".join(CliRunner().invoke(main, ["index", "--help"]).stdout.split())
    for option, following in (("--prune", "--rebuild"), ("--rebuild", "--json")):
        said = told.split(f"{option} ")[-1].split(f"{following} ")[0]
        assert said.startswith("Remove")
        assert "said in sessions" in said
        assert "saved" in said
        assert "stays" in said


@pytest.mark.sqlite
def test_a_rebuild_reads_all_folders_again(tmp_path, private, work):
    env = {"HOOKCLAW_HOME": str(tmp_path / "home"), "HOOKCLAW_ENABLE_VECTOR": "false"}
    CliRunner().invoke(main, ["index", str(private), str(work)], env=env)
    for again in (["index", "--rebuild"], ["index", "--rebuild", str(private)]):
        result = CliRunner().invoke(main, again, env=env)
        assert (result.exit_code, "3 files: 3 read" in result.stdout) == (0, True), result.output
    (tmp_path / "home/agents/main/memory.db").write_bytes(b"not a database at all, " * 200)
    both = CliRunner().invoke(main, ["index", "--rebuild", str(private), str(work)], env=env)
    assert "now holds 3 passages of 3 files" in both.stdout, both.output


def test_a_client_of_mcp_that_names_no_folder_has_all_of_the_stores_kept_fresh(tmp_path, private, work):
    """What ``hookclaw mcp`` does without --workspace."""
    from hookclaw_py.doors.residents import Resident, Staff

    def opening() -> Engine:
        return Engine.open(folder=tmp_path / "store")

    with opening() as engine:
        engine.index(private, work)
    indexed = threading.Event()
    staff = Staff(watching=True)
    resident = Resident("main", opening, staff=staff, emit=lambda event, _: indexed.set())
    try:
        resident.refresh("")
        assert indexed.wait(60), "read once"
        indexed.clear()
        write_notes(work, {"new.md": "The printer's name is Gutenberg.\n"})
        assert indexed.wait(60), "and when a note of the second folder changes"
        with resident.using("", timeout=60) as engine:
            assert "work/new.md" in paths(engine)
    finally:
        staff.close()
        resident.close(60)
