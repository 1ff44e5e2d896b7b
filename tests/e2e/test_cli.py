"""The command line as a person uses it: real store, real model, exit codes, stdout for answers and stderr for the rest."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from hookclaw_py.cli.commands import main
from hookclaw_py.cli.demonstration import SOURCE

AT = ["--at", "2026-02-20T10:00:00+01:00"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home whose agent "main" knows the demo's notes."""
    folder = tmp_path_factory.mktemp("cli-home")
    result = CliRunner().invoke(main, ["index", str(SOURCE)], env={"HOOKCLAW_HOME": str(folder)})
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def run(home):
    def run(*arguments, env=None, **options):
        return CliRunner().invoke(main, list(arguments), env={"HOOKCLAW_HOME": str(home), **(env or {})}, **options)

    return run


def test_recall_prints_the_block_and_nothing_else(run):
    result = run("recall", "What did we decide about the logging format?", *AT)
    assert result.exit_code == 0
    assert result.stdout.startswith("<relevant_memories>\n")
    assert result.stdout.endswith("</relevant_memories>\n")
    assert result.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
def test_a_full_disk_under_the_output_is_one_clear_line(home):
    command = [sys.executable, "-m", "hookclaw_py", "recall", "What did we decide about the logging format?", *AT]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, env={**os.environ, "HOOKCLAW_HOME": str(home)}
        )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "cannot write: No space left on device" in done.stderr


def test_from_a_folder_that_is_gone_notes_beside_it_are_one_clear_line(home, tmp_path):
    gone = tmp_path / "gone"
    shell = ["sh", "-c", f'cd {gone} && rmdir {gone} && exec "$@"', "sh", sys.executable, "-P", "-m", "hookclaw_py"]
    for given in (".", "notes"):
        gone.mkdir()
        done = subprocess.run(
            [*shell, "index", given], capture_output=True, text=True, env={**os.environ, "HOOKCLAW_HOME": str(home)}
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "hookclaw: the folder that you are in is gone; `cd` to another one and run it again\n"


def test_silence_prints_nothing_and_says_why_on_stderr(run):
    result = run("recall", "Write a poem about the sea")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "skipped: matches skip pattern" in result.stderr


def test_recall_json_is_the_whole_injection(run):
    found = json.loads(run("recall", "--json", "What did we decide about the logging format?", *AT).stdout)
    assert found["outcome"] == "injected"
    assert found["text"].startswith("<relevant_memories>")
    best = found["candidates"][0]
    assert best["chunk"]["path"] == "memory/2026-02-09.md"
    assert 0.5 <= best["relevance"] <= 1
    assert {"stage", "value", "note"} <= set(best["history"][0])
    assert found["rejected"]
    assert found["faults"] == []


def test_a_prompt_can_come_from_stdin(run):
    assert "SHA-256" in run("recall", "-", *AT, input="how do we store the reset tokens?\n").stdout


def test_explain_tells_for_injected_and_rejected_alike(run):
    result = run("explain", "What did we decide about the logging format?", *AT, env={"COLUMNS": "200"})
    assert result.exit_code == 0
    for part in (
        "INJECTED",
        "words",
        "bm25",
        "vector",
        "relevance",
        "✓",
        "·",
        "far behind the best",
        "memory/2026-02-09.md:5-6",
    ):
        assert part in result.stdout


def test_explain_tells_why_a_prompt_was_silent(run):
    silent = run("explain", "What is the capital of Mongolia?", "--all", env={"COLUMNS": "200"}).stdout
    assert "SILENT" in silent
    assert "is below 0.5" in silent
    assert "covers" in silent
    assert "SKIPPED" in run("explain", "Write a poem about the sea").stdout
    assert json.loads(run("explain", "--json", "What is the capital of Mongolia?").stdout)["rejected"]


@pytest.mark.parametrize("columns", [40, 80, 120, 160])
def test_explain_fits_the_terminal_and_keeps_each_memory_together(run, columns):
    prompt = "What did we decide about the logging format?"
    lines = run("explain", prompt, *AT, env={"COLUMNS": str(columns)}).stdout.splitlines()
    assert max(map(len, lines)) <= columns
    assert len(lines) <= {40: 140, 80: 78}.get(columns, 56)
    marks = [number for number, line in enumerate(lines) if line[:2] in {"✓ ", "· "}]
    assert len(marks) == 10
    first, second = (" ".join(" ".join(lines[a:b]).split()) for a, b in pairwise(marks[:3]))
    assert first.startswith("✓ memory/2026-02-09.md:5-6 bm25 #1")
    for part in ("vector #1", "relevance 0.", "score 0.", "2026-02-09 > Lantern: logging", "covers 60% of the prompt"):
        assert part in first
    assert any(f"abstain: {said}" in second for said in ("relevance below 0.5; ", "score below"))
    assert "covers" in second
    if columns >= 120:
        assert "score" in lines[marks[0]]
    assert ("fused" in first) == (columns >= 140)


def test_explain_folds_a_long_path_and_cuts_nothing_off(tmp_path):
    path = f"memory/{'a-long-folder-name/' * 5}{'长' * 30}.md"
    note = tmp_path / "w" / path
    note.parent.mkdir(parents=True)
    note.write_text("The cellar key hangs behind the boiler.\n")
    home = {"HOOKCLAW_HOME": str(tmp_path / "home"), "COLUMNS": "80"}
    CliRunner().invoke(main, ["index", str(tmp_path / "w")], env=home)
    lines = CliRunner().invoke(main, ["explain", "Where does the cellar key hang?"], env=home).stdout.splitlines()
    assert f"✓{path}:1-1bm25#1vector#1late#1relevance" in "".join("".join(lines).split())
    assert max(map(cell_len, lines)) <= 80


def test_status_tells_programs_what_it_tells_people(tmp_path):
    notes, env = tmp_path / "notes", {"HOOKCLAW_HOME": str(tmp_path / "home"), "HOOKCLAW_ENABLE_VECTOR": "false"}
    notes.mkdir()
    (notes / "a.md").write_text("The cellar key hangs behind the boiler.\n")
    for agent in ("main", "other"):
        CliRunner().invoke(main, ["--agent", agent, "index", str(notes)], env=env)
    (notes / "b.md").write_text("The gardener is called Waltraud.\n")
    (notes / "a.md").write_text("The cellar key hangs on the left.\n")
    assert "; 2 files changed since" in CliRunner().invoke(main, ["status"], env=env).stdout
    told = json.loads(CliRunner().invoke(main, ["status", "--json"], env=env).stdout)
    assert (told["changed"], told["others"]) == (2, ["other"])


def test_status_counts_and_names_the_workspace(run):
    found = json.loads(run("status", "--json").stdout)
    assert found["chunks"] == found["embedded"] > 10
    assert found["workspaces"] == [str(SOURCE)]
    assert found["null_sample"]["mean"] > 0
    told = {line[:10].strip(): line[10:] for line in run("status", env={"COLUMNS": "200"}).stdout.splitlines()}
    assert told["folder"] == str(SOURCE)
    assert told["notes"] == f"7 files in {found['chunks']} passages"
    assert told["found by"] == "words, and all of them by meaning"
    assert told["last read"].endswith("ago")
    assert not {"no-answer", "embedder"} & told.keys(), "words of our own"


def test_who_asks_after_an_edit_is_told_that_the_notes_were_changed_since(tmp_path):
    notes, env = tmp_path / "notes", {"HOOKCLAW_HOME": str(tmp_path / "home"), "COLUMNS": "200"}
    notes.mkdir()
    (notes / "prices.md").write_text("Slate from Quarry Bell costs 94 a square metre.\n")
    (notes / "gone.md").write_text("The old kiln fires on Tuesdays.\n")
    run = CliRunner().invoke
    run(main, ["index", str(notes)], env=env)
    asked = ["recall", "what does slate from Quarry Bell cost?"]
    assert run(main, asked, env=env).stderr == ""
    (notes / "prices.md").write_text("Slate from Quarry Bell costs 99.50 a square metre.\n")
    (notes / "gone.md").unlink()
    (notes / "new.md").write_text("Granite comes on Friday.\n")
    hint = "3 files have changed since your notes were read; `hookclaw index` reads them"
    for command in (asked, ["explain", *asked[1:]], ["search", "slate"]):
        assert hint in run(main, command, env=env).stderr, command
    assert "; 3 files changed since" in run(main, ["status"], env=env).stdout
    run(main, ["index"], env=env)
    told = run(main, asked, env=env)
    assert "99.50" in told.stdout
    assert told.stderr == ""


def test_a_folder_that_is_not_there_has_not_changed(tmp_path):
    notes, env = tmp_path / "notes", {"HOOKCLAW_HOME": str(tmp_path / "home")}
    notes.mkdir()
    (notes / "prices.md").write_text("Slate from Quarry Bell costs 94 a square metre.\n")
    CliRunner().invoke(main, ["index", str(notes)], env=env)
    notes.rename(tmp_path / "elsewhere")
    told = CliRunner().invoke(main, ["recall", "what does slate from Quarry Bell cost?"], env=env)
    assert "94" in told.stdout
    assert "changed" not in told.stderr


def test_an_empty_store_says_what_to_do(tmp_path):
    result = CliRunner().invoke(
        main, ["recall", "what did we decide about logging?"], env={"HOOKCLAW_HOME": str(tmp_path)}
    )
    assert "no folder of notes has been indexed; run `hookclaw index FOLDER`" in result.stderr
    status = CliRunner().invoke(main, ["status"], env={"HOOKCLAW_HOME": str(tmp_path), "COLUMNS": "200"})
    assert status.exit_code == 1
    assert "no folder of notes has been indexed" in status.stdout
    assert not list(tmp_path.iterdir())


def test_the_stores_of_two_gateways_agents_of_one_name_are_told_apart_and_listed(tmp_path):
    home = {"HOOKCLAW_HOME": str(tmp_path / "h"), "HOOKCLAW_ENABLE_VECTOR": "false"}
    for agent, word in (("main", "Quillwort"), ("main@work", "Bramble")):
        folder = tmp_path / agent / "memory"
        folder.mkdir(parents=True)
        (folder / "2026-02-10.md").write_text(f"# Release\n\nThe codeword of the harbour release is {word}.\n")
        CliRunner().invoke(main, ["--agent", agent, "index", str(folder.parent)], env=home, catch_exceptions=False)
    question = "what is the codeword of the harbour release?"
    for agent, word in (("main", "Quillwort"), ("main@work", "Bramble")):
        told = CliRunner().invoke(main, ["recall", question, "--agent", agent], env=home).stdout
        assert {name for name in ("Quillwort", "Bramble") if name in told} == {word}
    status = CliRunner().invoke(main, ["status", "--agent", "main@work"], env=home).stdout
    assert re.search(r"agent +main@work", status)
    assert re.search(r"others +main$", status, re.MULTILINE)


def test_moving_a_store_says_first_what_that_means(tmp_path):
    home = {"HOOKCLAW_HOME": str(tmp_path / "h"), "HOOKCLAW_ENABLE_VECTOR": "false"}
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "MEMORY.md").write_text(f"# Note\n\nThis one is in the {name} folder, and nowhere else.\n")
    CliRunner().invoke(main, ["index", str(tmp_path / "old")], env=home)
    again = CliRunner().invoke(main, ["index", "--move", str(tmp_path / "old")], env=home)
    assert "from now on" not in again.stderr, "nothing moves"
    done = CliRunner().invoke(main, ["index", "--move", str(tmp_path / "new")], env=home)
    assert (
        f"agent main's memory holds 1 passage of {tmp_path / 'old'}; "
        f"from now on {tmp_path / 'new'} takes the place of {tmp_path / 'old'}" in done.stderr
    )
    assert f"still works in {tmp_path / 'old'} gets no more memories there" in done.stderr


@pytest.mark.parametrize("command", [["recall", "x"], ["explain", "x"], ["status"], ["watch"], ["index"]])
def test_an_unknown_agent_is_told_who_is_known_and_gets_no_store(tmp_path, command):
    (tmp_path / "w/memory").mkdir(parents=True)
    home = {"HOOKCLAW_HOME": str(tmp_path / "home")}
    nobody = CliRunner().invoke(main, ["--agent", "typo", *command], env=home)
    assert (nobody.exit_code, nobody.stdout) == (2, "")
    assert "no memory of agent 'typo' here; known: none; run `hookclaw --agent typo index FOLDER`" in nobody.stderr
    for agent in ("d04", "main"):
        CliRunner().invoke(main, ["--agent", agent, "index", str(tmp_path / "w")], env=home)
    assert "known: main, d04;" in CliRunner().invoke(main, ["--agent", "typo", *command], env=home).stderr
    assert {folder.name for folder in (tmp_path / "home/agents").iterdir()} == {"main", "d04"}


def test_the_agent_and_the_configuration_may_be_named_after_the_verb(run, tmp_path):
    file = tmp_path / "c.toml"
    file.write_text("maxResult = 3\n")
    for command in (["recall", "x"], ["status"], ["feedback", "list"], ["history"], ["metrics"]):
        result = run(*command, "--agent", "typo")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "no memory of agent 'typo' here; known: main; run `hookclaw --agent typo index FOLDER`" in result.stderr
    for command in (["recall", "x"], ["status"], ["config", "show"], ["config", "check"]):
        assert f"{file}: maxResult: unknown key" in run(*command, "--config", str(file)).stderr


def test_help_tells_of_every_command_in_whole_sentences(run):
    told = run("--help").stdout
    for name, command in main.commands.items():
        assert f"\n  {name} " in told
        assert " ".join(command.get_short_help_str(500).split()) in " ".join(told.split())


@pytest.mark.parametrize("command", ["recall", "explain"])
def test_a_prompt_that_is_no_utf_8_is_answered_all_the_same(run, command):
    """A shell hands over such bytes as lone surrogates, which no JSON and no terminal takes."""
    result = run(command, "--json", 'What did "\udcff" we decide about the logging format?', *AT)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["outcome"] == "injected"


def test_texts_that_are_waiting_for_their_vectors_are_told_with_every_answer(tmp_path):
    home = {"HOOKCLAW_HOME": str(tmp_path)}
    keywords = {**home, "HOOKCLAW_ENABLE_VECTOR": "false"}
    assert CliRunner().invoke(main, ["index", str(SOURCE)], env=keywords).exit_code == 0
    result = CliRunner().invoke(main, ["recall", "What was the fix for NETSDK1005 again?", *AT], env=home)
    assert "texts are not embedded yet; run `hookclaw index` to go on" in result.stderr


def test_a_home_that_cannot_be_looked_into_is_one_clear_message(tmp_path):
    (tmp_path / "c.toml").touch()
    home = {"HOOKCLAW_HOME": str(tmp_path / ("x" * 300))}
    for options in ([], ["--config", str(tmp_path / "c.toml")]):
        result = CliRunner().invoke(main, [*options, "status"], env=home)
        assert result.exit_code == 2
        assert "x" * 300 in result.stderr


def test_watching_nothing_is_one_message(tmp_path):
    result = CliRunner().invoke(main, ["watch"], env={"HOOKCLAW_HOME": str(tmp_path)})
    assert result.exit_code == 2
    assert result.stderr == "hookclaw: no folder of notes has been indexed yet; run `hookclaw index FOLDER`\n"


def interrupted(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Press Ctrl-C until a command ends: one that comes just before a system call that blocks is only noticed after it."""
    for patience in (5, 5, 5, 20):
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=patience)
    process.kill()
    raise AssertionError("it does not end")


@pytest.mark.parametrize("command", ["index", "status", "watch"])
def test_ctrl_c_while_a_command_starts_is_one_line_and_exit_code_130(tmp_path, command):
    """The configuration is a pipe that nobody writes to, so the command is surely still starting."""
    os.mkfifo(pipe := tmp_path / "c.toml")
    start = [sys.executable, "-m", "hookclaw_py", "--config", str(pipe), command]
    process = subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process, pipe.open("w"):
        out, err = interrupted(process)
    kept = "; what is done is kept, run `hookclaw index` again to go on" if command == "index" else ""
    assert (process.returncode, out.strip(), err.strip()) == (130, "", f"hookclaw: interrupted{kept}")


def test_ctrl_c_while_the_program_is_loaded_is_one_line_and_exit_code_130():
    script = """
import runpy, sys
class Interrupted:
    def find_spec(self, name, *_):
        if name == "hookclaw_py.cli.commands":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
runpy.run_module("hookclaw_py", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "hookclaw: interrupted\n")


def test_ctrl_c_where_python_ignores_it_comes_a_moment_later():
    script = """
import runpy, sys, time
class Ignored:
    def __del__(self):
        raise KeyboardInterrupt
class Interrupted:
    def find_spec(self, name, *_):
        if name == "hookclaw_py.cli.commands":
            Ignored()
            for _ in range(1000):
                time.sleep(0.01)
sys.meta_path.insert(0, Interrupted())
runpy.run_module("hookclaw_py", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "hookclaw: interrupted\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["index", "/no/such/folder"], "/no/such/folder"),
        (["--agent", "../evil", "status"], "no agent id"),
        (["--config", "/no/such.toml", "status"], "/no/such.toml: no such file"),
        (["recall", "x", "--at", "tomorrow-ish"], "is not a time"),
        (["index", str(Path(__file__).parent)], "--agent NAME"),
    ],
)
def test_bad_input_gets_one_clear_message_and_exit_code_2(run, arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.output


def test_config_show_says_where_each_value_came_from(run, tmp_path):
    file = tmp_path / "c.toml"
    file.write_text('maxResults = 5\n[embedder]\napiKey = "s3cret"\n')
    result = run("--config", str(file), "config", "show", env={"HOOKCLAW_MIN_SCORE": "0.6", "COLUMNS": "200"})
    rows = {key: told for key, *told in map(str.split, result.stdout.splitlines())}
    assert rows["maxResults"] == ["5", str(file)]
    assert rows["minScore"] == ["0.6", "HOOKCLAW_MIN_SCORE"]
    assert rows["mmrLambda"] == ["0.7", "default"]
    assert rows["sources"] == ['["memory"]', "default"]
    assert rows["enableRrf"] == ["false", "default"]
    assert "s3cret" not in result.stdout
    shown = json.loads(run("--config", str(file), "config", "show", "--json").stdout)
    assert (shown["values"]["maxResults"], shown["values"]["embedder"]["apiKey"]) == (5, "…")
    assert shown["origins"] == {"maxResults": str(file), "embedder.apiKey": str(file)}
    assert json.loads(run("config", "show", "--json").stdout)["values"]["embedder"]["apiKey"] == ""


def test_config_check_lists_every_problem(run, tmp_path):
    file = tmp_path / "c.toml"
    file.write_text("maxResult = 3\nminScore = 7\n")
    result = run("--config", str(file), "config", "check")
    assert result.exit_code == 2
    assert f"{file}: maxResult: unknown key; did you mean maxResults?" in result.stderr
    assert "minScore: 7 is not allowed" in result.stderr
    assert run("config", "check").stdout.startswith("the configuration is fine")


def test_config_schema_is_json(run):
    assert json.loads(run("config", "schema").stdout)["properties"]["maxResults"]["default"] == 3


def test_index_json_counts(run):
    report = json.loads(run("index", "--json").stdout)
    assert report["unchanged"] == report["seen"] > 5
    assert report["added"] == 0


def test_index_warns_about_a_bad_file_and_indexes_the_rest(tmp_path):
    (tmp_path / "w/memory").mkdir(parents=True)
    (tmp_path / "w/memory/good.md").write_text("The cellar key hangs behind the boiler.\n")
    (tmp_path / "w/memory/bad.md").write_bytes(b"\x00\x01binary")
    result = CliRunner().invoke(main, ["index", str(tmp_path / "w")], env={"HOOKCLAW_HOME": str(tmp_path / "home")})
    assert result.exit_code == 0
    assert "bad.md" in result.stderr
    assert "now holds 1 passage of 1 file, all found by meaning too" in result.stdout


@pytest.mark.sqlite
def test_a_damaged_store_is_kept_aside_and_made_anew(tmp_path):
    """Nothing is lost: the message names the file and the command, and the command keeps the old file."""
    home, workspace = {"HOOKCLAW_HOME": str(tmp_path / "home")}, str(SOURCE)
    CliRunner().invoke(main, ["index", workspace], env=home)
    database = tmp_path / "home/agents/main/memory.db"
    database.write_bytes(b"not a database at all, " * 200)
    broken = CliRunner().invoke(main, ["recall", "how do we store the reset tokens?"], env=home)
    assert broken.exit_code == 2
    assert str(database) in broken.stderr
    assert "hookclaw index --rebuild" in broken.stderr
    mended = CliRunner().invoke(main, ["index", "--rebuild", workspace], env=home)
    assert "memory.db.corrupt-1" in mended.stderr
    assert database.with_name("memory.db.corrupt-1").read_bytes().startswith(b"not a database")
    assert "SHA-256" in CliRunner().invoke(main, ["recall", "how do we store the reset tokens?"], env=home).stdout


def test_verbose_logs_the_decision(home):
    command = [sys.executable, "-m", "hookclaw_py", "-v", "recall", "ok"]
    done = subprocess.run(
        command, env={**os.environ, "HOOKCLAW_HOME": str(home)}, capture_output=True, text=True, check=True
    )
    assert "hookclaw: #1 skip — prompt too short (2 chars)" in done.stderr
    assert done.stdout == ""


def test_demo_answers_some_prompts_and_is_rightly_silent_on_others():
    result = CliRunner().invoke(main, ["demo"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    assert result.stdout.count("injected: ") == 5
    assert result.stdout.count("silent: ") == 2
    assert result.stdout.count("skipped: ") == 1
    for answer in ("one JSON object a line", "project.assets.json", "fix/limiter-retries", "SHA-256", "三月二日"):
        assert answer in result.stdout
    lines = result.stdout.splitlines()
    asked = lines.index("» Which hotel did we book in Lisbon for the conference?")
    assert lines[asked + 1] == "  (sounds like memory, but no note says it: silent)"


@pytest.mark.sqlite
def test_demo_can_be_kept(tmp_path):
    assert CliRunner().invoke(main, ["demo", "--keep", str(tmp_path)]).exit_code == 0
    assert (tmp_path / "workspace/MEMORY.md").exists()
    assert (tmp_path / "store/memory.db").exists()


def test_watch_indexes_an_edit_and_ends_with_ctrl_c(tmp_path):
    workspace, environment = tmp_path / "w", {**os.environ, "HOOKCLAW_HOME": str(tmp_path / "home")}
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory/a.md").write_text("The cellar key hangs behind the boiler.\n")
    hookclaw = [sys.executable, "-u", "-m", "hookclaw_py"]
    subprocess.run([*hookclaw, "index", str(workspace)], env=environment, check=True, capture_output=True)
    with subprocess.Popen(
        [*hookclaw, "watch"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert "1 unchanged" in process.stdout.readline()
        process.stdout.readline()
        (workspace / "memory/b.md").write_text("The spare key is with Ilse.\n")
        assert "1 new" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "stopped" in err


def test_progress_is_shown_on_a_terminal_only(monkeypatch):
    from rich.console import Console

    from hookclaw_py.insight import printing

    seen = []
    monkeypatch.setattr(printing, "Console", lambda **kw: Console(file=io.StringIO(), force_terminal=True))
    with printing.progress_bar() as show:
        for done in range(3):
            show("memory/a.md", done, 3)
            show("embedding", done, 3)
            seen.append(done)
    assert seen == [0, 1, 2]


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("to", "said"), [("here", "is kept there already"), ("postgresql://db/memory", "pip install 'psycopg")]
)
def test_a_memory_of_files_is_moved_nowhere_without_what_a_server_needs(home, tmp_path, to, said):
    (tmp_path / "psycopg.py").write_text("raise ImportError('none here')\n")
    done = subprocess.run(
        [sys.executable, "-m", "hookclaw_py", "migrate", "--to", to],
        env={**os.environ, "HOOKCLAW_HOME": str(home), "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
