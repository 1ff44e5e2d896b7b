"""What happened to memories, append-only: what was shown, what came of it, and what a person said.

An event has a kind, the session, run and injection it belongs to (each "" where there is none), and data, in which
memories stand by their ids:

- ``injection``  prompt (cut, without secrets); memories: of each whose text was in the block id, source, relevance and
                 score, in the block's order
- ``unshown``    the injection never reached the prompt: the host had given up
- ``turn``       how the turn ended: success, error, ms; kinds: what the answer did with each memory; about: the prompt's
                 terms (see ``stages.utility``)
- ``objection``  the user's next message called memories wrong: what the turn had made of each; ``then`` is when
- ``verdict``    good, by ("person" or "agent"), memories; withdrawn: those whose opposite verdict this replaces, and when
                 that was given
- ``mark``       memory, mark ("pin", "block" or "")
- ``merge``      old, new: the text of the one is gone and stands elsewhere, as the other; that has both records now
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from hookclaw_py.privacy.redaction import redact

MAX_PROMPT_CHARS = 2000
"""Of a prompt, the rest is not stored: a pasted log is no question."""
MAX_ERROR_CHARS = 300


class EventKind(StrEnum):
    """What an event tells."""

    INJECTION = "injection"
    UNSHOWN = "unshown"
    TURN = "turn"
    OBJECTION = "objection"
    VERDICT = "verdict"
    MARK = "mark"
    MERGE = "merge"


class Event(NamedTuple):
    """One line of the log. ``number`` rises with every event; ``at`` is aware."""

    number: int
    at: datetime
    kind: EventKind
    session: str
    run: str
    injection: str
    data: Mapping[str, Any]


class Showing(NamedTuple):
    """A memory whose text was in the block, and how it stood."""

    memory: str
    source: str = "memory"
    relevance: float = 0.0
    score: float = 0.0


class Unsettled(NamedTuple):
    """An injection that no turn has settled yet: its id, the prompt, and the memories whose text was in the block.

    ``prompt`` is cut after ``MAX_PROMPT_CHARS`` and without secrets.
    """

    injection_id: str
    prompt: str
    memories: tuple[str, ...]


class EndedTurn(NamedTuple):
    """A turn that ended: when, and what its answer did with each memory."""

    injection_id: str
    at: datetime
    kinds: Mapping[str, str]


def injection_data(prompt: str, showings: Iterable[Showing]) -> dict[str, Any]:
    """Return the data of an ``injection``."""
    memories = [
        {
            "id": showing.memory,
            "source": showing.source,
            "relevance": round(showing.relevance, 4),
            "score": round(showing.score, 4),
        }
        for showing in showings
    ]
    return {"prompt": kept(prompt, MAX_PROMPT_CHARS), "memories": memories}


def kept(text: str, most: int) -> str:
    """Return the beginning of ``text`` without secrets, and without lone surrogates, which SQLite does not take."""
    return redact(text[: 2 * most])[:most].encode(errors="replace").decode()


def shown_in(event: Event) -> tuple[str, ...]:
    """Return the memories of an injection, in the order of the block."""
    return tuple(one["id"] for one in event.data["memories"])


def named_in(event: Event) -> frozenset[str]:
    """Return every memory that an event tells of."""
    data = event.data
    if event.kind is EventKind.INJECTION:
        return frozenset(shown_in(event))
    return frozenset(
        (
            *(data[name] for name in ("memory", "old", "new") if name in data),
            *data.get("memories", ()),
            *data.get("kinds", ()),
        )
    )


def without(event: Event, gone: frozenset[str]) -> dict[str, Any] | None:
    """Return what an event tells without these memories and the prompts that called them up; None when nothing is left."""
    data = dict(event.data)
    match event.kind:
        case EventKind.INJECTION:
            data["memories"] = [one for one in data["memories"] if one["id"] not in gone]
            data["prompt"] = ""
        case EventKind.TURN:
            data["kinds"] = _others(data["kinds"], gone)
            data["about"] = []
        case EventKind.OBJECTION:
            data["memories"] = _others(data["memories"], gone)
            return data if data["memories"] else None
        case EventKind.VERDICT:
            data["memories"] = [i for i in data["memories"] if i not in gone]
            data["withdrawn"] = _others(data["withdrawn"], gone)
            return data if data["memories"] else None
        case EventKind.MARK | EventKind.MERGE:
            return None
    return data


def _others(by_id: Mapping[str, Any], gone: frozenset[str]) -> dict[str, Any]:
    return {memory: value for memory, value in by_id.items() if memory not in gone}
