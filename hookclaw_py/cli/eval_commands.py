"""``hookclaw eval``: skins over the evaluation. Whatever a command needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hookclaw_py.insight.terminal import say
from hookclaw_py.privacy.plain import plain_json

FILE = click.Path(path_type=Path, dir_okay=False)


@click.group("eval")
def eval_group() -> None:
    """Replay labelled prompts through the engine and say how good it is."""


@eval_group.command("run")
@click.argument("folder", metavar="SET_DIR", type=click.Path(path_type=Path, exists=True))
@click.option("--config", "config_file", type=FILE, help="Default: the built-in defaults.")
@click.option("--set", "values", multiple=True, metavar="KEY=VALUE", help="Change one configuration value.")
@click.option("--level", type=click.Choice(["chunk", "session"]), help="Of the tables and the run file.")
@click.option(
    "--session-pool", type=click.Choice(["best", "mean3"]), default="best", show_default=True, help="A session's score."
)
@click.option("--split", help="Only the prompts of this split.")
@click.option("--limit", type=click.IntRange(1), help="Only so many prompts, spread over the set.")
@click.option("--negatives", type=click.Choice(["cross-pair", "none"]), default="cross-pair", show_default=True)
@click.option(
    "--no-memory", type=click.Path(path_type=Path, exists=True), help="A gating set: also ask what needs no memory."
)
@click.option("--json", "json_out", type=FILE, help="Write the whole result.")
@click.option("--markdown", "markdown_out", type=FILE, help="Write the tables.")
@click.option("--html", "html_out", type=FILE, help="Write one self-contained report.")
@click.option("--run-out", type=FILE, help="Write the top 100 before abstention as a TREC run.")
@click.option("--injections-out", type=FILE, help="Write what each prompt came to, one JSON object a line.")
@click.option("--negatives-out", type=FILE, help="The same for the cross-paired prompts.")
@click.option("--expect", type=FILE, help="Compare with this file of expected numbers; exit code 1 when one is missed.")
@click.option("--rechunk", is_flag=True, help="Cut the documents as notes are cut; by default one is one chunk.")
@click.option(
    "--cached-prompts", is_flag=True, help="Keep the prompts' vectors too: quicker, and the times are not honest."
)
@click.pass_context
def run_command(ctx: click.Context, /, **options: Any) -> None:
    """Replay the prompts of SET_DIR and print ranking, silence, carry and cost.

    SET_DIR is a memory set, a BEIR folder, a workspace with prompts.jsonl, a gating or temporal set, or a file of
    LoCoMo or LongMemEval as its authors publish it.
    """
    from hookclaw_py.cli.evaluating import RunOptions, run_and_report

    if not run_and_report(RunOptions(**options)):
        ctx.exit(1)


@eval_group.command("compare")
@click.argument("first", type=FILE)
@click.argument("second", type=FILE)
@click.option("--seed", default=0, show_default=True, help="Of the resampling.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare_command(first: Path, second: Path, seed: int, as_json: bool) -> None:
    """Compare two results (`run --json`) prompt by prompt, and say what is shown and what is not."""
    from hookclaw_py.cli.evaluating import headline, print_sheets
    from hookclaw_py.evaluation import compare

    one, other = compare.load_result(first), compare.load_result(second)
    found = compare.compare(one, other, seed=seed)
    if as_json:
        import orjson

        rows = [{**d._asdict(), "verdict": d.verdict} for d in found]
        say(plain_json(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode()))
        return
    title = f"first: {headline(one)}\nsecond: {headline(other)}"
    print_sheets(title, [compare.sheet(found, ("first", "second")), compare.most_changed(one, other, 5)])
    say(compare.conclusion(found))


def sweep_options(command: Any) -> Any:
    """Add the options that ``sweep`` and ``tune`` share."""
    for option in (
        click.option("--jobs", default=2, show_default=True, type=click.IntRange(1), help="Processes side by side."),
        click.option("--done", type=FILE, help="Keep results here, and go on from there."),
        click.option("--seed", default=0, show_default=True, help="Of what is drawn."),
        click.option("--random", "draws", type=click.IntRange(1), help="Draw so many instead of the whole grid."),
        click.option(
            "--param",
            "params",
            multiple=True,
            required=True,
            metavar="KEY=A,B,C",
            help="Values to try, or LOW..HIGH with --random.",
        ),
        click.argument("suite_file", metavar="SUITE", type=FILE),
    ):
        command = option(command)
    return command


@eval_group.command("sweep")
@sweep_options
def sweep_command(
    suite_file: Path, params: tuple[str, ...], draws: int | None, seed: int, done: Path | None, jobs: int
) -> None:
    """Try configurations on the sets of SUITE and show which are worth having."""
    from hookclaw_py.cli.evaluating import print_sheets, sweep_of

    suite, trials, table = sweep_of(suite_file, params, draws, seed, done, jobs)
    print_sheets(f"{len(trials)} configurations on {', '.join(path.name for path in suite.sets)}", [table])


@eval_group.command("tune")
@sweep_options
@click.option("--out", required=True, type=FILE, help="Write the winning configuration here, as TOML.")
def tune_command(
    suite_file: Path, params: tuple[str, ...], draws: int | None, seed: int, done: Path | None, jobs: int, out: Path
) -> None:
    """Sweep, then write the best configuration with the evidence for it. Held-out prompts are never looked at."""
    from hookclaw_py.cli.evaluating import print_sheets, sweep_of
    from hookclaw_py.evaluation import tune

    suite, trials, table = sweep_of(suite_file, params, draws, seed, done, jobs)
    best = tune.winner(trials, suite)
    found = tune.evidence(suite, best, seed=seed)
    tune.write_winner(out, suite, best, found, len(trials))
    print_sheets(f"{len(trials)} configurations on {', '.join(path.name for path in suite.sets)}", [table])
    for line in found:
        say(line)
    say(f"written to {out}")


@eval_group.command("lifecycle")
@click.option("--markdown", "markdown_out", type=FILE, help="Write the table.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def lifecycle_command(markdown_out: Path | None, as_json: bool) -> None:
    """Live through made-up months and compare with plain vectors: what is taken back, reinforced, corrected, and what fades."""
    from hookclaw_py.cli.evaluating import print_sheets
    from hookclaw_py.evaluation import lifecycle, tables
    from hookclaw_py.insight.printing import as_plain

    found = list(lifecycle.lived())
    table = lifecycle.sheet(found)
    if markdown_out:
        markdown_out.write_text(tables.markdown(table), encoding="utf-8")
    if as_json:
        say(as_plain([{**one._asdict(), "gain": one.gain} for one in found]))
    else:
        print_sheets("the same sentences in both, the same embedding model", [table])


@eval_group.command("expected")
@click.argument("result_file", metavar="RESULT", type=FILE)
@click.option("--tolerance", default=0.02, show_default=True, help="Of every number.")
@click.option("--out", required=True, type=FILE)
def expected_command(result_file: Path, tolerance: float, out: Path) -> None:
    """Turn a RESULT (`run --json`) that one believes in into a file for `run --expect`."""
    import orjson

    from hookclaw_py.evaluation.compare import load_result
    from hookclaw_py.evaluation.expect import expectation

    out.write_bytes(
        orjson.dumps(expectation(load_result(result_file), tolerance=tolerance), option=orjson.OPT_INDENT_2) + b"\n"
    )
