"""Forgetting on a person's word: the store's own traces in one transaction, then the recordings and indexes beside it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from hookclaw_py.errors import RetrievalError
from hookclaw_py.observe.recording import PromptLog
from hookclaw_py.search.ports import LexicalIndex
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.values import Cleaned

_PATIENCE = 10.0  # seconds to wait for another process that is writing the keyword index


class Forgotten(NamedTuple):
    """The ids of the memory and its copies, how many recorded prompts went with them, and what could not be done now.

    ``copies`` are the databases set aside that were cleaned of it, or deleted.
    """

    ids: list[str]
    recordings: int
    problem: str = ""
    copies: Cleaned = Cleaned([], [])


def forget(
    store: AgentStore,
    memory: str,
    *,
    recordings: PromptLog,
    keywords: Callable[[], LexicalIndex | None],
    at: datetime,
) -> Forgotten:
    """Purge a memory, its vectors, words, feedback and stories, and the ``recordings`` of prompts that called it up.

    ``keywords`` opens the keyword index that is kept of the store, if one is.
    """
    gone = store.forget([memory], at=at)
    chunk_ids = {chunk_id for wordings in gone.values() for chunk_id in wordings}
    recorded = recordings.forget_chunks(chunk_ids)
    return Forgotten(list(gone), recorded, _made_anew(store, keywords), store.forget_in_copies(at=at))


def _made_anew(store: AgentStore, keywords: Callable[[], LexicalIndex | None]) -> str:
    """Make the keyword index anew, which would else keep the words until its next merge; return why it could not be done."""
    from hookclaw_py import build

    try:
        if (lexical := keywords()) is None:
            return ""
        indexes = build.derived_indexes(store, lexical, None)
        try:
            indexes.catch_up(wait_seconds=_PATIENCE)
        finally:
            indexes.close()
    except RetrievalError as error:
        return str(error)
    return "" if lexical.generation == store.generation() else "another process is writing the keyword index"
