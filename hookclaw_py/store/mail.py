"""What a store of messages promises: one for all agents of a home; each sees what is addressed to it, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from hookclaw_py.model.message import AgentMessage, KnownSession, MessageType, Received, Wake


@dataclass(frozen=True, slots=True)
class WakeRules:
    """How often an agent is woken: so often an hour at most, and once for what comes together."""

    per_hour: int
    coalesce: timedelta
    again: tuple[timedelta, ...]
    """After these pauses it is woken once more for what no turn has shown; then that waits for the next turn."""


@dataclass(frozen=True, slots=True)
class Overdue:
    """How many messages no turn has shown an agent, and since when the oldest waits."""

    receiver: str
    waiting: int
    oldest: datetime


class MailCount(StrEnum):
    """What is counted of each agent's messages, for good."""

    SENT = "sent"
    DELIVERED = "delivered"
    WOKEN = "woken"
    REFUSED = "refused"
    """Wakes that did not come to be: it was woken often enough, or for answers of answers."""


class Mail(Protocol):
    """Messages, who has read them, who hears of them, and where agents are woken. Safe to use from threads and processes.

    Every method raises ``StoreError`` when the database cannot be read or written.
    """

    @property
    def place(self) -> str:
        """Where the messages are, for people."""

    def send(self, message: AgentMessage, receivers: Collection[str], *, due: datetime | None) -> int:
        """Keep a message for its receivers, who are woken for it when it is ``due`` (None: never); return its id.

        Ids count up, and messages become visible in their order.
        """

    def inbox(
        self,
        agent: str,
        *,
        now: datetime,
        unread_only: bool = False,
        channel: str = "",
        type: MessageType | None = None,
        limit: int,
    ) -> list[Received]:
        """Return what is addressed to an agent and has not expired: of the highest priority first, then the newest."""

    def receivers(self, message: int) -> frozenset[str] | None:
        """Return to whom a message was addressed; None if there is no such message."""

    def mark(self, agent: str, message: int, *, read_at: datetime | None) -> None:
        """Note that an agent has read a message, or has not."""

    def deliver(self, agent: str, messages: Iterable[int], *, at: datetime) -> int:
        """Note that a turn has shown an agent these messages; return of how many that is new."""

    def undelivered(self, agent: str, *, now: datetime) -> list[AgentMessage]:
        """Return the unread messages that no turn has shown, and for which the agent was not woken, or will not be again."""

    def subscribe(self, agent: str, channel: str) -> bool:
        """Let an agent hear of a channel; False if it did."""

    def unsubscribe(self, agent: str, channel: str) -> bool:
        """Let an agent hear of a channel no more; False if it did not."""

    def subscribers(self, channel: str) -> frozenset[str]:
        """Return who hears of a channel."""

    def channels(self) -> list[str]:
        """Return every channel that somebody hears of."""

    def see(self, agent: str, session: str, *, at: datetime, spoken: bool) -> None:
        """Note an agent's newest direct session; ``spoken`` says that a person has just spoken in it."""

    def sessions(self) -> list[KnownSession]:
        """Return each agent's newest direct session."""

    def chain(self, agent: str, *, since: datetime) -> int:
        """Return how many automatic answers led to what an agent does now; what was noted before ``since`` counts no more."""

    def answers_to(self, agent: str, chain: int, *, at: datetime) -> None:
        """Note that what an agent does from now on answers messages of this chain."""

    def since(self, message: int, agents: Collection[str]) -> list[Received]:
        """Return the messages to these agents, or on these channels, after that id, in their order."""

    def newest(self) -> int:
        """Return the id of the newest message; 0 if there is none."""

    def wake(self, agent: str, *, now: datetime, rules: WakeRules) -> Wake | None:
        """Take it upon the caller to wake an agent for what is due; None if nothing is, or it may not be woken now.

        Whoever asks at the same time gets None.
        """

    def next_due(self, agents: Collection[str]) -> datetime | None:
        """Return when the first of these agents is to be woken next."""

    def overdue(self, *, before: datetime) -> list[Overdue]:
        """Return who has not been shown messages from before that moment."""

    def counts(self, agent: str) -> dict[str, int]:
        """Return how many messages an agent ever sent and was shown, how often it was woken, and how often that was refused."""

    def expire(self, *, now: datetime) -> int:
        """Delete the messages whose time is over; return how many."""

    def prune(self, *, settled_before: datetime) -> int:
        """Delete the messages that each of their receivers had read, or been shown, before that moment; return how many."""

    @property
    def listens(self) -> bool:
        """Whether the database tells of news by itself, so that ``changed`` may wait for them."""

    @property
    def trouble(self) -> str:
        """Why it does not, although it should; "" if nothing is wrong."""

    def changed(self, within: float) -> bool:
        """Say whether another process may have written since this was asked last; one that listens waits ``within`` seconds for it."""

    def check(self) -> str:
        """Look through the whole; return what is damaged and what to do, "" when nothing is."""

    def close(self) -> None:
        """Close it; it can be called twice."""
