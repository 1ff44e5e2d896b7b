"""A model that says what it is told to say: a real HTTP server with OpenAI's ``/v1/chat/completions``."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple, Self

from tests.served import WebServer

TOKENS = 120
NOTHING = '{"facts": [], "competence": [], "corrections": []}'


class Question(NamedTuple):
    """A request as it came."""

    body: dict[str, Any]
    key: str | None

    @property
    def system(self) -> str:
        return self.body["messages"][0]["content"]

    @property
    def user(self) -> str:
        return self.body["messages"][1]["content"]

    @property
    def of_step(self) -> bool:
        """Whether it is about a step, and not about what was said."""
        return "<c-mem-compress>" in self.user


class ChatModel:
    """Runs from ``with`` to its end; ``says`` gives the answer, or a status other than 200.

    While ``held`` is clear nobody gets one, but for the first so many that ``lets`` says.
    """

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.says: Callable[[Question], str | int] = lambda _: NOTHING
        self.held = threading.Event()
        self.held.set()
        self.lets = 0
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                question = Question(
                    json.loads(self.rfile.read(int(self.headers["Content-Length"]))), self.headers["Authorization"]
                )
                assert self.path == "/v1/chat/completions"
                model.questions.append(question)
                if len(model.questions) > model.lets:
                    model.held.wait(60)
                said = model.says(question)
                status, told = (200, said) if isinstance(said, str) else (said, f"no, not with {question.key}")
                body = json.dumps(
                    {
                        "choices": [{"index": 0, "message": {"role": "assistant", "content": told}}],
                        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": TOKENS},
                    }
                ).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._http = WebServer(Handler)
        self.url = self._http.url

    def __enter__(self) -> Self:
        self._http.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.held.set()
        self._http.stop()
