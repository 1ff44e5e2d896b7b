"""The courier of one host: tells it of messages as they come, and wakes its agents for them, so often and no more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from hookclaw_py.messages import wording
from hookclaw_py.model.message import AgentMessage, Wake
from hookclaw_py.store.mail import Mail, WakeRules
from hookclaw_py.trace import Trace
from hookclaw_py.workers import Worker

Tell = Callable[[str, Mapping[str, Any]], None]
"""Tells the host of an event: its name and parameters."""
_PATIENCE = 10.0  # seconds between looks at what cannot be read
_HELD_BACK = timedelta(seconds=1)  # between looks at who cannot be woken: paused, or without a session


class Courier:
    """Looks every ``poll`` seconds whether somebody wrote, and at once when told that this process did. Safe to use from threads.

    Nobody is woken who is ``paused``; when that is over, all that came meanwhile wakes once.
    """

    def __init__(
        self, mail: Mail, *, rules: WakeRules, poll: float, tell: Tell, paused: Callable[[str], bool] = lambda _: False
    ) -> None:
        self._mail, self._rules, self._poll, self._tell, self._paused = mail, rules, poll, tell, paused
        self._names: set[str] = set()
        self._told_until = 0
        self._due: datetime | None = None
        self._lock, self._asked = threading.Lock(), threading.Event()
        self._pause = 0.0
        self._worker = Worker("messages")
        self.problem = ""

    def listen(self, name: str) -> bool:
        """Tell of messages to an agent, or on a channel, from now on, those first that nobody has told it of; False if it does."""
        with self._lock:
            if name in self._names:
                return False
            if not self._names:
                self._told_until = self._mail.newest()
            waiting = self._mail.undelivered(name, now=datetime.now(UTC))
            self._names.add(name)
            for message in (one for one in waiting if one.id <= self._told_until):
                self._tell("new_message", told(name, message))
        self.look()
        return True

    def unlisten(self, name: str) -> bool:
        """Tell of them no more; False if it did not."""
        with self._lock:
            known = name in self._names
            self._names.discard(name)
        return known

    @property
    def names(self) -> frozenset[str]:
        """Whose messages are told."""
        return frozenset(self._names)

    def look(self) -> None:
        """Have it looked at once."""
        self._asked.set()
        if self._names:
            self._worker.soon(self._round)

    def close(self, within: float) -> bool:
        """Look no more; False if a look takes longer than ``within`` seconds."""
        self._names.clear()
        return self._worker.close(within, drop=True)

    def _round(self) -> None:
        """Look, and then again: after a while, when somebody is to be woken, or at once where the database tells of news."""
        trace = Trace(timeout_ms=0, strict=False)
        trace.attempt("messages", None, self._look)
        self._complain(trace.faults[0].error if trace.faults else self._mail.trouble)
        if not self._names:
            return
        until_due = (self._due - datetime.now(UTC)).total_seconds() if self._due is not None else self._poll
        self._pause = _PATIENCE if trace.faults else max(0.0, min(self._poll, until_due))
        self._worker.soon(self._round, 0.0 if self._mail.listens and not trace.faults else self._pause)

    def _look(self) -> None:
        news = self._mail.changed(0.0 if self._asked.is_set() else self._pause)
        asked, now = self._asked.is_set(), datetime.now(UTC)
        self._asked.clear()
        if not (news or asked or (self._due is not None and self._due <= now)):
            return
        with self._lock:
            names = self.names
            for received in self._mail.since(self._told_until, names):
                self._told_until = max(self._told_until, received.message.id)
                self._tell("new_message", told(received.receiver, received.message))
        due = [self._wake(name, now) for name in sorted(names)]
        self._due = min((moment for moment in due if moment), default=None)

    def _wake(self, name: str, now: datetime) -> datetime | None:
        """Wake an agent for what is due, if it may be woken now; return when to look again."""
        due = self._mail.next_due([name])
        if due is None or due > now:
            return due
        if not self._paused(name) and (wake := self._mail.wake(name, now=now, rules=self._rules)):
            self._tell("wake", woken(wake))
        due = self._mail.next_due([name])
        return due if due is None or due > now else now + _HELD_BACK

    def _complain(self, problem: str) -> None:
        if problem and problem != self.problem:
            self._tell("problem", {"message": f"messages between agents: {problem}"})
        self.problem = problem


def told(receiver: str, message: AgentMessage) -> dict[str, Any]:
    """Return what a host is told of a message: never its content."""
    return {
        "from": message.sender,
        "to": receiver,
        "type": str(message.type),
        "subject": wording.subject_of(message),
        "channel": message.channel,
        "id": message.id,
        "priority": message.priority,
    }


def woken(wake: Wake) -> dict[str, Any]:
    """Return what a host needs to wake an agent in its session."""
    lines = [{"id": message.id, "text": wording.line_of(message)} for message in wake.messages]
    return {"agentId": wake.agent, "sessionKey": wake.session, "messages": lines}
