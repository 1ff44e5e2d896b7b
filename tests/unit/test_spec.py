"""Every row of the specifications is named by a test: of the original's, kept or mended, and of what growing memory is, unless it is left out for a reason."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = {*(f"M{n}" for n in range(1, 51)), *(f"C{n}" for n in (*range(1, 16), 18, 19))}
README = ROOT / "hookclaw_py/distil/README.md"
LEFT_OUT = dict(re.findall(r"^\| ([MC]\d+) \| (.+) \|$", README.read_text(encoding="utf-8"), re.MULTILINE))
KEPT = [
    "configuration keys", "configuration ranges", "presets", "decay", "BM25", "RRF", "Jaccard", "MMR", "utility", "yesterday, today",
    "the block, XML", "the block, Markdown", "log lines", "the metrics line",
]  # fmt: skip
MENDED = {
    1: "one scale: decay cannot outweigh the fusion",
    2: "keywords add chunks of their own",
    3: "entities and periods change the ranking",
    4: "a day note covers its whole day",
    5: "identical chunks are injected once",
    6: "a degraded recall is never cached",
    7: "the cache is not shared between agents, sessions, configurations and index generations",
    8: "differing numbers, identifiers, dates, entities or negation are another prompt",
    9: "Unicode tokens; two empty sets are not equal",
    10: "skip patterns do not eat questions",
    11: "the feedback loop is connected",
    12: "citation counts telling words only",
    13: "the budget counts the escaped text",
    14: "memory text cannot break out of the block",
    15: "a failed search degrades to keywords and recovers",
    16: "channel envelopes are stripped",
    17: "one set of defaults",
    18: "nothing runs on after the timeout",
}


@cache
def stories() -> str:
    """Return the docstrings of all tests and test modules."""
    found = []
    for path in (*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "hookclaw_py/testing").glob("*.py")):
        if path != Path(__file__):
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            found += [
                ast.get_docstring(n) or "" for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef | ast.Module)
            ]
    return "\n".join(found) + "\n"


@pytest.mark.parametrize("row", KEPT)
def test_a_kept_row_has_a_test(row):
    assert f"keep: {row}".lower() in stories().lower()


@pytest.mark.parametrize("number", MENDED)
def test_a_mended_defect_has_a_regression_test(number):
    assert any(f"mend {number}{end}" in stories().lower() for end in (":", ".", ",", ";", " ", "\n", ")")), MENDED[
        number
    ]


def test_every_row_of_growing_memory_is_tested_by_name_or_left_out_for_a_reason():
    assert sorted(ROWS - {*re.findall(r"\b[MC]\d{1,2}\b", stories())} - LEFT_OUT.keys()) == []


def test_what_is_left_out_is_a_row_and_says_why():
    assert LEFT_OUT.keys() <= ROWS
    assert all(len(why.split()) >= 5 for why in LEFT_OUT.values())
