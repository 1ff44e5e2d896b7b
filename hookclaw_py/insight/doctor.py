"""The doctor: from the model's files to the turn that a gateway really had."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hookclaw_py.config import Config
from hookclaw_py.errors import ConfigError
from hookclaw_py.hosts.checks import Check, Verdict, fine, problem
from hookclaw_py.hosts.openclaw import gateway_checks
from hookclaw_py.insight import canary, engine_checks, message_checks

__all__ = ["Check", "Verdict", "examine"]


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
    yield from message_checks.examine(config)
    python = found.python if not isinstance(found, Check) else ""
    budget_ms = found.budget_ms if not isinstance(found, Check) else config.timeout_ms
    yield from canary.examine(agent, python, budget_ms=budget_ms, shadow=config.shadow)
    if isinstance(found, Check):
        yield found
    else:
        yield from gateway_checks.examine(found, given)
