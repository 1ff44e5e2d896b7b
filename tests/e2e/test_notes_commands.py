"""Notes as such: written down by a command, searched without a verdict, listed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hookclaw_py.cli.commands import main
from hookclaw_py.engine import Engine
from hookclaw_py.errors import IndexingError


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    (root / "home").mkdir(parents=True)
    (root / "home/boiler.md").write_text(
        "# Boiler\n\nThe cellar key hangs behind the boiler.\n\n## Service\n\nIn May.\n"
    )
    (root / "garden.txt").write_text("The hedge is cut in June.\n")
    return root


def run(tmp_path: Path, *arguments: str, **options: str) -> Result:
    return CliRunner().invoke(main, list(arguments), env={"HOOKCLAW_HOME": str(tmp_path / "home")}, **options)


def test_what_is_remembered_is_in_a_note_that_one_can_read_and_is_found_at_once(tmp_path, notes):
    assert run(tmp_path, "index", str(notes)).exit_code == 0
    said = run(tmp_path, "remember", "The plumber is called", "Ottokar Binz,", "0171 5550199.")
    file = notes / "Remembered.md"
    assert (said.exit_code, said.stdout) == (0, f"written to {file}\n")
    assert run(tmp_path, "remember", "-", input="The spare fuse is in the blue tin.\n  Twelve ampere.\n").exit_code == 0
    day = datetime.now().date().isoformat()
    assert file.read_text() == (
        f"# Remembered\n\n## {day}\n\n- The plumber is called Ottokar Binz, 0171 5550199.\n"
        "- The spare fuse is in the blue tin.\n    Twelve ampere.\n"
    )
    assert "5550199" in run(tmp_path, "recall", "what is the number of the plumber Ottokar Binz?").stdout


def test_index_says_which_documents_beside_the_notes_it_did_not_read(tmp_path, notes):
    assert run(tmp_path, "index", str(notes)).stderr == ""
    for name in ("home/plots.csv", "home/members.TSV", "scan.pdf", "photo.png", ".trash/old.csv", "attachments/b.pdf"):
        (notes / name).parent.mkdir(exist_ok=True)
        (notes / name).write_text("plot,name\n14,Ottokar Binz\n")
    told = run(tmp_path, "index")
    assert (
        told.stderr
        == 'not read: 1 .TSV, 1 .csv, 1 .pdf; globs = ["**/*.TSV", "**/*.csv"] in config.toml adds .TSV and .csv\n'
    )
    printed = run(tmp_path, "index", "--json")
    assert json.loads(printed.stdout)["unread"] == ["home/members.TSV", "home/plots.csv", "scan.pdf"]
    assert printed.stderr == ""
    (tmp_path / "home/config.toml").write_text('globs = ["**/*.TSV", "**/*.csv"]\nexclude = ["*.pdf"]\n')
    assert run(tmp_path, "index").stderr == ""
    assert "Ottokar" in run(tmp_path, "recall", "who has plot 14").stdout


def test_index_says_which_notes_beside_an_agents_workspace_it_did_not_read(tmp_path):
    for name in ("MEMORY.md", "Plumber.md", "todo.org"):
        (tmp_path / "w").mkdir(exist_ok=True)
        (tmp_path / "w" / name).write_text("The plumber is called Ottokar Binz.\n")
    told = run(tmp_path, "index", str(tmp_path / "w")).stderr
    assert told == (
        "not read: 1 .md, 1 .org beside MEMORY.md and memory/ of an agent's workspace; "
        'globs = ["**/*.md", "**/*.org"] in config.toml adds .md and .org\n'
    )


def test_another_day_gets_its_heading_and_an_edited_file_is_only_added_to(tmp_path, notes):
    with Engine.in_memory() as engine:
        engine.index(notes)
        first = engine.remember("The attic lamp is broken.", at=datetime(2026, 2, 20, 12, tzinfo=UTC))
        first.write_text(first.read_text().rstrip() + "\n\nmy own line, no newline")
        engine.remember("It is mended.", at=datetime(2026, 2, 21, 12, tzinfo=UTC), by="an agent")
    assert first.read_text().endswith(
        "my own line, no newline\n\n## 2026-02-21\n\n- It is mended. (noted by an agent)\n"
    )
    assert first.read_text().count("# Remembered") == 1


def test_what_parts_and_joins_words_stays_and_what_nobody_sees_goes(notes):
    said = "Loyer\u00a0: 1\u202f240\u00a0€\tet l'eau 水道\u3000代 می\u200cخواهم \u202ehid\u200bden\x07"
    with Engine.in_memory() as engine:
        engine.index(notes)
        file = engine.remember(said, at=datetime(2026, 2, 20, 12, tzinfo=UTC))
    assert file.read_text(encoding="utf-8").endswith(
        "- Loyer\u00a0: 1\u202f240\u00a0€\tet l'eau 水道\u3000代 می\u200cخواهم hidden\n"
    )


def test_in_a_workspace_it_goes_to_the_days_file(tmp_path):
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    (root / "memory/2026-02-20.md").write_text("# Friday\n\n- rain\n")
    with Engine.in_memory() as engine:
        engine.index(root)
        for day in (20, 21):
            engine.remember(f"Note of day {day}.", at=datetime(2026, 2, day, 12, tzinfo=UTC))
    assert (root / "memory/2026-02-20.md").read_text() == "# Friday\n\n- rain\n- Note of day 20.\n"
    assert (root / "memory/2026-02-21.md").read_text() == "# 2026-02-21\n\n- Note of day 21.\n"


def test_nothing_too_much_or_nowhere_is_refused_and_an_excluded_file_is_told(tmp_path, notes):
    from hookclaw_py.config import Config

    with Engine.in_memory(Config(exclude=("Remembered.md",))) as engine:
        with pytest.raises(IndexingError, match="hookclaw index FOLDER"):
            engine.remember("x")
        engine.index(notes)
        for text in ("", " \n ", "x" * 10_001, "\x00", "\u200b\n\u2066"):
            with pytest.raises(IndexingError):
                engine.remember(text)
        assert not (notes / "Remembered.md").exists()
        with pytest.raises(IndexingError, match="is not indexed"):
            engine.remember("The plumber is called Ottokar.")
    assert "no memory of agent" in run(tmp_path, "remember", "x").stderr


@pytest.mark.parametrize("whose", [[], ["--agent", "n3"]], ids=["main", "another agent"])
def test_nothing_is_written_into_a_folder_that_is_gone_and_it_can_come_back(tmp_path, notes, whose):
    run(tmp_path, *whose, "index", str(notes))
    notes.rename(tmp_path / "away")
    said = run(tmp_path, *whose, "remember", "The plumber is called Ottokar Binz.")
    (problem,) = json.loads(run(tmp_path, *whose, "status", "--json").stdout)["problems"]
    assert (said.exit_code, said.stdout, notes.exists()) == (2, "", False)
    assert problem in said.stderr
    assert f"run `{' '.join(['hookclaw', *whose, 'index'])} NEW_FOLDER --move`" in said.stderr
    (tmp_path / "away").rename(notes)
    again = run(tmp_path, *whose, "remember", "The plumber is called Ottokar Binz.")
    assert again.stdout == f"written to {notes}/Remembered.md\n"


def test_a_search_lists_scores_without_a_verdict(tmp_path, notes):
    run(tmp_path, "index", str(notes))
    assert run(tmp_path, "recall", "Write a poem about the cellar keys and hedges").stdout == ""
    found = run(tmp_path, "search", "Write a poem about", "the cellar keys and hedges")
    assert found.exit_code == 0
    for words in (
        "home/boiler.md:3-3",
        "garden.txt",
        "bm25 #",
        "vector #",
        "late #",
        "relevance 0.",
        "behind the boiler",
    ):
        assert words in found.stdout, found.stdout
    rows = json.loads(run(tmp_path, "search", "--json", "--limit", "1", "cellar").stdout)
    assert [row["chunk"]["path"] for row in rows] == ["home/boiler.md"]


def test_the_list_has_a_line_for_a_file_and_says_when_there_is_none(tmp_path, notes):
    (notes / "odd\nname.md").write_text("The lighthouse is painted in May.\n")
    run(tmp_path, "index", str(notes))
    assert run(tmp_path, "list", "odd").stdout == "'odd\\nname.md'  1 passage\n"
    (line,) = run(tmp_path, "list", "--passages", "odd").stdout.splitlines()
    assert "'odd\\nname.md:1-1'" in line
    for more in ([], ["--passages"]):
        none = run(tmp_path, "list", *more, "zzz")
        assert (none.exit_code, none.stdout) == (0, "")
        assert none.stderr == "hookclaw: no path of a note has 'zzz' in it\n"


def test_the_list_has_every_file_and_on_request_every_passage(tmp_path, notes):
    (notes / "diary.md").write_text("---\nprivate: true\n---\nsecret\n")
    run(tmp_path, "index", str(notes))
    told = run(tmp_path, "list").stdout.splitlines()
    assert told == ["diary.md  0 passages", "garden.txt  1 passage", "home/boiler.md  2 passages"]
    (first, second) = run(tmp_path, "list", "BOILER", "--passages").stdout.splitlines()
    assert "home/boiler.md" in first
    assert second.endswith("Service")
    assert json.loads(run(tmp_path, "list", "garden", "--json").stdout) == [{"path": "garden.txt", "chunks": 1}]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_complete_commands(tmp_path, shell):
    script = Path(sys.executable).with_name("hookclaw")
    env = {**os.environ, "_HOOKCLAW_COMPLETE": f"{shell}_source", "HOOKCLAW_HOME": str(tmp_path)}
    done = subprocess.run([script], env=env, capture_output=True, text=True, timeout=120)
    assert "hookclaw" in done.stdout
    assert "_HOOKCLAW_COMPLETE" in done.stdout


def test_a_persons_own_line_in_the_place_of_an_agents_is_their_own_and_so_is_what_they_add(tmp_path, notes):
    file = notes / "Remembered.md"
    day = "# Remembered\n\n## 2026-02-20\n\n"
    aunt = "- My aunt Walburga lives in Trier.\n"

    def told(lines: str, question: str) -> str:
        file.write_text(day + lines)
        assert run(tmp_path, "index", str(notes)).exit_code == 0
        return run(tmp_path, "recall", question).stdout

    kiln, by_agent = "- The kiln needs a new thermocouple.", 'words="noted by an agent"'
    assert by_agent in told(f"{kiln} (noted by an agent)\n", "what does the kiln need?")
    assert by_agent in told(f"{kiln}\n", "what does the kiln need?"), "without its mark it is the same line"
    own = told(aunt, "where does aunt Walburga live?")
    assert ("Trier" in own, by_agent in own) == (True, False)
    later = told(f"{aunt}- The cherry ladder is at Pedro's.\n", "where is the cherry ladder?")
    assert ("Pedro" in later, by_agent in later) == (True, False)
    assert by_agent in told(f"{aunt}\n{kiln} (noted by an agent)\n", "what does the kiln need?")


def test_without_a_word_there_is_nothing_to_search_for(tmp_path, notes):
    run(tmp_path, "index", str(notes))
    for words in ([""], [" ", ""]):
        found = run(tmp_path, "search", *words)
        assert (found.exit_code, found.stdout) == (2, "")
        assert "nothing to search for" in found.stderr


def test_a_prompt_is_taken_as_bare_words(tmp_path, notes):
    run(tmp_path, "index", str(notes))
    assert "behind the boiler" in run(tmp_path, "recall", "where", "hangs", "the", "cellar", "key").stdout
    assert "boiler.md" in run(tmp_path, "explain", "where", "hangs", "the", "cellar", "key").stdout
    assert run(tmp_path, "recall").exit_code == run(tmp_path, "explain").exit_code == 2


@pytest.mark.parametrize(
    ("typed", "named"),
    [("forget", "`hookclaw feedback forget`"), ("recal", "`hookclaw recall`"), ("pin", "`hookclaw feedback pin`")],
)
def test_a_command_that_is_none_names_the_one_that_is_meant(tmp_path, typed, named):
    told = run(tmp_path, typed, "tortilla")
    assert told.exit_code == 2
    assert named in told.stderr
    assert "No such command 'zzzz'." in run(tmp_path, "zzzz").stderr


@pytest.mark.parametrize("day", ["hier", "27.11.", "27/11", "gestern", "ayer"])
def test_a_day_is_taken_as_a_prompt_takes_it(tmp_path, notes, day):
    run(tmp_path, "index", str(notes))
    assert run(tmp_path, "recall", "--at", day, "cellar key").exit_code == 0


@pytest.mark.parametrize("day", ["5/11", "foo", "hier foo"])
def test_what_is_no_day_or_two_is_refused(tmp_path, notes, day):
    run(tmp_path, "index", str(notes))
    assert "is not a time" in run(tmp_path, "recall", "--at", day, "cellar key").stderr
