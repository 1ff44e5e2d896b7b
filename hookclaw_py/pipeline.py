"""The whole recall on one page: a prompt goes in; the few memories that answer it come out, or silence with a reason."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from functools import cache
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.config import Config
from hookclaw_py.errors import RetrievalError
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import (
    Candidate,
    Chunk,
    Effect,
    Hit,
    Injection,
    Outcome,
    Prompt,
    Query,
    best_first,
)
from hookclaw_py.parts import Cache, Indexes
from hookclaw_py.retrieval import late_interaction
from hookclaw_py.retrieval.base import Embedder, Encoded, Vocabulary, centred, encode
from hookclaw_py.stages import (
    calibrate,
    changes,
    decay,
    diversity,
    entities,
    envelope,
    followup,
    fusion,
    gate,
    periods,
    render,
    repetition,
    spelling,
    supersession,
    utility,
)
from hookclaw_py.store.ports import Recalled
from hookclaw_py.trace import Deadline, Trace
from hookclaw_py.workers import Workers

Scores = Mapping[str, float]
Names = Callable[[], frozenset[str]]


class Found(NamedTuple):
    """One retriever's answer; the vector half also hands over what the model made of the prompt."""

    hits: Sequence[Hit] = ()
    prompt: Encoded | None = None


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


class Ranked(NamedTuple):
    """What a search came to: candidates best first, whether any retriever answered at all, and what a person blocked."""

    candidates: Sequence[Candidate]
    answered: bool
    blocked: Sequence[Candidate] = ()


NOTHING = Found()
EMBEDDED_ONLY = frozenset({"vector", "late"})  # rankings without an opinion of what is not embedded yet
READ_CHARS = 10_000
"""Of what a person wrote, longer prompts are searched for by their two ends: there they say what they want."""
CARRIED = 0.5  # what a word of the turn before weighs beside one of the prompt
LEGS = frozenset({"bm25", "vector"})
NEWS = 48  # chunks that share most terms with the best candidate may say what has changed
PAGES = 10  # of what a prompt asks about that compete beside the pool
MENTIONS = 500  # of whom or what a prompt asks about, among which its page is looked for
SHORTLIST = 4  # times as many chunks as are injected compete for diversity


@dataclass
class Pipeline:
    """The stages and the parts they work on: one agent's store and nothing else."""

    config: Config
    store: Recalled
    indexes: Indexes
    embedder: Embedder | None
    cache: Cache
    workers: Workers
    zone: tzinfo
    skip_patterns: Sequence[re.Pattern[str]]
    weights: calibrate.Weights
    guard: Callable[[Callable[[], Found]], Found]
    """Runs the vector half behind a circuit breaker."""

    def recall(self, prompt: Prompt, trace: Trace, *, as_of: bool = False) -> Injection:
        """Answer one prompt. With ``as_of`` notes dated after the prompt's day are invisible, and nothing is cached."""
        cfg, attempt = self.config, trace.attempt
        asked = attempt("envelope", prompt.text, envelope.unwrap, prompt.text)
        names = self._names(trace)
        context = attempt("context", "", self.context, asked, prompt, names)
        why = attempt("gate", None, self.skip_reason, prompt, asked, names, follows=bool(context))
        if why:
            return _answer(trace, Outcome.SKIPPED, why)
        asked = text.ends(asked, READ_CHARS)
        scope = self._scope(prompt), context
        # After a fault the indexes may be older than the store: what is blocked or forgotten since could be remembered.
        remembered = None if as_of or trace.faults else attempt("cache", None, self.cache.get, scope, asked)
        if remembered and not self._repeats(remembered[1], prompt):
            how, injection = remembered
            return replace(injection, id=secrets.token_hex(8), cached=how, timings=tuple(trace.timings.items()))
        query = self.enrich(asked, prompt.received_at, trace, context=context, names=names)
        ranked = self.rank(query, trace, as_of=as_of)
        relevant, rejected, limit = calibrate.abstain(
            ranked.candidates, min_score=cfg.min_score, adaptive=cfg.adaptive_results, max_results=cfg.max_results
        )
        news, said = attempt(
            "conversation",
            (relevant, []),
            repetition.leave_out_said,
            relevant,
            shown=prompt.shown,
            conversation=prompt.conversation,
            system=prompt.system,
        )
        distinct, dropped = attempt(
            "duplicates",
            (news, []),
            diversity.remove_near_duplicates,
            news,
            threshold=cfg.duplicate_threshold,
            enough=SHORTLIST * limit,
        )
        chosen, surplus = attempt(
            "mmr",
            (distinct[:limit], distinct[limit:]),
            diversity.maximal_marginal_relevance,
            distinct,
            mmr_lambda=cfg.mmr_lambda if cfg.enable_mmr else 1.0,
            top_k=limit,
        )
        block = attempt(
            "render",
            render.NO_BLOCK,
            render.render,
            chosen,
            template=cfg.format_template,
            max_chars=cfg.max_context_chars,
        )
        surplus = [diversity.crowded_out(c, limit) for c in surplus]
        injection = replace(
            self._judge(trace, ranked, block, () if news else said),
            query=query,
            rejected=tuple(best_first([*block.left_out, *surplus, *dropped, *said, *rejected, *ranked.blocked])),
        )
        if not trace.faults and not as_of and not said:
            attempt("cache", None, self.cache.put, scope, asked, injection)
        return injection

    def _names(self, trace: Trace) -> Names:
        """Return a function that reads the names of the notes: where they are needed, and only once."""
        return cache(lambda: trace.attempt("names", frozenset[str](), self.store.names))

    def context(self, asked: str, prompt: Prompt, names: Names) -> str:
        """Return what the turns before say of what this prompt leaves out; "" when it is complete."""
        if not prompt.recent:
            return ""
        named = entities.find_entities(asked, names=names())
        return followup.left_out(asked, prompt.recent, entities=named)

    def skip_reason(self, prompt: Prompt, asked: str, names: Names, *, follows: bool) -> Why | None:
        """Say why this prompt needs no memory; None when it may. One that ``follows`` another says little by itself."""
        automatic = envelope.automatic_kind(prompt.text, prompt.trigger, unwrapped=asked)
        if automatic:
            return automatic
        least = 0 if follows else self.config.skip_short_prompts
        return gate.skip_reason(asked, min_chars=least, patterns=self.skip_patterns, names=names())

    def enrich(
        self, asked: str, received_at: datetime, trace: Trace, *, context: str = "", names: Names | None = None
    ) -> Query:
        """Read terms, entities and the period out of the prompt, as it is without greeting and thanks.

        What it leaves out is searched as well: the terms of its ``context``, and what that names if it names nothing.
        """
        asked = trace.attempt("politeness", asked, gate.without_politeness, asked)
        read_as = trace.attempt("spelling", {}, self._read_as, asked)
        asked = spelling.corrected(asked, read_as)
        now = received_at.astimezone(self.zone)
        known = (names or self._names(trace))()
        found = trace.attempt("entities", (), entities.find_entities, asked, names=known)
        if context and not found:
            found = trace.attempt("entities", (), entities.find_entities, context, names=known)
        period = None
        if self.config.enable_temporal_parsing:
            period = trace.attempt("period", None, periods.find_period, asked, now=now)
        if period and periods.sets_the_scene(period, asked, now=now):
            period = None
        terms = trace.attempt("terms", [], text.terms, asked)
        topic = terms
        if period:
            found = tuple(entity for entity in found if entity.kind == "day" or entity.text not in period.phrase)
            named, dated = {*text.terms(period.phrase), *text.asking()}, text.terms(periods.written(period.phrase))
            topic = [term for term in terms if term not in named]
            if not dated:  # "yesterday" stands in no note, and "妈昨" of "妈妈昨天" is no word
                rest = frozenset(text.terms(periods.without(asked, period.phrase)))
                topic = [term for term in topic if term in rest]
            terms = [term for term in terms if term in topic or term in dated]
        carried = [term for term in trace.attempt("terms", [], text.terms, context) if term not in terms]
        return Query(
            asked,
            now,
            (*terms, *carried),
            (*topic, *carried),
            found,
            period,
            read_as=tuple(read_as.items()),
            context=context,
            carried=tuple(carried),
        )

    def _read_as(self, asked: str) -> dict[str, str]:
        """Read misspelt words as what the notes have, if there is somebody to tell which words are spelt right."""
        lexical = self.indexes.lexical
        if lexical is None or not isinstance(self.embedder, Vocabulary):
            return {}

        def held(terms: Collection[str]) -> Collection[str]:
            return calibrate.known_terms(lexical.idf(list(terms)), store_size=self.indexes.size)

        notes = spelling.NoteWords(held, lexical.beginning)
        return spelling.meant(asked, notes, is_word=self.embedder.knows)

    def rank(self, query: Query, trace: Trace, *, as_of: bool = False) -> Ranked:
        """Search, fuse, calibrate, and let time and use have their say: the best of the pool, best first."""
        cfg, attempt = self.config, trace.attempt
        pool = self.gather(query, trace, as_of=as_of)
        candidates = attempt("fusion", list(pool.candidates), self.fuse, pool)
        candidates = attempt("calibrate", candidates, self._calibrate, query, candidates, pool)
        candidates = attempt(
            "decay",
            candidates,
            decay.decay,
            candidates,
            now=query.asked_at,
            half_life=timedelta(hours=cfg.half_life_hours),
            floor=cfg.decay_floor,
        )
        ids = [c.chunk.id for c in candidates]
        uses = attempt("uses", None, self.store.uses, ids)
        if uses is None:
            uses = attempt("marks", None, self.store.only_marks, ids)
        if uses is None:  # any of these may be blocked: better say nothing
            return Ranked([], pool.answered)
        preferred = attempt(
            "utility",
            utility.without_blocked(candidates, uses),
            utility.prefer_useful,
            candidates,
            uses,
            query.terms,
            now=query.asked_at,
            learned=cfg.enable_feedback_loop,
        )
        newest = attempt(
            "supersession",
            preferred.candidates,
            supersession.prefer_newer,
            preferred.candidates,
            query.terms,
            min_score=cfg.min_score,
        )
        newest = attempt("changes", newest, self._prefer_news, newest, query)
        return Ranked(newest, pool.answered, preferred.blocked)

    def _prefer_news(self, candidates: list[Candidate], query: Query) -> list[Candidate]:
        """Look for lines that say what has changed of what the best candidates say, in the pool and beside it."""
        lexical, least = self.indexes.lexical, self.config.min_score
        pages = changes.pages(candidates, min_score=least)
        if not pages or lexical is None or changes.asks_for_what_was(query):
            return candidates
        held = {c.chunk.id: c.chunk for c in candidates}
        found = [hit.chunk_id for hit in lexical.search(changes.sought(query, pages[0]), NEWS)]
        beside = self.store.chunks([chunk_id for chunk_id in found if chunk_id not in held])
        news = changes.told_by([*held.values(), *beside.values()], today=query.asked_at.date())
        return changes.prefer_news(candidates, news, query, min_score=least) if news else candidates

    def fuse(self, pool: Pool) -> list[Candidate]:
        """Make one score of all rankings and return the best of the pool, best first."""
        cfg = self.config
        weights = (cfg.rrf_weights if cfg.enable_rrf else cfg.convex_weights).model_dump()
        rankings = {
            "bm25": pool.hits,
            "vector": _ranking(pool.cosines),
            "late": _ranking(pool.late),
            "recency": _recency(pool.candidates) if weights["recency"] else (),
            "entity": _ranking(pool.named),
        }
        return fusion.fuse(
            pool.candidates,
            rankings,
            method="rrf" if cfg.enable_rrf else "convex",
            weights=weights,
            rrf_k=cfg.rrf_k,
            partial=EMBEDDED_ONLY,
            pool_size=cfg.pool_size,
            kept=pool.kept,
        )

    def gather(self, query: Query, trace: Trace, *, as_of: bool = False) -> Pool:
        """Collect what both retrievers found and what is dated in the query's period, with all that speaks for it."""
        attempt = trace.attempt
        pool_size = max(self.indexes.size, 1) if as_of else self.config.pool_size
        found = self.search(query, trace, pool_size)
        dated: Sequence[str] = ()
        if query.period is not None:
            dated = attempt("dated", (), self.store.dated, query.period, pool_size)
        pinned = attempt("pinned", (), self.store.pinned)
        ids = list(dict.fromkeys([*(hit.chunk_id for leg in found.values() for hit in leg.hits), *dated, *pinned]))
        chunks, found_by_search = attempt("load", {}, self.store.chunks, ids), len(ids)
        hits = list(found.get("bm25", NOTHING).hits)
        if calibrate.asks_what_it_is(query):
            further, pages = attempt("pages", ([], {}), self._pages, query, ids)
            hits, chunks, ids = [*hits, *further], {**chunks, **pages}, [*ids, *pages]
        candidates = [Candidate(chunks[i]) for i in ids if i in chunks]
        if as_of:
            candidates = [c for c in candidates if not _later(c.chunk, query.asked_at)]
        held = [c.chunk for c in candidates]
        held_ids = [chunk.id for chunk in held]
        idf: Scores = {}
        if self.indexes.lexical is not None:
            sought = [*query.terms, *entities.all_terms(query.entities)]
            idf = attempt("idf", {}, self.indexes.lexical.idf, sought)
        cosines, beyond = attempt("similarity", ({}, {}), self._similarity, found, held_ids)
        late, least = attempt("late", ({}, {}), self._late_interaction, query, found, held_ids, idf)
        return Pool(
            candidates=candidates,
            hits=hits,
            idf=idf,
            cosines=cosines,
            centred=beyond,
            late=late,
            least=least,
            named=attempt("mentions", {}, entities.mentions, query.entities, held),
            kept=frozenset([*dated, *pinned, *ids[found_by_search:]]),
            answered=any(leg is not NOTHING for leg in found.values()),
        )

    def _pages(self, query: Query, known: Collection[str]) -> tuple[Sequence[Hit], Mapping[str, Chunk]]:
        """Look further for the page about what is asked for: whom the days mention often, they fill a pool with mentions."""
        if self.indexes.lexical is None:
            return [], {}
        hits = [hit for hit in self.indexes.lexical.search(list(query.topic), MENTIONS) if hit.chunk_id not in known]
        found = self.store.chunks([hit.chunk_id for hit in hits])
        pages = [hit for hit in hits if hit.chunk_id in found and found[hit.chunk_id].created_at is None][:PAGES]
        return pages, {hit.chunk_id: found[hit.chunk_id] for hit in pages}

    def search(self, query: Query, trace: Trace, pool_size: int) -> dict[str, Found]:
        """Ask both retrievers side by side, with one deadline; one that fails or is late gives nothing and a fault."""
        lexical, vector, embedder = self.indexes.lexical, self.indexes.vectors, self.embedder
        legs: dict[str, Callable[[Deadline], Found]] = {}  # the slower one first: it is waited for first, too
        if self.indexes.lacking:
            legs["vector"] = self._tell_what_is_lacking
        elif vector is not None and embedder is not None:

            def by_meaning(deadline: Deadline) -> Found:
                prompt = encode(embedder, query.sought, deadline)
                return Found(vector.search(prompt.vector, pool_size), prompt)

            legs["vector"] = lambda deadline: self.guard(lambda: by_meaning(deadline))
        if lexical is not None:
            own = [term for term in query.terms if term not in query.carried]
            legs["bm25"] = lambda _: Found(lexical.search([*own, *query.terms] if query.carried else own, pool_size))
        return trace.attempt_together(NOTHING, legs, self.workers)

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
    ) -> tuple[Scores, Scores]:
        """Compare the prompt with these chunks by tokens: all of them, and the worst match of words that occur nowhere."""
        prompt = found.get("vector", NOTHING).prompt
        if prompt is None or self.embedder is None or not len(prompt.tokens):
            return {}, {}
        terms = late_interaction.token_terms(query.sought, prompt.spans)
        unheard = idf.keys() & set(query.topic) - calibrate.known_terms(idf, store_size=self.indexes.size)
        strange = {i for i, own in enumerate(terms) if not unheard.isdisjoint(own)}
        weights = late_interaction.token_weights(terms, idf)
        before = len(query.sought) - len(query.text)
        weights = [CARRIED * w if start < before else w for w, (start, _) in zip(weights, prompt.spans, strict=True)]
        tokens = self.store.tokens(self.embedder.model_id, ids)
        return late_interaction.compare(prompt.tokens, weights, tokens, chosen=strange)

    def _calibrate(self, query: Query, candidates: Sequence[Candidate], pool: Pool) -> list[Candidate]:
        found = self.findings(query, pool)
        evidence = calibrate.evidence_of(candidates, query, found, zone=self.zone)
        return calibrate.calibrate(candidates, evidence, found, self.weights)

    def findings(self, query: Query, pool: Pool) -> calibrate.Findings:
        """Gather what is known of a pool for its calibration."""
        size, null = self.indexes.size, self.indexes.null
        known = calibrate.known_terms(pool.idf, store_size=size)
        idf = calibrate.smoothed(pool.idf, store_size=size)
        return calibrate.Findings(
            asked=_lightened(calibrate.term_weights(query.topic, idf=idf), query, known),
            known=known if idf else frozenset(query.topic),
            unknown=entities.unknown_share(query.entities, known) if idf else 0.0,
            bm25=dict(pool.hits),
            cosines=pool.cosines,
            centred=pool.centred,
            late=pool.late,
            least=pool.least,
            named=pool.named,
            null=null and calibrate.as_if_grown(null, store_size=size),
            store_size=size,
        )

    def _scope(self, prompt: Prompt) -> Hashable:
        """What must be equal before two prompts can share an answer."""
        day = prompt.received_at.astimezone(self.zone).date()
        whose = prompt.agent_id, prompt.audience, prompt.session_id
        return *whose, self.config.fingerprint, self.indexes.generation, day

    def _repeats(self, remembered: Injection, prompt: Prompt) -> bool:
        """Say whether the conversation holds something of a remembered answer already."""
        _, said = repetition.leave_out_said(
            remembered.candidates, shown=prompt.shown, conversation=prompt.conversation, system=prompt.system
        )
        return bool(said)

    def _judge(self, trace: Trace, ranked: Ranked, block: render.Block, said: Sequence[Candidate]) -> Injection:
        top = max((c.relevance for c in ranked.candidates), default=0.0)
        if block.text:
            return _answer(trace, Outcome.INJECTED, Why(Reason.RELEVANT, f"{top:.3f}"), block)
        errors = {fault.stage: fault.error for fault in trace.faults}
        if "marks" in errors:
            return _answer(trace, Outcome.FAILED, Why(Reason.MARKS_UNREADABLE, errors["marks"]))
        searching = [error for stage, error in errors.items() if stage in LEGS]
        if not ranked.answered or (searching and not ranked.candidates):
            failed = "; ".join(searching or errors.values())
            return _answer(trace, Outcome.FAILED, Why(Reason.NO_RETRIEVER, failed))
        if not ranked.candidates and ranked.blocked:
            return _answer(trace, Outcome.SILENT, Why(Reason.BLOCKED))
        if not ranked.candidates and errors:
            failed = "; ".join(f"{stage}: {error}" for stage, error in errors.items())
            return _answer(trace, Outcome.FAILED, Why(Reason.PART_FAILED, failed))
        if not ranked.candidates:
            return _answer(trace, Outcome.SILENT, Why(Reason.NOTHING_FOUND))
        if said:
            in_system = all(c.fate is Effect.IN_SYSTEM_PROMPT for c in said)
            where = Reason.IN_SYSTEM_PROMPT if in_system else Reason.IN_CONVERSATION
            return _answer(trace, Outcome.SILENT, Why(where))
        if top >= self.config.min_score:
            return _answer(trace, Outcome.SILENT, Why(Reason.OVER_BUDGET))
        return _answer(trace, Outcome.SILENT, Why(Reason.BELOW_FLOOR, f"{top:.3f} is below {self.config.min_score:g}"))


def _answer(trace: Trace, outcome: Outcome, why: Why, block: render.Block = render.NO_BLOCK) -> Injection:
    return Injection(
        id=secrets.token_hex(8),
        outcome=outcome,
        why=why,
        text=block.text,
        candidates=block.included,
        faults=tuple(trace.faults),
        timings=tuple(trace.timings.items()),
    )


def _lightened(asked: Scores, query: Query, known: Collection[str]) -> Scores:
    """Return what each term weighs, less if it was carried over from the turn before; nothing if the store has none of it."""
    carried = frozenset(query.carried)
    return {t: CARRIED * w if t in carried else w for t, w in asked.items() if t in known or t not in carried}


def _ranking(scores: Scores) -> list[Hit]:
    """Rank what is scored; ids in order first, for a stable sort leaves ties as they are."""
    ordered = sorted(sorted(scores), key=scores.__getitem__, reverse=True)
    return list(map(Hit, ordered, map(scores.__getitem__, ordered)))


def _recency(pool: Sequence[Candidate]) -> list[Hit]:
    """Rank the dated chunks, newest first; the score is the time itself, in days."""
    return _ranking({c.chunk.id: c.chunk.created_at.timestamp() / 86_400 for c in pool if c.chunk.created_at})


def _later(chunk: Chunk, asked_at: datetime) -> bool:
    """Say whether the chunk is dated after the day of the prompt."""
    return chunk.created_at is not None and chunk.created_at.date() > asked_at.date()
