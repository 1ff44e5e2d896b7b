"""What a Markdown text is made of: its headings and blocks in order, and the blocks within those."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

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
    from markdown_it.tree import SyntaxTreeNode

    return _pieces_in(SyntaxTreeNode(_parser().parse(text)))


def _pieces_in(parent: SyntaxTreeNode) -> tuple[Piece, ...]:
    found: list[Piece] = []
    for node in parent.children:
        if node.type in _LISTS:
            found += _pieces_in(node)
        elif node.map:
            level, title = (int(node.tag[1]), node.children[0].content) if node.type == "heading" else (0, "")
            inner = _pieces_in(node) if node.type in _CONTAINERS else ()
            found.append(Piece(node.type, *node.map, level, title, inner))
    return tuple(found)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # HTML and link definitions are text to us; inline markup stays as written.
    parser = MarkdownIt("commonmark").enable("table").disable(["html_block", "reference"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
