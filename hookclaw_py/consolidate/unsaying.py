"""What a person asks in a session to be forgotten of what they said: its records are taken back on their word, its sentences go.

What they asked it of is kept as a record that was taken back: so it stays gone when an earlier session goes on, and says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Protocol

from hookclaw_py.consolidate.consolidator import consolidate
from hookclaw_py.consolidate.revising import retract
from hookclaw_py.consolidate.set_right import heed
from hookclaw_py.consolidate.writing import write
from hookclaw_py.distil.terms import folded
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.happening import Happening
from hookclaw_py.model.kind import FACT, PRACTISED
from hookclaw_py.speech.unsaying import speaks_of, to_be_forgotten
from hookclaw_py.store.ports import Notes, Records
from hookclaw_py.store.values import SetRight

_WHY = "the person asked to forget what they said about it"


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
    order = Draft(
        FACT, f"unsaid {folded(words)}", "", words, Speaker.PERSON, 0.8, prompt.at, prompt.session, "", (prompt.id,), {}
    )  # fmt: skip
    begun = consolidate(order, [])
    write(store, begun, zone=zone, at=prompt.at, actor=actor)
    gone = [change for record in (*earlier, begun[0].record) for change in retract(record, [], why=_WHY, now=prompt.at)]
    write(store, gone, zone=zone, at=prompt.at, actor=Speaker.PERSON)
    heed(store, zone=zone, told=[SetRight(prompt.at, words, "")])
