"""``hookclaw export``: memories that no file holds, as notes to read and keep."""

from __future__ import annotations

from pathlib import Path

import click

from hookclaw_py.cli.opening import config_of, json_option, open_store
from hookclaw_py.insight.terminal import say


@click.command("export", short_help="Write what was learned and said in sessions as notes, to read and to keep in git.")
@click.option(
    "--markdown",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder to write to.",
)
@json_option
@click.pass_context
def export(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Write what was learned and said in sessions as notes, to read and to keep in git.

    Facts, decisions, preferences, skills and plans have a file each, the rest one a month. The same memories give the same
    bytes; files of an earlier export are brought up to date, others are left alone. They say `private: true`, so that
    what was exported is never indexed as a note as well.
    """
    from hookclaw_py import build
    from hookclaw_py.insight.printing import as_plain, counted
    from hookclaw_py.insight.record_notes import notes_of, write_notes

    with open_store(ctx) as store:
        every = store.records(standing=True, newest=1_000_000_000)
        notes = notes_of(every, store.all_chunks(), zone=build.user_zone(config_of(ctx)))
    done = write_notes(folder, notes)
    if as_json:
        say(as_plain({name: [str(file) for file in files] for name, files in done._asdict().items()}))
        return
    for file in done.written:
        say(f"written: {file}")
    for file in done.removed:
        say(f"removed, for nothing of it is remembered any more: {file}")
    say(f"{counted(len(notes), 'note')} in {folder}, {len(done.unchanged)} unchanged", err=True)
