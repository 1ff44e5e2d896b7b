"""The doctor: from the model's files to the turn that a gateway really had."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hookclaw_py.config import Config
from hookclaw_py.errors import ConfigError, HookclawError
from hookclaw_py.hosts.checks import Check, Verdict, fine, note, problem
from hookclaw_py.hosts.openclaw import gateway_checks
from hookclaw_py.insight import canary, engine_checks
from hookclaw_py.messages import opening

__all__ = ["Check", "Verdict", "examine"]

_PATIENCE = timedelta(minutes=10)
"""By then an agent was woken for the last time, if it can be."""


def examine(agent: str, config_file: Path | None, given: Path | None, *, store: str | None = None) -> Iterator[Check]:
    """Look at everything, cheap things first; ``given`` names the gateway (default: the one that is here), ``store`` a server."""
    yield engine_checks.versions()
    try:
        config, origins = Config.load_with_origins(config_file, **{"store.url": store})
    except ConfigError as error:
        yield problem("configuration", "; ".join(error.problems), "hookclaw config check")
        return
    yield fine("configuration", f"{len(origins)} values that are not defaults")
    found = gateway_checks.gateway_status(given)
    agent = agent if isinstance(found, Check) else gateway_checks.store_of(agent, found)
    yield from engine_checks.examine(config, agent)
    yield from _messages(config)
    python = found.python if not isinstance(found, Check) else ""
    budget_ms = found.budget_ms if not isinstance(found, Check) else config.timeout_ms
    yield from canary.examine(agent, python, budget_ms=budget_ms, shadow=config.shadow)
    if isinstance(found, Check):
        yield found
    else:
        yield from gateway_checks.examine(found, given)


def _messages(config: Config) -> Iterator[Check]:
    """Look at the messages of this home, if there are any."""
    if not opening.has_messages(config):
        return
    try:
        mail = opening.open_post(config).mail
        damage, waiting = mail.check(), mail.overdue(before=datetime.now(UTC) - _PATIENCE)
        place, sessions = mail.place, len(mail.sessions())
        mail.close()
    except HookclawError as error:
        yield problem("messages", str(error), "hookclaw message list")
        return
    if damage:
        yield problem(
            "messages", damage, f"mv {place} {place}.damaged" if "://" not in place else "hookclaw config check"
        )
    for one in waiting:
        since = f"the oldest of {one.oldest:%Y-%m-%d %H:%M} UTC"
        told = (
            f"{one.waiting} for agent {one.receiver} that no turn has shown, {since}: it gets them with its next prompt"
        )
        yield note("messages", told, f"hookclaw --agent {one.receiver} message list")
    if not (damage or waiting):
        yield fine("messages", f"sound, and none waits; {sessions} agents can be woken")
