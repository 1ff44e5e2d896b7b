"""Capturing: what an agent's hosts report is kept, waits, and is worked on; and how a person stops that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from hookclaw_py.build import Parts, consolidation
from hookclaw_py.errors import IndexingError
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.store.switches import Switches
from hookclaw_py.store.values import Waiting
from hookclaw_py.trace import Trace

if TYPE_CHECKING:
    from hookclaw_py.capture.processing import Processed
    from hookclaw_py.capture.recorder import Receipt
    from hookclaw_py.capture.reports import Report
    from hookclaw_py.ingest.transcripts import Recorded
    from hookclaw_py.llm.lane import Lived, ModelLane

MOST_SAID = 400
"""Prompts and answers of a session that are looked back at while a prompt waits."""


class Switched(NamedTuple):
    """Whether anything is captured: as the configuration and the person say, and of which sessions nothing is.

    ``why`` says by what it is off, ``undo`` is the command that switches it on again, where one does.
    """

    on: bool
    configured: bool
    sessions: tuple[str, ...]
    why: str = ""
    undo: str = ""

    def __str__(self) -> str:
        """Say why nothing is captured, and what takes it up again."""
        again = f"; `{self.undo}` takes it up again" if self.undo else ""
        return f"{self.why}{again}"


def switched_by(switches: Switches, *, configured: bool, now: datetime) -> Switched:
    """Say whether anything is captured by these switches; ``configured`` says whether the configuration wants it."""
    undo, paused = switches.not_captured(), switches.paused(now)
    if not configured:
        why = "capture.enabled is false"
    elif undo:
        why = "it was switched off"
    else:
        why = f"paused {paused}" if paused else ""
    return Switched(not why, configured, switches.without(), why, undo if configured else "")


class Backfilled(NamedTuple):
    """Of how many sessions something was taken in, how many prompts these were, what could not be read, and why nothing is captured."""

    sessions: int
    turns: int
    warnings: tuple[str, ...] = ()
    closed: str = ""


class Capturing:
    """The verbs of what is captured. Every method raises ``StoreError`` when the store cannot be used."""

    def __init__(self, parts: Parts, *, bring_up: Callable[[], object]) -> None:
        """Work with these parts; ``bring_up`` makes what is new in the store searchable."""
        self._parts, self._store, self._bring_up = parts, parts.store, bring_up

    def record(self, reports: Sequence[Report], *, at: datetime | None = None) -> list[Receipt]:
        """Keep what is to be kept of these reports; when it returns they are written."""
        return self._parts.recorder().record(reports, now=at or datetime.now(UTC))

    def backfill(self, told: Iterable[Recorded], *, host: str) -> Backfilled:
        """Keep what an agent's recorded sessions tell and was not captured when it happened; it is not worked off yet.

        A session that cannot be read is a warning. While nothing is captured nothing is taken in.
        """
        from hookclaw_py.capture import recorded

        if not (switched := self.switched).on:
            return Backfilled(0, 0, closed=str(switched))
        sessions = turns = 0
        warnings = []
        for session in told:
            try:
                events = session.events([])
            except IndexingError as error:
                warnings.append(str(error))
                continue
            there = [one for name in session.names for one in self._store.happenings(name)]
            reports = recorded.reports(session.names[0], events, there, envelope=self._parts.envelope, host=host)
            new = sum(not one.duplicate and bool(one.id) for one in self.record(reports)) if reports else 0
            sessions += bool(new)
            turns += sum(report.kind is HappeningKind.PROMPT for report in reports) if new else 0
        return Backfilled(sessions, turns, tuple(warnings))

    def lost(self, number: int) -> None:
        """Count what a host could not keep until it was heard."""
        self._parts.metrics.lost(number)

    def said_in(self, session: str) -> list[str]:
        """Return what was said in a session since it was shortened last."""
        kinds = (HappeningKind.PROMPT, HappeningKind.ANSWER, HappeningKind.COMPACTION)
        said: list[str] = []
        for one in self._store.happenings(session, kinds=kinds, newest=MOST_SAID):
            if one.kind is HappeningKind.COMPACTION:
                said.clear()
            else:
                said.append(str(one.payload.get("text") or ""))
        return said

    def work_off(self, should_stop: Callable[[], bool] = lambda: False) -> Processed:
        """Work off what is due, session by session, and make it searchable."""
        processed = self._parts.processor().run(lambda: datetime.now(UTC), should_stop=should_stop)
        if processed.done:
            self._bring_up()
        return processed

    def bring_back(self) -> None:
        """Write down again what was said in sessions where its words are kept and nothing stands that was made of them.

        It is not searchable yet. A session with which that fails costs the others nothing.
        """
        parts, trace = self._parts, Trace(timeout_ms=0, strict=False)
        made = consolidation(parts.config, parts.agent, self._store, parts.envelope)
        for session in sorted(self._store.happened()):
            trace.attempt("consolidate", None, made.bring_back, session)

    @property
    def lane(self) -> ModelLane | None:
        """What asks a model of what was captured; None unless one is configured."""
        return self._parts.lane

    def ask_model(self, should_stop: Callable[[], bool] = lambda: False) -> Lived | None:
        """Ask the model what is due, and make its words searchable; None where none is configured. It may take long."""
        if self.lane is None:
            return None
        lived = self.lane.run(lambda: datetime.now(UTC), should_stop=should_stop)
        if lived.used:
            self._bring_up()
        return lived

    def remarks(self, now: datetime) -> Iterator[str]:
        """Say that a person switched capture off, and what is said of the model."""
        if (switched := self.switched).undo:
            yield f"nothing is captured: {switched}"
        yield from self.of_the_model(now)

    def of_the_model(self, now: datetime) -> Iterator[str]:
        """Say where text goes, what that took today and what is wrong; nothing where no model is configured."""
        if self.lane is not None:
            yield f"{self.lane.destination}; {self.lane.state(now)}"

    def retry(self) -> int:
        """Let what has failed for good be tried again; return how much that is."""
        return self._store.retry(now=datetime.now(UTC))

    def waiting(self) -> Waiting:
        """Say how much is captured, and how much of it waits, is at work or has failed."""
        return self._store.waiting(now=datetime.now(UTC), stuck=self._parts.processor().stuck)

    @property
    def switched(self) -> Switched:
        """Whether anything is captured, and of which sessions nothing is."""
        configured = self._parts.config.capture.enabled
        return switched_by(self._parts.switches, configured=configured, now=datetime.now(UTC))
