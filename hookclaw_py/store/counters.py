"""Counters that survive restarts: amounts by name and labels, added up over all processes that use the store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from hookclaw_py.store.database import Store

Key = tuple[str, tuple[str, ...]]
"""The name of a counter, and its label values; no label value has a comma."""


class Freshness(NamedTuple):
    """How old what the store knows is; ``indexed_at`` is None before the first ``index``.

    ``pending`` counts distinct texts that the model of that time has not embedded yet.
    """

    files: int
    chunks: int
    embedded: int
    pending: int
    generation: int
    indexed_at: datetime | None


def add(
    store: Store,
    amounts: Mapping[Key, float],
    *,
    told: Mapping[str, Any] | None = None,
    busy_seconds: float | None = None,
) -> None:
    """Add ``amounts`` to the counters, and replace the facts ``told`` (JSON), in one transaction: all of it, or nothing.

    Raises:
        StoreError: if another writer is still at work after ``busy_seconds`` (None: as long as the store is patient).
    """
    rows = [(name, ",".join(labels), amount) for (name, labels), amount in amounts.items()]
    with store._writing(busy_seconds) as connection:
        connection.executemany(
            "INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount", rows
        )
        connection.executemany(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
            [(name, json.dumps(value)) for name, value in (told or {}).items()],
        )


def load(store: Store) -> dict[Key, float]:
    """Return every counter."""
    with store._reading(bulk=True) as connection:
        rows = connection.execute("SELECT name, labels, amount FROM counts").fetchall()
    return {(name, tuple(labels.split(",")) if labels else ()): amount for name, labels, amount in rows}


def note_indexing(store: Store, *, at: datetime, model_id: str) -> None:
    """Remember that the notes were read at ``at``, to be embedded with ``model_id`` ("" = not at all)."""
    store.set_meta("indexed", {"at": at.isoformat(), "model": model_id})


def indexed_at(store: Store) -> datetime | None:
    """Return when the notes were read last; None before the first time."""
    noted = store.get_meta("indexed")
    return datetime.fromisoformat(noted["at"]) if noted else None


def freshness(store: Store) -> Freshness:
    """Say how fresh the store is, without loading an embedder."""
    noted = store.get_meta("indexed") or {}
    model_id = noted.get("model", "")
    return Freshness(
        files=len(store.files()),
        chunks=store.count(),
        embedded=store.embedded_count(model_id) if model_id else 0,
        pending=store.pending_count(model_id) if model_id else 0,
        generation=store.generation(),
        indexed_at=indexed_at(store),
    )
