"""The whole recall on one page: a prompt goes in; the few memories that answer it come out, or silence with a reason."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from hookclaw_py import text
from hookclaw_py.enriching import Names
from hookclaw_py.judging import Candidates, Judging, JudgingStages, Parted
from hookclaw_py.model.audience import POLICIES
from hookclaw_py.model.envelope import AutomaticKind
from hookclaw_py.model.origin import NOTHING_CONFIRMED, Confirmed
from hookclaw_py.model.place import RecordPlace
from hookclaw_py.model.ranked import Ranked, Selected
from hookclaw_py.model.reason import Why
from hookclaw_py.model.types import Candidate, Chunk, Injection, Outcome, Prompt, Query, best_first
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.search.ports import Cache
from hookclaw_py.searching import later
from hookclaw_py.stages import (
    concealing,
    decay,
    diversity,
    followup,
    gate,
    lines,
    render,
    repetition,
    reply,
    supersession,
    trust,
    utility,
    verdict,
)
from hookclaw_py.stages.calibrate import abstain
from hookclaw_py.stages.render import NO_BLOCK, Block
from hookclaw_py.stages.trust import Admitted
from hookclaw_py.trace import AGAIN, Trace

READ_CHARS = 10_000
"""Of what a person wrote, longer prompts are searched for by their two ends: there they say what they want."""
SHORTLIST = 4
"""Times as many chunks as are injected are compared with each other: what stands further behind is hardly chosen for being different."""
FLOODED = 5
"""Times as much is searched where most of what was found may not be told."""


@dataclass(frozen=True, kw_only=True)
class Stages(JudgingStages):
    """What a recall calls, by the names under which its timings, its faults and ``explain`` tell of it.

    ``build.STAGES`` are ours; a test or a study hands over its own: ``replace(STAGES, decay=…)``. What ``further`` holds by name comes before it is decided
    whether to speak: a function of (candidates, query) that returns the candidates.
    """

    envelope: Callable[[str], str]
    automatic: AutomaticKind
    gate: Callable[..., Why | None] = gate.skip_reason
    follows: Callable[..., bool] = followup.follows
    admit: Callable[..., Admitted] = trust.admit
    decay: Callable[..., list[Candidate]] = decay.decay
    utility: Callable[..., utility.Preferred] = utility.prefer_useful
    supersession: Callable[..., list[Candidate]] = supersession.prefer_newer
    further: tuple[tuple[str, Callable[[Candidates, Query], Candidates]], ...] = ()
    in_turn: Callable[..., Parted] = trust.in_turn
    abstain: Callable[..., Parted] = abstain
    conversation: Callable[..., Parted] = repetition.leave_out_said
    duplicates: Callable[..., Parted] = diversity.remove_near_duplicates
    mmr: Callable[..., Parted] = diversity.maximal_marginal_relevance
    reply: Callable[..., list[Candidate]] = reply.with_reply
    of_a_list: Callable[..., Parted] = lines.of_a_list
    lines: Callable[..., list[Candidate]] = lines.best_lines
    conceal: Callable[..., list[Candidate]] = concealing.conceal
    conceal_lines: Callable[..., list[Candidate]] = concealing.conceal_lines
    render: Callable[..., Block] = render.render
    verdict: Callable[..., tuple[Outcome, Why]] = verdict.verdict


@dataclass
class Pipeline(Judging):
    """The stages and the parts they work on: one agent's store and nothing else."""

    stages: Stages
    cache: Cache
    skip_patterns: Sequence[re.Pattern[str]]
    confirmed: Callable[[], Confirmed] = Confirmed

    def recall(self, prompt: Prompt, trace: Trace, *, as_of: datetime | None = None) -> Injection:
        """Answer one prompt. With ``as_of``, which is now, notes dated after the prompt's day are invisible (see ``later``), and nothing is cached."""
        cfg, stages, attempt = self.config, self.stages, trace.attempt
        asked = attempt("envelope", prompt.text, stages.envelope, prompt.text)
        names = self.names(trace)
        context = attempt("context", "", self.context, asked, prompt, names)
        why = attempt("gate", None, self.skip_reason, prompt, asked, names, follows=bool(context))
        if why:
            return _answer(trace, Outcome.SKIPPED, why)
        asked = text.ends(asked, READ_CHARS)
        perhaps = "" if context else attempt("perhaps", "", self.context, asked, prompt, names, perhaps=True)
        scope = self._scope(prompt), context or perhaps, attempt("confirmed", NOTHING_CONFIRMED, self.confirmed)
        # After a fault the indexes may be older than the store: what is blocked or forgotten since could be remembered.
        remembered = None if as_of or trace.faults else attempt("cache", None, self.cache.get, scope, asked)
        if remembered and not self._repeats(remembered[1], prompt):
            how, injection = remembered
            return replace(injection, id=secrets.token_hex(8), cached=how, timings=tuple(trace.timings.items()))
        query = self.enrich(asked, prompt.received_at, trace, context=context, names=names)
        ranked = self.rank(query, trace, as_of=as_of)
        if perhaps and not trace.deadline.has_passed(AGAIN):
            after = self.enrich(asked, prompt.received_at, trace, context=perhaps, names=names)
            ranked_after = self.rank(after, trace, as_of=as_of)
            found = ranked.candidates, ranked_after.candidates
            if attempt("follows", False, stages.follows, *found, after.text, min_score=cfg.min_score):
                query, ranked = after, ranked_after
        selected = self.select(ranked.candidates, query, prompt, trace)
        following = partial(self.following, prompt=prompt, as_of=as_of)
        elsewhere = {c.chunk.id for c in (*selected.chosen, *selected.said, *ranked.outdated, *ranked.blocked)}
        chosen = attempt("reply", selected.chosen, stages.reply, selected.chosen, following, without=elsewhere)
        chosen = attempt("secrets", list[Candidate](), self.conceal, chosen, query, prompt)
        form = {"template": cfg.format_template, "max_chars": cfg.max_context_chars}
        block = attempt("render", NO_BLOCK, stages.render, chosen, **form)
        told = block.included  # of what does not fit a line may
        others = attempt("lines", list[Candidate](), self.lines, ranked.candidates, told, query, prompt)
        block = attempt("render", block, stages.render, chosen, others, **form) if others else block
        outcome, why = self.judge(ranked, selected, block, trace)
        rejected = best_first(map(block.in_lines, (*block.left_out, *selected.gone, *ranked.gone)))
        injection = replace(_answer(trace, outcome, why, block), query=query, rejected=tuple(rejected))
        if not trace.faults and not as_of and not selected.said:
            attempt("cache", None, self.cache.put, scope, asked, injection)
        return injection

    def skip_reason(self, prompt: Prompt, asked: str, names: Names, *, follows: bool) -> Why | None:
        """Say why this prompt needs no memory; None when it may. One that ``follows`` another says little by itself."""
        automatic = self.stages.automatic(prompt.text, prompt.trigger, unwrapped=asked)
        if automatic:
            return automatic
        least, patterns = self.config.skip_short_prompts, self.skip_patterns
        if follows:
            least = 0
            if followup.asks(asked):  # "is that a problem": its words alone are small talk
                patterns = [pattern for pattern in patterns if pattern is not gate.SMALL_TALK]
        return self.stages.gate(asked, min_chars=least, patterns=patterns, names=names(), held=self._held)

    def rank(self, query: Query, trace: Trace, *, as_of: datetime | None = None) -> Ranked:
        """Search, fuse, calibrate, and let time and use have their say: the best of the pool, best first."""
        cfg, stages, attempt = self.config, self.stages, trace.attempt
        now, least, constants = query.asked_at, cfg.min_score, self.constants
        pool = self.gather(query, trace, as_of=as_of)
        admitted = self.admit(pool.candidates, query, trace)
        if 2 * len(admitted.held) > len(pool.candidates):  # what may not be told leaves too little room for the rest
            pool = self.gather(query, trace, as_of=as_of, wider=FLOODED)
            admitted = self.admit(pool.candidates, query, trace)
        best = self.judged(query, admitted.free, pool, trace)
        if best and not trust.is_note(best[0].chunk):
            best = self.notes_first(query, best, pool, trace)
        if admitted.otherwise and not any(c.relevance >= least for c in best):
            best = self.judged(query, [*admitted.free, *admitted.otherwise], pool, trace)
        life, floor = timedelta(hours=cfg.half_life_hours), 1.0 if query.lists else cfg.decay_floor
        present = attempt("salience", {}, self.salience, best, now)
        faded = {"now": now, "half_life": life, "floor": floor, "salience": present}
        best = attempt("decay", best, stages.decay, best, **faded)
        ids = [c.chunk.memory for c in best]
        uses = attempt("uses", None, self.store.uses, ids)
        if uses is None:
            uses = attempt("marks", None, self.store.only_marks, ids)
        if uses is None:  # any of these may be blocked: better say nothing
            return Ranked([], pool.answered, held=admitted.held)
        unblocked = utility.without_blocked(best, uses)
        by_use = {"now": now, "learned": cfg.enable_feedback_loop, "constants": constants.use}
        best, blocked = attempt("utility", unblocked, stages.utility, best, uses, query.terms, **by_use)
        then = {"now": now, "period": query.period, "zone": self.zone}
        alike = {**then, "min_score": least, "same_subject": constants.same_subject}
        best = attempt("supersession", best, stages.supersession, best, query.terms, **alike)
        best, outdated = self.follow(best, query, trace)
        for name, stage in stages.further:
            best = list(attempt(name, best, stage, best, query))
        return Ranked(best, pool.answered, blocked, outdated, admitted.held)

    def admit(self, candidates: Candidates, query: Query, trace: Trace) -> Admitted:
        """Part what may be told from what may not; where that cannot be said, only the person's own may."""
        own = Admitted([c for c in candidates if c.chunk.origin.is_own], [], [])
        confirmed = self._confirmed(candidates, trace)
        return trace.attempt("trust", own, self.stages.admit, candidates, query, confirmed=confirmed)

    def salience(self, candidates: Candidates, now: datetime) -> Mapping[str, float]:
        """Return how present those of the candidates are that were distilled, by memory."""
        learned = [c.chunk.memory for c in candidates if isinstance(c.chunk.place, RecordPlace)]
        return self.store.salience(learned, now) if learned else {}

    def select(self, candidates: Candidates, query: Query, prompt: Prompt, trace: Trace) -> Selected:
        """Abstain from what is not relevant enough; of the rest take what is new to the conversation, and each thing once."""
        cfg, stages, attempt = self.config, self.stages, trace.attempt
        limit = cfg.max_results
        least = self.threshold(candidates, follows=bool(query.context))
        relevant, rejected = stages.abstain(candidates, least=least, max_results=limit)
        confirmed = self._confirmed(relevant, trace)
        relevant, crowded = attempt("trust", (relevant, []), stages.in_turn, relevant, confirmed=confirmed)
        news, said = attempt("conversation", (relevant, []), self.leave_out_said, relevant, prompt, query)
        alone: Candidates = ()
        if said and not any(c.relevance >= cfg.min_score for c in news):
            news, alone = [], news  # what only kept company to what the conversation holds is nothing by itself
        apart = {"threshold": cfg.duplicate_threshold, "enough": SHORTLIST * limit}
        distinct, dropped = attempt("duplicates", (news, []), stages.duplicates, news, **apart)
        first = distinct[:limit], distinct[limit:]
        of_all = query.lists or not cfg.enable_mmr  # of a list all is told, however alike
        mmr_lambda = 1.0 if of_all else cfg.mmr_lambda
        chosen, surplus = attempt("mmr", first, stages.mmr, distinct, mmr_lambda=mmr_lambda, top_k=limit)
        in_lines = list[Candidate]()
        if cfg.max_lines:
            by = {"room": cfg.max_context_chars, "min_score": cfg.min_score}
            chosen, in_lines = attempt("of_a_list", (chosen, in_lines), stages.of_a_list, chosen, query, **by)
        left_out = [
            *in_lines,
            *(diversity.crowded_out(c, limit) for c in surplus),
            *dropped,
            *alone,
            *crowded,
            *rejected,
        ]
        return Selected(chosen, said, left_out, only_said=bool(said and not news))

    def leave_out_said(self, candidates: Candidates, prompt: Prompt, query: Query | None = None) -> Parted:
        """Part what the conversation, or the host's system prompt, holds already from what is news to it, as a secret is that was hidden there."""
        seen = {"shown": prompt.shown, "conversation": prompt.conversation, "system": prompt.system}
        news, said = self.stages.conversation(candidates, **seen)
        if query is None or not any(self._tells_a_secret(c, query, prompt) for c in said):
            return news, said
        again = [c for c in said if not self._tells_a_secret(c, query, prompt)]
        known = {c.chunk.id for c in again}
        return [c for c in candidates if c.chunk.id not in known], again

    def _tells_a_secret(self, candidate: Candidate, query: Query, prompt: Prompt) -> bool:
        """Say whether this prompt is told a secret of a passage that others are not, and the conversation does not hold."""
        (told,) = self.conceal([candidate], query, prompt)
        hidden = self.config.secrets != "owner" and told.chunk.text != redact(candidate.chunk.text)
        return hidden and not repetition.already_said([told.chunk], prompt.conversation, hidden=False)

    def following(self, chunk: Chunk, *, prompt: Prompt, as_of: datetime | None) -> Chunk | None:
        """Return the passage behind one in its file, if it may be told and is news to the conversation."""
        found = self.store.following(chunk)
        if found is None or (as_of and later(found, prompt.received_at, now=as_of)):
            return None
        candidate, marks = Candidate(found), self.store.only_marks([found.memory])
        free = not utility.without_blocked([candidate], marks)[1]
        return found if free and self.leave_out_said([candidate], prompt)[0] else None

    def lines(self, candidates: Candidates, chosen: Candidates, query: Query, prompt: Prompt) -> Candidates:
        """Return single lines of what is not told whole, each news to the conversation, without secrets."""
        if query.lists:  # of a list, what is relevant itself: with a time, only what is of it
            candidates = [c for c in candidates if c.relevance >= self.config.min_score]
        by = {"rarity": self.rarity, "most": self.config.max_lines, "rules": self.constants.lines}
        found = self.stages.lines(candidates, chosen, query, **by)
        news, passages = self.leave_out_said(found, prompt, query)[0], {c.chunk.id: c.chunk for c in candidates}
        conceal = partial(self.stages.conceal_lines, passages=passages)
        return concealing.still_telling(self.conceal(news, query, prompt, by=conceal), query)

    def conceal(
        self, chosen: Candidates, query: Query, prompt: Prompt, *, by: Callable[..., Candidates] | None = None
    ) -> Candidates:
        """Hide the secrets of what was chosen, unless the owner hears the answer and wants them told."""
        own = POLICIES[prompt.audience].hears_everything
        if own and self.config.secrets == "owner":
            return chosen
        return (by or self.stages.conceal)(chosen, asked=f"{query.context}\n{query.text}" if own else "")

    def judge(self, ranked: Ranked, selected: Selected, block: Block, trace: Trace) -> tuple[Outcome, Why]:
        """Say what it came to, and why."""
        return self.stages.verdict(
            ranked.candidates,
            injected=bool(block.text),
            answered=ranked.answered,
            blocked=bool(ranked.blocked),
            said=selected.said if selected.only_said else (),
            held=len(ranked.held),
            faults=trace.faults,
            min_score=self.config.min_score,
        )

    def _confirmed(self, candidates: Candidates, trace: Trace) -> Confirmed:
        """Return what a person confirmed, if it matters for any of these."""
        if all(c.chunk.origin.is_own for c in candidates):
            return NOTHING_CONFIRMED
        return trace.attempt("confirmed", NOTHING_CONFIRMED, self.confirmed)

    def _scope(self, prompt: Prompt) -> Hashable:
        """Return what must be equal before two prompts can share an answer."""
        day = prompt.received_at.astimezone(self.zone).date()
        whose = prompt.agent_id, prompt.audience, prompt.session_id
        return *whose, self.config.fingerprint, self.indexes.generation, day

    def _repeats(self, remembered: Injection, prompt: Prompt) -> bool:
        """Say whether the conversation holds something of a remembered answer already."""
        return bool(self.leave_out_said(remembered.candidates, prompt)[1])


def _answer(trace: Trace, outcome: Outcome, why: Why, block: Block = NO_BLOCK) -> Injection:
    return Injection(
        id=secrets.token_hex(8),
        outcome=outcome,
        why=why,
        text=block.text,
        candidates=block.included,
        lines=block.lines,
        faults=tuple(trace.faults),
        timings=tuple(trace.timings.items()),
    )
