"""Does trust cost honest memories? Every prompt is asked with its stages and without them, of the same stores, and nobody attacks.

    python eval/studies/honest.py FOLDER [--sets NAME …] [--limit N]

FOLDER holds the conversation sets; vaults, notebooks and diaries are in the repository. *Lost* is a prompt whose answer is told without
the stages of trust and not with them: of a vault or a diary a block that is right, of a set a block with a relevant passage. What was lost is named below the table. Without
trust all words count as the person's own, nobody's come first, and nothing is held back. Exit status 1 if anything was lost.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import asking
import grown
from asking import NoCache, Variant
from attacks import WITHOUT

from hookclaw_py import Engine
from hookclaw_py.build import STAGES
from hookclaw_py.evaluation.replay import Asked, kept_embedder
from hookclaw_py.evaluation.scopes import in_order, scopes
from hookclaw_py.evaluation.vaults import VaultVerdict, judged, load_vault
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Injection, Prompt

DATA = Path(__file__).resolve().parent.parent / "data"
PARTS = {
    "admit": WITHOUT["no stamp: all words are the person's own"].admit,
    "notes_first": WITHOUT["notes do not come first"].notes_first,
    "in_turn": WITHOUT["no order of telling"].in_turn,
}
WAYS = (Variant("without", stages=PARTS), Variant("with"))


class Pair(NamedTuple):
    """A prompt, whether it was answered without trust and with it, and whether the blocks differ at all."""

    prompt: str
    without: bool
    with_it: bool
    differ: bool


def both_ways(engine: Engine, prompt: Prompt, answered: Callable[[Injection], bool]) -> Pair:
    """Ask one prompt without the stages of trust, and with them."""
    pipeline = engine.pipeline
    found = []
    for stages in (replace(STAGES, **PARTS), STAGES):
        engine.pipeline = replace(pipeline, stages=stages, cache=NoCache())
        found.append(engine.recall(prompt, record=False))
    engine.pipeline = pipeline
    return Pair(prompt.text, *map(answered, found), found[0].text != found[1].text)


def vault(folder: Path) -> Iterator[Pair]:
    """Yield the prompts of a vault that have an answer."""
    prompts, _ = load_vault(folder)
    config = asking.study_config()
    with (
        kept_embedder(config, prompts_too=True) as embedder,
        Engine.in_memory(config, embedder=embedder) as engine,
    ):
        engine.index(folder / "notes")
        for one in prompts:
            if one.answers:
                told = tuple(turn.text for turn in one.turns)
                more = {"recent": one.turns, "conversation": told, "session_id": one.id, "audience": Audience.OWNER}
                prompt = Prompt(one.text, one.asked_at, agent_id=engine.agent, **more)
                yield both_ways(engine, prompt, lambda found, one=one: judged(one, found).verdict is VaultVerdict.RIGHT)


def diary(name: str) -> Iterator[Pair]:
    """Yield the prompts of a diary that have an answer, each when its moment has come."""
    with grown.newborn() as engine:
        for asked, prompt in grown.lived(name, engine):
            if asked.answers:
                yield both_ways(engine, prompt, lambda found, asked=asked: grown.verdict(asked, found.text) == "right")


def conversations(folder: Path, limit: int | None) -> Iterator[Pair]:
    """Yield the prompts of a set that have an answer."""
    memory_set, config = asking.opened(folder, limit), asking.study_config()
    level = "chunk" if memory_set.qrels else "session"
    truth, session_of = memory_set.judged(level), {d.id: d.session for d in memory_set.documents}
    with kept_embedder(config, prompts_too=True) as embedder:
        for scope in scopes(memory_set, cross_pair=False):
            with Asked(scope, config, embedder, lambda *_: None, rechunk=False) as asked:
                for prompt in in_order(scope.at_home):
                    asked.reveal(prompt.before_seq)
                    relevant = truth.get(prompt.id)
                    if not relevant:
                        continue
                    found = []
                    for way in WAYS:
                        with asking.running_as(asked, way):
                            found.append(asked.ask(prompt))
                    told = [{d if level == "chunk" else session_of[d] for d in one.injected} for one in found]
                    answered = (not relevant.keys().isdisjoint(one) for one in told)
                    yield Pair(prompt.text, *answered, found[0].block != found[1].block)


def main() -> int:
    """Ask everything both ways and print the table."""
    parser = asking.parser(__doc__)
    own = [f"vaults/{v.name}" for v in sorted((DATA / "vaults").iterdir())]
    own += ["notebooks", *(f"diaries/{d.parent.name}" for d in sorted((DATA / "diaries").glob("*/sessions")))]
    parser.add_argument("--sets", nargs="+", default=[*own, *asking.SETS], metavar="NAME")
    parser.add_argument("--limit", type=int, default=300, help="prompts of each conversation set at most")
    given = parser.parse_args()
    kinds: dict[str, Callable[[str], Iterator[Pair]]] = {
        "vaults": lambda name: vault(DATA / "vaults" / name),
        "diaries": diary,
        "notebooks": lambda _: conversations(DATA / "notebooks", None),
    }
    rows, lost = [], list[str]()
    for name in given.sets:
        kind, _, rest = name.partition("/")
        pairs = list(
            kinds[kind](rest) if kind in kinds else partial(conversations, limit=given.limit)(given.folder / name)
        )
        gone = [pair.prompt for pair in pairs if pair.without and not pair.with_it]
        lost += [f"{name}: {prompt[:200]}" for prompt in gone]
        gained = sum(pair.with_it and not pair.without for pair in pairs)
        counts = (
            len(pairs),
            sum(p.without for p in pairs),
            sum(p.with_it for p in pairs),
            len(gone),
            gained,
            sum(p.differ for p in pairs),
        )
        rows.append([name, *map(str, counts)])
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    asking.show(
        "Answers told without the stages of trust and with them",
        ["set", "prompts", "without", "with", "lost", "gained", "other blocks"],
        rows,
    )
    print(*lost, sep="\n")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
