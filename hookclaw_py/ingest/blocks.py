"""Stretches of a document: small neighbours are merged, what is too long for a chunk is torn where it hurts least."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

from hookclaw_py.ingest.length import Length, is_longer, length_of
from hookclaw_py.ingest.outline import Piece
from hookclaw_py.regex import regex

MAX_WORDS = 200
MAX_TOKENS = 235  # with the heading; the embedder holds 254, the rest is room for the estimate's error
MAX_CHARS = 2000  # words never need as many; indentation and long blanks would
MAX_INDENT = 24  # characters that are kept of a line's indentation: twelve levels of a list
MERGED_TOKENS = 160  # neighbours are merged up to here: about 120 words
FEW_FIELDS = 30  # tokens of a front matter that says too little to stand alone; a longer one is a passage
MAX_COLUMNS = 80  # tokens of the names of a table's columns that each part of it has; at more length they are said once
TINY_TOKENS = 18  # a remnant this small joins its neighbour even beyond that
_CUTS = [
    regex(pattern)
    for pattern in (
        r"\n[ \t]*\n+",  # blank lines
        r"\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])",  # nested items
        r"(?<=[.!?])[\"'”’)\]*_]*\s+|(?<=[。！？])",  # sentences
        r"\n",
        r"(?<=[,;:])\s+|(?<=[、，；：])",  # clauses
        r"\s+",
        r"(?s:.{60})",  # the longest script has 3 word pieces a character
    )
]
_BLANK_LINES = regex(r"(?:[^\S\n]*\n)*")
CODE = 2  # times as long may a code block be that stays whole: half an example is none, and its words are all indexed
_CODE = ("fence", "code_block")
_PREFORMATTED = ("fence", "code_block", "table")
_LINES_ONLY = [_CUTS[0], _CUTS[3], *_CUTS[5:]]  # these have no sentences
_LINES_FIRST = [*_CUTS[:2], _CUTS[3], _CUTS[2], *_CUTS[4:]]  # who does not wrap lines ends with each what they say
_WRAPPED = range(50, 121)  # characters of the longest line of a text that is wrapped
_WIDE = regex(r"(?<=---)-+|(?<=[ \t])[ \t]+")  # what editors align columns with
_RAGGED = 20  # characters by which most of its lines fall short of that


@dataclass(frozen=True, slots=True)
class Stretch:
    """The characters ``[start, end)`` of a document that belong together, without blank lines around them."""

    start: int
    end: int
    section: int  # which heading it stands under, counted from the top
    heading: str
    dated: datetime | None
    length: Length
    leads: bool = False  # introduces what follows: "Decisions:" above a list
    bare: int = 0  # this many headings without a body, and nothing else
    code: bool = False  # is a code block, and the sentence that leads to it
    noted: bool = False  # has what an agent noted
    front: bool = False  # is all of the front matter
    gap: tuple[int, int] | None = None  # the characters left out between front matter and what stands with it
    columns: str = ""  # their names, where a table goes on that began in the one before

    def joined(self, other: Stretch) -> Stretch:
        """Return this block and the next as one; headings count for nothing when the other has a body."""
        adopted = self.bare and not other.bare
        owner = other if adopted else self
        headed = adopted or (self.bare and other.section != self.section)
        between = length_of(f"###### {other.heading}") if headed else Length()  # the line of a heading in between
        return Stretch(
            start=self.start,
            end=other.end,
            section=owner.section,
            heading=owner.heading,
            dated=owner.dated,
            length=self.length + between + other.length,
            leads=other.leads,
            bare=self.bare + other.bare if self.bare and other.bare else 0,
            code=self.leads and other.code,
            noted=self.noted or other.noted,
            front=self.front and other.front,
            gap=self.gap or other.gap,
            columns=self.columns,
        )

    def room(self) -> bool:
        """Say whether the block, its heading before it, is short enough for a chunk."""
        return _fits(self.start, self.end, self.length, MAX_TOKENS - _tokens(self.heading), code=self.code)


def is_code(piece: Piece) -> bool:
    """Say whether this is a code block."""
    return piece.kind in _CODE


def _fits(start: int, end: int, length: Length, room: int, *, code: bool = False) -> bool:
    times = CODE if code else 1
    return length.words <= times * MAX_WORDS and length.tokens <= times * room and end - start <= MAX_CHARS


@lru_cache(maxsize=1024)
def _tokens(heading: str) -> int:
    return length_of(heading).tokens


def trimmed(doc: str, start: int, end: int) -> tuple[int, int]:
    """Drop blank lines at both ends of a span; the first line keeps its indentation."""
    blank = _BLANK_LINES.match(doc, start, end)
    start = blank.end() if blank else start
    return start, start + len(doc[start:end].rstrip())


def merged(blocks: Iterable[Stretch]) -> list[Stretch]:
    """Merge small neighbours under one heading, give bare headings and the front matter to what follows them."""
    packed: list[Stretch] = []
    for _, section in groupby(blocks, key=lambda block: block.section):
        introduced = _joined(section, lambda *_: True, may=attrgetter("leads"))
        small = _joined(introduced, _is_small)
        packed += [*small[:-2], *_joined(small[-2:], _leaves_a_scrap)]
    return _fronted(_adopted(packed))


def _fronted(blocks: list[Stretch]) -> list[Stretch]:
    """Join a short front matter to the note's first passage, which its headings are of: "status: open" alone says nothing."""
    if (
        len(blocks) < 2
        or not blocks[0].front
        or blocks[0].noted != blocks[1].noted
        or blocks[0].dated != blocks[1].dated
    ):
        return blocks
    front, first = blocks[:2]
    length, gap = front.length + first.length, (front.end, first.start)
    both = replace(first, start=front.start, length=length, gap=gap)
    return [both, *blocks[2:]] if both.room() and front.length.tokens <= FEW_FIELDS else blocks


def _is_small(block: Stretch, both: Stretch) -> bool:
    return both.length.tokens <= MERGED_TOKENS or block.length.tokens <= TINY_TOKENS


def _leaves_a_scrap(block: Stretch, both: Stretch) -> bool:
    return both.length.tokens - block.length.tokens <= TINY_TOKENS


def _joined(
    blocks: Iterable[Stretch], belong: Callable[[Stretch, Stretch], bool], *, may: Callable[[Stretch], bool] = bool
) -> list[Stretch]:
    """Join each block to the one before that ``may`` be, if there is room and ``belong`` says so, given that one and both together."""
    joined: list[Stretch] = []
    for block in blocks:
        before = joined[-1] if joined else None
        if before and may(before) and (both := before.joined(block)).room() and belong(before, both):
            joined[-1] = both
        else:
            joined.append(block)
    return joined


def _adopted(blocks: list[Stretch]) -> list[Stretch]:
    """Join headings without a body to the next chunk, the last to the one before."""
    adopted: list[Stretch] = []
    for block in blocks:
        if adopted and adopted[-1].bare and adopted[-1].joined(block).room():
            adopted[-1] = adopted[-1].joined(block)
        else:
            adopted.append(block)
    if len(adopted) > 1 and adopted[-1].bare and adopted[-2].joined(adopted[-1]).room():
        adopted[-2:] = [adopted[-2].joined(adopted[-1])]
    return adopted


def torn(doc: str, starts: Sequence[int], block: Stretch, piece: Piece) -> list[Stretch]:
    """Cut a block that is too long for a chunk into parts of about equal length; each of a table has the names of its columns."""
    tables = list(_tables(doc, starts, piece))
    room = MAX_TOKENS - _tokens(block.heading) - max((length_of(one.columns).tokens for one in tables), default=0)
    scraps = list(_scraps(doc, starts, block.start, block.end, piece, room))
    total = sum((length for _, _, length in scraps), Length())
    parts_needed = max(-(-total.tokens // room), -(-total.words // MAX_WORDS), 1)
    share = total.tokens / parts_needed
    parts: list[Stretch] = []
    for start, end, length in scraps:
        start, end = trimmed(doc, start, end)
        if start >= end:
            continue
        part = Stretch(
            start, end, block.section, block.heading, block.dated, length, noted=block.noted, front=block.front
        )
        both = parts[-1].joined(part) if parts else part
        fits = _fits(both.start, both.end, both.length, room, code=both.code)
        if parts and fits and parts[-1].length.tokens + length.tokens / 2 <= share:
            parts[-1] = both
        else:
            parts.append(part)
    return [_continued(part, tables) for part in parts]


class _Table(NamedTuple):
    """A table, the characters ``[start, end)``, and the names of its columns with the rule below; "" if not each part has room for them."""

    start: int
    end: int
    columns: str


def _tables(doc: str, starts: Sequence[int], piece: Piece) -> Iterator[_Table]:
    """Yield the tables of a piece, those within a list or a quotation too, their columns without what only makes them wide."""
    if piece.kind == "table":
        lines = doc[starts[piece.first] : starts[piece.first + 2] - 1].split("\n")
        columns = "\n".join(_WIDE.sub("", line.strip()) for line in lines)
        columns = "" if is_longer(columns, MAX_COLUMNS) else columns
        yield _Table(starts[piece.first], starts[piece.last], columns)
    for inner in piece.inner:
        yield from _tables(doc, starts, inner)


def _continued(part: Stretch, tables: Sequence[_Table]) -> Stretch:
    """Return a part that begins within a table with the names of its columns, unless that makes it too long."""
    columns = next((one.columns for one in tables if one.start < part.start < one.end), "")
    fits = part.end - part.start + len(columns) < MAX_CHARS
    return replace(part, columns=columns, length=length_of(columns) + part.length) if columns and fits else part


_Scraps = Iterator[tuple[int, int, Length]]


def _scraps(doc: str, starts: Sequence[int], start: int, end: int, piece: Piece, room: int) -> _Scraps:
    """Yield the largest parts of ``piece``, which is [start, end), that fit: blocks within it, then parts of those."""
    length = length_of(doc[start:end])
    if _fits(start, end, length, room, code=is_code(piece)):
        yield start, end, length
    elif piece.inner:
        edges = [start, *(starts[inner.first] for inner in piece.inner[1:]), end]
        for (a, b), inner in zip(pairwise(edges), piece.inner, strict=True):
            yield from _scraps(doc, starts, a, b, inner, room)
    else:
        yield from _cut(doc, start, end, _cuts_of(doc[start:end], piece), room)


def _cuts_of(text: str, piece: Piece) -> Sequence[re.Pattern[str]]:
    """Return where a text may be cut, best first."""
    if piece.kind in _PREFORMATTED:
        return _LINES_ONLY
    return _CUTS if _is_wrapped(text.splitlines()) else _LINES_FIRST


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Say whether lines end where there was no more room: most of them about as long as the longest."""
    longest = max(map(len, lines), default=0)
    full = sum(len(line) > longest - _RAGGED for line in lines[:-1])
    return len(lines) > 1 and longest in _WRAPPED and 2 * full > len(lines) - 1


def _cut(doc: str, start: int, end: int, cuts: Sequence[re.Pattern[str]], room: int) -> _Scraps:
    """Yield the parts of a text, cut as early in ``cuts`` as possible, and further only where still too long."""
    body = doc[start:end]
    length = length_of(body)
    if not cuts or _fits(start, end, length, room):
        yield start, end, length
        return
    edges = [0, *(match.end() for match in cuts[0].finditer(body)), len(body)]
    for a, b in pairwise(edges):
        if a < b:
            yield from _cut(doc, start + a, start + b, cuts[1:], room)
