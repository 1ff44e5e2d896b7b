"""``hookclaw backup``, ``restore``, ``migrate`` and ``move``: all that an agent remembers in one file, and back; or to another place."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from hookclaw_py.cli.opening import agent_of, config_of, folder_of, no_memory_of
from hookclaw_py.insight.terminal import say


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--messages", is_flag=True, help="What agents wrote to each other instead, all of it.")
@click.pass_context
def backup(ctx: click.Context, file: Path, messages: bool) -> None:
    """Copy the agent's store into FILE, while it is used.

    Notes, history, pins, verdicts: everything but recorded prompts (`hookclaw prompts export`) and messages between agents
    (`--messages`), which are those of all.
    """
    from hookclaw_py.messages import opening
    from hookclaw_py.store.upkeep import back_up, is_there

    if messages:
        opening.back_up(config_of(ctx), file)
        say(f"{file}: {file.stat().st_size:,} bytes")
        return
    folder = folder_of(ctx)
    if not is_there(folder):
        raise no_memory_of(agent_of(ctx))
    back_up(folder, file)
    say(f"{file}: {file.stat().st_size:,} bytes")
    if opening.has_messages(config_of(ctx)):
        say("messages between agents are not in it: `hookclaw backup --messages FILE` copies those of all", err=True)


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--messages", is_flag=True, help="FILE holds what agents wrote to each other.")
@click.pass_context
def restore(ctx: click.Context, file: Path, messages: bool) -> None:
    """Put the backup FILE in the place of the agent's store, which is kept aside.

    What was forgotten since stays forgotten, what was paused or switched off stays so; pins, blocks, verdicts and history are
    those of the backup. A running gateway goes on with it. Of messages nobody is woken anew: what waited comes with the next prompt.
    """
    from hookclaw_py.messages import opening
    from hookclaw_py.store.upkeep import restore as put_back

    aside = opening.restore(config_of(ctx), file) if messages else put_back(folder_of(ctx), file, at=datetime.now(UTC))
    what = "messages that were there are" if messages else "store that was there is"
    say(f"restored from {file}" + (f"; the {what} kept as {aside}" if aside else ""))
    if not messages:
        say("notes that were changed since are read by the next `hookclaw index`", err=True)


to_option = click.option(
    "--to",
    required=True,
    metavar="URL",
    help="postgresql://USER@HOST/DATABASE, or `here`: back into a file on this machine.",
)
space_option = click.option(
    "--space", default="", help="Whose agents these are on the server (default: the user of the URL)."
)
there_option = click.option(
    "--already-there", is_flag=True, help="Copy nothing: the server has another address now, or was restored there."
)


@click.command("migrate")
@to_option
@space_option
@there_option
@click.pass_context
def migrate(ctx: click.Context, to: str, space: str, already_there: bool) -> None:
    """Move all that the agent remembers to a PostgreSQL server, from one to another, or back.

    Who writes meanwhile waits. Both are compared row by row, then the memory is deleted where it was. Start again what runs.
    """
    _move(ctx, to, space, already_there=already_there)


@click.command("move")
@click.argument("agent")
@to_option
@space_option
@there_option
@click.pass_context
def move(ctx: click.Context, agent: str, to: str, space: str, already_there: bool) -> None:
    """Move the memory of AGENT from where it is to another server: `migrate` for the agent that is named.

    On other machines that used it there the same command follows it.
    """
    ctx.ensure_object(dict)["agent"] = agent
    _move(ctx, to, space, already_there=already_there)


def _move(ctx: click.Context, to: str, space: str, *, already_there: bool) -> None:
    from hookclaw_py.store.moving import find
    from hookclaw_py.store.moving import migrate as move
    from hookclaw_py.store.placing import Elsewhere
    from hookclaw_py.store.upkeep import is_there, where

    folder, wanted = folder_of(ctx, to_move=True), config_of(ctx).store
    if not is_there(folder):
        raise no_memory_of(agent_of(ctx))
    there = None if to == "here" else Elsewhere(to, space)
    if already_there:
        if there is None:
            raise click.UsageError("--already-there goes with the address of a server")
        rows = sum(find(folder, there).values())
        say(f"{rows:,} rows are in {where(folder)}; that is where the memory is from now on, and nothing was copied")
    else:
        moved = move(folder, there)
        say(
            f"{sum(moved.values()):,} rows of {sum(map(bool, moved.values()))} tables went to {where(folder)}, compared one by one"
        )
    say("start again what runs (`hookclaw serve`, the gateway, editors)", err=True)
    if wanted.url and there != Elsewhere(wanted.url, wanted.space):
        say("store.url (or --store) names another place: set it to this one, or leave it out", err=True)
