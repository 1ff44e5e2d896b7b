"""One run's result as plain data, ready for JSON: what was measured, with what, on what, and every prompt's own line."""

from __future__ import annotations

import math
import resource
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Any

from hookclaw_py import __version__
from hookclaw_py.config import Config
from hookclaw_py.evaluation import carry, measures, silence
from hookclaw_py.evaluation.replay import LEGS, Replay, Reply
from hookclaw_py.evaluation.sets import MemorySet

FORMAT = 1
POINTS = 201  # of a stored curve
LEVELS = ("chunk", "session")
Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """What was asked for: the configuration, and the choices that a result depends on."""

    config: Config
    cross_pair: bool
    session_pool: str = "best"
    limit: int | None = None
    split: str | None = None
    rechunk: bool = False
    seed: int = 0


def result_of(memory_set: MemorySet, replayed: Replay, run: Run) -> Result:
    """Measure one replay. Everything in it is JSON, apart from times it is the same for the same input."""
    per_prompt: dict[str, dict[str, Any]] = {r.prompt.id: _line(r) for r in replayed.at_home}
    ranking = {level: _ranking(memory_set, replayed, level, run.session_pool) for level in LEVELS}
    for level, measured in ranking.items():
        for prompt, values in measured.pop("per_prompt", {}).items():
            per_prompt[prompt][level] = values
    return {
        "format": FORMAT,
        "set": {
            "name": memory_set.name,
            "digest": memory_set.digest,
            "split": run.split or memory_set.split,
            "documents": len(memory_set.documents),
            "prompts": len(memory_set.prompts),
            "licence": memory_set.licence,
        },
        "run": {
            "limit": run.limit,
            "seed": run.seed,
            "cross_pair": run.cross_pair,
            "session_pool": run.session_pool,
            "rechunk": run.rechunk,
        },
        "config": run.config.model_dump(
            by_alias=True,
            mode="json",
            exclude_defaults=True,
            exclude={"embedder": {"api_key"}, "llm": True, "messages": True, "store": True},
        ),
        "fingerprint": run.config.fingerprint,
        "version": __version__,
        "model": replayed.model_id,
        "ranking": {level: measured for level, measured in ranking.items() if measured},
        "silence": _silence(memory_set, replayed, run.config),
        "carry": _carry(memory_set, replayed, per_prompt),
        "staleness": _staleness(memory_set, replayed, per_prompt),
        "cost": _cost(replayed),
        "prompts": per_prompt,
        "others": {
            "cross-pair": {r.prompt.id: {**_line(r), "store": r.store} for r in replayed.strangers},
            "no memory needed": {r.prompt.id: {**_line(r), "store": r.store} for r in replayed.needless},
        },
    }


def _line(reply: Reply) -> dict[str, Any]:
    return {
        "category": reply.prompt.category,
        "outcome": str(reply.outcome),
        "reason": reply.reason,
        "evidence": round(reply.evidence, 6),
        "answerable": reply.prompt.answerable,
        "ms": round(reply.ms, 3),
    }


def _ranking(memory_set: MemorySet, replayed: Replay, level: str, session_pool: str) -> dict[str, Any]:
    judged = memory_set.judged(level)
    if not judged:
        return {}
    categories = {p.id: p.category for p in memory_set.prompts}
    shaped = _shaper(memory_set, level, session_pool)
    runs = {r.prompt.id: shaped(r.ranking) for r in replayed.at_home}
    final = measures.ranking_measures(judged, runs)
    legs = {}
    for leg in LEGS:
        voted = {r.prompt.id: shaped(r.legs.get(leg, ())) for r in replayed.at_home}
        if any(voted.values()):
            legs[leg] = measures.mean(measures.ranking_measures(judged, voted).values())
    return {
        "judged": len(judged),
        "overall": measures.mean(final.values()),
        "by_category": measures.by_category(final, categories),
        "legs": legs,
        "per_prompt": final,
    }


def _shaper(memory_set: MemorySet, level: str, session_pool: str) -> Any:
    if level == "chunk":
        return lambda ranking: ranking
    sessions = {d.id: d.session for d in memory_set.documents}
    return lambda ranking: measures.by_session(ranking, sessions, pool=session_pool)


def _silence(memory_set: MemorySet, replayed: Replay, config: Config) -> dict[str, Any]:
    judged = {*memory_set.judged("chunk"), *memory_set.judged("session")}
    home = [r for r in replayed.at_home if r.prompt.id in judged]
    unanswerable = [r for r in replayed.at_home if not r.prompt.answerable]
    against = {"cross-pair": replayed.strangers, "unanswerable": unanswerable, "no memory needed": replayed.needless}
    return {
        "level": config.min_score,
        "home": _fired(home),
        "against": {name: compared(home, replies, config.min_score) for name, replies in against.items() if replies},
    }


def compared(home: Sequence[Reply], others: Sequence[Reply], level: float) -> dict[str, Any]:
    """Compare where the engine should speak with where it should not, as a whole and with the gate left out."""
    return {
        **_fired(others),
        "whole_engine": _curve([level_of(r) for r in home], [level_of(r) for r in others], level),
        "abstention_alone": _curve([r.evidence for r in home], [r.evidence for r in others], level),
    }


def level_of(reply: Reply) -> float:
    """Return the highest abstention level at which the prompt still fires."""
    return silence.NEVER if reply.outcome == "skipped" else reply.evidence


def _fired(replies: Sequence[Reply]) -> dict[str, Any]:
    categories: dict[str, list[Reply]] = {}
    for reply in replies:
        categories.setdefault(reply.prompt.category, []).append(reply)
    return {
        "prompts": len(replies),
        "fired": _share(replies, "injected"),
        "skipped": _share(replies, "skipped"),
        "failed": _share(replies, "failed"),
        "by_category": {
            c: {"prompts": len(rs), "fired": _share(rs, "injected")} for c, rs in sorted(categories.items())
        },
    }


def _share(replies: Sequence[Reply], outcome: str) -> float:
    return sum(r.outcome == outcome for r in replies) / len(replies) if replies else 0.0


def _curve(home: Sequence[float], others: Sequence[float], level: float) -> dict[str, Any]:
    curve = silence.operating_curve(home, others)
    area = silence.area_under(home, others)
    marks = {f"at_{share:.0%}".rstrip("%"): silence.at_home_fire(home, others, share) for share in (0.95, 0.9)}
    working = silence.Point(level, silence.fire_rate(sorted(home), level), silence.fire_rate(sorted(others), level))
    return {
        "area": None if math.isnan(area) else area,
        "working_point": working._asdict(),
        **{name: point._asdict() if point else None for name, point in marks.items()},
        "curve": [[round(x, 4) for x in point] for point in silence.thinned(curve, POINTS)],
    }


def _carry(memory_set: MemorySet, replayed: Replay, per_prompt: dict[str, dict[str, Any]]) -> dict[str, Any]:
    relevant = _relevant_documents(memory_set)
    rows = []
    for reply in replayed.at_home:
        if reply.prompt.id in relevant:
            row = carry.carried(reply, relevant[reply.prompt.id], reply.prompt.answers)
            per_prompt[reply.prompt.id]["carry"] = row
            rows.append(row)
    sizes = [carry.size_of(r) for r in replayed.at_home if r.fired]
    chunks = [len(r.injected) for r in replayed.at_home if r.fired]
    found = carry.means(rows)
    if "all" in found and not memory_set.qrels:
        del found["all"]  # a session is relevant as a whole; nobody could inject all of it
    found |= {name: value for name, value in carry.means(sizes).items() if name != "prompts"}
    return {**found, "injections": len(sizes), "chunks": sum(chunks) / len(chunks) if chunks else 0.0}


def _relevant_documents(memory_set: MemorySet) -> Mapping[str, Sequence[str]]:
    """Return the documents that answer each prompt: the judged ones, else all of the judged sessions."""
    if memory_set.qrels:
        return {prompt: list(relevant) for prompt, relevant in memory_set.judged("chunk").items()}
    members: dict[str, list[str]] = {}
    for document in memory_set.documents:
        members.setdefault(document.session, []).append(document.id)
    judged = memory_set.judged("session")
    return {prompt: [d for s in sessions for d in members.get(s, ())] for prompt, sessions in judged.items()}


def _staleness(memory_set: MemorySet, replayed: Replay, per_prompt: dict[str, dict[str, Any]]) -> dict[str, Any]:
    rows = []
    for reply in replayed.at_home:
        if reply.prompt.stale:
            row = carry.freshness(reply, list(memory_set.qrels.get(reply.prompt.id, {})), reply.prompt.stale)
            per_prompt[reply.prompt.id]["staleness"] = row
            rows.append(row)
    return carry.means(rows) if rows else {}


def _cost(replayed: Replay) -> dict[str, Any]:
    stages: dict[str, list[float]] = {"whole turn": [r.ms for r in replayed.at_home]}
    for reply in replayed.at_home:
        for stage, ms in reply.timings:
            stages.setdefault(stage, []).append(ms)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "stages_ms": {stage: percentiles(values) for stage, values in stages.items() if values},
        "chunks": replayed.chunks,
        "index_seconds": round(replayed.index_seconds, 3),
        "embed_seconds": round(replayed.embed_seconds, 3),
        "peak_memory_mb": round(peak / (2**20 if sys.platform == "darwin" else 1024)),
    }


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Return p50, p95 and p99, interpolated between the values."""
    cuts = quantiles(values, n=100, method="inclusive") if len(values) > 1 else [values[0]] * 99
    return {name: round(cuts[at - 1], 3) for name, at in (("p50", 50), ("p95", 95), ("p99", 99))}
