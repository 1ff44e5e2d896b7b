"""Expected numbers with a tolerance: a change that loses quality is caught where it is made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from hookclaw_py.evaluation.results import Result
from hookclaw_py.evaluation.sets import SetError

NUMBERS = (
    "ranking.chunk.overall.R@5",
    "ranking.chunk.overall.nDCG@10",
    "ranking.chunk.legs.bm25.R@5",
    "ranking.chunk.legs.vector.R@5",
    "silence.home.fired",
    "silence.against.cross-pair.fired",
    "silence.against.unanswerable.fired",
    "silence.against.cross-pair.whole_engine.area",
    "carry.whole",
    "carry.precision",
    "vault.rates.all with an answer.right",
    "vault.rates.all with an answer.wrong",
    "vault.rates.all without an answer.wrong",
)
LOWER_IS_BETTER = frozenset(
    {
        "silence.against.cross-pair.fired",
        "silence.against.unanswerable.fired",
        "vault.rates.all with an answer.wrong",
        "vault.rates.all without an answer.wrong",
        "gating.by_label.needs_memory.skipped",
        "gating.by_label.implicit.skipped",
    }
)
_FALSE_TIME = ".false"  # how the number of times ends that are read where there is none


def missed(result: Result, file: Path) -> list[str]:
    """Return a sentence for each number of ``file`` that ``result`` does not reach.

    The file has ``set``, ``digest`` and ``numbers``: by dotted name ``{"value": x, "tolerance": y}``. A number that is
    better than expected by more than its tolerance is a miss too: the file is then out of date.

    Raises:
        SetError: if the file cannot be read, expects nothing, or was made for other data.
    """
    try:
        expected: dict[str, Any] = orjson.loads(file.read_bytes())
        numbers: dict[str, dict[str, float]] = expected["numbers"]
        digest = expected["digest"]
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise SetError(f"{file}: is no file of expected numbers: {error!r}") from error
    if digest != result["set"]["digest"]:
        raise SetError(f"{file}: was made for another version of the data ({digest}, here {result['set']['digest']})")
    if not numbers:
        raise SetError(f"{file}: expects no number, so nothing would be missed")
    problems = []
    for name, goal in numbers.items():
        found = value_at(result, name)
        if found is None:
            problems.append(f"{name}: expected {goal['value']:.3f}, and the result has no such number")
        elif abs(found - goal["value"]) > goal["tolerance"]:
            worse = (found < goal["value"]) != (name in LOWER_IS_BETTER or name.endswith(_FALSE_TIME))
            word = "worse" if worse else "better; write the file anew if that is meant"
            problems.append(f"{name}: expected {goal['value']:.3f} ± {goal['tolerance']:g}, found {found:.3f}: {word}")
    return problems


def expectation(result: Result, *, tolerance: float) -> dict[str, Any]:
    """Return the content of a file of expected numbers, from a result that one believes in.

    Raises:
        SetError: if it has none that can be expected.
    """
    values = {name: value_at(result, name) for name in (*NUMBERS, *_numbers_of_tables(result))}
    if all(value is None for value in values.values()):
        raise SetError(f"{result['set']['name']}: the result has no number that can be expected")
    return {
        "set": result["set"]["name"],
        "digest": result["set"]["digest"],
        "config": result["config"],
        "version": result["version"],
        "model": result["model"],
        "numbers": {
            name: {"value": round(value, 4), "tolerance": tolerance}
            for name, value in values.items()
            if value is not None
        },
    }


def _numbers_of_tables(result: Result) -> Iterator[str]:
    """Yield the names of what is told of each label of a gating set, and of each source of a temporal one."""
    for row in result.get("gating", {}).get("by_label", ()):
        yield f"gating.by_label.{row['label']}.skipped"
    for row in result.get("temporal", {}).get("by_source", ()):
        for key in ("found", "overlap", "start", "false"):
            yield f"temporal.by_source.{row['source']}.{key}"


def value_at(result: Result, name: str) -> float | None:
    """Return the number at a dotted name, None where there is none; the row of a table is called by what stands first in it."""
    here: Any = result
    parts = name.split(".")
    while parts:
        if isinstance(here, list):
            here = {str(next(iter(row.values()), "")): row for row in here if isinstance(row, dict)}
        if not isinstance(here, dict):
            return None
        key = next((".".join(parts[:n]) for n in range(1, len(parts) + 1) if ".".join(parts[:n]) in here), None)
        if key is None:
            return None
        here, parts = here[key], parts[key.count(".") + 1 :]
    return float(here) if isinstance(here, int | float) else None
