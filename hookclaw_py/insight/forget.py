"""Forgetting on a person's word: the store's own traces in one transaction, then the recordings beside it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from hookclaw_py.recording import PromptLog
from hookclaw_py.store import events
from hookclaw_py.store.database import Store


class Forgotten(NamedTuple):
    """The ids of the chunk and its copies, and how many recorded prompts went with them."""

    ids: list[str]
    recordings: int


def forget(store: Store, chunk_id: str, *, at: datetime) -> Forgotten:
    """Purge a chunk, its vectors, feedback and stories, and the recorded prompts that called it up."""
    with store._reading(bulk=True) as connection:
        older = events.predecessors(connection, [chunk_id])
    ids = store.forget([chunk_id], at=at)
    recordings = PromptLog(store.folder).forget_chunks({*ids, *older}) if store.folder else 0
    return Forgotten(ids, recordings)
