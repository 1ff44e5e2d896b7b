"""What people say anew in conversation sets: is the latest of it told, and the earlier not?

    python eval/studies/updates.py FOLDER [--sets NAME …] [--limit N] [--json FILE]

Stores are told turn by turn, as ``captured_sets.py`` does. Of the prompts whose category is an update of what was known, the last of the relevant documents counts
as what holds now, the others as what held before; of up to ``--limit`` other prompts counts the share of what is relevant that is told. Everything is asked
twice: as the engine does, and without reading sentences that hold other values (``stages/restated.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import asking
import captured_sets
from captured_sets import Captured, paired, truth_of

from hookclaw_py import Engine
from hookclaw_py.config import CaptureConfig, Config
from hookclaw_py.evaluation.replay import kept_embedder, run_config
from hookclaw_py.evaluation.scopes import in_order, scopes
from hookclaw_py.evaluation.sets import UNDATED, Document, LabelledPrompt, MemorySet, load_memory_set, spread
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Outcome, Prompt
from hookclaw_py.stages import restated

SETS = ("longmemeval_ev", "beam_100k")
UPDATES = ("knowledge-update", "knowledge_update")
VERDICTS = ("newest alone", "newest first", "older first", "older alone", "neither", "silent")
WAYS = ("without reading", "as it is")


class Answer(NamedTuple):
    """What came of one prompt in one way: its verdict, and the share of what is relevant that was told."""

    prompt: str
    way: str
    verdict: str
    told: float


def verdict(told: Sequence[Collection[str]], newest: str) -> str:
    """Say what a block is worth, of whose passages is known which relevant documents each tells, best first."""
    first = next((n for n, one in enumerate(told) if newest in one), None)
    older = next((n for n, one in enumerate(told) if set(one) - {newest}), None)
    if first is None:
        return "older alone" if older is not None else "neither" if told else "silent"
    if older is None:
        return "newest alone"
    return "newest first" if first <= older else "older first"


def asked(engine: Engine, prompt: LabelledPrompt, captured: Captured, relevant: Sequence[Document], way: str) -> Answer:
    """Ask a prompt in one way."""
    pipeline = engine._parts.pipeline  # noqa: SLF001
    pipeline.stages = replace(pipeline.stages, restated=restated.follow if way == WAYS[1] else _unread)
    sent = Prompt(prompt.text, prompt.asked_at, agent_id=engine.agent, session_id=prompt.id, audience=Audience.OWNER)
    found = engine.recall(sent, record=False)
    names = {document.id for document in relevant}
    shown = found.candidates if found.outcome is Outcome.INJECTED else ()
    told = [captured.told_by(c.chunk) & names for c in shown]
    newest = max(relevant, key=lambda document: (document.created_at or UNDATED, document.seq or 0, document.id)).id
    return Answer(prompt.id, way, verdict(told, newest), len(frozenset().union(*told)) / len(names))


def _unread(*given: Any, **named: Any) -> Any:
    return restated.follow(*given, **{**named, "read": lambda _: ()})


def answers(memory_set: MemorySet, limit: int) -> Iterator[Answer]:
    """Live through a set and yield what came of each prompt, each way."""
    level = "chunk" if memory_set.judged("chunk") else "session"
    truth = truth_of(memory_set, level)
    judged = [p for p in memory_set.prompts if truth.get(p.id)]
    others = spread([p for p in judged if p.category not in UPDATES], limit)
    chosen = {p.id for p in (*others, *judged) if p in others or p.category in UPDATES}
    config = run_config(Config(timezone="UTC", capture=CaptureConfig(keep_raw_days=3650)))
    with kept_embedder(config, prompts_too=True) as embedder:
        assert embedder is not None
        for scope in scopes(memory_set, cross_pair=False):
            prompts = [p for p in in_order(scope.at_home) if p.id in chosen]
            if not prompts:
                continue
            documents = {d.id: d for d in scope.documents}
            captured = Captured(scope, config, embedder)
            with captured.engine as engine:
                engine._parts.pipeline.cache = asking.NoCache()  # noqa: SLF001
                for prompt in prompts:
                    captured.reveal(prompt.before_seq)
                    relevant = [documents[name] for name in sorted(truth[prompt.id]) if name in documents]
                    for way in WAYS if relevant else ():
                        yield asked(engine, prompt, captured, relevant, way)


def main() -> None:
    """Tell every set, ask and print."""
    parser = asking.parser(__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=captured_sets.SETS, metavar="NAME")
    parser.add_argument("--limit", type=int, default=60)
    options = parser.parse_args()
    written = {}
    for name in options.sets:
        memory_set = load_memory_set(options.folder / name).tunable()
        updates = {p.id for p in memory_set.prompts if p.category in UPDATES}
        found = list(answers(memory_set, options.limit))
        counts = {way: Counter(a.verdict for a in found if a.way == way and a.prompt in updates) for way in WAYS}
        rows = [[way, str(counts[way].total()), *(str(counts[way][one]) for one in VERDICTS)] for way in WAYS]
        asking.show(f"{name}: prompts about what was said anew", ["", "prompts", *VERDICTS], rows)
        print()
        shares = [
            {a.prompt: {"told": a.told} for a in found if a.way == way and a.prompt not in updates} for way in WAYS
        ]
        rows = [["relevant that is told", *paired(shares[0], shares[1], "told")]]
        asking.show(f"{name}: other prompts", ["", "prompts", *WAYS, "gained", "lost", "p"], rows)
        print(flush=True)
        written[name] = [answer._asdict() for answer in found]
    asking.write(options.json, written)


if __name__ == "__main__":
    main()
