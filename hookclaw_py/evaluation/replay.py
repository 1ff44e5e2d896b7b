"""Replay: every prompt of a set through the same engine that answers the gateway, strict and without learning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from hookclaw_py import text
from hookclaw_py.build import STAGES
from hookclaw_py.config import Config, home
from hookclaw_py.engine import Engine
from hookclaw_py.evaluation.scopes import Scope, in_order, scopes, visited
from hookclaw_py.evaluation.sets import Document, LabelledPrompt, MemorySet
from hookclaw_py.evaluation.vectors import KeptEmbedder, Stored, add_embeddings
from hookclaw_py.ingest.markdown import chunk_markdown
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.ids import id_made_of
from hookclaw_py.model.place import FilePlace
from hookclaw_py.model.types import Candidate, Chunk, Fault, Injection, Outcome, Prompt
from hookclaw_py.pipeline import Stages
from hookclaw_py.search import loading
from hookclaw_py.stages import render
from hookclaw_py.store.database import embedding_text, passing
from hookclaw_py.temporal.mentions import with_days

DEPTH = 100  # of a run file
NO_LIMIT = 10**9
LEGS = ("bm25", "vector", "late", "fusion")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Reply:
    """What one prompt came to when asked of one store.

    ``evidence`` is the best relevance of the pool whether or not the gate let the prompt through, in [0, 1];
    ``injected`` are the documents in the block, ``whole`` those not cut short. ``ranking`` are (document, score) before
    abstention, best first; ``legs`` the same by each retriever alone and by their fusion.
    """

    prompt: LabelledPrompt
    store: str
    outcome: Outcome
    reason: str
    evidence: float
    block: str
    injected: tuple[str, ...]
    whole: tuple[str, ...]
    ranking: tuple[tuple[str, float], ...]
    legs: dict[str, tuple[tuple[str, float], ...]]
    faults: tuple[Fault, ...]
    timings: tuple[tuple[str, float], ...]
    ms: float

    @property
    def fired(self) -> bool:
        """Whether the agent would have seen memories."""
        return self.outcome is Outcome.INJECTED


@dataclass(frozen=True, slots=True)
class Replay:
    """All replies of one run.

    Prompts ``at_home`` were asked of their own store, ``strangers`` of another's; ``needless`` ones need no memory.
    """

    at_home: tuple[Reply, ...]
    strangers: tuple[Reply, ...]
    needless: tuple[Reply, ...]
    chunks: int
    index_seconds: float
    embed_seconds: float
    model_id: str


def run_config(config: Config) -> Config:
    """Return ``config`` for a replay: UTC unless it names a zone, no learning from answers that do not come.

    The deadline is as long as can be: on a busy machine a late retriever would otherwise end a strict run.
    """
    longest = 10_000
    return config.model_copy(
        update={"timezone": config.timezone or "UTC", "enable_feedback_loop": False, "timeout_ms": longest}
    )


def chunk_of(document: Document, line: int = 1) -> Chunk:
    """Return the document as one chunk; its id is a digest of the document's id.

    The documents of a session, or of a group without sessions that has an order, are the lines of one file.
    """
    ordered = document.group if document.seq is not None else ""
    return Chunk(
        id=id_made_of(document.id),
        text=document.text,
        place=FilePlace(document.path or document.session or ordered or document.id, document.lines or (line, line)),
        heading=document.heading,
        created_at=document.created_at,
        terms=with_days(text.terms(f"{document.heading}\n{document.text}"), document.text, written=document.created_at),
    )


def chunks_of(document: Document, line: int = 1, *, rechunk: bool) -> list[Chunk]:
    """Return the document's chunks: itself, or with ``rechunk`` what the engine would make of it as a note."""
    if not rechunk:
        return [chunk_of(document, line)]
    path = document.path or document.id
    cut = chunk_markdown(document.text, path=path, created_at=document.created_at, title=document.heading)
    return cut or [chunk_of(document, line)]


@contextmanager
def kept_embedder(config: Config, *, prompts_too: bool = False) -> Iterator[KeptEmbedder | None]:
    """Open the configured embedder with its memory below ``$HOOKCLAW_HOME/cache``; None when vectors are off."""
    if not config.enable_vector:
        yield None
        return
    file = home() / "cache" / "evaluation-vectors.sqlite"
    embedder = KeptEmbedder(loading.embedder(config), file, prompts_too=prompts_too)
    try:
        yield embedder
    finally:
        embedder.release()


def replay(
    memory_set: MemorySet,
    config: Config,
    embedder: KeptEmbedder | None,
    *,
    cross_pair: bool,
    no_memory: Sequence[LabelledPrompt] = (),
    rechunk: bool = False,
    progress: Progress = lambda *_: None,
    stages: Stages = STAGES,
) -> Replay:
    """Ask every prompt of its own store, and with ``cross_pair`` of a store that knows nothing of it.

    The ``no_memory`` prompts are dealt out over the stores. With ``rechunk`` documents are cut as notes are, and each is
    ranked by its best chunk. A failing stage raises: an evaluation never measures a
    swallowed bug.
    """
    config = run_config(config)
    total = len(memory_set.prompts)
    at_home: list[Reply] = []
    strangers: list[Reply] = []
    needless: list[Reply] = []
    chunks, index_seconds, embed_seconds = 0, 0.0, 0.0
    dealt = {scope.name: scope.strangers for scope in visited(memory_set, no_memory)}
    for scope in scopes(memory_set, cross_pair=cross_pair):
        with Asked(scope, config, embedder, progress, rechunk=rechunk, stages=stages) as asked:
            for prompt in in_order(scope.at_home):
                asked.reveal(prompt.before_seq)
                at_home.append(asked.ask(prompt, ranking=True))
                progress("asking", len(at_home), total)
            asked.reveal(None)
            strangers += [asked.ask(prompt) for prompt in scope.strangers]
            needless += [asked.ask(prompt) for prompt in dealt.get(scope.name, ())]
            chunks += asked.engine.store.count()
            index_seconds += asked.index_seconds
            embed_seconds += asked.embed_seconds
    order = {prompt.id: n for n, prompt in enumerate(memory_set.prompts)}
    return Replay(
        tuple(sorted(at_home, key=lambda r: order[r.prompt.id])),
        tuple(sorted(strangers, key=lambda r: order[r.prompt.id])),
        tuple(needless),
        chunks,
        index_seconds,
        embed_seconds,
        embedder.model_id if embedder else "",
    )


class Asked:
    """One scope's engine, which sees more of the scope's documents as ``reveal`` is told how far the story has got."""

    def __init__(
        self,
        scope: Scope,
        config: Config,
        embedder: KeptEmbedder | None,
        progress: Progress,
        *,
        rechunk: bool,
        stages: Stages = STAGES,
    ) -> None:
        self.scope, self.config, self.embedder = scope, config, embedder
        store = passing(config.store.url)
        self.engine = Engine.in_memory(config, embedder=embedder, stages=stages, store=store)
        self.index_seconds = self.embed_seconds = 0.0
        started = perf_counter()
        self._chunks = [
            (document, chunk)
            for line, document in enumerate(scope.documents, start=1)
            for chunk in chunks_of(document, line, rechunk=rechunk)
        ]
        self._documents = {chunk.id: d.id for d, chunk in self._chunks}
        self.hidden = sorted(self._chunks, key=lambda pair: (pair[0].seq is not None, pair[0].seq or 0))
        self.index_seconds += perf_counter() - started
        self._files: dict[str, list[Chunk]] = {}
        self._embedded: dict[str, Stored] = {}
        if embedder is not None:
            started = perf_counter()
            made = embedder.bytes_of(
                [embedding_text(c) for _, c in self._chunks], lambda n, m: progress("embedding", n, m)
            )
            self._embedded = {chunk.id: stored for (_, chunk), stored in zip(self._chunks, made, strict=True)}
            self.embed_seconds = perf_counter() - started

    def __enter__(self) -> Asked:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.close()

    def document_of(self, candidate: Candidate) -> str:
        """Return the id of the document that a candidate is, or is a part of."""
        return self._documents[candidate.chunk.id]

    def reveal(self, before_seq: int | None) -> None:
        """Store the documents with ``seq < before_seq`` that are not there yet; None reveals all."""
        started = perf_counter()
        shown = 0
        while shown < len(self.hidden) and _visible(self.hidden[shown][0], before_seq):
            shown += 1
        if not shown:
            return
        fresh = [chunk for _, chunk in self.hidden[:shown]]
        del self.hidden[:shown]
        for chunk in fresh:
            self._files.setdefault(chunk.place.path, []).append(chunk)
        for path in dict.fromkeys(chunk.place.path for chunk in fresh):
            self.engine.store.replace_file(path, chunks=self._files[path])
        if self.embedder is not None:
            new = {chunk.id: self._embedded[chunk.id] for chunk in fresh}
            add_embeddings(self.engine.store, self.embedder, new)
        self.engine.catch_up()
        self.index_seconds += perf_counter() - started

    def ask(self, prompt: LabelledPrompt, *, ranking: bool = False) -> Reply:
        """Recall one prompt, in a session of its own; with ``ranking`` also order the store without gate or abstention."""
        if self.embedder is not None:
            self.embedder.forget_prompt()
        session = f"{prompt.id} in {self.scope.name}"
        sent = Prompt(
            prompt.text, prompt.asked_at, agent_id=self.engine.agent, session_id=session, audience=Audience.OWNER
        )
        started = perf_counter()
        injection = self.engine.recall(sent)
        ms = (perf_counter() - started) * 1000
        pool: Sequence[Candidate] = (*injection.candidates, *injection.rejected)
        ranked: Sequence[Candidate] = ()
        if ranking or injection.outcome is Outcome.SKIPPED:
            ranked = self.engine.rank(sent, pool_size=max(DEPTH, self.config.pool_size))
            pool = pool or ranked
        name = self._documents
        return Reply(
            prompt=prompt,
            store=self.scope.name,
            outcome=injection.outcome,
            reason=injection.reason,
            evidence=max((c.relevance for c in pool), default=0.0),
            block=injection.text,
            injected=_once(name[c.chunk.id] for c in injection.candidates),
            whole=_once(name[c.chunk.id] for c in whole_in(injection, self.config.format_template)),
            ranking=_best_of_each((name[c.chunk.id], c.score) for c in ranked) if ranking else (),
            legs={leg: _by_leg(ranked, leg, name) for leg in LEGS} if ranking else {},
            faults=injection.faults,
            timings=injection.timings,
            ms=ms,
        )


def _visible(document: Document, before_seq: int | None) -> bool:
    return before_seq is None or document.seq is None or document.seq < before_seq


def whole_in(injection: Injection, template: str) -> list[Candidate]:
    """Return the candidates that the block holds as they are written when there is room for all of them."""
    head, _, _, tail = render.TEMPLATES[template]

    def written(candidate: Candidate) -> str:
        alone = render.render([candidate], template=template, max_chars=NO_LIMIT).text
        return alone[len(head) : len(alone) - len(tail)]

    return [c for c in injection.candidates if written(c).strip("\n") in injection.text]


def _by_leg(ranked: Sequence[Candidate], leg: str, name: dict[str, str]) -> tuple[tuple[str, float], ...]:
    votes = {c.chunk.id: step.value for c in ranked for step in c.history if step.stage == leg}
    best = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
    return _best_of_each((name[chunk_id], score) for chunk_id, score in best)


def _best_of_each(ranking: Iterable[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Keep the first, best score of each document."""
    best: dict[str, float] = {}
    for name, score in ranking:
        best.setdefault(name, score)
    return tuple(list(best.items())[:DEPTH])


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
