"""What the engine needs of a store, in its own words. Nothing above says which database that is, or where its rows lie.

One store is one agent's. Each port is what one part of the engine asks for; ``AgentStore`` is all of them. Every method
raises ``StoreError`` when the database cannot be read or written. ``hookclaw_py.testing.stores`` says what each promises,
as tests that any store can be put through.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, Self

from hookclaw_py.model.memory import Memory, Revision
from hookclaw_py.model.types import Chunk, Uses
from hookclaw_py.store.recalled import EVERYTHING, Part, Parted
from hookclaw_py.store.sessions import Happenings, Records
from hookclaw_py.store.values import Cleaned, Key, Replaced

if TYPE_CHECKING:
    from hookclaw_py.store.decisions import Glance, Told
    from hookclaw_py.store.events import EndedTurn, Event, EventKind, Showing, Unsettled

EVENT_BUSY_SECONDS = 0.2
"""How long an event waits for another writer: a prompt, or the end of a turn, waits with it."""


class Facts(Protocol):
    """Values that the engine remembers by name."""

    def get_meta(self, key: str, default: Any = None) -> Any:
        """Return the JSON value remembered under ``key``."""

    def set_meta(self, key: str, value: Any) -> None:
        """Remember a JSON value under ``key``; this is no visible change."""


class Changeable(Facts, Protocol):
    """Values by name that can be read and changed in one step."""

    def together(self) -> AbstractContextManager[None]:
        """Let nobody else change a value until what is read and written inside is written."""


class Work(Protocol):
    """Who may write, and what belongs together."""

    def alone(self, wait_seconds: float) -> AbstractContextManager[None]:
        """Be the one process that reads notes into this store; that ends with the process, however that ends.

        Raises:
            IndexingError: if another one still is after ``wait_seconds``.
        """

    def together(self) -> AbstractContextManager[None]:
        """Make all that this thread writes inside one unit: all of it, or nothing. It sees its own changes meanwhile."""


class Notes(Parted, Facts, Work, Protocol):
    """What reads notes into a store, and embeds them."""

    def get(self, chunk_id: str) -> Chunk | None:
        """Return one chunk, or None."""

    def all_chunks(self) -> list[Chunk]:
        """Return every chunk, by path and position."""

    def chunks_of(self, path: str) -> list[Chunk]:
        """Return the chunks of one file, by position."""

    def texts_by_file(self) -> list[tuple[str, bytes]]:
        """Return the path and the digest of the text of every chunk."""

    def replace_file(
        self,
        path: str,
        *,
        chunks: Sequence[Chunk],
        digest: str = "",
        size: int = 0,
        mtime_ns: int = 0,
        recipe: str = "",
        warnings: Sequence[str] = (),
        names: Sequence[str] = (),
        shared: bool | None = None,
        moved_from: Collection[str] = (),
    ) -> Replaced:
        """Make ``chunks`` those of the file. A chunk that is there already keeps its vector.

        An edited passage is a new revision of its memory. Memories of files that are gone, ``moved_from``, go on in this
        one where their words do.
        """

    def touch_file(self, path: str, *, size: int, mtime_ns: int) -> None:
        """Remember the file's new stat when its content has not changed."""

    def forget_file(self, path: str) -> int:
        """Delete a file and its chunks; return how many there were. Their memories end.

        What is known of these holds for the same text elsewhere, if it stands there.
        """

    def untell(self, paths: Collection[str], *, private: bool) -> list[str]:
        """Take what these files alone say out of past decisions, before they go; return the ids of the chunks that it was.

        Of ``private`` ones goes what else is known of them as well: vectors, events, words of turns that were shown them.
        """

    def prune(self) -> None:
        """Let go of what only old indexes would ask for, and of ended memories and unused vectors once they are many."""

    def pending_embeddings(self, model_id: str, pool_size: int) -> list[tuple[str, str]]:
        """Return up to ``pool_size`` (chunk id, text to embed) that have no vector of ``model_id``, each text once."""

    def pending_count(self, model_id: str) -> int:
        """Return how many distinct texts have no vector of ``model_id`` yet."""

    def embedded_count(self, model_id: str, within: Part = EVERYTHING) -> int:
        """Return how many chunks have a vector of ``model_id``."""

    def add_embeddings(
        self, model_id: str, vectors: Sequence[tuple[str, bytes]], tokens: Mapping[str, bytes] = {}
    ) -> None:
        """Store (chunk id, little-endian float32) vectors; a chunk that is gone by now is passed over.

        ``tokens`` are their token vectors, int8, by chunk id.

        Raises:
            StoreError: if a vector has another dimension than the model's others, or a value that is no finite number.
        """


class Memories(Protocol):
    """What goes on when its words change, and the wordings that it has had."""

    def memory(self, memory: str) -> Memory | None:
        """Return one memory, active or ended."""

    def revisions(self, memory: str) -> Sequence[Revision]:
        """Return the wordings of a memory, oldest first."""

    def heads(self, ids: Iterable[str]) -> Mapping[str, Chunk]:
        """Return the chunks of the newest wordings of these memories, in the order given; what has ended is left out."""

    def memories_of(self, chunk_ids: Iterable[str]) -> Mapping[str, str]:
        """Return by chunk id, of wordings long replaced too, the memory of which it is one; unknown ids are left out."""

    def memories_beginning_with(self, prefix: str, *, most: int) -> list[str]:
        """Return up to ``most`` memories of which a chunk's id, else that of an earlier wording, begins with these digits."""

    def memories_at(self, path: str, line: int) -> list[str]:
        """Return the memories on a line of a file, given by its whole path or by the end of it."""


class Events(Protocol):
    """What happened to memories and what a person said of them: an append-only log, and what it comes to."""

    def events(self, *kinds: EventKind, after: int = 0) -> Iterator[Event]:
        """Return the log after event number ``after``, oldest first: only these kinds, or all."""

    def all_uses(self) -> Mapping[str, Uses]:
        """Return what is known of the use of every memory of which anything is, by id: ``tallies.replay`` of the log."""

    def marks(self) -> Mapping[str, str]:
        """Return what a person pinned or blocked, "pin" or "block" by memory; also of ended ones."""

    def unsettled(self, session_id: str, injection_id: str = "", *, run_id: str = "") -> Unsettled | None:
        """Return the injection that a turn belongs to if it is not settled: by its id, else by run, else the session's last."""

    def record_injection(
        self,
        *,
        at: datetime,
        session_id: str,
        injection_id: str,
        prompt: str,
        shown: Sequence[Showing],
        run_id: str = "",
        busy_seconds: float = EVENT_BUSY_SECONDS,
    ) -> None:
        """Remember that these memories were shown; written before it returns."""

    def record_unshown(self, injection_id: str, *, at: datetime) -> None:
        """Remember that an injection did not reach its prompt after all: no turn can settle it."""

    def settle(
        self,
        *,
        at: datetime,
        session_id: str,
        injection_id: str,
        kinds: Mapping[str, str],
        run_id: str = "",
        success: bool = True,
        error: str = "",
        duration_ms: float = 0.0,
        busy_seconds: float = EVENT_BUSY_SECONDS,
    ) -> bool:
        """Remember what a turn did with the shown memories that are still there; False when it is settled already."""

    def object_to(
        self,
        session_id: str,
        *,
        at: datetime,
        judge: Callable[[EndedTurn], Collection[str]],
        busy_seconds: float = EVENT_BUSY_SECONDS,
    ) -> list[str]:
        """Let the user's next message speak on the session's last turn: what ``judge`` returns was contradicted by it."""

    def add_verdict(
        self, good: bool, *, at: datetime, injection_id: str = "", ids: Collection[str] = (), by: str = "person"
    ) -> list[str]:
        """Remember that memories helped, or did not; return those for which that is news."""

    def mark(self, memory: str, mark: str, *, at: datetime) -> bool:
        """Pin or block a memory, or with "" neither; say whether that is news. It holds from the next prompt on."""

    def forget(self, ids: Collection[str], *, at: datetime) -> Mapping[str, Sequence[str]]:
        """Purge memories, their revisions and all that is known of them, copies in other files too.

        Return them with the ids of the chunks that they were. Their text stays out until it is changed in the notes. What
        happened where they were shown, or says them, loses its payload.
        """

    def forgotten_at(self) -> list[datetime]:
        """Return when memories were forgotten; what they said is known to nobody any more."""


class Decisions(Protocol):
    """Every prompt and what became of it."""

    def add_decisions(self, told: Sequence[Told], *, about: Collection[Chunk], most: int) -> None:
        """Add decisions in the place of those of the same id; the oldest beyond ``most`` go.

        Of the chunks they are ``about``, those that were forgotten since are taken out of the stories.
        """

    def decisions(
        self, *, limit: int | None = None, session: str = "", outcome: str = "", since: datetime | None = None
    ) -> list[Glance]:
        """Return the newest decisions first; of one session, of one outcome, not older than ``since``."""

    def decisions_beginning_with(self, prefix: str, *, most: int) -> list[Told]:
        """Return up to ``most`` decisions whose id begins with ``prefix``, the newest first."""


class Counters(Protocol):
    """Amounts that survive restarts, added up over all processes that use the store."""

    def add_counts(
        self, amounts: Mapping[Key, float], *, told: Mapping[str, Any] = {}, busy_seconds: float | None = None
    ) -> None:
        """Add ``amounts`` to the counters, and replace the facts ``told``: all of it, or nothing.

        Raises:
            StoreError: if another writer is still at work after ``busy_seconds`` (None: as long as the store is patient).
        """

    def counts(self) -> dict[Key, float]:
        """Return every counter."""


class AgentStore(Notes, Memories, Events, Decisions, Counters, Happenings, Records, Protocol):
    """One agent's memory. Safe to use from several threads and processes; readers never wait for the indexer."""

    damage: str
    """What was found damaged while reading or writing; "" so far nothing."""

    @property
    def unwritable(self) -> str:
        """Why the store can be read only; "" when it can be written, as far as is known."""

    @property
    def place(self) -> str:
        """Where the store is, for people; "" in memory."""

    def check(self) -> str:
        """Look through the whole store; return what is damaged and what to do, "" when nothing is."""

    def forget(
        self, ids: Collection[str], *, at: datetime, also: Callable[[], object] = lambda: None
    ) -> Mapping[str, Sequence[str]]:
        """Purge memories as ``Events`` says; what ``also`` writes is in the same unit."""

    def forget_said(self, passages: Collection[Chunk], reworded: Callable[[str], str], *, at: datetime) -> None:
        """Note that passages, which are gone, are forgotten as they stood, and purge what tells of them.

        Every text of what happened, and every prompt of a decision, becomes what ``reworded`` makes of it.
        """

    def forget_in_copies(self, *, at: datetime) -> Cleaned:
        """Take what the store forgot out of its copies that were set aside; one that cannot be cleaned is deleted."""

    def close(self) -> None:
        """Close the store; it can be called twice."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
