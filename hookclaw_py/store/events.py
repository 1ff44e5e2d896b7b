"""What happened to memories, append-only: what was shown, what came of it, and what a person said.

An event has a kind, the session, run and injection it belongs to (each "" where there is none), and data:

- ``injection``  prompt (cut, without secrets); chunks: of each whose text was in the block id, source, relevance, score
                 and ``propensity`` (see ``stages.utility``), in the block's order
- ``unshown``    the injection never reached the prompt: the host had given up
- ``turn``       how the turn ended: success, error, ms; kinds: what the answer did with each chunk, by id; about: the
                 prompt's terms (see ``stages.utility``)
- ``objection``  the user's next message called chunks wrong: what the turn had made of each, by id; ``then`` is when
- ``verdict``    good, by ("person" or "agent"), chunks; withdrawn: chunks whose opposite verdict this replaces, and when
                 that was given
- ``mark``       chunk, mark ("pin", "block" or "")
- ``carry``      old, new: a note was edited slightly, what was known of the one chunk holds for the other
- ``drop``       chunks that are gone from the notes
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
    CARRY = "carry"
    DROP = "drop"


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
    """A chunk whose text was in the block, how it stood, and how likely exploration made that it was there."""

    chunk_id: str
    source: str = "memory"
    relevance: float = 0.0
    score: float = 0.0
    propensity: float = 1.0


class Unsettled(NamedTuple):
    """An injection that no turn has settled yet: its id, the prompt, and the chunks whose text was in the block.

    ``prompt`` is cut after ``MAX_PROMPT_CHARS`` and without secrets.
    """

    injection_id: str
    prompt: str
    chunk_ids: tuple[str, ...]


class EndedTurn(NamedTuple):
    """A turn that ended: when, and what its answer did with each chunk, by id."""

    injection_id: str
    at: datetime
    kinds: Mapping[str, str]


def injection_data(prompt: str, showings: Iterable[Showing]) -> dict[str, Any]:
    """Return the data of an ``injection``."""
    chunks = [
        {
            "id": showing.chunk_id,
            "source": showing.source,
            "relevance": round(showing.relevance, 4),
            "score": round(showing.score, 4),
            "propensity": round(showing.propensity, 4),
        }
        for showing in showings
    ]
    return {"prompt": kept(prompt, MAX_PROMPT_CHARS), "chunks": chunks}


def kept(text: str, most: int) -> str:
    """Return the beginning of ``text`` without secrets, and without lone surrogates, which SQLite does not take."""
    return redact(text[: 2 * most])[:most].encode(errors="replace").decode()


def shown_ids(event: Event) -> tuple[str, ...]:
    """Return the ids of an injection's chunks; an early version wrote nothing else of them."""
    return tuple(one if isinstance(one, str) else one["id"] for one in event.data["chunks"])


def without(event: Event, gone: frozenset[str]) -> dict[str, Any] | None:
    """Return what an event tells without these chunks and the prompts that called them up; None when nothing is left."""
    data = dict(event.data)
    match event.kind:
        case EventKind.INJECTION:
            if not gone & frozenset(shown_ids(event)):
                return data  # the prompt only looks as if it had the id in it
            ids = shown_ids(event)
            data["chunks"] = [one for one, i in zip(data["chunks"], ids, strict=True) if i not in gone]
            data["prompt"] = ""
        case EventKind.TURN:
            data["kinds"] = _others(data.get("kinds", {}), gone)
            data["about"] = ""
            if "used" in data:
                data["used"] = [i for i in data["used"] if i not in gone]
        case EventKind.OBJECTION:
            data["chunks"] = _others(data["chunks"], gone)
            return data if data["chunks"] else None
        case EventKind.VERDICT | EventKind.DROP:
            data["chunks"] = [i for i in data["chunks"] if i not in gone]
            data |= {"withdrawn": _others(data["withdrawn"], gone)} if "withdrawn" in data else {}
            return data if data["chunks"] else None
        case EventKind.MARK | EventKind.CARRY:
            return None
    return data


def _others(by_id: Mapping[str, Any], gone: frozenset[str]) -> dict[str, Any]:
    return {chunk_id: value for chunk_id, value in by_id.items() if chunk_id not in gone}
