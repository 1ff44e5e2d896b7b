"""What a program tells over HTTP of a session: prompts, tool calls, answers, its end. They go the way of all that hosts report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookclaw_py.doors.call import Call
from hookclaw_py.doors.requests import Capture
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.web import asked
from hookclaw_py.web.desk import Desk, NotThere, WebReply

HOST = "http"


def begin(desk: Desk, wanted: asked.BeginPrompt) -> dict[str, Any]:
    """Tell of a prompt; its number counts the session's, unless it is given: the same number told again is kept once."""
    known = len(desk.store.happenings(wanted.session, kinds=[HappeningKind.PROMPT]))
    number = wanted.prompt_number or known + 1
    told = _tell(
        desk, wanted.session, HappeningKind.PROMPT, f"prompt-{number}", {"text": wanted.user_prompt}, wanted.project
    )
    skipped = told.get("skippedReason")
    return {"success": True, "session_id": wanted.session, "prompt_number": number, "skipped": bool(skipped)} | (
        {"skipped_reason": skipped} if skipped else {}
    )


def tool_call(desk: Desk, wanted: asked.TellToolCall) -> WebReply:
    """Tell of a tool call that the session's last prompt led to."""
    result = wanted.tool_result if wanted.tool_result is not None else wanted.tool_response
    payload = {"tool": wanted.tool_name, "input": wanted.tool_input, "result": result, "cwd": wanted.project}
    if wanted.error:
        payload["error"] = wanted.error
    run = _last(desk, wanted.session).run
    told = _tell(
        desk, wanted.session, HappeningKind.TOOL_CALL, run, payload, wanted.project, call=wanted.correlation_id
    )
    if not told["queued"]:
        return WebReply({"queued": False, "skipped_reason": told.get("skippedReason", "")})
    body = {"success": True, "queued": True, "queue_id": told.get("queueId", "")}
    return WebReply(body | ({"duplicate": True} if told.get("duplicate") else {}), status=202)


def answer(desk: Desk, wanted: asked.TellAnswer) -> WebReply:
    """Tell what was answered; a session that nobody has begun is not there."""
    run = _last(desk, wanted.session).run
    told = _tell(desk, wanted.session, HappeningKind.ANSWER, run, {"text": wanted.last_assistant_message}, "")
    if not told["queued"]:
        return WebReply({"success": True, "summary_queued": False, "skipped_reason": told.get("skippedReason", "")})
    return WebReply({"success": True, "summary_queued": True}, status=202)


def end(desk: Desk, wanted: asked.EndSession) -> dict[str, Any]:
    """Say that a session is over."""
    run = _last(desk, wanted.session).run
    _tell(desk, wanted.session, HappeningKind.SESSION_END, run, {"reason": wanted.reason}, "")
    return {"success": True, "completed": True}


def _last(desk: Desk, session: str) -> Happening:
    found = desk.store.happenings(session, kinds=[HappeningKind.PROMPT], newest=1)
    if not found:
        raise NotThere(f"nothing is known of session {session!r}; POST /sessions/{session}/init tells of its prompt")
    return found[-1]


def _tell(
    desk: Desk, session: str, kind: HappeningKind, run: str, payload: Mapping[str, Any], folder: str, *, call: str = ""
) -> Mapping[str, Any]:
    """Report one thing; whoever holds the token is the owner."""
    report = {
        "kind": str(kind),
        "session": session,
        "run": run,
        "call": call,
        "at": desk.now.isoformat(),
        "audience": "owner",
        "folder": folder,
        "payload": payload,
    }
    (receipt,) = desk.service.answer(Call(Capture(agent_id=desk.agent, host=HOST, reports=[report])))["receipts"]
    told: Mapping[str, Any] = receipt
    return told
