"""Make sessions, as OpenClaw records them, of diaries as people write them: ``python -m eval.make_diaries FOLDER …``.

A diary is written as text, one turn a line; what is committed and measured is what the host would have recorded of it: one
file of JSON lines a session, with tool calls and their results, and a register that names each session's key.
``data/diaries/README.md`` tells the form.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

_HEAD = re.compile(r"@ (\S+ \S+) (\S+)")
_SAID = re.compile(r"([UA]) (\d\d):(\d\d): (.*)")
_CALL = re.compile(r"T (\w+) (\{.*\})")
_ENDED = re.compile(r"= (ok|fail (\d+))")
_SECONDS_EACH = 5


class _Writer:
    """One session on its way: its events, each below the one before."""

    def __init__(self, name: str, start: datetime) -> None:
        self.name, self.at, self.parent = name, start, ""
        self.events: list[dict[str, Any]] = []
        self.calls: list[dict[str, Any]] = []
        self._add({"type": "session", "version": 3, "cwd": "/home/agent/workspace"})

    def _add(self, event: dict[str, Any]) -> None:
        key = f"{self.name} {len(self.events)}".encode()
        told = {
            "id": blake2b(key, digest_size=4).hexdigest(),
            "parentId": self.parent or None,
            "timestamp": _iso(self.at),
        }
        if event["type"] == "session":
            told["id"] = self.name
        else:
            self.parent = told["id"]
        self.events.append({"type": event.pop("type"), **told, **event})

    def said(self, role: str, hour: int, minute: int, text: str) -> None:
        at = self.at.replace(hour=hour, minute=minute, second=0)
        while at <= self.at - timedelta(minutes=1):  # past midnight
            at += timedelta(days=1)
        self.at = max(at, self.at + timedelta(seconds=1))
        self._message({"role": role, "content": [{"type": "text", "text": text}]})

    def called(self, tool: str, arguments: dict[str, Any]) -> None:
        self.at += timedelta(seconds=_SECONDS_EACH)
        call = {"type": "toolCall", "id": f"call_{self.name}_{len(self.calls)}", "name": tool, "arguments": arguments}
        self.calls.append(call)
        self._message({"role": "assistant", "content": [call], "stopReason": "toolUse"})

    def ended(self, code: int, output: str) -> None:
        self.at += timedelta(seconds=_SECONDS_EACH)
        call = self.calls[-1]
        text = f"{output}\n\n(Command exited with code {code})".lstrip() if code else output
        details = {"status": "completed", "exitCode": code} if call["name"] == "exec" else {}
        self._message(
            {
                "role": "toolResult",
                "toolCallId": call["id"],
                "toolName": call["name"],
                "content": [{"type": "text", "text": text}],
                "details": details,
                "isError": bool(code) and call["name"] != "exec",
            }
        )

    def compacted(self) -> None:
        self.at += timedelta(seconds=_SECONDS_EACH)
        self._add({"type": "compaction", "summary": "", "tokensBefore": 0})

    def _message(self, message: dict[str, Any]) -> None:
        self._add({"type": "message", "message": {**message, "timestamp": int(self.at.timestamp() * 1000)}})


def session(name: str, text: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the key of a session and its events.

    Raises:
        ValueError: if a line is none of a diary's.
    """
    first, *rest = text.splitlines()
    head = _HEAD.fullmatch(first)
    if not head:
        raise ValueError(f"{name}: the first line must be '@ DATE TIME KEY', not {first!r}")
    writer = _Writer(name, datetime.fromisoformat(head[1]).replace(tzinfo=UTC))
    for what, given in _entries(name, rest):
        if what == "said":
            role, hour, minute, said = given
            writer.said({"U": "user", "A": "assistant"}[role], int(hour), int(minute), said)
        elif what == "called":
            writer.called(*given)
        elif what == "ended":
            writer.ended(*given)
        else:
            writer.compacted()
    return head[2], writer.events


def _entries(name: str, lines: list[str]) -> Iterator[tuple[str, Any]]:
    at = 0
    while at < len(lines):
        line, at = lines[at], at + 1
        if said := _SAID.fullmatch(line):
            text = [said[4]]
            while at < len(lines) and lines[at].startswith("  "):
                text.append(lines[at][2:])
                at += 1
            yield "said", (said[1], said[2], said[3], "\n".join(text))
        elif call := _CALL.fullmatch(line):
            yield "called", (call[1], json.loads(call[2]))
        elif ended := _ENDED.fullmatch(line):
            output = []
            while at < len(lines) and lines[at].startswith(">"):
                output.append(lines[at][2:])
                at += 1
            yield "ended", (int(ended[2] or 0), "\n".join(output))
        elif line == "C":
            yield "compacted", None
        elif line.strip():
            raise ValueError(f"{name}: not a line of a diary: {line!r}")


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def make(folder: Path) -> int:
    """Write the sessions of a diary's folder ``written`` as OpenClaw would have them, to ``sessions``; return how many."""
    (folder / "sessions").mkdir(exist_ok=True)
    keys = {}
    for file in sorted((folder / "written").glob("*.txt")):
        key, events = session(f"{folder.name}-{file.stem}", file.read_text(encoding="utf-8"))
        lines = (json.dumps(event, ensure_ascii=False) for event in events)
        (folder / "sessions" / f"{file.stem}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        keys[file.stem] = key
    (folder / "sessions" / "keys.json").write_text(json.dumps(keys, indent=1) + "\n", encoding="utf-8")
    return len(keys)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(make(Path(name)), "sessions")
