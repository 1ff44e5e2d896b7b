"""Fits what the reader counts beside the engine's own judgement, and adds it to the weights file of the embedding model.

    python eval/fit_reader.py SET_DIR … [--limit N] [--out FILE]

A SET_DIR is a memory set, a vault or a diary (eval/README.md), and none that the reader was trained on: of those it is too sure.
Of every prompt the best chunks are read. The order is a conditional logit model over the chunks of a prompt, the relevance a
logistic regression over prompts, from the chunk that then comes first. Every set has one vote. What counts where the best chunk
is a passage of a file comes from sets and vaults, what counts where it was said in a turn from diaries, lived through by capture; a
diary is also asked the prompts of another, of which it knows nothing: they are ``STRANGE`` of all that it cannot answer.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from fit_calibration import pools_of
from studies import grown

from hookclaw_py.calibration import weights
from hookclaw_py.model.types import Candidate, Chunk, Prompt
from hookclaw_py.pipeline import Pipeline
from hookclaw_py.search import loading
from hookclaw_py.stages import calibrate, reading
from hookclaw_py.trace import Trace

OUT = Path(__file__).parents[1] / "hookclaw_py" / "calibration" / f"{weights.DEFAULT}.json"
TALKATIVE = {"files": 0.6, "turns": 0.5}
"""Logits added to the intercept: of what the reader gains a part goes into more answers, a part into silence."""
STRANGE = 0.25
"""Most of what is asked of a memory it knows nothing about, but what it nearly knows is harder to be silent about."""
Column = npt.NDArray[np.float64]


class Read(NamedTuple):
    """One prompt: how far each chunk is behind in the engine's order, its relevance and the reader's word, all in logits."""

    behind: Column
    known: Column
    said: Column
    answers: npt.NDArray[np.bool_]
    answerable: bool
    strange: bool = False  # asked of a memory that is not the asker's


def read_pool(
    pipeline: Pipeline,
    prompt: Prompt,
    answers: Callable[..., bool],
    *,
    answerable: bool,
    counts: Callable[[Chunk], bool] = calibrate.is_of_a_file,
) -> Read | None:
    """Search for ``prompt``, and read the best of what is found; None where the very best is none that ``counts``."""
    trace = Trace(timeout_ms=600_000, strict=True)
    query = pipeline.enrich(prompt.text, prompt.received_at, trace)
    pool = pipeline.gather(query, trace)
    found = pipeline.calibrate(query, pipeline.fuse(pool), pool)
    if pipeline.reader is None or not found or not counts(found[0].chunk):
        return None
    best = found[: reading.QUICK]
    said = pipeline.reader.read(query.sought, [pool.passage(c.chunk) for c in best])
    constants = pipeline.calibration.constants
    said += [min(said)] * (len(found) - len(said))
    return Read(
        np.array(reading.behind(found, absolute=constants.absolute, spread=constants.spread)),
        np.array([reading.logit_of(c.relevance) for c in found]),
        np.array(said),
        np.array([answers(c) for c in found], bool),
        answerable,
    )


def diary_of(name: str, stranger: str) -> list[Read | None]:
    """Live through a diary, and read the best of what is found for each prompt when it is asked; in the end for a stranger's."""
    read = []
    with grown.newborn() as engine:
        for asked, prompt in grown.lived(name, engine):
            answers = partial(_answers, asked)
            known = asked.kind not in grown.UNANSWERABLE
            read.append(read_pool(engine.pipeline, prompt, answers, answerable=known, counts=_was_said))
        for asked in grown.prompts_of(stranger):
            sent = replace(prompt, text=asked.text)
            one = read_pool(engine.pipeline, sent, lambda _: False, answerable=False, counts=_was_said)
            read.append(one and one._replace(strange=True))
    return read


def _was_said(chunk: Chunk) -> bool:
    return bool(chunk.kind.speakers)


def _answers(asked: grown.Asked, candidate: Candidate) -> bool:
    return grown.answers_in(asked, f"{candidate.chunk.heading} {candidate.chunk.text}")


def digest_of(diary: Path) -> str:
    """Return the digest of a diary's files."""
    files = sorted(file for file in diary.rglob("*") if file.is_file())
    return blake2b(b"".join(file.read_bytes() for file in files), digest_size=8).hexdigest()


def order_of(sets: Sequence[Sequence[Read]]) -> tuple[float, float]:
    """Fit the order: which chunk of a pool answers, by the engine's distance and the reader's word."""
    from scipy.optimize import minimize

    def loss(counts: Column) -> float:
        total = 0.0
        for own in sets:
            pools = [p for p in own if p.answers.any()]
            logits = [counts[0] * p.behind + counts[1] * p.said for p in pools]
            losses = [
                np.logaddexp.reduce(logit) - np.logaddexp.reduce(logit[p.answers])
                for logit, p in zip(logits, pools, strict=True)
            ]
            total += float(np.mean(losses))
        return total

    engine, reader = minimize(loss, [0.6, 0.3], method="Nelder-Mead").x
    return float(engine), float(reader)


def relevance_of(sets: Sequence[Sequence[Read]], order: tuple[float, float]) -> tuple[float, float, float]:
    """Fit the relevance: does this store answer, from the chunk that comes first."""
    from sklearn.linear_model import LogisticRegression

    rows, truths, votes = [], [], []
    for own in sets:
        groups = Counter((p.answerable, p.strange) for p in own)
        near = 1 - STRANGE if (False, True) in groups else 1.0
        shares = {(True, False): 1.0, (False, False): near, (False, True): STRANGE}
        for p in own:
            first = int(np.argmax(order[0] * p.behind + order[1] * p.said))
            rows.append([p.known[first], p.said[first]])
            truths.append(p.answerable)
            votes.append(shares[p.answerable, p.strange] / groups[p.answerable, p.strange])
    weighed = np.array(votes) * len(votes) / sum(votes)
    model = LogisticRegression(C=10).fit(np.array(rows), np.array(truths), sample_weight=weighed)
    return float(model.coef_[0][0]), float(model.coef_[0][1]), float(model.intercept_[0])


def fitted_to(sets: Sequence[Sequence[Read]], talkative: float) -> dict[str, float]:
    """Return the weights by name, ready for JSON."""
    order = order_of(sets)
    engine, reader, intercept = relevance_of(sets, order)
    found = weights.ReaderWeights(*order, engine, reader, intercept + talkative)
    return {name: round(value, 3) for name, value in found._asdict().items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET_DIR")
    parser.add_argument("--limit", type=int, help="Only so many prompts of a memory set, spread over it.")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args(arguments)
    digests: dict[str, str] = {}
    read: dict[str, list[list[Read]]] = {"files": [], "turns": []}
    diaries = [place for place in given.sets if (place / "sessions").is_dir()]
    for place in given.sets:
        is_diary = place in diaries
        found = None if is_diary else pools_of(place, given.limit, read_pool)
        judged = found.judged if found else diary_of(place.name, diaries[diaries.index(place) - 1].name)
        digests[place.resolve().name] = found.digest if found else digest_of(place)
        read["turns" if is_diary else "files"].append([p for p in judged if p is not None])
        print(f"{place.name}: {len(judged)} prompts")
    written = json.loads(given.out.read_text(encoding="utf-8"))
    before = written.get("reader") or {"data": {}, "weights": {}}
    fitted = {of: fitted_to(sets, TALKATIVE[of]) for of, sets in read.items() if sets}
    written["reader"] = {
        "model": loading.READER,
        "made": f"eval/fit_reader.py, {datetime.now(UTC):%Y-%m-%d}",
        "data": before["data"] | digests,
        "limit": given.limit,
        "weights": before["weights"] | fitted,
    }
    given.out.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
