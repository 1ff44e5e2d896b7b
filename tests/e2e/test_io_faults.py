"""A sample of the faults of ``tests.e2e.io_faults``: whichever call on a file fails, it is said, and nothing is lost."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not shutil.which("cc"), reason="needs Linux and a C compiler"
)
def test_whichever_call_on_a_file_fails_it_is_said_and_nothing_is_lost():
    command = [sys.executable, "-m", "tests.e2e.io_faults", "80"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1100, check=False)
    assert done.returncode == 0, done.stderr
    assert "80 faults" in done.stdout
    ends = {line.rpartition(": ")[2] for line in done.stdout.splitlines() if ": " in line}
    assert ends == {"killed", "said why not", "done"}
