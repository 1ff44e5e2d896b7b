"""What the command line owes a person: no traceback, a clock that starts when all is loaded, plain words, signs of life."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from hookclaw_py.cli.commands import main
from hookclaw_py.cli.demonstration import SOURCE
from hookclaw_py.cli.evaluating import print_sheets
from hookclaw_py.config import Config
from hookclaw_py.errors import ConfigError
from hookclaw_py.evaluation.tables import Sheet
from hookclaw_py.insight import printing

ASKED = "What did we decide about the logging format?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    environment = {"HOOKCLAW_HOME": str(tmp_path_factory.mktemp("manners")), "COLUMNS": "80"}
    result = CliRunner().invoke(main, ["index", str(SOURCE)], env=environment)
    assert result.exit_code == 0, result.output
    return environment


def hookclaw(home: dict[str, str], *arguments: str, before: str = "", **env: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a process of its own, after the code ``before``."""
    code = f"{textwrap.dedent(before)}\nimport sys\nfrom hookclaw_py.__main__ import start\nstart()"
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, env={**os.environ, **home, **env}, capture_output=True, timeout=300)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["stats", "--html", "{}/no/such/page.html"], "no/such/page.html"),
        (["demo", "--keep", "{}/file"], "file"),
        (["metrics", "--dump", "{}/file/below"], "file"),
    ],
)
def test_a_path_that_cannot_be_written_is_one_clear_message(home, tmp_path, arguments, named):
    (tmp_path / "file").touch()
    result = CliRunner().invoke(main, [word.format(tmp_path) for word in arguments], env=home)
    assert isinstance(result.exception, SystemExit), "no traceback"
    assert result.exit_code == 2
    assert named in result.stderr


def test_a_terminal_without_our_letters_gets_escapes_and_no_traceback(home, tmp_path):
    (tmp_path / "n").mkdir()
    (tmp_path / "n/鍵.md").write_text("地下室の鍵はボイラーの後ろにあります。\n", encoding="utf-8")
    own = {**home, "HOOKCLAW_HOME": str(tmp_path / "h"), "PYTHONIOENCODING": "ascii"}
    assert hookclaw(own, "index", str(tmp_path / "n")).returncode == 0
    done = hookclaw(own, "search", "地下室の鍵")
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert "鍵".encode("ascii", "backslashreplace") in done.stdout


def test_comparing_without_the_extra_names_the_packages(home, tmp_path):
    one = tmp_path / "one.json"
    notebooks = Path(__file__).parents[2] / "eval/expected/notebooks-default.json"
    assert notebooks.exists()
    one.write_text('{"format": 0}')
    without = """
        import sys
        class Missing:
            def find_spec(self, name, *_):
                if name.partition(".")[0] in ("scipy", "ir_measures"):
                    raise ModuleNotFoundError(name, name=name)
        sys.meta_path.insert(0, Missing())
    """
    result = {"set": {"digest": "x", "name": "x"}, "prompts": {}}
    code = f"{textwrap.dedent(without)}\nfrom hookclaw_py.evaluation.compare import compare\ncompare({result!r}, {result!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert "MissingExtraError: an evaluation needs more packages; run `" in done.stderr
    assert "scipy" in done.stderr


@pytest.mark.slow
def test_a_machine_that_loads_slowly_answers_all_the_same(home):
    """The deadline is for an agent that waits; what is loaded before the first answer is not on its clock."""
    slow = """
        import sys, time
        class Slow:
            def find_spec(self, name, *_):
                if name in ("faiss", "tantivy", "dateparser"):
                    time.sleep(1.5)
        sys.meta_path.insert(0, Slow())
    """
    done = hookclaw(home, "recall", ASKED, "--at", "2026-02-20", before=slow, HOOKCLAW_TIMEOUT_MS="1400")
    assert b"one JSON object a line" in done.stdout, done.stderr.decode()
    assert done.stderr == b"", "no part of the search was late"


@pytest.mark.parametrize("command", ["recall", "explain"])
def test_a_failed_recall_does_not_look_like_success(home, command):
    nobody = {"BACKEND": "openai", "URL": "http://127.0.0.1:9/v1", "MODEL": "x"}  # and no keywords: nothing can answer
    dead = {f"HOOKCLAW_EMBEDDER__{key}": value for key, value in nobody.items()} | {"HOOKCLAW_ENABLE_BM25": "false"}
    result = CliRunner().invoke(main, [command, ASKED], env={**home, **dead})
    assert result.exit_code == 1, result.output


def test_at_takes_a_day_as_one_says_it(home):
    from hookclaw_py.cli.recall_commands import moment_of

    config, today = Config(timezone="Europe/Berlin"), datetime.now(Config(timezone="Europe/Berlin").zone).date()
    for phrase, day in (("yesterday", today - timedelta(1)), ("gestern", today - timedelta(1)), ("today", today)):
        assert moment_of(phrase, config).date() == day
    assert moment_of("yesterday", config).hour == 23, "what was noted that day counts"
    assert moment_of("2026-02-20", config) == datetime(2026, 2, 20, tzinfo=config.zone)
    for words in ("tomorrow-ish", "yesterday I was ill", "x"):
        result = CliRunner().invoke(main, ["recall", "x", "--at", words], env=home)
        assert (result.exit_code, "is not a time" in result.stderr) == (2, True)


def test_a_long_run_without_a_terminal_gives_signs_of_life(monkeypatch, capsys):
    monkeypatch.setattr(printing, "PROGRESS_SECONDS", 0.0)
    with printing.progress_bar() as show:
        show("a.md", 3, 60)
        show("embedding", 7, 90)
    assert capsys.readouterr().err == "reading: 3 of 60\nembedding: 7 of 90\n"
    monkeypatch.undo()
    with printing.progress_bar() as show:
        show("a.md", 3, 60)
    assert capsys.readouterr().err == "", "a short run says nothing"


@pytest.mark.parametrize("columns", [60, 80])
def test_tables_of_an_evaluation_fit_the_terminal_with_every_figure_whole(monkeypatch, capsys, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    measures = ["R@1", "R@3", "R@5", "R@10", "RAll@5", "Success@5", "nDCG@10", "RR"]
    ranking = [[kind, "1234", *[".123"] * 8] for kind in ("all", "temporal-reasoning", "preference")]
    curves = ["prompts", "how many", "fired", "skipped by the gate", "area", "fires at 95 % home", "at 90 %"]
    silence = [["at home, answer in the store", "500", ".987", ".012", ".941", ".127", "not reached"]]
    print_sheets("a set", [Sheet("Ranking", ["", "judged", *measures], ranking), Sheet("Silence", curves, silence)])
    out = capsys.readouterr().out
    assert max(map(cell_len, out.splitlines())) <= columns
    assert out.count(".123") == 24
    assert "…" not in out
    for word in (*measures, ".987", "not reached", "500"):
        assert word in out, word


def test_every_problem_of_a_configuration_is_told_at_once(tmp_path, monkeypatch):
    file = tmp_path / "c.toml"
    file.write_text(
        'maxResults = 3\nmaxResults = 4\nmax_results = 5\nminScore = 7\n[embedder]\nurl = "${NO_SUCH_VARIABLE}"\n'
    )
    monkeypatch.setenv("HOOKCLAW_MMR_LAMBDA", "9")
    with pytest.raises(ConfigError) as caught:
        Config.load(file)
    told = "\n".join(caught.value.problems)
    for part in (
        "line 2: maxResults is given twice",
        "in two spellings",
        "minScore: 7",
        "NO_SUCH_VARIABLE",
        "MMR_LAMBDA",
    ):
        assert part in told
    (tmp_path / "c.json").write_text('{"maxResults": 1, "maxResults": 2, "minScore": 7}')
    with pytest.raises(ConfigError, match=r"maxResults is given twice[\s\S]*minScore"):
        Config.load(tmp_path / "c.json")


@pytest.mark.parametrize(
    ("receipt", "command"),
    [
        ("pipx_metadata.json", "pipx inject NAME mcp"),
        ("uv-receipt.toml", "uv pip install --python"),
        ("", "-m pip install"),
    ],
)
def test_a_remedy_fits_how_the_program_was_installed(tmp_path, monkeypatch, receipt, command):
    from hookclaw_py.errors.remedies import install

    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    if receipt:
        (tmp_path / receipt).touch()
    assert install(["mcp"]).endswith(" mcp")
    assert command.replace("NAME", tmp_path.name) in install(["mcp"])


def test_explain_says_what_its_figures_mean(home):
    told = " ".join(CliRunner().invoke(main, ["explain", ASKED, "--at", "2026-02-20"], env=home).stdout.split())
    for words in ("the words it shares with the prompt", "by meaning", "how surely it answers"):
        assert words in told
