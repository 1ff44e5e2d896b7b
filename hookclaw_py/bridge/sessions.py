"""What each conversation has been shown, as far as the host's own messages cannot tell."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from cachetools import LRUCache

from hookclaw_py.bridge.protocol import Who

_MOST = 2000  # conversations remembered; the one longest silent is forgotten first


@dataclass
class Session:
    """One conversation: the chunks that are in it, and whether the turn now running was given memories."""

    agent_id: str
    key: str
    id: str
    shown: set[str] = field(default_factory=set)
    given: bool = False

    def is_meant_by(self, who: Who) -> bool:
        """Say whether an event is about this conversation: by key or id; an event with neither means all of the agent's."""
        if who.agent_id != self.agent_id:
            return False
        return who.session_key == self.key or (not who.session_key and who.session_id in ("", self.id))


class Sessions:
    """All conversations of this process. Safe to use from threads."""

    def __init__(self) -> None:
        self._sessions: LRUCache[tuple[str, str], Session] = LRUCache(_MOST)
        self._lock = threading.Lock()

    def shown(self, who: Who) -> frozenset[str]:
        """Return the ids of the chunks that the conversation has been shown."""
        with self._lock:
            return frozenset(self._of(who).shown)

    def note(self, who: Who, chunk_ids: frozenset[str], *, keeps: bool) -> None:
        """Remember what a turn was given; with ``keeps`` it stays in the conversation."""
        with self._lock:
            session = self._of(who)
            session.given = bool(chunk_ids)
            if keeps:
                session.shown |= chunk_ids

    def settle(self, who: Who) -> bool:
        """End a turn; say whether it may have been given memories. After a restart of ours that is unknown: it may."""
        with self._lock:
            session = self._sessions.get(_key(who))
            given = session is None or session.given
            if session is not None:
                session.given = False
            return given

    def reset(self, who: Who, *, forget: bool) -> None:
        """What was shown is in the conversation no longer; with ``forget`` the conversation itself is over."""
        with self._lock:
            for key, session in list(self._sessions.items()):
                if session.is_meant_by(who):
                    session.shown.clear()
                    if forget:
                        del self._sessions[key]

    def _of(self, who: Who) -> Session:
        session = self._sessions.get(_key(who))
        if session is None or (who.session_id and session.id and who.session_id != session.id):
            session = Session(who.agent_id, who.session_key, who.session_id)  # same key, new id: begun anew
        self._sessions[_key(who)] = session
        return session


def name_of(who: Who) -> str:
    """Return the one name that stands for a conversation: its key if there is one, else its id."""
    return who.session_key or who.session_id


def _key(who: Who) -> tuple[str, str]:
    return who.agent_id, name_of(who)
