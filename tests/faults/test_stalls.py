"""Every read, write, lock and look-up of the store may stall, and the embedder: an answer keeps its deadline all the same."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[2] / "eval/studies/deadline.py"
RECALLS = 300
TRIES = 2
"""Who is late of himself is so again; who a busy machine made late is not."""


@pytest.mark.slow
@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not shutil.which("cc"), reason="needs Linux and a C compiler"
)
def test_no_answer_is_late_while_everything_stalls_and_each_late_part_is_named():
    command = [sys.executable, STUDY, "--recalls", str(RECALLS), "--timeout", "150"]
    for _ in range(TRIES):
        done = subprocess.run(command, capture_output=True, text=True, timeout=140, check=False)
        assert done.stdout, done.stderr
        found = json.loads(done.stdout)
        assert found["recalls"] == RECALLS
        assert found["unnamed"] == 0, found
        assert sum(found["stalls"].values()) > RECALLS / 20, "nothing was tried"
        assert found["atTheDeadline"] + found["outcomes"]["failed"] > 0, "no stall was long enough"
        if not found["laterThan20ByUs"]:
            return
    pytest.fail(f"late twice: {found}")
