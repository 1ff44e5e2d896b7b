"""A report's contents as they may be written: each text by itself without our blocks, private parts and secrets, and cut."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from hookclaw_py import text as words
from hookclaw_py.privacy import fields
from hookclaw_py.privacy.marked import covered, without_marked
from hookclaw_py.privacy.own_blocks import strip_own_blocks
from hookclaw_py.privacy.redaction import REDACTED, redact

MOST_CHARS = 16_000
"""Of one text; of a longer one the first 9,600 and the last 4,800 characters are kept."""
_FIRST, _LAST = 9_600, 4_800
_AT_A_BLANK = 200  # characters that a cut may move, so that no word is torn
_DEEPEST, _WIDEST = 8, 200
_TEXT_PARTS = frozenset({"text", "output_text"})


def cleaned(value: Any, private: Collection[str] = ()) -> Any:
    """Return JSON without what is nobody's business; ``private`` is what was so in the turn's prompt, and may come back."""
    return _cleaned(value, private, _DEEPEST)


def _cleaned(value: Any, private: Collection[str], deeper: int, *, is_pair: bool = False, command: str = "") -> Any:
    if isinstance(value, str):
        return clean_text(value, private)
    if value is None or isinstance(value, bool | int | float):
        return value
    if not deeper:
        return "…"
    if isinstance(value, dict):
        told = {str(name): one for name, one in list(value.items())[:_WIDEST]}
        secret = fields.secret_fields(told)
        return {
            clean_text(name, private): _hidden(
                one, private, deeper - 1, numbers=fields.is_chosen(name) or not isinstance(one, dict | list | tuple)
            )
            if name in secret
            else _cleaned(one, private, deeper - 1, command=fields.command_of(told, name))
            for name, one in told.items()
        }
    if isinstance(value, list | tuple):
        several = list(value[:_WIDEST])
        hidden, pairs = fields.secret_places(several, is_pair=is_pair), fields.are_pairs(several)
        if all(isinstance(one, str) for one in several):
            several = list(fields.without_secrets(several, command))
        return [
            _hidden(one, private, deeper - 1, numbers=True)
            if place in hidden
            else _cleaned(one, private, deeper - 1, is_pair=pairs)
            for place, one in enumerate(several)
        ]
    return "…"


def _hidden(value: Any, private: Collection[str], deeper: int, *, numbers: bool) -> Any:
    """Return a secret as it may be written: of one with parts what says something about it stays."""
    if isinstance(value, str):
        return REDACTED if value else value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, dict) and deeper:
        return {
            clean_text(str(name), private): _cleaned(one, private, deeper - 1)
            if str(name).casefold() in fields.ABOUT
            else _hidden(one, private, deeper - 1, numbers=numbers)
            for name, one in list(value.items())[:_WIDEST]
        }
    if isinstance(value, list | tuple) and deeper:
        return [_hidden(one, private, deeper - 1, numbers=numbers) for one in value[:_WIDEST]]
    return value if isinstance(value, int | float) and not numbers else REDACTED


def clean_text(text: str, private: Collection[str] = ()) -> str:
    """Return one text without our blocks, private parts and secrets, cut to ``MOST_CHARS``."""
    return cut(clean_whole(text, private))


def clean_whole(text: str, private: Collection[str] = ()) -> str:
    """Return one text without our blocks, private parts and secrets, however long it is."""
    bare = without_marked(strip_own_blocks(text)).text
    return redact(covered(words.encodable(bare), private))


def cut(text: str) -> str:
    """Return the beginning and the end of a long text, with a line between them that says how much is left out."""
    if len(text) <= MOST_CHARS:
        return text
    first, last = text[:_FIRST], text[-_LAST:]
    head = re.sub(r"\S*\Z", "", first[-_AT_A_BLANK:])
    tail = re.sub(r"\A\S*", "", last[:_AT_A_BLANK])
    first = first[:-_AT_A_BLANK] + head if head else first
    last = tail + last[_AT_A_BLANK:] if tail else last
    return f"{first}\n[… {len(text) - len(first) - len(last):,} characters left out …]\n{last}"


def text_of_result(result: Any) -> str:
    """Return what a tool said as one text: a text itself, the text parts of its content, or its own fields for output."""
    if isinstance(result, str):
        return result
    if isinstance(result, dict):
        for name in ("content", "stdout", "output", "text", "result"):
            if name in result and (said := text_of_result(result[name])):
                errors = result.get("stderr")
                return f"{said}\n{errors}" if name == "stdout" and isinstance(errors, str) and errors else said
        stderr = result.get("stderr")
        return stderr if isinstance(stderr, str) else ""
    if isinstance(result, list):
        parts = [part if isinstance(part, str) else _part(part) for part in result]
        return "\n".join(filter(None, parts))
    return ""


def _part(part: Any) -> str:
    if isinstance(part, dict) and part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str):
        return str(part["text"])
    return ""
