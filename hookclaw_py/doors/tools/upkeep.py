"""memory_audit and memory_reembed: what is wrong with what was saved, and its vectors made anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.tools import asked, graphs
from hookclaw_py.doors.tools.desk import ToolDesk
from hookclaw_py.doors.tools.keeping import fitting, stands, uses_of
from hookclaw_py.doors.tools.linking import AUTO
from hookclaw_py.model.kind import SAVED
from hookclaw_py.model.record import Link, Record, Relation
from hookclaw_py.store.content import embedded

ALIKE, STALE_DAYS, STALE_USES, STALE_LINKS = "duplicate_similarity", "stale_days", "stale_access", "stale_in_degree"
THRESHOLDS: Mapping[str, float] = {ALIKE: 0.92, STALE_DAYS: 90, STALE_USES: 2, STALE_LINKS: 3}
_SECONDS = 0.005  # that a text takes to be embedded, about

Finding = dict[str, Any]


def audit(desk: ToolDesk, wanted: asked.MemoryAudit) -> dict[str, Any]:
    """Look for what is wrong, a list for each check."""
    desk.of_caller(wanted.instance_id)
    desk.for_owner("memory_audit")
    given = dict(wanted.thresholds or {})
    if unknown := sorted(given.keys() - THRESHOLDS.keys()):
        raise WireError(Code.INVALID_PARAMS, f"thresholds: {unknown[0]!r} is none; there are {', '.join(THRESHOLDS)}")
    limits = {**THRESHOLDS, **given}
    there = fitting(desk.store.records(kinds=[SAVED], standing=True), project=wanted.project, memory_type="")
    links = desk.store.record_links([one.id for one in there])
    found: dict[str, Any] = {}
    totals: dict[str, int] = {}
    for name in wanted.checks or CHECKS:
        every = list(CHECKS[name](desk, there, links, limits))
        found[name], totals[f"{name}_found"] = every[: wanted.limit_per_category], len(every)
    return found | {"summary": totals | {"total_issues": sum(totals.values())}}


def _duplicates(
    desk: ToolDesk, there: Sequence[Record], _: Sequence[Link], limits: Mapping[str, float]
) -> Iterator[Finding]:
    chunks = desk.store.heads([one.id for one in there])
    by_chunk = {chunk.id: memory for memory, chunk in chunks.items()}
    seen: set[frozenset[str]] = set()
    for memory, chunk in chunks.items():
        for hit in desk.engine.consulting.alike(embedded(chunk.heading, chunk.text), kinds=[SAVED.name], limit=10):
            other = by_chunk.get(hit.chunk_id, memory)
            pair = frozenset((memory, other))
            if other != memory and hit.score >= limits[ALIKE] and pair not in seen:
                seen.add(pair)
                yield {"ids": sorted(pair), "similarity": round(hit.score, 3)}


def _stale(
    desk: ToolDesk, there: Sequence[Record], _: Sequence[Link], limits: Mapping[str, float]
) -> Iterator[Finding]:
    used = uses_of(desk, there)
    for one in there:
        age = desk.now - one.at
        if one.pinned or age < timedelta(days=limits[STALE_DAYS]) or used[one.id] > limits[STALE_USES]:
            continue
        if graphs.in_degree(desk, one.id, lambda name: stands(desk, name)) < limits[STALE_LINKS]:
            yield {"id": one.id, "subject": one.title, "days": age.days, "used": used[one.id]}


def _orphans(desk: ToolDesk, _: Sequence[Record], links: Sequence[Link], __: Mapping[str, float]) -> Iterator[Finding]:
    ends = {end: desk.store.record(end) is not None for link in links for end in (link.source, link.target)}
    for link in links:
        if not (ends[link.source] and ends[link.target]):
            yield {"source": link.source, "relation": str(link.relation), "target": link.target}


def _unembedded(
    desk: ToolDesk, there: Sequence[Record], _: Sequence[Link], __: Mapping[str, float]
) -> Iterator[Finding]:
    chunks = {chunk.id: memory for memory, chunk in desk.store.heads([one.id for one in there]).items()}
    for chunk_id in desk.engine.consulting.without_vector(list(chunks)):
        yield {"id": chunks[chunk_id]}


def _contradictions(
    desk: ToolDesk, _: Sequence[Record], links: Sequence[Link], __: Mapping[str, float]
) -> Iterator[Finding]:
    pairs = {
        frozenset((link.source, link.target))
        for link in links
        if link.relation in (Relation.CONTRADICTS, Relation.CONTESTED_BY)
        and stands(desk, link.source)
        and stands(desk, link.target)
    }
    yield from ({"ids": sorted(pair)} for pair in sorted(pairs, key=sorted))


def _unlinked(
    _: ToolDesk, there: Sequence[Record], links: Sequence[Link], __: Mapping[str, float]
) -> Iterator[Finding]:
    linked = {end for link in links for end in (link.source, link.target)}
    yield from ({"id": one.id, "subject": one.title} for one in there if one.id not in linked)


def _across(desk: ToolDesk, _: Sequence[Record], links: Sequence[Link], __: Mapping[str, float]) -> Iterator[Finding]:
    for link in links:
        ends = [desk.store.record(end) for end in (link.source, link.target)]
        projects = [set(one.listed("project")) for one in ends if one is not None]
        if link.by == AUTO and len(projects) == 2 and not projects[0] & projects[1]:
            yield {"source": link.source, "target": link.target}


CHECKS: Mapping[str, Callable[[ToolDesk, Sequence[Record], Sequence[Link], Mapping[str, float]], Iterator[Finding]]] = {
    "duplicates": _duplicates,
    "stale": _stale,
    "orphan_edges": _orphans,
    "missing_embeddings": _unembedded,
    "contradictions": _contradictions,
    "unlinked": _unlinked,
    "cross_project_auto_links": _across,
}


def reembed(desk: ToolDesk, wanted: asked.MemoryReembed) -> dict[str, Any]:
    """Make vectors anew, or say of what."""
    desk.of_caller(wanted.instance_id)
    desk.for_owner("memory_reembed")
    chosen = _chosen(desk, wanted)
    chunks = {memory: chunk.id for memory, chunk in desk.store.heads([one.id for one in chosen]).items()}
    missing = set(desk.engine.consulting.without_vector(list(chunks.values())))
    wrong = {memory: chunk for memory, chunk in chunks.items() if not wanted.missing_only or chunk in missing}
    if wanted.dry_run:
        told = [{"id": one.id, "subject": one.title} for one in chosen if one.id in wrong]
        seconds = round(_SECONDS * len(wrong), 1)
        return {"would_reembed": len(wrong), "estimated_time_seconds": seconds, "memories": told}
    for first in range(0, len(wrong), wanted.batch_size):
        batch = list(wrong.values())[first : first + wanted.batch_size]
        desk.engine.consulting.drop_vectors(batch)
        desk.engine.consulting.bring_up()
    failed = len(desk.engine.consulting.without_vector(list(wrong.values())))
    return {"reembedded": len(wrong) - failed, "failed": failed, "total": len(wrong)}


def _chosen(desk: ToolDesk, wanted: asked.MemoryReembed) -> list[Record]:
    if wanted.memory_ids:
        return [desk.record(one) for one in dict.fromkeys(wanted.memory_ids)]
    if not (wanted.all_memories or wanted.missing_only or wanted.project or wanted.older_than_days):
        raise WireError(
            Code.INVALID_PARAMS,
            "give memory_ids, project, older_than_days, missing_only or all_memories; say which memories",
        )
    there = fitting(desk.store.records(kinds=[SAVED], standing=True), project=wanted.project, memory_type="")
    oldest = timedelta(days=wanted.older_than_days or 0)
    return [one for one in there if desk.now - one.at >= oldest]
