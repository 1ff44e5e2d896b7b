"""The third embedder: any server with OpenAI's ``/v1/embeddings`` (Ollama, llama.cpp, vLLM, …)."""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from typing import Any

import httpx
import orjson
from pybreaker import CircuitBreaker, CircuitBreakerError

from hookclaw_py.errors import EmbeddingError, IndexClosedError, ModelError
from hookclaw_py.model.vectors import Vector
from hookclaw_py.search.embedders import encodable, unit
from hookclaw_py.trace import Deadline

_INDEXING_TIMEOUT_MS = 10_000
_MAX_REPLY = 4 * 1024 * 1024
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_ABOUT_THE_TEXT = {400, 413, 422}  # the server refuses this text; it is not broken


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
        address, key = _address(url), api_key.strip()
        if not (key.isascii() and key.isprintable()):
            raise ModelError("embedder.apiKey has characters that no key has; was it copied whole and alone?")
        self.model_id = f"openai:{model}@{address.host}:{address.port or address.scheme}"
        self._address = address.copy_with(path=f"{address.path.rstrip('/')}/embeddings")
        # As messages name it: who may ask is nobody's business.
        self._endpoint = str(self._address.copy_with(username=None, password=None, query=None, fragment=None))
        self._key = key
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
        self._client: httpx.Client | None = httpx.Client(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            trust_env=address.host not in _THIS_MACHINE,  # a proxy of the environment is not for this machine
        )

    @property
    def dimension(self) -> int:
        """The length of the server's vectors, learned from its first reply; asks for one when there was none yet."""
        if not self._dimension:
            self.embed("dimension")
        return self._dimension

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:
        """Return the text's unit vector; see ``Embedder``. Without a deadline the server has 10 seconds."""
        client = self._client
        if client is None:
            raise IndexClosedError(f"embedder {self.model_id} was used after close()")
        deadline = deadline or Deadline(_INDEXING_TIMEOUT_MS)
        if deadline.remaining() == 0:
            raise EmbeddingError(f"{self._endpoint}: no time left before the deadline")
        try:
            with self._breaker.calling():  # holds no lock while the server works
                vector = self._ask(client, encodable(text) or " ", deadline)  # servers refuse an empty input
        except CircuitBreakerError:
            raise EmbeddingError(
                f"{self._endpoint}: circuit open after {self._breaker.fail_max} failures, next attempt within "
                f"{self._reset_after_s:g} s; last failure: {self._last_error}"
            ) from None
        except EmbeddingError as error:
            self._last_error = str(error)
            raise
        return vector

    def close(self) -> None:
        """Close the connections; a second time does nothing."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _ask(self, client: httpx.Client, text: str, deadline: Deadline) -> Vector:
        body = orjson.dumps({"model": self._model, "input": text})
        headers = {"Content-Type": "application/json"}
        timeout = deadline.remaining()
        reply = bytearray()
        try:
            with client.stream("POST", self._address, content=body, headers=headers, timeout=timeout) as response:
                for part in response.iter_bytes():
                    reply += part
                    if deadline.remaining() == 0:  # httpx's time-out is per read, not for the whole reply
                        raise EmbeddingError(f"{self._endpoint}: the reply was not complete at the deadline")
                    if len(reply) > _MAX_REPLY:
                        raise EmbeddingError(f"{self._endpoint}: the reply is longer than {_MAX_REPLY} bytes")
        except httpx.TimeoutException:
            raise EmbeddingError(f"{self._endpoint}: no answer within {timeout:.1f} s") from None
        except httpx.HTTPError as error:
            raise EmbeddingError(
                f"{self._endpoint}: {error}; is the server running, and is embedder.url right?"
            ) from error
        if response.status_code != 200:
            kind = _TextRefused if response.status_code in _ABOUT_THE_TEXT else EmbeddingError
            said = self._quoted(reply, 200)
            raise kind(f"{self._endpoint}: HTTP {response.status_code} for model {self._model!r}: {said}")
        return self._vector(bytes(reply))

    def _quoted(self, reply: bytes | bytearray, length: int) -> str:
        """Return the beginning of a reply; servers like to repeat the key that they did not accept."""
        said = bytes(reply[: length + len(self._key)]).decode("utf-8", "replace")
        return (said.replace(self._key, "***") if self._key else said)[:length]

    def _vector(self, reply: bytes) -> Vector:
        values = _embedding(reply)
        if values is None:
            raise EmbeddingError(
                f"{self._endpoint}: the reply is not JSON with data[0].embedding, a list of numbers: "
                f"{self._quoted(reply, 80)!r}"
            )
        vector = unit(values, self._endpoint)
        with self._learning:
            self._dimension = self._dimension or len(vector)
        if len(vector) != self._dimension:
            raise EmbeddingError(
                f"{self._endpoint}: a vector of dimension {len(vector)} after vectors of {self._dimension}; "
                f"did the server change the model behind {self._model!r}? Restart, and the index is rebuilt"
            )
        return vector


def _address(url: str) -> httpx.URL:
    with suppress(httpx.InvalidURL):
        address = httpx.URL(url)
        if address.scheme in ("http", "https") and address.host:
            return address
    shown = re.sub(r"//.*@", "//***@", url)
    raise ModelError(f"embedder.url {shown!r} is not an address like http://127.0.0.1:11434/v1")


def _embedding(reply: bytes) -> list[float] | None:
    with suppress(ValueError, KeyError, TypeError, AttributeError):
        first = min(orjson.loads(reply)["data"], key=lambda item: item.get("index", 0))
        values: Any = first["embedding"]
        if isinstance(values, list) and values and all(type(x) in (int, float) for x in values):
            return values
    return None
