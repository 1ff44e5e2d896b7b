"""Every row of what growing memory is specified by is tested by name, or said to be left out and why."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROWS = {*(f"M{n}" for n in range(1, 51)), *(f"C{n}" for n in (*range(1, 16), 18, 19))}
ROW = re.compile(r"\b[MC]\d{1,2}\b")
README = ROOT / "hookclaw_py/distil/README.md"
LEFT_OUT = dict(re.findall(r"^\| ([MC]\d+) \| (.+) \|$", README.read_text(encoding="utf-8"), re.MULTILINE))


def named() -> set[str]:
    """Return the rows that the docstrings of tests, or of their modules, name."""
    files = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "hookclaw_py/testing").glob("*.py")]
    found: set[str] = set()
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        told = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))]
        found.update(row for node in told for row in ROW.findall(ast.get_docstring(node) or "") if row in ROWS)
    return found


def test_every_row_is_tested_by_name_or_left_out_for_a_reason():
    assert sorted(ROWS - named() - LEFT_OUT.keys()) == []


def test_what_is_left_out_is_a_row_and_says_why():
    assert LEFT_OUT.keys() <= ROWS
    assert all(len(why.split()) >= 5 for why in LEFT_OUT.values())
