"""memory_recall and memory_get: what an agent asks for on purpose."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

from hookclaw_py import text
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.tools import asked, graphs
from hookclaw_py.doors.tools.desk import ToolDesk
from hookclaw_py.doors.tools.graphs import Neighbourhood
from hookclaw_py.doors.tools.telling import HEADLINE, as_note, as_whole, headline, hidden, superseded, type_of
from hookclaw_py.model.audience import POLICIES
from hookclaw_py.model.kind import SAVED
from hookclaw_py.model.record import Record
from hookclaw_py.model.types import Candidate, Outcome


def recall(desk: ToolDesk, wanted: asked.MemoryRecall) -> dict[str, Any]:
    """Return what answers, best first, by the one ranking."""
    desk.of_caller(wanted.instance_id)
    narrowed = _narrowed(desk, wanted)
    found = desk.engine.consulting.recall(
        desk.prompt(wanted.query),
        kinds=[SAVED.name] if narrowed else [],
        limit=wanted.limit,
        wanted=narrowed,
    )
    told = [as_note(one.chunk, one) | _saved(desk, one) for one in found.candidates]
    more = _beside(desk, wanted, {one["id"] for one in told})
    told += [as_whole(desk, one) for one in more]
    ids = [one["id"] for one in told]
    if wanted.synthesize:
        lines = [*(_headline(desk, one) for one in found.candidates), *map(headline, more)]
        return {"summary": "\n".join(lines), "count": len(told), "search_method": "ranking", "memory_ids": ids}
    if wanted.detail_level == "summary":
        told = [_shortened(one) for one in told]
    reason = {} if told or found.outcome is Outcome.INJECTED else {"reason": found.reason}
    around = Neighbourhood(wanted.graph_depth if wanted.include_graph else 0, wanted.graph_mode)
    linked = graphs.context(desk, ids[: wanted.graph_top_n], around)
    return {"memories": told, "count": len(told), "search_method": "ranking", **linked, **reason}


def _beside(desk: ToolDesk, wanted: asked.MemoryRecall, known: set[str]) -> list[Record]:
    """Return what was asked for beside what answers: archived ones that hold every word, and foundational ones up to a number."""
    if not (wanted.include_archived or wanted.min_foundational) or not POLICIES[desk.audience].hears_everything:
        return []
    if desk.engine.switches.paused(desk.now):
        return []
    every = [one for one in desk.store.records(kinds=[SAVED]) if one.id not in known and _fits(wanted, one)]
    words = text.terms(wanted.query).distinct
    old = [one for one in every if not one.status.stands and words <= text.terms(f"{one.title}\n{one.body}").distinct]
    pinned = [one for one in every if one.pinned and one.status.stands]
    there = sum(1 for one in known if (record := desk.store.record(one)) and record.pinned)
    least = pinned[: max(0, wanted.min_foundational - there)]
    return [*least, *(old if wanted.include_archived else [])][: max(0, wanted.limit - len(known))]


def _shortened(told: dict[str, Any]) -> dict[str, Any]:
    kept = ("id", "path", "subject", "memory_type", "relevance", "superseded", "text", "content")
    short = {name: told[name] for name in kept if name in told}
    return {name: value[:HEADLINE] if name in ("text", "content") else value for name, value in short.items()}


def _narrowed(desk: ToolDesk, wanted: asked.MemoryRecall) -> Callable[[Candidate], bool] | None:
    """Return what picks what was asked for of what was saved; None where nothing narrows it."""
    if not (wanted.project or wanted.memory_type or wanted.subject):
        return None

    def picked(candidate: Candidate) -> bool:
        record = desk.store.record(candidate.chunk.memory)
        return record is not None and _fits(wanted, record)

    return picked


def _fits(wanted: asked.MemoryRecall, record: Record) -> bool:
    return (
        (not wanted.project or wanted.project in record.listed("project"))
        and (not wanted.memory_type or fnmatchcase(type_of(record), wanted.memory_type))
        and wanted.subject.casefold() in record.title.casefold()
    )


def _saved(desk: ToolDesk, candidate: Candidate) -> dict[str, Any]:
    """Return what is known of a memory that was saved beside its words; it goes by the id of its record."""
    record = desk.store.record(candidate.chunk.memory)
    if record is None:
        return {}
    told = {"id": record.id, "memory_type": type_of(record), "subject": record.title, "foundational": record.pinned}
    return told | {"project": list(record.listed("project"))}


def _headline(desk: ToolDesk, candidate: Candidate) -> str:
    record = desk.store.record(candidate.chunk.memory)
    if record is not None:
        return headline(record)
    note = as_note(candidate.chunk)
    return f"- [{candidate.chunk.kind.name}{superseded(candidate)}] ({note['heading']}): {' '.join(note['text'].split())[:100]}"


def get(desk: ToolDesk, wanted: asked.MemoryGet) -> dict[str, Any]:
    """Return memories by their ids, or a file of notes."""
    desk.of_caller(wanted.instance_id)
    desk.for_owner("memory_get")
    if bool(wanted.memory_ids) == bool(wanted.path):
        raise WireError(Code.INVALID_PARAMS, "give either memory_ids or path")
    if wanted.path:
        return _file(desk, wanted.path)
    known = {one: told for one in dict.fromkeys(wanted.memory_ids) if (told := _told(desk, one)) is not None}
    missing = [one for one in dict.fromkeys(wanted.memory_ids) if one not in known]
    if not known:
        raise WireError(
            Code.NOT_FOUND,
            f"Memory {', '.join(missing)[:200]} not found; ids come from memory_recall and memory_recent",
        )
    around = Neighbourhood(
        wanted.graph_depth, wanted.graph_mode, wanted.direction, wanted.relation_types, wanted.min_strength
    )
    linked = graphs.context(desk, list(known), around) if wanted.include_graph else {}
    if wanted.traverse:
        _, near = graphs.reached(desk, list(known), around._replace(depth=wanted.max_depth))
        linked["traversed"] = [as_whole(desk, one) for name, one in near.items() if name not in known]
    memories = list(known.values())
    if wanted.synthesize:
        lines = [headline(record) for one in known if (record := desk.store.record(one))]
        return {"summary": "\n".join(lines), "count": len(memories), "memory_ids": list(known), **linked}
    if wanted.detail_level == "summary":
        memories = [_shortened(one) for one in memories]
    if len(wanted.memory_ids) == 1:
        return {"memory": memories[0], **linked}
    return {"memories": memories, "count": len(memories), "not_found": missing, **linked}


def _file(desk: ToolDesk, path: str) -> dict[str, Any]:
    chunks = desk.store.chunks_of(path)
    if not chunks:
        raise WireError(Code.NOT_FOUND, f"there is no note {path[:200]!r}; paths come from memory_recall")
    told = chunks if desk.engine.config.secrets == "owner" else [hidden(chunk) for chunk in chunks]
    return {"memories": [as_note(chunk) for chunk in told], "count": len(told), "not_found": []}


def _told(desk: ToolDesk, name: str) -> dict[str, Any] | None:
    """Return what stands under an id: a record, or a passage."""
    try:
        return as_whole(desk, desk.record(name))
    except WireError:
        chunk = desk.store.chunks([name]).get(name) if len(name) == 16 else None
    if chunk is None or desk.store.record(chunk.memory) is not None:
        return None
    return as_note(chunk if desk.engine.config.secrets == "owner" else hidden(chunk))
