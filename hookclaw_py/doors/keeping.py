"""Keeping an agent's notes fresh: read now, whenever one changes, and when what failed may work by now."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from hookclaw_py.errors import HookclawError
from hookclaw_py.threads import CLOCK, NoThread
from hookclaw_py.trace import Trace
from hookclaw_py.turns import InTurn

if TYPE_CHECKING:
    from hookclaw_py.engine import Engine
    from hookclaw_py.ingest.indexer import IndexReport
    from hookclaw_py.ingest.watcher import Watched
    from hookclaw_py.ingest.watches import News, Watches

log = logging.getLogger("hookclaw")

_PAUSE, _MOST_PAUSE = 1.0, 30.0  # seconds between attempts to read a workspace that cannot be read, at most
_LOOK = 60.0  # seconds between two looks at sources that nobody watches, while the engine rests
_MOST_HEARD = 1000  # changes that are looked at one by one; of more some are of notes


class _Stopping(HookclawError):
    """Indexing was interrupted because the process ends."""


class Keeping:
    """Keeps one agent's notes fresh, on threads that all agents share; a ``Follower`` where folders are watched.

    It has none of its own: what is to be read waits for its turn, and one reading of an agent is under way at a time.
    """

    def __init__(
        self,
        agent_id: str,
        using: Callable[[], AbstractContextManager[Engine]],
        *,
        turns: InTurn,
        watches: Callable[[], Watches] | None,
        told: Callable[[Engine, IndexReport], None],
        complain: Callable[[str], None],
        rests: Callable[[], bool] = lambda: False,
    ) -> None:
        """Read with the engine that ``using`` gives; ``told`` hears of each reading, ``complain`` of what goes wrong.

        While the engine ``rests`` it is opened when a note has changed, and now and then to look at other sources.
        Without ``watches`` notes are read when somebody asks for it.
        """
        self.agent_id, self.workspace = agent_id, ""
        self.begun = False
        self.unwatched = ""
        """Why notes are not watched; "" when they are."""
        self.tried = threading.Event()
        """Set when they were read once, or could not be."""
        self._using, self._told, self._complain, self._rests = using, told, complain, rests
        self._look_at = math.inf
        self._turns, self._watches = turns, watches
        self._watched: Watched | None = None
        self._changing = threading.Lock()
        self._stale = self._waits = self._reading = self._closed = False
        self._news: News = set()
        self._pause = _PAUSE

    # What is asked of it

    @property
    def reads(self) -> bool:
        """Say whether notes are being read, or are about to be."""
        return self.begun and (self._reading or not self.tried.is_set())

    def begin(self, workspace: str) -> None:
        """Keep the notes of a folder fresh from now on; said again, of the same one, it is read where nobody watches it.

        Raises:
            NoThread: if the system gives no more threads; said again, it is tried again.
        """
        moved, self.workspace = self.workspace not in ("", workspace), workspace
        if not self.begun:
            if self._watches is not None:
                self._watches().follow(self)
            self.begun = True
        elif not moved and self._watches is not None:
            return
        self.refresh()

    def refresh(self) -> None:
        """Read the notes as soon as it is their turn."""
        with self._changing:
            self._stale = True
        self.look()

    def again(self) -> None:
        """Read them once more, if they were read: others changed the store."""
        if self.begun:
            self.refresh()

    def stop(self) -> None:
        """End what is under way soon, and begin nothing more."""
        self._closed = True
        self.tried.set()
        if self._watches is not None and self.begun:
            self._watches().leave(self)

    # What a watch tells

    @property
    def watched(self) -> Watched | None:
        """The folders, as they were looked at last; None while they are not known."""
        return self._watched

    def covered(self) -> None:
        """Read once more: an edit before this may have been missed."""
        self.unwatched = ""
        self.refresh()

    def uncovered(self, problem: str) -> None:
        """Tell of it, and read the notes at each attempt to watch them, so that they are fresh all the same."""
        if problem != self.unwatched:
            self._complain(problem)
        self.unwatched = problem
        self.refresh()

    def heard(self, changes: News) -> None:
        """Have it looked at whether they are of notes."""
        with self._changing:
            self._news |= changes
            if len(self._news) > _MOST_HEARD:
                self._stale, self._news = True, set()
        self.look()

    def look(self) -> None:
        """See whether the notes are to be read, when it is their turn."""
        with self._changing:
            if self._waits or self._closed:
                return
            self._waits = True
        self._turns.put(self._work)

    # On a thread

    def _work(self) -> None:
        trace = Trace(timeout_ms=0, strict=False)
        if not self._closed:
            trace.attempt("index", None, self._freshen)
        with self._changing:
            self._waits = False
            again = bool(self._stale or self._news) and not trace.faults
        self.tried.set()
        if trace.faults and not self._closed:
            self._complain(trace.faults[-1].error)
            self._try_again()
        elif again:
            self.look()

    def _try_again(self) -> None:
        try:
            CLOCK.wake(monotonic() + self._pause, self.refresh)
        except NoThread as error:
            log.warning("hookclaw: agent %s: %s", self.agent_id, error)
        self._pause = min(_MOST_PAUSE, self._pause * 2)

    def _freshen(self) -> None:
        """Read the notes if something calls for it, and see which folders they lie in."""
        stale = self._is_stale()
        if self._watched is not None:
            self._watched = self._watched.again()
        if self._rests() and not stale and monotonic() < self._look_at:
            return
        with self._using() as engine:
            self._look_at = monotonic() + _LOOK if engine.indexing.polls else math.inf
            if not (stale or engine.indexing.is_due()):
                return
            with self._changing:
                self._stale, self._news = False, set()
            self._reading = True
            try:
                self._told(engine, self._index(engine))
            except _Stopping:
                return
            finally:
                self._reading = False
            self._pause = _PAUSE
            self._watched = engine.indexing.watched() if self._watches is not None else None

    def _index(self, engine: Engine) -> IndexReport:
        """Read the notes. A folder that is gone was replaced by this one, so the store may follow it; from one that is there it may not."""
        from hookclaw_py.indexing import WATCHER_PATIENCE

        before = engine.workspace
        moved = self.workspace not in engine.folders and before is not None and not Path(before).exists()
        if moved:
            log.info("hookclaw: agent %s: the workspace has moved, %s to %s", self.agent_id, before, self.workspace)
        return engine.index(
            self.workspace,
            move=moved,
            progress=self._unless_stopping,
            wait_seconds=WATCHER_PATIENCE if self._watched is not None else 0.0,
            should_stop=lambda: self._closed,
        )

    def _unless_stopping(self, *_: object) -> None:
        if self._closed:
            raise _Stopping("interrupted")

    def _is_stale(self) -> bool:
        with self._changing:
            stale, news, self._news = self._stale, self._news, set()
        watched = self._watched
        return stale or (watched is not None and any(watched.matters(change, path) for change, path in news))
