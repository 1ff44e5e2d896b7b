"""Conversing: what a conversation is told, with each prompt and when it begins, in the time that its host waits; and how its turns end."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from hookclaw_py.doors import answers, context, requests
from hookclaw_py.doors.agents import Agents
from hookclaw_py.doors.call import WAY_BACK, Call, failed, left_ms, missed
from hookclaw_py.doors.messaging import NOTHING, Messaging, Notice
from hookclaw_py.doors.residents import NotReady
from hookclaw_py.doors.sessions import Sessions, name_of
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.reason import Reason
from hookclaw_py.model.types import Injection, Message, Outcome, Prompt
from hookclaw_py.stages.briefing import NO_BRIEFING, Briefing, ids_of
from hookclaw_py.trace import Trace
from hookclaw_py.workers import Workers

_BRIEFING = 0.5  # seconds that a conversation's beginning waits for it at most
_NOTICE = 0.1  # seconds that a prompt waits to hear of messages at most


class Conversing:
    """Answers what hosts tell of conversations. What these have been shown outlives the process in the file ``kept``, where there is one.

    ``hurried`` says whether the process is about to end: no engine is asked then.
    """

    def __init__(
        self,
        agents: Agents,
        messaging: Messaging,
        workers: Workers,
        *,
        kept: Path | None,
        hurried: Callable[[], bool],
    ) -> None:
        self._agents, self._messaging, self._workers = agents, messaging, workers
        self._sessions, self._hurried = Sessions(kept), hurried
        self._lock = threading.Lock()
        self._prompts, self._reached = 0, 0

    @property
    def verbs(self) -> Mapping[type[Any], Callable[[Any, Call], Mapping[str, Any]]]:
        """What is answered of requests."""
        return {
            requests.BeforeAgentStart: self._before_agent_start,
            requests.AgentEnd: self._agent_end,
            requests.SessionStart: self._session_start,
            requests.SessionEnd: self._session_end,
            requests.AfterCompaction: self._after_compaction,
        }

    @property
    def counts(self) -> Mapping[str, int]:
        """How many prompts came, and how many of them no engine counts: it was not open, or time was up."""
        with self._lock:
            return {"prompts": self._prompts, "unreached": max(0, self._prompts - self._reached)}

    def _before_agent_start(self, request: requests.BeforeAgentStart, call: Call) -> Mapping[str, Any]:
        with self._lock:
            self._prompts += 1
        trace = Trace(timeout_ms=request.timeout_ms or math.inf, strict=False, since=call.arrived)
        nothing, begins = failed(Reason.RECALL_FAILED), self._begins(request)
        briefing: Briefing | None = NO_BRIEFING
        found = missed(request, call) or trace.attempt_in_time(
            "bridge", nothing, lambda: self._recall(request, call, trace), self._workers
        )
        if found is nothing and trace.deadline.cancelled:
            found = failed(Reason.TIMED_OUT, f"{request.timeout_ms:.0f}")
        if begins and not missed(request, call):
            briefing = self._briefing(request, trace) if found.outcome is not Outcome.FAILED else None
        injection = self._in_time(found, request, call)
        if found.outcome is Outcome.INJECTED and injection.outcome is not Outcome.INJECTED:
            self._take_back(request.agent_id, found.id, wait=call.cancelled)
        if begins and (briefing is None or missed(request, call)):
            self._sessions.put_off(request)
            briefing = NO_BRIEFING
        told, notice = briefing or NO_BRIEFING, self._notice(request, call, trace)
        shown = frozenset(candidate.chunk.id for candidate in injection.candidates)
        self._sessions.note(request, shown | ids_of(told), keeps=request.keeps_injections)
        injection = replace(injection, faults=(*injection.faults, *trace.faults))
        return answers.decision(injection, call.elapsed_ms, before=[told.text, notice.text])

    def _notice(self, request: requests.BeforeAgentStart, call: Call, trace: Trace) -> Notice:
        """Return what the owner's agent is told of messages from others, if there is time for it."""
        if not self._messaging.is_spoken(request) or missed(request, call) or trace.deadline.cancelled:
            return NOTHING
        left = min(_NOTICE, trace.deadline.remaining() - WAY_BACK)
        ask = partial(self._messaging.notice, request.agent_id)
        notice = trace.attempt_in_time("messages", NOTHING, ask, self._workers, at_most=left, finish=True)
        notice = NOTHING if missed(request, call) else notice
        self._messaging.note(request, notice)
        return notice

    def _begins(self, request: requests.BeforeAgentStart) -> bool:
        """Say whether this is the first thing that the owner asks in a conversation, or after it was shortened."""
        asked = request.trigger in ("", "user") and Audience.named(request.audience) is Audience.OWNER
        due = self._sessions.takes_briefing(request) if asked else False
        before = request.messages or self._sessions.said(request) or self._sessions.shown(request)
        return asked and bool(name_of(request)) and (due or not before)

    def _briefing(self, request: requests.BeforeAgentStart | requests.SessionStart, trace: Trace) -> Briefing | None:
        """Return what a conversation is told when it begins; None if the recall has left no time for it, or it failed."""
        left = trace.deadline.remaining() - WAY_BACK
        if left <= 0:
            return None

        def brief() -> Briefing:
            with self._agents.resident(request.agent_id).using(request.workspace_dir, timeout=_BRIEFING) as engine:
                return engine.brief(name_of(request))

        return trace.attempt_in_time("briefing", None, brief, self._workers, at_most=min(_BRIEFING, left))

    def _take_back(self, agent_id: str, injection_id: str, *, wait: bool) -> None:
        """Note that a block did not reach its prompt: behind the reply, unless nobody waits for that."""
        trace = Trace(timeout_ms=0, strict=False)

        def take_back() -> None:
            trace.attempt("take back", None, self._agents.ask, agent_id, lambda engine: engine.unshow(injection_id))

        if wait:
            take_back()
        else:
            trace.attempt("take back", None, lambda: self._workers.leave(self._workers.start("take back", take_back)))

    def _recall(self, request: requests.BeforeAgentStart, call: Call, trace: Trace) -> Injection:
        late = missed(request, call)
        if late or self._hurried():
            return late or failed(Reason.ENDING)
        from hookclaw_py.ingest import messages as conversation

        prompt = Prompt(
            request.prompt,
            datetime.now(UTC),
            agent_id=request.agent_id,
            session_id=name_of(request),
            audience=Audience.named(request.audience),
            recent=context.said(request.messages) or self._heard(request),
            trigger=request.trigger or "user",
            run_id=request.run_id,
            shown=self._sessions.shown(request),
            system=context.system(request),
            conversation=(request.prompt, *map(conversation.text_of, request.messages)),
        )
        try:
            resident = self._agents.resident(request.agent_id)
            left = left_ms(trace) / 1000 if request.timeout_ms else None
            with resident.using(request.workspace_dir, timeout=left) as engine:
                if request.keeps_injections and not request.messages:
                    held = trace.attempt("conversation", [], engine.capturing.said_in, name_of(request))
                    prompt = replace(prompt, conversation=(*prompt.conversation, *held))
                if trace.deadline.cancelled:
                    return failed(Reason.NOBODY_WAITS)
                with self._lock:
                    self._reached += 1
                injection = engine.recall(prompt, timeout_ms=left_ms(trace) if request.timeout_ms else None)
                try:
                    resident.confirm(engine, request.workspace_dir)
                except NotReady:
                    if injection.text:
                        engine.unshow(injection.id)
                    raise
                if trace.deadline.cancelled and injection.text:
                    engine.unshow(injection.id)
                resident.count_recall()
                if not request.workspace_dir:
                    resident.refresh("")  # of an agent that several projects share nobody says where its notes are
                return injection
        except NotReady as error:
            return failed(Reason.NOT_READY, str(error), stage="open")

    def _in_time(self, injection: Injection, request: requests.BeforeAgentStart, call: Call) -> Injection:
        """Give no block to a host that waits no longer: it would count as shown although nobody saw it."""
        late = missed(request, call)
        if late is None or injection.outcome is Outcome.FAILED:
            return injection
        faults = (*injection.faults, *late.faults)
        return replace(injection, outcome=late.outcome, why=late.why, text="", candidates=(), faults=faults)

    def _heard(self, request: requests.BeforeAgentStart) -> tuple[Message, ...]:
        """Return what was said before in a conversation of which the host sends no messages, and remember its prompt."""
        before = self._sessions.said(request)
        self._sessions.hear(request, context.said([{"role": "user", "content": request.prompt}]))
        return before

    def _agent_end(self, request: requests.AgentEnd, _: Call) -> Mapping[str, Any]:
        from hookclaw_py.ingest import messages as conversation

        if self._sessions.said(request):  # a host that sends no messages with a prompt
            self._sessions.hear(request, context.said(request.messages[-1:]))
        self._messaging.turn_ended(request, success=request.success)
        given = self._sessions.settle(request)
        if not given and not request.run_id:  # with its name even a turn that ends late finds what it was given
            return {"cited": {}, "kinds": {}}
        answer = conversation.answer_of(request.messages)
        kinds = self._agents.ask(
            request.agent_id,
            lambda engine: engine.agent_end(
                name_of(request),
                answer,
                run=request.run_id,
                success=request.success,
                error=request.error,
                duration_ms=request.duration_ms,
            ),
        )
        return {
            "cited": {chunk_id: kind == "used" for chunk_id, kind in kinds.items()},
            "kinds": {chunk_id: str(kind) for chunk_id, kind in kinds.items()},
        }

    def _session_start(self, request: requests.SessionStart, call: Call) -> Mapping[str, Any]:
        if not request.resumed_from:
            self._sessions.reset(request, forget=True)
        self._agents.read(request.agent_id, request.workspace_dir)
        if not request.brief or Audience.named(request.audience) is not Audience.OWNER:
            return {}
        briefing = self._briefing(
            request, Trace(timeout_ms=request.timeout_ms or math.inf, strict=False, since=call.arrived)
        )
        if not briefing or missed(request, call) or ids_of(briefing) <= self._sessions.shown(request):
            return {}  # what goes on may have it already, and of what begins the first prompt gets it
        self._sessions.note(request, ids_of(briefing), keeps=True)
        return {"prependContext": briefing.text}

    def _after_compaction(self, request: requests.AfterCompaction, _: Call) -> Mapping[str, Any]:
        self._sessions.reset(request, forget=False)
        self._sessions.put_off(request)
        return {}

    def _session_end(self, request: requests.SessionEnd, _: Call) -> Mapping[str, Any]:
        self._sessions.reset(request, forget=True)
        return {}

    def close(self, within: float) -> None:
        """Have what is kept written, if that takes no longer than ``within`` seconds."""
        self._sessions.close(within)
