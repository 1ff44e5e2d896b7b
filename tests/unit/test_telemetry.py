"""OpenTelemetry: a span for each recall and its stages, in the caller's trace, and nothing of what was said."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from hookclaw_py import Config, Engine
from hookclaw_py.errors import RetrievalError
from hookclaw_py.observe.telemetry import RecallSpans
from hookclaw_py.trace import Trace
from hookclaw_py.workers import Workers
from tests.conftest import chunk

SECRET = "The build fails with NETSDK1005 again, what was the fix?"
NOTE = "The build failed with NETSDK1005; the fix was to delete the obj folder."


class Traced:
    """An engine whose spans go into memory."""

    def __init__(self, *, content: bool) -> None:
        self.exporter, self.provider = InMemorySpanExporter(), TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.engine = Engine.in_memory(Config(enableVector=False, minScore=0.1), strict=False)
        self.engine.metrics._spans = RecallSpans(agent="main", content=content, provider=self.provider)
        self.engine.metrics._strict = True
        self.engine.store.replace_file("memory/2026-02-10.md", chunks=[chunk(NOTE)])
        self.engine.catch_up()

    def spans(self):
        self.engine.metrics.flush()
        return {span.name: span for span in self.exporter.get_finished_spans()}


@pytest.fixture(params=[False, True], ids=["plain", "content"])
def traced(request):
    traced = Traced(content=request.param)
    with traced.engine:
        yield traced


def test_a_recall_is_a_span_with_its_stages_inside_and_their_times(traced):
    injection = traced.engine.recall(SECRET, session="s")
    spans = traced.spans()
    whole = spans["hookclaw.recall"]
    assert whole.attributes["hookclaw.outcome"] == "injected"
    assert whole.attributes["hookclaw.reason"] == "relevant"
    assert whole.attributes["hookclaw.chunks"] == 1
    assert len(traced.exporter.get_finished_spans()) == len(injection.timings)  # "recall" is the whole
    for stage, ms in injection.timings:
        if stage == "recall":
            continue
        inside = [
            span
            for span in traced.exporter.get_finished_spans()
            if span.name == f"hookclaw.{stage.replace(' ', '_')}" and span.parent
        ]
        assert len(inside) == 1, stage
        (span,) = inside
        assert span.parent.span_id == whole.context.span_id
        assert (span.end_time - span.start_time) / 1e6 == pytest.approx(ms, abs=0.01)
        assert whole.start_time - 1e6 <= span.start_time <= span.end_time <= whole.end_time + 1e6, stage
    assert spans["hookclaw.fusion"].start_time > spans["hookclaw.gate"].start_time


def test_nothing_that_was_said_is_in_a_span_unless_it_is_wanted():
    for content in (False, True):
        traced = Traced(content=content)
        with traced.engine as engine:
            engine.recall(SECRET)

            def gone(*_):
                raise RetrievalError(f"cannot search for {SECRET}")

            engine._parts.indexes.lexical.search = gone
            engine.recall(SECRET + " Tell me more of that, and of the obj folder.")
            traced.spans()
            told = "".join(span.to_json() for span in traced.exporter.get_finished_spans())
            assert ("NETSDK1005" in told) == content
            assert ("obj folder" in told) == content


def test_a_prompt_off_the_record_is_in_no_span(traced):
    traced.engine.recall(f"off the record: zanzibarquokka. {SECRET}")
    assert traced.spans()
    assert "zanzibarquokka" not in "".join(span.to_json() for span in traced.exporter.get_finished_spans())


def test_secrets_in_prompts_and_errors_are_in_no_span(traced):
    def refused(*_):
        raise RetrievalError("https://jo:hunter22xyz@host/ refused us")

    traced.engine._parts.indexes.lexical.search = refused
    traced.engine.recall("Why is our password: hunter22xyz refused by the host?")
    assert traced.spans()
    assert "hunter22xyz" not in "".join(span.to_json() for span in traced.exporter.get_finished_spans())


def test_what_failed_is_an_error_in_its_span_and_in_the_whole(traced):
    def gone(*_):
        raise RetrievalError("the disk is gone")

    traced.engine._parts.indexes.lexical.search = gone
    traced.engine.recall(SECRET)
    spans = traced.spans()
    assert spans["hookclaw.bm25"].status.status_code is StatusCode.ERROR
    whole = next(span for span in traced.exporter.get_finished_spans() if not span.parent)
    assert whole.status.status_code is StatusCode.ERROR
    assert list(whole.attributes["hookclaw.faults"]) == ["bm25"]


def test_a_recall_belongs_to_the_span_of_whoever_asked(traced):
    with traced.provider.get_tracer("caller").start_as_current_span("turn") as turn:
        traced.engine.recall("ok")
    whole = next(span for span in traced.exporter.get_finished_spans() if span.name == "turn")
    traced.spans()
    recall = [span for span in traced.exporter.get_finished_spans() if span.name == "hookclaw.recall"]
    assert recall[0].parent.span_id == turn.get_span_context().span_id == whole.context.span_id


def test_stages_that_run_side_by_side_begin_together():
    trace = Trace(timeout_ms=5000, strict=True)
    legs = [("slow", lambda _: threading.Event().wait(0.02)), ("quick", lambda _: True)]
    trace.attempt_together(False, legs, Workers("test"))
    assert trace.began["quick"] == trace.began["slow"]


def test_with_open_telemetry_off_nothing_of_it_is_loaded():
    script = (
        "import sys\nfrom hookclaw_py import Config, Engine\n"
        "with Engine.in_memory(Config(enableVector=False)) as engine:\n    engine.recall('ok')\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_without_the_libraries_the_configuration_says_what_to_install():
    script = (
        "import sys\nsys.modules['opentelemetry'] = None\n"
        "from hookclaw_py import Config, Engine\nfrom hookclaw_py.errors import ConfigError\n"
        "try:\n    Engine.in_memory(Config(enableVector=False, openTelemetry=True))\n"
        "except ConfigError as error:\n    print(error)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "-m pip install 'opentelemetry-api>=" in out


class Collector(http.server.BaseHTTPRequestHandler):
    """Takes what an OTLP exporter sends."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((self.path, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_the_configuration_alone_sends_spans_to_a_collector():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    server.received = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    script = (
        "import os, sys\nos.environ['OTEL_EXPORTER_OTLP_ENDPOINT'] = sys.argv[1]\n"
        "from hookclaw_py import Config, Engine\n"
        "with Engine.in_memory(Config(enableVector=False, openTelemetry=True)) as engine:\n"
        f"    engine.recall({SECRET!r})\n"
    )
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        subprocess.run([sys.executable, "-c", script, address], capture_output=True, text=True, check=True)
    finally:
        server.shutdown()
        server.server_close()
    sent = b"".join(body for path, body in server.received if path == "/v1/traces")
    assert b"hookclaw.recall" in sent
    assert b"hookclaw.bm25" in sent
    assert b"NETSDK1005" not in sent


def test_a_tracing_system_that_breaks_costs_its_spans_and_no_number(traced, caplog):
    def broken(*_, **__):
        raise RuntimeError("the collector is gone")

    traced.engine.metrics._spans._tracer.start_span = broken
    traced.engine.recall("ok")
    traced.engine.recall("ok")
    assert sum(traced.engine.metrics.totals().values()) >= 4
    assert "stage spans failed: the collector is gone" in caplog.text
