"""Cosmetic changes: how often a typo, a greeting or an envelope turns an injection into silence, or the other way round.

    python eval/studies/cosmetic.py FOLDER [--limit 120] [--json FILE]

Every prompt is asked as it is and in eight variants, at home and of another store, with nothing remembered in between. A
flip is a variant that is injected where the original is not, or the reverse. Of each flip is told how far the original
was from the level, and which single piece of evidence would have undone it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import asking
from asking import Variant
from cosmetics import KINDS, variants

from hookclaw_py.evaluation.replay import Asked, Reply, kept_embedder
from hookclaw_py.evaluation.scopes import in_order, scopes
from hookclaw_py.evaluation.sets import LabelledPrompt
from hookclaw_py.evaluation.tables import number
from hookclaw_py.stages import calibrate

AS_IT_IS = Variant("default")
LIMIT = 120  # prompts of each set
NEAR = 0.1  # of the level: a flip from there was a narrow decision to begin with
Flip = dict[str, Any]


@contextmanager
def weighed(into: dict[str, Any]) -> Iterator[None]:
    """Write down under "best" the evidence of the most relevant chunk that is weighed meanwhile."""
    original: Callable[..., Any] = calibrate.relevance

    def listening(evidence: Any, *rest: Any, **named: Any) -> float:
        value: float = original(evidence, *rest, **named)
        if value >= into.get("value", -1.0):
            into.update(value=value, best=evidence, judge=lambda other: original(other, *rest, **named))
        return value

    calibrate.relevance = listening
    try:
        yield
    finally:
        calibrate.relevance = original


def ask(asked: Asked, prompt: LabelledPrompt) -> tuple[Reply, dict[str, Any]]:
    """Ask once; return the reply and the evidence that decided it, where the engine still weighs evidence that way."""
    evidence: dict[str, Any] = {}
    with asking.running_as(asked, AS_IT_IS), weighed(evidence):
        reply = asked.ask(prompt)
    return reply, evidence


def culprit(before: tuple[Reply, dict[str, Any]], after: tuple[Reply, dict[str, Any]], level: float) -> str:
    """Name what made the difference: the gate, or the evidence that alone, as it was before, gives the first decision."""
    if "skipped" in (before[0].outcome, after[0].outcome):
        return "gate"
    old, new = before[1].get("best"), after[1].get("best")
    if old is None or new is None or not hasattr(new, "_replace"):
        return "unknown"
    fired = before[0].evidence >= level
    judge = after[1]["judge"]
    alone = [
        (abs(judge(new._replace(**{name: getattr(old, name)})) - after[0].evidence), name)
        for name in new._fields
        if (judge(new._replace(**{name: getattr(old, name)})) >= level) == fired
    ]
    if alone:
        return max(alone)[1]
    return "several" if (before[0].evidence >= level) != (after[0].evidence >= level) else "after abstention"


def measured(folder: Path, limit: int, reader: str = "auto") -> dict[str, Any]:
    """Ask one set, with the ``reader`` as configured; return how many variants of each kind were asked, and every flip."""
    memory_set = asking.opened(folder, limit)
    judged = {*memory_set.judged("chunk"), *memory_set.judged("session")}
    config = asking.study_config().model_copy(update={"reader": reader})
    counts: dict[str, Counter[str]] = {"home": Counter(), "strangers": Counter()}
    flips: list[Flip] = []

    def compare(asked: Asked, prompt: LabelledPrompt, where: str) -> None:
        before = ask(asked, prompt)
        for kind, text in variants(prompt.text, seed=0).items():
            counts[where][kind] += 1
            after = ask(asked, replace(prompt, text=text))
            if after[0].fired != before[0].fired:
                flips.append(
                    {
                        "kind": kind,
                        "where": where,
                        "fired": before[0].fired,
                        "before": round(before[0].evidence, 4),
                        "after": round(after[0].evidence, 4),
                        "culprit": culprit(before, after, config.min_score),
                        "prompt": prompt.id,
                    }
                )

    with kept_embedder(config, prompts_too=True) as embedder:
        for scope in scopes(memory_set, cross_pair=True):
            with Asked(scope, config, embedder, lambda *_: None, rechunk=False) as asked:
                for prompt in in_order(scope.at_home):
                    asked.reveal(prompt.before_seq)
                    if prompt.id in judged:
                        compare(asked, prompt, "home")
                asked.reveal(None)
                for prompt in scope.strangers:
                    compare(asked, prompt, "strangers")
    return {"name": memory_set.name, "counts": counts, "flips": flips, "level": config.min_score}


def share(one: dict[str, Any], **wanted: str) -> float | None:
    """Return the share of flips among the variants of one kind and place, or of all."""
    kinds, places = [wanted.get("kind")] if "kind" in wanted else list(KINDS), [wanted.get("where")]
    places = places if places[0] else ["home", "strangers"]
    asked = sum(one["counts"][where][kind] for where in places for kind in kinds)
    flipped = sum(f["kind"] in kinds and f["where"] in places for f in one["flips"])
    return flipped / asked if asked else None


def run(folder: Path, *, limit: int, jobs: int, json: Path | None) -> None:
    """Ask, count, print, write."""
    sets = asking.side_by_side(measured, jobs, [(place, limit) for place in asking.folders(folder, asking.SETS)])
    rows = [
        [
            one["name"],
            *(number(share(one, kind=kind)) for kind in KINDS),
            *(number(share(one, where=w)) for w in ("home", "strangers")),
            number(share(one)),
        ]
        for one in sets
    ]
    by_kind = {kind: mean_of([share(one, kind=kind) for one in sets]) for kind in KINDS}
    overall = mean_of([share(one) for one in sets])
    places = [mean_of([share(one, where=where) for one in sets]) for where in ("home", "strangers")]
    rows.append(["mean of the sets", *map(number, by_kind.values()), *map(number, places), number(overall)])
    asking.show("Share of variants that flip", ["set", *KINDS, "at home", "strangers", "all"], rows)
    flips = [flip for one in sets for flip in one["flips"]]
    rows = []
    for kind in KINDS:
        mine = [flip for flip in flips if flip["kind"] == kind]
        causes = Counter(flip["culprit"] for flip in mine)
        near = sum(abs(flip["before"] - sets[0]["level"]) <= NEAR for flip in mine)
        lost = sum(flip["fired"] for flip in mine)
        told = ", ".join(f"{name} {count}" for name, count in causes.most_common())
        rows.append([kind, str(len(mine)), f"{lost} / {len(mine) - lost}", str(near), told])
    heads = ["kind", "flips", "to silence / to injection", f"original within {NEAR} of the level", "would be undone by"]
    asking.show("Why", heads, rows)
    found = {"overall": overall, "by_kind": by_kind, "sets": {one["name"]: share(one) for one in sets}, "flips": flips}
    asking.write(json, found)


def mean_of(values: list[float | None]) -> float | None:
    """Return the mean of the values that are there."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


def main() -> None:
    """Read the command line."""
    parser = asking.parser(__doc__)
    parser.add_argument("--limit", type=int, default=LIMIT, help="prompts of each set at most")
    options = parser.parse_args()
    run(options.folder, limit=options.limit, jobs=options.jobs, json=options.json)


if __name__ == "__main__":
    main()
