"""The whole recall on one page: a prompt goes in; the few memories that answer it come out, or silence with a reason."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from functools import cache
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import (
    Candidate,
    Effect,
    Hit,
    Injection,
    Outcome,
    Prompt,
    Query,
    best_first,
)
from hookclaw_py.parts import Cache
from hookclaw_py.search.ports import Vocabulary
from hookclaw_py.searching import Pool, Scores, Search
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
from hookclaw_py.trace import Trace

Names = Callable[[], frozenset[str]]


class Ranked(NamedTuple):
    """What a search came to: candidates best first, whether any retriever answered at all, and what a person blocked."""

    candidates: Sequence[Candidate]
    answered: bool
    blocked: Sequence[Candidate] = ()


EMBEDDED_ONLY = frozenset({"vector", "late"})  # rankings without an opinion of what is not embedded yet
READ_CHARS = 10_000
"""Of what a person wrote, longer prompts are searched for by their two ends: there they say what they want."""
LEGS = frozenset({"bm25", "vector"})
NEWS = 48  # chunks that share most terms with the best candidate may say what has changed
SHORTLIST = 4  # times as many chunks as are injected compete for diversity


@dataclass
class Pipeline(Search):
    """The stages and the parts they work on: one agent's store and nothing else."""

    cache: Cache
    zone: tzinfo
    skip_patterns: Sequence[re.Pattern[str]]
    weights: calibrate.Weights

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
        if period and trace.attempt("period", False, periods.sets_the_scene, period, asked, now=now):
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
            Terms((*terms, *carried)),
            Terms((*topic, *carried)),
            found,
            period,
            read_as=tuple(read_as.items()),
            context=context,
            carried=Terms(carried),
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

    def _calibrate(self, query: Query, candidates: Sequence[Candidate], pool: Pool) -> list[Candidate]:
        found = self.findings(query, pool)
        evidence = calibrate.evidence_of(candidates, query, found, zone=self.zone)
        return calibrate.calibrate(candidates, evidence, found, self.weights)

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


def _ranking(scores: Scores) -> list[Hit]:
    """Rank what is scored; ids in order first, for a stable sort leaves ties as they are."""
    ordered = sorted(sorted(scores), key=scores.__getitem__, reverse=True)
    return list(map(Hit, ordered, map(scores.__getitem__, ordered)))


def _recency(pool: Sequence[Candidate]) -> list[Hit]:
    """Rank the dated chunks, newest first; the score is the time itself, in days."""
    return _ranking({c.chunk.id: c.chunk.created_at.timestamp() / 86_400 for c in pool if c.chunk.created_at})
