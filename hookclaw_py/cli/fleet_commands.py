"""``hookclaw fleet``: a PostgreSQL server on which many agents keep their memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hookclaw_py.cli.opening import config_of, folder_of, json_option
from hookclaw_py.insight.terminal import say

if TYPE_CHECKING:
    from hookclaw_py.store.placing import Elsewhere


@click.group()
def fleet() -> None:
    """Look after a server that keeps the memories of many agents."""


@fleet.command("status")
@json_option
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Say what the server is (--store URL, store.url, else the agent's), and what it holds of each agent.

    Who owns the tables sees every agent, any other role those of its own space.
    """
    from datetime import UTC, datetime

    from hookclaw_py.config import home
    from hookclaw_py.insight.fleet import fleet as look
    from hookclaw_py.insight.fleet import lines
    from hookclaw_py.insight.printing import as_plain

    place = _place_of(ctx)
    found = look(place, home())
    say(as_plain(found) if as_json else "\n".join(lines(found, now=datetime.now(UTC))))
    if found.server.unguarded:
        ctx.exit(1)


@fleet.command("remove")
@click.argument("named", metavar="AGENT")
@click.option(
    "--space", default="", help="Whose agent it is on the server (default: store.space, or the user of the URL)."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def remove(ctx: click.Context, named: str, space: str, yes: bool) -> None:
    """Delete all that the server remembers of AGENT, and the agent itself: one that was opened by mistake, or is over."""
    from hookclaw_py.errors import StoreError
    from hookclaw_py.store import upkeep

    place = _place_of(ctx)
    place = place._replace(space=space or place.space)
    found = {one.agent: one for one in upkeep.held(place, all_spaces=False)}
    if named not in found:
        raise StoreError(f"{place.shown} holds no agent {named} in this space; there are: {', '.join(found) or 'none'}")
    one = found[named]
    if not yes:
        told = f"Delete {one.space}/{one.agent} ({one.chunks:,} chunks, {one.memories:,} memories) from {place.shown}? There is no way back."
        click.confirm(told, abort=True)
    upkeep.remove(place, named)
    say(
        f"removed: {one.space}/{one.agent}; a machine that still names it (store.json in its folder) would open it anew"
    )


def _place_of(ctx: click.Context) -> Elsewhere:
    """Return the server that is meant.

    Raises:
        StoreError: if none is.
    """
    from hookclaw_py.errors import StoreError
    from hookclaw_py.store import placing

    wanted = config_of(ctx).store
    place = placing.Elsewhere(wanted.url, wanted.space) if wanted.url else placing.elsewhere(folder_of(ctx))
    if place is None:
        raise StoreError("memories are kept in files here; name a server", at_shell="hookclaw --store URL fleet status")
    return place
