"""What is known about the plugin in a gateway without asking the gateway: its configuration, and the plugin's record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hookclaw_py.hosts.openclaw import document
from hookclaw_py.hosts.openclaw.gateway import KNOWS_CONVERSATION_ACCESS, Gateway, dotted, profile_of
from hookclaw_py.hosts.openclaw.install import ALLOW, ENTRY, PATHS, plugin_is_current, read
from hookclaw_py.hosts.openclaw.manifest import PLUGIN_ID, PLUGIN_KEYS


@dataclass(frozen=True, slots=True)
class PluginStatus:
    """The plugin in one gateway. ``record`` is what the plugin noted of its turns, empty when it has had none.

    ``profile`` is what sets the gateway's stores apart, "" for the usual state folder.
    """

    command: str
    version: str
    config: str
    plugin: str
    installed: bool
    current: bool
    enabled: bool
    allowed: bool
    hooks_allowed: bool
    python: str
    home: str
    profile: str
    budget_ms: int
    record: Mapping[str, Any]

    @property
    def last_fired(self) -> str:
        """When the prompt hook ran last, as an ISO time; "" when it never did."""
        last: str = self.record.get("last", {}).get("at", "")
        return last


def status(gateway: Gateway) -> PluginStatus:
    """Read the gateway's configuration and the plugin's record.

    Raises:
        GatewayError: if the configuration cannot be read.
    """
    values = read(gateway)[1]
    entry = document.value_at(values, ENTRY) or {}
    allow = document.value_at(values, ALLOW)
    hooks, config = entry.get("hooks") or {}, entry.get("config") or {}
    knows = gateway.version >= KNOWS_CONVERSATION_ACCESS
    return PluginStatus(
        command=" ".join(gateway.command),
        version=dotted(gateway.version),
        config=str(gateway.config),
        plugin=str(gateway.plugin),
        installed=str(gateway.plugin) in (document.value_at(values, PATHS) or []),
        current=plugin_is_current(gateway),
        enabled=entry.get("enabled") is True,
        allowed=not isinstance(allow, list) or PLUGIN_ID in allow,
        hooks_allowed=(hooks.get("allowConversationAccess") is True or not knows) and hooks.get("allowPromptInjection") is not False,
        python=config.get("python", ""),
        home=config.get("home", ""),
        profile=profile_of(gateway.state),
        budget_ms=config.get("budgetMs", PLUGIN_KEYS["budgetMs"]["default"]),
        record=read_record(gateway.folder / "record.json"),
    )  # fmt: skip


def read_record(file: Path) -> dict[str, Any]:
    """Return what the plugin noted; {} when it has noted nothing yet."""
    try:
        record: dict[str, Any] = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return record


def lines(found: PluginStatus) -> list[str]:
    """Say a status in a few lines for people."""
    record = found.record
    told = [
        f"OpenClaw {found.version} ({found.command or 'no command here'})",
        f"configuration: {found.config}",
    ]
    if not found.installed:
        return [*told, "hookclaw: not installed; run `hookclaw openclaw install`"]
    wrong = [
        *([] if found.current else ["its files are of another version: run `hookclaw openclaw install`"]),
        *([] if found.enabled else ["it is disabled"]),
        *([] if found.allowed else ["plugins.allow leaves it out"]),
        *([] if found.hooks_allowed else ["its hooks are not allowed"]),
    ]
    told.append(f"hookclaw: installed in {found.plugin}" + "".join(f"; {problem}" for problem in wrong))
    if found.profile:
        told.append(f"its agents' stores: main@{found.profile} and so on (`--agent` takes that name)")
    if not found.last_fired:
        return [*told, "no turn has reached it yet"]
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(record.get("outcomes", {}).items()))
    told.append(
        f"last turn {found.last_fired} ({record['last'].get('outcome')}: {record['last'].get('reason') or 'no reason'})"
    )
    told.append(f"since the gateway's start: {counts}; p50 {record.get('p50Ms')} ms, p95 {record.get('p95Ms')} ms")
    if failure := record.get("lastFailure"):
        told.append(f"last failure {failure.get('at')}: {failure.get('reason')}")
    return told
