"""memory_link and memory_unlink, and the links that what is saved gets by itself."""

from __future__ import annotations

from typing import Any

from hookclaw_py import build
from hookclaw_py.capture.cleaning import clean_text
from hookclaw_py.consolidate import revising
from hookclaw_py.consolidate.writing import write
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.tools import asked
from hookclaw_py.doors.tools.desk import ACTOR, ToolDesk
from hookclaw_py.model.kind import SAVED
from hookclaw_py.model.record import Link, Record, RecordAction, RecordChange, Relation
from hookclaw_py.store.content import embedded

AUTO = "auto"
"""Who says so, of a link that was made by likeness."""
_NEAR = 50
_SUGGESTED = 10


def link(desk: ToolDesk, wanted: asked.MemoryLink) -> dict[str, Any]:
    """Link two memories."""
    desk.of_caller(wanted.instance_id)
    desk.for_owner("memory_link")
    if wanted.source_id == wanted.target_id:
        raise WireError(Code.INVALID_PARAMS, f"source_id and target_id are both {wanted.source_id}; give two memories")
    source, target = desk.record(wanted.source_id), desk.record(wanted.target_id)
    relation = wanted.relation_type
    by = clean_text(wanted.created_by).strip() or ACTOR
    links = [Link(source.id, relation, target.id, wanted.strength, by)]
    if wanted.bidirectional:
        links.append(Link(target.id, relation, source.id, wanted.strength, by))
    there = {one.triple for one in desk.store.record_links([source.id])}
    if known := next((one for one in links if one.triple in there), None):
        raise WireError(
            Code.CONFLICT, f"{known.source} {relation} {known.target} is there already; memory_unlink takes it away"
        )
    changes = [RecordChange(source, RecordAction.LINKED, f"{relation} {target.id}", links=links)]
    changes += _following(source, target, wanted)
    if write(desk.store, changes, zone=build.user_zone(desk.engine.config), at=desk.now, actor=ACTOR):
        raise WireError(Code.CONFLICT, "the person had one of them forgotten; nothing was linked")
    desk.engine.consulting.bring_up()
    return {
        "id": f"{source.id} {relation} {target.id}",
        "message": f"Linked {source.id} to {target.id}",
        "relation_type": relation,
        "bidirectional": wanted.bidirectional,
    }


def _following(source: Record, target: Record, wanted: asked.MemoryLink) -> list[RecordChange]:
    """Return what a link does to the memories themselves: of two that contradict each other neither is sure."""
    why = "an agent said so"
    if wanted.relation_type == Relation.CONTRADICTS and source.status.stands and target.status.stands:
        return [one for one in revising.contest(source, target, why=why) if not _is_sure(one.record)]
    if wanted.archive_old and wanted.relation_type == Relation.SUPERSEDES:
        if _is_sure(target):
            raise WireError(Code.FORBIDDEN, f"target_id: {target.id} is the person's word, or pinned; it stays")
        return [one._replace(links=[]) for one in revising.supersede_by(target, source, why=why)]
    return []


def _is_sure(record: Record) -> bool:
    """Say whether an agent's word moves nothing about it: it is the person's, or pinned."""
    return record.pinned or record.said_by.origin.is_own


def unlink(desk: ToolDesk, wanted: asked.MemoryUnlink) -> dict[str, Any]:
    """Take links from one memory to another away."""
    desk.of_caller(wanted.instance_id)
    desk.for_owner("memory_unlink")
    source = desk.record(wanted.source_id)
    gone = [
        one
        for one in desk.store.record_links([source.id])
        if (one.source, one.target) == (source.id, wanted.target_id) and wanted.relation_type in ("", one.relation)
    ]
    if not gone:
        raise WireError(Code.NOT_FOUND, f"No edges found from {wanted.source_id} to {wanted.target_id}")
    told = ", ".join(str(one.relation) for one in gone)
    with desk.store.together():
        desk.store.remove_links(gone)
        change = RecordChange(source, RecordAction.UNLINKED, f"{told} {wanted.target_id}")
        write(desk.store, [change], zone=build.user_zone(desk.engine.config), at=desk.now, actor=ACTOR)
    return {"removed": len(gone), "message": f"Removed {told} from {source.id} to {wanted.target_id}"}


def related(desk: ToolDesk, record: Record, *, write_links: bool) -> dict[str, Any]:
    """Link what was saved with what means nearly the same, and say what is a little like it; with nothing of another project."""
    chunk, limits = desk.store.heads([record.id])[record.id], desk.engine.config.links
    near = desk.engine.consulting.alike(embedded(chunk.heading, chunk.text), kinds=[SAVED.name], limit=_NEAR)
    cosines = {desk.store.memories_of([hit.chunk_id]).get(hit.chunk_id, ""): hit.score for hit in near}
    found = [
        (other, cosine)
        for memory, cosine in cosines.items()
        if memory != record.id and (other := desk.store.record(memory))
    ]
    same = [(other, cosine) for other, cosine in found if set(other.listed("project")) & set(record.listed("project"))]
    close = (
        [(other, cosine) for other, cosine in same if cosine >= limits.link_at] if limits.auto and write_links else []
    )
    loose = [pair for pair in same if pair[1] >= limits.suggest_at and pair not in close][:_SUGGESTED]
    if close:
        links = [Link(record.id, Relation.RELATES_TO, other.id, round(cosine, 3), AUTO) for other, cosine in close]
        change = RecordChange(record, RecordAction.LINKED, "means nearly the same", links=links)
        write(desk.store, [change], zone=build.user_zone(desk.engine.config), at=desk.now, actor=ACTOR)
    return {
        "embedded": any(hit.chunk_id == chunk.id for hit in near),
        "links_created": [_told(*pair, type=str(Relation.RELATES_TO)) for pair in close],
        "suggested_links": [_told(*pair) for pair in loose],
    }


def _told(other: Record, cosine: float, **more: str) -> dict[str, Any]:
    return {"target": other.id, "target_subject": other.title, **more, "score": round(cosine, 3)}
