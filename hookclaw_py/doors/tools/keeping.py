"""memory_recent, memory_archive and memory_stats: what was saved, in a list, put away, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any

from hookclaw_py import build
from hookclaw_py.capture.cleaning import clean_text
from hookclaw_py.consolidate.writing import write
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.tools import asked, graphs
from hookclaw_py.doors.tools.desk import ACTOR, ToolDesk
from hookclaw_py.doors.tools.telling import as_listed, as_whole, type_of
from hookclaw_py.model.kind import SAVED
from hookclaw_py.model.record import Record, RecordAction, RecordChange, RecordStatus

_SOME = 5
_WARNED = 3
"""Memories that lead to one, from which putting it away is worth a warning."""


def fitting(records: Iterable[Record], *, project: str, memory_type: str) -> list[Record]:
    """Return the records of a project and a type; "" is any."""
    return [
        one
        for one in records
        if (not project or project in one.listed("project"))
        and (not memory_type or fnmatchcase(type_of(one), memory_type))
    ]


def recent(desk: ToolDesk, wanted: asked.MemoryRecent) -> dict[str, Any]:
    """List what was saved, newest first."""
    desk.of_caller(wanted.instance_id)
    desk.for_owner("memory_recent")
    there = desk.store.records(kinds=[SAVED], standing=not wanted.include_archived)
    found = fitting(there, project=wanted.project, memory_type=wanted.memory_type)
    shown = found[: wanted.limit]
    told = [as_whole(desk, one) if wanted.verbose else as_listed(one) for one in shown]
    return {"memories": told, "count": len(told), "total_available": len(found)}


def archive(desk: ToolDesk, wanted: asked.MemoryArchive) -> dict[str, Any]:
    """Put memories away, or say which would be."""
    desk.of_caller(wanted.instance_id)
    desk.for_owner("memory_archive")
    foundational, central, going = _parted(desk, _chosen(desk, wanted), wanted)
    details = [{"id": one.id, "subject": one.title, **({"warning": note} if note else {})} for one, note in going]
    kept = {"skipped_foundational": len(foundational), "skipped_central": len(central)}
    if wanted.dry_run:
        note = "nothing was done; dry_run false archives them"
        return {
            "would_archive": len(going),
            **{f"would_{k.replace('skipped', 'skip')}": v for k, v in kept.items()},
            "details": details,
            "note": note,
        }
    why = clean_text(wanted.reason).strip() or "an agent put it away"
    changes = [RecordChange(replace(one, status=RecordStatus.ARCHIVED), RecordAction.ARCHIVED, why) for one, _ in going]
    write(desk.store, changes, zone=build.user_zone(desk.engine.config), at=desk.now, actor=ACTOR)
    desk.engine.consulting.bring_up()
    return {"archived_count": len(going), **kept, "details": details}


def _chosen(desk: ToolDesk, wanted: asked.MemoryArchive) -> list[Record]:
    """Return what a call is about: the memories that it names, or those that its filters leave."""
    filters = (wanted.older_than_days, wanted.max_access_count, wanted.memory_type or None, wanted.project or None)
    if wanted.older_than_days == 0:
        raise WireError(Code.INVALID_PARAMS, "older_than_days must be 1 or more; leave it out for memories of any age")
    if wanted.memory_ids:
        found = [desk.record(one) for one in dict.fromkeys(wanted.memory_ids)]
        if foreign := next((one for one in found if one.kind != SAVED), None):
            raise WireError(
                Code.FORBIDDEN,
                f"memory_ids: {foreign.id} was learned from what was said; the person may retract or forget it",
            )
        return [one for one in found if one.status.stands]
    if all(one is None for one in filters):
        raise WireError(
            Code.INVALID_PARAMS,
            "give memory_ids, older_than_days, max_access_count, memory_type or project: else it would be all",
        )
    there = fitting(
        desk.store.records(kinds=[SAVED], standing=True), project=wanted.project, memory_type=wanted.memory_type
    )
    if wanted.older_than_days is not None:
        there = [one for one in there if desk.now - one.at > timedelta(days=wanted.older_than_days)]
    if wanted.max_access_count is not None:
        used = uses_of(desk, there)
        there = [one for one in there if used[one.id] <= wanted.max_access_count]
    return there


def _parted(
    desk: ToolDesk, chosen: list[Record], wanted: asked.MemoryArchive
) -> tuple[list[Record], list[Record], list[tuple[Record, str]]]:
    """Part what stays, because it is foundational or many lead to it, from what goes, with what is to be said of it."""
    foundational, central, going = list[Record](), list[Record](), list[tuple[Record, str]]()
    for one in chosen:
        degree = graphs.in_degree(desk, one.id, lambda name: stands(desk, name))
        if one.pinned:
            foundational.append(one)
        elif wanted.centrality_protection and degree >= wanted.min_centrality_threshold:
            central.append(one)
        else:
            going.append((one, f"{degree} memories lead to it" if degree >= _WARNED else ""))
    return foundational, central, going


def stands(desk: ToolDesk, memory_id: str) -> bool:
    """Say whether a record is there and told."""
    record = desk.store.record(memory_id)
    return record is not None and record.status.stands


def uses_of(desk: ToolDesk, records: Iterable[Record]) -> dict[str, int]:
    """Return in how many turns the answer used each record."""
    ids = [one.id for one in records]
    known = desk.store.uses(ids)
    return {one: known[one].used if one in known else 0 for one in ids}


def stats(desk: ToolDesk, wanted: asked.MemoryStats) -> dict[str, Any]:
    """Count what was saved."""
    desk.of_caller(wanted.instance_id)
    desk.for_owner("memory_stats")
    every = desk.store.records(kinds=[SAVED])
    active = [one for one in every if one.status.stands]
    used = uses_of(desk, active)
    most = sorted((one for one in active if used[one.id]), key=lambda one: (-used[one.id], one.id))[:_SOME]
    return {
        "total_memories": len(every),
        "active_memories": len(active),
        "archived_memories": len(every) - len(active),
        "foundational_memories": sum(one.pinned for one in active),
        "by_type": dict(Counter(type_of(one) for one in active).most_common()),
        "by_instance": {desk.engine.agent: len(active)},
        "by_project": dict(Counter(str(project) for one in active for project in one.listed("project")).most_common()),
        "most_accessed": [as_listed(one) | {"used": used[one.id]} for one in most],
        "recently_added": [as_listed(one) for one in active[:_SOME]],
    }
