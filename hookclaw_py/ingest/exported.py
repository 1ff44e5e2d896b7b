"""Exports: what a program that wrote a folder of notes put into them for itself, and no person asks for.

Notion names each file by its title and 32 digits ("Vendors 1f3a….md"), repeats that name with %20 in every link, puts the pages
below a page into a folder of the same name, and sets a callout between ``<aside>`` and ``</aside>``.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import unquote

from hookclaw_py.regex import regex
from hookclaw_py.store.names import PAGE_ID, title_of

_TARGET = r"\((?P<target>(?:[^()\s]++|\([^()\s]*+\))++)\)"  # with a parenthesis within, as Notion leaves them
_LINK = regex(rf"(?P<image>!?)\[(?P<label>[^\[\]\n]{{0,300}})\]{_TARGET}")
_RELATION = regex(rf"(?<=\S) {_TARGET}")
_CALLOUT = regex(r"^[ \t]*</?aside>[ \t]*$", re.MULTILINE)
_OF_AN_EXPORT = regex(r"[0-9a-f]{32}")
_A_SCHEME = regex(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def without_ids(doc: str) -> str:
    """Return a text with what links to a page of the same export as a link to a note of that name, and callouts without their marks.

    Every line stays where it is; links elsewhere stay as they are.
    """
    if "<aside>" in doc:
        doc = _CALLOUT.sub("", doc)
    if "(" not in doc or _OF_AN_EXPORT.search(doc) is None:
        return doc
    return _RELATION.sub(_unlinked, _LINK.sub(_to_a_note, doc))


def parent_of(path: str) -> str:
    """Return the title of the page that a page of an export lies below, "" where there is none that says something."""
    file = PurePosixPath(path)
    if PAGE_ID.search(file.stem) is None or PAGE_ID.search(file.parent.name) is None:
        return ""
    return title_of(f"{file.parent.name}.md")


def _to_a_note(match: re.Match[str]) -> str:
    if not _is_a_page(match["target"]):
        return match[0]
    return "" if match["image"] else f"[[{match['label']}]]"


def _unlinked(match: re.Match[str]) -> str:
    return "" if _is_a_page(match["target"]) else match[0]


def _is_a_page(target: str) -> bool:
    """Say whether a link leads to a file of the export: no address, and with an id in it."""
    return _A_SCHEME.match(target) is None and any(PAGE_ID.search(_stem(part)) for part in target.split("/"))


def _stem(part: str) -> str:
    return unquote(part.partition("?")[0]).removesuffix(".md").removesuffix(".csv")
