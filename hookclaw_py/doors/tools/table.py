"""The table of tools: each one's class, what answers it, and whether an agent has it without being asked for more.

The gateway, MCP, NDJSON and the pages that tell of the tools are made of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from inspect import cleandoc
from math import ceil
from typing import Any, NamedTuple

from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.shapes import MOST_LISTED, checked
from hookclaw_py.doors.tools import asked, code, finding, keeping, linking, reflecting, saving, upkeep, writing
from hookclaw_py.doors.tools.desk import ToolDesk
from hookclaw_py.errors import HookclawError, RevisionError

Answer = Callable[[ToolDesk, Any], dict[str, Any]]


class Definition(NamedTuple):
    """One tool. ``usual`` ones every agent has, the others only with ``tools = "all"``: each costs tokens in every turn.

    ``seconds`` is how long a host waits for its answer.
    """

    shape: type[asked.Tool]
    answer: Answer
    usual: bool = False
    seconds: int = 30


TOOLS: Mapping[str, Definition] = {
    "memory_set": Definition(asked.MemorySave, saving.save, usual=True),
    "memory_recall": Definition(asked.MemoryRecall, finding.recall, usual=True),
    "memory_get": Definition(asked.MemoryGet, finding.get, usual=True),
    "message": Definition(asked.AgentMessages, writing.message, usual=True),
    "memory_recent": Definition(asked.MemoryRecent, keeping.recent),
    "memory_archive": Definition(asked.MemoryArchive, keeping.archive),
    "memory_link": Definition(asked.MemoryLink, linking.link),
    "memory_unlink": Definition(asked.MemoryUnlink, linking.unlink),
    "memory_stats": Definition(asked.MemoryStats, keeping.stats),
    "memory_audit": Definition(asked.MemoryAudit, upkeep.audit),
    "memory_reembed": Definition(asked.MemoryReembed, upkeep.reembed),
    "code_remember_tool": Definition(asked.CodeRemember, code.remember),
    "memory_reflect": Definition(asked.MemoryReflect, reflecting.reflect, seconds=180),
}


def shown(which: str) -> list[str]:
    """Return the names of the tools that an agent is shown, by what the configuration says of ``tools``."""
    return [name for name, tool in TOOLS.items() if tool.usual or which == "all"]


def answered(desk: ToolDesk, wanted: asked.Tool) -> dict[str, Any]:
    """Do what a tool is asked.

    Raises:
        WireError: saying what is wrong, where, and what to do.
    """
    tool = next(tool for tool in TOOLS.values() if tool.shape is type(wanted))
    try:
        return tool.answer(desk, wanted)
    except WireError:
        raise
    except RevisionError as error:
        raise WireError(Code.CONFLICT, str(error)) from None
    except HookclawError as error:
        raise WireError(Code.UNAVAILABLE, str(error)) from error


def schema_of(shape: type[asked.Tool]) -> dict[str, Any]:
    """Return the JSON schema of what a tool is given, as short as it can be told: every turn pays for it."""
    described = checked(shape).model_json_schema()
    fields = {name: _short(given) for name, given in described["properties"].items() if name not in shape.untold}
    kept = {"type": "object", "properties": fields, "additionalProperties": False}
    return kept | ({"required": described["required"]} if "required" in described else {})


def _short(given: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what says nothing that a call depends on: bounds that nobody comes near, defaults that are nothing, null."""
    said = next((one for one in given.get("anyOf", ()) if one.get("type") != "null"), given)
    left = {key: value for key, value in said.items() if key not in ("title", "maxLength", "maxItems", "maximum")}
    if said.get("maximum", math.inf) <= MOST_LISTED:
        left["maximum"] = said["maximum"]
    if left.get("default", 0) in ("", [], False, None):
        left.pop("default", None)
    return left


def description_of(shape: type[asked.Tool]) -> str:
    """Return what an agent reads of a tool."""
    return cleandoc(shape.__doc__ or "")


def tool_schema(name: str) -> dict[str, Any]:
    """Return the JSON schema of what a tool is given."""
    return schema_of(TOOLS[name].shape)


def tokens_of(name: str, shape: type[asked.Tool]) -> int:
    """Return about how many tokens a tool's definition costs whoever is shown it."""
    told = {"name": name, "description": description_of(shape), "input_schema": schema_of(shape)}
    return ceil(len(json.dumps(told)) / 4)
