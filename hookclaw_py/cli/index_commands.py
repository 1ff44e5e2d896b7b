"""``hookclaw index``, ``watch`` and ``status``: what the store holds, and how it gets there."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hookclaw_py.cli.opening import changed_notes, folder_of, json_option, known_engine, open_engine
from hookclaw_py.errors import IndexingError
from hookclaw_py.insight.terminal import say

if TYPE_CHECKING:
    from hookclaw_py.ingest.indexer import IndexReport

FILE = click.Path(path_type=Path)
MOST_THREADS = 8  # what is not the model's runs one thread at a time: more would wait for each other


def _named(_: click.Context, __: click.Parameter, folders: tuple[str, ...]) -> tuple[Path, ...]:
    if "" in folders:  # as a path it is where one happens to stand
        raise click.BadParameter("a folder is named by nothing; is a variable empty?")
    return tuple(map(Path, folders))


@click.command()
@click.argument("folders", type=click.Path(), nargs=-1, callback=_named)
@click.option(
    "--move", is_flag=True, help="The folder has moved here: keep what is known of it. Says first what that means."
)
@click.option("--drop", type=FILE, multiple=True, metavar="FOLDER", help="Index this one of several folders no longer.")
@click.option(
    "--prune",
    is_flag=True,
    help="Remove from the store what is gone from the folders, even if that is most of it; without, you are asked. What was said in "
    "sessions and what agents saved stays; no file is touched.",
)
@click.option(
    "--rebuild",
    is_flag=True,
    help="Remove what was made of the files, and read and embed them anew; of a damaged store, which is kept aside, save what can be "
    "read. What was said in sessions, what agents saved, and what you said of any of it stays.",
)
@json_option
@click.pass_context
def index(
    ctx: click.Context,
    folders: tuple[Path, ...],
    move: bool,
    drop: tuple[Path, ...],
    prune: bool,
    rebuild: bool,
    as_json: bool,
) -> None:
    """Read the notes of FOLDERS into the agent's store; without, those of the folders that it holds already.

    Notes are all .md, .markdown, .txt and .org below; of an agent's workspace MEMORY.md and memory/**/*.md.
    Name another folder beside the first to add it. Only what changed is read and embedded. Interrupt it whenever you
    like: the next run goes on.
    """
    if rebuild:
        _rebuild(ctx)
    with open_engine(ctx, answers=False) if folders else known_engine(ctx, answers=False) as engine:
        from hookclaw_py.ingest.folders import movable
        from hookclaw_py.insight.printing import as_plain, index_summary, move_summary, progress_bar, unread_summary

        if rebuild:
            engine.capturing.bring_back()
        fresh = [folder for path in folders if str(folder := path.expanduser().resolve()) not in engine.folders]
        if move and fresh and fresh[0].is_dir() and len(moved := movable([Path(one) for one in engine.folders])) == 1:
            say(move_summary(engine.status(), moved[0], fresh[0]), err=True)
            if _asks():
                click.confirm("Go on?", abort=True, err=True)
        with progress_bar() as progress:
            report = engine.indexing.index(
                *folders, move=move, drop=drop, prune=prune, progress=progress, threads=processors()
            )
        _warn(report)
        if report.withheld and _asks() and click.confirm("Remove them from the store?", err=True):
            with progress_bar() as progress:
                report = engine.index(prune=True, progress=progress)
        say(as_plain(report) if as_json else index_summary(report, engine.status()))
        if not as_json and (unread := unread_summary(report)):
            say(unread, err=True)
        if damage := engine.store.check():
            say(f"hookclaw: {damage}", err=True)
            ctx.exit(1)
        if report.withheld:
            ctx.exit(1)


def processors() -> int:
    """Return how many processors this process may use, as far as more of them embed sooner."""
    return min(MOST_THREADS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _asks() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _rebuild(ctx: click.Context) -> None:
    from datetime import UTC, datetime

    from hookclaw_py.store.upkeep import rebuild

    done = rebuild(folder_of(ctx), at=datetime.now(UTC))
    if done is None or not done.damage:
        return
    say(f"the store was damaged ({done.damage}); it is kept as {done.aside}", err=True)
    for table, how in done.lost.items():
        say(f"lost of {table}: {how}", err=True)


def _warn(report: IndexReport) -> None:
    for warning in report.warnings:
        say(f"warning: {warning}", err=True)


@click.command()
@click.pass_context
def watch(ctx: click.Context) -> None:
    """Keep the index fresh while notes change, until Ctrl-C."""
    import threading

    from hookclaw_py.indexing import NOTHING_INDEXED
    from hookclaw_py.insight.printing import index_summary

    with known_engine(ctx) as engine:
        if not engine.folders:
            raise IndexingError(NOTHING_INDEXED)

        def show(report: IndexReport) -> None:
            _warn(report)
            say(index_summary(report, engine.status()))

        say(f"watching {' and '.join(engine.folders)}; Ctrl-C ends it", err=True)
        try:
            engine.watch(show, stop=threading.Event())
        except KeyboardInterrupt:
            say("stopped", err=True)


@click.command()
@json_option
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Say what the agent's store holds and how fresh it is."""
    from hookclaw_py.config import home
    from hookclaw_py.insight.printing import as_plain, by_field, print_status
    from hookclaw_py.store.agents import known_agents

    with known_engine(ctx) as engine:
        engine.store.check()
        engine.catch_up()
        found, changed = engine.status(), changed_notes(engine)
    others = [agent for agent in known_agents(home()) if agent != found.agent]
    if as_json:
        say(as_plain({**by_field(found), "changed": changed, "others": others}))
    else:
        print_status(found, changed=changed, others=others)
    if found.problems:
        ctx.exit(1)
