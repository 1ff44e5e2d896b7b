"""Sweeps: many configurations over the same sets, in parallel and resumable, and which of them are worth having."""

from __future__ import annotations

import itertools
import random
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Any

import orjson

from hookclaw_py import __version__
from hookclaw_py.config import Config
from hookclaw_py.config.sources import flat, nested, typed
from hookclaw_py.errors import ConfigError
from hookclaw_py.evaluation.folders import open_set
from hookclaw_py.evaluation.replay import kept_embedder, replay
from hookclaw_py.evaluation.results import Result, Run, result_of
from hookclaw_py.evaluation.sets import MemorySet, SetError
from hookclaw_py.evaluation.tables import Sheet, number

Values = Mapping[str, Any]
"""Configuration values by (dotted) key."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The sets of a sweep, and what is asked of a configuration.

    ``base`` are the values that every configuration has; ``quality`` and ``silence`` weigh the objective.
    """

    sets: tuple[Path, ...]
    base: Values
    split: str | None
    limit: int | None
    quality: float
    silence: float


@dataclass(frozen=True, slots=True)
class Trial:
    """One configuration's numbers: means over the sets, and each set's own by its path."""

    values: Values
    quality: float
    silence: float
    ms: float
    by_set: Mapping[str, Mapping[str, float]]


def load_suite(file: Path) -> Suite:
    """Read a suite: ``sets`` (paths from the file's folder), ``split``, ``limit``, ``[config]`` and ``[objective]``.

    Raises:
        SetError: if the file cannot be read or names no sets.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SetError(f"{file}: cannot be read: {error}") from error
    known = {"sets", "split", "limit", "config", "objective"}
    if unknown := content.keys() - known:
        raise SetError(f"{file}: unknown keys {', '.join(sorted(unknown))}; known are {', '.join(sorted(known))}")
    if not content.get("sets"):
        raise SetError(f"{file}: needs `sets`, a list of set folders")
    weights = content.get("objective", {})
    return Suite(
        sets=tuple((file.parent / place).resolve() for place in content["sets"]),
        base=content.get("config", {}),
        split=content.get("split"),
        limit=content.get("limit"),
        quality=float(weights.get("quality", 1.0)),
        silence=float(weights.get("silence", 1.0)),
    )


def open_tunable(suite: Suite) -> list[MemorySet]:
    """Open the suite's sets without their held-out prompts.

    Raises:
        SetError: if nothing is left of one: it was held out, and stays so.
    """
    opened = []
    for place in suite.sets:
        one = open_set(place).tunable().limited(suite.limit, suite.split)
        if not one.prompts:
            raise SetError(f"{place}: has no prompts that tuning may look at (a holdout or test set, or another split)")
        opened.append(one)
    return opened


def grid(params: Sequence[str], *, draws: int | None, seed: int) -> list[dict[str, Any]]:
    """Return the configurations that ``KEY=a,b,c`` texts ask for: all combinations, or ``draws`` of them at random.

    ``KEY=low..high`` is a range to draw from, and needs ``draws``. The default (no value changed) comes first.

    Raises:
        ConfigError: if a text is not of this form.
    """
    axes: dict[str, list[Any] | tuple[float, float]] = {}
    for param in params:
        key, given, written = param.partition("=")
        low, dots, high = written.partition("..")
        try:
            axes[key] = (float(low), float(high)) if dots else [typed(item) for item in written.split(",")]
        except ValueError:
            raise ConfigError([f"--param {param}: {written!r} is no range of numbers"]) from None
        if not given or not written:
            raise ConfigError([f"--param {param}: write KEY=a,b,c or KEY=low..high"])
        if dots and draws is None:
            raise ConfigError([f"--param {param}: a range needs --random N"])
    if draws is None:
        lists = [axis for axis in axes.values() if isinstance(axis, list)]
        chosen = [dict(zip(axes, values, strict=True)) for values in itertools.product(*lists)]
    else:
        dice = random.Random(seed)
        chosen = [{key: _drawn(axis, dice) for key, axis in axes.items()} for _ in range(draws)]
    distinct = {orjson.dumps(values): values for values in ({}, *chosen)}
    return list(distinct.values())


def _drawn(axis: list[Any] | tuple[float, float], dice: random.Random) -> Any:
    return round(dice.uniform(*axis), 4) if isinstance(axis, tuple) else dice.choice(axis)


def config_for(base: Values, values: Values) -> Config:
    """Return the configuration with ``base`` and, over it, ``values``; a whole number where a fraction is due is fine."""
    return Config(**nested({**dict(flat(base)), **dict(flat(values))}))


def run_sweep(
    suite: Suite,
    configurations: Sequence[Values],
    *,
    done: Path | None,
    jobs: int,
    progress: Callable[[str, int, int], None],
) -> list[Trial]:
    """Evaluate every configuration; those in the file ``done`` are taken from it, and new ones are added to it.

    All configurations are checked before the first is run.
    """
    for values in configurations:
        config_for(suite.base, values)
    signature = _signature(suite, open_tunable(suite))
    known = _read_done(done, signature)
    trials = [known[key] for values in configurations if (key := orjson.dumps(values)) in known]
    todo = [values for values in configurations if orjson.dumps(values) not in known]
    for trial in _run_side_by_side(suite, todo, jobs):
        trials.append(trial)
        if done is not None:
            with done.open("ab") as file:
                file.write(orjson.dumps({"suite": signature, **_plain(trial)}) + b"\n")
        progress("configurations", len(trials), len(configurations))
    order = {orjson.dumps(values): place for place, values in enumerate(configurations)}
    return sorted(trials, key=lambda trial: order[orjson.dumps(trial.values)])


def _signature(suite: Suite, opened: Sequence[MemorySet]) -> str:
    """Return what a kept result holds for: this version, these data, these values."""
    data = [[str(place), one.digest] for place, one in zip(suite.sets, opened, strict=True)]
    return orjson.dumps([__version__, data, suite.base, suite.split, suite.limit]).decode()


def _run_side_by_side(suite: Suite, todo: Sequence[Values], jobs: int) -> Iterator[Trial]:
    """Yield trials as they finish."""
    if jobs == 1:
        yield from (run_trial(suite, values) for values in todo)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        running = [pool.submit(run_trial, suite, values) for values in todo]
        yield from (finished.result() for finished in as_completed(running))


def _plain(trial: Trial) -> dict[str, Any]:
    return {name: getattr(trial, name) for name in Trial.__dataclass_fields__}


def _read_done(file: Path | None, signature: str) -> dict[bytes, Trial]:
    if file is None or not file.exists():
        return {}
    found = {}
    for line in file.read_bytes().splitlines():
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue  # the last line of an interrupted sweep
        if row.pop("suite") == signature:
            found[orjson.dumps(row["values"])] = Trial(**row)
    return found


def run_trial(suite: Suite, values: Values) -> Trial:
    """Evaluate one configuration on every set of the suite."""
    found = zip(suite.sets, results_of(suite, values), strict=True)
    by_set = {str(place): numbers_of(result) for place, (_, result) in found}
    means = {key: fmean(numbers[key] for numbers in by_set.values()) for key in ("quality", "silence", "ms")}
    return Trial(dict(values), by_set=by_set, **means)


def results_of(suite: Suite, values: Values) -> Iterator[tuple[MemorySet, Result]]:
    """Yield each set with this configuration's whole result. The prompts' vectors are kept: times leave them out."""
    config = config_for(suite.base, values)
    with kept_embedder(config, prompts_too=True) as embedder:
        for memory_set in open_tunable(suite):
            replayed = replay(memory_set, config, embedder, cross_pair=True)
            yield memory_set, result_of(memory_set, replayed, Run(config, True, limit=suite.limit, split=suite.split))


def numbers_of(result: Result) -> dict[str, float]:
    """Return "quality" (nDCG@10), "silence" (home fire minus the mean false fire, Youden's J) and "ms" (p50 of a turn)."""
    ranked = next(iter(result["ranking"].values()), None)
    false_fires = [other["fired"] for other in result["silence"]["against"].values()]
    return {
        "quality": ranked["overall"]["nDCG@10"] if ranked else 0.0,
        "silence": result["silence"]["home"]["fired"] - (fmean(false_fires) if false_fires else 0.0),
        "ms": result["cost"]["stages_ms"]["whole turn"]["p50"],
    }


def pareto_front(trials: Sequence[Trial]) -> list[Trial]:
    """Return the trials that no other beats in quality, silence and time together."""
    return [trial for trial in trials if not any(_beats(other, trial) for other in trials)]


def _beats(one: Trial, other: Trial) -> bool:
    ours, theirs = (one.quality, one.silence, -one.ms), (other.quality, other.silence, -other.ms)
    return ours != theirs and all(a >= b for a, b in zip(ours, theirs, strict=True))


def objective(trial: Trial, suite: Suite) -> float:
    """Return the weighted sum that tuning maximises."""
    return suite.quality * trial.quality + suite.silence * trial.silence


def sheet(trials: Sequence[Trial], suite: Suite) -> Sheet:
    """Return the trials best first; those of the Pareto front are marked."""
    front = pareto_front(trials)
    rows = [
        [
            ", ".join(f"{key}={value}" for key, value in trial.values.items()) or "(base)",
            number(trial.quality),
            number(trial.silence),
            f"{trial.ms:.1f}",
            number(objective(trial, suite)),
            "yes" if trial in front else "",
        ]
        for trial in sorted(trials, key=lambda trial: -objective(trial, suite))
    ]
    return Sheet("Configurations", ["values", "quality", "silence", "ms", "objective", "Pareto front"], rows)
