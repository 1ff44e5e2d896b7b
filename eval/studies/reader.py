"""Prints what the reader changes, prompt by prompt: folders asked without it and with it, and a paired test of each.

    python eval/studies/reader.py FOLDER …

A FOLDER is a vault or a collection of ``eval/data/answers``. The test is McNemar's, exact and two-sided, over the prompts that one
of the two answers rightly (or is rightly silent about) and the other doesn't.
"""

from __future__ import annotations

import sys
from math import comb
from pathlib import Path

from hookclaw_py.config import Config
from hookclaw_py.evaluation.vaults import ask_vault, load_vault

Outcomes = dict[str, tuple[bool, bool]]


def asked(folder: Path, reader: str) -> Outcomes:
    """Return by prompt whether it has an answer, and whether what came was right."""
    prompts, _ = load_vault(folder)
    answers, _ = ask_vault(folder, prompts, Config(reader=reader), lambda *_: None)
    return {a.prompt.id: (bool(a.prompt.answers), a.verdict == "right") for a in answers}


def mcnemar(gained: int, lost: int) -> float:
    """Return the chance of so uneven a split, if the two sides were equally good."""
    count = gained + lost
    return min(1.0, 2 * sum(comb(count, n) for n in range(min(gained, lost) + 1)) / 2**count)


def main(folders: list[str]) -> None:
    """Print the table."""
    print("| folder | prompts | without | with | gained | lost | p |")
    print("|---|---|---|---|---|---|---|")
    for folder in map(Path, folders):
        without, with_reader = asked(folder, "off"), asked(folder, "auto")
        for title, answerable in (("with an answer", True), ("without one", False)):
            pairs = [(right, with_reader[i][1]) for i, (has, right) in without.items() if has is answerable]
            gained, lost = sum(b and not a for a, b in pairs), sum(a and not b for a, b in pairs)
            shares = " | ".join(f"{sum(side) / len(pairs):.3f}" for side in zip(*pairs, strict=True))
            print(
                f"| {folder.name} | {len(pairs)} {title} | {shares} | {gained} | {lost} | {mcnemar(gained, lost):.4f} |"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
