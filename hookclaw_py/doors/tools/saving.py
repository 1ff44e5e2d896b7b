"""memory_set: an agent saves something; it is found from then on wherever it answers a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from hookclaw_py import build
from hookclaw_py.capture.cleaning import MOST_CHARS, clean_text
from hookclaw_py.consolidate import revising
from hookclaw_py.consolidate.writing import write
from hookclaw_py.distil.terms import folded
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.tools import asked
from hookclaw_py.doors.tools.desk import ACTOR, ToolDesk
from hookclaw_py.doors.tools.linking import related
from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.ids import id_made_of
from hookclaw_py.model.kind import SAVED
from hookclaw_py.model.level import Level
from hookclaw_py.model.origin import Tier
from hookclaw_py.model.record import Record, RecordAction, RecordChange
from hookclaw_py.model.salience import Salience

CONFIDENCE = {"explicit": 0.8, "conversation": 0.7, "observation": 0.7, "inferred": 0.5}
"""How sure something is, by how the agent came to it."""
MOST_SUBJECT = 200


class SavedRecord(NamedTuple):
    """A record that was written, or that says the same already; what is to be said of that, and whether it is to be linked."""

    record: Record
    warnings: Sequence[str]
    links: bool


def save(desk: ToolDesk, wanted: asked.MemorySave) -> dict[str, Any]:
    """Write a record and its passage, in one transaction."""
    desk.of_caller(wanted.instance_id)
    desk.for_owner("memory_set")
    saved = save_all(desk, [wanted])
    if not saved:
        raise WireError(Code.CONFLICT, "the person had this forgotten, and it stays so; nothing was saved")
    return saved[0]


def save_all(desk: ToolDesk, several: Sequence[asked.MemorySave]) -> list[dict[str, Any]]:
    """Write several in one transaction; what a person had forgotten is left out."""
    with desk.store.together():
        written = [one for wanted in several if (one := _write(desk, wanted)) is not None]
    problems = desk.engine.consulting.bring_up() if written else []
    return [_saved(desk, one.record, "; ".join([*one.warnings, *problems]), links=one.links) for one in written]


def _write(desk: ToolDesk, wanted: asked.MemorySave) -> SavedRecord | None:
    """Write one; None if a person had it forgotten."""
    new, warnings = record_of(desk, wanted)
    older = _superseded(desk, wanted.supersedes_id)
    known = _known(desk, new)
    if known is not None and older is None:
        return SavedRecord(known, [f"known already, as {known.id}: nothing was written"], links=False)
    changes = [RecordChange(new, RecordAction.BEGUN, "saved by an agent")]
    zone = build.user_zone(desk.engine.config)
    if write(desk.store, changes, zone=zone, at=desk.now, actor=ACTOR):
        return None
    if older is not None:
        ended = revising.supersede_by(older, new, why="an agent saved what takes its place")
        write(desk.store, ended, zone=zone, at=desk.now, actor=ACTOR)
    if wanted.foundational:
        desk.store.mark(new.id, "pin", at=desk.now)
    return SavedRecord(new, warnings, links=wanted.auto_link)


def record_of(desk: ToolDesk, wanted: asked.MemorySave) -> tuple[Record, list[str]]:
    """Return what is to be saved, without secrets and private parts, and what was left out."""
    if len(wanted.content) > MOST_CHARS:
        raise WireError(
            Code.INVALID_PARAMS,
            f"content has {len(wanted.content):,} characters, {MOST_CHARS:,} are allowed; save the gist, or write a note",
        )
    said, subject = (clean_text(text).strip() for text in (wanted.content, wanted.subject))
    if not said:
        raise WireError(Code.INVALID_PARAMS, "content: nothing of it may be kept: it is private, or was told by us")
    if len(subject) > MOST_SUBJECT:
        raise WireError(Code.INVALID_PARAMS, f"subject has {len(subject)} characters, {MOST_SUBJECT} are allowed")
    fields = {
        "memory_type": clean_text(wanted.memory_type).strip() or "fact",
        "source_type": wanted.source_type,
        "project": _clean(wanted.project) or [desk.project],
        "keywords": _clean(wanted.keywords),
        "tags": _clean(wanted.tags),
        "source_context": clean_text(wanted.source_context),
        "source_session": clean_text(wanted.source_session_id),
    }
    record = Record(
        id=id_made_of(subject, said, desk.now.isoformat()),
        kind=SAVED,
        about=folded(subject),
        title=" ".join(subject.split()),
        body=said,
        said_by=Speaker.ASSISTANT,
        confidence=CONFIDENCE[wanted.source_type],
        salience=Salience(1.0, desk.now),
        level=Level.MEDIUM,
        first_at=desk.now,
        at=desk.now,
        session=desk.session,
        fields={name: value for name, value in fields.items() if value not in ("", [])},
    )
    changed = said != wanted.content.strip() or subject != wanted.subject.strip()
    return record, ["what is private, or looks like a secret, was left out"] if changed else []


def _clean(given: Sequence[str]) -> list[str]:
    return [said for one in given if (said := clean_text(one).strip())]


def _superseded(desk: ToolDesk, memory_id: str) -> Record | None:
    """Return the record that is to be replaced: one that an agent may speak against."""
    if not memory_id:
        return None
    older = desk.record(memory_id)
    if older.pinned:
        raise WireError(
            Code.FORBIDDEN,
            f"supersedes_id: {memory_id} is foundational, or pinned by the person, who alone may unpin it",
        )
    if older.said_by.origin.tier < Tier.AGENT:
        raise WireError(
            Code.FORBIDDEN,
            f"supersedes_id: {memory_id} is the person's word; save yours beside it, or ask them to correct it",
        )
    return older


def _known(desk: ToolDesk, new: Record) -> Record | None:
    """Return the record that says the same already."""
    there = desk.store.records(kinds=[SAVED], about=new.about, standing=True)
    return next((one for one in there if folded(one.body) == folded(new.body)), None)


def _saved(desk: ToolDesk, record: Record, warning: str, *, links: bool) -> dict[str, Any]:
    near = related(desk, record, write_links=links)
    return {"id": record.id, "subject": record.title, **near, **({"warning": warning} if warning else {})}
