"""What a person took back or put otherwise, in the passages of what was said: prompts are answered from these.

A sentence that holds all the words of such a record, said before that, goes; where the person gave other words they stand in its place,
with their day. What is said anew afterwards stays as it was said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import tzinfo
from hashlib import blake2b
from typing import Protocol

from hookclaw_py import text
from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.types import Chunk
from hookclaw_py.speech.sentences import sentences
from hookclaw_py.store.ports import Notes, Records
from hookclaw_py.store.values import SetRight

_FEWEST = 2  # words of what was taken back: one alone stands in too much else
_LEAST = 3  # words of what is left of a passage


class Heeded(Notes, Records, Protocol):
    """What is read and written where a person's word is heeded."""


def heed(store: Heeded, *, zone: tzinfo) -> int:
    """Put what is kept of what was said right, in all of it; return how many passages that changed.

    Raises:
        StoreError: if the store cannot be read or written.
    """
    told, files, changed = store.set_right(), store.files(), 0
    paths = {chunk.place.path for chunk in store.all_chunks() if _concerns(chunk, told)}
    for path in sorted(paths):
        before, file = store.chunks_of(path), files[path]
        after = set_right(before, told, zone=zone)
        store.replace_file(
            path, chunks=after, digest=file.digest, size=file.size, mtime_ns=file.mtime_ns, recipe=file.recipe
        )
        changed += len({chunk.id for chunk in before} - {chunk.id for chunk in after})
    return changed


def set_right(chunks: Sequence[Chunk], told: Sequence[SetRight], *, zone: tzinfo) -> list[Chunk]:
    """Return passages without what a person took back, and with what they said instead; of which nothing is left goes."""
    return [left for chunk in chunks if (left := _put_right(chunk, told, zone)) is not None]


def _put_right(chunk: Chunk, told: Sequence[SetRight], zone: tzinfo) -> Chunk | None:
    said = chunk.text
    for one in told:
        if _concerns(chunk, [one]):
            said = _without(said, one, chunk.kind.speakers, zone)
    if said == chunk.text:
        return chunk
    body = said
    for speaker in chunk.kind.speakers:
        body = body.replace(f"{speaker}: ", "")
    if len(body.split()) < _LEAST:
        return None
    name = blake2b("\0".join((chunk.id, said)).encode(errors="replace"), digest_size=8).digest()
    number = int.from_bytes(name, "big") >> 1
    return replace(chunk, id=f"{number:016x}", text=said, terms=text.terms(f"{chunk.heading}\n{body}"))


def _concerns(chunk: Chunk, told: Iterable[SetRight]) -> bool:
    if chunk.kind is not SESSION:
        return False
    at = chunk.created_at
    return any(
        at is not None
        and at <= one.at
        and len(words := _words(one.before)) >= _FEWEST
        and words <= chunk.terms.distinct
        for one in told
    )


def _without(said: str, one: SetRight, speakers: Sequence[str], zone: tzinfo) -> str:
    instead = f"(set right on {one.at.astimezone(zone):%Y-%m-%d}) {one.after}" if one.after else ""
    lines = []
    for line in said.split("\n"):
        who = next((f"{speaker}: " for speaker in speakers if line.startswith(f"{speaker}: ")), "")
        left = line.removeprefix(who)
        for sentence in sentences(left):
            if _words(one.before) <= _words(sentence.said):
                left = left.replace(sentence.said, instead, 1)
        left = left.strip() if left != line.removeprefix(who) else left
        if left or not line:
            lines.append(f"{who}{left}")
    return "\n".join(lines)


def _words(said: str) -> frozenset[str]:
    return frozenset(text.terms(said))
