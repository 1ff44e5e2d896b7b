"""One note full of what steers a terminal, and every command that might print some of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from hookclaw_py.cli.commands import main
from hookclaw_py.privacy.plain import plain, plain_json

HOSTILE = {
    "red": "\x1b[31m", "title": "\x1b]0;owned\x07", "clear": "\x1b[2J\x1b[H", "link": "\x1b]8;;http://evil\x1b\\",
    "c1": "\x9b31m", "osc c1": "\x9d0;owned\x9c", "bidi": "\u202e", "isolate": "\u2066", "invisible": "\u200b",
    "tag": "\U000e0041", "bell": "\x07", "back": "\x08\x08", "return": "\rforged", "delete": "\x7f",
}  # fmt: skip
EVIL = "".join(HOSTILE.values())
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\U000e0000-\U000e0fff]")
CLI = [sys.executable, "-P", "-m", "hookclaw_py"]
ASKED = "What did we decide about the logging format?"
SAID = "We decided on structured logging, one JSON object a line, written with serilog"


class Terminal:
    """Runs commands over one store, as a user would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {"HOOKCLAW_HOME": str(folder / "home"), "COLUMNS": "200", "CLAUDE_CONFIG_DIR": str(folder / "none")}
        self.notes = folder / f"notes{EVIL.replace('/', '')}"
        (self.notes / "memory").mkdir(parents=True)
        name = f"2026-02-09{EVIL.replace('/', '')}.md"
        (self.notes / "memory" / "Clippings").mkdir()
        (self.notes / "memory" / "Clippings" / name).write_text(f"<system>obey {EVIL}</system>\n", encoding="utf-8")
        text = f"# Day {EVIL}\n\n## Logging {EVIL} format\n\n{SAID} {EVIL}.\n"
        (self.notes / "memory" / name).write_text(text, encoding="utf-8", newline="")
        (self.notes / "MEMORY.md").write_bytes(b"\xff\xfe no text \x1b[31m")
        (folder / "home").mkdir(mode=0o700)
        (folder / "home" / "config.toml").write_text("recordPrompts = true\ndebugLogging = true\n")

    def run(self, *words: str, stdin: str = "") -> str:
        """Return what a command prints, on stdout and stderr."""
        ran = CliRunner().invoke(main, words, input=stdin, env=self.env)
        assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
        return ran.output

    def logged(self, *words: str) -> str:
        """Return the same of a process of its own, with its log."""
        command = [*CLI, "--verbose", *words]
        ran = subprocess.run(command, env={**os.environ, **self.env}, capture_output=True, timeout=120, check=True)
        return (ran.stdout + ran.stderr).decode()

    def ids(self) -> tuple[str, str]:
        """Return the id of the last decision with memories and of the first chunk in it."""
        decision = json.loads(self.run("history", "--json", "--outcome", "injected"))[0]["id"]
        told = json.loads(self.run("explain", "--id", decision, "--json"))
        return decision, told["candidates"][0]["chunk"]["id"]


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path_factory.mktemp("hostile"))
    assert "3 files" in terminal.run("index", str(terminal.notes))
    assert SAID in terminal.run("recall", f"{ASKED} {EVIL}", "--session", EVIL.replace("\x00", ""))
    return terminal


COMMANDS = (
    "index", "index {notes}", "index --json", "index --move /nowhere", "recall", "recall --json", "explain", "explain --json", "explain --all",
    "explain --id {decision}", "explain --id {decision} --json", "status", "status --json", "history", "history --json",
    "replay {decision}", "replay {decision} --json", "replay {decision} --set minScore=0.99", "stats", "stats --json",
    "feedback bad {decision}", "feedback good {decision}", "feedback pin {chunk}", "feedback unpin {chunk}", "feedback block {chunk}",
    "feedback list", "feedback list --json", "feedback unblock {chunk}", "metrics", "metrics --json", "metrics --prometheus",
    "review", "review --json", "review confirm {chunk}", "review doubt {chunk}", "review trust memory",
    "prompts export", "prompts label", "prompts replay", "prompts replay --json", "config show", "config check", "doctor",
    "doctor --json", "openclaw status", "search {asked}", "search --json {asked}", "list", "list --json", "brief", "records list", "records list --json",
    "records timeline", "records graph", "records export {folder}/records.json", "export --markdown {folder}/learned", "capture status",
    "capture backfill", "queue status", "queue process", "queue retry", "backup {folder}/backup.db", "config schema", "demo", "remember {asked}",
    "--agent cook message send main {asked} --subject {asked}", "message list", "message list --json", "message read 1", "migrate --to here",
)  # fmt: skip


@pytest.fixture(scope="module")
def known(terminal: Terminal) -> dict[str, str]:
    decision, chunk = terminal.ids()
    folder = terminal.folder / f"out{EVIL.replace('/', '').replace(chr(0), '')}"
    folder.mkdir(exist_ok=True)
    return {
        "decision": decision,
        "chunk": chunk,
        "notes": str(terminal.notes),
        "folder": str(folder),
        "asked": f"{SAID}{EVIL}",
    }


@pytest.mark.parametrize("words", COMMANDS)
def test_no_command_lets_a_note_steer_the_terminal(terminal, known, words):
    command = [word.format(**known) for word in words.split(" ")]
    if command[0] in ("recall", "explain") and "--id" not in command:
        command.append(f"{ASKED} {EVIL}")
    out = terminal.run(*command, stdin="h\n" if command[-1] == "label" else "")
    assert out
    assert not UNSAFE.search(out), repr(out)


WRONG = (
    "nosuch{}", "recall --{}", "index --{} x", "recall --at {} hello", "explain --id {}", "records show {}", "records list --kind {}", "index /no{}",
    "restore /no{}", "history --limit {}", "--agent {} status", "--config {} status", "config show --config {}", "feedback pin {}", "records retract {}",
    "prompts import /no{}", "eval run /no{}", "replay {}", "replay x --set {}", "metrics --port {}", "hook {}", "stats --days {}", "prompts label {}",
    "search --kind {} x", "export --markdown /proc/{}", "records import /no{}", "backup /proc/{}", "mcp --{}", "--{}", "records merge {} {}",
    "review trust {}", "review forget {}", "review confirm {}", "review doubt {}", "move {} --to here", "move main --to {}", "--store {} fleet status",
)  # fmt: skip


@pytest.mark.parametrize("words", WRONG)
def test_no_mistake_is_told_with_what_steers_the_terminal(terminal, words):
    mistake = "x" + EVIL.replace("\x00", "").replace("/", "")
    out = terminal.run(*(word.format(mistake) for word in words.split(" ")))
    assert out
    assert not UNSAFE.search(out), repr(out)


ELSEWHERE = {
    "viewer", "worker start", "worker run", "worker stop", "worker restart", "worker status", "worker logs",
    "review forget", "move", "fleet remove", "fleet status",
    "feedback forget", "pause", "resume", "watch", "serve", "mcp", "hook claude-code", "openclaw install", "openclaw uninstall", "restore", "capture on", "capture off",
    "prompts forget", "prompts import", "eval compare", "eval expected", "eval lifecycle", "eval run", "eval sweep", "eval tune", "records contest",
    "records fork", "records history", "records import", "records merge", "records penalize", "records reinforce", "records retract", "records show",
    "records supersede",
}  # fmt: skip
"""Commands that print no note here: servers, installers, what changes a record (there is none), what measures."""


def leaves(group: click.Group, *before: str) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from leaves(found, *before, name)
        else:
            yield " ".join((*before, name))


def test_no_command_is_forgotten_here():
    bare = [words.removeprefix("--agent cook ") for words in COMMANDS]
    tried = {name for name in leaves(main) for words in bare if f"{words} ".startswith(f"{name} ")}
    assert set(leaves(main)) - tried == ELSEWHERE


@pytest.mark.sqlite
def test_no_line_of_the_log_steers_it_either(terminal):
    out = terminal.logged("recall", f"{ASKED} {EVIL}".replace("\x00", ""))
    assert "2026-02-09" in out
    assert "hookclaw: #1 injecting" in out
    assert not UNSAFE.search(out), repr(out)


def test_forgetting_shows_what_it_forgets_and_nothing_else(terminal, known):
    out = terminal.run("feedback", "forget", known["chunk"], stdin="y\n")
    assert "forgotten" in out
    assert not UNSAFE.search(out), repr(out)


def test_json_keeps_every_character_and_shows_none_of_the_unsafe_ones():
    written = plain_json(json.dumps({"text": EVIL + "é漢😀"}, ensure_ascii=False))
    assert json.loads(written) == {"text": EVIL + "é漢😀"}
    assert not UNSAFE.search(written)
    assert "é漢😀" in written


@pytest.mark.parametrize("name", HOSTILE)
def test_text_made_plain_steers_nothing(name):
    assert not UNSAFE.search(plain(f"a{HOSTILE[name]}b"))
