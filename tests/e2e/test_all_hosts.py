"""Everybody at once over one $HOOKCLAW_HOME: two gateways that both have a "main", a group, Claude Code, and an old gateway."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.claude import Claude, leave
from tests.e2e.gateway.host import Host
from tests.e2e.gateway.installation import NEWEST, installation
from tests.e2e.gateway.model_server import ModelServer
from tests.waiting import delete, wait_until

pytestmark = pytest.mark.slow

QUESTION = "What is the codeword of the harbour release?"
WORDS = {"main": "Quillwort", "cook": "Bertold", "main@work": "Bramble", "main@old": "Sedge", "project": "Yarrow"}
_TURN = 300  # seconds
SHARED = "Everyone may know that the harbour release has a codeword, and that it rhymes with nothing."


@pytest.fixture
def memories() -> Iterator[Path]:
    """A home for all of them, short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="hc-", dir="/tmp"))
    yield folder
    delete(folder)


def write(workspace: Path, word: str) -> None:
    (workspace / "memory").mkdir(parents=True, exist_ok=True)
    (workspace / "memory/release.md").write_text(f"# Release\n\nThe codeword of the harbour release is {word}.\n")


def words_in(text: str) -> set[str]:
    return {word for word in WORDS.values() if word in text}


def started(host: Host, *ids: str) -> Host:
    """Put the plugin in, and prepare what each of the gateway's agents knows: ``ids`` are their stores'."""
    configuration = json.loads(host.config.read_text())
    configuration["plugins"]["entries"] = {"hookclaw": {"config": {"budgetMs": 10_000}}}  # the machine may be busy
    host.config.write_text(json.dumps(configuration))
    for agent, workspace in host.workspaces.items():
        write(workspace, next(WORDS[store] for store in ids if store.partition("@")[0] == agent))
    done = host.hookclaw("openclaw", "install", "--edit")
    assert done.returncode == 0, done.stdout + done.stderr
    return host


@pytest.mark.parametrize(
    "releases",
    [[], pytest.param(["2026.3.13"], marks=pytest.mark.oldhosts)],
    ids=["newest gateways", "an old one too"],
)
def test_each_gets_its_own_notes_and_none_anothers(tmp_path, memories, releases):
    newest = installation(NEWEST)
    with ModelServer() as model, ExitStack() as running:
        first = Host(newest, tmp_path / "first", model, agents=("main", "cook"))
        second = Host(newest, tmp_path / "second", model, profile="work")
        old = [Host(installation(release), tmp_path / "old", model, profile="old") for release in releases]
        for host in (first, second, *old):
            host.memories = memories / "home"
        started(first, "main", "cook")
        (first.workspaces["main"] / "memory/shared.md").write_text(f"---\nshared: true\n---\n# Release\n\n{SHARED}\n")
        for host, ids in (
            (first, ("main", "cook")),
            (second, ("main@work",)),
            *((host, ("main@old",)) for host in old),
        ):
            if host is not first:
                started(host, *ids)
            running.enter_context(host)
        for host, store in ((first, "main"), (first, "cook"), (second, "main@work")):
            wait_until(
                lambda host=host, store=store: f"hookclaw: {store}: " in host.log.read_text(), f"{store} is read", 240
            )
        for host in old:
            wait_until(
                lambda host=host: (
                    host.turn("hello, this has the notes read in", user="w", timeout=_TURN)
                    and "main@old: 1 files" in host.log.read_text()
                ),
                "the old gateway's main is read",
                240,
            )
        claude = Claude(memories)
        write(claude.project, WORDS["project"])
        claude.hook("SessionStart", source="startup")
        running.callback(leave, claude)
        claude.wait_until_indexed()

        for again in range(2):
            for host, agent, store in (
                (first, "main", "main"),
                (second, "main", "main@work"),
                (first, "cook", "cook"),
                *((host, "main", "main@old") for host in old),
            ):
                host.turn(f"{QUESTION} ({again} {store})", agent=agent, user=f"user-{again}", timeout=_TURN)
                assert words_in(json.dumps(model.turns[-1].body)) == {WORDS[store]}, store
            told: list[str] = []
            wait_until(
                lambda told=told: told.append(claude.prompt(QUESTION, f"s-{len(told)}")) or told[-1], "Claude Code"
            )
            assert words_in(told[-1]) == {WORDS["project"]}

        first.turn(f"{QUESTION} (group)", session="agent:main:discord:group:123", timeout=_TURN)
        heard = json.dumps(model.turns[-1].body)
        assert (words_in(heard), "rhymes with nothing" in heard) == (set(), True), "a group hears what is shared"

        known = first.hookclaw("status", "--agent", "typo").stderr
        for store, word in WORDS.items():
            if store == "project" or (store == "main@old" and not old):
                continue
            assert store in known
            told = json.loads(first.hookclaw("history", "--agent", store, "--json").stdout)
            assert words_in(json.dumps(told)) <= {word}
