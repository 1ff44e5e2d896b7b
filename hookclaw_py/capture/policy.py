"""Which tool calls are captured: not those about the work itself, and not those that read secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from fnmatch import fnmatch
from typing import Any, NamedTuple

from hookclaw_py.regex import regex


class Skip(StrEnum):
    """Why something is not captured, or not worked on, as the reply says it."""

    OFF = "off"
    PAUSED = "paused"
    AUDIENCE = "audience"
    AUTOMATIC = "automatic"
    EXCLUDED = "excluded"
    TOOL = "tool"
    REFUSED = "refused"
    READ = "read"
    NOISE = "noise"
    PRIVATE = "private"
    NO_PROMPT = "no prompt"
    EMPTY = "empty"
    UNREADABLE = "unreadable"


class Request(NamedTuple):
    """What a tool was asked to do, as the host tells it, and in which folder."""

    tool: str
    input: Any
    cwd: str = ""


_COMMAND_NAMES = frozenset({"command", "cmd", "script", "code"})
_MOST_COMMAND = 20_000
_SECRET_PARTS = regex(
    r"(?i)\.env(?:\.(?!example$|sample$|template$|dist$)[\w.-]+)?|\.envrc|\.ssh|\.aws|\.gnupg|\.npmrc|\.netrc|\.pypirc|\.pgpass"
    r"|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|keychains?|[\w .-]+\.(?:keychain(?:-db)?|kdbx|pem|p12|pfx)"
)
_SECRET_COMMANDS = regex(
    r"(?i)(?:^|[;&|(`\n]|\$\()[^\S\n]*+(?:sudo\s+)?(?:printenv\b|env\s*(?:$|[|>;&\n)])|set\s*(?:$|[|>\n)])|export\s+-p\b"
    r"|gpg2?\s(?:[^;&|\n]*\s)?(?:-d|--decrypt)\b|pass\s+show\b|op\s+read\b|secret-tool\s+lookup\b"
    r"|security\s+find-(?:generic|internet)-password\b)"
)
_WORDS = regex(r"[^\s\"'`=<>|;&(),:]+")


def skips_tool(tool: str, patterns: Iterable[str]) -> bool:
    """Say whether a tool is one of those that are never captured; ``*`` stands for anything, case does not matter."""
    name = tool.casefold()
    return any(fnmatch(name, pattern.casefold()) for pattern in patterns)


def reads_secrets(call: Request, more: Sequence[str] = ()) -> bool:
    """Say whether a call's arguments name a file that holds secrets, or one that ``more`` patterns name, or print them."""
    for name, value in _leaves(call.input):
        if name in _COMMAND_NAMES:
            command = value[:_MOST_COMMAND]
            if _SECRET_COMMANDS.search(command):
                return True
            paths: Iterable[str] = _WORDS.findall(command)
        else:
            paths = [value] if _may_be_path(value) else []
        if any(is_secret(path, more) for path in paths):
            return True
    return False


def lies_within(call: Request, folders: Sequence[str]) -> bool:
    """Say whether a call was made in one of these folders, or names something in one."""
    if not folders:
        return False
    named = [value for name, value in _leaves(call.input) if name not in _COMMAND_NAMES and _may_be_path(value)]
    named += [
        word
        for name, value in _leaves(call.input)
        if name in _COMMAND_NAMES
        for word in _WORDS.findall(value[:_MOST_COMMAND])
    ]
    return any(is_within(path, folders) for path in (call.cwd, *(os.path.join(call.cwd, one) for one in named)))


def is_within(path: str, folders: Sequence[str]) -> bool:
    """Say whether a path is one of these folders or lies in one; ``~`` is the home of who runs this."""
    if not path:
        return False
    whole = os.path.normpath(os.path.expanduser(path))
    return any(
        whole == folder or whole.startswith(folder.rstrip(os.sep) + os.sep)
        for folder in (os.path.normpath(os.path.expanduser(one)) for one in folders)
    )


def is_secret(path: str, more: Sequence[str]) -> bool:
    """Say whether a path names what is never kept: keys, keychains, environments, and what ``more`` patterns name."""
    parts = re.split(r"[\\/]+", path)
    return any(_SECRET_PARTS.fullmatch(part) for part in parts) or any(
        fnmatch(path, pattern) or any(fnmatch(part, pattern) for part in parts) for pattern in more
    )


def _may_be_path(value: str) -> bool:
    return 0 < len(value) <= 1000 and "\n" not in value


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(one, str(key).casefold())
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, name)
