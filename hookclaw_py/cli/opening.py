"""The engine that a command works with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from hookclaw_py.cli.history_commands import agent_of, config_of, folder_of, named_agent, no_memory_of

if TYPE_CHECKING:
    from hookclaw_py.engine import Engine
    from hookclaw_py.store.ports import AgentStore, Facts

T = TypeVar("T")


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
    from hookclaw_py.config import home
    from hookclaw_py.engine import Engine

    config, agent = config_of(ctx), agent_of(ctx)
    if _has_store(folder_of(ctx)):
        return Engine.open(config, agent=agent)
    if agent == "main":
        return Engine.in_memory(config, strict=False, home=home())
    raise no_memory_of(agent)


def _has_store(folder: Path) -> bool:
    from hookclaw_py.store.upkeep import is_there

    try:
        return is_there(folder)
    except OSError:
        return True  # opening it says what is wrong


@contextmanager
def switches_of(ctx: click.Context) -> Iterator[Facts]:
    """Open what says what is switched off: of the agent that was named, made if it is not there; else of all."""
    from hookclaw_py import build
    from hookclaw_py.config import home
    from hookclaw_py.store.switches import HomeFacts

    if agent := named_agent(ctx):
        with build.store_of(agent, folder_of(ctx), config_of(ctx).store) as store:
            yield store
    else:
        yield HomeFacts(home())


def of_every_agent(ask: Callable[[AgentStore], T]) -> dict[str, T]:
    """Ask each agent's store; one that cannot be opened says so when it is asked itself."""
    from hookclaw_py import build
    from hookclaw_py.config import home
    from hookclaw_py.errors import HookclawError
    from hookclaw_py.store.agents import agent_folder, known_agents

    told = {}
    for agent in known_agents(home()):
        with suppress(HookclawError), build.store(agent_folder(home(), agent)) as store:
            told[agent] = ask(store)
    return told


def only_on_this_machine(command: str) -> str:
    """Say that other machines go on with memories that a server keeps, "" where none does."""
    from hookclaw_py.config import home
    from hookclaw_py.store.agents import agent_folder, known_agents
    from hookclaw_py.store.placing import elsewhere

    away = [agent for agent in known_agents(home()) if elsewhere(agent_folder(home(), agent))]
    return f"on this machine: `hookclaw --agent {away[0]} {command}` holds on every one" if away else ""


def learned_elsewhere(ctx: click.Context) -> str:
    """Say which other agents' sessions were captured, "" if none's were."""
    happened = of_every_agent(lambda store: store.happened())
    found = [agent for agent, has in happened.items() if has and agent != agent_of(ctx)]
    return f"; sessions of {', '.join(found)} were captured: `hookclaw --agent {found[0]} …`" if found else ""
