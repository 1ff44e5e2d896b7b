"""From request to answer: the same for every door. Which memories, for whom, in what time; what broke is in the answer."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from hookclaw_py import __version__
from hookclaw_py.doors import answers, protocol, requests
from hookclaw_py.doors.agents import Agents
from hookclaw_py.doors.call import Call
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.conversing import Conversing
from hookclaw_py.doors.messaging import Messaging
from hookclaw_py.doors.residents import Emit
from hookclaw_py.errors import ConfigError, StoreError
from hookclaw_py.model.audience import POLICIES, Audience
from hookclaw_py.model.types import Prompt
from hookclaw_py.workers import Workers

if TYPE_CHECKING:
    from hookclaw_py.capture.recorder import Receipt
    from hookclaw_py.engine import Engine


class Service:
    """Answers requests for all agents of a host. ``answer`` may be called from many threads at once.

    What conversations have been shown outlives the process in the file ``conversations``, where there is one.
    """

    def __init__(
        self, *, config_file: Path | None, emit: Emit, watching: bool, conversations: Path | None = None
    ) -> None:
        self._agents = Agents(config_file=config_file, emit=emit, watching=watching)
        self._lock = threading.Lock()
        self._workers = Workers("bridge")
        self.messaging = Messaging(self._agents.settings, tell=emit if watching else None)
        self._conversing = Conversing(
            self._agents, self.messaging, self._workers, kept=conversations, hurried=lambda: self.hurried
        )
        self.ask = self._agents.ask
        self._started, self._requests = monotonic(), 0
        self.pending = 0
        self.hurried = False
        self._verbs: Mapping[type[requests.Request], Callable[[Any, Call], Mapping[str, Any]]] = {
            requests.Configure: self._configure,
            requests.Reload: self._reload,
            requests.Capture: self._capture,
            requests.Health: self._health,
            requests.MetricsRequest: self._metrics,
            requests.Explain: self._explain,
            requests.ToolRequest: self._tool,
            requests.ChatCommand: self._chat_command,
            **self._conversing.verbs,
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
        counts = {"requests": self._requests, **self._conversing.counts}
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
        self._conversing.close(within)
        self.messaging.close(within)
        self._workers.close(0)
        return self._agents.close(within)
