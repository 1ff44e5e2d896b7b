"""The table of targets: what was aimed at, what is measured, met or not.

    python eval/studies/targets.py FOLDER [--results DIR]

With ``--results`` the folder may hold curves.json and cosmetic.json (``--json`` of operating_curves.py and cosmetic.py)
and what an earlier run left there; what is missing is run now, and written there.

False fire is that of cross-paired prompts. A stale fact counts as at or above the newest unless the newest is ranked above
every one it replaced, also where neither was found. Carry: of the prompts with a relevant chunk, the share whose block
holds one in full and is at most 500 estimated tokens long, at the default level.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import asking
import cosmetic
import operating_curves
import orjson

from hookclaw_py.evaluation.carry import size_of
from hookclaw_py.evaluation.replay import kept_embedder, replay
from hookclaw_py.evaluation.results import Run, result_of
from hookclaw_py.evaluation.sets import load_memory_set
from hookclaw_py.evaluation.tables import number

LME, LOCOMO, NOTES, PROACTIVE, FACTS = (
    "longmemeval_ev",
    "locomo",
    "realmem_notes",
    "proactivemem",
    "factconsolidation_sh",
)
MOST_TOKENS = 500


class Target(NamedTuple):
    """One line: ``goal`` is a ceiling where ``at_most``, else a floor."""

    measure: str
    goal: float
    value: float | None
    at_most: bool = False
    note: str = ""

    @property
    def met(self) -> str:
        """Say whether the goal is reached, and else by how much it is missed."""
        if self.value is None:
            return "not reached" if self.at_most else "–"
        gap = self.value - self.goal if self.at_most else self.goal - self.value
        return "yes" if gap <= 1e-9 else f"no, {number(gap)} off"


def result_for(folder: Path, results: Path, level: float | None = None) -> dict[str, Any]:
    """Return the stored result of one set, or run it and store it; with ``level`` another abstention level, home only."""
    file = results / f"{folder.name}.{'targets' if level is None else 'level'}.json"
    if not file.exists():
        memory_set = load_memory_set(folder)
        config = asking.study_config()
        if level is not None:
            config = config.model_copy(update={"min_score": level})
        with kept_embedder(config, prompts_too=True) as embedder:
            replayed = replay(memory_set, config, embedder, cross_pair=level is None)
        result = result_of(memory_set, replayed, Run(config, level is None))
        short = {r.prompt.id for r in replayed.at_home if size_of(r)["tokens"] <= MOST_TOKENS}
        rows = {name: line["carry"]["whole"] for name, line in result["prompts"].items() if "carry" in line}
        result["carry"]["whole_and_short"] = fmean(whole * (name in short) for name, whole in rows.items())
        asking.write(file, result)
    found: dict[str, Any] = orjson.loads(file.read_bytes())
    return found


def study(file: Path, run: Any) -> dict[str, Any]:
    """Return a study's stored numbers, or run it and store them."""
    if not file.exists():
        run(file)
    found: dict[str, Any] = orjson.loads(file.read_bytes())
    return found


def targets(
    results: Mapping[str, dict[str, Any]], curves: dict[str, Any], cosmetics: dict[str, Any], lower: dict[str, Any]
) -> list[Target]:
    """Return the lines; ``lower`` is LongMemEval's result at the level of 95 % home fire."""
    sets = curves["sets"]

    def fire(name: str, at: str) -> float | None:
        value: float | None = sets[name]["engines"]["default"][at]
        return value

    def absent(name: str) -> Target:
        ours, floor = (sets[name]["engines"][engine]["answer_absent"] for engine in ("default", "cosine floor"))
        note = f"{number(ours)} against {number(floor)}"
        return Target(f"answer absent, area over the cosine floor's, {name}", 0.05, round(ours - floor, 4), note=note)

    def ranked(name: str, measure: str, goal: float) -> Target:
        return Target(f"{measure}, {name}", goal, results[name]["ranking"]["chunk"]["overall"][measure])

    stale = results[FACTS]["staleness"]
    general = sets[LOCOMO]["engines"]["default"]
    worst = max(general["general_by_source"].items(), key=lambda item: item[1] or 0.0)
    return [
        Target(f"false fire at 95 % home fire, {LME}", 0.20, fire(LME, "at_95"), True),
        Target(f"false fire at 90 % home fire, {NOTES}", 0.25, fire(NOTES, "at_90"), True),
        Target(f"false fire at 95 % home fire, {LOCOMO}", 0.005, fire(LOCOMO, "at_95"), True),
        absent(LOCOMO),
        absent(LME),
        Target(
            "injections on general prompts over locomo, same level",
            0.03,
            general["general"],
            True,
            note=f"worst source {worst[0]} {number(worst[1])}; at the default level {number(sets[LOCOMO]['general_fire'])}",
        ),
        Target(
            f"carry in a block of ≤ {MOST_TOKENS} tokens, {LME}",
            0.85,
            results[LME]["carry"]["whole_and_short"],
            note=f"{told(results[LME])}; at the level of 95 % home fire {number(lower['carry']['whole_and_short'])}, "
            f"precision {number(lower['carry'].get('precision'))}",
        ),
        Target(f"precision of injected chunks, {LME}", 0.5, results[LME]["carry"].get("precision")),
        Target(f"precision of injected chunks, {LOCOMO}", 0.4, results[LOCOMO]["carry"].get("precision")),
        ranked(LME, "RAll@5", 0.92),
        ranked(LME, "nDCG@10", 0.93),
        ranked(LOCOMO, "R@5", 0.66),
        ranked(LOCOMO, "nDCG@10", 0.59),
        ranked(NOTES, "R@5", 0.45),
        ranked(PROACTIVE, "R@5", 0.40),
        Target(f"stale fact at or above the newest, {FACTS}", 0.10, 1 - stale["newest_above"], True),
        Target("cosmetic changes that flip inject/silent, mean of the sets", 0.02, cosmetics["overall"], True),
    ]


def told(result: dict[str, Any]) -> str:
    """Say how often the engine fires at home, which bounds what is carried, and how long its blocks are."""
    return (
        f"home fire {number(result['silence']['home']['fired'])}, {result['carry'].get('tokens', 0):.0f} tokens a block"
    )


def main() -> None:
    """Gather and print."""
    parser = asking.parser(__doc__)
    parser.add_argument("--results", type=Path, help="where results are, and new ones go")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        place = options.results or Path(scratch)
        place.mkdir(parents=True, exist_ok=True)
        names = (LME, LOCOMO, NOTES, PROACTIVE, FACTS)
        found = asking.side_by_side(result_for, options.jobs, [(options.folder / name, place) for name in names])
        curves = study(
            place / "curves.json",
            lambda file: operating_curves.run(options.folder, limit=None, jobs=options.jobs, json=file, svg=None),
        )
        flips = study(
            place / "cosmetic.json",
            lambda file: cosmetic.run(options.folder, limit=cosmetic.LIMIT, jobs=options.jobs, json=file),
        )
        level = curves["sets"][LME]["engines"]["default"]["level_95"]
        lower = result_for(options.folder / LME, place, level if level is not None else 0.0)
        lines = targets(dict(zip(names, found, strict=True)), curves, flips, lower)
    rows = [[t.measure, f"{'≤' if t.at_most else '≥'} {number(t.goal)}", number(t.value), t.met, t.note] for t in lines]
    asking.show("Targets", ["measure", "target", "measured", "met", ""], rows)
    print(f"{sum(t.met == 'yes' for t in lines)} of {len(lines)} met")
    asking.write(options.json, {"targets": [{**t._asdict(), "met": t.met} for t in lines]})


if __name__ == "__main__":
    main()
