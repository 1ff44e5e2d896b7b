"""What Claude Code's hooks tell of a session, on its way to the resident process; if there is none, into the spool."""

from __future__ import annotations

import json
import os
from time import time

from hookclaw_py.hosts.caller import PATIENCE, Failed, NotTaken, listens, tell_of
from hookclaw_py.hosts.caller import tell as note
from hookclaw_py.hosts.claude_code import spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

HOST = "claude-code"
_MOST_TEXT = 400_000  # characters of one text: a line to the resident process has an end
_AT_ONCE, _AT_ONCE_BYTES = 50, 1 << 20


def report_of(event: dict[str, Any], project: str, answer: str = "") -> dict[str, Any] | None:
    """Return what a hook's event tells, None if nothing: sub-agents are not captured."""
    kind, payload = _told(event, answer)
    if not kind or event.get("agent_id"):
        return None
    call = str(event.get("tool_use_id") or "") if kind == "tool_call" else ""
    return {
        "kind": kind,
        "session": str(event.get("session_id") or ""),
        "call": call,
        "at": int(time() * 1000),
        "audience": "owner",
        "folder": project,
        "payload": payload,
    }


def _told(event: dict[str, Any], answer: str) -> tuple[str, dict[str, Any]]:
    match event.get("hook_event_name"):
        case "UserPromptSubmit":
            return "prompt", {"text": str(event.get("prompt") or "")[:_MOST_TEXT]}
        case "PostToolUse" | "PostToolUseFailure":
            called = {
                "tool": str(event.get("tool_name") or ""),
                "input": event.get("tool_input"),
                "result": _bounded(event.get("tool_response")),
                "cwd": str(event.get("cwd") or ""),
            }
            failed = "failed" if event.get("hook_event_name") == "PostToolUseFailure" else ""
            error = str(event.get("error") or failed)[:_MOST_TEXT]
            return "tool_call", called | ({"error": error} if error else {})
        case "Stop":
            return "answer", {"text": answer[:_MOST_TEXT]}
        case "PreCompact":
            return "compaction", {}
        case "SessionStart":
            return "session_start", {}
        case "SessionEnd":
            return "session_end", {"reason": str(event.get("reason") or "")}
    return "", {}


def _bounded(value: Any) -> Any:
    if isinstance(value, str):
        return value[:_MOST_TEXT]
    if isinstance(value, dict):
        return {name: _bounded(one) for name, one in value.items()}
    return [_bounded(one) for one in value[:200]] if isinstance(value, list) else value


def deliver(agent: str, report: dict[str, Any]) -> None:
    """Tell the resident process, what waits in the spool before; without one, or without its word that it is written, keep it."""
    if not listens():
        return spool.keep(agent, report)
    try:
        for path, waiting, lost in spool.taken():
            with spool.given_back(path):
                _tell_all(waiting, lost)
            os.unlink(path)
        _tell(agent, [report], 0)
    except (Failed, OSError):
        spool.keep(agent, report)
    return None


def _tell_all(waiting: list[dict[str, Any]], lost: int) -> None:
    """Tell what waited, in its order; what is refused together is told one by one, what is refused alone is lost."""
    for agent, batch in _batches(waiting):
        try:
            _tell(agent, batch, lost)
            lost = 0
        except NotTaken as error:
            for report in batch:
                try:
                    _tell(agent, [report], lost)
                    lost = 0
                except NotTaken:
                    lost += 1
                    note(f"a {report.get('kind')} is not captured: {error}")
    if lost:
        _tell(agent, [], lost)


def _batches(waiting: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    agent, room = "", _AT_ONCE_BYTES
    batch: list[dict[str, Any]] = []
    for one in waiting:
        size = len(json.dumps(one))
        if batch and (one["agentId"] != agent or len(batch) == _AT_ONCE or size > room):
            yield agent, batch
            batch, room = [], _AT_ONCE_BYTES
        agent, room = one["agentId"], room - size
        batch.append(one["report"])
    if batch:
        yield agent, batch


def _tell(agent: str, reports: list[dict[str, Any]], lost: int) -> None:
    tell_of({"agentId": agent, "host": HOST, "reports": reports, "lost": lost}, PATIENCE)
