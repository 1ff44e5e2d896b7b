"""``hookclaw pause`` and ``hookclaw resume``: nothing told and nothing kept, for a while or until one says otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import click

from hookclaw_py.cli.opening import (
    has_yet_to_come,
    named_agent,
    only_on_this_machine,
    switched_of_every_agent,
    switches_of,
)
from hookclaw_py.insight.terminal import say
from hookclaw_py.store import pause as pausing
from hookclaw_py.store.pause import Pause
from hookclaw_py.store.switches import Switches


def _length(_ctx: click.Context, _option: click.Parameter, written: str | None) -> timedelta | None:
    if written is None:
        return None
    length = pausing.length_of(written)
    if length is None:
        raise click.BadParameter(f"{written} is no length of time; write 30m, 2h or 7d")
    return length


@click.command()
@click.option("--for", "length", callback=_length, help="30m, 2h or 7d; until `hookclaw resume` without it.")
@click.pass_context
def pause(ctx: click.Context, length: timedelta | None) -> None:
    """Tell nothing, and keep nothing of what is said and done: all agents, or the one of --agent."""
    agent, now = named_agent(ctx), datetime.now(UTC)
    with switches_of(ctx, agent) as facts:
        paused = pausing.pause(facts, now=now, until=now + length if length else None)
    whose = f"agent {agent} is" if agent else "all agents are"
    say(
        f"{whose} paused {paused._replace(agent=agent)}: nothing is told, nothing is captured; notes are read all the same"
    )
    if remark := has_yet_to_come(ctx) if agent else only_on_this_machine("pause"):
        say(remark)


@click.command()
@click.pass_context
def resume(ctx: click.Context) -> None:
    """End the pause of all agents, or of the one of --agent."""
    agent, now = named_agent(ctx), datetime.now(UTC)
    with switches_of(ctx, agent) as facts:
        ended = pausing.resume(facts, now=now)
    whose = f"agent {agent}" if agent else "all agents"
    if ended:
        say(f"{whose}: memory goes on; it was paused since {ended.since:%Y-%m-%d %H:%M} UTC")
    else:
        say(f"{whose}: it was not paused")
    for one in _still(agent, now):
        say(f"{f'agent {one.agent} is' if one.agent else 'all agents are'} still paused {one}")


def _still(agent: str, now: datetime) -> list[Pause]:
    """Return the pauses that another command ends: that of all agents, or those of single ones."""
    if agent:
        from hookclaw_py.config import home

        others = Switches(agent, None, home()).pauses()
    else:
        own = switched_of_every_agent(pausing.pauses)
        others = [one._replace(agent=name) for name, known in own for one in known]
    return [one for one in others if pausing.pause_at([one], now)]
