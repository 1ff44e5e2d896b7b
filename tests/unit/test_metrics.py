"""The log lines that operators grep, and the counts behind them."""

from __future__ import annotations

import pytest

from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Fault, Injection, Outcome
from hookclaw_py.observe.log_lines import candidate_line, decision_line
from hookclaw_py.observe.metrics import Metrics
from tests.conftest import candidate

HIT = candidate("x", relevance=0.8124)


@pytest.mark.parametrize(
    ("injection", "line"),
    [
        (
            Injection("i", Outcome.SKIPPED, Why(Reason.TOO_SHORT, "5")),
            "hookclaw: #7 skip — prompt too short (5 chars)",
        ),
        (Injection("i", Outcome.SKIPPED, Why(Reason.PATTERN)), "hookclaw: #7 skip — matches skip pattern"),
        (
            Injection("i", Outcome.INJECTED, Why(Reason.RELEVANT), "t", (HIT, HIT)),
            "hookclaw: #7 injecting 2 memories (12ms, top score: 0.812)",
        ),
        (
            Injection("i", Outcome.INJECTED, Why(Reason.RELEVANT), "t", (HIT,), cached="fuzzy"),
            "hookclaw: #7 cache hit — injecting 1 memories (12ms, top score: 0.812)",
        ),
        (Injection("i", Outcome.SILENT, Why(Reason.NOTHING_FOUND)), "hookclaw: #7 no relevant memories found (12ms)"),
        (
            Injection("i", Outcome.SILENT, Why(Reason.BELOW_FLOOR, "0.812 is below 0.9"), rejected=(HIT, HIT, HIT)),
            "hookclaw: #7 3 results filtered out (top score: 0.812) (12ms)",
        ),
        (
            Injection("i", Outcome.SILENT, Why(Reason.IN_CONVERSATION), rejected=(HIT,)),
            "hookclaw: #7 everything relevant is in the conversation already (12ms)",
        ),
        (
            Injection("i", Outcome.FAILED, Why(Reason.NO_RETRIEVER)),
            "hookclaw: #7 recall failed — no retriever answered (12ms)",
        ),
    ],
)
def test_log_lines_keep_their_shapes(injection, line):
    """keep: log lines."""
    assert decision_line(7, injection, 12.3) == line


def test_the_summary_line_keeps_its_shape():
    """keep: the metrics line."""
    metrics = Metrics()
    for n in range(4):
        metrics.record(
            Injection(
                "i",
                Outcome.INJECTED if n else Outcome.SILENT,
                Why(Reason.OTHER),
                "t",
                (HIT,) if n else (),
                cached="exact" if n == 1 else "",
            ),
            10.0,
        )
    assert (
        metrics.log_line() == "hookclaw metrics: 4 calls | 75% inject | 25% cache | p50=10ms p95=10ms | avg_score=0.812"
    )


def test_outcomes_add_up_to_calls_and_faults_are_counted():
    metrics = Metrics()
    for outcome in Outcome:
        metrics.record(Injection("i", outcome, Why(Reason.OTHER), faults=(Fault("vector", "x"),)), 1.0)
    seen = metrics.snapshot()
    assert sum(seen["outcomes"].values()) == seen["calls"] == 4
    assert seen["faults"] == {"vector": 4}
    assert Metrics().snapshot()["p95_ms"] == 0.0


def test_the_debug_line_says_which_chunk():
    assert (
        candidate_line(3, candidate("x", relevance=0.5, heading="A > B"))
        == "hookclaw: #3   memory/2026-02-10.md:1-1 (0.500) A > B"
    )
