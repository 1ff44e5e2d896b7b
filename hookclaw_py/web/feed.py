"""Live events: what becomes new in an agent's store, whichever process wrote it, told to all who listen.

The store is looked at as long as somebody listens, and no longer. An event's number is the microsecond at which it was
seen, so that numbers rise over restarts, too: who comes back with the last one is told what it missed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from hookclaw_py.insight.history import as_row
from hookclaw_py.insight.records import as_row as record_row
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.model.record import Record
from hookclaw_py.store.decisions import Glance
from hookclaw_py.store.events import Event, EventKind
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.text import on_one_line
from hookclaw_py.web.reading import waiting_fields

KEPT = 1000
"""Events that somebody who comes back may have missed."""
_LOOKED_AT = 200  # of the newest decisions, happenings and records; more in one look are told in the next ones
_SHORT = 300  # characters of what was said
_JUDGED = (EventKind.TURN, EventKind.UNSHOWN, EventKind.VERDICT, EventKind.MARK)
_MEANT = {EventKind.TURN: "used", EventKind.UNSHOWN: "unshown", EventKind.VERDICT: "verdict", EventKind.MARK: "mark"}


class Live(NamedTuple):
    """One event: its number, its name, and what it tells."""

    number: int
    name: str
    data: Mapping[str, Any]


@dataclass
class _Seen:
    """What was told already."""

    decisions: frozenset[str] = frozenset()
    happenings: frozenset[str] = frozenset()
    records: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    event: int = 0
    forgotten: int = 0
    queue: tuple[int, ...] = ()


class Feed:
    """The newest events of one store. ``look`` is called by one thread at a time; whoever reads ``after`` may be another."""

    def __init__(self) -> None:
        self._kept: deque[Live] = deque(maxlen=KEPT)
        self._seen: _Seen | None = None
        self._number = 0

    def after(self, number: int) -> list[Live]:
        """Return the events that are kept since the one of that number."""
        return [event for event in tuple(self._kept) if event.number > number]

    @property
    def newest(self) -> int:
        """The number of the newest event, or of the last look."""
        return self._number

    def look(self, store: AgentStore, *, since: int = 0) -> None:
        """Keep what is new in the store. The first look begins with what happened after ``since``, if that is given."""
        before = self._seen
        if before is None:
            moment = datetime.fromtimestamp(since / 1e6, UTC) if since else datetime.now(UTC)
            self._begin(store, moment)
        else:
            self._tell(store, before)
        self._number = max(self._number, time.time_ns() // 1000 - 1)

    def _begin(self, store: AgentStore, since: datetime) -> None:
        decisions, happenings, records = _newest(store)
        missed: list[tuple[datetime, str, Mapping[str, Any]]] = []
        missed += [(one.at, "recall", as_row(one, None)) for one in decisions if one.at > since]
        missed += [(one.at, "capture", _captured(one)) for one in happenings if one.at > since]
        for one in records:
            history = store.record_history(one.id)
            if history and history[-1].at > since:
                missed.append((history[-1].at, "learned", _learned(one, store)))
        for _, name, data in sorted(missed, key=lambda told: told[0])[-KEPT:]:
            self._add(name, data)
        last = 0
        for event in store.events(*_JUDGED):
            last = event.number
        self._seen = _Seen(
            frozenset(one.id for one in decisions),
            frozenset(one.id for one in happenings),
            {one.id: _state(one) for one in records},
            last,
            len(store.forgotten_at()),
            _queue(store),
        )

    def _tell(self, store: AgentStore, before: _Seen) -> None:
        decisions, happenings, records = _newest(store)
        for one in reversed(decisions):
            if one.id not in before.decisions:
                self._add("recall", as_row(one, None))
        for happening in happenings:
            if happening.id not in before.happenings:
                self._add("capture", _captured(happening))
        for record in reversed(records):
            if before.records.get(record.id) != _state(record):
                self._add("learned", _learned(record, store))
        last = before.event
        for event in store.events(*_JUDGED, after=before.event):
            last = event.number
            self._add(_MEANT[event.kind], _judged(event))
        gone = len(store.forgotten_at())
        if gone > before.forgotten:
            self._kept = deque(self._still_so(store, decisions, happenings), maxlen=KEPT)
            self._add("forgotten", {"number": gone - before.forgotten})
        waits = _queue(store)
        if waits != before.queue:
            self._add("queue", _waiting(store))
        self._seen = _Seen(
            frozenset(one.id for one in decisions),
            frozenset(one.id for one in happenings),
            {one.id: _state(one) for one in records},
            last,
            gone,
            waits,
        )

    def _still_so(self, store: AgentStore, decisions: list[Glance], happenings: list[Happening]) -> Iterator[Live]:
        """Yield what is kept as the store tells it now: an event may say what was forgotten since."""
        asked, told = {one.id: one for one in decisions}, {one.id: one for one in happenings}
        for event in tuple(self._kept):
            name = str(event.data.get("id", ""))
            if event.name == "recall":
                now = as_row(asked[name], None) if name in asked else None
            elif event.name == "capture":
                now = _captured(told[name]) if name in told else None
            elif event.name == "learned":
                now = _learned(record, store) if (record := store.record(name)) else None
            else:
                now = dict(event.data)
            if now is not None:
                yield event._replace(data=now)

    def _add(self, name: str, data: Mapping[str, Any]) -> None:
        self._number = max(self._number + 1, time.time_ns() // 1000)
        self._kept.append(Live(self._number, name, data))


def _newest(store: AgentStore) -> tuple[list[Glance], list[Happening], list[Record]]:
    return (
        store.decisions(limit=_LOOKED_AT),
        store.happenings(newest=_LOOKED_AT),
        store.records(newest=_LOOKED_AT),
    )


def _state(record: Record) -> tuple[Any, ...]:
    return record.status, record.at, record.body, record.pinned


def _captured(one: Happening) -> dict[str, Any]:
    told = one.payload.get("text") if one.kind is not HappeningKind.TOOL_CALL else one.payload.get("tool")
    return {
        "id": one.id,
        "at": one.at,
        "host": one.host,
        "session": one.session,
        "kind": str(one.kind),
        "text": on_one_line(str(told or ""), _SHORT),
    }


def _learned(record: Record, store: AgentStore) -> dict[str, Any]:
    history = store.record_history(record.id)
    action = str(history[-1].action) if history else ""
    return record_row(record, now=datetime.now(UTC)) | {"action": action}


def _judged(event: Event) -> dict[str, Any]:
    told: dict[str, Any] = {"at": event.at, "session": event.session, "injection": event.injection}
    if event.kind is EventKind.TURN:
        kinds = event.data.get("kinds", {})
        told |= {"kinds": kinds, "used": sum(kind == "used" for kind in kinds.values())}
    elif event.kind is not EventKind.UNSHOWN:
        told |= dict(event.data)
    return told


def _queue(store: AgentStore) -> tuple[int, ...]:
    told = _waiting(store)
    return tuple(told[name] for name in ("pending", "processing", "failed"))


def _waiting(store: AgentStore) -> dict[str, Any]:
    from datetime import timedelta

    return waiting_fields(store.waiting(now=datetime.now(UTC), stuck=timedelta(minutes=5)))


def lines(event: Live) -> Iterator[str]:
    """Yield an event as the stream has it."""
    from hookclaw_py.web.body import encoded

    yield f"id: {event.number}\nevent: {event.name}\ndata: {encoded(event.data).decode()}\n\n"
