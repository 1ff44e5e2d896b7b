"""Which share of what a diary says should be known do the rules draft, and what do they make of it?

``python eval/studies/drafts.py NAME … [--missing] [--sample N]``: NAMEs of ``eval/data/diaries``. A line of ``expected.txt`` counts
as drafted when one draft holds all of its words; what never should be known, when one that is told elsewhere does.
``--sample`` prints drafts at random, to be read by a person: how many are noise or wrong no words can say.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hookclaw_py.capture.cleaning import cleaned
from hookclaw_py.distil import distil
from hookclaw_py.hosts.openclaw.envelope import ENVELOPE
from hookclaw_py.ingest.happenings import happenings
from hookclaw_py.ingest.spoken import TranscriptEvent
from hookclaw_py.model.draft import Draft

DIARIES = Path(__file__).resolve().parent.parent / "data" / "diaries"
WANTED = ("fact", "decision", "preference", "error", "fix", "open")


class Expected(NamedTuple):
    """A line of what should be known: its kind, its session and the words that tell it."""

    kind: str
    session: str
    words: tuple[str, ...]
    line: str


def expected(name: str) -> Iterator[Expected]:
    """Yield what should be known, and what should not, of a diary."""
    for line in (DIARIES / name / "expected.txt").read_text(encoding="utf-8").splitlines():
        kind, turn, words, *_ = line.split("|")
        yield Expected(kind, turn.partition(".")[0], tuple(_plain(word) for word in words.split(" ; ")), line)


def drafts(name: str) -> dict[str, list[Draft]]:
    """Return what the rules make of each session that is captured: without groups, secrets and private parts."""
    folder = DIARIES / name / "sessions"
    keys = json.loads((folder / "keys.json").read_text(encoding="utf-8"))
    found = {}
    for session, key in keys.items():
        if "group" in key:
            continue
        lines = (folder / f"{session}.jsonl").read_text(encoding="utf-8").splitlines()
        events = [TranscriptEvent(number, json.loads(line)) for number, line in enumerate(lines, 1)]
        told = happenings(events, ENVELOPE, host="openclaw", session=f"{name}-{session}")
        every = distil([one._replace(payload=cleaned(dict(one.payload))) for one in told])
        found[session] = [draft for draft in every if not draft.ends]  # kept only where it ends something
    return found


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _holds(texts: list[str], words: tuple[str, ...]) -> bool:
    return any(all(word in text for word in words) for text in texts)


def _is_told(draft: Draft) -> bool:
    """Say whether a draft is told in other sessions as well: the state of work before a compaction is its session's own."""
    return draft.fields.get("trigger") != "compaction"


def report(name: str, *, missing: bool) -> None:
    """Print which share of a diary is drafted, by kind, and how many drafts there are."""
    made = drafts(name)
    texts = {s: [_plain(f"{one.title}\n{one.body}") for one in found] for s, found in made.items()}
    told = {s: [_plain(f"{one.title}\n{one.body}") for one in found if _is_told(one)] for s, found in made.items()}
    asked = [one for one in expected(name) if one.session in texts]
    drafted = [one for one in asked if _holds((told if one.kind == "never" else texts)[one.session], one.words)]
    counts, hits = Counter(one.kind for one in asked), Counter(one.kind for one in drafted)
    print(f"\n{name}: {sum(hits[kind] for kind in WANTED) / sum(counts[kind] for kind in WANTED):.3f} drafted")
    for kind in counts:
        print(f"  {kind:<12}{hits[kind]:>4} of {counts[kind]}")
    kinds = Counter(one.kind.name for found in made.values() for one in found)
    print("  drafts:", ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    for one in asked if missing else ():
        if (one.kind in WANTED and one not in drafted) or (one.kind == "never" and one in drafted):
            print("    ", one.line)


def sample(names: list[str], count: int) -> None:
    """Print some drafts of each kind at random, always the same ones."""
    every = [(name, session, one) for name in names for session, found in drafts(name).items() for one in found]
    for name, session, one in random.Random(0).sample(every, min(count, len(every))):
        print(f"\n{name} {session} {one.kind.name} ({one.said_by}, {one.confidence}) {one.title}\n{one.body}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    given = parser.parse_args()
    for diary in given.names:
        report(diary, missing=given.missing)
    if given.sample:
        sample(given.names, given.sample)
