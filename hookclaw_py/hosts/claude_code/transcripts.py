"""Claude Code's transcripts: which projects there are, and what was said and done in their sessions, as its hooks would have told it.

A session is a file of JSON lines, ``projects/<folder, written with dashes>/<session id>.jsonl`` in Claude Code's folder; which project it is of
says the ``cwd`` of its first entry. Left out are sub-agents, what Claude Code itself put into the conversation (commands and
their output, notices, summaries of a compaction), and what a session that took up another one repeats of it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from hookclaw_py.errors import IndexingError
from hookclaw_py.hosts.claude_code.hook import agent_id
from hookclaw_py.ingest.spoken import TranscriptEvent
from hookclaw_py.ingest.transcripts import Recorded, read_lines
from hookclaw_py.regex import regex

_HOST_SAID = regex(
    r"\s*(?:<(?:command-|local-command-|bash-|task-notification|user-memory-input)|\[Request interrupted by user)"
)
_BESIDE = regex(r"\s*<(?:ide_|system-reminder)")
"""Parts of a prompt that are not the person's."""


class Project(NamedTuple):
    """A folder that Claude Code worked in, the agent whose memory it is, and its sessions, the earliest first."""

    folder: str
    agent: str
    sessions: Sequence[Recorded]


def projects(own: Path) -> list[Project]:
    """Return the projects with recorded sessions; ``own`` is Claude Code's folder of this person.

    Raises:
        IndexingError: if there is none, or it cannot be listed.
    """
    try:
        files = [(file, file.stat()) for file in (own / "projects").glob("*/*.jsonl") if file.is_file()]
    except OSError as error:
        raise IndexingError(f"{own}: {error.strerror}; set CLAUDE_CONFIG_DIR to Claude Code's folder") from error
    if not (own / "projects").is_dir():
        raise IndexingError(f"{own} holds no sessions of Claude Code; set CLAUDE_CONFIG_DIR to its folder")
    found: dict[str, list[Recorded]] = defaultdict(list)
    seen: dict[str, set[str]] = defaultdict(set)  # of each project: of a session that goes on in a file of its own
    for file, status in sorted(files, key=lambda one: (one[1].st_mtime_ns, one[0])):
        if folder := _folder_of(file):
            events = partial(_events, file, folder, seen[folder])
            found[folder].append(Recorded(str(file), (file.stem,), "", "", events, status.st_size, status.st_mtime_ns))
    return [Project(folder, agent_id(folder), sessions) for folder, sessions in sorted(found.items())]


def _folder_of(file: Path) -> str:
    """Return where the session of a file began; "" if it does not say so, or is a sub-agent's."""
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                entry = _entry(line)
                if isinstance(entry.get("cwd"), str):
                    return "" if entry.get("isSidechain") else str(entry["cwd"])
    except OSError:
        return ""  # reading it as a session says why
    return ""


def _entry(line: str) -> Mapping[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _events(file: Path, folder: str, seen: set[str], broken: list[int]) -> list[TranscriptEvent]:
    """Return the events of a session as those of a gateway's are written."""
    told = [TranscriptEvent(0, {"type": "session", "cwd": folder})]
    for line, entry in read_lines(file, broken):
        name = entry.get("uuid") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or entry.get("isSidechain") or name in seen:
            continue
        if isinstance(name, str):
            seen.add(name)
        said = {"id": name, "parentId": entry.get("parentUuid"), "timestamp": entry.get("timestamp")}
        told += [TranscriptEvent(line, {**said, **event}) for event in _of_entry(entry)]
    return told


def _of_entry(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if entry.get("type") == "system" and entry.get("subtype") == "compact_boundary":
        yield {"type": "compaction"}
        return
    message = entry.get("message")
    set_aside = entry.get("isMeta") or entry.get("isCompactSummary") or entry.get("isApiErrorMessage")
    if not isinstance(message, dict) or set_aside or entry.get("type") not in ("user", "assistant"):
        yield {"type": str(entry.get("type"))}  # what hangs below it goes on
        return
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    parts = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    if entry["type"] == "assistant":
        yield {"type": "message", "message": {"role": "assistant", "content": list(map(_of_part, parts))}}
        return
    results = [part for part in parts if part.get("type") == "tool_result"]
    for part in results:
        yield {"type": "message", "message": _result(part, entry.get("toolUseResult") if len(results) == 1 else None)}
    said = [part for part in parts if part.get("type") == "text" and not _BESIDE.match(str(part.get("text")))]
    if said and not results and not _HOST_SAID.match(str(said[0].get("text"))):
        yield {"type": "message", "message": {"role": "user", "content": said}}


def _of_part(part: Mapping[str, Any]) -> Mapping[str, Any]:
    if part.get("type") != "tool_use":
        return part
    return {"type": "toolCall", "id": part.get("id"), "name": part.get("name"), "arguments": part.get("input")}


def _result(part: Mapping[str, Any], told: Any) -> dict[str, Any]:
    content = part.get("content")
    text = [{"type": "text", "text": content}] if isinstance(content, str) else content
    details = told if isinstance(told, dict) else {}
    interrupted = {"status": "failed"} if details.get("interrupted") is True else {}
    result = {"role": "toolResult", "toolCallId": part.get("tool_use_id"), "content": text, "details": interrupted}
    return {**result, "isError": part.get("is_error") is True}
