"""The third embedder: any server with OpenAI's ``/v1/embeddings`` (Ollama, llama.cpp, vLLM, …)."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import orjson
from pybreaker import STATE_CLOSED, CircuitBreaker, CircuitBreakerError

from hookclaw_py.endpoint import ABOUT_THE_TEXT, Endpoint, Unanswered
from hookclaw_py.errors import EmbeddingError, IndexClosedError
from hookclaw_py.model.vectors import Vector
from hookclaw_py.search.embedders import encodable, unit
from hookclaw_py.trace import Deadline

_INDEXING_TIMEOUT_MS = 10_000
_HURRIED_MS = 250


class _TextRefused(EmbeddingError):
    """The server is well but does not embed this text."""


class OpenAIEmbedder:
    """Asks a server for each vector.

    After ``failures_allowed`` failures in a row the server is left alone for ``reset_after_s`` seconds, then tried again with
    one request.
    """

    def __init__(self, url: str, model: str, *, api_key: str, failures_allowed: int, reset_after_s: float) -> None:
        """Prepare to ask the server at ``url`` (up to and with ``/v1``) for ``model``; nothing is sent yet.

        Raises:
            ModelError: if ``url`` is not an http address, or ``api_key`` nothing that a header can carry.
        """
        endpoint = Endpoint(url, "embeddings", api_key=api_key, section="embedder")
        self.model_id = f"openai:{model}@{endpoint.server}"
        self._endpoint: Endpoint | None = endpoint
        self._name = endpoint.name
        self._model = model
        self._dimension = 0
        self._learning = threading.Lock()
        self._last_error = ""
        self._reset_after_s = reset_after_s
        self._breaker = CircuitBreaker(
            fail_max=failures_allowed,
            reset_timeout=reset_after_s,
            exclude=[_TextRefused],
            throw_new_error_on_trip=False,
        )

    @property
    def dimension(self) -> int:
        """The length of the server's vectors, learned from its first reply; asks for one when there was none yet."""
        if not self._dimension:
            self.embed("dimension")
        return self._dimension

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:
        """Return the text's unit vector; see ``Embedder``. Without a deadline the server has 10 seconds."""
        endpoint = self._endpoint
        if endpoint is None:
            raise IndexClosedError(f"embedder {self.model_id} was used after close()")
        deadline = deadline or Deadline(_INDEXING_TIMEOUT_MS)
        if deadline.remaining() == 0:
            raise EmbeddingError(f"{self._name}: no time left before the deadline")
        hurried = deadline.remaining() * 1000 < _HURRIED_MS  # that it fails then says nothing of the server
        try:
            if hurried and self._breaker.current_state == STATE_CLOSED:
                return self._ask(endpoint, encodable(text) or " ", deadline)
            with self._breaker.calling():  # holds no lock while the server works
                vector = self._ask(endpoint, encodable(text) or " ", deadline)  # servers refuse an empty input
        except CircuitBreakerError:
            raise EmbeddingError(
                f"{self._name}: circuit open after {self._breaker.fail_max} failures, next attempt within "
                f"{self._reset_after_s:g} s; last failure: {self._last_error}"
            ) from None
        except EmbeddingError as error:
            self._last_error = str(error)
            raise
        return vector

    def close(self) -> None:
        """Close the connections; a second time does nothing."""
        endpoint, self._endpoint = self._endpoint, None
        if endpoint is not None:
            endpoint.close()

    def _ask(self, endpoint: Endpoint, text: str, deadline: Deadline) -> Vector:
        body = orjson.dumps({"model": self._model, "input": text})
        try:
            reply = endpoint.post(body, remaining=deadline.remaining, about=f"model {self._model!r}")
        except Unanswered as error:
            kind = _TextRefused if error.status in ABOUT_THE_TEXT else EmbeddingError
            raise kind(str(error)) from error
        return self._vector(reply, endpoint)

    def _vector(self, reply: bytes, endpoint: Endpoint) -> Vector:
        values = _embedding(reply)
        if values is None:
            raise EmbeddingError(
                f"{self._name}: the reply is not JSON with data[0].embedding, a list of numbers: "
                f"{endpoint.quoted(reply, 80)!r}"
            )
        vector = unit(values, self._name)
        with self._learning:
            self._dimension = self._dimension or len(vector)
        if len(vector) != self._dimension:
            raise EmbeddingError(
                f"{self._name}: a vector of dimension {len(vector)} after vectors of {self._dimension}; "
                f"did the server change the model behind {self._model!r}? Restart, and the index is rebuilt"
            )
        return vector


def _embedding(reply: bytes) -> list[float] | None:
    with suppress(ValueError, KeyError, TypeError, AttributeError):
        first = min(orjson.loads(reply)["data"], key=lambda item: item.get("index", 0))
        values: Any = first["embedding"]
        if isinstance(values, list) and values and all(type(x) in (int, float) for x in values):
            return values
    return None
