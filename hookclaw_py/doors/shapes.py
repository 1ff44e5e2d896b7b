"""What may be sent: the types of its fields, each with what it must be, and the twin of a class that pydantic makes of them to check and describe it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, dataclass_transform, get_args, get_origin, get_type_hints

from hookclaw_py.model.kind import KINDS

if TYPE_CHECKING:
    from pydantic import BaseModel

MAX_ID = 200
MOST_MEMORIES = 20
"""That one search returns."""
MOST_LISTED = 200
"""Of a list at a time."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Sent:
    """What somebody sends: its fields are given by name and stay as they are; its docstring is what the sender reads of it."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


class Must:
    """What a value must be: ``told`` in words, and in the words of ``pydantic.Field``; of ``several`` one may stand alone."""

    __is_annotated_types_grouped_metadata__ = True  # pydantic looks into it

    def __init__(self, told: str, *, several: bool = False, **bounds: Any) -> None:
        self.told, self._several, self._bounds = told, several, bounds

    def __iter__(self) -> Iterator[Any]:
        """Yield what pydantic checks and describes."""
        from pydantic import BeforeValidator, Field

        if self._several:
            yield BeforeValidator(_several)
        yield from Field(**self._bounds).metadata


def _one_of(*words: str) -> Must:
    return Must("", pattern=f"^({'|'.join(words)})$")


Messages = Annotated[Sequence[Mapping[str, Any]], Must("an array of messages")]
"""A host's messages: ``role`` and ``content`` are read, everything else in them is the host's own affair."""
Reports = Annotated[Sequence[Mapping[str, Any]], Must("an array of objects")]
"""What happened, one by one: ``kind``, ``session`` and ``payload``, and ``run``, ``call``, ``at``, ``audience``, ``trigger``, ``folder``."""
Milliseconds = Annotated[float, Must("a number, 0 or more", ge=0, lt=1e9)]
Words = Annotated[str, Must("a text", pattern=r"\S")]
Limit = Annotated[int, Must(f"1 to {MOST_MEMORIES}", ge=1, le=MOST_MEMORIES)]
KindNames = Annotated[Sequence[Annotated[str, _one_of(*KINDS)]], Must(f"a list of {', '.join(KINDS)}")]
Names = Annotated[Sequence[str], Must(f"a list of {MOST_LISTED} names at most", max_length=MOST_LISTED)]
Numbers = Annotated[Sequence[int], Must(f"a list of {MOST_LISTED} ids at most", max_length=MOST_LISTED)]
PageSize = Annotated[int, Must(f"1 to {MOST_LISTED}", ge=1, le=MOST_LISTED)]
Count = Annotated[int, Must("a whole number, 0 or more", ge=0, le=10**9)]
Id = Annotated[str, Must(f"an id of {MAX_ID} characters at most", max_length=MAX_ID)]
Ids = Annotated[Sequence[str], Must(f"an id, or a list of {MOST_LISTED} at most", several=True, max_length=MOST_LISTED)]
Texts = Annotated[
    Sequence[str], Must(f"a text, or a list of {MOST_LISTED} at most", several=True, max_length=MOST_LISTED)
]
Share = Annotated[float, Must("0 to 1", ge=0, le=1)]
Depth = Annotated[int, Must("0 to 5", ge=0, le=5)]
"""How far links are followed."""
RelationWord = Annotated[str, Must("a word of small letters, digits and _", pattern="^[a-z][a-z0-9_]{0,39}$")]
_CHECKS = (
    *("duplicates", "stale", "orphan_edges", "missing_embeddings", "contradictions", "unlinked"),
    "cross_project_auto_links",
)
Checks = Annotated[Sequence[Annotated[str, _one_of(*_CHECKS)]], Must(f"some of {', '.join(_CHECKS)}", several=True)]
Thresholds = Annotated[Mapping[str, Annotated[float, Must("", ge=0)]], Must("an object of numbers")]
MessageAction = Literal["send", "get", "mark_read", "mark_unread", "subscribe", "unsubscribe"]
SourceType = Literal["explicit", "conversation", "inferred", "observation"]
"""How an agent came to what it saves."""
DetailLevel = Literal["summary", "verbose"]
Direction = Literal["outgoing", "incoming", "both"]
GraphMode = Literal["summary", "full"]
ChatCommandName = Literal["status", "recall", "pause", "forget"]

_PLAIN = {
    str: "a string",
    bool: "a boolean",
    int: "a whole number",
    Any: "anything",
    Mapping[str, Any]: "an object",
    str | int: "a string or an integer",
}

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
    from pydantic import ConfigDict, create_model

    types = get_type_hints(shape, include_extras=True)
    values: dict[str, Any] = {
        f.name: (types[f.name], ... if f.default is MISSING else f.default) for f in fields(shape)
    }
    strict = getattr(shape, "strict", True)
    config = ConfigDict(
        strict=strict, extra="forbid", alias_generator=lambda name: spelt(shape, name), coerce_numbers_to_str=not strict
    )
    return create_model(shape.__name__, __config__=config, __doc__=shape.__doc__, **values)


def wanted_by(shape: type[Any]) -> Mapping[str, str]:
    """Return what each field must be, in words, by the field's name on the wire."""
    types = get_type_hints(shape, include_extras=True)
    return {spelt(shape, field.name): _told(types[field.name]) for field in fields(shape)}


def _told(kind: Any) -> str:
    if NoneType in get_args(kind):
        kind = next(one for one in get_args(kind) if one is not NoneType)
    if get_origin(kind) is Literal:
        *others, last = get_args(kind)
        return f"{', '.join(others)} or {last}"
    return next((mark.told for mark in getattr(kind, "__metadata__", ())), None) or _PLAIN[kind]


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
