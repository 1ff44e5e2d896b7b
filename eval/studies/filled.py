"""Stores of 100,000 and 1,000,000 passages in minutes: the passages are indexed as any, their vectors are made up.

    python eval/studies/filled.py FOLDER [--sizes 10000 100000] [--base 5000]
    python eval/studies/machine.py --kept FOLDER --sizes 10000 100000 --agents 0

To embed a million passages takes five hours. Here the first ``--base`` made-up notes are embedded by the shipped model, once, and every
further passage gets a mixture of two of their vectors with some noise, of length 1, and the token vectors of one of the two: so it lies
among its kin as a passage does, but what it says and what its vector says have nothing to do with each other. Good for time, memory
and disk; no measure of ranking. Everything goes through the engine's own ports, so what is kept is what the engine keeps. The
folder is laid out as ``machine.py --kept`` wants it.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from made_up import note, write_workspace

from hookclaw_py import Config, Engine
from hookclaw_py.model.vectors import Matrix, TokenVectors
from hookclaw_py.search.loading import embedder as open_embedder
from hookclaw_py.search.ports import TokenEmbedder, encode
from hookclaw_py.store.freshness import note_indexing

FACTS = 3  # of forty words each, as in machine.py
FILES = 20  # whose vectors are written at a time
SECOND, NOISE = 0.6, 0.35
"""Of the first vector's weight, what the second has, and the length of the noise: the nearest of 100,000 are as near as those of 5,000 embedded ones."""


class Base(NamedTuple):
    """What was truly embedded: vectors, shape (n, dimension), and the tokens of each."""

    model_id: str
    vectors: Matrix
    tokens: Sequence[TokenVectors]


def base_of(kept: Path, count: int) -> Base:
    """Embed ``count`` made-up notes, or read what was embedded before."""
    model = open_embedder(Config())
    if not kept.exists():
        assert isinstance(model, TokenEmbedder)
        rng = random.Random(11)
        texts = [f"Ticket LAN-{n}\n\n{' '.join(note(rng, n) for _ in range(FACTS))}" for n in range(count)]
        encoded = [encode(model, text) for text in texts]
        lengths = [len(one.tokens) for one in encoded]
        tokens = np.concatenate([one.tokens for one in encoded])
        np.savez(kept, vectors=np.stack([one.vector for one in encoded]), tokens=tokens, lengths=lengths)
    found = np.load(kept)
    tokens = np.split(found["tokens"], np.cumsum(found["lengths"])[:-1])
    return Base(model.model_id, found["vectors"], tokens)


def mixtures(base: Base, count: int, rng: np.random.Generator) -> tuple[Matrix, list[int]]:
    """Return so many made-up vectors, shape (count, dimension), and of which embedded note each is most."""
    first, second = rng.integers(len(base.vectors), size=(2, count))
    noise = rng.standard_normal((count, base.vectors.shape[1]), dtype=np.float32)
    noise *= NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
    mixed: Matrix = base.vectors[first] + SECOND * base.vectors[second] + noise
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True), first.tolist()


def fill(home: Path, notes: Path, base: Base) -> Iterator[str]:
    """Index the notes of a folder and give each passage a made-up vector; say how far that is."""
    os.environ["HOOKCLAW_HOME"] = str(home)
    rng, started, done = np.random.default_rng(13), perf_counter(), 0
    with Engine.open(Config(enable_vector=False)) as engine:
        engine.index(notes)
        yield f"indexed in {perf_counter() - started:.0f} s"
        started = perf_counter()
        files = sorted(engine.store.files())
        for start in range(0, len(files), FILES):
            ids = [chunk.id for path in files[start : start + FILES] for chunk in engine.store.chunks_of(path)]
            vectors, kin = mixtures(base, len(ids), rng)
            tokens = {name: base.tokens[of].tobytes() for name, of in zip(ids, kin, strict=True)}
            named = [(name, row.tobytes()) for name, row in zip(ids, vectors.astype("<f4"), strict=True)]
            engine.store.add_embeddings(base.model_id, named, tokens)
            done += len(ids)
            if done % 50_000 < len(ids):
                yield f"{done} vectors in {perf_counter() - started:.0f} s"
        note_indexing(engine.store, at=datetime.now(UTC), model_id=base.model_id)


def main() -> None:
    """Fill the stores that are not there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--base", type=int, default=5000, help="notes that are truly embedded")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    base = base_of(folder / "base.npz", options.base)
    for size in options.sizes:
        notes = folder / f"notes{size}"
        if not notes.exists():
            write_workspace(notes, size, random.Random(7), facts=FACTS)
            for told in fill(folder / f"home{size}", notes, base):
                print(f"{size:,}: {told}", flush=True)


if __name__ == "__main__":
    main()
