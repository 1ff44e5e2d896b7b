"""The wire: every name, limit and shape that crosses a process border, and the checks of what comes in.

Newline-delimited JSON. A request is ``{"id", "method", "params"}`` and gets exactly one reply, ``{"id", "result"}`` or
``{"id", "error": {"code", "message"}}``, in the order they finish; a line without an id is an event. Fields are the
camelCase of the classes in ``requests``.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import orjson

from hookclaw_py import __version__
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.requests import METHODS, CallTool, Request, ToolRequest
from hookclaw_py.doors.shapes import MAX_ID, camel, checked, spelt, wanted_by
from hookclaw_py.doors.tools.table import TOOLS
from hookclaw_py.store.agents import AGENT_ID

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Shape = TypeVar("Shape")

VERSION = 1
MAX_LINE = 4 * 1024 * 1024
"""Bytes of one line, its newline included."""


class Line(NamedTuple):
    """One parsed line: an event when ``id`` is None."""

    id: str | int | None
    method: str
    params: Mapping[str, Any]


def parse_line(line: bytes) -> Line:
    """Read one line.

    Raises:
        WireError: if it is not a request or an event.
    """
    if len(line) >= MAX_LINE:
        raise WireError(Code.PARSE_ERROR, f"the line has more than {MAX_LINE} bytes; send less")
    value = _json(line)
    if not isinstance(value, dict):
        raise WireError(Code.PARSE_ERROR, f"a line must be a JSON object, not {_kind(value)}")
    ident = value.get("id")
    if not (ident is None or (isinstance(ident, str) and len(ident) <= MAX_ID) or _is_whole(ident)):
        raise WireError(
            Code.INVALID_PARAMS, f"id must be an integer of 64 bits or a string of up to {MAX_ID} characters"
        )
    method, params = value.get("method"), value.get("params")
    if not isinstance(method, str):
        raise WireError(Code.INVALID_PARAMS, "method must be a string", ident)
    for name in value:
        if name not in ("id", "method", "params"):
            raise WireError(Code.INVALID_PARAMS, f"unknown field {name!r}; a line has id, method, params", ident)
    if params is not None and not isinstance(params, dict):
        raise WireError(Code.INVALID_PARAMS, f"params must be an object, not {_kind(params)}", ident)
    return Line(ident, method, params or {})


def _is_whole(ident: object) -> bool:
    """Say whether a number can be told again in a reply."""
    return type(ident) is int and ident.bit_length() < 64


def parse_request(line: Line) -> Request:
    """Check method and parameters of a line.

    Raises:
        WireError: naming the field, what it is and what is allowed.
    """
    shape, tool = METHODS.get(line.method), TOOLS.get(line.method)
    if shape is None and tool is None:
        known = {**METHODS, **TOOLS}
        raise WireError(Code.METHOD_NOT_FOUND, f"unknown method {line.method!r}{_nearest(line.method, known)}", line.id)
    try:
        request: Request
        if tool is not None:
            call = filled(CallTool, line.params)
            request = ToolRequest(call, filled(tool.shape, call.arguments))
        elif shape is not None:
            request = filled(shape, line.params)
    except WireError as error:
        raise WireError(error.code, f"{line.method}: {error}", line.id) from None
    agent = line.params.get("agentId")
    agent = "main" if agent is None else agent
    if not AGENT_ID.fullmatch(agent):
        told = f"agentId {agent[:80]!r} is no agent id: up to 64 letters, digits and _ . -"
        raise WireError(Code.INVALID_PARAMS, f"{line.method}: {told}", line.id)
    return request


def filled(shape: type[Shape], given: Mapping[str, Any]) -> Shape:
    """Return what is asked as its class; what is null is not given.

    Raises:
        WireError: naming the field, what it is and what is allowed.
    """
    from pydantic import ValidationError

    ours = {camel(field.name): spelt(shape, field.name) for field in fields(shape)}  # type: ignore[arg-type]
    known = {ours.get(name, name): value for name, value in given.items() if value is not None}
    try:
        return shape(**vars(checked(shape).model_validate(known)))
    except ValidationError as error:
        wrong = min(error.errors(), key=lambda details: details["type"] != "extra_forbidden")  # misspelt, hence missing
        raise WireError(Code.INVALID_PARAMS, _problem(wrong, shape)) from None


def _problem(error: ErrorDetails, shape: type[Any]) -> str:
    """Say one validation error as a sentence."""
    known = wanted_by(shape)
    name = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        untold = getattr(shape, "untold", ())
        return (
            f"unknown field {name!r}{_nearest(name, {one: told for one, told in known.items() if one not in untold})}"
        )
    if error["type"] == "missing":
        return f"{name} is missing"
    if error["type"] == "string_pattern_mismatch" and not str(error["input"]).strip():
        return f"{name} is empty; give {'a question or keywords' if name == 'query' else 'a text'}"
    if error["type"] in _OUT_OF_RANGE:
        return f"{name} must be {known[name]}, not {error['input']}"
    item = next((f"{name}[{place}]" for place in error["loc"][1:] if isinstance(place, int)), "")
    wrong = f"; {item} is {_kind(error['input'])}" if item else f", not {_kind(error['input'])}"
    return f"{name} must be {known[name]}{wrong}"


def hello() -> dict[str, Any]:
    """Return the first line."""
    return {"ready": True, "version": __version__, "protocol": VERSION, "methods": sorted([*METHODS, *TOOLS])}


def result_line(ident: str | int, result: Mapping[str, Any]) -> bytes:
    """Return a reply as bytes."""
    return encode({"id": ident, "result": result})


def error_line(error: WireError) -> bytes:
    """Return an error reply as bytes; its id is null when the line's could not be read."""
    return encode({"id": error.reply_to, "error": {"code": error.code, "message": str(error)}})


def event_line(event: str, params: Mapping[str, Any]) -> bytes:
    """Return an event as bytes."""
    return encode({"event": event, "params": params})


def encode(value: Any) -> bytes:
    """Return ``value`` as one line of JSON; half a surrogate pair becomes U+FFFD."""
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except orjson.JSONEncodeError:  # a lone surrogate, from a file name for instance
        return orjson.dumps(_sound(value), option=orjson.OPT_APPEND_NEWLINE)


def _json(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        problem = error
    try:  # JavaScript writes half a surrogate pair as an escape, which the strict parser refuses
        return _sound(json.loads(line.decode("utf-8"), parse_constant=_refuse))
    except UnicodeDecodeError as error:
        raise WireError(Code.PARSE_ERROR, f"the line is not UTF-8: byte {error.start}: {error.reason}") from None
    except (ValueError, RecursionError):
        raise WireError(Code.PARSE_ERROR, f"the line is not JSON: {problem}") from None


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _sound(value: Any) -> Any:
    """Return ``value`` with every lone surrogate replaced."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_sound(key): _sound(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sound(item) for item in value]
    return value


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    """Point to what may be meant: the few names that ``name`` is a part of, or the one that is spelt nearly so; else tell all."""
    plain = name.casefold().replace("_", "")
    holding = sorted(one for one in known if plain and plain in one.casefold().replace("_", ""))
    near = holding if 0 < len(holding) <= 3 else difflib.get_close_matches(name[:80], known, n=1)
    return f"; did you mean {' or '.join(near)}?" if near else f"; known are {', '.join(sorted(known)) or 'none'}"


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


_OUT_OF_RANGE = ("greater_than_equal", "less_than_equal", "less_than", "string_pattern_mismatch", "literal_error")
