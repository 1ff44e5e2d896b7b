"""The README and the pages beside the code say what is so: commands and options exist, Python runs, links lead somewhere."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import MISSING, fields
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from hookclaw_py.cli.commands import main
from hookclaw_py.cli.demonstration import SOURCE
from hookclaw_py.config import Config
from hookclaw_py.doors import protocol, requests, shapes
from hookclaw_py.web.routes import ROUTES

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [
    README,
    ROOT / "CHANGELOG.md",
    ROOT / "eval/README.md",
    *sorted((ROOT / "eval/studies").glob("*.md")),
    *sorted((ROOT / "eval/results").glob("*.md")),
    *sorted((ROOT / "eval/examples").glob("*.md")),
    *(page for page in sorted((ROOT / "hookclaw_py").rglob("*.md")) if not page.is_relative_to(SOURCE)),
]
PROTOCOL = ROOT / "hookclaw_py/doors/PROTOCOL.md"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, *kinds: str) -> list[str]:
    found = re.findall(r"```(\w+)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [body for kind, body in found if kind in kinds]


def commands() -> list[tuple[str, str]]:
    """Return the page and text of every ``hookclaw …`` line in shell blocks and of every `hookclaw …` in the prose."""
    found = []
    for page in PAGES:
        prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        lines = [line for body in blocks(page, "bash") for line in body.splitlines()]
        lines = [match[1] for line in lines for match in re.finditer(r"(?:^|/)hookclaw ([^#&|]+)", line)]
        found += [(name_of(page), line.strip()) for line in (*lines, *re.findall(r"`hookclaw ([a-z][^`]*)`", prose))]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize(("page", "line"), commands())
def test_every_command_and_option_of_a_page_exists(page, line):
    words, node = shlex.split(line.replace("…", " ")), main
    context = click.Context(main)
    options = {"-h", "--help", *(name for option in main.params for name in option.opts)}
    while isinstance(node, click.Group) and (plain := [word for word in words if not word.startswith("-")]):
        words.remove(plain[0])
        if plain[0] not in node.list_commands(context) and options & set(words):
            continue  # the value of an option of the program
        node = node.get_command(context, plain[0])
        assert node is not None, f"{page}: hookclaw {line}: no command {plain[0]}"
        options |= {name for option in node.params for name in option.opts}
    for word in words:
        if word.startswith("--"):
            assert word.partition("=")[0] in options, f"{page}: hookclaw {line}: no option {word}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_to_a_file_leads_to_it(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text):
        assert (page.parent / target).exists(), f"{name_of(page)}: {target}"


def test_the_readme_leads_to_every_page_beside_the_code():
    told = README.read_text(encoding="utf-8")
    for page in (page for page in PAGES[2:] if not page.is_relative_to(ROOT / "eval")):
        assert f"({name_of(page)})" in told, name_of(page)


@pytest.mark.parametrize(("page", "code"), [(name_of(page), code) for page in PAGES for code in blocks(page, "python")])
def test_the_python_of_a_page_runs(page, code, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path))
    exec(compile(code.replace("~/notes", str(SOURCE)), page, "exec"), {})
    out = capsys.readouterr().out
    assert "injected" in out
    assert "one JSON object a line" in out


def test_the_demo_is_as_the_readme_shows_it():
    """All but times and scores, which a new model changes a little."""
    (shown,) = [body for body in blocks(README, "text") if "»" in body]
    out = CliRunner().invoke(main, ["demo"]).stdout
    for line in filter(None, shown.splitlines()):
        assert re.sub(r"0\.\d+", "SCORE", line.partition("  [")[0]) in re.sub(r"0\.\d+", "SCORE", out), line


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_keys_that_a_page_sets_exist(page):
    known = set(Config().model_dump(by_alias=True))
    for key in re.findall(r"`([a-z]+[A-Z]\w+)(?: =[^`]*)?`", page.read_text(encoding="utf-8")):
        if key not in NOT_OURS:
            assert key in known, f"{name_of(page)}: {key}"


SHAPES = (*requests.METHODS.values(), requests.CallTool, *(route.shape for route in ROUTES))
NOT_OURS = {shapes.camel(field.name) for shape in SHAPES for field in fields(shape)} | {
    "apiKey",
    "keepRawDays",
    "queueId",
    "skippedReason",
    "prependContext",
    "injectionId",
}


def test_a_newcomer_is_told_first_what_to_do_and_what_to_know():
    text = README.read_text(encoding="utf-8")
    first = text[: text.index("\n## ", text.index("## Start"))]
    assert first.index("hookclaw index ~/notes") < first.index("hookclaw recall") < first.index("hookclaw demo")
    for part in ("Python 3.11", "Never indexed", "One folder or several", "Where it lies, how big", "Remembered.md"):
        assert part in text, part
    for jargon in ("nDCG", "MaxSim", "BM25", "σ"):
        assert jargon not in text, jargon
    assert len(text.splitlines()) < 140


def test_every_make_that_a_page_speaks_of_does_something():
    if shutil.which("make") is None:
        pytest.skip("needs make")
    told = {line for page in PAGES for line in re.findall(r"`(make\b[^`]*)`", page.read_text(encoding="utf-8"))}
    assert {"make", "make lint", "make test", "make slow", "make results"} <= told
    for line in told:
        done = subprocess.run([*shlex.split(line), "-n"], cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip(), line


def methods_table() -> str:
    """Return the table of methods of the protocol's page; what has to be given is bold."""
    lines = ["| method | parameters | what it is |", "|---|---|---|"]
    for method, shape in requests.METHODS.items():
        given = [
            f"**`{shapes.camel(field.name)}`**" if field.default is MISSING else f"`{shapes.camel(field.name)}`"
            for field in fields(shape)
        ]
        plain = " ".join((shape.__doc__ or "").replace("``", "`").split())
        told = re.sub(r"`([a-z_]+)`", lambda match: f"`{shapes.camel(match[1])}`", plain)
        lines.append(f"| `{method}` | {', '.join(given) or '–'} | {told} |")
    return "\n".join(lines)


def test_the_page_of_the_protocol_has_every_method_parameter_and_code():
    text = PROTOCOL.read_text(encoding="utf-8")
    assert methods_table() in text, f"put this table into {PROTOCOL}:\n{methods_table()}"
    for code in protocol.Code:
        assert f"`{code}`" in text
    assert f'"protocol": {protocol.VERSION}' in text


HTTP = ROOT / "hookclaw_py/web/README.md"


def routes_table() -> str:
    """Return the table of routes of the page about HTTP."""
    lines = ["| method | route | what it is |", "|---|---|---|"]
    for route in ROUTES:
        told = " ".join((route.shape.__doc__ or "").split())
        lines.append(f"| {route.method} | `{route.path.replace(':path}', '}')}` | {told} |")
    return "\n".join(lines)


def test_the_page_about_http_has_every_route():
    assert routes_table() in HTTP.read_text(encoding="utf-8"), f"put this table into {HTTP}:\n{routes_table()}"


def test_a_program_that_follows_the_page_of_the_protocol_gets_what_it_shows(tmp_path):
    (shown,) = blocks(PROTOCOL, "jsonl")
    lines = [line.replace("/home/me/notes", str(SOURCE)) for line in shown.splitlines()]
    said = [json.loads(line[2:]) for line in lines if line.startswith("→ ")]
    expected = {
        answer["id"]: answer for line in lines if line.startswith("← ") and "id" in (answer := json.loads(line[2:]))
    }
    command = [sys.executable, "-m", "hookclaw_py", "serve"]
    env = {**os.environ, "HOOKCLAW_HOME": str(tmp_path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        hello = json.loads(process.stdout.readline())
        assert hello.keys() == json.loads(lines[0][2:]).keys()
        for request in said:
            if request["method"] == "before_agent_start":
                while json.loads(process.stdout.readline()).get("event") != "indexed":
                    pass  # as the page says
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            for line in process.stdout:  # the process ends with _shutdown, so this does
                answer = json.loads(line)
                if answer.get("id") == request["id"]:
                    break
            wanted = expected[request["id"]]
            assert answer.keys() == wanted.keys(), answer
            for part in ("result", "error"):
                assert wanted.get(part, {}).keys() <= answer.get(part, {}).keys(), answer
        assert process.wait(60) == 0
