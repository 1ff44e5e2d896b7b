"""The wire: every name, limit and shape that crosses a process border, and the checks of what comes in.

Newline-delimited JSON. A request is ``{"id", "method", "params"}`` and gets exactly one reply, ``{"id", "result"}`` or
``{"id", "error": {"code", "message"}}``, in the order they finish; a line without an id is an event. Fields are the
camelCase of the request classes below; an unknown one is an error, because a misspelt field that is passed over in
silence is a bug nobody finds.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import orjson

from hookclaw_py import __version__
from hookclaw_py.errors import HookclawError
from hookclaw_py.store.agents import AGENT_ID

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

VERSION = 1
MAX_LINE = 4 * 1024 * 1024
"""Bytes of one line, its newline included."""
MAX_ID = 200


class Code(StrEnum):
    """Why there is an error instead of a result."""

    PARSE_ERROR = "PARSE_ERROR"  # the line is no JSON object in UTF-8, or too long
    METHOD_NOT_FOUND = "METHOD_NOT_FOUND"
    INVALID_PARAMS = "INVALID_PARAMS"  # a field is missing, unknown or of the wrong type; or a configuration is wrong
    INTERNAL_ERROR = "INTERNAL_ERROR"  # a bug of ours


class WireError(HookclawError):
    """A line cannot be served; ``reply_to`` is its id as far as that could be read."""

    def __init__(self, code: Code, message: str, reply_to: str | int | None = None) -> None:
        self.code, self.reply_to = code, reply_to
        super().__init__(message)


class Line(NamedTuple):
    """One parsed line: an event when ``id`` is None."""

    id: str | int | None
    method: str
    params: Mapping[str, Any]


Messages = Sequence[Mapping[str, Any]]
"""A host's messages: ``role`` and ``content`` are read, everything else in them is the host's own affair."""

Milliseconds = float
"""A span of time, 0 or more; what checks it says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reload:
    """Read the configuration again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shutdown:
    """End the process, what is pending being answered first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How is everything?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configure:
    """The host's configuration: keys of ``Config``, on top of file and environment."""

    config: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Whose turn it is and who hears the answer (see ``hookclaw_py.model.audience``): as the host's own context says, never a prompt."""

    agent_id: str
    session_key: str = ""
    session_id: str = ""
    audience: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeAgentStart(Who):
    """A prompt that may need memories; ``timeout_ms`` is how long the host waits (0 = as long as it takes).

    ``system`` is the system prompt as the host last sent it to this audience: what stands there is not sent again.
    ``claude_dir`` is Claude Code's folder: what its CLAUDE.md and the workspace's hold is not sent again either.
    """

    prompt: str
    messages: Messages = ()
    system: str = ""
    claude_dir: str = ""
    workspace_dir: str = ""
    trigger: str = ""
    timeout_ms: Milliseconds = 0.0
    keeps_injections: bool = False
    run_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEnd(Who):
    """A turn is over; ``run_id`` names it as it did before, ``duration_ms`` and ``error`` are as the host measured and says."""

    messages: Messages
    success: bool = True
    run_id: str = ""
    duration_ms: Milliseconds = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStart(Who):
    """A conversation begins, anew unless it is resumed."""

    workspace_dir: str = ""
    resumed_from: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnd(Who):
    """A conversation is over."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeCompaction(Who):
    """The host is about to shorten a conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterCompaction(Who):
    """A conversation was shortened: what had been injected may be gone from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsRequest:
    """Numbers of one agent, or of all."""

    agent_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explain(Who):
    """A decision to be explained: one that was made, or one on a prompt of now."""

    prompt: str = ""
    injection_id: str = ""
    workspace_dir: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """The host waits no longer for its request of this id."""

    id: str | int


Request = Configure | Reload | Shutdown | Who | MetricsRequest | Health | Cancel

METHODS: Mapping[str, type[Request]] = {
    "_configure": Configure,
    "_reload": Reload,
    "_shutdown": Shutdown,
    "after_compaction": AfterCompaction,
    "agent_end": AgentEnd,
    "before_agent_start": BeforeAgentStart,
    "before_compaction": BeforeCompaction,
    "cancel": Cancel,
    "explain": Explain,
    "health": Health,
    "metrics": MetricsRequest,
    "session_end": SessionEnd,
    "session_start": SessionStart,
}


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
    if not (ident is None or (isinstance(ident, str) and len(ident) <= MAX_ID) or type(ident) is int):
        raise WireError(Code.INVALID_PARAMS, f"id must be an integer or a string of up to {MAX_ID} characters")
    method, params = value.get("method"), value.get("params")
    if not isinstance(method, str):
        raise WireError(Code.INVALID_PARAMS, "method must be a string", ident)
    for name in value:
        if name not in ("id", "method", "params"):
            raise WireError(Code.INVALID_PARAMS, f"unknown field {name!r}; a line has id, method, params", ident)
    if params is not None and not isinstance(params, dict):
        raise WireError(Code.INVALID_PARAMS, f"params must be an object, not {_kind(params)}", ident)
    return Line(ident, method, params or {})


def parse_request(line: Line) -> Request:
    """Check method and parameters of a line.

    Raises:
        WireError: naming the field, what it is and what is allowed.
    """
    shape = METHODS.get(line.method)
    if shape is None:
        raise WireError(
            Code.METHOD_NOT_FOUND, f"unknown method {line.method!r}{_nearest(line.method, METHODS)}", line.id
        )
    from pydantic import ValidationError

    given = {name: value for name, value in line.params.items() if value is not None}
    try:
        request = shape(**vars(_checked(line.method).model_validate(given)))
    except ValidationError as error:
        wrong = min(error.errors(), key=lambda details: details["type"] != "extra_forbidden")  # misspelt, hence missing
        raise WireError(Code.INVALID_PARAMS, f"{line.method}: {_problem(wrong, shape)}", line.id) from None
    agent = given.get("agentId", "main")
    if not AGENT_ID.fullmatch(agent):
        told = f"agentId {agent[:80]!r} is no agent id: up to 64 letters, digits and _ . -"
        raise WireError(Code.INVALID_PARAMS, f"{line.method}: {told}", line.id)
    return request


def schema() -> dict[str, Any]:
    """Return the JSON schema of what may be sent: each method's parameters under ``$defs``, by the method's name."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {method: _checked(method).model_json_schema() for method in METHODS},
        "oneOf": [
            {
                "type": "object",
                "properties": {
                    "id": {"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": MAX_ID}, {"type": "null"}]},
                    "method": {"const": method},
                    "params": {"$ref": f"#/$defs/{method}"},
                },
                "required": ["method", "params"],
                "additionalProperties": False,
            }
            for method in METHODS
        ],
    }


@cache
def _checked(method: str) -> type[BaseModel]:
    """Return the twin of a method's request class that checks and describes it; pydantic is loaded behind our first line, not before."""
    from pydantic import ConfigDict, Field, create_model

    shape = METHODS[method]
    types = get_type_hints(shape, localns={"Milliseconds": Annotated[float, Field(ge=0, lt=1e9)]}, include_extras=True)
    values: dict[str, Any] = {
        f.name: (types[f.name], ... if f.default is MISSING else f.default) for f in fields(shape)
    }
    strict = ConfigDict(strict=True, extra="forbid", alias_generator=_camel)
    return create_model(shape.__name__, __config__=strict, __doc__=shape.__doc__, **values)


def _problem(error: ErrorDetails, shape: type[Request]) -> str:
    """Say one validation error as a sentence."""
    known = {_camel(field.name): str(field.type) for field in fields(shape)}
    name = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return f"unknown field {name!r}{_nearest(name, known)}"
    if error["type"] == "missing":
        return f"{name} is missing"
    return f"{name} must be {_TOLD[known[name]]}, not {_kind(error['input'])}"


def hello() -> dict[str, Any]:
    """Return the first line."""
    return {"ready": True, "version": __version__, "protocol": VERSION, "methods": sorted(METHODS)}


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
    near = difflib.get_close_matches(name[:80], known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else f"; known are {', '.join(sorted(known)) or 'none'}"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


_TOLD = {
    "str": "a string",
    "bool": "a boolean",
    "Milliseconds": "a number, 0 or more",
    "Messages": "an array of messages",
    "Mapping[str, Any]": "an object",
    "str | int": "a string or an integer",
}
