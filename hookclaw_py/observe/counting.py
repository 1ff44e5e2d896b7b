"""Counters: what is counted, and what one decision adds to it. Every label comes from a closed set, never from a text.

A *family* is a counter or a histogram; each of its series is named by the values of its labels. Amounts are in base
units: seconds, bytes, and ratios in [0, 1]. Tokens are an estimate: UTF-8 bytes / 4.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from cachetools import LRUCache

from hookclaw_py.model.kind import KINDS
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Candidate, Effect, Injection, Outcome, Prompt, Step
from hookclaw_py.regex import regex
from hookclaw_py.speech.errands import NAMES
from hookclaw_py.store.values import Key

Tally = tuple[Key, float]

TOKEN_BYTES = 4
"""Bytes of UTF-8 that make a token, about: the estimate behind every count of tokens."""
FOUND_WITHIN = 10
"""A retriever *found* a chunk when it is among its best so many: of a small store the vector half ranks everything."""
OTHER = "other"
SUM = "_sum"

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_STAGE_SECONDS = (0.00001, 0.00005, 0.0001, 0.00025, *_SECONDS)
_RATIOS = tuple(n / 20 for n in range(1, 21))
_RANKS = (1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)


class Family(NamedTuple):
    """One thing that is counted; a histogram has ``buckets``, their upper bounds."""

    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


FAMILIES = {
    "prompts_total": Family(
        "Prompts by what became of them; degraded ones were answered although a part failed.",
        ("outcome", "reason", "cache", "degraded"),
    ),
    "audience_prompts_total": Family(
        "Prompts by who hears the answer: only the owner hears of what is not shared.", ("audience", "outcome")
    ),
    "recall_duration_seconds": Family("Time from a prompt to its answer.", ("outcome",), _SECONDS),
    "stage_duration_seconds": Family("Time of each stage of a recall.", ("stage",), _STAGE_SECONDS),
    "top_relevance_ratio": Family("Best calibrated relevance of each search.", ("outcome",), _RATIOS),
    "candidate_relevance_ratio": Family("Calibrated relevance of what searches found.", ("verdict",), _RATIOS),
    "candidate_score_ratio": Family("Score by which what searches found was ordered.", ("verdict",), _RATIOS),
    "rejected_candidates_total": Family("Candidates that searches found and left out, by the stage.", ("stage",)),
    "injected_chunks_total": Family(
        f"Chunks in blocks, by the retrievers with the chunk among their best {FOUND_WITHIN}.", ("found_by", "source")
    ),
    "injected_rank": Family("Rank that each retriever gave to injected chunks.", ("retriever",), _RANKS),
    "repeated_chunks_total": Family("Injected chunks that the same session had been shown before."),
    "redacted_secrets_total": Family("Secrets in injected chunks that were not told."),
    "injected_bytes_total": Family("Size of all blocks in UTF-8."),
    "injected_tokens_total": Family(f"Tokens of all blocks, estimated as bytes / {TOKEN_BYTES}."),
    "blocks_total": Family("Blocks, against the last one of the same session.", ("change",)),
    "block_changed_bytes_total": Family("Bytes of blocks after the prefix shared with the session's last one."),
    "undelivered_blocks_total": Family("Blocks that came too late: the host had stopped waiting."),
    "turns_total": Family("Turns that ended after an injection, and taught what became of it."),
    "settled_chunks_total": Family(
        "Chunks shown in turns that ended, by what became of them.", ("kind", "rank", "source")
    ),
    "objected_chunks_total": Family("Chunks of ended turns that the user's next message contradicted."),
    "faults_total": Family("Stages that failed or ran out of time.", ("stage",)),
    "left_behind_total": Family("Work that hung at its deadline and was left behind, by what it was.", ("stage",)),
    "captured_total": Family("What hosts reported of sessions, by what became of it.", ("kind", "outcome")),
    "capture_lost_total": Family("What a host could not keep until it was heard, because it was too much."),
    "model_requests_total": Family("Questions to the model of the background, by what became of them.", ("outcome",)),
    "model_tokens_total": Family("Tokens of the questions that it answered, and of its answers."),
    "messages_total": Family(
        "Messages between agents: sent and delivered ones, how often the agent was woken, and how often that was refused.",
        ("event",),
    ),
    "circuit_transitions_total": Family("Changes of the circuit breaker before the vector half.", ("state",)),
}

STATES = ("closed", "half_open", "open")
ATTRIBUTIONS = ("used", "relevant", "contradicted", "ignored", "shown")
DEEPEST_RANK = 10  # the label of everything from there on

_NAME = regex(r"[a-z][a-z0-9 _-]{0,31}")


class Settled(NamedTuple):
    """A chunk that was shown in a turn that has ended: its place in the block from 1, its source, what became of it."""

    rank: int
    source: str
    kind: str


def reason_label(why: Why) -> str:
    """Return the reason as one of a closed set: the rule that skipped a prompt, or the stage that left nothing."""
    if why.kind is Reason.PATTERN:
        name = why.detail.replace(" ", "_")
        return f"pattern_{name}" if name in NAMES else "pattern_of_user"
    return why.kind


def tallies(injection: Injection, elapsed_ms: float) -> Iterator[Tally]:
    """Yield what one decision adds, the prompt itself first; an answer from the cache adds no search."""
    outcome = str(injection.outcome)
    degraded = "yes" if injection.faults and injection.outcome is not Outcome.FAILED else "no"
    yield ("prompts_total", (outcome, reason_label(injection.why), injection.cached or "none", degraded)), 1
    yield from _observed("recall_duration_seconds", outcome, elapsed_ms / 1000)
    for stage, ms in injection.timings:
        yield from _observed("stage_duration_seconds", _name(stage), ms / 1000)
    for fault in injection.faults:
        yield ("faults_total", (_name(fault.stage),)), 1
    if not injection.cached:
        yield from _searched(injection, outcome)
    if injection.text:
        size = len(injection.text.encode(errors="replace"))
        yield ("injected_bytes_total", ()), size
        yield ("injected_tokens_total", ()), round(size / TOKEN_BYTES)
    for candidate in injection.candidates:
        yield from _injected(candidate)
    if hidden := sum(s.value for c in injection.candidates for s in c.history if s.effect is Effect.REDACTED):
        yield ("redacted_secrets_total", ()), hidden


def heard_by(prompt: Prompt, injection: Injection) -> Tally:
    """Return what one decision adds to the prompts of its audience."""
    return ("audience_prompts_total", (str(prompt.audience), str(injection.outcome))), 1


def settled(chunks: Iterable[Settled]) -> Iterator[Tally]:
    """Yield what one ended turn adds."""
    yield ("turns_total", ()), 1
    for chunk in chunks:
        rank = str(chunk.rank) if chunk.rank < DEEPEST_RANK else f"{DEEPEST_RANK}_and_more"
        yield ("settled_chunks_total", (_one_of(ATTRIBUTIONS, chunk.kind), rank, _one_of(KINDS, chunk.source))), 1


def circuit(state: str) -> Iterator[Tally]:
    """Yield what a change of the circuit breaker adds."""
    yield ("circuit_transitions_total", (_one_of(STATES, state.replace("-", "_")),)), 1


def captured(kind: str, outcome: str) -> Tally:
    """Return what one report of a host adds; both are words of ours."""
    return ("captured_total", (_name(kind), _name(outcome))), 1


def of_messages(counts: Mapping[str, int]) -> dict[Key, float]:
    """Return what was counted of an agent's messages, which are no store's of its own."""
    return {("messages_total", (what,)): float(number) for what, number in counts.items()}


def left_behind(stage: str) -> Tally:
    """Return what work that hung adds."""
    return ("left_behind_total", (_name(stage),)), 1


UNDELIVERED: Tally = (("undelivered_blocks_total", ()), 1)


class Shown:
    """What each session was shown, as far as this process has seen it; the sessions last heard of are remembered."""

    def __init__(self, *, sessions: int = 256, chunks: int = 2000) -> None:
        self._chunks = chunks
        self._seen: LRUCache[str, tuple[set[str], bytes]] = LRUCache(sessions)

    def tallies(self, session_id: str, injection: Injection) -> Iterator[Tally]:
        """Yield what a block adds: chunks shown again, and how much of it differs from the session's last block."""
        if not injection.text or not session_id:
            return
        block = injection.text.encode(errors="replace")
        ids = {candidate.chunk.id for candidate in injection.candidates}
        known, last = self._seen.get(session_id, (set(), b""))
        change = "same" if block == last else "changed" if last else "first"
        yield ("blocks_total", (change,)), 1
        if change == "changed":
            yield ("block_changed_bytes_total", ()), len(block) - _shared(block, last)
        if repeated := len(ids & known):
            yield ("repeated_chunks_total", ()), repeated
        self._seen[session_id] = ((known | ids) if len(known) < self._chunks else ids), block


def found_by(candidate: Candidate) -> str:
    """Say which retrievers have the chunk among their best ten: "bm25", "vector", "both" or "neither"."""
    near = {name for name, rank in _ranks(candidate.history) if rank <= FOUND_WITHIN} & {"bm25", "vector"}
    return "both" if len(near) == 2 else next(iter(near), "neither")


_BOUNDS: Mapping[str, tuple[tuple[float, ...], tuple[str, ...]]] = {
    name: (family.buckets, (*map(repr, family.buckets), "inf")) for name, family in FAMILIES.items() if family.buckets
}


def _observed(name: str, label: str, value: float) -> Iterator[Tally]:
    """Yield one observation: in the bucket whose upper bound is the first not below ``value``, and in the sum."""
    bounds, texts = _BOUNDS[name]
    yield (name, (label, texts[bisect_left(bounds, value)])), 1
    yield (name + SUM, (label,)), value


def _all_observed(name: str, label: str, values: Sequence[float]) -> Iterator[Tally]:
    """Yield many observations at once; a pool has dozens of candidates."""
    bounds, texts = _BOUNDS[name]
    for place, count in Counter(bisect_left(bounds, value) for value in values).items():
        yield (name, (label, texts[place])), count
    if values:
        yield (name + SUM, (label,)), sum(values)


def _searched(injection: Injection, outcome: str) -> Iterator[Tally]:
    sides = (("injected", injection.candidates), ("rejected", injection.rejected))
    best = max((c.relevance for _, some in sides for c in some), default=None)
    if best is not None:
        yield from _observed("top_relevance_ratio", outcome, best)
    for verdict, some in sides:
        yield from _all_observed("candidate_relevance_ratio", verdict, [c.relevance for c in some])
        yield from _all_observed("candidate_score_ratio", verdict, [c.score for c in some])
    stages = Counter(c.history[-1].stage if c.history else OTHER for c in injection.rejected)
    for stage, count in stages.items():
        yield ("rejected_candidates_total", (_name(stage),)), count


def _injected(candidate: Candidate) -> Iterator[Tally]:
    yield ("injected_chunks_total", (found_by(candidate), _one_of(KINDS, candidate.chunk.kind.name))), 1
    for retriever, rank in _ranks(candidate.history):
        yield from _observed("injected_rank", _name(retriever), rank)


def _ranks(history: Iterable[Step]) -> Iterator[tuple[str, int]]:
    """Yield (retriever, rank) for each retriever that ranked the chunk."""
    for step in history:
        if step.effect is Effect.RANKED:
            yield step.stage, step.rank


def _shared(one: bytes, other: bytes) -> int:
    """Return the length of the common prefix."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _one_of(known: Container[str], value: str) -> str:
    return value if value in known else OTHER


@lru_cache(256)
def _name(stage: str) -> str:
    """Return a stage's name as a label: stages are named in the code, so there are few of them."""
    return stage.replace(" ", "_") if _NAME.fullmatch(stage) else OTHER
