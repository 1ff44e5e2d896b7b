"""What the events come to, by memory. A store may keep it in a table: that is a cache of ``replay``."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from datetime import datetime

from hookclaw_py.model.types import Occasion, Uses
from hookclaw_py.stages import utility
from hookclaw_py.store.events import Event, EventKind, named_in

VERSION = 3
"""Of the formula and its weights: the table is made anew where another version wrote it."""
NOTHING = Uses()


def replay(events: Iterable[Event]) -> dict[str, Uses]:
    """Return what is known of each memory, by id, after these events."""
    state: dict[str, Uses] = {}
    for event in events:
        apply(state, event)
    return state


def apply(state: MutableMapping[str, Uses], event: Event) -> None:
    """Add one event to what is known."""
    data = event.data
    match event.kind:
        case EventKind.TURN:
            occasion = Occasion(event.at.timestamp(), "", frozenset(data["about"]))
            state.update(
                (i, utility.observed(state.get(i, NOTHING), occasion._replace(kind=kind)))
                for i, kind in data["kinds"].items()
            )
        case EventKind.OBJECTION:
            then = datetime.fromisoformat(data["then"]).timestamp()
            for memory, was in data["memories"].items():
                _set(state, memory, utility.objected(state.get(memory, NOTHING), was, then))
        case EventKind.VERDICT:
            state.update((i, _judged(state.get(i, NOTHING), i, event)) for i in data["memories"])
        case EventKind.MARK:
            _set(state, data["memory"], state.get(data["memory"], NOTHING)._replace(mark=data["mark"]))
        case EventKind.MERGE:
            old = state.pop(data["old"], NOTHING)
            _set(state, data["new"], utility.combined(old, state.get(data["new"], NOTHING)))
        case EventKind.INJECTION | EventKind.UNSHOWN:
            pass


def _judged(uses: Uses, memory: str, event: Event) -> Uses:
    """Return what is known of a memory after a verdict; one that it replaces is taken back first."""
    data = event.data
    weight = utility.PERSON if data["by"] == "person" else utility.AGENT
    if memory in data["withdrawn"]:
        then = datetime.fromisoformat(data["withdrawn"][memory]).timestamp()
        uses = utility.judged(uses, not data["good"], then, weight=-weight)
    return utility.judged(uses, data["good"], event.at.timestamp(), weight=weight)


def _set(state: MutableMapping[str, Uses], memory: str, uses: Uses) -> None:
    if uses._replace(as_of=0.0) == NOTHING:
        state.pop(memory, None)
    else:
        state[memory] = uses


def concerned(event: Event) -> frozenset[str]:
    """Return the memories whose tallies the event can change."""
    return frozenset() if event.kind is EventKind.INJECTION else named_in(event)
