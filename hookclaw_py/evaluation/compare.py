"""Two results of the same set, prompt by prompt: what differs, how sure that is, and when it is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from hookclaw_py.evaluation.measures import check_installed
from hookclaw_py.evaluation.results import FORMAT, LEVELS, Result
from hookclaw_py.evaluation.sets import SetError
from hookclaw_py.evaluation.tables import Sheet, number

COMPARED = ("R@1", "R@5", "R@10", "nDCG@10", "RR")
LOWER_IS_BETTER = frozenset({"skipped: needs_memory", "skipped: implicit"})
RESAMPLES = 9_999
SURE = 0.05


class Difference(NamedTuple):
    """One measure in both results over the ``prompts`` they share.

    ``low`` and ``high`` bound 95 % of the bootstrapped mean difference (second minus first); ``p`` is that of the paired
    randomisation test, for a yes/no measure of McNemar's exact test, after Holm's correction over all measures.
    """

    measure: str
    prompts: int
    first: float
    second: float
    low: float
    high: float
    p: float
    gained: int
    lost: int
    lower_is_better: bool = False

    @property
    def verdict(self) -> str:
        """Say in words what is shown."""
        if self.p >= SURE:
            return "no difference shown"
        return "worse" if (self.second < self.first) != self.lower_is_better else "better"


def load_result(file: Path) -> Result:
    """Read what ``hookclaw eval run --json`` wrote.

    Raises:
        SetError: if the file is something else.
    """
    try:
        result: Result = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise SetError(f"{file}: cannot be read: {error}") from error
    if not isinstance(result, dict) or result.get("format") != FORMAT:
        raise SetError(f"{file}: is no result of `hookclaw eval run --json` of this version")
    return result


def compare(first: Result, second: Result, *, seed: int = 0) -> list[Difference]:
    """Return what can be compared.

    Raises:
        SetError: if the two are of different data, or share nothing.
        MissingExtraError: if what the extra brings is not installed.
    """
    check_installed()
    if first["set"]["digest"] != second["set"]["digest"]:
        raise SetError(
            f"the two results are of different data: {first['set']['name']} ({first['set']['digest']}) and "
            f"{second['set']['name']} ({second['set']['digest']})"
        )
    found = [
        _difference(name, *_paired(ours, theirs), seed=seed)
        for name, ours, theirs in _columns(first, second)
        if ours.keys() & theirs.keys()
    ]
    if not found:
        raise SetError("the two results have no prompt in common of which anything can be compared")
    corrected = holm([difference.p for difference in found])
    return [difference._replace(p=p) for difference, p in zip(found, corrected, strict=True)]


Column = tuple[str, dict[str, float], dict[str, float]]


def _columns(first: Result, second: Result) -> list[Column]:
    """Return (measure, values by prompt in the first, in the second)."""
    one, other = first["prompts"], second["prompts"]
    found = []
    for level in LEVELS:
        for measure in COMPARED:
            name = f"{measure} by {level}"
            found.append((name, _values(one, level, measure), _values(other, level, measure)))
    found += [
        (f"carry: {key}", _values(one, "carry", key), _values(other, "carry", key)) for key in ("whole", "answer")
    ]
    found.append(
        ("newest above stale", _values(one, "staleness", "newest_above"), _values(other, "staleness", "newest_above"))
    )
    found.append(("home fire", _fired(one, True), _fired(other, True)))
    found.append(("false fire: unanswerable", _fired(one, False), _fired(other, False)))
    for verdict in ("right", "wrong"):
        found.append((f"vault: {verdict}", _verdicts(one, verdict), _verdicts(other, verdict)))
    found += _sorted_out(one, other)
    for name in ("cross-pair", "no memory needed"):
        ours, theirs = first.get("others", {}).get(name, {}), second.get("others", {}).get(name, {})
        found.append((f"false fire: {name}", _fired(ours), _fired(theirs)))
    return found


def _sorted_out(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[Column]:
    """Yield, of a gating set, what was skipped of each label, and of a temporal set what was read of the times."""
    gated = {i: line["category"].partition("/")[0] for i, line in one.items() if line.keys() == {"category", "outcome"}}
    for label in sorted(set(gated.values())):
        of_label = {i for i, its in gated.items() if its == label}
        yield (
            f"skipped: {label}",
            _flags(one, of_label, "outcome", "skipped"),
            _flags(other, of_label, "outcome", "skipped"),
        )
    for negative, measures in ((False, ("found", "overlap", "start")), (True, ("found",))):
        timed = {i for i, line in one.items() if line.get("negative") is negative}
        for key in measures:
            name = f"false time: {key}" if negative else f"time: {key}"
            yield name, _flags(one, timed, key, True), _flags(other, timed, key, True)


def _flags(prompts: Mapping[str, Any], ids: Set[str], key: str, wanted: object) -> dict[str, float]:
    """Return 1 or 0 by prompt, of these."""
    return {i: float(line[key] == wanted) for i, line in prompts.items() if i in ids and key in line}


def _values(prompts: Mapping[str, Any], part: str, measure: str) -> dict[str, float]:
    return {i: line[part][measure] for i, line in prompts.items() if measure in line.get(part, {})}


def _fired(prompts: Mapping[str, Any], answerable: bool | None = None) -> dict[str, float]:
    """Return 1 or 0 by prompt; of those with an answer only the judged ones."""
    return {
        i: float(line["outcome"] == "injected")
        for i, line in prompts.items()
        if answerable is None
        or (line.get("answerable") is answerable and (not answerable or "chunk" in line or "session" in line))
    }


def _verdicts(prompts: Mapping[str, Any], verdict: str) -> dict[str, float]:
    """Return 1 or 0 by prompt of a vault."""
    return {i: float(line["verdict"] == verdict) for i, line in prompts.items() if "verdict" in line}


def _paired(ours: Mapping[str, float], theirs: Mapping[str, float]) -> tuple[Any, Any]:
    shared = sorted(ours.keys() & theirs.keys())
    return np.array([ours[i] for i in shared]), np.array([theirs[i] for i in shared])


def _difference(name: str, first: Any, second: Any, *, seed: int) -> Difference:
    gap = second - first
    gained, lost = int((gap > 0).sum()), int((gap < 0).sum())
    yes_no = bool(np.isin(first, (0, 1)).all() and np.isin(second, (0, 1)).all())
    low, high = bootstrap_interval(gap, seed=seed)
    return Difference(
        measure=name,
        prompts=len(gap),
        first=float(first.mean()),
        second=float(second.mean()),
        low=low,
        high=high,
        p=mcnemar(gained, lost) if yes_no else randomisation_test(gap, seed=seed),
        gained=gained,
        lost=lost,
        lower_is_better=name in LOWER_IS_BETTER or name.startswith(("false", "vault: wrong")),
    )


def randomisation_test(gap: Any, *, seed: int) -> float:
    """Return the two-sided p of a mean paired difference: how often random signs reach it.

    Source: Smucker, Allan & Carterette, "A comparison of statistical significance tests for information retrieval
    evaluation", CIKM 2007.
    """
    from scipy import stats

    if len(gap) < 2 or not np.any(gap):
        return 1.0  # one prompt alone shows nothing
    tested = stats.permutation_test(
        (gap,), np.mean, permutation_type="samples", n_resamples=RESAMPLES, batch=500, vectorized=True, rng=seed
    )
    return float(tested.pvalue)


def mcnemar(gained: int, lost: int) -> float:
    """Return McNemar's exact two-sided p for prompts that only one of two systems got right."""
    from scipy import stats

    return float(stats.binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def bootstrap_interval(gap: Any, *, seed: int) -> tuple[float, float]:
    """Return the percentile interval that holds 95 % of the bootstrapped means."""
    if not np.any(gap):
        return 0.0, 0.0
    random = np.random.default_rng(seed)
    means = np.concatenate([gap[random.integers(0, len(gap), (100, len(gap)))].mean(axis=1) for _ in range(100)])
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for their number.

    Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 1979.
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, highest = [0.0] * len(p_values), 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[i]))
        corrected[i] = highest
    return corrected


def sheet(differences: Sequence[Difference], names: tuple[str, str]) -> Sheet:
    """Return the comparison as a table."""
    heads = ["measure", "prompts", *names, "difference", "95 % interval", "better / worse", "p", "verdict"]
    rows = []
    for d in differences:
        up, down = (d.lost, d.gained) if d.lower_is_better else (d.gained, d.lost)
        rows.append(
            [
                d.measure,
                str(d.prompts),
                number(d.first),
                number(d.second),
                f"{d.second - d.first:+.3f}",
                f"{d.low:+.3f} to {d.high:+.3f}",
                f"{up} / {down}",
                f"{d.p:.3f}" if d.p >= 0.001 else "<.001",
                d.verdict,
            ]
        )
    return Sheet("Prompt by prompt", heads, rows)


def most_changed(first: Result, second: Result, count: int) -> Sheet:
    """Return the prompts whose nDCG@10 changed most, losses first."""
    level = next(
        (name for name in LEVELS if name in first.get("ranking", ()) and name in second.get("ranking", ())), ""
    )
    ours, theirs = _values(first["prompts"], level, "nDCG@10"), _values(second["prompts"], level, "nDCG@10")
    gaps = sorted((theirs[i] - ours[i], i) for i in ours.keys() & theirs.keys())
    shown = [*gaps[:count], *gaps[-count:]] if len(gaps) > 2 * count else gaps
    rows = [[i, number(ours[i]), number(theirs[i]), f"{gap:+.3f}"] for gap, i in shown if gap]
    return Sheet(f"Changed most (nDCG@10 by {level})", ["prompt", "first", "second", "difference"], rows)


def conclusion(differences: Sequence[Difference]) -> str:
    """Say the whole comparison in one sentence."""
    shown = [d for d in differences if d.verdict != "no difference shown"]
    if not shown:
        return "No difference shown."
    parts = [f"{word}: {', '.join(d.measure for d in shown if d.verdict == word)}" for word in ("better", "worse")]
    return "; ".join(part for part in parts if not part.endswith(": ")) + "; no difference shown elsewhere."
