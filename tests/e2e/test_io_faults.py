"""A sample of the faults that ``eval/studies/reliability.py`` counts: whichever call on a file fails, it is said, and nothing is lost."""

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
    command = [sys.executable, "eval/studies/reliability.py", "--faults", "80", "--kills", "0", "--operations", "200"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1100, check=False)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()]
    (whole,) = [list(map(int, row[1:])) for row in rows if row[0] == "faults in all"]
    assert whole[0] == 80
    assert whole[-1] == 0
    assert min(whole[1:-1]) > 0, "some were killed, some were refused, some went on"
    assert [row[1] for row in rows if row[0].startswith("operations")] == ["200"]
