"""Fits what each piece of evidence counts, and what else decides whether to speak; writes ``hookclaw_py/calibration/MODEL.json``.

    python eval/fit_calibration.py SET_DIR … [--limit N] [--out FILE]

A SET_DIR is a memory set or a vault (eval/README.md). Of every prompt's pool each chunk gives its evidence and whether it
answers. The *order* is a logistic regression over chunks: the answering one against all others. The *relevance* is one over
prompts, from the evidence of the chunk that the order puts first: a prompt with an answer is 1, without one (also the same
prompt asked of another store) 0. Passages of files are weighed as vaults say most, records as memory sets do: ``VOTES``, and of
each half of a set the half. The constants are fitted beside that, see ``beside_weights.py``; those that nothing here decides stay as
they are: ``fit_constants.py`` looks for better ones.
What the reader counts was fitted beside the old weights: ``fit_reader.py`` adds it anew.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from beside_weights import Fitted, Growth, best_alike, company_of, growth_of, growths

from hookclaw_py.calibration.features import TABLE
from hookclaw_py.calibration.weights import Weights, written_for
from hookclaw_py.config import Config
from hookclaw_py.engine import Engine
from hookclaw_py.evaluation.folders import kind_of, open_set
from hookclaw_py.evaluation.replay import Asked, kept_embedder, run_config
from hookclaw_py.evaluation.scopes import in_order, scopes
from hookclaw_py.evaluation.sets import LabelledPrompt
from hookclaw_py.evaluation.vaults import holds, load_vault
from hookclaw_py.evaluation.vectors import KeptEmbedder
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Candidate, Prompt
from hookclaw_py.pipeline import Pipeline
from hookclaw_py.stages.calibrate import evidence_of
from hookclaw_py.trace import Trace

MODEL = Config().embedder.model
OUT = Path(__file__).parents[1] / "hookclaw_py" / "calibration" / f"{MODEL}.json"
SEEN = {"full": {"vectors", "late"}, "vectors": {"vectors"}, "keywords": set[str]()}
"""What of the search saw the chunks of each weighing; pieces that need more are left out of it."""
FEATURES = TABLE.features
VOTES = {"files": {"vault": 4.0, "set": 1.0}, "records": {"vault": 0.0, "set": 1.0}}
"""Of each set in each sort of weights. What people talk about steadies what notes say of a vault that was left out."""
NEEDS_MORE = frozenset({"newer", "follow-up"})
"""Kinds of a vault's prompts that are answered by other stages than this."""
LEAST = {"on_day": 8.0}
"""What a piece weighs in the order at least: who asks for a day gets what was written that day, and only then the rest."""
TALKATIVE = 0.25
"""Logits added to the intercept: so that as many prompts at home are answered as before on the development sets."""
Matrix = npt.NDArray[np.float64]


class Judged(NamedTuple):
    """One prompt: the evidence of its pool's chunks (chunks, pieces), which of them answer, and whether any note does.

    ``least`` is the raw worst match of words that the store has never heard of, NaN where there is none.
    """

    evidence: Matrix
    answers: npt.NDArray[np.bool_]
    answerable: bool
    least: Matrix


Counted = tuple[float, Sequence[Judged]]
"""The votes of a set, and its prompts."""


def judged_pool(pipeline: Pipeline, prompt: Prompt, answers: object, *, answerable: bool) -> Judged:
    """Search for ``prompt`` and take down the evidence; ``answers`` says whether a candidate does."""
    trace = Trace(timeout_ms=600_000, strict=True)
    query = pipeline.enrich(prompt.text, prompt.received_at, trace)
    pool = pipeline.gather(query, trace)
    candidates = pipeline.fuse(pool)
    found = pipeline.findings(query, pool)
    gathered = evidence_of(candidates, query, found, zone=pipeline.zone, calibration=pipeline.calibration)
    rows = np.array([gathered[c.chunk.id] for c in candidates], float).reshape(-1, len(FEATURES))
    hits = np.array([answers(c) for c in candidates], bool)  # type: ignore[operator]
    least = np.array([found.least.get(c.chunk.id, np.nan) for c in candidates])
    return Judged(rows, hits, answerable, least)


class Pools(NamedTuple):
    """A set: its digest, every prompt of it as it is at home and in a store that knows nothing of it, and how null means grow."""

    digest: str
    judged: list[Any]  # what was taken of each
    grown: list[Growth]


def pools_of(place: Path, limit: int | None, take: Callable[..., Any] = judged_pool) -> Pools:
    """Search a set's stores for its prompts, and keep what ``take`` has of each pool."""
    config = run_config(Config())
    with kept_embedder(config, prompts_too=True) as embedder:
        if kind_of(place) == "vault":
            return _vault(place, config, embedder, take)
        memory_set = open_set(place).limited(limit, None)
        found, grown = list[Any](), list[Growth]()
        for scope in scopes(memory_set, cross_pair=True):
            with Asked(scope, config, embedder, lambda *_: None, rechunk=False) as asked:
                for prompt in in_order(scope.at_home):
                    asked.reveal(prompt.before_seq)
                    relevant = set(memory_set.qrels.get(prompt.id, ()))
                    found.append(_asked(asked, prompt, relevant, take, answerable=prompt.answerable))
                asked.reveal(None)
                found += [_asked(asked, prompt, set(), take, answerable=False) for prompt in scope.strangers]
                grown += growths(asked.engine.store, embedder)
        return Pools(memory_set.digest, found, grown)


def _asked(
    asked: Asked, prompt: LabelledPrompt, relevant: set[str], take: Callable[..., Any], *, answerable: bool
) -> Any:
    if asked.embedder is not None:
        asked.embedder.forget_prompt()
    sent = Prompt(prompt.text, prompt.asked_at, agent_id=asked.engine.agent, audience=Audience.OWNER)

    def answers(candidate: Candidate) -> bool:
        return asked.document_of(candidate) in relevant

    return take(asked.engine.pipeline, sent, answers, answerable=answerable)


def _vault(place: Path, config: Config, embedder: KeptEmbedder | None, take: Callable[..., Any]) -> Pools:
    prompts, digest = load_vault(place)
    found: list[Any] = []
    with Engine.in_memory(config, embedder=embedder) as engine:
        engine.index(place / "notes")
        for prompt in prompts:
            if prompt.kind in NEEDS_MORE:
                continue
            sent = Prompt(prompt.text, prompt.asked_at, agent_id=engine.agent, audience=Audience.OWNER)
            places = prompt.answers

            def answers(candidate: Candidate, places: Sequence[object] = places) -> bool:
                return any(holds(candidate, place) for place in places)  # type: ignore[arg-type]

            found.append(take(engine.pipeline, sent, answers, answerable=bool(places)))
        grown = growths(engine.store, embedder)
    return Pools(digest, found, grown)


def regression(
    rows: Matrix, hit: npt.NDArray[np.bool_], votes: Matrix, senses: Matrix, *, strength: float
) -> tuple[Matrix, float]:
    """Return the weights and the intercept of a logistic regression over standardised pieces, in the pieces' own units.

    A weight whose sign contradicts ``senses`` (1, -1, or 0 for either) is 0, and the others are fitted without it.
    """
    from sklearn.linear_model import LogisticRegression

    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    deviation[deviation == 0] = 1.0
    weights, kept = np.zeros(rows.shape[1]), np.ones(rows.shape[1], bool)
    while True:
        model = LogisticRegression(C=strength, max_iter=5000)
        model.fit(((rows - mean) / deviation)[:, kept], hit, sample_weight=votes * len(hit) / votes.sum())
        weights[:] = 0
        weights[kept] = model.coef_[0] / deviation[kept]
        absurd = weights * senses < 0
        if not absurd.any():
            return weights, float(model.intercept_[0] - weights @ mean)
        kept &= ~absurd


def senses_of(pieces: Sequence[int]) -> Matrix:
    """Return which way each piece may count; one that comes out the other way is left out."""
    return np.array([float(FEATURES[piece].sense) for piece in pieces])


def order_of(sets: Sequence[Counted], pieces: Sequence[int]) -> tuple[Matrix, float]:
    """Fit the order: which chunk of a pool answers."""
    rows, hits, votes = [], [], []
    for vote, pools in sets:
        used = [p for p in pools if len(p.evidence) and (p.answers.any() or not p.answerable)]
        rows += [p.evidence[:, pieces] for p in used]
        hits += [p.answers for p in used]
        votes += [np.full(len(p.answers), vote / len(used)) for p in used]
    return regression(np.vstack(rows), np.concatenate(hits), np.concatenate(votes), senses_of(pieces), strength=1.0)


def relevance_of(sets: Sequence[Counted], order: Matrix, pieces: Sequence[int]) -> tuple[Matrix, float]:
    """Fit the relevance: does this store answer, from the evidence of the chunk that comes first."""
    rows, hits, votes = [], [], []
    for vote, pools in sets:
        used = [p for p in pools if len(p.evidence)]
        share = {flag: sum(p.answerable is flag for p in used) for flag in (True, False)}
        rows += [p.evidence[int(np.argmax(p.evidence @ order))][pieces] for p in used]
        hits += [p.answerable for p in used]
        votes += [vote / share[p.answerable] for p in used]
    return regression(np.array(rows), np.array(hits), np.array(votes), senses_of(pieces), strength=0.3)


def weighing(sets: Sequence[Counted], seen: Set[str]) -> Fitted:
    """Fit one column of the file."""

    def spread(values: Matrix, pieces: Sequence[int]) -> Matrix:
        every = np.zeros(len(FEATURES))
        every[pieces] = values
        return every

    there = [n for n, feature in enumerate(FEATURES) if feature.needs <= seen]
    ordering = [n for n in there if not FEATURES[n].unordered]
    speaking = [n for n in there if not FEATURES[n].relative]
    weights, order_intercept = order_of(sets, ordering)
    order = spread(weights, ordering)
    for name, least in LEAST.items():
        piece = TABLE.names.index(name)
        order[piece] = max(order[piece], least)
    values, intercept = relevance_of(sets, order, speaking)
    relevance = spread(values, speaking)
    return Fitted(order, order_intercept, relevance, intercept + TALKATIVE)


def _written(fitted: Fitted) -> dict[str, object]:
    return {
        "order": _named(fitted.order),
        "order_intercept": round(fitted.order_intercept, 3),
        "relevance": _named(fitted.relevance),
        "intercept": round(fitted.intercept, 3),
    }


def _named(values: Matrix) -> dict[str, float]:
    return {name: round(float(value), 3) for name, value in zip(TABLE.names, values, strict=True) if value}


def fitted(sets: Sequence[tuple[str, Pools]], alike: float) -> dict[str, dict[str, Fitted]]:
    """Fit everything that the weights file has, by sort and weighing, with tokens that are alike from ``alike`` on."""
    return {sort: {leg: fitted_leg(sets, sort, leg, alike) for leg in SEEN} for sort in Weights._fields}


def fitted_leg(sets: Sequence[tuple[str, Pools]], sort: str, leg: str, alike: float) -> Fitted:
    """Fit one weighing; where no set has a vote on it, each has one."""
    foreign = TABLE.names.index("foreign")
    votes = [VOTES[sort][kind] for kind, _ in sets]
    votes = votes if any(votes) else [1.0] * len(sets)
    counted = [
        (vote, [with_alike(own, alike, foreign) for own in pools.judged])
        for vote, (_, pools) in zip(votes, sets, strict=True)
        if vote
    ]
    return weighing(counted, SEEN[leg])


def with_alike(judged: Judged, alike: float, foreign: int) -> Judged:
    """Return the evidence as it is when tokens are alike from another cosine on."""
    evidence = judged.evidence.copy()
    if len(evidence):
        evidence[:, foreign] = np.maximum(0.0, alike - np.nan_to_num(judged.least, nan=alike))
    return judged._replace(evidence=evidence)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET_DIR")
    parser.add_argument("--limit", type=int, help="Only so many prompts of a memory set, spread over it.")
    parser.add_argument("--only", choices=Weights._fields, help="Fit these weights alone; the others stay as they are.")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args(arguments)
    digests: dict[str, str] = {}
    sets: list[tuple[str, Pools]] = []
    for place in given.sets:
        pools = pools_of(place, given.limit)
        digests[place.resolve().name] = pools.digest
        sets.append(("vault" if kind_of(place) == "vault" else "set", pools))
        print(f"{place.name}: {len(pools.judged)} prompts, {sum(p.answerable for p in pools.judged)} with an answer")
    before = written_for(MODEL) or {}
    constants = dict(before["constants"])
    talks = [pools.judged for kind, pools in sets if kind == "set"]
    foreign, present = TABLE.names.index("foreign"), constants["alike"]
    alike = best_alike(
        lambda value: fitted_leg(sets, "records", "full", value), talks, foreign=foreign, present=present
    )
    weights = fitted(sets, alike)
    growth = growth_of([pools.grown for _, pools in sets])
    judged = [(weights["files" if kind == "vault" else "records"]["full"], pools.judged) for kind, pools in sets]
    company = company_of(judged, **_score(constants))
    told = {"alike": alike, "growth": growth, "company": company}
    for name, value in told.items():
        print(f"{name}: {value:g}, so far {constants[name]:g}")
    written = {
        "model": MODEL,
        "also": before["also"],
        "made": f"eval/fit_calibration.py, {datetime.now(UTC):%Y-%m-%d}",
        "data": digests,
        "limit": given.limit,
        "only": given.only,
        "constants": {**constants, **told},
        "weights": before["weights"]
        | {
            sort: {name: _written(own) for name, own in legs.items()}
            for sort, legs in weights.items()
            if given.only in (None, sort)
        },
    }
    given.out.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def _score(constants: Mapping[str, float]) -> dict[str, float]:
    return {name: constants[name] for name in ("absolute", "spread")}


if __name__ == "__main__":
    main()
