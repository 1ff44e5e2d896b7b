"""Messages between agents: what one agent wrote to another, to a channel, or to all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

ALL = "all"
"""The address of every agent but the sender."""
MOST_PRIORITY = 10


class MessageType(StrEnum):
    """What a message is for."""

    HANDOFF = "handoff"
    STATUS = "status"
    QUESTION = "question"
    FYI = "fyi"
    CONTEXT = "context"
    EVENT = "event"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMessage:
    """One message, without secrets. ``id`` is 0 until the store gives it one; ``to`` is an agent, "all", or "" with a channel.

    ``chain`` counts the automatic answers that led to it since a person last spoke.
    """

    id: int = 0
    at: datetime
    sender: str
    to: str
    type: MessageType
    channel: str
    priority: int
    subject: str
    content: str
    expires_at: datetime | None
    chain: int


@dataclass(frozen=True, slots=True)
class Received:
    """A message as it lies in one agent's inbox."""

    receiver: str
    message: AgentMessage
    read: bool
    delivered: bool


@dataclass(frozen=True, slots=True)
class KnownSession:
    """An agent's newest direct session, in which it is woken."""

    agent: str
    session: str
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Wake:
    """Messages that an agent is to be told of now, in its session."""

    agent: str
    session: str
    messages: tuple[AgentMessage, ...]
