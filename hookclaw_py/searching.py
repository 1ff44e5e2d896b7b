"""Search: both retrievers side by side, and all that speaks for what they found, up to a judgement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log
from types import MappingProxyType
from typing import NamedTuple

from hookclaw_py.calibration.defining import asks_what_it_is
from hookclaw_py.calibration.findings import Findings, NullSample
from hookclaw_py.enriching import Enrichment, EnrichmentStages
from hookclaw_py.errors import RetrievalError
from hookclaw_py.model.types import Candidate, Chunk, Hit, Query
from hookclaw_py.model.vectors import NO_TOKENS, TokenVectors
from hookclaw_py.search import late_interaction
from hookclaw_py.search.ports import Embedder, Encoded, Excerpt, LexicalIndex, VectorIndex, centred, encode
from hookclaw_py.stages import calibrate, entities, tasks
from hookclaw_py.store.content import embedded
from hookclaw_py.trace import HURRIED, Deadline, Trace
from hookclaw_py.workers import Workers

Scores = Mapping[str, float]
NO_SCORES: Scores = MappingProxyType({})


class Found(NamedTuple):
    """One retriever's answer; the vector half also hands over what the model made of the prompt."""

    hits: Sequence[Hit] = ()
    prompt: Encoded | None = None


class Interaction(NamedTuple):
    """What late interaction says of each chunk, and what it compared: the prompt's tokens, their weights, the chunks' tokens."""

    scores: Scores = NO_SCORES
    least: Scores = NO_SCORES
    prompt: TokenVectors = NO_TOKENS
    weights: Sequence[float] = ()
    tokens: Mapping[str, TokenVectors] = MappingProxyType({})
    unrelated: float = 0.0


class Pool(NamedTuple):
    """Everything worth a judgement, and by chunk id what speaks for it."""

    candidates: Sequence[Candidate]
    hits: Sequence[Hit]
    idf: Scores
    cosines: Scores
    centred: Scores
    late: Scores
    least: Scores
    named: Scores
    kept: frozenset[str]  # whatever the rankings say: a day, a person or what they are about speaks for them
    answered: bool
    interaction: Interaction = Interaction()

    def only(self, candidates: Sequence[Candidate]) -> Pool:
        """Return the pool as it would be if nothing but these had been found."""
        if len(candidates) == len(self.candidates):
            return self._replace(candidates=candidates)
        ids = {c.chunk.id for c in candidates}

        def among(scores: Scores) -> Scores:
            return {name: score for name, score in scores.items() if name in ids}

        return self._replace(
            candidates=candidates,
            hits=[hit for hit in self.hits if hit.chunk_id in ids],
            cosines=among(self.cosines),
            centred=among(self.centred),
            late=among(self.late),
            least=among(self.least),
            named=among(self.named),
        )

    def passage(self, chunk: Chunk) -> Excerpt:
        """Return what a reader reads of a chunk: its text as it is embedded, and where in it the prompt is met."""
        met = self.interaction
        tokens = met.tokens.get(chunk.id, NO_TOKENS)
        matches = late_interaction.token_matches(met.prompt, met.weights, tokens, unrelated=met.unrelated)
        return Excerpt(embedded(chunk.heading, chunk.text), matches)


NOTHING = Found()
MENTIONS = 500  # of whom or what a prompt asks about, among which its page is looked for: more cost more than they hold

EMBEDDED_ONLY = frozenset({"vector", "late"})  # rankings without an opinion of what is not embedded yet


def by_keywords(lexical: LexicalIndex, query: Query, pool_size: int, *, context_boost: float) -> Found:
    """Search for the terms of a prompt; those that were carried over from the turns before count once, its own twice."""
    own = [term for term in query.terms if term not in query.carried]
    sought = [*own, *query.terms] if query.carried else own
    return Found(lexical.search(sought, pool_size, context_boost=context_boost))


def by_meaning(embedder: Embedder, vectors: VectorIndex, query: Query, pool_size: int, deadline: Deadline) -> Found:
    """Search for the chunks whose vectors are nearest to the prompt's."""
    prompt = encode(embedder, query.sought, deadline)
    return Found(vectors.search(prompt.vector, pool_size), prompt)


@dataclass(frozen=True, kw_only=True)
class SearchStages(EnrichmentStages):
    """What a search calls; see ``pipeline.Stages``."""

    bm25: Callable[..., Found] = by_keywords
    vector: Callable[..., Found] = by_meaning
    late: Callable[..., tuple[Scores, Scores]] = late_interaction.compare
    mentions: Callable[..., Scores] = entities.mentions
    smoothing: Callable[..., Scores] = calibrate.smoothed
    growth: Callable[..., NullSample] = calibrate.as_if_grown


@dataclass
class Search(Enrichment):
    """What a search works on: one agent's store, its indexes and the model."""

    stages: SearchStages
    workers: Workers
    guard: Callable[..., Found]
    """Runs the vector half behind a circuit breaker, ``hurried`` or not."""

    def gather(self, query: Query, trace: Trace, *, as_of: datetime | None = None, wider: int = 1) -> Pool:
        """Collect what both retrievers found and what is dated in the query's period, with all that speaks for it."""
        attempt = trace.attempt
        pool_size = max(self.indexes.size, 1) if as_of else wider * self.config.pool_size
        found = self.search(query, trace, pool_size)
        dated: Sequence[str] = ()
        if query.period is not None:
            dated = attempt("dated", (), self.store.dated, query.period, pool_size)
        elif query.only_tasks:
            dated = attempt("tasks", (), self._with_tasks, query, pool_size)
        pinned = attempt("pinned", (), self.store.pinned)
        ids = list(dict.fromkeys([*(hit.chunk_id for leg in found.values() for hit in leg.hits), *dated, *pinned]))
        chunks, found_by_search = attempt("load", {}, self.store.chunks, ids), len(ids)
        hits = list(found.get("bm25", NOTHING).hits)
        if asks_what_it_is(query):
            further, pages = attempt("pages", ([], {}), self._pages, query, ids)
            hits, chunks, ids = [*hits, *further], {**chunks, **pages}, [*ids, *pages]
        candidates = [Candidate(chunks[i]) for i in ids if i in chunks]
        if as_of:
            candidates = [c for c in candidates if not later(c.chunk, query.asked_at, now=as_of)]
        held = [c.chunk for c in candidates]
        held_ids = [chunk.id for chunk in held]
        idf: Scores = {}
        if self.indexes.lexical is not None:
            sought = [*query.terms, *entities.all_terms(query.entities)]
            idf = attempt("idf", {}, self.indexes.lexical.idf, sought)
        cosines, beyond = attempt("similarity", ({}, {}), self._similarity, found, held_ids)
        interaction = attempt("late", Interaction(), self._late_interaction, query, found, held_ids, idf)
        return Pool(
            candidates=candidates,
            hits=hits,
            idf=idf,
            cosines=cosines,
            centred=beyond,
            late=interaction.scores,
            least=interaction.least,
            named=attempt("mentions", {}, self.stages.mentions, query.entities, held),
            kept=frozenset([*dated, *pinned, *ids[found_by_search:]]),
            answered=any(leg is not NOTHING for leg in found.values()),
            interaction=interaction,
        )

    def _pages(self, query: Query, known: Collection[str]) -> tuple[Sequence[Hit], Mapping[str, Chunk]]:
        """Look further for the page about what is asked for: whom the days mention often, they fill a pool with mentions."""
        if self.indexes.lexical is None:
            return [], {}
        boost, most = self.constants.context_boost, self.constants.pages
        mentions = self.indexes.lexical.search(list(query.topic), MENTIONS, context_boost=boost)
        hits = [hit for hit in mentions if hit.chunk_id not in known]
        found = self.store.chunks([hit.chunk_id for hit in hits])
        pages = [hit for hit in hits if hit.chunk_id in found and found[hit.chunk_id].created_at is None][:most]
        return pages, {hit.chunk_id: found[hit.chunk_id] for hit in pages}

    def _with_tasks(self, query: Query, most: int) -> Sequence[str]:
        """Return the ids of the passages with tasks that matter most by now: of many, keywords find the shortest."""
        if self.indexes.lexical is None:
            return ()
        hits = self.indexes.lexical.search(list(query.topic), MENTIONS, context_boost=0.0)
        found = [*self.store.chunks([hit.chunk_id for hit in hits]).values()]
        return [chunk.id for chunk in tasks.soonest(found, query.asked_at)[:most]]

    def search(self, query: Query, trace: Trace, pool_size: int) -> dict[str, Found]:
        """Ask both retrievers side by side, with one deadline; one that fails or is late gives nothing and a fault."""
        lexical, vector, embedder = self.indexes.lexical, self.indexes.vectors, self.embedder
        legs: dict[str, Callable[[Deadline], Found]] = {}  # the slower one first: it is waited for first, too
        if self.indexes.lacking:
            legs["vector"] = self._tell_what_is_lacking
        elif vector is not None and embedder is not None:
            least = HURRIED * self.config.timeout_ms / 1000
            legs["vector"] = lambda deadline: self.guard(
                lambda: self.stages.vector(embedder, vector, query, pool_size, deadline),
                hurried=deadline.remaining() < least,
            )
        if lexical is not None:
            boost = self.constants.context_boost
            legs["bm25"] = lambda _: self.stages.bm25(lexical, query, pool_size, context_boost=boost)
        return dict(zip(legs, trace.attempt_together(NOTHING, list(legs.items()), self.workers), strict=True))

    def _tell_what_is_lacking(self, _: Deadline) -> Found:
        raise RetrievalError(self.indexes.lacking)

    def _similarity(self, found: Mapping[str, Found], ids: Sequence[str]) -> tuple[Scores, Scores]:
        """Return each chunk's cosine with the prompt (most come from the search), and with what makes it this prompt."""
        prompt, vectors, centre = found.get("vector", NOTHING).prompt, self.indexes.vectors, self.indexes.centre
        if prompt is None or vectors is None:
            return {}, {}
        known = dict(found["vector"].hits)
        computed = vectors.similarities(prompt.vector, [i for i in ids if i not in known])
        cosines = {**{i: known[i] for i in ids if i in known}, **computed}
        return cosines, vectors.similarities(centred(prompt.vector, centre), ids) if centre is not None else {}

    def _late_interaction(
        self, query: Query, found: Mapping[str, Found], ids: Sequence[str], idf: Scores
    ) -> Interaction:
        """Compare the prompt with these chunks by tokens: all of them, and the worst match of words that occur nowhere."""
        prompt = found.get("vector", NOTHING).prompt
        if prompt is None or self.embedder is None or not len(prompt.tokens):
            return Interaction()
        terms = late_interaction.token_terms(query.sought, prompt.spans)
        unheard = idf.keys() & set(query.topic) - calibrate.known_terms(idf, store_size=self.indexes.size)
        strange = {i for i, own in enumerate(terms) if not unheard.isdisjoint(own)}
        weights = late_interaction.token_weights(terms, idf)
        before = len(query.sought) - len(query.text)
        carried = self.constants.carried
        weights = [carried * w if start < before else w for w, (start, _) in zip(weights, prompt.spans, strict=True)]
        tokens = self.store.tokens(self.embedder.model_id, ids)
        scores, least = self.stages.late(prompt.tokens, weights, tokens, chosen=strange)
        return Interaction(scores, least, prompt.tokens, weights, tokens, self.constants.unrelated)

    def rankings(self, pool: Pool, *, by_date: bool) -> Mapping[str, Sequence[Hit]]:
        """Return every ranking of a pool that fusion may join."""
        return {
            "bm25": pool.hits,
            "vector": _ranking(pool.cosines),
            "late": _ranking(pool.late),
            "recency": _recency(pool.candidates) if by_date else (),
            "entity": _ranking(pool.named),
        }

    def beside(self, terms: Sequence[str], known: Collection[str], *, limit: int) -> Iterable[Chunk]:
        """Return those of the ``limit`` chunks which share most with these terms that are not known."""
        if self.indexes.lexical is None:
            return ()
        found = self.indexes.lexical.search(list(terms), limit, context_boost=self.constants.context_boost)
        return self.store.chunks([hit.chunk_id for hit in found if hit.chunk_id not in known]).values()

    def rarity(self, terms: Collection[str]) -> Mapping[str, float]:
        """Return how rare terms are in this store, in [0, 1]: 1 is what one chunk holds, or none."""
        if self.indexes.lexical is None:
            return {}
        most = log(1 + (self.indexes.size - 0.5) / 1.5) or 1.0
        return {term: min(1.0, idf / most) for term, idf in self.indexes.lexical.idf(list(terms)).items()}

    def findings(self, query: Query, pool: Pool) -> Findings:
        """Gather what is known of a pool for its calibration."""
        size, null, constants = self.indexes.size, self.indexes.null, self.constants
        known = calibrate.known_terms(pool.idf, store_size=size)
        idf = self.stages.smoothing(pool.idf, store_size=size, prior_chunks=constants.prior_chunks)
        return Findings(
            asked=_lightened(calibrate.term_weights(query.topic, idf=idf), query, known, constants.carried),
            known=known if idf else frozenset(query.topic),
            unknown=entities.unknown_share(query.entities, known) if idf else 0.0,
            bm25=dict(pool.hits),
            cosines=pool.cosines,
            centred=pool.centred,
            late=pool.late,
            least=pool.least,
            named=pool.named,
            null=null and self.stages.growth(null, store_size=size, constants=constants),
            store_size=size,
        )


def _lightened(asked: Scores, query: Query, known: Collection[str], share: float) -> Scores:
    """Return what each term weighs, a ``share`` of it if it was carried over from the turn before; nothing if the store has none of it."""
    carried = frozenset(query.carried)
    return {t: share * w if t in carried else w for t, w in asked.items() if t in known or t not in carried}


def later(chunk: Chunk, asked_at: datetime, *, now: datetime) -> bool:
    """Say whether the chunk was written after the day of the prompt: where its own day is to come, that is what it is about."""
    written = chunk.written(now)
    return written is not None and written.date() > asked_at.date()


def _ranking(scores: Scores) -> list[Hit]:
    """Rank what is scored; ids in order first, for a stable sort leaves ties as they are."""
    ordered = sorted(sorted(scores), key=scores.__getitem__, reverse=True)
    return list(map(Hit, ordered, map(scores.__getitem__, ordered)))


def _recency(pool: Sequence[Candidate]) -> list[Hit]:
    """Rank the dated chunks, newest first; the score is the time itself, in days."""
    return _ranking({c.chunk.id: c.chunk.created_at.timestamp() / 86_400 for c in pool if c.chunk.created_at})
