"""Spans of OpenTelemetry, with ``openTelemetry`` on: one for each recall, below it one for each stage, with durations.

Spans are made behind the reply, from the times that the recall noted anyway. They say what happened, not what was
said: no prompt, note, path or error text leaves the machine unless ``openTelemetryContent`` is on as well, and the
secrets of prompts, blocks and errors not even then. A program that has set up its own tracer provider gets the spans there;
otherwise the standard ``OTEL_…`` variables say where to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookclaw_py import __version__
from hookclaw_py.errors import ConfigError
from hookclaw_py.errors.remedies import install_extra
from hookclaw_py.model.types import Outcome
from hookclaw_py.observe.counting import TOKEN_BYTES, reason_label
from hookclaw_py.privacy.redaction import redact

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer
    from opentelemetry.util.types import AttributeValue

    from hookclaw_py.observe.metrics import Answered

WHOLE = "recall"  # the stage that all others are in: the outer span stands for it


class RecallSpans:
    """Turns decisions into spans of ``provider``, or of the global one."""

    def __init__(self, *, agent: str, content: bool, provider: Any = None) -> None:
        from opentelemetry import context, trace

        self._agent, self._content = agent, content
        self._provider = provider or _global_provider()
        self._trace, self._current = trace, context.get_current
        self._tracer: Tracer = trace.get_tracer("hookclaw_py", __version__, self._provider)

    def context(self) -> Any:
        """Return the context of the thread that asked: its span becomes the parent."""
        return self._current()

    def show(self, decision: Answered) -> None:
        """Make the spans of one recall."""
        injection = decision.injection
        end = decision.ended_ns
        start = end - round(decision.elapsed_ms * 1e6)
        span = self._tracer.start_span(
            "hookclaw.recall", decision.context, start_time=start, attributes=self._attributes(decision)
        )
        if injection.outcome is Outcome.FAILED:
            span.set_status(self._trace.StatusCode.ERROR, redact(injection.reason) if self._content else "")
        errors = {fault.stage: fault.error for fault in injection.faults}
        inside = self._trace.set_span_in_context(span, decision.context)
        for stage, ms in injection.timings:
            if stage == WHOLE:
                continue
            began = start + round(decision.began.get(stage, 0.0) * 1e6)
            child = self._tracer.start_span(f"hookclaw.{stage.replace(' ', '_')}", inside, start_time=began)
            if stage in errors:
                child.set_status(self._trace.StatusCode.ERROR, redact(errors[stage]) if self._content else "")
            child.end(began + round(ms * 1e6))
        span.end(end)

    def close(self) -> None:
        """Send what waits."""
        flush = getattr(self._provider, "force_flush", None)
        if flush is not None:
            flush(2000)

    def _attributes(self, decision: Answered) -> dict[str, AttributeValue]:
        injection = decision.injection
        told: dict[str, AttributeValue] = {
            "hookclaw.agent": self._agent,
            "hookclaw.outcome": str(injection.outcome),
            "hookclaw.reason": reason_label(injection.why),
            "hookclaw.cache": injection.cached or "none",
            "hookclaw.chunks": len(injection.candidates),
            "hookclaw.tokens": round(len(injection.text.encode(errors="replace")) / TOKEN_BYTES),
            "hookclaw.faults": [fault.stage for fault in injection.faults],
        }
        return told | (_content(decision) if self._content else {})


def _content(decision: Answered) -> dict[str, AttributeValue]:
    prompt = decision.prompt
    said = {"prompt": prompt.text if prompt and not prompt.off_record else "", "block": decision.injection.text}
    return {f"hookclaw.{name}": redact(text).encode(errors="replace").decode() for name, text in said.items()}


def recall_spans(*, agent: str, content: bool) -> RecallSpans:
    """Return what shows an engine's recalls to OpenTelemetry.

    Raises:
        ConfigError: if the libraries are not installed.
    """
    try:
        return RecallSpans(agent=agent, content=content)
    except ImportError:
        raise ConfigError(
            [f"openTelemetry: needs more libraries; run `{install_extra('otel')}`, or turn it off"]
        ) from None


def _global_provider() -> Any:
    """Return the program's tracer provider; make one that sends where the ``OTEL_…`` variables say if there is none."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider

    found = trace.get_tracer_provider()
    if isinstance(found, TracerProvider):
        return found
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    made = TracerProvider(resource=Resource.create({"service.name": "hookclaw"}))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(made)
    return made
