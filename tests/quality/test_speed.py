"""How fast a prompt is answered, as a ratio to what else one would take, both asked in one go; never in seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_of_ten_thousand_passages_a_whole_prompt_takes_less_than_a_plain_search_and_finds_better() -> None:
    command = [sys.executable, "eval/studies/benchmark.py", "--sizes", "10000", "--prompts", "60", "--beside", "naive"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=880, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    ours, naive = (next(row for row in rows if row[0].startswith(name)) for name in ("ours", "naive"))
    print(done.stdout)
    assert float(naive[1].split()[0]) < float(ours[1].split()[0]), done.stdout
    assert float(naive[-1]) > 1, done.stdout
