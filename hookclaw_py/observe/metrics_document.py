"""Everything that was counted, as one JSON document (``hookclaw metrics --json``).

The document, version 1. Counts are cumulative since the store was made, over all processes; rates are shares in [0, 1]:

- ``schemaVersion``, ``version`` (of hookclaw_py), ``agent``, ``at`` (ISO 8601 UTC)
- ``prompts``; ``outcomes`` {outcome: n}; ``reasons`` {outcome: {reason: n}}; ``cache`` {none, exact, fuzzy: n};
  ``degraded`` (answered although a part failed)
- ``latencyMs`` and ``stagesMs``: {outcome or stage: {count, mean, p50, p95, p99}}; "all" is all outcomes. The mean is
  exact, the percentiles are not (``percentilesAre``): few prompts may show a p50 above the mean
- ``topRelevance`` {outcome: histogram}, ``relevance`` and ``scores`` {injected, rejected: histogram},
  ``ranks`` {retriever: histogram}; a histogram is {count, mean, buckets: [{upTo, count}]}, ``upTo`` null = no bound
- ``rejectedBy`` {stage: n}
- ``chunks``: injected, foundBy {bm25, vector, both, neither: n}, bySource {source: n}, repeated, redactedSecrets (not told)
- ``blocks``: injected, first, same, changed, changedBytes, undelivered, bytes, tokens (estimated), tokensAre
- ``turns`` (that ended after an injection); ``settled`` {kind: n}; ``objected`` (chunks the user's
  next message contradicted); ``usedByRank`` and ``usedBySource`` {…: {settled, used, rate}}
- ``faults`` {stage: n}; ``leftBehind`` {stage: n} (hung at the deadline); ``circuit``: state (null = never changed), since, transitions {state: n}
- ``captured`` {outcome: n} (what hosts reported of sessions: queued, duplicate, or why it was skipped); ``captureLost`` (what a host
  could not keep until it was heard)
- ``messages`` (between agents, for good): sent, delivered (shown to this agent), woken, refused (wakes); {} where none are carried
- ``model`` (of the background, ``llm``): questions {used, unusable, away: n}, tokens
- ``records`` (what was learned from sessions): total, active, pinned, byKind (that stand), byStatus {kind: {status: n}}, auditLines,
  meanSalience, meanConfidence, salienceBuckets (fifths), growth (share of the last day), usefulness (used / shown), skillSuccess,
  planReuse, revisionRate
- ``thisProcess``: what ``serve`` counted since its start (only in its own answer to ``metrics``)
- ``index``: files, conversations, chunks, embedded, pending, generation, indexedAt (ISO or null), secondsSinceIndex (or null)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from hookclaw_py import __version__
from hookclaw_py.config.sources import camel
from hookclaw_py.observe.counting import FAMILIES, SUM, TOKEN_BYTES
from hookclaw_py.observe.record_figures import figures
from hookclaw_py.store import freshness
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.values import Key

SCHEMA_VERSION = 1
_EVERY = 1_000_000_000
Totals = Mapping[Key, float]
Series = Mapping[tuple[str, ...], float]


def document(
    agent: str, store: AgentStore, totals: Totals, *, now: datetime, circuit: str | None = None
) -> dict[str, Any]:
    """Return the whole document. ``circuit`` is the state as a living engine knows it; None = as last told.

    Raises:
        StoreError: if the store cannot be read.
    """
    told = store.get_meta("circuit") or {}
    return {
        "schemaVersion": SCHEMA_VERSION,
        "version": __version__,
        "agent": agent,
        "at": now.astimezone(UTC).isoformat(),
        **_prompts(totals),
        "latencyMs": _latencies(histograms(totals, "recall_duration_seconds"), everything=True),
        "stagesMs": _latencies(histograms(totals, "stage_duration_seconds")),
        "percentilesAre": "estimated within the buckets of a histogram",
        "topRelevance": _shapes(totals, "top_relevance_ratio"),
        "relevance": _shapes(totals, "candidate_relevance_ratio"),
        "scores": _shapes(totals, "candidate_score_ratio"),
        "ranks": _shapes(totals, "injected_rank"),
        "rejectedBy": _by(totals, "rejected_candidates_total", 0),
        "chunks": {
            "injected": _sum(totals, "injected_chunks_total"),
            "foundBy": _by(totals, "injected_chunks_total", 0),
            "bySource": _by(totals, "injected_chunks_total", 1),
            "repeated": _sum(totals, "repeated_chunks_total"),
            "redactedSecrets": _sum(totals, "redacted_secrets_total"),
        },
        "blocks": _blocks(totals),
        "turns": _sum(totals, "turns_total"),
        "settled": _by(totals, "settled_chunks_total", 0),
        "objected": _sum(totals, "objected_chunks_total"),
        "usedByRank": _used(totals, 1),
        "usedBySource": _used(totals, 2),
        "faults": _by(totals, "faults_total", 0),
        "captured": _by(totals, "captured_total", 1),
        "captureLost": _sum(totals, "capture_lost_total"),
        "messages": _by(totals, "messages_total", 0),
        "model": {
            "questions": _by(totals, "model_requests_total", 0),
            "tokens": _sum(totals, "model_tokens_total"),
        },
        "records": _records(store, now),
        "leftBehind": _by(totals, "left_behind_total", 0),
        "circuit": {
            "state": circuit or told.get("state"),
            "since": told.get("since"),
            "transitions": _by(totals, "circuit_transitions_total", 0),
        },
        "index": _index(freshness.freshness(store), now),
    }


def _index(fresh: freshness.Freshness, now: datetime) -> dict[str, Any]:
    age = (now - fresh.indexed_at).total_seconds() if fresh.indexed_at else None
    return {
        "files": fresh.files,
        "conversations": fresh.conversations,
        "chunks": fresh.chunks,
        "embedded": fresh.embedded,
        "pending": fresh.pending,
        "generation": fresh.generation,
        "indexedAt": fresh.indexed_at.isoformat() if fresh.indexed_at else None,
        "secondsSinceIndex": max(0.0, age) if age is not None else None,
    }


def _records(store: AgentStore, now: datetime) -> dict[str, Any]:
    audit: Counter[str] = Counter()
    for (_, action), count in store.record_changes().items():
        audit[action] += count
    every = store.records(newest=_EVERY)
    uses = store.all_uses() if every else {}
    known = [uses[record.id] for record in every if record.id in uses]
    told = figures(
        [(record, record.salience_by(now)) for record in every],
        now=now,
        audit=audit,
        shown=sum(one.shown for one in known),
        used=sum(one.used for one in known),
    )
    rounded = {name: round(one, 6) if isinstance(one, float) else one for name, one in told._asdict().items()}
    return {camel(name): one for name, one in rounded.items()}


def series(totals: Totals, name: str) -> dict[tuple[str, ...], float]:
    """Return one family's amounts by label values; a series of another version's labels is left out."""
    family = FAMILIES.get(name.removesuffix(SUM), FAMILIES.get(name))
    size = len(family.labels) + bool(family.buckets and not name.endswith(SUM)) if family else 0
    return {
        labels: amount for (found, labels), amount in sorted(totals.items()) if found == name and len(labels) == size
    }


class Histogram:
    """Observations in buckets: ``counts`` has one for each upper bound of ``bounds`` and one for what lies beyond."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0.0] * (len(bounds) + 1)
        self.sum = 0.0

    @property
    def count(self) -> float:
        """How many observations there are."""
        return sum(self.counts)

    def add(self, upper: float, count: float) -> None:
        """Add observations that are at most ``upper``, to the first bucket that holds them."""
        place = next((n for n, bound in enumerate(self.bounds) if upper <= bound), len(self.bounds))
        self.counts[place] += count

    def __iadd__(self, other: Histogram) -> Histogram:
        self.counts = [a + b for a, b in zip(self.counts, other.counts, strict=True)]
        self.sum += other.sum
        return self

    def quantile(self, share: float) -> float:
        """Return about the value below which ``share`` of the observations lie, as Prometheus' histogram_quantile does."""
        wanted, seen = share * self.count, 0.0
        for n, count in enumerate(self.counts):
            if count and seen + count >= wanted:
                lower = self.bounds[n - 1] if n else 0.0
                return lower + (self.bounds[n] - lower) * (wanted - seen) / count if n < len(self.bounds) else lower
            seen += count
        return 0.0


def histograms(totals: Totals, name: str) -> dict[str, Histogram]:
    """Return one family's histograms by its label."""
    found: dict[str, Histogram] = {}
    for (label, upper), count in series(totals, name).items():
        found.setdefault(label, Histogram(FAMILIES[name].buckets)).add(float(upper), count)
    for (label,), amount in series(totals, name + SUM).items():
        if label in found:
            found[label].sum = amount
    return found


def _prompts(totals: Totals) -> dict[str, Any]:
    counted = series(totals, "prompts_total")
    reasons: dict[str, dict[str, int]] = {}
    for (outcome, reason, _, _), amount in counted.items():
        known = reasons.setdefault(outcome, {})
        known[reason] = known.get(reason, 0) + int(amount)
    return {
        "prompts": int(sum(counted.values())),
        "outcomes": _by(totals, "prompts_total", 0),
        "reasons": reasons,
        "cache": _by(totals, "prompts_total", 2),
        "degraded": _by(totals, "prompts_total", 3).get("yes", 0),
    }


def _blocks(totals: Totals) -> dict[str, Any]:
    changes = _by(totals, "blocks_total", 0)
    return {
        "injected": _by(totals, "prompts_total", 0).get("injected", 0),
        **{change: changes.get(change, 0) for change in ("first", "same", "changed")},
        "changedBytes": _sum(totals, "block_changed_bytes_total"),
        "undelivered": _sum(totals, "undelivered_blocks_total"),
        "bytes": _sum(totals, "injected_bytes_total"),
        "tokens": _sum(totals, "injected_tokens_total"),
        "tokensAre": f"estimated as UTF-8 bytes / {TOKEN_BYTES}",
    }


def _latencies(found: Mapping[str, Histogram], *, everything: bool = False) -> dict[str, Any]:
    whole = dict(found)
    if everything:
        together = Histogram(FAMILIES["recall_duration_seconds"].buckets)
        for one in found.values():
            together += one
        whole = {"all": together, **found}
    return {label: _quantiles(one) for label, one in whole.items()}


def _quantiles(one: Histogram) -> dict[str, float]:
    mean = one.sum / one.count if one.count else 0.0
    values = {"mean": mean, "p50": one.quantile(0.5), "p95": one.quantile(0.95), "p99": one.quantile(0.99)}
    return {"count": int(one.count), **{name: round(value * 1000, 4) for name, value in values.items()}}


def _shapes(totals: Totals, name: str) -> dict[str, Any]:
    return {
        label: {
            "count": int(one.count),
            "mean": round(one.sum / one.count, 6) if one.count else 0.0,
            "buckets": [
                {"upTo": bound, "count": int(count)}
                for bound, count in zip([*one.bounds, None], one.counts, strict=True)
            ],
        }
        for label, one in histograms(totals, name).items()
    }


def _used(totals: Totals, label: int) -> dict[str, Any]:
    counted = series(totals, "settled_chunks_total")
    settled = _grouped(counted, lambda labels: labels[label])
    used = _grouped({labels: n for labels, n in counted.items() if labels[0] == "used"}, lambda labels: labels[label])
    return {
        name: {"settled": n, "used": used.get(name, 0), "rate": round(used.get(name, 0) / n, 4)}
        for name, n in sorted(settled.items(), key=lambda item: (len(item[0]), item[0]))
    }


def _by(totals: Totals, name: str, label: int) -> dict[str, int]:
    return _grouped(series(totals, name), lambda labels: labels[label])


def _grouped(amounts: Series, group: Callable[[tuple[str, ...]], str]) -> dict[str, int]:
    grouped: dict[str, int] = {}
    for labels, amount in amounts.items():
        grouped[group(labels)] = grouped.get(group(labels), 0) + int(amount)
    return grouped


def _sum(totals: Totals, name: str) -> int:
    return int(sum(series(totals, name).values()))
