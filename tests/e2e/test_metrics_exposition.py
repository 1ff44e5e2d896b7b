"""What ``hookclaw metrics --prometheus`` prints, read by programs that are not ours: promtool, and a parser from npm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hookclaw_py import Config, Engine
from hookclaw_py.cli.demonstration import SOURCE
from hookclaw_py.config import home
from hookclaw_py.store.agents import agent_folder

pytestmark = pytest.mark.slow

PARSER = "parse-prometheus-text-format@1.1.1"
PROMPTS = (
    "What did we decide about the logging format?",
    "The build fails with NETSDK1005 again, what was the fix?",
    "what did we decide about the logging format, please?",
    "Who painted the harbours of Rotterdam, Genoa, Marseille and Lisbon?",
    "ok",
)


@pytest.fixture
def exposition():
    with Engine.open(Config(), folder=agent_folder(home(), "main"), strict=True) as engine:
        engine.index(SOURCE)
        for prompt in PROMPTS:
            engine.recall(prompt, session="s")
        engine.agent_end("s", "It is one JSON object a line, and the fix was to delete project.assets.json.")
    command = [sys.executable, "-m", "hookclaw_py", "metrics", "--prometheus"]
    return subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ}).stdout


def test_promtool_has_nothing_to_say(exposition, tmp_path):
    result = subprocess.run([promtool(tmp_path), "check", "metrics"], input=exposition, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    bad = exposition.replace("hookclaw_prompts_total", "hookclaw_prompts")
    assert subprocess.run(
        [promtool(tmp_path), "check", "metrics"], input=bad, capture_output=True, text=True
    ).returncode


def promtool(folder: Path) -> str:
    """Return the program: the machine's own, or the one in Debian's package."""
    found = shutil.which("promtool") or shutil.which("promtool", path=str(folder / "usr" / "bin"))
    if found:
        return found
    for command in (["apt-get", "download", "prometheus"], ["sh", "-c", "dpkg -x prometheus_*.deb ."]):
        if shutil.which(command[0]) is None or subprocess.run(command, cwd=folder, capture_output=True).returncode:
            pytest.skip("there is no promtool, and Debian's package prometheus cannot be had here")
    return str(folder / "usr" / "bin" / "promtool")


def test_a_parser_in_another_language_reads_the_same_prompts(exposition, tmp_path):
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", PARSER], cwd=tmp_path, check=True)
    script = (
        "const parse = require('parse-prometheus-text-format');"
        "console.log(JSON.stringify((parse.default || parse)(require('fs').readFileSync(0, 'utf8'))))"
    )
    result = subprocess.run(
        ["node", "-e", script], cwd=tmp_path, input=exposition, capture_output=True, text=True, check=True
    )
    families = {family["name"]: family for family in json.loads(result.stdout)}
    prompts = families["hookclaw_prompts_total"]
    assert prompts["type"] == "COUNTER"
    assert sum(float(one["value"]) for one in prompts["metrics"]) == len(PROMPTS)
    assert families["hookclaw_recall_duration_seconds"]["type"] == "HISTOGRAM"  # it cannot tell labelled ones apart
    assert [
        one["labels"]["state"] for one in families["hookclaw_circuit_state"]["metrics"] if one["value"] == "1.0"
    ] == ["closed"]
