"""What a program tells over HTTP of a session: prompts, tool calls, answers, its end. They go the way of all that hosts report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from hookclaw_py.doors.call import Call
from hookclaw_py.doors.requests import Capture
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.web import asked
from hookclaw_py.web.desk import Desk, NotThere, WebReply

HOST = "http"


def begin(desk: Desk, wanted: asked.BeginPrompt) -> dict[str, Any]:
    """Tell of a prompt. One that is told again under the same number is kept once; without one each is a prompt of its own.

    The reply counts those: two that come at the same time have a run of their own, whoever counts them.
    """
    run = f"prompt-{wanted.prompt_number or uuid4().hex}"
    told = _tell(desk, wanted.session, HappeningKind.PROMPT, run, {"text": wanted.user_prompt}, wanted.project)
    skipped = told.get("skippedReason")
    number = wanted.prompt_number or _number_of(desk, wanted.session, run)
    return (
        {"success": True, "session_id": wanted.session, "prompt_number": number, "skipped": bool(skipped)}
        | ({"skipped_reason": skipped} if skipped else {})
        | ({"duplicate": True} if told.get("duplicate") else {})
    )


def _number_of(desk: Desk, session: str, run: str) -> int:
    """Return the place of a run among the session's prompts; that of the next one if it is not kept."""
    runs = [one.run for one in desk.store.happenings(session, kinds=[HappeningKind.PROMPT])]
    return runs.index(run) + 1 if run in runs else len(runs) + 1


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
