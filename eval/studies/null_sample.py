"""Can notes move the zero of relevance, and would a sample that nobody knows help?

    python eval/studies/null_sample.py

The notes of two vaults, 150 honest prompts (those of ``attacks.py``), and files that count as the person's own notes, written to lie near the prompts of the
null sample: copies, the same with every third word left out, halves of two in one. Told are the sample and how many honest answers are lost. Then
*private* samples: prompts made of 30 forms and thousands of fillings by a seed that only a home knows, against notes that are made of the same forms by another
seed; told is the sample alone, for no weights are fitted to it.
"""

from __future__ import annotations

import random
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import asking
import attacks
import numpy as np

from hookclaw_py import Engine
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Prompt
from hookclaw_py.model.vectors import Matrix
from hookclaw_py.search.null_sampling import bounded
from hookclaw_py.search.ports import Embedder, VectorIndex, centred

FILE = Path(__file__).parents[2] / "hookclaw_py/search/null_prompts.txt"
PUBLIC = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
HOMES = 5
FORMS = """
    What is the capital of {place}?|What is the weather usually like in {place} in {month}?|Write a {piece} about a {animal} who plays the {instrument}.
    |How do I remove {stain} from a {thing}?|Explain {topic} to a child.|What is the difference between {food} and {food}?|How long does it take to boil {food}?
    |Tell me a fun fact about {animal}s.|Recommend a good {genre} novel set in {place}.|How many {unit} are in a {unit}?|Translate "{phrase}" into {language}.
    |Who invented the {thing}?|What is a polite way to say {phrase} in {language}?|Set a timer for {number} minutes please.|Give me five names for a {animal}.
    |Which {instrument} is easiest to learn?|What happened in {place} in {year}?|How do I tie a {knot} knot?|Write a {code} function that sorts {data}.
    |What is the square root of {number}?|Is {food} good for my {body}?|How far is it from {place} to {place}?|Draft an invitation to a {event}.
    |What should I wear to a {event}?|Describe the taste of {food} to someone who never had it.|How does a {thing} work?|Why do {animal}s sleep so much?
    |Summarise the plot of a typical {genre} film.|Suggest a warm-up for my {body}.|What does the word {word} mean?
"""
FILLINGS = {
    "place": "Lisbon, Peru, Kenya, Osaka, Norway, Texas, Bhutan, Malta, Quito, Ghana, Sofia, Fiji, Oman, Dublin, Naples, Laos, Chile, Perth, Lyon, Cairo",
    "month": "January, March, May, July, September, November",
    "piece": "limerick, haiku, sonnet, fairy tale, short poem, fable",
    "animal": "cat, octopus, hedgehog, parrot, otter, camel, beaver, falcon, lizard, penguin, goat, moth",
    "instrument": "violin, tuba, banjo, flute, cello, oboe, accordion, harp",
    "stain": "coffee, red wine, ink, grass, wax, rust",
    "thing": "carpet, zipper, telescope, umbrella, bicycle, toaster, compass, piano, kettle, typewriter, elevator, thermometer",
    "topic": "inflation, photosynthesis, the offside rule, black holes, tides, vaccines, recursion, gravity, the Cold War, compound interest",
    "food": "rice, lentils, mango, cheddar, yoghurt, asparagus, tofu, couscous, rye bread, honey, pumpkin, eggs",
    "genre": "mystery, science fiction, romantic, historical, western, horror",
    "unit": "ounces, pounds, feet, metres, gallons, hectares, cups, miles",
    "phrase": "good luck, get well soon, no thank you, see you later, happy birthday",
    "language": "Finnish, Greek, Welsh, Korean, Dutch, Swahili, Hindi",
    "number": "7, 12, 25, 40, 90, 144",
    "year": "1066, 1789, 1848, 1911, 1969, 1989",
    "knot": "bowline, reef, square, slip, figure-eight",
    "code": "Rust, Haskell, Perl, Kotlin, Lua",
    "data": "dates, fractions, playing cards, strings, matrices",
    "body": "knees, heart, shoulders, skin, eyes, back",
    "event": "barbecue, wedding, funeral, graduation, picnic, housewarming",
    "word": "ephemeral, quixotic, laconic, ubiquitous, candid, obtuse",
}


class Sample(NamedTuple):
    """Mean and deviation of a null sample."""

    mean: float
    deviation: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.deviation:.2f}"


def composed(number: int, seed: int) -> list[str]:
    """Make prompts of the forms, each with fillings drawn by lot."""
    chance, forms = random.Random(seed), [form.strip() for form in FORMS.split("|")]
    return [
        re.sub(r"\{(\w+)\}", lambda slot: chance.choice(FILLINGS[slot[1]].split(", ")), forms[n % len(forms)])
        for n in range(number)
    ]


def thinned(prompt: str, chance: random.Random) -> str:
    """Leave out about every third word."""
    words = prompt.split()
    return " ".join([word for word in words if chance.random() > 0.35] or words[:2])


def near_notes() -> dict[str, list[str]]:
    """Return what somebody writes near the public sample, by how they do it."""
    chance = random.Random(4)
    thin = [thinned(prompt, chance) for prompt in PUBLIC]
    others = random.Random(5).sample(PUBLIC, len(PUBLIC))
    mixed = [
        " ".join([*a.split()[: len(a.split()) * 2 // 3], *b.split()[len(b.split()) // 2 :]])
        for a, b in zip(PUBLIC, others, strict=True)
    ]
    return {"none": [], "copies": PUBLIC, "a third left out": thin, "two halves in one": mixed}


def attacked(world: attacks.World, lines: Sequence[str]) -> tuple[Sample, set[str]]:
    """Return the null sample with these notes, and which honest prompts are answered."""
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)
        shutil.copytree(world.folder, here, dirs_exist_ok=True)
        (here / "notes/Ideas").mkdir()
        for number, line in enumerate(lines):
            (here / f"notes/Ideas/{number}.md").write_text(f"# Idea {number}\n\n{line}\n", encoding="utf-8")
        with Engine.open(attacks.CONFIG, folder=here / "store") as engine:
            engine.index(here / "notes", move=True)
            null = engine.status().null_sample
            assert null
            told = {
                t.id for t in attacks.targets() if attacks.answered(t, engine.recall(asked(engine, t), record=False))
            }
    return Sample(*null), told


def asked(engine: Engine, target: attacks.Target) -> Prompt:
    """Return the prompt of a target."""
    return Prompt(target.text, target.at, engine.agent, target.id, audience=Audience.OWNER)


def sampled(prompts: Matrix, vectors: VectorIndex, notes: Matrix | None = None) -> Sample:
    """Return the sample of prompts' vectors in a store with these notes beside it."""
    centre = prompts.mean(axis=0)
    seen = np.stack([centred(prompt, centre) for prompt in prompts])
    best = np.array([vectors.search(prompt, 1)[0].score for prompt in seen])
    if notes is not None:
        best = np.maximum(best, (seen @ notes.T).max(axis=1))
    spread = bounded(best.tolist())
    return Sample(float(np.mean(spread)), float(np.std(spread)))


def private(world: attacks.World) -> list[list[str]]:
    """Return a row for each of a few homes: its sample, and what notes of the same forms make of it."""
    rows = []
    with Engine.open(attacks.CONFIG, folder=world.folder / "store") as engine:
        engine.recall(asked(engine, attacks.targets()[0]), record=False)
        embedder, vectors = engine._parts.embedder, engine._parts.indexes.vectors  # noqa: SLF001
        assert embedder
        assert vectors
        for home in range(1, HOMES + 1):
            own = embedded(embedder, composed(len(PUBLIC), home))
            notes = (embedded(embedder, composed(number, 100 * home + number)) for number in (len(PUBLIC), 1000))
            rows.append([str(home), str(sampled(own, vectors)), *(str(sampled(own, vectors, one)) for one in notes)])
    return rows


def embedded(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """Return the vectors of texts."""
    return np.stack([embedder.embed(one) for one in texts])


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as scratch:
        world = attacks.World(Path(scratch))
        rows, before = [], set[str]()
        for how, lines in near_notes().items():
            sample, told = attacked(world, lines)
            before = before or told
            rows.append([how, str(len(lines)), str(sample), str(len(before - told))])
        asking.show("The public sample", ["notes near it", "number", "sample", "honest answers lost"], rows)
        heads = ["home", "sample", f"with {len(PUBLIC)} notes of the forms", "with 1,000"]
        asking.show("Private samples", heads, private(world))


if __name__ == "__main__":
    main()
