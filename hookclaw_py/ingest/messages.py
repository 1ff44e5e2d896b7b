"""What a host's messages say: the recent conversation, the answer of a turn, and which memories are already in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hookclaw_py.model.types import Message

_TOOL_CALLS = ("toolCall", "tool_use")
_LONGEST_ARGUMENT = 20_000  # characters: a whole file written is no more telling than its beginning
_DEEPEST = 8


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


def recent(
    messages: Sequence[Mapping[str, Any]], *, unwrap: Callable[[str], str], count: int, max_chars: int
) -> tuple[Message, ...]:
    """Return the last ``count`` things that user and assistant said, without envelopes and our own blocks."""
    said: list[Message] = []
    for message in reversed(messages):
        if message.get("role") in ("user", "assistant") and (text := unwrap(text_of(message)).strip()):
            said.append(Message(str(message["role"]), text[:max_chars]))
        if len(said) == count:
            break
    return tuple(reversed(said))


def answer_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return what the assistant said and what it asked of its tools after the last user message."""
    done: list[str] = []
    for message in reversed(messages):
        if message.get("role") == "user" and not _is_tool_result(message):
            break
        if message.get("role") == "assistant":
            done.append("\n".join(filter(None, (text_of(message), *_tool_arguments(message)))))
    return "\n\n".join(filter(None, reversed(done)))


def _tool_arguments(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield the arguments of each tool call, one value a line: ``toolCall``, ``tool_use`` or ``tool_calls``."""
    content, calls = message.get("content"), message.get("tool_calls")
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") in _TOOL_CALLS:
            yield "\n".join(_values(part.get("arguments", part.get("input"))))
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and isinstance(call.get("function"), dict):
            yield "\n".join(_values(call["function"].get("arguments")))


def _values(argument: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(argument, str):
        yield argument[:_LONGEST_ARGUMENT]
    elif isinstance(argument, int | float) and not isinstance(argument, bool):
        yield str(argument)
    elif isinstance(argument, dict | list) and depth < _DEEPEST:
        for value in argument.values() if isinstance(argument, dict) else argument:
            yield from _values(value, depth + 1)


def _is_tool_result(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(part, dict) and part.get("type") == "tool_result" for part in content)
    )
