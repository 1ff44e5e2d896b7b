"""The plugin's ``tools.json``, made from the table: ``python -m hookclaw_py.doors.tools.plugin``."""

from __future__ import annotations

import json
from typing import Any

from hookclaw_py.doors.tools.table import TOOLS, description_of, schema_of
from hookclaw_py.hosts.openclaw.manifest import PLUGIN_FOLDER, TOOLS_FILE


def tools() -> list[dict[str, Any]]:
    """Return the tools as the plugin registers them: the gateway is to hand over what it does not know, for us to say what is meant."""
    return [
        {
            "name": name,
            "usual": tool.usual,
            "seconds": tool.seconds,
            "description": description_of(tool.shape),
            "parameters": {k: v for k, v in schema_of(tool.shape).items() if k != "additionalProperties"},
        }
        for name, tool in TOOLS.items()
    ]


def text() -> str:
    """Return the bytes that belong into the file."""
    return json.dumps(tools(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    (PLUGIN_FOLDER / TOOLS_FILE).write_text(text(), encoding="utf-8")
