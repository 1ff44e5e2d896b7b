"""The plugin's ``openclaw.plugin.json``, made from our one configuration: ``python -m hookclaw_py.hosts.openclaw.manifest``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hookclaw_py import __version__
from hookclaw_py.config import json_schema

PLUGIN_ID = "hookclaw"
PLUGIN_FOLDER = Path(__file__).with_name("plugin")
FILE = "openclaw.plugin.json"
TOOLS_FILE = "tools.json"
"""The tools that the plugin registers (``python -m hookclaw_py.doors.tools.plugin`` writes it)."""

PLUGIN_KEYS: dict[str, dict[str, Any]] = {
    "python": {
        "type": "string",
        "description": "The Python that hookclaw_py is installed in; `hookclaw openclaw install` fills it in",
    },
    "home": {"type": "string", "description": "Where memories are kept ($HOOKCLAW_HOME); filled in as well"},
    "budgetMs": {
        "type": "integer",
        "minimum": 100,
        "maximum": 10_000,
        "default": 1500,
        "description": "What a prompt waits for its memories at most, in milliseconds; later ones are left out. "
        "A run without a gateway, which has to start the memory process first, waits 5000",
    },
    "placement": {
        "type": "string",
        "enum": ["auto", "append", "prepend"],
        "default": "auto",
        "description": "Memories after or before the user's words; auto = after where the gateway can (2026.5.2 and "
        "newer), which keeps more of a prompt cache",
    },
    "agents": {
        "type": "array",
        "items": {"type": "string"},
        "default": [],
        "description": "Ids of the agents that get memories; empty = all, each only its own",
    },
    "skipTurns": {
        "type": "array",
        "items": {"type": "string", "enum": ["cron", "subagent"]},
        "default": ["cron", "subagent"],
        "description": "Automatic turns that get no memories; heartbeats never do",
    },
    "warmStart": {
        "type": "boolean",
        "default": True,
        "description": "Start the memory process with the gateway, so that the first prompt has its memories too; "
        "false = with the first prompt",
    },
}
"""The keys that only the JavaScript reads."""

_PLAIN = {"preset", "maxResults", "minScore", "maxContextChars", "skipShortPrompts", "placement", "agents"}


def manifest() -> dict[str, Any]:
    """Return the manifest as the gateway reads it."""
    properties = {**PLUGIN_KEYS, **_engine_keys()}
    return {
        "id": PLUGIN_ID,
        "name": "hookclaw",
        "description": "Local-first per-prompt memory: the few memories that answer a prompt, or silence.",
        "version": __version__,
        "categories": ["memory"],
        "activation": {"onStartup": True},
        "contracts": {"tools": tool_names()},
        "uiHints": dict(_hints(properties)),
        "configSchema": {"type": "object", "additionalProperties": False, "properties": properties},
    }


def tool_names() -> list[str]:
    """Return the names under which the plugin may register a tool: its own, or, where another plugin holds that, ours before it."""
    tools = json.loads((PLUGIN_FOLDER / TOOLS_FILE).read_text(encoding="utf-8"))
    return sorted(name for tool in tools for name in (tool["name"], f"palace_{tool['name'].removeprefix('memory_')}"))


def text() -> str:
    """Return the bytes that belong into the file."""
    return json.dumps(manifest(), indent=2, ensure_ascii=False) + "\n"


def _engine_keys() -> dict[str, Any]:
    """Our configuration's schema without its defaults.

    A gateway fills in a schema's defaults before the plugin sees its configuration; with ours in it every key would
    look chosen, and win over the user's config.toml.
    """
    schema = json_schema()
    properties: dict[str, Any] = _plain(schema["properties"], schema.get("$defs", {}))
    return properties


def _plain(node: Any, definitions: Mapping[str, Any]) -> Any:
    """Put definitions where they are referred to; say a default in words instead of as a default."""
    if isinstance(node, list):
        return [_plain(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        node = {**definitions[node["$ref"].rpartition("/")[2]], **{k: v for k, v in node.items() if k != "$ref"}}
    plain = {k: _plain(v, definitions) for k, v in node.items() if k not in {"default", "required", "title"}}
    if "default" in node and not isinstance(node["default"], dict):
        said = plain.get("description", "")
        plain["description"] = f"{said}{'. ' if said else ''}Default: {json.dumps(node['default'], ensure_ascii=False)}"
    return plain


def _hints(properties: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for key, schema in properties.items():
        name = prefix + key
        hint: dict[str, Any] = {"label": _label(key)}
        if "description" in schema:
            hint["help"] = schema["description"]
        if name not in _PLAIN:
            hint["advanced"] = True
        if key == "apiKey" or name == "messages.url":
            hint["sensitive"] = True
        yield name, hint
        yield from _hints(schema.get("properties", {}), f"{name}.")


def _label(key: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: " " + m[1].lower(), key)
    return words[0].upper() + words[1:]


if __name__ == "__main__":
    (PLUGIN_FOLDER / FILE).write_text(text(), encoding="utf-8")
