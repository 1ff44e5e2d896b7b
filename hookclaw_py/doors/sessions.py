"""What each conversation has been shown and what was said in it, as far as the host's own messages cannot tell."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cachetools import LRUCache

from hookclaw_py.doors.requests import Who
from hookclaw_py.model.types import Message
from hookclaw_py.privacy.files import replace_text
from hookclaw_py.workers import Worker

log = logging.getLogger("hookclaw")

_MOST = 2000  # conversations remembered; the one longest silent is forgotten first
_MOST_KEPT = 200  # of them, in a file
_LAST = 6  # messages of one, which are in no file


@dataclass
class Session:
    """One conversation: the chunks that are in it, and whether the turn now running was given memories.

    ``due`` says that its next prompt is told how things stand: it was shortened, or there was no time for that.
    """

    agent_id: str
    key: str
    id: str
    shown: set[str] = field(default_factory=set)
    given: bool = False
    due: bool = False
    at: float = 0.0
    """When it was last given something that it keeps, as a Unix time."""
    said: tuple[Message, ...] = ()

    def is_meant_by(self, who: Who) -> bool:
        """Say whether an event is about this conversation: by key or id; an event with neither means all of the agent's."""
        if who.agent_id != self.agent_id:
            return False
        return who.session_key == self.key or (not who.session_key and who.session_id in ("", self.id))


class Sessions:
    """All conversations of this process; with a ``file`` also of those before it. Safe to use from threads."""

    def __init__(self, file: Path | None = None) -> None:
        self._sessions: LRUCache[tuple[str, str], Session] = LRUCache(_MOST)
        self._lock = threading.Lock()
        self._file = file
        self._writer = Worker("sessions")
        for session in _kept(file) if file else ():
            self._sessions[session.agent_id, session.key or session.id] = session

    def shown(self, who: Who) -> frozenset[str]:
        """Return the ids of the chunks that the conversation has been shown."""
        with self._lock:
            return frozenset(self._of(who).shown)

    def said(self, who: Who) -> tuple[Message, ...]:
        """Return the last messages of the conversation that were heard, oldest first."""
        with self._lock:
            session = self._sessions.get(_key(who))
            begun_anew = session and who.session_id and session.id and who.session_id != session.id
            return session.said if session and not begun_anew else ()

    def hear(self, who: Who, messages: Iterable[Message]) -> None:
        """Remember what was said."""
        with self._lock:
            session = self._of(who)
            session.said = (*session.said, *messages)[-_LAST:]

    def put_off(self, who: Who) -> None:
        """Let the conversation's next prompt be told how things stand; of an event that names none, of no conversation."""
        with self._lock:
            if name_of(who):
                self._of(who).due = True

    def takes_briefing(self, who: Who) -> bool:
        """Say whether this prompt is to be told how things stand; if so, the next one is not."""
        with self._lock:
            session = self._of(who)
            due, session.due = session.due, False
            return due

    def note(self, who: Who, chunk_ids: frozenset[str], *, keeps: bool) -> None:
        """Remember what a turn was given; with ``keeps`` it stays in the conversation."""
        with self._lock:
            session = self._of(who)
            session.given = bool(chunk_ids)
            if keeps and chunk_ids:
                session.shown |= chunk_ids
                session.at = time.time()
                self._keep()

    def settle(self, who: Who) -> bool:
        """End a turn; say whether it may have been given memories. After a restart of ours that is unknown: it may."""
        with self._lock:
            session = self._sessions.get(_key(who))
            given = session is None or session.given
            if session is not None:
                session.given = False
            return given

    def reset(self, who: Who, *, forget: bool) -> None:
        """Note that what was shown is in the conversation no longer; with ``forget`` the conversation itself is over."""
        with self._lock:
            for key, session in list(self._sessions.items()):
                if session.is_meant_by(who):
                    if session.shown:
                        session.shown.clear()
                        self._keep()
                    if forget:
                        del self._sessions[key]

    def close(self, within: float) -> None:
        """Have everything written, if that takes no longer than ``within`` seconds."""
        self._writer.close(within)

    def _keep(self) -> None:
        """Write the file behind the reply: no prompt waits for it."""
        if self._file is not None:
            self._writer.soon(self._write)

    def _write(self) -> None:
        assert self._file is not None
        with self._lock:
            sessions = sorted((s for s in self._sessions.values() if s.shown), key=lambda s: -s.at)[:_MOST_KEPT]
            lines = [
                json.dumps({**asdict(session), "shown": sorted(session.shown), "said": ()}) + "\n"
                for session in sessions
            ]
        try:
            replace_text(self._file, "".join(lines))
        except OSError as error:  # costs a memory that comes twice, after the next start
            log.warning("hookclaw: cannot keep %s: %s", self._file, error.strerror)

    def _of(self, who: Who) -> Session:
        session = self._sessions.get(_key(who))
        if session is None or (who.session_id and session.id and who.session_id != session.id):
            session = Session(who.agent_id, who.session_key, who.session_id)  # same key, new id: begun anew
        self._sessions[_key(who)] = session
        return session


def _kept(file: Path) -> list[Session]:
    """Read what an earlier process wrote; nothing of a file that is no such thing."""
    try:
        entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        return [
            Session(**{**entry, "shown": set(entry["shown"]), "given": False, "said": ()})
            for entry in reversed(entries)
        ]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, KeyError) as error:
        log.warning("hookclaw: what Claude Code has been shown cannot be read from %s: %s", file, error)
        return []


def name_of(who: Who) -> str:
    """Return the one name that stands for a conversation: its key if there is one, else its id."""
    return who.session_key or who.session_id


def _key(who: Who) -> tuple[str, str]:
    return who.agent_id, name_of(who)
