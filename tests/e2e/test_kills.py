"""A sample of the kills of ``tests.e2e.kills``: at each system call, everything is whole and answers at the next start."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e import kills


def may_trace() -> bool:
    strace = shutil.which("strace")
    return (
        bool(strace)
        and subprocess.run([strace, "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0
    )


@pytest.mark.slow
@pytest.mark.skipif(not may_trace(), reason="needs strace (apt install strace) and the right to trace a process")
def test_killed_at_a_system_call_nothing_is_lost_and_the_next_start_answers(tmp_path: Path):
    killed = kills.study(30, tmp_path)
    assert killed.total() >= 30
    assert {what.partition(" ")[0] for what in killed} == set(kills.VERBS)
