"""Writing what becomes of records: every change of one occasion, or none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Protocol

from hookclaw_py.consolidate.passages import passage_of
from hookclaw_py.model.record import Record, RecordChange
from hookclaw_py.model.types import Chunk
from hookclaw_py.stages.visibility import OWNER
from hookclaw_py.store.ports import Notes
from hookclaw_py.store.sessions import Records


class Writable(Notes, Records, Protocol):
    """Where records are written, several at once."""


def write(
    store: Writable,
    changes: Sequence[RecordChange],
    *,
    zone: tzinfo,
    at: datetime,
    actor: str,
) -> list[Record]:
    """Write changes in one transaction, each record with a passage, if its owner may hear of it at all.

    Return what a person had forgotten, which is not written.

    Raises:
        StoreError: if the store cannot be written; then nothing is.
    """
    with store.together():
        return [
            change.record
            for change in changes
            if not store.write_record(change, _passage(change.record, zone), at=at, actor=actor)
        ]


def is_forgotten(store: Records, record: Record, *, zone: tzinfo) -> bool:
    """Say whether a person had a record forgotten: ``write`` would leave it out.

    Raises:
        StoreError: if the store cannot be read.
    """
    return store.is_forgotten(record, _passage(record, zone))


def _passage(record: Record, zone: tzinfo) -> Chunk | None:
    return passage_of(record, zone=zone) if OWNER.sees(record.reach) else None
