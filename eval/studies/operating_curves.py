"""Operating curves: how often the engine speaks at home against how often among strangers, beside two simple ways.

    python eval/studies/operating_curves.py FOLDER [--svg eval/results/operating_curves.svg] [--json FILE] [--limit N]

"default" is the engine as it comes, "BM25 only" the same without vectors, "cosine floor" the best cosine of any chunk with
the same model and nothing else. One level holds for all stores of a set; in the pooled curve one level holds for all sets,
each set weighing the same. Also measured: prompts whose answer is absent though the subject is there, general prompts
asked of LoCoMo's stores, and how reliable the stated relevance is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import asking
from asking import Variant
from calibration_error import expected_calibration_error, reliability
from panels import operating_panels

from hookclaw_py.evaluation import silence
from hookclaw_py.evaluation.prompt_sets import load_gating
from hookclaw_py.evaluation.replay import Asked, Reply, kept_embedder
from hookclaw_py.evaluation.results import level_of
from hookclaw_py.evaluation.scopes import in_order, scopes, visited
from hookclaw_py.evaluation.sets import LabelledPrompt
from hookclaw_py.evaluation.tables import number
from hookclaw_py.hosts.openclaw.envelope import unwrap

DEFAULT, BM25, COSINE = ENGINES = "default", "BM25 only", "cosine floor"
VARIANTS = (Variant(DEFAULT), Variant(BM25, pipeline=asking.without_vectors))
MARKS = (0.95, 0.90, 0.85)
MOST_PAIRS = 12  # of stores, for a table of its own
Levels = dict[str, list[float]]
"""By engine the level up to which each prompt fires."""


def levels_of(asked: Asked, prompt: LabelledPrompt, into: dict[str, Levels], group: str) -> Reply:
    """Ask one prompt in every way and write down up to which level it fires; return the default engine's reply."""
    replies = []
    for variant in VARIANTS:
        with asking.running_as(asked, variant):
            reply = asked.ask(prompt)
        into[group].setdefault(variant.name, []).append(level_of(reply))
        replies.append(reply)
    into[group].setdefault(COSINE, []).append(best_cosine(asked, prompt))
    into[group].setdefault("stated", []).append(replies[0].evidence)
    into[group].setdefault("fired", []).append(float(replies[0].fired))
    return replies[0]


def best_cosine(asked: Asked, prompt: LabelledPrompt) -> float:
    """Return the best cosine of the prompt with any chunk of the store, 0 for an empty one."""
    vectors = asked.engine.pipeline.indexes.vectors
    if vectors is None or asked.embedder is None:
        return 0.0
    hits = vectors.search(asked.embedder.embed(unwrap(prompt.text)), 1)
    return max(0.0, hits[0].score) if hits else 0.0


def measured(folder: Path, gating: Path | None, limit: int | None) -> dict[str, Any]:
    """Ask one set; with ``gating`` also the general prompts of it."""
    memory_set = asking.opened(folder, limit)
    judged = {*memory_set.judged("chunk"), *memory_set.judged("session")}
    general: list[LabelledPrompt] = []
    if gating is not None:
        general = [p.labelled() for p in load_gating(gating)[0] if p.label == "no_memory" and p.split in ("", "dev")]
    levels: dict[str, Levels] = {"home": {}, "strangers": {}, "absent": {}, "general": {}}
    sources: list[str] = []
    pairs: list[str] = []
    config = asking.study_config()
    dealt = {scope.name: scope.strangers for scope in visited(memory_set, general)}
    with kept_embedder(config, prompts_too=True) as embedder:
        for scope in scopes(memory_set, cross_pair=True):
            with Asked(scope, config, embedder, lambda *_: None, rechunk=False) as asked:
                for prompt in in_order(scope.at_home):
                    asked.reveal(prompt.before_seq)
                    if prompt.id in judged or not prompt.answerable:
                        levels_of(asked, prompt, levels, "home" if prompt.id in judged else "absent")
                asked.reveal(None)
                for prompt in scope.strangers:
                    levels_of(asked, prompt, levels, "strangers")
                    pairs.append(f"{prompt.group} asked of {scope.name}")
                for prompt in dealt.get(scope.name, ()):
                    levels_of(asked, prompt, levels, "general")
                    sources.append(prompt.category)
    return {
        "name": memory_set.name,
        "levels": levels,
        "sources": sources,
        "pairs": pairs,
        "min_score": config.min_score,
    }


def false_fire(home: Sequence[float], others: Sequence[float], share: float) -> float | None:
    """Return the false fire where ``share`` of the home prompts fire."""
    mark = silence.at_home_fire(home, others, share)
    return mark.false_fire if mark else None


def pooled(sets: Sequence[dict[str, Any]], engine: str) -> list[tuple[float, float]]:
    """Return (false fire, home fire) at each level, the mean over the sets at that same level."""
    home = [sorted(s["levels"]["home"][engine]) for s in sets]
    others = [sorted(s["levels"]["strangers"][engine]) for s in sets]
    levels = sorted({x for group in (*home, *others) for x in group if x >= 0}, reverse=True)

    def mean(groups: list[list[float]], level: float) -> float:
        return sum((len(g) - bisect_left(g, level)) / len(g) for g in groups) / len(groups)

    return [(0.0, 0.0), *((mean(others, level), mean(home, level)) for level in levels)]


def pooled_mark(curve: Sequence[tuple[float, float]], share: float) -> float | None:
    """Return the false fire of a pooled curve where it reaches ``share``."""
    return next((x for x, y in curve if y >= share - 1e-12), None)


def area(curve: Sequence[tuple[float, float]]) -> float:
    """Return the area under a pooled curve, its end drawn to (1, 1)."""
    points = [*curve, (1.0, 1.0)]
    return sum((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in pairwise(points))


def numbers_of(one: dict[str, Any]) -> dict[str, Any]:
    """Return what the tables and the targets need of one set."""
    groups = one["levels"]
    home, strangers, absent, general = (groups[name] for name in ("home", "strangers", "absent", "general"))
    found: dict[str, Any] = {"engines": {}, "prompts": len(home[DEFAULT]), "strangers": len(strangers[DEFAULT])}
    for engine in ENGINES:
        h, s = home[engine], strangers[engine]
        row: dict[str, Any] = {f"at_{share * 100:.0f}": false_fire(h, s, share) for share in MARKS}
        mark = silence.at_home_fire(h, s, 0.95)
        row["level_95"] = mark.level if mark else None
        if mark and len(set(one["pairs"])) <= MOST_PAIRS:
            row["by_pair"] = by_label([level >= mark.level for level in s], one["pairs"])
        row["area"] = silence.area_under(h, s)
        row["answer_absent"] = silence.area_under(h, absent[engine]) if absent else None
        if general:
            fired = [level >= mark.level if mark else None for level in general[engine]]
            row["general"] = share_of(fired)
            row["general_by_source"] = by_label(fired, one["sources"])
        found["engines"][engine] = row
    found["home_fire"] = share_of(home["fired"])
    found["false_fire"] = share_of(strangers["fired"])
    found["general_fire"] = share_of(general["fired"]) if general else None
    found["ece"] = expected_calibration_error(home["stated"], strangers["stated"])
    found["reliability"] = [list(b) for b in reliability(home["stated"], strangers["stated"], bins=10)]
    return found


def by_label(fired: Sequence[bool | None], labels: Sequence[str]) -> dict[str, float | None]:
    """Return the share that fired of each label."""
    return {
        label: share_of([f for f, own in zip(fired, labels, strict=True) if own == label])
        for label in sorted(set(labels))
    }


def share_of(fired: Sequence[float | bool | None]) -> float | None:
    """Return the share that fired; None where that could not be said."""
    return sum(map(float, fired)) / len(fired) if fired and None not in fired else None  # type: ignore[arg-type]


def report(found: dict[str, Any]) -> None:
    """Print the tables."""
    rows = [
        [name, engine, *(number(row[k]) for k in ("at_95", "at_90", "at_85", "area", "answer_absent"))]
        for name, one in found["sets"].items()
        for engine, row in one["engines"].items()
    ]
    rows += [
        ["all sets, one level", engine, *(number(row[k]) for k in ("at_95", "at_90", "at_85", "area")), "–"]
        for engine, row in found["pooled"].items()
    ]
    heads = ["set", "engine", "false fire at 95 % home", "at 90 %", "at 85 %", "area", "area, answer absent"]
    asking.show("Silence", heads, rows)
    rows = [
        [name, number(one["home_fire"]), number(one["false_fire"]), number(one["ece"])]
        for name, one in found["sets"].items()
    ]
    asking.show("At the default level", ["set", "home fire", "false fire", "calibration error"], rows)
    bins = [[f"{b[0]:.2f}", f"{b[1]:.2f}", f"{b[2]:.3f}"] for b in found["pooled_reliability"]]
    asking.show(f"Reliability, all sets (ECE {number(found['pooled_ece'])})", ["stated", "right", "weight"], bins)
    for name, one in found["sets"].items():
        by_engine = {engine: row["by_pair"] for engine, row in one["engines"].items() if "by_pair" in row}
        if len(by_engine) == len(ENGINES):
            rows = [[pair, *(number(b[pair]) for b in by_engine.values())] for pair in by_engine[DEFAULT]]
            asking.show(f"{name}: false fire at 95 % home fire by pair of stores", ["", *by_engine], rows)
        if one["general_fire"] is not None:
            by_engine = {engine: row["general_by_source"] for engine, row in one["engines"].items()}
            rows = [[s, *(number(b[s]) for b in by_engine.values())] for s in next(iter(by_engine.values()))]
            rows.append(["all", *(number(row["general"]) for row in one["engines"].values())])
            title = f"General prompts over {name}, at its 95 % home fire (default level: {number(one['general_fire'])})"
            asking.show(title, ["source", *by_engine], rows)


def run(folder: Path, *, limit: int | None, jobs: int, json: Path | None, svg: Path | None) -> None:
    """Ask, count, print, write, draw."""
    gating = folder / "gating"
    calls = [
        (place, gating if place.name == "locomo" and gating.is_dir() else None, limit)
        for place in asking.folders(folder, asking.SETS)
    ]
    sets = [one for one in asking.side_by_side(measured, jobs, calls) if usable(one)]
    curves = {engine: pooled(sets, engine) for engine in ENGINES}
    stated = {g: [x for s in sets for x in s["levels"][g]["stated"]] for g in ("home", "strangers")}
    found = {
        "sets": {one["name"]: numbers_of(one) for one in sets},
        "pooled": {
            engine: {f"at_{share * 100:.0f}": pooled_mark(curve, share) for share in MARKS} | {"area": area(curve)}
            for engine, curve in curves.items()
        },
        "pooled_ece": expected_calibration_error(stated["home"], stated["strangers"]),
        "pooled_reliability": [list(b) for b in reliability(stated["home"], stated["strangers"], bins=10)],
    }
    report(found)
    asking.write(json, found)
    if svg:
        panels = {one["name"]: {engine: curve_of(one, engine) for engine in ENGINES} for one in sets}
        working = {name: (one["false_fire"], one["home_fire"]) for name, one in found["sets"].items()}
        thin = {
            title: {name: curve[:: max(1, len(curve) // 200)] + curve[-1:] for name, curve in by.items()}
            for title, by in {**panels, "all sets, one level": curves}.items()
        }
        svg.write_text(operating_panels(thin, working=working), encoding="utf-8")


def usable(one: dict[str, Any]) -> bool:
    """Say whether a set has prompts on both sides; one that has none, for a small ``--limit``, is named and left out."""
    empty = [group for group in ("home", "strangers") if not one["levels"][group]]
    if empty:
        print(f"{one['name']}: left out, nobody asked ({', '.join(empty)})")
    return not empty


def curve_of(one: dict[str, Any], engine: str) -> list[tuple[float, float]]:
    """Return one set's (false fire, home fire) at every level."""
    levels = one["levels"]
    points = silence.operating_curve(levels["home"][engine], levels["strangers"][engine])
    return [(point.false_fire, point.home_fire) for point in points]


def main() -> None:
    """Read the command line."""
    parser = asking.parser(__doc__)
    parser.add_argument("--svg", type=Path, help="write the plot here")
    parser.add_argument("--limit", type=int, help="prompts of each set at most")
    options = parser.parse_args()
    run(options.folder, limit=options.limit, jobs=options.jobs, json=options.json, svg=options.svg)


if __name__ == "__main__":
    main()
