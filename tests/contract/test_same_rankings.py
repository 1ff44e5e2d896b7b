"""`hookclaw eval run` tells the same of a store on PostgreSQL as of one in memory: every score, every block, to the last digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from hookclaw_py.cli.eval_commands import eval_group
from hookclaw_py.store import upkeep
from hookclaw_py.store.placing import Elsewhere

DATA = Path(__file__).parents[2] / "eval/data"
OF_THE_MACHINE = {"cost", "config", "fingerprint", "ms", "timings"}
"""What is not about answers: the times, and where the memory was."""


def answers(told: Any) -> Any:
    """Return what was told, without what differs from run to run."""
    if isinstance(told, dict):
        return {name: answers(value) for name, value in told.items() if name not in OF_THE_MACHINE}
    return [answers(one) for one in told] if isinstance(told, list) else told


def run(out: Path, *arguments: str) -> dict[str, Any]:
    """Return all that a run tells: its result, what each prompt came to, and the ranking with every score as it is written."""
    out.mkdir()
    files = ("--json", f"{out}/result", "--injections-out", f"{out}/injections", "--run-out", f"{out}/rankings")
    result = CliRunner().invoke(eval_group, ["run", str(DATA / "notebooks"), *files, *arguments])
    assert result.exit_code == 0, result.output
    lines = [answers(orjson.loads(line)) for line in (out / "injections").read_bytes().splitlines()]
    told = answers(orjson.loads((out / "result").read_bytes()))
    return {"result": told, "injections": lines, "rankings": (out / "rankings").read_text().splitlines()}


def assert_both_tell_the_same(uri: str, tmp_path: Path, *arguments: str) -> None:
    here = run(tmp_path / "here", *arguments)
    there = run(tmp_path / "there", *arguments, "--set", f"store.url={uri}")
    assert len(here["rankings"]) > 4 * len(here["injections"]) > 0
    for what, told in here.items():
        assert told == there[what], what


def test_a_few_prompts_are_answered_alike_by_both_databases_and_nothing_of_it_stays_there(uri, tmp_path):
    assert_both_tell_the_same(uri, tmp_path, "--limit", "12", "--set", "enableVector=false")
    assert not upkeep.held(Elsewhere(uri), all_spaces=True)


@pytest.mark.slow
def test_keywords_vectors_and_reader_rank_alike_on_both_databases_to_the_last_digit(uri, tmp_path):
    assert_both_tell_the_same(uri, tmp_path, "--limit", "60")
