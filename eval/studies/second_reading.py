"""Prints what the collections of ``eval/data/answers`` hold, and how often their second reader agrees with the first.

    python eval/studies/second_reading.py

The second reader saw notes and prompts, no labels, and judged every tenth prompt: is it answered?
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).parents[1] / "data" / "answers"
KINDS = ("direct", "reworded", "indirect", "implied", "newer", "near-miss", "other")


def lines(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def agreement(collection: Path) -> tuple[int, int]:
    """Return how many prompts both readers judge alike, and how many the second one judged: none where there is none yet."""
    judgements = collection / "second_reading.jsonl"
    answered = {row["id"]: bool(row["answers"]) for row in lines(collection / "prompts.jsonl")}
    judged = [row for row in (lines(judgements) if judgements.exists() else []) if row["id"] in answered]
    return sum(answered[row["id"]] is row["answered"] for row in judged), len(judged)


def main() -> None:
    """Print the table."""
    print(f"| collection | split | notes | prompts | {' | '.join(KINDS)} | second reader |")
    print(f"|{'---|' * (5 + len(KINDS))}")
    total, alike, judged, notes = Counter[str](), 0, 0, 0
    for collection in sorted(file.parent for file in ANSWERS.glob("*/prompts.jsonl")):
        rows = lines(collection / "prompts.jsonl")
        kinds, splits = Counter(row["kind"] for row in rows), {row["split"] for row in rows}
        count = sum(1 for note in (collection / "notes").rglob("*") if note.is_file())
        same, of = agreement(collection)
        split = "by note" if len(splits) > 1 else splits.pop()
        counted = " | ".join(str(kinds[kind]) for kind in KINDS)
        print(f"| {collection.name} | {split} | {count} | {len(rows)} | {counted} | {same} of {of} |")
        total, alike, judged, notes = total + kinds, alike + same, judged + of, notes + count
    counted = " | ".join(str(total[kind]) for kind in KINDS)
    print(f"| all | | {notes} | {sum(total.values())} | {counted} | {alike} of {judged} |")


if __name__ == "__main__":
    main()
