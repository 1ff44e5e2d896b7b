"""Repetition: a memory that stands in the conversation already is not sent again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from html import unescape

from hookclaw_py.model.types import Candidate, Chunk, Effect, Step

SHORTEST = 20  # characters; a shorter chunk says too little by itself to be recognised
BEGINNING = 400  # characters by which a long chunk is recognised: the block may have cut the rest


def leave_out_said(
    candidates: Sequence[Candidate], *, shown: frozenset[str], conversation: Sequence[str], system: str = ""
) -> tuple[list[Candidate], list[Candidate]]:
    """Return (news, said): a chunk is said when its id is among ``shown`` or its words stand in ``conversation``.

    So is one that stands whole in ``system``, the host's system prompt: a host may show a note only in part.
    """
    if not shown and not conversation and not system:
        return list(candidates), []
    known = shown | already_said((c.chunk for c in candidates), conversation)
    whole = _plain(system)
    news, said = [], []
    for c in candidates:
        if c.chunk.id in known:
            said.append(c.noted(Step("conversation", c.score, "said already", Effect.IN_CONVERSATION)))
        elif whole and len(words := _plain(c.chunk.text)) >= SHORTEST and words in whole:
            step = Step("conversation", c.score, "in the system prompt already", Effect.IN_SYSTEM_PROMPT)
            said.append(c.noted(step))
        else:
            news.append(c)
    return news, said


def already_said(chunks: Iterable[Chunk], texts: Iterable[str]) -> frozenset[str]:
    """Return the ids of the chunks whose words stand in ``texts``: quoted, read by a tool, or injected before.

    A chunk of a recorded session is said when each of its turns is: it may be this very conversation.
    """
    whole = "\n".join(_plain(text) for text in texts)
    return frozenset(chunk.id for chunk in chunks if _stands_in(_parts(chunk), whole))


def _parts(chunk: Chunk) -> list[str]:
    if not chunk.kind.speakers:
        return [chunk.text]
    return [part for part in _turn(chunk.kind.speakers).split(chunk.text) if part.strip()]


@cache
def _turn(speakers: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"^(?:{'|'.join(map(re.escape, speakers))}): ", re.MULTILINE)


def _stands_in(parts: Sequence[str], whole: str) -> bool:
    """Say whether each part stands in the whole, and they say enough together: an answer may be short."""
    plain = [_plain(part) for part in parts]
    return sum(map(len, plain)) >= SHORTEST and all(words[:BEGINNING] in whole for words in plain)


def _plain(text: str) -> str:
    """Return ``text`` so that a chunk and its copy in a block (escaped, indented) are equal."""
    return " ".join((unescape(text) if "&" in text else text).replace("\\", "").split())
