"""Everything that was counted in Prometheus' text format: ``hookclaw_`` names, base units, bounded labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from hookclaw_py.observe.counting import FAMILIES, STATES
from hookclaw_py.observe.metrics_document import Totals, histograms, series

PREFIX = "hookclaw_"
MOST_SERIES = 500
"""Series of one family at most: labels come from closed sets, and this holds if one of them should not be closed."""


class Numbers:
    """A collector of one agent's numbers: ``totals`` as the store has them, ``told`` as the document has them."""

    def __init__(self, agent: str, totals: Totals, told: Mapping[str, Any]) -> None:
        self._agent, self._totals, self._told = agent, totals, told

    def collect(self) -> Iterator[Metric]:
        """Yield every family, counters and histograms first."""
        for name, family in FAMILIES.items():
            if family.buckets:
                yield self._histogram(name)
            else:
                yield self._counter(name)
        yield from self._gauges()

    def _counter(self, name: str) -> Metric:
        family = FAMILIES[name]
        metric = CounterMetricFamily(PREFIX + name, family.help, labels=("agent", *family.labels))
        found = series(self._totals, name)
        if not family.labels:
            found = found or {(): 0.0}
        for labels, amount in list(found.items())[:MOST_SERIES]:
            metric.add_metric((self._agent, *labels), amount)
        return metric

    def _histogram(self, name: str) -> Metric:
        family = FAMILIES[name]
        metric = HistogramMetricFamily(PREFIX + name, family.help, labels=("agent", *family.labels))
        for label, one in list(histograms(self._totals, name).items())[:MOST_SERIES]:
            buckets, below = [], 0.0
            for bound, count in zip([*map(repr, one.bounds), "+Inf"], one.counts, strict=True):
                below += count
                buckets.append((bound, below))
            metric.add_metric((self._agent, label), buckets, sum_value=one.sum)
        return metric

    def _gauges(self) -> Iterator[Metric]:
        index, told = self._told["index"], self._told
        yield self._gauge(
            "build_info", "The version of hookclaw_py that tells this; always 1.", 1, version=told["version"]
        )
        for name, key, help_text in _INDEX:
            yield self._gauge(f"index_{name}", help_text, index[key])
        if index["indexedAt"]:
            at = datetime.fromisoformat(index["indexedAt"]).timestamp()
            yield self._gauge("index_last_read_timestamp_seconds", "When the notes were read last, Unix time.", at)
        learned = GaugeMetricFamily(
            f"{PREFIX}records",
            "What was learned from sessions, by kind and status.",
            labels=("agent", "kind", "status"),
        )
        for kind, statuses in told["records"]["byStatus"].items():
            for status, number in statuses.items():
                learned.add_metric((self._agent, kind, status), float(number))
        yield learned
        yield self._gauge(
            "records_salience_mean", "How present what was learned is, 0 to 1.", told["records"]["meanSalience"]
        )
        state = (told["circuit"]["state"] or "closed").replace("-", "_")
        metric = GaugeMetricFamily(
            f"{PREFIX}circuit_state",
            "The circuit breaker before the vector half: 1 for its state.",
            labels=("agent", "state"),
        )
        for known in STATES:
            metric.add_metric((self._agent, known), float(known == state))
        yield metric

    def _gauge(self, name: str, help_text: str, value: float, **labels: str) -> Metric:
        metric = GaugeMetricFamily(PREFIX + name, help_text, labels=("agent", *labels))
        metric.add_metric((self._agent, *labels.values()), float(value))
        return metric


_INDEX = (
    ("files", "files", "Files whose notes the store holds."),
    ("conversations", "conversations", "Conversations the store holds: a session's day each, or a transcript."),
    ("chunks", "chunks", "Chunks the store holds."),
    ("embedded_chunks", "embedded", "Chunks with a vector."),
    ("pending_texts", "pending", "Texts that are not embedded yet."),
    ("generation", "generation", "The store's generation: every visible change raises it."),
)


def exposition(agent: str, totals: Totals, told: Mapping[str, Any]) -> str:
    """Return the text format, ready for a scrape or a ``.prom`` file."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Numbers(agent, totals, told))
    return generate_latest(registry).decode()
