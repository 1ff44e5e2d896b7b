"""The command line: skins over the engine. Whatever a command needs is imported when it runs."""

from __future__ import annotations

import errno
import sys
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hookclaw_py import __version__
from hookclaw_py.bridge.commands import hook, mcp, serve
from hookclaw_py.errors import ConfigError, HookclawError, IndexingError
from hookclaw_py.evaluation.commands import eval_group
from hookclaw_py.evaluation.prompt_commands import prompts_group
from hookclaw_py.insight.backup_commands import backup, restore
from hookclaw_py.insight.feedback_commands import feedback
from hookclaw_py.insight.history_commands import explain_past, history, no_memory_of, replay, stats
from hookclaw_py.insight.metrics_commands import metrics
from hookclaw_py.insight.notes_commands import list_notes, remember, search
from hookclaw_py.openclaw.commands import doctor, openclaw
from hookclaw_py.terminal import say

if TYPE_CHECKING:
    from hookclaw_py.config import Config
    from hookclaw_py.engine import Engine
    from hookclaw_py.store.indexer import IndexReport
    from hookclaw_py.types import Injection

BAD_INPUT = 2
FILE = click.Path(path_type=Path)
INTERRUPTED = 130


SECTIONS = {
    "Remember": ("index", "remember", "recall", "search", "explain", "list", "status", "watch", "demo"),
    "Agents": ("openclaw", "doctor", "hook", "mcp", "serve"),
    "Does it help": ("stats", "history", "replay", "feedback"),
    "Tune": ("config", "metrics", "prompts", "eval"),
    "Keep": ("backup", "restore"),
}


class _Hookclaw(click.Group):
    """Turns our own errors into one clear message and exit code 2, and Ctrl-C into a word of comfort and 130."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands by what one wants, each with its whole first sentence."""
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(200)) for name in names])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ConfigError as error:
            problems = "\n".join(f"  {problem}" for problem in error.problems)
            say(f"hookclaw: the configuration cannot be used:\n{problems}", err=True)
        except HookclawError as error:
            say(f"hookclaw: {error}{f': {error.at_shell}' if error.at_shell else ''}", err=True)
        except KeyboardInterrupt:
            kept = "; what is done is kept, run `hookclaw index` again to go on"
            say(f"hookclaw: interrupted{kept if ctx.invoked_subcommand == 'index' else ''}", err=True)
            return ctx.exit(INTERRUPTED)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                say(f"hookclaw: cannot write: {error.strerror}; free some space and run it again", err=True)
            elif error.filename is not None:
                say(f"hookclaw: {error.filename}: {error.strerror}; check the path and its mode", err=True)
            else:
                raise
        return ctx.exit(BAD_INPUT)


@click.group(cls=_Hookclaw, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hookclaw")
@click.option("--agent", default="main", show_default=True, help="Whose memory: each agent has a store of its own.")
@click.option("--config", "config_file", type=FILE, help="Default: $HOOKCLAW_HOME/config.toml.")
@click.option("-v", "--verbose", is_flag=True, help="Log decisions and warnings to stderr.")
@click.pass_context
def main(ctx: click.Context, agent: str, config_file: Path | None, verbose: bool) -> None:
    """Local-first memory for AI agents: the few memories that answer a prompt, or silence."""
    ctx.obj = {"agent": agent, "config_file": config_file}
    if verbose:
        import logging

        from hookclaw_py.plain import PlainFormatter

        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(PlainFormatter())
        logging.basicConfig(level=logging.INFO, handlers=[handler])


def _config(ctx: click.Context) -> Config:
    from hookclaw_py.config import Config

    return Config.load(ctx.obj["config_file"])


def _engine(ctx: click.Context) -> Engine:
    from hookclaw_py.engine import Engine

    return Engine.open(_config(ctx), agent=ctx.obj["agent"])


def _known_engine(ctx: click.Context) -> Engine:
    """Open a store that is there and make none; the main agent without one gets an empty memory."""
    from hookclaw_py.config import home
    from hookclaw_py.engine import Engine
    from hookclaw_py.store.database import agent_folder

    config, agent = _config(ctx), ctx.obj["agent"]
    if _has_store(agent_folder(home(), agent)):
        return Engine.open(config, agent=agent)
    if agent == "main":
        return Engine.in_memory(config, strict=False)
    raise no_memory_of(agent)


def _has_store(folder: Path) -> bool:
    try:
        return (folder / "memory.db").exists()
    except OSError:
        return True  # opening it says what is wrong


def _moment(written: str | None, config: Config) -> datetime | None:
    """Return the time that somebody wrote: ISO 8601, or a day as one says it, which is meant to its end."""
    from hookclaw_py.build import user_zone
    from hookclaw_py.stages.periods import find_period

    if written is None:
        return None
    with suppress(ValueError):
        return datetime.fromisoformat(written)
    now = datetime.now(user_zone(config))
    period = find_period(written, now=now)
    if period is None or period.phrase.casefold() != written.strip().casefold():
        raise click.BadParameter(
            f"{written!r} is not a time; write 2026-02-20, 2026-02-20T10:00+01:00, yesterday, last Friday",
            param_hint="'--at'",
        )
    end = period.end - timedelta(seconds=1)
    return end if period.start > now else min(end, now)


def _whose(ctx: click.Context, _option: click.Parameter, agent: str | None) -> None:
    if agent is not None:
        ctx.ensure_object(dict)["agent"] = agent


def _configured(ctx: click.Context, _option: click.Parameter, file: Path | None) -> None:
    if file is not None:
        ctx.ensure_object(dict)["config_file"] = file


at_option = click.option(
    "--at", metavar="TIME", help='As if asked then ("2026-02-20", "yesterday"); later notes stay out.'
)
session_option = click.option("--session", default="", help="Session id, for the cache.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@main.command()
@click.argument("folders", type=click.Path(path_type=Path), nargs=-1)
@click.option(
    "--move", is_flag=True, help="The folder has moved here: keep what is known of it. Says first what that means."
)
@click.option("--drop", type=FILE, multiple=True, metavar="FOLDER", help="Index this one of several folders no longer.")
@click.option("--prune", is_flag=True, help="Let what is gone go, even most of the store; without, you are asked.")
@click.option("--rebuild", is_flag=True, help="Read and embed everything anew; what you said of it stays.")
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
    with _engine(ctx) if folders else _known_engine(ctx) as engine:
        from hookclaw_py.printing import as_plain, index_summary, move_summary, progress_bar

        fresh = [folder for path in folders if str(folder := path.expanduser().resolve()) not in engine.folders]
        if move and fresh and engine.folders:
            say(move_summary(engine.status(), fresh[0]), err=True)
            if _asks():
                click.confirm("Go on?", abort=True, err=True)
        with progress_bar() as progress:
            report = engine.index(*folders, move=move, drop=drop, prune=prune, progress=progress)
        _warn(report)
        if report.withheld and _asks() and click.confirm("Remove them from the store?", err=True):
            with progress_bar() as progress:
                report = engine.index(prune=True, progress=progress)
        say(as_plain(report) if as_json else index_summary(report, engine.status()))
        if damage := engine.store.check():
            say(f"hookclaw: {damage}", err=True)
            ctx.exit(1)
        if report.withheld:
            ctx.exit(1)


def _asks() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _rebuild(ctx: click.Context) -> None:
    from datetime import UTC

    from hookclaw_py.insight.history_commands import folder_of
    from hookclaw_py.store.copies import rebuild

    done = rebuild(folder_of(ctx), at=datetime.now(UTC))
    if done is None or not done.damage:
        return
    say(f"the store was damaged ({done.damage}); it is kept as {done.aside}", err=True)
    for table, how in done.lost.items():
        say(f"lost of {table}: {how}", err=True)


def _warn(report: IndexReport) -> None:
    for warning in report.warnings:
        say(f"warning: {warning}", err=True)


@main.command()
@click.argument("prompt")
@at_option
@session_option
@json_option
@click.pass_context
def recall(ctx: click.Context, prompt: str, at: str | None, session: str, as_json: bool) -> None:
    """Print the block that an agent would get for PROMPT ("-" reads it from stdin), or why there is none."""
    injection = _recall(ctx, prompt, at, session)
    if as_json:
        from hookclaw_py.printing import as_plain

        say(as_plain(injection))
    elif injection.text:
        say(injection.text)
    else:
        say(f"({injection.outcome}: {injection.reason})", err=True)
    _exit_if_failed(ctx, injection)


@main.command()
@click.argument("prompt", required=False)
@click.option("--id", "past", metavar="ID", help="A past decision instead, from `hookclaw history`.")
@at_option
@session_option
@json_option
@click.option("--all", "everything", is_flag=True, help="Show the whole pool, not only the first ten.")
@click.pass_context
def explain(
    ctx: click.Context,
    prompt: str | None,
    past: str | None,
    at: str | None,
    session: str,
    as_json: bool,
    everything: bool,
) -> None:
    """Show why each memory was, or was not, injected for PROMPT, or for a past one (--id).

    It is only a look: nothing is recorded or learned.
    """
    if past is not None:
        if prompt is not None or at is not None or session:
            raise click.UsageError("--id names a past prompt: give no other prompt, time or session")
        explain_past(ctx, past, everything=everything, as_json=as_json)
        return
    if prompt is None:
        raise click.UsageError("give a prompt, or --id ID of a past one")
    from hookclaw_py.printing import as_plain, print_explanation

    injection = _recall(ctx, prompt, at, session, record=False)
    if as_json:
        say(as_plain(injection))
    else:
        print_explanation(injection, limit=None if everything else 10)
    _exit_if_failed(ctx, injection)


def _exit_if_failed(ctx: click.Context, injection: Injection) -> None:
    if injection.outcome == "failed":
        ctx.exit(1)


def _recall(ctx: click.Context, prompt: str, written: str | None, session: str, *, record: bool = True) -> Injection:
    prompt = sys.stdin.read() if prompt == "-" else prompt
    prompt = prompt.encode(errors="replace").decode()  # a shell may hand over what is no UTF-8
    with _known_engine(ctx) as engine:
        at = _moment(written, engine.config)
        engine.warm_up()
        injection = engine.recall(prompt, at=at, session=session, as_of=at is not None, record=record)
        problems = engine.status().problems
        faults = [
            f"{fault.stage}: {fault.error}" for fault in injection.faults if fault.error not in "\n".join(problems)
        ]
        for warning in (*problems, *faults):
            say(f"warning: {warning}", err=True)
        return injection


@main.command()
@json_option
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Say what the agent's store holds and how fresh it is."""
    from hookclaw_py.config import home
    from hookclaw_py.printing import as_plain, print_status
    from hookclaw_py.store.agents import known_agents

    with _known_engine(ctx) as engine:
        engine.store.check()
        engine.catch_up()
        found = engine.status()
    if as_json:
        say(as_plain(found))
    else:
        print_status(found, others=[agent for agent in known_agents(home()) if agent != found.agent])
    if found.problems:
        ctx.exit(1)


@main.command()
@click.pass_context
def watch(ctx: click.Context) -> None:
    """Keep the index fresh while notes change, until Ctrl-C."""
    import threading

    from hookclaw_py.engine import NOTHING_INDEXED
    from hookclaw_py.printing import index_summary

    with _known_engine(ctx) as engine:
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


@main.command()
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Put the demo's workspace and store here and keep them.",
)
def demo(keep: Path | None) -> None:
    """Index a small workspace that comes with the package and ask it a handful of questions."""
    import tempfile

    from hookclaw_py.demonstration import run

    if keep is not None:
        run(keep)
        return
    with tempfile.TemporaryDirectory(prefix="hookclaw-demo-") as folder:
        run(Path(folder))


@main.group("config")
def config_group() -> None:
    """Show and check the configuration."""


@config_group.command("show", short_help="Print every value and where it came from.")
@json_option
@click.pass_context
def config_show(ctx: click.Context, as_json: bool) -> None:
    """Print every value and where it came from."""
    from hookclaw_py.config import Config
    from hookclaw_py.config_sources import camel
    from hookclaw_py.printing import as_plain, config_values, print_config

    config, origins = Config.load_with_origins(ctx.obj["config_file"])
    if as_json:
        places = {camel(key): origin for key, origin in origins.items()}
        say(as_plain({"values": config_values(config, by_alias=True), "origins": places}))
    else:
        print_config(config, origins)


@config_group.command("check", short_help="List every problem of the configuration.")
@click.pass_context
def config_check(ctx: click.Context) -> None:
    """Say whether the configuration can be used, listing every problem; exit code 2 when it cannot."""
    config = _config(ctx)
    say(f"the configuration is fine (fingerprint {config.fingerprint})")


@config_group.command("schema")
def config_schema() -> None:
    """Print the JSON schema of the configuration."""
    from hookclaw_py.config import json_schema
    from hookclaw_py.printing import as_plain

    say(as_plain(json_schema()))


for command in (
    remember,
    search,
    list_notes,
    serve,
    hook,
    mcp,
    openclaw,
    doctor,
    eval_group,
    prompts_group,
    history,
    replay,
    stats,
    feedback,
    metrics,
    backup,
    restore,
):
    main.add_command(command)


def _accept_after_the_verb(command: click.Command, *options: click.Parameter) -> None:
    """Let these options of the program stand after the verb as well, where people look for them first."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _accept_after_the_verb(inner, *options)
    else:
        command.params.extend(options)


AGENT = click.Option(["--agent"], callback=_whose, expose_value=False, help="Whose memory.")
CONFIG = click.Option(
    ["--config"], callback=_configured, expose_value=False, type=FILE, help="Default: $HOOKCLAW_HOME/config.toml."
)
for command in (
    index,
    remember,
    recall,
    search,
    explain,
    list_notes,
    status,
    watch,
    doctor,
    history,
    replay,
    stats,
    feedback,
    metrics,
    prompts_group,
    backup,
    restore,
):
    _accept_after_the_verb(command, AGENT, CONFIG)
for command in (config_show, config_check):
    _accept_after_the_verb(command, CONFIG)
