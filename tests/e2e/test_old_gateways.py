"""The same plugin in old OpenClaw releases: one injection a turn, in a gateway and without one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import hookclaw_py
from tests.e2e.gateway.host import Host
from tests.e2e.gateway.installation import installation
from tests.e2e.gateway.model_server import ModelServer
from tests.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.oldhosts]

DEMO = Path(hookclaw_py.__file__).parent / "demo"
LOGGING = "what did we decide about the logging format?"
FIX = "The build fails with NETSDK1005 again, what was the fix?"


@pytest.fixture(scope="module", params=["2026.2.9", "2026.3.13", "2026.7.1"])
def host(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with ModelServer() as model:
        host = Host(installation(request.param), tmp_path_factory.mktemp("old") / "host", model)
        shutil.copytree(DEMO / "memory", host.workspaces["main"] / "memory")
        shutil.copy(DEMO / "MEMORY.md", host.workspaces["main"])
        done = host.hookclaw("openclaw", "install")
        assert done.returncode == 0, done.stdout + done.stderr
        yield host


def turn(host: Host, words: str, user: str) -> list[str]:
    """Run a turn and return what the model got as the user's words, those of earlier turns first."""
    host.turn(words, user=user)
    return host.model.turns[-1].users


def count(texts: list[str]) -> int:
    return sum(text.count("<relevant_memories>") for text in texts)


def test_there_is_one_injection_a_turn_and_none_for_what_is_unrelated(host):
    with host:
        wait_until(
            lambda: host.turn("hello, this has the notes read in", user="w") and "16 chunks" in host.log.read_text(),
            "the workspace is indexed",
        )
        first = turn(host, LOGGING, "u")
        assert count(first[-1:]) == 1, host.record
        assert "serilog" in first[-1]
        second = turn(host, FIX, "u")
        assert count(second[-1:]) == 1, host.record
        assert "restore --force-evaluate" in second[-1]
        kept = count(second[:-1])
        assert kept == (1 if host.version < (2026, 4, 0) else 0), "old hosts keep what was injected"
        unrelated = turn(host, "explain how a hash map resolves collisions, with an example", "u")
        assert count(unrelated[-1:]) == 0
        again = turn(host, LOGGING, "u")
        assert sum(text.count("written with serilog") for text in again) == 1, "what is still there is not sent again"
        assert host.stop()


def test_a_turn_without_a_gateway_has_memories_too(host):
    done = host.command("agent", "--local", "--agent", "main", "--message", LOGGING)
    assert done.returncode == 0, done.stdout + done.stderr
    assert count(host.model.turns[-1].users[-1:]) == 1, host.record


def test_the_doctor_is_content_and_the_uninstaller_restores_every_byte(host):
    told = json.loads(host.hookclaw("doctor", "--json").stdout)
    wrong = [check for check in told["checks"] if check["verdict"] == "problem"]
    assert not [check for check in wrong if check["name"] not in ("time", "turns")], wrong  # a busy machine is slow
    assert host.command("plugins", "doctor").returncode == 0
    assert host.hookclaw("openclaw", "uninstall").returncode == 0
    assert host.config.read_bytes() == host.original
