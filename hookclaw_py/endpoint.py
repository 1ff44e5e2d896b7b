"""Endpoint: an address of a server that speaks OpenAI's protocol; what it says, or why it does not, without telling the key."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from hookclaw_py.errors import HookclawError, ModelError

if TYPE_CHECKING:
    import httpx

_MAX_REPLY = 4 * 1024 * 1024
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
ABOUT_THE_TEXT = (400, 413, 422)
"""Statuses by which a server refuses what it was sent; it is not broken."""


class Unanswered(HookclawError):
    """The server gave no answer that can be used; ``status`` is what it said by HTTP, 0 if nothing."""

    def __init__(self, message: str, status: int = 0) -> None:
        self.status = status
        super().__init__(message)


class Endpoint:
    """Sends JSON to one address. Safe to use from threads."""

    def __init__(self, url: str, path: str, *, api_key: str, section: str) -> None:
        """Prepare to ask at ``path`` below ``url`` (up to and with ``/v1``); ``section`` is that of the configuration.

        Raises:
            ModelError: if ``url`` is not an http address, or ``api_key`` nothing that a header can carry.
        """
        import httpx  # a tenth of a second, for the few who have a server

        base, key = _address(url, section), api_key.strip()
        if not (key.isascii() and key.isprintable()):
            raise ModelError(f"{section}.apiKey has characters that no key has; was it copied whole and alone?")
        self.server = f"{base.host}:{base.port or base.scheme}"
        self.here = base.host in _THIS_MACHINE
        self._address = base.copy_with(path=f"{base.path.rstrip('/')}/{path}")
        # As messages name it: who may ask is nobody's business.
        self.name = str(self._address.copy_with(username=None, password=None, query=None, fragment=None))
        self._key, self._section = key, section
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            trust_env=not self.here,  # a proxy of the environment is not for this machine
        )

    def post(self, body: bytes, *, remaining: Callable[[], float], about: str) -> bytes:
        """Return what the server answers in the ``remaining`` seconds; ``about`` says in an error what was asked for.

        Raises:
            Unanswered: if it does not answer in time, or not with 200.
        """
        import httpx

        headers = {"Content-Type": "application/json"}
        timeout = remaining()
        reply = bytearray()
        try:
            with self._client.stream("POST", self._address, content=body, headers=headers, timeout=timeout) as response:
                for part in response.iter_bytes():
                    reply += part
                    if remaining() == 0:  # httpx's time-out is per read, not for the whole reply
                        raise Unanswered(f"{self.name}: the reply was not complete at the deadline")
                    if len(reply) > _MAX_REPLY:
                        raise Unanswered(f"{self.name}: the reply is longer than {_MAX_REPLY} bytes")
        except httpx.TimeoutException:
            raise Unanswered(f"{self.name}: no answer within {timeout:.1f} s") from None
        except httpx.HTTPError as error:
            raise Unanswered(
                f"{self.name}: {error}; is the server running, and is {self._section}.url right?"
            ) from error
        if response.status_code != 200:
            said = self.quoted(reply, 200)
            raise Unanswered(f"{self.name}: HTTP {response.status_code} for {about}: {said}", response.status_code)
        return bytes(reply)

    def quoted(self, reply: bytes | bytearray, length: int) -> str:
        """Return the beginning of a reply; servers like to repeat the key that they did not accept."""
        said = bytes(reply[: length + len(self._key)]).decode("utf-8", "replace")
        return (said.replace(self._key, "***") if self._key else said)[:length]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _address(url: str, section: str) -> httpx.URL:
    import httpx

    with suppress(httpx.InvalidURL):
        address = httpx.URL(url)
        if address.scheme in ("http", "https") and address.host:
            return address
    shown = re.sub(r"[?#].*", "?***", re.sub(r"^([\w+.-]*:?//)?.*@", r"\1***@", url))
    raise ModelError(f"{section}.url {shown!r} is not an address like http://127.0.0.1:11434/v1")
