"""The engine that a command works with."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hookclaw_py.cli.history_commands import agent_of, config_of, folder_of, no_memory_of

if TYPE_CHECKING:
    from hookclaw_py.engine import Engine


def _kinds(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Take the kinds that somebody named, each one that there is."""
    from hookclaw_py.model.kind import KINDS

    if wrong := [name for name in given if name not in KINDS]:
        raise click.BadParameter(f"{', '.join(wrong)}; choose of {', '.join(KINDS)}", param=option)
    return given


kind_option = click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    callback=_kinds,
    help="Only this kind (memory, sessions, fact, decision, …); more than one may be given.",
)


def open_engine(ctx: click.Context) -> Engine:
    """Open the agent's store, made if it is not there."""
    from hookclaw_py.engine import Engine

    return Engine.open(config_of(ctx), agent=agent_of(ctx))


def known_engine(ctx: click.Context) -> Engine:
    """Open a store that is there and make none; the main agent without one gets an empty memory."""
    from hookclaw_py.engine import Engine

    config, agent = config_of(ctx), agent_of(ctx)
    if _has_store(folder_of(ctx)):
        return Engine.open(config, agent=agent)
    if agent == "main":
        return Engine.in_memory(config, strict=False)
    raise no_memory_of(agent)


def _has_store(folder: Path) -> bool:
    from hookclaw_py.store.upkeep import is_there

    try:
        return is_there(folder)
    except OSError:
        return True  # opening it says what is wrong


def learned_elsewhere(ctx: click.Context) -> str:
    """Say which other agents' sessions were captured, "" if none's were."""
    from hookclaw_py import build
    from hookclaw_py.config import home
    from hookclaw_py.errors import HookclawError
    from hookclaw_py.store.agents import agent_folder, known_agents

    found = []
    for agent in known_agents(home()):
        with suppress(HookclawError):  # one that cannot be opened says so when it is asked itself
            if agent != agent_of(ctx):
                with build.store(agent_folder(home(), agent)) as store:
                    found += [agent] if store.happened() else []
    return f"; sessions of {', '.join(found)} were captured: `hookclaw --agent {found[0]} …`" if found else ""
