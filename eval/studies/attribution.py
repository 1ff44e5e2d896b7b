"""How well attribution tells which memories an answer used, beside the original's rule, on labelled transcripts.

    python eval/studies/attribution.py [--data FOLDER] [--fit] [--errors]

Without arguments it reads ``eval/data/attribution``: transcripts of our own writing, and turns of RealMem (Apache-2.0)
whose chunks were labelled by reading. ``--data`` names a folder with the memory sets ``realmem``, ``realmem_notes``,
``longmemeval_ev`` and ``locomo``, of which those that are there are added with silver labels: gold evidence counts as
used, three other chunks that keywords find as not. ``--fit`` refits the model's weights on the tuning half.

A label "either" (a chunk that says the same as a used one) is not counted; a contradicted chunk is counted apart.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from hookclaw_py import text
from hookclaw_py.evaluation.scopes import scopes
from hookclaw_py.evaluation.sets import Document, LabelledPrompt, load_memory_set
from hookclaw_py.learning import attribution
from hookclaw_py.learning.attribution import Attribution
from hookclaw_py.model.place import FilePlace
from hookclaw_py.model.types import Chunk

COMMITTED = Path(__file__).parents[1] / "data" / "attribution"
DISTRACTORS = 3
SAYING = (
    "It is {}.",
    "As far as I remember: {}.",
    "{}.",
    "Your notes say {}.",
    "That was {}, if I read it right.",
)


@dataclass(frozen=True)
class Turn:
    """One labelled turn. ``half`` is "tune" or "test"; ``idf`` is that of the store the chunks are from."""

    id: str
    half: str
    prompt: str
    answer: str
    reply: str
    chunks: tuple[Chunk, ...]
    labels: tuple[str, ...]
    idf: Callable[[Sequence[str]], Mapping[str, float]]


class Store:
    """The texts of a store: gives idf, and what keywords find."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.terms = {key: frozenset(text.terms(body)) for key, body in texts.items()}
        self.frequency = Counter(term for terms in self.terms.values() for term in terms)

    def idf(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the weight of each term: the rarer, the more."""
        n = len(self.terms)
        return {t: math.log(1 + (n - self.frequency[t] + 0.5) / (self.frequency[t] + 0.5)) for t in terms}

    def found(self, prompt: str, among: Iterable[str]) -> list[str]:
        """Return the keys of what shares words with a prompt, best first."""
        weight = self.idf(list(dict.fromkeys(text.terms(prompt))))
        scores = {key: sum(w for term, w in weight.items() if term in self.terms[key]) for key in among}
        return sorted((key for key, score in scores.items() if score), key=lambda key: (-scores[key], key))


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--data", type=Path, help="a folder with memory sets")
    arguments.add_argument("--fit", action="store_true", help="refit the weights on the tuning half")
    arguments.add_argument("--errors", action="store_true", help="print the mistakes on the tuning half")
    options = arguments.parse_args()
    sets = {"our transcripts": committed("transcripts.jsonl"), "RealMem, read": committed("realmem.jsonl")}
    if options.data:
        sets |= silver(options.data)
    if options.fit:
        fit(sets)
    print(table(sets))
    print(contradictions(sets["our transcripts"]))
    if options.errors:
        for turns in list(sets.values())[:2]:
            print("\n".join(mistakes(turns)))


# The labelled turns


def committed(name: str) -> list[Turn]:
    """Return the labelled turns of a file of this repository."""
    rows = [json.loads(line) for line in (COMMITTED / name).read_text(encoding="utf-8").splitlines()]
    store = Store({f"{r['id']} {n}": c["text"] for r in rows for n, c in enumerate(r["chunks"])})
    return [
        turn(
            r["id"], r["split"], r["prompt"], r["answer"], r.get("reply", ""), ((c["text"], c["kind"]) for c in r["chunks"]), store
        )
        for r in rows
    ]  # fmt: skip


def turn(
    name: str, half: str, prompt: str, answer: str, reply: str, labelled: Iterable[tuple[str, str]], store: Store
) -> Turn:
    """Return a turn with its chunks and labels."""
    pairs = list(labelled)
    chunks = tuple(Chunk(f"{n:016x}", body, FilePlace("notes.md", (1, 1))) for n, (body, _) in enumerate(pairs))
    return Turn(name, half, prompt, answer, reply, chunks, tuple(label for _, label in pairs), store.idf)


def silver(folder: Path) -> dict[str, list[Turn]]:
    """Return the turns of each public set that is there, labelled by its gold evidence."""
    found = {}
    if (folder / "realmem").is_dir() and (folder / "realmem_notes").is_dir():
        found["RealMem, silver"] = from_realmem(folder)
    for name, title in (("longmemeval_ev", "LongMemEval, silver"), ("locomo", "LoCoMo, silver")):
        if (folder / name).is_dir():
            found[title] = from_questions(folder / name)
    return found


def from_realmem(folder: Path) -> list[Turn]:
    """Take the assistant's reply from the dialogue, and the notes that it was given as used."""
    dialogues, notes = load_memory_set(folder / "realmem"), load_memory_set(folder / "realmem_notes")
    said = {(d.group, d.text.strip()): n for n, d in reversed(list(enumerate(dialogues.documents)))}
    turns = []
    for scope in scopes(notes, cross_pair=False):
        store = Store({d.id: d.text for d in scope.documents})
        for prompt in scope.at_home:
            place = said.get((prompt.group, f"User: {prompt.text.strip()}"))
            gold = list(notes.qrels.get(prompt.id, {}))
            if place is None or not gold:
                continue
            reply = dialogues.documents[place + 1].text.removeprefix("Assistant: ")
            seen = [d for d in scope.documents if prompt.before_seq is None or (d.seq or 0) < prompt.before_seq]
            turns.append(from_prompt(prompt, reply, gold, seen, store))
    return turns


def from_questions(folder: Path) -> list[Turn]:
    """Say the gold answer in a sentence. Many gold answers are worked out (a count, a date): no chunk has their words."""
    found = load_memory_set(folder)
    turns = []
    for scope in scopes(found, cross_pair=False):
        store = Store({d.id: d.text for d in scope.documents})
        for prompt in scope.at_home:
            gold = [i for i in found.qrels.get(prompt.id, {}) if i in store.terms]
            if prompt.answerable and prompt.answers and gold and prompt.category != "adversarial":
                saying = SAYING[digest(prompt.id) % len(SAYING)].format(prompt.answers[0].rstrip("."))
                turns.append(from_prompt(prompt, saying, gold, scope.documents, store))
    return turns


def from_prompt(
    prompt: LabelledPrompt, answer: str, gold: Sequence[str], seen: Sequence[Document], store: Store
) -> Turn:
    """Return a turn in which gold evidence counts as used, and what else keywords find as not."""
    others = [i for i in store.found(prompt.text, [d.id for d in seen]) if i not in gold][:DISTRACTORS]
    bodies = {d.id: d.text for d in seen}
    labelled = [(bodies[i], "used") for i in sorted(gold) if i in bodies] + [(bodies[i], "ignored") for i in others]
    half = "tune" if digest(prompt.group or prompt.id) % 2 == 0 else "test"
    return turn(prompt.id, half, prompt.text, answer, "", labelled, store)


def digest(name: str) -> int:
    """Return a number that stays the same for a name."""
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big")


# The rules


def original(one: Turn) -> list[bool]:
    """Return what the first hookclaw called used: three tenths of the chunk's words of four letters and more stand anywhere in the answer."""
    lowered = one.answer.lower()
    used = []
    for chunk in one.chunks:
        words = [w for w in re.split(r"[\s/\-_.,:;!?()]+", chunk.text.lower()) if len(w) > 3]
        used.append(bool(words) and sum(w in lowered for w in words) / len(words) >= 0.3)
    return used


def ours(one: Turn) -> list[bool]:
    """Return what the engine's rule calls used."""
    found = attribution.overlaps(one.chunks, one.answer, one.prompt, terms=text.terms, idf=one.idf)
    return [attribution.probability(found[c.id]) >= attribution.USED for c in one.chunks]


def shared_credit(one: Turn) -> list[bool]:
    """Return the same where several chunks may have the credit for one word."""
    found = attribution.overlaps(one.chunks, one.answer, one.prompt, terms=text.terms, idf=one.idf, unique=False)
    return [attribution.probability(found[c.id]) >= attribution.USED for c in one.chunks]


def no_idf(one: Turn) -> list[bool]:
    """Return the same where every word counts alike."""
    found = attribution.overlaps(
        one.chunks, one.answer, one.prompt, terms=text.terms, idf=lambda t: dict.fromkeys(t, 1.0)
    )
    return [attribution.probability(found[c.id]) >= attribution.USED for c in one.chunks]


def any_word(one: Turn) -> list[bool]:
    """Return the most that words can find: one that chunk and answer share beyond the prompt."""
    found = attribution.overlaps(one.chunks, one.answer, one.prompt, terms=text.terms, idf=one.idf, unique=False)
    return [found[c.id].rarest > 0 for c in one.chunks]


RULES = {
    "original, 30 % of words": original,
    "ours": ours,
    "each word credits all": shared_credit,
    "every word as rare": no_idf,
    "any shared word": any_word,
}


def table(sets: Mapping[str, Sequence[Turn]]) -> str:
    """Return the table of all rules."""
    lines = [
        "| set | half | turns | chunks | used | " + " | ".join(RULES) + " |",
        "|---|---|" + "---:|" * (3 + len(RULES)),
    ]
    for name, turns in sets.items():
        for half in ("tune", "test"):
            part = [t for t in turns if t.half == half]
            labels = [label for t in part for label in t.labels if counts(label)]
            cells = [measured(part, rule) for rule in RULES.values()]
            numbers = f"{len(part)} | {len(labels)} | {labels.count('used')}"
            lines.append(f"| {name} | {half} | {numbers} | {' | '.join(cells)} |")
    read = [t for name in list(sets)[:2] for t in sets[name] if t.half == "test"]
    cells = [f"**{measured(read, rule)}**" for rule in RULES.values()]
    labels = [label for t in read for label in t.labels if counts(label)]
    lines.append(
        f"| **both read sets** | test | {len(read)} | {len(labels)} | {labels.count('used')} | {' | '.join(cells)} |"
    )
    return 'Precision / recall of "used"\n\n' + "\n".join(lines)


def counts(label: str) -> bool:
    """Say whether a label is certain enough to be counted."""
    return label not in ("either", "contradicted")


def measured(turns: Sequence[Turn], rule: Callable[[Turn], list[bool]]) -> str:
    """Return precision and recall of a rule."""
    right = called = used = 0
    for one in turns:
        for label, found in zip(one.labels, rule(one), strict=True):
            if counts(label):
                right, called, used = right + (found and label == "used"), called + found, used + (label == "used")
    return f"{right / called if called else 0:.2f} / {right / used if used else 0:.2f}"


def kinds(one: Turn) -> list[Attribution]:
    """Return what the engine would write down, the user's next message included."""
    found = attribution.attribute(one.chunks, one.answer, one.prompt, terms=text.terms, idf=one.idf)
    denied = attribution.objected(one.chunks, found, one.reply, terms=text.terms) if one.reply else frozenset()
    return [Attribution.CONTRADICTED if c.id in denied else found[c.id] for c in one.chunks]


def contradictions(turns: Sequence[Turn]) -> str:
    """Return the tables of kinds: what each labelled chunk was taken for."""
    lines = []
    for half in ("tune", "test"):
        confusion: dict[str, Counter[str]] = defaultdict(Counter)
        for one in turns:
            if one.half == half:
                for label, found in zip(one.labels, kinds(one), strict=True):
                    confusion[label][found.value] += 1
        names = [kind.value for kind in Attribution]
        lines += [
            "",
            f"Kinds, our transcripts, {half} (rows: label)",
            "",
            "| | " + " | ".join(names) + " |",
            "|---|" + "---:|" * 4,
        ]
        lines += [f"| {label} | " + " | ".join(str(confusion[label][name]) for name in names) + " |" for label in names]
    return "\n".join(lines)


def mistakes(turns: Sequence[Turn]) -> Iterable[str]:
    """Yield a line for each mistake on the tuning half."""
    for one in turns:
        for chunk, label, found in zip(one.chunks, one.labels, ours(one), strict=True):
            if one.half == "tune" and counts(label) and found != (label == "used"):
                yield f"{one.id}: {label}, called {'used' if found else 'not used'}: {chunk.text[:100]!r}"


# Fitting


def fit(sets: Mapping[str, Sequence[Turn]]) -> None:
    """Fit the weights on the tuning half by logistic regression; a read set weighs two and a half times a silver one."""
    for _ in range(4):  # who gets credit depends on the weights
        rows, truth, weight = [], [], []
        for name, turns in sets.items():
            if name == "RealMem, silver":
                continue  # its labels are too often wrong, see eval/results/attribution.md
            part = []
            for one in (t for t in turns if t.half == "tune"):
                found = attribution.overlaps(one.chunks, one.answer, one.prompt, terms=text.terms, idf=one.idf)
                pairs = zip(one.chunks, one.labels, strict=True)
                part += [(found[c.id], label) for c, label in pairs if counts(label) and found[c.id].rarest]
            rows += [overlap.measurements for overlap, _ in part]
            truth += [label == "used" for _, label in part]
            weight += [(100 if "silver" in name else 250) / len(part)] * len(part)
        *weights, bias = logistic(np.array(rows), np.array(truth, float), np.array(weight))
        attribution.WEIGHTS, attribution.BIAS = tuple(weights), bias  # type: ignore[assignment]
    print("weights", *(f"{w:.2f}" for w in attribution.WEIGHTS), f"bias {attribution.BIAS:.2f}\n", file=sys.stderr)


def logistic(x: np.ndarray, y: np.ndarray, weight: np.ndarray, *, ridge: float = 1.0) -> list[float]:
    """Return the coefficients and the intercept, by Newton's method; the ridge leaves the intercept alone."""
    x = np.hstack([x, np.ones((len(x), 1))])
    penalty = np.diag([ridge] * (x.shape[1] - 1) + [0.0])
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (weight * (p - y)) + penalty @ beta
        step = np.linalg.solve((x.T * (weight * p * (1 - p))) @ x + penalty, gradient)
        beta -= step
        if np.abs(step).max() < 1e-9:
            break
    return [float(b) for b in beta]


if __name__ == "__main__":
    main()
