"""Bodies: JSON as it goes out, and as it comes in, within bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from hookclaw_py.doors.shapes import camel
from hookclaw_py.insight.printing import by_field

if TYPE_CHECKING:
    from starlette.requests import Request

MAX_BODY = 4 * 1024 * 1024
BODY_SECONDS = 10.0
"""That a body may take to arrive."""


class TooLarge(Exception):
    """A body is larger than ``MAX_BODY``."""


class TooSlow(Exception):
    """A body took longer than ``BODY_SECONDS``."""


class NoJSON(Exception):
    """A body is no JSON object; the message says why."""


class WrongType(Exception):
    """A body does not say that it is JSON."""


def encoded(value: Any) -> bytes:
    """Return a value of ours as JSON."""
    return orjson.dumps(by_field(value), option=orjson.OPT_NON_STR_KEYS)


async def read_json(request: Request) -> Mapping[str, Any]:
    """Return the JSON object of a request; no body is an empty one.

    Raises:
        TooLarge: before more than ``MAX_BODY`` bytes were read.
        TooSlow: if it does not arrive in time.
        WrongType: if it is declared as something else than JSON.
        NoJSON: if it is not an object.
    """
    if int(request.headers.get("content-length") or 0) > MAX_BODY:
        raise TooLarge
    raw = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                raw += part
                if len(raw) > MAX_BODY:
                    raise TooLarge
    except TimeoutError:
        raise TooSlow from None
    if not raw:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise WrongType
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise NoJSON(f"the body is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise NoJSON("the body must be a JSON object")
    return {camel(name): item for name, item in value.items()}
