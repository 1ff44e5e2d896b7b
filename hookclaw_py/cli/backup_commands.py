"""``hookclaw backup`` and ``hookclaw restore``: all that an agent remembers in one file, and back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from hookclaw_py.cli.history_commands import agent_of, folder_of
from hookclaw_py.insight.terminal import say


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.pass_context
def backup(ctx: click.Context, file: Path) -> None:
    """Copy the agent's store into FILE, while it is used.

    Notes, history, pins, verdicts: everything but recorded prompts (`hookclaw prompts export`).
    """
    from hookclaw_py.cli.history_commands import no_memory_of
    from hookclaw_py.store.upkeep import back_up, is_there

    folder = folder_of(ctx)
    if not is_there(folder):
        raise no_memory_of(agent_of(ctx))
    back_up(folder, file)
    say(f"{file}: {file.stat().st_size:,} bytes")


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.pass_context
def restore(ctx: click.Context, file: Path) -> None:
    """Put the backup FILE in the place of the agent's store, which is kept aside.

    What was forgotten since stays forgotten; pins, blocks, verdicts and history are those of the backup. A running
    gateway goes on with it.
    """
    from hookclaw_py.store.upkeep import restore as put_back

    aside = put_back(folder_of(ctx), file, at=datetime.now(UTC))
    say(f"restored from {file}" + (f"; the store that was there is kept as {aside}" if aside else ""))
    say("notes that were changed since are read by the next `hookclaw index`", err=True)
