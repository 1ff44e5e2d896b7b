"""``hookclaw recall`` and ``explain``: the block that an agent would get, and why."""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from hookclaw_py.cli.opening import json_option, kind_option, known_engine, others_than, say_what_changed
from hookclaw_py.insight.terminal import say
from hookclaw_py.regex import regex

if TYPE_CHECKING:
    from hookclaw_py.config import Config
    from hookclaw_py.model.types import Injection, Period

at_option = click.option(
    "--at", metavar="TIME", help='As if asked then ("2026-02-20", "yesterday"); later notes stay out.'
)
words_argument = click.argument("prompt", metavar="PROMPT", nargs=-1)
session_option = click.option("--session", default="", help="Session id, for the cache.")


@click.command()
@words_argument
@kind_option
@at_option
@session_option
@json_option
@click.pass_context
def recall(
    ctx: click.Context, prompt: tuple[str, ...], kinds: tuple[str, ...], at: str | None, session: str, as_json: bool
) -> None:
    """Print the block that an agent would get for PROMPT ("-" reads it from stdin), or why there is none."""
    if not prompt:
        raise click.UsageError("give a prompt")
    injection = _recall(ctx, " ".join(prompt), at, session, kinds)
    if as_json:
        from hookclaw_py.insight.printing import as_plain

        say(as_plain(injection))
    elif injection.text:
        say(injection.text)
    else:
        say(f"({injection.outcome}: {injection.reason})", err=True)
    _exit_if_failed(ctx, injection)


@click.command()
@words_argument
@click.option("--id", "past", metavar="ID", help="A past decision instead, from `hookclaw history`.")
@kind_option
@at_option
@session_option
@json_option
@click.option("--all", "everything", is_flag=True, help="Show the whole pool, not only the first ten.")
@click.pass_context
def explain(
    ctx: click.Context,
    prompt: tuple[str, ...],
    past: str | None,
    kinds: tuple[str, ...],
    at: str | None,
    session: str,
    as_json: bool,
    everything: bool,
) -> None:
    """Show why each memory was, or was not, injected for PROMPT, or for a past one (--id).

    It is only a look: nothing is recorded or learned.
    """
    if past is not None:
        if prompt or at is not None or session or kinds:
            raise click.UsageError("--id names a past prompt: give no other prompt, kind, time or session")
        from hookclaw_py.cli.history_commands import explain_past

        explain_past(ctx, past, everything=everything, as_json=as_json)
        return
    if not prompt:
        raise click.UsageError("give a prompt, or --id ID of a past one")
    from hookclaw_py.insight.explaining import print_explanation
    from hookclaw_py.insight.printing import as_plain

    injection = _recall(ctx, " ".join(prompt), at, session, kinds, record=False)
    if as_json:
        say(as_plain(injection))
    else:
        print_explanation(injection, limit=None if everything else 10)
    _exit_if_failed(ctx, injection)


def _exit_if_failed(ctx: click.Context, injection: Injection) -> None:
    if injection.outcome == "failed":
        ctx.exit(1)


def _recall(
    ctx: click.Context, prompt: str, written: str | None, session: str, kinds: tuple[str, ...], *, record: bool = True
) -> Injection:
    prompt = sys.stdin.read() if prompt == "-" else prompt
    prompt = prompt.encode(errors="replace").decode()  # a shell may hand over what is no UTF-8
    with known_engine(ctx) as engine:
        at = moment_of(written, engine.config)
        engine.warm_up(kinds)
        injection = engine.recall(prompt, kinds=kinds, at=at, session=session, as_of=at is not None, record=record)
        problems = [*engine.status().problems, *filter(None, [others_than(ctx, engine.store)])]
        faults = [
            f"{fault.stage}: {fault.error}" for fault in injection.faults if fault.error not in "\n".join(problems)
        ]
        for warning in (*problems, *faults):
            say(f"warning: {warning}", err=True)
        say_what_changed(ctx, engine)
        return injection


def moment_of(written: str | None, config: Config) -> datetime | None:
    """Return the time that somebody wrote: ISO 8601, or a day as one says it, which is meant to its end."""
    if written is None:
        return None
    named = _named(written, config, option="--at")
    if isinstance(named, datetime):
        return named
    end, now = named.end - timedelta(seconds=1), datetime.now(named.end.tzinfo)
    return end if named.start > now else min(end, now)


def since(written: str | None, config: Config) -> datetime | None:
    """Return when a time that somebody wrote begins, aware."""
    if written is None:
        return None
    named = _named(written, config, option="--since")
    return named if isinstance(named, datetime) else named.start


_WITHIN = ("{}", "am {}", "qui était là {}")
"""Prompts in which a day may stand: "27.11." and "hier" are none by themselves."""
_EITHER_WAY = regex(r"(?:0?\d|1[0-2])/(?:0?\d|1[0-2])")  # the 5th of November, or the 11th of May


def _named(written: str, config: Config, *, option: str) -> datetime | Period:
    """Return the moment of ISO 8601 that was written, aware, or else the period that was said."""
    from hookclaw_py.build import user_zone
    from hookclaw_py.stages.periods import find_period

    zone = user_zone(config)
    with suppress(ValueError):
        at = datetime.fromisoformat(written)
        return at if at.tzinfo else at.replace(tzinfo=zone)
    now = datetime.now(zone)
    wanted = written.strip().rstrip(".").casefold()
    asked = (
        find_period(within.format(written.strip()), now=now)
        for within in (_WITHIN[:1] if _EITHER_WAY.fullmatch(wanted) else _WITHIN)
    )
    period = next((one for one in asked if one and one.phrase.rstrip(".").casefold() == wanted), None)
    if period is None:
        raise click.BadParameter(
            f"{written!r} is not a time; write 2026-02-20, 2026-02-20T10:00+01:00, yesterday, last Friday",
            param_hint=f"'{option}'",
        )
    return period
