"""``hookclaw metrics``: what became of all prompts, in numbers for tuning."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hookclaw_py.cli.opening import agent_of, config_of, open_store
from hookclaw_py.insight.terminal import say

if TYPE_CHECKING:
    from hookclaw_py.observe.metrics_document import Totals


@click.command("metrics")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; its fields are described in `metrics_document`.")
@click.option("--prometheus", "as_prometheus", is_flag=True, help="Print Prometheus' text format.")
@click.option(
    "--dump",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write hookclaw-AGENT.json and hookclaw-AGENT.prom into this folder, each in one step.",
)
@click.option("--every", type=click.FloatRange(min=1.0), help="With --dump: again every so many seconds, until Ctrl-C.")
@click.pass_context
def metrics(ctx: click.Context, as_json: bool, as_prometheus: bool, folder: Path | None, every: float | None) -> None:
    """Show what became of the agent's prompts: outcomes, times, what was found by what, tokens, faults.

    Counts are cumulative, over restarts and all processes that use the agent's memory; a process that is still running
    adds what it counted within a second.
    """
    if as_json + as_prometheus + (folder is not None) > 1:
        raise click.UsageError("choose one of --json, --prometheus and --dump")
    if every is not None and folder is None:
        raise click.UsageError("--every goes with --dump")
    from datetime import UTC, datetime

    from hookclaw_py.messages import opening
    from hookclaw_py.observe.counting import of_messages
    from hookclaw_py.observe.metrics_document import document

    agent, config = agent_of(ctx), config_of(ctx)
    with open_store(ctx) as store:
        while True:
            totals = store.counts() | of_messages(opening.counts(config, agent))
            told = document(agent, store, totals, now=datetime.now(UTC))
            if folder is not None:
                from hookclaw_py.insight.metrics_dump import dump

                written = dump(folder, agent, totals, told)
            else:
                _print(agent, totals, told, as_json=as_json, as_prometheus=as_prometheus)
                return
            if every is None:
                say("\n".join(map(str, written)))
                return
            time.sleep(every)


def _print(agent: str, totals: Totals, told: dict[str, Any], *, as_json: bool, as_prometheus: bool) -> None:
    if as_prometheus:
        from hookclaw_py.insight.exposition import exposition

        say(exposition(agent, totals, told), nl=False)
    elif as_json:
        from hookclaw_py.insight.printing import as_plain

        say(as_plain(told))
    else:
        from hookclaw_py.insight.metrics_table import print_metrics

        print_metrics(told)
