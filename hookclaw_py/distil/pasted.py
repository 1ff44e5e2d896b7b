"""What of a prompt a machine wrote: lines of logs, stack traces and compilers, as people paste them below what they say.

Such a line states nothing that holds and asks for nothing. It is known by its shape, and what is indented below it belongs to it.
"""

from __future__ import annotations

from hookclaw_py.distil.telling import surely_wrong
from hookclaw_py.regex import regex

_MACHINES = regex(
    r"""(?x) \s* (?: \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d | \[?\d\d:\d\d:\d\d[.,\]] | \[?(?:ERROR|WARN|INFO|DEBUG|TRACE|FATAL)\]?\s
      | at\ [\w$.]+(?:\.<?\w+>?)?\( | File\ ".+",\ line\ \d | Traceback\ \( | [\w./\\-]+\.[a-z]\w*:\ ?\d+(?::\d+)*:\s | ---\ [A-Z]{4}:
      | .*[\s(]\w+=\S+\s+\w+=\S+ )"""
)
_INDENTED = regex(r"(?:\t| {2})\s*(?![-*+•]\s|\d+[.)]\s)\S")


def without_pasted(prompt: str) -> str:
    """Return a prompt without the lines that a machine wrote; one of a single line is a person's."""
    lines = prompt.split("\n")
    kept, inside = list[str](), False
    for number, line in enumerate(lines):
        inside = len(lines) > 1 and (
            bool(_MACHINES.match(line) or (number and surely_wrong(line))) or (inside and bool(_INDENTED.match(line)))
        )
        if not inside:
            kept.append(line)
    return "\n".join(kept)
