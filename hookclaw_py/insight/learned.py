"""What was learned in some time: how many turns were kept, what was made of them, and what was put right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from typing import NamedTuple

from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.record import RecordAction
from hookclaw_py.store.sessions import FromSessions

MANY = {"memory": "memories", "summary": "summaries", "working": "working", "saved": "saved"}
TOLD = {
    RecordAction.SUPERSEDED: "corrected",
    RecordAction.CONTESTED: "contested",
    RecordAction.RETRACTED: "taken back",
    RecordAction.CONFIRMED: "confirmed",
    RecordAction.MERGED: "merged",
}
"""What was done to records, as it is told."""


class Learned(NamedTuple):
    """How many turns were captured; what was learned of them, by kind; and what was done to what was known, by action."""

    turns: int
    new: Mapping[str, int]
    changed: Mapping[str, int]

    @property
    def total(self) -> int:
        """How much is new."""
        return sum(self.new.values())


def learned(store: FromSessions, *, since: datetime) -> Learned:
    """Count what was learned since then.

    Raises:
        StoreError: if the store cannot be read.
    """
    new: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    for (kind, action), count in store.record_changes(since=since).items():
        if action in (RecordAction.BEGUN, RecordAction.FORKED):
            new[kind] += count
        elif action in TOLD:
            changed[action] += count
    prompts = store.happenings(kinds=[HappeningKind.PROMPT])
    return Learned(sum(one.at >= since for one in prompts), dict(new), dict(changed))


def today(now: datetime, zone: tzinfo | None) -> datetime:
    """Return when this day began."""
    return now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)


def learned_text(what: Learned) -> str:
    """Return what was learned, in words; "" when nothing was."""
    return "; ".join(filter(None, [", ".join(_new(what)), _captured(what), ", ".join(_changed(what))]))


def _new(what: Learned) -> Iterator[str]:
    for kind, count in sorted(what.new.items(), key=lambda item: (-item[1], item[0])):
        yield f"{count} {kind if count == 1 else MANY.get(kind, kind + 's')}"


def _captured(what: Learned) -> str:
    return f"{what.turns} turn{'s' * (what.turns != 1)} captured" if what.turns else ""


def _changed(what: Learned) -> Iterator[str]:
    for action, word in TOLD.items():
        if count := what.changed.get(action):
            yield f"{count} {word}"
