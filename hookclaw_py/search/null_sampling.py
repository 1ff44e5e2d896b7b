"""Null sample: what prompts that no one's notes answer reach in a store, the zero from which its cosines are measured."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

import numpy as np

from hookclaw_py import __version__
from hookclaw_py import text as words
from hookclaw_py.calibration.findings import NullSample
from hookclaw_py.config import home, make_private
from hookclaw_py.model.origin import Tier
from hookclaw_py.model.types import Chunk, Hit
from hookclaw_py.model.vectors import Matrix, Vector
from hookclaw_py.search.ports import Embedder, VectorIndex, centred
from hookclaw_py.search.shared import Shared

NEAREST, DEEPER = 8, 1000
"""Passages that are looked at for each prompt, and where all of those are copies of prompts."""
FAR = 6  # deviations: in none of our four folders does a prompt reach further
COPIED = 0.8  # of a prompt's telling words
TELLING = 4  # words from which a prompt is a long one
LITTLE = 4  # times the words of a short prompt
log = logging.getLogger("hookclaw")

_vectors_by_model: Shared[str, Matrix] = Shared()


def close() -> None:
    """Let go of the prompts' vectors, which all engines of this process share."""
    _vectors_by_model.close()


def null_sample(
    model: Embedder, vectors: VectorIndex, chunks: Callable[[Iterable[str]], Mapping[str, Chunk]], *, keep: bool
) -> tuple[NullSample | None, Vector]:
    """Ask the store the prompts that no one's notes answer, seen from their centre, and return that centre as well.

    The centre, their mean, is what a vector owes to being a prompt at all. The sample is None while the store has no
    vectors. With ``keep`` the prompts' vectors are kept on this machine for the next start.

    No note moves it: what others wrote does not count, nor a passage that holds one of these prompts, as ``chunks`` tell of those
    that were found; and what stands out among the rest counts no more than what is far out at all.
    """
    prompts = null_vectors(model, keep=keep)
    centre: Vector = prompts.mean(axis=0)
    if not len(vectors):
        return None, centre

    def honest(nearest: Sequence[Sequence[Hit]]) -> list[float | None]:
        found = chunks({hit.chunk_id for hits in nearest for hit in hits})
        out = {name for name, chunk in found.items() if chunk.origin.tier is Tier.FOREIGN or _holds_one(chunk)}
        return [next((hit.score for hit in hits if hit.chunk_id not in out), None) for hits in nearest]

    seen = [centred(prompt, centre) for prompt in prompts]
    first = honest([vectors.search(prompt, NEAREST) for prompt in seen])
    further = honest(
        [vectors.search(prompt, DEEPER) for prompt, score in zip(seen, first, strict=True) if score is None]
    )
    best = bounded([score for score in (*first, *further) if score is not None] or [0.0])
    return NullSample(float(np.mean(best)), float(np.std(best))), centre


def bounded(scores: Sequence[float]) -> list[float]:
    """Return scores of which none is further above their median than ``FAR`` of their deviations, by the median of these.

    Where a few stand out, they do not tell how the rest is spread. Source: Huber & Ronchetti, "Robust Statistics", 2009, 1.4826
    times the median absolute deviation.
    """
    middle = _median(scores)
    deviation = 1.4826 * _median([abs(score - middle) for score in scores])
    return [min(score, middle + FAR * deviation) for score in scores] if deviation else list(scores)


def _median(values: Sequence[float]) -> float:
    """Return the median; for NumPy's own masked arrays are loaded, a megabyte of them."""
    ordered, half = sorted(values), len(values) // 2
    return (ordered[half] + ordered[-1 - half]) / 2


def _holds_one(chunk: Chunk) -> bool:
    """Say whether a passage holds a prompt of the sample, a long one, or says little else than a short one: no note does by chance."""
    held = chunk.terms.distinct
    sizes, by_term = _told_by_the_prompts()
    shared = Counter(number for term in held & by_term.keys() for number in by_term[term])
    return any(
        count >= COPIED * sizes[number] and (sizes[number] >= TELLING or len(held) <= LITTLE * sizes[number])
        for number, count in shared.items()
    )


@lru_cache(maxsize=1)
def _told_by_the_prompts() -> tuple[list[int], Mapping[str, list[int]]]:
    """Return how many telling words each prompt has, and by word the prompts that have it."""
    telling = [words.terms(prompt).distinct - words.asking() for prompt in _prompts()[1]]
    by_term: dict[str, list[int]] = {}
    for number, terms in enumerate(telling):
        for term in terms:
            by_term.setdefault(term, []).append(number)
    return list(map(len, telling)), by_term


def sampling() -> str:
    """Return what changes with everything that changes a sample, beside the store's vectors: the prompts, and how it is taken."""
    how = f"{__version__} {NEAREST} {DEEPER} {FAR} {COPIED} {TELLING} {LITTLE}\n{_prompts()[0]}"
    return blake2b(how.encode(), digest_size=8).hexdigest()


def null_vectors(model: Embedder, *, keep: bool) -> Matrix:
    """Return the null prompts' vectors, shape (prompts, dimension); made once for each process, or those that are kept."""

    def made() -> Matrix:
        text, prompts = _prompts()
        key = blake2b(f"{model.model_id}\n{text}".encode(), digest_size=8).hexdigest()
        file = home() / "cache" / f"null-{key}.npy"
        vectors = _stored(file, len(prompts))
        if vectors is None:
            vectors = np.stack([model.embed(prompt) for prompt in prompts])
            if keep:
                _put(file, vectors)
        return vectors

    return _vectors_by_model.get(model.model_id, made)


def _prompts() -> tuple[str, list[str]]:
    """Return the file as it stands, and the prompts in it."""
    text = (files("hookclaw_py.search") / "null_prompts.txt").read_text(encoding="utf-8")
    return text, [line for line in text.splitlines() if line and not line.startswith("#")]


def _stored(file: Path, count: int) -> Matrix | None:
    """Return the matrix in ``file``; None when there is none of ``count`` rows (a crash may have cut it short)."""
    try:
        vectors: Matrix = np.load(file)
    except (OSError, ValueError, EOFError):
        return None
    return vectors if vectors.shape[0] == count else None


def _put(file: Path, vectors: Matrix) -> None:
    part = file.with_suffix(f".{os.getpid()}.npy")
    try:
        make_private(file.parent)
        np.save(part, vectors)
        part.chmod(0o600)
        part.replace(file)
    except OSError as error:  # costs half a second at the next start, nothing else
        log.warning("hookclaw: cannot keep %s: %s", file, error)
