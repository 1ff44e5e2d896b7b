"""``hookclaw remember``, ``search`` and ``list``: the notes themselves, without any judgement on what to inject."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hookclaw_py.cli.opening import (
    agent_of,
    config_of,
    folder_of,
    json_option,
    kind_option,
    no_memory_of,
    open_store,
    say_what_changed,
)
from hookclaw_py.insight.terminal import say

if TYPE_CHECKING:
    from hookclaw_py.engine import Engine
    from hookclaw_py.model.types import Chunk


def _engine(ctx: click.Context) -> Engine:
    from hookclaw_py.engine import Engine
    from hookclaw_py.store.upkeep import is_there

    if not is_there(folder_of(ctx)):
        raise no_memory_of(agent_of(ctx))
    return Engine.open(config_of(ctx), agent=agent_of(ctx))


@click.command("remember")
@click.argument("words", nargs=-1, required=True)
@click.pass_context
def remember(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Write WORDS into your notes, under today's date ("-" reads them from stdin), and index them.

    They go to Remembered.md in the first folder, in an agent's workspace to the day's file in memory/.
    """
    text = sys.stdin.read() if words == ("-",) else " ".join(words)
    with _engine(ctx) as engine:
        say(f"written to {engine.remember(text)}")


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@kind_option
@click.option("--limit", type=click.IntRange(1, 200), default=10, show_default=True, help="How many.")
@json_option
@click.pass_context
def search(ctx: click.Context, words: tuple[str, ...], kinds: tuple[str, ...], limit: int, as_json: bool) -> None:
    """List the passages nearest to WORDS with all their scores, whether they answer or not."""
    from hookclaw_py.insight.explaining import print_found
    from hookclaw_py.insight.printing import as_plain

    sought = " ".join(words)
    if not sought.strip():
        raise click.UsageError("there is nothing to search for: give a word or more")
    with _engine(ctx) as engine:
        engine.warm_up(kinds)
        found = engine.search(sought, limit=limit, kinds=kinds)
        say_what_changed(ctx, engine)
    if as_json:
        say(as_plain(found))
    elif found:
        print_found(found)
    else:
        say("hookclaw: nothing is indexed, or no word of it is like these", err=True)


@click.command("list", short_help="List the notes that are indexed, and how many passages each has.")
@click.argument("part", default="")
@click.option("--passages", is_flag=True, help="Each passage, with its id for `hookclaw feedback`.")
@json_option
@click.pass_context
def list_notes(ctx: click.Context, part: str, passages: bool, as_json: bool) -> None:
    """List the notes that are indexed, and how many passages each has; only those with PART in their path, if given."""
    from hookclaw_py.ingest.workspace import shown
    from hookclaw_py.insight.printing import as_plain, counted

    with open_store(ctx) as store:
        held, known = store.all_chunks(), store.files()
    chunks = [chunk for chunk in held if chunk.kind.searched and part.casefold() in chunk.place.path.casefold()]
    files = {path: 0 for path, file in known.items() if file.kind.searched and part.casefold() in path.casefold()}
    for chunk in chunks:
        files[chunk.place.path] = files.get(chunk.place.path, 0) + 1
    if as_json:
        told = [_shown(chunk) for chunk in chunks] if passages else [{"path": p, "chunks": n} for p, n in files.items()]
        say(as_plain(told))
    elif not files:
        say(f"hookclaw: no path of a note has {part!r} in it" if part else "hookclaw: nothing is indexed", err=True)
    elif passages:
        for chunk in chunks:
            say(f"{chunk.id[:8]}  {shown(str(chunk.place))}  {chunk.heading}")
    else:
        for path, count in files.items():
            say(f"{shown(path)}  {counted(count, 'passage')}")


def _shown(chunk: Chunk) -> dict[str, object]:
    return {
        "id": chunk.id,
        "path": chunk.place.path,
        "lines": list(chunk.place.lines),
        "heading": chunk.heading,
        "text": chunk.text,
    }
