"""Repetition: a memory that stands in the conversation already is not sent again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import unescape

from hookclaw_py.model.types import Candidate, Chunk, Effect, Step
from hookclaw_py.privacy.redaction import REDACTED, redact

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


def already_said(chunks: Iterable[Chunk], texts: Iterable[str], *, hidden: bool = True) -> frozenset[str]:
    """Return the ids of the chunks whose words stand in ``texts``: quoted, read by a tool, or injected before, perhaps with secrets ``hidden``.

    A chunk of a recorded session is said when each of its turns is: it may be this very conversation.
    """
    whole = "\n".join(_plain(text) for text in texts)
    hidden = hidden and REDACTED in whole
    return frozenset(
        chunk.id for chunk in chunks if any(_stands_in(parts, whole) for parts in _told(chunk, hidden=hidden))
    )


def _told(chunk: Chunk, *, hidden: bool) -> Iterator[list[str]]:
    """Yield the parts of a chunk as they are, and as a block tells them where secrets are ``hidden``."""
    yield _parts(chunk.text, chunk.kind.speakers)
    if hidden and (redacted := redact(chunk.text)) != chunk.text:
        yield _parts(redacted, chunk.kind.speakers)


def _parts(body: str, speakers: tuple[str, ...]) -> list[str]:
    if not speakers:
        return [body]
    return [part for part in _turn(speakers).split(body) if part.strip()]


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
