"""``hookclaw message``: what agents write to each other."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from hookclaw_py.cli.opening import agent_of, config_of, json_option
from hookclaw_py.insight.terminal import say

if TYPE_CHECKING:
    from hookclaw_py.messages.post import Post
    from hookclaw_py.model.message import Received


@click.group()
def message() -> None:
    """Messages between agents: send one, list an agent's, read one."""


@message.command("send")
@click.argument("to")
@click.argument("words", nargs=-1, required=True)
@click.option("--subject", default="", help="What it is about, in a few words; an agent that is woken is told that.")
@click.option(
    "--type",
    "kind",
    default="message",
    show_default=True,
    help="handoff, status, question, fyi, context, event, message.",
)
@click.option("--channel", default="", help="To who hears of it, if TO is all.")
@click.option("--priority", type=int, default=0, show_default=True, help="0 to 10.")
@click.option("--expires", default="", metavar="TIME", help="When it is deleted, as 2026-03-01T12:00:00Z.")
@click.pass_context
def send(
    ctx: click.Context,
    to: str,
    words: tuple[str, ...],
    subject: str,
    kind: str,
    channel: str,
    priority: int,
    expires: str,
) -> None:
    """Send WORDS ("-" reads them from stdin) to agent TO, or to all, as the agent that --agent names."""
    from datetime import UTC, datetime

    text = sys.stdin.read() if words == ("-",) else " ".join(words)
    post = _post(ctx)
    number, reached = post.send(
        agent_of(ctx), text, to=to, type=kind, subject=subject, channel=channel, priority=priority, expires_at=expires,
        now=datetime.now(UTC),
    )  # fmt: skip
    say(f"message {number} is on its way to {reached} agent{'' if reached == 1 else 's'}")


@message.command("list")
@click.option("--all", "with_read", is_flag=True, help="Also what the agent has read.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many.")
@json_option
@click.pass_context
def list_messages(ctx: click.Context, with_read: bool, limit: int, as_json: bool) -> None:
    """List an agent's unread messages, the most pressing first; to look changes nothing."""
    from datetime import UTC, datetime

    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.messages.wording import called, subject_of

    found = _post(ctx).mail.inbox(agent_of(ctx), now=datetime.now(UTC), unread_only=not with_read, limit=limit)
    if as_json:
        say(as_plain([_fields(one) for one in found]))
        return
    for one in found:
        state = "read" if one.read else "delivered" if one.delivered else "waits"
        subject = subject_of(one.message)
        say(f"{one.message.at:%Y-%m-%d %H:%M}  {state:<9}  {called(one.message)}{f': {subject}' if subject else ''}")
    if not found:
        say(f"no {'' if with_read else 'unread '}messages for {agent_of(ctx)}", err=True)


@message.command("read")
@click.argument("number", metavar="ID", type=int)
@click.pass_context
def read(ctx: click.Context, number: int) -> None:
    """Print a message; for its agent it counts as read then."""
    from datetime import UTC, datetime

    from hookclaw_py.messages.wording import called, words_of

    found = _post(ctx).read(agent_of(ctx), number, now=datetime.now(UTC)).message
    say(
        f"{called(found)}, {found.at:%Y-%m-%d %H:%M} UTC; {words_of(found)}\n{found.subject}\n\n{found.content}".replace(
            "\n\n\n", "\n\n"
        )
    )


def _post(ctx: click.Context) -> Post:
    """Open the messages.

    Raises:
        StoreError: if they cannot be opened, or there is no such agent.
    """
    from hookclaw_py.errors import StoreError
    from hookclaw_py.messages import opening

    post = opening.open_post(config_of(ctx))
    if agent_of(ctx) not in (known := post.agents() | {"main"}):
        raise StoreError(f"no agent {agent_of(ctx)!r}; known are {', '.join(sorted(known))}")
    return post


def _fields(one: Received) -> dict[str, Any]:
    from hookclaw_py.doors.answers import message_fields

    return message_fields(one)
