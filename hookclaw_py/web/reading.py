"""What HTTP routes tell: the same rows and stories as the commands print, from the same functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from math import ceil
from typing import Any

from hookclaw_py.doors import shapes
from hookclaw_py.insight import history, records
from hookclaw_py.insight.engine_checks import examine, versions
from hookclaw_py.insight.explaining import story_of
from hookclaw_py.insight.panel import lines
from hookclaw_py.insight.review import held_back
from hookclaw_py.insight.stats import impact
from hookclaw_py.insight.turns import UNHEARD, TurnStory, turns
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.ids import is_id
from hookclaw_py.model.kind import KINDS, OBSERVATION, SUMMARY, Kind
from hookclaw_py.model.record import RecordStatus
from hookclaw_py.model.types import Candidate, Chunk, Outcome
from hookclaw_py.observe.recording import PromptLog
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.store.decisions import find, with_texts
from hookclaw_py.store.naming import find_memory, find_record
from hookclaw_py.store.values import Waiting
from hookclaw_py.web import asked
from hookclaw_py.web.desk import Desk, NotThere, Unfit, WebReply, there

FOUND = 1000
"""Of a search, what is looked through, and told as its total, at most."""
_STANDING = [status for status in RecordStatus if status.stands]


# Prompts


def prompts(desk: Desk, wanted: asked.ListPrompts) -> dict[str, Any]:
    """Return past prompts, newest first."""
    if wanted.outcome and wanted.outcome not in list(Outcome):
        raise Unfit(f"outcome: {wanted.outcome!r} is none; choose of {', '.join(Outcome)}")
    _flush(desk)
    every = (
        desk.store.decisions(session=wanted.session, outcome=wanted.outcome) if desk.is_about(wanted.project) else []
    )
    page = every[wanted.offset : wanted.offset + wanted.limit]
    ended = turns(desk.store, {glance.id for glance in page})
    told = [history.as_row(glance, None) | {"turn": _turn(ended.get(glance.id))} for glance in page]
    return _page("prompts", told, len(every), wanted.offset)


def prompt(desk: Desk, wanted: asked.ShowPrompt) -> dict[str, Any]:
    """Return the story of a past prompt, as ``hookclaw explain --id`` tells it, and what the answer used."""
    _flush(desk)
    decision = there(lambda: find(desk.store, wanted.id))
    turn = turns(desk.store, {decision.glance.id}).get(decision.glance.id, UNHEARD)
    injection = with_texts(decision.injection, desk.store)
    told = [str(line) for line in history.fate(decision.injection, turn)]
    pool = (*injection.candidates, *injection.rejected)
    marks = desk.store.marks() if pool else {}
    return history.as_object(decision, injection, None) | {
        "turn": _turn(turn),
        "candidates": [_candidate(one, marks, out=False, turn=turn) for one in injection.candidates],
        "rejected": [_candidate(one, marks, out=True, turn=turn) for one in injection.rejected],
        "fate": told,
    }


def explained(desk: Desk, wanted: asked.ExplainPrompt) -> dict[str, Any]:
    """Return what would be injected for a prompt now, and why the rest would not."""
    injection = desk.engine.recall(wanted.prompt, record=False)
    marks = desk.store.marks()
    return {
        "outcome": injection.outcome,
        "reason": injection.reason,
        "text": injection.text,
        "candidates": [_candidate(one, marks, out=False) for one in injection.candidates],
        "rejected": [_candidate(one, marks, out=True) for one in injection.rejected[: shapes.MOST_MEMORIES]],
    }


def _flush(desk: Desk) -> None:
    if desk.engine.history is not None:
        desk.engine.history.flush(1.0)


def _turn(turn: TurnStory | None) -> dict[str, Any] | None:
    if turn is None:
        return None
    return {name: getattr(turn, name) for name in ("ended", "seen", "success", "kinds", "verdicts", "known", "used")}


def _candidate(one: Candidate, marks: Any, *, out: bool, turn: TurnStory = UNHEARD) -> dict[str, Any]:
    """Return a candidate as ``explain`` shows it: where it stood by each half of the search, and why it stays out."""
    verdict, story = story_of(one, out=out)
    steps = {step.stage: step for step in one.history}
    return _chunk(one.chunk) | {
        "relevance": round(one.relevance, 4),
        "score": round(one.score, 4),
        "superseded": one.supersession,
        "ranks": {stage: steps[stage].rank for stage in ("bm25", "vector", "late") if stage in steps},
        "verdict": verdict,
        "story": story,
        "used": history.said_of(turn, one.chunk.memory),
        "mark": marks.get(one.chunk.memory, ""),
    }


def _chunk(chunk: Chunk) -> dict[str, Any]:
    return {
        "id": chunk.id,
        "memory": chunk.memory,
        "path": chunk.place.path,
        "lines": list(chunk.place.lines),
        "heading": redact(chunk.heading),
        "kind": chunk.kind.name,
        "createdAt": chunk.created_at,
        "text": redact(chunk.text),
        "revision": chunk.revision,
    }


# What was learned


def record_list(desk: Desk, wanted: asked.ListRecords) -> dict[str, Any]:
    """Return records, newest first, a page of them."""
    known = list(RecordStatus)
    if wrong := [name for name in wanted.statuses if name not in known]:
        raise Unfit(f"statuses: {wrong[0]!r} is none; choose of {', '.join(known)}")
    if not desk.is_about(wanted.project):
        return _page("records", [], 0, wanted.offset)
    statuses = [RecordStatus(name) for name in wanted.statuses] or _STANDING
    kinds = [KINDS[name] for name in wanted.kinds]
    found = desk.store.records(
        kinds=kinds, session=wanted.session, statuses=statuses, newest=wanted.limit, skip=wanted.offset
    )
    counts = desk.store.record_counts(session=wanted.session)
    names = {kind.name for kind in kinds}
    total = sum(n for (kind, status), n in counts.items() if status in statuses and (not names or kind in names))
    return _page("records", [records.as_row(one, now=desk.now) for one in found], total, wanted.offset)


def _of_kind(desk: Desk, wanted: asked.ListOfAKind, kind: Kind, name: str) -> dict[str, Any]:
    of = asked.ListRecords(project=wanted.project, kinds=[kind.name], limit=wanted.limit, offset=wanted.offset)
    found = record_list(desk, of)
    found[name] = found.pop("records")
    return found


def observations(desk: Desk, wanted: asked.ListOfAKind) -> dict[str, Any]:
    """Return what was observed, newest first."""
    return _of_kind(desk, wanted, OBSERVATION, "observations")


def summaries(desk: Desk, wanted: asked.ListOfAKind) -> dict[str, Any]:
    """Return the summaries of sessions, newest first."""
    return _of_kind(desk, wanted, SUMMARY, "summaries")


def record(desk: Desk, wanted: asked.ShowRecord) -> dict[str, Any]:
    """Return a record's story."""
    found = there(lambda: find_record(desk.store, wanted.id))
    told = records.as_story(records.story_of(desk.store, found), now=desk.now)
    return told | {"mark": desk.store.marks().get(found.id, "")}


def some_records(desk: Desk, wanted: asked.ShowRecords) -> list[dict[str, Any]]:
    """Return several records, by day."""
    orders = ("date_desc", "date_asc")
    if wanted.order_by not in orders:
        raise Unfit(f"orderBy must be one of {', '.join(orders)}, not {wanted.order_by!r}")
    found = [record for name in dict.fromkeys(wanted.ids) if (record := desk.store.record(_whole(name)))]
    found.sort(key=lambda one: (one.at, one.id), reverse=wanted.order_by == "date_desc")
    return [records.as_row(one, now=desk.now) for one in found[: wanted.limit]]


def _whole(name: str) -> str:
    if not is_id(name):
        raise Unfit(f"ids must be an array of ids of 16 hexadecimal digits, not {name[:40]!r}")
    return name


def memory(desk: Desk, wanted: asked.ShowMemory) -> dict[str, Any]:
    """Return a memory of any kind, with its wordings."""
    name = there(lambda: find_memory(desk.store, wanted.id))
    found = desk.store.memory(name)
    if found is None:
        raise NotThere(f"there is no memory {wanted.id!r}; GET /api/search finds some")
    head = desk.store.heads([name]).get(name)
    return {
        "id": name,
        "chunk": _chunk(head) if head else None,
        "revisions": desk.store.revisions(name),
        "mark": desk.store.marks().get(name, ""),
        "isRecord": desk.store.record(name) is not None,
    }


def timeline(desk: Desk, wanted: asked.ShowTimeline) -> dict[str, Any]:
    """Return what was learned around a record, oldest first."""
    if bool(wanted.anchor) == bool(wanted.query):
        raise Unfit("give either anchor or query")
    named = wanted.anchor
    if wanted.query:
        kinds = [name for name, kind in KINDS.items() if not kind.searched]
        hits = desk.engine.search(wanted.query, limit=1, kinds=kinds)
        if not hits:
            raise NotThere(f"nothing that was learned is like {wanted.query!r}")
        named = hits[0].chunk.memory
    anchor = there(lambda: find_record(desk.store, named))
    every = desk.store.records(standing=True)
    around = records.around(every, anchor, before=wanted.before, after=wanted.after)
    return {"anchor": anchor.id, "observations": [records.as_row(one, now=desk.now) for one in around]}


def briefing(desk: Desk, wanted: asked.ShowBriefing) -> WebReply:
    """Return what a session is told when it begins, as text."""
    found = desk.engine.brief(wanted.session) if desk.is_about(wanted.project) else None
    text = found.text if found else ""
    return WebReply(
        text,
        headers={
            "content-type": "text/markdown; charset=utf-8",
            "x-token-estimate": str(ceil(len(text) / records.TOKEN_CHARS)),
            "x-observation-count": str(len(found.told) if found else 0),
        },
    )


# Searching


def search(desk: Desk, wanted: asked.FindPassages) -> dict[str, Any]:
    """Return the passages nearest to the query, in the order in which the engine ranks them."""
    if not desk.is_about(wanted.project):
        return _page("results", [], 0, wanted.offset)
    first, last = _day(wanted.date_start, "dateStart"), _day(wanted.date_end, "dateEnd")
    found = desk.engine.search(wanted.query, limit=FOUND, kinds=wanted.kinds)  # whichever page: one order, one total
    fitting = [one for one in found if _is_within(one.chunk.created_at, first, last)]
    marks = desk.store.marks()
    page = fitting[wanted.offset : wanted.offset + wanted.limit]
    told = [
        _candidate(one, marks, out=False) | {"tokens": ceil(len(one.chunk.text) / records.TOKEN_CHARS)} for one in page
    ]
    return _page("results", told, len(fitting), wanted.offset)


def _day(written: str, name: str) -> str:
    try:
        return datetime.fromisoformat(written).date().isoformat() if written else ""
    except ValueError:
        raise Unfit(f"{name} must be a day as 2026-02-20, not {written[:40]!r}") from None


def _is_within(at: datetime | None, first: str, last: str) -> bool:
    day = at.date().isoformat() if at else ""
    return not (first or last) or (bool(day) and first <= day <= (last or "9999"))


# Numbers


def stats(desk: Desk, wanted: asked.ShowStats) -> dict[str, Any]:
    """Return how much there is, and the panel of ``hookclaw stats``."""
    labels = PromptLog(desk.folder).labels()
    found = impact(desk.store, labels, agent=desk.agent, config=desk.config, days=wanted.days, now=desk.now)
    counts = desk.store.record_counts()
    mine = {
        "observations": _standing_of(counts, OBSERVATION),
        "summaries": _standing_of(counts, SUMMARY),
        "prompts": found.prompts,
    }
    by_kind: Counter[str] = Counter()
    for (kind, standing), number in counts.items():
        by_kind[kind] += number if standing in _STANDING else 0
    status = desk.engine.status()
    return {
        "byProject": {_project(desk): mine},
        "total": sum(mine.values()),
        "byKind": {kind: number for kind, number in by_kind.items() if number},
        "passages": status.chunks,
        "files": status.files,
        "figures": list(lines(found)),
        "impact": found,
    }


def _standing_of(counts: Any, kind: Kind) -> int:
    return sum(number for (name, status), number in counts.items() if name == kind.name and status in _STANDING)


def _project(desk: Desk) -> str:
    return desk.engine.workspace or desk.agent


def projects(desk: Desk, _: asked.ShowProjects) -> dict[str, Any]:
    """Return the folders that this memory is of."""
    return {"projects": list(desk.engine.folders) or [desk.agent]}


def session(desk: Desk, wanted: asked.ShowSession) -> dict[str, Any]:
    """Return what is known of a session."""
    happened = desk.store.happenings(wanted.session)
    if not happened:
        raise NotThere(f"nothing is known of session {wanted.session!r}; GET /api/prompts names some")
    kinds = Counter(str(one.kind) for one in happened)
    learned = desk.store.record_counts(session=wanted.session)
    ended = happened[-1].kind is HappeningKind.SESSION_END
    return {
        "session_id": wanted.session,
        "status": "completed" if ended else "active",
        "first_at": happened[0].at,
        "last_at": happened[-1].at,
        "prompt_count": kinds[HappeningKind.PROMPT],
        "answer_count": kinds[HappeningKind.ANSWER],
        "tool_call_count": kinds[HappeningKind.TOOL_CALL],
        "observation_count": sum(n for (kind, _), n in learned.items() if kind == OBSERVATION.name),
        "record_count": sum(learned.values()),
    }


def queue(desk: Desk, _: asked.ShowQueue) -> dict[str, Any]:
    """Return how much waits."""
    return waiting_fields(desk.engine.capturing.waiting())


def waiting_fields(waiting: Waiting) -> dict[str, Any]:
    """Return a queue's numbers, and its newest errors."""
    told = {
        name: getattr(waiting, name) for name in ("pending", "processing", "failed", "stuck", "captured", "sessions")
    }
    return told | {"last": waiting.last, "recent": [{"id": name, "error": error} for name, error in waiting.errors]}


def checks(desk: Desk, _: asked.ShowChecks) -> dict[str, Any]:
    """Return what the doctor says of this memory."""
    found = [versions(), *examine(desk.config, desk.agent)]
    return {"checks": [{"name": c.name, "verdict": c.verdict, "finding": c.finding, "remedy": c.remedy} for c in found]}


def marks(desk: Desk, _: asked.ShowMarks) -> dict[str, Any]:
    """Return what a person pinned and blocked, and how many memories were forgotten."""
    said = desk.store.marks()
    heads = desk.store.heads(said)
    told = [
        {"id": name, "mark": mark, "chunk": _chunk(heads[name]) if name in heads else None}
        for name, mark in sorted(said.items(), key=lambda item: (item[1] != "pin", item[0]))
    ]
    return {"marks": told, "forgotten": len(desk.store.forgotten_at())}


def review(desk: Desk, _: asked.ShowReview) -> dict[str, Any]:
    """Return what is held back."""
    return {"held": held_back(desk.store)}


def _page(name: str, told: Sequence[Any], total: int, offset: int) -> dict[str, Any]:
    return {name: told, "total": total, "hasMore": offset + len(told) < total}
