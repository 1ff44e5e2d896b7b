"""What happened in an agent's sessions, and what of it waits to be worked on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.store import owners
from hookclaw_py.store.sql import happenings
from hookclaw_py.store.sql.connections import Connections
from hookclaw_py.store.values import Lane, Lease, Waiting


class Diary(Connections):
    """The part of a store that keeps what happened. Every method raises ``StoreError`` when the database cannot be used."""

    def append(self, told: Sequence[Happening], *, queued: Collection[str], now: datetime) -> frozenset[str]:
        """Keep what happened, each once, and let the ``queued`` ids wait for work; return the ids that are new."""
        with self._writing() as connection:
            return happenings.append(connection, told, queued=queued, now=now)

    def happenings(
        self,
        session: str = "",
        *,
        run: str = "",
        kinds: Collection[HappeningKind] = (),
        newest: int = 10_000,
    ) -> list[Happening]:
        """Return what happened, oldest first: the newest of a session, of a run, of some kinds."""
        with self._reading(bulk=True) as connection:
            return happenings.read(connection, session=session, run=run, kinds=kinds, newest=newest)

    def happened(self) -> dict[str, int]:
        """Return of which sessions anything is kept, each with how much that is."""
        with self._reading(bulk=True) as connection:
            return happenings.counts(connection)

    def enqueue(self, ids: Collection[str], *, lane: Lane, now: datetime) -> None:
        """Let what is kept under these ids wait for work in a lane; what waits there already waits once."""
        with self._writing() as connection:
            happenings.enqueue(connection, ids, lane=lane, now=now)

    def lease(self, *, now: datetime, most: int, lane: Lane = Lane.RULES) -> Lease | None:
        """Take what is due of one session in a lane, in its order; None when nothing is."""
        with self._writing() as connection:
            return happenings.lease(connection, token=owners.token(), now=now, most=most, lane=lane)

    def done(self, lease: Lease) -> None:
        """End a lease: the work is done. One that was taken for stuck and given to another ends nothing."""
        with self._writing() as connection:
            happenings.done(connection, lease.token)

    def fail(self, lease: Lease, error: str, *, now: datetime, waits: Sequence[timedelta]) -> None:
        """End a lease in failure: its first one is tried again after so long, alone, and after the last wait no more."""
        with self._writing() as connection:
            happenings.give_back(connection, lease.token, now=now, error=error, waits=waits)

    def release(self, lease: Lease, *, now: datetime) -> None:
        """End a lease that was not worked on."""
        with self._writing() as connection:
            happenings.give_back(connection, lease.token, now=now, error="", waits=(), counted=False)

    def recover(self, *, now: datetime, stuck: timedelta, waits: Sequence[timedelta], lane: Lane = Lane.RULES) -> int:
        """End the leases of a lane whose process has ended, or that are older than ``stuck``, in failure; return how many."""
        with self._writing() as connection:
            return happenings.recover(connection, now=now, stuck=stuck, waits=waits, lane=lane)

    def retry(self, *, now: datetime) -> int:
        """Let what has failed for good be tried again; return how much that is."""
        with self._writing() as connection:
            return happenings.retry(connection, now=now)

    def waiting(self, *, now: datetime, stuck: timedelta, lane: Lane = Lane.RULES) -> Waiting:
        """Say how much is captured, and how much of it waits in a lane, is at work or has failed."""
        with self._reading(bulk=True) as connection:
            return happenings.waiting(connection, now=now, stuck=stuck, lane=lane)

    def expire(self, *, before: datetime, unanswered: datetime) -> int:
        """Delete the payloads of what happened before then and waits for no rules, of a turn without an answer what happened before ``unanswered``."""
        with self._writing() as connection:
            return happenings.expire(connection, before=before, unanswered=unanswered)
