"""From the turns of a session to chunks: short ones share one, long ones are cut, and what only repeats a memory is left out (see ``echoes``)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

from hookclaw_py import text as words
from hookclaw_py.ingest.blocks import MAX_TOKENS, MAX_WORDS, MERGED_TOKENS
from hookclaw_py.ingest.echoes import Known, is_quoted, knows_nothing, stated
from hookclaw_py.ingest.length import Length, length_of
from hookclaw_py.ingest.markdown import HEADING_TOKENS, chunk_markdown
from hookclaw_py.ingest.spoken import Turn
from hookclaw_py.model.ids import id_made_of
from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.origin import Origin, Tier, lowest
from hookclaw_py.model.place import TurnPlace
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Chunk
from hookclaw_py.privacy.plain import plain
from hookclaw_py.regex import regex
from hookclaw_py.speech.phones import with_phones
from hookclaw_py.speech.quoted import parted
from hookclaw_py.speech.sentences import sentences
from hookclaw_py.speech.speakers import own_words
from hookclaw_py.speech.tasks import with_tasks
from hookclaw_py.temporal.mentions import with_days

CONVERSATION_VERSION = "11"
"""Raised whenever the same events would give other chunks."""
_PAUSE = timedelta(hours=1)  # turns further apart are not about the same thing
_LEAST_WORDS = 5  # "User: hi / Assistant: Hello!" is no memory
_LABELS = {speaker.lower(): f"{speaker}: " for speaker in SESSION.speakers}
_ORIGINS = {"user": Origin.SAID, "assistant": Origin.ANSWERED, "quoted": Origin.QUOTED}
_FORGED = regex(rf"^(\s*)({'|'.join(SESSION.speakers)})(\s*:)", re.MULTILINE | re.IGNORECASE)


def without_echoes(found: Iterable[Turn], known: Known, *, path: str) -> list[Turn]:
    """Leave out what only asks, and answers that only repeat what is ``known`` or was said in an earlier turn."""
    kept = []
    for turn in found:
        told = dict(turn.said)
        asked, answer = told.get("user", ""), told.get("assistant", "")
        told_beside = stated(asked)
        if asked and knows_nothing(asked, answer):
            answer = ""
        if answer and is_quoted(known, "" if told_beside else asked, answer, turn.block, at=turn.at, path=path):
            answer = ""
        left = {**told, "assistant": answer} if answer else {"user": told_beside}
        said = tuple((role, text) for role, text in left.items() if text)
        if said:
            kept.append(turn._replace(said=said))
            known.learn("\n".join(text for _, text in said), at=turn.at, path=path)
    return kept


def chunk_turns(found: Sequence[Turn], *, path: str, title: str, zone: tzinfo) -> list[Chunk]:
    """Return the chunks of a session, each with the time of its first turn; headings give the day in ``zone``.

    Short neighbouring turns share a chunk, up to about 120 words. A turn that is longer than the embedder's window
    (about 200 words) is cut as a note would be: between paragraphs and sentences.
    """
    seen: Counter[tuple[str, str]] = Counter()
    chunks = []
    for draft in _drafts(found, title, zone):
        if words.count_words(draft.body) < _LEAST_WORDS:
            continue
        seen[draft.heading, draft.text] += 1
        chunks.append(
            Chunk(
                id=id_made_of(path, draft.heading, draft.text, str(seen[draft.heading, draft.text])),
                text=draft.text,
                place=TurnPlace(path, draft.lines),
                heading=draft.heading,
                kind=SESSION,
                created_at=draft.at,
                terms=terms_of(draft.heading, draft.text, draft.body, draft.at),
                origin=draft.origin,
            )
        )
    return chunks


def terms_of(heading: str, said: str, body: str, at: datetime | None) -> Terms:
    """Return what a chunk is found by: ``said`` is its text, ``body`` the same without who said it.

    Of tasks only what the person told: who asks what is still to do has said of nothing that it is.
    """
    found = with_phones(with_days(words.terms(f"{heading}\n{body}"), body, written=at), body)
    own = sentences(own_words(said, SESSION.speakers))
    return with_tasks(found, "\n".join(one.said for one in own if not one.asks))


class _Draft(NamedTuple):
    """A chunk on its way: its text, what it is found by (not by who said it), when that began and ended, how long it is, and whose it is."""

    heading: str
    text: str
    body: str
    at: datetime | None
    until: datetime | None
    lines: tuple[int, int]
    length: Length
    origin: Origin

    def joined(self, other: _Draft) -> _Draft:
        return _Draft(
            heading=other.heading,
            text=f"{self.text}\n{other.text}",
            body=f"{self.body}\n{other.body}",
            at=self.at,
            until=other.until,
            lines=(self.lines[0], other.lines[1]),
            length=self.length + other.length,
            origin=lowest([self.origin, other.origin]),
        )

    def fits(self, tokens: int) -> bool:
        return self.length.words <= MAX_WORDS and self.length.tokens <= tokens


def _drafts(found: Sequence[Turn], title: str, zone: tzinfo) -> list[_Draft]:
    drafts: list[_Draft] = []
    for turn in found:
        parts = _parts(turn, _heading(turn.at, title, zone))
        if drafts and len(parts) == 1 and _belong(drafts[-1], parts[0]):
            drafts[-1] = drafts[-1].joined(parts[0])
        else:
            drafts += parts
    return drafts


def _own_words(turn: Turn) -> tuple[Turn, str]:
    """Return a turn without what others wrote in the person's message, and that."""
    apart = [(role, parted(text) if role == "user" else None, text) for role, text in turn.said]
    said = tuple((role, both.own if both else text) for role, both, text in apart)
    quoted = "\n\n".join(both.quoted for _, both, _ in apart if both and both.quoted)
    return turn._replace(said=tuple(pair for pair in said if pair[1])), quoted


def _belong(before: _Draft, after: _Draft) -> bool:
    if Tier.FOREIGN in (before.origin.tier, after.origin.tier):
        return False
    if before.heading != after.heading or not before.joined(after).fits(MERGED_TOKENS):
        return False
    return before.until is None or after.at is None or after.at - before.until <= _PAUSE


def _parts(turn: Turn, heading: str) -> list[_Draft]:
    """Return a turn as one draft if there is room in a chunk, otherwise cut; a question stays with the answer's begin.

    What others wrote in it stands by itself.
    """
    own, quoted = _own_words(turn)
    pieces = _torn(own, "quoted", heading, quoted) if quoted else []
    return [*(_said(own, heading) if own.said else ()), *pieces]


def _said(turn: Turn, heading: str) -> list[_Draft]:
    room = MAX_TOKENS - _tokens(heading)
    whole = [_draft(turn, role, heading, said) for role, said in turn.said]
    if turn.repeats:
        return [
            part for (role, said), one in zip(turn.said, whole, strict=True) for part in _apart(turn, role, one, said)
        ]
    whole[0] = whole[0]._replace(body="\n".join(filter(None, (whole[0].body, turn.withdrawn, turn.met))))
    together = whole[0].joined(whole[-1]) if len(whole) > 1 else whole[0]
    if together.fits(room):
        return [together]
    parts: list[_Draft] = []
    for draft, (role, said) in zip(whole, turn.said, strict=True):
        pieces = [draft] if draft.fits(room) else _torn(turn, role, heading, said)
        if parts and parts[-1].joined(pieces[0]).fits(room):
            pieces[0] = parts.pop().joined(pieces[0])
        parts += pieces
    return parts


def _apart(turn: Turn, role: str, whole: _Draft, said: str) -> list[_Draft]:
    """Return one side of a turn by itself; an answer that repeats the web is the web's."""
    pieces = [whole] if whole.fits(MAX_TOKENS - _tokens(whole.heading)) else _torn(turn, role, whole.heading, said)
    return [piece._replace(origin=Origin.WEB) for piece in pieces] if role == "assistant" else pieces


def _torn(turn: Turn, role: str, heading: str, said: str) -> list[_Draft]:
    pieces = chunk_markdown(said, path="", created_at=None, title=heading)
    return [_draft(turn, role, piece.heading, piece.text) for piece in pieces]


def _draft(turn: Turn, role: str, heading: str, said: str) -> _Draft:
    at = _instant(turn.at)
    text = _LABELS[role] + _FORGED.sub(r"\1> \2\3", plain(said))
    return _Draft(heading, text, said, at, at, turn.lines, length_of(text), _ORIGINS[role])


def _heading(at: datetime | None, title: str, zone: tzinfo) -> str:
    name = f"Conversation of {at.astimezone(zone):%Y-%m-%d}" if at else "Conversation"
    short = " ".join(title.split())
    return f"{name} > {short}" if short and _tokens(short) <= HEADING_TOKENS // 2 else name


@lru_cache(maxsize=1024)
def _tokens(heading: str) -> int:
    return length_of(heading).tokens


def _instant(at: datetime | None) -> datetime | None:
    """Keep a turn at the stroke of midnight from being taken for a note about the whole day."""
    return at + timedelta(microseconds=1) if at and at.time() == time(0) else at
