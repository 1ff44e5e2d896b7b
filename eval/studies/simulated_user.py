"""Does learning from use help? A simulated user asks 500 prompts, new and repeated, with feedback on and off, paired.

    python eval/studies/simulated_user.py --data FOLDER [--sets NAME …] [--turns 500] [--seeds 3] [--rephrased] [--json FILE]

``FOLDER`` holds the memory sets (``eval/README.md``); of each, its largest stores are used, as one agent's memory. Vectors
are kept in ``$HOOKCLAW_HOME/cache``. The user asks a prompt anew with probability .5, else repeats one, three hours after
the last; ``--rephrased`` with a typo, a greeting, in small letters or the like, so that no memory of the exact words helps.
The simulated answer takes words from each relevant chunk that was shown with probability .8, from an irrelevant
one with probability .1, repeats half of the prompt, and chats. Attribution has to find out which; what it gets wrong is
part of the experiment. Both engines see the same prompts and the same dice. In the end every prompt, asked or never
asked, is put to both once more without being recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from statistics import fmean

import cosmetics

from hookclaw_py import Config
from hookclaw_py.engine import Engine
from hookclaw_py.evaluation.replay import chunk_of, kept_embedder
from hookclaw_py.evaluation.scopes import scopes
from hookclaw_py.evaluation.sets import Document, LabelledPrompt, MemorySet, load_memory_set
from hookclaw_py.evaluation.vectors import KeptEmbedder, add_embeddings
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Chunk, Injection, Prompt
from hookclaw_py.store.database import embedding_text

USES, MISTAKES, REPEATS, SAMPLE = 0.8, 0.1, 0.5, 0.5
REPHRASED = ("typo", "greeting", "politeness", "lower case", "upper case", "punctuation")
PACE = timedelta(hours=3)
WINDOW = 100
CHAT = "Sure, happy to help with that. Here is what I would say. Let me know if you would like to hear more about it."


@dataclass
class Tally:
    """What one engine showed: for each turn how many chunks, how many of them relevant, and how many there were."""

    turns: list[tuple[int, int, int]] = field(default_factory=list)
    showings: Counter[str] = field(default_factory=Counter)
    repeats: int = 0

    def add(self, shown: Sequence[str], gold: frozenset[str], recent: frozenset[str] = frozenset()) -> None:
        """Count what one turn showed."""
        self.turns.append((len(shown), len(gold & set(shown)), len(gold)))
        self.showings.update(shown)
        self.repeats += sum(chunk_id in recent for chunk_id in shown)

    def precision(self, turns: slice | Sequence[int] = slice(None)) -> float:
        """Return the share of relevant chunks among those shown."""
        part = self._part(turns)
        shown = sum(s for s, _, _ in part)
        return sum(r for _, r, _ in part) / shown if shown else 0.0

    def recall(self, turns: slice | Sequence[int] = slice(None)) -> float:
        """Return the mean share of the relevant chunks that were shown."""
        part = [(right, gold) for _, right, gold in self._part(turns) if gold]
        return fmean(right / gold for right, gold in part) if part else 0.0

    def per_prompt(self) -> float:
        """Return how many chunks a turn showed."""
        return fmean(shown for shown, _, _ in self.turns)

    def _part(self, turns: slice | Sequence[int]) -> list[tuple[int, int, int]]:
        return self.turns[turns] if isinstance(turns, slice) else [self.turns[n] for n in turns]


@dataclass(frozen=True)
class Scene:
    """One agent's memory, and who asks it what."""

    name: str
    chunks: Mapping[str, Chunk]
    prompts: Sequence[LabelledPrompt]
    gold: Mapping[str, frozenset[str]]


def main() -> None:
    """Simulate and print."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--data", type=Path, required=True, help="a folder with memory sets")
    arguments.add_argument("--sets", nargs="+", default=["locomo", "longmemeval_ev", "realmem_notes"])
    arguments.add_argument("--turns", type=int, default=500)
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--stores", type=int, default=2, help="how many of a set's stores, the largest first")
    arguments.add_argument("--rephrased", action="store_true", help="ask again in slightly other words")
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    config = Config().model_copy(
        update={"timezone": "UTC", "timeout_ms": 10_000, "log_injections": False, "cache_size": 1, "cache_ttl_ms": 1000}
    )
    results = []
    with kept_embedder(config, prompts_too=True) as embedder:
        for name in options.sets:
            for scene in scenes(load_memory_set(options.data / name), options.stores):
                for seed in range(options.seeds):
                    results.append(run(scene, config, embedder, options.turns, seed, options.rephrased))
                    print(f"{scene.name}, seed {seed}: done", flush=True)
    print(report(results))
    if options.json:
        options.json.write_text(json.dumps([r.numbers() for r in results], indent=1), encoding="utf-8")


def scenes(found: MemorySet, most: int) -> Iterator[Scene]:
    """Yield the largest stores; a set of haystacks is one store of all documents, as one person's memory."""
    if found.haystacks:
        yield scene(found.name, found.documents, found.prompts, found)
        return
    stores = sorted(scopes(found, cross_pair=False), key=lambda s: (-len(s.at_home), s.name))
    for store in stores[:most]:
        yield scene(f"{found.name} {store.name}", store.documents, store.at_home, found)


def scene(name: str, documents: Sequence[Document], prompts: Sequence[LabelledPrompt], found: MemorySet) -> Scene:
    """Return one agent's memory with the prompts that its chunks answer."""
    chunks = {d.id: chunk_of(d, line) for line, d in enumerate(documents, start=1)}
    gold = {p.id: frozenset(chunks[i].id for i in found.qrels.get(p.id, {}) if i in chunks) for p in prompts}
    asked = [p for p in prompts if p.answerable and p.category != "adversarial" and gold[p.id]]
    return Scene(name, {c.id: c for c in chunks.values()}, asked, gold)


@dataclass
class Result:
    """One run: the 500 turns, and afterwards every prompt again, by whether it had been asked, with and without feedback.

    ``prompts`` are the ids of what was asked in each of these parts.
    """

    name: str
    seed: int
    during: dict[str, Tally]
    asked: dict[str, Tally]
    never: dict[str, Tally]
    prompts: dict[str, list[str]]

    def numbers(self) -> dict[str, object]:
        """Return what is written as JSON."""
        return {
            "name": self.name,
            "seed": self.seed,
            **{
                f"{part} {way}": {"precision": t.precision(), "recall": t.recall(), "per_prompt": t.per_prompt()}
                for part, tallies in (("during", self.during), ("asked", self.asked), ("never", self.never))
                for way, t in tallies.items()
                if t.turns
            },
        }


def run(
    scene: Scene, config: Config, embedder: KeptEmbedder | None, turns: int, seed: int, rephrased: bool = False
) -> Result:
    """Return one run, with feedback on and off."""
    rng = random.Random(f"{scene.name} {seed}")
    pool = list(scene.prompts)
    rng.shuffle(pool)
    never = pool[: len(pool) // 4]  # asked in the end only
    fresh = pool[len(pool) // 4 :]
    engines = {way: opened(scene, config, embedder, learn=way == "on") for way in ("on", "off")}
    during, asked_before, never_asked = ({way: Tally() for way in engines} for _ in range(3))
    result = Result(scene.name, seed, during, asked_before, never_asked, {"during": []})
    at = max(p.asked_at for p in scene.prompts) + PACE
    asked: list[LabelledPrompt] = []
    recent: dict[str, list[Sequence[str]]] = {way: [] for way in engines}
    for number in range(turns):
        if fresh and (len(asked) < 2 or rng.random() >= REPEATS):
            asked.append(fresh.pop())
            prompt = asked[-1]
        else:
            prompt = rng.choice(asked[:-1])  # not the last one: the answer cache is no part of this
            if rephrased:
                prompt = in_other_words(prompt, seed=number)
        at += PACE
        result.prompts["during"].append(prompt.id)
        for way, engine in engines.items():
            shown = recall(engine, prompt, at, f"turn {number}")
            ids = [c.chunk.id for c in shown.candidates]
            before = frozenset(i for turn in recent[way][-10:] for i in turn)
            result.during[way].add(ids, scene.gold[prompt.id], before)
            recent[way].append(ids)
            engine.agent_end(f"turn {number}", answer(scene, prompt, ids, f"{seed} {number}"), at=at)
    if rephrased:
        asked = [in_other_words(prompt, seed=turns) for prompt in asked]
    result.prompts |= {"asked": [p.id for p in asked], "never": [p.id for p in never]}
    for way, engine in engines.items():
        for tallies, prompts in ((result.asked, asked), (result.never, never)):
            for prompt in prompts:
                last = recall(engine, prompt, at + PACE, "", record=False)
                tallies[way].add([c.chunk.id for c in last.candidates], scene.gold[prompt.id])
        engine.close()
    return result


def in_other_words(prompt: LabelledPrompt, *, seed: int) -> LabelledPrompt:
    """Return the prompt as somebody would write it who asks it again."""
    found = cosmetics.variants(prompt.text, seed=seed)
    ways = [found[kind] for kind in REPHRASED if kind in found]
    return replace(prompt, text=random.Random(f"{seed} {prompt.id}").choice(ways)) if ways else prompt


def recall(engine: Engine, prompt: LabelledPrompt, at: object, session: str, *, record: bool = True) -> Injection:
    """Ask a prompt."""
    sent = Prompt(prompt.text, at, agent_id=engine.agent, session_id=session, audience=Audience.OWNER)  # type: ignore[arg-type]
    return engine.recall(sent, record=record)


def opened(scene: Scene, config: Config, embedder: KeptEmbedder | None, *, learn: bool) -> Engine:
    """Return an engine in memory that holds the scene's chunks."""
    config = config.model_copy(update={"enable_feedback_loop": learn})
    engine = Engine.in_memory(config, embedder=embedder)
    files: dict[str, list[Chunk]] = {}
    for chunk in scene.chunks.values():
        files.setdefault(chunk.place.path, []).append(chunk)
    for path, chunks in files.items():
        engine.store.replace_file(path, chunks=chunks)
    if embedder is not None:
        made = embedder.bytes_of([embedding_text(c) for c in scene.chunks.values()])
        add_embeddings(engine.store, embedder, dict(zip(scene.chunks, made, strict=True)))
    engine.catch_up()
    return engine


def answer(scene: Scene, prompt: LabelledPrompt, shown: Sequence[str], dice: str) -> str:
    """Return what the simulated assistant says. The dice depend on turn and chunk alone: equal for both engines."""
    said = [CHAT, " ".join(prompt.text.split()[: len(prompt.text.split()) // 2])]
    for chunk_id in shown:
        rng = random.Random(f"{dice} {chunk_id}")
        relevant = chunk_id in scene.gold[prompt.id]
        if rng.random() < (USES if relevant else MISTAKES):
            words = scene.chunks[chunk_id].text.split()
            length = min(len(words), rng.randint(8, 16))
            start = rng.randrange(len(words) - length + 1)
            said.append(" ".join(w for w in words[start : start + length] if rng.random() < 1 - SAMPLE / 2) + ".")
    return "\n".join(said)


# The report


def report(results: Sequence[Result]) -> str:
    """Return the tables."""
    lines = ["", "Precision and recall of what was injected, feedback off → on; intervals by resampling prompts", ""]
    lines += ["| store | part | precision | difference (95 %) | recall | difference (95 %) | shown a prompt |"]
    lines += ["|---|---|---:|---:|---:|---:|---:|"]
    sets = list(dict.fromkeys(r.name.split()[0] for r in results))
    for name in [*sets, "all"]:
        some = [r for r in results if name in ("all", r.name.split()[0])]
        for part, title in (
            ("during", "turns 251–500"),
            ("asked", "after, asked before"),
            ("never", "after, never asked"),
        ):
            lines.append(f"| {name} | {title} | {compared(some, part)} |")
    lines += ["", f"Precision (recall) by {WINDOW} turns, mean of all runs", ""]
    length = min(len(r.during["on"].turns) for r in results)
    windows = [slice(n, n + WINDOW) for n in range(0, length, WINDOW)]
    lines += [
        "| feedback | " + " | ".join(f"{w.start + 1}–{w.stop}" for w in windows) + " |",
        "|---|" + "---:|" * len(windows),
    ]
    for way in ("off", "on"):
        cells = [
            f"{fmean(r.during[way].precision(w) for r in results):.3f} ({fmean(r.during[way].recall(w) for r in results):.3f})"
            for w in windows
        ]
        lines.append(f"| {way} | {' | '.join(cells)} |")
    lines += ["", "Does a chunk own the store? Mean of the runs, feedback off → on", ""]
    lines += [
        "| store | Gini of the chunks shown | share of the most shown | of the top tenth | shown within the last 10 turns |"
    ]
    lines += ["|---|---:|---:|---:|---:|"]
    for name in sets:
        some = [r for r in results if name == r.name.split()[0]]
        cells = []
        for measure in (gini, most_shown, top_tenth, repeat_rate):
            cells.append(" → ".join(f"{fmean(measure(r.during[way]) for r in some):.3f}" for way in ("off", "on")))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def compared(results: Sequence[Result], part: str) -> str:
    """Return the cells of one line: off, on, difference and interval."""
    rows = []  # a turn or prompt: (shown, right, gold) off and on
    same: dict[tuple[str, str], list[int]] = defaultdict(list)  # the rows of a prompt: they are not independent
    for result in results:
        tallies: dict[str, Tally] = getattr(result, part)
        turns = list(zip(tallies["off"].turns, tallies["on"].turns, result.prompts[part], strict=True))
        for off_turn, on_turn, prompt_id in turns[len(turns) // 2 :] if part == "during" else turns:
            same[result.name, prompt_id].append(len(rows))
            rows.append((off_turn, on_turn))
    if not rows:
        return "– | – | – | – | –"
    off, on = Tally([a for a, _ in rows]), Tally([b for _, b in rows])
    rng = random.Random(1)
    precision, recall_ = [], []
    prompts = list(same.values())
    for _ in range(400):
        drawn = [n for _ in prompts for n in rng.choice(prompts)]
        precision.append(on.precision(drawn) - off.precision(drawn))
        recall_.append(on.recall(drawn) - off.recall(drawn))
    cells = []
    for name, values in (("precision", precision), ("recall", recall_)):
        before, after = (getattr(t, name)() for t in (off, on))
        low, high = sorted(values)[10], sorted(values)[-11]
        cells += [f"{before:.3f} → {after:.3f}", f"{after - before:+.3f} ({low:+.3f} to {high:+.3f})"]
    return " | ".join([*cells, f"{off.per_prompt():.2f} → {on.per_prompt():.2f}"])


def gini(tally: Tally) -> float:
    """Return how unevenly the showings fall on the chunks that were shown at all: 0 all alike, towards 1 one has all."""
    counts = sorted(tally.showings.values())
    n, total = len(counts), sum(counts)
    return sum((2 * i - n - 1) * c for i, c in enumerate(counts, start=1)) / (n * total) if total else 0.0


def most_shown(tally: Tally) -> float:
    """Return the share of the most shown chunk."""
    return max(tally.showings.values(), default=0) / max(tally.showings.total(), 1)


def top_tenth(tally: Tally) -> float:
    """Return the share of the most shown tenth of the chunks."""
    counts = sorted(tally.showings.values(), reverse=True)
    return sum(counts[: max(1, len(counts) // 10)]) / max(sum(counts), 1)


def repeat_rate(tally: Tally) -> float:
    """Return the share of showings that a recent turn had had already."""
    return tally.repeats / max(tally.showings.total(), 1)


if __name__ == "__main__":
    main()
