"""What became of the turns that memories were shown in, as the events tell it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from hookclaw_py.store.events import Event, EventKind
from hookclaw_py.store.ports import AgentStore

_KINDS = (EventKind.INJECTION, EventKind.UNSHOWN, EventKind.TURN, EventKind.VERDICT)


@dataclass(slots=True)
class TurnStory:
    """One injection's turn. ``kinds`` is what the answer did with each memory (used, relevant, contradicted, ignored).

    ``ended`` is False while no end was heard, ``seen`` False when the host had given up before the block came.
    ``verdicts`` are a person's or an agent's last word on a memory: good or not.
    """

    ended: bool = False
    seen: bool = True
    success: bool = True
    kinds: dict[str, str] = field(default_factory=dict)
    verdicts: dict[str, bool] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Say whether it is known what the answer did with the memories."""
        return self.ended and self.seen and bool(self.kinds)

    @property
    def used(self) -> int:
        """Return how many memories the answer used."""
        return sum(kind == "used" for kind in self.kinds.values())


UNHEARD = TurnStory()


def turns(store: AgentStore, injection_ids: Collection[str] | None = None) -> dict[str, TurnStory]:
    """Return by injection id what became of its turn; of those given, or of all. Some have no events at all."""
    return _told(store.events(*_KINDS), None if injection_ids is None else frozenset(injection_ids))


def _told(log: Iterable[Event], wanted: frozenset[str] | None) -> dict[str, TurnStory]:
    found: dict[str, TurnStory] = {}
    for event in log:
        if not event.injection or (wanted is not None and event.injection not in wanted):
            continue
        turn = found.setdefault(event.injection, TurnStory())
        match event.kind:
            case EventKind.UNSHOWN:
                turn.seen = False
            case EventKind.VERDICT:
                turn.verdicts |= dict.fromkeys(event.data["memories"], bool(event.data["good"]))
            case EventKind.TURN:
                turn.ended, turn.success = True, bool(event.data.get("success", True))
                turn.kinds = dict(event.data.get("kinds", {}))
    return found
