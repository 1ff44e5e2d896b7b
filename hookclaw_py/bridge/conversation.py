"""What a host's messages say: the recent conversation, the answer of a turn, and which memories are already in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hookclaw_py.stages.envelope import unwrap
from hookclaw_py.types import Message


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a message whose ``content`` is a string or a list of parts; "" when it has none."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(_texts(content))


def _texts(parts: Iterable[Any]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]


def recent(messages: Sequence[Mapping[str, Any]], *, count: int, max_chars: int) -> tuple[Message, ...]:
    """Return the last ``count`` things that user and assistant said, without envelopes and our own blocks."""
    said: list[Message] = []
    for message in reversed(messages):
        if message.get("role") in ("user", "assistant") and (text := unwrap(text_of(message)).strip()):
            said.append(Message(str(message["role"]), text[:max_chars]))
        if len(said) == count:
            break
    return tuple(reversed(said))


def answer_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return what the assistant said after the last user message."""
    said: list[str] = []
    for message in reversed(messages):
        if message.get("role") == "user":
            break
        if message.get("role") == "assistant":
            said.append(text_of(message))
    return "\n\n".join(filter(None, reversed(said)))
