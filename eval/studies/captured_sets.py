"""Conversation sets told turn by turn, as a host tells them, against the same turns indexed: does what capture makes of them answer as well?

    python eval/studies/captured_sets.py FOLDER [--sets NAME …] [--limit N] [--json FILE]

Each store of a set is told session by session: captured, worked off, searched; then the prompts are asked, those that may see only a part when that part
has been told. A passage *tells* a document when at least .8 of the words of the shorter one stand in the other and both are of one session; a record
tells what it was made of. R@5 is the share of the relevant documents that the first five passages tell, before it is decided whether to speak; carry whether the block tells one;
precision the share of the block's passages that do. Where a set judges sessions alone, a passage of a relevant session counts. ``--limit`` prompts of each set, spread evenly;
held-out ones are never asked. Then each kind of what was distilled is searched beside the turns: what it is worth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import NamedTuple

import asking
import numpy as np

from hookclaw_py import Engine, text
from hookclaw_py.capture.processing import Processor
from hookclaw_py.capture.reports import Report
from hookclaw_py.config import CaptureConfig, Config
from hookclaw_py.evaluation import compare
from hookclaw_py.evaluation.carry import holds_words
from hookclaw_py.evaluation.replay import Asked, kept_embedder, run_config
from hookclaw_py.evaluation.scopes import Scope, in_order, scopes
from hookclaw_py.evaluation.sets import UNDATED, Document, LabelledPrompt, MemorySet, load_memory_set
from hookclaw_py.evaluation.tables import number
from hookclaw_py.evaluation.vectors import KeptEmbedder, add_embeddings
from hookclaw_py.ingest.length import length_of
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.kind import RECORDS, SESSION
from hookclaw_py.model.place import RecordPlace
from hookclaw_py.model.types import Chunk, Outcome, Prompt

SETS = ("locomo", "proactivemem", "longmemeval_ev", "realmem", "beam_100k")
ROLES = {"user: ": True, "assistant: ": False}
ENOUGH = 0.8
DAY = timedelta(days=1)
MEASURES = ("R@5", "carry", "precision", "answer", "fired", "tokens")
TURNS = "turns alone"
VARIANTS: Mapping[str, tuple[str, ...]] = {
    TURNS: (),
    **{f"+ {kind.name}": (SESSION.name, kind.name) for kind in RECORDS},
    "+ all of them": (SESSION.name, *(kind.name for kind in RECORDS)),
}
Values = dict[str, float]
ToldBy = Callable[[Chunk], frozenset[str]]


class Turn(NamedTuple):
    """A person's words, what was answered, and the documents that both are."""

    asked: str
    answered: str
    at: datetime
    session: str
    documents: tuple[str, ...]


def turns_of(documents: Sequence[Document]) -> Iterator[Turn]:
    """Yield the documents of one session as turns; of two people the one who speaks first is taken for the one who asks."""
    first = next((d.speaker for d in documents if d.speaker), "")
    asked: list[Document] = []
    answered: list[Document] = []
    for document in documents:
        if _asks(document, first) and answered:
            yield _turn(asked, answered)
            asked, answered = [], []
        (asked if _asks(document, first) else answered).append(document)
    if asked or answered:
        yield _turn(asked, answered)


def _asks(document: Document, first: str) -> bool:
    head = document.text[:12].casefold()
    return next((asks for role, asks in ROLES.items() if head.startswith(role)), document.speaker == first)


def _said(document: Document) -> str:
    head = document.text[:12].casefold()
    return document.text[next((len(role) for role in ROLES if head.startswith(role)), 0) :]


def _turn(asked: Sequence[Document], answered: Sequence[Document]) -> Turn:
    both = [*asked, *answered]
    told = ("\n".join(map(_said, part)) for part in (asked, answered))
    return Turn(*told, both[0].created_at or UNDATED, both[0].session or both[0].id, tuple(d.id for d in both))


class Captured:
    """One store that is told of its documents turn by turn, and asked about them."""

    def __init__(self, scope: Scope, config: Config, embedder: KeptEmbedder) -> None:
        self.engine = Engine.in_memory(config, embedder=embedder)
        self._embedder, self._waiting = embedder, list(scope.documents)
        self._by_session: dict[str, list[Document]] = defaultdict(list)
        self._documents: dict[str, tuple[str, ...]] = {}  # by the id of a report
        process = self.engine._parts.processor()._process  # noqa: SLF001
        self._processor = Processor(self.engine.store, process, stuck=DAY, keep=9000 * DAY, on_failure=_fail)
        self.told_by = cache(self._told_by)

    def reveal(self, before_seq: int | None) -> None:
        """Tell what may be known by then, and was not told yet."""
        seen = [d for d in self._waiting if before_seq is None or d.seq is None or d.seq < before_seq]
        if not seen:
            return
        told = {document.id for document in seen}
        self._waiting = [d for d in self._waiting if d.id not in told]
        sessions: dict[str, list[Document]] = defaultdict(list)
        for document in seen:
            sessions[document.session or document.id].append(document)
        for name, documents in sessions.items():
            self._by_session[_key(name)] += documents
            for turn in turns_of(documents):
                self._tell(turn)
        self._processor.run(lambda: datetime.now(UTC))
        store = self.engine.store
        pending = store.pending_embeddings(self._embedder.model_id, 10**9)
        made = self._embedder.bytes_of([words for _, words in pending])
        add_embeddings(store, self._embedder, {name: stored for (name, _), stored in zip(pending, made, strict=True)})
        self.engine.catch_up()

    def _tell(self, turn: Turn) -> None:
        run = f"r{len(self._documents)}"
        reports = [
            Report(kind, turn.at, "openclaw", _key(turn.session), run, audience=Audience.OWNER, payload={"text": words})
            for kind, words in (
                (HappeningKind.PROMPT, turn.asked or "(nothing)"),
                (HappeningKind.ANSWER, turn.answered),
            )
            if words
        ]
        self._documents |= {report.id: turn.documents for report in reports}
        self.engine.capturing.record(reports, at=turn.at)

    def _told_by(self, chunk: Chunk) -> frozenset[str]:
        """Return the ids of the documents that a passage tells."""
        if isinstance(chunk.place, RecordPlace):
            evidence = [name for entry in self.engine.store.record_history(chunk.memory) for name in entry.evidence]
            return frozenset(d for name in evidence for d in self._documents.get(name, ()))
        session = chunk.place.path.split("/")[2]
        return frozenset(d.id for d in self._by_session[session] if alike(d.text, chunk.text))


def _key(session: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in session)


def _fail(stage: str) -> None:
    raise RuntimeError(f"{stage} failed")


@cache
def _words(said: str) -> frozenset[str]:
    return frozenset(text.terms(said))


def alike(one: str, other: str) -> bool:
    """Say whether of the shorter of two texts nearly all words stand in the other."""
    ours, theirs = _words(one), _words(other)
    return len(ours & theirs) >= ENOUGH * max(1, min(len(ours), len(theirs)))


def asked_of(
    engine: Engine, prompt: LabelledPrompt, relevant: frozenset[str], told_by: ToldBy, kinds: tuple[str, ...] = ()
) -> Values:
    """Ask a prompt and measure what came."""
    sent = Prompt(prompt.text, prompt.asked_at, agent_id=engine.agent, session_id=prompt.id, audience=Audience.OWNER)
    ranked = engine.rank(sent, pool_size=20, kinds=kinds)[:5]
    found = engine.recall(sent, kinds=kinds, record=False)
    told = [told_by(c.chunk) for c in found.candidates] if found.outcome is Outcome.INJECTED else []
    values: Values = {"fired": float(bool(told)), "tokens": float(length_of(found.text).tokens)}
    if relevant:
        first = frozenset[str]().union(*(told_by(c.chunk) for c in ranked))
        values |= {"R@5": len(first & relevant) / len(relevant), "carry": float(any(one & relevant for one in told))}
        if told:
            values["precision"] = sum(bool(one & relevant) for one in told) / len(told)
        if prompt.answers:
            values["answer"] = float(any(holds_words(found.text, answer) for answer in prompt.answers))
    return values


def truth_of(memory_set: MemorySet, level: str) -> Mapping[str, frozenset[str]]:
    """Return what is relevant to each prompt: ids of documents, or of sessions."""
    return {name: frozenset(relevant) for name, relevant in memory_set.judged(level).items()}


def compared(memory_set: MemorySet) -> dict[str, dict[str, Values]]:
    """Return for each way, "indexed" first, what each prompt came to."""
    config = run_config(Config(timezone="UTC", capture=CaptureConfig(keep_raw_days=3650)))
    found: dict[str, dict[str, Values]] = {name: {} for name in ("indexed", *VARIANTS)}
    with kept_embedder(config, prompts_too=True) as embedder:
        assert embedder is not None
        for scope in scopes(memory_set, cross_pair=False):
            for name, prompt, values in lived(memory_set, scope, config, embedder):
                found[name][prompt] = values
    return found


def lived(
    memory_set: MemorySet, scope: Scope, config: Config, embedder: KeptEmbedder
) -> Iterator[tuple[str, str, Values]]:
    """Yield for each way and prompt of one store what it came to."""
    level = "chunk" if memory_set.judged("chunk") else "session"
    truth, session_of = truth_of(memory_set, level), {d.id: d.session for d in scope.documents}
    captured = Captured(scope, config, embedder)

    def judged(documents: frozenset[str]) -> frozenset[str]:
        return documents if level == "chunk" else frozenset(session_of[name] for name in documents)

    with Asked(scope, config, embedder, lambda *_: None, rechunk=False) as indexed, captured.engine:
        own = indexed._documents  # noqa: SLF001
        for prompt in in_order(scope.at_home):
            indexed.reveal(prompt.before_seq)
            captured.reveal(prompt.before_seq)
            ask = partial(asked_of, prompt=prompt, relevant=truth.get(prompt.id, frozenset()))
            yield "indexed", prompt.id, ask(indexed.engine, told_by=lambda c: judged(frozenset([own[c.id]])))
            for name, kinds in VARIANTS.items():
                yield name, prompt.id, ask(captured.engine, told_by=lambda c: judged(captured.told_by(c)), kinds=kinds)


def paired(first: Mapping[str, Values], second: Mapping[str, Values], measure: str) -> list[str]:
    """Return a row: of how many prompts, both means, gained and lost, and how sure that is."""
    both = [(first[p][measure], second[p][measure]) for p in first if measure in first[p] and measure in second[p]]
    if not both:
        return ["0", *["–"] * 5]
    one, other = np.array(both).T
    gap = other - one
    gained, lost = int((gap > 0).sum()), int((gap < 0).sum())
    yes_or_no = set(np.unique(np.array(both))) <= {0.0, 1.0}
    p = compare.mcnemar(gained, lost) if yes_or_no else compare.randomisation_test(gap, seed=0)
    shown = [f"{v:.0f}" if measure == "tokens" else number(v) for v in (one.mean(), other.mean())]
    return [str(len(both)), *shown, str(gained), str(lost), f"{p:.3f}"]


def main() -> None:
    """Tell every set, ask and print."""
    parser = asking.parser(__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS, metavar="NAME")
    parser.add_argument("--limit", type=int, default=150)
    options = parser.parse_args()
    written = {}
    for name in options.sets:
        memory_set = load_memory_set(options.folder / name).tunable().limited(options.limit)
        found = compared(memory_set)
        written[name] = found
        rows = [[measure, *paired(found["indexed"], found[TURNS], measure)] for measure in MEASURES]
        heads = ["measure", "prompts", "indexed", "captured", "gained", "lost", "p"]
        asking.show(f"{name}: indexed turns against captured ones, {len(memory_set.prompts)} prompts", heads, rows)
        print(flush=True)
        rows = []
        for variant in list(VARIANTS)[1:]:
            differences = (paired(found[TURNS], found[variant], m) for m in ("R@5", "carry", "precision", "answer"))
            rows.append(
                [
                    variant,
                    *(f"{_change(row)}" for row in differences),
                    paired(found[TURNS], found[variant], "tokens")[2],
                ]
            )
        heads = ["searched beside the turns", "R@5", "carry", "precision", "answer's words", "tokens"]
        asking.show(f"{name}: what each kind is worth: mean, gained/lost (p)", heads, rows)
        print(flush=True)
    asking.write(options.json, written)


def _change(row: Sequence[str]) -> str:
    _, _, mean, gained, lost, p = row
    return f"{mean} {gained}/{lost} ({p})" if gained + lost not in ("00", "––") else mean


if __name__ == "__main__":
    main()
