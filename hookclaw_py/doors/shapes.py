"""How a class of what may be sent is checked and described: its fields' types, and its twin that pydantic makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from hookclaw_py.model.kind import KINDS

if TYPE_CHECKING:
    from pydantic import BaseModel

MAX_ID = 200
MOST_MEMORIES = 20
"""That one search returns."""
MOST_LISTED = 200
"""Of a list at a time."""

Messages = Sequence[Mapping[str, Any]]
"""A host's messages: ``role`` and ``content`` are read, everything else in them is the host's own affair."""

Reports = Sequence[Mapping[str, Any]]
"""What happened, one by one: ``kind``, ``session`` and ``payload``, and ``run``, ``call``, ``at``, ``audience``, ``trigger``, ``folder``."""

Milliseconds = float
"""A span of time, 0 or more; what checks it says so."""

Words = str
"""A text that is not empty; what checks it says so."""

Limit = int
"""From 1 to ``MOST_MEMORIES``; what checks it says so."""

KindNames = Sequence[str]
"""Names of kinds of memories; what checks it says which."""

Names = Sequence[str]
"""Names or ids; what checks it says how many at most."""

Numbers = Sequence[int]
"""Ids of messages; what checks it says how many at most."""

PageSize = int
"""How much of a list at a time, from 1 to ``MOST_LISTED``; what checks it says so."""

Count = int
"""0 or more; what checks it says so."""

Id = str
"""The id of a memory."""

Ids = Sequence[str]
"""One id, or several."""

Texts = Sequence[str]
"""One text, or several."""

Share = float
"""From 0 to 1; what checks it says so."""

MessageAction = str
"""One of ``CHOICES``."""

SourceType = str
"""How an agent came to what it saves: one of ``CHOICES``."""

RelationWord = str
"""A word for a relation: small letters, digits and _."""

Checks = Sequence[str]
"""Names of checks, of ``CHOICES``."""

Thresholds = Mapping[str, float]
"""Numbers by name."""

Depth = int
"""From 0 to 5: how far links are followed."""

DetailLevel = str
"""One of ``CHOICES``."""

Direction = str
"""One of ``CHOICES``."""

GraphMode = str
"""One of ``CHOICES``."""

ChatCommandName = str
"""One of ``CHOICES``."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "MessageAction": ("send", "get", "mark_read", "mark_unread", "subscribe", "unsubscribe"),
    "SourceType": ("explicit", "conversation", "inferred", "observation"),
    "DetailLevel": ("summary", "verbose"),
    "ChatCommandName": ("status", "recall", "pause", "forget"),
    "Check": (
        *("duplicates", "stale", "orphan_edges", "missing_embeddings", "contradictions", "unlinked"),
        "cross_project_auto_links",
    ),
    "Direction": ("outgoing", "incoming", "both"),
    "GraphMode": ("summary", "full"),
}
"""What of a few words may be said, by type."""


_checked: dict[type[Any], type[BaseModel]] = {}


def checked(shape: type[Any]) -> type[BaseModel]:
    """Return the twin of a request's class that checks and describes it; pydantic is loaded behind our first line, not before.

    What a model or a person wrote (the class says that it is not ``strict``) may say "5" for a number, too.
    """
    known = _checked.get(shape)
    if known is None:
        known = _checked[shape] = _twin(shape)
    return known


def _twin(shape: type[Any]) -> type[BaseModel]:
    from pydantic import BeforeValidator, ConfigDict, Field, create_model

    bounded = {
        "Milliseconds": Annotated[float, Field(ge=0, lt=1e9)],
        "Words": Annotated[str, Field(pattern=r"\S")],
        "Limit": Annotated[int, Field(ge=1, le=MOST_MEMORIES)],
        "KindNames": Sequence[Annotated[str, Field(pattern=f"^({'|'.join(KINDS)})$")]],
        "Names": Annotated[Sequence[str], Field(max_length=MOST_LISTED)],
        "Numbers": Annotated[Sequence[int], Field(max_length=MOST_LISTED)],
        "PageSize": Annotated[int, Field(ge=1, le=MOST_LISTED)],
        "Count": Annotated[int, Field(ge=0, le=10**9)],
        "Id": Annotated[str, Field(max_length=MAX_ID)],
        "Ids": Annotated[Sequence[str], BeforeValidator(_several), Field(max_length=MOST_LISTED)],
        "Texts": Annotated[Sequence[str], BeforeValidator(_several), Field(max_length=MOST_LISTED)],
        "Share": Annotated[float, Field(ge=0, le=1)],
        "RelationWord": Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,39}$")],
        "Checks": Annotated[
            Sequence[Annotated[str, Field(pattern=f"^({'|'.join(CHOICES['Check'])})$")]], BeforeValidator(_several)
        ],
        "Thresholds": Mapping[str, Annotated[float, Field(ge=0)]],
        "Depth": Annotated[int, Field(ge=0, le=5)],
        **{name: Literal[words] for name, words in CHOICES.items()},
    }
    types = get_type_hints(shape, localns=bounded, include_extras=True)
    values: dict[str, Any] = {
        f.name: (types[f.name], ... if f.default is MISSING else f.default) for f in fields(shape)
    }
    strict = getattr(shape, "strict", True)
    config = ConfigDict(
        strict=strict, extra="forbid", alias_generator=lambda name: spelt(shape, name), coerce_numbers_to_str=not strict
    )
    return create_model(shape.__name__, __config__=config, __doc__=shape.__doc__, **values)


def camel(name: str) -> str:
    """Return a name as it is written on the wire: "session_key" is "sessionKey"."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def spelt(shape: type[Any], name: str) -> str:
    """Return how a field of this class is written on the wire: as in Python, if the class is ``snake``, else in camelCase."""
    return name if getattr(shape, "snake", False) else camel(name)


def _several(given: Any) -> Any:
    """Take one for a list of one."""
    return [given] if isinstance(given, str | int) and not isinstance(given, bool) else given
