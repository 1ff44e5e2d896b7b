"""Secluded: whether a note's first lines say that it is private, in YAML, TOML, JSON or by themselves, however oddly.

In doubt it is: a parser that stumbles, an end that is missing, a value that nobody foresaw.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from hookclaw_py.privacy.plain import plain
from hookclaw_py.regex import regex

NO = frozenset({"false", "no", "off", "0", "null", "none", "~", ""})
"""Of ``private`` anything else is a yes."""
_HEAD_LINES, _HEAD_CHARS = 60, 65_536
_DEEPEST = 50
_YES = "true|yes|on|1|y|t|x|ja|oui|s[ií]|是|wahr|vrai|verdadero|cierto"
_SIGN = r"(?:[^\w\n]|_)"
_ALONE = regex(rf"(?im)^{_SIGN}*+private{_SIGN}*?[:=]{_SIGN}*(?:{_YES})\b{_SIGN}*?(?:[#;/].*)?$")
"""A line that says it and nothing else: of Logseq, Org, MultiMarkdown, in a comment, in a list."""
_OPENING = regex(r"\s*(?:<!--\s*)?(?P<mark>(?P<sign>[-+;])(?P=sign){2,}|`{3,}\s*(?:ya?ml|toml|json)|\{)")
_FIELD = regex(
    r"(?im)(?<![\w-])private[\"'\]]*[^\S\n]*[:=]+(?P<value>[^,}\n]*)(?P<below>\n[^\S\n]+[^\s#][^\n]*|\n-\s[^\n]*)?"
)
_NO_FIELD = regex(r"^(?![ \t]|[-#\[\]{}]|[\w\"'.-]{1,40}(?:[ ][\w\"'.-]{1,40}){0,2}[ ]*[:=]|$)", re.MULTILINE)


def says_private(text: str) -> bool:
    """Say whether a note's head calls it private: a line of its own there, or a field of the front matter that is no clear no."""
    if "private" not in text[:_HEAD_CHARS].lower() and "\\" not in text[:_HEAD_CHARS] and text[:_HEAD_CHARS].isascii():
        return False
    head = unicodedata.normalize("NFKC", plain(text[:_HEAD_CHARS]))
    if _ALONE.search("\n".join(head.split("\n", _HEAD_LINES)[:_HEAD_LINES])):
        return True
    written = _front(head)
    return bool(written) and (any(map(_is_yes, _FIELD.finditer(written))) or _parsed_says_so(written))


def nested_private(value: Any, deeper: int = _DEEPEST) -> bool:
    """Say whether a field is called private, at any depth, and its value is no clear no."""
    if isinstance(value, dict):
        return (
            any(
                (str(key).strip().lower() == "private" and str(one).strip().lower() not in NO)
                or nested_private(one, deeper - 1)
                for key, one in value.items()
            )
            if deeper
            else True
        )
    return isinstance(value, list) and (not deeper or any(nested_private(one, deeper - 1) for one in value))


def _front(head: str) -> str:
    """Return what stands in the front matter; without an end, as far as it looks like one."""
    opening = _OPENING.match(head)
    if opening is None:
        return ""
    if opening["mark"] == "{":
        return head[opening.end() - 1 : _closed(head, opening.end())]
    rest = head[opening.end() :].partition("\n")[2]
    sign = opening["sign"] or "`"
    end = re.search(rf"^(?:{re.escape(sign)}{{3,}}|\.\.\.)[^\S\n]*$", rest, re.MULTILINE) or _NO_FIELD.search(rest)
    return rest[: end.start()] if end else rest


def _closed(head: str, at: int) -> int:
    """Return where the brace before ``at`` is closed."""
    depth = 1
    for brace in re.finditer(r"[{}]", head[at:]):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return at + brace.end()
    return len(head)


def _is_yes(field: re.Match[str]) -> bool:
    value = field["value"].partition(" #")[0].strip(" \t\"'")
    return value.lower() not in NO or (not value and field["below"] is not None)


def _parsed_says_so(written: str) -> bool:
    """Say so where a key is written with escapes, which only its own parser reads."""
    readers: tuple[Callable[[str], Any], ...] = (json.loads, tomllib.loads)
    return any(nested_private(value) for value in _read(written, readers))


def _read(written: str, readers: tuple[Callable[[str], Any], ...]) -> Iterator[Any]:
    for reader in readers:
        try:
            yield reader(written)
        except (ValueError, RecursionError):  # it is none of its kind
            continue
