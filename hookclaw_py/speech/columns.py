"""Columns: a row of a Markdown table says little without the names that stand above it; here it is told with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hookclaw_py.cells import cells_of, names_of
from hookclaw_py.regex import regex
from hookclaw_py.speech.news import LINES

_RULE = regex(r"[ \t>]*+(?=[^\n]*\|)\|?(?:[ \t]*+:?-++:?[ \t]*+(?:\||$))++")
"""What stands between the names of the columns and the rows: "| --- | :-: |"."""


class TableRow(NamedTuple):
    """A line of a table, the characters ``[start, end)`` of a text; ``told`` with the names of its columns, "" of those themselves."""

    start: int
    end: int
    told: str


def rows(text: str) -> Iterator[TableRow]:
    """Yield the lines of each table of a text, in its order."""
    if "|" not in text or "-" not in text:
        return
    lines, start = list[tuple[int, str]](), 0
    for line in text.split("\n"):
        lines.append((start, line))
        start += len(line) + 1
    columns: Sequence[str] = ()
    for (start, line), (_, following) in zip(lines, [*lines[1:], (0, "")], strict=True):
        if columns and "|" not in line:
            columns = ()
        if not columns and "|" in line and _RULE.fullmatch(following):
            columns = _said(line, names_of(line, following))
            yield TableRow(start, start + len(line), "")
        elif columns:
            told = "" if _RULE.fullmatch(line) else _told(columns, _said(line, cells_of(line)))
            yield TableRow(start, start + len(line), told)


def lines_of(text: str) -> Iterator[str]:
    """Yield the lines of a text, parted where a sentence ends; a row of a table is one, and the names of its columns are told with it alone."""
    end = 0
    for row in rows(text):
        yield from LINES.split(text[end : row.start])
        yield row.told
        end = row.end + 1
    yield from LINES.split(text[end:])


def _told(columns: Sequence[str], cells: Sequence[str]) -> str:
    named = [*columns, *[""] * len(cells)]
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in zip(named, cells, strict=False) if cell)


def _said(line: str, cells: Sequence[tuple[int, int]]) -> list[str]:
    return [line[start:end].strip() for start, end in cells]
