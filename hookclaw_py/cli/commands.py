"""Commands: skins over the engine. Whatever a command needs is imported when it runs."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Any

import click

from hookclaw_py import __version__
from hookclaw_py.cli.backup_commands import backup, restore
from hookclaw_py.cli.config_commands import config_check, config_group, config_show
from hookclaw_py.cli.door_commands import hook, mcp, serve
from hookclaw_py.cli.eval_commands import eval_group
from hookclaw_py.cli.feedback_commands import feedback
from hookclaw_py.cli.history_commands import history, replay, stats
from hookclaw_py.cli.index_commands import index, status, watch
from hookclaw_py.cli.metrics_commands import metrics
from hookclaw_py.cli.notes_commands import list_notes, remember, search
from hookclaw_py.cli.openclaw_commands import doctor, openclaw
from hookclaw_py.cli.prompt_commands import prompts_group
from hookclaw_py.cli.recall_commands import explain, recall
from hookclaw_py.errors import ConfigError, HookclawError
from hookclaw_py.insight.terminal import say

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

        from hookclaw_py.privacy.plain import PlainFormatter

        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(PlainFormatter())
        logging.basicConfig(level=logging.INFO, handlers=[handler])


def _whose(ctx: click.Context, _option: click.Parameter, agent: str | None) -> None:
    if agent is not None:
        ctx.ensure_object(dict)["agent"] = agent


def _configured(ctx: click.Context, _option: click.Parameter, file: Path | None) -> None:
    if file is not None:
        ctx.ensure_object(dict)["config_file"] = file


@main.command()
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Put the demo's workspace and store here and keep them.",
)
def demo(keep: Path | None) -> None:
    """Index a small workspace that comes with the package and ask it a handful of questions."""
    import tempfile

    from hookclaw_py.cli.demonstration import run

    if keep is not None:
        run(keep)
        return
    with tempfile.TemporaryDirectory(prefix="hookclaw-demo-") as folder:
        run(Path(folder))


for command in (
    index,
    remember,
    recall,
    search,
    explain,
    status,
    watch,
    config_group,
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
