"""hookclaw_py: local-first per-prompt memory for AI agents.

>>> from hookclaw_py import Config, Engine
>>> engine = Engine.open(Config())            # the store of agent "main"
>>> engine.index("~/notes")                   # doctest: +SKIP
>>> engine.recall("what did we decide about logging?").text   # doctest: +SKIP
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing typing would cost a hook call four milliseconds
if TYPE_CHECKING:
    from typing import Any

    from hookclaw_py.capture.reports import Report
    from hookclaw_py.config import Config
    from hookclaw_py.engine import Engine
    from hookclaw_py.errors import HookclawError
    from hookclaw_py.learning.attribution import Attribution
    from hookclaw_py.model.audience import Audience
    from hookclaw_py.model.happening import HappeningKind
    from hookclaw_py.model.reason import Reason, Why
    from hookclaw_py.model.types import Candidate, Chunk, Fault, Hit, Injection, Message, Outcome, Period, Prompt, Query

__version__ = "0.1.0"

# Libraries that report to their makers unless the environment tells them not to before they load.
_LOADED_BEFORE = "onnxruntime" in sys.modules and "ORT_DISABLE_TELEMETRY" not in os.environ
os.environ.update(ORT_DISABLE_TELEMETRY="1", HF_HUB_DISABLE_TELEMETRY="1")

_HOMES = {
    "Attribution": "learning.attribution",
    "Audience": "model.audience",
    "Config": "config",
    "Engine": "engine",
    "HappeningKind": "model.happening",
    "HookclawError": "errors",
    "Report": "capture.reports",
    **dict.fromkeys(["Reason", "Why"], "model.reason"),
    **dict.fromkeys(
        ["Candidate", "Chunk", "Fault", "Hit", "Injection", "Message", "Outcome", "Period", "Prompt", "Query"],
        "model.types",
    ),
}

__all__ = [
    "Attribution", "Audience", "Candidate", "Chunk", "Config", "Engine", "Fault", "HappeningKind", "Hit", "HookclawError",
    "Injection", "Message", "Outcome", "Period", "Prompt", "Query", "Reason", "Report", "Why",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a public name where it is first used: ``import hookclaw_py`` itself does no work."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """Name what is public, imported or not: for who looks around in a console."""
    return sorted({*globals(), *__all__})
