"""What a host may send, declared once: each request's class is checked by, documented by and printed as what it says here.

On the wire the fields are in camelCase; an unknown one is an error, because a misspelt field that is passed over in
silence is a bug nobody finds. What an agent may ask for itself are the tools (``doors.tools``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hookclaw_py.doors.shapes import MAX_ID, ChatCommandName, Messages, Milliseconds, Numbers, Reports, Sent, checked
from hookclaw_py.doors.tools.asked import Tool
from hookclaw_py.doors.tools.table import TOOLS, tool_schema


class Reload(Sent):
    """Read the configuration again."""


class Shutdown(Sent):
    """End the process, what is pending being answered first."""


class Health(Sent):
    """How is everything?"""


class Configure(Sent):
    """The host's configuration: keys of ``Config``, on top of file and environment."""

    config: Mapping[str, Any]


class Who(Sent):
    """Whose turn it is and who hears the answer (see ``hookclaw_py.model.audience``): as the host's own context says, never a prompt."""

    agent_id: str
    session_key: str = ""
    session_id: str = ""
    audience: str = ""


class BeforeAgentStart(Who):
    """A prompt that may need memories; ``timeout_ms`` is how long the host waits (0 = as long as it takes).

    ``system`` is the system prompt as the host last sent it to this audience: what stands there is not sent again.
    ``claude_dir`` is Claude Code's folder: what its CLAUDE.md and that of ``project_dir`` (else the workspace's) hold is not sent again either.
    """

    prompt: str
    messages: Messages = ()
    system: str = ""
    claude_dir: str = ""
    project_dir: str = ""
    workspace_dir: str = ""
    trigger: str = ""
    timeout_ms: Milliseconds = 0.0
    keeps_injections: bool = False
    run_id: str = ""


class AgentEnd(Who):
    """A turn is over; ``run_id`` names it as it did before, ``duration_ms`` and ``error`` are as the host measured and says."""

    messages: Messages
    success: bool = True
    run_id: str = ""
    duration_ms: Milliseconds = 0.0
    error: str = ""


class SessionStart(Who):
    """A conversation begins, anew unless it is resumed; ``brief`` asks what it is told then, ``timeout_ms`` is how long the host waits."""

    workspace_dir: str = ""
    resumed_from: str = ""
    brief: bool = False
    timeout_ms: Milliseconds = 0.0


class SessionEnd(Who):
    """A conversation is over."""

    reason: str = ""


class BeforeCompaction(Who):
    """The host is about to shorten a conversation."""


class AfterCompaction(Who):
    """A conversation was shortened: what had been injected may be gone from it."""


class Capture(Sent):
    """What happened in the agent's sessions, in its order; the reply comes when it is written. ``lost`` is what the host could not keep."""

    agent_id: str
    host: str
    reports: Reports
    lost: int = 0


class MetricsRequest(Sent):
    """Numbers of one agent, or of all."""

    agent_id: str = ""


class Explain(Who):
    """A decision to be explained: one that was made, or one on a prompt of now."""

    prompt: str = ""
    injection_id: str = ""
    workspace_dir: str = ""


class Subscribe(Sent):
    """Tell this host of messages to an agent, or on a channel, as they come, and when to wake an agent for them."""

    channel: str


class Unsubscribe(Sent):
    """Tell it of them no more."""

    channel: str


class InstanceRoutes(Sent):
    """Which agents there are, and in which session each is woken."""


class KnownSessions(Sent):
    """Each agent's newest direct session, when it was seen, and the channels that agents hear of."""


class Delivered(Sent):
    """A turn's messages have shown the agent these messages; it is not woken for them again."""

    agent_id: str
    ids: Numbers


class Cancel(Sent):
    """The host waits no longer for its request of this id."""

    id: str | int


class CallTool(Who):
    """An agent calls a tool; the method is the tool's name, ``arguments`` are what its definition takes."""

    arguments: Mapping[str, Any]
    workspace_dir: str = ""


class ChatCommand(Who):
    """A person asks their memory in a conversation: `status`, `recall`, `pause` or `forget`; `text` is the answer, what is wrong is said in it."""

    name: ChatCommandName
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A tool's call, its arguments checked."""

    call: CallTool
    asked: Tool


Shape = (
    Configure | Reload | Shutdown | Who | Capture | MetricsRequest | Health | Cancel
    | Subscribe | Unsubscribe | InstanceRoutes | KnownSessions | Delivered
)  # fmt: skip
Request = Shape | ToolRequest

METHODS: Mapping[str, type[Shape]] = {
    "_configure": Configure,
    "_get_instance_routes": InstanceRoutes,
    "_reload": Reload,
    "_shutdown": Shutdown,
    "_subscribe": Subscribe,
    "_unsubscribe": Unsubscribe,
    "after_compaction": AfterCompaction,
    "agent_end": AgentEnd,
    "before_agent_start": BeforeAgentStart,
    "before_compaction": BeforeCompaction,
    "cancel": Cancel,
    "capture": Capture,
    "chat_command": ChatCommand,
    "delivered": Delivered,
    "explain": Explain,
    "health": Health,
    "metrics": MetricsRequest,
    "session_end": SessionEnd,
    "session_start": SessionStart,
    "sessions": KnownSessions,
}
"""What may be sent beside the tools, each of which is a method of its own name."""


def schema() -> dict[str, Any]:
    """Return the JSON schema of what may be sent: each method's parameters under ``$defs``, by the method's name."""
    described = {method: checked(shape).model_json_schema() for method, shape in METHODS.items()}
    for name in TOOLS:
        described[name] = checked(CallTool).model_json_schema()
        described[name]["properties"]["arguments"] = tool_schema(name)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": described,
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
            for method in described
        ],
    }
