"""Forgetting on a person's word: the store's own traces in one transaction, then the recordings and indexes beside it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from hookclaw_py.observe.recording import PromptLog
from hookclaw_py.store.ports import AgentStore, Cleaned

_PATIENCE = 10.0  # seconds to wait for another process that is writing the keyword index


class Forgotten(NamedTuple):
    """The ids of the memory and its copies, how many recorded prompts went with them, and what could not be done now.

    ``copies`` are the databases set aside that were cleaned of it, or deleted.
    """

    ids: list[str]
    recordings: int
    problem: str = ""
    copies: Cleaned = Cleaned([], [])


def forget(store: AgentStore, memory: str, *, at: datetime) -> Forgotten:
    """Purge a memory, its vectors, words, feedback and stories, and the recorded prompts that called it up."""
    gone = store.forget([memory], at=at)
    chunk_ids = {chunk_id for wordings in gone.values() for chunk_id in wordings}
    recordings = PromptLog(store.folder).forget_chunks(chunk_ids) if store.folder else 0
    return Forgotten(list(gone), recordings, _made_anew(store), store.forget_in_copies(at=at))


def _made_anew(store: AgentStore) -> str:
    """Make the keyword index anew, which would else keep the words until its next merge; return why it could not be done."""
    if store.folder is None or not (store.folder / "lexical").exists():
        return ""
    from hookclaw_py import build
    from hookclaw_py.config import Config
    from hookclaw_py.errors import RetrievalError

    try:
        lexical = build.lexical_index(Config(), store.folder)
        indexes = build.derived_indexes(store, lexical, None)
        try:
            indexes.catch_up(wait_seconds=_PATIENCE)
        finally:
            indexes.close()
    except RetrievalError as error:
        return str(error)
    return "" if lexical.generation == store.generation() else "another process is writing the keyword index"
