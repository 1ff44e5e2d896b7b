"""The reply to a turn: what the person said next, which is often what matters of it: yes, no, what it was, what helped."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta

from hookclaw_py.model.origin import Tier
from hookclaw_py.model.types import Candidate, Chunk, Step
from hookclaw_py.speech.sentences import clipped
from hookclaw_py.speech.speakers import parts_of

CHARS = 200
"""Of a reply that are told at most."""
_SOON = timedelta(hours=1)  # after the turn began; what is said later is not about it


def with_reply(
    candidates: Sequence[Candidate], following: Callable[[Chunk], Chunk | None], *, without: Collection[str] = ()
) -> list[Candidate]:
    """Return these, the first with what the person said next where it is a turn; of a passage ``without`` whose id is given nothing is said.

    ``following`` gives the passage behind one, if it may be told.
    """
    if not candidates or not candidates[0].chunk.kind.speakers:
        return list(candidates)
    best, *others = candidates
    later = following(best.chunk)
    said = _said_soon(best.chunk, later) if later and later.id not in without else ""
    if not later or not said:
        return list(candidates)
    person = best.chunk.kind.speakers[0]
    told = replace(best.chunk, text=f"{best.chunk.text}\n{person}: {clipped(said, CHARS)}")
    step = Step("reply", best.relevance, f"with what was said next, line {later.place.lines[0]}", other=later.id)
    return [best._replace(chunk=told).noted(step), *others]


def _said_soon(turn: Chunk, later: Chunk) -> str:
    """Return what the person begins the later passage with, "" where it is not theirs or comes long after the turn."""
    if later.origin.tier is Tier.FOREIGN or turn.created_at is None or later.created_at is None:
        return ""
    first = next(iter(parts_of(later.text, later.kind.speakers)), ("", ""))
    soon = later.created_at - turn.created_at <= _SOON
    return first[1].strip() if soon and first[0] == turn.kind.speakers[0] else ""
