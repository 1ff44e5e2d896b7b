"""A model that answers without thinking: an OpenAI-compatible server that keeps every request it gets.

``answers`` maps words of a prompt to what it says to them; to others it says what a model with a memory would: the first thing
that it was reminded of, or that it does not know.
"""

from __future__ import annotations

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

INTERNAL = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


class Request:
    """One request as it came: ``raw`` bytes, and what is in it."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.body: dict[str, Any] = json.loads(raw)

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Role and text of every message, in order."""
        return [(m["role"], text_of(m.get("content"))) for m in self.body["messages"]]

    @property
    def users(self) -> list[str]:
        """What the user said, oldest first, without the host's own trailing message."""
        return [text for role, text in self.messages if role == "user" and not text.lstrip().startswith(INTERNAL)]

    @property
    def has_result(self) -> bool:
        """Say whether a tool has answered since the user spoke last."""
        roles = [message.get("role") for message in self.body["messages"]]
        spoke = max((n for n, role in enumerate(roles) if role == "user" and not self._is_internal(n)), default=-1)
        return "tool" in roles[spoke + 1 :]

    def _is_internal(self, number: int) -> bool:
        return "OPENCLAW_INTERNAL_CONTEXT" in text_of(self.body["messages"][number].get("content"))

    @property
    def is_turn(self) -> bool:
        """Say whether an agent asked: summaries for a compaction offer the model no tools."""
        return bool(self.body.get("tools"))


class ModelServer:
    """Runs from ``with`` to its end; ``turns`` are the requests that agents made."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answers: dict[str, str] = {}
        self.calls: dict[str, tuple[str, dict[str, Any]]] = {}
        """By words of a prompt: the tool that is called before the answer, and with what."""
        server = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                server._answer(self, raw)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def url(self) -> str:
        """The base address that a gateway's provider needs."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def turns(self) -> list[Request]:
        """The agents' requests, oldest first."""
        return [request for request in self.requests if request.is_turn]

    def _answer(self, http: BaseHTTPRequestHandler, raw: bytes) -> None:
        request = Request(raw)
        self.requests.append(request)
        number = len(self.requests)
        asked = request.users[-1] if request.users else ""
        answer = next((said for words, said in self.answers.items() if words in asked), _from_memory(asked))
        common = {"id": f"chatcmpl-{number}", "created": int(time.time()), "model": request.body.get("model")}
        if not request.body.get("stream"):
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}
            body = json.dumps({**common, "object": "chat.completion", "usage": USAGE, "choices": [choice]}).encode()
            _send(http, "application/json", body)
            return
        told = f"{asked}\n{request.messages[-1][1]}"  # what woke the agent stands in the host's own message
        called = next((call for words, call in self.calls.items() if words in told), None)
        if called and request.is_turn and not request.has_result:
            function = {"name": called[0], "arguments": json.dumps(called[1])}
            calls = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
            deltas: list[dict[str, Any]] = [{"role": "assistant", "tool_calls": calls}, {}]
            reason = "tool_calls"
        else:
            deltas, reason = [{"role": "assistant", "content": answer}, {}], "stop"
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": None if delta else reason}]} for delta in deltas
        ]
        lines = [
            json.dumps({**common, "object": "chat.completion.chunk", **c})
            for c in [*chunks, {"choices": [], "usage": USAGE}]
        ]
        _send(http, "text/event-stream", "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode())


def _from_memory(prompt: str) -> str:
    block = prompt.partition("<relevant_memories>")[2].partition("</relevant_memories>")[0]
    return max(re.sub(r"<[^>]*>", "", block).splitlines(), key=len, default="").strip() or "I don't know."


def text_of(content: Any) -> str:
    """Return a message's text, written as a string or in parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [])


def _send(http: BaseHTTPRequestHandler, kind: str, body: bytes) -> None:
    http.send_response(200)
    http.send_header("content-type", kind)
    http.send_header("content-length", str(len(body)))
    http.end_headers()
    http.wfile.write(body)
