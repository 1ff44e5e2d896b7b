"""Document: a gateway's configuration text (JSON5), read and changed so that comments and layout stay."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from hookclaw_py.errors import HookclawError


class DocumentError(HookclawError):
    """The text is no JSON5 object, or has something else where an object is needed."""


class _Member(NamedTuple):
    """Where an object's member stands in the text: from its key to the end of its value."""

    key: str
    start: int
    value: Any
    value_start: int
    end: int


def parse(text: str) -> dict[str, Any]:
    """Return the values.

    Raises:
        DocumentError: if the text is no JSON5 object.
    """
    try:
        values = json.loads(text)
    except ValueError:  # comments, single quotes, trailing commas: slower to read
        values = _json5(text)
    if not isinstance(values, dict):
        raise DocumentError("the configuration is not an object")
    return values


def is_plain_json(text: str) -> bool:
    """Say whether nothing is lost when a program writes the text anew: no comments, no JSON5."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def put(text: str, path: tuple[str, ...], value: Any) -> str:
    """Return the text with ``value`` at ``path``, everything else untouched; objects on the way are made.

    Raises:
        DocumentError: if the text is no JSON5 object, or something on the way is not one.
    """
    start, members = _object_at(text, ())
    for depth, key in enumerate(path):
        found = next((m for m in reversed(members) if m.key == key), None)
        rest = path[depth + 1 :]
        if found is None:
            return _inserted(text, start, key, _nested(rest, value), depth + 1, first=not members)
        if not rest:
            return text[: found.value_start] + _written(value, depth + 1) + text[found.end :]
        start, members = _object_at(text, path[: depth + 1])
    return text


def drop(text: str, path: tuple[str, ...]) -> str:
    """Return the text without the member at ``path`` and its comma; unchanged when there is none."""
    *parents, key = path
    try:
        _, members = _object_at(text, tuple(parents))
    except KeyError:
        return text
    at = next((i for i, m in enumerate(members) if m.key == key), None)
    if at is None:
        return text
    start, end = members[at].start, members[at].end
    comma = re.compile(r"(?:\s++|//[^\n]*+|/\*.*?\*/)*+,", re.DOTALL).match(text, end)
    if comma:
        end = comma.end()
    elif at > 0:  # the last one takes the comma before it along
        start = members[at - 1].end
    else:
        while start > 0 and text[start - 1] in " \t\r\n":
            start -= 1
    if comma:
        while start > 0 and text[start - 1] in " \t":
            start -= 1
        if start > 0 and text[start - 1] == "\n" and (end == len(text) or text[end] in "\r\n"):
            start -= 1
    return text[:start] + text[end:]


def _inserted(text: str, start: int, key: str, value: Any, depth: int, *, first: bool) -> str:
    """Put a member right after the brace at ``start``: nothing that is there has to move."""
    indent = "  " * depth
    ending = f"\n{'  ' * (depth - 1)}" if first and text[start + 1 :].lstrip(" \t\r\n").startswith("}") else ""
    return f"{text[: start + 1]}\n{indent}{json.dumps(key)}: {_written(value, depth)}{'' if first else ','}{ending}{text[start + 1 :]}"


def _nested(keys: tuple[str, ...], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _written(value: Any, depth: int) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + "  " * depth)


def _object_at(text: str, path: tuple[str, ...]) -> tuple[int, list[_Member]]:
    """Return where the object at ``path`` opens, and its members. KeyError when there is nothing."""
    node, lines = _model(text).value, _line_starts(text)
    start = lines[node.lineno - 1] + node.col_offset
    members = _members(node, lines)
    for key in path:
        found = next((m for m in reversed(members) if m.key == key), None)
        if found is None:
            raise KeyError(key)
        start, members = found.value_start, _members(found.value, lines)
    return start, members


def _members(node: Any, lines: list[int]) -> list[_Member]:
    if not hasattr(node, "key_value_pairs"):
        raise DocumentError(f"line {node.lineno}: an object is needed here")
    members = []
    for pair in node.key_value_pairs:
        value_start = lines[pair.value.lineno - 1] + pair.value.col_offset
        end = lines[pair.value.end_lineno - 1] + pair.value.end_col_offset
        name = str(getattr(pair.key, "characters", None) or getattr(pair.key, "name", ""))
        start = lines[pair.key.lineno - 1] + pair.key.col_offset
        members.append(_Member(name, start, pair.value, value_start, end))
    return members


def _line_starts(text: str) -> list[int]:
    return [0, *(m.end() for m in re.finditer("\n", text))]


def _model(text: str) -> Any:
    from json5.loader import ModelLoader, loads
    from json5.utils import JSON5DecodeError

    try:
        return loads(text, loader=ModelLoader())
    except JSON5DecodeError as error:
        raise DocumentError(f"the configuration is not JSON5: {error}") from None


def _json5(text: str) -> Any:
    import json5
    from json5.utils import JSON5DecodeError

    try:
        return json5.loads(text)
    except JSON5DecodeError as error:
        raise DocumentError(f"the configuration is not JSON5: {error}") from None


def value_at(values: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """Return what is at ``path``; None when there is nothing."""
    node: Any = values
    for key in path:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node
