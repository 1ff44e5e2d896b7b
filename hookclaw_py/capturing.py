"""Capturing: what an agent's hosts report is kept, waits, and is worked on; and how a person stops that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from hookclaw_py.build import Parts
from hookclaw_py.capture.processing import Processed
from hookclaw_py.capture.recorder import SWITCH, Receipt
from hookclaw_py.capture.reports import Report
from hookclaw_py.store.values import Waiting


class Switched(NamedTuple):
    """Whether anything is captured: as the configuration and the person say, and of which sessions nothing is."""

    on: bool
    configured: bool
    sessions: tuple[str, ...]


class Capturing:
    """The verbs of what is captured. Every method raises ``StoreError`` when the store cannot be used."""

    def __init__(self, parts: Parts, *, bring_up: Callable[[], object]) -> None:
        """Work with these parts; ``bring_up`` makes what is new in the store searchable."""
        self._parts, self._store, self._bring_up = parts, parts.store, bring_up

    def record(self, reports: Sequence[Report], *, at: datetime | None = None) -> list[Receipt]:
        """Keep what is to be kept of these reports; when it returns they are written."""
        return self._parts.recorder.record(reports, now=at or datetime.now(UTC))

    def lost(self, number: int) -> None:
        """Count what a host could not keep until it was heard."""
        self._parts.metrics.lost(number)

    def work_off(self, should_stop: Callable[[], bool] = lambda: False) -> Processed:
        """Work off what is due, session by session, and make it searchable."""
        processed = self._parts.processor.run(lambda: datetime.now(UTC), should_stop=should_stop)
        if processed.done:
            self._bring_up()
        return processed

    def retry(self) -> int:
        """Let what has failed for good be tried again; return how much that is."""
        return self._store.retry(now=datetime.now(UTC))

    def waiting(self) -> Waiting:
        """Say how much is captured, and how much of it waits, is at work or has failed."""
        return self._store.waiting(now=datetime.now(UTC), stuck=self._parts.processor.stuck)

    @property
    def switched(self) -> Switched:
        """Whether anything is captured, and of which sessions nothing is."""
        told = self._store.get_meta(SWITCH, {})
        configured = self._parts.config.capture.enabled
        return Switched(configured and not told.get("off"), configured, tuple(told.get("sessions", ())))

    def switch(self, on: bool, session: str = "") -> None:
        """Capture from now on, or no longer: everything, or one session."""
        with self._store.together():
            told = self._store.get_meta(SWITCH, {})
            sessions = [one for one in told.get("sessions", []) if one != session]
            if session:
                told["sessions"] = sessions if on else [*sessions, session]
            else:
                told["off"] = not on
            self._store.set_meta(SWITCH, told)
