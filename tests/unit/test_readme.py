"""The README says what is so: its commands exist and its Python runs."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from hookclaw_py.cli import main
from hookclaw_py.config import Config
from hookclaw_py.demonstration import SOURCE

README = Path(__file__).parents[2] / "README.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def commands() -> list[str]:
    """Return every ``hookclaw …`` line of the README's shell blocks."""
    lines = [line for kind, body in BLOCKS if kind == "bash" for line in body.splitlines()]
    return [match[1] for line in lines for match in re.finditer(r"(?:^|/)hookclaw ([^#&|]+)", line)]


@pytest.mark.parametrize("line", commands())
def test_every_command_of_the_readme_exists(line):
    words, node = [word for word in line.split() if not word.startswith("-")], main
    context = click.Context(main)
    while isinstance(node, click.Group) and words:
        name = words.pop(0)
        node = node.get_command(context, name)
        assert node is not None, f"hookclaw {line.strip()}: no command {name}"


def test_the_python_of_the_readme_runs(capsys):
    (code,) = [body for kind, body in BLOCKS if kind == "python"]
    exec(compile(code.replace("~/my-workspace", str(SOURCE)), "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert "injected" in out
    assert "one JSON object a line" in out


def test_the_demo_is_as_the_readme_shows_it():
    """All but times and scores, which a new model changes a little."""
    shown = next(body for _, body in BLOCKS if "»" in body)
    out = CliRunner().invoke(main, ["demo"]).stdout
    for line in filter(None, shown.splitlines()):
        assert re.sub(r"0\.\d+", "SCORE", line.partition("  [")[0]) in re.sub(r"0\.\d+", "SCORE", out), line


def test_the_keys_that_the_readme_names_exist():
    text = README.read_text(encoding="utf-8")
    known = set(Config().model_dump(by_alias=True))
    for key in ("enableRrf", "minScore", "maxContextChars", "timeoutMs", "evergreen", "preset"):
        assert key in text
        assert key in known
