"""What a Markdown text is made of: its headings and blocks in order, and the blocks within those."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LISTS = ("bullet_list", "ordered_list")  # mean nothing but their items
_CONTAINERS = ("list_item", "blockquote")


class Piece(NamedTuple):
    """A heading or block: lines [first, last), counted from 0; ``kind`` is markdown-it's word, "code" or "table".

    A heading has a ``level`` and a ``title``; the blocks ``inner`` to a list item or a quotation follow each other. What is of
    a log has the ``day`` that it was written.
    """

    kind: str
    first: int
    last: int
    level: int = 0
    title: str = ""
    inner: tuple[Piece, ...] = ()
    day: datetime | None = None


def outline(text: str) -> tuple[Piece, ...]:
    r"""Return the top-level pieces of a text whose line ends are all ``\n``; of a list, each item is a piece."""
    return _pieces_in(iter(_parser().parse(text)))


def _pieces_in(tokens: Iterator[Token]) -> tuple[Piece, ...]:
    """Return the pieces that ``tokens`` open and close, up to where what is around them is closed."""
    found: list[Piece] = []
    for token in tokens:
        if token.nesting < 0:
            break
        kind = token.type.removesuffix("_open")
        level, title = (int(token.tag[1]), next(tokens).content) if kind == "heading" else (0, "")
        inner: tuple[Piece, ...] = ()
        if kind in _LISTS or kind in _CONTAINERS:
            inner = _pieces_in(tokens)
        elif token.nesting:
            _pass(tokens)
        if kind in _LISTS:
            found += inner
        elif token.map:
            first, last = token.map
            found.append(Piece(kind, first, last, level, title, inner))
    return tuple(found)


def _pass(tokens: Iterator[Token]) -> None:
    """Go behind the token that closes what is open."""
    depth = 1
    while depth:
        depth += next(tokens).nesting


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # HTML and link definitions are text to us; inline markup stays as written.
    parser = MarkdownIt("commonmark").enable("table").disable(["html_block", "reference"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
