"""Rendering: the block that the agent sees, within its budget; memory text is data and cannot break out of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from hookclaw_py.model.types import Candidate, Chunk, Effect, Step
from hookclaw_py.privacy.defused import defused
from hookclaw_py.privacy.plain import plain
from hookclaw_py.regex import regex

ELLIPSIS = "…"
_BARE_DATE = regex(r"[\d\W]*")
_DIGITS = regex(r"\d+")


class Block(NamedTuple):
    """A rendered block, the candidates whose text is in it, the lines behind them, and the candidates that did not fit."""

    text: str
    included: tuple[Candidate, ...]
    lines: tuple[Candidate, ...]
    left_out: tuple[Candidate, ...]

    def in_lines(self, candidate: Candidate) -> Candidate:
        """Return a candidate that is not told whole; where a line of it is, its history says so before it says why."""
        told = next((line.history for line in self.lines if line.chunk.id == candidate.chunk.id), ())
        steps = [step for step in told if step.effect is Effect.LINE]
        return candidate._replace(history=(*candidate.history[:-1], *steps, *candidate.history[-1:]))


NO_BLOCK = Block("", (), (), ())


class Template(NamedTuple):
    """How a block is written: its first and last line; between them an entry for each candidate, and a line of others (both cleaned)."""

    head: str
    entry: Callable[[Candidate, str], str]
    line: Callable[[Candidate, str], str]
    tail: str


def render(candidates: Sequence[Candidate], lines: Sequence[Candidate] = (), *, template: str, max_chars: int) -> Block:
    """Write the block for ``candidates``, best first, in at most ``max_chars`` characters, wrapper and escapes included.

    Single ``lines`` of others stand behind them while there is room.

    One that does not fit is left out and the next, smaller one tried; when not even the first fits, it is cut at the
    end of a line or sentence. ``text`` is "" when there is nothing to say.
    """
    head, entry, line, tail = TEMPLATES[template]
    room = max_chars - len(head) - len(tail) - 2
    entries: list[str] = []
    included: list[Candidate] = []
    left_out: list[Candidate] = []
    for candidate in candidates:
        written = entry(candidate, _shown(candidate.chunk))
        if len(written) > room and not included and candidate is candidates[0]:
            written = _cut(entry, candidate, room)
        if written and len(written) <= room:
            entries.append(written)
            included.append(candidate)
            room -= len(written) + 1
        else:
            step = Step("render", candidate.relevance, "did not fit the budget", Effect.OVER_BUDGET)
            left_out.append(candidate.noted(step))
    behind: list[Candidate] = []
    for candidate in lines if entries else ():
        written = line(candidate, " ".join(_shown(candidate.chunk, " ").split()))
        if len(written) < room:
            entries.append(written)
            behind.append(candidate)
            room -= len(written) + 1
    text = "\n".join([head, *entries, tail]) if entries else ""
    return Block(text, tuple(included), tuple(behind), tuple(left_out))


def clean(text: str) -> str:
    r"""Return ``text`` without control, ANSI, bidirectional and invisible characters; newlines are ``\n``."""
    return plain(text).strip("\n")


def _shown(chunk: Chunk, below: str = "\n") -> str:
    """Return the chunk's text ``below`` its heading path, without which "Version 16." means nothing.

    What the path or the text's first line says of it is not said again: a note without a name is called what it begins with.
    """
    text, path = clean(chunk.text), chunk.place.path
    first = text.partition("\n")[0].strip().rstrip(": ")
    parts = [part for part in clean(chunk.heading).split(" > ") if part != first and not _said_by(path, part)]
    return f"[{' / '.join(parts)}]{below}{text}" if any(parts) else text


def _said_by(path: str, heading: str) -> bool:
    """Say whether a heading is a bare date ("2026-02-24", "24.2.") and the path holds it, or no more than a number."""
    if not _BARE_DATE.fullmatch(heading):
        return False
    date, held = [int(number) for number in _DIGITS.findall(heading)], [int(n) for n in _DIGITS.findall(path)]
    return set(date) <= set(held) or "".join(_DIGITS.findall(heading)) in path or (len(date) == 1 and not held)


def _xml_entry(candidate: Candidate, text: str) -> str:
    chunk = candidate.chunk
    mark = f' superseded="{candidate.supersession}"' if candidate.supersession else ""
    body = "\n".join(f"    {line}".rstrip() for line in escape(text, quote=False).split("\n"))
    return (
        f'  <memory source="{_attribute(chunk.kind.name)}" path="{_attribute(chunk.place.path)}"'
        f' lines="{_lines(chunk)}" score="{candidate.relevance:.3f}"{mark}{_whose(candidate)}>\n{body}\n  </memory>'
    )


def _xml_line(candidate: Candidate, text: str) -> str:
    chunk = candidate.chunk
    return f'  <line path="{_attribute(chunk.place.path)}" lines="{_lines(chunk)}">{escape(text, quote=False)}</line>'


def _markdown_line(candidate: Candidate, text: str) -> str:
    return f"> {_path(candidate.chunk)} | {defused(text)}"


def _markdown_entry(candidate: Candidate, text: str) -> str:
    chunk = candidate.chunk
    where = f"> *{chunk.kind.name}* | {_path(chunk)} | lines {_lines(chunk)} | (score: {candidate.relevance:.3f})"
    if candidate.supersession:
        where += f" | {'' if candidate.superseded else 'perhaps '}superseded by a newer note"
    where += f" | {candidate.words}" if candidate.words else ""
    return f"{where}\n{defused(text)}\n"


def _path(chunk: Chunk) -> str:
    return f"`{' '.join(clean(chunk.place.path).replace('`', chr(39)).split())}`"


def _lines(chunk: Chunk) -> str:
    first, last = chunk.place.lines
    return f"{first}-{last}"


def _whose(candidate: Candidate) -> str:
    return f' words="{_attribute(candidate.words)}"' if candidate.words else ""


def _attribute(value: str) -> str:
    return escape(clean(value).replace("\n", " ").replace("\t", " "), quote=True)


def _cut(entry: Callable[[Candidate, str], str], candidate: Candidate, room: int) -> str:
    """Write as much of one chunk as fits, ending at a line or sentence where there is one in the second half."""
    text = _shown(candidate.chunk)
    low, high = 0, len(text)
    while low < high:  # the longest prefix that fits; escaping only ever adds characters
        middle = (low + high + 1) // 2
        low, high = (middle, high) if len(entry(candidate, text[:middle] + ELLIPSIS)) <= room else (low, middle - 1)
    ends = [m.end() for m in re.finditer(r"\n|(?<=[.!?。！？])\s", text[:low])]
    if ends and ends[-1] > low / 2:
        low = ends[-1]
    return entry(candidate, text[:low].rstrip() + ELLIPSIS) if low else ""


TEMPLATES = {
    "xml": Template("<relevant_memories>", _xml_entry, _xml_line, "</relevant_memories>"),
    "markdown": Template("---\n**Relevant Memories:**\n", _markdown_entry, _markdown_line, "---"),
}
