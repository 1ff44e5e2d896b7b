"""What a person asks in a session to be forgotten of what they said: its records are taken back on their word, its sentences go.

What they asked it of is kept as a record that was taken back: so it stays gone when an earlier session goes on, and says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Protocol

from hookclaw_py import text
from hookclaw_py.consolidate.consolidator import consolidate
from hookclaw_py.consolidate.revising import retract
from hookclaw_py.consolidate.set_right import heed
from hookclaw_py.consolidate.topics import WORDED
from hookclaw_py.consolidate.writing import write
from hookclaw_py.distil.runs import FEW
from hookclaw_py.distil.terms import folded
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.happening import Happening
from hookclaw_py.model.kind import FACT, PRACTISED, SESSION
from hookclaw_py.model.record import Record, RecordChange
from hookclaw_py.model.types import Chunk
from hookclaw_py.speech.restating import telling
from hookclaw_py.speech.sentences import sentences
from hookclaw_py.speech.unsaying import is_sure, speaks_of, to_be_forgotten
from hookclaw_py.store.ports import Notes, Records
from hookclaw_py.store.values import SetRight

_WHY = "the person asked to forget what they said about it"
_TOO_MUCH = "the person asked to forget what they said about it: nothing was forgotten, {} statements hold that word; more words say which"


class Unsaid(Notes, Records, Protocol):
    """What is read and written where something is unsaid."""


def unsay(store: Unsaid, prompts: Sequence[Happening], *, zone: tzinfo, actor: str) -> None:
    """Do what these prompts ask to be forgotten.

    Raises:
        StoreError: if the store cannot be read or written.
    """
    for prompt in prompts:
        for words in to_be_forgotten(str(prompt.payload.get("text", ""))):
            _forget(store, words, prompt, zone=zone, actor=actor)


def _forget(store: Unsaid, words: str, prompt: Happening, *, zone: tzinfo, actor: str) -> None:
    earlier = [
        record
        for record in store.records(standing=True)
        if record.at <= prompt.at and record.kind not in PRACTISED and not record.pinned
        if speaks_of(f"{record.title}\n{record.body}", words)
    ]
    meant, why = [words], _WHY
    if not is_sure(words):
        meant = _statements(store, earlier, words, until=prompt.at)
        if not 0 < len(meant) <= FEW:
            earlier, meant, why = [], [words], _TOO_MUCH.format(len(meant))
    orders = [_order(one, prompt) for one in meant]
    for order in orders:
        write(store, order, zone=zone, at=prompt.at, actor=actor)
    asked = [change.record for order in orders for change in order]
    gone = [change for record in (*earlier, *asked) for change in retract(record, [], why=why, now=prompt.at)]
    write(store, gone, zone=zone, at=prompt.at, actor=Speaker.PERSON)
    heed(store, zone=zone, told=[SetRight(prompt.at, one, "") for one in meant])


def _order(words: str, prompt: Happening) -> list[RecordChange]:
    draft = Draft(
        FACT, f"unsaid {folded(words)}", "", words, Speaker.PERSON, 0.8, prompt.at, prompt.session, "", (prompt.id,), {}
    )  # fmt: skip
    return consolidate(draft, [])


def _statements(store: Unsaid, records: Sequence[Record], words: str, *, until: datetime) -> list[str]:
    """Return the sentences that hold these words, each once: a person's, in the turns until then, and those of their records."""
    turns = (chunk for chunk in store.all_chunks() if chunk.kind is SESSION and telling(words) <= chunk.terms.distinct)
    texts = [_of_person(chunk) for chunk in turns if chunk.created_at is not None and chunk.created_at <= until]
    texts += [record.body for record in records if record.kind in WORDED]
    every = (one.said for said in texts for one in sentences(said) if speaks_of(one.said, words))
    return list({text.terms(one).distinct: one for one in every}.values())


def _of_person(chunk: Chunk) -> str:
    """Return what the person says in the turns of a passage."""
    person, *others = chunk.kind.speakers
    kept, is_own = list[str](), False
    for line in chunk.text.split("\n"):
        if line.startswith(tuple(f"{speaker}: " for speaker in (person, *others))):
            is_own = line.startswith(f"{person}: ")
        if is_own:
            kept.append(line.removeprefix(f"{person}: "))
    return "\n".join(kept)
