"""Origins of notes: which files in a person's folder others wrote, by where they lie and how programs file them.

Whatever a text says of itself can only lower the trust in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hookclaw_py.ingest.remembering import NOTED_BY
from hookclaw_py.model.origin import Origin, lowest
from hookclaw_py.regex import regex

_FOLDERS = frozenset(
    [
        "clippings",
        "webclips",
        "webclippings",
        "clipped",
        "downloads",
        "download",
        "readlater",
        "readitlater",
        "readwise",
        "pocket",
        "instapaper",
        "omnivore",
        "raindrop",
        "webseiten",
        "ausschnitte",
        "coupures",
        "recortes",
        "descargas",
        "téléchargements",
        "剪藏",
        "网页剪藏",
        "下载",
        "稍后阅读",
    ]
)
_SOURCES = (
    "source",
    "source_url",
    "source-url",
    "clipped_from",
    "clipped-from",
    "original_url",
    "canonical",
    "permalink",
)
_CLIPPED = frozenset({"clipped", "published", "author", "site", "byline", "excerpt"})
"""Fields that programs write beside ``url`` when they clip a page: a person's page of a server has an address, too."""
_ADDRESS = regex(r"\s*[\"'(\[<]*https?://", re.IGNORECASE)


def is_clipping(path: str, front: Mapping[str, Any]) -> bool:
    """Say whether a file holds what others wrote: it lies where programs put such, or its front matter says where it is from."""
    folders = path.split("/")[:-1]
    if any(re.sub(r"[\W_]+", "", folder).casefold() in _FOLDERS for folder in folders):
        return True
    if any(_ADDRESS.match(str(front.get(name) or "")) for name in _SOURCES):
        return True
    return bool(_ADDRESS.match(str(front.get("url") or ""))) and not _CLIPPED.isdisjoint(front)


def is_noted(body: str) -> bool:
    """Say whether a paragraph or an item says that somebody else than the owner of the notes noted it."""
    return bool(NOTED_BY.search(body))


def of_chunk(origin: Origin, *, noted: bool) -> Origin:
    """Return whose words a passage of a file holds, of which ``origin`` is known: what an agent ``noted`` in it is the agent's."""
    return lowest([origin, Origin.ANSWERED]) if noted and origin.is_own else origin
