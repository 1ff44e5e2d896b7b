"""Forgetting on a person's word: the store's own traces in one transaction, then the recordings and indexes beside it.

What a record said goes from what was said as well: prompts are answered from that. A sentence of a captured turn that holds all its
words is taken out, and the rest of the turn stays. What holds most of them may be the same in other words, or something else: only a
person can say, and is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hookclaw_py.consolidate.set_right import ever_said, heed, is_telling, says, still_said, without
from hookclaw_py.errors import RetrievalError
from hookclaw_py.model.types import Chunk
from hookclaw_py.observe.recording import PromptLog
from hookclaw_py.store.moving import forget_left_behind
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.values import Cleaned

_PATIENCE = 10.0  # seconds to wait for another process that is writing the keyword index
_TOLD = 3  # passages of which a person is told that they may tell of it


class Forgotten(NamedTuple):
    """The ids of the memory and its copies, how many recorded prompts went with them or lost what told of them, and what could not be done now.

    ``copies`` are the databases set aside that were cleaned of it, or deleted. ``said`` is from how many passages of what was
    said it was taken, ``alike`` are those that may tell of it in other words, and stay until they are forgotten themselves.
    """

    ids: list[str]
    recordings: int
    problem: str = ""
    copies: Cleaned = Cleaned([], [])
    said: int = 0
    alike: Sequence[Chunk] = ()


def forget(store: AgentStore, memory: str, *, beside: Path, at: datetime) -> Forgotten:
    """Purge a memory, its vectors, words, feedback and stories, and the recordings of prompts that called it up.

    ``beside`` is the folder with these, and with the indexes that are kept of the store.
    """
    told = ever_said(store, memory, at=at)
    sure, said = [one for one in told if is_telling(one)], list[Chunk]()

    def untell() -> None:
        said.extend(heed(store, zone=UTC, told=sure))
        store.forget_said(said, partial(without, told=sure), at=at)

    others = {one for one, words in store.record_wordings() if says(words, sure)} if sure else set()
    gone = store.forget([memory, *sorted(others - {memory})], at=at, also=untell if sure else lambda: None)
    chunk_ids = {chunk_id for wordings in gone.values() for chunk_id in wordings} | {chunk.id for chunk in said}
    recordings = PromptLog(beside)
    recorded = recordings.forget_chunks(chunk_ids) + (recordings.reword(partial(without, told=sure)) if sure else 0)
    alike = still_said(store.all_chunks(), told)[:_TOLD] if told else []
    forget_left_behind(store, beside)
    problem, copies = _made_anew(store, beside), store.forget_in_copies(at=at)
    return Forgotten(list(gone), recorded, problem, copies, len(said), alike)


def _made_anew(store: AgentStore, beside: Path) -> str:
    """Make the keyword index anew, which would else keep the words until its next merge, and drop the vectors that are kept; return why that failed."""
    from hookclaw_py import build

    try:
        lexical = build.kept_keywords(beside)
        indexes = build.derived_indexes(store, lexical, None, beside=beside)
        try:
            indexes.catch_up(wait_seconds=_PATIENCE)
        finally:
            indexes.close()
    except RetrievalError as error:
        return str(error)
    current = lexical is None or lexical.generation == store.generation()
    return "" if current else "another process is writing the keyword index"
