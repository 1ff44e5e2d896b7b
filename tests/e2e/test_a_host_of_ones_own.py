"""A host that hookclaw_py has never heard of: one folder of its own, and nothing in the package knows it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.e2e.claude import Claude, leave
from tests.e2e.sidecar import ASKED, workspace
from tests.waiting import delete

HOOK = Path(__file__).parents[1] / "assets/toy_host/hook.py"


@pytest.fixture
def resident() -> Iterator[Claude]:
    """A home of its own, whose resident process ends with the test."""
    folder = Path(tempfile.mkdtemp(prefix="hc-", dir="/tmp"))  # short enough for a socket
    found = Claude(folder)
    workspace(found.project)
    yield found
    leave(found)
    delete(folder)


def test_a_host_of_ones_own_gets_its_memories_for_what_it_wrapped(resident):
    def told(prompt: str) -> str:
        command = [sys.executable, "-P", str(HOOK), str(resident.project)]
        wrapped = f"<<toy turn 7 of the lantern project>>\n{prompt}"
        done = subprocess.run(command, input=wrapped, capture_output=True, text=True, env=resident.env, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    until = monotonic() + 120
    while not (block := told(ASKED)):  # it starts the resident process, which reads the notes behind the first answers
        assert monotonic() < until, resident.log()
        sleep(0.2)
    assert block.startswith("<relevant_memories>")
    assert "one JSON object a line" in block
    assert told("thanks!") == "", "what the host wraps around it is not searched for"
