"""Cells: where those of a row of a Markdown table stand, each in its place, however many are empty."""

from __future__ import annotations

from hookclaw_py.regex import regex

_BAR = regex(r"(?<!\\)\|")
_QUOTED = " \t>"


def cells_of(row: str) -> list[tuple[int, int]]:
    """Return the characters of each cell of a row."""
    bars = list(_BAR.finditer(row))
    spans = list(zip([0, *(bar.end() for bar in bars)], [*(bar.start() for bar in bars), len(row)], strict=True))
    before, behind = row[: spans[0][1]], row[spans[-1][0] :]
    first = 1 if bars and not before.strip(_QUOTED) else 0
    return spans[first:] if behind.strip() else spans[first:-1]


def names_of(row: str, rule: str) -> list[tuple[int, int]]:
    """Return the characters of each name of a column above a rule; something else may stand before the first, as a bullet in Logseq."""
    names, has_bar = cells_of(row), [line.lstrip(_QUOTED).startswith("|") for line in (row, rule)]
    return names[1:] if has_bar == [False, True] and len(names) == 1 + len(cells_of(rule)) else names
