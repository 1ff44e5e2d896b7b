"""What goes back over the wire: a decision about a prompt, and everything that led to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hookclaw_py.messages.wording import words_of
from hookclaw_py.model.message import Received
from hookclaw_py.model.types import Candidate, Injection
from hookclaw_py.privacy.plain import plain
from hookclaw_py.privacy.redaction import redact

if TYPE_CHECKING:
    from hookclaw_py.capture.recorder import Receipt
    from hookclaw_py.engine import Engine


def decision(injection: Injection, ms: float, *, before: Sequence[str] = ()) -> dict[str, Any]:
    """Return the result of ``before_agent_start``; ``prependContext`` is there only when there are memories, or what goes ``before``."""
    told = "\n".join(filter(None, [*before, injection.text]))
    block = {"prependContext": told} if told else {}
    return block | {
        "outcome": injection.outcome.value,
        "reason": injection.reason,
        "injectionId": injection.id,
        "faults": [fault._asdict() for fault in injection.faults],
        "ms": round(ms, 1),
    }


def explanation(injection: Injection) -> dict[str, Any]:
    """Return everything about a decision: what was asked, what was considered, and what became of each.

    Secrets are in it only where the block itself tells them.
    """
    query = injection.query
    asked: dict[str, Any] | None = None
    if query is not None:
        asked = {
            "text": query.text,
            "askedAt": query.asked_at.isoformat(),
            "terms": list(query.terms),
            "entities": [entity._asdict() for entity in query.entities],
            "period": query.period
            and {
                "start": query.period.start.isoformat(),
                "end": query.period.end.isoformat(),
                "phrase": query.period.phrase,
            },
            "context": query.context,
            "readAs": dict(query.read_as),
        }
    return {
        "injectionId": injection.id,
        "outcome": injection.outcome.value,
        "reason": injection.reason,
        "text": injection.text,
        "candidates": [candidate_fields(candidate) for candidate in injection.candidates],
        "lines": [candidate_fields(line) for line in injection.lines],
        "rejected": [candidate_fields(candidate) for candidate in injection.rejected],
        "query": asked,
        "faults": [fault._asdict() for fault in injection.faults],
        "timings": dict(injection.timings),
        "cached": injection.cached,
    }


def candidate_fields(candidate: Candidate) -> dict[str, Any]:
    """Return a candidate with its history."""
    chunk = candidate.chunk
    return {
        "id": chunk.id,
        "path": chunk.place.path,
        "lines": list(chunk.place.lines),
        "heading": redact(chunk.heading),
        "createdAt": chunk.created_at.isoformat() if chunk.created_at else None,
        "text": redact(chunk.text),
        "score": candidate.score,
        "relevance": candidate.relevance,
        "superseded": candidate.supersession,
        "history": [step._asdict() for step in candidate.history],
    }


def receipt(found: Receipt) -> dict[str, Any]:
    """Return what became of a report of what happened."""
    told: dict[str, Any] = {"queued": found.queued}
    if found.id:
        told["queueId"] = found.id
    if found.duplicate:
        told["duplicate"] = True
    if found.skipped is not None:
        told["skippedReason"] = str(found.skipped)
    return told


def unreadable(why: str) -> dict[str, Any]:
    """Return what became of a report that could not be read."""
    return {"queued": False, "skippedReason": "unreadable", "message": why}


def message_fields(received: Received) -> dict[str, Any]:
    """Return a message as its receiver reads it, with whose words it is."""
    message = received.message
    return {
        "id": message.id,
        "from": message.sender,
        "to": message.to or received.receiver,
        "type": str(message.type),
        "subject": plain(message.subject),
        "content": plain(message.content),
        "channel": message.channel,
        "priority": message.priority,
        "at": message.at.isoformat(),
        "read": received.read,
        "expires_at": message.expires_at and message.expires_at.isoformat(),
        "words": words_of(message),
    }


def metrics(engine: Engine, messages: Mapping[str, int] = {}) -> dict[str, Any]:
    """Return what ``hookclaw metrics --json`` tells of a living engine: its last second is in it, and as ``thisProcess`` what it did since its start.

    ``messages`` is what was counted of its agent's messages.

    Raises:
        StoreError: if the store cannot be read.
    """
    from hookclaw_py.observe.counting import of_messages
    from hookclaw_py.observe.metrics_document import document

    totals = engine.metrics.totals() | of_messages(messages)
    told = document(engine.agent, engine.store, totals, now=datetime.now(UTC), circuit=engine.circuit)
    return told | {"thisProcess": engine.metrics.snapshot()}
