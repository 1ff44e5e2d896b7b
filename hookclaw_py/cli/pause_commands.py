"""``hookclaw pause`` and ``hookclaw resume``: nothing told and nothing kept, for a while or until one says otherwise."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import click

from hookclaw_py.cli.opening import open_engine
from hookclaw_py.insight.terminal import say
from hookclaw_py.store import pause as pausing

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def _length(_ctx: click.Context, _option: click.Parameter, written: str | None) -> timedelta | None:
    if written is None:
        return None
    found = re.fullmatch(r"(\d{1,5})\s*([mhd])", written.strip().lower())
    if not found or not int(found[1]):
        raise click.BadParameter(f"{written} is no length of time; write 30m, 2h or 7d")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


@click.command()
@click.option("--for", "length", callback=_length, help="30m, 2h or 7d; until `hookclaw resume` without it.")
@click.pass_context
def pause(ctx: click.Context, length: timedelta | None) -> None:
    """Tell the agent nothing, and keep nothing of what is said and done."""
    with open_engine(ctx) as engine:
        now = datetime.now(UTC)
        paused = pausing.pause(engine.store, now=now, until=now + length if length else None)
    say(f"paused {paused}: nothing is told, nothing is captured; notes are read all the same")


@click.command()
@click.pass_context
def resume(ctx: click.Context) -> None:
    """End the pause."""
    with open_engine(ctx) as engine:
        ended = pausing.resume(engine.store, now=datetime.now(UTC))
    say(f"goes on; it was paused since {ended.since:%Y-%m-%d %H:%M} UTC" if ended else "it was not paused")
