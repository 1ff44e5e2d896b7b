"""Growth: ranking, silence, latency and memory as one store grows from 1,000 to 100,000 chunks.

    python eval/studies/growth.py FOLDER [--sizes 1000,3000,10000,30000,100000] [--json FILE] [--embed-only]

One store holds what answers the prompts of three sets: a LoCoMo conversation, the evidence of some LongMemEval questions
and the sessions of a ProactiveMem persona. Everything else of all sets is added as distraction: first whole texts, then
single sentences of the long ones. The same prompts are asked at every size; the strangers are prompts of the same
three sets whose answers are never in the store. Prompts are embedded live, so the latency is that of a warm engine.
``--embed-only`` only embeds what the store will need, which takes long the first time.
"""

from __future__ import annotations

import random
import re
import resource
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import asking

from hookclaw_py.evaluation import measures, silence
from hookclaw_py.evaluation.replay import Asked, Reply, chunk_of, kept_embedder
from hookclaw_py.evaluation.results import level_of, percentiles
from hookclaw_py.evaluation.scopes import Scope
from hookclaw_py.evaluation.sets import Document, LabelledPrompt, MemorySet, load_memory_set, spread
from hookclaw_py.evaluation.tables import number
from hookclaw_py.store.database import embedding_text

SOURCES = ("locomo", "longmemeval_ev", "proactivemem", "beam_100k", "realmem_notes", "realmem", "factconsolidation_sh")
SPLIT_UP = ("realmem", "beam_100k")  # whose long texts give the sentences; none of them answers a prompt asked here
PROMPTS = 100  # of each set, at home and as strangers
EVIDENCE = 60  # LongMemEval questions whose evidence is in the store
SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
SHORTEST = 20  # characters of a sentence that counts as one


class Asking(NamedTuple):
    """What one set brings along: prompts at home, strangers, and which documents must be in the store, which never."""

    home: Sequence[LabelledPrompt]
    strangers: Sequence[LabelledPrompt]
    needed: frozenset[str]
    banned: frozenset[str]


def by_group(memory_set: MemorySet) -> Asking:
    """Ask the prompts of the group with the fewest documents at home, those of the next larger one as strangers."""
    judged = memory_set.judged("chunk")
    groups: dict[str, list[Document]] = {}
    for document in memory_set.documents:
        groups.setdefault(document.group, []).append(document)
    asked = {p.group for p in memory_set.prompts if p.id in judged}
    home, other = sorted(asked, key=lambda name: (len(groups[name]), name))[:2]
    prompts = {name: [p for p in memory_set.prompts if p.group == name and p.id in judged] for name in (home, other)}
    return Asking(
        spread(prompts[home], PROMPTS),
        spread(prompts[other], PROMPTS),
        frozenset(d.id for d in groups[home]),
        frozenset(d.id for d in groups[other]),
    )


def by_evidence(memory_set: MemorySet) -> Asking:
    """Ask every second question at home, its evidence in the store; the others' evidence and its kin never is."""
    judged = memory_set.judged("chunk")
    prompts = spread([p for p in memory_set.prompts if p.id in judged], 2 * EVIDENCE)
    home, strangers = prompts[::2], prompts[1::2]
    needed = frozenset(i for p in home for i in judged[p.id])
    theirs = {i for p in strangers for i in judged[p.id]}
    kin = {mark for d in memory_set.documents if d.id in theirs for mark in (d.session, d.family) if mark}
    banned = {d.id for d in memory_set.documents if d.id in theirs or {d.session, d.family} & kin}
    return Asking(home, strangers, needed, frozenset(banned - needed))


def sentences(document: Document) -> Iterator[Document]:
    """Yield a long text's sentences as documents of their own."""
    parts = [part.strip() for part in SENTENCE.split(document.text)]
    for place, part in enumerate(part for part in parts if len(part) >= SHORTEST):
        yield Document(f"{document.id}/{place}", part, document.created_at)


def gathered(root: Path) -> tuple[dict[str, tuple[MemorySet, Asking]], list[Document]]:
    """Return what is asked, and all documents without repetition: the needed, then the others shuffled, then sentences.

    Ids are made distinct by the set's name, and a store's order or visibility plays no part.
    """
    sets = {name: load_memory_set(root / name) for name in SOURCES}
    asked = {
        "locomo": (sets["locomo"], by_group(sets["locomo"])),
        "longmemeval_ev": (sets["longmemeval_ev"], by_evidence(sets["longmemeval_ev"])),
        "proactivemem": (sets["proactivemem"], by_group(sets["proactivemem"])),
    }
    needed, others, pieces = [], [], []
    for name, memory_set in sets.items():
        plan = asked[name][1] if name in asked else Asking((), (), frozenset(), frozenset())
        for document in memory_set.documents:
            if document.id in plan.banned:
                continue
            one = replace(document, id=f"{name}/{document.id}", seq=None, path="")
            (needed if document.id in plan.needed else others).append(one)
            if name in SPLIT_UP:
                pieces += sentences(one)
    dice = random.Random(0)
    dice.shuffle(others)
    dice.shuffle(pieces)
    banned = {d.text for name, (s, plan) in asked.items() for d in s.documents if d.id in plan.banned}
    seen: set[str] = set()
    distinct = []
    for document in (*needed, *others, *pieces):
        if document.text not in seen and document.text not in banned:
            seen.add(document.text)
            distinct.append(document)
    return asked, distinct


def measured(name: str, memory_set: MemorySet, home: Sequence[Reply], strangers: Sequence[Reply]) -> dict[str, Any]:
    """Return one set's numbers at one size."""
    judged = memory_set.judged("chunk")
    truth = {r.prompt.id: {f"{name}/{i}": n for i, n in judged[r.prompt.id].items()} for r in home}
    ranked = measures.mean(measures.ranking_measures(truth, {r.prompt.id: r.ranking for r in home}).values())
    levels, others = [level_of(r) for r in home], [level_of(r) for r in strangers]
    mark = silence.at_home_fire(levels, others, 0.95)
    return {
        "prompts": len(home),
        "strangers": len(strangers),
        "R@5": ranked["R@5"],
        "nDCG@10": ranked["nDCG@10"],
        "home": sum(r.fired for r in home) / len(home),
        "false": sum(r.fired for r in strangers) / len(strangers),
        "false_at_95": mark.false_fire if mark else None,
        "area": silence.area_under(levels, others),
    }


def memory_mb() -> float:
    """Return what the process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if Path("/proc/self/statm").exists() else 0
    return pages * resource.getpagesize() / 2**20 or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Grow the store and measure at each size."""
    parser = asking.parser(__doc__)
    parser.add_argument("--sizes", default="1000,3000,10000,30000,100000")
    parser.add_argument("--embed-only", action="store_true")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    asked_of, documents = gathered(options.folder)
    config = asking.study_config()
    print(f"{len(documents)} distinct chunks at hand", flush=True)
    if sizes[-1] > len(documents):
        sizes = [*(size for size in sizes if size < len(documents)), len(documents)]
    with kept_embedder(config) as embedder:
        if options.embed_only:
            for start in range(0, sizes[-1], 2000):
                embedder.bytes_of(
                    [embedding_text(chunk_of(d)) for d in documents[start : min(start + 2000, sizes[-1])]]
                )
                print(f"embedded {start + 2000}", flush=True)
            return
        by_size: dict[int, Any] = {}
        with Asked(
            Scope("grown", documents[: sizes[-1]], ()), config, embedder, lambda *_: None, rechunk=False
        ) as asked:
            waiting = asked.hidden
            asked.hidden = []
            for size in sizes:
                started = perf_counter()
                grown = asked.engine.store.count()
                asked.hidden = waiting[grown:size]
                asked.reveal(None)
                seconds = perf_counter() - started
                by_size[size] = at_size(asked, asked_of) | {"grown_by": size - grown, "seconds": round(seconds, 1)}
                print(
                    f"{size} chunks: {seconds:.0f} s to add, {perf_counter() - started - seconds:.0f} s to ask",
                    flush=True,
                )
    report(by_size)
    asking.write(options.json, {"sizes": by_size, "chunks_at_hand": len(documents)})


def at_size(asked: Asked, asked_of: dict[str, tuple[MemorySet, Asking]]) -> dict[str, Any]:
    """Ask every set's prompts of the store as it is."""
    found: dict[str, Any] = {"sets": {}}
    times: list[float] = []
    busy = 0.0
    for name, (memory_set, plan) in asked_of.items():
        home = [asked.ask(p, ranking=True) for p in plan.home]
        started = process_time()
        strangers = [asked.ask(p) for p in plan.strangers]
        busy += process_time() - started
        found["sets"][name] = measured(name, memory_set, home, strangers)
        times += [r.ms for r in strangers]
    cpu = busy * 1000 / len(times)
    return found | {"ms": percentiles(times), "cpu_ms": round(cpu, 2), "memory_mb": round(memory_mb())}


def report(by_size: dict[int, Any]) -> None:
    """Print one table for the sets and one for the costs."""
    keys = ("R@5", "nDCG@10", "home", "false", "false_at_95", "area")
    names = list(next(iter(by_size.values()))["sets"])
    rows = [
        [name, f"{size:,}", *(number(found["sets"][name][key]) for key in keys)]
        for name in names
        for size, found in by_size.items()
    ]
    heads = ["set", "chunks", "R@5", "nDCG@10", "home fire", "false fire", "false fire at 95 % home", "area"]
    asking.show("Growth", heads, rows)
    costs = [
        [
            f"{size:,}",
            f"{f['ms']['p50']:.1f}",
            f"{f['ms']['p95']:.1f}",
            f"{f['cpu_ms']:.1f}",
            str(f["memory_mb"]),
            f"{f['seconds']}",
        ]
        for size, f in by_size.items()
    ]
    asking.show("What it costs", ["chunks", "p50 ms", "p95 ms", "mean CPU ms", "memory MB", "seconds to add"], costs)


if __name__ == "__main__":
    main()
