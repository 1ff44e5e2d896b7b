"""The doctor's gateway side: is the plugin there, loaded, allowed, and did a turn really reach it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hookclaw_py.config import home
from hookclaw_py.hosts.checks import Check, fine, note, problem
from hookclaw_py.hosts.openclaw.gateway import KEEPS_INSTALL_RECORDS, Gateway, GatewayError, find_gateway
from hookclaw_py.hosts.openclaw.interpreter import check
from hookclaw_py.hosts.openclaw.manifest import PLUGIN_ID
from hookclaw_py.hosts.openclaw.status import PluginStatus, status
from hookclaw_py.store.agents import known_agents

RAISE_BUDGET = "openclaw config set plugins.entries.hookclaw.config.budgetMs 5000"
INSTALL = "hookclaw openclaw install"


def gateway_status(given: Path | None) -> PluginStatus | Check:
    """Return how the plugin is in the gateway; a check that says why there is nothing to look at."""
    try:
        return status(find_gateway(given))
    except GatewayError as error:
        if given is None and "no OpenClaw here" in str(error):
            return note("gateway", "no OpenClaw on this machine; --gateway names one that is hidden")
        return problem("gateway", str(error), "openclaw doctor")


def store_of(agent: str, found: PluginStatus) -> str:
    """Return whose store to look at: that of this gateway's agent; another host's (a project's) if only that has one."""
    if not found.profile or "@" in agent:
        return agent
    own, known = f"{agent}@{found.profile}", known_agents(home())
    return agent if agent != "main" and agent in known and own not in known else own


def examine(found: PluginStatus, given: Path | None) -> Iterator[Check]:
    """Look at the plugin from outside to inside; what cannot work without an earlier thing is left out."""
    yield fine("gateway", f"OpenClaw {found.version}, {found.config}")
    if found.home and found.home != str(home().absolute()):
        finding = f"the gateway keeps its memories in {found.home}, this shell looks at {home()}"
        yield problem("plugin", finding, f"HOOKCLAW_HOME={found.home} hookclaw doctor")
        return
    if not found.installed:
        yield problem("plugin", "it is not in the gateway's configuration", INSTALL)
        return
    wrong = _configured(found)
    yield wrong or fine("plugin", f"{found.plugin}, this version, enabled and allowed")
    cannot = check(found.python) if found.python else "the plugin's configuration names no Python"
    yield problem("interpreter", cannot, INSTALL) if cannot else fine("interpreter", found.python)
    if not found.hooks_allowed:
        remedy = f"openclaw config set plugins.entries.{PLUGIN_ID}.hooks '{{\"allowConversationAccess\": true}}' --json"
        yield problem("hooks", "the gateway withholds the conversation from it: it would load and do nothing", remedy)
    else:
        yield fine("hooks", "allowed")
    if wrong is None:
        yield _loaded(find_gateway(given))
    yield from _fired(found)


def _configured(found: PluginStatus) -> Check | None:
    if not found.current:
        return problem("plugin", f"{found.plugin} is missing or of another version", INSTALL)
    if not found.enabled:
        return problem("plugin", "it is disabled", INSTALL)
    if not found.allowed:
        return problem("plugin", "plugins.allow leaves it out", INSTALL)
    return None


def _loaded(gateway: Gateway) -> Check:
    if not gateway.command:
        return note("loaded", "cannot be asked: the gateway's command is not on this machine")
    newer = gateway.version >= KEEPS_INSTALL_RECORDS
    question = ("plugins", "inspect", PLUGIN_ID, "--runtime", "--json") if newer else ("plugins", "list", "--json")
    done = gateway.ask(*question)
    told = _json_in(done.stdout)
    if told is None:
        return problem(
            "loaded",
            f"`openclaw {' '.join(question)}` says {(done.stderr or done.stdout).strip()[-300:]!r}",
            "openclaw plugins doctor",
        )
    plugin: Mapping[str, Any] = told.get("plugin") or next(
        (p for p in told.get("plugins", []) if p.get("id") == PLUGIN_ID), {}
    )
    if plugin.get("status") != "loaded":
        return problem(
            "loaded",
            f"the gateway says {plugin.get('status', 'it knows no such plugin')}: {plugin.get('error', 'no reason')}",
            "openclaw plugins doctor",
        )
    said = [d.get("message", "") for d in told.get("diagnostics", []) if d.get("pluginId", PLUGIN_ID) == PLUGIN_ID]
    if said and all("verify where this plugin came from" in message for message in said):
        remedy = f"openclaw plugins install --link {gateway.plugin} --force --accept-capabilities"
        return note("loaded", "the gateway loads it, and notes that its own command did not install it", remedy)
    if said:
        return problem("loaded", "; ".join(said), INSTALL)
    return fine("loaded", "the gateway loads it and complains about nothing")


def _json_in(text: str) -> Mapping[str, Any] | None:
    """Read the JSON object in what a command printed; old ones print notes before it."""
    start = text.find("{")
    try:
        told: Mapping[str, Any] = json.JSONDecoder().raw_decode(text[start:])[0] if start >= 0 else {}
    except ValueError:
        return None
    return told or None


def _fired(found: PluginStatus) -> Iterator[Check]:
    record = found.record
    if not found.last_fired:
        remedy = "openclaw gateway restart && openclaw agent --agent main --message 'what do you remember about me?'"
        yield problem("fired", "no turn has reached it yet", remedy)
        return
    last = record["last"]
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(record.get("outcomes", {}).items()))
    said = f"last turn {last.get('at')} ({last.get('outcome')}: {last.get('reason') or 'no reason'}), since the start {counts}"
    if last.get("outcome") == "failed":
        yield problem("fired", said, "openclaw logs --limit 200 | grep hookclaw")
    else:
        yield fine("fired", said)
    p95 = record.get("p95Ms", 0)
    if p95 >= found.budget_ms:
        yield problem(
            "turns",
            f"95 % of turns wait up to {p95} ms, the budget is {found.budget_ms} ms",
            RAISE_BUDGET,
        )
    else:
        yield fine(
            "turns", f"they wait {record.get('p50Ms')} ms (p50), {p95} ms (p95) for memories, {found.budget_ms} at most"
        )
