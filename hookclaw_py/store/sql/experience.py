"""What a store knows of its memories' use: showings, turns, verdicts and marks, each an event, and what they come to."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from hookclaw_py.errors import StoreError
from hookclaw_py.model.types import Chunk, Uses
from hookclaw_py.stages.utility import BLOCK, PIN, about
from hookclaw_py.store.events import (
    MAX_ERROR_CHARS,
    EndedTurn,
    Event,
    EventKind,
    Showing,
    Unsettled,
    injection_data,
    kept,
    shown_in,
)
from hookclaw_py.store.ports import EVENT_BUSY_SECONDS
from hookclaw_py.store.sql import events, facts, forgetting, generations, memories, rows, tallies
from hookclaw_py.store.sql.connections import Connections, SQLConnection
from hookclaw_py.store.sql.memories import Left
from hookclaw_py.store.tallies import VERSION, apply
from hookclaw_py.text import terms

log = logging.getLogger("hookclaw")


class Experience(Connections):
    """The part of a ``Store`` that learns. Every method raises ``StoreError`` when the database cannot be used."""

    def __init__(self) -> None:
        self._current = False
        """Whether the tallies are known to be of this version's formula."""
        self._marked = False
        """Whether a mark was seen so far."""
        try:
            self._keep_current()  # a long log takes seconds: no recall could wait for it
            self._marked = bool(self.marks())
            with self._reading() as connection:
                self._note_forgotten(connection)
        except (StoreError, ValueError, LookupError, OSError) as error:
            # another writer, or a damaged event: notes are found all the same
            log.warning("hookclaw: what is known of the memories' use is as an earlier version left it: %s", error)

    # Reading

    def uses(self, ids: Iterable[str]) -> dict[str, Uses]:
        """Return what is known of the use of these memories; those of which nothing is known are left out."""
        with self._reading() as connection:
            found = tallies.load(connection, rows.keys_of(ids))
        self._marked = self._marked or any(uses.mark for uses in found.values())
        return found

    def only_marks(self, ids: Iterable[str]) -> dict[str, Uses]:
        """Return what a person pinned or blocked of these memories and nothing else: for when ``uses`` fails.

        Raises:
            StoreError: if that cannot be read either; not where nothing was seen pinned or blocked so far.
        """
        try:
            with self._reading() as connection:
                return tallies.marks_of(connection, rows.keys_of(ids))
        except StoreError:
            if self._marked:
                raise
        return {}

    def all_uses(self) -> dict[str, Uses]:
        """Return what is known of the use of every memory of which anything is, by id; of ended ones too."""
        self._keep_current()
        with self._reading(bulk=True) as connection:
            return tallies.load_all(connection)

    def marks(self) -> dict[str, str]:
        """Return what a person pinned or blocked, "pin" or "block" by memory; also of ended ones."""
        self._keep_current()
        with self._reading(bulk=True) as connection:
            return tallies.marked(connection)

    def events(self, *kinds: EventKind, after: int = 0) -> Iterator[Event]:
        """Return the log after event number ``after``, oldest first: only these kinds, or all."""
        while True:
            with self._reading(bulk=True) as connection:
                page = events.read(connection, after=after, kinds=kinds)
            if not page:
                return
            yield from page
            after = page[-1].number

    def unsettled(self, session_id: str, injection_id: str = "", *, run_id: str = "") -> Unsettled | None:
        """Return the injection that a turn belongs to if it is not settled: by its id, else by run, else the session's last."""
        with self._reading() as connection:
            return events.unsettled(connection, session_id, run=run_id, injection=injection_id)

    # Turns

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
        """Remember that these memories were shown; written before it returns.

        Raises:
            StoreError: if another writer is still at work after ``busy_seconds``.
        """
        data = injection_data(prompt, shown)
        with self._writing(busy_seconds) as connection:
            events.append(
                connection, at, EventKind.INJECTION, data, session=session_id, run=run_id, injection=injection_id
            )

    def record_unshown(self, injection_id: str, *, at: datetime) -> None:
        """Remember that an injection did not reach its prompt after all: no turn can settle it."""
        with self._writing(EVENT_BUSY_SECONDS) as connection:
            event = events.injection_of(connection, injection_id)
            if event is not None and not events.is_settled(connection, injection_id):
                whose = {"session": event.session, "run": event.run, "injection": injection_id}
                events.append(connection, at, EventKind.UNSHOWN, {}, **whose)

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
        """Remember what a turn did with the shown memories that are still there; False when it is settled already.

        ``kinds`` has "used", "relevant", "contradicted" or "ignored" by memory. A turn that failed teaches nothing.

        Raises:
            StoreError: if another writer is still at work after ``busy_seconds``.
        """
        with self._writing(busy_seconds) as connection:
            injection = events.injection_of(connection, injection_id)
            if injection is None or events.is_settled(connection, injection_id):
                return False
            there = memories.active(connection, shown_in(injection)) if success else []
            data = {
                "success": success,
                "error": kept(error, MAX_ERROR_CHARS),
                "ms": round(duration_ms),
                "kinds": {i: str(kinds[i]) for i in there if i in kinds},
                "about": sorted(about(terms(injection.data["prompt"]))) if success else [],
            }
            whose = {"session": session_id, "run": run_id, "injection": injection_id}
            tallies.count(connection, events.append(connection, at, EventKind.TURN, data, **whose))
        return True

    # A person's word

    def add_verdict(
        self, good: bool, *, at: datetime, injection_id: str = "", ids: Collection[str] = (), by: str = "person"
    ) -> list[str]:
        """Remember that memories helped, or did not; return those for which that is news.

        With an injection and no ids it is about all that were shown. Said twice it counts once, and the opposite
        replaces what was said before (of that injection; without one, of the memory as such). ``by`` is "person" or "agent".
        It holds from the next prompt on.

        Raises:
            StoreError: if there is no such injection, or a memory is not active or was not shown.
        """
        with self._writing() as connection:
            meant = _meant(connection, injection_id, ids)
            before = {i: events.verdict_on(connection, injection_id, i, by) for i in meant}
            news = [i for i in meant if (said := before[i]) is None or said[0] != good]
            if news:
                withdrawn = {i: said[1] for i in news if (said := before[i]) is not None}
                data = {"good": good, "by": by, "memories": news, "withdrawn": withdrawn}
                event = events.append(connection, at, EventKind.VERDICT, data, injection=injection_id)
                tallies.count(connection, event)
                generations.advance(connection)  # remembered answers were given without it
        return news

    def mark(self, memory: str, mark: str, *, at: datetime) -> bool:
        """Pin or block a memory, or with "" neither; say whether that is news. It holds from the next prompt on.

        Raises:
            StoreError: if there is no such memory, or no such mark.
        """
        if mark not in (PIN, BLOCK, ""):
            raise StoreError(f"{mark!r} is no mark; use {PIN!r}, {BLOCK!r}, or '' for none")
        with self._writing() as connection:
            if tallies.marked(connection).get(memory, "") == mark:
                return False
            if mark and not memories.active(connection, [memory]):
                raise StoreError(
                    f"there is no memory {memory!r}; `hookclaw history` and `hookclaw explain` show the ids"
                )
            data = {"memory": memory, "mark": mark}
            tallies.count(connection, events.append(connection, at, EventKind.MARK, data))
            generations.advance(connection)
        self._marked = self._marked or bool(mark)
        return True

    def object_to(
        self,
        session_id: str,
        *,
        at: datetime,
        judge: Callable[[EndedTurn], Collection[str]],
        busy_seconds: float = EVENT_BUSY_SECONDS,
    ) -> list[str]:
        """Let the user's next message speak on the session's last turn: what ``judge`` returns was contradicted by it.

        It can do so once. Return the memories for which that is news.

        Raises:
            StoreError: if another writer is still at work after ``busy_seconds``.
        """
        with self._reading() as connection:
            turn = events.last_turn(connection, session_id)
        ids = [i for i in judge(turn) if turn.kinds[i] != "contradicted"] if turn else []
        if not turn or not ids:
            return []
        with self._writing(busy_seconds) as connection:
            if events.has(connection, turn.injection_id, EventKind.OBJECTION):
                return []
            data = {"memories": {i: turn.kinds[i] for i in ids}, "then": turn.at.isoformat()}
            whose = {"session": session_id, "injection": turn.injection_id}
            tallies.count(connection, events.append(connection, at, EventKind.OBJECTION, data, **whose))
        return ids

    def forget(
        self, ids: Collection[str], *, at: datetime, also: Callable[[], object] = lambda: None
    ) -> dict[str, list[str]]:
        """Purge memories, their revisions and all that is known of them, copies in other files too.

        Return them with the ids of the chunks that they were. Their text stays out until it is changed in the notes. A
        memory that has ended leaves no trace either. What ``also`` writes is in the same unit.
        """
        with self.together(), self._writing() as connection:
            gone = forgetting.purge(connection, ids, at=at)
            also()
            rebuild_uses(connection)
            self._note_forgotten(
                connection, {*gone, *(chunk_id for wordings in gone.values() for chunk_id in wordings)}
            )
        self._let_no_trace_stay()
        return gone

    def forget_said(self, passages: Collection[Chunk], reworded: Callable[[str], str], *, at: datetime) -> None:
        """Note that passages, which are gone, are forgotten as they stood, and purge what tells of them.

        Every text of what happened, and every prompt of a decision, becomes what ``reworded`` makes of it.
        """
        with self._writing() as connection:
            forgetting.purge_said(connection, passages, reworded, at=at)

    def forgotten_at(self) -> list[datetime]:
        """Return when memories were forgotten; what they said is known to nobody any more."""
        with self._reading() as connection:
            return [datetime.fromisoformat(at) for (at,) in connection.execute("SELECT at FROM forgotten ORDER BY at")]

    def rebuild_uses(self) -> None:
        """Make the tallies anew from the log."""
        with self._writing(EVENT_BUSY_SECONDS) as connection:
            rebuild_uses(connection)

    def _keep_current(self) -> None:
        if self._current:
            return
        with self._reading() as connection:
            outdated = facts.get(connection, "uses") != VERSION
            outdated = outdated and connection.execute("SELECT 1 FROM events LIMIT 1").fetchone() is not None
        if outdated:
            self.rebuild_uses()
        self._current = True


def hand_on(connection: SQLConnection, ended: Sequence[Left], *, at: datetime) -> None:
    """Let what is known of memories that have ended hold for those that say the same elsewhere."""
    for left in ended:
        if not tallies.load(connection, [left.memory]):
            continue
        heir = connection.execute(
            "SELECT memory FROM chunks WHERE digest = ? ORDER BY path, position LIMIT 1", (left.digest,)
        ).fetchone()
        if heir:
            data = {"old": rows.id_of(left.memory), "new": rows.id_of(heir[0])}
            tallies.count(connection, events.append(connection, at, EventKind.MERGE, data))


def _meant(connection: SQLConnection, injection_id: str, ids: Collection[str]) -> list[str]:
    """Return the memories that a verdict is about."""
    shown: Collection[str] = ids
    if injection_id:
        injection = events.injection_of(connection, injection_id)
        if injection is None:
            raise StoreError(f"there is no injection {injection_id!r}; `hookclaw history` lists them")
        shown = shown_in(injection)
    there = memories.active(connection, ids or shown)
    for memory in ids:
        if memory not in there or memory not in shown:
            where = f"in injection {injection_id}" if memory in there else "in the store"
            raise StoreError(
                f"there is no memory {memory!r} {where}; `hookclaw history` and `hookclaw explain` show the ids"
            )
    return there


def rebuild_uses(connection: SQLConnection) -> None:
    """Make anew what follows from the log: the tallies, and which event tells of what."""
    state: dict[str, Uses] = {}
    after = 0
    while page := events.read(connection, after=after):
        events.link(connection, page)
        for event in page:
            apply(state, event)
        after = page[-1].number
    connection.execute("DELETE FROM uses")
    tallies.save(connection, state)
    facts.put(connection, "uses", VERSION)
