"""Messages between agents in SQL; what they promise is said in ``store.mail``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

from hookclaw_py.model.message import AgentMessage, KnownSession, MessageType, Received, Wake
from hookclaw_py.store.mail import MailCount, Overdue, WakeRules
from hookclaw_py.store.sql.connections import SQLConnection

_HOUR = timedelta(hours=1)
_MESSAGE = (
    "m.id, m.at, m.sender, m.addressee, m.type, m.channel, m.priority, m.subject, m.content, m.expires_at, m.chain"
)
_ROW = f"i.receiver, i.read_at, i.delivered_at, {_MESSAGE}"
_JOINED = "inbox i JOIN messages m ON m.id = i.message"
_LIVES = "(m.expires_at IS NULL OR m.expires_at > ?)"
_WAITS = "i.read_at IS NULL AND i.delivered_at IS NULL"


class SQLMail(ABC):
    """The messages of one home, on whatever database a dialect opens."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[SQLConnection]:
        """Give a connection to read with."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[SQLConnection]:
        """One transaction: all of it, or nothing."""

    @abstractmethod
    def _news(self, message: int) -> None:
        """Tell other processes of a message that was just kept, where the database has a way of its own for that."""

    def send(self, message: AgentMessage, receivers: Collection[str], *, due: datetime | None) -> int:
        """Keep a message for its receivers; return its id."""
        m = message
        with self._writing() as connection:
            # Whoever sends waits for whoever does so now: messages become visible in the order of their ids.
            connection.execute("UPDATE counter SET last = last + 1")
            number: int = connection.execute("SELECT last FROM counter").fetchone()[0]
            written = (number, _text(m.at), m.sender, m.to, str(m.type), m.channel, m.priority, m.subject, m.content)
            connection.execute(
                "INSERT INTO messages (id, at, sender, addressee, type, channel, priority, subject, content, expires_at, chain)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*written, _text(m.expires_at), m.chain),
            )
            connection.executemany(
                "INSERT INTO inbox (receiver, message, wakes, due) VALUES (?, ?, 0, ?)",
                [(receiver, number, _text(due)) for receiver in sorted(receivers)],
            )
            _count(connection, [(m.sender, MailCount.SENT, 1)])
            if due is None:
                _count(connection, [(receiver, MailCount.REFUSED, 1) for receiver in sorted(receivers)])
        self._news(number)
        return number

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
        asked: list[Any] = [agent, _text(now)]
        where = f"i.receiver = ? AND {_LIVES}" + (" AND i.read_at IS NULL" if unread_only else "")
        for column, wanted in (("m.channel", channel), ("m.type", type and str(type))):
            if wanted:
                where, asked = f"{where} AND {column} = ?", [*asked, wanted]
        statement = f"SELECT {_ROW} FROM {_JOINED} WHERE {where} ORDER BY m.priority DESC, m.id DESC LIMIT ?"
        with self._reading() as connection:
            return [_received(row) for row in connection.execute(statement, (*asked, limit)).fetchall()]

    def receivers(self, message: int) -> frozenset[str] | None:
        """Return to whom a message was addressed; None if there is no such message."""
        with self._reading() as connection:
            if not connection.execute("SELECT 1 FROM messages WHERE id = ?", (message,)).fetchone():
                return None
            found = connection.execute("SELECT receiver FROM inbox WHERE message = ?", (message,)).fetchall()
        return frozenset(receiver for (receiver,) in found)

    def mark(self, agent: str, message: int, *, read_at: datetime | None) -> None:
        """Note that an agent has read a message, or has not."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE inbox SET read_at = ? WHERE receiver = ? AND message = ?", (_text(read_at), agent, message)
            )

    def deliver(self, agent: str, messages: Iterable[int], *, at: datetime) -> int:
        """Note that a turn has shown an agent these messages; return of how many that is new."""
        shown = [(_text(at), agent, message) for message in messages]
        if not shown:
            return 0
        with self._writing() as connection:
            before = _undelivered(connection, agent)
            connection.executemany(
                "UPDATE inbox SET delivered_at = ?, due = NULL"
                " WHERE receiver = ? AND message = ? AND delivered_at IS NULL",
                shown,
            )
            new = before - _undelivered(connection, agent)
            if new:
                _count(connection, [(agent, MailCount.DELIVERED, new)])
            return new

    def undelivered(self, agent: str, *, now: datetime) -> list[AgentMessage]:
        """Return the unread messages that no turn has shown and for which nobody wakes the agent."""
        where = f"i.receiver = ? AND {_WAITS} AND (i.due IS NULL OR i.wakes = 0) AND {_LIVES}"
        statement = f"SELECT {_MESSAGE} FROM {_JOINED} WHERE {where} ORDER BY m.priority DESC, m.id"
        with self._reading() as connection:
            found = connection.execute(statement, (agent, _text(now))).fetchall()
        return [_message(row) for row in found]

    def subscribe(self, agent: str, channel: str) -> bool:
        """Let an agent hear of a channel; False if it did."""
        with self._writing() as connection:
            known = _hears(connection, agent, channel)
            connection.execute(
                "INSERT INTO subscriptions (agent, channel) VALUES (?, ?) ON CONFLICT (agent, channel) DO NOTHING",
                (agent, channel),
            )
        return not known

    def unsubscribe(self, agent: str, channel: str) -> bool:
        """Let an agent hear of a channel no more; False if it did not."""
        with self._writing() as connection:
            known = _hears(connection, agent, channel)
            connection.execute("DELETE FROM subscriptions WHERE agent = ? AND channel = ?", (agent, channel))
        return known

    def subscribers(self, channel: str) -> frozenset[str]:
        """Return who hears of a channel."""
        with self._reading() as connection:
            found = connection.execute("SELECT agent FROM subscriptions WHERE channel = ?", (channel,)).fetchall()
        return frozenset(agent for (agent,) in found)

    def channels(self) -> list[str]:
        """Return every channel that somebody hears of."""
        with self._reading() as connection:
            found = connection.execute("SELECT DISTINCT channel FROM subscriptions ORDER BY channel").fetchall()
        return [channel for (channel,) in found]

    def see(self, agent: str, session: str, *, at: datetime, spoken: bool) -> None:
        """Note an agent's newest direct session; ``spoken`` says that a person has just spoken in it."""
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO sessions (agent, session, seen_at, chain, chain_at) VALUES (?, ?, ?, 0, ?)"
                " ON CONFLICT (agent) DO UPDATE SET session = excluded.session, seen_at = excluded.seen_at",
                (agent, session, _text(at), _text(at)),
            )
            if spoken:
                _follow(connection, agent, 0, at)

    def sessions(self) -> list[KnownSession]:
        """Return each agent's newest direct session."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT agent, session, seen_at FROM sessions WHERE session <> '' ORDER BY agent"
            ).fetchall()
        return [KnownSession(agent, session, datetime.fromisoformat(seen_at)) for agent, session, seen_at in found]

    def chain(self, agent: str, *, since: datetime) -> int:
        """Return how many automatic answers led to what an agent does now."""
        with self._reading() as connection:
            row = connection.execute(
                "SELECT chain FROM sessions WHERE agent = ? AND chain_at > ?", (agent, _text(since))
            ).fetchone()
        return row[0] if row else 0

    def answers_to(self, agent: str, chain: int, *, at: datetime) -> None:
        """Note that what an agent does from now on answers messages of this chain."""
        with self._writing() as connection:
            _follow(connection, agent, chain, at)

    def since(self, message: int, agents: Collection[str]) -> list[Received]:
        """Return the messages to these agents, or on these channels, after that id, in their order."""
        statement = f"SELECT {_ROW} FROM {_JOINED} WHERE i.message > ? ORDER BY i.message, i.receiver"
        with self._reading() as connection:
            found = [_received(row) for row in connection.execute(statement, (message,)).fetchall()]
        return [one for one in found if one.receiver in agents or one.message.channel in agents]

    def newest(self) -> int:
        """Return the id of the newest message; 0 if there is none."""
        with self._reading() as connection:
            number: int = connection.execute("SELECT last FROM counter").fetchone()[0]
        return number

    def wake(self, agent: str, *, now: datetime, rules: WakeRules) -> Wake | None:
        """Take it upon the caller to wake an agent for what is due; None if nothing is, or it may not be woken now."""
        with self._reading() as connection:
            if not _due(connection, agent, now):
                return None  # without a lock: nothing is due most of the time
        with self._writing() as connection:
            _lock(connection)
            session = connection.execute("SELECT session FROM sessions WHERE agent = ?", (agent,)).fetchone()
            if not (session and session[0] and _due(connection, agent, now)):
                return None
            if free_at := _worn_out(connection, agent, now, rules):
                _put_off(connection, agent, free_at)
                _count(connection, [(agent, MailCount.REFUSED, 1)])
                return None
            waiting = _waiting(connection, agent, now, now + rules.coalesce)
            for message, wakes in waiting:
                again = now + rules.again[wakes] if wakes < len(rules.again) else None
                connection.execute(
                    "UPDATE inbox SET wakes = wakes + 1, due = ? WHERE receiver = ? AND message = ?",
                    (_text(again), agent, message.id),
                )
            connection.execute("INSERT INTO wakes (agent, at) VALUES (?, ?)", (agent, _text(now)))
            _count(connection, [(agent, MailCount.WOKEN, 1)])
            _follow(connection, agent, 1 + max(message.chain for message, _ in waiting), now)
        return Wake(agent, session[0], tuple(message for message, _ in waiting))

    def next_due(self, agents: Collection[str]) -> datetime | None:
        """Return when the first of these agents is to be woken next."""
        statement = f"SELECT min(i.due) FROM inbox i WHERE {_WAITS} AND i.due IS NOT NULL AND i.receiver = ?"
        with self._reading() as connection:
            found = [connection.execute(statement, (agent,)).fetchone()[0] for agent in agents]
        return min((datetime.fromisoformat(due) for due in found if due), default=None)

    def overdue(self, *, before: datetime) -> list[Overdue]:
        """Return who has not been shown messages from before that moment."""
        statement = (
            f"SELECT i.receiver, count(*), min(m.at) FROM {_JOINED} WHERE {_WAITS} AND m.at < ?"
            " GROUP BY i.receiver ORDER BY i.receiver"
        )
        with self._reading() as connection:
            found = connection.execute(statement, (_text(before),)).fetchall()
        return [Overdue(receiver, waiting, datetime.fromisoformat(oldest)) for receiver, waiting, oldest in found]

    def counts(self, agent: str) -> dict[str, int]:
        """Return how many messages an agent ever sent and was shown, how often it was woken, and how often that was refused."""
        with self._reading() as connection:
            found = connection.execute("SELECT what, number FROM counts WHERE agent = ?", (agent,)).fetchall()
        known = dict(found)
        return {str(what): known.get(what, 0) for what in MailCount}

    def expire(self, *, now: datetime) -> int:
        """Delete the messages whose time is over; return how many."""
        return self._delete("expires_at IS NOT NULL AND expires_at <= ?", _text(now))

    def prune(self, *, settled_before: datetime) -> int:
        """Delete the messages that each of their receivers had read, or been shown, before that moment; return how many."""
        before = _text(settled_before)
        open_to = "(i.read_at IS NULL OR i.read_at > ?) AND (i.delivered_at IS NULL OR i.delivered_at > ?)"
        waits = f"EXISTS (SELECT 1 FROM inbox i WHERE i.message = messages.id AND {open_to})"
        return self._delete(f"at <= ? AND NOT {waits}", before, before, before)

    def _delete(self, where: str, *asked: str | None) -> int:
        with self._reading() as connection:  # without a lock: nothing is to go most of the time
            gone = connection.execute(f"SELECT id FROM messages WHERE {where}", asked).fetchall()
        if gone:
            with self._writing() as connection:
                connection.executemany("DELETE FROM inbox WHERE message = ?", gone)
                connection.executemany("DELETE FROM messages WHERE id = ?", gone)
        return len(gone)


def _count(connection: SQLConnection, news: Iterable[tuple[str, MailCount, int]]) -> None:
    connection.executemany(
        "INSERT INTO counts (agent, what, number) VALUES (?, ?, ?)"
        " ON CONFLICT (agent, what) DO UPDATE SET number = counts.number + excluded.number",
        [(agent, str(what), number) for agent, what, number in news],
    )


def _lock(connection: SQLConnection) -> None:
    """Be the one who wakes: another process waits here."""
    connection.execute("UPDATE counter SET last = last")


def _due(connection: SQLConnection, agent: str, now: datetime) -> bool:
    statement = f"SELECT 1 FROM {_JOINED} WHERE i.receiver = ? AND {_WAITS} AND i.due <= ? AND {_LIVES} LIMIT 1"
    return connection.execute(statement, (agent, _text(now), _text(now))).fetchone() is not None


def _waiting(connection: SQLConnection, agent: str, now: datetime, until: datetime) -> list[tuple[AgentMessage, int]]:
    """Return what is due by then, with how often the agent was woken for it."""
    where = f"i.receiver = ? AND {_WAITS} AND i.due <= ? AND {_LIVES}"
    statement = f"SELECT i.wakes, {_MESSAGE} FROM {_JOINED} WHERE {where} ORDER BY m.priority DESC, m.id"
    found = connection.execute(statement, (agent, _text(until), _text(now))).fetchall()
    return [(_message(row[1:]), row[0]) for row in found]


def _worn_out(connection: SQLConnection, agent: str, now: datetime, rules: WakeRules) -> datetime | None:
    """Say until when an agent that was woken often enough is left alone; forget what was an hour ago, or when a clock ran ahead."""
    connection.execute("DELETE FROM wakes WHERE at <= ? OR at > ?", (_text(now - _HOUR), _text(now + _HOUR)))
    found = connection.execute("SELECT at FROM wakes WHERE agent = ? ORDER BY at DESC", (agent,)).fetchall()
    if len(found) < rules.per_hour:
        return None
    return (datetime.fromisoformat(found[rules.per_hour - 1][0]) if rules.per_hour else now) + _HOUR


def _put_off(connection: SQLConnection, agent: str, until: datetime) -> None:
    connection.execute(
        "UPDATE inbox SET due = ? WHERE receiver = ? AND read_at IS NULL AND delivered_at IS NULL AND due < ?",
        (_text(until), agent, _text(until)),
    )


def _follow(connection: SQLConnection, agent: str, chain: int, at: datetime) -> None:
    connection.execute(
        "INSERT INTO sessions (agent, session, seen_at, chain, chain_at) VALUES (?, '', ?, ?, ?)"
        " ON CONFLICT (agent) DO UPDATE SET chain = excluded.chain, chain_at = excluded.chain_at",
        (agent, _text(at), chain, _text(at)),
    )


def _hears(connection: SQLConnection, agent: str, channel: str) -> bool:
    statement = "SELECT 1 FROM subscriptions WHERE agent = ? AND channel = ?"
    return connection.execute(statement, (agent, channel)).fetchone() is not None


def _undelivered(connection: SQLConnection, agent: str) -> int:
    statement = "SELECT count(*) FROM inbox WHERE receiver = ? AND delivered_at IS NULL"
    number: int = connection.execute(statement, (agent,)).fetchone()[0]
    return number


def _received(row: tuple[Any, ...]) -> Received:
    receiver, read_at, delivered_at, *message = row
    return Received(receiver, _message(message), read_at is not None, delivered_at is not None)


def _message(row: Iterable[Any]) -> AgentMessage:
    number, at, sender, to, kind, channel, priority, subject, content, expires_at, chain = row
    return AgentMessage(
        id=number,
        at=datetime.fromisoformat(at),
        sender=sender,
        to=to,
        type=MessageType(kind),
        channel=channel,
        priority=priority,
        subject=subject,
        content=content,
        expires_at=datetime.fromisoformat(expires_at) if expires_at else None,
        chain=chain,
    )


def _text(moment: datetime | None) -> str | None:
    """Write a moment so that texts sort by time: always UTC, always with microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds") if moment else None
