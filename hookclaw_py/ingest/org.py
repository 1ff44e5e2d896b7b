"""Org as Markdown, line by line: its headings, title, code and tables; comments, settings and properties are left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hookclaw_py.regex import regex

_HEADING = regex(r"(\*+)[ \t]+")
_TITLE = regex(r"#\+title:[ \t]*", re.IGNORECASE)
_NO_TEXT = regex(r"[ \t]*(?:#(?:[ \t]|$)|#\+[\w-]+(?:\[[^\]\n]*\])?:|#\+(?:begin|end)_\w)", re.IGNORECASE)
"""A comment, a setting, the mark of a block that is no code: "# later", "#+filetags: :home:", "#+end_quote"."""
_RULE = regex(r"[ \t]*\|-[-+]*\|?[ \t]*")
"""What stands between the rows of a table: "|----+----|"."""
_MARK = regex(
    r"(?P<indent>[ \t]*)(?:#\+(?P<at>begin|end)_(?P<block>src|example|comment)\b[ \t]*(?P<language>[\w+-]*).*|:(?P<drawer>[\w-]+):[ \t]*$)",
    re.IGNORECASE,
)


def from_org(text: str) -> str:
    """Return an Org file as Markdown, each line where it was. Of a drawer whose name is not PROPERTIES the text stays."""
    lines, kept, at = text.split("\n"), list[str](), 0
    ends = _ends(lines) if "#+" in text or ":" in text else {}
    while at < len(lines):
        end = ends.get(at)
        kept += [_plain(lines[at])] if end is None else _closed(lines[at : end + 1])
        at = len(kept)
    return "\n".join(kept)


def _plain(line: str) -> str:
    if heading := _HEADING.match(line):
        return "#" * min(len(heading[1]), 6) + " " + line[heading.end() :]
    if title := _TITLE.match(line):
        return f"# {line[title.end() :]}"
    if _RULE.fullmatch(line):
        return line.replace("+", "|")
    return "" if _NO_TEXT.match(line) else line


def _closed(lines: Sequence[str]) -> list[str]:
    """Return what stands from the mark that opens a block or a drawer to the one that closes it."""
    opening, inner = _MARK.match(lines[0]), lines[1:-1]
    assert opening
    if opening["block"] and opening["block"].lower() != "comment":
        return [f"{opening['indent']}```{opening['language']}", *inner, f"{opening['indent']}```"]
    is_text = opening["drawer"] and opening["drawer"].lower() != "properties"
    return ["", *(_plain(line) if is_text else "" for line in inner), ""]


def _ends(lines: Sequence[str]) -> dict[int, int]:
    """Return in which line ends what opens in a line; a mark that nothing closes is left out. No heading stands in a drawer."""
    ends, below = dict[int, int](), dict[str, int]()
    for number in range(len(lines) - 1, -1, -1):
        mark = _MARK.match(lines[number])
        if mark is None:
            if _HEADING.match(lines[number]):
                below.pop("end", None)
            continue
        kind = (mark["block"] or "end").lower()
        if (mark["at"] or mark["drawer"]).lower() == "end":
            below[kind] = number
        elif kind in below:
            ends[number] = below.pop(kind)
    return ends
