"""The vector half of a search beside an exact one, by size: what it misses of the nearest, and what it takes.

    python eval/studies/vector_leg.py FOLDER [--sizes 5000 20000 100000] [--queries 200]

FOLDER is where ``filled.py`` keeps what it embedded. Asked of two kinds of vectors: those of lines of the repository's vaults, by other
lines; and of made-up notes that are all alike, by made-up prompts, where a thousandth decides. What is embedded is mixed to as
many as a size has, as ``filled.py`` does. Half of the queries are seen from their centre, as the null sample is. Both searches are
``FaissIndex``, one with all vectors below its crossover, the other with all above it, and take each query in turn.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from filled import Base, base_of, mixtures
from made_up import prompt

from hookclaw_py import Config
from hookclaw_py.evaluation.tables import Sheet, markdown
from hookclaw_py.model.vectors import Matrix
from hookclaw_py.search.loading import embedder
from hookclaw_py.search.local.faiss_index import FaissIndex
from hookclaw_py.search.ports import Embedder
from hookclaw_py.store import packing

VAULTS = Path(__file__).parents[1] / "data" / "vaults"
LINES = 4000
NEVER = 1 << 60
TOP = 20  # what a recall asks for


def lines_of(model: Embedder, count: int) -> Matrix:
    """Embed so many lines of the vaults."""
    found = {line.strip() for file in sorted(VAULTS.rglob("*.md")) for line in file.read_text("utf-8").splitlines()}
    lines = sorted(line for line in found if len(re.findall(r"\w+", line)) >= 5)
    random.Random(3).shuffle(lines)
    return np.stack([model.embed(line) for line in lines[:count]])


def compared(base: Matrix, queries: Matrix, size: int) -> tuple[str, ...]:
    """Return recall@10, recall@20, and what a search takes exactly and by rough copies, by the clock and by the processor."""
    mixed, _ = mixtures(Base("", base, []), max(size - len(base), 0), np.random.default_rng(5))
    vectors = packing.vectors_of(packing.packed_vectors(np.concatenate([base, mixed])[:size]), base.shape[1])
    queries = np.concatenate([queries[::2], queries[1::2] - queries.mean(axis=0)])
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    sides = [FaissIndex(base.shape[1], crossover=crossover) for crossover in (NEVER, 1)]
    for one in sides:
        one.add([f"{n:016x}" for n in range(size)], vectors)
        one.search(queries[0], TOP)
    shares, took = list[tuple[float, float]](), list[list[float]]()
    for query in queries:
        times, answers = list[float](), list[list[str]]()
        for one in sides:
            started, worked = perf_counter(), process_time()
            answers.append([hit.chunk_id for hit in one.search(query, TOP)])
            times += [perf_counter() - started, process_time() - worked]
        exact, found = answers
        shares.append((len({*exact[:10]} & {*found[:10]}) / 10, len({*exact} & {*found}) / TOP))
        took.append(times)
    clock, cpu, clock_rough, cpu_rough = np.median(took, axis=0) * 1000
    recalls = [f"{share:.4f}" for share in np.mean(shares, axis=0)]
    return *recalls, f"{clock:.2f} ({cpu:.2f})", f"{clock_rough:.2f} ({cpu_rough:.2f})", f"{cpu_rough / cpu:.2f}"


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5000, 10_000, 20_000, 100_000])
    parser.add_argument("--queries", type=int, default=200)
    given = parser.parse_args()
    model = embedder(Config())
    lines = lines_of(model, LINES + given.queries)
    rng = random.Random(9)
    made_up = np.stack([model.embed(prompt(rng, 10_000)) for _ in range(given.queries)])
    kinds = {
        "lines of vaults": (lines[given.queries :], lines[: given.queries]),
        "made-up notes": (base_of(given.folder / "base.npz", 5000).vectors, made_up),
    }
    rows = [
        (kind, f"{size:,}", *compared(base, queries, size))
        for kind, (base, queries) in kinds.items()
        for size in given.sizes
    ]
    heads = ["vectors", "how many", "recall@10", "recall@20", "exact, ms", "by two bits, ms", "ratio"]
    print(markdown(Sheet("The twenty nearest; processor time in brackets, and the ratio of that", heads, rows)))


if __name__ == "__main__":
    main()
