"""Among agents of two homes, owners and groups nobody hears what is not theirs: a short run of the study."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[2] / "eval/studies/isolation.py"


@pytest.mark.slow
def test_nobody_hears_what_is_not_theirs_whatever_is_done_in_whatever_order():
    command = [sys.executable, STUDY, "300", "--seed", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    heard = re.search(r"(\d+) words heard by owners, (\d+) by others, 0 leaks", done.stdout)
    assert heard, done.stdout
    assert min(map(int, heard.groups())) > 50, "what may be heard is heard"
