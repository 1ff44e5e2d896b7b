"""``hookclaw records`` and ``brief``: what was learned from sessions, how it came to that, and a person's word on it."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from hookclaw_py.cli.history_commands import config_of, json_option, open_store
from hookclaw_py.cli.opening import known_engine
from hookclaw_py.insight.terminal import say

record_argument = click.argument("named", metavar="ID")
limit_option = click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many.")


@click.command("brief")
@click.option("--session", default="", help="The session that begins, or goes on.")
@json_option
@click.pass_context
def brief(ctx: click.Context, session: str, as_json: bool) -> None:
    """Print what a session is told when it begins: what is unfinished, pinned or confirmed, or why nothing."""
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.stages.briefing import by_kind

    with known_engine(ctx) as engine:
        briefing, enabled = engine.brief(session), engine.config.session_start.enabled
    if as_json:
        say(as_plain(by_kind(briefing)))
    elif briefing.text:
        say(briefing.text)
    else:
        why = "nothing is unfinished, pinned or confirmed" if enabled else "sessionStart.enabled = false"
        say(f"(silent: {why})", err=True)


@click.group("records")
def records() -> None:
    """See what was learned from sessions, and put it right.

    ID is the beginning of a record's id, as `hookclaw records list` shows it. Pin or forget one with `hookclaw feedback`.
    """


@records.command("list")
@click.option("--kind", "kinds", multiple=True, help="Only this kind (fact, decision, …); more than one may be given.")
@click.option("--status", "statuses", multiple=True, help="Only this status; without one, those that stand.")
@click.option("--session", default="", help="Only what this session said last.")
@click.option("--since", metavar="TIME", help='Only what was said since then ("2026-02-20", "yesterday").')
@click.option("--tag", "tags", multiple=True, help="Only what has this tag.")
@limit_option
@json_option
@click.pass_context
def list_command(
    ctx: click.Context,
    kinds: tuple[str, ...],
    statuses: tuple[str, ...],
    session: str,
    since: str | None,
    tags: tuple[str, ...],
    limit: int,
    as_json: bool,
) -> None:
    """List what was learned, newest first: id, day, kind, how present it is, about how many tokens reading it costs."""
    from hookclaw_py.cli.recall_commands import since as moment_since
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.records import as_row, print_records
    from hookclaw_py.model.kind import RECORDS
    from hookclaw_py.model.record import RecordStatus
    from hookclaw_py.stages.wanted import Wanted

    _known("kind", kinds, [kind.name for kind in RECORDS])
    _known("status", statuses, list(RecordStatus))
    config, now = config_of(ctx), datetime.now(UTC)
    wanted = Wanted(
        frozenset(kinds) or None,
        frozenset(statuses) or None,
        since=moment_since(since, config),
        tags=frozenset(tags),
    )
    with open_store(ctx) as store:
        every = store.records(session=session)
    found = [record for record in every if wanted.fits(record, record.salience_by(now))][:limit]
    if as_json:
        say(as_plain([as_row(record, now=now) for record in found]))
    elif found:
        print_records(found, now=now, zone=config.zone)
    else:
        say(
            f"hookclaw: {'nothing like that was learned' if every else 'nothing was learned from sessions yet'}",
            err=True,
        )


@records.command("show")
@record_argument
@json_option
@click.pass_context
def show_command(ctx: click.Context, named: str, as_json: bool) -> None:
    """Tell a record's story: every wording, when, who said it, why it changed, what it is made of and contested by."""
    from hookclaw_py.insight.memories import find_record
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.records import as_story, print_story, story_of

    now = datetime.now(UTC)
    with open_store(ctx) as store:
        story = story_of(store, find_record(store, named))
    if as_json:
        say(as_plain(as_story(story, now=now)))
    else:
        print_story(story, now=now, zone=config_of(ctx).zone)


@records.command("history")
@record_argument
@json_option
@click.pass_context
def history_command(ctx: click.Context, named: str, as_json: bool) -> None:
    """List what was done to a record, by whom and why, oldest first."""
    from hookclaw_py.insight.memories import find_record
    from hookclaw_py.insight.printing import as_plain

    with open_store(ctx) as store:
        history = store.record_history(find_record(store, named).id)
    if as_json:
        say(as_plain(history))
        return
    zone = config_of(ctx).zone
    for entry in history:
        say(f"{entry.at.astimezone(zone):%Y-%m-%d %H:%M}  {entry.action:<10}  {entry.actor}: {entry.why}")


@records.command("timeline")
@record_argument
@click.option("--before", type=click.IntRange(min=0), default=5, show_default=True, help="How many before it.")
@click.option("--after", type=click.IntRange(min=0), default=5, show_default=True, help="How many after it.")
@json_option
@click.pass_context
def timeline_command(ctx: click.Context, named: str, before: int, after: int, as_json: bool) -> None:
    """List what was learned just before and after a record, oldest first."""
    from hookclaw_py.insight.memories import find_record
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.records import around, as_row, print_records

    now = datetime.now(UTC)
    with open_store(ctx) as store:
        anchor = find_record(store, named)
        found = around(store.records(standing=True), anchor, before=before, after=after)
    if as_json:
        say(as_plain({"anchor": anchor.id, "records": [as_row(record, now=now) for record in found]}))
    else:
        print_records(found, now=now, zone=config_of(ctx).zone, anchor=anchor.id)


@records.command("graph")
@click.argument("names", metavar="ID…", nargs=-1, required=True)
@click.option("--hops", type=click.IntRange(0, 10), default=1, show_default=True, help="How far.")
@json_option
@click.pass_context
def graph_command(ctx: click.Context, names: tuple[str, ...], hops: int, as_json: bool) -> None:
    """Show what records hang together with: what they are made of, took the place of, are contested by."""
    from hookclaw_py.insight.memories import find_record
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.records import as_graph, graph_of, print_graph

    now = datetime.now(UTC)
    with open_store(ctx) as store:
        graph, reached = graph_of(store, [find_record(store, name) for name in names], now=now, hops=hops)
    if as_json:
        say(as_plain(as_graph(graph, reached, now=now)))
    else:
        print_graph(graph, reached, now=now, zone=config_of(ctx).zone)


def _known(what: str, given: tuple[str, ...], known: list[str]) -> None:
    if wrong := [word for word in given if word not in known]:
        raise click.BadParameter(f"{', '.join(wrong)}; choose of {', '.join(known)}", param_hint=f"--{what}")
