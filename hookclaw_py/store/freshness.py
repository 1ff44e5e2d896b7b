"""How fresh what a store knows is."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from hookclaw_py.model.kind import RECORDS, SESSION
from hookclaw_py.store.ports import Facts, Notes
from hookclaw_py.store.recalled import ANSWERED_FROM

INDEXED = "indexed"
"""Under which name a store notes when its notes were read."""


class Freshness(NamedTuple):
    """How old what prompts are answered from is; ``indexed_at`` is None before the first ``index``.

    ``pending`` counts distinct texts that the model of that time has not embedded yet.
    """

    files: int
    conversations: int
    saved: int
    chunks: int
    embedded: int
    pending: int
    generation: int
    indexed_at: datetime | None


def note_indexing(store: Facts, *, at: datetime, model_id: str) -> None:
    """Remember that the notes were read at ``at``, to be embedded with ``model_id`` ("" = not at all)."""
    store.set_meta(INDEXED, {"at": at.isoformat(), "model": model_id})


def indexed_at(store: Facts) -> datetime | None:
    """Return when the notes were read last; None before the first time."""
    noted = store.get_meta(INDEXED)
    return datetime.fromisoformat(noted["at"]) if noted else None


class Documents(NamedTuple):
    """How many documents a store holds: files, conversations (what was said in a session on a day, or a transcript), and what agents saved."""

    files: int
    conversations: int
    saved: int


def documents_in(store: Notes) -> Documents:
    """Count the documents of ``store``."""
    kinds = [file.kind for file in store.files().values() if file.kind.searched]
    conversations, saved = kinds.count(SESSION), sum(kind in RECORDS for kind in kinds)
    return Documents(len(kinds) - conversations - saved, conversations, saved)


def freshness(store: Notes) -> Freshness:
    """Say how fresh the store is, without loading an embedder."""
    noted = store.get_meta(INDEXED) or {}
    model_id = noted.get("model", "")
    return Freshness(
        **documents_in(store)._asdict(),
        chunks=store.count(ANSWERED_FROM),
        embedded=store.embedded_count(model_id, ANSWERED_FROM) if model_id else 0,
        pending=store.pending_count(model_id) if model_id else 0,
        generation=store.generation(),
        indexed_at=indexed_at(store),
    )
