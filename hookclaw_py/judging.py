"""Judging: how sure it is that what was found answers, and whether it still holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hookclaw_py.calibration.features import Evidence
from hookclaw_py.model.types import Candidate, Chunk, Query
from hookclaw_py.search.ports import Excerpt, Reader
from hookclaw_py.searching import EMBEDDED_ONLY, Pool, Search, SearchStages
from hookclaw_py.speech.former import asks_for_what_was, asks_what_happened
from hookclaw_py.speech.outdating import News
from hookclaw_py.stages import calibrate, changes, fusion, pointers, reading, restated, tasks, trust, utility
from hookclaw_py.stages.calibrate import Threshold, reading_of
from hookclaw_py.store.content import embedded
from hookclaw_py.trace import READING, Trace

Candidates = Sequence[Candidate]
Parted = tuple[list[Candidate], list[Candidate]]  # (those that stay, those that go)


@dataclass(frozen=True, kw_only=True)
class JudgingStages(SearchStages):
    """What a judgement calls; see ``pipeline.Stages``."""

    fusion: Callable[..., list[Candidate]] = fusion.fuse
    evidence: Callable[..., Mapping[str, Evidence]] = calibrate.evidence_of
    calibrate: Callable[..., list[Candidate]] = calibrate.calibrate
    pointers: Callable[..., list[Candidate]] = pointers.give_way
    to_read: Callable[..., list[Candidate]] = reading.to_read
    reread: Callable[..., list[Candidate]] = reading.reread
    notes_first: Callable[..., list[Candidate]] = trust.notes_first
    changes: Callable[..., list[Candidate]] = changes.follow
    latest_said: Callable[..., list[Candidate]] = restated.latest_first
    restated: Callable[..., Parted] = restated.follow


@dataclass
class Judging(Search):
    """What is judged with: beside the search, a model that reads what was found."""

    stages: JudgingStages
    reader: Reader | None

    def judged(self, query: Query, candidates: Candidates, pool: Pool, trace: Trace) -> list[Candidate]:
        """Make one score of what speaks for each candidate, calibrate it, and read the best."""
        pool = pool.only(candidates)
        best = trace.attempt("fusion", list(candidates), self.fuse, pool)
        best = trace.attempt("calibrate", best, self.calibrate, query, best, pool)
        best = trace.attempt("pointers", best, self.stages.pointers, best, query, left=self.constants.pointing)
        return self.read(query, best, pool, trace)

    def fuse(self, pool: Pool) -> list[Candidate]:
        """Make one score of all rankings and return the best of the pool, best first."""
        cfg = self.config
        weights = (cfg.rrf_weights if cfg.enable_rrf else cfg.convex_weights).model_dump()
        return self.stages.fusion(
            pool.candidates,
            self.rankings(pool, by_date=bool(weights["recency"])),
            method="rrf" if cfg.enable_rrf else "convex",
            weights=weights,
            rrf_k=cfg.rrf_k,
            partial=EMBEDDED_ONLY,
            pool_size=cfg.pool_size,
            kept=pool.kept,
        )

    def calibrate(self, query: Query, candidates: Candidates, pool: Pool) -> list[Candidate]:
        """Judge by all that the search found out: is this an answer, and which is the best?"""
        found = self.findings(query, pool)
        evidence = self.stages.evidence(candidates, query, found, zone=self.zone, calibration=self.calibration)
        judged = self.stages.calibrate(candidates, evidence, found, self.calibration)
        if query.only_tasks:
            return tasks.by_urgency(judged, query)
        return calibrate.by_day(judged, query) if query.only_a_time else judged

    def read(self, query: Query, candidates: Candidates, pool: Pool, trace: Trace) -> list[Candidate]:
        """Read the best beside the prompt, if there is a doubt: do they answer, or are they only about the same thing?

        It measured better where the best is a passage of a file, or was said in a turn of the owner's sessions.
        """
        stages, fitted = self.stages, self.calibration.reader if self.reader else None
        weights = reading_of(candidates[0].chunk, fitted) if fitted and candidates else None
        if weights is None:
            return list(candidates)
        thoroughly = self.config.reader == "deep"
        chosen = trace.attempt("to_read", list[Candidate](), stages.to_read, candidates, query, thoroughly=thoroughly)
        passages = trace.attempt("read", list[Excerpt](), lambda: [pool.passage(c.chunk) for c in chosen])
        said = self._said("read", query, passages, trace)
        logits = {c.chunk.id: logit for c, logit in zip(chosen, said, strict=False)}
        scale = {"absolute": self.constants.absolute, "spread": self.constants.spread}
        return trace.attempt("reread", list(candidates), stages.reread, candidates, logits, weights, **scale)

    def _said(self, stage: str, query: Query, passages: Sequence[Excerpt], trace: Trace) -> list[float]:
        """Return what the reader says of each passage, all read side by side; nothing without it, or when one is late."""
        reader = self.reader if self.calibration.reader else None
        calls = [(stage, partial(reader.read, query.sought, [passage])) for passage in passages if reader]
        said = trace.attempt_together(list[float](), calls, self.workers, share=READING)
        return [logit for logits in said for logit in logits] if all(said) else []

    def notes_first(self, query: Query, candidates: Candidates, pool: Pool, trace: Trace) -> list[Candidate]:
        """Judge the person's notes as if nothing else had been found, where something else leads: who answers comes first."""
        notes = [Candidate(c.chunk) for c in candidates if trust.is_note(c.chunk)]
        if not notes:
            return list(candidates)
        alone, least = self.judged(query, notes, pool, trace), self.config.min_score
        return trace.attempt("trust", list(candidates), self.stages.notes_first, candidates, alone, min_score=least)

    def follow(self, candidates: Candidates, query: Query, trace: Trace) -> Parted:
        """Let what has changed since take the place of what was; part what holds from what the person has said otherwise since."""
        stages, constants, attempt = self.stages, self.constants.changes, trace.attempt
        if self.indexes.lexical is None:
            return list(candidates), []
        worth, beside = self.threshold(candidates).is_reached, partial(self.unblocked, limit=constants.beside)
        if query.only_tasks:  # which is open is asked for, not what has changed
            return attempt("tasks", (list(candidates), []), tasks.still_to_do, candidates, query, beside=beside)
        by = {
            "answers": partial(self.answers, query, trace=trace),
            "worth": worth,
            "constants": constants,
            "names": self.names(trace),
        }
        best = attempt("changes", list(candidates), stages.changes, candidates, query, beside=beside, **by)
        if asks_for_what_was(query) or asks_what_happened(query):
            return best, []
        among = {"beside": beside, "rarity": self.rarity, "min_score": self.config.min_score}
        kept, outdated = attempt("restated", (best, []), stages.restated, best, query, **among)
        likely = {"worth": worth, "rarity": self.rarity, "rules": constants.restated}
        return attempt("latest_said", kept, stages.latest_said, kept, query, **likely), outdated

    def answers(self, query: Query, news: News, *, trace: Trace) -> bool:
        """Say whether a line of news answers, as far as there is a reader to tell."""
        line = Excerpt(embedded(news.chunk.heading, news.line.strip()))
        said = self._said("news", query, [line], trace)
        return not said or said[0] > 0

    def threshold(self, candidates: Candidates, *, follows: bool = False) -> Threshold:
        """Return what a candidate must reach to be told."""
        cfg, constants = self.config, self.constants
        at, adaptive = cfg.min_score, cfg.adaptive_results
        return calibrate.threshold(candidates, min_score=at, adaptive=adaptive, follows=follows, constants=constants)

    def unblocked(self, terms: Sequence[str], known: Collection[str], *, limit: int) -> list[Chunk]:
        """Return what stands ``beside``, without what a person blocked."""
        found = list(self.beside(terms, known, limit=limit))
        marks = self.store.only_marks([chunk.memory for chunk in found])
        return [chunk for chunk in found if chunk.memory not in marks or marks[chunk.memory].mark != utility.BLOCK]
