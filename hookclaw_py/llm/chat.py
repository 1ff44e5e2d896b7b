"""Chat: one question to a server that speaks OpenAI's ``/v1/chat/completions``, given up when nobody waits any more."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import wait
from typing import Any, NamedTuple

import orjson

from hookclaw_py.config import LlmConfig
from hookclaw_py.endpoint import ABOUT_THE_TEXT, Endpoint, Unanswered
from hookclaw_py.errors import HookclawError
from hookclaw_py.llm.questions import Inquiry
from hookclaw_py.llm.replies import Unusable
from hookclaw_py.trace import Deadline
from hookclaw_py.workers import Worker

_LOOKED_AT = 0.1  # seconds after which a question looks whether it is still wanted
_TEMPERATURE = 0.1


class Away(HookclawError):
    """The server does not answer, or not now: that is nobody's fault who asked."""


class Interrupted(HookclawError):
    """Nobody waits for the answer any more."""


class Answer(NamedTuple):
    """What a model said, and how many tokens that took, the question's among them."""

    text: str
    tokens: int


class Chat:
    """Asks one model."""

    def __init__(self, config: LlmConfig) -> None:
        """Prepare to ask; nothing is sent yet.

        Raises:
            ModelError: if the address or the key is none.
        """
        self._endpoint = Endpoint(config.url, "chat/completions", api_key=config.api_key, section="llm")
        self._config = config

    @property
    def where(self) -> str:
        """The address, as people are told it."""
        return self._endpoint.name

    @property
    def here(self) -> bool:
        """Whether that is this machine."""
        return self._endpoint.here

    def at_most(self, question: Inquiry) -> int:
        """Return how many tokens a question may take."""
        return _estimated(len(question.system) + len(question.user)) + question.most_tokens

    def ask(self, question: Inquiry, *, should_stop: Callable[[], bool] = lambda: False) -> Answer:
        """Return the answer, in the time that is configured for it.

        Raises:
            Away: if the server does not answer, or not now.
            Unusable: if it refuses this text, or its answer is none.
            Interrupted: if ``should_stop``; the question is then left to itself.
        """
        body = orjson.dumps(
            {
                "model": self._config.model,
                "messages": [
                    {"role": "system", "content": question.system},
                    {"role": "user", "content": question.user},
                ],
                "temperature": _TEMPERATURE,
                "max_tokens": question.most_tokens,
            }
        )
        deadline = Deadline(self._config.timeout_ms)
        worker = Worker("question")  # for this one alone: one that hangs holds up no other
        about = f"model {self._config.model!r}"
        asking = worker.submit(self._endpoint.post, body, remaining=deadline.remaining, about=about)
        try:
            while not wait([asking], timeout=_LOOKED_AT).done:
                if should_stop():
                    raise Interrupted("the process ends")
                if not deadline.remaining():
                    raise Away(f"{self.where}: no answer within {self._config.timeout_ms / 1000:g} s")
            return self._read(asking.result(), question)
        except Unanswered as error:
            raise (Unusable if error.status in ABOUT_THE_TEXT else Away)(str(error)) from None
        finally:
            worker.close(0)

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _read(self, told: bytes, question: Inquiry) -> Answer:
        try:
            reply = orjson.loads(told)
            said = reply["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError):
            raise Unusable(
                f"{self.where}: the reply has no choices[0].message.content: {self._endpoint.quoted(told, 80)!r}"
            ) from None
        said = said if isinstance(said, str) else ""
        return Answer(said, _counted(reply) or _estimated(len(question.system) + len(question.user) + len(said)))


def _counted(reply: Any) -> int:
    usage = reply.get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) and tokens > 0 else 0


def _estimated(chars: int) -> int:
    return math.ceil(chars / 4)
