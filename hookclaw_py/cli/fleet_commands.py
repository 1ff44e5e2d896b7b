"""``hookclaw fleet``: a PostgreSQL server on which many agents keep their memories."""

from __future__ import annotations

import click

from hookclaw_py.cli.opening import config_of, folder_of, json_option
from hookclaw_py.insight.terminal import say


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
    from hookclaw_py.errors import StoreError
    from hookclaw_py.insight.fleet import fleet as look
    from hookclaw_py.insight.fleet import lines
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.store import placing

    wanted = config_of(ctx).store
    place = placing.Elsewhere(wanted.url, wanted.space) if wanted.url else placing.elsewhere(folder_of(ctx))
    if place is None:
        raise StoreError("memories are kept in files here; name a server", at_shell="hookclaw --store URL fleet status")
    found = look(place, home())
    say(as_plain(found) if as_json else "\n".join(lines(found, now=datetime.now(UTC))))
    if found.server.unguarded:
        ctx.exit(1)
