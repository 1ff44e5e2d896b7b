"""What may be sent, declared once: each request's class is checked by, documented by and printed as what it says here.

The methods of the NDJSON doors and the tools of the Model Context Protocol are such classes.

On the wire the fields are in camelCase; an unknown one is an error, because a misspelt field that is passed over in
silence is a bug nobody finds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from inspect import cleandoc
from math import ceil
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, get_type_hints

from hookclaw_py.model.kind import KINDS

if TYPE_CHECKING:
    from pydantic import BaseModel

MAX_ID = 200
MOST_MEMORIES = 20
"""That one search returns."""
MOST_LISTED = 200
"""Of a list at a time."""

Messages = Sequence[Mapping[str, Any]]
"""A host's messages: ``role`` and ``content`` are read, everything else in them is the host's own affair."""

Reports = Sequence[Mapping[str, Any]]
"""What happened, one by one: ``kind``, ``session`` and ``payload``, and ``run``, ``call``, ``at``, ``audience``, ``trigger``, ``folder``."""

Milliseconds = float
"""A span of time, 0 or more; what checks it says so."""

Words = str
"""A text that is not empty; what checks it says so."""

Limit = int
"""From 1 to ``MOST_MEMORIES``; what checks it says so."""

KindNames = Sequence[str]
"""Names of kinds of memories; what checks it says which."""

Names = Sequence[str]
"""Names or ids; what checks it says how many at most."""

PageSize = int
"""How much of a list at a time, from 1 to ``MOST_LISTED``; what checks it says so."""

Count = int
"""0 or more; what checks it says so."""


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
    """A conversation begins, anew unless it is resumed; ``brief`` asks what it is told then, ``timeout_ms`` is how long the host waits."""

    workspace_dir: str = ""
    resumed_from: str = ""
    brief: bool = False
    timeout_ms: Milliseconds = 0.0


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
class Capture:
    """What happened in the agent's sessions, in its order; the reply comes when it is written. ``lost`` is what the host could not keep."""

    agent_id: str
    host: str
    reports: Reports
    lost: int = 0


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something that an agent may do with its memory; its docstring is what the agent reads of it."""

    only_reads: ClassVar[bool] = False
    strict: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySearch(Tool):
    """Search the user's notes of earlier sessions. Give a question or keywords; errors, paths and names match exactly.

    ``kinds`` asks for some kinds only: memory (the notes), sessions (what was said), or of what was distilled of that fact, decision,
    preference, observation, summary, episode, skill, plan, working.
    Returns {"memories": [{id, path, lines, heading, date, text, relevance 0 to 1}], "reason": why there are none}.
    """

    only_reads = True
    query: Words
    limit: Limit = 5
    kinds: KindNames = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryGet(Tool):
    """Read one note by the id that memory_search gave, or a whole file of notes by its path."""

    only_reads = True
    id: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryExplain(Tool):
    """Show why each note was, or was not, chosen for a prompt: votes, fused score, relevance, reason."""

    only_reads = True
    prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFeedback(Tool):
    """Say whether a note helped; notes that help come up more readily."""

    id: str
    useful: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRemember(Tool):
    """Write one fact, decision or preference down for good, when the user asks to remember it. Whole sentences, with names.

    It goes to a file of the user's own notes, dated, and is found from then on.
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBrief(Tool):
    """Show what earlier sessions left unfinished, and what is pinned or confirmed: for the beginning of a conversation.

    Returns {"text": the whole as a block, "records": by kind [{id, salience, summary, content, updatedAt}]}; "" is nothing.
    """

    only_reads = True


TOOLS: Mapping[str, type[Tool]] = {
    "memory_search": MemorySearch,
    "memory_brief": MemoryBrief,
    "memory_get": MemoryGet,
    "memory_explain": MemoryExplain,
    "memory_feedback": MemoryFeedback,
    "memory_remember": MemoryRemember,
}

Request = Configure | Reload | Shutdown | Who | Capture | MetricsRequest | Health | Cancel

METHODS: Mapping[str, type[Request]] = {
    "_configure": Configure,
    "_reload": Reload,
    "_shutdown": Shutdown,
    "after_compaction": AfterCompaction,
    "agent_end": AgentEnd,
    "before_agent_start": BeforeAgentStart,
    "before_compaction": BeforeCompaction,
    "cancel": Cancel,
    "capture": Capture,
    "explain": Explain,
    "health": Health,
    "metrics": MetricsRequest,
    "session_end": SessionEnd,
    "session_start": SessionStart,
}


def schema() -> dict[str, Any]:
    """Return the JSON schema of what may be sent: each method's parameters under ``$defs``, by the method's name."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {method: checked(shape).model_json_schema() for method, shape in METHODS.items()},
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


def tool_schema(name: str) -> dict[str, Any]:
    """Return the JSON schema of what a tool is given."""
    described = checked(TOOLS[name]).model_json_schema()
    return {key: value for key, value in described.items() if key != "description"}


def tokens_of(name: str) -> int:
    """Return about how many tokens a tool's definition costs whoever is shown it."""
    described = cleandoc(TOOLS[name].__doc__ or "")
    return ceil(len(json.dumps({"name": name, "description": described, "input_schema": tool_schema(name)})) / 4)


_checked: dict[type[Any], type[BaseModel]] = {}


def checked(shape: type[Any]) -> type[BaseModel]:
    """Return the twin of a request's class that checks and describes it; pydantic is loaded behind our first line, not before.

    What a model or a person wrote (the class says that it is not ``strict``) may say "5" for a number, too.
    """
    known = _checked.get(shape)
    if known is None:
        known = _checked[shape] = _twin(shape)
    return known


def _twin(shape: type[Any]) -> type[BaseModel]:
    from pydantic import ConfigDict, Field, create_model

    bounded = {
        "Milliseconds": Annotated[float, Field(ge=0, lt=1e9)],
        "Words": Annotated[str, Field(pattern=r"\S")],
        "Limit": Annotated[int, Field(ge=1, le=MOST_MEMORIES)],
        "KindNames": Sequence[Annotated[str, Field(pattern=f"^({'|'.join(KINDS)})$")]],
        "Names": Annotated[Sequence[str], Field(max_length=MOST_LISTED)],
        "PageSize": Annotated[int, Field(ge=1, le=MOST_LISTED)],
        "Count": Annotated[int, Field(ge=0, le=10**9)],
    }
    types = get_type_hints(shape, localns=bounded, include_extras=True)
    values: dict[str, Any] = {
        f.name: (types[f.name], ... if f.default is MISSING else f.default) for f in fields(shape)
    }
    config = ConfigDict(strict=getattr(shape, "strict", True), extra="forbid", alias_generator=camel)
    return create_model(shape.__name__, __config__=config, __doc__=shape.__doc__, **values)


def camel(name: str) -> str:
    """Return a name as it is written on the wire: "session_key" is "sessionKey"."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
