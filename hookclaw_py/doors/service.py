"""From request to answer: the same for every door. Which memories, for whom, in what time; what broke is in the answer."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from hookclaw_py import __version__
from hookclaw_py.doors import answers, context, protocol, requests
from hookclaw_py.doors.agents import Agents
from hookclaw_py.doors.call import WAY_BACK, Call, failed, left_ms, missed
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.messaging import NOTHING, Messaging, Notice
from hookclaw_py.doors.residents import Emit, NotReady
from hookclaw_py.doors.sessions import Sessions, name_of
from hookclaw_py.errors import ConfigError, StoreError
from hookclaw_py.model.audience import POLICIES, Audience
from hookclaw_py.model.reason import Reason
from hookclaw_py.model.types import Injection, Message, Outcome, Prompt
from hookclaw_py.stages.briefing import NO_BRIEFING, Briefing, ids_of
from hookclaw_py.trace import Trace
from hookclaw_py.workers import Workers

if TYPE_CHECKING:
    from hookclaw_py.capture.recorder import Receipt
    from hookclaw_py.engine import Engine

T = TypeVar("T")

_BRIEFING = 0.5  # seconds that a conversation's beginning waits for it at most
_NOTICE = 0.1  # seconds that a prompt waits to hear of messages at most


class Service:
    """Answers requests for all agents of a host. ``answer`` may be called from many threads at once.

    What conversations have been shown outlives the process in the file ``conversations``, where there is one.
    """

    def __init__(
        self, *, config_file: Path | None, emit: Emit, watching: bool, conversations: Path | None = None
    ) -> None:
        self._agents = Agents(config_file=config_file, emit=emit, watching=watching)
        self._lock = threading.Lock()
        self._sessions = Sessions(conversations)
        self._workers = Workers("bridge")
        self.messaging = Messaging(self._agents.settings, tell=emit if watching else None)
        self._started, self._requests, self._prompts, self._reached = monotonic(), 0, 0, 0
        self.pending = 0
        self.hurried = False
        self._verbs: Mapping[type[requests.Request], Callable[[Any, Call], Mapping[str, Any]]] = {
            requests.Configure: self._configure,
            requests.Reload: self._reload,
            requests.BeforeAgentStart: self._before_agent_start,
            requests.AgentEnd: self._agent_end,
            requests.SessionStart: self._session_start,
            requests.SessionEnd: self._session_end,
            requests.AfterCompaction: self._after_compaction,
            requests.Capture: self._capture,
            requests.Health: self._health,
            requests.MetricsRequest: self._metrics,
            requests.Explain: self._explain,
            requests.ToolRequest: self._tool,
            requests.ChatCommand: self._chat_command,
            **self.messaging.verbs,
        }

    def answer(self, call: Call) -> Mapping[str, Any]:
        """Return the result of a request.

        Raises:
            WireError: if it cannot be served.
        """
        with self._lock:
            self._requests += 1
        if isinstance(call.request, requests.Who):
            self.messaging.heard(call.request)
        verb = self._verbs.get(type(call.request))
        return verb(call.request, call) if verb else {}

    def warm(self) -> None:
        """Load the libraries in the background, so that the first prompt finds them there."""
        self._agents.warm()

    # Configuration

    def _configure(self, request: requests.Configure, _: Call) -> Mapping[str, Any]:
        return self._reloaded(request.config)

    def _reload(self, _: requests.Reload, __: Call) -> Mapping[str, Any]:
        return self._reloaded(None)

    def _reloaded(self, given: Mapping[str, Any] | None) -> Mapping[str, Any]:
        try:
            return {"fingerprint": self._agents.configure(given).fingerprint}
        except ConfigError as error:
            raise WireError(Code.INVALID_PARAMS, str(error)) from None

    # Prompts

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
        if not self.messaging.is_spoken(request) or missed(request, call) or trace.deadline.cancelled:
            return NOTHING
        left = min(_NOTICE, trace.deadline.remaining() - WAY_BACK)
        ask = partial(self.messaging.notice, request.agent_id)
        notice = trace.attempt_in_time("messages", NOTHING, ask, self._workers, at_most=left, finish=True)
        notice = NOTHING if missed(request, call) else notice
        self.messaging.note(request, notice)
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
            trace.attempt("take back", None, self.ask, agent_id, lambda engine: engine.unshow(injection_id))

        if wait:
            take_back()
        else:
            trace.attempt("take back", None, lambda: self._workers.leave(self._workers.start("take back", take_back)))

    def _recall(self, request: requests.BeforeAgentStart, call: Call, trace: Trace) -> Injection:
        late = missed(request, call)
        if late or self.hurried:
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
        self.messaging.turn_ended(request, success=request.success)
        given = self._sessions.settle(request)
        if not given and not request.run_id:  # with its name even a turn that ends late finds what it was given
            return {"cited": {}, "kinds": {}}
        answer = conversation.answer_of(request.messages)
        kinds = self.ask(
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

    def ask(self, agent_id: str, question: Callable[[Engine], T], workspace: str = "") -> T:
        """Ask an agent's engine.

        Raises:
            WireError: if it cannot be asked now.
        """
        try:
            with self._agents.resident(agent_id).using(workspace, timeout=None) as engine:
                return question(engine)
        except NotReady as error:
            raise WireError(Code.INTERNAL_ERROR, str(error)) from None

    # Conversations

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

    # What happens

    def _capture(self, request: requests.Capture, _: Call) -> Mapping[str, Any]:
        from hookclaw_py.capture import reports

        now = datetime.now(UTC)
        read = [reports.read(told, host=request.host, now=now) for told in request.reports]
        sound = [report for report in read if isinstance(report, reports.Report)]

        def record(engine: Engine) -> Sequence[Receipt]:
            if request.lost > 0:
                engine.capturing.lost(request.lost)
            return engine.capturing.record(sound, at=now)

        receipts = iter(self.ask(request.agent_id, record))
        self._agents.resident(request.agent_id).work_off_soon()
        return {
            "receipts": [
                answers.receipt(next(receipts)) if isinstance(one, reports.Report) else answers.unreadable(one)
                for one in read
            ]
        }

    # What an agent asks for by itself

    def _tool(self, request: requests.ToolRequest, _: Call) -> Mapping[str, Any]:
        from hookclaw_py.doors.tools import serving

        call = request.call
        return self.ask(
            call.agent_id, lambda engine: serving.serve(engine, request, self.messaging), call.workspace_dir
        )

    def _chat_command(self, request: requests.ChatCommand, _: Call) -> Mapping[str, Any]:
        from hookclaw_py.doors.tools import serving

        return self.ask(request.agent_id, lambda engine: serving.obey(engine, request))

    # Looking in

    def _metrics(self, request: requests.MetricsRequest, _: Call) -> Mapping[str, Any]:
        asked = {name: one for name, one in self._agents.residents().items() if request.agent_id in ("", name)}
        counted = {name: resident.metrics(self.messaging.counts) for name, resident in asked.items()}
        agents = {name: numbers for name, numbers in counted.items() if numbers is not None}
        with self._lock:
            unreached = max(0, self._prompts - self._reached)  # no engine counts them: it was not open, or time was up
            counts = {"requests": self._requests, "prompts": self._prompts, "unreached": unreached}
        return {"agents": agents, **counts, "uptimeMs": self._uptime_ms()}

    def _health(self, _: requests.Health, __: Call) -> Mapping[str, Any]:
        return {
            "version": __version__,
            "protocol": protocol.VERSION,
            "pid": os.getpid(),
            "uptimeMs": self._uptime_ms(),
            "pending": self.pending,
            "configured": self._agents.configured,
            "problems": [*self._agents.problems, *self._hanging(), *self.messaging.problems],
            "agents": [resident.health() for resident in self._agents.residents().values()],
        }

    def _hanging(self) -> list[str]:
        left = self._workers.left_behind
        return [f"{number} x {kind}: hangs in the system and was left behind" for kind, number in left.items()]

    def _explain(self, request: requests.Explain, _: Call) -> Mapping[str, Any]:
        if bool(request.prompt) == bool(request.injection_id):
            raise WireError(Code.INVALID_PARAMS, "explain: give either prompt or injectionId")
        if request.prompt:
            prompt = Prompt(
                request.prompt, datetime.now(UTC), agent_id=request.agent_id, audience=Audience.named(request.audience)
            )
            injection = self.ask(
                request.agent_id, lambda engine: engine.recall(prompt, record=False), request.workspace_dir
            )
            return answers.explanation(injection)
        if not POLICIES[Audience.named(request.audience)].hears_everything:
            raise WireError(
                Code.INVALID_PARAMS,
                'explain: injectionId: past decisions are for the owner alone; give audience: "owner"',
            )
        try:
            return answers.explanation(self.ask(request.agent_id, lambda engine: engine.decided(request.injection_id)))
        except StoreError as error:
            raise WireError(Code.INVALID_PARAMS, f"explain: injectionId: {error}") from None

    def _uptime_ms(self) -> int:
        return round((monotonic() - self._started) * 1000)

    # The end

    def close(self, within: float) -> bool:
        """Close every engine in ``within`` seconds; False if one is still busy then."""
        self._sessions.close(within)
        self.messaging.close(within)
        self._workers.close(0)
        return self._agents.close(within)
