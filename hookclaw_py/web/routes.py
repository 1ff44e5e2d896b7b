"""The table of routes: each one's method, path, what is asked, what answers. The server, the OpenAPI page and the tests read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

from hookclaw_py.web import asked, changing, reading, telling
from hookclaw_py.web.desk import Desk

Answer = Callable[[Desk, Any], Any]


class Route(NamedTuple):
    """One route. ``gives`` names what its answer has."""

    method: str
    path: str
    shape: type[asked.WebRequest]
    answer: Answer
    gives: str

    @property
    def in_path(self) -> tuple[str, ...]:
        """The fields that stand in the path."""
        return tuple(re.findall(r"\{(\w+)(?::path)?\}", self.path))

    @property
    def name(self) -> str:
        """The operation's name in the OpenAPI page."""
        return self.answer.__name__


ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/prompts", asked.ListPrompts, reading.prompts, "prompts, total, hasMore"),
    Route("GET", "/api/prompt/{id}", asked.ShowPrompt, reading.prompt, "the decision with its candidates"),
    Route("POST", "/api/prompt/{id}/verdict", asked.JudgePrompt, changing.judge, "success, changed"),
    Route("POST", "/api/explain", asked.ExplainPrompt, reading.explained, "outcome, reason, candidates, rejected"),
    Route("GET", "/api/observations", asked.ListOfAKind, reading.observations, "observations, total, hasMore"),
    Route("POST", "/api/observations/batch", asked.ShowRecords, reading.some_records, "an array of records"),
    Route("GET", "/api/observation/{id}", asked.ShowRecord, reading.record, "the record with its history"),
    Route("DELETE", "/api/observation/{id}", asked.ForgetMemory, changing.forget, "success, forgotten"),
    Route("GET", "/api/summaries", asked.ListOfAKind, reading.summaries, "summaries, total, hasMore"),
    Route("GET", "/api/records", asked.ListRecords, reading.record_list, "records, total, hasMore"),
    Route("GET", "/api/record/{id}", asked.ShowRecord, reading.record, "the record with its history and links"),
    Route("POST", "/api/record/{id}/correct", asked.CorrectRecord, changing.correct, "success, changed, before"),
    Route("POST", "/api/record/{id}/retract", asked.RetractRecord, changing.retract, "success, changed, before"),
    Route("GET", "/api/memory/{id}", asked.ShowMemory, reading.memory, "the memory with its wordings"),
    Route("POST", "/api/memory/{id}/mark", asked.MarkMemory, changing.mark, "success, changed, mark, before"),
    Route(
        "DELETE",
        "/api/memory/{id}",
        asked.ForgetMemory,
        changing.forget,
        "success, forgotten, stillInNote, saidToo, alike",
    ),
    Route("GET", "/api/marks", asked.ShowMarks, reading.marks, "marks, forgotten"),
    Route("GET", "/api/review", asked.ShowReview, reading.review, "held"),
    Route("POST", "/api/review", asked.TrustSource, changing.trust, "success, changed, trusted"),
    Route("GET", "/api/session/{session:path}", asked.ShowSession, reading.session, "the session"),
    Route("GET", "/api/search", asked.FindPassages, reading.search, "results, total, hasMore"),
    Route("GET", "/api/timeline", asked.ShowTimeline, reading.timeline, "anchor, observations"),
    Route("GET", "/api/stats", asked.ShowStats, reading.stats, "byProject, total, byKind, figures, impact"),
    Route("GET", "/api/projects", asked.ShowProjects, reading.projects, "projects"),
    Route("GET", "/api/context/inject", asked.ShowBriefing, reading.briefing, "text/markdown"),
    Route("GET", "/api/settings", asked.ShowSettings, changing.settings, "theme, sidebarOpen, selectedProject"),
    Route("POST", "/api/settings", asked.ChangeSettings, changing.change_settings, "success"),
    Route("GET", "/api/checks", asked.ShowChecks, reading.checks, "checks"),
    Route("GET", "/api/pending-queue", asked.ShowQueue, reading.queue, "pending, processing, failed, stuck, recent"),
    Route("POST", "/api/pending-queue/process", asked.ProcessQueue, changing.process, "success, sessionsStarted"),
    Route("POST", "/sessions/{session:path}/init", asked.BeginPrompt, telling.begin, "success, prompt_number, skipped"),
    Route("POST", "/sessions/{session:path}/observations", asked.TellToolCall, telling.tool_call, "queued, queue_id"),
    Route("POST", "/sessions/{session:path}/summarize", asked.TellAnswer, telling.answer, "summary_queued"),
    Route("POST", "/sessions/{session:path}/complete", asked.EndSession, telling.end, "completed"),
    Route("GET", "/sessions/{session:path}/status", asked.ShowSession, reading.session, "session_id, status, counts"),
)


def described() -> dict[str, Any]:
    """Return the OpenAPI document of these routes."""
    from hookclaw_py import __version__

    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        path = route.path.replace(":path}", "}")
        paths.setdefault(path, {})[route.method.lower()] = _operation(route)
    stream = {"summary": "Live events", "description": "Server-sent events; Last-Event-ID replays what was missed.",
              "operationId": "stream", "responses": {"200": {"description": "text/event-stream"}, **_ERRORS}}  # fmt: skip
    paths["/stream"] = {"get": stream}
    paths["/health"] = {
        "get": {"summary": "Health", "operationId": "health", "security": [], "responses": {"200": {"description": "status, version, uptime"}}}
    }  # fmt: skip
    return {
        "openapi": "3.1.0",
        "info": {"title": "hookclaw_py", "version": __version__, "description": "One agent's memory, on this machine."},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "names the agent"}},
            "schemas": {"Error": _ERROR},
        },
    }


_ERROR = {
    "type": "object",
    "required": ["error", "code", "where", "todo"],
    "properties": {
        "error": {"type": "string", "description": "what is wrong"},
        "code": {"type": "string"},
        "where": {"type": "string", "description": "the route"},
        "todo": {"type": "string", "description": "what to do about it"},
    },
}
_ERRORS = {
    code: {
        "description": words,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
    for code, words in {
        "400": "something given makes no sense",
        "401": "no token, or a wrong one",
        "403": "a foreign Host or Origin",
        "404": "there is no such thing",
        "429": "too many requests, or streams",
        "503": "the memory cannot be asked now",
    }.items()
}


def _operation(route: Route) -> dict[str, Any]:
    from hookclaw_py.doors.shapes import camel, checked

    schema = checked(route.shape).model_json_schema()
    properties = schema["properties"] if fields(route.shape) else {}
    required = set(schema.get("required", ()))
    in_path = {camel(name) for name in route.in_path}
    in_body = route.method == "POST"
    parameters = [
        {"name": name, "in": "path" if name in in_path else "query", "required": name in required, "schema": given}
        for name, given in properties.items()
        if name in in_path or not in_body
    ]
    told: dict[str, Any] = {
        "summary": (route.shape.__doc__ or "").strip().partition("\n")[0],
        "operationId": f"{route.method.lower()} {route.path}",
        "parameters": parameters,
        "responses": {"200": {"description": route.gives}, **_ERRORS},
    }
    if in_body:
        body = {name: given for name, given in properties.items() if name not in in_path}
        of = {"type": "object", "properties": body, "additionalProperties": False}
        if needed := sorted(required - in_path):
            of["required"] = needed
        told["requestBody"] = {"required": bool(needed), "content": {"application/json": {"schema": of}}}
    return told
