"""Fits when a later turn is told before the one that was found before it (``stages.restated.latest_first``), and writes that to the weights file.

    python eval/fit_restated.py NAME … [--out FILE]

NAMEs of ``eval/data/diaries``, lived through by capture. Of every prompt the sentences of later turns are looked at beside the best turn. Putting one
first gains where it answers and the best does not, twice where that holds what is outdated; it loses where the best answers, and a little
where neither does. Every combination of ``STEPS`` is tried; printed is also what each diary comes to by the weights of the others.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import NamedTuple

from fit_reader import digest_of
from studies import grown

from hookclaw_py.calibration import weights
from hookclaw_py.calibration.constants import RestatedRules
from hookclaw_py.model.types import Candidate, Query
from hookclaw_py.stages.restated import Later, told_later

OUT = Path(__file__).parents[1] / "hookclaw_py" / "calibration" / f"{weights.DEFAULT}.json"
STEPS = {
    "differs": (0.0, 0.2, 0.4, 0.6, 0.8),
    "behind": (0.0, 0.3, 0.5, 0.7, 1.0),
    "akin": (0.0, 0.2, 0.3, 0.4, 0.5),
    "least": (0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2),
}
NEITHER = 0.1  # of a loss: another turn about the same stands first


class Seen(NamedTuple):
    """A prompt: whether the best turn answers it, whether that holds what is outdated, and each later sentence with whether its turn answers."""

    answers: bool
    outdated: bool
    later: Sequence[tuple[Later, bool]]


class Outcome(NamedTuple):
    """What putting a later turn first comes to, in prompts."""

    gained: int = 0
    outdated: int = 0
    lost: int = 0
    neither: int = 0

    @property
    def value(self) -> float:
        """Return what that is worth."""
        return self.gained + self.outdated - self.lost - NEITHER * self.neither


def seen_in(name: str) -> Iterator[Seen]:
    """Live through a diary; yield each prompt whose best is a turn with later ones behind it."""
    seen = list[tuple[Candidate, list[Later]]]()

    def look(
        candidates: Sequence[Candidate],
        query: Query,
        *,
        worth: Callable[[Candidate], bool],
        rarity: Callable[[Collection[str]], Mapping[str, float]],
        **_: object,
    ) -> list[Candidate]:
        best = next((c for c in candidates if worth(c)), None)
        if best is not None and best.chunk.kind.speakers:
            seen.append((best, told_later(candidates, best, query, rarity)))
        return list(candidates)

    with grown.newborn() as engine:
        engine.pipeline.stages = replace(engine.pipeline.stages, latest_said=look)
        for asked, prompt in grown.lived(name, engine):
            seen.clear()
            engine.recall(prompt, record=False)
            for best, later in seen:
                outdated = any(word in " ".join(best.chunk.text.split()) for word in asked.outdated)
                found = [(one, grown.answers_in(asked, one.chunk.text)) for one in later]
                yield Seen(grown.answers_in(asked, best.chunk.text), outdated, found)


def outcome_of(prompts: Collection[Seen], rules: RestatedRules) -> Outcome:
    """Return what the rules come to for these prompts."""
    gained = outdated = lost = neither = 0
    for one in prompts:
        told, right = max(one.later, key=lambda pair: pair[0].weighed(rules), default=(None, False))
        if told is None or told.weighed(rules) < rules.least:
            continue
        if one.answers:
            lost += 1
        elif right:
            gained, outdated = gained + 1, outdated + one.outdated
        else:
            neither += 1
    return Outcome(gained, outdated, lost, neither)


def best_of(diaries: Collection[Collection[Seen]]) -> RestatedRules:
    """Return the rules that are worth most; of equals the first."""
    tried = [RestatedRules(*values) for values in product(*STEPS.values())]
    return max(tried, key=lambda rules: sum(outcome_of(prompts, rules).value for prompts in diaries))


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args(arguments)
    diaries = {name: list(seen_in(name)) for name in given.names}
    for name, prompts in diaries.items() if len(diaries) > 1 else ():
        others = best_of([own for other, own in diaries.items() if other != name])
        print(f"{name}, by the others: {outcome_of(prompts, others)}, {others}")
    rules = best_of(diaries.values())
    print(rules, *(f"{name}: {outcome_of(prompts, rules)}" for name, prompts in diaries.items()), sep="\n")
    written = json.loads(given.out.read_text(encoding="utf-8"))
    written["constants"]["changes"]["restated"] = rules._asdict()
    written["searched"]["restated"] = {
        "made": f"eval/fit_restated.py, {datetime.now(UTC):%Y-%m-%d}",
        "data": {name: digest_of(grown.DIARIES / name) for name in diaries},
        "tried": STEPS,
        "found": {name: outcome_of(prompts, rules)._asdict() for name, prompts in diaries.items()},
    }
    given.out.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
