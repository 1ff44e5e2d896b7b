"""Tuning: the best configuration of a sweep, written down with the evidence, or the word that none is shown to be better."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from hookclaw_py.config.sources import flat
from hookclaw_py.evaluation import compare, sweep


def winner(trials: Sequence[sweep.Trial], suite: sweep.Suite) -> sweep.Trial:
    """Return the trial with the highest objective; of equals, the one that changes least."""
    return max(trials, key=lambda trial: (round(sweep.objective(trial, suite), 6), -len(trial.values)))


def evidence(suite: sweep.Suite, best: sweep.Trial, *, seed: int) -> list[str]:
    """Replay base and winner once more and return what differs between them, a line for each set and measure."""
    if not best.values:
        return ["the base configuration is the best of the sweep"]
    lines: list[str] = []
    pairs = zip(sweep.results_of(suite, {}), sweep.results_of(suite, best.values), strict=True)
    for (memory_set, base), (_, tuned) in pairs:
        lines += [
            f"{memory_set.name}, {d.measure}: {d.first:.3f} to {d.second:.3f}, {d.verdict} (p {d.p:.3f}, {d.prompts} prompts)"
            for d in compare.compare(base, tuned, seed=seed)
            if d.verdict != "no difference shown"
        ]
    return lines or ["no difference to the base configuration is shown on any set"]


def write_winner(file: Path, suite: sweep.Suite, best: sweep.Trial, found: Sequence[str], tried: int) -> None:
    """Write the winning configuration as TOML, the evidence in comments above it."""
    comments = [
        f"Tuned on {', '.join(path.name for path in suite.sets)}: the best of {tried} configurations.",
        f"quality {best.quality:.3f}, silence {best.silence:.3f}, {best.ms:.1f} ms a turn",
        *found,
    ]
    values = {**dict(flat(suite.base)), **dict(flat(best.values))}
    written = {key: json.dumps(value, ensure_ascii=False) for key, value in sorted(values.items())}  # as TOML does, too
    settings = [f"{key} = {value}" for key, value in written.items()]
    lines = [f"# {comment}" for comment in comments]
    file.write_text("\n".join([*lines, "", *settings]) + "\n", encoding="utf-8")
