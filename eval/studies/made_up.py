"""Made-up notes and prompts for the studies of speed: much alike, so that every retriever has something to sort."""

from __future__ import annotations

import random
from pathlib import Path

WORDS = """
gateway worker queue billing portal exporter scheduler parser limiter archive invoice backup dashboard mailer
moved renamed deployed rejected postponed measured rewrote approved rotated migrated documented tested
token schema retention certificate endpoint budget contract release switch index ferry dentist bicycle recipe
Mara Tomas Okafor Brandt Liwei Sven Amira Jonas Petra Nadia Ruben Ilse Haruto Chiara
"""
SUBJECTS, VERBS, THINGS, PEOPLE = map(str.split, WORDS.strip().splitlines())
REASONS = ["the disks fill up", "customers asked for it", "the audit demands it", "nobody uses it", "it failed twice"]


def note(rng: random.Random, number: int) -> str:
    """Return a made-up fact of about forty words."""
    return (
        f"{rng.choice(PEOPLE)} {rng.choice(VERBS)} the {rng.choice(THINGS)} of the {rng.choice(SUBJECTS)} because "
        f"{rng.choice(REASONS)}; ticket LAN-{number}, owner {rng.choice(PEOPLE)}, due in week {rng.randint(1, 52)}. "
        f"The {rng.choice(SUBJECTS)} keeps its {rng.choice(THINGS)} until {rng.choice(PEOPLE)} has {rng.choice(VERBS)} "
        f"version {rng.randint(1, 9)}.{rng.randint(0, 20)} and the {rng.choice(THINGS)} is {rng.choice(VERBS)}."
    )


def prompt(rng: random.Random, count: int) -> str:
    """Return one of three kinds of prompt: a question about a fact, an identifier, a general task."""
    return rng.choice(
        [
            f"what did {rng.choice(PEOPLE)} decide about the {rng.choice(THINGS)} of the {rng.choice(SUBJECTS)}?",
            f"why was LAN-{rng.randrange(count)} {rng.choice(VERBS)} last week, and who owns it now?",
            f"please explain how a {rng.choice(THINGS)} works in general and write an example with {rng.randint(2, 9)} steps",
        ]
    )


def long_prompt(rng: random.Random, count: int, number: int) -> str:
    """Return a question about one note, with the kind of context that people paste."""
    return (
        f"({number}) who owns LAN-{rng.randrange(count)} now, and what was moved there? This is from my list for today: "
        + "; ".join(f"{rng.choice(THINGS)} of the {rng.choice(SUBJECTS)}" for _ in range(rng.randint(1, 30)))
    )


def write_workspace(folder: Path, count: int, rng: random.Random, *, facts: int = 1) -> None:
    """Write ``count`` notes of so many ``facts``, fifty a file, each under a heading of its own."""
    memory = folder / "memory"
    memory.mkdir(parents=True)
    for start in range(0, count, 50):
        day = f"{2020 + start // 50 // 336}-{start // 50 // 28 % 12 + 1:02}-{start // 50 % 28 + 1:02}"
        body = [
            f"## Ticket LAN-{n}\n\n{' '.join(note(rng, n) for _ in range(facts))}\n"
            for n in range(start, min(start + 50, count))
        ]
        (memory / f"{day}-{start}.md").write_text(f"# {day}\n\n" + "\n".join(body), encoding="utf-8")
