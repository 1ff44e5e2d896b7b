"""Tool ``message``: what agents write to each other."""

from __future__ import annotations

from typing import Any

from hookclaw_py.doors.answers import message_fields
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.tools.asked import AgentMessages
from hookclaw_py.doors.tools.desk import ToolDesk
from hookclaw_py.messages.post import MessageRefused, Post, Refusal
from hookclaw_py.model.message import MessageType

_CODES = {
    Refusal.INVALID: Code.INVALID_PARAMS,
    Refusal.NOT_FOUND: Code.NOT_FOUND,
    Refusal.FORBIDDEN: Code.FORBIDDEN,
}


def message(desk: ToolDesk, asked: AgentMessages) -> dict[str, Any]:
    """Send, fetch or mark messages, or hear of a channel, as the agent that the host says.

    Raises:
        WireError: saying what is wrong, where, and what to do.
    """
    desk.of_caller(asked.instance_id)
    desk.for_owner("message")
    if desk.messaging is None:
        raise WireError(Code.UNAVAILABLE, "no messages are carried here")
    try:
        done = _done(desk, desk.messaging.post(), asked)
    except MessageRefused as error:
        raise WireError(_CODES[error.kind], str(error)) from None
    if asked.action == "send":
        desk.messaging.sent()
    return done


def _done(desk: ToolDesk, post: Post, asked: AgentMessages) -> dict[str, Any]:
    agent, now = desk.engine.agent, desk.now
    match asked.action:
        case "send":
            number, reached = post.send(
                agent,
                asked.content,
                now=now,
                to=asked.to_instance,
                type=asked.message_type or MessageType.MESSAGE,
                subject=asked.subject,
                channel=asked.channel,
                priority=asked.priority,
                expires_at=asked.expires_at,
            )
            return {"success": True, "id": number, "receivers": reached}
        case "get":
            found = post.get(
                agent,
                now=now,
                unread_only=asked.unread_only,
                channel=asked.channel,
                type=asked.message_type,
                limit=asked.limit,
            )
            return {"count": len(found), "messages": [message_fields(one) for one in found]}
        case "mark_read" | "mark_unread":
            post.mark(agent, asked.message_id, read=asked.action == "mark_read", now=now)
            return {"message": f"message {asked.message_id} is {asked.action.removeprefix('mark_')}"}
        case "subscribe":
            news = post.subscribe(agent, asked.channel)
            return {"message": f"{'subscribed' if news else 'was subscribed'} to {asked.channel}"}
        case _:
            known = post.unsubscribe(agent, asked.channel)
            return {"message": f"{'unsubscribed' if known else 'was not subscribed'} from {asked.channel}"}
