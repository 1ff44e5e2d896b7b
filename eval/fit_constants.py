"""Looks for better constants than those of the weights file, and writes down what was found.

    python eval/fit_constants.py SET_DIR … [--only NAME …] [--limit N] [--out FILE]

A SET_DIR is a memory set or a vault (eval/README.md), for development: never one for testing. Every prompt is recalled under the
present constants and, one constant at a time, under the alternatives of ``TRIED``, and judged by what the agent reads. What says when
a word is misspelt is asked with a typo as well; what use changes is asked again, with a typo, when every prompt has been asked once and
answered from what was right. A value is only taken if it loses on no set, and if the prompts that it gains are not luck: McNemar's
exact test, corrected by Holm for all that was tried. What is taken is the next round's present value, until nothing is.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from studies.cosmetics import typo
from trying import Trying

from hookclaw_py.calibration import weights
from hookclaw_py.calibration.constants import Constants, constants_of, flat, names_of
from hookclaw_py.config import Config
from hookclaw_py.engine import Engine
from hookclaw_py.evaluation.compare import holm, mcnemar
from hookclaw_py.evaluation.folders import kind_of, open_set
from hookclaw_py.evaluation.replay import Asked, kept_embedder, run_config
from hookclaw_py.evaluation.scopes import in_order, scopes
from hookclaw_py.evaluation.vaults import VaultPrompt, VaultVerdict, holds, judged, load_vault
from hookclaw_py.evaluation.vectors import KeptEmbedder
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Injection, Outcome, Prompt

OUT = Path(__file__).parents[1] / "hookclaw_py" / "calibration" / f"{weights.DEFAULT}.json"
SURE = 0.05
"""Corrected p below which a gain is not taken for luck."""
WAYS = ("as they are", "with a typo", "again")
LATER = timedelta(hours=3)
CHAT = "I cannot say."
TRIED: Mapping[str, Sequence[Any]] = {
    "growth": (0.15, 0.2, 0.3, 0.35),
    "grown": (100, 400),
    "fewest": (3, 10),
    "prior_chunks": (50, 200),
    "alike": (0.6, 0.8),
    "least_deviation": (0.02, 0.05),
    "absolute": (0.1, 0.3),
    "spread": (3.5, 7.0),
    "company": (0.55, 0.6, 0.7, 0.75),
    "context_boost": (2.0, 3.0, 6.0),
    "carried": (0.3, 0.7),
    "pages": (5, 20),
    "unrelated": (0.35, 0.55),
    "same_subject": (0.2, 0.25, 0.35, 0.4),
    "pointing": (0.3, 0.7),
    "lines.behind": (0.4, 0.8),
    "lines.shared": (0.6, 1.2),
    "lines.late": (0.2, 0.6),
    "lines.change": (0.2, 0.6),
    "lines.least": (-0.2, 0.3, 0.5),
    "lines.faint": (0.05, 0.25),
    "changes.among": (2, 5),
    "changes.beside": (24, 96),
    "changes.share": (0.15, 0.35),
    "changes.near": (3, 10),
    "changes.latest.named": (2.0, 3.2),
    "changes.latest.shared": (0.7, 1.3),
    "changes.latest.behind": (0.5, 1.1),
    "changes.latest.above": (0.2, 0.8),
    "changes.latest.change": (0.2, 0.8),
    "changes.latest.now": (0.7, 2.0),
    "changes.latest.least": (1.8, 2.3),
    "changes.latest.faint": (0.05, 0.2),
    "changes.restated.differs": (0.2, 0.6),
    "changes.restated.behind": (0.5, 1.0),
    "changes.restated.akin": (0.3, 0.7),
    "changes.restated.least": (0.5, 0.7),
    "follow_ups.turns": (2, 4),
    "follow_ups.longest": (120, 300),
    "follow_ups.bound": (1, 3),
    "follow_ups.telling": (4, 8),
    "follow_ups.perhaps": (3, 6),
    "spelling.foreign": (0.5, 0.8),
    "spelling.long": (6, 10),
    "spelling.a_word.swapped": (4, 6),
    "spelling.a_word.doubled": (4, 6),
    "spelling.a_word.missing": (4, 6),
    "spelling.a_word.added": (5, 7),
    "spelling.a_word.alike": (6, 8),
    "spelling.a_name.swapped": (4, 6),
    "spelling.a_name.doubled": (4, 6),
    "spelling.a_name.missing": (6, 8),
    "spelling.a_name.added": (6, 8),
    "spelling.a_name.alike": (7, 9),
    "spelling.another_language.swapped": (5, 6, 8),
    "spelling.another_language.doubled": (5, 7),
    "spelling.another_language.missing": (7, 8, 10),
    "spelling.another_language.added": (7, 8, 10),
    "spelling.another_language.alike": (9, 11),
    "use.prior": (0.5, 2.0),
    "use.reach": (0.05, 0.2),
    "use.leash": (0.2, 0.5),
    "use.least_likeness": (0.2, 0.4),
    "use.showings.used": ((0.5, 0.0), (2.0, 0.0)),
    "use.showings.relevant": ((0.0, 0.25), (0.0, 1.0)),
    "use.showings.contradicted": ((0.0, 1.0), (0.0, 4.0)),
    "use.showings.ignored": ((0.0, 0.25), (0.0, 1.0)),
    "use.retired_misses": (0.5, 1.0),
    "use.retired_hits": (0.1, 0.5),
    "use.in_vain": (5, 12),
    "use.retirement": (0.75, 0.95),
    "use.pardon": (0.05, 0.2),
}
"""The steps around each constant: a finer figure would be one of these sets, and of no other."""


class Try(NamedTuple):
    """One constant, with another value."""

    name: str
    value: Any


class Round(NamedTuple):
    """What the prompts of one set came to: right or wrong under the present constants, and under each alternative."""

    present: list[bool]
    tried: dict[Try, list[bool]]

    def tally(self, one: Try) -> tuple[int, int]:
        """Return how many prompts an alternative gains, and how many it loses."""
        pairs = list(zip(self.present, self.tried[one], strict=False))
        return sum(now and not was for was, now in pairs), sum(was and not now for was, now in pairs)


def ways_of(name: str) -> tuple[str, ...]:
    """Return in which ways the prompts are asked that a constant concerns."""
    stage = name.partition(".")[0]
    return {"spelling": WAYS[:2], "use": WAYS[2:]}.get(stage, WAYS[:1])


def rounds_of(place: Path, limit: int | None, present: Mapping[str, Any], tries: Sequence[Try]) -> dict[str, Round]:
    """Ask a set's prompts in every way that something is to be tried in."""
    ways = {way: [one for one in tries if way in ways_of(one.name)] for way in WAYS}
    asks = {way: Asks(present, some) for way, some in ways.items() if some}
    config = run_config(Config()).model_copy(update={"enable_feedback_loop": True, "log_injections": False})
    with kept_embedder(config, prompts_too=True) as embedder:
        if kind_of(place) == "vault":
            _ask_vault(place, limit, config, embedder, asks)
        elif "as they are" in asks:
            _ask_set(place, limit, config, embedder, asks["as they are"])
    return {way: own.round for way, own in asks.items()}


class Asks:
    """Asks prompts in one way, under the present constants and every alternative."""

    def __init__(self, present: Mapping[str, Any], tries: Sequence[Try]) -> None:
        self._present: Constants = constants_of(present)
        self._others = {one: constants_of({**present, one.name: one.value}) for one in tries}
        self.round = Round([], {one: [] for one in tries})

    def ask(self, trying: Trying, prompt: Prompt, is_right: Callable[[Injection], bool]) -> None:
        """Take down whether the answer is right under each."""
        self.round.present.append(is_right(trying.recall(prompt, self._present)))
        for one, constants in self._others.items():
            self.round.tried[one].append(is_right(trying.recall(prompt, constants)))


def _ask_vault(
    place: Path, limit: int | None, config: Config, embedder: KeptEmbedder | None, asks: Mapping[str, Asks]
) -> None:
    prompts = load_vault(place)[0]
    prompts = prompts[:: max(1, len(prompts) // limit)] if limit else prompts
    with Engine.in_memory(config, embedder=embedder) as engine:
        engine.index(place / "notes")
        trying = Trying(engine.pipeline)
        for way in asks:
            if way == "again":
                for prompt in prompts:
                    _used(engine, prompt)
            for prompt in prompts:
                sent = _sent(engine, prompt)
                if way != "as they are":
                    text = typo(prompt.text, random.Random(prompt.id))
                    sent = replace(sent, text=text, received_at=prompt.asked_at + LATER)
                asks[way].ask(trying, sent, lambda found, own=prompt: judged(own, found).verdict is VaultVerdict.RIGHT)


def _sent(engine: Engine, prompt: VaultPrompt) -> Prompt:
    return Prompt(
        prompt.text,
        prompt.asked_at,
        agent_id=engine.agent,
        audience=Audience.OWNER,
        recent=prompt.turns,
        conversation=tuple(turn.text for turn in prompt.turns),
    )


def _used(engine: Engine, prompt: VaultPrompt) -> None:
    """Ask a prompt, and let the answer be made of what was right."""
    shown = engine.recall(replace(_sent(engine, prompt), session_id=prompt.id)).candidates
    right = [c.chunk.text for c in shown if any(holds(c, place) for place in prompt.answers)]
    engine.agent_end(prompt.id, "\n".join(right) or CHAT, at=prompt.asked_at)


def _ask_set(place: Path, limit: int | None, config: Config, embedder: KeptEmbedder | None, asks: Asks) -> None:
    memory_set = open_set(place).limited(limit, None)
    for scope in scopes(memory_set, cross_pair=True):
        with Asked(scope, config, embedder, lambda *_: None, rechunk=False) as asked:
            trying = Trying(asked.engine.pipeline)

            def ask(prompt: Any, relevant: set[str], asked: Asked = asked, trying: Trying = trying) -> None:
                sent = Prompt(prompt.text, prompt.asked_at, agent_id=asked.engine.agent, audience=Audience.OWNER)

                def is_right(found: Injection) -> bool:
                    if not relevant:
                        return found.outcome is not Outcome.INJECTED
                    return any(asked.document_of(c) in relevant for c in found.candidates)

                asks.ask(trying, sent, is_right)

            for prompt in in_order(scope.at_home):
                asked.reveal(prompt.before_seq)
                ask(prompt, set(memory_set.qrels.get(prompt.id, ())) if prompt.answerable else set())
            asked.reveal(None)
            for stranger in scope.strangers:
                ask(stranger, set())


class Verdict(NamedTuple):
    """What an alternative came to over all sets; ``p`` is corrected for the number of alternatives."""

    one: Try
    gained: int
    lost: int
    loses_somewhere: bool
    p: float

    @property
    def is_better(self) -> bool:
        """Whether it is to be taken."""
        return self.p < SURE and self.gained > self.lost and not self.loses_somewhere


def verdicts(rounds: Sequence[Mapping[str, Round]], tries: Sequence[Try]) -> list[Verdict]:
    """Judge every alternative over all sets and ways of asking, each of which is one that it may not lose on."""
    tallies = [[own[way].tally(one) for own in rounds for way in ways_of(one.name) if way in own] for one in tries]
    sums = [(sum(g for g, _ in own), sum(lost for _, lost in own)) for own in tallies]
    corrected = holm([mcnemar(*both) for both in sums])
    return [
        Verdict(one, gained, lost, any(g < less for g, less in own), p)
        for one, own, (gained, lost), p in zip(tries, tallies, sums, corrected, strict=True)
    ]


def found_of(name: str, judged_now: Sequence[Verdict], before: Any) -> dict[str, Any]:
    """Return what is written down of a constant: what was tried beside it, and the alternative that came nearest."""
    own = [v for v in judged_now if v.one.name == name]
    nearest = max(own, key=lambda v: (v.gained - v.lost, v.gained))
    written = {"asked": ", ".join(ways_of(name)), "tried": [v.one.value for v in own]}
    if not any(v.gained or v.lost for v in own):
        return {**written, "found": "none changes a verdict on these sets: the value is carried over"}
    told = f"{nearest.one.value} gains {nearest.gained} prompts and loses {nearest.lost}, p {nearest.p:.2g}"
    if nearest.is_better:
        return {**written, "found": f"{told}: taken, before it was {before}"}
    return {**written, "found": f"nothing better; {told}"}


def best_of(judged_now: Sequence[Verdict]) -> dict[str, Any]:
    """Return the values that are to be taken: of each constant the one that gains most."""
    better = [v for v in judged_now if v.is_better]
    return {v.one.name: v.one.value for v in sorted(better, key=lambda v: v.gained - v.lost)}


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the names of ``names_of`` as they are written into a weights file."""
    written: dict[str, Any] = {}
    for name, value in values.items():
        *groups, last = name.split(".")
        at = written
        for group in groups:
            at = at.setdefault(group, {})
        at[last] = value
    return written


def main(arguments: Sequence[str] | None = None) -> None:
    """Search, and write down what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET_DIR")
    parser.add_argument("--only", nargs="+", choices=names_of(), metavar="NAME", default=names_of())
    parser.add_argument("--limit", type=int, help="Only so many prompts of a set, spread over it.")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args(arguments)
    written = json.loads(OUT.read_text(encoding="utf-8"))
    present, found = flat(written["constants"]), dict[str, Any]()
    left = list(given.only)
    while left:
        tries = [Try(name, value) for name in left for value in TRIED[name] if value != present[name]]
        rounds = [rounds_of(place, given.limit, present, tries) for place in given.sets]
        judged_now = verdicts(rounds, tries)
        found |= {name: found_of(name, judged_now, present[name]) for name in left if name not in found}
        better = best_of(judged_now)
        for name in left:
            print(f"{name} = {present[name]}: {found_of(name, judged_now, present[name])['found']}", flush=True)
        present |= better
        left = [name for name in left if name not in better] if better else []
    written["constants"] = nested(present)
    written["searched"] = {
        **written.get("searched", {}),  # what other scripts looked for
        "made": f"eval/fit_constants.py, {datetime.now(UTC):%Y-%m-%d}",
        "data": {place.resolve().name: digest for place, digest in _digests(given.sets)},
        "limit": given.limit,
        "constants": {**written.get("searched", {}).get("constants", {}), **found},
    }
    given.out.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def _digests(places: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    for place in places:
        yield place, load_vault(place)[1] if kind_of(place) == "vault" else open_set(place).digest


if __name__ == "__main__":
    main()
