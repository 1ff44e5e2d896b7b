"""Cells: where those of a row of a Markdown table stand, each in its place, however many are empty."""

from __future__ import annotations

from hookclaw_py.regex import regex

_BAR = regex(r"(?<!\\)\|")
_QUOTED = " \t>"
_FIRST = f"{_QUOTED}-*+"  # of a list, as all is in Logseq: "- | site | logger |"


def cells_of(row: str, *, names: bool = False) -> list[tuple[int, int]]:
    """Return the characters of each cell of a row, or of the ``names`` of its columns; a quotation, or a list, may stand before these."""
    bars = list(_BAR.finditer(row))
    spans = list(zip([0, *(bar.end() for bar in bars)], [*(bar.start() for bar in bars), len(row)], strict=True))
    before, behind = row[: spans[0][1]], row[spans[-1][0] :]
    first = 1 if bars and not before.strip(_FIRST if names else _QUOTED) else 0
    return spans[first:] if behind.strip() else spans[first:-1]
