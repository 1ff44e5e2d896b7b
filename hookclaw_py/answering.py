"""Answering: one prompt in time, for whoever hears the answer, and what is written down and counted of it."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from math import inf
from time import perf_counter
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.build import Parts
from hookclaw_py.errors import RetrievalError
from hookclaw_py.learning import settling
from hookclaw_py.model.audience import POLICIES, Audience
from hookclaw_py.model.kind import misnamed
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Effect, Injection, Outcome, Prompt, Step
from hookclaw_py.observe.log_lines import candidate_line, decision_line
from hookclaw_py.observe.metrics import EVERY
from hookclaw_py.pipeline import Pipeline
from hookclaw_py.privacy.marked import without_private
from hookclaw_py.speech.unsaying import asks_not_to_keep
from hookclaw_py.stages.verdict import listed
from hookclaw_py.store import freshness
from hookclaw_py.trace import Deadline, Trace
from hookclaw_py.views import View

log = logging.getLogger("hookclaw")

WRITING_SECONDS = 0.2
"""How long an answer waits for what is written down of it, at most; then that goes on behind it."""
MAX_PROMPT_CHARS = 200_000
"""Of a longer prompt the two ends are looked at: the middle of a pasted log says nothing that they do not."""


class Manner(NamedTuple):
    """How a prompt is answered: ``as_of`` its day, from these ``kinds``, and ``by`` a pipeline that is made of ours, for who asks on purpose."""

    as_of: bool = False
    kinds: Collection[str] = ()
    by: Callable[[Pipeline], Pipeline] | None = None


class Answering:
    """Answers prompts with what the engine is composed of. ``pipeline`` may be exchanged between two prompts.

    ``folders`` are those whose notes the store holds, or is to hold.
    """

    def __init__(self, parts: Parts, folders: Callable[[], Collection[str]]) -> None:
        self.pipeline = parts.pipeline
        self.closed = False
        self._parts, self._folders = parts, folders
        self._read = -1  # which of the databases that the store was has been read

    def recall(
        self,
        prompt: str | Prompt,
        manner: Manner,
        *,
        at: datetime | None = None,
        session: str = "",
        timeout_ms: float | None = None,
        record: bool = True,
    ) -> Injection:
        """Answer, whatever happens on the way; see ``Engine.recall``."""
        started, most, strict = perf_counter(), self.pipeline.config.timeout_ms, self._parts.strict
        trace = Trace(timeout_ms=most if timeout_ms is None else min(timeout_ms, most), strict=strict)
        injection, block = _failed(Reason.RECALL_FAILED), ""
        asked = Prompt("", datetime.now(UTC), agent_id=self._parts.agent)
        try:
            asked = trace.attempt("prompt", asked, self.prompt, prompt, at, session)
            if trace.faults:
                injection = _failed(Reason.OTHER, trace.faults[0].error)
            else:
                injection = self._answer(asked, trace, manner, record=record)
                if self.pipeline.config.shadow and manner.by is None:
                    injection, block = _only_a_shadow(injection), injection.text
            injection = replace(injection, faults=tuple(trace.faults), timings=tuple(trace.timings.copy().items()))
        finally:  # a strict engine raises; the prompt counts all the same
            if record:
                took = (perf_counter() - started) * 1000
                reporting = Trace(timeout_ms=0, strict=strict)
                report = partial(self._report, asked, injection, trace, took, as_of=manner.as_of, block=block)
                reporting.attempt("report", None, report)
        return injection

    def prompt(self, prompt: str | Prompt, at: datetime | None, session: str) -> Prompt:
        """Return the prompt as the pipeline takes it: of a very long one its two ends, nothing that is no text, and nothing private; ``off_record`` where its words ask for that as well."""
        if isinstance(prompt, str):
            moment = at or datetime.now(UTC)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=self.pipeline.zone)
            agent = self._parts.agent
            prompt = Prompt(prompt, moment, agent_id=agent, session_id=session, audience=Audience.OWNER)
        if not isinstance(prompt, Prompt) or not isinstance(prompt.text, str):
            kind = type(prompt.text if isinstance(prompt, Prompt) else prompt).__name__
            raise TypeError(f"a prompt is a text, not {kind}; pass a str or a Prompt")
        plain = text.ends(without_private(text.encodable(prompt.text)), MAX_PROMPT_CHARS)
        session, run = text.encodable(prompt.session_id), text.encodable(prompt.run_id)
        off_record = prompt.off_record or asks_not_to_keep(plain)
        return replace(prompt, text=plain, session_id=session, run_id=run, off_record=off_record)

    def _answer(self, prompt: Prompt, trace: Trace, manner: Manner, *, record: bool) -> Injection:
        agent = self._parts.agent
        if prompt.agent_id != agent:
            return _failed(Reason.WRONG_AGENT, f"{agent}, not {prompt.agent_id or 'nobody'}")
        if self.closed:
            return _failed(Reason.ENGINE_CLOSED)
        if wrong := misnamed(manner.kinds):
            return _failed(Reason.OTHER, wrong)

        def search() -> Injection:
            if paused := trace.attempt("pause", None, self._parts.switches.paused, datetime.now(UTC)):
                return Injection(secrets.token_hex(8), Outcome.SKIPPED, Why(Reason.PAUSED, str(paused)))
            found = self._search(prompt, trace, manner)
            if found.outcome is Outcome.SILENT and (unread := trace.attempt("unread", None, self._unread)):
                return replace(found, why=unread.remarking(found.reason))
            return found

        nothing = _failed(Reason.RECALL_FAILED)
        injection = trace.attempt_in_time("recall", nothing, search, self._parts.workers)
        if injection is nothing:
            kind = Reason.LATE if trace.deadline.cancelled else Reason.RECALL_FAILED
            told = listed(trace.faults)
            injection = replace(nothing, why=Why(kind, told))
        if record and not self.pipeline.config.shadow and (prompt.session_id or self.pipeline.config.record_prompts):
            self._write(prompt, injection, trace)
        return injection

    def view_of(self, kinds: Collection[str] = (), *, shared: bool = False) -> View:
        """Return what answers: from what prompts are answered from, or from these kinds; with ``shared`` only what others may hear of.

        Raises:
            RetrievalError: if one of these is no kind.
        """
        if kinds:
            if wrong := misnamed(kinds):
                raise RetrievalError(wrong)
            return self._parts.views.of(kinds, shared=shared)
        return self._parts.views.shared if shared else View(self._parts.indexes, self.pipeline)

    def _search(self, prompt: Prompt, trace: Trace, manner: Manner) -> Injection:
        """Search what the prompt's audience may hear of; the rest is not even looked at."""
        parts, policy = self._parts, POLICIES[prompt.audience]
        if not policy.hears_everything:
            shared = trace.attempt("shared", None, parts.views.shared_notes.paths)
            if shared is None:
                return _failed(Reason.SHARED_UNREADABLE, trace.faults[-1].error)
            if not shared:
                why = Why(Reason.NOTHING_SHARED, policy.called)
                return Injection(secrets.token_hex(8), Outcome.SILENT, why)
        view = self.view_of(manner.kinds, shared=not policy.hears_everything)
        trace.attempt("catch up", None, view.indexes.catch_up_in_time, trace.deadline)
        pipeline = manner.by(view.pipeline) if manner.by else view.pipeline
        injection = pipeline.recall(prompt, trace, as_of=datetime.now(UTC) if manner.as_of else None)
        if policy.hears_everything or injection.outcome not in (Outcome.SILENT, Outcome.INJECTED):
            return injection
        remark = f"only what is shared with {policy.called} was searched"
        return replace(injection, why=injection.why.remarking(remark))

    def _unread(self) -> Why | None:
        """Say that the notes are being read for the first time, or that a host has named none; None once they have been read."""
        store = self._parts.store
        if self._read == store.replaced or not store.lasting:
            return None
        if freshness.indexed_at(store) is None:
            known = self._parts.indexes.size
            if self._folders():
                return Why(Reason.STILL_READING, str(known))
            return Why(Reason.NOTHING_READ, self._parts.agent) if self._parts.hosted and not known else None
        self._read = store.replaced
        return None

    def _write(self, prompt: Prompt, injection: Injection, trace: Trace) -> None:
        """Write down what has to be before the answer; what takes too long goes on behind it."""
        beyond, workers = trace.beyond(), self._parts.workers

        def write() -> None:
            beyond.attempt("remember", None, self._remember, prompt, injection, beyond.deadline)
            beyond.attempt("record", None, self._record, prompt, injection)

        if trace.deadline.cancelled:  # it was late already
            beyond.attempt("remember", None, lambda: workers.leave(workers.start("writing", write)))
        else:
            at_most = inf if trace.strict else WRITING_SECONDS  # a slow disk is no bug
            beyond.attempt_in_time("writing", None, write, workers, at_most=at_most, finish=True)

    def _remember(self, prompt: Prompt, injection: Injection, deadline: Deadline) -> None:
        store = self._parts.store
        if self.pipeline.config.enable_feedback_loop:
            self._parts.metrics.object_to(settling.heed(store, prompt, deadline, unwrap=self._parts.envelope.unwrap))
            settling.remember(store, prompt, injection, deadline)

    def _record(self, prompt: Prompt, injection: Injection) -> None:
        recordings, cfg = self._parts.recordings, self.pipeline.config
        if cfg.record_prompts and recordings is not None:
            recordings.record(prompt, injection, fingerprint=cfg.fingerprint)

    def _report(
        self, prompt: Prompt, injection: Injection, trace: Trace, elapsed_ms: float, *, as_of: bool, block: str
    ) -> None:
        """Write down what was decided, and the ``block`` that would have been told; of a prompt in a pause only that there was one."""
        parts, cfg = self._parts, self.pipeline.config
        kept = parts.history is not None and not self.closed and prompt.agent_id == parts.agent
        if kept and parts.history is not None and injection.why.kind is not Reason.PAUSED:
            told = replace(injection, text=block) if block else injection
            parts.history.add(prompt, told, ms=elapsed_ms, as_of=as_of, fingerprint=cfg.fingerprint)
        number = parts.metrics.record(injection, elapsed_ms, prompt=prompt, began=trace.began.copy())
        summary = parts.metrics.log_line() if number % EVERY == 0 else ""
        if cfg.log_injections:
            log.info("%s", decision_line(number, injection, elapsed_ms))
        if cfg.debug_logging:
            for candidate in injection.candidates:
                log.info("%s", candidate_line(number, candidate))
        if summary:
            log.info("%s", summary)


def _only_a_shadow(found: Injection) -> Injection:
    """Return the same decision without anything that is told."""
    if found.outcome is not Outcome.INJECTED:
        return found
    noted = (
        c.noted(Step("shadow", c.relevance, "shadow mode tells nothing", Effect.SHADOWED)) for c in found.candidates
    )
    why = Why(Reason.SHADOW, found.why.sentence)
    return replace(
        found, outcome=Outcome.SILENT, why=why, text="", candidates=(), lines=(), rejected=(*noted, *found.rejected)
    )


def _failed(kind: Reason, detail: str = "") -> Injection:
    return Injection(secrets.token_hex(8), Outcome.FAILED, Why(kind, detail))
