"""Passages: how a record is written down for whoever searches and reads: as one chunk, like a passage of a note."""

from __future__ import annotations

from datetime import tzinfo

from hookclaw_py import text
from hookclaw_py.model.ids import id_made_of
from hookclaw_py.model.place import RecordPlace
from hookclaw_py.model.record import Record, RecordStatus
from hookclaw_py.model.types import Chunk
from hookclaw_py.temporal.mentions import with_days


def path_of(record: Record) -> str:
    """Return where a record stands: what is no file has a path of its own."""
    return f"record:{record.kind.name}/{record.id}"


def passage_of(record: Record, *, zone: tzinfo) -> Chunk:
    """Return the chunk of a record: what it is and of which day stands in its heading."""
    heading = f"{record.kind.name.capitalize()} of {record.at.astimezone(zone):%Y-%m-%d}"
    if record.status is RecordStatus.CONTESTED:
        heading = f"{heading}, contested"
    if record.title:
        heading = f"{heading} > {record.title}"
    path = path_of(record)
    return Chunk(
        id=id_made_of(path, heading, record.body),
        text=record.body,
        place=RecordPlace(path, (1, 1)),
        heading=heading,
        kind=record.kind,
        created_at=record.at,
        terms=with_days(
            text.terms("\n".join((heading, record.body, *map(str, record.listed("keywords"))))),
            record.body,
            written=record.at,
        ),
        memory=record.id,
        origin=record.said_by.origin,
    )
