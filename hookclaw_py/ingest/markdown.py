"""From a Markdown note to chunks, by its structure.

A chunk is a stretch of whole blocks under one heading: paragraphs, list items, tables, code blocks. Small neighbours are
merged up to about 120 words, because a chunk should answer one question and three chunks should fit the budget of a
prompt; a single block may be longer, up to what the embedder's window holds (about 200 words), and only a longer one is
torn: between the blocks within it, sentences, lines, clauses, words, in that order of preference. A code block may be
twice as long, with the sentence that introduces it: who asks for an example is told all of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from hookclaw_py import text as words
from hookclaw_py.ingest import dating
from hookclaw_py.ingest.blocks import MAX_INDENT, Stretch, is_code, merged, torn, trimmed
from hookclaw_py.ingest.entries import by_day
from hookclaw_py.ingest.exported import parent_of, without_ids
from hookclaw_py.ingest.frontmatter import read_front_matter, says_only_tags
from hookclaw_py.ingest.length import is_longer, length_of
from hookclaw_py.ingest.months import with_months_as_headings
from hookclaw_py.ingest.org import from_org
from hookclaw_py.ingest.origins import is_clipping, is_noted, of_chunk
from hookclaw_py.ingest.outline import Piece, outline
from hookclaw_py.ingest.readable import (
    is_template,
    normalised,
    readable,
    with_days_as_headings,
    without_upkeep,
)
from hookclaw_py.ingest.secluded import says_private
from hookclaw_py.ingest.untitled import title_in, with_title_as_heading
from hookclaw_py.model.ids import id_made_of
from hookclaw_py.model.origin import Origin
from hookclaw_py.model.place import FilePlace
from hookclaw_py.model.types import Chunk
from hookclaw_py.regex import regex
from hookclaw_py.speech.phones import with_phones
from hookclaw_py.speech.tasks import with_headings, with_tasks
from hookclaw_py.store.names import is_telling, name_of, title_of, with_aliases
from hookclaw_py.temporal.mentions import with_days

CHUNKER_VERSION = "24"
"""Raised whenever the same note would give other chunks: files are then chunked again although they are unchanged."""

MAX_LINES = 100_000
"""Of a note, blank ones aside: some seconds and 250 MB to read, where lines of two characters would take minutes and 2 GB."""
HEADING_TOKENS = 60  # of a heading path, the outermost headings are left out; a longer heading is a paragraph

_DEEP = regex(rf"^([^\S\n]{{{MAX_INDENT}}})[^\S\n]+", re.MULTILINE)
_BLANK = regex(r"\n{3,}")

TEMPLATE = "it is a template with places to fill in and is not indexed"
PRIVATE = (
    "its front matter says private, or sensitivity: critical, and it is not indexed; write private: false, or a lower"
    " level, if it may be"
)
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
    with ``private: true``, or any other value than a clear no, has no chunks, and neither has one that is too sensitive to be told,
    nor an empty template.

    A note's names are its title (front matter, or what the file is called, or its first line where only an app named
    the file) and its aliases. The title is the outermost heading, with what the aliases say besides: "Dr Holm (dentist)". What its
    front matter says counts only where the note is the person's own: of a page that was clipped it is text.
    """
    is_org = path.lower().endswith(".org")
    front = read_front_matter(from_org(normalised(text)) if is_org else normalised(text))
    if (lines := _lines(front.text)) > MAX_LINES:
        advice = "split it, or exclude it (`exclude` in the configuration)"
        return Note([], [f"has {lines:,} lines, more than {MAX_LINES:,}, and is not indexed; {advice}"])
    if front.private or (is_org and says_private(normalised(text))):  # among the settings, which are no text
        return Note([], [PRIVATE], shared=False)
    if is_clipping(path, front.values):
        clipped = chunk_markdown(
            _without_rules(text), path=path, created_at=None, title=title_of(path), origin=Origin.WEB
        )
        return Note(clipped, [], shared=False)
    warnings = list(front.warnings)
    in_path, impossible = dating.date_in(path)
    if impossible:
        outcome = f"dated {in_path:%Y-%m-%d}" if in_path else "not dated by its name"
        warnings.append(f"{', '.join(impossible)} in its name is no date; the note is {outcome}; rename it")
    if is_template(front.text):
        return Note([], [*warnings, TEMPLATE])
    title = front.title or title_in(path, front.text) or title_of(path)
    timeless = evergreen or front.evergreen
    dated = in_path or front.created_at
    chunks = chunk_markdown(
        front.text,
        path=path,
        created_at=None if timeless else dated,
        heading_dates=not timeless and dated is None,
        title=title,
        aliases=front.aliases,
        more=(*front.aliases, *(f"#{tag}" for tag in front.tags)),
        front=front.lines,
        origin=Origin.CURATED if evergreen else Origin.NOTE,
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
    aliases: Sequence[str] = (),
    more: Sequence[str] = (),
    origin: Origin = Origin.UNSTAMPED,
    front: int = 0,
) -> list[Chunk]:
    """Return the chunks of a Markdown text, in its order; ``lines`` count from 1 in ``text`` as given.

    ``heading`` is the path of headings ("A > B") below ``title`` with its ``aliases``; headings are not repeated in ``Chunk.text``. HTML
    comments and our own injected block are left out. By the words of ``more`` every chunk is found. ``origin`` is whose words these
    are; what an agent noted among them is the agent's. The first lines, as many as ``front``, are front matter.
    """
    whole = without_ids(readable(normalised(text)))
    whole = whole if front else with_title_as_heading(whole, title)
    known = dating.around(title, dating.around(path))
    if heading_dates:
        whole = with_months_as_headings(with_days_as_headings(whole), known)
    doc = _DEEP.sub(r"\1", whole)
    pieces: Sequence[Piece] = outline(whole)  # it is the whole indentation that tells what is nested in what
    if heading_dates:
        pieces = by_day(whole, pieces, known)
    blocks = _blocks(doc, pieces, title, path, aliases, front)
    starts = _line_starts(doc)
    seen: Counter[tuple[str, str]] = Counter()
    chunks, packed = list[Chunk](), merged(blocks)
    for block in packed:
        body, day = without_upkeep(_body(doc, block)), block.dated if heading_dates else created_at
        known_tags = len(packed) > 1 and says_only_tags(body) and {*body.split()} <= {*more}
        empty = len(packed) == block.bare == 1 and _says_nothing(body.strip("#=- \n"), title)
        if not body or known_tags or empty:  # only an app wrote there, or what every passage is found by
            continue
        year = dating.around(block.heading, known).year
        terms = with_days(words.terms("\n".join([block.heading, body, *more])), body, written=day, year=year)
        seen[block.heading, body] += 1
        chunks.append(
            Chunk(
                id=id_made_of(path, block.heading, body, str(seen[block.heading, body])),
                text=body,
                place=FilePlace(path, (bisect_right(starts, block.start), bisect_right(starts, block.end - 1))),
                heading=block.heading,
                created_at=day,
                terms=with_tasks(with_phones(terms, body), with_headings(block.heading, body)),
                origin=of_chunk(origin, noted=block.noted),
            )
        )
    return chunks


def _says_nothing(heading: str, title: str) -> bool:
    """Say whether a heading with nothing below has only words of the title, or is a day, or what stands in many notes ("Tasks")."""
    own = {*words.words(heading)}.difference(words.words(title))
    return dating.is_a_day(heading) or not any(is_telling(word) or word.isdigit() for word in own)


def _without_rules(text: str) -> str:
    """Return a note with the rules around its front matter blank: what stands between them is text like any other."""
    return "\n".join("" if line.strip() == "---" else line for line in normalised(text).split("\n"))


def _lines(text: str) -> int:
    """Return the number of lines that are not blank, where there may be too many; else 0."""
    return sum(map(bool, map(str.strip, text.split("\n")))) if text.count("\n") > MAX_LINES else 0


class _Heading(NamedTuple):
    """An open heading; ``number`` counts from the top, ``dated`` is its date or that of the heading around it, ``said`` are its words."""

    level: int
    title: str
    said: frozenset[str]
    number: int
    dated: datetime | None
    around: dating.Around


def _blocks(
    doc: str, pieces: Sequence[Piece], title: str, file: str, aliases: Sequence[str], front: int
) -> Iterator[Stretch]:
    """Yield the document's blocks in order, each with the heading it stands under; what is too long comes torn."""
    starts = _line_starts(doc)
    known = dating.around(title, dating.around(file))
    dated = dating.date_in(title, known)[0] or dating.date_in(PurePosixPath(file).stem, known)[0]
    path = [_Heading(0, title, _said(title), 0, dated, known)]
    if above := parent_of(file):
        path.insert(0, path[0]._replace(title=above, said=_said(above)))
    heading = _heading_path(path, aliases)
    today, begun, noted = path[0].dated, 0, False
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
                dated = dating.date_in(piece.title, known)[0] or dating.month_in(piece.title)
                known = dating.Around(dated.year) if dated else known
                around = dating.around(piece.title, path[-1].around)
                said = _said(piece.title)
                path.append(_Heading(piece.level, piece.title, said, number, dated or path[-1].dated, around))
            heading = _heading_path(path, aliases)
        start, end = trimmed(doc, starts[piece.first], starts[piece.last] - 1)
        if start >= end or (piece.kind == "heading" and not (bare and piece.title)):
            continue
        if piece.day and piece.day != today:
            today, begun = piece.day, number
        body = doc[start:end]
        if noted != is_noted(body):  # what is the person's own and what is an agent's are told apart
            begun, noted = number, not noted
        block = Stretch(
            start=start,
            end=end,
            section=max(path[-1].number, begun),
            heading=heading,
            dated=piece.day or path[-1].dated,
            length=length_of(body),
            leads=piece.kind == "paragraph" and body.rstrip("*_ ").endswith((":", "：")),
            bare=int(bare),
            code=is_code(piece),
            noted=noted,
            front=piece.last <= front,
        )
        yield from [block] if block.room() else torn(doc, starts, block, piece)


def _line_starts(doc: str) -> list[int]:
    """Return where each line starts, and where one after the last would."""
    return [0, *(match.end() for match in re.finditer("\n", doc)), len(doc) + 1]


def _checked(piece: Piece) -> Piece:
    """Return a heading with its blanks made plain; one of several lines, or as long as a paragraph, is a paragraph."""
    title = " ".join(piece.title.split())
    several = "\n" in piece.title or is_longer(title, HEADING_TOKENS)
    return piece._replace(kind="paragraph" if several else piece.kind, title=title)


def _said(title: str) -> frozenset[str]:
    return frozenset(words.words(title))


def _heading_path(path: Sequence[_Heading], aliases: Sequence[str]) -> str:
    """Join the headings, innermost last; when they are too long together, the outermost are left out.

    What the next heading says again is said once: "Hansen" above "Hansen shipyard". Behind the first stand the aliases.
    """
    inner = [*(below.said for below in path[1:]), frozenset[str]()]
    kept = [
        one.title for one, other in zip(path, inner, strict=True) if one.title and not (one.said and one.said <= other)
    ]
    while len(kept) > 1 and is_longer(" > ".join(kept), HEADING_TOKENS):
        kept.pop(0)
    return " > ".join([with_aliases(kept[0], aliases), *kept[1:]]) if kept else ""


def _body(doc: str, block: Stretch) -> str:
    """Return the text of a stretch, without what it leaves out, behind the names of a table's columns."""
    if block.gap is None:
        body = _cleaned(doc, block.start, block.end)
        return f"{block.columns}\n{body}" if block.columns else body
    return f"{_cleaned(doc, block.start, block.gap[0])}\n\n{_cleaned(doc, block.gap[1], block.end)}"


def _cleaned(doc: str, start: int, end: int) -> str:
    body = "\n".join(line.rstrip() for line in doc[start:end].split("\n"))
    at_line_start = start == 0 or doc[start - 1] == "\n"
    body = body if at_line_start else body.lstrip()
    return _BLANK.sub("\n\n", body) if "\n\n\n" in body else body
