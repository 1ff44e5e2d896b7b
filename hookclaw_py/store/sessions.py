"""What the engine needs of a store for sessions: what happened in them, what waits to be worked on, and what was distilled of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.model.kind import Kind
from hookclaw_py.model.record import Entry, Link, Record, RecordChange, RecordStatus
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.values import Lane, Lease, SetRight, Waiting


class Happenings(Protocol):
    """What happened in sessions, append-only, and the queue of what waits to be worked on.

    A session's are worked on in their order, sessions side by side, and so are lanes.
    """

    def append(self, told: Sequence[Happening], *, queued: Collection[str], now: datetime) -> frozenset[str]:
        """Keep what happened, each once, and let the ``queued`` ids wait for work; return the ids that are new."""

    def happenings(
        self, session: str = "", *, run: str = "", kinds: Collection[HappeningKind] = (), newest: int = 10_000
    ) -> list[Happening]:
        """Return what happened, oldest first: the newest of a session, of a run, of some kinds."""

    def happened(self) -> Mapping[str, int]:
        """Return of which sessions anything is kept, each with how much that is."""

    def enqueue(self, ids: Collection[str], *, lane: Lane, now: datetime) -> None:
        """Let what is kept under these ids wait for work in a lane; what waits there already waits once."""

    def lease(self, *, now: datetime, most: int, lane: Lane = Lane.RULES) -> Lease | None:
        """Take what is due of one session in a lane, in its order; None when nothing is."""

    def done(self, lease: Lease) -> None:
        """End a lease: the work is done. One that was taken for stuck and given to another ends nothing."""

    def fail(self, lease: Lease, error: str, *, now: datetime, waits: Sequence[timedelta]) -> None:
        """End a lease in failure: its first one is tried again after so long, alone, and after the last wait no more."""

    def release(self, lease: Lease, *, now: datetime) -> None:
        """End a lease that was not worked on."""

    def recover(self, *, now: datetime, stuck: timedelta, waits: Sequence[timedelta], lane: Lane = Lane.RULES) -> int:
        """End the leases of a lane whose process has ended, or that are older than ``stuck``, in failure; return how many."""

    def retry(self, *, now: datetime) -> int:
        """Let what has failed for good be tried again; return how much that is."""

    def waiting(self, *, now: datetime, stuck: timedelta, lane: Lane = Lane.RULES) -> Waiting:
        """Say how much is captured, and how much of it waits in a lane, is at work or has failed."""

    def expire(self, *, before: datetime, unanswered: datetime) -> int:
        """Delete the payloads of what happened before then and waits for no rules, of a turn without an answer what happened before ``unanswered``."""


class Records(Protocol):
    """What was distilled from sessions: records, what was done to each, and how they hang together."""

    def record(self, memory: str) -> Record | None:
        """Return one record, whatever became of it."""

    def records(
        self,
        *,
        kinds: Collection[Kind] = (),
        about: str | None = None,
        session: str = "",
        standing: bool = False,
        statuses: Collection[RecordStatus] = (),
        newest: int = 10_000,
        skip: int = 0,
    ) -> list[Record]:
        """Return the records that were said last, the newest first: of some kinds, about one thing, of a session, those that stand.

        ``skip`` passes over the first ones.
        """

    def record_counts(self, *, session: str = "") -> Mapping[tuple[str, str], int]:
        """Return how many records there are, by name of kind and of status: all, or a session's."""

    def record_history(self, memory: str) -> list[Entry]:
        """Return what was done to a record, oldest first."""

    def record_wordings(self) -> Sequence[tuple[str, str]]:
        """Return all that every record ever said, with the record's id."""

    def set_right(self) -> Sequence[SetRight]:
        """Return what a person took back of records or said instead, all that these ever said, the earliest first."""

    def record_changes(self, *, since: datetime | None = None) -> Mapping[tuple[str, str], int]:
        """Return how often what was done, by name of kind and of action, to the records that are there: since then, or ever."""

    def record_links(self, ids: Iterable[str]) -> list[Link]:
        """Return the links that begin or end at these records."""

    def remove_links(self, links: Iterable[Link]) -> None:
        """Take these links away; one that is not there is no error."""

    def is_forgotten(self, record: Record, passage: Chunk | None) -> bool:
        """Say whether a person had it forgotten: ``write_record`` would write nothing."""

    def write_record(self, change: RecordChange, passage: Chunk | None, *, at: datetime, actor: str) -> bool:
        """Make a record what a change says, in one transaction; False if a person had it forgotten: then nothing is written.

        ``passage`` is what is searched of it; without one, or when it stands no more, nothing is. That it was done again is counted,
        and no line of its history.
        """


class FromSessions(Happenings, Records, Protocol):
    """Both."""
