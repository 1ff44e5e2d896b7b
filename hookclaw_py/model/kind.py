"""Kind: what sort of memory a chunk is of, and all that follows from it, in one table."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta

from hookclaw_py.model.origin import Origin
from hookclaw_py.model.place import FilePlace, Place, RecordPlace, TurnPlace
from hookclaw_py.model.salience import ZERO


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the table: under ``name`` the kind stands in the store, in the metrics and in the block.

    ``origin`` is whose words it holds, where nothing more is known of one. Only what is ``trusted``, the owner's own notes, can
    earn a better place by being used. What does not decay keeps its score however old it is. What is not ``shareable`` is the owner's alone, whatever a pattern says. ``speakers`` begin
    the lines of what was said in turns, ``place`` is the class of its places. ``told`` is how the configuration calls it, of a kind that is chosen there.
    Prompts are answered from what is ``searched``; of the rest only who asks for that kind hears.
    After each ``half_life`` a record of it is half as present, unless it is pinned or said again; 0 is never.
    """

    name: str
    told: str = ""
    trusted: bool = False
    decays: bool = True
    shareable: bool = True
    searched: bool = True
    speakers: tuple[str, ...] = ()
    half_life: timedelta = ZERO
    place: Callable[[str, tuple[int, int]], Place] = FilePlace
    origin: Origin = Origin.IMPORTED


NOTE = Kind("memory", "the notes", trusted=True, origin=Origin.NOTE)
SESSION = Kind(
    "sessions",
    "what was said in OpenClaw's recorded sessions",
    shareable=False,
    speakers=("User", "Assistant", "Quoted"),
    place=TurnPlace,
    origin=Origin.ANSWERED,
)
INDEXED = Kind("openclaw", "what else OpenClaw has indexed", origin=Origin.IMPORTED)
UNKNOWN = Kind("other", shareable=False)


def _record(name: str, *, decays: bool, hours: float, searched: bool = False) -> Kind:
    """Return a kind of what no file holds: the owner's alone, and worth no more for being used.

    Prompts are answered from what was said as it was said, which measured better beside none of what was distilled of it.
    """
    return Kind(
        name,
        decays=decays,
        shareable=False,
        searched=searched,
        half_life=timedelta(hours=hours),
        place=RecordPlace,
        origin=Origin.ANSWERED,
    )


MONTH, WEEK, DAY = 720, 168, 24
FACT = _record("fact", decays=False, hours=MONTH)
DECISION = _record("decision", decays=False, hours=MONTH)
PREFERENCE = _record("preference", decays=False, hours=MONTH)
OBSERVATION = _record("observation", decays=True, hours=WEEK)
SUMMARY = _record("summary", decays=True, hours=MONTH)
EPISODE = _record("episode", decays=True, hours=WEEK)
SKILL = _record("skill", decays=False, hours=MONTH)
PLAN = _record("plan", decays=False, hours=MONTH)
WORKING = _record("working", decays=True, hours=DAY)
SAVED = _record("saved", decays=True, hours=MONTH, searched=True)
"""What an agent was asked, or thought fit, to keep: said nowhere else, so prompts are answered from it."""
PRACTISED = frozenset({SKILL, PLAN})
"""Kinds that count how often something was done, and how well that went: there is one record about a thing."""
RECORDS = (FACT, DECISION, PREFERENCE, OBSERVATION, SUMMARY, EPISODE, SKILL, PLAN, WORKING, SAVED)

KINDS = {kind.name: kind for kind in (NOTE, SESSION, INDEXED, *RECORDS)}
UNSEARCHED = frozenset(kind.name for kind in KINDS.values() if not kind.searched)


def misnamed(names: Collection[str]) -> str:
    """Say which of these is no kind of memory; "" where all are. A text is not taken for the list of its letters."""
    asked = [names] if isinstance(names, str) and names else names
    if unknown := sorted(set(asked) - KINDS.keys()):
        return f"no kind of memory is called {', '.join(unknown)}; ask for {', '.join(KINDS)}"
    return "" if asked is names else f"kinds is a list of names: give [{names!r}], not {names!r}"


def kind_called(name: str) -> Kind:
    """Return the kind of that name; one that this version does not know may do nothing."""
    return KINDS.get(name, UNKNOWN)


def kind_of_recipe(recipe: str) -> Kind:
    """Return the kind of chunks that were made by a recipe: its first word, unless they are of a note."""
    return KINDS.get(recipe.partition(" ")[0], NOTE)
