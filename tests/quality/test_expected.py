"""The committed sets still give the numbers that were written down for them, within their tolerance."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from hookclaw_py.cli.eval_commands import eval_group

EVAL = Path(__file__).parents[2] / "eval"


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted((EVAL / "expected").glob("*.json")), ids=lambda file: file.stem)
def test_the_engine_is_as_good_as_was_written_down(file: Path) -> None:
    expected = orjson.loads(file.read_bytes())
    values = [
        part for key, value in expected["config"].items() for part in ("--set", f"{key}={orjson.dumps(value).decode()}")
    ]
    result = CliRunner().invoke(
        eval_group, ["run", str(EVAL / "data" / expected["set"]), *values, "--expect", str(file)]
    )
    assert result.exit_code == 0, result.output
