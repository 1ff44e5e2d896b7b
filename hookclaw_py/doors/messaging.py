"""Messages between agents at a door: opened when they are first needed, told to a host that hears events, shown with a prompt."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from hookclaw_py.doors import requests
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.residents import Emit, NotReady
from hookclaw_py.doors.sessions import name_of
from hookclaw_py.errors import HookclawError, StoreError
from hookclaw_py.model.audience import Audience
from hookclaw_py.workers import Worker

if TYPE_CHECKING:
    from hookclaw_py.config import Config
    from hookclaw_py.messages.courier import Courier
    from hookclaw_py.messages.post import Post

log = logging.getLogger("hookclaw")

AGAIN = (timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=4))
"""After these pauses an agent is woken once more for what no turn has shown."""
_OFTEN = 60.0  # seconds for which it is known that a session is there
_MOST_NOTED = 1000  # conversations of which it is known what they were told and not yet whether they ended well
_MOST_TOLD = 10  # messages of which a prompt is told one by one


class Notice(NamedTuple):
    """What a prompt is told of messages."""

    text: str
    ids: tuple[int, ...]


NOTHING = Notice("", ())


class Messaging:
    """The messages of all agents of this process. Safe to use from threads; nothing is made before somebody needs it.

    ``tell`` is None at a door whose host hears no events: nobody is woken there.
    """

    def __init__(self, settings: Callable[[], Config], *, tell: Emit | None) -> None:
        self._settings, self._tell = settings, tell
        self._lock = threading.Lock()
        self._post: Post | None = None
        self._courier: Courier | None = None
        self._seen: dict[str, tuple[str, float]] = {}
        self._noted: dict[tuple[str, str], tuple[int, ...]] = {}
        self._behind = Worker("sessions seen")

    @property
    def verbs(self) -> Mapping[type[Any], Callable[[Any, Any], Mapping[str, Any]]]:
        """What is answered of requests."""
        return {
            requests.Subscribe: lambda request, _: self._subscribe(request.channel),
            requests.Unsubscribe: lambda request, _: self._unsubscribe(request.channel),
            requests.InstanceRoutes: lambda _, __: self._routes(),
            requests.KnownSessions: lambda _, __: self.sessions(),
            requests.Delivered: lambda request, _: self._delivered(request.agent_id, request.ids),
        }

    def post(self) -> Post:
        """Return the post of all agents.

        Raises:
            StoreError: if the messages cannot be opened.
        """
        with self._lock:
            if self._post is None:
                from hookclaw_py.messages import opening

                self._post = opening.open_post(self._settings())
            return self._post

    def sent(self) -> None:
        """Have the host told at once of what was just sent."""
        if self._courier is not None:
            self._courier.look()

    @property
    def problems(self) -> list[str]:
        """What keeps messages from being told."""
        return [self._courier.problem] if self._courier is not None and self._courier.problem else []

    def counts(self, agent: str) -> Mapping[str, int]:
        """Return what was counted of an agent's messages; nothing where there are none, or they cannot be read."""
        from hookclaw_py.messages import opening

        try:
            return self.post().mail.counts(agent) if opening.has_messages(self._settings()) else {}
        except HookclawError:
            return {}

    # Who is where

    def is_spoken(self, request: requests.Who) -> bool:
        """Say whether this is a prompt of the owner's."""
        asked = isinstance(request, requests.BeforeAgentStart) and request.trigger in ("", "user")
        return asked and Audience.named(request.audience) is Audience.OWNER

    def heard(self, request: requests.Who) -> None:
        """Remember the session of an owner's hook as where the agent is woken, behind the reply."""
        if self._tell is None or not request.session_key or Audience.named(request.audience) is not Audience.OWNER:
            return
        if isinstance(request, requests.BeforeAgentStart) and not self.is_spoken(request):
            return
        spoken = self.is_spoken(request)
        session, at = self._seen.get(request.agent_id, ("", 0.0))
        if spoken or session != request.session_key or monotonic() - at > _OFTEN:
            self._seen[request.agent_id] = (request.session_key, monotonic())
            self._later(self._see, request.agent_id, request.session_key, spoken)

    def _later(self, work: Callable[..., object], *given: Any) -> None:
        try:
            self._behind.put(work, *given)
        except HookclawError as error:  # no thread, or too much waits for it: a prompt goes on without
            log.warning("hookclaw: messages: %s", error)

    def _see(self, agent: str, session: str, spoken: bool) -> None:
        self.post().mail.see(agent, session, at=datetime.now(UTC), spoken=spoken)

    # What a prompt is told

    def notice(self, agent: str) -> Notice:
        """Return what an agent is told, with a prompt, of messages that nobody woke it for; nothing while it is paused."""
        from hookclaw_py.messages import opening, wording

        if not opening.has_messages(self._settings()):
            return NOTHING
        post, now = self.post(), datetime.now(UTC)
        self._later(post.tidy, now)
        waiting = post.mail.undelivered(agent, now=now)
        if not waiting or opening.is_paused(agent):
            return NOTHING
        return Notice(wording.notice(waiting, most=_MOST_TOLD), tuple(message.id for message in waiting[:_MOST_TOLD]))

    def note(self, who: requests.Who, noted: Notice) -> None:
        """Remember what a prompt was told of, until its turn is over."""
        key = (who.agent_id, name_of(who))
        self._noted.pop(key, None)
        if noted.ids:
            self._noted[key] = noted.ids
        while len(self._noted) > _MOST_NOTED:
            self._noted.pop(next(iter(self._noted)), None)

    def turn_ended(self, who: requests.Who, *, success: bool) -> None:
        """Note as delivered what the turn's prompt was told of."""
        ids = self._noted.pop((who.agent_id, name_of(who)), ())
        if ids and success:
            self._later(self._delivered, who.agent_id, ids)

    # Requests

    def _subscribe(self, channel: str) -> Mapping[str, Any]:
        from hookclaw_py.messages.post import MessageRefused, channel_called

        if self._tell is None:
            raise WireError(Code.SUBSCRIBE_ERROR, "this door tells no events; ask `hookclaw serve` on stdin and stdout")
        try:
            name = channel_called(channel)
            self._running().listen(name)
        except (MessageRefused, StoreError, NotReady) as error:
            raise WireError(Code.SUBSCRIBE_ERROR, str(error)) from None
        return {"message": f"subscribed to {name}"}

    def _unsubscribe(self, channel: str) -> Mapping[str, Any]:
        from hookclaw_py.messages.post import MessageRefused, channel_called

        try:
            name = channel_called(channel)
        except MessageRefused as error:
            raise WireError(Code.UNSUBSCRIBE_ERROR, str(error)) from None
        if self._courier is None or not self._courier.unlisten(name):
            raise WireError(Code.UNSUBSCRIBE_ERROR, f"not subscribed to {name}")
        return {"message": f"unsubscribed from {name}"}

    def _routes(self) -> Mapping[str, Any]:
        routes = {one.agent: one.session for one in self._open().mail.sessions()}
        return {"instances": sorted(self._open().agents()), "instance_routes": routes}

    def sessions(self) -> Mapping[str, Any]:
        """Return each agent's newest direct session, and the channels that agents hear of."""
        now, mail = datetime.now(UTC), self._open().mail
        found = {
            one.agent: {
                "sessionKey": one.session,
                "agentId": one.agent,
                "lastSeen": one.seen_at.isoformat(),
                "ageMs": max(0, round((now - one.seen_at).total_seconds() * 1000)),
            }
            for one in mail.sessions()
        }
        return {"sessions": found, "count": len(found), "channels": mail.channels()}

    def _delivered(self, agent: str, ids: tuple[int, ...]) -> Mapping[str, Any]:
        return {"delivered": self._open().mail.deliver(agent, ids, at=datetime.now(UTC))}

    def _open(self) -> Post:
        try:
            return self.post()
        except (StoreError, NotReady) as error:
            raise WireError(Code.UNAVAILABLE, str(error)) from None

    def _running(self) -> Courier:
        post, settings = self.post(), self._settings()
        with self._lock:
            if self._courier is None:
                from hookclaw_py.messages import opening
                from hookclaw_py.messages.courier import Courier
                from hookclaw_py.store.mail import WakeRules

                assert self._tell is not None
                coalesce = timedelta(milliseconds=settings.messages.coalesce_ms)
                rules = WakeRules(per_hour=settings.messages.wakes_per_hour, coalesce=coalesce, again=AGAIN)
                poll = settings.messages.poll_ms / 1000
                self._courier = Courier(post.mail, rules=rules, poll=poll, tell=self._tell, paused=opening.is_paused)
            return self._courier

    def close(self, within: float) -> None:
        """Close the messages, if that takes no longer than ``within`` seconds."""
        self._behind.close(within)
        if self._courier is not None:
            self._courier.close(within)
        if self._post is not None:
            self._post.mail.close()
