"""Null sample: what prompts that no one's notes answer reach in a store, the zero from which its cosines are measured."""

from __future__ import annotations

import logging
import os
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

import numpy as np

from hookclaw_py.calibration.findings import NullSample
from hookclaw_py.config import home, make_private
from hookclaw_py.model.vectors import Matrix, Vector
from hookclaw_py.search.ports import Embedder, VectorIndex, centred
from hookclaw_py.search.shared import Shared

log = logging.getLogger("hookclaw")

_vectors_by_model: Shared[str, Matrix] = Shared()


def close() -> None:
    """Let go of the prompts' vectors, which all engines of this process share."""
    _vectors_by_model.close()


def null_sample(model: Embedder, vectors: VectorIndex, *, keep: bool) -> tuple[NullSample | None, Vector]:
    """Ask the store the prompts that no one's notes answer, seen from their centre, and return that centre as well.

    The centre, their mean, is what a vector owes to being a prompt at all. The sample is None while the store has no
    vectors. With ``keep`` the prompts' vectors are kept on this machine for the next start.
    """
    prompts = null_vectors(model, keep=keep)
    centre: Vector = prompts.mean(axis=0)
    if not len(vectors):
        return None, centre
    best = [vectors.search(centred(prompt, centre), 1)[0].score for prompt in prompts]
    return NullSample(float(np.mean(best)), float(np.std(best))), centre


def null_vectors(model: Embedder, *, keep: bool) -> Matrix:
    """Return the null prompts' vectors, shape (prompts, dimension); made once for each process, or those that are kept."""

    def made() -> Matrix:
        text = (files("hookclaw_py.search") / "null_prompts.txt").read_text(encoding="utf-8")
        prompts = [line for line in text.splitlines() if line and not line.startswith("#")]
        key = blake2b(f"{model.model_id}\n{text}".encode(), digest_size=8).hexdigest()
        file = home() / "cache" / f"null-{key}.npy"
        vectors = _stored(file, len(prompts))
        if vectors is None:
            vectors = np.stack([model.embed(prompt) for prompt in prompts])
            if keep:
                _put(file, vectors)
        return vectors

    return _vectors_by_model.get(model.model_id, made)


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
