"""Ablation: every stage off in turn, on the same stores and the same prompts, against the whole engine.

    python eval/studies/ablation.py FOLDER [--limit 200] [--only NAME,NAME] [--json FILE]

Calibrated evidence is switched off one piece at a time by giving every chunk the mean that this piece has among the most
relevant chunks of the set: nothing is fitted anew, so what another piece could make up for is not counted. "false fire"
is that at 95 % home fire, each variant at its own level; home fire, carry and precision are at the default level. A star
marks a difference with p < .05 after Holm's correction over all tests of the table. Times are from recalls with live
embedding, in the first store of the first set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import asking
import numpy as np
from asking import Variant

from hookclaw_py.evaluation import carry, measures, silence
from hookclaw_py.evaluation.compare import SURE, holm, mcnemar, randomisation_test
from hookclaw_py.evaluation.replay import Asked, Reply, kept_embedder
from hookclaw_py.evaluation.results import level_of
from hookclaw_py.evaluation.scopes import in_order, scopes
from hookclaw_py.evaluation.sets import MemorySet
from hookclaw_py.evaluation.tables import number
from hookclaw_py.stages import calibrate

WHOLE = Variant("whole engine")


def always(value: Any) -> Any:
    """Return a stage that returns ``value`` whatever it is asked."""
    return lambda *_args, **_named: value


def as_it_came(first: Any, *_args: Any, **_named: Any) -> Any:
    """Be a stage that returns its first argument as it is."""
    return first


def nothing_dropped(candidates: Any, *_args: Any, **_named: Any) -> Any:
    """Be a stage that returns (kept, dropped) and keeps everything."""
    return list(candidates), []


OFF = (
    Variant("keywords", ("bm25", "idf"), pipeline=asking.without_keywords),
    Variant("vectors", ("vector", "similarity", "late"), pipeline=asking.without_vectors),
    Variant("late interaction", ("late",), stages={"late": always(({}, {}))}),
    Variant("entities", ("entities", "mentions"), stages={"entities": always(())}),
    Variant("periods", ("period", "dated"), {"enable_temporal_parsing": False}),
    Variant("decay", ("decay",), {"half_life_hours": 0.0}),
    Variant("supersession", ("supersession",), stages={"supersession": as_it_came}),
    Variant("RRF in place of convex", ("fusion",), {"enable_rrf": True}),
    Variant("null sample as if grown", stages={"growth": as_it_came}),
    Variant("smoothed idf", stages={"smoothing": as_it_came}),
    Variant("adaptive number", (), {"adaptive_results": False}),
    Variant("near-duplicates", ("duplicates",), stages={"duplicates": nothing_dropped}),
    Variant("MMR", ("mmr",), {"enable_mmr": False}),
    Variant("gate", ("gate",), stages={"gate": always(None)}),
)
"""The switches. A new stage is one line here; one that today's engine lacks is left out and named. Repetition and utility
are not among them: these sets have no conversations and no use, so both do nothing here."""

COLUMNS = ("R@5", "nDCG@10", "false fire", "home fire", "carry", "precision")
BETTER = {"false fire": -1.0}
ASKED_LIVE = 60


class Listening:
    """Hears every chunk's evidence, so that a piece of it can be replaced by what it usually is."""

    def __init__(self) -> None:
        self.best: list[Any] = []

    @contextmanager
    def one_recall(self) -> Iterator[Variant]:
        """Keep the evidence of the most relevant chunk that is weighed by the engine as the variant given runs it."""
        heard: list[tuple[float, Any]] = []

        def relevance(evidence: Any, weighing: Any) -> float:
            value = calibrate.relevance(evidence, weighing)
            heard.append((value, evidence))
            return value

        yield WHOLE._replace(stages={"calibrate": partial(calibrate.calibrate, relevance=relevance)})
        if heard:
            self.best.append(max(heard, key=lambda pair: pair[0])[1])

    def without(self, name: str) -> Variant:
        """Return the variant that gives this piece of evidence its mean among the most relevant chunks."""
        values = [getattr(e, name) for e in self.best if getattr(e, name) is not None]
        yes_no = all(isinstance(value, bool) for value in values)
        usual = None if yes_no else fmean(map(float, values))

        def relevance(evidence: Any, weighing: Any) -> float:
            if getattr(evidence, name) is not None:
                evidence = evidence._replace(**{name: usual})
            return calibrate.relevance(evidence, weighing)

        return Variant(evidence_name(name), stages={"calibrate": partial(calibrate.calibrate, relevance=relevance)})


def evidence_name(piece: str) -> str:
    """Return the name of the variant without one piece of evidence."""
    return f"evidence: {piece.replace('_', ' ')}"


def measured(folder: Path, limit: int, only: Sequence[str]) -> dict[str, Any]:
    """Ask one set's prompts in every way; return each prompt's numbers by variant.

    Two rounds over the stores: the first hears the evidence of the whole engine, the second asks all variants.
    """
    memory_set = asking.opened(folder, limit)
    config = asking.study_config()
    listening = Listening()
    answers: dict[str, tuple[list[Reply], list[Reply]]] = {}
    with kept_embedder(config, prompts_too=True) as embedder:
        for first in (True, False):
            switches: list[Variant] = [v for v in OFF if not v.missing()]
            if not first and listening.best:
                switches += [listening.without(name) for name in getattr(listening.best[0], "_fields", ())]
            asked_as = [v for v in switches if not only or v.name in only]
            for scope in scopes(memory_set, cross_pair=True):
                with Asked(scope, config, embedder, lambda *_: None, rechunk=False) as asked:
                    for prompt in in_order(scope.at_home):
                        asked.reveal(prompt.before_seq)
                        if prompt.answerable:
                            _every_way(asked, prompt, asked_as, listening, answers, first=first, home=True)
                    asked.reveal(None)
                    for prompt in scope.strangers:
                        _every_way(asked, prompt, asked_as, listening, answers, first=first, home=False)
    return {
        "name": memory_set.name,
        "variants": {name: numbers_of(memory_set, *replies) for name, replies in answers.items()},
    }


def _every_way(
    asked: Asked,
    prompt: Any,
    variants: Sequence[Variant],
    listening: Listening,
    answers: dict[str, tuple[list[Reply], list[Reply]]],
    *,
    first: bool,
    home: bool,
) -> None:
    for variant in [WHOLE] if first else variants:
        if first:
            with listening.one_recall() as heard, asking.running_as(asked, heard):
                reply = asked.ask(prompt)
        if not first or home:
            with asking.running_as(asked, variant):
                reply = asked.ask(prompt, ranking=home)
        replies = answers.setdefault(variant.name, ([], []))
        replies[0 if home else 1].append(reply)


def numbers_of(memory_set: MemorySet, home: Sequence[Reply], strangers: Sequence[Reply]) -> dict[str, dict[str, float]]:
    """Return each measure's values by prompt; "false fire" is 1 where a stranger fires at the level of 95 % home fire."""
    level = "chunk" if memory_set.qrels else "session"
    judged = memory_set.judged(level)
    sessions = {d.id: d.session for d in memory_set.documents}
    shaped = {
        r.prompt.id: r.ranking if level == "chunk" else measures.by_session(r.ranking, sessions, pool="best")
        for r in home
    }
    truth = {r.prompt.id: judged[r.prompt.id] for r in home if r.prompt.id in judged}
    ranked = measures.ranking_measures(truth, shaped)
    mine = [r for r in home if r.prompt.id in truth]
    carried = {
        r.prompt.id: carry.carried(r, list(truth[r.prompt.id]), r.prompt.answers) for r in mine if level == "chunk"
    }
    mark = silence.at_home_fire([level_of(r) for r in mine], [level_of(r) for r in strangers], 0.95)
    return {
        "R@5": {name: values["R@5"] for name, values in ranked.items()},
        "nDCG@10": {name: values["nDCG@10"] for name, values in ranked.items()},
        "false fire": {r.prompt.id: float(level_of(r) >= mark.level) for r in strangers} if mark else {},
        "home fire": {r.prompt.id: float(r.fired) for r in mine},
        "carry": {name: values["whole"] for name, values in carried.items()},
        "precision": {name: values["precision"] for name, values in carried.items() if "precision" in values},
    }


def costs(folder: Path) -> dict[str, float]:
    """Return the mean milliseconds of each stage in recalls with live embedding."""
    memory_set = asking.opened(folder, None)
    config = asking.study_config()
    scope = max(scopes(memory_set, cross_pair=False), key=lambda s: len(s.at_home))
    spent: dict[str, list[float]] = {}
    with kept_embedder(config) as embedder, Asked(scope, config, embedder, lambda *_: None, rechunk=False) as asked:
        asked.reveal(None)
        with asking.running_as(asked, WHOLE):
            for number_, prompt in enumerate(scope.at_home[: ASKED_LIVE + 10]):
                reply = asked.ask(prompt)
                if number_ >= 10 and reply.outcome != "skipped":
                    for stage, ms in reply.timings:
                        spent.setdefault(stage, []).append(ms)
    return {stage: fmean(times) for stage, times in spent.items()}


def main() -> None:
    """Ask, test, print."""
    parser = asking.parser(__doc__)
    parser.add_argument("--limit", type=int, default=200, help="prompts of each set at most")
    parser.add_argument("--only", default="", help="names of variants, separated by commas")
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    places = asking.folders(options.folder, asking.SETS)
    sets = asking.side_by_side(measured, options.jobs, [(place, options.limit, only) for place in places])
    ms = costs(places[0])
    tests = _tests(sets)
    sure = dict(zip(tests, holm(list(tests.values())), strict=True))
    timed = {v.name: v.timed for v in OFF}
    rows = []
    for one in sets:
        whole = one["variants"][WHOLE.name]
        for name, found in one["variants"].items():
            row = [one["name"], name if name == WHOLE.name else f"– {name}"]
            row += [
                _cell(found[c], whole[c], sure.get((one["name"], name, c)), is_whole=name == WHOLE.name)
                for c in COLUMNS
            ]
            spent = [ms[stage] for stage in timed.get(name, ()) if stage in ms]
            cost = ms.get("recall") if name == WHOLE.name else sum(spent) if spent else None
            rows.append([*row, f"{cost:.2f}" if cost is not None else ""])
    asking.show("Each stage off", ["set", "without", *COLUMNS, "ms"], rows)
    if left_out := {v.name: v.missing() for v in OFF if v.missing()}:
        print("Left out, not in this engine: " + ", ".join(f"{name} ({why})" for name, why in left_out.items()))
    summary = {
        one["name"]: {
            name: {column: _mean(values) for column, values in found.items()} for name, found in one["variants"].items()
        }
        for one in sets
    }
    p_values = [{"set": s, "variant": v, "measure": m, "p": p} for (s, v, m), p in sure.items()]
    asking.write(options.json, {"sets": summary, "p": p_values, "ms": ms})


def _mean(values: dict[str, float]) -> float | None:
    return fmean(values.values()) if values else None


def _paired(found: dict[str, float], whole: dict[str, float]) -> Any:
    shared = sorted(found.keys() & whole.keys())
    return np.array([found[i] - whole[i] for i in shared])


def _tests(sets: Sequence[dict[str, Any]]) -> dict[tuple[str, str, str], float]:
    """Return the uncorrected p of every difference to the whole engine; where nothing differs there is none."""
    found = {}
    for one in sets:
        whole = one["variants"][WHOLE.name]
        for name, numbers in one["variants"].items():
            for column in COLUMNS:
                gap = _paired(numbers[column], whole[column])
                if name == WHOLE.name or not np.any(gap):
                    continue
                yes_no = set(numbers[column].values()) | set(whole[column].values()) <= {0.0, 1.0}
                p = mcnemar(int((gap > 0).sum()), int((gap < 0).sum())) if yes_no else randomisation_test(gap, seed=0)
                found[one["name"], name, column] = p
    return found


def _cell(values: dict[str, float], whole: dict[str, float], p: float | None, *, is_whole: bool) -> str:
    mean, base = _mean(values), _mean(whole)
    if mean is None or base is None or is_whole:
        return number(mean)
    if abs(mean - base) < 0.0005:
        return "="
    return f"{mean - base:+.3f}".replace("0.", ".", 1) + ("*" if p is not None and p < SURE else "")


if __name__ == "__main__":
    main()
