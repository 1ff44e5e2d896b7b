"""The application: every route of the table, the stream, the page, its health; each request's agent is the one its token names."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as Path_

from hookclaw_py import __version__
from hookclaw_py.config import home
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.protocol import filled
from hookclaw_py.doors.service import Service
from hookclaw_py.doors.shapes import camel
from hookclaw_py.engine import Engine
from hookclaw_py.errors import HookclawError, RevisionError
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.trace import Trace
from hookclaw_py.web import body, feed
from hookclaw_py.web.desk import Desk, NotThere, Unfit, WebReply
from hookclaw_py.web.guard import Guard
from hookclaw_py.web.routes import ROUTES, Route, described
from hookclaw_py.web.tokens import agent_of

log = logging.getLogger("hookclaw")

MOST_STREAMS = 32
PING_SECONDS = 30.0
_LOOK_SECONDS = 0.4
_AT_ONCE = 8  # requests that the engine is asked at a time
_PAGE = Path(__file__).parent / "page"
_TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_TODO = {
    400: "see GET /openapi.json for what may be given",
    401: "send the token of `hookclaw viewer --token` as Authorization: Bearer TOKEN",
    404: "see GET /openapi.json for the routes",
    405: "see GET /openapi.json for the routes",
    408: "send the body at once",
    409: "look at it as it is now, and ask again",
    413: f"send at most {body.MAX_BODY} bytes",
    415: "send Content-Type: application/json",
    429: "close another stream first",
    500: "see `hookclaw worker logs`",
    503: "ask again in a moment; `hookclaw doctor` says what is wrong if it lasts",
}


class Doorway:
    """What all requests share: the service, the streams that are open, and whether the process is ending."""

    def __init__(self, service: Service, *, port: int) -> None:
        self.service, self.port = service, port
        self.ending = False
        self._began = monotonic()
        self._busy = asyncio.Semaphore(_AT_ONCE)
        self._feeds: dict[str, feed.Feed] = {}
        self._watched: dict[str, asyncio.Task[None]] = {}
        self._beginning: dict[str, asyncio.Lock] = {}
        self._streams: dict[str, int] = {}

    async def asked(self, agent: str, question: Callable[[Engine], Any]) -> Any:
        """Ask an agent's engine on a thread."""
        async with self._busy:
            return await asyncio.to_thread(self.service.ask, agent, question)

    async def answer(self, route: Route, request: Request) -> Response:
        """Serve one route of the table."""
        agent = _agent(request)
        given = await _given(route, request)
        wanted = filled(route.shape, given)

        def question(engine: Engine) -> Any:
            folder = agent_folder(home(), agent)
            return route.answer(Desk(agent, engine, self.service, folder, datetime.now(UTC)), wanted)

        found = await self.asked(agent, question)
        reply = found if isinstance(found, WebReply) else WebReply(found)
        if isinstance(reply.body, str):
            return Response(reply.body, status_code=reply.status, headers=reply.headers)
        return Response(body.encoded(reply.body), reply.status, reply.headers, "application/json")

    async def health(self, _: Request) -> Response:
        """Say that the process is there; of memories nothing."""
        told = {
            "status": "stopping" if self.ending else "ok",
            "version": __version__,
            "uptime": round(monotonic() - self._began, 1),
            "port": self.port,
            "pid": os.getpid(),
        }
        return Response(body.encoded(told), 503 if self.ending else 200, media_type="application/json")

    async def stream(self, request: Request) -> Response:
        """Serve live events of the token's agent."""
        agent = _agent(request)
        last = request.headers.get("last-event-id", "")
        if last and not (last.isdecimal() and len(last) <= 20):
            raise Unfit("Last-Event-ID must be the id of an event")
        if sum(self._streams.values()) >= MOST_STREAMS:
            raise HTTPException(429, f"{MOST_STREAMS} streams are open already", {"retry-after": "5"})
        self._streams[agent] = self._streams.get(agent, 0) + 1
        try:
            found = await self._feed(agent, int(last or 0))
        except BaseException:  # who goes away meanwhile, too; it goes on
            self._streams[agent] -= 1
            raise
        return StreamingResponse(
            self._lines(agent, found, int(last) if last else found.newest), media_type="text/event-stream"
        )

    async def _feed(self, agent: str, since: int) -> feed.Feed:
        """Return the agent's feed, looked at from now on by one task, however many streams begin at once."""
        found = self._feeds.setdefault(agent, feed.Feed())
        async with self._beginning.setdefault(agent, asyncio.Lock()):
            task = self._watched.get(agent)
            if task is None or task.done():
                await self.asked(agent, lambda engine: found.look(engine.store, since=since))
                self._watched[agent] = asyncio.create_task(self._watch(agent, found))
        return found

    async def _watch(self, agent: str, found: feed.Feed) -> None:
        """Look at the store while anybody listens; what fails is told in the log and tried again."""
        while self._streams.get(agent) and not self.ending:
            trace = Trace(timeout_ms=0, strict=False)
            await asyncio.to_thread(
                trace.attempt, "feed", None, self.service.ask, agent, lambda engine: found.look(engine.store)
            )
            await asyncio.sleep(_LOOK_SECONDS if not trace.faults else 5.0)

    async def _lines(self, agent: str, found: feed.Feed, after: int) -> AsyncIterator[str]:
        told = monotonic()
        try:
            yield f"retry: 2000\nid: {after}\nevent: hello\ndata: {{}}\n\n"
            while not self.ending:
                for event in found.after(after):
                    after, told = event.number, monotonic()
                    for line in feed.lines(event):
                        yield line
                if monotonic() - told >= PING_SECONDS:
                    told = monotonic()
                    yield "event: ping\ndata: {}\n\n"
                await asyncio.sleep(_LOOK_SECONDS / 2)
        finally:
            self._streams[agent] -= 1


def _agent(request: Request) -> str:
    """Return the agent of the request's token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    agent = agent_of(token.strip()) if scheme.lower() == "bearer" else ""
    if not agent:
        raise HTTPException(401, "no token, or a wrong one", {"www-authenticate": "Bearer"})
    return agent


async def _given(route: Route, request: Request) -> Mapping[str, Any]:
    """Return what is given by a request, by the wire's names."""
    given: dict[str, Any] = {}
    if route.method == "POST":
        given |= await body.read_json(request)
    else:
        several = {camel(f.name) for f in fields(route.shape) if str(f.type) in ("KindNames", "Names")}
        for name in dict.fromkeys(request.query_params.keys()):
            values, wire = request.query_params.getlist(name), camel(name)
            given[wire] = values if wire in several else values[-1]
    if clash := given.keys() & request.path_params.keys():
        raise Unfit(f"{min(clash)} stands in the path")
    return given | request.path_params


async def _page(request: Request) -> Response:
    """Serve the viewer, a handful of files."""
    name = request.path_params.get("file") or "index.html"
    file = _PAGE / name
    if name not in {one.name for one in _PAGE.iterdir()} or file.suffix not in _TYPES:
        raise HTTPException(404, f"there is no {name!r}")
    headers = {"cache-control": "no-cache"}
    return Response(await asyncio.to_thread(file.read_bytes), 200, headers, _TYPES[file.suffix])


async def _document(_: Request) -> Response:
    return Response(body.encoded(described()), media_type="application/json")


_STATUS: tuple[tuple[type[Exception], int, str], ...] = (
    (NotThere, 404, "NOT_FOUND"),
    (Unfit, 400, "INVALID_PARAMS"),
    (body.NoJSON, 400, "PARSE_ERROR"),
    (body.WrongType, 415, "INVALID_PARAMS"),
    (body.TooLarge, 413, "INVALID_PARAMS"),
    (body.TooSlow, 408, "INVALID_PARAMS"),
    (RevisionError, 409, "CONFLICT"),
)
_SAID = {413: "the body is too large", 408: "the body did not arrive in time", 415: "the body is not declared as JSON"}


async def _wrong(request: Request, error: Exception) -> Response:
    """Return an error: what is wrong, where, and what to do."""
    headers: dict[str, str] = {}
    if isinstance(error, HTTPException):
        status, code, headers = (
            error.status_code,
            _CODES.get(error.status_code, "INTERNAL_ERROR"),
            dict(error.headers or {}),
        )
        said = error.detail
    elif isinstance(error, WireError):
        status = 400 if error.code is Code.INVALID_PARAMS else 503
        code, said = ("INVALID_PARAMS" if status == 400 else "UNAVAILABLE"), str(error)
    else:
        status, code = next(((s, c) for kind, s, c in _STATUS if isinstance(error, kind)), (503, "UNAVAILABLE"))
        said = _SAID.get(status) or str(error)
    if status in (413, 408):
        headers["connection"] = "close"
    told = {
        "error": said,
        "code": code,
        "where": f"{request.method} {request.url.path}",
        "todo": _TODO.get(status, _TODO[500]),
    }
    return Response(body.encoded(told), status, headers, "application/json")


async def _bug(request: Request, error: Exception) -> Response:
    log.error("hookclaw: %s %s failed", request.method, request.url.path, exc_info=error)
    said = {
        "error": "a bug of ours",
        "code": "INTERNAL_ERROR",
        "where": f"{request.method} {request.url.path}",
        "todo": _TODO[500],
    }
    return Response(body.encoded(said), 500, media_type="application/json")


_CODES = {401: "UNAUTHORIZED", 404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 429: "RATE_LIMITED"}

Endpoint = Callable[[Request], Awaitable[Response]]


def application(door: Doorway, *, hosts: frozenset[str]) -> Guard:
    """Return the application, known under these ``hosts``."""
    routes = [
        Path_("/health", door.health),
        Path_("/openapi.json", _document),
        Path_("/stream", door.stream),
        *(Path_(route.path, _endpoint(door, route), methods=[route.method]) for route in ROUTES),
        Path_("/", _page),
        Path_("/page/{file}", _page),
    ]
    kinds = (HookclawError, HTTPException, *(kind for kind, _, _ in _STATUS))
    app = Starlette(routes=routes, exception_handlers={**dict.fromkeys(kinds, _wrong), Exception: _bug})
    return Guard(app, hosts=hosts, open_paths=frozenset({"/"}))


def _endpoint(door: Doorway, route: Route) -> Endpoint:
    return partial(door.answer, route)
