"""What the events come to, by chunk. A store may keep it in a table: that is a cache of ``replay``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from datetime import datetime

from hookclaw_py.model.types import Occasion, Uses
from hookclaw_py.stages import utility
from hookclaw_py.store.events import Event, EventKind
from hookclaw_py.text import jaccard

VERSION = 2
"""Of the formula and its weights: the table is made anew where another version wrote it."""
NOTHING = Uses()
LIKENESS = 0.6  # Jaccard of the terms from which a chunk counts as another one edited


def replay(events: Iterable[Event]) -> dict[str, Uses]:
    """Return what is known of each chunk, by id, after these events."""
    state: dict[str, Uses] = {}
    for event in events:
        apply(state, event)
    return state


def apply(state: MutableMapping[str, Uses], event: Event) -> None:
    """Add one event to what is known."""
    data = event.data
    match event.kind:
        case EventKind.TURN:
            kinds = dict.fromkeys(data.get("used", ()), "used") | data.get("kinds", {})  # an early version wrote "used"
            occasion = Occasion(event.at.timestamp(), "", data.get("about", ""))
            state.update(
                (i, utility.observed(state.get(i, NOTHING), occasion._replace(kind=kind))) for i, kind in kinds.items()
            )
        case EventKind.OBJECTION:
            then = datetime.fromisoformat(data["then"]).timestamp()
            for chunk_id, was in data["chunks"].items():
                _set(state, chunk_id, utility.objected(state.get(chunk_id, NOTHING), was, then))
        case EventKind.VERDICT:
            state.update((i, _judged(state.get(i, NOTHING), i, event)) for i in data["chunks"])
        case EventKind.MARK:
            _set(state, data["chunk"], state.get(data["chunk"], NOTHING)._replace(mark=data["mark"]))
        case EventKind.CARRY:
            old = state.pop(data["old"], NOTHING)
            _set(state, data["new"], utility.combined(old, state.get(data["new"], NOTHING)))
        case EventKind.DROP:
            for chunk_id in data["chunks"]:
                _set(state, chunk_id, Uses(mark=state.get(chunk_id, NOTHING).mark))
        case EventKind.INJECTION | EventKind.UNSHOWN:
            pass


def _judged(uses: Uses, chunk_id: str, event: Event) -> Uses:
    """Return what is known of a chunk after a verdict; one that it replaces is taken back first."""
    data = event.data
    weight = utility.PERSON if data["by"] == "person" else utility.AGENT
    if chunk_id in data["withdrawn"]:
        then = datetime.fromisoformat(data["withdrawn"][chunk_id]).timestamp()
        uses = utility.judged(uses, not data["good"], then, weight=-weight)
    return utility.judged(uses, data["good"], event.at.timestamp(), weight=weight)


def _set(state: MutableMapping[str, Uses], chunk_id: str, uses: Uses) -> None:
    if uses._replace(as_of=0.0) == NOTHING:
        state.pop(chunk_id, None)
    else:
        state[chunk_id] = uses


def concerned(event: Event) -> set[str]:
    """Return the ids of the chunks whose tallies the event can change."""
    data = event.data
    one = {data[name] for name in ("chunk", "old", "new") if name in data}
    return one | set(data.get("kinds", ())) | set(data.get("chunks", ()) if event.kind != EventKind.INJECTION else ())


def heirs(gone: Mapping[str, frozenset[str]], added: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """Return who takes over what is known of chunks that go: of each at most one that is nearly the same, by terms."""
    alike = ((jaccard(one, other), was, now) for was, one in gone.items() for now, other in added.items())
    found: dict[str, str] = {}
    for likeness, was, now in sorted(alike, key=lambda pair: (-pair[0], *pair[1:])):
        if likeness >= LIKENESS and was not in found and now not in found.values():
            found[was] = now
    return found
