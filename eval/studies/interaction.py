"""Does a small model over the stored token vectors put the passage that answers among the best two more often?

    python eval/studies/interaction.py FOLDER … [--judge FOLDER …] [--reader]

A FOLDER is a collection of ``eval/data/answers`` or a vault. Of every prompt the best ten chunks are compared with it token by
token, and what comes of that is weighed beside the engine's own order: kernels over the cosines (K-NRM, Xiong et al., "End-to-End
Neural Ad-hoc Ranking with Kernel Pooling", SIGIR 2017), neighbouring tokens that meet neighbouring tokens, the order they meet in, and
how much of the prompt one window of the passage meets. The weights are a conditional logit model over the chunks of a prompt and "none
of them", in which every FOLDER has one vote. Each FOLDER is judged by weights learned from the others, those of ``--judge`` by weights
learned from all; the test is McNemar's over the prompts with an answer. The engine's own evidence is weighed anew, too, alone and
with the tokens: what comes of learning from these prompts is no merit of the tokens. ``--reader`` adds the reader's word on all ten.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from time import thread_time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from reader import mcnemar

from hookclaw_py import Engine
from hookclaw_py.config import Config
from hookclaw_py.evaluation.replay import run_config
from hookclaw_py.evaluation.vaults import VaultPrompt, holds, load_vault
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Prompt
from hookclaw_py.pipeline import Pipeline
from hookclaw_py.search.late_interaction import MOST_TOKENS
from hookclaw_py.searching import Interaction
from hookclaw_py.stages import reading
from hookclaw_py.trace import Trace

CHUNKS, FAR = 10, -12.0  # compared of a prompt; logits, further behind is as far
ALWAYS = 3  # pieces that are weighed whatever else is, and not held back
KERNELS = np.array([1.0, 0.95, 0.85, 0.75, 0.65, 0.55, 0.45, 0.35, 0.25, 0.1, -0.1], np.float32)
WIDTHS = np.array([0.02, *[0.05] * 9, 0.1], np.float32)
STEP, WINDOWS = 8, (2, 4, 8)  # tokens, and steps that a window is long
BEGINNING, RARE, APART = 14, 3, 8.0  # tokens
STRENGTH = 0.01  # of the regularisation
Numbers = npt.NDArray[np.floating]


class Compared(NamedTuple):
    """One prompt: its chunks best first, what the engine and the tokens say of each, and which of them answer."""

    behind: Numbers
    relevance: float  # of the best, in logits
    evidence: Numbers  # (chunks, pieces)
    tokens: Numbers  # (chunks, pieces), each behind the best of the pool
    read: Numbers  # the reader's logits; empty where it was not asked
    answers: npt.NDArray[np.bool_]
    answerable: bool
    seconds: float


def pieces_of(asked: Numbers, shares: Numbers, tokens: Numbers) -> Numbers:
    """Return what the cosines of a prompt's tokens with a chunk's say: kernels, windows, beginning, neighbours, order, the rarest."""
    cosines = asked @ tokens.T
    weighty = shares > 0
    far = (cosines[weighty][..., None] - KERNELS) / WIDTHS
    kernels = np.log1p(np.exp(-(far**2) / 2).sum(axis=1))
    best, where = cosines.max(axis=1), cosines.argmax(axis=1)
    steps = np.maximum.reduceat(cosines, np.arange(0, cosines.shape[1], STEP), axis=1)
    inside = []
    for length in WINDOWS:
        starts = range(max(1, steps.shape[1] - length + 1))
        windows = np.stack([steps[:, start : start + length].max(axis=1) for start in starts])
        inside.append(windows[np.argmax(windows @ shares)])
    pairs = ((cosines[:-1, :-1] + cosines[1:, 1:]) / 2).max(axis=1, initial=-1.0)
    beside = np.maximum([-1.0, *pairs], [*pairs, -1.0])
    near = np.array([0.0, *(np.exp(-abs(b - a - 1) / APART) for a, b in pairwise(where))])
    rarest = np.argsort(-shares, kind="stable")[:RARE]
    columns = np.stack([best, *inside, cosines[:, :BEGINNING].max(axis=1), beside, near], axis=1)
    return np.concatenate([shares[weighty] @ kernels, shares @ columns, [best[rarest].min(), inside[1][rarest].min()]])


def compare(met: Interaction, ids: Sequence[str]) -> Numbers:
    """Return the pieces of each chunk, behind the best of these chunks."""
    kept = sorted(np.argsort(-np.asarray(met.weights), kind="stable")[:MOST_TOKENS])
    shares = np.asarray(met.weights, np.float32)[kept]
    shares /= shares.sum()
    asked = np.asarray(met.prompt, np.float32)[kept] / 127
    nothing = np.zeros((1, 64))
    rows = [pieces_of(asked, shares, np.asarray(met.tokens.get(i, nothing), np.float32) / 127) for i in ids]
    found: Numbers = np.array(rows) - np.max(rows, axis=0)
    return found


def compared(pipeline: Pipeline, prompt: VaultPrompt, agent: str, *, with_reader: bool) -> Compared | None:
    """Search for ``prompt`` and compare the best of what is found with it; None where nothing can be compared."""
    trace = Trace(timeout_ms=600_000, strict=True)
    sent = Prompt(prompt.text, prompt.asked_at, agent_id=agent, audience=Audience.OWNER, recent=prompt.turns)
    names = pipeline.names(trace)
    context = pipeline.context(prompt.text, sent, names)
    query = pipeline.enrich(prompt.text, prompt.asked_at, trace, context=context, names=names)
    pool = pipeline.gather(query, trace)
    fused, found = pipeline.fuse(pool), pipeline.findings(query, pool)
    evidence = pipeline.stages.evidence(fused, query, found, zone=pipeline.zone, calibration=pipeline.calibration)
    best = pipeline.stages.calibrate(fused, evidence, found, pipeline.calibration)[:CHUNKS]
    if not best or not len(pool.interaction.prompt):
        return None
    began = thread_time()
    tokens = compare(pool.interaction, [c.chunk.id for c in best])
    seconds = thread_time() - began
    read = list[float]()
    if with_reader and pipeline.reader is not None:
        read = pipeline.reader.read(query.sought, [pool.passage(c.chunk) for c in best])
    scale = {"absolute": pipeline.constants.absolute, "spread": pipeline.constants.spread}
    return Compared(
        np.maximum(reading.behind(best, **scale), FAR),
        reading.logit_of(max(c.relevance for c in best)),
        np.array([evidence[c.chunk.id] for c in best]),
        tokens,
        np.array(read),
        np.array([any(holds(c, place) for place in prompt.answers) for c in best], bool),
        bool(prompt.answers),
        seconds,
    )


def compared_all(folder: Path, *, with_reader: bool) -> Iterator[Compared]:
    """Ask all prompts of a folder of an engine over its notes."""
    prompts, _ = load_vault(folder)
    with Engine.in_memory(run_config(Config())) as engine:
        engine.index(folder / "notes")
        for prompt in prompts:
            found = compared(engine.pipeline, prompt, engine.agent, with_reader=with_reader)
            if found is not None:
                yield found


KINDS = {"tokens": ("tokens",), "evidence anew": ("evidence",), "both": ("evidence", "tokens")}


def pieces(one: Compared, kinds: Sequence[str]) -> Numbers:
    """Return what is weighed: how far behind each chunk is, the relevance of the best, 1, and the pieces of these kinds."""
    always = np.stack([one.behind, np.full(len(one.behind), one.relevance), np.ones(len(one.behind))], axis=1)
    return np.concatenate([always, *(getattr(one, kind) for kind in kinds)], axis=1)


def learn(sets: Sequence[Sequence[Compared]], kinds: Sequence[str]) -> Numbers:
    """Return what each piece counts for the choice among a prompt's chunks and none of them; every set has one vote."""
    from scipy.optimize import minimize

    useful = [[p for p in own if p.answers.any() or not p.answerable] for own in sets]
    used = [one for own in useful for one in own]
    votes = np.concatenate([np.full(len(own), 1 / len(own) / len(sets)) for own in useful])
    rows = [pieces(p, kinds) for p in used]
    columns = np.zeros((len(used), CHUNKS, rows[0].shape[1]))
    there, answers = np.zeros((2, len(used), CHUNKS), bool)
    for number, (own, one) in enumerate(zip(rows, used, strict=True)):
        columns[number, : len(own)], there[number, : len(own)], answers[number, : len(own)] = own, True, one.answers
    scale = np.append(np.ones(ALWAYS), columns[there].std(axis=0)[ALWAYS:] + 1e-9)
    columns /= scale
    answered = answers.any(axis=1)

    def loss(counts: Numbers) -> tuple[float, Numbers]:
        logits = np.where(there, columns @ counts, -np.inf)
        best = logits.max(axis=1, keepdims=True).clip(0)
        odds, none = np.exp(logits - best), np.exp(-best[:, 0])
        total, right = odds.sum(axis=1) + none, np.where(answered, (odds * answers).sum(axis=1), none)
        surplus = votes[:, None] * (odds / total[:, None] - odds * answers / right[:, None])
        slope = np.einsum("pc,pcn->n", surplus, columns)
        own = np.append(np.zeros(ALWAYS), counts[ALWAYS:])
        return float(votes @ np.log(total / right) + STRENGTH * own @ own), slope + 2 * STRENGTH * own

    start = np.append([1.0, 0.7, -0.3], np.zeros(columns.shape[2] - ALWAYS))
    found: Numbers = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100}).x / scale
    return found


def place(one: Compared, logits: Numbers) -> int:
    """Return where the first chunk that answers stands, best first; where none does, behind all."""
    order = np.argsort(-logits, kind="stable")
    return int(np.argmax(one.answers[order])) if one.answers.any() else CHUNKS


def area(answered: Sequence[float], unanswered: Sequence[float]) -> float:
    """Return how often a prompt with an answer stands above one without."""
    pairs = np.subtract.outer(answered, unanswered)
    return float(np.mean((pairs > 0) + 0.5 * (pairs == 0))) if pairs.size else 0.0


def judge(title: str, prompts: Sequence[Compared], before: Sequence[Numbers], after: Sequence[Numbers]) -> None:
    """Print a line of the table: an order, and another of the same chunks beside it."""
    places = [
        (place(p, old), place(p, new)) for p, old, new in zip(prompts, before, after, strict=True) if p.answerable
    ]
    cells = []
    for depth in (1, 2, 4):
        pairs = [(old < depth, new < depth) for old, new in places]
        gained, lost = sum(b and not a for a, b in pairs), sum(a and not b for a, b in pairs)
        shares = [sum(side) / len(pairs) for side in zip(*pairs, strict=True)]
        cells.append(f"{shares[0]:.3f} → {shares[1]:.3f}, {gained} gained, {lost} lost, p {mcnemar(gained, lost):.3f}")
    best = [
        [float(own.max()) for own, p in zip(after, prompts, strict=True) if p.answerable is has]
        for has in (True, False)
    ]
    print(f"| {title} | {len(places)} | {' | '.join(cells)} | {area(*best):.3f} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare, learn, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--judge", nargs="+", type=Path, default=[], metavar="FOLDER")
    parser.add_argument("--reader", action="store_true")
    given = parser.parse_args(arguments)
    sets = dict[Path, list[Compared]]()
    for folder in [*given.folders, *given.judge]:
        sets[folder] = list(compared_all(folder, with_reader=given.reader))
        print(f"{folder.name}: {len(sets[folder])} prompts", flush=True)
    seconds = [one.seconds for own in sets.values() for one in own]
    print(f"{CHUNKS} passages are compared in {1000 * np.median(seconds):.1f} ms (median)\n")
    print("| folder, by | prompts with an answer | first | best two | best four | answered or not, area |")
    print("|---|---|---|---|---|---|")
    for folder, own in sets.items():
        others = [sets[other] for other in given.folders if other != folder]
        orders = {"engine": [one.behind for one in own]}
        for title, kinds in KINDS.items():
            counts = learn(others, kinds)
            orders[title] = [pieces(one, kinds) @ counts for one in own]
        if given.reader:
            orders["reader"] = [one.read for one in own]
        for old, new in [*(("engine", title) for title in list(orders)[1:]), ("evidence anew", "both")]:
            judge(f"{folder.name}, {old} → {new}", own, orders[old], orders[new])


if __name__ == "__main__":
    main()
