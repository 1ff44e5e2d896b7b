"""How a memory is told to an agent that asks for it: data, without secrets, with whose words it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hookclaw_py.doors.tools.desk import ToolDesk
from hookclaw_py.model.record import Record
from hookclaw_py.model.types import Candidate, Chunk
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.stages import render

HEADLINE = 100
"""Characters of a memory in a list."""


def as_listed(record: Record) -> dict[str, Any]:
    """Return a record in a list."""
    return {
        "id": record.id,
        "subject": render.clean(record.title),
        "memory_type": type_of(record),
        "project": list(record.listed("project")),
        "created_at": record.first_at.isoformat(),
        "foundational": record.pinned,
    }


def as_whole(desk: ToolDesk, record: Record) -> dict[str, Any]:
    """Return all that is told of a record."""
    body = record.body if desk.engine.config.secrets == "owner" else redact(record.body)
    told = as_listed(record) | {
        "content": render.clean(body),
        "keywords": list(record.listed("keywords")),
        "tags": list(record.listed("tags")),
        "source_type": record.fields.get("source_type", ""),
        "status": "archived" if not record.status.stands else str(record.status),
        "said_by": str(record.said_by),
        "updated_at": record.at.isoformat(),
        "salience": round(record.salience_by(desk.now), 3),
    }
    return {name: value for name, value in told.items() if value not in ("", [])}


def as_note(chunk: Chunk, candidate: Candidate | None = None) -> dict[str, Any]:
    """Return a passage; of a candidate also how relevant it is, and whether newer words stand before it."""
    note: dict[str, Any] = {
        "id": chunk.id,
        "path": chunk.place.path,
        "lines": "-".join(map(str, chunk.place.lines)),
        "heading": render.clean(chunk.heading),
        "date": chunk.created_at.date().isoformat() if chunk.created_at else "",
        "text": render.clean(chunk.text),
    }
    if words := candidate.words if candidate else chunk.origin.words:
        note["words"] = words
    if candidate and candidate.supersession:
        note["superseded"] = candidate.supersession
    return note | ({"relevance": round(candidate.relevance, 3)} if candidate else {})


def superseded(candidate: Candidate) -> str:
    """Return what a line about a passage says of news that stands before it, "" where there is none."""
    return {"yes": ", superseded", "maybe": ", perhaps superseded"}.get(candidate.supersession, "")


def hidden(chunk: Chunk) -> Chunk:
    """Return a passage without secrets."""
    return replace(chunk, text=redact(chunk.text), heading=redact(chunk.heading))


def type_of(record: Record) -> str:
    """Return what a memory is called by its type: as its agent said, else its kind."""
    return str(record.fields.get("memory_type") or record.kind.name)


def headline(record: Record) -> str:
    """Return a record in one line: `- [type] (subject): its beginning`."""
    said = render.clean(" ".join(redact(record.body).split()))[:HEADLINE]
    return f"- [{type_of(record)}] ({render.clean(record.title)}): {said}"
