"""``hookclaw review``: what is held back because it is not your own, and your word on it."""

from __future__ import annotations

import click

from hookclaw_py.cli.opening import folder_of, json_option, open_store, others_than
from hookclaw_py.insight.terminal import say


@click.group("review", invoke_without_command=True)
@json_option
@click.pass_context
def review(ctx: click.Context, as_json: bool) -> None:
    """List what is held back because others wrote it, and why; confirm, trust or forget it.

    MEMORY is the beginning of an id or a place, SOURCE a file, a folder or a session, as the list names them.
    """
    if ctx.invoked_subcommand is not None:
        return
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.review import held_back, held_line, review_lines

    with open_store(ctx) as store:
        held, elsewhere = held_back(store), others_than(ctx, store)
    if as_json:
        say(as_plain([one._asdict() for one in held]))
        return
    for line in review_lines(held):
        say(line)
    waiting = [one for one in held if not one.confirmed]
    nothing = f"nothing is held back{f'; {elsewhere}' if elsewhere else ''}"
    say(held_line(waiting) if waiting else nothing, err=True)
    if waiting:
        say("`hookclaw review confirm MEMORY`, `trust SOURCE` or `forget SOURCE` says what becomes of it", err=True)


@review.command("confirm")
@click.argument("named", metavar="MEMORY")
@click.pass_context
def confirm_command(ctx: click.Context, named: str) -> None:
    """Let one memory be told like your own."""
    from hookclaw_py.insight.review import confirm
    from hookclaw_py.store.naming import find_memory, place_of

    with open_store(ctx) as store:
        memory = find_memory(store, named)
        news = confirm(store, memory)
        say(f"confirmed{'' if news else ' already'}: {place_of(store.heads([memory]).get(memory), memory)}")


@review.command("trust")
@click.argument("source")
@click.pass_context
def trust_command(ctx: click.Context, source: str) -> None:
    """Let all of a source be told like your own, what comes later too."""
    from hookclaw_py.insight.printing import counted
    from hookclaw_py.insight.review import trust_source

    with open_store(ctx) as store:
        number = trust_source(store, source)
    say(f"trusted: {source} ({counted(number, 'passage')} now)")


@review.command("doubt")
@click.argument("named", metavar="MEMORY|SOURCE")
@click.pass_context
def doubt_command(ctx: click.Context, named: str) -> None:
    """Take a confirmation back."""
    from hookclaw_py.errors import StoreError
    from hookclaw_py.insight.review import doubt
    from hookclaw_py.store.naming import find_memory

    with open_store(ctx) as store:
        had = doubt(store, named)
        if not had:
            try:
                had = doubt(store, find_memory(store, named))
            except StoreError:
                had = False
    say(f"{'no longer confirmed' if had else 'was not confirmed'}: {named}")


@review.command("forget")
@click.argument("source")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def forget_command(ctx: click.Context, source: str, yes: bool) -> None:
    """Purge what is held back from a source for good, as `hookclaw feedback forget` does."""
    from datetime import UTC, datetime

    from hookclaw_py.forgetting import forget
    from hookclaw_py.insight.printing import counted
    from hookclaw_py.insight.review import memories_from

    with open_store(ctx) as store:
        memories = memories_from(store, source)
        if not yes:
            told = (
                f"Forget {counted(len(memories), 'passage')} from {source}, with their history? There is no way back."
            )
            click.confirm(told, abort=True)
        beside, now, problem = folder_of(ctx), datetime.now(UTC), ""
        for memory in memories:
            gone = forget(store, memory, beside=beside, at=now)
            problem = problem or gone.problem
    say(f"forgotten: {counted(len(memories), 'passage')} from {source}")
    if problem:
        say(f"their words stay in the keyword index until the next prompt or `hookclaw index`: {problem}", err=True)
