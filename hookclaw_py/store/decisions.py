"""The decision log: every prompt of an agent, silent and skipped ones included, with its story as it was decided then.

Secrets are taken out of the prompt and of all that was read from it; the newest ``KEPT`` decisions stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from hookclaw_py import text
from hookclaw_py.errors import StoreError
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.place import FilePlace
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import (
    Candidate,
    Chunk,
    Effect,
    Entity,
    Fault,
    Injection,
    Outcome,
    Period,
    Prompt,
    Query,
    Step,
)
from hookclaw_py.privacy.redaction import REDACTED, redact
from hookclaw_py.regex import regex

if TYPE_CHECKING:
    from hookclaw_py.store.ports import Decisions
    from hookclaw_py.store.recalled import Chunks

KEPT = 2_000
"""Decisions that stay: some weeks of one person's prompts, in about 8 MB, read whole in a second."""
REJECTED = 20
"""Of what was considered and not injected, the best so many: what lies further down was never near."""
MAX_PROMPT_CHARS = 2_000
"""Of a prompt, the rest is not stored: a pasted log is no question."""
_DIGITS = 5  # of what a step came to: people are shown three
_READ_CHARS = 20_000  # of a prompt that are searched for secrets before it is cut
_WORD = regex(r"[\w-]{6,}")  # what a secret is in a text, at least


class Glance(NamedTuple):
    """A decision in one line. ``shown`` are the ids of the chunks in the block, ``bytes`` its length in UTF-8, ``ms`` the whole time.

    ``relevance`` is the best that was considered, ``faults`` the stages that failed, ``prompt`` the text as it came,
    without secrets and cut.
    """

    id: str
    at: datetime
    session: str
    run: str
    outcome: Outcome
    reason: str
    cached: str
    relevance: float
    ms: float
    bytes: int
    shown: tuple[str, ...]
    faults: tuple[str, ...]
    prompt: str


class Told(NamedTuple):
    """What a store keeps of a decision: ``story`` is how it came about, as JSON."""

    glance: Glance
    story: bytes


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision with its whole story. The chunks of ``injection`` carry no text: that is in the block, and in the store.

    ``beyond`` counts the candidates that were rejected and are not kept; ``fingerprint`` names the configuration.
    """

    glance: Glance
    injection: Injection
    trigger: str
    as_of: bool
    fingerprint: str
    beyond: int
    audience: Audience


class Fresh(NamedTuple):
    """What is to be kept of a decision: ``ms`` is the whole time, ``fingerprint`` names the configuration."""

    prompt: Prompt
    injection: Injection
    ms: float
    as_of: bool
    fingerprint: str


# Reading


def find(store: Decisions, prefix: str) -> Decision:
    """Return the decision whose id begins with ``prefix``.

    Raises:
        StoreError: if there is none, or more than one.
    """
    wanted = prefix.strip().lower()
    found = store.decisions_beginning_with(wanted, most=4) if wanted else []
    if not found:
        raise StoreError(f"no decision {prefix!r} is kept; `hookclaw history` lists those that are")
    if len(found) > 1:
        names = ", ".join(one.glance.id for one in found[:3])
        raise StoreError(f"{prefix!r} could be {names}; give more of the id")
    return _decision(found[0])


def with_texts(injection: Injection, store: Chunks) -> Injection:
    """Return a past decision with the texts of those chunks that are still there: an id stands for a text."""
    pool = (*injection.candidates, *injection.rejected)
    known = store.chunks(c.chunk.id for c in pool if c.chunk.id)

    def told(candidate: Candidate) -> Candidate:
        found = known.get(candidate.chunk.id)
        chunk = replace(candidate.chunk, text=found.text) if found else candidate.chunk
        return Candidate(chunk, candidate.score, candidate.relevance, candidate.history)

    return replace(
        injection,
        candidates=tuple(map(told, injection.candidates)),
        rejected=tuple(map(told, injection.rejected)),
    )


# What is kept

_FORGOTTEN = {
    "id": "", "path": "(forgotten)", "lines": [0, 0], "heading": "", "created_at": None, "relevance": 0.0, "score": 0.0,
    "history": [],
}  # fmt: skip


def without(
    shown: tuple[str, ...], prompt: str, story: bytes, gone: frozenset[str]
) -> tuple[tuple[str, ...], str, bytes] | None:
    """Return ids, prompt and story without these chunks, None when they are not in there.

    Where one was in the block, the block goes, and the prompt that called it up.
    """
    read = orjson.loads(story)
    told = [one for part in ("candidates", "rejected") for one in read[part] if one["id"] in gone]
    if not told and not gone.intersection(shown):
        return None
    for part in ("candidates", "rejected"):
        read[part] = [_FORGOTTEN if one["id"] in gone else one for one in read[part]]
    if gone.intersection(shown):
        prompt, read["block"], read["query"] = "", "", None
    return tuple(i for i in shown if i not in gone), prompt, orjson.dumps(read)


def reworded(prompt: str, story: bytes, rewrite: Callable[[str], str]) -> tuple[str, bytes] | None:
    """Return prompt and story with what ``rewrite`` makes of what was said, None when that changes nothing.

    What was read from a prompt that changes goes.
    """
    read = orjson.loads(story)
    asked = read["query"] or {}
    said = [prompt, asked.get("text", ""), asked.get("context", "")]
    left = [rewrite(one) for one in said]
    if left == said:
        return None
    return left[0], orjson.dumps(read | {"query": None})


def told(waiting: Fresh) -> Told:
    """Return what is kept of a decision, without the secrets of its prompt."""
    prompt, injection, why = waiting.prompt, waiting.injection, waiting.injection.why
    raw = prompt.text[:_READ_CHARS]
    clean = redact(raw)
    secrets = frozenset() if clean == raw else _words(raw) - _words(clean)
    query = injection.query and _kept_query(injection.query, secrets, raw if clean == raw else "")
    everything = (*injection.candidates, *injection.rejected)
    story = {
        "why": [why.kind, redact(why.detail), [redact(remark) for remark in why.remarks]],
        "trigger": prompt.trigger,
        "audience": prompt.audience,
        "as_of": waiting.as_of,
        "fingerprint": waiting.fingerprint,
        "query": query and _query_fields(query),
        "block": redact(injection.text),
        "candidates": [_candidate_fields(c, secrets) for c in injection.candidates],
        "rejected": [_candidate_fields(c, secrets) for c in injection.rejected[:REJECTED]],
        "beyond": max(0, len(injection.rejected) - REJECTED),
        "faults": [[fault.stage, redact(fault.error)] for fault in injection.faults],
        "timings": [[stage, round(ms, 3)] for stage, ms in injection.timings],
    }
    glance = Glance(
        id=injection.id,
        at=prompt.received_at.astimezone(UTC),
        session=_plain(prompt.session_id),
        run=_plain(prompt.run_id),
        outcome=injection.outcome,
        reason=redact(injection.reason),
        cached=injection.cached,
        relevance=max((c.relevance for c in everything), default=0.0),
        ms=waiting.ms,
        bytes=len(injection.text.encode(errors="replace")),
        shown=tuple(c.chunk.id for c in injection.candidates),
        faults=tuple(sorted({fault.stage.replace(" ", "-") for fault in injection.faults})),
        prompt=_plain(clean[:MAX_PROMPT_CHARS]),
    )
    return Told(glance, orjson.dumps(story))


def _plain(written: str) -> str:
    return written.encode(errors="replace").decode()  # neither SQLite nor JSON takes a lone surrogate


def _words(written: str) -> frozenset[str]:
    return frozenset(_WORD.findall(written))


def _covered(note: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        note = note.replace(secret, REDACTED)
    return note


def _kept_query(query: Query, secrets: frozenset[str], harmless: str) -> Query:
    """Return the query without what was read out of a secret, and cut like the prompt; ``harmless`` text has none."""
    written, context = query.text[:_READ_CHARS], query.context and _plain(redact(query.context)[:MAX_PROMPT_CHARS])
    kept = _plain((written if written in harmless else redact(written))[:MAX_PROMPT_CHARS])
    if (kept, context) == (query.text, query.context):
        return query
    left = frozenset(text.terms(kept)).union(text.terms(context))
    return replace(
        query,
        text=kept,
        context=context,
        terms=Terms(term for term in query.terms if term in left),
        entities=tuple(entity for entity in query.entities if entity.text in kept + context),
        read_as=tuple((written, meant) for written, meant in query.read_as if meant in kept),
        period=query.period and replace(query.period, phrase=_plain(_covered(query.period.phrase, secrets))),
    )


def _query_fields(query: Query) -> dict[str, Any]:
    period = query.period
    return {
        "text": query.text,
        "asked_at": query.asked_at.isoformat(),
        "terms": list(query.terms),
        "entities": [list(entity) for entity in query.entities],
        "period": period and [period.start.isoformat(), period.end.isoformat(), period.phrase],
        "context": query.context,
        "read_as": query.read_as,
    }


def _candidate_fields(candidate: Candidate, secrets: frozenset[str]) -> dict[str, Any]:
    chunk = candidate.chunk
    history = candidate.history
    if secrets:
        history = tuple(step._replace(note=_covered(step.note, secrets)) for step in history)
    return {
        "id": chunk.id,
        "path": chunk.place.path,
        "lines": chunk.place.lines,
        "heading": redact(chunk.heading),
        "created_at": chunk.created_at.isoformat() if chunk.created_at else None,
        "memory": chunk.memory,
        "revision": chunk.revision,
        "relevance": candidate.relevance,
        "score": candidate.score,
        "history": [(step.stage, float(f"{step.value:.{_DIGITS}g}"), *step[2:]) for step in history],
    }


def _decision(kept: Told) -> Decision:
    glance, story = kept.glance, orjson.loads(kept.story)
    injection = Injection(
        id=glance.id,
        outcome=glance.outcome,
        why=_why(story.get("why"), glance.reason),
        text=story["block"],
        candidates=tuple(map(_candidate, story["candidates"])),
        rejected=tuple(map(_candidate, story["rejected"])),
        query=story["query"] and _query(story["query"]),
        faults=tuple(Fault(*fault) for fault in story["faults"]),
        timings=tuple((stage, ms) for stage, ms in story["timings"]),
        cached=glance.cached,
    )
    return Decision(
        glance,
        injection,
        story["trigger"],
        story["as_of"],
        story["fingerprint"],
        story["beyond"],
        Audience.named(story.get("audience", Audience.OWNER)),  # until there were audiences, everybody was the owner
    )


def _why(fields: Sequence[Any] | None, sentence: str) -> Why:
    """Return why, of which the first stories have the ``sentence`` alone."""
    return Why(Reason(fields[0]), fields[1], tuple(fields[2])) if fields else Why(Reason.OTHER, sentence)


def _step(fields: Sequence[Any]) -> Step:
    """Return a line of history; those of the first stories say nothing of its effect."""
    stage, value, note, *meant = fields
    return Step(stage, value or 0.0, note, Effect(meant[0]), *meant[1:]) if meant else Step(stage, value or 0.0, note)


def _query(fields: Mapping[str, Any]) -> Query:
    period = fields["period"]
    return Query(
        text=fields["text"],
        asked_at=datetime.fromisoformat(fields["asked_at"]),
        terms=Terms(fields["terms"]),
        entities=tuple(Entity(*entity) for entity in fields["entities"]),
        period=period and Period(datetime.fromisoformat(period[0]), datetime.fromisoformat(period[1]), period[2]),
        context=fields.get("context", ""),
        read_as=tuple((written, meant) for written, meant in fields.get("read_as", ())),
    )


def _candidate(fields: Mapping[str, Any]) -> Candidate:
    chunk = Chunk(
        id=fields["id"],
        text="",
        place=FilePlace(fields["path"], (fields["lines"][0], fields["lines"][1])),
        heading=fields["heading"],
        created_at=datetime.fromisoformat(fields["created_at"]) if fields["created_at"] else None,
        memory=fields.get("memory", ""),  # the first stories were told of chunks alone
        revision=fields.get("revision", 1),
    )
    history = tuple(map(_step, fields["history"]))
    return Candidate(chunk, fields["score"] or 0.0, fields["relevance"] or 0.0, history)
