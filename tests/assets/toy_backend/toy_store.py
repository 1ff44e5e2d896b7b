"""A store of dictionaries, made by somebody else: all that a backend has to do, and nothing that one should keep.

It knows only what is public: the ports, the values that go through them, and what every store computes alike.
"""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from hookclaw_py import text
from hookclaw_py.errors import StoreError
from hookclaw_py.model.memory import Cause, Memory, MemoryStatus, Revision
from hookclaw_py.model.origin import Origin, lowest
from hookclaw_py.model.types import Chunk, Period, Uses
from hookclaw_py.store import decisions, events, tallies
from hookclaw_py.store.content import content_digest, context_of, embedded, wording_digest
from hookclaw_py.store.decisions import Glance, Told
from hookclaw_py.store.events import EndedTurn, Event, EventKind, Showing, Unsettled
from hookclaw_py.store.lineage import Passage, successors
from hookclaw_py.store.names import name_of
from hookclaw_py.store.recalled import EVERYTHING, Part
from hookclaw_py.store.values import Changes, Cleaned, FileRecord, Key, Replaced, Vectors

SETTLED = (EventKind.TURN, EventKind.UNSHOWN)


@dataclass
class State:
    """What is remembered."""

    generation: int = 0
    files: dict[str, FileRecord] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    notes: dict[str, list[Chunk]] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    wordings: dict[str, list[tuple[Revision, bytes]]] = field(default_factory=dict)
    told_as: dict[str, tuple[str, int]] = field(default_factory=dict)
    stamps: dict[str, Origin] = field(default_factory=dict)
    vectors: dict[tuple[str, bytes], tuple[bytes, bytes]] = field(default_factory=dict)
    log: list[Event] = field(default_factory=list)
    told: dict[str, Told] = field(default_factory=dict)
    counts: dict[Key, float] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    forgotten: dict[bytes, datetime] = field(default_factory=dict)


class ToyStore:
    lasting, folder, place = False, None, ""
    damage = unwritable = ""
    replaced = 0

    def __init__(self) -> None:
        self._now: State | None = State()
        self._lock = threading.RLock()

    def __enter__(self) -> ToyStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._now = None

    @property
    def _state(self) -> State:
        if self._now is None:
            raise StoreError("the toy was put away")
        return self._now

    def check(self) -> str:
        return ""

    def forget_in_copies(self, *, at: datetime) -> Cleaned:
        return Cleaned([], [])

    # Work

    def alone(self, wait_seconds: float) -> nullcontext[None]:
        return nullcontext()

    @contextmanager
    def together(self) -> Iterator[None]:
        with self._lock:
            before = copy.deepcopy(self._state)
            try:
                yield
            except BaseException:
                self._now = before
                raise

    # Reading chunks

    def generation(self) -> int:
        return self._state.generation

    def _every(self, within: Part = EVERYTHING) -> list[Chunk]:
        with self._lock:
            notes = sorted(self._state.notes.items())
            return [chunk for _, chunks in notes for chunk in chunks if within.holds(chunk)]

    def all_chunks(self) -> list[Chunk]:
        return self._every()

    def chunks_of(self, path: str) -> list[Chunk]:
        return self._every(Part(frozenset([path])))

    def count(self, within: Part = EVERYTHING) -> int:
        return len(self._every(within))

    def chunks(self, ids: Iterable[str]) -> dict[str, Chunk]:
        known = {chunk.id: chunk for chunk in self._every()}
        return {chunk_id: known[chunk_id] for chunk_id in ids if chunk_id in known}

    def get(self, chunk_id: str) -> Chunk | None:
        return self.chunks([chunk_id]).get(chunk_id)

    def following(self, chunk: Chunk) -> Chunk | None:
        behind = self.chunks_of(chunk.place.path)
        places = [one.id for one in behind]
        return dict(zip(places, behind[1:], strict=False)).get(chunk.id)

    def dated(self, period: Period, pool_size: int, within: Part = EVERYTHING) -> list[str]:
        day = timedelta(days=1)
        found = [
            c
            for c in self._every(within)
            if c.created_at and period.start <= c.created_at + day and c.created_at - day <= period.end
        ]
        return [chunk.id for chunk in sorted(found, key=lambda c: c.created_at or period.start, reverse=True)][
            :pool_size
        ]

    def names(self, within: Part = EVERYTHING) -> frozenset[str]:
        held = self._every(within)
        headings = {name_of(part) for chunk in held for part in chunk.heading.split(" > ")}
        paths = self._state.names if within == EVERYTHING else {chunk.place.path for chunk in held}
        given = {name for path, names in self._state.names.items() if path in paths for name in names}
        return frozenset(filter(None, headings | given))

    # Memories

    def memory(self, memory: str) -> Memory | None:
        return self._state.memories.get(memory)

    def revisions(self, memory: str) -> list[Revision]:
        return [revision for revision, _ in self._state.wordings.get(memory, [])]

    def heads(self, ids: Iterable[str]) -> dict[str, Chunk]:
        known = {chunk.memory: chunk for chunk in self._every()}
        return {memory: known[memory] for memory in ids if memory in known}

    def memories_of(self, chunk_ids: Iterable[str]) -> dict[str, str]:
        every = [(r.at, r.chunk_id, memory) for memory in self._state.memories for r in self.revisions(memory)]
        known = {chunk_id: memory for _, chunk_id, memory in sorted(every)}
        known |= {chunk.id: chunk.memory for chunk in self._every()}
        return {chunk_id: known[chunk_id] for chunk_id in chunk_ids if chunk_id in known}

    def memories_beginning_with(self, prefix: str, *, most: int) -> list[str]:
        there = {chunk.memory for chunk in self._every() if chunk.id.startswith(prefix)}
        gone = {m for m in self._state.memories if any(r.chunk_id.startswith(prefix) for r in self.revisions(m))}
        return sorted(there or gone)[:most]

    def memories_at(self, path: str, line: int) -> list[str]:
        there = [
            c
            for c in self._every()
            if c.place.lines[0] <= line <= c.place.lines[1] and f"/{c.place.path}".endswith(f"/{path}")
        ]
        whole = [chunk.memory for chunk in there if chunk.place.path == path]
        return sorted(whole or [chunk.memory for chunk in there])

    def _assigned(self, added: list[Chunk], gone: list[Chunk], order: list[Chunk], moved_from: Collection[str]) -> None:
        """Say of each added chunk what it is a wording of, and end what nothing goes on in."""
        at = datetime.now(UTC)
        here = [self._passage(c, c.memory, self.chunks_of(c.place.path), gone) for c in gone]
        away = [
            Passage(c.memory, c.heading, c.terms.distinct, origin=c.origin)
            for c in self._every(Part(frozenset(moved_from)))
        ]
        coming = [self._passage(c, c.id, order, added) for c in added]
        found = successors([*here, *away], coming)
        for chunk in added:
            text, known = wording_digest(chunk.heading, chunk.text), self._state.memories
            ended = [
                m
                for m in sorted(known)
                if known[m].status is MemoryStatus.ENDED and self._state.wordings[m][-1][1] == text
            ]
            memory, cause = found.get(chunk.id), Cause.EDITED
            if memory is None and ended:
                memory, cause = ended[0], Cause.RETURNED
            elif memory is None:
                memory, cause = chunk.id if chunk.id not in known else f"{len(known):016x}", Cause.WRITTEN
            elif memory not in {passage.name for passage in here}:
                cause = Cause.MOVED
            number = len(self._state.wordings.setdefault(memory, [])) + 1
            self._state.wordings[memory].append((Revision(number, at, cause, chunk.id), text))
            known[memory] = Memory(memory, chunk.kind, MemoryStatus.ACTIVE, number)
            self._state.told_as[chunk.id] = (memory, number)
        self._end([c for c in gone if c.memory not in found.values()])
        for path in moved_from:
            self._state.notes[path] = [c for c in self.chunks_of(path) if c.memory not in found.values()]

    def _passage(self, chunk: Chunk, name: str, file: list[Chunk], others: list[Chunk]) -> Passage:
        before = file[: [c.id for c in file].index(chunk.id)]
        gap = len([c for c in before if c.id not in {other.id for other in others}])
        return Passage(name, chunk.heading, chunk.terms.distinct, gap, chunk.origin)

    def _end(self, chunks: Iterable[Chunk]) -> None:
        for chunk in chunks:
            self._state.memories[chunk.memory] = self._state.memories[chunk.memory]._replace(status=MemoryStatus.ENDED)

    def _active(self, memories: Iterable[str]) -> list[str]:
        known = self._state.memories
        return [m for m in dict.fromkeys(memories) if m in known and known[m].status is MemoryStatus.ACTIVE]

    def files(self) -> dict[str, FileRecord]:
        return dict(sorted(self._state.files.items()))

    def texts_by_file(self) -> list[tuple[str, bytes]]:
        return [(chunk.place.path, content_digest(chunk.heading, chunk.text)) for chunk in self._every()]

    def changes_since(self, generation: int, within: Part = EVERYTHING) -> Changes:
        added = []
        for path in {chunk.place.path for chunk in self._every(within)}:
            chunks = self.chunks_of(path)
            terms = [[], *(list(chunk.terms) for chunk in chunks), []]
            for chunk, before, own, after in zip(chunks, terms, terms[1:], terms[2:], strict=False):
                day = chunk.created_at.date().isoformat() if chunk.created_at else None
                added.append((chunk.id, own, context_of(before, own, after, day=day, path=path)))
        return Changes(sorted(added), [], self.generation(), complete=True)

    # Vectors

    def vectors_since(self, model_id: str, generation: int, within: Part = EVERYTHING) -> Vectors:
        found = {c.id: self._vector(model_id, c)[0] for c in self._every(within) if self._vector(model_id, c)[0]}
        rows = [np.frombuffer(found[chunk_id], "<f4") for chunk_id in sorted(found)]
        matrix = np.stack(rows) if rows else np.zeros((0, 0), np.float32)
        return Vectors(sorted(found), matrix, [], self.generation(), complete=True)

    def vectors_as_kept(self, model_id: str, generation: int) -> bytes:
        return b""

    def _vector(self, model_id: str, chunk: Chunk) -> tuple[bytes, bytes]:
        return self._state.vectors.get((model_id, content_digest(chunk.heading, chunk.text)), (b"", b""))

    def tokens(self, model_id: str, ids: Iterable[str]) -> dict[str, Any]:
        known = {chunk_id: self._vector(model_id, chunk)[1] for chunk_id, chunk in self.chunks(ids).items()}
        return {chunk_id: np.frombuffer(t, np.int8).reshape(-1, 64) for chunk_id, t in known.items() if t}

    def pending_embeddings(self, model_id: str, pool_size: int) -> list[tuple[str, str]]:
        lacking = [chunk for chunk in self._every() if not self._vector(model_id, chunk)[0]]
        by_text = {embedded(chunk.heading, chunk.text): chunk.id for chunk in reversed(lacking)}
        return [(chunk_id, told) for told, chunk_id in by_text.items()][:pool_size]

    def pending_count(self, model_id: str) -> int:
        return len(self.pending_embeddings(model_id, self.count()))

    def embedded_count(self, model_id: str, within: Part = EVERYTHING) -> int:
        return sum(bool(self._vector(model_id, chunk)[0]) for chunk in self._every(within))

    def add_embeddings(
        self, model_id: str, vectors: Sequence[tuple[str, bytes]], tokens: Mapping[str, bytes] = {}
    ) -> None:
        known = {len(vector) for (model, _), (vector, _) in self._state.vectors.items() if model == model_id}
        for _, vector in vectors:
            if not vector or len(vector) != (known or {len(vectors[0][1])}).copy().pop():
                raise StoreError("a vector of another length")
            if not np.isfinite(np.frombuffer(vector, "<f4")).all():
                raise StoreError("a value that is no number")
        with self._lock:
            there = self.chunks(chunk_id for chunk_id, _ in vectors)
            for chunk_id, vector in vectors:
                if chunk := there.get(chunk_id):
                    digest = content_digest(chunk.heading, chunk.text)
                    self._state.vectors[model_id, digest] = (vector, tokens.get(chunk_id, b""))
            self._state.generation += 1

    def drop_vectors(self, model_id: str, ids: Iterable[str]) -> None:
        for chunk in self.chunks(ids).values():
            self._state.vectors.pop((model_id, content_digest(chunk.heading, chunk.text)), None)

    # Writing notes

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
        with self._lock:
            state = self._state
            kept = [c for c in chunks if wording_digest(c.heading, c.text) not in state.forgotten]
            new = {c.id: replace(c, place=c.place._replace(path=path)) for c in kept}
            old = {c.id: c for c in state.notes.get(path, [])}
            before = (
                list(old.values()),
                state.names.get(path, ()),
                state.files[path].shared if path in state.files else None,
            )
            state.files[path] = FileRecord(digest, size, mtime_ns, recipe, tuple(warnings), shared)
            state.names[path] = tuple(names)
            if before != (list(new.values()), tuple(names), shared):
                state.generation += 1
            gone = [chunk for i, chunk in old.items() if i not in new]
            state.notes[path] = list(old.values())
            self._assigned([c for i, c in new.items() if i not in old], gone, list(new.values()), moved_from)
            told = {i: state.told_as[i] for i in new}
            for i, c in new.items():
                state.stamps[told[i][0]] = lowest([c.origin, state.stamps.get(told[i][0], c.origin)])
            state.notes[path] = [
                replace(c, memory=told[i][0], revision=told[i][1], origin=state.stamps[told[i][0]])
                for i, c in new.items()
            ]
            self._hand_on([chunk for chunk in gone if chunk.memory not in self._active([chunk.memory])])
        return Replaced(len(new.keys() - old.keys()), len(new.keys() & old.keys()), len(gone))

    def touch_file(self, path: str, *, size: int, mtime_ns: int) -> None:
        self._state.files[path] = self._state.files[path]._replace(size=size, mtime_ns=mtime_ns)

    def forget_file(self, path: str) -> int:
        with self._lock:
            gone = self._state.notes.pop(path, [])
            self._end(gone)
            self._hand_on(gone)
            self._state.files.pop(path, None)
            self._state.names.pop(path, None)
            self._state.generation += bool(gone)
        return len(gone)

    def _hand_on(self, ended: Sequence[Chunk]) -> None:
        known, texts = self.all_uses(), {content_digest(c.heading, c.text): c.memory for c in self._every()}
        for chunk in ended:
            heir = texts.get(content_digest(chunk.heading, chunk.text))
            if heir and chunk.memory in known:
                self._tell(datetime.now(UTC), EventKind.MERGE, {"old": chunk.memory, "new": heir})

    def prune(self) -> None:
        """Keep everything."""

    # Events

    def _tell(self, at: datetime, kind: EventKind, data: Mapping[str, Any], **whose: str) -> None:
        of = {"session": "", "run": "", "injection": "", **whose}
        log = self._state.log
        log.append(Event(log[-1].number + 1 if log else 1, at, kind, of["session"], of["run"], of["injection"], data))

    def events(self, *kinds: EventKind, after: int = 0) -> Iterator[Event]:
        yield from [e for e in self._state.log if e.number > after and (not kinds or e.kind in kinds)]

    def all_uses(self) -> dict[str, Uses]:
        return dict(sorted(tallies.replay(self._state.log).items()))

    def uses(self, ids: Iterable[str]) -> dict[str, Uses]:
        known = self.all_uses()
        return {chunk_id: known[chunk_id] for chunk_id in ids if chunk_id in known}

    def only_marks(self, ids: Iterable[str]) -> dict[str, Uses]:
        return {chunk_id: Uses(mark=uses.mark) for chunk_id, uses in self.uses(ids).items() if uses.mark}

    def pinned(self, within: Part = EVERYTHING) -> list[str]:
        pinned = [memory for memory, mark in self.marks().items() if mark == "pin"]
        return [chunk.id for chunk in self.heads(pinned).values() if within.holds(chunk)][:20]

    def salience(self, ids: Iterable[str], now: datetime) -> dict[str, float]:
        return {}  # it keeps no records

    def marks(self) -> dict[str, str]:
        return {chunk_id: uses.mark for chunk_id, uses in self.all_uses().items() if uses.mark}

    def _last(self, **of: str) -> Event | None:
        found = [e for e in self.events(EventKind.INJECTION) if all(getattr(e, name) == it for name, it in of.items())]
        return found[-1] if found else None

    def _is_settled(self, injection: str) -> bool:
        return any(event.injection == injection for event in self.events(*SETTLED))

    def unsettled(self, session_id: str, injection_id: str = "", *, run_id: str = "") -> Unsettled | None:
        if injection_id:
            event = self._last(session=session_id, injection=injection_id)
        else:
            event = self._last(session=session_id, run=run_id) if run_id else None
            last = event or self._last(session=session_id)
            event = None if event is None and run_id and last and last.run else last
        if event is None or self._is_settled(event.injection):
            return None
        return Unsettled(event.injection, event.data["prompt"], events.shown_in(event))

    def record_injection(
        self,
        *,
        at: datetime,
        session_id: str,
        injection_id: str,
        prompt: str,
        shown: Sequence[Showing],
        run_id: str = "",
        busy_seconds: float = 0.0,
    ) -> None:
        told = events.injection_data(prompt, shown)
        self._tell(at, EventKind.INJECTION, told, session=session_id, run=run_id, injection=injection_id)

    def record_unshown(self, injection_id: str, *, at: datetime) -> None:
        event = self._last(injection=injection_id)
        if event and not self._is_settled(injection_id):
            self._tell(at, EventKind.UNSHOWN, {}, session=event.session, run=event.run, injection=injection_id)

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
        busy_seconds: float = 0.0,
    ) -> bool:
        event = self._last(injection=injection_id)
        if event is None or self._is_settled(injection_id):
            return False
        there = self._active(events.shown_in(event)) if success else []
        data = {
            "success": success,
            "error": events.kept(error, events.MAX_ERROR_CHARS),
            "ms": round(duration_ms),
            "kinds": {memory: str(kinds[memory]) for memory in there if memory in kinds},
            "about": list(text.terms(event.data["prompt"])) if success else [],
        }
        self._tell(at, EventKind.TURN, data, session=session_id, run=run_id, injection=injection_id)
        return True

    def object_to(
        self, session_id: str, *, at: datetime, judge: Callable[[EndedTurn], Collection[str]], busy_seconds: float = 0.0
    ) -> list[str]:
        last = [event for event in self._state.log if event.session == session_id][-1:]
        if not last or last[0].kind is not EventKind.TURN or not last[0].data["kinds"]:
            return []
        turn = EndedTurn(last[0].injection, last[0].at, last[0].data["kinds"])
        ids = [chunk_id for chunk_id in judge(turn) if turn.kinds[chunk_id] != "contradicted"]
        data = {"memories": {chunk_id: turn.kinds[chunk_id] for chunk_id in ids}, "then": turn.at.isoformat()}
        if ids:
            self._tell(at, EventKind.OBJECTION, data, session=session_id, injection=turn.injection_id)
        return ids

    def add_verdict(
        self, good: bool, *, at: datetime, injection_id: str = "", ids: Collection[str] = (), by: str = "person"
    ) -> list[str]:
        event = self._last(injection=injection_id) if injection_id else None
        shown = events.shown_in(event) if event else tuple(ids)
        there = self._active(ids or shown)
        if (injection_id and event is None) or set(ids) - set(there) or set(ids) - set(shown):
            raise StoreError("no such injection, or no such chunk in it")
        said: dict[str, tuple[bool, datetime]] = {}
        for verdict in self.events(EventKind.VERDICT):
            if verdict.injection == injection_id and verdict.data["by"] == by:
                said |= dict.fromkeys(verdict.data["memories"], (verdict.data["good"], verdict.at))
        news = [i for i in there if i not in said or said[i][0] != good]
        withdrawn = {i: said[i][1].isoformat() for i in news if i in said}
        if news:
            data = {"good": good, "by": by, "memories": news, "withdrawn": withdrawn}
            self._tell(at, EventKind.VERDICT, data, injection=injection_id)
            self._state.generation += 1
        return news

    def mark(self, memory: str, mark: str, *, at: datetime) -> bool:
        if mark not in ("pin", "block", "") or (mark and not self._active([memory])):
            raise StoreError("no such mark, or no such chunk")
        if self.marks().get(memory, "") == mark:
            return False
        self._tell(at, EventKind.MARK, {"memory": memory, "mark": mark})
        self._state.generation += 1
        return True

    # Forgetting

    def forget(self, ids: Collection[str], *, at: datetime) -> dict[str, list[str]]:
        with self._lock:
            state = self._state
            digests = {wording_digest(c.heading, c.text) for c in self._every() if c.memory in ids}
            lost = [c for c in self._every() if wording_digest(c.heading, c.text) in digests]
            gone = {
                memory: [r.chunk_id for r in self.revisions(memory)] for memory in {*ids, *(c.memory for c in lost)}
            }
            gone = {memory: chunk_ids or [memory] for memory, chunk_ids in sorted(gone.items())}
            digests |= {state.wordings.pop(memory)[-1][1] for memory in gone if memory in state.wordings}
            state.memories = {name: memory for name, memory in state.memories.items() if name not in gone}
            state.forgotten |= dict.fromkeys(digests, at)
            for path, chunks in state.notes.items():
                state.notes[path] = [chunk for chunk in chunks if chunk.memory not in gone]
            left = {content_digest(chunk.heading, chunk.text) for chunk in self._every()}
            dead = {content_digest(chunk.heading, chunk.text) for chunk in lost} - left
            state.vectors = {key: kept for key, kept in state.vectors.items() if key[1] not in dead}
            about = {e.injection for e in state.log if e.injection and gone.keys() & events.named_in(e)}
            rest = [
                (e, events.without(e, frozenset(gone)) if self._tells(e, gone, about) else e.data) for e in state.log
            ]
            state.log = [event._replace(data=data) for event, data in rest if data is not None]
            self._take_out({chunk_id for chunk_ids in gone.values() for chunk_id in chunk_ids})
            state.generation += 1
        return gone

    def _tells(self, event: Event, gone: Collection[str], about: Collection[str]) -> bool:
        turn_of_it = event.kind is EventKind.TURN and event.injection in about
        return turn_of_it or not events.named_in(event).isdisjoint(gone)

    def _take_out(self, gone: Collection[str]) -> None:
        for name, (glance, story) in self._state.told.items() if gone else ():
            if found := decisions.without(glance.shown, glance.prompt, story, frozenset(gone)):
                self._state.told[name] = Told(glance._replace(shown=found[0], prompt=found[1]), found[2])

    def forgotten_at(self) -> list[datetime]:
        return sorted(self._state.forgotten.values())

    # Decisions, counters, facts

    def add_decisions(self, told: Sequence[Told], *, about: Collection[Chunk], most: int) -> None:
        kept = self._state.told
        for one in told:
            kept.pop(one.glance.id, None)
            kept[one.glance.id] = one
        for oldest in list(kept)[: max(0, len(kept) - most)]:
            del kept[oldest]
        self._take_out({c.id for c in about if wording_digest(c.heading, c.text) in self._state.forgotten})

    def decisions(
        self, *, limit: int | None = None, session: str = "", outcome: str = "", since: datetime | None = None
    ) -> list[Glance]:
        newest = [one.glance for one in reversed(self._state.told.values())]
        found = [g for g in newest if session in ("", g.session) and outcome in ("", g.outcome)]
        return [g for g in found if since is None or g.at >= since][:limit]

    def decisions_beginning_with(self, prefix: str, *, most: int) -> list[Told]:
        return [one for name, one in reversed(self._state.told.items()) if name.startswith(prefix)][:most]

    def add_counts(
        self, amounts: Mapping[Key, float], *, told: Mapping[str, Any] = {}, busy_seconds: float | None = None
    ) -> None:
        for key, amount in amounts.items():
            self._state.counts[key] = self._state.counts.get(key, 0.0) + amount
        for name, value in told.items():
            self.set_meta(name, value)

    def counts(self) -> dict[Key, float]:
        return dict(self._state.counts)

    def get_meta(self, key: str, default: Any = None) -> Any:
        return json.loads(self._state.facts[key]) if key in self._state.facts else default

    def set_meta(self, key: str, value: Any) -> None:
        self._state.facts[key] = json.dumps(value)
