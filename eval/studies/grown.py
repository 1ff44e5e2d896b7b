"""Does a memory that fills itself answer? Sessions are captured as a host reports them, and asked about in between and afterwards.

    python eval/studies/grown.py NAME … [--searched KIND …] [--out FILE]

NAMEs of ``eval/data/diaries``. Each session is reported as it happened, worked off, and every prompt is asked at its moment: what
comes later is not known yet. A block is *right* when it holds the words that answer and not those that are outdated, *marked* when what
holds those stands behind and says that it may be outdated, *both* when it holds both otherwise, *stale* with the outdated ones alone, else *wrong*; what must not be known *leaks* when it is told. ``--searched`` are the
kinds of records that are searched beside what was said (none, as the engine does): what each of them is worth.
"""

from __future__ import annotations

import argparse
import html
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from hookclaw_py import Engine
from hookclaw_py.capture.processing import Processor
from hookclaw_py.capture.reports import Report
from hookclaw_py.config import CaptureConfig, Config
from hookclaw_py.consolidate.sessions import Consolidation
from hookclaw_py.evaluation.replay import run_config
from hookclaw_py.hosts.openclaw.envelope import ENVELOPE
from hookclaw_py.ingest.embedding import embed_pending
from hookclaw_py.ingest.happenings import happenings
from hookclaw_py.ingest.spoken import TranscriptEvent
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.kind import RECORDS, SESSION, Kind, kind_called
from hookclaw_py.model.record import RecordStatus
from hookclaw_py.model.types import Prompt

DIARIES = Path(__file__).resolve().parent.parent / "data" / "diaries"
UNANSWERABLE = ("none", "never")


class Asked(NamedTuple):
    """A prompt: what answers it, each of some alternatives with all its words, and what must not be told."""

    at: datetime
    kind: str
    text: str
    answers: Sequence[Sequence[str]]
    outdated: Sequence[str]


class Told(NamedTuple):
    """A session: when it was over, and what its host reported."""

    over: datetime
    reports: Sequence[Report]


def prompts_of(name: str) -> list[Asked]:
    """Read the prompts of a diary, in the order in which they are asked."""
    found = []
    for line in (DIARIES / name / "prompts.txt").read_text(encoding="utf-8").splitlines():
        kind, at, text, words, *more = line.replace(" || ", "\0").split("|")
        answers = [_words(one) for one in words.split("\0")] if words.strip() != "-" else []
        outdated = _words(more[0].removeprefix("not ")) if more else []
        found.append(Asked(datetime.fromisoformat(at).replace(tzinfo=UTC), kind, text, answers, outdated))
    return sorted(found, key=lambda one: one.at)


def sessions_of(name: str) -> Iterator[Told]:
    """Read the sessions of a diary as a host would report them, in their order."""
    folder = DIARIES / name / "sessions"
    for stem, key in json.loads((folder / "keys.json").read_text(encoding="utf-8")).items():
        lines = (folder / f"{stem}.jsonl").read_text(encoding="utf-8").splitlines()
        events = [TranscriptEvent(number, json.loads(line)) for number, line in enumerate(lines, 1)]
        told = happenings(events, ENVELOPE, host="openclaw", session=f"{key}:{stem}")
        audience = Audience.GROUP if "group" in key else Audience.OWNER
        yield Told(
            max(one.at for one in told),
            [
                Report(one.kind, one.at, one.host, one.session, one.run, one.id, audience, payload=one.payload)
                for one in told
            ],
        )


def _words(written: str) -> list[str]:
    return [_plain(word) for word in written.split(" ; ") if word.strip()]


def _plain(text: str) -> str:
    return " ".join(html.unescape(text).split())


def known(name: str, engine: Engine) -> Iterator[str]:
    """Yield the rows of a table: how much of what should be known, or should not, is in the store, by kind."""
    passages = [_plain(f"{chunk.heading} {chunk.text}") for chunk in engine.store.all_chunks() if chunk.kind.searched]
    records = [_plain(f"{one.title} {one.body}") for one in engine.store.records(standing=True)]
    lines = (DIARIES / name / "expected.txt").read_text(encoding="utf-8").splitlines()
    said = defaultdict(list)
    for line in lines:
        kind, _, words, *_ = line.split("|")
        wanted = _words(words)
        where = (passages, records, [*passages, *records])
        said[kind].append([any(all(word in text for word in wanted) for text in texts) for texts in where])
    yield "| what | lines | as it was said | on record | either |"
    yield "|---|---|---|---|---|"
    for kind, found in said.items():
        shares = (f"{sum(column) / len(found):.2f}" for column in zip(*found, strict=True))
        yield f"| {kind} | {len(found)} | {' | '.join(shares)} |"
    bodies = Counter((one.kind, _plain(one.body).casefold()) for one in engine.store.records(standing=True))
    twice = sum(count - 1 for count in bodies.values())
    old = [_words(line.split("|")[2]) for line in lines if line.startswith("superseded|")]
    ended = [
        _plain(f"{one.title} {one.body}") for one in engine.store.records() if one.status is RecordStatus.SUPERSEDED
    ]
    right = sum(any(all(word in text for word in words) for words in old) for text in ended)
    yield f"\nrecords that a later one ended: {len(ended)}, of which {right} hold what is superseded"
    yield f"\nrecords that say what another one of their kind says: {twice} of {sum(bodies.values())}"


def verdict(asked: Asked, block: str) -> str:
    """Say what a block is worth for a prompt."""
    told = _plain(block)
    answered = answers_in(asked, block)
    outdated = any(word in told for word in asked.outdated)
    if asked.kind in UNANSWERABLE:
        return "leaks" if outdated else "fires" if told else "silent"
    if not told:
        return "missing"
    if answered:
        return "right" if not outdated else "marked" if _marked(asked, block) else "both"
    return "stale" if outdated else "wrong"


def _marked(asked: Asked, block: str) -> bool:
    """Say whether each memory of a block that holds what is outdated says that it may be, behind one that answers."""
    told = block.split("<memory ")[1:]
    answers = [answers_in(asked, one) for one in told]
    outdated = [any(word in _plain(one) for word in asked.outdated) for one in told]
    first = answers.index(True) if any(answers) else len(told)
    old = [n for n, one in enumerate(outdated) if one and not answers[n]]
    return bool(old) and all(n > first and "superseded=" in told[n].partition(">")[0] for n in old)


def newborn() -> Engine:
    """Return an engine that remembers nothing yet and keeps all that happens."""
    return Engine.in_memory(run_config(Config(timezone="UTC", capture=CaptureConfig(keep_raw_days=3650))))


def lived(name: str, engine: Engine) -> Iterator[tuple[Asked, Prompt]]:
    """Live through a diary, and yield each of its prompts when its moment has come."""
    waiting = list(sessions_of(name))
    consolidation = Consolidation(engine.store, agent=engine.agent, zone=UTC, clock=lambda: datetime.now(UTC))
    day = timedelta(days=1)
    processor = Processor(engine.store, consolidation, stuck=day, keep=4000 * day, on_failure=_fail)
    for asked in prompts_of(name):
        due = [told for told in waiting if told.over <= asked.at]
        for told in due:
            engine.capturing.record(told.reports, at=told.over)
        if due:
            processor.run(lambda: datetime.now(UTC))
            embed_pending(engine.store, engine._parts.embedder)  # noqa: SLF001
            engine.catch_up()
            waiting = waiting[len(due) :]
        yield asked, Prompt(asked.text, asked.at, agent_id=engine.agent, audience=Audience.OWNER)


def answers_in(asked: Asked, told: str) -> bool:
    """Say whether words of a passage or a block answer."""
    plain = _plain(told)
    return any(all(word in plain for word in words) for words in asked.answers)


def run(name: str, searched: Collection[Kind]) -> list[tuple[Asked, str, str]]:
    """Live through a diary; return its prompts, each with the verdict and the block."""
    answers = []
    kinds = [kind.name for kind in (SESSION, *searched)] if searched else ()
    with newborn() as engine:
        for asked, prompt in lived(name, engine):
            block = engine.recall(prompt, kinds=kinds, record=False).text
            answers.append((asked, verdict(asked, block), block))
        kinds = Counter(chunk.kind.name for chunk in engine.store.all_chunks())
        records = Counter(f"{one.kind.name} {one.status}" for one in engine.store.records())
        print(f"\n{name}: passages {dict(kinds)}; records {dict(sorted(records.items()))}\n")
        print(*known(name, engine), "", sep="\n")
    return answers


def _fail(stage: str) -> None:
    raise RuntimeError(f"{stage} failed")


def table(answers: Sequence[tuple[Asked, str, str]]) -> Iterator[str]:
    """Yield the rows of a table: how often which verdict, by kind."""
    by_kind = defaultdict(Counter)
    for asked, found, _ in answers:
        by_kind[asked.kind][found] += 1
        if asked.kind not in UNANSWERABLE:
            by_kind["all with an answer"][found] += 1
    columns = ("right", "marked", "both", "stale", "wrong", "missing", "silent", "fires", "leaks")
    yield f"| kind | prompts | {' | '.join(columns)} |"
    yield f"|---|---|{'---|' * len(columns)}"
    for kind, counts in by_kind.items():
        total = sum(counts.values())
        shares = (f"{counts[column] / total:.2f}" if counts[column] else "" for column in columns)
        yield f"| {kind} | {total} | {' | '.join(shares)} |"


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--searched", nargs="*", default=[], choices=[kind.name for kind in RECORDS], metavar="KIND")
    parser.add_argument("--out", type=Path, help="Write every prompt with its block, as JSON.")
    given = parser.parse_args()
    written = []
    for name in given.names:
        answers = run(name, [kind_called(kind) for kind in given.searched])
        print(*table(answers), sep="\n")
        lengths = [len(block) for *_, block in answers if block]
        print(f"\ncharacters of a block: {sum(lengths) / max(1, len(lengths)):.0f}")
        written += [{**asked._asdict(), "verdict": found, "block": block} for asked, found, block in answers]
    if given.out:
        given.out.write_text(json.dumps(written, default=str, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
