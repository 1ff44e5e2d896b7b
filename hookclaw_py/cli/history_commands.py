"""``hookclaw history``, ``replay`` and ``stats``: what was decided, what another setting would do, whether it helps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hookclaw_py.cli.opening import (
    agent_of,
    config_file_of,
    config_of,
    folder_of,
    json_option,
    open_store,
    others_than,
)
from hookclaw_py.insight.terminal import say

if TYPE_CHECKING:
    from hookclaw_py.config import Config

OUTCOMES = ("injected", "silent", "skipped", "failed")


@click.command("history")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many, newest first.")
@click.option("--session", default="", help="Only prompts of this session.")
@click.option("--outcome", type=click.Choice(OUTCOMES), default=None, help="Only decisions that came to this.")
@json_option
@click.pass_context
def history(ctx: click.Context, limit: int, session: str, outcome: str | None, as_json: bool) -> None:
    """List past prompts and what became of them; `explain --id ID` tells the whole story of one."""
    from datetime import UTC, datetime

    from hookclaw_py.insight.history import as_row, print_history
    from hookclaw_py.insight.learned import learned, learned_text, today
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.turns import turns

    config = config_of(ctx)
    with open_store(ctx) as store:
        glances = store.decisions(limit=limit, session=session, outcome=outcome or "")
        ended = turns(store, {glance.id for glance in glances})
        news = learned_text(learned(store, since=today(datetime.now(UTC), config.zone)))
        elsewhere = "" if glances else others_than(ctx, store)
    if as_json:
        say(as_plain([as_row(glance, ended.get(glance.id)) for glance in glances]))
    elif glances:
        print_history(glances, ended, zone=config.zone)
    else:
        say("; ".join(filter(None, [_nothing(config, filtered=bool(session or outcome)), elsewhere])), err=True)
    if news and not as_json:
        say(f"learned today: {news}; `hookclaw records list` shows it")


def _nothing(config: Config, *, filtered: bool) -> str:
    if not config.keep_history:
        return "hookclaw: no history is kept (keepHistory = false)"
    return "hookclaw: no such decision is kept" if filtered else "hookclaw: nothing was asked yet"


def explain_past(ctx: click.Context, prefix: str, *, everything: bool, as_json: bool) -> None:
    """Print the story of a past decision, for ``hookclaw explain --id``."""
    from hookclaw_py.insight.history import as_object, print_decision
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.turns import UNHEARD, turns
    from hookclaw_py.store.decisions import find, with_texts

    config = config_of(ctx)
    with open_store(ctx) as store:
        decision = find(store, prefix)
        turn = turns(store, {decision.glance.id}).get(decision.glance.id)
        if as_json:
            say(as_plain(as_object(decision, with_texts(decision.injection, store), turn)))
            return
    print_decision(decision, turn or UNHEARD, limit=None if everything else 10, zone=config.zone)


@click.command("replay")
@click.argument("prefix", metavar="ID")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting to try, as in config.toml; more than one may be given.")  # fmt: skip
@json_option
@click.pass_context
def replay(ctx: click.Context, prefix: str, settings: tuple[str, ...], as_json: bool) -> None:
    """Ask the past prompt ID again: what was decided then, what would be now, and with other settings.

    The prompt is asked as of its own time; nothing is recorded or learned by it. An ID's first digits are enough.
    """
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.turns import UNHEARD, turns
    from hookclaw_py.insight.what_if import as_object, compare, print_comparison
    from hookclaw_py.store.decisions import find

    with open_store(ctx) as store:
        decision = find(store, prefix)
        turn = turns(store, {decision.glance.id}).get(decision.glance.id, UNHEARD)
    comparison = compare(
        decision, agent=agent_of(ctx), folder=folder_of(ctx), config_file=config_file_of(ctx), settings=settings
    )
    if as_json:
        say(as_plain(as_object(comparison)))
    else:
        print_comparison(comparison, turn)


@click.command("stats")
@click.option("--days", type=click.IntRange(1, 36_500), default=7, show_default=True, help="How far to look back.")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write a page of its own as well.")
@json_option
@click.pass_context
def stats(ctx: click.Context, days: int, html: Path | None, as_json: bool) -> None:
    """Show whether memory helps: prompts, memories used, what they cost, and what to change."""
    from datetime import UTC, datetime

    from hookclaw_py.insight.panel import print_impact
    from hookclaw_py.insight.printing import as_plain
    from hookclaw_py.insight.stats import impact
    from hookclaw_py.observe.recording import PromptLog

    config = config_of(ctx)
    with open_store(ctx) as store:
        labels = PromptLog(folder_of(ctx)).labels()
        found = impact(store, labels, agent=agent_of(ctx), config=config, days=days, now=datetime.now(UTC))
        if elsewhere := others_than(ctx, store):
            say(f"hookclaw: {elsewhere}", err=True)
    if html is not None:
        from hookclaw_py.insight.panel_page import page
        from hookclaw_py.privacy.files import replace_text

        replace_text(html, page(found, agent=agent_of(ctx), zone=config.zone))
        say(f"written to {html}", err=True)
    if as_json:
        say(as_plain(found))
    elif html is None:
        print_impact(found, agent=agent_of(ctx), zone=config.zone)
