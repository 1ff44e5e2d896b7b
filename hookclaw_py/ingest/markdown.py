"""From a Markdown note to chunks, by its structure.

A chunk is a stretch of whole blocks under one heading: paragraphs, list items, tables, code blocks. Small neighbours are
merged up to about 120 words, because a chunk should answer one question and three chunks should fit the budget of a
prompt; a single block may be longer, up to what the embedder's window holds (about 200 words), and only a longer one is
torn: between the blocks within it, sentences, lines, clauses, words, in that order of preference.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import groupby, pairwise
from typing import NamedTuple

from hookclaw_py import text as words
from hookclaw_py.ingest import dating
from hookclaw_py.ingest.frontmatter import read_front_matter
from hookclaw_py.ingest.length import Length, length_of
from hookclaw_py.ingest.outline import Piece, outline
from hookclaw_py.model.place import FilePlace
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.names import name_of, title_of

CHUNKER_VERSION = "5"
"""Raised whenever the same note would give other chunks: files are then chunked again although they are unchanged."""

MAX_WORDS = 200
MAX_TOKENS = 235  # with the heading; the embedder holds 254, the rest is room for the estimate's error
MAX_CHARS = 2000  # words never need as many; indentation and long blanks would
MAX_INDENT = 24  # characters that are kept of a line's indentation: twelve levels of a list
MERGED_TOKENS = 160  # neighbours are merged up to here: about 120 words
TINY_TOKENS = 18  # a remnant this small joins its neighbour even beyond that
MAX_LINES = 100_000
"""Of a note, blank ones aside: some seconds and 250 MB to read, where lines of two characters would take minutes and 2 GB."""
HEADING_TOKENS = 60  # of a heading path, the outermost headings are left out; a longer heading is a paragraph

_FENCE_CODE_OR_COMMENT = re.compile(
    r"(?P<fence>^[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]*+)?(?P<mark>`{3,}|~{3,})[^\n]*(?:\n.*?^[ \t>]*(?P=mark)[`~]*[ \t]*$|.*))"
    r"|(?P<code>``[^\n]*?``|`[^`\n]*`)"
    r"|<!--",
    re.DOTALL | re.MULTILINE,
)
_CUTS = [
    re.compile(pattern)
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
_DEEP = re.compile(rf"^([^\S\n]{{{MAX_INDENT}}})[^\S\n]+", re.MULTILINE)
_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")
_PREFORMATTED = ("fence", "code_block", "table")
_LINES_ONLY = [_CUTS[0], _CUTS[3], *_CUTS[5:]]  # these have no sentences

TEMPLATE = "it is a template with places to fill in and is not indexed"
PRIVATE = "its front matter says private and it is not indexed; write private: false if it may be"
MEANT = frozenset({TEMPLATE, PRIVATE})
"""What is told of a note because it is left out on purpose: once, when it is read."""


class Note(NamedTuple):
    """A note's chunks in the order of the text, what was wrong with it, and the names of what it is about.

    ``shared`` is what it says of others than its owner hearing of it, None if nothing.
    """

    chunks: list[Chunk]
    warnings: list[str]
    names: tuple[str, ...] = ()
    shared: bool | None = None


def chunk_note(text: str, *, path: str, evergreen: bool) -> Note:
    """Chunk a whole note: read its front matter, find its date, and chunk its body.

    The date is the first valid one in ``path``, else ``date:`` in the front matter, else that of the nearest
    enclosing heading which carries one. A note that is ``evergreen``, or says so in its front matter, has none. A note
    with ``private: true``, or any other value than a clear no, has no chunks, and neither has an empty template.

    A note's names are its title (front matter, or what the file is called) and its aliases. The title is the outermost
    heading; the aliases are found like the text of every chunk.
    """
    front = read_front_matter(_from_org(_normalised(text)) if path.lower().endswith(".org") else _normalised(text))
    if (lines := _lines(front.text)) > MAX_LINES:
        advice = "split it, or exclude it (`exclude` in the configuration)"
        return Note([], [f"has {lines:,} lines, more than {MAX_LINES:,}, and is not indexed; {advice}"])
    if front.private:
        return Note([], [PRIVATE], shared=False)
    warnings = list(front.warnings)
    in_path, impossible = dating.date_in(path)
    if impossible:
        outcome = f"dated {in_path:%Y-%m-%d}" if in_path else "not dated by its name"
        warnings.append(f"{', '.join(impossible)} in its name is no date; the note is {outcome}; rename it")
    if _is_template(front.text):
        return Note([], [*warnings, TEMPLATE])
    title = front.title or title_of(path)
    timeless = evergreen or front.evergreen
    dated = in_path or front.created_at
    chunks = chunk_markdown(
        front.text,
        path=path,
        created_at=None if timeless else dated,
        heading_dates=not timeless and dated is None,
        title=title,
        more=(*front.aliases, *(f"#{tag}" for tag in front.tags)),
    )
    names = tuple(filter(None, map(name_of, (title, *front.aliases))))
    return Note(chunks, warnings, names, front.shared)


def chunk_markdown(
    text: str,
    *,
    path: str,
    created_at: datetime | None,
    heading_dates: bool = False,
    title: str = "",
    more: Sequence[str] = (),
) -> list[Chunk]:
    """Return the chunks of a Markdown text, in its order; ``lines`` count from 1 in ``text`` as given.

    ``heading`` is the path of headings ("A > B") below ``title``; headings are not repeated in ``Chunk.text``. HTML
    comments and our own injected block are left out. By the words of ``more`` every chunk is found.
    """
    whole = _readable(_normalised(text))
    doc = _DEEP.sub(r"\1", whole)
    blocks = _blocks(doc, outline(whole), title, path)  # it is the whole indentation that tells what is nested in what
    starts = _line_starts(doc)
    seen: Counter[tuple[str, str]] = Counter()
    chunks = []
    for block in _packed(blocks):
        body = _cleaned(doc, block.start, block.end)
        seen[block.heading, body] += 1
        chunks.append(
            Chunk(
                id=_chunk_id(path, block.heading, body, seen[block.heading, body]),
                text=body,
                place=FilePlace(path, (bisect_right(starts, block.start), bisect_right(starts, block.end - 1))),
                heading=block.heading,
                created_at=block.dated if heading_dates else created_at,
                terms=words.terms("\n".join([block.heading, body, *more])),
            )
        )
    return chunks


@dataclass(frozen=True, slots=True)
class _Block:
    """The characters ``[start, end)`` of a document that belong together, without blank lines around them."""

    start: int
    end: int
    section: int  # which heading it stands under, counted from the top
    heading: str
    dated: datetime | None
    length: Length
    leads: bool = False  # introduces what follows: "Decisions:" above a list
    bare: int = 0  # this many headings without a body, and nothing else

    def joined(self, other: _Block) -> _Block:
        """Return this block and the next as one; headings count for nothing when the other has a body."""
        adopted = self.bare and not other.bare
        owner = other if adopted else self
        between = (
            length_of(f"###### {other.heading}") if adopted else Length()
        )  # the line of the heading that has the body
        return _Block(
            start=self.start,
            end=other.end,
            section=owner.section,
            heading=owner.heading,
            dated=owner.dated,
            length=self.length + between + other.length,
            leads=other.leads,
            bare=self.bare + other.bare if self.bare and other.bare else 0,
        )

    def room(self) -> bool:
        """Say whether the block, its heading before it, is short enough for a chunk."""
        return _fits(self.start, self.end, self.length, MAX_TOKENS - _tokens(self.heading))


def _fits(start: int, end: int, length: Length, room: int) -> bool:
    return length.words <= MAX_WORDS and length.tokens <= room and end - start <= MAX_CHARS


@lru_cache(maxsize=1024)
def _tokens(heading: str) -> int:
    return length_of(heading).tokens


def _lines(text: str) -> int:
    """Return the number of lines that are not blank, where there may be too many; else 0."""
    return sum(map(bool, map(str.strip, text.split("\n")))) if text.count("\n") > MAX_LINES else 0


def _normalised(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


_PLACEHOLDER = re.compile(r"\{\{[^{}\n]{0,80}\}\}|<%[^\n]{0,200}?%>")


def _is_template(text: str) -> bool:
    """Say whether a note has more places to fill in ("{{date}}") than words of its own in a line beside them."""
    places = len(_PLACEHOLDER.findall(text))
    return places > 1 and len(_PLACEHOLDER.sub("", text).split()) < 20 * places


_ORG_LINE = re.compile(
    r"^(?:(\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?|#\+(?i:title):[ \t]*|(#\+\w+:|:\w+:).*)", re.MULTILINE
)


def _from_org(text: str) -> str:
    """Return an Org file as Markdown, line by line: headings and title; its settings and drawers are left out."""

    def rewritten(match: re.Match[str]) -> str:
        stars, setting = match.groups()
        return "" if setting else "#" * min(len(stars), 6) + " " if stars else "# "

    return _ORG_LINE.sub(rewritten, text)


def _readable(doc: str) -> str:
    """Blank comments and our own block, keeping every line where it is."""
    from hookclaw_py.privacy.own_blocks import strip_own_blocks

    if "<!--" in doc:
        doc = _without_comments(doc)
    if strip_own_blocks(doc) == doc:
        return doc
    # Each line carries its number in trailing blanks, so that those that are left find their places.
    lines = doc.split("\n")
    tagged = "\n".join(line + f"{number:024b}".translate(_TO_BLANKS) for number, line in enumerate(lines))
    left = {int(line[-24:].translate(_FROM_BLANKS), 2) for line in strip_own_blocks(tagged).split("\n") if line}
    return "\n".join(line if number in left else "" for number, line in enumerate(lines))


_TO_BLANKS = str.maketrans("01", " \t")
_FROM_BLANKS = str.maketrans(" \t", "01")


def _without_comments(doc: str) -> str:
    """Replace each HTML comment outside of code by its line ends; one that is never closed is text."""
    kept, at = [], 0
    while match := _FENCE_CODE_OR_COMMENT.search(doc, at):
        end = match.end()
        if match[0] == "<!--":
            end = doc.find("-->", end) + len("-->")
            if end < match.end():
                break
            kept += [doc[at : match.start()], "\n" * doc.count("\n", match.start(), end)]
        else:
            kept.append(doc[at:end])
        at = end
    return "".join(kept) + doc[at:]


class _Heading(NamedTuple):
    """An open heading; ``number`` counts from the top, ``dated`` is its date or that of the heading around it."""

    level: int
    title: str
    number: int
    dated: datetime | None
    around: dating.Around


def _blocks(doc: str, pieces: Sequence[Piece], title: str, file: str) -> Iterator[_Block]:
    """Yield the document's blocks in order, each with the heading it stands under; what is too long comes torn."""
    starts = _line_starts(doc)
    known = dating.around(title, dating.around(file))
    path = [_Heading(0, title, 0, dating.date_in(title, known)[0], known)]
    for number, (piece, after) in enumerate(pairwise([*map(_checked, pieces), Piece("heading", 0, 0)]), 1):
        bare = piece.kind == "heading" and after.kind == "heading" and after.level <= piece.level
        if piece.kind == "hr":
            path[-1] = path[-1]._replace(number=number)  # nothing is merged across a rule
            continue
        if piece.kind == "heading":
            while len(path) > 1 and path[-1].level >= piece.level:
                path.pop()
            if not bare:
                known = path[-1].around if path[-1].around.year else known
                dated, _ = dating.date_in(piece.title, known)
                known = dating.Around(dated.year) if dated else known
                around = dating.around(piece.title, path[-1].around)
                path.append(_Heading(piece.level, piece.title, number, dated or path[-1].dated, around))
        start, end = _trimmed(doc, starts[piece.first], starts[piece.last] - 1)
        if start >= end or (piece.kind == "heading" and not (bare and piece.title)):
            continue
        body = doc[start:end]
        block = _Block(
            start=start,
            end=end,
            section=path[-1].number,
            heading=_heading_path([section.title for section in path]),
            dated=path[-1].dated,
            length=length_of(body),
            leads=piece.kind == "paragraph" and body.rstrip("*_ ").endswith((":", "：")),
            bare=int(bare),
        )
        yield from [block] if block.room() else _torn(doc, starts, block, piece)


def _line_starts(doc: str) -> list[int]:
    """Return where each line starts, and where one after the last would."""
    return [0, *(match.end() for match in re.finditer("\n", doc)), len(doc) + 1]


def _checked(piece: Piece) -> Piece:
    """Return a heading with its blanks made plain; one of several lines, or as long as a paragraph, is a paragraph."""
    title = " ".join(piece.title.split())
    several = "\n" in piece.title or length_of(title).tokens > HEADING_TOKENS
    return piece._replace(kind="paragraph" if several else piece.kind, title=title)


def _heading_path(titles: list[str]) -> str:
    """Join the headings, innermost last; when they are too long together, the outermost are left out.

    What the next heading says again is said once: "Hansen" above "Hansen shipyard".
    """
    said = [frozenset(words.words(title)) for title in titles]
    inner = [*said[1:], frozenset[str]()]
    kept = [t for t, own, other in zip(titles, said, inner, strict=True) if t and not (own and own <= other)]
    while len(kept) > 1 and length_of(" > ".join(kept)).tokens > HEADING_TOKENS:
        kept.pop(0)
    return " > ".join(kept)


def _trimmed(doc: str, start: int, end: int) -> tuple[int, int]:
    """Drop blank lines at both ends of a span; the first line keeps its indentation."""
    blank = _BLANK_LINES.match(doc, start, end)
    start = blank.end() if blank else start
    return start, start + len(doc[start:end].rstrip())


def _packed(blocks: Iterable[_Block]) -> list[_Block]:
    """Merge small neighbours under one heading, give bare headings to what follows them."""
    packed: list[_Block] = []
    for _, section in groupby(blocks, key=lambda block: block.section):
        introduced = _joined(section, lambda block, _: block.leads)
        merged = _joined(introduced, _is_small)
        packed += [*merged[:-2], *_joined(merged[-2:], _leaves_a_scrap)]
    return _adopted(packed)


def _is_small(block: _Block, both: _Block) -> bool:
    return both.length.tokens <= MERGED_TOKENS or block.length.tokens <= TINY_TOKENS


def _leaves_a_scrap(block: _Block, both: _Block) -> bool:
    return both.length.tokens - block.length.tokens <= TINY_TOKENS


def _joined(blocks: Iterable[_Block], belong: Callable[[_Block, _Block], bool]) -> list[_Block]:
    """Join each block to the one before if there is room and ``belong`` says so, given that one and both together."""
    joined: list[_Block] = []
    for block in blocks:
        both = joined[-1].joined(block) if joined else block
        if joined and both.room() and belong(joined[-1], both):
            joined[-1] = both
        else:
            joined.append(block)
    return joined


def _adopted(blocks: list[_Block]) -> list[_Block]:
    """Join headings without a body to the next chunk, the last to the one before; one lone heading says nothing."""
    if len(blocks) == 1 and blocks[0].bare == 1:
        return []
    adopted: list[_Block] = []
    for block in blocks:
        if adopted and adopted[-1].bare and adopted[-1].joined(block).room():
            adopted[-1] = adopted[-1].joined(block)
        else:
            adopted.append(block)
    if len(adopted) > 1 and adopted[-1].bare and adopted[-2].joined(adopted[-1]).room():
        adopted[-2:] = [adopted[-2].joined(adopted[-1])]
    return adopted


def _torn(doc: str, starts: Sequence[int], block: _Block, piece: Piece) -> list[_Block]:
    """Cut a block that is too long for a chunk into parts of about equal length."""
    room = MAX_TOKENS - _tokens(block.heading)
    scraps = list(_scraps(doc, starts, block.start, block.end, piece, room))
    total = sum((length for _, _, length in scraps), Length())
    parts_needed = max(-(-total.tokens // room), -(-total.words // MAX_WORDS), 1)
    share = total.tokens / parts_needed
    parts: list[_Block] = []
    for start, end, length in scraps:
        start, end = _trimmed(doc, start, end)
        if start >= end:
            continue
        part = _Block(start, end, block.section, block.heading, block.dated, length)
        both = parts[-1].joined(part) if parts else part
        if parts and both.room() and parts[-1].length.tokens + length.tokens / 2 <= share:
            parts[-1] = both
        else:
            parts.append(part)
    return parts


_Scraps = Iterator[tuple[int, int, Length]]


def _scraps(doc: str, starts: Sequence[int], start: int, end: int, piece: Piece, room: int) -> _Scraps:
    """Yield the largest parts of ``piece``, which is [start, end), that fit: blocks within it, then parts of those."""
    length = length_of(doc[start:end])
    if _fits(start, end, length, room):
        yield start, end, length
    elif piece.inner:
        edges = [start, *(starts[inner.first] for inner in piece.inner[1:]), end]
        for (a, b), inner in zip(pairwise(edges), piece.inner, strict=True):
            yield from _scraps(doc, starts, a, b, inner, room)
    else:
        yield from _cut(doc, start, end, _LINES_ONLY if piece.kind in _PREFORMATTED else _CUTS, room)


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


def _cleaned(doc: str, start: int, end: int) -> str:
    body = "\n".join(line.rstrip() for line in doc[start:end].split("\n"))
    at_line_start = start == 0 or doc[start - 1] == "\n"
    return re.sub(r"\n{3,}", "\n\n", body if at_line_start else body.lstrip())


def _chunk_id(path: str, heading: str, body: str, ordinal: int) -> str:
    key = "\0".join([path, heading, body, str(ordinal)]).encode("utf-8", "surrogatepass")
    return f"{int.from_bytes(blake2b(key, digest_size=8).digest(), 'big') >> 1:016x}"
