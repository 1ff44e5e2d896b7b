"""Which tool calls are captured: not those about the work itself, and not those that read secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from fnmatch import fnmatch
from typing import Any, NamedTuple

from hookclaw_py.patterns import composed
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
_ARGUMENT_NAMES = frozenset({"args", "argv", "arguments"})
_MOST_COMMAND = 20_000
_LONGEST_PATH = 1000
_DEEPEST = 4  # commands in the quotes of a command
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
_SPELLED = regex(r"""(?:[^\s"'`=<>|;&(),:\\]|\\.|"(?:[^"\\]|\\.)*+"|'[^']*+')++""")
"""A word as a shell reads it, with its quotes."""
_QUOTED = regex(r""""((?:[^"\\]|\\.)*+)"|'([^']*+)'|\\(.)""", re.DOTALL)
_ENDS = regex(r"[;&|()\n]")
_GOES = frozenset({"cd", "pushd", "-C"})


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
    """Say whether a call was made in one of these folders, or names something in one, as a shell would read it."""
    if not folders:
        return False
    excluded = _all_places(folders)
    named = dict.fromkeys([(call.cwd, ""), *_named(call)])
    return any(_lies_in(place, excluded) for base, path in named for place in _places(path, base))


def is_within(path: str, folders: Sequence[str]) -> bool:
    """Say whether a path is one of these folders or lies in one; ``~`` is the home of who runs this, and links are followed."""
    return bool(path and folders) and any(_lies_in(place, _all_places(folders)) for place in _places(path))


def _named(call: Request) -> Iterator[tuple[str, str]]:
    """Yield what a call may name, each with the folder that it is named in."""
    for name, value in _leaves(call.input):
        if name in _COMMAND_NAMES or name in _ARGUMENT_NAMES:
            yield from _named_in(value[:_MOST_COMMAND], call.cwd)
        if name not in _COMMAND_NAMES and _may_be_path(value):
            yield call.cwd, value


def _named_in(command: str, cwd: str, deeper: int = _DEEPEST) -> Iterator[tuple[str, str]]:
    """Yield the words of a command, each in the folder where it began and where it has gone by ``cd``, and those in quotes."""
    here, goes, end = cwd, False, 0
    for found in _SPELLED.finditer(command):
        if goes and _ENDS.search(command, end, found.start()):
            here, goes = "~", False
        word, end = _QUOTED.sub(lambda part: part[part.lastindex or 0], found[0]), found.end()
        yield from ((cwd, word), (here, word))
        if word != found[0] and deeper:
            yield from _named_in(word, here, deeper - 1)
        if goes and not word.startswith("-") and len(here) <= _LONGEST_PATH:
            here, goes = os.path.join(_expanded(here), _expanded(word)), False
        goes = goes or word in _GOES


def _all_places(folders: Sequence[str]) -> list[str]:
    return [place for folder in folders for place in _places(folder)]


def _places(path: str, base: str = "") -> set[str]:
    """Return where a path leads: as it is written, and where the links in it lead."""
    whole = os.path.normpath(os.path.join(_expanded(base), _expanded(path)))
    try:
        leads_on = os.path.isabs(whole) and (os.sep in path or os.path.lexists(whole))
        return {composed(whole), composed(os.path.realpath(whole) if leads_on else whole)}
    except ValueError:  # no path at all
        return {whole}


def _expanded(path: str) -> str:
    return os.path.expanduser(os.path.expandvars(path.removeprefix("file://")))


def _lies_in(place: str, folders: Sequence[str]) -> bool:
    return any(place == folder or place.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)


def is_secret(path: str, more: Sequence[str]) -> bool:
    """Say whether a path names what is never kept: keys, keychains, environments, and what ``more`` patterns name."""
    path, more = composed(path), [*map(composed, more)]
    parts = re.split(r"[\\/]+", path)
    return any(_SECRET_PARTS.fullmatch(part) for part in parts) or any(
        fnmatch(path, pattern) or any(fnmatch(part, pattern) for part in parts) for pattern in more
    )


def _may_be_path(value: str) -> bool:
    return 0 < len(value) <= _LONGEST_PATH and "\n" not in value


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(one, str(key).casefold())
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, name)
