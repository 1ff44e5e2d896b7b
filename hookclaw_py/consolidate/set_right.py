"""What a person took back or put otherwise, in the passages of what was said: prompts are answered from these.

A clause that holds all the words of such a record, said before that, goes; where the person gave other words they stand behind what is left of its
sentence, with their day. What is said anew afterwards stays as it was said. What is forgotten goes in the same way, clause by clause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from hookclaw_py import text
from hookclaw_py.consolidate.writing import Writable
from hookclaw_py.ingest.conversation import terms_of
from hookclaw_py.model.ids import id_made_of
from hookclaw_py.model.kind import DECISION, FACT, PREFERENCE, SAVED, SESSION
from hookclaw_py.model.types import Chunk
from hookclaw_py.speech.clauses import parted
from hookclaw_py.speech.sentences import sentences
from hookclaw_py.store.sessions import Records
from hookclaw_py.store.values import SetRight

_FEWEST = 2  # words of what was taken back: one alone stands in too much else
_SURE = 3  # words from which a sentence that holds them all says what is forgotten
_LEAST = 3  # words of what is left of a passage
_ALIKE = 0.6  # of the words: perhaps the same, otherwise put
_BEGINS = 3  # letters of a stem, its last but for that, with which all forms of a word begin
_CLAIM = (FACT, DECISION, PREFERENCE, SAVED)
_WHO_SAID = frozenset({"user", "person"})


def heed(store: Writable, *, zone: tzinfo, told: Sequence[SetRight] | None = None) -> list[Chunk]:
    """Put what is kept of what was said right, in all of it; return the passages that changed, as they stood.

    ``told`` is what goes; what a person took back or put otherwise unless it is given.

    Raises:
        StoreError: if the store cannot be read or written.
    """
    told = store.set_right() if told is None else told
    files, changed = store.files(), list[Chunk]()
    paths = {chunk.place.path for chunk in store.all_chunks() if _concerns(chunk, told)}
    for path in sorted(paths):
        before, file = store.chunks_of(path), files[path]
        after = set_right(before, told, zone=zone)
        store.replace_file(
            path, chunks=after, digest=file.digest, size=file.size, mtime_ns=file.mtime_ns, recipe=file.recipe
        )
        left = {chunk.id for chunk in after}
        changed += [chunk for chunk in before if chunk.id not in left]
    return changed


def ever_said(store: Records, memory: str, *, at: datetime) -> list[SetRight]:
    """Return all that a record ever said, sentence by sentence, as what is to go; nothing of one that only tells what happened.

    Words that only say that something was said do not count: the person who asked for it to be kept had not said these.
    """
    record = store.record(memory)
    if record is None or record.kind not in _CLAIM:
        return []
    bodies = dict.fromkeys(entry.body for entry in store.record_history(memory))
    said = dict.fromkeys(_only_telling(sentence.said) for body in bodies for sentence in sentences(body))
    return [SetRight(at, words, "") for words in said if len(_words(words)) >= _FEWEST]


def is_telling(one: SetRight) -> bool:
    """Say whether whatever holds these words says that, and nothing else that only happens to have them."""
    return len(_words(one.before)) >= _SURE


def says(said: str, told: Sequence[SetRight]) -> bool:
    """Say whether a sentence of this holds all the words of one of these."""
    wanted = [words for words in (_words(one.before) for one in told) if _may_hold(said, words)]
    return bool(wanted) and any(words <= _words(one.said) for one in sentences(said) for words in wanted)


def still_said(chunks: Iterable[Chunk], told: Sequence[SetRight]) -> list[Chunk]:
    """Return the passages of what was said that hold most of the words of one of these, which holds most first."""
    found = (
        (max((_share(chunk, one) for one in told), default=0.0), chunk) for chunk in chunks if chunk.kind is SESSION
    )
    return [chunk for share, chunk in sorted(found, key=lambda one: (-one[0], one[1].id)) if share >= _ALIKE]


def without(said: str, told: Sequence[SetRight]) -> str:
    """Return what was said without the sentences that hold all the words of one of these."""
    for one in told:
        if _may_hold(said, _words(one.before)):
            said = _without(said, one, (), UTC)
    return said


def _may_hold(said: str, words: frozenset[str]) -> bool:
    """Say whether a text may hold these words: to look for how they begin is quick, to cut it into sentences takes a second a megabyte."""
    folded = text.fold(said).replace("'", "").replace("’", "")
    return all(word[: min(_BEGINS, len(word) - 1)] in folded for word in words if word.isalpha())


def _only_telling(said: str) -> str:
    return " ".join(word for word in said.split() if _words(word) - text.asking() - _WHO_SAID)


def _share(chunk: Chunk, one: SetRight) -> float:
    words = _words(one.before)
    held = words & chunk.terms.distinct
    return len(held) / len(words) if len(held) >= _FEWEST else 0.0


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
    if text.count_words(body) < _LEAST:
        return None
    return replace(
        chunk, id=id_made_of(chunk.id, said), text=said, terms=terms_of(chunk.heading, said, body, chunk.created_at)
    )


def _concerns(chunk: Chunk, told: Iterable[SetRight]) -> bool:
    if chunk.kind is not SESSION:
        return False
    at = chunk.created_at
    return any(
        at is not None and at <= one.at and len(words := _words(one.before)) >= _FEWEST and _may_stand_in(chunk, words)
        for one in told
    )


def _may_stand_in(chunk: Chunk, words: frozenset[str]) -> bool:
    """Say whether a passage may hold these words; in one of two languages a sentence's words have other stems than alone."""
    held = words & chunk.terms.distinct
    return held == words or (len(held) >= _FEWEST and 2 * len(held) >= len(words) and _may_hold(chunk.text, words))


def _without(said: str, one: SetRight, speakers: Sequence[str], zone: tzinfo) -> str:
    instead = f"(set right on {one.at.astimezone(zone):%Y-%m-%d}) {one.after}" if one.after else ""
    lines = []
    for line in said.split("\n"):
        who = next((f"{speaker}: " for speaker in speakers if line.startswith(f"{speaker}: ")), "")
        left = line.removeprefix(who)
        for sentence in sentences(left):
            if part := parted(sentence.said, one.before, terms=_words):
                left = left.replace(sentence.said, " ".join(filter(None, (part.left, instead))), 1)
        left = left.strip() if left != line.removeprefix(who) else left
        if left or not line:
            lines.append(f"{who}{left}")
    return "\n".join(lines)


def _words(said: str) -> frozenset[str]:
    return frozenset(text.terms(said))
