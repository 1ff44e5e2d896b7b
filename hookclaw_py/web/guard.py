"""Guard: what is turned away before anything is looked at: foreign hosts and pages, and more than one person would ask.

A browser on this machine shows pages of strangers, too. None of them gets through: they cannot know the token, a name that
is made to point here (DNS rebinding) is not in ``hosts``, and what a page of another origin sends says so. There is no
cookie, so nothing goes along by itself.
"""

from __future__ import annotations

import json
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_A_SECOND = 100
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Passes on what this machine's owner may have asked."""

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str], open_paths: frozenset[str]) -> None:
        """``hosts`` are the names under which this door is known; ``open_paths`` may be reached by a link from elsewhere."""
        self._app, self._hosts, self._open = app, hosts, open_paths
        self._recent: deque[float] = deque()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return
        refused = self._refused(scope)
        if refused is not None:
            await _refuse(send, scope, *refused)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _ in message["headers"]}
                added = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in known]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        await self._app(scope, receive, sending)

    def _refused(self, scope: Scope) -> tuple[int, str, str, str] | None:
        """Return status, code, what is wrong and what to do; None if nothing is."""
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        given = {name: value.decode("latin-1") for name, value in headers}
        hosts = [value.decode("latin-1").lower() for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 403, "FORBIDDEN", "the Host is not this door's", f"ask {sorted(self._hosts)[0]}"
        origin, site = given.get(b"origin"), given.get(b"sec-fetch-site")
        if origin is not None and origin.lower() != f"http://{hosts[0]}":
            return 403, "FORBIDDEN", "another page's request is not answered", "open this door's own page"
        if site not in (None, "same-origin", "none") and not (scope["method"] == "GET" and scope["path"] in self._open):
            return 403, "FORBIDDEN", "another page's request is not answered", "open this door's own page"
        now = monotonic()
        while self._recent and self._recent[0] < now - 1:
            self._recent.popleft()
        if len(self._recent) >= MOST_A_SECOND:
            return 429, "RATE_LIMITED", f"more than {MOST_A_SECOND} requests in a second", "ask again in a second"
        self._recent.append(now)
        return None


async def _refuse(send: Send, scope: Scope, status: int, code: str, error: str, todo: str) -> None:
    body = json.dumps({"error": error, "code": code, "where": f"{scope['method']} {scope['path']}", "todo": todo})
    headers = {"content-type": "application/json", "connection": "close", **HEADERS}
    if status == 429:
        headers["retry-after"] = "1"
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body.encode()})
