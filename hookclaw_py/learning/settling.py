"""Settling: a turn that ends is learned from: which memories were shown before the answer, and what it did with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from hookclaw_py import text
from hookclaw_py.learning import attribution
from hookclaw_py.learning.attribution import Attribution
from hookclaw_py.model.types import Chunk, Injection, Outcome, Prompt
from hookclaw_py.search.ports import LexicalIndex
from hookclaw_py.store.events import EndedTurn, Showing
from hookclaw_py.store.ports import EVENT_BUSY_SECONDS, AgentStore
from hookclaw_py.trace import Deadline

REPLY_WITHIN = timedelta(hours=1)
"""A message that comes later is about something else: some hosts keep one conversation for weeks."""


def remember(
    store: AgentStore,
    prompt: Prompt,
    injection: Injection,
    deadline: Deadline | None = None,
    *,
    busy_seconds: float = EVENT_BUSY_SECONDS,
) -> None:
    """Write down what was shown, a remembered answer too; nothing when nothing was, or nobody could tell the turn's end.

    Raises:
        StoreError: if another writer is still at work at the ``deadline``, or after ``busy_seconds``.
    """
    if injection.outcome is not Outcome.INJECTED or not prompt.session_id:
        return
    query = injection.query
    store.record_injection(
        at=prompt.received_at,
        session_id=prompt.session_id,
        run_id=prompt.run_id,
        injection_id=injection.id,
        prompt="" if prompt.off_record else query.text if query else prompt.text,
        shown=[Showing(c.chunk.memory, c.chunk.kind.name, c.relevance, c.score) for c in injection.candidates],
        busy_seconds=_patience(deadline, busy_seconds),
    )


def _patience(deadline: Deadline | None, most: float = EVENT_BUSY_SECONDS) -> float:
    return most if deadline is None else min(most, deadline.remaining())


def heed(
    store: AgentStore, prompt: Prompt, deadline: Deadline | None = None, *, unwrap: Callable[[str], str]
) -> list[str]:
    """Let a prompt that calls the answer before it wrong ("no, that's outdated") count against what that was made from.

    ``unwrap`` takes off what the host wrapped around it. Return those memories.

    Raises:
        StoreError: if another writer is still at work at the ``deadline``, or after ``EVENT_BUSY_SECONDS``.
    """

    def objected(turn: EndedTurn) -> frozenset[str]:
        if prompt.received_at - turn.at > REPLY_WITHIN:
            return frozenset()
        heads = store.heads(turn.kinds)
        kinds = {chunk.id: Attribution(turn.kinds[memory]) for memory, chunk in heads.items()}
        objected = attribution.objected(list(heads.values()), kinds, unwrap(prompt.text), terms=text.terms)
        return frozenset(memory for memory, chunk in heads.items() if chunk.id in objected)

    if prompt.session_id and prompt.trigger == "user":
        patience = _patience(deadline)
        return store.object_to(prompt.session_id, at=prompt.received_at, judge=objected, busy_seconds=patience)
    return []


def settle(
    store: AgentStore,
    lexical: LexicalIndex | None,
    session_id: str,
    answer: str,
    *,
    at: datetime,
    run_id: str = "",
    success: bool = True,
    error: str = "",
    duration_ms: float = 0.0,
) -> Mapping[str, Attribution]:
    """Say what the answer did with the chunks shown before it, by id, and remember it of their memories.

    Return {} when that was done already.
    """
    shown = store.unsettled(session_id, run_id=run_id)
    if shown is None:
        return {}
    kinds: Mapping[str, Attribution] = {}
    chunks: list[Chunk] = []
    if success:
        chunks = list(store.heads(shown.memories).values())

        def idf(terms: Sequence[str]) -> Mapping[str, float]:
            return lexical.idf(terms) if lexical is not None else dict.fromkeys(terms, 1.0)

        kinds = attribution.attribute(chunks, answer, shown.prompt, terms=text.terms, idf=idf)
    done = store.settle(
        at=at,
        session_id=session_id,
        injection_id=shown.injection_id,
        kinds={chunk.memory: kinds[chunk.id] for chunk in chunks},
        run_id=run_id,
        success=success,
        error=error,
        duration_ms=duration_ms,
    )
    return kinds if done else {}
