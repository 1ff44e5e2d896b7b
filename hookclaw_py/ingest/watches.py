"""Watches: the folders of all that follow some, watched by one thread and one watch of the system."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from hookclaw_py.errors import HookclawError, IndexingError
from hookclaw_py.ingest.watcher import DELETED, Place, Watched, changes_in
from hookclaw_py.threads import SHARED
from hookclaw_py.trace import Trace
from hookclaw_py.workers import Task, Workers

if TYPE_CHECKING:
    from watchfiles import Change

    News = set[tuple[Change, str]]
    Watcher = Generator[News]

LOOK_SECONDS = 1.0
"""Between two looks that followers are told to take."""
_BEGINNING = 30.0  # seconds after which a watch that does not begin is left behind: a disk hangs
_NOTHING_YET = 0.1  # seconds until it is looked again whether there is something to watch
_PAUSE, _MOST_PAUSE = 1.0, 30.0  # seconds until what could not be watched is tried again


class Follower(Protocol):
    """Someone whose folders are watched. Every method returns at once."""

    @property
    def watched(self) -> Watched | None:
        """The folders, as they were looked at last; None while they are not known."""

    def covered(self) -> None:
        """Hear that from now on no edit in ``watched`` is missed."""

    def uncovered(self, problem: str) -> None:
        """Hear that ``watched`` cannot be watched now; it is tried again."""

    def heard(self, changes: News) -> None:
        """Hear what changed in ``watched``."""

    def look(self) -> None:
        """See whether something else calls for reading the notes, and whether the folders are there."""


@dataclass
class _Followed:
    """What is known of a follower: the places that are watched for it, and when to try again what could not be."""

    covered: frozenset[Place] = frozenset()
    not_before: float = 0.0
    pause: float = 0.0


@dataclass
class _Beginning:
    """A watch on its way, of these places, for these followers."""

    task: Task[tuple[Watcher, News]]
    places: frozenset[Place]
    pending: Sequence[Follower]
    since: float


class Watches:
    """One watch for many followers; it has a thread from the first one on. Safe to use from threads.

    The system's watch takes no more folders once it is begun: for those that come another one is begun beside it, on another
    thread, and takes its place. What of the disk hangs there hangs nothing else.
    """

    def __init__(self) -> None:
        self._followed: dict[Follower, _Followed] = {}
        self._changing = threading.Lock()
        self._runs = False
        self._stop = threading.Event()
        self._workers = Workers("watching")
        self._watcher: Watcher | None = None
        self._places: frozenset[Place] = frozenset()
        self._beginning: _Beginning | None = None
        self._one_by_one = False
        self._looked = 0.0

    def follow(self, follower: Follower) -> None:
        """Watch the folders of ``follower``, whatever they are at each moment.

        Raises:
            NoThread: if the system gives no more threads.
        """
        with self._changing:
            if not (self._runs or self._stop.is_set()):
                SHARED.run("watch", self._serve)
                self._runs = True
            self._followed[follower] = _Followed()

    def leave(self, follower: Follower) -> None:
        """Watch the folders of ``follower`` no longer."""
        with self._changing:
            self._followed.pop(follower, None)

    def close(self) -> None:
        """Watch nothing any more."""
        self._stop.set()

    def _serve(self) -> None:
        while not self._stop.is_set():
            trace = Trace(timeout_ms=0, strict=False)
            trace.attempt("watch", None, self._once)
            if trace.faults:
                self._stop.wait(_PAUSE)
        if self._watcher is not None:
            self._watcher.close()

    def _once(self) -> None:
        self._renew()
        self._tell(self._news())
        if monotonic() - self._looked > LOOK_SECONDS:
            self._looked = monotonic()
            for follower in self._all():
                follower.look()

    def _news(self) -> News:
        """Wait a moment for changes; a watch that has ended is begun anew."""
        if self._watcher is None:
            self._stop.wait(_NOTHING_YET)
            return set()
        goes_on = False
        try:
            for news in self._watcher:
                goes_on = True
                return news
            return set()
        finally:
            if not goes_on:
                self._watcher = None
                self._forget(self._places)

    def _all(self) -> Mapping[Follower, _Followed]:
        with self._changing:
            return dict(self._followed)

    def _tell(self, changes: News) -> None:
        if not changes:
            return
        gone = {path for change, path in changes if change == DELETED}
        self._forget({place for place in self._places if place[0] in gone})
        for follower in self._all():
            watched = follower.watched
            tops = [str(top) for top in watched.tops] if watched else []
            mine = {(change, path) for change, path in changes if any(_lies_in(path, top) for top in tops)}
            if mine:
                follower.heard(mine)

    def _forget(self, places: Set[Place]) -> None:
        """Watch these anew, if they are there again: what was watched of them is no more."""
        if places:
            self._places -= places
            for known in self._all().values():
                known.covered -= places

    # The system's watch follows what is wanted

    def _renew(self) -> None:
        """Begin to watch what is wanted now, or take over what was begun."""
        beginning = self._beginning
        if beginning is None:
            self._begin()
        elif beginning.task.finished:
            self._beginning = None
            self._take_over(beginning)
        elif monotonic() - beginning.since > _BEGINNING and self._workers.leave(beginning.task):
            self._beginning = None
            folders = _listed(beginning.pending)
            self._put_off(beginning, f"{folders} cannot be watched: the system does not answer; see to the disk")

    def _begin(self) -> None:
        now, held = monotonic(), frozenset[Place]()
        pending = list[Follower]()
        for follower, known in self._all().items():
            watched = follower.watched
            places = watched.places if watched else frozenset()
            held |= places & self._places
            if not places <= known.covered and now >= known.not_before:
                pending.append(follower)
        pending = pending[:1] if self._one_by_one else pending
        wanted = held.union(*(follower.watched.places for follower in pending if follower.watched))
        if wanted == self._places:
            self._cover(pending)
        elif not wanted:
            self._exchange(None, wanted)
        else:
            tops = sorted(Path(path) for path, _, _ in wanted)
            try:
                task = self._workers.start("watch", partial(self._begun, tops))
            except HookclawError as error:  # no thread, or too many hang
                for follower in pending:
                    self._put_off_one(follower, str(error))
            else:
                self._beginning = _Beginning(task, wanted, pending, now)

    def _begun(self, tops: Sequence[Path]) -> tuple[Watcher, News]:
        watcher = changes_in(tops, None, self._stop)
        return watcher, next(watcher, set())

    def _take_over(self, beginning: _Beginning) -> None:
        try:
            watcher, first = beginning.task.wait(0)
        except IndexingError as error:
            self._put_off(beginning, str(error))
            return
        self._one_by_one = False
        self._exchange(watcher, beginning.places)
        self._tell(first)
        self._cover(beginning.pending)

    def _exchange(self, watcher: Watcher | None, places: frozenset[Place]) -> None:
        """Watch with another one; what the one before has heard until now is told."""
        before, self._watcher = self._watcher, watcher
        if before is not None:
            self._tell(next(before, set()))
            before.close()
        self._places = places

    def _cover(self, pending: Sequence[Follower]) -> None:
        """Note what is watched now, and tell those who waited for it."""
        for follower, known in self._all().items():
            watched = follower.watched
            places = watched.places if watched else frozenset()
            new = follower in pending and places <= self._places and not places <= known.covered
            known.covered = places & self._places
            if new:
                known.pause = 0.0
                follower.covered()

    def _put_off(self, beginning: _Beginning, problem: str) -> None:
        """Try again later; of several one after the other, so that only those hear of it whose folders they are."""
        self._one_by_one = len(beginning.pending) > 1
        if not self._one_by_one:
            for follower in beginning.pending:
                self._put_off_one(follower, problem)

    def _put_off_one(self, follower: Follower, problem: str) -> None:
        known = self._all().get(follower)
        if known is not None:
            known.pause = min(_MOST_PAUSE, known.pause * 2 or _PAUSE)
            known.not_before = monotonic() + known.pause
            follower.uncovered(problem)


def _listed(followers: Sequence[Follower]) -> str:
    return ", ".join(str(top) for one in followers if (watched := one.watched) for top in watched.tops)


def _lies_in(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip("/") + "/")
