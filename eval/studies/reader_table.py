"""What the reader is worth on every set, beside the engine without it: the table that it was built for.

    python eval/studies/reader_table.py FOLDER [--limit N] [--json FILE]

FOLDER holds the sets; ours are asked as well, and of ``eval/data/answers`` the collections that are for testing. Every prompt is asked three times in one setting
for all: without the reader, as it comes ("auto"), and thoroughly ("deep"). Intervals hold 95 % of bootstrapped paired differences from the engine without it, over prompts;
p is that of the paired randomisation test, McNemar's exact one for a yes or no. "wanted" is what was hoped for before it was built.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import asking
import cosmetic
import numpy as np

from hookclaw_py import Engine
from hookclaw_py.config import Config
from hookclaw_py.evaluation import compare, silence
from hookclaw_py.evaluation.replay import kept_embedder, replay, run_config
from hookclaw_py.evaluation.results import Run, result_of
from hookclaw_py.evaluation.sets import MemorySet
from hookclaw_py.evaluation.tables import number
from hookclaw_py.evaluation.vaults import load_vault
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Prompt

DATA = Path(__file__).resolve().parent.parent / "data"
TESTING = tuple(DATA / "answers" / name for name in ("kiln_and_co", "fieldbook"))
TIMED = DATA / "vaults" / "fjordside"
READERS = OFF, AUTO, DEEP = "off", "auto", "deep"
RESAMPLES = 1_000
Values = Mapping[str, float]
Levels = tuple[Values, Values]
"""Up to which level each prompt fires: those that have an answer, and those that have none."""


class Row(NamedTuple):
    """A line: a measure, what was wanted, and by reader what came out and how that differs from the engine without one."""

    measure: str
    wanted: str
    came: Mapping[str, float | None]
    differs: Mapping[str, str]

    def cells(self) -> list[str]:
        """Return the line as it is printed."""
        without, *others = (number(self.came[reader]) for reader in READERS)
        told = [
            cell for reader, came in zip((AUTO, DEEP), others, strict=True) for cell in (came, self.differs[reader])
        ]
        return [self.measure, without, *told, self.wanted]


def of_prompts(measure: str, wanted: str, found: Mapping[str, Values]) -> Row:
    """Compare the means over the prompts."""
    differs = {}
    for reader in (AUTO, DEEP):
        shared = sorted(found[OFF].keys() & found[reader].keys())
        one, other = (np.array([found[of][name] for name in shared]) for of in (OFF, reader))
        gap = other - one
        gained, lost = int((gap > 0).sum()), int((gap < 0).sum())
        yes_no = bool(np.isin(np.concatenate([one, other]), (0, 1)).all())
        p = compare.mcnemar(gained, lost) if yes_no else compare.randomisation_test(gap, seed=0)
        differs[reader] = f"{interval(*compare.bootstrap_interval(gap, seed=0))}, {gained} / {lost}, p {p:.2f}"
    means = {of: float(np.mean([*values.values()])) if values else None for of, values in found.items()}
    return Row(measure, wanted, means, differs)


def of_levels(measure: str, wanted: str, found: Mapping[str, Levels], value: Callable[[Any, Any], float | None]) -> Row:
    """Compare what follows from all levels together, such as an area; the same prompts are drawn for both sides."""
    dice, differs = np.random.default_rng(0), {}
    for reader in (AUTO, DEEP):
        sides = [
            [np.array([found[of][part][name] for of in (OFF, reader)]) for name in sorted(found[OFF][part])]
            for part in (0, 1)
        ]
        gaps = []
        for _ in range(RESAMPLES if all(sides) else 0):
            home, others = (np.array(side)[dice.integers(0, len(side), len(side))] for side in sides)
            one, other = (value(home[:, n].tolist(), others[:, n].tolist()) for n in (0, 1))
            gaps += [other - one] if one is not None and other is not None else []
        differs[reader] = interval(*np.quantile(gaps, (0.025, 0.975))) if gaps else "–"
    came = {of: value([*home.values()], [*others.values()]) for of, (home, others) in found.items()}
    return Row(measure, wanted, came, differs)


def interval(low: float, high: float) -> str:
    """Return how an interval is printed."""
    return f"{low:+.3f} to {high:+.3f}"


def false_fire(share: float) -> Callable[[Any, Any], float | None]:
    """Return what says how many of the others fire where this share of the prompts at home does."""

    def value(home: Sequence[float], others: Sequence[float]) -> float | None:
        mark = silence.at_home_fire(home, others, share)
        return mark.false_fire if mark else None

    return value


def asked(memory_set: MemorySet) -> dict[str, Any]:
    """Return by reader the result of a set, as ``hookclaw eval run --json`` writes it."""
    found = {}
    for reader in READERS:
        config = run_config(Config(reader=reader))
        with kept_embedder(config, prompts_too=True) as embedder:
            found[reader] = result_of(
                memory_set, replay(memory_set, config, embedder, cross_pair=True), Run(config, True)
            )
    return found


def each(results: Mapping[str, Any], part: str, measure: str) -> dict[str, Values]:
    """Return by reader a measure of each prompt that has it."""
    lines = {of: result["prompts"].items() for of, result in results.items()}
    return {
        of: {i: float(one[part][measure]) for i, one in rows if measure in one.get(part, {})}
        for of, rows in lines.items()
    }


def levels(results: Mapping[str, Any], others: str) -> dict[str, Levels]:
    """Return by reader up to which level prompts with an answer fire, and ``others``: "cross-pair", or "absent", those of the set without one."""

    def level(line: Mapping[str, Any]) -> float:
        return silence.NEVER if line["outcome"] == "skipped" else float(line["evidence"])

    found: dict[str, Levels] = {}
    for of, result in results.items():
        rows = result["prompts"].items()
        home = {i: level(one) for i, one in rows if "chunk" in one or "session" in one}
        absent = {i: level(one) for i, one in rows if not one["answerable"]}
        strange = {i: level(one) for i, one in result["others"]["cross-pair"].items()}
        found[of] = home, absent if others == "absent" else strange
    return found


def levels_of_vault(folders: Sequence[Path]) -> dict[str, Levels]:
    """Return the same of collections of answers, for the prompts that name no turn before them."""
    found: dict[str, Levels] = {}
    for reader in READERS:
        home, absent = dict[str, float](), dict[str, float]()
        for folder in folders:
            with Engine.in_memory(run_config(Config(reader=reader))) as engine:
                engine.index(folder / "notes")
                for one in load_vault(folder)[0]:
                    sent = Prompt(
                        one.text, one.asked_at, agent_id=engine.agent, session_id=one.id, audience=Audience.OWNER
                    )
                    said = engine.recall(sent)
                    best = max((c.relevance for c in (*said.candidates, *said.rejected)), default=silence.NEVER)
                    (home if one.answers else absent)[f"{folder.name}/{one.id}"] = best
        found[reader] = home, absent
    return found


def added() -> dict[str, tuple[float, float]]:
    """Return by reader the median and the 95th percentile of a warm recall's processor time, milliseconds, each prompt asked in turn."""
    prompts = load_vault(TIMED)[0]
    engines = {reader: Engine.in_memory(run_config(Config(reader=reader))) for reader in READERS}
    spent: dict[str, list[float]] = {reader: [] for reader in READERS}
    for engine in engines.values():
        engine.index(TIMED / "notes")
    for one in prompts:
        for reader, engine in engines.items():
            sent = Prompt(one.text, one.asked_at, agent_id=engine.agent, session_id=one.id, audience=Audience.OWNER)
            before = time.process_time()
            engine.recall(sent)
            spent[reader].append((time.process_time() - before) * 1000)
    for engine in engines.values():
        engine.close()
    return {reader: (float(np.median(own)), float(np.quantile(own, 0.95))) for reader, own in spent.items()}


def flips(folders: Sequence[Path], limit: int) -> Row:
    """Return how many typing errors turn an injection into silence or the other way round, the mean of the sets."""
    came = {}
    for reader in READERS:
        shares = [cosmetic.share(cosmetic.measured(folder, limit, reader), kind="typo") for folder in folders]
        came[reader] = cosmetic.mean_of(shares)
    return Row("typing errors that flip inject/silent", "≤ .04", came, {AUTO: "–", DEEP: "–"})


def main() -> None:
    """Ask and print."""
    parser = asking.parser(__doc__)
    parser.add_argument("--limit", type=int, help="prompts of each set at most")
    given = parser.parse_args()
    names = ("longmemeval_ev", "realmem_notes", "locomo", "beam_100k")
    places = {**{name: given.folder / name for name in names}, "notebooks": DATA / "notebooks"}
    found = {name: asked(asking.opened(place, given.limit)) for name, place in places.items()}
    long, real, loco, beam, own = found.values()
    area = silence.area_under
    tested = levels_of_vault(TESTING)
    rows = [
        of_prompts("LongMemEval evidence: RAll@5", "≥ .92", each(long, "chunk", "RAll@5")),
        of_prompts("the same: nDCG@10", "≥ .93", each(long, "chunk", "nDCG@10")),
        of_prompts("RealMem notes: R@5", "≥ .48", each(real, "chunk", "R@5")),
        of_prompts("the same: the block holds a relevant chunk", "≥ .40", each(real, "carry", "whole")),
        of_prompts("LoCoMo: nDCG@10", "≥ .66", each(loco, "chunk", "nDCG@10")),
        of_prompts("the same: precision of the block", "≥ .50", each(loco, "carry", "precision")),
        of_levels("LongMemEval: false fire at 95 % home", "≤ .25", levels(long, "cross-pair"), false_fire(0.95)),
        of_levels("RealMem notes: false fire at 90 % home", "≤ .25", levels(real, "cross-pair"), false_fire(0.9)),
        of_levels("answer absent, area: LoCoMo", "≥ .75", levels(loco, "absent"), area),
        of_levels("answer absent, area: notebooks", "≥ .90", levels(own, "absent"), area),
        of_levels("answer absent, area: our test collections", "≥ .95", tested, area),
        of_prompts("beam_100k: R@5", "≥ .42", each(beam, "chunk", "R@5")),
        of_prompts("notebooks: newest above", "≥ .86", each(own, "staleness", "newest_above")),
        flips([places["longmemeval_ev"], places["notebooks"]], given.limit or cosmetic.LIMIT),
    ]
    heads = ["measure", "without", "auto", "95 % of the difference, better / worse", "deep", "the same", "wanted"]
    asking.show("With the reader and without", heads, [row.cells() for row in rows])
    cost = added()
    more = [[reader, *(f"{value:.1f}" for value in cost[reader])] for reader in READERS]
    asking.show(f"Processor time of a warm recall on {TIMED.name}, milliseconds", ["reader", "p50", "p95"], more)
    asking.write(given.json, {"rows": [row._asdict() for row in rows], "milliseconds": cost})


if __name__ == "__main__":
    main()
