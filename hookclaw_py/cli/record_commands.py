"""``hookclaw records`` and ``brief``: what was learned from sessions, how it came to that, and a person's word on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from hookclaw_py.cli.opening import config_of, json_option, known_engine, learned_elsewhere, open_store
from hookclaw_py.insight.terminal import say

if TYPE_CHECKING:
    from hookclaw_py.model.record import RecordChange

_NOTHING = (
    "nothing of your sessions is unfinished, pinned or confirmed; a note that you pinned is preferred where it answers"
)
record_argument = click.argument("named", metavar="ID")
limit_option = click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many.")


@click.command("brief")
@click.option("--session", default="", help="The session that begins, or goes on.")
@click.option(
    "--at", metavar="TIME", help='As if it began then ("2026-02-20", "yesterday"); what was said later stays out.'
)
@json_option
@click.pass_context
def brief(ctx: click.Context, session: str, at: str | None, as_json: bool) -> None:
    """Print what a session is told when it begins: what is unfinished, pinned or confirmed, or why nothing."""
    from hookclaw_py.cli.recall_commands import moment_of
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.observe.status import silences
    from hookclaw_py.stages.briefing import by_kind

    with known_engine(ctx) as engine:
        now = moment_of(at, engine.config)
        briefing, enabled = engine.brief(session, at=now), engine.config.session_start.enabled
        silence = next(silences(engine.switches, engine.config, now=now or datetime.now(UTC)), "")
    if as_json:
        say(as_plain(by_kind(briefing)))
    elif briefing.text:
        say(briefing.text)
    elif silence or not enabled:
        say(f"(silent: {silence or 'sessionStart.enabled = false'})", err=True)
    else:
        say(f"(silent: {_NOTHING}{learned_elsewhere(ctx)})", err=True)


@click.group("records")
def records() -> None:
    """See what was learned from sessions, and put it right.

    Prompts are answered from what was said, not from records, unless one asks for them (`hookclaw recall --kind fact`); a session
    that begins hears of some (`hookclaw brief`). ID is the beginning of a record's id, as `hookclaw records list` shows it. Pin or forget one with `hookclaw feedback`.
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
    from hookclaw_py.model.kind import KINDS, RECORDS
    from hookclaw_py.model.record import RecordStatus

    _known("kind", kinds, [kind.name for kind in RECORDS])
    _known("status", statuses, list(RecordStatus))
    config, now = config_of(ctx), datetime.now(UTC)
    earliest = moment_since(since, config)
    with open_store(ctx) as store:
        nothing = not store.record_counts(session=session)
        some = store.records(
            kinds=[KINDS[name] for name in kinds],
            session=session,
            statuses=[RecordStatus(name) for name in statuses],
            standing=not statuses,
        )
    recent = (one for one in some if earliest is None or one.at >= earliest)
    found = [one for one in recent if {*tags} <= {*one.listed("tags")}][:limit]
    if as_json:
        say(as_plain([as_row(record, now=now) for record in found]))
    elif found:
        print_records(found, now=now, zone=config.zone)
    else:
        elsewhere = learned_elsewhere(ctx) if nothing else ""
        told = "nothing was learned from sessions yet" if nothing else "nothing like that was learned"
        say(f"hookclaw: {told}{elsewhere}", err=True)


@records.command("show")
@record_argument
@json_option
@click.pass_context
def show_command(ctx: click.Context, named: str, as_json: bool) -> None:
    """Tell a record's story: every wording, when, who said it, why it changed, what it is made of and contested by."""
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.records import as_story, print_story, story_of
    from hookclaw_py.store.naming import find_record

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
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.store.naming import find_record

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
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.records import around, as_row, print_records
    from hookclaw_py.store.naming import find_record

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
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.records import as_graph, graph_of, print_graph
    from hookclaw_py.store.naming import find_record

    now = datetime.now(UTC)
    with open_store(ctx) as store:
        graph, reached = graph_of(store, [find_record(store, name) for name in names], now=now, hops=hops)
    if as_json:
        say(as_plain(as_graph(graph, reached, now=now)))
    else:
        print_graph(graph, reached, now=now, zone=config_of(ctx).zone)


why_option = click.option(
    "--why", default="a person said so", show_default=True, help="It stands in the record's history."
)
new_words = click.argument("words", nargs=-1)


@records.command("retract")
@record_argument
@why_option
@click.pass_context
def retract_command(ctx: click.Context, named: str, why: str) -> None:
    """Take a record back. It stays in the list of what was retracted, and is never learned again."""
    from hookclaw_py.consolidate import revising
    from hookclaw_py.insight.records import rivals_of

    _revise(ctx, [named], lambda s, now, r: revising.retract(r, rivals_of(s, r), why=why, now=now))


@records.command("supersede")
@record_argument
@new_words
@click.option("--by", metavar="ID", help="The record that takes its place, instead of new WORDS.")
@why_option
@click.pass_context
def supersede_command(ctx: click.Context, named: str, words: tuple[str, ...], by: str | None, why: str) -> None:
    """Let a record say WORDS from now on; its history keeps what it said. Or let another record take its place."""
    from hookclaw_py.consolidate import revising
    from hookclaw_py.insight.records import rivals_of

    if bool(words) == bool(by):
        raise click.UsageError("give the new words, or --by ID")
    if by:
        _revise(ctx, [named, by], lambda _, _now, r, newer: revising.supersede_by(r, newer, why=why))
        return
    said = " ".join(words)
    _revise(ctx, [named], lambda s, now, r: revising.supersede(r, said, rivals_of(s, r), why=why, now=now))


@records.command("fork")
@record_argument
@click.argument("words", nargs=-1, required=True)
@why_option
@click.pass_context
def fork_command(ctx: click.Context, named: str, words: tuple[str, ...], why: str) -> None:
    """Let a record that says WORDS, and comes from this one, stand beside it."""
    from hookclaw_py.consolidate import revising

    _revise(ctx, [named], lambda _, now, r: revising.fork(r, " ".join(words), why=why, now=now))


@records.command("merge")
@click.argument("names", metavar="ID…", nargs=-1, required=True)
@click.option("--words", default="", help="What it says; by default what they said.")
@why_option
@click.pass_context
def merge_command(ctx: click.Context, names: tuple[str, ...], words: str, why: str) -> None:
    """Make one record of several of a kind."""
    from hookclaw_py.consolidate import revising

    _revise(ctx, names, lambda _, now, *some: revising.merge(some, words, why=why, now=now))


@records.command("contest")
@record_argument
@click.option("--by", metavar="ID", help="The record that says otherwise: then neither is sure.")
@why_option
@click.pass_context
def contest_command(ctx: click.Context, named: str, by: str | None, why: str) -> None:
    """Say that a record may be wrong."""
    from hookclaw_py.consolidate import revising

    names = [named, *([by] if by else [])]
    _revise(ctx, names, lambda _, _now, r, *rival: revising.contest(r, rival[0] if rival else None, why=why))


@records.command("reinforce")
@record_argument
@click.option("--gain", type=click.FloatRange(0, 1), default=0.1, show_default=True, help="Of salience.")
@why_option
@click.pass_context
def reinforce_command(ctx: click.Context, named: str, gain: float, why: str) -> None:
    """Make a record more present: it fades anew from now on."""
    from hookclaw_py.consolidate import revising

    _revise(ctx, [named], lambda _, now, r: revising.reinforce(r, gain, why=why, now=now))


@records.command("penalize")
@record_argument
@click.option("--amount", type=click.FloatRange(0, 1), default=0.1, show_default=True, help="Of salience.")
@why_option
@click.pass_context
def penalize_command(ctx: click.Context, named: str, amount: float, why: str) -> None:
    """Make a record less present."""
    from hookclaw_py.consolidate import revising

    _revise(ctx, [named], lambda _, now, r: revising.penalize(r, amount, why=why, now=now))


def _revise(ctx: click.Context, names: Sequence[str], change: Callable[..., list[RecordChange]]) -> None:
    """Change the records of these names, all or none, and say what has become of each."""
    from hookclaw_py import build
    from hookclaw_py.insight.printing import counted
    from hookclaw_py.insight.records import ID_SHOWN, headline, revise
    from hookclaw_py.store.naming import find_record
    from hookclaw_py.text import on_one_line

    now, zone = datetime.now(UTC), build.user_zone(config_of(ctx))
    with open_store(ctx) as store:
        changes, passages = revise(
            store, lambda: change(store, now, *(find_record(store, name) for name in names)), zone=zone, at=now
        )
        for record, action, *_ in changes:
            say(f"{record.id[:ID_SHOWN]}  {action}: {on_one_line(headline(record), 90)}")
        if passages:
            say(f"{counted(passages, 'passage')} of what was said {'says' if passages == 1 else 'say'} so from now on")


@records.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), required=False)
@click.pass_context
def export_command(ctx: click.Context, file: Path | None) -> None:
    """Write every record with its whole history to FILE, or to stdout: a line of JSON each."""
    from hookclaw_py.insight.printing import counted
    from hookclaw_py.insight.record_files import exported
    from hookclaw_py.privacy.files import replace_text

    with open_store(ctx) as store:
        lines = list(exported(store))
    text = "".join(f"{line}\n" for line in lines)
    if file is None:
        say(text, nl=False)
        return
    replace_text(file, text)
    say(f"written to {file}: {counted(len(lines), 'record')}", err=True)


@records.command("import")
@click.argument("file", type=click.File(encoding="utf-8", errors="surrogateescape"))  # the line of what is none is said
@click.pass_context
def import_command(ctx: click.Context, file: TextIO) -> None:
    """Read the records of FILE ("-" is stdin) that this memory does not have, with their history. What it has, or was told to forget, stays so."""
    from hookclaw_py import build
    from hookclaw_py.insight.printing import counted
    from hookclaw_py.insight.record_files import bring_in, read

    kept, zone = read(file), build.user_zone(config_of(ctx))
    with open_store(ctx) as store:
        brought = bring_in(store, kept, zone=zone, at=datetime.now(UTC))
    passed = [
        f"{brought.known} known already" if brought.known else "",
        f"{brought.forgotten} forgotten here" if brought.forgotten else "",
    ]
    told = ", ".join(filter(None, passed))
    say(f"imported {counted(brought.new, 'record')}{f' ({told})' if told else ''}")


def _known(what: str, given: tuple[str, ...], known: list[str]) -> None:
    if wrong := [word for word in given if word not in known]:
        raise click.BadParameter(f"{', '.join(wrong)}; choose of {', '.join(known)}", param_hint=f"--{what}")
