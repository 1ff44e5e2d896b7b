"""Tool calls as they are read: what was done to what, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from hookclaw_py.model.happening import Happening
from hookclaw_py.regex import regex


class Action(StrEnum):
    """What a tool call does."""

    READ = "read"
    EDIT = "edit"
    WRITE = "write"
    RUN = "run"
    LOOK_UP = "look up"
    OTHER = "other"


class ToolCall(NamedTuple):
    """One tool call: ``subject`` is the path, the command, or the address or words that were looked up.

    ``removed`` and ``added`` are what an edit took away and put there, or what was written. ``code`` is the exit code of
    a command that failed, "" where none was told.
    """

    id: str
    tool: str
    action: Action
    subject: str
    ok: bool
    code: str
    output: str
    removed: str = ""
    added: str = ""
    ms: int = 0
    arguments: tuple[str, ...] = ()


_ACTIONS = {
    Action.READ: "read read_file glob grep ls list list_directory view cat find search_files notebookread",
    Action.EDIT: "edit edit_file multiedit str_replace apply_patch patch notebookedit",
    Action.WRITE: "write create write_file create_file",
    Action.RUN: "exec bash shell run process terminal",
    Action.LOOK_UP: "web_fetch webfetch web_search websearch fetch browser",
}
_ACTION_OF = {tool: action for action, tools in _ACTIONS.items() for tool in tools.split()}
_PATHS = ("path", "file_path", "filePath", "notebook_path", "file")
_COMMANDS = ("command", "cmd", "script")
_LOOKED_UP = ("url", "query", "q")
_OLD = ("old", "old_string", "oldText", "old_str")
_NEW = ("new", "new_string", "newText", "new_str")
_CONTENT = ("content", "text", "contents")
_CODE = regex(
    r"\b(?:exit(?:ed)?(?: with)?(?: code| status)?|(?:exit|return) ?code|code)[ :=]+(\d{1,3})\b", re.IGNORECASE
)
_CODE_LINE = regex(r"\n*\(Command exited with code (\d{1,3})\)\s*$")


_PARTS = regex(r"\s*(?:&&|\|\||;)\s*")


def repeats(command: str, before: str) -> bool:
    """Say whether a command does all that one ``before`` it did, alone or among others ("make check && git push")."""
    return command == before or set(_PARTS.split(before)) <= set(_PARTS.split(command))


def call_of(happening: Happening) -> ToolCall:
    """Return a tool call as it is read from what happened; what its payload lacks is empty."""
    payload = happening.payload
    tool = _text(payload.get("tool")).strip()
    given = payload.get("input")
    arguments: Mapping[str, Any] = given if isinstance(given, dict) else {}
    action = _ACTION_OF.get(tool.casefold().replace("-", "_"), Action.OTHER)
    output, error = _text(payload.get("output")), _text(payload.get("error"))
    ended = _CODE_LINE.search(output)
    code = (ended or _CODE.search(error) or [None, ""])[1] if error or ended else ""
    ok = payload.get("ok") is not False and not error and code in ("", "0")
    removed, added = _change(arguments)
    ms = payload.get("ms")
    return ToolCall(
        id=happening.id,
        tool=tool,
        action=action,
        subject=_subject(action, arguments),
        ok=ok,
        code="" if ok else str(code or ""),
        output=(output[: ended.start()] if ended else output) or (error if not ok else ""),
        removed=removed,
        added=added,
        ms=int(ms) if isinstance(ms, int | float) and 0 <= ms < 1e12 else 0,
        arguments=tuple(sorted(str(name) for name in arguments)),
    )


def _subject(action: Action, arguments: Mapping[str, Any]) -> str:
    if action is Action.RUN:
        return _first(arguments, _COMMANDS)
    if action is Action.LOOK_UP:
        return _first(arguments, _LOOKED_UP)
    return _first(arguments, _PATHS) or _first(arguments, (*_COMMANDS, *_LOOKED_UP))


def _change(arguments: Mapping[str, Any]) -> tuple[str, str]:
    edits = arguments.get("edits")
    many = [one for one in edits if isinstance(one, dict)] if isinstance(edits, list) else []
    if many:
        return "\n".join(_first(one, _OLD) for one in many), "\n".join(_first(one, _NEW) for one in many)
    return _first(arguments, _OLD), _first(arguments, _NEW) or _first(arguments, _CONTENT)


def _first(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := arguments.get(name), str) and value), "")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
