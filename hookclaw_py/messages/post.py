"""The post of all agents of a home: sending, reading, channels. Who sends is who asks, and who asks sees their own alone."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from enum import Enum, auto

from hookclaw_py import text as words
from hookclaw_py.errors import HookclawError
from hookclaw_py.model.message import ALL, MOST_PRIORITY, AgentMessage, MessageType, Received
from hookclaw_py.privacy.marked import without_marked
from hookclaw_py.privacy.own_blocks import strip_own_blocks
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.regex import regex
from hookclaw_py.store.agents import AGENT_ID
from hookclaw_py.store.mail import Mail

MOST_CHARS = 64_000
"""Of a message's content."""
MOST_ANSWERS = 8
"""Automatic answers in a row that wake somebody; those after them do not."""
KEPT = timedelta(days=30)
"""For so long a message is kept after the last of its receivers has read it, or been shown it."""
_LOOKED_THROUGH = timedelta(hours=1)  # between looks for what is not kept any longer
_LONGEST_SUBJECT = 1000
_NAME = regex(r"[A-Za-z0-9_][A-Za-z0-9_.@-]{0,104}")
_OF_THE_ORIGINAL = "memory_palace_msg_"
_IN_A_ROW = timedelta(hours=1)  # what is answered later than that is a new conversation


class Refusal(Enum):
    """What is wrong with what was asked."""

    INVALID = auto()
    NOT_FOUND = auto()
    FORBIDDEN = auto()


class MessageRefused(HookclawError):
    """Something cannot be sent, read or marked; the message says what and why."""

    def __init__(self, kind: Refusal, message: str) -> None:
        self.kind = kind
        super().__init__(message)


class Post:
    """What agents may do with their messages. ``known`` gives the ids of all agents there are."""

    def __init__(self, mail: Mail, *, known: Callable[[], Collection[str]], coalesce: timedelta) -> None:
        self.mail, self._known, self._coalesce = mail, known, coalesce
        self._tidied: datetime | None = None

    def send(
        self,
        sender: str,
        content: str,
        *,
        now: datetime,
        to: str = "",
        type: str = MessageType.MESSAGE,
        subject: str = "",
        channel: str = "",
        priority: int = 0,
        expires_at: str = "",
    ) -> tuple[int, int]:
        """Send a message to an agent, to a channel's subscribers or to all; return its id and how many it reaches.

        Raises:
            MessageRefused: if it cannot be sent, saying why.
        """
        if not 0 <= priority <= MOST_PRIORITY:
            raise MessageRefused(Refusal.INVALID, f"priority must be 0 to {MOST_PRIORITY}, not {priority}")
        if channel:
            channel = channel_called(channel)
        receivers, addressee = self._receivers(sender, to, channel)
        chain = self.mail.chain(sender, since=now - _IN_A_ROW)
        message = AgentMessage(
            at=now,
            sender=sender,
            to=addressee,
            type=type_called(type),
            channel=channel,
            priority=priority,
            subject=_kept(subject, "subject", _LONGEST_SUBJECT),
            content=_kept(content, "content", MOST_CHARS),
            expires_at=_end(expires_at, now),
            chain=chain,
        )
        if not message.content:
            raise MessageRefused(
                Refusal.INVALID, "content is empty; say what the message is (private parts are left out)"
            )
        self.tidy(now)
        due = now + self._coalesce if chain <= MOST_ANSWERS else None
        return self.mail.send(message, receivers, due=due), len(receivers)

    def tidy(self, now: datetime) -> int:
        """Delete what has expired, and once an hour what everybody has had for ``KEPT``; return how many messages that is."""
        gone = self.mail.expire(now=now)
        if self._tidied is None or now - self._tidied >= _LOOKED_THROUGH:
            self._tidied = now
            gone += self.mail.prune(settled_before=now - KEPT)
        return gone

    def get(
        self,
        agent: str,
        *,
        now: datetime,
        unread_only: bool = True,
        channel: str = "",
        type: str = "",
        limit: int,
    ) -> list[Received]:
        """Return an agent's messages, of the highest priority first, then the newest; they are delivered with that.

        Raises:
            MessageRefused: if there is no such type or channel.
        """
        found = self.mail.inbox(
            agent,
            now=now,
            unread_only=unread_only,
            channel=channel and channel_called(channel),
            type=type_called(type) if type else None,
            limit=limit,
        )
        if self.mail.deliver(agent, [one.message.id for one in found if not one.delivered], at=now):
            answered = 1 + max(one.message.chain for one in found if not one.delivered)
            if answered > self.mail.chain(agent, since=now - _IN_A_ROW):
                self.mail.answers_to(agent, answered, at=now)
        return found

    def read(self, agent: str, number: int, *, now: datetime) -> Received:
        """Return one message of an agent's, which has read it with that.

        Raises:
            MessageRefused: if there is none, or it is another's.
        """
        self._own(agent, number)
        found = next((one for one in self.mail.inbox(agent, now=now, limit=10**9) if one.message.id == number), None)
        if found is None:
            raise MessageRefused(Refusal.NOT_FOUND, f"Message {number} has expired")
        self.mail.deliver(agent, [number], at=now)
        self.mail.mark(agent, number, read_at=now)
        return found

    def mark(self, agent: str, number: int, *, read: bool, now: datetime) -> None:
        """Note that an agent has read a message, or has not.

        Raises:
            MessageRefused: if there is no such message, or it is another's.
        """
        self._own(agent, number)
        self.mail.mark(agent, number, read_at=now if read else None)

    def subscribe(self, agent: str, channel: str) -> bool:
        """Let an agent hear of a channel; False if it did.

        Raises:
            MessageRefused: if no channel can be called so.
        """
        return self.mail.subscribe(agent, channel_called(channel))

    def unsubscribe(self, agent: str, channel: str) -> bool:
        """Let an agent hear of a channel no more; False if it did not.

        Raises:
            MessageRefused: if no channel can be called so.
        """
        return self.mail.unsubscribe(agent, channel_called(channel))

    def agents(self) -> frozenset[str]:
        """Return every agent there is: who has a memory, or a session."""
        return frozenset(self._known()) | {one.agent for one in self.mail.sessions()}

    def _receivers(self, sender: str, to: str, channel: str) -> tuple[frozenset[str], str]:
        """Return who gets a message, and its address."""
        if to and to != ALL:
            receiver = self._called(sender, to)
            return frozenset({receiver}), receiver
        if channel:
            return self.mail.subscribers(channel) - {sender}, ""
        if not to:
            raise MessageRefused(Refusal.INVALID, f'to whom? Give to_instance, an agent or "{ALL}", or a channel')
        return self.agents() - {sender}, ALL

    def _called(self, sender: str, name: str) -> str:
        """Return the agent that a sender means: of the same host's profile, if there is one of that name."""
        known, profile = self.agents() | {sender}, sender.partition("@")[2]
        meant = [f"{name}@{profile}", name] if profile and "@" not in name else [name]
        found = next((one for one in meant if one in known), None)
        if found is None:
            told = f"{name[:80]!r} is no agent id" if not AGENT_ID.fullmatch(name) else f"no agent {name!r}"
            raise MessageRefused(Refusal.NOT_FOUND, f"{told}; known are {', '.join(sorted(known))}")
        return found

    def _own(self, agent: str, number: int) -> None:
        receivers = self.mail.receivers(number)
        if receivers is None:
            raise MessageRefused(Refusal.NOT_FOUND, f"Message {number} not found")
        if agent not in receivers:
            raise MessageRefused(Refusal.FORBIDDEN, f"Message {number} is not addressed to {agent}")


def type_called(word: str) -> MessageType:
    """Return the type of that name.

    Raises:
        MessageRefused: if there is none.
    """
    try:
        return MessageType(word)
    except ValueError:
        known = ", ".join(MessageType)
        raise MessageRefused(Refusal.INVALID, f"message_type must be one of {known}, not {word[:80]!r}") from None


def channel_called(name: str) -> str:
    """Return a channel's name without the prefix that the original gave the channels of the database.

    Raises:
        MessageRefused: if no channel, and no agent, can be called so.
    """
    bare = name.removeprefix(_OF_THE_ORIGINAL)
    if not _NAME.fullmatch(bare):
        raise MessageRefused(Refusal.INVALID, f"{name[:80]!r} is no name of a channel: use letters, digits and _ . -")
    return bare


def _kept(text: str, what: str, most: int) -> str:
    """Return a text as it is written down: without our blocks, private parts and secrets."""
    if len(text) > most:
        told = f"{what} has {len(text):,} characters, {most:,} are allowed; put it into a file, and say where"
        raise MessageRefused(Refusal.INVALID, told)
    return redact(without_marked(strip_own_blocks(words.encodable(text))).text).strip()


def _end(written: str, now: datetime) -> datetime | None:
    if not written:
        return None
    try:
        end = datetime.fromisoformat(written)
        end = end.astimezone(UTC) if end.tzinfo else end.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        told = f"expires_at must be a date and time as 2026-03-01T12:00:00Z, not {written[:80]!r}"
        raise MessageRefused(Refusal.INVALID, told) from None
    if end <= now:
        raise MessageRefused(Refusal.INVALID, f"expires_at is over: {written[:80]}")
    return end
