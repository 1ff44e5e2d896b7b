"""The examples do what they say: every command of their page runs, and shows what it is there for."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "eval/examples"
SHOWN = {
    "hookclaw eval run eval/examples/own_set": ["own_set: 5 prompts, 6 documents", "at home, answer in the store"],
    "python eval/examples/own_stage.py": [
        "ours: 2025-06-02.md:3-3",
        "and one more: 2026-02-11.md:3-3",
    ],
    "python eval/examples/own_agent.py": [
        "I remember: The servers are at Hetzner and cost 2,150 euros a month.",
        "silent: top relevance",
        "I remember: User: We decided to move the tenant Brightmoor to NATS.",
    ],
}


def commands() -> list[str]:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    return [line for block in re.findall(r"```bash\n(.*?)```", page, re.DOTALL) for line in block.splitlines()]


@pytest.mark.parametrize("command", commands())
def test_an_example_runs_as_its_page_says(command: str, tmp_path: Path):
    pytest.importorskip("ir_measures", reason="part of the extra `eval`")
    words = [sys.executable, *shlex.split(command)[1:]]
    if command.startswith("hookclaw"):
        words[1:1] = ["-m", "hookclaw_py"]
    env = os.environ | {"HOOKCLAW_HOME": str(tmp_path), "COLUMNS": "200"}
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for told in SHOWN[command]:
        assert told in done.stdout


def test_every_example_is_on_the_page():
    told = " ".join(commands())
    for example in EXAMPLES.iterdir():
        assert example.name == "README.md" or f"eval/examples/{example.name}" in told, example.name
